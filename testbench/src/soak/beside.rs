//! Accelerators at the streams of the tiles, and masters at their ports.

use super::site::RECEIVED_WORDS;
use crate::device::beside::BesideTiles;
use anyhow::ensure;
use portico::Region;
use portico_sim::Access;
use portico_spec::streams::Beat;
use rand::{rngs::StdRng, Rng};
use std::collections::VecDeque;

/// Words that the accelerator gives or takes at once, at most.
const MOST_AT_ONCE: usize = 24;

/// The accelerator and the master beside a tile.
#[derive(Default)]
pub struct Beside {
    tile: usize,
    /// Words that sends have to give.
    leaving: VecDeque<Beat>,
    /// How many of them the accelerator has not asked for.
    unwanted: usize,
    /// Words that the model has and the tile has not.
    coming: VecDeque<Beat>,
    /// Of each word that the model has and that no receive has taken: its `tlast`.
    unclaimed: VecDeque<bool>,
    /// Accesses of the port without an answer.
    asked: usize,
}

impl Beside {
    pub fn new(tile: usize) -> Self {
        Beside {
            tile,
            ..Beside::default()
        }
    }

    /// What has not happened yet.
    pub fn missing(&self) -> Option<String> {
        let (words, asked) = (self.leaving.len(), self.asked);
        (words + asked > 0)
            .then(|| format!("{words} words do not leave by the stream; {asked} answers of the port do not come"))
    }

    /// The model gets words, each `width` bits wide, for a receive of up to `most` words, unless it has enough. All that it gets ends
    /// with `tlast`, before that length or behind it: so the receive ends, and words behind its end stay for the next one.
    pub fn come(&mut self, golden: &mut dyn BesideTiles, width: usize, most: usize, random: &mut StdRng) {
        if self.unclaimed.len() < MOST_AT_ONCE {
            let words = random.gen_range(1..=RECEIVED_WORDS as usize + 8);
            let mask = u64::MAX >> (64 - width);
            let beats: Vec<Beat> = (1..=words)
                .map(|at| (random.gen::<u64>() & mask, at == words))
                .collect();
            self.coming.extend(&beats);
            self.unclaimed.extend(beats.iter().map(|(_, last)| last));
            golden.give(self.tile, &beats);
        }
        let packet = self
            .unclaimed
            .iter()
            .position(|&last| last)
            .expect("all ends with tlast");
        self.unclaimed.drain(..most.min(packet + 1));
    }

    /// The model has done a send of so many words: they are those that the tile has to give.
    pub fn leave(&mut self, golden: &mut dyn BesideTiles, words: usize) -> anyhow::Result<()> {
        golden.want(self.tile, words);
        let beats = golden.taken(self.tile);
        ensure!(
            beats.len() == words,
            "tile {}: the model sends {} of {words} words",
            self.tile,
            beats.len()
        );
        self.unwanted += words;
        self.leaving.extend(beats);
        Ok(())
    }

    /// The accelerator takes and gives some words.
    pub fn pass_some(&mut self, device: &mut dyn BesideTiles, random: &mut StdRng) {
        let (wanted, given): (u8, u8) = random.gen();
        self.pass(
            device,
            usize::from(wanted) % MOST_AT_ONCE,
            usize::from(given) % MOST_AT_ONCE,
        );
    }

    /// All words leave and come.
    pub fn pass_all(&mut self, device: &mut dyn BesideTiles) {
        self.pass(device, usize::MAX, usize::MAX);
    }

    /// So many words at most leave and come.
    fn pass(&mut self, device: &mut dyn BesideTiles, wanted: usize, given: usize) {
        let wanted = wanted.min(self.unwanted);
        let given: Vec<Beat> = self.coming.drain(..given.min(self.coming.len())).collect();
        self.unwanted -= wanted;
        if wanted > 0 {
            device.want(self.tile, wanted);
        }
        if !given.is_empty() {
            device.give(self.tile, &given);
        }
    }

    /// The master reads or writes a word of its own.
    pub fn access(
        &mut self,
        device: &mut dyn BesideTiles,
        golden: &mut dyn BesideTiles,
        own: Region,
        random: &mut StdRng,
    ) {
        let address = own.base + 4 * random.gen_range(0..own.bytes / 4);
        let access = match random.gen() {
            true => Access::write(address, random.gen()),
            false => Access::Read { address },
        };
        golden.ask(self.tile, access);
        device.ask(self.tile, access);
        self.asked += 1;
    }

    /// Compares the words that have left the tile by its stream.
    pub fn compare_stream(&mut self, device: &mut dyn BesideTiles) -> anyhow::Result<()> {
        let tile = self.tile;
        for found in device.taken(tile) {
            let expected = self.leaving.pop_front();
            ensure!(
                expected == Some(found),
                "tile {tile}: the stream out of the tile gave {found:x?}, expected {expected:x?}"
            );
        }
        Ok(())
    }

    /// Compares the answers that the master has got.
    pub fn compare_answers(
        &mut self,
        device: &mut dyn BesideTiles,
        golden: &mut dyn BesideTiles,
    ) -> anyhow::Result<()> {
        let tile = self.tile;
        while self.asked > 0 {
            let Some(found) = device.answer(tile) else {
                break;
            };
            let expected = golden.answer(tile).expect("the model answers at once");
            ensure!(
                found == expected,
                "tile {tile}: the port answered {found:x?}, expected {expected:x?}"
            );
            self.asked -= 1;
        }
        Ok(())
    }
}
