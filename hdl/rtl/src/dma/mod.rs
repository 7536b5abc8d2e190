//! The DMA: commands, and get requests of other nodes, become packets.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Engine`] | the whole of it |
//! | [`CommandQueue`] | takes descriptors word by word, gives them out whole |
//! | [`dispatch`] | takes descriptors and requests, checks them, and starts programs for them |
//! | [`transmit`] | micro-cores that run the programs, packet shapers, and what sends the packets |

mod command_queue;
pub mod dispatch;
mod engine;
pub mod ports;
pub mod transmit;

pub use command_queue::CommandQueue;
pub use engine::Engine;
