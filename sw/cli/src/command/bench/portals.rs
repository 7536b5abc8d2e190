//! `portico bench portals`: the Portals engine.

use super::{fabric_report, tables};
use crate::{
    config_args::{ConfigArgs, FABRIC_DECIDES},
    figure_files::BenchFiles,
    output::{self, Output},
    plot, progress,
    table::grouped,
};
use clap::Args;
use portico_spec::{portals::engine::RANKS, Config};
use portico_testbench::{
    bench::portals::{self, unexpected, Effort},
    device::hardware,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench portals                   2 tiles, 16 ranks, 1,024 entries: two minutes
  portico bench portals --quick           few puts and short transfers
  portico bench portals --set portals=64 --json build/portals.json

Tile 0 puts to a tile one hop away and gets from it; that tile matches. A latency counts from the last word of a descriptor, at \
the command stream of tile 0, to the cycle in which an event of the tile shows that the counter has changed. It includes the \
search of the lists: 6 cycles for one hashed entry. The rate of a long transfer counts the same cycles. Puts in a row count \
between what the first and the last of them raise. What was moved, and every Portals event, is compared with what was sent.

Messages that come before their receives wait as headers, up to 512. The receive matches the last of them: the worst case of the \
paper, Figures 11 and 12. Every second header is from another rank, so that a receive from one rank compares half of them.";

/// Measure the Portals engine: puts and gets with matching
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct PortalsBench {
    #[command(flatten)]
    config: ConfigArgs,
    /// Few puts and short transfers
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    files: BenchFiles,
    /// Appends against the headers that wait, as a plot
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Folder for all four, as portals.json, portals.csv, portals-wide.csv and portals.svg, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl PortalsBench {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench portals", &FABRIC_DECIDES)?;
        // Two tiles, with memory for long transfers from and to each of them.
        let config = self.config.over_defaults(Config {
            cols: 2,
            rows: 1,
            portals: RANKS[1],
            entries: 2 * unexpected::MOST,
            scratchpad: 256,
            ..Config::default()
        })?;
        let effort = if self.quick { Effort::quick() } else { Effort::default() };
        let spinner = progress::spinner("compiling the fabric".to_owned());
        let fabric = hardware::fabric(&config);
        spinner.finish_and_clear();
        let bar = progress::bar(0);
        let measured = portals::run(fabric?, &effort, &mut progress::steps(&bar));
        bar.finish_and_clear();
        let (rows, cycles) = measured?;
        let report = fabric_report(&config, rows, effort.seed)?;
        let mut output = Output::default();
        self.files.add(&mut output, self.out.as_deref(), "portals", &report);
        let svg = self.out.as_deref().map(|folder| folder.join("portals.svg"));
        if self.svg.is_some() || svg.is_some() {
            output.add_at(
                self.svg,
                svg,
                plot::series("Portals", &[unexpected::plot(&report.rows)])?,
            );
        }
        output.commit()?;
        output::print(&format!(
            "{}\n{} cycles simulated. {}",
            tables::held(report.rows.iter()),
            grouped(cycles),
            tables::settings(&report)
        ))
    }
}
