//! What is said when a text is refused: always one line, which says where and what is allowed.

use thiserror::Error;

use crate::ni::{
    instruction::{Op, LOOPS},
    program::ProgramError,
};

/// Why a text was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct AssemblyError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// No instruction has this name.
    #[error("unknown mnemonic {text:?}: {hint}")]
    UnknownMnemonic {
        /// What was found.
        text: String,
        /// The nearest mnemonic, or all.
        hint: String,
    },
    /// An operand is missing.
    #[error("{mnemonic} wants a {what}")]
    Missing {
        /// The instruction.
        mnemonic: &'static str,
        /// What it wants.
        what: &'static str,
    },
    /// More than the instruction takes.
    #[error("unexpected {text:?}: {mnemonic} takes no further operand")]
    Unexpected {
        /// What was found.
        text: String,
        /// The instruction.
        mnemonic: &'static str,
    },
    /// Only a whole register will do.
    #[error("{text:?} is not a register: the {what} is one of r0..=r15")]
    NotARegister {
        /// What was found.
        text: String,
        /// What it should be.
        what: &'static str,
    },
    /// Neither a register, nor a half, nor a number.
    #[error("{text:?} is not a {what}: allowed is a number, r0..=r15, or a half such as r3.l or r3.h")]
    NotAnOperand {
        /// What was found.
        text: String,
        /// What it should be.
        what: &'static str,
    },
    /// What a run adds is neither a register nor a half.
    #[error("{text:?} cannot be added to the pointer: allowed is + and r0..=r15, or a half such as r3.l or r3.h")]
    NotAPart {
        /// What was found.
        text: String,
    },
    /// A register has two halves.
    #[error("{text:?} is not a part of a register: the halves are .l and .h")]
    UnknownHalf {
        /// What was found.
        text: String,
    },
    /// A number that is not allowed.
    #[error("{what} {value} is not allowed: allowed is {first}..={last}")]
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// The number.
        value: String,
        /// Smallest allowed.
        first: i16,
        /// Largest allowed.
        last: i16,
    },
    /// No flag has this name.
    #[error("{text:?} is not a flag of {mnemonic}: {hint}")]
    UnknownFlag {
        /// What was found.
        text: String,
        /// The instruction.
        mnemonic: &'static str,
        /// The nearest flag, or all.
        hint: String,
    },
    /// A flag is given again.
    #[error("{flag} is given twice")]
    Twice {
        /// The flag.
        flag: &'static str,
    },
    /// An end of transfer is the end of a packet too.
    #[error("last without close: the packet that ends a transfer must be closed")]
    LastWithoutClose,
    /// Two words where a comma belongs between.
    #[error("a comma is missing before {text:?}")]
    MissingComma {
        /// The second word.
        text: String,
    },
    /// A comma with nothing before or after it.
    #[error("a comma separates two operands or flags: one is missing")]
    NothingBetweenCommas,
    /// Not a mark for the end of loops.
    #[error("{text:?} does not end loops: allowed is !end, or !end1..=!end{LOOPS}")]
    UnknownEnd {
        /// What was found.
        text: String,
    },
    /// Every line is right, but the whole is not.
    #[error(transparent)]
    Program(ProgramError),
}

impl Fault {
    pub(super) fn unknown_mnemonic(text: &str) -> Fault {
        let mnemonics: Vec<&str> = Op::ALL.iter().map(|op| op.name()).collect();
        Fault::UnknownMnemonic {
            text: text.to_string(),
            hint: hint(text, "mnemonics", &mnemonics),
        }
    }

    pub(super) fn unknown_flag(text: &str, mnemonic: &'static str, flags: &[&str]) -> Fault {
        Fault::UnknownFlag {
            text: text.to_string(),
            mnemonic,
            hint: hint(text, "flags", flags),
        }
    }
}

/// Names the nearest when at most half of its letters differ, and otherwise all.
fn hint(text: &str, what: &str, names: &[&str]) -> String {
    let nearest = names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(text, name), *name))
        .min()
        .filter(|(distance, name)| distance * 2 <= name.len());
    match nearest {
        Some((_, name)) => format!("did you mean {name}?"),
        None => format!("the {what} are {}", names.join(", ")),
    }
}
