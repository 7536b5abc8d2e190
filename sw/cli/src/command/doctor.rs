//! `portico doctor`: whether the programs that Portico calls are there.

use crate::{output, table::folded};
use anyhow::bail;
use clap::Args;
use portico_synth::{locate, Located, Origin, Tool, ToolError};
use std::error::Error;

/// Letters of a cell before it is folded.
const WIDEST: usize = 60;
/// State of a tool that Portico needs and does not find.
const MISSING: &str = "missing";

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
        let tools = Tool::ALL.map(|tool| (tool.to_string(), serves(tool), found(tool)));
        let compiler = ("C++ compiler, make".into(), "Verilated models", found_compiler());
        let mut missing = 0;
        let rows = tools.into_iter().chain([compiler]).map(|(tool, what, found)| {
            missing += usize::from(found[0] == MISSING);
            [vec![tool, what.into()], found.to_vec()].concat()
        });
        let rows: Vec<_> = rows.collect();
        let header = ["tool", "for", "from", "version", "program"];
        output::print(&folded(&header, rows, &[], WIDEST))?;
        match missing {
            0 => Ok(()),
            1 => bail!("a tool is missing"),
            _ => bail!("{missing} tools are missing"),
        }
    }
}

/// Where a tool comes from, its version, and its program or why there is none.
type Found = [String; 3];

fn found(tool: Tool) -> Found {
    match locate(tool) {
        Ok(Located {
            version,
            program,
            origin,
            ..
        }) => {
            let origin = match origin {
                Origin::Environment => "yours",
                Origin::Project => "project",
                Origin::System => "system",
            };
            [origin.into(), version, program.display().to_string()]
        }
        Err(error @ ToolError::NotInstalled { .. }) => not_found("optional", error),
        Err(error) => not_found(MISSING, error),
    }
}

fn found_compiler() -> Found {
    match portico_sim::working_compiler() {
        Ok((program, version)) => ["system".into(), version, program],
        Err(error) => not_found(MISSING, error),
    }
}

fn not_found(state: &str, error: impl Error) -> Found {
    [state.into(), "-".into(), error.to_string()]
}

/// Commands that call a tool.
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
