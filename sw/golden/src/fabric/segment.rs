//! Segments: what an initiator knows of a window or queue of another node.

use portico_spec::{
    flit::{TAG_WIDTH, X_WIDTH, Y_WIDTH},
    ni::{
        registers::SegmentRegister,
        segment::{SegmentKind, CREDITS_WIDTH, KIND_OFFSET, KIND_WIDTH, NODE_OFFSET, TAG_OFFSET},
        ErrorCode,
    },
    Node,
};

use super::bits::field;

/// One segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Segment {
    target: u32,
    size: u32,
    credits: u32,
}

impl Segment {
    /// Checks that it is of this kind.
    ///
    /// # Errors
    /// `UnknownSegment` if it is of none, `WrongSegment` if it is of another.
    pub fn expect(&self, kind: SegmentKind) -> Result<(), ErrorCode> {
        self.known()?;
        if field(self.target, KIND_OFFSET, KIND_WIDTH) == kind as u32 {
            Ok(())
        } else {
            Err(ErrorCode::WrongSegment)
        }
    }

    /// Checks that it has a kind.
    ///
    /// # Errors
    /// `UnknownSegment` if not.
    pub fn known(&self) -> Result<(), ErrorCode> {
        if field(self.target, KIND_OFFSET, KIND_WIDTH) == SegmentKind::None as u32 {
            return Err(ErrorCode::UnknownSegment);
        }
        Ok(())
    }

    pub fn node(&self) -> Node {
        node(self.target >> NODE_OFFSET)
    }

    pub fn tag(&self) -> u8 {
        field(self.target, TAG_OFFSET, TAG_WIDTH) as u8
    }

    pub fn size(&self) -> u64 {
        u64::from(self.size)
    }

    /// Whether a credit is there.
    pub fn has_credit(&self) -> bool {
        self.credits > 0
    }

    /// Takes a credit, if one is there.
    pub fn take_credit(&mut self) -> bool {
        let taken = self.credits > 0;
        self.credits -= u32::from(taken);
        taken
    }

    pub fn give_credit(&mut self) {
        self.credits = (self.credits + 1) & ((1 << CREDITS_WIDTH) - 1);
    }

    pub fn write(&mut self, register: SegmentRegister, data: u32) {
        match register {
            SegmentRegister::Target => self.target = data,
            SegmentRegister::Size => self.size = data,
            SegmentRegister::Credits => self.credits = data & ((1 << CREDITS_WIDTH) - 1),
        }
    }
}

/// The node in the low bits of a word.
pub(super) fn node(word: u32) -> Node {
    Node {
        x: field(word, 0, X_WIDTH) as u8,
        y: field(word, X_WIDTH, Y_WIDTH) as u8,
    }
}
