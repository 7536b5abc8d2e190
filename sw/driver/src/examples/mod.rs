//! Whole applications: each moves real data over a fabric, checks every word of the result, and reports its speed.
//!
//! ```
//! use portico::{examples, Fabric, GoldenTransport};
//! use portico_spec::Config;
//!
//! let config = Config { edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let figures = examples::tile_in_buffer(&mut fabric)?;
//! assert_eq!(figures.bytes, 16 * 16 * fabric.word_bytes() as u64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use thiserror::Error;

use crate::{list::List, portals::Error as PortalsError, Error as DriverError, Fabric, Transport, Watched};
use portico_spec::{flit::MAX_PAYLOAD_FLITS, routing, Node, Port};
use std::collections::BTreeMap;

pub use self::{
    allreduce::allreduce,
    alltoall::alltoall,
    buffer::tile_in_buffer,
    halo::halo_exchange,
    mpi::mpi,
    portals::portals,
    queue::many_to_one,
    traffic::{traffic, Delivered, Load},
    transpose::transpose,
    unexpected::unexpected,
};

mod allreduce;
mod alltoall;
mod buffer;
mod halo;
mod mpi;
mod portals;
mod queue;
mod traffic;
mod transpose;
mod unexpected;

/// Figures of an application, from its first command to its last completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Bytes of payload moved.
    pub bytes: u64,
    /// Cycles that it took, as the transport counts them, including those of the driver's accesses. Of an application with a list:
    /// from the start of the list until the host knows that it has ended.
    pub cycles: u64,
    /// The parts of these cycles, of an application with a list on a transport that counts links.
    pub parts: Option<Parts>,
}

/// The parts of the time of a list, seen at the link that carries most of its flits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Cycles from the call of the driver to the first flit on the link.
    pub start: u64,
    /// Cycles from the first to the last flit, both among them.
    pub transfer: u64,
    /// Cycles from the last flit until the host knows.
    pub notice: u64,
    /// Flits on the link.
    pub flits: u64,
}

impl Parts {
    /// Part of the cycles of the transfer in which a flit passed.
    pub fn share(&self) -> f64 {
        self.flits as f64 / self.transfer.max(1) as f64
    }
}

/// Payload from one tile to another.
struct Flow {
    from: usize,
    to: usize,
    /// Words of the fabric.
    words: u64,
}

/// The link that carries most of these flows.
fn busiest<T: Transport>(fabric: &Fabric<T>, flows: &[Flow]) -> Option<(Node, Port)> {
    let config = fabric.config();
    let mut links: BTreeMap<(Node, Port), u64> = BTreeMap::new();
    for &Flow { from, to, words } in flows {
        // A packet has a head and an address.
        let flits = words + 2 * words.div_ceil(MAX_PAYLOAD_FLITS as u64);
        for link in routing::path(config, from, config.terminal_node(to)) {
            *links.entry(link).or_default() += flits;
        }
    }
    links.into_iter().max_by_key(|&(_, flits)| flits).map(|(link, _)| link)
}

/// Starts a list and waits until it, and then `arrival`, has ended. Gives the cycles, and their parts if the transport counts links.
fn timed<T: Transport>(
    fabric: &mut Fabric<T>,
    list: &mut List,
    flows: &[Flow],
    mut arrival: impl FnMut(&mut Fabric<T>) -> Result<(), DriverError>,
) -> Result<(u64, Option<Parts>), DriverError> {
    if let Some((node, port)) = busiest(fabric, flows) {
        let tile = fabric.config().node_id(node).expect("a router of the fabric");
        fabric.transport().watch(tile, port);
    }
    let begun = fabric.transport().cycles();
    list.start(fabric)?;
    list.wait(fabric, TIMEOUT)?;
    arrival(fabric)?;
    let end = fabric.transport().cycles();
    let watched = fabric.transport().watched().filter(|watched| watched.flits > 0);
    let parts = watched.map(|Watched { first, last, flits }| Parts {
        start: first - begun,
        transfer: last - first + 1,
        notice: end.saturating_sub(last + 1),
        flits,
    });
    Ok((end - begun, parts))
}

impl Figures {
    /// Bytes a cycle.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.cycles.max(1) as f64
    }
}

