//! The control plane's side of a network interface.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Completions`] | all of it, with the slots, inbox and events of the node |
//! | [`ControlReceiver`] | tells the packets of the control plane apart |
//! | [`GetQueue`] | get requests of other nodes, until the DMA takes them |

mod completions;
mod control_receiver;
mod get_queue;

pub use completions::Completions;
pub use control_receiver::ControlReceiver;
pub use get_queue::GetQueue;
