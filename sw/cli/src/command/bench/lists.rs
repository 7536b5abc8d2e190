//! `portico bench lists`: applications that tiles do by themselves.

use super::{fabrics_report, tables, verilated, SIZES};
use crate::{
    config_args::ConfigArgs,
    figure_files::BenchFiles,
    loads,
    output::{self, Output},
    progress,
    table::grouped,
};
use clap::Args;
use portico_testbench::bench::lists;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench lists                     a fabric of 16 tiles: a minute
  portico bench lists --mesh 2x2,4x4 --set profile=compact --json build/lists.json

The applications of `portico run` that are lists: halo, transpose, buffer, queue. An application takes from the start of its \
list until the host knows that it has ended; its parts are seen at the link that carries most of its flits. The share is the \
part of the cycles between the first and the last flit in which this link carries one.";

/// Measure the applications that tiles do by themselves
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Lists {
    #[command(flatten)]
    config: ConfigArgs,
    /// Fabrics
    #[arg(long, value_name = "COLSxROWS,...", value_delimiter = ',', value_parser = loads::mesh, default_value = "4x4")]
    mesh: Vec<(usize, usize)>,
    #[command(flatten)]
    files: BenchFiles,
    /// Folder for lists.json, lists.csv and lists-wide.csv, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Lists {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench lists", &SIZES)?;
        let base = self.config.resolve()?;
        let bar = progress::bar(0);
        let measured = lists::run(
            &base,
            &self.mesh,
            &mut |config| Ok(Box::new(verilated(config, &bar)?)),
            &mut progress::steps(&bar),
        );
        bar.finish_and_clear();
        let (rows, cycles) = measured?;
        // The words of the applications are the same always.
        let report = fabrics_report(&base, rows, 0)?;
        let mut output = Output::default();
        self.files.add(&mut output, self.out.as_deref(), "lists", &report);
        output.commit()?;
        output::print(&format!(
            "{}\n{} cycles simulated. {}",
            tables::held(report.rows.iter()),
            grouped(cycles),
            tables::settings(&report)
        ))
    }
}
