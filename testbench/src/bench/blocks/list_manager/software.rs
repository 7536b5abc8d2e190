//! The same matching in portable Rust, on the processor of this machine: what an offload has to beat.
//!
//! Entries are linked by index in one vector, as a careful programmer would have them; the hashed variant has a chain a bucket.
//! Times are read from the clock of the machine, so they differ from run to run and bound nothing.

use portico_golden::portals::list::matches;
use portico_spec::portals::list::Entry;
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// No entry.
const NONE: u32 = u32::MAX;
/// How long one measurement lasts at least.
const LONG_ENOUGH: Duration = Duration::from_millis(2);

struct Node {
    entry: Entry,
    next: u32,
}

/// Headers in append order, in one chain or one a bucket.
pub struct SoftwareList {
    nodes: Vec<Node>,
    heads: Vec<u32>,
    tails: Vec<u32>,
}

impl SoftwareList {
    /// An empty list in `chains` chains by source.
    pub fn new(chains: usize) -> Self {
        Self {
            nodes: vec![],
            heads: vec![NONE; chains],
            tails: vec![NONE; chains],
        }
    }

    fn chain(&self, source: u16) -> usize {
        usize::from(source) % self.heads.len()
    }

    /// Inserts a header at the tail.
    pub fn append(&mut self, entry: Entry) {
        let (chain, index) = (self.chain(entry.source), self.nodes.len() as u32);
        self.nodes.push(Node { entry, next: NONE });
        match self.tails[chain] {
            NONE => self.heads[chain] = index,
            tail => self.nodes[tail as usize].next = index,
        }
        self.tails[chain] = index;
    }

    /// The first header that an entry with a source matches.
    pub fn find(&self, entry: &Entry) -> Option<&Entry> {
        let mut at = self.heads[self.chain(entry.source)];
        while let Some(node) = self.nodes.get(at as usize) {
            if matches(entry, &node.entry) {
                return Some(&node.entry);
            }
            at = node.next;
        }
        None
    }

    /// Nanoseconds that finding takes.
    pub fn nanoseconds(&self, entry: &Entry) -> f64 {
        let mut times = 1u32;
        loop {
            let start = Instant::now();
            for _ in 0..times {
                black_box(self.find(black_box(entry)));
            }
            let taken = start.elapsed();
            if taken >= LONG_ENOUGH {
                return taken.as_secs_f64() * 1e9 / f64::from(times);
            }
            times *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_in_one_chain_or_many() {
        for chains in [1, 4] {
            let mut list = SoftwareList::new(chains);
            let header = |number: u64| Entry {
                source: number as u16 % 8,
                match_bits: number % 16,
                pointer: number as u32,
                ..Entry::default()
            };
            (0..64).for_each(|number| list.append(header(number)));
            assert_eq!(list.find(&header(29)).map(|found| found.pointer), Some(13));
            assert_eq!(
                list.find(&Entry {
                    source: 1,
                    ..header(13)
                }),
                None
            );
            assert!(list.nanoseconds(&header(29)) > 0.0);
        }
    }
}
