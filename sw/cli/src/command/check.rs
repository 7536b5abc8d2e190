//! `portico check`: what a configuration comes to.

use crate::{config_args::ConfigArgs, design::refusal, output};
use clap::Args;
use portico_generate::proof;
use std::path::PathBuf;

const EXAMPLES: &str = "\
What is printed is itself a configuration, with every key and what it takes:
  portico check mesh.toml > full.toml
  portico check mesh.toml --set fifo=8

A key that does not exist, a wrong type or a value out of range gives one line that says what is allowed, and exit \
status 2.";

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
}

impl Check {
    pub fn run(self) -> anyhow::Result<()> {
        let config = ConfigArgs::over(self.file, self.settings).resolve()?;
        let [mesh, fabric] = [
            proof::line("mesh", &proof::mesh(&config).map_err(refusal)?),
            proof::line("fabric", &proof::fabric(&config).map_err(refusal)?),
        ];
        output::print(&format!("{}# {mesh}\n# {fabric}\n", config.to_toml()))
    }
}
