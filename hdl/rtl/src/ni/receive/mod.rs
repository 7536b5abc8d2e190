//! The receiving side of the data plane: what packets do to the memory and the registers of their target.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`DataReceiver`] | all of it |
//! | [`Intake`] | the flit in hand |
//! | [`Parser`], with [`Steps`] | which flit of a packet is which |
//! | [`Header`], [`Kinds`] | what the words in front of the payload said |
//! | [`tags`] | what each tag stands for, and how far it has come |
//! | [`Walk`], [`Target`] | where the next word goes, and whether it may |
//! | [`Delivery`] | a flit on its way there |
//! | [`queue`] | messages on their way into a queue, and places on their way back |
//! | [`TransferEnd`] | what the end of a transfer brings about |
//! | [`atomic`] | atomic operations |
//! | [`Answers`], [`Report`] | what goes back to the initiator, and to this node's own slots and events |

mod answers;
pub mod atomic;
mod data_receiver;
mod delivery;
mod header;
mod intake;
mod parser;
pub mod ports;
pub mod queue;
mod report;
mod steps;
pub mod tags;
mod target;
#[cfg(test)]
mod tests;
mod transfer_end;
mod walk;

pub use answers::Answers;
pub use data_receiver::DataReceiver;
pub use delivery::Delivery;
pub use header::{Header, Kinds};
pub use intake::Intake;
pub use parser::Parser;
pub use report::Report;
pub use steps::Steps;
pub use target::Target;
pub use transfer_end::TransferEnd;
pub use walk::Walk;

use portico_spec::ni::packet::OFFSET_WIDTH;

/// Width of a place in a window, in bits: two more than an offset has, so that whatever runs past the end is seen to.
pub const PLACE_WIDTH: usize = OFFSET_WIDTH + 2;
