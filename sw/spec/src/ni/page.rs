//! Pages: where in external memory the words of a memory node are.
//!
//! The word address of a memory node is a page above an offset. Word `o` of page `p` is at byte `base[p] + o * W / 8`.
//! After reset page `p` begins where page `p - 1` ends, and page 0 at 0.

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
/// Width of the address of a word of memory, in bits.
pub const MEMORY_WIDTH: usize = PAGE_WIDTH + PAGE_OFFSET_WIDTH;
/// Word addresses of a memory node with this bit are registers.
pub const REGISTER_BIT: usize = MEMORY_WIDTH;
