//! Every packet that comes out, compared with what the golden model expects; and at the end, what is missing.
//!
//! The scoreboard learns of a packet when the network accepts its head. What then comes out of a terminal is collected to
//! the tail and shown to [`Network`], which holds it word for word against the oldest packet under way from that source to
//! that terminal: a flit dropped or doubled, a bit changed, two packets swapped, a packet at the wrong terminal, all
//! differ there. What never comes out is found by [`Scoreboard::finish`].

use portico_golden::{Delivery, InjectError, Mismatch, Network};
use portico_spec::{flit::MAX_PAYLOAD_FLITS, Config, Flit, Head};
use std::collections::VecDeque;
use thiserror::Error;

/// Pairs that the report of a leak names at most.
const NAMED_PAIRS: usize = 8;

/// A packet that came out as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Terminal that sent it.
    pub source: usize,
    /// Terminal that received it.
    pub destination: usize,
    /// Its length, with the head.
    pub flits: usize,
    /// Cycle in which it was generated.
    pub born: u64,
    /// Cycle in which the network accepted its head.
    pub entered: u64,
}

/// What the network did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The stimulus, not the network, is at fault.
    #[error(transparent)]
    Stimulus(#[from] InjectError),
    /// A packet that came out is not the one that is due.
    #[error(transparent)]
    Delivery(#[from] Mismatch),
    /// More flits came out than any packet has.
    #[error("terminal {terminal} received {flits} flits and no tail; the longest packet has {longest}", longest = MAX_PAYLOAD_FLITS + 1)]
    Endless {
        /// Where.
        terminal: usize,
        /// How many, so far.
        flits: usize,
    },
    /// Packets are missing at the end.
    #[error("{packets} packets never came out: {}", list(pairs))]
    Lost {
        /// How many.
        packets: usize,
        /// (source, destination, packets), the first few.
        pairs: Vec<(usize, usize, usize)>,
    },
    /// A packet is still coming out at the end.
    #[error("terminal {terminal} received {flits} flits of a packet whose tail never came")]
    Torn {
        /// Where.
        terminal: usize,
        /// Flits that came.
        flits: usize,
    },
}

fn list(pairs: &[(usize, usize, usize)]) -> String {
    let named: Vec<String> = pairs
        .iter()
        .map(|(source, destination, packets)| format!("{packets} from terminal {source} to {destination}"))
        .collect();
    named.join(", ")
}

/// The state of one run.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    config: Config,
    network: Network,
    /// Packets that entered for a terminal.
    entered: u64,
    /// Words received of the packet that is coming out, by terminal.
    collected: Vec<Vec<u64>>,
    /// Cycles of generation and of entry of the packets under way, oldest first, by source and destination.
    under_way: Vec<VecDeque<(u64, u64)>>,
}

impl Scoreboard {
    /// A network with nothing in it.
    pub fn new(config: &Config) -> Self {
        let terminals = config.terminals();
        Self {
            config: config.clone(),
            network: Network::new(config),
            entered: 0,
            collected: vec![vec![]; terminals],
            under_way: vec![VecDeque::new(); terminals * terminals],
        }
    }

    /// Takes note that the network accepted the head of a packet from `terminal` in cycle `now`; it was generated in cycle
    /// `born`.
    ///
    /// # Errors
    /// The packet is no legal stimulus.
    pub fn entered(&mut self, terminal: usize, words: &[u64], born: u64, now: u64) -> Result<Delivery, Fault> {
        let delivery = self.network.inject(terminal, words)?;
        if let Delivery::Terminal(destination) = delivery {
            self.entered += 1;
            self.under_way[terminal * self.config.terminals() + destination].push_back((born, now));
        }
        Ok(delivery)
    }

    /// Takes a flit that came out of `terminal`; the arrival, if it is the tail of a packet.
    ///
    /// # Errors
    /// The packet is not the one that is due, or has no end.
    pub fn received(&mut self, terminal: usize, flit: Flit) -> Result<Option<Arrival>, Fault> {
        let words = &mut self.collected[terminal];
        words.push(flit.data);
        let flits = words.len();
        if !flit.last {
            let endless = flits > MAX_PAYLOAD_FLITS;
            return if endless {
                Err(Fault::Endless { terminal, flits })
            } else {
                Ok(None)
            };
        }
        self.network.deliver(terminal, words)?;
        let source = self.config.node_id(Head::decode(words[0] as u32).source);
        words.clear();
        let source = source.expect("golden took the packet, so its source exists");
        let (born, entered) = self.under_way[source * self.config.terminals() + terminal]
            .pop_front()
            .expect("golden took the packet, so it was under way");
        Ok(Some(Arrival {
            source,
            destination: terminal,
            flits,
            born,
            entered,
        }))
    }

    /// Packets under way to a terminal.
    pub fn outstanding(&self) -> u64 {
        self.entered - self.network.delivered()
    }

    /// Packets under way as (source, destination, packets).
    pub fn outstanding_pairs(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.network.outstanding_pairs()
    }

    /// Packets that came out as they should.
    pub fn delivered(&self) -> u64 {
        self.network.delivered()
    }

    /// Packets that entered and that no terminal takes.
    pub fn misrouted(&self) -> u64 {
        self.network.misrouted()
    }

