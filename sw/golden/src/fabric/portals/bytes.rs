//! Bytes of a scratchpad with words of 32 bits: byte 0 of a word is its lowest.

use super::super::memory::Memory;

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// Size of the memory in bytes.
pub(super) fn size(memory: &Memory) -> u64 {
    memory.words() * u64::from(WORD_BYTES)
}

/// Reads `length` bytes from byte address `start` on.
pub(super) fn read(memory: &Memory, start: u32, length: u32) -> Vec<u8> {
    let byte = |at: u32| (memory.read(at / WORD_BYTES) >> (8 * (at % WORD_BYTES))) as u8;
    (start..start + length).map(byte).collect()
}

/// Writes bytes from byte address `start` on; other bytes of their words stay.
pub(super) fn write(memory: &mut Memory, start: u32, bytes: &[u8]) {
    for (at, &byte) in (start..).zip(bytes) {
        let shift = 8 * (at % WORD_BYTES);
        let kept = memory.read(at / WORD_BYTES) & !(0xff << shift);
        memory.write(at / WORD_BYTES, kept | u64::from(byte) << shift);
    }
}

/// Writes a word at a byte address, a multiple of 4.
pub(super) fn write_word(memory: &mut Memory, address: u32, word: u32) {
    memory.write(address / WORD_BYTES, word.into());
}
