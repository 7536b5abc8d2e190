//! The memory of a node: a scratchpad, or external memory seen through pages.

use portico_spec::ni::{
    page::{last_address, ALIGNMENT_WIDTH, HALF_BASE_WIDTH, PAGES, PAGE_OFFSET_WIDTH},
    registers::PageRegister,
};
use std::collections::HashMap;

/// Words of a node, by their address.
#[derive(Clone, Debug)]
pub(super) enum Memory {
    Scratchpad(Vec<u64>),
    External(External),
}

/// Words of a memory behind a memory node; 0 until written.
#[derive(Clone, Debug)]
pub(super) struct External {
    word_bytes: u64,
    /// The greatest byte address: bases and sums have no bits above it.
    last: u64,
    /// The byte at which each page begins.
    bases: [u64; PAGES],
    /// Each by the byte at which it begins.
    words: HashMap<u64, u64>,
}

impl External {
    /// Pages one after the other, with byte addresses of `address_width` bits, 32 or 64.
    pub fn new(word_bytes: u32, address_width: usize) -> External {
        let word_bytes = u64::from(word_bytes);
        External {
            word_bytes,
            last: last_address(address_width),
            bases: std::array::from_fn(|page| page as u64 * (word_bytes << PAGE_OFFSET_WIDTH)),
            words: HashMap::new(),
        }
    }

    fn byte(&self, address: u32) -> u64 {
        let offset = u64::from(address) % (1 << PAGE_OFFSET_WIDTH);
        self.bases[(address >> PAGE_OFFSET_WIDTH) as usize].wrapping_add(offset * self.word_bytes) & self.last
    }

    /// Writes one half of a page's base. A high half that no address has stays 0.
    fn write_base(&mut self, page: usize, half: PageRegister, data: u32) {
        let base = &mut self.bases[page];
        let low = u64::from(u32::MAX);
        let whole = match half {
            PageRegister::Low => *base & !low | u64::from(data >> ALIGNMENT_WIDTH << ALIGNMENT_WIDTH),
            PageRegister::High => *base & low | u64::from(data) << HALF_BASE_WIDTH,
        };
        *base = whole & self.last;
    }
}

impl Memory {
    /// Words that have an address.
    pub fn words(&self) -> u64 {
        match self {
            Memory::Scratchpad(words) => words.len() as u64,
            Memory::External(_) => (PAGES as u64) << PAGE_OFFSET_WIDTH,
        }
    }

    /// The word at this address; 0 where there is none.
    pub fn read(&self, address: u32) -> u64 {
        match self {
            _ if u64::from(address) >= self.words() => 0,
            Memory::Scratchpad(words) => words[address as usize],
            Memory::External(external) => *external.words.get(&external.byte(address)).unwrap_or(&0),
        }
    }

    /// Writes a word, if there is one at this address.
    pub fn write(&mut self, address: u32, word: u64) {
        if u64::from(address) >= self.words() {
            return;
        }
        match self {
            Memory::Scratchpad(words) => words[address as usize] = word,
            Memory::External(external) => {
                external.words.insert(external.byte(address), word);
            }
        }
    }

    /// Writes a register of the block of pages, which scratchpads do not have.
    pub fn write_page(&mut self, page: usize, half: PageRegister, data: u32) {
        if let Memory::External(external) = self {
            external.write_base(page, half, data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_until_they_are_moved() {
        let page = 1 << PAGE_OFFSET_WIDTH;
        let mut memory = Memory::External(External::new(4, 64));
        assert_eq!(memory.words(), 8 * u64::from(page));
        memory.write(page - 1, 1);
        memory.write(page, 2);
        memory.write(8 * page, 3);
        assert_eq!([page - 1, page, 8 * page].map(|at| memory.read(at)), [1, 2, 0]);
        // Page 3 shows what page 1 does, but for the bits that a base has not.
        memory.write_page(3, PageRegister::Low, (4 * page) | 0xfff);
        memory.write_page(3, PageRegister::High, 0);
        assert_eq!(memory.read(3 * page), 2);
        memory.write(3 * page + 5, 7);
        assert_eq!(memory.read(page + 5), 7);
        // And above 4 GiB nothing was written.
        memory.write_page(3, PageRegister::High, 9);
        assert_eq!((memory.read(3 * page), memory.read(page)), (0, 2));
    }

    #[test]
    fn addresses_of_32_bits_have_no_high_half_and_wrap() {
        let page = 1 << PAGE_OFFSET_WIDTH;
        let mut memory = Memory::External(External::new(4, 32));
        memory.write(page, 2);
        memory.write_page(1, PageRegister::High, 9);
        assert_eq!(memory.read(page), 2);
        memory.write_page(3, PageRegister::High, u32::MAX);
        memory.write_page(3, PageRegister::Low, 4 * page);
        assert_eq!(memory.read(3 * page), 2);
        // The second block of this page is the first of page 0.
        memory.write_page(2, PageRegister::Low, 0xffff_f000);
        memory.write(2 * page + 0x400, 7);
        assert_eq!(memory.read(0), 7);
    }

    #[test]
    fn a_scratchpad_ends_where_it_ends_and_has_no_pages() {
        let mut memory = Memory::Scratchpad(vec![0; 4]);
        memory.write_page(0, PageRegister::Low, 0x1000);
        memory.write(3, 9);
        memory.write(4, 8);
        assert_eq!([3, 4].map(|at| memory.read(at)), [9, 0]);
    }
}
