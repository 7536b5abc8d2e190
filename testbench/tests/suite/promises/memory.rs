//! A naive memory of bytes, each unknown until it is written.

use rand::{rngs::SmallRng, Rng};

/// Words of up to 8 bytes.
pub struct Memory {
    words: Vec<[Option<u8>; 8]>,
    bytes: usize,
}

impl Memory {
    pub fn new(words: usize, width: usize) -> Self {
        Self {
            words: vec![[None; 8]; words],
            bytes: width / 8,
        }
    }

    /// An address, most often one of the few at either end, so that what was written is read.
    pub fn address(&self, rng: &mut SmallRng) -> u64 {
        let words = self.words.len();
        let near = rng.gen_range(0..words.min(4));
        let any = rng.gen_range(0..words);
        [near, words - 1 - near, near, any][rng.gen_range(0..4)] as u64
    }

    pub fn any_lanes(&self, rng: &mut SmallRng) -> u64 {
        let all = (1 << self.bytes) - 1;
        [0, all, all, rng.gen_range(0..=all)][rng.gen_range(0..4)]
    }

    pub fn any_word(&self, rng: &mut SmallRng) -> u64 {
        rng.gen::<u64>() >> (64 - 8 * self.bytes)
    }

    /// The word, if every byte of it is known.
    pub fn word(&self, address: u64) -> Option<u64> {
        let bytes = &self.words[address as usize][..self.bytes];
        bytes
            .iter()
            .rev()
            .try_fold(0, |word, byte| Some(word << 8 | u64::from((*byte)?)))
    }

    pub fn write(&mut self, address: u64, lanes: u64, word: u64) {
        let bytes = self.words[address as usize].iter_mut().zip(word.to_le_bytes());
        bytes
            .enumerate()
            .filter(|(lane, _)| lanes >> lane & 1 == 1)
            .for_each(|(_, (byte, new))| *byte = Some(new));
    }

    /// Two writes at once leave these bytes undefined.
    pub fn forget(&mut self, address: u64, lanes: u64) {
        let bytes = self.words[address as usize].iter_mut().enumerate();
        bytes
            .filter(|(lane, _)| lanes >> lane & 1 == 1)
            .for_each(|(_, byte)| *byte = None);
    }
}
