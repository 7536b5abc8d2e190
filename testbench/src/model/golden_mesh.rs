//! The golden network as a [`StreamDevice`]: what a mesh would do if its links never filled.
//!
//! Routes are those of the specification and latencies those of the golden model's idle mesh: a flit may leave hops + 1
//! cycles after it entered. Nothing is ever refused at an input; packets for one terminal share its output a flit a cycle,
//! each whole, first come first served. So any test of a mesh runs here too, and no mesh does better.

use crate::device::stream::{Handshakes, StreamDevice};
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::PacketRequest;
    use portico_golden::zero_load_tail_latency;

    fn packet(config: &Config, source: usize, destination: usize, flits: usize) -> Vec<Flit> {
        let request = PacketRequest {
            source,
            destination,
            flits,
        };
        let mut words = vec![];
        request.words(config, 0, 1, &mut words);
        Flit::packet(&words).collect()
    }

    /// Offers a packet from each of some sources, a flit a cycle from cycle 0 on; who received what, and when.
    fn run(config: &Config, packets: &[(usize, &[Flit])], ready: impl Fn(u64) -> bool) -> Vec<(u64, usize, Flit)> {
        let mut mesh = GoldenMesh::new(config);
        let mut received = vec![];
        for cycle in 0..200 {
            let mut offered = vec![None; config.terminals()];
            for (source, flits) in packets {
                offered[*source] = flits.get(cycle as usize).copied();
            }
            let ready = vec![ready(cycle); config.terminals()];
            let Handshakes { accepted, emitted } = mesh.cycle(&offered, &ready);
            assert!(accepted
                .iter()
                .zip(&offered)
                .all(|(accepted, offered)| *accepted == offered.is_some()));
            let emitted = emitted.iter().enumerate();
            received.extend(emitted.filter_map(|(terminal, flit)| Some((cycle, terminal, (*flit)?))));
        }
        received
    }

    #[test]
    fn a_lone_packet_takes_the_time_of_an_idle_mesh() {
        let config = Config {
            edge_nodes: 2,
            ..Config::default()
        };
        for (source, destination, flits) in [(0, 15, 1), (3, 17, 33), (16, 2, 4), (5, 5, 65)] {
            let flits = packet(&config, source, destination, flits);
            let received = run(&config, &[(source, &flits)], |_| true);
            assert_eq!(received.iter().map(|&(_, _, flit)| flit).collect::<Vec<_>>(), flits);
            assert!(received.iter().all(|&(_, terminal, _)| terminal == destination));
            let tail = zero_load_tail_latency(&config, source, destination, flits.len());
            assert_eq!(received.last().unwrap().0, tail, "{source} to {destination}");
        }
    }

    #[test]
    fn packets_for_one_terminal_come_whole_and_one_after_the_other() {
        let config = Config::default();
        let (near, far) = (packet(&config, 1, 0, 20), packet(&config, 15, 0, 20));
        let received = run(&config, &[(15, &far), (1, &near)], |_| true);
        let flits: Vec<Flit> = received.iter().map(|&(_, _, flit)| flit).collect();
        assert_eq!(flits, [near, far].concat());
        assert_eq!(received[39].0 - received[0].0, 39);
    }

    #[test]
    fn a_terminal_that_is_not_ready_is_given_nothing() {
        let config = Config::default();
        let flits = packet(&config, 0, 9, 10);
        let received = run(&config, &[(0, &flits)], |cycle| cycle % 3 == 0);
        assert!(received.iter().all(|(cycle, ..)| cycle % 3 == 0));
        assert_eq!(received.len(), 10);
    }
}
