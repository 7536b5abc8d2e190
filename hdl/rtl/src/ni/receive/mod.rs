//! The receiving side of the data plane: what packets do to the memory and the registers of their target.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`DataReceiver`] | all of it |
//! | [`Parser`], with [`Steps`] | which flit of a packet is which |
//! | [`Header`] | what the words in front of the payload said |
//! | [`Windows`] | what each tag stands for, and how far it has come |
//! | [`Walk`], [`Target`] | where the next word goes, and whether it may |
//! | [`Message`] | a message on its way into a queue |
//! | [`TransferEnd`] | what the end of a transfer brings about |
//! | [`AtomicUnit`], with [`AtomicStages`] | atomic operations |
//! | [`Answers`], [`Report`] | what goes back to the initiator, and to this node's own slots and events |
//! | [`Release`] | gives the places of taken messages back to their senders |

mod answers;
mod atomic_alu;
mod atomic_check;
mod atomic_line;
mod atomic_old;
mod atomic_operands;
mod atomic_stages;
mod atomic_unit;
mod data_receiver;
mod front;
mod header;
mod kinds;
mod message;
mod parser;
pub mod ports;
mod queue_place;
mod release;
mod report;
mod shape;
mod steps;
mod table;
mod tag_index;
mod tag_state;
mod tag_update;
mod target;
#[cfg(test)]
mod tests;
mod transfer_end;
mod walk;
mod window_table;
mod windows;

pub use answers::Answers;
pub use atomic_stages::AtomicStages;
pub use atomic_unit::AtomicUnit;
pub use data_receiver::DataReceiver;
pub use header::Header;
pub use message::Message;
pub use parser::Parser;
pub use release::Release;
pub use report::Report;
pub use steps::Steps;
pub use target::Target;
pub use transfer_end::TransferEnd;
pub use walk::Walk;
pub use windows::Windows;

use portico_spec::ni::packet::OFFSET_WIDTH;

/// Width of a place in a window, in bits: two more than an offset has, so that whatever runs past the end is seen to.
pub const PLACE_WIDTH: usize = OFFSET_WIDTH + 2;
/// The same in bytes.
pub const PLACE_BYTES: usize = PLACE_WIDTH / 8;
