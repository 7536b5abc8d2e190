use portico_spec::ni::registers::{BLOCK_OFFSET, INDEX_WIDTH};
use portico_verilog::prelude::*;

/// Recognises the registers of one block by their index.
///
/// The first 2^`BITS` registers of block number `BLOCK`; `BITS` of at most [`BLOCK_OFFSET`].
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AddressMatch<const BLOCK: usize, const BITS: usize> {
    /// Index of a register: the low bits of its address.
    pub index: Signal<In, Bits<INDEX_WIDTH>>,
    /// The index is that of one of the registers.
    pub hit: Signal<Out, Bit>,
}

impl<const BLOCK: usize, const BITS: usize> AddressMatch<BLOCK, BITS> {
    /// Bits of an index that tell the registers from all others.
    const ABOVE: u64 = {
        assert!(
            BITS <= BLOCK_OFFSET,
            "address match: BITS beyond the registers of a block"
        );
        ((1 << INDEX_WIDTH) - 1) >> BITS << BITS
    };
    /// Index of the first register.
    const FIRST: u64 = (BLOCK as u64) << BLOCK_OFFSET;
}

#[kernel]
impl<const BLOCK: usize, const BITS: usize> Logic for AddressMatch<BLOCK, BITS> {
    fn update(&mut self) {
        self.hit.next = (self.index.val() & bits::<INDEX_WIDTH>(Self::ABOVE)) == bits::<INDEX_WIDTH>(Self::FIRST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;
    use portico_spec::ni::registers::Block as Registers;

    fn hits_its_own_alone<const BLOCK: usize, const BITS: usize>() {
        let mut dut = AddressMatch::<BLOCK, BITS>::default();
        dut.connect_all();
        let mut hits = 0;
        for index in 0..1usize << INDEX_WIDTH {
            dut.index.next = (index as u64).into();
            settle(&mut dut);
            let is_one = index >> BLOCK_OFFSET == BLOCK && index % (1 << BLOCK_OFFSET) < 1 << BITS;
            assert_eq!(dut.hit.val(), is_one, "block {BLOCK}, index {index:#x}");
            hits += u32::from(is_one);
        }
        assert_eq!(hits, 1 << BITS);
    }

    #[test]
    fn hits_the_registers_of_the_block_and_no_others() {
        hits_its_own_alone::<{ Registers::Control as usize }, 3>();
        hits_its_own_alone::<{ Registers::Events as usize }, 9>();
        hits_its_own_alone::<{ Registers::Counters as usize }, 4>();
    }
}
