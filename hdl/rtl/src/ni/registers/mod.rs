//! The registers of a node.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`RegisterBus`] | joins the two writers and the two readers |
//! | [`RegisterRange`] | whether a register belongs to an item that is built |
//! | [`ControlRegisters`] | who the node is, and which events are pending |
//! | [`NodeMonitor`], [`NodeCounters`] | what happens at the node, counted |

mod control_registers;
mod node_monitor;
mod register_bus;
mod register_range;

pub use control_registers::ControlRegisters;
pub use node_monitor::{NodeCounters, NodeMonitor, COUNTERS};
pub use register_bus::RegisterBus;
pub use register_range::RegisterRange;
