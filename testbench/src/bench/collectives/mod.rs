//! The benchmark of the message-passing engines: barrier, broadcast, reduce and allreduce.
//!
//! | module | holds |
//! | --- | --- |
//! | [`form`] | the trees that are measured |
//! | [`group`] | a tree in the engines, its calls timed and their words compared |
//! | [`bounds`] | figures with a bound |
//! | [`bandwidth`] | long calls that follow each other at once |
//! | [`curves`] | calls against words, tiles and trees |
//! | [`paper`] | the figures of the paper |
//!
//! The paper is Gao, Hardware Design of Message Passing Architecture on Heterogeneous System, 2013
//! (`gao-mpe-2013`), chapter 5. All tiles get their descriptors at once, through their command streams. A call takes from the
//! cycle in which the last descriptor is accepted to that in which the last member's event shows.
//!
//! The tiles hold the same pattern, and each gives words from another place of it. Reductions add floating-point numbers.
//! The numbers are small integers, so that their sums are exact in any order. After each call its result is compared, and all
//! contexts have to be idle.

pub mod bandwidth;
pub mod bounds;
pub mod curves;
pub mod form;
pub mod group;
pub mod paper;

use crate::bench::{
    onesided::{bench::Bench, device::FabricDevice, transfers::Check},
    report::Row,
};
use anyhow::{ensure, Context};
use curves::{Point, Skipped};
use form::Form;
use group::{Cost, Group};
use portico_spec::{mpe::call::Kind, ni::registers::CounterRegister, Config};
use rand::{rngs::StdRng, RngCore, SeedableRng};

/// Name of the benchmark in its rows.
const BENCH: &str = "collectives";
/// Neighbours of the quartered tree.
const QUAD_NEIGHBOURS: usize = 5;

/// Makes the fabric of a configuration, out of reset.
pub type MakeFabric<'a> = dyn FnMut(&Config) -> anyhow::Result<Box<dyn FabricDevice>> + 'a;

/// How much to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Columns and rows of the fabrics.
    pub meshes: Vec<(usize, usize)>,
    /// Words of the calls of the curves, rising.
    pub words: Vec<usize>,
    /// Calls of each figure with a bound, of which the longest counts.
    pub repeats: usize,
    /// How much of each result is compared.
    pub check: Check,
    /// Of the words.
    pub seed: u64,
}

impl Default for Effort {
    /// The sizes of the paper, and calls of one word.
    fn default() -> Self {
        Self {
            meshes: vec![(2, 2), (4, 2), (4, 4), (8, 4)],
            words: vec![1, 8, 256, 1024, 4096],
            repeats: 4,
            check: Check {
                whole: 1 << 10,
                rows: 9,
            },
            seed: 1,
        }
    }
}

impl Effort {
    /// All figures with a bound, and few points beside them.
    pub fn quick() -> Self {
        Self {
            meshes: vec![(2, 2), (4, 4), (8, 4)],
            words: vec![1, 256],
            repeats: 2,
            check: Check { whole: 128, rows: 5 },
            ..Self::default()
        }
    }

    /// Bytes of the longest call.
    pub fn largest(&self) -> usize {
        let words = self.words.iter().copied().max().unwrap_or(0);
        4 * words.max(bounds::WORDS)
    }
}

/// Everything that the benchmark measured.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Those of [`bounds`].
    pub bounded: Vec<Row>,
    /// Those of [`bandwidth`].
    pub bandwidths: Vec<Row>,
    /// Those of [`curves`].
    pub points: Vec<Point>,
    /// Trees that do not fit into the engines.
    pub skipped: Vec<Skipped>,
    /// Cycles of all fabrics.
    pub cycles: u64,
}

impl Figures {
    /// The figures with a bound, then bandwidths, then those of the curves.
    pub fn rows(&self) -> Vec<Row> {
        let curves = self.points.iter().flat_map(Point::rows);
        let others = self.bounded.iter().chain(&self.bandwidths).cloned();
        others.chain(curves).collect()
    }
}

/// Steps of a fabric beside its trees: it is made, and measured against the bounds.
const STEPS: usize = 2;

