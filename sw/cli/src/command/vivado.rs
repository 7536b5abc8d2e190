//! `portico vivado`: a fabric on a board with an FPGA of Xilinx, as a project of Vivado.

use super::board::{of_family, refusal, BoardArgs};
use crate::output::{self, Output};
use clap::Args;
use portico_synth::{vivado_board_project, Target};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico vivado --board arty-a7-100t --set cols=2 --set rows=2 --out build/arty
  portico vivado --board arty-a7-35t --set profile=leaf --set cols=2 --set rows=1 --clock 40 --out build/arty

Then, where Vivado is installed:
  (cd build/arty && vivado -mode batch -source portico_arty_a7_100t.tcl)
  portico program --board arty-a7-100t build/arty/portico_arty_a7_100t.bit

The script synthesises, places and routes, and leaves the bitstream beside itself if the timing is met. Boards with an \
ECP5: see portico bitstream.";

/// Write a Vivado project of a fabric for a board with an FPGA of Xilinx
#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("board", |board| of_family(board, Target::Xilinx)))]
pub struct Vivado {
    #[command(flatten)]
    board: BoardArgs,
    /// Folder for Verilog, constraints and script, made if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Vivado {
    pub fn run(self) -> anyhow::Result<()> {
        let on_board = self.board.resolve("vivado", Target::Xilinx)?;
        let design = on_board.design()?;
        let mut output = Output::default();
        let mut said = String::new();
        for (name, text) in vivado_board_project(&on_board.board, &design).map_err(refusal)? {
            let path = self.out.join(name);
            said += &format!("wrote {}\n", path.display());
            output.add(path, text);
        }
        output.commit()?;
        output::print(&said)
    }
}
