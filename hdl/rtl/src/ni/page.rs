//! Recognises the registers of one block by their index. Combinational, no state.

use portico_spec::ni::registers::{Block as Registers, BLOCK_OFFSET, INDEX_WIDTH};
use rust_hdl::prelude::*;

/// The first 2^n registers of a block.
#[derive(LogicBlock)]
pub struct Page {
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// The index is that of a register of this page.
    pub hit: Signal<Out, Bit>,
    above: Constant<Bits<INDEX_WIDTH>>,
    base: Constant<Bits<INDEX_WIDTH>>,
}

impl Page {
    /// The first 2^`place_bits` registers of `block`; `place_bits` of at most [`BLOCK_OFFSET`].
    pub fn new(block: Registers, place_bits: usize) -> Self {
        assert!(
            place_bits <= BLOCK_OFFSET,
            "page: place_bits = {place_bits}, allowed: 0 to {BLOCK_OFFSET}"
        );
        let above = ((1u64 << INDEX_WIDTH) - 1) >> place_bits << place_bits;
        Self {
            index: Default::default(),
            hit: Default::default(),
            above: Constant::new(above.into()),
            base: Constant::new(((block as u64) << BLOCK_OFFSET).into()),
        }
    }
}

impl Logic for Page {
    #[hdl_gen]
    fn update(&mut self) {
        self.hit.next = (self.index.val() & self.above.val()) == self.base.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{emitted, settle};

    #[test]
    fn hits_the_registers_of_the_page_and_no_others() {
        for (block, place_bits) in [
            (Registers::Control, 3),
            (Registers::Events, 9),
            (Registers::Counters, 4),
        ] {
            let mut dut = Page::new(block, place_bits);
            dut.connect_all();
            let mut hits = 0;
            for index in 0..1u64 << INDEX_WIDTH {
                dut.index.next = index.into();
                settle(&mut dut);
                let in_page = index >> BLOCK_OFFSET == block as u64 && index % (1 << BLOCK_OFFSET) < 1 << place_bits;
                assert_eq!(dut.hit.val(), in_page, "{block:?}, index {index:#x}");
                hits += u32::from(in_page);
            }
            assert_eq!(hits, 1 << place_bits);
        }
    }

    #[test]
    fn emits() {
        emitted("page", &Page::new(Registers::Events, 9));
    }
}
