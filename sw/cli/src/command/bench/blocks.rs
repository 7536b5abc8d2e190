//! `portico bench blocks`: the blocks that are useful alone.

use super::{blocks_tables, sign};
use crate::{
    figure_files::BenchFiles,
    output::{self, Output},
    plot, progress,
};
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    Args,
};
use portico_synth::Tool;
use portico_testbench::bench::{
    blocks::{self, Block, Effort, Plot},
    report::BenchReport,
};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico bench blocks                    all blocks: many minutes, most of them placement
  portico bench blocks --quick            short runs, no placement
  portico bench blocks fp-add reduce-alu --json build/blocks.json --svg build/blocks.svg
  portico bench blocks list-manager --out build/list-manager

Measured are the cycles of each block's operations in Verilog (Verilator), every result compared with that of the \
reference model; its cells for ECP5 and Xilinx 7 by Yosys; and its clock on ECP5 by nextpnr, the median of three seeds.

Columns: paper is the figure of the paper that described it, limit is what no implementation can pass, bound is what \
Portico must reach.";

/// Measure blocks that are useful alone: cycles, area, clock
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Blocks {
    /// Blocks to measure [default: all]
    #[arg(value_name = "BLOCK", value_parser = block_parser())]
    blocks: Vec<Block>,
    /// Few sizes, short runs, and no placement: no clock is measured
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    files: BenchFiles,
    /// Series of figures, as plots
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Folder for all four, as blocks.json, blocks.csv, blocks-wide.csv and blocks.svg, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// All that was measured.
#[derive(Serialize)]
struct Figures<'a> {
    #[serde(flatten)]
    report: &'a BenchReport,
    plots: &'a [Plot],
}

fn block_parser() -> impl TypedValueParser<Value = Block> {
    let names = PossibleValuesParser::new(Block::ALL.map(Block::name));
    names.map(|name| Block::named(&name).expect("a name from the list of blocks"))
}

impl Blocks {
    pub fn run(self) -> anyhow::Result<()> {
        let effort = if self.quick { Effort::quick() } else { Effort::default() };
        let blocks = chosen(self.blocks);
        let bar = progress::bar(0);
        let measured = blocks::run(&blocks, &effort, &mut progress::steps(&bar));
        bar.finish_and_clear();
        let blocks::Measured { rows, plots } = measured?;

        let mut report = BenchReport {
            rows,
            ..BenchReport::default()
        };
        let placer = effort.place.as_ref().map(|_| Tool::NextpnrEcp5);
        let tools = [Tool::Verilator, Tool::Yosys].into_iter().chain(placer);
        sign(&mut report, effort.seed, tools)?;

        let mut output = Output::default();
        let folder = self.out.as_deref();
        let figures = Figures {
            report: &report,
            plots: &plots,
        };
        let json = serde_json::to_string_pretty(&figures)? + "\n";
        self.files.add_text(&mut output, folder, "blocks", json, &report);
        let svg = folder.filter(|_| !plots.is_empty());
        let svg = svg.map(|folder| folder.join("blocks.svg"));
        if self.svg.is_some() || svg.is_some() {
            output.add_at(self.svg, svg, plot::series("Blocks alone", &plots)?);
        }
        output.commit()?;
        output::print(&blocks_tables::text(&report, &plots))
    }
}

/// The blocks asked for, each once, in the order in which they are listed; all if none is.
fn chosen(asked: Vec<Block>) -> Vec<Block> {
    let wanted = |block: &Block| asked.is_empty() || asked.contains(block);
    Block::ALL.into_iter().filter(wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_measured_once_and_all_of_them_unless_some_are_named() {
        assert_eq!(chosen(vec![]), Block::ALL);
        let asked = vec![Block::Buddy, Block::FpAdd, Block::Buddy];
        assert_eq!(chosen(asked), [Block::FpAdd, Block::Buddy]);
    }

    #[test]
    fn json_has_rows_and_plots_side_by_side() {
        let figures = Figures {
            report: &BenchReport::default(),
            plots: &[Plot {
                title: "t".into(),
                x: "x".into(),
                y: "y".into(),
                lines: vec![],
            }],
        };
        let json = serde_json::to_value(&figures).unwrap();
        assert!(json["rows"].is_array() && json["plots"][0]["title"] == "t", "{json}");
    }
}
