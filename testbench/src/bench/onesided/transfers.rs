//! Commands of many tiles at once, timed; and whether their data are where they belong.

use super::bench::Bench;
use anyhow::{bail, ensure};
use portico_spec::ni::registers::EventRegister;

/// Event of the commands of a measure.
pub const EVENT: usize = 0;
/// Longest time in which no event of a measure fires, without what its data take.
const PATIENCE: u64 = 50_000;
/// Bytes of a row that is looked at of a long transfer.
const SAMPLE: usize = 64;
/// Words that a measure may move for each command that it times, at the slowest imaginable.
const CYCLES_A_COMMAND: u64 = 300;

/// How much of a transfer is compared with what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Transfers of up to so many bytes are compared whole.
    pub whole: usize,
    /// Of longer ones so many rows of 64 bytes are, from the first to the last; one more than a power of two up to 8.
    pub rows: usize,
}

/// When events showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycle in which the first beats were offered.
    pub begun: u64,
    /// For each tile, the cycle in which the last beat of its last descriptor was accepted.
    pub accepted: Vec<u64>,
    /// For each tile, the cycle in which its event showed.
    pub fired: Vec<u64>,
}

impl Timing {
    /// Cycles from the first beat to the last event.
    pub fn whole(&self) -> u64 {
        self.fired.iter().max().expect("a tile") - self.begun
    }

    /// Cycles from a tile's last beat to its event, for each.
    pub fn latencies(&self) -> impl Iterator<Item = u64> + '_ {
        (self.fired.iter().zip(&self.accepted)).map(|(fired, accepted)| fired - accepted)
    }
}

impl Bench {
    /// Gives each of `tiles` that many descriptors, all at once, and waits until [`EVENT`] of each has counted them.
    ///
    /// # Errors
    /// An event does not fire, or fires too early because a command failed.
    pub fn batch(
        &mut self,
        tiles: &[usize],
        count: usize,
        make: impl Fn(&Self, usize, usize) -> Vec<u32>,
    ) -> anyhow::Result<Timing> {
        self.events(tiles, EVENT, &[count])?;
        let begun = self.device().cycles();
        let before: Vec<u64> = tiles.iter().map(|&tile| self.device().accepted(tile).0).collect();
        for index in 0..count {
            for &tile in tiles {
                let descriptor = make(self, tile, index);
                self.device().command(tile, &descriptor);
            }
        }
        let ends: Vec<(usize, usize)> = tiles.iter().map(|&tile| (tile, EVENT)).collect();
        let patience = PATIENCE + (tiles.len() * count) as u64 * (CYCLES_A_COMMAND + self.piece() as u64);
        let fired = self.wait(&ends, patience)?;
        let accepted = (tiles.iter().zip(before))
            .map(|(&tile, before)| {
                let (accepted, last) = self.device().accepted(tile);
                ensure!(
                    accepted - before == count as u64,
                    "tile {tile}: its event fired after {} of {count} descriptors",
                    accepted - before
                );
                Ok(last)
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Timing { begun, accepted, fired })
    }

    /// Cycles that `count` further descriptors of each tile take once as many are under way: what begins and ends a
    /// measure drops out.
    ///
    /// # Errors
    /// As [`Bench::batch`].
    pub fn steady(
        &mut self,
        tiles: &[usize],
        count: usize,
        make: impl Fn(&Self, usize, usize) -> Vec<u32>,
    ) -> anyhow::Result<u64> {
        let once = self.batch(tiles, count, &make)?.whole();
        let twice = self.batch(tiles, 2 * count, &make)?.whole();
        ensure!(
            twice > once,
            "twice as much takes {twice} cycles, and once takes {once}"
        );
        Ok(twice - once)
    }

    /// Waits until each event of a tile has fired; the cycle in which it showed, for each.
    ///
    /// # Errors
    /// One has not fired after `limit` cycles.
    pub fn wait(&mut self, ends: &[(usize, usize)], limit: u64) -> anyhow::Result<Vec<u64>> {
        let end = self.device().cycles() + limit;
        let mut fired = vec![None; ends.len()];
        loop {
            let now = self.device().cycles();
            for (&(tile, event), at) in ends.iter().zip(&mut fired) {
                if at.is_none() && self.device().fired(tile) >> event & 1 == 1 {
                    *at = Some(now);
                }
            }
            if let Some(all) = fired.iter().copied().collect() {
                return Ok(all);
            }
            if now >= end {
                let missing = fired.iter().position(Option::is_none).expect("one is missing");
                let (tile, event) = ends[missing];
                let count = self.read_register(tile, EventRegister::Count, event)?;
                let error = self.failure(tile, event)?;
                bail!("event {event} of tile {tile} has counted {count} and not fired after {limit} cycles{error}");
            }
            self.device().cycle();
        }
    }

    /// Compares data at a byte address with those of the present measure.
    ///
    /// # Errors
    /// A word is another, or cannot be read.
    pub fn verify(&mut self, terminal: usize, address: usize, bytes: usize, check: Check) -> anyhow::Result<()> {
        for (offset, found) in self.sample(terminal, address, bytes, check)? {
            self.compare(terminal, address, offset, &found)?;
        }
        Ok(())
    }

    /// Reads what `check` wants to see of data at a byte address: pieces of them, each with its offset in bytes.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn sample(
        &mut self,
        terminal: usize,
        address: usize,
        bytes: usize,
        check: Check,
    ) -> anyhow::Result<Vec<(usize, Vec<u32>)>> {
        let gaps = check.rows - 1;
        if bytes <= check.whole || !(bytes - SAMPLE).is_multiple_of(8 * gaps) {
            return Ok(vec![(0, self.read(terminal, address, bytes / 4)?)]);
        }
        let stride = (bytes - SAMPLE) / gaps;
        let found = self.read_rows(terminal, address, check.rows, SAMPLE, stride)?;
        let rows = found.chunks(SAMPLE / 4).enumerate();
        Ok(rows.map(|(row, found)| (row * stride, found.to_vec())).collect())
    }

    /// Compares words found at `offset` of data at `address` with those of the present measure.
    ///
    /// # Errors
    /// A word is another.
    pub fn compare(&mut self, terminal: usize, address: usize, offset: usize, found: &[u32]) -> anyhow::Result<()> {
        for (at, &word) in found.iter().enumerate() {
            let byte = offset + 4 * at;
            if word != self.expected(byte) {
                let expected = self.expected(byte);
                let name = self.config().terminal(terminal);
                bail!(
                    "{name} has {word:#010x} at {:#x}, where {expected:#010x} was sent",
                    address + byte
                );
            }
        }
        Ok(())
    }

    /// The error of an event of a tile as the end of a message, empty without one.
    fn failure(&mut self, tile: usize, event: usize) -> anyhow::Result<String> {
        let error = self.error(tile, event)?;
        Ok(error.map_or_else(String::new, |error| format!(": {error}")))
    }

    /// Whether the commands of a measure ended well.
    ///
    /// # Errors
    /// One did not, or the event cannot be read.
    pub fn succeeded(&mut self, tile: usize) -> anyhow::Result<()> {
        match self.error(tile, EVENT)? {
            None => Ok(()),
            Some(error) => bail!("a command of tile {tile} failed: {error}"),
        }
    }
}
