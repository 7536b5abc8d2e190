//! The micro-cores: one sequencer that the contexts share.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`MicroCoreSequencer`] | all of it |
//! | [`CoreScheduler`] | which context runs next |
//! | [`CoreSteps`] | from one instruction to the next |
//! | [`Operands`], [`ContextMemory`] | registers, jobs and loops of the contexts |
//! | [`JobEncoder`], [`JobDecoder`], [`CurrentJob`] | the job of a context, as words and as fields |
//! | [`ProgramMemory`], [`Fetch`], [`InstructionDecoder`] | from a program to an instruction |
//! | [`Arithmetic`], [`Loops`] | sums, and where the program goes on |
//! | [`PacketBuilder`], [`Cursor`], [`Cutter`], [`Packet`] | the transfer of each context, cut into packets |
//! | [`Conditions`], [`InstructionControl`], [`InstructionFault`] | what happens at the end of an instruction |
//! | [`StopReport`] | tells the dispatcher that a context has stopped |

mod arithmetic;
mod conditions;
mod context_memory;
mod core_scheduler;
mod core_steps;
mod current_job;
mod cursor;
mod cutter;
mod decoder;
mod fetch;
mod instruction_control;
mod instruction_fault;
mod job_words;
mod loops;
mod micro_core_sequencer;
mod operands;
mod packet;
mod packet_builder;
mod program_memory;
mod stop_report;

pub use arithmetic::Arithmetic;
pub use conditions::Conditions;
pub use context_memory::{ContextMemory, JOB_PLACE, LEVEL_WIDTH, LOOP_PLACE, LOOP_WIDTH, ROUNDS_WIDTH, WORD_WIDTH};
pub use core_scheduler::CoreScheduler;
pub use core_steps::{CoreStep, CoreSteps};
pub use current_job::CurrentJob;
pub use cursor::Cursor;
pub use cutter::Cutter;
pub use decoder::{Instruction, InstructionDecoder};
pub use fetch::Fetch;
pub use instruction_control::InstructionControl;
pub use instruction_fault::InstructionFault;
pub use job_words::{JobDecoder, JobEncoder, Transfer, JOB_WORDS};
pub use loops::Loops;
pub use micro_core_sequencer::MicroCoreSequencer;
pub use operands::Operands;
pub use packet::Packet;
pub use packet_builder::PacketBuilder;
pub use program_memory::ProgramMemory;
pub use stop_report::StopReport;

use portico_spec::ni::CONTEXT_WIDTH;

/// Places of a table by context.
const PLACES: usize = 1 << CONTEXT_WIDTH;
