//! Fields of words and registers, as data.

use thiserror::Error;

use super::codes::Code;
use crate::{
    flit::{NODE_WIDTH, X_WIDTH},
    Node,
};

/// A value that does not fit its field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} = {value} is not allowed: allowed is {first}..={last}")]
pub struct FieldError {
    /// Name of the field.
    pub field: &'static str,
    /// The value.
    pub value: u64,
    /// Smallest allowed.
    pub first: u64,
    /// Largest allowed.
    pub last: u64,
}

/// What software may do with a register or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and write.
    ReadWrite,
    /// Read; writes are ignored.
    ReadOnly,
    /// Write; reads give 0.
    WriteOnly,
    /// Read; a write of whatever value clears it.
    Clear,
}

impl Access {
    /// As tables have it.
    pub fn abbreviation(self) -> &'static str {
        match self {
            Access::ReadWrite => "RW",
            Access::ReadOnly => "RO",
            Access::WriteOnly => "WO",
            Access::Clear => "RC",
        }
    }
}

/// Some bits of a word.
#[derive(Clone, Copy, Debug)]
pub struct BitField {
    /// In small letters, words joined by `_`.
    pub name: &'static str,
    /// Lowest bit.
    pub offset: usize,
    /// Width in bits, 1..=32.
    pub width: usize,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Its value after reset, in a register.
    pub reset: u32,
    /// What software may do with it, if something else than with the rest of its register.
    pub access: Option<Access>,
    /// The meanings of its values, if they are numbered.
    pub codes: &'static [Code],
}

impl BitField {
    pub(crate) const fn new(name: &'static str, offset: usize, width: usize, doc: &'static str) -> BitField {
        BitField {
            name,
            offset,
            width,
            doc,
            reset: 0,
            access: None,
            codes: &[],
        }
    }

    pub(crate) const fn reset(self, reset: u32) -> BitField {
        BitField { reset, ..self }
    }

    pub(crate) const fn access(self, access: Access) -> BitField {
        BitField {
            access: Some(access),
            ..self
        }
    }

    pub(crate) const fn codes(self, codes: &'static [Code]) -> BitField {
        BitField { codes, ..self }
    }

    /// The largest value.
    pub const fn max(&self) -> u32 {
        (u32::MAX) >> (32 - self.width)
    }

    /// Its bits in the word.
    pub const fn mask(&self) -> u32 {
        self.max() << self.offset
    }

    /// The value at its place in the word.
    ///
    /// # Errors
    /// The value does not fit.
    pub fn place(&self, value: impl Into<u64>) -> Result<u32, FieldError> {
        self.place_in(value, 0, u64::from(self.max()))
    }

    /// The value at its place in the word, where less is allowed than would fit.
    ///
    /// # Errors
    /// The value is not among those allowed.
    pub(crate) fn place_in(&self, value: impl Into<u64>, first: u64, last: u64) -> Result<u32, FieldError> {
        debug_assert!(last <= u64::from(self.max()));
        let value = check(self.name, value, first, last)?;
        Ok((value as u32) << self.offset)
    }

    /// Its value in a word.
    pub const fn take(&self, word: u32) -> u32 {
        word >> self.offset & self.max()
    }

    /// Whether it is not zero.
    pub(crate) const fn is_set(&self, word: u32) -> bool {
        self.take(word) != 0
    }

    /// A code that has no meaning.
    pub(crate) fn unknown(&self, word: u32) -> FieldError {
        FieldError {
            field: self.name,
            value: u64::from(self.take(word)),
            first: self.codes.first().map_or(0, |code| u64::from(code.code)),
            last: self.codes.last().map_or(0, |code| u64::from(code.code)),
        }
    }

    /// A node at its place in the word.
    ///
    /// # Errors
    /// A coordinate does not fit.
    pub(crate) fn place_node(&self, node: Node) -> Result<u32, FieldError> {
        let x = check("node x", node.x, 0, (1 << X_WIDTH) - 1)?;
        let y = check("node y", node.y, 0, (1 << (NODE_WIDTH - X_WIDTH)) - 1)?;
        self.place(y << X_WIDTH | x)
    }

    /// The node at its place in a word.
    pub(crate) fn take_node(&self, word: u32) -> Node {
        let number = self.take(word);
        Node {
            x: (number & ((1 << X_WIDTH) - 1)) as u8,
            y: (number >> X_WIDTH) as u8,
        }
    }
}

/// Checks a number against its range.
pub(crate) fn check(field: &'static str, value: impl Into<u64>, first: u64, last: u64) -> Result<u64, FieldError> {
    let value = value.into();
    if (first..=last).contains(&value) {
        return Ok(value);
    }
    Err(FieldError {
        field,
        value,
        first,
        last,
    })
}

/// A word with its fields.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// In small letters, words joined by `_`.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// From the lowest bit up.
    pub fields: &'static [BitField],
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Fields rise, fit and have names of their own.
    pub fn assert_sound(name: &str, fields: &[BitField]) {
        let mut next = 0;
        for field in fields {
            assert!(field.offset >= next, "{name}.{} overlaps", field.name);
            assert!(field.width > 0, "{name}.{}", field.name);
            next = field.offset + field.width;
            assert!(next <= 32, "{name}.{} does not fit", field.name);
            assert!(field.reset <= field.max(), "{name}.{}", field.name);
            assert!(field.doc.ends_with('.'), "{name}.{}", field.name);
            assert_eq!(
                fields.iter().filter(|other| other.name == field.name).count(),
                1,
                "{name}.{}",
                field.name
            );
        }
    }

    const FIELD: BitField = BitField::new("size", 4, 22, "A size.");

    #[test]
    fn a_value_that_does_not_fit_is_named() {
        assert_eq!(FIELD.place(0x3f_ffffu32), Ok(0x3ff_fff0));
        assert_eq!(
            FIELD.place(0x40_0000u32).unwrap_err().to_string(),
            "size = 4194304 is not allowed: allowed is 0..=4194303"
        );
        assert_eq!(
            FIELD.place_in(0u32, 1, 64).unwrap_err().to_string(),
            "size = 0 is not allowed: allowed is 1..=64"
        );
        assert_eq!(BitField::new("word", 0, 32, "All.").place(u32::MAX), Ok(u32::MAX));
        let far = Node { x: 16, y: 0 };
        assert_eq!(
            FIELD.place_node(far).unwrap_err().to_string(),
            "node x = 16 is not allowed: allowed is 0..=15"
        );
    }

    proptest! {
        #[test]
        fn a_value_reads_back(value in 0..=FIELD.max(), rest in any::<u32>()) {
            let word = FIELD.place(value).unwrap();
            prop_assert_eq!(word & !FIELD.mask(), 0);
            prop_assert_eq!(FIELD.take(word | rest & !FIELD.mask()), value);
        }
    }
}
