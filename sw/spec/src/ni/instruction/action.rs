//! Instructions as values: everything that a micro-core can be told, and nothing else.

use std::{fmt, ops::RangeInclusive};

use super::{Op, IMMEDIATE_WIDTH, REGISTERS};
use crate::ni::event::EVENTS;

/// A register of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub(super) u8);

impl Register {
    /// The register of this number, 0..=15.
    pub fn new(number: u8) -> Option<Register> {
        (usize::from(number) < REGISTERS).then_some(Register(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// How much of a register an operand is. Halves are unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// All 32 bits.
    Whole,
    /// Bits 15:0.
    Low,
    /// Bits 31:16.
    High,
}

/// A register or a half of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The register.
    pub register: Register,
    /// How much of it.
    pub half: Half,
}

/// Operand b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register or a half of one.
    Part(Part),
    /// A number; which ones are allowed depends on the operation.
    Immediate(i16),
}

/// What becomes of the packet under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// It stays open.
    Open,
    /// It is closed.
    Close,
    /// It is closed and ends the transfer.
    Last,
}

/// What an instruction does, with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ends the program.
    Stop,
    /// `to` = `value`.
    Set {
        /// Destination.
        to: Register,
        /// -16,384..=16,383 as an immediate.
        value: Operand,
    },
    /// `to` += `value`.
    Add {
        /// Destination.
        to: Register,
        /// -16,384..=16,383 as an immediate.
        value: Operand,
    },
    /// Begins a loop with the next instruction.
    Loop {
        /// 0 for 65,536; 0..=16,383 as an immediate.
        rounds: Operand,
    },
    /// Moves the remote side; closes an open packet.
    To {
        /// Offset in the segment, in words.
        offset: Register,
    },
    /// Sets the remote side's geometry.
    Shape {
        /// Words of a row in its low half.
        row: Register,
        /// Words from row to row; 0..=16,383 as an immediate.
        stride: Operand,
    },
    /// Reads a row into the packet.
    Run {
        /// Local address of the row, in words.
        pointer: Register,
        /// What is then added to the pointer, in words.
        advance: Option<Part>,
        /// What then becomes of the packet.
        closing: Closing,
        /// Then ends the program.
        stop: bool,
    },
    /// Puts a register's value into the packet.
    Word {
        /// The register.
        register: Register,
        /// Its halves change places on the way.
        swap: bool,
        /// What then becomes of the packet.
        closing: Closing,
        /// Then ends the program.
        stop: bool,
    },
    /// Closes an open packet. With `last`, an empty packet is sent if none is open.
    Close {
        /// Ends the transfer.
        last: bool,
        /// Then ends the program.
        stop: bool,
    },
    /// Counts in the event of the command.
    NotifyOwn,
    /// Counts in an event.
    Notify {
        /// Its number; 0..=63 as an immediate.
        event: Operand,
    },
    /// Waits until an event has fired; closes an open packet.
    Wait {
        /// Its number; 0..=63 as an immediate.
        event: Operand,
    },
    /// Takes a credit of the command's queue, waiting for one; closes an open packet.
    Credit,
    /// Waits until no transaction of the command's segment is open; closes an open packet.
    Fence,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub action: Action,
    /// How many of the innermost loops have it as the last instruction of their bodies, 0..=4.
    pub ends: u8,
}

impl Op {
    /// The immediates that operand b may be.
    pub(crate) fn immediates(self) -> RangeInclusive<i16> {
        let max = (1 << (IMMEDIATE_WIDTH - 1)) - 1;
        match self {
            Op::Set | Op::Add => -max - 1..=max,
            Op::Notify | Op::Wait => 0..=EVENTS as i16 - 1,
            _ => 0..=max,
        }
    }
}

impl Action {
    /// The operation.
    pub fn op(&self) -> Op {
        match self {
            Action::Stop => Op::Stop,
            Action::Set { .. } => Op::Set,
            Action::Add { .. } => Op::Add,
            Action::Loop { .. } => Op::Loop,
            Action::To { .. } => Op::To,
            Action::Shape { .. } => Op::Shape,
            Action::Run { .. } => Op::Run,
            Action::Word { .. } => Op::Word,
            Action::Close { .. } => Op::Close,
            Action::NotifyOwn | Action::Notify { .. } => Op::Notify,
            Action::Wait { .. } => Op::Wait,
            Action::Credit => Op::Credit,
            Action::Fence => Op::Fence,
        }
    }

    /// Whether the program ends here.
    pub fn stops(&self) -> bool {
        match *self {
            Action::Stop => true,
            Action::Run { stop, .. } | Action::Word { stop, .. } | Action::Close { stop, .. } => stop,
            _ => false,
        }
    }
}
