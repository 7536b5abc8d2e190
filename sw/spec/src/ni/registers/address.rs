//! Where registers are.

use super::{Block, BlockMap, Register, BASE_BYTES, BLOCK_OFFSET, INDEX_WIDTH, MAP};
use crate::{parts::Station, Config};

/// A register of an item of a block, apart from which item.
pub trait Place: Copy {
    /// The block.
    const BLOCK: Block;
    /// The registers of an item.
    const REGISTERS: &'static [Register];

    /// Number of the register in its item.
    fn number(self) -> usize;

    /// The register of this number, if an item has one.
    fn from_number(number: usize) -> Option<Self>;
}

impl Block {
    /// What the block has.
    pub fn map(self) -> &'static BlockMap {
        let found = MAP.iter().find(|map| map.block == self);
        found.expect("every block has its map")
    }
}

/// Index of a register of an item; 0 is the item of a block that has but one.
///
/// # Panics
/// If the block has no such item.
pub fn index<P: Place>(place: P, item: usize) -> u16 {
    let map = P::BLOCK.map();
    assert!(
        item < map.items,
        "{} {item} of {} in block {}",
        map.item,
        map.items,
        P::BLOCK.name()
    );
    ((P::BLOCK as usize) << BLOCK_OFFSET | item << map.number_width | place.number()) as u16
}

/// Address of a register of an item in the address space of a tile or the host, in bytes.
///
/// # Panics
/// As [`index`].
pub fn address<P: Place>(config: &Config, place: P, item: usize) -> usize {
    byte(config, Station::Tile, usize::from(index(place, item)))
}

/// Address of a register of an item in the address space of any terminal, in bytes: those of a memory node are elsewhere.
///
/// # Panics
/// As [`index`].
pub fn address_at<P: Place>(config: &Config, terminal: usize, place: P, item: usize) -> u32 {
    config.registers_base(terminal) + (address(config, place, item) - BASE_BYTES) as u32
}

/// What lies in memory for a put to registers side by side: each word in a word of the fabric, of which registers use the low 32 bits.
pub fn in_memory(config: &Config, words: &[u32]) -> Vec<u32> {
    let lanes = config.width / 32;
    let mut memory = vec![0; words.len() * lanes];
    for (place, &word) in memory.iter_mut().step_by(lanes).zip(words) {
        *place = word;
    }
    memory
}

/// Address of the register of this index at nodes of a kind, in bytes.
pub(in crate::ni) fn byte(config: &Config, station: Station, index: usize) -> usize {
    debug_assert!(index < 1 << INDEX_WIDTH);
    config.registers_base_of(station) as usize + index * config.width / 8
}

/// Block, item and register of an index, if there is one.
pub fn locate(index: u16) -> Option<(Block, usize, &'static Register)> {
    let index = usize::from(index);
    let map = Block::from_code((index >> BLOCK_OFFSET) as u32)?.map();
    let place = index & ((1 << BLOCK_OFFSET) - 1);
    let (item, number) = (place >> map.number_width, place & ((1 << map.number_width) - 1));
    let register = map.registers.iter().find(|register| register.number == number)?;
    (item < map.items).then_some((map.block, item, register))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ni::registers::{
        CommandRegister, ControlRegister, CounterRegister, EventRegister, MailboxRegister, PageRegister,
        ProgramRegister, ReleaseRegister, SegmentRegister, ShaperRegister, StreamRegister, TagRegister, SPACE_BYTES,
    };

    #[test]
    fn registers_are_where_the_hardware_has_them() {
        assert_eq!(index(ControlRegister::InterruptHigh, 0), 0x0006);
        assert_eq!(index(CommandRegister::Word, 15), 0x100f);
        assert_eq!(index(EventRegister::ValueHigh, 63), 0x21fc);
        assert_eq!(index(TagRegister::Released, 255), 0x37fe);
        assert_eq!(index(SegmentRegister::Credits, 255), 0x43fe);
        assert_eq!(index(MailboxRegister::Count, 127), 0x51ff);
        assert_eq!(index(ShaperRegister::Burst, 7), 0x601e);
        assert_eq!(index(ProgramRegister::Instruction, 255), 0x70ff);
        assert_eq!(index(ReleaseRegister::Messages, 255), 0x80ff);
        assert_eq!(index(CounterRegister::Waiting, 0), 0x9009);
        assert_eq!(index(PageRegister::High, 7), 0xa00f);
        assert_eq!(index(StreamRegister::ReceiveWords, 0), 0xe003);
        assert_eq!(TagRegister::from_number(6), Some(TagRegister::Released));
        assert_eq!(TagRegister::from_number(7), None);
    }

    #[test]
    fn the_stride_is_a_word_of_the_fabric() {
        let wide = Config {
            width: 64,
            ..Config::default()
        };
        assert_eq!(address(&wide, TagRegister::Size, 2), 0x80000 + 8 * 0x3011);
        assert_eq!(byte(&wide, Station::Host, (1 << INDEX_WIDTH) - 1) + 8, SPACE_BYTES);
    }

    #[test]
    fn registers_of_a_memory_node_are_behind_its_pages() {
        let config = Config {
            memories: 1,
            ..Config::default()
        };
        let config = config.fabric().unwrap();
        let (host, memory) = (config.tiles(), config.tiles() + 1);
        let at = |terminal| address_at(&config, terminal, EventRegister::Count, 3);
        let of_a_tile = address(&config, EventRegister::Count, 3) as u32;
        assert_eq!([at(0), at(host)], [of_a_tile; 2]);
        assert_eq!(at(memory), of_a_tile - BASE_BYTES as u32 + config.memory_bytes(memory));
    }

    #[test]
    #[should_panic(expected = "event 64 of 64 in block events")]
    fn an_item_beyond_the_last_is_none() {
        index(EventRegister::Count, 64);
    }

    #[test]
    fn an_index_names_its_register() {
        let (block, item, register) = locate(0x37fe).unwrap();
        assert_eq!((block, item, register.name), (Block::Tags, 255, "released"));
        assert!(locate(0x37ff).is_none(), "a tag has no register 7");
        assert!(locate(0x2200).is_none(), "there is no event 64");
        assert!(locate(0x0009).is_none());
        assert!(
            locate(0xd00f).is_none(),
            "a row of the Portals engine has no register 15"
        );
        assert!(locate(0xe004).is_none());
        let registers: usize = MAP.iter().map(|map| map.items * map.registers.len()).sum();
        assert_eq!(
            (0..=u16::MAX).filter(|&index| locate(index).is_some()).count(),
            registers
        );
    }
}
