//! The source/sink core: traffic between tiles, made and measured by hardware (key `probe`).
//!
//! Every tile has a source, which sends packets on command, and a sink, which checks, counts and times the packets that come.
//! No packet passes through the host, so the driver can measure a fabric on a board at its full rate. While the driver waits for
//! the end, its polls share the network with the traffic.
//!
//! ```
//! use portico::{probe::{Target, Traffic}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, probe: true, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let traffic = Traffic { words: 8, packets: 100, ..Traffic::to(Target::Tile(3)) };
//! fabric.tile(0)?.traffic(&traffic)?.wait(10_000)?;
//! let measured = fabric.measured(3)?;
//! assert_eq!((measured.received, measured.words, measured.errors), (100, 800, 0));
//! # Ok::<(), portico::Error>(())
//! ```

pub use portico_spec::probe::{LEAST_WORDS, RATE_CYCLES};
use portico_spec::{
    ni::descriptor::Command,
    probe::{Destination, Run},
};

use crate::{
    command,
    onesided::{Initiator, Operation},
    registers::{ProbeRegister, Registers},
    resources::Feature,
    Error, Fabric, Transport,
};

/// The source/sink core.
const CORE: Feature = Feature {
    what: "a source/sink core",
    is_built: |build| build.probe,
    tile_key: Some("probe"),
    host_key: None,
};

/// The destination of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this tile.
    Tile(usize),
    /// To any other tile, at random.
    Uniform,
}

/// The packets that a source sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The destination.
    pub target: Target,
    /// Words of payload of a packet, of 32 bits on a data plane of 32 and of 64 on one of 64: 2..=64.
    pub words: u32,
    /// How many packets.
    pub packets: u32,
    /// Most packets in [`RATE_CYCLES`] cycles, on average over a run, up to 65535; the first is sent at once. 0 for as many as
    /// possible.
    pub rate: u32,
    /// Decides random targets, and with its low 8 bits the content.
    pub seed: u32,
}

impl Traffic {
    /// One packet of the least length, as soon as possible.
    pub fn to(target: Target) -> Traffic {
        Traffic {
            target,
            words: LEAST_WORDS as u32,
            packets: 1,
            rate: 0,
            seed: 1,
        }
    }
}

/// Counts of the packets that a tile has sent and received since they were [cleared](Fabric::clear_measured). Counts of 32 bits
/// wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Packets that its source has sent.
    pub sent: u32,
    /// Packets that have come.
    pub received: u32,
    /// Words of their payload.
    pub words: u32,
    /// Packets that came with a wrong length, sequence number or content.
    pub errors: u32,
    /// The least latency, in cycles from the offer of a packet's head to its tail at the sink; none if no packet has come.
    pub latency_least: Option<u32>,
    /// The greatest latency; 0 if no packet has come.
    pub latency_greatest: u32,
    /// The sum of all latencies.
    pub latency_sum: u64,
    /// Cycle in which the first head came, counted from reset.
    pub first: u32,
    /// Cycle in which the last tail came.
    pub last: u32,
}

impl Measured {
    /// Mean of the latencies, in cycles; none if no packet has come.
    pub fn latency_mean(&self) -> Option<f64> {
        (self.received > 0).then(|| self.latency_sum as f64 / f64::from(self.received))
    }

    /// Cycles from the first head to the last tail, both included; 0 if no packet has come.
    pub fn cycles(&self) -> u32 {
        match self.received {
            0 => 0,
            _ => self.last.wrapping_sub(self.first).wrapping_add(1),
        }
    }
}

impl<'f, T: Transport> Initiator<'f, T> {
    /// Sends traffic from this tile's source. Complete when the last tail is on its way; a source takes one after the other.
    ///
    /// # Errors
    /// [`Error::NotBuilt`] where this node or the target has no source/sink core, [`Error::NoSuchNode`], [`Error::Descriptor`]
    /// of lengths and rates, [`Error::OutOfRange`] of a uniform target where there is one tile: nothing is sent.
    pub fn traffic(self, traffic: &Traffic) -> Result<Operation<'f, T, ()>, Error> {
        let check = |node: usize| self.fabric.nodes[node].check_built(node, &CORE);
        check(self.node)?;
        let destination = match traffic.target {
            Target::Tile(tile) => {
                self.fabric.check_node(tile)?;
                check(tile)?;
                Destination::Node(self.fabric.config().terminal_node(tile))
            }
            Target::Uniform if self.fabric.config().tiles() == 1 => {
                return Err(Error::OutOfRange {
                    field: "tiles of a uniform target",
                    value: 1,
                    min: 2,
                    max: 256,
                })
            }
            Target::Uniform => Destination::Uniform,
        };
        let run = Run {
            destination,
            words: traffic.words,
            packets: traffic.packets,
            rate: traffic.rate,
            seed: traffic.seed,
        };
        let words = command::encode(self.fabric.config(), 0, Command::Probe(run))?;
        Ok(self.operation("traffic", words))
    }
}

