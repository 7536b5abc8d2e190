use portico_spec::ni::{
    packet::OFFSET_WIDTH,
    registers::{Block as RegisterBlock, BASE_BYTES, BLOCK_OFFSET, BLOCK_WIDTH, INDEX_WIDTH, SPACE_BYTES},
};
use portico_verilog::prelude::*;

/// Width of a byte address of a node.
pub const ADDRESS_WIDTH: usize = SPACE_BYTES.ilog2() as usize;
/// Width of a word's number in the memory half of the address space, where it has the most words.
const MEMORY_WIDTH: usize = BASE_BYTES.ilog2() as usize - 2;

/// Decodes a byte address of a node.
///
/// Distinguishes memory, registers and addresses that are neither.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct AddressMap {
    /// In bytes; which byte of four does not matter.
    pub address: Signal<In, Bits<ADDRESS_WIDTH>>,
    /// The address is that of a word of memory.
    pub is_memory: Signal<Out, Bit>,
    /// The address is that of a register.
    pub is_register: Signal<Out, Bit>,
    /// The register is one of the COMMAND block.
    pub is_command: Signal<Out, Bit>,
    /// The upper half of a word of 64 bits.
    pub upper: Signal<Out, Bit>,
    /// The place in memory, in words.
    pub word: Signal<Out, Bits<OFFSET_WIDTH>>,
    /// The number of the register.
    pub index: Signal<Out, Bits<INDEX_WIDTH>>,
    memory_bytes: Constant<Bits<ADDRESS_WIDTH>>,
    is_wide: Constant<Bit>,
    /// Where the number of a word begins in an address.
    word_at: Constant<Bits<5>>,
}

impl AddressMap {
    /// The map of a node with words of `width` bits and `memory_bytes` of memory from byte 0.
    ///
    /// # Panics
    /// `width` is neither 32 nor 64, or `memory_bytes` is no whole number of words, 1 or more, below the registers.
    pub fn new(width: usize, memory_bytes: usize) -> Self {
        assert!(
            matches!(width, 32 | 64),
            "address map: width = {width}, allowed: 32 or 64"
        );
        assert!(
            (1..=BASE_BYTES).contains(&memory_bytes) && memory_bytes.is_multiple_of(width / 8),
            "address map: memory_bytes = {memory_bytes}, allowed: 1 to {BASE_BYTES}, a multiple of {}",
            width / 8
        );
        Self {
            memory_bytes: Constant::new(bits(memory_bytes as u64)),
            is_wide: Constant::new(width == 64),
            word_at: Constant::new(bits((width / 8).ilog2().into())),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for AddressMap {
    fn update(&mut self) {
        self.is_memory.next = self.address.val() < self.memory_bytes.val();
        // Words of 32 bits fill only half of the register half: the rest has no indices.
        self.is_register.next = self.address.val().get_bit(BASE_BYTES.ilog2() as usize)
            & (self.is_wide.val() | !self.address.val().get_bit(INDEX_WIDTH + self.word_at.val().index()));
        self.upper.next = self.is_wide.val() & self.address.val().get_bit(2);
        self.word.next = bit_cast::<OFFSET_WIDTH, MEMORY_WIDTH>(
            self.address.val().get_bits::<MEMORY_WIDTH>(self.word_at.val().index()),
        );
        self.index.next = self.address.val().get_bits::<INDEX_WIDTH>(self.word_at.val().index());
        self.is_command.next = self.is_register.val()
            & (self.index.val().get_bits::<BLOCK_WIDTH>(BLOCK_OFFSET)
                == bits::<BLOCK_WIDTH>(RegisterBlock::Command as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    /// (memory word, register index, COMMAND) of an address, and whether it is an upper half.
    fn look(dut: &mut AddressMap, address: usize) -> (Option<u64>, Option<u64>, bool, bool) {
        dut.address.next = (address as u64).into();
        settle(dut);
        let (memory, register) = (dut.is_memory.val(), dut.is_register.val());
        (
            memory.then(|| dut.word.val().to_u64()),
            register.then(|| dut.index.val().to_u64()),
            dut.is_command.val(),
            dut.upper.val(),
        )
    }

    #[test]
    fn every_address_leads_where_the_map_of_the_node_says() {
        for (width, memory_bytes) in [(32, 0x80000), (32, 4), (64, 0x80000), (64, 0x10008)] {
            let mut dut = AddressMap::new(width, memory_bytes);
            dut.connect_all();
            let bytes = width / 8;
            let command = (RegisterBlock::Command as usize) << BLOCK_OFFSET;
            for address in (0..SPACE_BYTES).step_by(4) {
                let memory = (address < memory_bytes).then_some((address / bytes) as u64);
                let index = address.checked_sub(BASE_BYTES).map(|byte| byte / bytes);
                let index = index.filter(|index| *index < 1 << INDEX_WIDTH);
                let is_command = index.is_some_and(|index| (command..command + (1 << BLOCK_OFFSET)).contains(&index));
                let expected = (
                    memory,
                    index.map(|index| index as u64),
                    is_command,
                    width == 64 && address % 8 == 4,
                );
                assert_eq!(look(&mut dut, address), expected, "width {width}, address {address:#x}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "memory_bytes = 524292, allowed: 1 to 524288, a multiple of 4")]
    fn memory_below_the_registers_only() {
        AddressMap::new(32, BASE_BYTES + 4);
    }
}
