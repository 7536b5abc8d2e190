//! When packets are generated.

use super::{packet::PacketRequest, pattern::Destinations, trace::Trace, MAX_PACKET_FLITS};
use portico_spec::Config;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use thiserror::Error;

/// What the terminals of a network send.
#[derive(Clone, Debug)]
pub enum Workload {
    /// Every terminal that sends does so at random, independently of the others and of the past.
    Random {
        /// Who sends to whom.
        destinations: Destinations,
        /// Offered load in flits per sending terminal and cycle, above 0, at most 1.
        rate: f64,
        /// Flits of every packet, 1..=[`MAX_PACKET_FLITS`].
        packet: usize,
    },
    /// Every terminal that sends is never without a flit to send: a packet of `packet` flits every `packet` cycles.
    Stream {
        /// Who sends to whom.
        destinations: Destinations,
        /// Flits of every packet, 1..=[`MAX_PACKET_FLITS`].
        packet: usize,
    },
    /// What was recorded, when it was recorded.
    Recorded(Trace),
}

/// A workload that cannot be had.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WorkloadError {
    /// The rate is out of range.
    #[error("rate {0}: allowed is more than 0, at most 1 flit per terminal and cycle")]
    Rate(f64),
    /// The packet length is out of range.
    #[error("packet {0}: allowed is 1 to {MAX_PACKET_FLITS} flits")]
    Packet(usize),
}

impl Workload {
    /// A random workload; see [`Workload::Random`] for the ranges.
    ///
    /// # Errors
    /// Rate or packet length are out of range.
    pub fn random(destinations: Destinations, rate: f64, packet: usize) -> Result<Self, WorkloadError> {
        if !(rate > 0.0 && rate <= 1.0) {
            return Err(WorkloadError::Rate(rate));
        }
        if !(1..=MAX_PACKET_FLITS).contains(&packet) {
            return Err(WorkloadError::Packet(packet));
        }
        Ok(Self::Random {
            destinations,
            rate,
            packet,
        })
    }

    /// Full streams along `flows`; see [`Destinations::fixed`].
    ///
    /// # Errors
    /// The packet length is out of range.
    ///
    /// # Panics
    /// A flow names a source that is not there.
    pub fn stream(config: &Config, flows: &[(usize, usize)], packet: usize) -> Result<Self, WorkloadError> {
        if !(1..=MAX_PACKET_FLITS).contains(&packet) {
            return Err(WorkloadError::Packet(packet));
        }
        Ok(Self::Stream {
            destinations: Destinations::fixed(config.terminals(), flows),
            packet,
        })
    }

    /// The terminals that send, in order.
    pub fn senders(&self, config: &Config) -> Vec<usize> {
        let mut sends = vec![false; config.terminals()];
        match self {
            Self::Random { destinations, .. } | Self::Stream { destinations, .. } => {
                (0..destinations.terminals()).for_each(|source| sends[source] = destinations.sends(source));
            }
            Self::Recorded(trace) => trace
                .entries()
                .iter()
                .for_each(|entry| sends[entry.packet.source] = true),
        }
        (0..sends.len()).filter(|&source| sends[source]).collect()
    }
}

/// Plays a workload, cycle by cycle; the same seed gives the same packets.
#[derive(Clone, Debug)]
pub struct Generator<'a> {
    workload: &'a Workload,
    rng: SmallRng,
    /// First entry of a trace that is not generated yet.
    next: usize,
}

impl<'a> Generator<'a> {
    /// Starts `workload` at its beginning.
    pub fn new(workload: &'a Workload, seed: u64) -> Self {
        Self {
            workload,
            rng: SmallRng::seed_from_u64(seed),
            next: 0,
        }
    }

    /// Gives all packets of `cycle` to `emit`. Cycles are asked for in order, from 0.
    pub fn generate(&mut self, cycle: u64, mut emit: impl FnMut(PacketRequest)) {
        match self.workload {
            Workload::Random {
                destinations,
                rate,
                packet,
            } => {
                // One Bernoulli trial a cycle decides on a whole packet, so that the flits come to `rate`.
                let probability = rate / *packet as f64;
                for source in 0..destinations.terminals() {
                    if self.rng.gen_bool(probability) {
                        if let Some(destination) = destinations.draw(source, &mut self.rng) {
                            emit(PacketRequest {
                                source,
                                destination,
                                flits: *packet,
                            });
                        }
                    }
                }
            }
            Workload::Stream { destinations, packet } => {
                if !cycle.is_multiple_of(*packet as u64) {
                    return;
                }
                for source in 0..destinations.terminals() {
                    if let Some(destination) = destinations.draw(source, &mut self.rng) {
                        emit(PacketRequest {
                            source,
                            destination,
                            flits: *packet,
                        });
                    }
                }
            }
            Workload::Recorded(trace) => {
                let due = trace.entries()[self.next..]
                    .iter()
                    .take_while(|entry| entry.cycle <= cycle);
                for entry in due {
                    self.next += 1;
                    emit(entry.packet);
                }
            }
        }
    }

