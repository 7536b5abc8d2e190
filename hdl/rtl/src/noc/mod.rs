//! The network: routers, the mesh that they form, and the blocks at its sides.
//!
//! | file | blocks |
//! | --- | --- |
//! | `router.rs` | [`Router`]: five-port wormhole router |
//! | `input.rs` | [`InputUnit`], [`InputFifo`]: input of a router |
//! | `route.rs` | [`Route`], [`Wants`]: from the destination to a code, from the code to an output |
//! | `crossbar.rs` | [`Crossbar`]: every input before every output |
//! | `output.rs` | [`Output`], [`Pick`]: output of a router, its lock and its multiplexer |
//! | `priority.rs` | [`Priority`], [`Tie`]: the input that wins |
//! | `router_place.rs`, `monitor.rs` | [`RouterPlace`], [`Monitor`]: a router and its counters |
//! | `grid.rs`, `mesh.rs` | [`Grid`], [`Mesh`]: nodes wired to their neighbours, and the sides closed |
//! | `edge.rs` | [`EdgeSink`], [`EdgeGate`], [`PacketFilter`], [`DropCounter`]: the blocks that close the sides |

mod crossbar;
mod edge;
mod grid;
mod input;
mod mesh;
mod monitor;
mod output;
mod priority;
mod route;
mod router;
mod router_place;

pub use crossbar::{Crossbar, FlitIn, FlitOut};
pub use edge::{DropCounter, DropReportIn, DropReportOut, EdgeGate, EdgeSink, PacketFilter};
pub(crate) use grid::many;
pub use grid::Grid;
pub use input::{InputFifo, InputUnit};
pub use mesh::Mesh;
pub use monitor::{LinkTap, Monitor, MonitorSelect};
pub use output::{Output, Pick};
pub use priority::{Preferences, Priority, Tie};
pub use route::{Comparator, Route, Wants, CODE_WIDTH};
pub use router::{PortsIn, PortsOut, Router};
pub use router_place::RouterPlace;

use portico_spec::Port;

/// Ports of a router.
pub const PORTS: usize = Port::ALL.len();
/// Place of each port in every array, and in every word with one bit a port.
pub const LOCAL: usize = Port::Local.index();
pub const NORTH: usize = Port::North.index();
pub const EAST: usize = Port::East.index();
pub const SOUTH: usize = Port::South.index();
pub const WEST: usize = Port::West.index();

/// Links that a router's monitor watches: its outputs, each in the place of its port, and the local input.
pub const LINKS: usize = PORTS + 1;
pub const LOCAL_INPUT: usize = PORTS;
