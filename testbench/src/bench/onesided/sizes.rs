//! Figures 2 and 3 of the paper: throughput and round-trip latency of puts and gets against their size.
//!
//! Some tiles write to or read from one memory, that of another tile or an external one. Throughput is that of transfers
//! back to back, latency that of one of each tile, all at once.

use super::{
    bench::Bench,
    bounds::{size, Way},
    transfers::EVENT,
    words, Effort, BENCH,
};
use crate::bench::report::{Better, Row};
use anyhow::Context;
use portico_spec::routing;

/// The paper's model of a transfer's latency in cycles: so many, and one for each so many bytes.
const PAPER_CYCLES: f64 = 1100.0;
const PAPER_BYTES: f64 = 3.76;

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A tile's.
    Scratchpad(usize),
    /// That of the memory node at this terminal.
    External(usize),
}

/// One line of both figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Whose memory.
    pub target: Target,
    /// Which way the data go.
    pub way: Way,
    /// Tiles that ask for them.
    pub initiators: usize,
    /// Sizes, rising.
    pub points: Vec<Point>,
}

/// One size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Bytes of a transfer.
    pub bytes: usize,
    /// Bytes a cycle of all initiators.
    pub rate: f64,
    /// Cycles from the last beat of a descriptor to its event, mean of all initiators.
    pub latency: f64,
}

impl Target {
    /// As names of figures have it.
    pub fn name(self) -> &'static str {
        match self {
            Target::Scratchpad(_) => "scratchpad",
            Target::External(_) => "external memory",
        }
    }

    fn terminal(self) -> usize {
        let (Target::Scratchpad(terminal) | Target::External(terminal)) = self;
        terminal
    }

    /// Every tile, near ones first; the target itself, if it is one, last.
    fn initiators(self, bench: &Bench) -> Vec<usize> {
        let config = bench.config();
        let target = self.terminal();
        let mut tiles: Vec<usize> = (0..config.tiles()).collect();
        tiles.sort_by_key(|&tile| (tile == target, routing::hops(config, tile, target)));
        tiles
    }
}

/// Measures all lines: those of a tile's memory, and of the first memory node's if the fabric has one.
///
/// # Errors
/// The fabric does something wrong.
pub fn measure(bench: &mut Bench, effort: &Effort, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Vec<Curve>> {
    let config = bench.config().clone();
    let mut targets = vec![Target::Scratchpad(config.tiles() - 1)];
    // The first edge node is the host.
    targets.extend((config.edge_nodes > 1).then_some(Target::External(config.tiles() + 1)));
    let mut curves = vec![];
    for target in targets {
        if let Target::External(memory) = target {
            fill(bench, memory).context("cannot fill the external memory")?;
        }
        for way in Way::ALL {
            for &initiators in effort.initiators.iter().filter(|&&count| count <= config.tiles()) {
                let mut curve = Curve {
                    target,
                    way,
                    initiators,
                    points: vec![],
                };
                let name = curve.name();
                progress(&name);
                for &bytes in &effort.sizes {
                    // Beyond, lines are flat, and a simulation long.
                    if bytes > bench.piece() || initiators * bytes > effort.most_bytes {
                        break;
                    }
                    let point = curve.point(bench, bytes, effort);
                    let point = point.with_context(|| format!("{name}, {}", size(bytes)))?;
                    curve.points.push(point);
                }
                curves.push(curve);
            }
        }
    }
    Ok(curves)
}

/// A memory node gets the pattern from tile 0.
fn fill(bench: &mut Bench, memory: usize) -> anyhow::Result<()> {
    let bytes = bench.piece() + super::bench::PERIOD;
    let handle = bench.memory_handle(memory);
    bench.batch(&[0], 1, |bench, _, _| {
        bench.put(EVENT, handle, words::linear(0, 0, bytes))
    })?;
    bench.succeeded(0)
}

impl Curve {
    fn name(&self) -> String {
        let counted = if self.initiators == 1 {
            "1 tile".to_owned()
        } else {
            format!("{} tiles", self.initiators)
        };
        format!("{}, {}, {counted}", self.way.name(), self.target.name())
    }

    /// The paper's model of the latency of a transfer of one tile, in cycles.
    pub fn paper(&self, bytes: usize) -> Option<f64> {
        (self.initiators == 1).then_some(PAPER_CYCLES + bytes as f64 / PAPER_BYTES)
    }

    fn point(&self, bench: &mut Bench, bytes: usize, effort: &Effort) -> anyhow::Result<Point> {
        bench.shift();
        let tiles = self.target.initiators(bench)[..self.initiators].to_vec();
        let handle = bench.memory_handle(self.target.terminal());
        let one = |bench: &Bench, _: usize, _: usize| self.way.descriptor(bench, handle, bytes);
        let latencies = bench.batch(&tiles, 1, one)?;
        let latency = latencies.latencies().sum::<u64>() as f64 / tiles.len() as f64;
        let count = effort.curve_bytes.div_ceil(bytes * tiles.len());
        let cycles = bench.steady(&tiles, count, one)?;
        let room = bench.room();
        let written = match self.way {
            Way::Put => vec![self.target.terminal()],
            Way::Get => tiles.clone(),
        };
        for terminal in written {
            bench.verify(terminal, room, bytes, effort.check)?;
        }
        Ok(Point {
            bytes,
            rate: (count * bytes * tiles.len()) as f64 / cycles as f64,
            latency,
        })
    }

    /// Two rows a size; the paper's model of latency beside that of a single tile.
    pub fn rows(&self) -> Vec<Row> {
        let name = self.name();
        let keyed = |measure: &str, bytes: usize, row: Row| {
            row.with("measure", measure)
                .with("way", self.way.name())
                .with("memory", self.target.name())
                .with("tiles", self.initiators)
                .with("bytes", bytes)
        };
        let both = self.points.iter().flat_map(|point| {
            let bytes = size(point.bytes);
            let rate = Row::new(
                BENCH,
                format!("throughput, {name}, {bytes}"),
                "bytes/cycle",
                Better::More,
                point.rate,
            );
            let latency = Row {
                paper: self.paper(point.bytes),
                ..Row::new(
                    BENCH,
                    format!("latency, {name}, {bytes}"),
                    "cycles",
                    Better::Less,
                    point.latency,
                )
            };
            [
                keyed("throughput", point.bytes, rate),
                keyed("latency", point.bytes, latency),
            ]
        });
        both.collect()
    }
}
