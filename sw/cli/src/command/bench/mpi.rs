//! `portico bench mpi`: MPI-like calls.

use super::{fabrics_report, tables, verilated, SIZES};
use crate::{
    config_args::ConfigArgs,
    figure_files::BenchFiles,
    loads::{self, mesh_name},
    output::{self, Output},
    progress,
    table::{grouped, table},
};
use clap::{value_parser, Args};
use portico::mpi::Way;
use portico_spec::Config;
use portico_testbench::bench::{
    collectives::form::Form,
    mpi::{self, Effort, Point},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench mpi                       fabrics of 4 and 16 tiles: some minutes
  portico bench mpi --quick               a fabric of 4 tiles
  portico bench mpi --set mpe=2           groups with two trees
  portico bench mpi --mesh 4x4 --tree mapped --words 1,1024
                                          one tree, of few children
  portico bench mpi --mesh 3x3 --words 1,16 --json build/mpi.json

Every call of the driver's module `mpi` in every way that it has: by message-passing engines, by puts of command lists, by the \
host. A call takes from its start in the driver to the end of the wait, the second time. Beside its cycles stands what the cost model expects; the \
way that the model takes is marked with *, and the other ways of the call are its bound. With mpe=2 a group has two trees: a call by \
engines is measured along both. Every word is compared. Last, a call fails because \
a member means another length, and the group recovers. The tiles have message-passing engines (key mpe).";

/// Measure MPI-like calls by engines, puts and the host
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Mpi {
    #[command(flatten)]
    config: ConfigArgs,
    /// Fewer fabrics and sizes of blocks
    #[arg(long)]
    quick: bool,
    /// Fabrics [default: 2x2,4x4; quick: 2x2]
    #[arg(long, value_name = "COLSxROWS,...", value_delimiter = ',', value_parser = loads::mesh)]
    mesh: Option<Vec<(usize, usize)>>,
    /// Words of a block, 1 to 4096 [default: 1,16,128,1024,4096; quick: 1,128]
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',', value_parser = value_parser!(u16).range(1..=4096))]
    words: Option<Vec<u16>>,
    /// Tree of the group: linear, binomial, mapped, quad or star; with mpe=2 the group has a chain as well
    #[arg(long, value_name = "TREE", default_value = "quad", value_parser = loads::tree)]
    tree: Form,
    #[command(flatten)]
    files: BenchFiles,
    /// Folder for mpi.json, mpi.csv and mpi-wide.csv, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Mpi {
    pub fn run(self) -> anyhow::Result<()> {
        self.config.refuse("bench mpi", &SIZES)?;
        let given = self.config.resolve()?;
        let base = Config {
            mpe: given.mpe.max(1),
            ..given
        };
        let standard = if self.quick { Effort::quick() } else { Effort::default() };
        let words = self.words.map(|words| words.into_iter().map(usize::from).collect());
        let effort = Effort {
            meshes: self.mesh.unwrap_or(standard.meshes),
            words: words.unwrap_or(standard.words),
            tree: self.tree,
            ..standard
        };
        let bar = progress::bar(0);
        let measured = mpi::run(
            &base,
            &effort,
            &mut |config| Ok(Box::new(verilated(config, &bar)?)),
            &mut progress::steps(&bar),
        );
        bar.finish_and_clear();
        let measured = measured?;

        let report = fabrics_report(&base, measured.rows(), effort.seed)?;
        let mut output = Output::default();
        self.files.add(&mut output, self.out.as_deref(), "mpi", &report);
        output.commit()?;
        let held = report.rows.iter().filter(|row| row.bound.is_some());
        output::print(&format!(
            "{}\n{}\n{} cycles simulated. {}",
            ways(&measured.points),
            tables::held(held),
            grouped(measured.cycles),
            tables::settings(&report)
        ))
    }
}

/// Columns of a line: the call, its tree, cycles and estimate of each way, and cycles of a start that is launched.
const COLUMNS: usize = 4 + 2 * Way::ALL.len() + 1;

/// A line a call, with cycles and estimate of each way; a line for each further tree of the engines.
fn ways(points: &[Point]) -> String {
    let mut lines: Vec<Vec<String>> = vec![];
    for point in points {
        let key = [
            point.call.name().to_owned(),
            mesh_name(point.mesh),
            grouped(point.words as u64),
            point.tree.map_or(String::new(), Form::name),
        ];
        // Puts and the host take no tree: their cycles are in the line of the first one.
        let length = if point.tree.is_some() { 4 } else { 3 };
        let line = match lines.iter().position(|line| line[..length] == key[..length]) {
            Some(at) => &mut lines[at],
            None => {
                let mut line = key.to_vec();
                line.resize(COLUMNS, String::new());
                lines.push(line);
                lines.last_mut().expect("pushed")
            }
        };
        let column = 4 + 2 * Way::ALL.iter().position(|&way| way == point.way).expect("a way");
        let mark = if point.is_taken() { "*" } else { "" };
        line[column] = format!("{mark}{}", grouped(point.cycles));
        line[column + 1] = grouped(point.estimate);
        if let Some(cycles) = point.launched {
            line[COLUMNS - 1] = grouped(cycles);
        }
    }
    let header = [
        "call", "mesh", "words", "tree", "engines", "estimate", "puts", "estimate", "host", "estimate", "launched",
    ];
    table(&header, lines, &[1, 2, 4, 5, 6, 7, 8, 9, 10])
}
