//! Instructions of the micro-cores: where their fields lie, and ([`Instruction`]) what they mean.
//!
//! A context of the sequencer has sixteen registers of 32 bits and works with them on one packet at a time. There are no
//! branches: all that repeats is a loop, and costs no cycle.

pub use self::{
    action::{Action, Closing, Half, Instruction, Operand, Part, Register},
    code::InstructionError,
};
use super::{
    codes::codes,
    layout::{BitField, Layout},
};

mod action;
mod code;
#[cfg(test)]
pub(in crate::ni) mod testing;

/// Width of a program address, in bits.
pub const PC_WIDTH: usize = 8;
/// Places of the program memory; the first [`FIRMWARE_WORDS`] are the built-in programs.
pub const PROGRAM_WORDS: usize = 1 << PC_WIDTH;
/// Places that the built-in programs have.
pub const FIRMWARE_WORDS: usize = 64;
/// Nested loops.
pub const LOOPS: usize = 4;
/// Registers of a context.
pub const REGISTERS: usize = 16;
/// Width of a count of payload words, in bits.
pub const COUNT_WIDTH: usize = 7;
/// Instructions without payload that an open packet outlasts: it is closed before the next instruction.
pub const IDLE_INSTRUCTIONS: usize = 64;

/// Operation: lowest bit.
pub const OP_OFFSET: usize = 0;
/// Width of the operation, in bits.
pub const OP_WIDTH: usize = 4;
/// Register a: lowest bit.
pub const A_OFFSET: usize = OP_OFFSET + OP_WIDTH;
/// Register b: lowest bit.
pub const B_OFFSET: usize = A_OFFSET + REGISTER_WIDTH;
/// Width of a register's number, in bits.
pub const REGISTER_WIDTH: usize = 4;
/// What b is: lowest bit.
pub const MODE_OFFSET: usize = B_OFFSET + REGISTER_WIDTH;
/// Width of what b is, in bits.
pub const MODE_WIDTH: usize = 2;
/// Loops that end here: lowest bit.
pub const ENDS_OFFSET: usize = MODE_OFFSET + MODE_WIDTH;
/// Width of the loops that end here, in bits.
pub const ENDS_WIDTH: usize = 3;
/// Immediate, sign-extended: lowest bit.
pub const IMMEDIATE_OFFSET: usize = ENDS_OFFSET + ENDS_WIDTH;
/// Width of the immediate, in bits.
pub const IMMEDIATE_WIDTH: usize = 15;
/// Of RUN, WORD, CLOSE: closes the packet when done.
pub const CLOSE_OFFSET: usize = IMMEDIATE_OFFSET;
/// Of RUN, WORD, CLOSE: that packet ends the transfer.
pub const LAST_OFFSET: usize = CLOSE_OFFSET + 1;
/// Of RUN, WORD, CLOSE: the program stops when done.
pub const STOP_OFFSET: usize = LAST_OFFSET + 1;
/// Of WORD: halves swapped.
pub const SWAP_OFFSET: usize = STOP_OFFSET + 1;

codes! {
    /// What an instruction does.
    Op {
        /// Ends the program.
        Stop = 0, "stop";
        /// a = b.
        Set = 1, "set";
        /// a += b.
        Add = 2, "add";
        /// Begins a loop of b rounds, 0 for 65,536.
        Loop = 3, "loop";
        /// The remote offset is a, in words.
        To = 4, "to";
        /// Rows are of a words, b words apart at the remote side.
        Shape = 5, "shape";
        /// Reads a row at the local pointer a into the packet; then a += b.
        Run = 6, "run";
        /// Puts a itself into the packet.
        Word = 7, "word";
        /// Closes the packet.
        Close = 8, "close";
        /// Counts in event b; an immediate of -1 is the event of the command itself.
        Notify = 9, "notify";
        /// Waits until event b has fired.
        Wait = 10, "wait";
        /// Takes a credit of the queue, waiting for one.
        Credit = 11, "credit";
        /// Waits until no transaction of the segment is open, beside the program's own as long as that has not ended.
        Fence = 12, "fence";
    }
}

codes! {
    /// What operand b is.
    Mode {
        /// Register b.
        Register = 0, "register";
        /// Its low half.
        Low = 1, "low";
        /// Its high half.
        High = 2, "high";
        /// The immediate; 0 where the field holds flags.
        Immediate = 3, "immediate";
    }
}

/// The word of an instruction that has an operand b, or none.
pub const WORD: Layout = Layout {
    name: "instruction",
    doc: "An instruction.",
    fields: &[
        BitField::new("op", OP_OFFSET, OP_WIDTH, "What it does.").codes(Op::CODES),
        BitField::new("a", A_OFFSET, REGISTER_WIDTH, "Register a."),
        BitField::new("b", B_OFFSET, REGISTER_WIDTH, "Register b."),
        BitField::new("mode", MODE_OFFSET, MODE_WIDTH, "What operand b is.").codes(Mode::CODES),
        BitField::new(
            "ends",
            ENDS_OFFSET,
            ENDS_WIDTH,
            "Loops of which it is the last instruction, 0..=4.",
        ),
        BitField::new(
            "immediate",
            IMMEDIATE_OFFSET,
            IMMEDIATE_WIDTH,
            "Operand b in mode immediate, sign-extended.",
        ),
    ],
};

/// The flags that run, word and close have in the place of an immediate.
pub const FLAGS: Layout = Layout {
    name: "instruction_flags",
    doc: "In the place of an immediate of run, word and close.",
    fields: &[
        BitField::new(
            "close",
            CLOSE_OFFSET,
            1,
            "Closes the packet when done; always set in close.",
        ),
        BitField::new("last", LAST_OFFSET, 1, "That packet ends the transfer."),
        BitField::new("stop", STOP_OFFSET, 1, "The program stops when done."),
        BitField::new("swap", SWAP_OFFSET, 1, "Of word: the halves change places."),
    ],
};
