//! What the driver promises, on any transport: every suite takes a way to open a fabric of a width.

use portico::{
    event::{Compare, Event},
    onesided::{Geometry, Initiator, Remote, Shaper, Ticket, Window},
    program::{assemble, Program},
    Config, Error, Fabric, Transport,
};

pub mod absent;
pub mod codes;
pub mod collective;
pub mod errors;
pub mod exchange;
pub mod flow;
pub mod geometry;
pub mod limits;
pub mod lists;
pub mod messages;
pub mod mpi;
pub mod operations;
pub mod order;
pub mod portals;
pub mod ports;
pub mod probe;
pub mod refusals;
pub mod registers;
pub mod streams;
pub mod tables;
pub mod waits;

/// Cycles in which what can complete does.
pub const SOON: u64 = 10_000;
/// Cycles after which nothing is under way that does not wait for software.
const REST: u64 = 500;

/// Six tiles with ports and streams, the host and a memory node. Those of 32 bits have message-passing engines; those of 64 the
/// tables of a compact node, two cores for programs, and source/sink cores. The host has as much as a tile.
pub fn config(width: usize) -> Config {
    let profile = if width == 64 { "compact" } else { "full" };
    Config {
        cols: 3,
        rows: 2,
        edge_nodes: 2,
        memories: 1,
        scratchpad: 16,
        cores: if width == 64 { 2 } else { 8 },
        programs: true,
        host_profile: profile,
        host_queues: true,
        tile_ports: true,
        streams: true,
        width,
        probe: width == 64,
        mpe: if width == 32 { 2 } else { 0 },
        ..Config::from_toml(&format!("profile = {profile:?}")).expect("a profile")
    }
}

#[track_caller]
fn says<V>(result: Result<V, Error>, text: &str) {
    match result {
        Ok(_) => panic!("succeeds, expected: {text}"),
        Err(error) => assert_eq!(error.to_string(), text),
    }
}

/// Lets arrive what has been sent.
pub fn rest<T: Transport>(fabric: &mut Fabric<T>) {
    fabric.transport().wait(REST);
}

/// A node as the initiator of operations: a tile or the host.
pub fn initiator<T: Transport>(fabric: &mut Fabric<T>, node: usize) -> Result<Initiator<'_, T>, Error> {
    if node == fabric.host_node() {
        return Ok(fabric.host());
    }
    fabric.tile(node)
}

/// Holds back what a tile is told to do on a segment, so that it then does all of it as fast as it can.
pub struct Gate {
    node: usize,
    event: Event,
    program: Program,
}

impl Gate {
    pub fn new<T: Transport>(fabric: &mut Fabric<T>, node: usize) -> Result<Gate, Error> {
        let event = fabric.event(node)?;
        event.configure(fabric, 1, Compare::AtLeast, false)?;
        let program = assemble(&format!("wait {}\nstop", event.number()))?;
        let program = fabric.load(node, &program)?;
        Ok(Gate { node, event, program })
    }

    /// All later commands on the segment wait.
    pub fn close<T: Transport>(&self, fabric: &mut Fabric<T>, remote: &Remote) -> Result<Ticket<()>, Error> {
        self.event.reset(fabric, 0)?;
        initiator(fabric, self.node)?.run(&self.program, remote, &[])?.start()
    }

    /// They go.
    pub fn open<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.event.reset(fabric, 1)
    }
}

/// Holds back all that the host node is told to do, for thousands of cycles: its only shaper owes for a long packet. For
/// hardware alone, because golden knows no rates.
pub struct HostGate(Remote);

impl HostGate {
    /// Words of the packet, and where they go in a tile.
    const WORDS: u32 = 64;
    const PLACE: u32 = 0x3000;

    pub fn new<T: Transport>(fabric: &mut Fabric<T>) -> Result<HostGate, Error> {
        let window = Window::new(Self::PLACE, Self::WORDS * fabric.word_bytes());
        let segment = fabric.publish(5, window)?;
        Ok(HostGate(fabric.host().clone_segment(segment.id())?))
    }

    /// All later commands of the host wait, those of its driver's accesses among them.
    pub fn close<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let bytes = Self::WORDS * fabric.word_bytes();
        self.shape(fabric, 1)?;
        fabric.host().put(&self.0, 0, 0, Geometry::linear(bytes))?.wait(SOON)
    }

    /// They go.
    pub fn open<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.shape(fabric, 0)
    }

    fn shape<T: Transport>(&self, fabric: &mut Fabric<T>, rate: u32) -> Result<(), Error> {
        let maximum = Self::WORDS;
        fabric.host().set_shaper(
            0,
            Shaper {
                maximum,
                rate,
                burst: 0,
            },
        )
    }
}
