//! The golden network as a [`StreamDevice`]: what a mesh would do if its links never filled.
//!
//! Routes are those of the specification and latencies those of the golden model's idle mesh: a flit may leave hops + 1
//! cycles after it entered. Nothing is ever refused at an input; packets for one terminal share its output a flit a cycle,
//! each whole, first come first served. So any test of a mesh runs here too, and no mesh does better.

use crate::stream::{Handshakes, StreamDevice};
use portico_golden::zero_load_latency;
use portico_spec::{
    routing::{end, End},
    Config, Flit, Head,
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

/// The golden mesh of one configuration.
#[derive(Clone, Debug)]
pub struct GoldenMesh {
    config: Config,
    now: u64,
    /// Destination of the packet that is entering, by source; `None` inside for a packet that no terminal takes.
    entering: Vec<Option<Option<usize>>>,
    outputs: Vec<Output>,
    /// Flits under way with the cycle from which they may leave, by source and destination.
    lanes: Vec<VecDeque<(u64, Flit)>>,
    accepted: Vec<bool>,
    emitted: Vec<Option<Flit>>,
}

#[derive(Clone, Debug, Default)]
struct Output {
    /// Source whose packet is leaving.
    holder: Option<usize>,
    /// Packets under way: the cycle from which the head may leave, and the source.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

impl GoldenMesh {
    /// An empty mesh.
    pub fn new(config: &Config) -> Self {
        let terminals = config.terminals();
        Self {
            config: config.clone(),
            now: 0,
            entering: vec![None; terminals],
            outputs: vec![Output::default(); terminals],
            lanes: vec![VecDeque::new(); terminals * terminals],
            accepted: vec![false; terminals],
            emitted: vec![None; terminals],
        }
    }

    fn enter(&mut self, source: usize, flit: Flit) {
        let begins = self.entering[source].is_none();
        let destination = *self.entering[source].get_or_insert_with(|| {
            match end(&self.config, source, Head::decode(flit.data as u32).destination) {
                End::Terminal(destination) => Some(destination),
                End::Exit(_) => None,
            }
        });
        if let Some(destination) = destination {
            let due = self.now + zero_load_latency(&self.config, source, destination);
            self.lanes[source * self.entering.len() + destination].push_back((due, flit));
            if begins {
                self.outputs[destination].heads.push(Reverse((due, source)));
            }
        }
        if flit.last {
            self.entering[source] = None;
        }
    }

    fn leave(&mut self, destination: usize) -> Option<Flit> {
        let output = &mut self.outputs[destination];
        if output.holder.is_none() {
            let Reverse((due, _)) = output.heads.peek()?;
            if *due > self.now {
                return None;
            }
            output.holder = output.heads.pop().map(|Reverse((_, source))| source);
        }
        let lane = &mut self.lanes[output.holder? * self.entering.len() + destination];
        let &(due, flit) = lane.front()?;
        if due > self.now {
            return None;
        }
        lane.pop_front();
        if flit.last {
            output.holder = None;
        }
        Some(flit)
    }
}

impl StreamDevice for GoldenMesh {
    fn inputs(&self) -> usize {
        self.entering.len()
    }

    fn outputs(&self) -> usize {
        self.outputs.len()
    }

    fn reset(&mut self) {
        *self = Self::new(&self.config);
    }

    fn cycle(&mut self, offered: &[Option<Flit>], ready: &[bool]) -> Handshakes<'_> {
        for (source, &offered) in offered.iter().enumerate() {
            self.accepted[source] = offered.is_some();
            if let Some(flit) = offered {
                self.enter(source, flit);
            }
        }
        for (destination, &ready) in ready.iter().enumerate() {
            self.emitted[destination] = if ready { self.leave(destination) } else { None };
        }
        self.now += 1;
        Handshakes {
            accepted: &self.accepted,
            emitted: &self.emitted,
        }
    }
}
