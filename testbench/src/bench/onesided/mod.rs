//! The benchmark of the one-sided operations: how long, how much of a link, how many messages.
//!
//! | module | measures |
//! | --- | --- |
//! | [`bounds`] | latencies of single operations, and how much of a link transfers fill |
//! | [`beside`] | commands by the port of a tile; sends and receives of its streams |
//! | [`queues`] | how fast one tile takes the messages of many |
//! | [`neighbours`] | puts to neighbours over ways that do not meet: Table 1 of the paper |
//! | [`sizes`] | throughput and latency against size: Figures 2 and 3 |
//! | [`atomics`] | latency of atomics against initiators: Figure 4 |
//! | [`offload`] | jobs to workers and back through queues: Table 2 |
//!
//! The paper is Hascoët et al., Asynchronous One-Sided Communications and Synchronizations for a Clustered Manycore
//! Processor, ESTIMedia 2017. Software on tiles is imitated: it sees events and gives commands, and takes no time of its own.
//! A latency counts from the cycle in which the last beat of a descriptor is accepted to that in which its event shows.
//! What was moved is compared with what was sent after every measure.

pub mod atomics;
pub mod bench;
pub mod beside;
pub mod bounds;
pub mod device;
#[cfg(test)]
pub(super) mod golden_device;
pub mod neighbours;
pub mod offload;
pub mod queues;
pub mod sizes;
pub mod transfers;
pub mod words;

use crate::bench::report::Row;
use anyhow::{ensure, Context};
use bench::Bench;
use device::FabricDevice;
use transfers::Check;

/// Name of the benchmark in its rows.
const BENCH: &str = "onesided";

/// How much to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Words that are timed for a share of the link, after as many.
    pub steady_words: usize,
    /// Bytes of the transfers whose share of the link is measured.
    pub shares: Vec<usize>,
    /// Messages of a queue that are timed.
    pub messages: usize,
    /// Bytes that each tile puts to its neighbour.
    pub table: Vec<usize>,
    /// Sizes of the curves of throughput and latency, rising.
    pub sizes: Vec<usize>,
    /// Their tiles.
    pub initiators: Vec<usize>,
    /// Bytes of all tiles that are timed for a point of throughput, at least.
    pub curve_bytes: usize,
    /// Bytes of all tiles at once, at most.
    pub most_bytes: usize,
    /// Tiles that ask for atomics.
    pub atomic_initiators: Vec<usize>,
    /// Atomics of each of them, as many as there are events at most.
    pub requests: usize,
    /// Tiles that work on jobs.
    pub workers: Vec<usize>,
    /// Bytes of a job.
    pub jobs: Vec<usize>,
    /// Jobs of each worker, two or more.
    pub rounds: usize,
    /// How much of what was moved is compared.
    pub check: Check,
    /// Of the data.
    pub seed: u64,
}

impl Default for Effort {
    /// All tables and figures of the paper.
    fn default() -> Self {
        Self {
            steady_words: 16_384,
            shares: (8..=18).step_by(2).map(|log| 1 << log).collect(),
            messages: 480,
            table: neighbours::SIZES.to_vec(),
            sizes: (3..=16).map(|log| 1 << log).collect(),
            initiators: vec![1, 2, 4, 8, 16],
            curve_bytes: 16 << 10,
            most_bytes: 64 << 10,
            atomic_initiators: std::iter::once(1).chain((2..=16).step_by(2)).collect(),
            requests: 48,
            workers: vec![1, 2, 4, 8, 16],
            jobs: offload::SIZES.to_vec(),
            rounds: 16,
            check: Check {
                whole: 4 << 10,
                rows: 9,
            },
            seed: 1,
        }
    }
}

impl Effort {
    /// About 300,000 cycles on a 4x4 fabric.
    pub fn quick() -> Self {
        Self {
            steady_words: 2_048,
            shares: vec![256, 1 << 10, 4 << 10],
            messages: 96,
            table: vec![1 << 10, 4 << 10],
            sizes: vec![8, 64, 512, 4 << 10],
            initiators: vec![1, 16],
            curve_bytes: 2 << 10,
            most_bytes: 16 << 10,
            atomic_initiators: vec![1, 4, 16],
            requests: 12,
            workers: vec![1, 16],
            jobs: vec![16, 248],
            rounds: 3,
            check: Check { whole: 256, rows: 5 },
            ..Self::default()
        }
    }

