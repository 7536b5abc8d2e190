//! `portico bench onesided`: the one-sided operations.

use super::{fabric_report, onesided_tables};
use crate::{
    config_args::{ConfigArgs, FABRIC_DECIDES},
    figure_files::BenchFiles,
    output::{self, Output},
    plot, progress,
};
use clap::Args;
use portico_spec::Config;
use portico_testbench::{
    bench::onesided::{self, Effort},
    device::hardware,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench onesided                  all tables and figures: some minutes
  portico bench onesided --quick          few sizes and short runs
  portico bench onesided --json build/onesided.json
  portico bench onesided --quick --set tile_ports=true --set streams=true
  portico bench onesided --set memories=1 --set scratchpad=256 --out build/onesided

Measured are the latencies of single puts, gets and atomics, and how much of a link transfers fill; messages of many \
tiles to one; and what the paper measured: puts to neighbours (its Table 1), throughput and latency against size \
(Figures 2 and 3), atomics against the number of initiators (Figure 4), jobs to workers and back through queues (Table \
2). With ports and streams of tiles, commands by the port, sends and receives are measured too. What was moved is \
compared with what was sent. With a memory node, Figures 2 and 3 have external memory too.

A latency counts from the last beat of a descriptor to the cycle in which its event shows. Columns: paper is the figure \
of the paper that described it, limit is what no implementation can pass, bound is what Portico must reach.";

/// Measure the one-sided operations: puts, gets, atomics, queues
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Onesided {
    #[command(flatten)]
    config: ConfigArgs,
    /// Few sizes and short runs: about a minute once the model is in the cache
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    files: BenchFiles,
    /// Folder for onesided.json, onesided.csv, onesided-wide.csv and the plots transfers.svg and atomics.svg, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Onesided {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench onesided", &FABRIC_DECIDES)?;
        // Jobs come back to a queue of the host.
        let defaults = Config::default();
        let config = self.config.over_defaults(Config {
            host_queues: true,
            host_scratchpad: defaults.scratchpad,
            ..defaults
        })?;
        let effort = if self.quick { Effort::quick() } else { Effort::default() };
        let spinner = progress::spinner("compiling the fabric".to_owned());
        let fabric = hardware::fabric(&config);
        spinner.finish_and_clear();
        let bar = progress::bar(0);
        let figures = onesided::run(Box::new(fabric?), &effort, &mut progress::steps(&bar));
        bar.finish_and_clear();
        let figures = figures?;

        let report = fabric_report(&config, figures.rows(), effort.seed)?;

        let mut output = Output::default();
        let folder = self.out.as_deref();
        self.files.add(&mut output, folder, "onesided", &report);
        if let Some(folder) = folder {
            output.add(folder.join("transfers.svg"), plot::transfers(&figures.sizes)?);
            output.add(folder.join("atomics.svg"), plot::atomics(&figures.atomics)?);
        }
        output.commit()?;
        output::print(&onesided_tables::text(&report, &figures))
    }
}
