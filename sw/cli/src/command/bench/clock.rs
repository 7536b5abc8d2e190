//! `portico bench clock`: the clock of nodes, routers and engines on an ECP5, and what limits it.

use super::{
    area::{names, Subject, SUBJECTS},
    sign,
};
use crate::{
    command::{bitstream::limit, synth::refusal},
    figure_files::BenchFiles,
    output::{self, Output},
    progress,
    table::table,
};
use clap::Args;
use portico_synth::{fmax, instance_of, Placement, Timing, Tool};
use portico_testbench::bench::report::{BenchReport, Better, Row};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench clock --only router               three seeds: two minutes
  portico bench clock --seeds 1 --limit 20        all, with one seed: an hour
  portico bench clock --only tile-full --aim 100 --json build/clock.json

Each block is mapped by synth_ecp5 -nowidelut, placed and routed alone for an LFE5U-85F of speed grade 6 with a register at \
every input and output. The clock is the median of the seeds; the path is the slowest at the median. A level is a LUT or a \
carry chain between two flip-flops. The files also list the ten slowest ends: the instances into which the slowest paths lead.";

/// Measure the clock of nodes, routers and engines, and the path that limits it
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Clock {
    /// Blocks to measure [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = names())]
    only: Vec<String>,
    /// Seeds of the placer, one run each
    #[arg(long, value_name = "SEED,...", value_delimiter = ',', default_value = "1,2,3")]
    seeds: Vec<u32>,
    /// Frequency in MHz that the placer aims at
    #[arg(long, value_name = "MHZ", default_value_t = 100.0)]
    aim: f64,
    /// End each run of the placer after so many minutes [default: no limit]
    #[arg(long, value_name = "MINUTES")]
    limit: Option<f64>,
    #[command(flatten)]
    files: BenchFiles,
    /// Folder for clock.json, clock.csv and clock-wide.csv, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Clock {
    pub fn run(self) -> anyhow::Result<()> {
        let placement = Placement {
            seeds: self.seeds,
            target_mhz: self.aim,
            limit: self.limit.map(limit).transpose()?,
        };
        let is_chosen = |subject: &&Subject| self.only.is_empty() || self.only.iter().any(|name| name == subject.name);
        let chosen: Vec<&Subject> = SUBJECTS.iter().filter(is_chosen).collect();
        let bar = progress::bar(0);
        let mut step = progress::steps(&bar);
        let mut rows = vec![];
        for (done, subject) in chosen.iter().enumerate() {
            step(done, chosen.len(), subject.name);
            let timing = fmax(&subject.design()?, &placement).map_err(refusal)?;
            rows.extend(of_block(subject.name, &timing));
        }
        bar.finish_and_clear();

        let mut report = BenchReport {
            rows,
            ..BenchReport::default()
        };
        sign(&mut report, 0, [Tool::Yosys, Tool::NextpnrEcp5])?;
        report.config.clear();
        let mut output = Output::default();
        let text = text(&report);
        self.files.add(&mut output, self.out.as_deref(), "clock", &report);
        output.commit()?;
        output::print(&text)
    }
}

/// The clock with each seed that finished, then the median with its path, and where the slowest paths of that seed end.
fn of_block(block: &str, timing: &Timing) -> Vec<Row> {
    let row = |name: String, mhz| Row::new("clock", name, "MHz", Better::More, mhz).with("block", block);
    let seeds = timing.seeds.iter().zip(&timing.per_seed);
    let seeds = seeds.filter_map(|(seed, mhz)| Some((seed, (*mhz)?)));
    let mut rows: Vec<Row> = seeds
        .map(|(seed, mhz)| {
            row(format!("{block}, seed {seed}"), mhz)
                .with("measure", "seed")
                .with("seed", *seed)
        })
        .collect();
    rows.extend(timing.median.map(|median| {
        let path = PathShape::of(&timing.critical_path);
        row(format!("{block}, median"), median)
            .with("measure", "median")
            .with("levels", path.levels)
            .with("routing", format!("{:.0} %", path.routing))
            .with("from", path.from)
            .with("to", path.to)
    }));
    rows.extend(timing.slowest_ends.iter().zip(1..).map(|(end, rank)| {
        Row::new("clock", format!("{block}, end {rank}"), "ns", Better::Less, end.ns)
            .with("block", block)
            .with("measure", "end")
            .with("rank", rank)
            .with("to", end.instance.clone())
    }));
    rows
}

