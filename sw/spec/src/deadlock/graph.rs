//! Channel-dependency graphs, and the search for their cycles.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
    hash::Hash,
};

use thiserror::Error;

/// The size of a graph that has no cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Channels that some packet uses.
    pub channels: usize,
    /// Pairs of channels of which one may be held while the other is awaited.
    pub dependencies: usize,
}

/// A cycle of channels, each of which may wait for the next, and the last for the first. None is shorter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the channel-dependency graph has a cycle: {} -> {}", .channels.join(" -> "), .channels[0])]
pub struct Cycle {
    /// The channels in order, each once.
    pub channels: Vec<String>,
}

/// A channel-dependency graph over any kind of channel.
#[derive(Clone, Debug)]
pub struct ChannelGraph<C> {
    channels: Vec<C>,
    index: HashMap<C, usize>,
    dependencies: HashSet<(usize, usize)>,
    next: Vec<Vec<usize>>,
}

impl<C> Default for ChannelGraph<C> {
    fn default() -> Self {
        ChannelGraph {
            channels: Vec::new(),
            index: HashMap::new(),
            dependencies: HashSet::new(),
            next: Vec::new(),
        }
    }
}

impl<C: Clone + Eq + Hash + fmt::Display> ChannelGraph<C> {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// A packet that holds `held` may wait for `awaited`. Adding a dependency again changes nothing.
    pub fn add_dependency(&mut self, held: C, awaited: C) {
        let (held, awaited) = (self.channel(held), self.channel(awaited));
        if self.dependencies.insert((held, awaited)) {
            self.next[held].push(awaited);
        }
    }

    /// Proves that the graph has no cycle.
    ///
    /// # Errors
    /// One of its shortest cycles; always the same for the same order of additions.
    pub fn prove_acyclic(&self) -> Result<Proof, Cycle> {
        let entangled = self.entangled();
        let shortest = (0..self.channels.len())
            .filter(|&channel| entangled[channel])
            .filter_map(|channel| self.cycle_through(channel, &entangled))
            .min_by_key(Vec::len);
        match shortest {
            Some(cycle) => Err(Cycle {
                channels: cycle
                    .iter()
                    .map(|&channel| self.channels[channel].to_string())
                    .collect(),
            }),
            None => Ok(Proof {
                channels: self.channels.len(),
                dependencies: self.dependencies.len(),
            }),
        }
    }

    fn channel(&mut self, channel: C) -> usize {
        *self.index.entry(channel).or_insert_with_key(|channel| {
            self.channels.push(channel.clone());
            self.next.push(Vec::new());
            self.channels.len() - 1
        })
    }

    /// Takes away channels that nobody left waits for, again and again (Kahn's topological sort). What remains is on a
    /// cycle or behind one; nothing remains if and only if the graph has no cycle.
    fn entangled(&self) -> Vec<bool> {
        let mut waiters = vec![0; self.channels.len()];
        self.next.iter().flatten().for_each(|&awaited| waiters[awaited] += 1);
        let mut free: Vec<usize> = (0..waiters.len()).filter(|&channel| waiters[channel] == 0).collect();
        let mut entangled = vec![true; waiters.len()];
        while let Some(channel) = free.pop() {
            entangled[channel] = false;
            for &awaited in &self.next[channel] {
                waiters[awaited] -= 1;
                if waiters[awaited] == 0 {
                    free.push(awaited);
                }
            }
        }
        entangled
    }

    /// A shortest cycle through one channel, by breadth-first search among the entangled.
    fn cycle_through(&self, start: usize, entangled: &[bool]) -> Option<Vec<usize>> {
        let mut before = vec![None; self.channels.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(channel) = queue.pop_front() {
            for &awaited in self.next[channel].iter().filter(|&&awaited| entangled[awaited]) {
                if awaited == start {
                    let back = |&at: &usize| if at == start { None } else { before[at] };
                    let mut cycle: Vec<usize> = std::iter::successors(Some(channel), back).collect();
                    cycle.reverse();
                    return Some(cycle);
                }
                if before[awaited].is_none() {
                    before[awaited] = Some(channel);
                    queue.push_back(awaited);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_channel_that_waits_for_itself_is_a_cycle() {
        let mut graph = ChannelGraph::new();
        graph.add_dependency("a", "b");
        graph.add_dependency("b", "b");
        assert_eq!(graph.prove_acyclic().unwrap_err().channels, ["b"]);
    }

    #[test]
    fn the_empty_graph_has_no_cycle() {
        let nothing = Proof {
            channels: 0,
            dependencies: 0,
        };
        assert_eq!(ChannelGraph::<&str>::new().prove_acyclic(), Ok(nothing));
    }

    proptest! {
        /// Against a second opinion: the closure of the relation.
        #[test]
        fn any_graph_is_judged_rightly(edges in prop::collection::vec((0..8usize, 0..8usize), 0..14)) {
            let mut graph = ChannelGraph::new();
            let mut reach = [[false; 8]; 8];
            for &(held, awaited) in &edges {
                graph.add_dependency(held, awaited);
                reach[held][awaited] = true;
            }
            for via in 0..8 {
                for from in 0..8 {
                    for to in 0..8 {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            let cyclic = (0..8).any(|channel| reach[channel][channel]);
            prop_assert_eq!(graph.prove_acyclic().is_err(), cyclic);
        }
    }
}
