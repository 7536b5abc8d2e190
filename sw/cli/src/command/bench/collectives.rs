//! `portico bench collectives`: the message-passing engines.

use super::{collectives_tables, fabrics_report, verilated, SIZES};
use crate::{
    config_args::ConfigArgs,
    figure_files::BenchFiles,
    loads,
    output::{self, Output},
    plot, progress,
};
use clap::Args;
use portico_spec::{mpe::call::NEIGHBOURS, Config};
use portico_testbench::bench::collectives::{self, Effort};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench collectives               all figures: many minutes, most of them of the 8x4 fabric
  portico bench collectives --quick       figures with a bound, and few points beside them
  portico bench collectives --quick --mesh 4x4
  portico bench collectives --json build/collectives.json --csv build/collectives.csv
  portico bench collectives --set mpe=2 --set mpe_neighbours=5 --out build/collectives

Measured are barrier, broadcast, reduce (f32 sum) and allreduce on fabrics of 4, 8, 16 and 32 tiles, along linear, \
binomial, mapped and star trees, with 1 to 4096 words. Every result is compared with sums computed by the benchmark. \
Engines have one context and 8 neighbours unless mpe is set; a tree that needs more neighbours is left out.

A call takes from the cycle in which the last descriptor is accepted to that in which the last member's event shows. \
Columns: paper is the figure of the paper that described it, limit is what no implementation can pass, bound is what \
Portico must reach. running, waiting and idle are cycles of all engines together.";

/// Measure the message-passing engines: barrier, broadcast, reduce, allreduce
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Collectives {
    #[command(flatten)]
    config: ConfigArgs,
    /// Fewer fabrics and calls of the curves: some minutes once the models are in the cache
    #[arg(long)]
    quick: bool,
    /// Fabrics [default: 2x2,4x2,4x4,8x4; quick: 2x2,4x4,8x4]
    #[arg(long, value_name = "COLSxROWS,...", value_delimiter = ',', value_parser = loads::mesh)]
    mesh: Option<Vec<(usize, usize)>>,
    #[command(flatten)]
    files: BenchFiles,
    /// Cycles against words, as plots
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Folder for all four, as collectives.json, collectives.csv, collectives-wide.csv and collectives.svg, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Collectives {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench collectives", &SIZES)?;
        let set: Vec<&str> = self.config.set_keys().collect();
        let base = with_engines(self.config.resolve()?, &set);
        let standard = if self.quick { Effort::quick() } else { Effort::default() };
        let effort = Effort {
            meshes: self.mesh.unwrap_or_else(|| standard.meshes.clone()),
            ..standard
        };
        let bar = progress::bar(0);
        let figures = collectives::run(
            &base,
            &effort,
            &mut |config| Ok(Box::new(verilated(config, &bar)?)),
            &mut progress::steps(&bar),
        );
        bar.finish_and_clear();
        let figures = figures?;

        let report = fabrics_report(&base, figures.rows(), effort.seed)?;

        let mut output = Output::default();
        let folder = self.out.as_deref();
        self.files.add(&mut output, folder, "collectives", &report);
        let svg = folder.map(|folder| folder.join("collectives.svg"));
        output.add_at(self.svg, svg, plot::collectives(&figures.points)?);
        output.commit()?;
        output::print(&collectives_tables::text(&report, &figures))
    }
}

/// The configuration with engines, unless it says itself which.
fn with_engines(config: Config, set: &[&str]) -> Config {
    if config.mpe > 0 || set.contains(&"mpe") {
        return config;
    }
    let mpe_neighbours = match set.contains(&"mpe_neighbours") {
        true => config.mpe_neighbours,
        false => NEIGHBOURS,
    };
    Config {
        mpe: 1,
        mpe_neighbours,
        ..config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_built_unless_told_otherwise() {
        let with = |mpe, mpe_neighbours, set: &[&str]| {
            let config = Config {
                mpe,
                mpe_neighbours,
                ..Config::default()
            };
            let config = with_engines(config, set);
            (config.mpe, config.mpe_neighbours)
        };
        assert_eq!(with(0, 5, &[]), (1, 8));
        assert_eq!(with(0, 4, &["mpe_neighbours"]), (1, 4));
        assert_eq!(with(0, 5, &["mpe"]), (0, 5));
        assert_eq!(with(2, 5, &["mpe"]), (2, 5));
    }
}
