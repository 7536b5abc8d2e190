//! `portico doctor`: whether the programs that Portico calls are there.

use crate::{output, table::folded};
use anyhow::bail;
use clap::Args;
use portico_synth::{locate, Located, Origin, Tool, ToolError};

/// Letters of a cell before it is folded.
const WIDEST: usize = 60;

const EXAMPLES: &str = "\
Examples:
  portico doctor                                    exit status 1 if something is missing
  PORTICO_YOSYS=yosys portico doctor                your own Yosys in place of the project's

`make tools` installs all but openFPGALoader, which only `portico program` needs.";

/// Tell which tools are found, where, and what is missing
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {}

impl Doctor {
    pub fn run(self) -> anyhow::Result<()> {
        let mut missing = 0;
        let mut rows = Vec::new();
        for tool in Tool::ALL {
            let (state, version, program) = match locate(tool) {
                Ok(Located {
                    version,
                    program,
                    origin,
                    ..
                }) => (origin_of(origin), version, program.display().to_string()),
                Err(error @ ToolError::NotInstalled { .. }) => ("optional", "-".into(), error.to_string()),
                Err(error) => {
                    missing += 1;
                    ("missing", "-".into(), error.to_string())
                }
            };
            rows.push(vec![
                tool.to_string(),
                serves(tool).into(),
                state.into(),
                version,
                program,
            ]);
        }
        let (state, version, program) = match portico_sim::working_compiler() {
            Ok((program, version)) => ("system", version, program),
            Err(error) => {
                missing += 1;
                ("missing", "-".into(), error.to_string())
            }
        };
        let what = "Verilated models".into();
        rows.push(vec!["C++ compiler, make".into(), what, state.into(), version, program]);
        let header = ["tool", "for", "from", "version", "program"];
        output::print(&folded(&header, rows, &[], WIDEST))?;
        match missing {
            0 => Ok(()),
            1 => bail!("a tool is missing"),
            _ => bail!("{missing} tools are missing"),
        }
    }
}

fn origin_of(origin: Origin) -> &'static str {
    match origin {
        Origin::Environment => "yours",
        Origin::Project => "project",
        Origin::System => "system",
    }
}

/// What cannot be done without it.
fn serves(tool: Tool) -> &'static str {
    match tool {
        Tool::Verilator => "sim, run, bridge, bench",
        Tool::Yosys => "synth, bitstream",
        Tool::NextpnrEcp5 => "synth, bitstream",
        Tool::Ecppack => "bitstream",
        Tool::Sby => "make formal",
        Tool::Verible => "tests",
        Tool::OpenFpgaLoader => "program",
    }
}
