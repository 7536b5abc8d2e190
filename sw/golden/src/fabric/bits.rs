//! Fields of words.

/// The field of `width` bits whose lowest bit is `offset`.
pub(super) fn field(word: u32, offset: usize, width: usize) -> u32 {
    word >> offset & ((1u64 << width) - 1) as u32
}

/// Whether the bit is set.
pub(super) fn bit(word: u32, offset: usize) -> bool {
    word >> offset & 1 == 1
}
