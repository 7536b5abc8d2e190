//! Accelerators at the streams of the tiles, and masters at their ports.

use super::{device::SoakDevice, epoch::Epoch, site::RECEIVED_WORDS};
use anyhow::ensure;
use portico_sim::Access;
use portico_spec::streams::Beat;
use rand::{rngs::StdRng, Rng};
use std::collections::VecDeque;

/// Words that the accelerator gives or takes at once, at most.
const MOST_AT_ONCE: usize = 24;

/// The accelerator and the master beside a tile.
#[derive(Default)]
pub struct Beside {
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
    /// What has not happened yet.
    pub fn missing(&self) -> Option<String> {
        let (words, asked) = (self.leaving.len(), self.asked);
        (words + asked > 0)
            .then(|| format!("{words} words do not leave by the stream; {asked} answers of the port do not come"))
    }
}

impl<D: SoakDevice> Epoch<D> {
    /// The model gets words for a receive of up to `most` words, unless it has enough. All that it gets ends with `tlast`, before
    /// that length or behind it: so the receive ends, and words behind its end stay for the next one.
    pub fn come(&mut self, tile: usize, most: usize, random: &mut StdRng) {
        let beside = &mut self.beside[tile];
        if beside.unclaimed.len() < MOST_AT_ONCE {
            let words = random.gen_range(1..=RECEIVED_WORDS as usize + 8);
            let mask = u64::MAX >> (64 - self.config.width);
            let beats: Vec<Beat> = (1..=words)
                .map(|at| (random.gen::<u64>() & mask, at == words))
                .collect();
            beside.coming.extend(&beats);
            beside.unclaimed.extend(beats.iter().map(|(_, last)| last));
            self.golden.transport().beside().give(tile, &beats);
        }
        let packet = beside
            .unclaimed
            .iter()
            .position(|&last| last)
            .expect("all ends with tlast");
        beside.unclaimed.drain(..most.min(packet + 1));
    }

    /// The model has done a send of so many words: they are those that the tile has to give.
    pub fn leave(&mut self, tile: usize, words: usize) -> anyhow::Result<()> {
        let golden = self.golden.transport().beside();
        golden.want(tile, words);
        let beats = golden.taken(tile);
        ensure!(
            beats.len() == words,
            "tile {tile}: the model sends {} of {words} words",
            beats.len()
        );
        self.beside[tile].unwanted += words;
        self.beside[tile].leaving.extend(beats);
        Ok(())
    }

    /// Each accelerator takes and gives some words, each master makes some accesses; what has come is compared.
    pub fn stand_beside(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        for tile in 0..self.config.tiles() {
            if self.config.streams {
                let (wanted, given): (u8, u8) = random.gen();
                self.pass(
                    tile,
                    usize::from(wanted) % MOST_AT_ONCE,
                    usize::from(given) % MOST_AT_ONCE,
                );
            }
            // Where there is no command stream the port has the descriptors.
            if self.config.tile_ports && self.config.commands {
                self.access(tile, random);
            }
        }
        self.compare_beside()
    }

    /// All words pass, and what has come is compared.
    pub fn finish_beside(&mut self) -> anyhow::Result<()> {
        for tile in 0..self.config.tiles() {
            self.pass(tile, usize::MAX, usize::MAX);
        }
        self.compare_beside()
    }

    /// So many words at most leave and come.
    fn pass(&mut self, tile: usize, wanted: usize, given: usize) {
        let beside = &mut self.beside[tile];
        let wanted = wanted.min(beside.unwanted);
        let given: Vec<Beat> = beside.coming.drain(..given.min(beside.coming.len())).collect();
        beside.unwanted -= wanted;
        if wanted > 0 {
            self.device.transport().beside().want(tile, wanted);
        }
        if !given.is_empty() {
            self.device.transport().beside().give(tile, &given);
        }
    }

    /// The master of a tile reads or writes a word of its own.
    fn access(&mut self, tile: usize, random: &mut StdRng) {
        let region = self.site.initiators[tile].of_port;
        let address = region.base + 4 * random.gen_range(0..region.bytes / 4);
        let access = match random.gen() {
            true => Access::write(address, random.gen()),
            false => Access::Read { address },
        };
        self.golden.transport().beside().ask(tile, access);
        self.device.transport().beside().ask(tile, access);
        self.beside[tile].asked += 1;
    }

    fn compare_beside(&mut self) -> anyhow::Result<()> {
        for tile in 0..self.config.tiles() {
            let beside = &mut self.beside[tile];
            if self.config.streams {
                for found in self.device.transport().beside().taken(tile) {
                    let expected = beside.leaving.pop_front();
                    ensure!(
                        expected == Some(found),
                        "tile {tile}: the stream out of the tile gave {found:x?}, expected {expected:x?}"
                    );
                }
            }
            while beside.asked > 0 {
                let Some(found) = self.device.transport().beside().answer(tile) else {
                    break;
                };
                let expected = self
                    .golden
                    .transport()
                    .beside()
                    .answer(tile)
                    .expect("the model answers at once");
                ensure!(
                    found == expected,
                    "tile {tile}: the port answered {found:x?}, expected {expected:x?}"
                );
                beside.asked -= 1;
            }
        }
        Ok(())
    }
}
