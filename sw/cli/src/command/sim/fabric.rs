//! `portico sim fabric`: a soak of the whole fabric.

use crate::{
    config_args::{self, ConfigArgs, FABRIC_DECIDES},
    design::design,
    failure::not_allowed,
    model, output, progress,
    table::{grouped, table},
    waveform::Waveform,
};
use anyhow::anyhow;
use clap::{builder::PossibleValuesParser, builder::TypedValueParser, Args};
use portico_sim::{Options, Trace};
use portico_spec::Config;
use portico_testbench::{
    device::{axi_memory::Timing, hardware},
    soak::{self, draw_sizes, Soak, Summary, Workload},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico sim fabric --set cols=2 --set rows=2 --set scratchpad=16
  portico sim fabric --workload soak --cycles 1000000 --seed 7 --resets
  portico sim fabric --workload queues --vcd build/queues.vcd
  portico sim fabric --set memories=1 --latency 100 --stall 0.3
  portico sim fabric --set profile=leaf --workload mails
  portico sim fabric --set probe=true --workload probes
  portico sim fabric --set mpe=2 --workload collectives --resets
  portico sim fabric --set cols=2 --set rows=2 --set mpe=2 --workload failing
  portico sim fabric --set cols=2 --set rows=2 --workload lists --resets
  portico sim fabric --set cols=2 --set rows=2 --set portals=4 --workload portals
  portico sim fabric --set cols=2 --set rows=2 --set portals=4 --set portals_log=true --workload replay
  portico sim fabric --set cols=2 --set rows=2 --sizes random --seed 12

Workloads: soak has all operations between any tiles, wrong descriptors among them; neighbours has transfers and atomics \
between tiles side by side; queues has mostly messages, of many tiles to each queue; mails has mostly mail back to back, \
and commands that are refused; probes has packets of source/sink cores as fast as they go (--set probe=true) beside the \
rest; collectives has calls of message-passing engines (--set mpe=2) beside the rest, in random groups with random trees; \
failing has the same with members that disagree, whose contexts close and are recovered while all else goes on; \
portals has commands of Portals engines alone (--set portals=4); replay has such commands that race for the same entries, \
and the model follows each step that hardware tells (--set portals_log=true). Memory nodes are targets of all.

With --sizes random, the seed also decides what profiles set, and width and fifo; keys of --set stay as they are.

Every event must count as often as descriptors want it, with the error and the value that the reference model has, and at \
the end memories must be equal word by word. If not, the exit status is 1 and the message has the command line that \
replays it.";

/// Most cycles: years of them.
const MAX_CYCLES: u64 = 1_000_000_000_000;
/// Slowest memory: slower ones make a round longer than the soak waits for it.
const MAX_LATENCY: u64 = 200;
/// Greatest chance of a stall or a reset: what never comes to an end is not to be had.
const MAX_CHANCE: f64 = 0.9;

/// Soak a fabric: random operations of all tiles at once, compared with the reference model
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Fabric {
    #[command(flatten)]
    config: ConfigArgs,
    /// Workload: the mix of operations, and the targets of each tile
    #[arg(long, value_name = "WORKLOAD", default_value = "soak", value_parser = workload_parser())]
    workload: Workload,
    /// Least number of cycles with operations under way; set-up and comparison take further cycles
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=MAX_CYCLES))]
    cycles: u64,
    /// Decides all that is random: the same seed, the same run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the sizes of nodes from the seed
    #[arg(long, value_name = "random", value_parser = ["random"])]
    sizes: Option<String>,
    /// Reset the fabric in this share of rounds at a random moment, set it up again and go on [0.4 if no share is given]
    #[arg(long, value_name = "0..0.9", default_value_t = 0.0, hide_default_value = true, value_parser = chance, num_args = 0..=1, require_equals = true, default_missing_value = "0.4")]
    resets: f64,
    /// Cycles from a burst's address to its first response, of external memories
    #[arg(long, value_name = "CYCLES", default_value_t = hardware::MEMORY.latency, value_parser = clap::value_parser!(u64).range(1..=MAX_LATENCY))]
    latency: u64,
    /// Chance that a channel of an external memory stands still in a cycle
    #[arg(long, value_name = "0..0.9", default_value_t = hardware::MEMORY.stall, value_parser = chance)]
    stall: f64,
    /// Waveform, in VCD
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
}

