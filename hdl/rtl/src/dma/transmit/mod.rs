//! The sending half of the DMA: from the start of a program to flits.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Transmitter`] | all of it |
//! | [`Programmed`] | what runs programs, where there are several cores or programs of the user's: |
//! | [`cores::MicroCoreSequencer`] | the micro-cores: runs programs, cuts transfers into packets |
//! | [`StartArbiter`] | joins the starts of commands and of gets |
//! | [`Bypass`] | sends what is one packet without them |
//! | [`CreditTurn`] | which of the two takes a credit |
//! | [`fixed::FixedSequencer`] | elsewhere: the built-in programs in fixed logic |
//! | [`Shapers`], [`ShaperSettings`] | how long packets are, and how many flits may go; as software has set it |
//! | [`PacketSender`] | all that sends what has been cut |
//! | [`ChunkQueue`], [`Reader`] | from chunks to words of payload, in order |
//! | [`HeaderQueue`], [`Injector`] | from headers and payload to flits |

mod bypass;
pub mod cores;
mod credit_turn;
pub mod fixed;
mod header_queue;
mod injector;
#[cfg(test)]
mod job;
#[cfg(test)]
mod model;
mod packet_sender;
mod programmed;
mod reader;
mod shaper_settings;
mod shapers;
mod start_arbiter;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod transmitter;

pub use bypass::{Bypass, Course};
pub use credit_turn::CreditTurn;
pub use header_queue::HeaderQueue;
pub use injector::{Injector, Part};
pub use packet_sender::PacketSender;
pub use programmed::Programmed;
pub use reader::{ChunkQueue, Reader};
pub use shaper_settings::ShaperSettings;
pub use shapers::Shapers;
pub use start_arbiter::StartArbiter;
pub use transmitter::Transmitter;
