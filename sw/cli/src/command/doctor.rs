//! `portico doctor`: whether the programs that Portico calls are there, and new enough.

use crate::{output, table::folded};
use anyhow::bail;
use clap::Args;
use portico_synth::{locate, Located, Origin, Tool, ToolError};
use std::error::Error;

/// Letters of a cell before it is folded.
const WIDEST: usize = 60;
/// State of a tool that is not found, or too old.
const MISSING: &str = "missing";

const EXAMPLES: &str = "\
Examples:
  portico doctor                                    exit status 1 if a command of portico lacks something
  PORTICO_YOSYS=yosys portico doctor                your own Yosys in place of the project's

`portico tools install`, or `make tools` in a checkout, installs all but openFPGALoader, which only `portico program` \
needs. What only the tests of Portico need is listed apart, and may be missing.";

/// Tell which tools are found, where, and what is missing
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {}

impl Doctor {
    pub fn run(self) -> anyhow::Result<()> {
        let row = |tool: Tool| [vec![tool.to_string(), serves(tool).into()], found(tool).to_vec()].concat();
        let (developers, users): (Vec<Tool>, _) = Tool::ALL.into_iter().partition(|&tool| is_for_tests(tool));
        let compiler = [
            vec!["C++ compiler, make".to_owned(), "models of Verilator".into()],
            found_compiler().to_vec(),
        ];
        let users: Vec<_> = users.into_iter().map(row).chain([compiler.concat()]).collect();
        let missing = users.iter().filter(|row| row[2] == MISSING).count();
        let developers: Vec<_> = developers.into_iter().map(row).collect();
        let header = ["tool", "for", "from", "version", "program"];
        output::print(&format!(
            "{}\nFor the tests of Portico alone:\n\n{}",
            folded(&header, users, &[], WIDEST),
            folded(&header, developers, &[], WIDEST)
        ))?;
        match missing {
            0 => Ok(()),
            1 => bail!("a tool is missing"),
            _ => bail!("{missing} tools are missing"),
        }
    }
}

fn is_for_tests(tool: Tool) -> bool {
    matches!(tool, Tool::Sby | Tool::Verible)
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
