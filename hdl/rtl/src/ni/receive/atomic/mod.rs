//! Atomic operations on the memory.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`AtomicUnit`] | all of it |
//! | [`AtomicStages`] | what happens in each cycle |
//! | [`AtomicOperands`] | collects the operands |
//! | [`AtomicAlu`], [`AtomicCheck`] | computes the new value; says whether the operation may be done |
//! | [`AtomicOld`], [`AtomicLine`] | the word that was read, and the one that is written |

mod atomic_alu;
mod atomic_operands;
mod atomic_stages;
mod atomic_unit;
mod atomic_words;

pub use atomic_alu::{AtomicAlu, AtomicCheck};
pub use atomic_operands::AtomicOperands;
pub use atomic_stages::AtomicStages;
pub use atomic_unit::AtomicUnit;
pub use atomic_words::{AtomicLine, AtomicOld};
