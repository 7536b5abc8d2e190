//! The network: routers, the mesh that they make, and what stands at its sides.

mod drop_counter;
mod edge_gate;
mod edge_sink;
mod grid;
mod mesh;
mod monitor;
mod node;
mod packet_filter;
mod router;

pub use drop_counter::{DropCounter, DropReportIn, DropReportOut};
pub use edge_gate::EdgeGate;
pub use edge_sink::EdgeSink;
pub use grid::Grid;
pub use mesh::Mesh;
pub use monitor::{LinkTap, Monitor, MonitorSelect};
pub use node::Node;
pub use packet_filter::PacketFilter;
pub use router::Router;

/// Ports of a router: local, north, east, south, west.
pub const PORTS: usize = portico_spec::Port::ALL.len();

/// Links that a router's monitor watches: its outputs, and the local input.
pub const LINKS: usize = PORTS + 1;
