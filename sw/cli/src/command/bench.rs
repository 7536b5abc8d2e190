//! `portico bench`: figures, each beside the bound that it is held against.

mod area;
mod blocks;
mod blocks_tables;
mod clock;
mod collectives;
mod collectives_tables;
mod exchange;
mod lists;
mod mpi;
mod noc;
mod onesided;
mod onesided_tables;
mod portals;
mod soak;
mod tables;

use crate::{config_args::FABRIC_DECIDES, design, model};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use portico_sim::{Library, Options, SimulatedFabric};
use portico_spec::Config;
use portico_synth::Tool;
use portico_testbench::{
    bench::report::{BenchReport, Row},
    device::hardware,
};
use portico_verilog::Design;

/// Measure, and print each figure beside its bound
#[derive(Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Area(area::AreaBench),
    Blocks(blocks::Blocks),
    Clock(clock::Clock),
    Collectives(collectives::Collectives),
    Exchange(exchange::Exchange),
    Lists(lists::Lists),
    Mpi(mpi::Mpi),
    Noc(noc::Noc),
    Onesided(onesided::Onesided),
    Portals(portals::PortalsBench),
    Soak(soak::Soak),
}

impl Bench {
    pub fn run(self) -> anyhow::Result<()> {
        match self.what {
            What::Area(area) => area.run(),
            What::Blocks(blocks) => blocks.run(),
            What::Clock(clock) => clock.run(),
            What::Collectives(collectives) => collectives.run(),
            What::Exchange(exchange) => exchange.run(),
            What::Lists(lists) => lists.run(),
            What::Mpi(mpi) => mpi.run(),
            What::Noc(noc) => noc.run(),
            What::Onesided(onesided) => onesided.run(),
            What::Portals(portals) => portals.run(),
            What::Soak(soak) => soak.run(),
        }
    }
}

/// Options that name a file or folder to write.
const WRITES: [&str; 5] = ["--json", "--csv", "--wide", "--svg", "--out"];

/// A command line without the path of the program and the files that it writes.
fn asked(arguments: impl IntoIterator<Item = String>) -> String {
    let mut text = "portico".to_owned();
    let mut arguments = arguments.into_iter().skip(1);
    while let Some(argument) = arguments.next() {
        let option = argument.split('=').next().unwrap_or_default();
        match WRITES.contains(&option) {
            true if argument == option => drop(arguments.next()),
            true => {}
            false => text = format!("{text} {argument}"),
        }
    }
    text
}

/// Notes in `report` what the figures came from: the command, the seed, this program, and these tools.
///
/// # Errors
/// A tool is missing.
fn sign(report: &mut BenchReport, seed: u64, tools: impl IntoIterator<Item = Tool>) -> anyhow::Result<()> {
    report.command = asked(std::env::args());
    report.config.insert("seed".into(), seed.into());
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let version = format!("{} ({build} build)", design::VERSION);
    report.tools.insert("portico".into(), version);
    for tool in tools {
        let found = portico_synth::locate(tool)?;
        report.tools.insert(tool.program().into(), found.version);
    }
    Ok(())
}

/// A fabric, compiled or taken from the cache while `bar` is on the screen.
fn verilated(config: &Config, bar: &ProgressBar) -> anyhow::Result<SimulatedFabric> {
    let Config { cols, rows, .. } = config;
    bar.set_message(format!("compiling {cols}x{rows}"));
    let library = portico_sim::build(&design::design("fabric", config)?, &Options::default())?;
    hardware::fabric_of(&library, config, hardware::MEMORY)
}

/// The signed report of a benchmark on a Verilated fabric, without the keys that a fabric decides itself.
///
/// # Errors
/// A tool is missing.
fn fabric_report(config: &Config, rows: Vec<Row>, seed: u64) -> anyhow::Result<BenchReport> {
    let mut report = BenchReport {
        rows,
        ..BenchReport::new(config)
    };
    FABRIC_DECIDES.iter().for_each(|key| drop(report.config.remove(*key)));
    sign(&mut report, seed, [Tool::Verilator])?;
    Ok(report)
}

/// Settings that a benchmark of fabrics of several sizes decides itself.
const SIZES: [&str; 3] = ["cols", "rows", "edge_nodes"];

/// The same for a benchmark of fabrics of several sizes.
///
/// # Errors
/// A tool is missing.
fn fabrics_report(config: &Config, rows: Vec<Row>, seed: u64) -> anyhow::Result<BenchReport> {
    let mut report = fabric_report(config, rows, seed)?;
    SIZES.iter().for_each(|key| drop(report.config.remove(*key)));
    Ok(report)
}

/// Compiles a design from nothing, and gives the seconds that it took; if `quick`, takes what the cache has, without.
///
/// # Errors
/// A tool is missing or fails.
fn compile(design: &Design, quick: bool) -> anyhow::Result<(Library, Option<f64>)> {
    let empty = tempfile::tempdir()?;
    let options = Options {
        cache: (!quick).then(|| empty.path().to_path_buf()),
        ..Options::default()
    };
    let (library, took) = model::build(design, &options)?;
    let took = (!library.cached()).then_some(took.as_secs_f64());
    Ok((library, took))
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn the_command_is_told_without_what_it_writes() {
        let line = "/bin/portico bench noc --json a.json --wide a.csv --quick --out=build --set width=64";
        let arguments = line.split(' ').map(str::to_owned);
        assert_eq!(asked(arguments), "portico bench noc --quick --set width=64");
    }
}
