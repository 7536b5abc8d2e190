//! Figure 4 of the paper: latency of atomics against the number of initiators.
//!
//! Spread, each initiator asks another tile with each request, and no two the same at once; centralised, all ask the last
//! tile, at one word. A posted add counts as long as its initiator is busy with it, with the next right behind; a
//! fetch-and-add from its last beat to its event, with the next thereafter.

use super::{
    bench::Bench,
    transfers::EVENT,
    words::{self, word_bytes},
    Effort, BENCH,
};
use crate::bench::report::{Better, Row};
use anyhow::{bail, ensure, Context};
use portico_spec::ni::descriptor::Atomic;

/// Longest time between two events of a measure.
const PATIENCE: u64 = 20_000;
/// The paper's best posted request and its round trip of a blocking one, in cycles, both of one initiator.
const PAPER_POSTED: f64 = 230.0;
const PAPER_BLOCKING: f64 = 1109.0;

/// One kind of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Posted adds rather than fetch-and-adds.
    pub posted: bool,
    /// All at the same word.
    pub centralised: bool,
}

/// One line of the figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Of which requests.
    pub kind: Kind,
    /// Initiators, and cycles of a request, mean of all.
    pub points: Vec<(usize, f64)>,
}

impl Kind {
    /// All four.
    pub const ALL: [Kind; 4] = [
        Kind::new(true, false),
        Kind::new(true, true),
        Kind::new(false, false),
        Kind::new(false, true),
    ];

    const fn new(posted: bool, centralised: bool) -> Self {
        Self { posted, centralised }
    }

    /// As names of figures have it.
    pub fn name(self) -> &'static str {
        match (self.posted, self.centralised) {
            (true, false) => "posted, spread",
            (true, true) => "posted, centralised",
            (false, false) => "blocking, spread",
            (false, true) => "blocking, centralised",
        }
    }

    /// Whom an initiator asks with its request of this number.
    fn target(self, tiles: usize, initiator: usize, request: usize) -> usize {
        match self.centralised {
            true => tiles - 1,
            false => (initiator + 1 + request % (tiles - 1)) % tiles,
        }
    }
}

/// Measures all lines.
///
/// # Errors
/// The fabric does something wrong.
pub fn measure(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<Curve>> {
    let tiles = bench.config().tiles();
    let counts: Vec<usize> = effort
        .atomic_initiators
        .iter()
        .copied()
        .filter(|&count| count <= tiles)
        .collect();
    let mut curves = vec![];
    for kind in Kind::ALL {
        let points = counts.iter().map(|&initiators| {
            let cycles = kind.request(bench, initiators, effort.requests);
            let cycles = cycles.with_context(|| format!("atomics, {}, {initiators} tiles", kind.name()))?;
            Ok((initiators, cycles))
        });
        let points = points.collect::<anyhow::Result<_>>()?;
        curves.push(Curve { kind, points });
    }
    Ok(curves)
}

impl Kind {
    /// Mean cycles of a request.
    fn request(self, bench: &mut Bench, initiators: usize, requests: usize) -> anyhow::Result<f64> {
        let tiles = bench.config().tiles();
        let (all, askers): (Vec<usize>, Vec<usize>) = ((0..tiles).collect(), (0..initiators).collect());
        let (room, unit) = (bench.room(), word_bytes(bench.config()) / 4);
        bench.write(&all, room, &vec![0; unit])?;
        let cycles = match self.posted {
            true => {
                let timing = bench.batch(&askers, requests, |bench, tile, index| {
                    let handle = bench.memory_handle(self.target(tiles, tile, index));
                    words::atomic(bench.config(), EVENT, handle, room, Atomic::PostAdd { addend: 1 })
                })?;
                let busy = timing.accepted.iter().map(|accepted| accepted + 1 - timing.begun);
                busy.sum::<u64>()
            }
            false => self.blocking(bench, &askers, requests)?,
        };
        let mut expected = vec![0; tiles];
        for tile in askers {
            (0..requests).for_each(|index| expected[self.target(tiles, tile, index)] += 1);
        }
        for (tile, expected) in expected.into_iter().enumerate() {
            let sum = bench.read(tile, room, unit)?[0];
            ensure!(sum == expected, "{expected} adds of 1 at tile {tile} come to {sum}");
        }
        Ok(cycles as f64 / (initiators * requests) as f64)
    }

    /// Cycles of all fetch-and-adds together. Each has an event of its own, so that nothing is written in between.
    fn blocking(self, bench: &mut Bench, askers: &[usize], requests: usize) -> anyhow::Result<u64> {
        let (tiles, room) = (bench.config().tiles(), bench.room());
        bench.events(askers, 0, &vec![1; requests])?;
        let before: Vec<u64> = askers.iter().map(|&tile| bench.device().accepted(tile).0).collect();
        let ask = |bench: &mut Bench, tile: usize, index: usize| {
            let handle = bench.memory_handle(self.target(tiles, tile, index));
            let add = words::atomic(bench.config(), index, handle, room, Atomic::FetchAdd { addend: 1 });
            bench.device().command(tile, &add);
        };
        askers.iter().for_each(|&tile| ask(bench, tile, 0));
        let (mut done, mut cycles) = (vec![0; askers.len()], 0);
        let mut patience = PATIENCE;
        while done.iter().any(|&done| done < requests) {
            let now = bench.device().cycles();
            for (at, &tile) in askers.iter().enumerate() {
                if done[at] == requests || bench.device().fired(tile) >> done[at] & 1 == 0 {
                    continue;
                }
                let (accepted, last) = bench.device().accepted(tile);
                ensure!(
                    accepted - before[at] == done[at] as u64 + 1,
                    "an event of tile {tile} fired too early"
                );
                cycles += now - last;
                done[at] += 1;
                patience = PATIENCE;
                if done[at] < requests {
                    ask(bench, tile, done[at]);
                }
            }
            bench.device().cycle();
            patience -= 1;
            if patience == 0 {
                bail!("nothing happens for {PATIENCE} cycles, after {done:?} of {requests} requests each");
            }
        }
        Ok(cycles)
    }
}

impl Curve {
    /// The paper's best figure in cycles, of one initiator.
    pub fn paper(&self, initiators: usize) -> Option<f64> {
        let paper = if self.kind.posted { PAPER_POSTED } else { PAPER_BLOCKING };
        (initiators == 1).then_some(paper)
    }

    /// A row a number of initiators; the paper's best figure beside that of a single one.
    pub fn rows(&self) -> Vec<Row> {
        let rows = self.points.iter().map(|&(initiators, cycles)| {
            let counted = if initiators == 1 {
                "1 tile".to_owned()
            } else {
                format!("{initiators} tiles")
            };
            let row = Row {
                paper: self.paper(initiators),
                ..Row::new(
                    BENCH,
                    format!("atomics, {}, {counted}, a request", self.kind.name()),
                    "cycles",
                    Better::Less,
                    cycles,
                )
            };
            row.with("measure", "atomics")
                .with("kind", self.kind.name())
                .with("tiles", initiators)
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_requests_meet_nowhere() {
        let kind = Kind::new(true, false);
        for request in 0..40 {
            let mut targets: Vec<usize> = (0..16).map(|tile| kind.target(16, tile, request)).collect();
            assert!(targets.iter().enumerate().all(|(tile, &target)| tile != target));
            targets.sort_unstable();
            assert_eq!(targets, (0..16).collect::<Vec<_>>());
        }
    }
}
