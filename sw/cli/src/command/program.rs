//! `portico program`: a bitstream into a board.

use super::board::board_parser;
use anyhow::{bail, ensure, Context};
use clap::Args;
use portico_synth::{locate, Board, Target, Tool};
use std::{ffi::OsString, fs::File, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  portico program --board ulx3s-85f build/ulx3s-85f/portico_ulx3s_85f.bit
  portico program --board arty-a7-100t build/arty/portico_arty_a7_100t.bit
  portico program --board arty-a7-100t build/arty/portico_arty_a7_100t.bit -- --write-flash
  portico program --board ecpix5-85f build/ecpix5/portico_ecpix5_85f.bit -- --cable ft4232
                                          an ECPIX-5 R03, whose USB chip is another
  portico program --board ulx3s-85f build/ulx3s-85f/portico_ulx3s_85f.bit -- --ftdi-serial K00123
                                          one of several boards

openFPGALoader loads the bitstream into the FPGA, which keeps it until the power goes. It has to be on PATH, or in \
PORTICO_OPENFPGALOADER.";

/// Load a bitstream into a board, by openFPGALoader
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Program {
    /// Board
    #[arg(long, value_parser = board_parser(&Target::ALL))]
    board: Board,
    /// Bitstream
    #[arg(value_name = "FILE.bit")]
    file: PathBuf,
    /// Options of openFPGALoader, such as a cable, the serial number of an adapter, or the flash
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<OsString>,
}

impl Program {
    pub fn run(self) -> anyhow::Result<()> {
        let file = File::open(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        ensure!(file.metadata()?.is_file(), "{} is no file", self.file.display());
        let loader = locate(Tool::OpenFpgaLoader)?;
        let mut command = loader.command();
        command
            .args(["-b", &self.board.loader])
            .args(&self.options)
            .arg(&self.file);
        let status = command.status();
        let status = status.with_context(|| format!("cannot run {}", loader.program.display()))?;
        if !status.success() {
            bail!("{} ends with {status}", loader.tool);
        }
        Ok(())
    }
}
