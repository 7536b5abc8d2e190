//! Ports of a model as small values, found once by name.

use crate::source::{words, Placed};

/// An input of a model; belongs to the models of one library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input(pub(crate) Slot);

/// An output of a model; belongs to the models of one library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(pub(crate) Slot);

impl Input {
    /// Width in bits.
    pub fn width(self) -> usize {
        self.0.width as usize
    }
}

impl Output {
    /// Width in bits.
    pub fn width(self) -> usize {
        self.0.width as usize
    }
}

/// Where a port lies in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub word: u32,
    pub width: u32,
}

impl Slot {
    pub fn of(placed: &Placed) -> Self {
        Slot {
            word: placed.word as u32,
            width: placed.port.width as u32,
        }
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.word as usize..self.word as usize + words(self.width as usize)
    }

    /// The bits that a value of the port can have in the last of its words.
    pub fn top_mask(self) -> u32 {
        u32::MAX >> (self.range().len() as u32 * 32 - self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_mask_holds_the_bits_of_the_last_word() {
        for (width, words, mask) in [
            (1, 1, 1),
            (31, 1, u32::MAX >> 1),
            (32, 1, u32::MAX),
            (33, 2, 1),
            (100, 4, 15),
        ] {
            let slot = Slot { word: 7, width };
            assert_eq!((slot.range(), slot.top_mask()), (7..7 + words, mask), "{width} bits");
        }
    }
}