/// Why an application failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The driver failed.
    #[error(transparent)]
    Driver(#[from] crate::Error),
    /// A function of Portals failed.
    #[error(transparent)]
    Portals(#[from] PortalsError),
    /// An event that should have come has not, or one has that should not.
    #[error("tile {tile} has no event {missing}, but {found}")]
    Event {
        /// The tile of the event queue.
        tile: usize,
        /// What should have come.
        missing: String,
        /// What has come in its place.
        found: String,
    },
    /// A message is too long or too short.
    #[error("a message of node {node} has {found} words, expected {expected}")]
    Length {
        /// The sender.
        node: usize,
        /// Its words.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// Packets have not come.
    #[error("{sent} packets were sent and {received} have come")]
    Lost {
        /// How many were sent.
        sent: u64,
        /// How many have come.
        received: u64,
    },
    /// Packets arrived with errors.
    #[error("{errors} of {received} packets came with a wrong sequence number or content")]
    Corrupt {
        /// How many.
        errors: u64,
        /// Of how many.
        received: u64,
    },
    /// A word of the result is wrong.
    #[error("node {node}, byte {address:#x}: found {found:#x}, expected {expected:#x}")]
    Wrong {
        /// Whose memory.
        node: usize,
        /// Where.
        address: u32,
        /// The word found.
        found: u32,
        /// The word expected.
        expected: u32,
    },
}

/// Cycles for which an application waits for one completion.
const TIMEOUT: u64 = 1_000_000;

/// Compares a node's memory with what should be there.
fn check<T: Transport>(fabric: &mut Fabric<T>, node: usize, address: u32, expected: &[u32]) -> Result<(), Failure> {
    let found = fabric.read(node, address, expected.len())?;
    match (0..expected.len()).find(|&at| found[at] != expected[at]) {
        None => Ok(()),
        Some(at) => Err(Failure::Wrong {
            node,
            address: address + 4 * at as u32,
            found: found[at],
            expected: expected[at],
        }),
    }
}

/// A word that differs from the words of other places and nodes.
fn pattern(node: usize, place: usize) -> u32 {
    (node as u32 + 1) << 20 ^ (place as u32).wrapping_mul(0x9e37_79b1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        portals::{Event, EventKind, PtlList},
        GoldenTransport,
    };
    use portico_spec::Config;

    /// All applications on meshes of all kinds.
    #[test]
    fn all_succeed_on_every_mesh() -> Result<(), Failure> {
        for (cols, rows) in [(1, 1), (1, 4), (4, 1), (3, 2), (4, 4)] {
            for width in [32, 64] {
                let config = Config {
                    cols,
                    rows,
                    width,
                    edge_nodes: 1,
                    ..Config::default()
                };
                let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
                for example in [halo_exchange, transpose, tile_in_buffer, many_to_one, alltoall, mpi] {
                    let Figures { bytes, cycles, .. } = example(&mut fabric)?;
                    // A tile alone has no neighbour.
                    assert!(cycles > 0 && bytes > 0 || config.tiles() == 1, "{cols} x {rows}");
                }
                // Nothing is left taken: each could run again and again.
                for node in 0..config.tiles() {
                    let all = fabric.memory_bytes(node)?;
                    let region = fabric.allocate(node, all)?;
                    fabric.free(region)?;
                }
            }
        }
        Ok(())
    }

    /// As many ranks as tiles, more, and fewer.
    #[test]
    fn portals_engines_match_on_every_mesh() -> Result<(), Failure> {
        for (cols, rows, ranks) in [(1, 1, 4), (2, 1, 4), (2, 2, 4), (4, 4, 16), (3, 2, 4), (8, 8, 64)] {
            let config = Config {
                cols,
                rows,
                edge_nodes: 1,
                portals: ranks,
                ..Config::default()
            };
            let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
            for _ in 0..2 {
                let (figures, events) = portals(&mut fabric)?;
                assert_eq!(figures.bytes, 225 * ranks.min(cols * rows) as u64);
                assert_eq!(events.len(), 13);
            }
            for node in 0..config.tiles() {
                let all = fabric.memory_bytes(node)?;
                let region = fabric.allocate(node, all)?;
                fabric.free(region)?;
            }
        }
        Ok(())
    }

    /// Half of the receives find the headers of their messages; each leaves with one message, and its entry of Overflow in its turn.
    #[test]
    fn receives_find_messages_that_came_before_them_on_every_mesh() -> Result<(), Failure> {
        for (cols, rows, ranks) in [(1, 1, 4), (2, 1, 4), (2, 2, 4), (4, 4, 16), (3, 2, 4), (8, 8, 64)] {
            let config = Config {
                cols,
                rows,
                edge_nodes: 1,
                portals: ranks,
                ..Config::default()
            };
            let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
            for _ in 0..2 {
                let (figures, events) = unexpected(&mut fabric)?;
                assert_eq!(figures.bytes, 348 * ranks.min(cols * rows) as u64);
                let count = |kind, list| {
                    let of = |event: &&Event| (event.kind, event.ptl_list) == (kind, list);
                    events.iter().filter(of).count()
                };
                let (priority, overflow) = (PtlList::Priority, PtlList::Overflow);
                for (kind, list, expected) in [
                    (EventKind::Link, overflow, 2),
                    (EventKind::Put, overflow, 4),
                    (EventKind::AutoUnlink, overflow, 1),
                    (EventKind::PutOverflow, overflow, 4),
                    (EventKind::AutoFree, overflow, 1),
                    (EventKind::Link, priority, 4),
                    (EventKind::Put, priority, 4),
                    (EventKind::AutoUnlink, priority, 8),
                ] {
                    assert_eq!(count(kind, list), expected, "{kind} of {list:?}");
                }
                assert_eq!(events.len(), 28);
                let first = events
                    .iter()
                    .find(|event| event.kind == EventKind::PutOverflow)
                    .unwrap();
                assert_eq!((first.user_ptr, first.hdr_data, first.mlength), (2, 7, 33));
            }
            for node in 0..config.tiles() {
                let all = fabric.memory_bytes(node)?;
                let region = fabric.allocate(node, all)?;
                fabric.free(region)?;
            }
        }
        Ok(())
    }

    #[test]
    fn a_wrong_word_is_named() -> Result<(), Failure> {
        let config = Config {
            edge_nodes: 1,
            ..Config::default()
        };
        let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
        fabric.write(3, 0x40, &[1, 2, 3])?;
        let failure = check(&mut fabric, 3, 0x40, &[1, 2, 4]).unwrap_err();
        assert_eq!(failure.to_string(), "node 3, byte 0x48: found 0x3, expected 0x4");
        Ok(())
    }
}
