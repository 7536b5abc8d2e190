//! The micro-cores: one sequencer that the contexts share.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`MicroCoreSequencer`] | all of it |
//! | [`Scheduler`] | which context runs next |
//! | [`ProgramMemory`], [`Fetch`], [`InstructionDecoder`] | from a program to an instruction |
//! | [`InstructionControl`] | what happens in a cycle |
//! | [`RegisterFile`], [`Arithmetic`], [`Loops`] | registers of the contexts, sums, loop counters |
//! | [`TransferTable`], [`Cursor`], [`Cutter`], [`Packet`] | the transfer of each context, cut into packets |
//! | [`StopReport`] | tells the dispatcher that a context has stopped |

mod arithmetic;
mod cursor;
mod cutter;
mod decoder;
mod fetch;
mod instruction_control;
mod loops;
mod micro_core_sequencer;
mod packet;
mod program_memory;
mod register_file;
mod scheduler;
mod stop_report;
mod transfer;

pub use arithmetic::Arithmetic;
pub use cursor::Cursor;
pub use cutter::Cutter;
pub use decoder::{Instruction, InstructionDecoder};
pub use fetch::Fetch;
pub use instruction_control::InstructionControl;
pub use loops::Loops;
pub use micro_core_sequencer::MicroCoreSequencer;
pub use packet::Packet;
pub use program_memory::ProgramMemory;
pub use register_file::RegisterFile;
pub use scheduler::Scheduler;
pub use stop_report::StopReport;
pub use transfer::TransferTable;

use portico_spec::ni::{CONTEXT_WIDTH, SERVER_CONTEXT};

/// Contexts: those of the micro-cores, and the server's.
pub const CONTEXTS: usize = SERVER_CONTEXT + 1;
/// Places of a table by context.
const PLACES: usize = 1 << CONTEXT_WIDTH;
