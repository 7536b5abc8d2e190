//! `portico sim fabric`: a soak of the whole fabric.

use crate::{
    config_args::{self, ConfigArgs},
    design,
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
    hardware,
    soak::{self, Soak, SoakDevice, Summary, Workload},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico sim fabric --set cols=2 --set rows=2 --set scratchpad=16
  portico sim fabric --workload soak --cycles 1000000 --seed 7 --resets
  portico sim fabric --workload queues --vcd build/queues.vcd

Workloads: soak has all operations between any tiles, wrong descriptors among them; neighbours has transfers and atomics \
between tiles side by side; queues has mostly messages, of many tiles to each queue.

Every event must count as often as descriptors want it, with the error and the value that the golden model has, and at \
the end memories must be equal word by word. If not, the exit status is 1 and the message has the command line that \
replays it.";

/// What a fabric decides itself.
const DECIDED: [&str; 1] = ["edge_nodes"];
/// Most cycles: years of them.
const MAX_CYCLES: u64 = 1_000_000_000_000;

/// Soak a fabric: random operations of all tiles at once, compared with the golden model
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Fabric {
    #[command(flatten)]
    config: ConfigArgs,
    /// Who sends what to whom
    #[arg(long, value_name = "WORKLOAD", default_value = "soak", value_parser = workload_parser())]
    workload: Workload,
    /// Cycles in which operations are under way, at least; setting up and comparing takes others
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=MAX_CYCLES))]
    cycles: u64,
    /// Decides all that is random: the same seed, the same run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Reset the fabric at random moments, set it up again and go on
    #[arg(long)]
    resets: bool,
    /// Waveform, in VCD
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
}

fn workload_parser() -> impl TypedValueParser<Value = Workload> {
    let names = PossibleValuesParser::new(Workload::ALL.map(Workload::name));
    names.try_map(|name| name.parse::<Workload>())
}

impl Fabric {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("sim fabric", &DECIDED)?;
        let config = self.config.resolve()?.fabric().map_err(not_allowed)?;
        let soak = Soak {
            workload: self.workload,
            cycles: self.cycles,
            seed: self.seed,
            resets: self.resets,
        };
        let options = Options {
            trace: self.vcd.as_ref().map_or(Trace::None, |_| Trace::Vcd),
            ..Options::default()
        };
        let design = design::fabric(&config)?;
        let (library, _) = model::build(&design, &options)?;
        let mut fabric = hardware::fabric_of(&library, &config, hardware::MEMORY)?;
        let waveform = self
            .vcd
            .map(|file| Waveform::start(&file, fabric.model()))
            .transpose()?;
        let spinner = progress::spinner(format!("soaking for {} cycles", grouped(self.cycles)));
        let outcome = run(&mut fabric, &config, &soak);
        spinner.finish_and_clear();
        // A run that failed is the one whose waveform is wanted.
        waveform.map(|waveform| waveform.finish(fabric.model())).transpose()?;
        output::print(&text(&config, &soak, &outcome?))
    }
}

/// Runs the soak.
///
/// # Errors
/// The fabric did something wrong: told with the command line that replays it.
fn run<D: SoakDevice>(device: &mut D, config: &Config, soak: &Soak) -> anyhow::Result<Summary> {
    let outcome = soak::run(device, soak);
    outcome.map_err(|error| anyhow!("{error:#}\nreplay with: {} --vcd wave.vcd", command_line(config, soak)))
}

/// The command line of this soak.
fn command_line(config: &Config, soak: &Soak) -> String {
    // What a fabric decides itself is not allowed there.
    let settings = Config {
        edge_nodes: Config::default().edge_nodes,
        ..config.clone()
    };
    let Soak {
        workload,
        cycles,
        seed,
        resets,
    } = soak;
    format!(
        "portico sim fabric{} --workload {workload} --cycles {cycles} --seed {seed}{}",
        config_args::settings(&settings),
        if *resets { " --resets" } else { "" }
    )
}

fn text(config: &Config, soak: &Soak, summary: &Summary) -> String {
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
        ("atomics of these, values as they must be", grouped(summary.atomics), ""),
        (
            "messages of these, all received in order",
            grouped(summary.messages),
            "",
        ),
        (
            "wrong ones of these, all refused for their reason",
            grouped(summary.refused),
            "",
        ),
        (
            "memory checked against golden, all equal",
            grouped(summary.words),
            "words",
        ),
    ];
    let rows = rows.map(|(name, value, unit)| vec![name.to_owned(), value, unit.to_owned()]);
    table(&["figure", "value", "unit"], rows, &[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico::{Transport, TransportError};
    use portico_testbench::soak::GoldenDevice;

    /// A golden fabric whose events never fire.
    struct Silent(GoldenDevice);

    impl Transport for Silent {
        fn config(&self) -> &Config {
            self.0.config()
        }

        fn read(&mut self, address: u32) -> Result<u32, TransportError> {
            self.0.read(address)
        }

        fn write(&mut self, address: u32, value: u32) -> Result<(), TransportError> {
            self.0.write(address, value)
        }

        fn cycles(&self) -> u64 {
            self.0.cycles()
        }

        fn wait(&mut self, cycles: u64) {
            self.0.wait(cycles);
        }

        fn interrupt(&mut self) -> bool {
            self.0.interrupt()
        }
    }

    impl SoakDevice for Silent {
        fn command(&mut self, tile: usize, descriptor: &[u32]) {
            self.0.command(tile, descriptor);
        }

        fn fired(&mut self, _: usize) -> u64 {
            0
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
            resets: false,
        };
        let small = Config {
            cols: 2,
            scratchpad: 4,
            ..Config::default()
        };
        let config = small.fabric().unwrap();
        let mut device = GoldenDevice::new(&config).unwrap();
        let summary = run(&mut device, &config, &soak).unwrap();
        assert!(text(&config, &soak, &summary).contains(" neighbours "));

        let mut silent = Silent(GoldenDevice::new(&config).unwrap());
        let error = run(&mut silent, &config, &soak).unwrap_err().to_string();
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
        let with_resets = Soak { resets: true, ..soak };
        assert!(command_line(&config, &with_resets).ends_with(" --seed 9 --resets"));
    }
}
