//! `portico bench exchange`: alltoall by command lists.

use super::{fabrics_report, tables, verilated, SIZES};
use crate::{
    config_args::ConfigArgs,
    figure_files::BenchFiles,
    loads,
    output::{self, Output},
    progress,
    table::grouped,
};
use clap::{value_parser, Args};
use portico_testbench::bench::exchange::{self, Effort};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench exchange                  fabrics of 4 to 32 tiles: some minutes, most of them of the 8x4 fabric
  portico bench exchange --quick          fabrics of 4 and 16 tiles
  portico bench exchange --mesh 7x7       as large as the paper's: half an hour
  portico bench exchange --mesh 4x4 --words 1,16 --json build/exchange.json
  portico bench exchange --mesh 2x2,3x3 --words 4 --runs 10 --wide build/exchange.csv

Every tile sends a block to every other one, with a command list in its memory. Orders of sending: rotated begins with the \
next tile, rounds are those of nocmsg-collectives-2013 without barriers, ranks begins with tile 0. The bound of the default \
order, rotated, is the best of the others. The limit is the flits of \
the busiest link. An exchange takes from the cycle in which the last tile is started to that in which the last tile has the \
acknowledgements of all its puts. With --runs, the default order has the mean of its runs, and the least and the most. Every \
word is compared.";

/// Measure alltoall by command lists
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Exchange {
    #[command(flatten)]
    config: ConfigArgs,
    /// Fewer fabrics and sizes of blocks
    #[arg(long)]
    quick: bool,
    /// Fabrics [default: 2x2,3x3,4x4,8x4; quick: 2x2,4x4]
    #[arg(long, value_name = "COLSxROWS,...", value_delimiter = ',', value_parser = loads::mesh)]
    mesh: Option<Vec<(usize, usize)>>,
    /// Words of a block, 1 to 4096 [default: 1,4,16,64,256; quick: 1,16,64]
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',', value_parser = value_parser!(u16).range(1..=4096))]
    words: Option<Vec<u16>>,
    /// Exchanges in the default order, of which mean, least and most are told
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=1000))]
    runs: u16,
    #[command(flatten)]
    files: BenchFiles,
    /// Folder for exchange.json, exchange.csv and exchange-wide.csv, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Exchange {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench exchange", &SIZES)?;
        let base = self.config.resolve()?;
        let standard = if self.quick { Effort::quick() } else { Effort::default() };
        let words = self.words.map(|words| words.into_iter().map(usize::from).collect());
        let effort = Effort {
            meshes: self.mesh.unwrap_or(standard.meshes),
            words: words.unwrap_or(standard.words),
            runs: self.runs.into(),
            ..standard
        };
        let bar = progress::bar(0);
        let figures = exchange::run(
            &base,
            &effort,
            &mut |config| Ok(Box::new(verilated(config, &bar)?)),
            &mut progress::steps(&bar),
        );
        bar.finish_and_clear();
        let figures = figures?;

        let report = fabrics_report(&base, figures.rows, effort.seed)?;
        let mut output = Output::default();
        self.files.add(&mut output, self.out.as_deref(), "exchange", &report);
        output.commit()?;
        let skipped = figures.skipped.iter().map(|(tiles, bytes)| {
            let bytes = grouped(*bytes as u64);
            format!("Left out: {tiles} tiles, {bytes} bytes, for which the memories are too small (key scratchpad)\n")
        });
        output::print(&format!(
            "{}\n{}\n{} cycles simulated. {}",
            tables::held(report.rows.iter()),
            skipped.collect::<String>(),
            grouped(figures.cycles),
            tables::settings(&report)
        ))
    }
}
