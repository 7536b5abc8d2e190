//! The DMA: commands, and get requests of other nodes, become packets.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Engine`] | the whole of it |
//! | [`dispatch`] | takes descriptors and requests, checks them, and starts programs for them |
//! | [`serve`] | serves get requests without micro-cores, at a node that nobody commands |
//! | [`transmit`] | micro-cores that run the programs, packet shapers, and what sends the packets |
//! | [`ports`] | what these say to each other: interfaces, records and widths |

pub mod dispatch;
mod engine;
pub mod ports;
pub mod serve;
pub mod transmit;

pub use engine::Engine;
