use portico_spec::{
    flit::TAG_WIDTH,
    ni::registers::{Block, BLOCK_OFFSET, FIELD_WIDTH, INDEX_WIDTH},
};
use portico_verilog::prelude::*;

/// Bits of an index above tag and field.
const ABOVE_WIDTH: usize = INDEX_WIDTH - TAG_WIDTH - FIELD_WIDTH;
const ABOVE_OFFSET: usize = TAG_WIDTH + FIELD_WIDTH;

/// Whether a register belongs to a tag, and which of which.
///
/// Takes the index of a register apart.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct TagIndex {
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// It is a register of a tag.
    pub selected: Signal<Out, Bit>,
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub field: Signal<Out, Bits<FIELD_WIDTH>>,
}

#[kernel]
impl Logic for TagIndex {
    fn update(&mut self) {
        self.selected.next = self.index.val().get_bits::<ABOVE_WIDTH>(ABOVE_OFFSET)
            == bits::<ABOVE_WIDTH>((Block::Tags as u64) << (BLOCK_OFFSET - ABOVE_OFFSET));
        self.tag.next = self.index.val().get_bits::<TAG_WIDTH>(FIELD_WIDTH);
        self.field.next = self.index.val().get_bits::<FIELD_WIDTH>(0);
    }
}
