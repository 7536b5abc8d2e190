//! `portico check`: what a configuration comes to.

use crate::{
    config_args::ConfigArgs,
    design::{refusal, ProofFigures},
    output,
};
use clap::Args;
use portico_generate::proof;
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf};

const EXAMPLES: &str = "\
What is printed is itself a configuration, with every key and what it takes:
  portico check mesh.toml > full.toml
  portico check mesh.toml --set fifo=8
  portico check mesh.toml --json          configuration and proofs, for programs

Each key that does not exist, each wrong type and each value out of range gives a line that says what is allowed; the exit \
status is 2 then.";

/// Check a configuration file, print all of it, and prove its networks free of deadlock
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Check {
    /// Configuration file (TOML)
    #[arg(value_name = "CONFIG")]
    file: PathBuf,
    /// One key of the configuration, over the file; may be repeated, the last wins
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Print JSON: the configuration with every key, and the figures of each network's proof
    #[arg(long)]
    json: bool,
}

/// A configuration, and what was proven of its networks.
#[derive(Serialize)]
struct Checked {
    config: toml::Table,
    free_of_deadlock: BTreeMap<&'static str, ProofFigures>,
}

impl Check {
    pub fn run(self) -> anyhow::Result<()> {
        let config = ConfigArgs::over(self.file, self.settings).resolve()?;
        let proofs = [
            ("mesh", proof::mesh(&config).map_err(refusal)?),
            ("fabric", proof::fabric(&config).map_err(refusal)?),
        ];
        if self.json {
            let checked = Checked {
                config: config.to_toml().parse()?,
                free_of_deadlock: proofs.map(|(network, proof)| (network, proof.into())).into(),
            };
            return output::print(&(serde_json::to_string_pretty(&checked)? + "\n"));
        }
        let proven = proofs.map(|(network, proof)| format!("# {}\n", proof::line(network, &proof)));
        output::print(&format!("{}{}", config.to_toml(), proven.concat()))
    }
}