fn workload_parser() -> impl TypedValueParser<Value = Workload> {
    let names = PossibleValuesParser::new(Workload::ALL.map(Workload::name));
    names.try_map(|name| name.parse::<Workload>())
}

fn chance(text: &str) -> Result<f64, String> {
    let chance = text.parse().ok().filter(|chance| (0.0..=MAX_CHANCE).contains(chance));
    chance.ok_or_else(|| format!("allowed is a number from 0 to {MAX_CHANCE}"))
}

impl Fabric {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("sim fabric", &FABRIC_DECIDES)?;
        let mut config = self.config.resolve()?.fabric().map_err(not_allowed)?;
        if self.sizes.is_some() {
            let kept: Vec<&str> = self.config.set_keys().collect();
            config = draw_sizes(&config, &kept, self.seed);
            tracing::info!("sizes:{}", settings(&config));
        }
        let soak = Soak {
            workload: self.workload,
            cycles: self.cycles,
            seed: self.seed,
            resets: self.resets,
        };
        soak::check(&config, &soak).map_err(not_allowed)?;
        let options = Options {
            trace: self.vcd.as_ref().map_or(Trace::None, |_| Trace::Vcd),
            ..Options::default()
        };
        let design = design("fabric", &config)?;
        let (library, _) = model::build(&design, &options)?;
        let timing = Timing {
            latency: self.latency,
            stall: self.stall,
        };
        let mut fabric = hardware::fabric_of(&library, &config, timing)?;
        let waveform = self
            .vcd
            .map(|file| Waveform::start(&file, fabric.model()))
            .transpose()?;
        let bar = progress::simulation(self.cycles);
        let outcome = soak::run(&mut fabric, &soak, &mut |cycles| bar.set_position(cycles));
        bar.finish_and_clear();
        // A run that failed is the one whose waveform is wanted.
        waveform.map(|waveform| waveform.finish(fabric.model())).transpose()?;
        let summary = outcome.map_err(|error| replayable(&error, &config, &timing, &soak))?;
        let again = command_line(&config, &timing, &soak);
        let text = text(&config, &soak, &summary, fabric.cycles());
        output::print(&format!("{again}\n\n{text}"))
    }
}

/// What went wrong in a soak, with the command line that replays it.
pub fn replayable(error: &anyhow::Error, config: &Config, timing: &Timing, soak: &Soak) -> anyhow::Error {
    let command = command_line(config, timing, soak);
    anyhow!("{error:#}\nreplay with: {command} --vcd wave.vcd")
}

/// The settings of this fabric, as on a command line.
fn settings(config: &Config) -> String {
    // What a fabric decides itself is not allowed there.
    let settings = Config {
        edge_nodes: Config::default().edge_nodes,
        ..config.clone()
    };
    config_args::settings(&settings)
}

/// The command line of this soak.
fn command_line(config: &Config, timing: &Timing, soak: &Soak) -> String {
    let Soak {
        workload,
        cycles,
        seed,
        resets,
    } = soak;
    let Timing { latency, stall } = timing;
    let memories = match config.memories {
        0 => String::new(),
        _ => format!(" --latency {latency} --stall {stall}"),
    };
    format!(
        "portico sim fabric{}{memories} --workload {workload} --cycles {cycles} --seed {seed}{}",
        settings(config),
        if *resets > 0.0 {
            format!(" --resets={resets}")
        } else {
            String::new()
        }
    )
}