/// Runs the whole benchmark. `base` gives all but the size of the fabrics, of which one is made after the other. `progress` is
/// told of each step: how many of how many are done, and what comes next.
///
/// # Errors
/// A fabric cannot be made or measured, or did something wrong.
pub fn run(
    base: &Config,
    effort: &Effort,
    make: &mut MakeFabric,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Figures> {
    ensure!(
        base.mpe > 0 && base.monitors && base.commands,
        "a fabric without message-passing engines, monitors or command streams cannot be measured: set mpe, monitors and \
         commands"
    );
    ensure!(
        base.mpe_neighbours >= QUAD_NEIGHBOURS,
        "mpe_neighbours = {} is too small to be measured: allowed is {QUAD_NEIGHBOURS} or more",
        base.mpe_neighbours
    );
    let steps = effort.meshes.len() * (STEPS + Form::CURVES.len());
    let mut step = 0;
    let mut next = |name: &str| {
        progress(step, steps, name);
        step += 1;
    };
    let mut figures = Figures::default();
    let mut bounded = vec![];
    for &(cols, rows) in &effort.meshes {
        let config = Config {
            cols,
            rows,
            ..base.clone()
        };
        next(&format!("making {cols}x{rows}"));
        let mut bench = set_up(make(&config.fabric()?)?, effort.largest(), effort.seed)?;
        let refused = refused(&mut bench)?;
        next(&format!("{cols}x{rows}, figures with a bound, and bandwidths"));
        let on_mesh = |row: Row| row.on_mesh((cols, rows));
        let held = bounds::rows(&mut bench, effort)?.into_iter();
        bounded.extend(held.map(|(place, row)| (place, on_mesh(row))));
        let shares = bandwidth::rows(&mut bench, effort)?.into_iter();
        figures.bandwidths.extend(shares.map(on_mesh));
        for form in Form::CURVES {
            next(&format!("{cols}x{rows}, {} tree", form.name()));
            match curves::measure(&mut bench, form, effort)? {
                Ok(points) => figures.points.extend(points),
                Err(skipped) => figures.skipped.push(skipped),
            }
        }
        let more = self::refused(&mut bench)? - refused;
        ensure!(more == 0, "{cols}x{rows}: nodes refused {more} packets or words");
        figures.cycles += bench.device().cycles();
    }
    bounded.sort_by_key(|&(place, _)| place);
    figures.bounded = bounded.into_iter().map(|(_, row)| row).collect();
    figures
        .points
        .sort_by_key(|point| (point.kind as usize, point.tiles(), point.mesh));
    progress(steps, steps, "done");
    Ok(figures)
}

/// A fabric whose tiles hold a pattern of the seed, for calls of up to `largest` bytes.
///
/// # Errors
/// Its memories are too small, or it does not work.
pub fn set_up(device: Box<dyn FabricDevice>, largest: usize, seed: u64) -> anyhow::Result<Bench> {
    let scratchpad = device.config().scratchpad;
    let least = least_scratchpad(largest);
    ensure!(
        scratchpad >= least,
        "scratchpad = {scratchpad} is too small to be measured: words of {largest} bytes need {least} or more"
    );
    let mut random = StdRng::seed_from_u64(seed);
    Bench::with_pattern(device, largest, &mut || group::word(random.next_u32())).context("cannot set up the fabric")
}

/// The least `segments` of a fabric.
pub fn least_segments(config: &Config) -> usize {
    Bench::least_segments(config)
}

/// The least `scratchpad`, in KiB, for calls of up to `largest` bytes.
pub fn least_scratchpad(largest: usize) -> usize {
    Bench::least_memory(largest) >> 10
}

/// The same call, made so many times: the cost of each.
///
/// # Errors
/// The tree does not fit into the engines, or the fabric does something wrong.
pub fn calls(bench: &mut Bench, form: Form, kind: Kind, words: usize, calls: usize) -> anyhow::Result<Vec<Cost>> {
    let check = Effort::default().check;
    let mut group = Group::new(bench, form)?;
    (0..calls).map(|_| group.measure(bench, kind, words, check)).collect()
}

/// What all tiles have refused so far.
fn refused(bench: &mut Bench) -> anyhow::Result<u64> {
    let tiles = 0..bench.config().tiles();
    let counts = tiles.map(|tile| bench.read_register(tile, CounterRegister::Refused, 0).map(u64::from));
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::onesided::golden_device::{GoldenDevice, FRONT, WAY};

    fn config(mpe: usize, mpe_neighbours: usize) -> Config {
        Config {
            mpe,
            mpe_neighbours,
            ..Config::default()
        }
    }

    fn small() -> Effort {
        Effort {
            meshes: vec![(2, 2), (4, 2)],
            words: vec![1, 40],
            ..Effort::quick()
        }
    }

    fn figures(config: &Config, effort: &Effort) -> anyhow::Result<Figures> {
        let mut make =
            |config: &Config| -> anyhow::Result<Box<dyn FabricDevice>> { Ok(Box::new(GoldenDevice::new(config))) };
        run(config, effort, &mut make, &mut |_, _, _| {})
    }

    #[test]
    fn a_right_fabric_scores_what_its_times_say() {
        let figures = figures(&config(1, 8), &small()).unwrap();
        let others = ["engines", "back to back"];
        let rows = figures.rows();
        for row in rows
            .iter()
            .filter(|row| !others.iter().any(|other| row.name.contains(other)))
        {
            let words = match row.name.as_str() {
                name if name.contains("barrier") => 0,
                name if name.contains("1 word") => 1,
                name if name.contains("40 words") => 40,
                name if name.contains("4096 words") => 4096,
                name => panic!("{name}"),
            };
            assert_eq!(row.value, (FRONT + words + WAY) as f64, "{}", row.name);
        }
        assert_eq!(figures.bounded.len(), 3);
        let bandwidths: Vec<_> = figures
            .bandwidths
            .iter()
            .map(|row| (row.name.as_str(), row.value))
            .collect();
        let share = 100.0 * 4096.0 / (FRONT + 4096) as f64;
        assert_eq!(
            bandwidths,
            [
                ("broadcast, 4 tiles, linear tree, 4096 words, back to back", share),
                ("reduce, 4 tiles, linear tree, 4096 words, back to back", share),
            ]
        );
        let paper = figures.bandwidths[0].paper.unwrap();
        assert!((31.5..31.6).contains(&paper), "{paper}");
        assert_eq!(figures.points.len(), 2 * Form::CURVES.len() * (1 + 3 * 2));
        assert!(figures.skipped.is_empty());
        for row in &rows {
            let mesh = [&row.keys["cols"], &row.keys["rows"]];
            let is_small = row.keys["tiles"] == 4;
            assert!(mesh == if is_small { [2, 2] } else { [4, 2] }, "{}", row.name);
        }
    }

    #[test]
    fn every_bounded_figure_is_measured_once() {
        let effort = Effort {
            words: vec![1],
            ..Effort::quick()
        };
        let mut steps = vec![];
        let mut make =
            |config: &Config| -> anyhow::Result<Box<dyn FabricDevice>> { Ok(Box::new(GoldenDevice::new(config))) };
        let figures = run(&config(1, 8), &effort, &mut make, &mut |done, of, _| {
            steps.push((done, of))
        })
        .unwrap();
        let last = steps.len() - 1;
        assert!(
            steps.iter().enumerate().all(|(at, &step)| step == (at, last)),
            "{steps:?}"
        );
        let names: Vec<&str> = figures.bounded.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "barrier, 4 tiles, mapped tree",
                "barrier, 16 tiles, mapped tree",
                "barrier, 32 tiles, mapped tree",
                "broadcast, 4 tiles, linear tree, 4096 words",
                "broadcast, 32 tiles, linear tree, 4096 words",
                "reduce, 4 tiles, linear tree, 4096 words",
                "reduce, 32 tiles, linear tree, 4096 words",
                "allreduce, 16 tiles, mapped tree, 1 word",
                "allreduce, 32 tiles, mapped tree, 1 word",
                "barrier, 16 tiles, mapped tree, spread of 2 calls",
                "broadcast, 16 tiles, mapped tree, 256 words, spread of 2 calls",
                "reduce, 16 tiles, mapped tree, 256 words, spread of 2 calls",
            ]
        );
        let limits: Vec<f64> = figures.bounded.iter().map(|row| row.limit.unwrap()).collect();
        assert_eq!(limits[3..9], [4232.0, 4288.0, 4244.0, 4412.0, 8.0, 12.0]);
        let rows = figures.rows();
        let mut names: Vec<_> = rows.iter().map(|row| &row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rows.len(), "two rows share a name");
        assert!(figures.skipped.is_empty());
        let depths = |form| {
            let points = figures
                .points
                .iter()
                .filter(move |point| point.form == form && point.kind == Kind::Barrier);
            points.map(|point| (point.tiles(), point.depth)).collect::<Vec<_>>()
        };
        assert_eq!(depths(Form::Star), [(4, 1), (16, 2), (32, 2)]);
        assert_eq!(depths(Form::Quad), [(4, 1), (16, 2), (32, 3)]);
    }

    #[test]
    fn calls_of_few_words_fit_into_small_memories() {
        for (largest, scratchpad, too_large) in [(4, 16, 8 << 10), (16 << 10, 64, 32 << 10)] {
            assert_eq!(least_scratchpad(largest), scratchpad);
            let config = Config {
                scratchpad,
                ..config(1, 8)
            };
            let device = || Box::new(GoldenDevice::new(&config.fabric().unwrap()));
            let words = largest / 4;
            let mut bench = set_up(device(), largest, 1).unwrap();
            let costs = calls(&mut bench, Form::Quad, Kind::Allreduce, words, 3).unwrap();
            assert_eq!(
                costs.iter().map(|cost| cost.cycles).collect::<Vec<_>>(),
                [FRONT + words as u64 + WAY; 3]
            );
            let error = set_up(device(), too_large, 1).err().unwrap();
            assert!(
                format!("{error:#}").contains(&format!("scratchpad = {scratchpad} is too small")),
                "{error:#}"
            );
        }
    }

    #[test]
    fn small_tables_are_measured_if_each_node_has_its_handles() {
        let small = |cols, rows| Config {
            cols,
            rows,
            scratchpad: 16,
            ..Config::from_toml("profile = 'leaf'\ncommands = true\nmonitors = true\nmpe = 1").unwrap()
        };
        let device = |cols, rows| Box::new(GoldenDevice::new(&small(cols, rows).fabric().unwrap()));
        let mut bench = set_up(device(2, 2), 4, 1).unwrap();
        let costs = calls(&mut bench, Form::Quad, Kind::Broadcast, 1, 1).unwrap();
        assert_eq!(costs[0].cycles, FRONT + 1 + WAY);
        let error = set_up(device(3, 3), 4, 1).err().unwrap();
        let reason = "segments = 16 is too small to be measured: 10 nodes need 21 or more";
        assert!(format!("{error:#}").contains(reason), "{error:#}");
    }

    #[test]
    fn a_tree_that_does_not_fit_is_left_out() {
        let effort = Effort {
            meshes: vec![(8, 4)],
            words: vec![1],
            ..Effort::quick()
        };
        assert_eq!(
            figures(&config(1, 5), &effort).unwrap().skipped,
            [Skipped {
                tiles: 32,
                form: Form::Star,
                why: "tile 1 needs 6 neighbours in this tree: the engine has room for 5".to_owned()
            }]
        );
    }

    #[test]
    fn a_fabric_that_adds_wrongly_cannot_score() {
        let mut make = |config: &Config| -> anyhow::Result<Box<dyn FabricDevice>> {
            let mut device = GoldenDevice::new(config);
            // A bit of what the host reads back from tiles, never of a register of 32 bits.
            device.spoil = |address, word| if address == 8 { word ^ 0x100 } else { word };
            Ok(Box::new(device))
        };
        let error = run(&config(1, 8), &small(), &mut make, &mut |_, _, _| {}).unwrap_err();
        let text = format!("{error:#}");
        assert!(
            text.contains("Broadcast of 4096 words on 2x2, linear tree, call 0"),
            "{text}"
        );
        assert!(text.contains("word 2 at tile 1 is"), "{text}");
    }

    #[test]
    fn fabrics_that_cannot_be_measured_are_told_why() {
        for (config, reason) in [
            (config(0, 8), "without message-passing engines"),
            (config(1, 4), "mpe_neighbours = 4 is too small"),
            (
                Config {
                    scratchpad: 32,
                    ..config(1, 8)
                },
                "scratchpad = 32 is too small",
            ),
        ] {
            let error = figures(&config, &small()).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
    }
}
