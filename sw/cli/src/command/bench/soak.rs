//! `portico bench soak`: a long random run of the whole fabric, and how fast it is simulated.

use super::{compile, fabric_report, tables};
use crate::{
    command::sim::replayable,
    config_args::{ConfigArgs, FABRIC_DECIDES},
    design::design,
    failure::not_allowed,
    figure_files::BenchFiles,
    output::{self, Output},
    progress,
};
use clap::Args;
use portico_spec::Config;
use portico_testbench::{
    bench::report::{Better, Row},
    device::{axi_memory::Timing, hardware},
    soak::{self, Summary, Workload},
};

const EXAMPLES: &str = "\
Examples:
  portico bench soak                      10 million cycles: half an hour or so
  portico bench soak --quick              100 thousand
  portico bench soak --cycles 50000000 --seed 7 --json build/soak.json
  portico bench soak --set cols=3 --set rows=3 --set mpe=2 --set portals=16
  portico bench soak --set portals=16 --set portals_log=true --cycles 3000000

All operations of all tiles at once, on tiles and on a memory node behind a slow memory that stalls, wrong descriptors \
and resets in mid-flight among them. Every completion, every message and all memories are compared with the reference \
model, and at the end every credit of a queue must have come back: one difference, and there are no figures. With key \
portals_log a tenth of these cycles follow in which Portals commands race, and the reference model replays each step that hardware tells.

Figures of time hold for this machine alone.";

/// Cycles with operations under way.
const CYCLES: u64 = 10_000_000;
const QUICK_CYCLES: u64 = 100_000;
/// Share of rounds that a reset cuts off: to set a fabric up again takes longer than ten rounds.
const RESETS: f64 = 0.05;
/// Cycles of the soak for each of a replay, whose runs are short: each is set up anew.
const SHARE_OF_REPLAY: u64 = 10;
/// The memory: a burst waits, and every channel stands still in one of five cycles.
const MEMORY: Timing = Timing {
    latency: 40,
    stall: 0.2,
};

/// Soak a fabric for millions of cycles, and measure the speed of its simulation
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Soak {
    #[command(flatten)]
    config: ConfigArgs,
    /// 100 thousand cycles unless told otherwise, no build from nothing
    #[arg(long)]
    quick: bool,
    /// Cycles in which operations are under way, at least [default: 10 million]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    cycles: Option<u64>,
    /// Decides all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    files: BenchFiles,
}

impl Soak {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench soak", &FABRIC_DECIDES)?;
        let config = with_memory(self.config.resolve()?);
        let fabric_config = config.fabric().map_err(not_allowed)?;
        let soak = soak::Soak {
            workload: Workload::Soak,
            cycles: self.cycles.unwrap_or(if self.quick { QUICK_CYCLES } else { CYCLES }),
            seed: self.seed,
            resets: RESETS,
        };
        // Commands that race are soaked alone: golden follows hardware there.
        let replay = fabric_config.portals_log.then(|| soak::Soak {
            workload: Workload::Replay,
            cycles: (soak.cycles / SHARE_OF_REPLAY).max(1),
            resets: 0.0,
            ..soak
        });
        if let Some(replay) = &replay {
            soak::check(&fabric_config, replay).map_err(not_allowed)?;
        }
        let (library, built) = compile(&design("fabric", &fabric_config)?, self.quick)?;
        let mut fabric = hardware::fabric_of(&library, &fabric_config, MEMORY)?;
        let mut run = |soak: &soak::Soak| {
            let bar = progress::simulation(soak.cycles);
            let outcome = soak::run(&mut fabric, soak, &mut |cycles| bar.set_position(cycles));
            bar.finish_and_clear();
            outcome.map_err(|error| replayable(&error, &fabric_config, &MEMORY, soak))
        };
        let summary = run(&soak)?;
        let replayed = replay.as_ref().map(run).transpose()?;

        let mut report = fabric_report(&config, rows(&summary, replayed.as_ref()), soak.seed)?;
        report.speed = speed(&summary, built);
        let mut output = Output::default();
        self.files.add(&mut output, None, "soak", &report);
        output.commit()?;
        output::print(&format!(
            "{}\n{}",
            tables::held(report.figures()),
            tables::settings(&report)
        ))
    }
}

/// The configuration with a memory node, if it has room for one.
fn with_memory(config: Config) -> Config {
    Config {
        memories: config.memories.max(1).min(config.cols - 1),
        ..config
    }
}

fn rows(summary: &Summary, replay: Option<&Summary>) -> Vec<Row> {
    let count = |name: &str, unit, value: u64| Row::new("soak", name, unit, Better::More, value as f64);
    let mut rows = vec![
        count("with operations under way", "cycles", summary.cycles),
        count("resets in mid-flight", "resets", summary.resets),
        count(
            "operations, each as in the reference model",
            "operations",
            summary.operations,
        ),
        count("puts and gets of these", "operations", summary.transfers),
        count("programs of the user's of these", "operations", summary.programs),
        count("atomics of these", "operations", summary.atomics),
        count("messages of these", "operations", summary.messages),
        count("runs of source/sink cores of these", "operations", summary.probes),
        count(
            "calls of engines of these, at each member",
            "operations",
            summary.collectives,
        ),
        count("groups that disagreed, each recovered", "groups", summary.recoveries),
        count("Portals commands of these", "operations", summary.portals),
        count("wrong ones of these, all refused", "operations", summary.refused),
        count("lists that brought some of these", "lists", summary.lists),
        count("memory compared, all equal", "words", summary.words),
    ];
    if let Some(replay) = replay {
        rows.extend([
            count("with Portals commands that race under way", "cycles", replay.cycles),
            count("commands that race", "operations", replay.operations),
            count("steps of Portals engines, each replayed", "steps", replay.steps),
            count("memory compared after a replay, all equal", "words", replay.words),
        ]);
    }
    rows
}

/// Speed of the simulation, and the seconds of the build if there was one.
fn speed(summary: &Summary, built: Option<f64>) -> Vec<Row> {
    let speed = Row {
        bound: Some(5_000.0),
        ..Row::new(
            "soak",
            "speed under load, reference model beside it",
            "cycles/s",
            Better::More,
            summary.speed(),
        )
    };
    let name = "build of the fabric by Verilator, from nothing";
    let built = built.map(|seconds| Row {
        bound: Some(180.0),
        ..Row::new("soak", name, "s", Better::Less, seconds)
    });
    [speed].into_iter().chain(built).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_fabric_gets_a_memory_where_there_is_room() {
        let with = |cols, memories| {
            let config = Config {
                cols,
                memories,
                ..Config::default()
            };
            with_memory(config).memories
        };
        assert_eq!([with(1, 0), with(2, 0), with(4, 0), with(4, 3)], [0, 1, 1, 3]);
    }

    #[test]
    fn the_bounds_are_those_of_speed_and_build() {
        let summary = Summary {
            cycles: 10_000,
            busy: Duration::from_secs(2),
            ..Summary::default()
        };
        let rows = speed(&summary, Some(181.0));
        let bound = |row: &Row| row.bound.map(|bound| (bound, row.meets_bound() == Some(true)));
        let bounds: Vec<_> = rows.iter().filter_map(bound).collect();
        assert_eq!(bounds, [(5_000.0, true), (180.0, false)]);
    }
}