    /// Whether no packet will come any more; only a trace ever ends.
    pub fn is_finished(&self) -> bool {
        matches!(self.workload, Workload::Recorded(trace) if self.next == trace.entries().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Pattern;

    fn uniform(rate: f64, packet: usize) -> Result<Workload, WorkloadError> {
        Workload::random(Pattern::Uniform.on_mesh(4, 4, 0).unwrap(), rate, packet)
    }

    fn packets(workload: &Workload, seed: u64, cycles: u64) -> Vec<(u64, PacketRequest)> {
        let mut generator = Generator::new(workload, seed);
        let mut packets = vec![];
        for cycle in 0..cycles {
            generator.generate(cycle, |packet| packets.push((cycle, packet)));
        }
        packets
    }

    #[test]
    fn the_load_in_flits_is_the_rate() {
        for (rate, packet) in [(0.1, 1), (0.5, 4), (0.9, 33), (0.02, 65)] {
            let cycles = 50_000;
            let generated = packets(&uniform(rate, packet).unwrap(), 0x5eed, cycles);
            let flits: usize = generated.iter().map(|(_, packet)| packet.flits).sum();
            let load = flits as f64 / (16 * cycles) as f64;
            let deviation = 1.0 / (rate / packet as f64 * (16 * cycles) as f64).sqrt();
            assert!(
                (load / rate - 1.0).abs() < 4.0 * deviation,
                "rate {rate}, packet {packet}: load {load}, standard deviation {deviation}"
            );
        }
    }

    #[test]
    fn at_rate_one_single_flits_come_from_everyone_in_every_cycle() {
        assert_eq!(packets(&uniform(1.0, 1).unwrap(), 1, 100).len(), 16 * 100);
    }

    #[test]
    fn the_same_seed_replays_and_another_does_not() {
        let workload = uniform(0.3, 2).unwrap();
        assert_eq!(packets(&workload, 1, 1_000), packets(&workload, 1, 1_000));
        assert_ne!(packets(&workload, 1, 1_000), packets(&workload, 2, 1_000));
    }

    #[test]
    fn a_stream_never_pauses() {
        let config = Config::default();
        let workload = Workload::stream(&config, &[(0, 5), (7, 7)], 3).unwrap();
        let generated: Vec<_> = packets(&workload, 0, 7)
            .into_iter()
            .map(|(cycle, packet)| (cycle, packet.source, packet.destination, packet.flits))
            .collect();
        let expected = [0, 3, 6].map(|cycle| [(cycle, 0, 5, 3), (cycle, 7, 7, 3)]).concat();
        assert_eq!(generated, expected);
        assert_eq!(workload.senders(&config), [0, 7]);
        assert_eq!(
            Workload::stream(&config, &[], 66).unwrap_err(),
            WorkloadError::Packet(66)
        );
    }

    #[test]
    fn a_trace_is_replayed_in_its_cycles() {
        let workload = Workload::Recorded(Trace::parse("2 0 1 1\n2 1 0 4\n5 3 2 1\n", 4).unwrap());
        let mut generator = Generator::new(&workload, 0);
        let mut seen = vec![];
        for cycle in 0..6 {
            assert!(!generator.is_finished(), "cycle {cycle}");
            generator.generate(cycle, |packet| seen.push((cycle, packet.source, packet.flits)));
        }
        assert!(generator.is_finished());
        assert_eq!(seen, [(2, 0, 1), (2, 1, 4), (5, 3, 1)]);
        assert_eq!(workload.senders(&Config::default()), [0, 1, 3]);
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        let error = |rate, packet| uniform(rate, packet).unwrap_err().to_string();
        for rate in [0.0, -0.1, 1.01, f64::NAN] {
            assert!(error(rate, 1).starts_with(&format!("rate {rate}: allowed is ")));
        }
        assert_eq!(error(0.5, 0), "packet 0: allowed is 1 to 65 flits");
        assert_eq!(error(0.5, 66), "packet 66: allowed is 1 to 65 flits");
    }
}
