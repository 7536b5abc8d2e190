//! What the driver promises, on any transport: every suite takes a way to open a fabric of a width.

use portico::{
    event::{Compare, Event},
    onesided::{Initiator, Remote, Ticket},
    program::{assemble, Program},
    Config, Error, Fabric, Transport,
};

pub mod absent;
pub mod codes;
pub mod collective;
pub mod errors;
pub mod flow;
pub mod geometry;
pub mod limits;
pub mod messages;
pub mod operations;
pub mod order;
pub mod probe;
pub mod refusals;
pub mod registers;
pub mod tables;
pub mod waits;

/// Cycles in which what can complete does.
pub const SOON: u64 = 10_000;
/// Cycles after which nothing is under way that does not wait for software.
const REST: u64 = 500;

/// Six tiles, the host and a memory node. Those of 32 bits have message-passing engines; those of 64 the
/// tables of a compact node, and source/sink cores.
pub fn config(width: usize) -> Config {
    let profile = if width == 64 { "compact" } else { "full" };
    Config {
        cols: 3,
        rows: 2,
        edge_nodes: 2,
        memories: 1,
        scratchpad: 16,
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

/// Holds back what a node is told to do on a segment, so that it then does all of it as fast as it can.
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
