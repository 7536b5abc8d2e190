//! Pages: where in external memory the words of a memory node are.
//!
//! The word address of a memory node is a page above an offset. Word `o` of page `p` is at byte `base[p] + o * W / 8`.
//! After reset page `p` begins where page `p - 1` ends, and page 0 at 0. The key `memory_address` sets the bits of a byte
//! address: a base has as many, and the sum wraps there.

use crate::Config;

/// Width of a page's number, in bits.
pub const PAGE_WIDTH: usize = 3;
/// Pages that a memory node reaches at a time.
pub const PAGES: usize = 1 << PAGE_WIDTH;
/// Width of the offset in a page, in words: the page's number is above.
pub const PAGE_OFFSET_WIDTH: usize = 18;
/// Low bits of a base that are taken to be zero: a page begins with a block that no AXI4 burst may leave.
pub const ALIGNMENT_WIDTH: usize = 12;
/// Width of the half of a base in a register's place; the page's number is above.
pub const HALF_WIDTH: usize = 1;
/// Width of each half of a page's base, in bits: a write of a register gives one half.
pub const HALF_BASE_WIDTH: usize = 32;
/// Width of a whole base, in bits.
pub const BASE_WIDTH: usize = 2 * HALF_BASE_WIDTH;
/// Allowed widths of a byte address at a memory node's AXI4 port, in bits (key `memory_address`). A base has only its low half
/// with the first, and both halves with the second.
pub const ADDRESS_WIDTHS: [usize; 2] = [HALF_BASE_WIDTH, BASE_WIDTH];
/// Width of the address of a word of memory, in bits.
pub const MEMORY_WIDTH: usize = PAGE_WIDTH + PAGE_OFFSET_WIDTH;
/// Word addresses of a memory node with this bit are registers.
pub const REGISTER_BIT: usize = MEMORY_WIDTH;

/// The greatest byte address of `width` bits, where `width` is one of [`ADDRESS_WIDTHS`].
pub const fn last_address(width: usize) -> u64 {
    u64::MAX >> (BASE_WIDTH - width)
}

impl Config {
    /// The greatest base of a page, in bytes, at which all of the page has an address (key `memory_address`). It is a multiple of
    /// 2^[`ALIGNMENT_WIDTH`], as every base is.
    pub fn last_page_base(&self) -> u64 {
        let page_bytes = (self.width as u64 / 8) << PAGE_OFFSET_WIDTH;
        last_address(self.memory_address) - (page_bytes - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_ends_with_the_last_address() {
        for (width, memory_address, last) in [
            (32, 32, 0xfff0_0000_u64),
            (64, 32, 0xffe0_0000),
            (32, 64, 0xffff_ffff_fff0_0000),
            (64, 64, 0xffff_ffff_ffe0_0000),
        ] {
            let config = Config {
                width,
                memory_address,
                ..Config::default()
            };
            assert_eq!(config.last_page_base(), last, "{width}, {memory_address}");
            assert!(last.is_multiple_of(1 << ALIGNMENT_WIDTH));
        }
    }
}