fn text(config: &Config, soak: &Soak, summary: &Summary, simulated: u64) -> String {
    let Config { cols, rows, width, .. } = config;
    let rows = [
        ("fabric", format!("{cols}x{rows}, {width} bits"), ""),
        ("workload", soak.workload.to_string(), ""),
        ("seed", soak.seed.to_string(), ""),
        ("with operations under way", grouped(summary.cycles), "cycles"),
        ("rounds, each compared", grouped(summary.rounds), ""),
        ("resets in mid-flight", grouped(summary.resets), ""),
        ("operations, each counted once", grouped(summary.operations), ""),
        ("puts and gets of these", grouped(summary.transfers), ""),
        ("programs of the user's of these", grouped(summary.programs), ""),
        ("atomics of these, values as they must be", grouped(summary.atomics), ""),
        (
            "messages of these, all received in order",
            grouped(summary.messages),
            "",
        ),
        ("runs of source/sink cores of these", grouped(summary.probes), ""),
        ("sends and receives of streams of these", grouped(summary.streams), ""),
        (
            "calls of engines of these, at each member",
            grouped(summary.collectives),
            "",
        ),
        ("groups that disagreed, each recovered", grouped(summary.recoveries), ""),
        ("Portals commands of these", grouped(summary.portals), ""),
        ("steps of Portals engines, each replayed", grouped(summary.steps), ""),
        (
            "wrong ones of these, all refused for their reason",
            grouped(summary.refused),
            "",
        ),
        ("lists that brought some of these", grouped(summary.lists), ""),
        (
            "memory checked against the reference model, all equal",
            grouped(summary.words),
            "words",
        ),
        ("cycles simulated", grouped(simulated), "cycles"),
        (
            "speed with operations under way, reference model beside it",
            grouped(summary.speed() as u64),
            "cycles/s",
        ),
    ];
    let rows = rows.map(|(name, value, unit)| vec![name.to_owned(), value, unit.to_owned()]);
    table(&["figure", "value", "unit"], rows, &[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico::{Transport, TransportError};
    use portico_testbench::{
        device::beside::BesideTiles,
        soak::{GoldenDevice, SoakDevice},
    };

    /// A golden fabric whose events never fire.
    struct Silent(GoldenDevice);

    impl Transport for Silent {
        portico::forward_transport!(0: config, read, write, cycles, wait, interrupt);
    }

    impl SoakDevice for Silent {
        fn command(&mut self, tile: usize, descriptor: &[u32]) -> Result<(), TransportError> {
            self.0.command(tile, descriptor)
        }

        fn fired(&mut self, _: usize) -> u64 {
            0
        }

        fn beside(&mut self) -> &mut dyn BesideTiles {
            self.0.beside()
        }

        fn reset(&mut self) {
            self.0.reset();
        }
    }

    #[test]
    fn what_fails_is_told_with_the_command_that_replays_it() {
        let soak = Soak {
            workload: Workload::Neighbours,
            cycles: 3_000,
            seed: 9,
            resets: 0.0,
        };
        let small = Config {
            cols: 2,
            scratchpad: 4,
            ..Config::default()
        };
        let config = small.fabric().unwrap();
        let mut device = GoldenDevice::new(&config).unwrap();
        let summary = soak::run(&mut device, &soak, &mut |_| {}).unwrap();
        let text = text(&config, &soak, &summary, 9_000);
        assert!(
            text.contains(" neighbours ") && text.contains(" 9,000 | cycles"),
            "{text}"
        );

        let timing = Timing { latency: 7, stall: 0.5 };
        let mut silent = Silent(GoldenDevice::new(&config).unwrap());
        let error = soak::run(&mut silent, &soak, &mut |_| {}).unwrap_err();
        let error = replayable(&error, &config, &timing, &soak).to_string();
        let (fault, replay) = error.split_once('\n').unwrap();
        assert!(
            fault.starts_with("seed 0x9: tile 0: fences have not completed"),
            "{fault}"
        );
        assert_eq!(
            replay,
            "replay with: portico sim fabric --set cols=2 --set scratchpad=4 --workload neighbours --cycles 3000 --seed 9 \
             --vcd wave.vcd"
        );
        let with_resets = Soak { resets: 0.05, ..soak };
        let with_memory = Config { memories: 1, ..config };
        let line = command_line(&with_memory, &timing, &with_resets);
        assert!(
            line.contains(" --set memories=1 --set scratchpad=4 --latency 7 --stall 0.5 "),
            "{line}"
        );
        assert!(line.ends_with(" --seed 9 --resets=0.05"), "{line}");
    }

    #[test]
    fn a_memory_that_never_moves_is_not_allowed() {
        assert_eq!(chance("0.25"), Ok(0.25));
        for wrong in ["1", "-0.1", "NaN", "often"] {
            assert_eq!(chance(wrong).unwrap_err(), "allowed is a number from 0 to 0.9");
        }
    }
}
