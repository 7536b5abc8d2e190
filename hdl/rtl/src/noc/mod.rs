//! The network: routers, the mesh that they make, and what stands at its sides.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Router`] | five-port wormhole router |
//! | [`route`] | route computers, one a kind of input |
//! | [`InputUnit`], [`InputFifo`] | input of a router: FIFO, and route beside each flit |
//! | [`Crossbar`], [`switch`] | the legal turns, and the outputs that choose among them |
//! | [`Priority`], [`Tie`] | who goes first |
//! | [`Node`], [`Monitor`] | a router and its counters |
//! | [`Grid`] | nodes wired to their neighbours |
//! | [`Mesh`] | a grid with its sides closed |
//! | [`EdgeSink`], [`EdgeGate`] | what closes them |
//! | [`PacketFilter`], [`DropCounter`] | drops packets whole; counts and reports them |

mod crossbar;
mod drop_counter;
mod edge_gate;
mod edge_sink;
mod grid;
mod input_fifo;
mod input_unit;
mod mesh;
mod monitor;
mod node;
mod packet_filter;
mod priority;
pub mod route;
mod router;
pub mod switch;
#[cfg(test)]
mod testing;

pub use crossbar::{Crossbar, CrossbarIn, CrossbarOut};
pub use drop_counter::{DropCounter, DropReportIn, DropReportOut};
pub use edge_gate::EdgeGate;
pub use edge_sink::EdgeSink;
pub(crate) use grid::many;
pub use grid::Grid;
pub use input_fifo::InputFifo;
pub use input_unit::InputUnit;
pub use mesh::Mesh;
pub use monitor::{LinkTap, Monitor, MonitorSelect};
pub use node::Node;
pub use packet_filter::PacketFilter;
pub use priority::{Preferences, Priority, Tie};
pub use router::Router;

/// Ports of a router: local, north, east, south, west.
pub const PORTS: usize = portico_spec::Port::ALL.len();

/// Links that a router's monitor watches: its outputs, and the local input.
pub const LINKS: usize = PORTS + 1;
