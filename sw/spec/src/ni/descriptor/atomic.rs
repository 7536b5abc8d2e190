//! Atomic operations with their operands.

use super::DescriptorError;
use crate::ni::{layout::check, packet::Operation};

/// An atomic operation. Operands of 32-bit operations are below 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// Adds; posted.
    PostAdd {
        /// What is added.
        addend: u64,
    },
    /// Stores; posted.
    Poke {
        /// What is stored.
        value: u64,
    },
    /// Adds, and gives the old value.
    FetchAdd {
        /// What is added.
        addend: u64,
    },
    /// Stores zero, and gives the old value.
    FetchClear,
    /// Stores `new` if the value is `compare`; gives the old value.
    CompareAndSwap {
        /// What the value is compared with.
        compare: u64,
        /// What is stored.
        new: u64,
    },
    /// Gives the value.
    Peek,
    /// Adds if the value is below `limit`, unsigned; gives the old value.
    AddIf {
        /// What the value is compared with.
        limit: u64,
        /// What is added.
        addend: u64,
    },
}

impl Atomic {
    /// The operation without its operands.
    pub fn code(&self) -> Operation {
        match self {
            Atomic::PostAdd { .. } => Operation::PostAdd,
            Atomic::Poke { .. } => Operation::Poke,
            Atomic::FetchAdd { .. } => Operation::FetchAdd,
            Atomic::FetchClear => Operation::FetchClear,
            Atomic::CompareAndSwap { .. } => Operation::CompareAndSwap,
            Atomic::Peek => Operation::Peek,
            Atomic::AddIf { .. } => Operation::AddIf,
        }
    }

    /// Whether it gives no value.
    pub fn is_posted(&self) -> bool {
        matches!(self, Atomic::PostAdd { .. } | Atomic::Poke { .. })
    }

    fn operands(&self) -> Vec<(&'static str, u64)> {
        match *self {
            Atomic::PostAdd { addend } | Atomic::FetchAdd { addend } => vec![("addend", addend)],
            Atomic::Poke { value } => vec![("value", value)],
            Atomic::FetchClear | Atomic::Peek => vec![],
            Atomic::CompareAndSwap { compare, new } => vec![("compare", compare), ("new", new)],
            Atomic::AddIf { limit, addend } => vec![("limit", limit), ("addend", addend)],
        }
    }

    /// The operands as words, low word first.
    pub(super) fn encode(&self, wide: bool) -> Result<Vec<u32>, DescriptorError> {
        let last = if wide { u64::MAX } else { u32::MAX.into() };
        let mut words = Vec::new();
        for (name, value) in self.operands() {
            let value = check(name, value, 0, last)?;
            words.push(value as u32);
            words.extend(wide.then_some((value >> 32) as u32));
        }
        Ok(words)
    }

    /// None if the operation has another number of operand words.
    pub(super) fn decode(operation: Operation, wide: bool, words: &[u32]) -> Option<Atomic> {
        let width = if wide { 2 } else { 1 };
        if !words.len().is_multiple_of(width) {
            return None;
        }
        let low_first = |words: &[u32]| words.iter().rev().fold(0, |value, &word| value << 32 | u64::from(word));
        let operands: Vec<u64> = words.chunks(width).map(low_first).collect();
        Some(match (operation, &*operands) {
            (Operation::PostAdd, &[addend]) => Atomic::PostAdd { addend },
            (Operation::Poke, &[value]) => Atomic::Poke { value },
            (Operation::FetchAdd, &[addend]) => Atomic::FetchAdd { addend },
            (Operation::FetchClear, []) => Atomic::FetchClear,
            (Operation::CompareAndSwap, &[compare, new]) => Atomic::CompareAndSwap { compare, new },
            (Operation::Peek, []) => Atomic::Peek,
            (Operation::AddIf, &[limit, addend]) => Atomic::AddIf { limit, addend },
            _ => return None,
        })
    }
}
