//! The network interface: what joins a memory and a stream of commands to the two planes of the network.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`NetworkInterface`] | all of it |
//! | [`ServerInterface`] | that of a node that nobody commands |
//! | [`receive`] | data plane: what packets do to the memory and the registers of their target |
//! | [`control`] | control plane: what comes back for this node's own transactions, and get requests of others |
//! | [`slots`] | transaction slots |
//! | [`events`] | event counters |
//! | [`inbox`] | mailboxes, and the values of events |
//! | [`memory`] | scratchpad |
//! | [`registers`] | register bus, identity, counters |
//! | [`Initialiser`] | the sweep after reset, in which tables are cleared |

pub mod control;
pub mod events;
pub mod inbox;
mod initialiser;
pub mod memory;
mod network_interface;
pub mod receive;
pub mod registers;
mod server_interface;
pub mod slots;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use initialiser::Initialiser;
pub use memory::Scratchpad;
pub use network_interface::{InterfaceParameters, NetworkInterface};
pub use server_interface::ServerInterface;