/// What a path is like.
#[derive(Debug, Default, PartialEq)]
struct PathShape {
    /// LUTs and carry chains.
    levels: u32,
    /// Share of its time in wires, in percent.
    routing: f64,
    from: String,
    to: String,
}

impl PathShape {
    /// Of the lines of [`Timing::critical_path`]: delay, sum, step.
    fn of(lines: &str) -> Self {
        let mut path = Self::default();
        let (mut wires, mut total) = (0.0, 0.0);
        for line in lines.lines() {
            let mut words = line.split_whitespace();
            let Some(delay) = words.next().and_then(|delay| delay.parse::<f64>().ok()) else {
                continue;
            };
            total += delay;
            let (kind, place) = (words.nth(1).unwrap_or_default(), words.next().unwrap_or_default());
            match kind {
                "clk-to-q:" => path.from = instance_of(place),
                "setup:" => path.to = instance_of(place),
                "routing:" => wires += delay,
                // What runs along a carry chain takes no wire, and is no level of its own.
                "logic:" if delay > 0.1 => path.levels += 1,
                _ => {}
            }
        }
        if total > 0.0 {
            path.routing = 100.0 * wires / total;
        }
        path
    }
}

/// A line a block.
fn text(report: &BenchReport) -> String {
    let medians = report.rows.iter().filter(|row| row.keys["measure"] == "median");
    let lines: Vec<Vec<String>> = medians
        .map(|row| {
            let key = |key: &str| row.keys[key].to_string().trim_matches('"').to_owned();
            let figures = vec![key("block"), format!("{:.1}", row.value), key("levels"), key("routing")];
            [figures, vec![key("from"), key("to")]].concat()
        })
        .collect();
    table(&["block", "MHz", "levels", "wires", "from", "to"], lines, &[1, 2, 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_synth::PathEnd;

    const PATH: &str = "\
 delay  total  step
  0.50   0.50  clk-to-q: block.grid.router.fifo.side_TRELLIS_FF_Q_1.Q
  1.00   1.50  routing: block.a.side[1] to block.b_LUT4_Z.B
  0.25   1.75  logic: block.b_LUT4_Z.F
  2.00   3.75  routing: block.b to block.c.carry$CCU2_COMB1.A
  0.45   4.20  logic: block.c.carry$CCU2_COMB1.FCO
  0.00   4.20  routing: $CIN to $COMB0.FCI
  0.05   4.25  logic: $COMB0.F
  0.75   5.00  setup: block.tables.rows.memory.0.4.ADB8
";

    #[test]
    fn a_path_has_levels_wires_and_two_ends() {
        let expected = PathShape {
            levels: 2,
            routing: 60.0,
            from: "grid.router.fifo".into(),
            to: "tables.rows.memory".into(),
        };
        assert_eq!(PathShape::of(PATH), expected);
        assert_eq!(PathShape::of(""), PathShape::default());
    }

    #[test]
    fn seeds_that_did_not_finish_have_no_row() {
        let mut timing = Timing {
            device: String::new(),
            command: String::new(),
            target_mhz: 100.0,
            seeds: vec![1, 2],
            per_seed: vec![None, Some(80.0)],
            median: Some(80.0),
            critical_path: PATH.into(),
            slowest_ends: vec![PathEnd {
                instance: "tables.rows.memory".into(),
                ns: 12.5,
            }],
        };
        let names = |timing: &Timing| {
            of_block("tile", timing)
                .into_iter()
                .map(|row| row.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&timing), ["tile, seed 2", "tile, median", "tile, end 1"]);
        let report = BenchReport {
            rows: of_block("tile", &timing),
            ..BenchReport::default()
        };
        assert!(text(&report).contains("| 80.0 |      2 |  60 % |"), "{}", text(&report));
        assert_eq!(
            report.with_titles().to_wide_csv(),
            "block,from,levels,rank,routing,seed,to,seed (MHz),median (MHz),end (ns)\n\
             tile,,,,,2,,80,,\n\
             tile,grid.router.fifo,2,,60 %,,tables.rows.memory,,80,\n\
             tile,,,1,,,tables.rows.memory,,,12.5\n"
        );
        (timing.per_seed, timing.median) = (vec![None; 2], None);
        timing.slowest_ends.clear();
        assert!(names(&timing).is_empty());
    }
}