    /// Largest transfer that any measure wants.
    fn largest(&self) -> usize {
        let sizes = [&self.shares, &self.table, &self.sizes].into_iter().flatten();
        sizes.copied().max().unwrap_or(0).max(LEAST_PIECE)
    }
}

/// Least room of transfers: that of the messages of a queue.
const LEAST_PIECE: usize = 4 << 10;

/// Everything that the benchmark measured.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Those of [`bounds`], [`beside`] and [`queues`].
    pub single: Vec<Row>,
    /// Those of [`neighbours`].
    pub neighbours: Vec<neighbours::Point>,
    /// Those of [`sizes`].
    pub sizes: Vec<sizes::Curve>,
    /// Those of [`atomics`].
    pub atomics: Vec<atomics::Curve>,
    /// Those of [`offload`].
    pub offload: Vec<offload::Point>,
    /// Cycles of all of it.
    pub cycles: u64,
}

impl Figures {
    /// One row a figure, in the order of the module's table.
    pub fn rows(&self) -> Vec<Row> {
        let single = self.single.iter().cloned();
        let mut rows: Vec<Row> = single.map(|row| row.with("measure", "single")).collect();
        rows.extend(neighbours::rows(&self.neighbours));
        rows.extend(self.sizes.iter().flat_map(sizes::Curve::rows));
        rows.extend(self.atomics.iter().flat_map(atomics::Curve::rows));
        rows.extend(offload::rows(&self.offload));
        rows
    }
}

/// Steps of the benchmark, beside the lines of [`sizes`].
const STEPS: usize = 6;

