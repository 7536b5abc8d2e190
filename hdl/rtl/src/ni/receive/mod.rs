//! The receiving side of the data plane: what packets do to the memory and the registers of their target.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`DataReceiver`] | all of it: five stages that hand a flit on |
//! | [`Intake`] | the flit in hand, and the row of its tag; with [`tags`] |
//! | [`Parser`] | which flit of a packet is which; with [`Steps`], and [`Header`] and [`Kinds`] for the words in front |
//! | [`Placement`] | where a flit goes, and whether it may; with [`Walk`], [`Target`] and [`queue::Message`] |
//! | [`Delivery`] | a flit on its way there; with [`atomic`] |
//! | [`PacketEnd`] | what the end of a packet brings about; with [`TransferEnd`], [`Answers`] and [`Report`] |
//! | [`queue`] | messages on their way into a queue, and places on their way back |
//! | [`tags`] | what each tag stands for, and how far it has come |
//! | [`ports`] | the records of a flit between the stages |

mod answers;
pub mod atomic;
mod data_receiver;
mod delivery;
mod header;
mod intake;
mod packet_end;
mod parser;
mod placement;
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
pub use packet_end::PacketEnd;
pub use parser::Parser;
pub use placement::Placement;
pub use report::Report;
pub use steps::Steps;
pub use target::Target;
pub use transfer_end::TransferEnd;
pub use walk::Walk;

use portico_spec::ni::packet::OFFSET_WIDTH;

/// Width of a place in a window, in bits: two more than an offset has, so that whatever runs past the end is seen to.
pub const PLACE_WIDTH: usize = OFFSET_WIDTH + 2;
