//! `portico new`: a configuration to begin with.

use crate::{
    config_args::ConfigArgs,
    failure::not_allowed,
    output::{self, Output},
};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico new                                       portico.toml, with the defaults
  portico new leaf.toml --set profile=leaf --set cols=3
  portico generate fabric --config leaf.toml        what comes next

The file has every key, with its meaning and the values that it takes. `portico check` prints the same of a file that
there is.";

/// Write a configuration with every key, its meaning and the values that it takes
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct New {
    /// File to write
    #[arg(value_name = "FILE", default_value = "portico.toml")]
    file: PathBuf,
    /// One key of the configuration, over its default; may be repeated, the last wins
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Replace a file that there is
    #[arg(long)]
    force: bool,
}

impl New {
    pub fn run(self) -> anyhow::Result<()> {
        let config = ConfigArgs::with(self.settings).resolve()?;
        if !self.force && self.file.exists() {
            let file = self.file.display();
            return Err(not_allowed(format!(
                "{file} exists: name another file, or replace it with --force"
            )));
        }
        let said = format!("wrote {}: check it with `portico check`\n", self.file.display());
        let mut output = Output::default();
        output.add(self.file, config.to_toml());
        output.commit()?;
        output::print(&said)
    }
}
