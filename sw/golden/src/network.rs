//! Untimed model of one plane: the terminal that receives each packet, and the order of packets between two terminals.
//!
//! The mesh promises that every packet arrives whole and unchanged, and that packets from one terminal to another stay
//! in order. It promises nothing about packets of different sources, so the model keeps one queue for each pair. A
//! packet names its source in its head, which is how the model finds the queue when the packet comes out.

use std::collections::{BTreeMap, VecDeque};

use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    routing::{self, End},
    Config, Exit, Head,
};

pub use self::error::{InjectError, Mismatch};

mod error;
#[cfg(test)]
mod tests;

/// Where an injected packet must come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At the terminal of this index.
    Terminal(usize),
    /// At no terminal: it is consumed and counted there.
    Misrouted(Exit),
}

/// The untimed model of one plane.
#[derive(Clone, Debug)]
pub struct Network {
    config: Config,
    /// Packets on their way, oldest first, by (source, destination); a pair without any has no entry.
    expected: BTreeMap<(usize, usize), VecDeque<Vec<u64>>>,
    delivered: u64,
    misrouted: BTreeMap<Exit, u64>,
}

impl Network {
    /// An idle network.
    pub fn new(config: &Config) -> Network {
        Network {
            config: config.clone(),
            expected: BTreeMap::new(),
            delivered: 0,
            misrouted: BTreeMap::new(),
        }
    }

    /// Takes note of a packet, the first word its head, and tells where it must come out.
    ///
    /// # Errors
    /// A packet that is no legal stimulus is refused, and nothing is noted.
    pub fn inject(&mut self, terminal: usize, packet: &[u64]) -> Result<Delivery, InjectError> {
        let head = self.check(terminal, packet)?;
        Ok(match routing::end(&self.config, terminal, head.destination) {
            End::Terminal(destination) => {
                self.expected
                    .entry((terminal, destination))
                    .or_default()
                    .push_back(packet.to_vec());
                Delivery::Terminal(destination)
            }
            End::Exit(exit) => {
                *self.misrouted.entry(exit).or_default() += 1;
                Delivery::Misrouted(exit)
            }
        })
    }

    /// Checks a packet that came out at a terminal: it must be the next one from the source that its head names, word
    /// for word.
    ///
    /// # Errors
    /// What is wrong with it; the packet that was due stays due.
    pub fn deliver(&mut self, terminal: usize, packet: &[u64]) -> Result<(), Mismatch> {
        let &word = packet.first().ok_or(Mismatch::Empty { terminal })?;
        let source_node = Head::decode(word as u32).source;
        let unexpected = || Mismatch::Unexpected {
            terminal,
            source_node,
            packet: packet.to_vec(),
        };
        let source = self.config.node_id(source_node).ok_or_else(unexpected)?;
        let queue = self.expected.get_mut(&(source, terminal)).ok_or_else(unexpected)?;
        if let Some(difference) = difference(&queue[0], packet) {
            let expected = queue[0].clone();
            return Err(Mismatch::Different {
                terminal,
                source_node,
                packet: packet.to_vec(),
                expected,
                difference,
            });
        }
        queue.pop_front();
        if queue.is_empty() {
            self.expected.remove(&(source, terminal));
        }
        self.delivered += 1;
        Ok(())
    }

    /// Packets on their way to a terminal: 0 at the end of a test, or something was lost.
    pub fn outstanding(&self) -> usize {
        self.expected.values().map(VecDeque::len).sum()
    }

    /// Packets on their way as (source, destination, packets), for every pair that has any.
    pub fn outstanding_pairs(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.expected
            .iter()
            .map(|(&(source, destination), queue)| (source, destination, queue.len()))
    }

    /// Packets that came out as they should.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Packets that no terminal takes, of the whole network.
    pub fn misrouted(&self) -> u64 {
        self.misrouted.values().sum()
    }

    /// Packets that no terminal takes, by where they are consumed.
    pub fn misrouted_at(&self, exit: Exit) -> u64 {
        self.misrouted.get(&exit).copied().unwrap_or(0)
    }

    fn check(&self, terminal: usize, packet: &[u64]) -> Result<Head, InjectError> {
        if terminal >= self.config.terminals() {
            return Err(InjectError::NoTerminal {
                terminal,
                last: self.config.terminals() - 1,
            });
        }
        let (flits, max) = (packet.len(), MAX_PAYLOAD_FLITS + 1);
        if flits == 0 || flits > max {
            return Err(InjectError::Length { terminal, flits, max });
        }
        let width = self.config.width;
        let widest = u64::MAX >> (u64::BITS as usize - width);
        if let Some((index, &word)) = packet.iter().enumerate().find(|(_, &word)| word > widest) {
            return Err(InjectError::Width {
                terminal,
                index,
                word,
                width,
            });
        }
        let head = Head::decode(packet[0] as u32);
        let node = self.config.terminal_node(terminal);
        if head.source != node {
            return Err(InjectError::Source {
                terminal,
                source_node: head.source,
                node,
            });
        }
        Ok(head)
    }
}

fn difference(expected: &[u64], found: &[u64]) -> Option<String> {
    let differing = expected
        .iter()
        .zip(found)
        .position(|(expected, found)| expected != found);
    match differing {
        Some(index) => Some(format!(
            "word {index} is {:#x} instead of {:#x}",
            found[index], expected[index]
        )),
        None if expected.len() != found.len() => Some(format!("{} flits instead of {}", found.len(), expected.len())),
        None => None,
    }
}