/// Runs the whole benchmark on a fabric out of reset. `progress` is told of each step: how many of how many are done, and
/// what comes next.
///
/// # Errors
/// The fabric cannot be measured, or did something wrong.
pub fn run(
    device: Box<dyn FabricDevice>,
    effort: &Effort,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Figures> {
    let config = device.config();
    ensure!(
        config.host_queues && config.host_scratchpad >= config.scratchpad,
        "jobs come back to a queue of the host, which cannot be measured: set host_queues and host_scratchpad = {} or more",
        config.scratchpad
    );
    let targets = config.edge_nodes.clamp(1, 2);
    let tiles = config.tiles();
    let lines = effort.initiators.iter().filter(|&&count| count <= tiles).count();
    let steps = STEPS + targets * bounds::Way::ALL.len() * lines;
    let mut step = 0;
    let mut next = |name: &str| {
        progress(step, steps, name);
        step += 1;
    };

    next("setting up");
    let mut bench = Bench::new(device, effort.largest(), effort.seed).context("cannot set up the fabric")?;
    let mut figures = Figures::default();
    next("single operations and shares of the link");
    figures.single = bounds::rows(&mut bench, effort)?;
    figures.single.extend(beside::rows(&mut bench)?);
    next("queues");
    figures.single.extend(queues::rows(&mut bench, effort)?);
    next("neighbours");
    figures.neighbours = neighbours::measure(&mut bench, effort)?;
    figures.sizes = sizes::measure(&mut bench, effort, &mut next)?;
    next("atomics");
    figures.atomics = atomics::measure(&mut bench, effort)?;
    next("jobs through queues");
    figures.offload = offload::measure(&mut bench, effort)?;
    figures.cycles = bench.device().cycles();
    progress(steps, steps, "done");
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use golden_device::{GoldenDevice, FRONT, WAY};
    use portico_spec::Config;

    fn config(cols: usize, rows: usize, edge_nodes: usize, width: usize) -> Config {
        Config {
            cols,
            rows,
            edge_nodes,
            width,
            host_queues: true,
            host_scratchpad: 64,
            ..Config::default()
        }
    }

    fn effort() -> Effort {
        Effort {
            steady_words: 512,
            messages: 32,
            ..Effort::quick()
        }
    }

    fn figures(config: &Config) -> Figures {
        run(Box::new(GoldenDevice::new(config)), &effort(), &mut |_, _, _| {}).unwrap()
    }

    fn value(figures: &Figures, name: &str) -> f64 {
        let row = figures.rows().into_iter().find(|row| row.name == name);
        row.unwrap_or_else(|| panic!("no row {name}")).value
    }

    #[test]
    fn a_right_fabric_scores_what_its_times_say() {
        for width in [32, 64] {
            let config = config(4, 4, 2, width);
            let figures = figures(&config);
            let words = |bytes: usize| (8 * bytes / width) as f64;
            let (front, way) = (FRONT as f64, WAY as f64);
            let is = |name: &str, expected: f64| {
                let value = value(&figures, name);
                assert!(
                    (value - expected).abs() < 1e-9,
                    "{name}: {value}, not {expected}, at width {width}"
                );
            };
            is("put of 8 bytes, completion, 1 hop", front + words(8) + way);
            is("get of 8 bytes, completion, 1 hop", front + words(8) + way);
            is("fetch-and-add, round trip, to itself", front + way);
            is("posted add, initiator busy", 3.0);
            is("posted adds back to back, each", 3.0);
            let share = |bytes| 100.0 * words(bytes) / (words(bytes) + front);
            is("payload share of the link, put of 1 KiB back to back", share(1024));
            is("payload share of the link, get of 256 B back to back", share(256));
            is(
                "puts of 64 bytes back to back, share of what their headers leave",
                100.0,
            );
            is("atomics, posted, spread, 4 tiles, a request", 3.0);
            is("atomics, blocking, centralised, 16 tiles, a request", front + way);
            is("latency, get, external memory, 1 tile, 512 B", front + words(512) + way);
            is(
                "throughput, put, scratchpad, 16 tiles, 64 B",
                16.0 * 64.0 / (words(64) + front),
            );
            // Four words of a descriptor are what a short message waits for.
            let message = (words(16) + front).max(4.0);
            is("queue, 4 senders, messages of 16 bytes, each", message / 4.0);
            let table = 2.0 * 4.0 * 1024.0 / (4.0 + front + words(1024) + way - 1.0);
            is("puts to neighbours, 4 tiles, 1 KiB each", table);
        }
    }

    #[test]
    fn rows_have_names_of_their_own_and_steps_are_counted() {
        let config = config(4, 4, 1, 32);
        let mut steps = vec![];
        let device = Box::new(GoldenDevice::new(&config));
        let figures = run(device, &effort(), &mut |done, of, _| steps.push((done, of))).unwrap();
        let last = steps.len() - 1;
        assert!(
            steps.iter().enumerate().all(|(at, &step)| step == (at, last)),
            "{steps:?}"
        );
        let rows = figures.rows();
        let mut names: Vec<_> = rows.iter().map(|row| &row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rows.len(), "two rows share a name");
        assert!(rows.iter().all(|row| row.value.is_finite() && row.value > 0.0));
        assert!(figures.cycles > 0);
    }

    #[test]
    fn a_quick_run_is_a_minute_at_5000_cycles_a_second() {
        let device = Box::new(GoldenDevice::new(&config(4, 4, 1, 32)));
        let figures = run(device, &Effort::quick(), &mut |_, _, _| {}).unwrap();
        assert!(figures.cycles < 60 * 5_000, "{} cycles", figures.cycles);
    }

    #[test]
    fn small_meshes_leave_out_what_they_have_not_tiles_for() {
        let figures = figures(&config(1, 2, 1, 32));
        assert!(figures.neighbours.iter().all(|point| point.tiles == 1));
        assert!(figures.offload.iter().all(|point| point.workers == 1));
        value(&figures, "put of 8 bytes, completion, 1 hop");
    }

    #[test]
    fn a_fabric_that_moves_wrong_data_cannot_score() {
        let config = config(2, 2, 1, 32);
        let mut device = GoldenDevice::new(&config);
        // A bit of what the host reads back from tiles, never of a register.
        device.spoil = |address, word| if address == 4 { word ^ 0x100 } else { word };
        let error = run(Box::new(device), &effort(), &mut |_, _, _| {}).unwrap_err();
        assert!(format!("{error:#}").contains("was sent"), "{error:#}");
    }

    #[test]
    fn fabrics_that_cannot_be_measured_are_told_why() {
        for (config, reason) in [
            (config(2, 2, 0, 32), "without a host"),
            (config(1, 1, 1, 32), "it has no neighbour"),
            (config(16, 16, 1, 32), "a fabric of 257 nodes cannot be measured"),
        ] {
            let error = run(Box::new(GoldenDevice::new(&config)), &effort(), &mut |_, _, _| {}).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }
}
