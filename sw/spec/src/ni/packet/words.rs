//! The words that follow a head, as values.

use super::{Operation, OFFSET, OPERATION, ROW, SLOT, STRIDE, STRIDED, WIDE};
use crate::ni::layout::FieldError;

/// An ADDRESS word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// In words.
    pub offset: u32,
    /// Transaction slot of the initiator; of the last reply to a get: the error that broke it off, or 0.
    pub slot: u8,
    /// A GEOMETRY word follows; of a 32-bit atomic on 64-bit words: the upper half.
    pub strided: bool,
    /// Of an atomic; its code, as a packet may hold one without a meaning.
    pub operation: u8,
    /// The atomic is of 64 bits.
    pub wide: bool,
}

impl Address {
    /// The word.
    ///
    /// # Errors
    /// The first field that does not fit.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(OFFSET.place(self.offset)?
            | SLOT.place(self.slot)?
            | STRIDED.place(self.strided)?
            | OPERATION.place(self.operation)?
            | WIDE.place(self.wide)?)
    }

    /// The fields of a word.
    pub fn decode(word: u32) -> Address {
        Address {
            offset: OFFSET.take(word),
            slot: SLOT.take(word) as u8,
            strided: STRIDED.is_set(word),
            operation: OPERATION.take(word) as u8,
            wide: WIDE.is_set(word),
        }
    }

    /// The atomic operation, if its code has a meaning.
    pub fn operation(&self) -> Option<Operation> {
        Operation::from_code(self.operation.into())
    }
}

/// A GEOMETRY word: how rows lie at the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Words of a row.
    pub row: u16,
    /// Words from row to row.
    pub stride: u16,
}

impl Rows {
    /// The word.
    pub fn encode(&self) -> u32 {
        u32::from(self.row) << ROW.offset | u32::from(self.stride) << STRIDE.offset
    }

    /// The fields of a word.
    pub fn decode(word: u32) -> Rows {
        Rows {
            row: ROW.take(word) as u16,
            stride: STRIDE.take(word) as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_operation_is_typed_where_it_has_a_meaning() {
        assert_eq!(Address::decode(6 << 28).operation(), Some(Operation::AddIf));
        assert_eq!(Address::decode(7 << 28).operation(), None);
        let slot = Address {
            slot: 32,
            ..Address::default()
        };
        assert_eq!(
            slot.encode().unwrap_err().to_string(),
            "slot = 32 is not allowed: allowed is 0..=31"
        );
    }

    proptest! {
        #[test]
        fn every_word_reads_back(word in any::<u32>()) {
            prop_assert_eq!(Address::decode(word).encode(), Ok(word));
            prop_assert_eq!(Rows::decode(word).encode(), word);
        }
    }
}