    /// The leak check, once the network should be empty.
    ///
    /// # Errors
    /// A packet is still under way, or in the middle of coming out.
    pub fn finish(&self) -> Result<(), Fault> {
        let torn = self.collected.iter().position(|words| !words.is_empty());
        if let Some(terminal) = torn {
            return Err(Fault::Torn {
                terminal,
                flits: self.collected[terminal].len(),
            });
        }
        match self.network.outstanding() {
            0 => Ok(()),
            packets => Err(Fault::Lost {
                packets,
                pairs: self.network.outstanding_pairs().take(NAMED_PAIRS).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::PacketRequest;

    const SOURCE: usize = 2;
    const DESTINATION: usize = 9;

    /// Lets two packets of four flits enter, then hands out what `network` makes of their flits.
    fn run(network: impl Fn(&mut Vec<(usize, Flit)>)) -> Result<Vec<Arrival>, Fault> {
        let config = Config::default();
        let mut scoreboard = Scoreboard::new(&config);
        let mut flits = vec![];
        for sequence in 0..2 {
            let request = PacketRequest {
                source: SOURCE,
                destination: DESTINATION,
                flits: 4,
            };
            let mut words = vec![];
            request.words(&config, sequence, 0x5eed, &mut words);
            scoreboard.entered(SOURCE, &words, 10 * sequence, 10 * sequence + 3)?;
            flits.extend(Flit::packet(&words).map(|flit| (DESTINATION, flit)));
        }
        network(&mut flits);
        let mut arrivals = vec![];
        for (terminal, flit) in flits {
            arrivals.extend(scoreboard.received(terminal, flit)?);
        }
        scoreboard.finish()?;
        Ok(arrivals)
    }

    #[test]
    fn a_faultless_network_passes() {
        let arrival = |born| Arrival {
            source: SOURCE,
            destination: DESTINATION,
            flits: 4,
            born,
            entered: born + 3,
        };
        assert_eq!(run(|_| ()), Ok(vec![arrival(0), arrival(10)]));
    }

    #[test]
    fn every_dropped_flit_is_caught() {
        for victim in 0..8 {
            let fault = run(|flits| {
                flits.retain({
                    let mut at = 0..;
                    move |_| at.next() != Some(victim)
                })
            })
            .unwrap_err();
            assert!(!matches!(fault, Fault::Stimulus(_)), "flit {victim}: {fault}");
        }
    }

    #[test]
    fn every_doubled_flit_is_caught() {
        for victim in 0..8 {
            run(|flits| flits.insert(victim, flits[victim])).expect_err(&format!("flit {victim} doubled"));
        }
    }

    #[test]
    fn a_doubled_packet_is_caught() {
        let fault = run(|flits| flits.extend_from_within(4..)).unwrap_err();
        assert!(matches!(fault, Fault::Delivery(Mismatch::Unexpected { .. })), "{fault}");
    }

    #[test]
    fn a_lost_packet_is_caught_and_named() {
        let fault = run(|flits| flits.truncate(4)).unwrap_err();
        assert_eq!(fault.to_string(), "1 packets never came out: 1 from terminal 2 to 9");
    }

    #[test]
    fn swapped_packets_are_caught() {
        let fault = run(|flits| flits.rotate_left(4)).unwrap_err();
        assert!(matches!(fault, Fault::Delivery(Mismatch::Different { .. })), "{fault}");
    }

    #[test]
    fn swapped_flits_are_caught() {
        run(|flits| flits.swap(1, 2)).unwrap_err();
    }

    #[test]
    fn every_corrupted_bit_is_caught() {
        for victim in 0..8 {
            for bit in 0..32 {
                run(|flits| flits[victim].1.data ^= 1 << bit).expect_err(&format!("bit {bit} of flit {victim} turned"));
            }
        }
    }

    #[test]
    fn a_moved_tail_is_caught() {
        run(|flits| flits[2].1.last = true).unwrap_err();
        run(|flits| flits[3].1.last = false).unwrap_err();
    }

    #[test]
    fn a_misdelivered_packet_is_caught() {
        let fault = run(|flits| flits[..4].iter_mut().for_each(|(terminal, _)| *terminal = 10)).unwrap_err();
        assert!(
            matches!(fault, Fault::Delivery(Mismatch::Unexpected { terminal: 10, .. })),
            "{fault}"
        );
    }

    #[test]
    fn a_torn_packet_is_caught() {
        let fault = run(|flits| flits.truncate(6)).unwrap_err();
        assert_eq!(
            fault,
            Fault::Torn {
                terminal: DESTINATION,
                flits: 2
            }
        );
    }

    #[test]
    fn a_packet_without_end_is_caught() {
        let endless = |flits: &mut Vec<(usize, Flit)>| {
            flits.iter_mut().for_each(|(_, flit)| flit.last = false);
            *flits = flits.iter().copied().cycle().take(100).collect();
        };
        assert_eq!(
            run(endless),
            Err(Fault::Endless {
                terminal: DESTINATION,
                flits: 65
            })
        );
    }

    #[test]
    fn a_misrouted_packet_is_counted_and_expected_nowhere() {
        let config = Config::default();
        let mut scoreboard = Scoreboard::new(&config);
        let head = Head {
            destination: portico_spec::Node { x: 9, y: 0 },
            source: config.terminal_node(0),
            ..Head::default()
        };
        let word = u64::from(head.encode().unwrap());
        let delivery = scoreboard.entered(0, &[word], 0, 0).unwrap();
        assert!(matches!(delivery, Delivery::Misrouted(_)));
        assert_eq!((scoreboard.misrouted(), scoreboard.finish()), (1, Ok(())));
        scoreboard.received(4, Flit { data: word, last: true }).unwrap_err();
    }
}
