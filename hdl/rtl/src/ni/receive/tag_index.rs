//! Whether a register belongs to a tag, and which of which.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::{
    flit::TAG_WIDTH,
    ni::registers::{Block, BLOCK_OFFSET, FIELD_WIDTH, INDEX_WIDTH},
};
use rust_hdl::prelude::*;

/// Bits of an index above tag and field.
const ABOVE_WIDTH: usize = INDEX_WIDTH - TAG_WIDTH - FIELD_WIDTH;
const ABOVE_OFFSET: usize = TAG_WIDTH + FIELD_WIDTH;

/// Takes the index of a register apart.
#[derive(LogicBlock)]
pub struct TagIndex {
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// It is a register of a tag.
    pub selected: Signal<Out, Bit>,
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub field: Signal<Out, Bits<FIELD_WIDTH>>,
    tag_at: Constant<Bits<4>>,
    above_at: Constant<Bits<4>>,
    above: Constant<Bits<ABOVE_WIDTH>>,
}

impl Default for TagIndex {
    fn default() -> Self {
        Self {
            index: Default::default(),
            selected: Default::default(),
            tag: Default::default(),
            field: Default::default(),
            tag_at: Constant::new(bits(FIELD_WIDTH as u64)),
            above_at: Constant::new(bits(ABOVE_OFFSET as u64)),
            above: Constant::new(bits((Block::Tags as u64) << (BLOCK_OFFSET - ABOVE_OFFSET))),
        }
    }
}

impl Logic for TagIndex {
    #[hdl_gen]
    fn update(&mut self) {
        self.selected.next = self.index.val().get_bits::<ABOVE_WIDTH>(self.above_at.val().index()) == self.above.val();
        self.tag.next = self.index.val().get_bits::<TAG_WIDTH>(self.tag_at.val().index());
        self.field.next = self.index.val().get_bits::<FIELD_WIDTH>(0);
    }
}