impl<T: Transport> Fabric<T> {
    /// Reads the counts of a tile's source and sink, one register after the other: with traffic under way, they belong to
    /// different cycles.
    ///
    /// # Errors
    /// [`Error::NotBuilt`], [`Error::NoSuchNode`], or the fabric's.
    pub fn measured(&mut self, tile: usize) -> Result<Measured, Error> {
        self.check_core(tile)?;
        let registers: Registers<ProbeRegister> = self.peek_item(tile, 0)?;
        let of = |register: ProbeRegister| registers[register];
        let received = of(ProbeRegister::Received);
        Ok(Measured {
            sent: of(ProbeRegister::Sent),
            received,
            words: of(ProbeRegister::Words),
            errors: of(ProbeRegister::Errors),
            latency_least: (received > 0).then(|| of(ProbeRegister::LatencyLeast)),
            latency_greatest: of(ProbeRegister::LatencyGreatest),
            latency_sum: u64::from(of(ProbeRegister::LatencySumHigh)) << 32
                | u64::from(of(ProbeRegister::LatencySumLow)),
            first: of(ProbeRegister::First),
            last: of(ProbeRegister::Last),
        })
    }

    /// Sets the counts of a tile to 0. Sequence numbers continue, so that a packet lost in between is still noticed.
    ///
    /// # Errors
    /// [`Error::NotBuilt`], [`Error::NoSuchNode`], or the fabric's.
    pub fn clear_measured(&mut self, tile: usize) -> Result<(), Error> {
        self.check_core(tile)?;
        self.poke(tile, ProbeRegister::Clear, 0, &[0])
    }

    fn check_core(&self, tile: usize) -> Result<(), Error> {
        self.check_node(tile)?;
        self.nodes[tile].check_built(tile, &CORE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldenTransport;
    use portico_spec::Config;

    fn fabric(cols: usize, probe: bool) -> Fabric<GoldenTransport> {
        let config = Config {
            cols,
            rows: 1,
            edge_nodes: 1,
            probe,
            ..Config::default()
        };
        Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap()
    }

    #[test]
    fn what_cannot_be_sent_is_refused_before_anything_is() {
        let mut two = fabric(2, true);
        let good = Traffic::to(Target::Tile(1));
        let mut wrong = |traffic: Traffic| two.tile(0).unwrap().traffic(&traffic).unwrap_err().to_string();
        assert_eq!(
            wrong(Traffic { words: 1, ..good }),
            "words = 1 is not allowed: allowed is 2..=64"
        );
        assert_eq!(
            wrong(Traffic { rate: 65_536, ..good }),
            "rate = 65536 is not allowed: allowed is 0..=65535"
        );
        assert_eq!(
            wrong(Traffic::to(Target::Tile(2))),
            "node 2 is built without a source/sink core"
        );
        assert!(wrong(Traffic::to(Target::Tile(3))).contains("does not exist"));
        let host = two.host().traffic(&good).unwrap_err();
        assert_eq!(host.to_string(), "node 2 is built without a source/sink core");
        assert_eq!(two.measured(1).unwrap().received, 0);
        let mut one = fabric(1, true);
        let alone = one.tile(0).unwrap().traffic(&Traffic::to(Target::Uniform)).unwrap_err();
        assert_eq!(
            alone.to_string(),
            "tiles of a uniform target = 1 is not allowed: allowed is 2..=256"
        );
        let mut none = fabric(2, false);
        assert!(none.tile(0).unwrap().traffic(&good).is_err() && none.measured(0).is_err());
    }

    #[test]
    fn counts_begin_again_and_sequence_numbers_go_on() {
        let mut two = fabric(2, true);
        let traffic = Traffic {
            words: 5,
            packets: 7,
            ..Traffic::to(Target::Tile(1))
        };
        for _ in 0..2 {
            two.tile(0).unwrap().traffic(&traffic).unwrap().wait(1_000).unwrap();
            let (sender, receiver) = (two.measured(0).unwrap(), two.measured(1).unwrap());
            assert_eq!((sender.sent, sender.received, sender.latency_mean()), (7, 0, None));
            assert_eq!((receiver.received, receiver.words, receiver.errors), (7, 35, 0));
            (0..2).for_each(|tile| two.clear_measured(tile).unwrap());
            let cleared = two.measured(1).unwrap();
            assert_eq!(
                (cleared.received, cleared.latency_least, cleared.cycles()),
                (0, None, 0)
            );
        }
    }
}
