//! `portico completions`: a script with which a shell completes command lines.

use super::Arguments;
use crate::output;
use clap::{Args, CommandFactory};
use clap_complete::{generate, Shell};

const EXAMPLES: &str = "\
Examples:
  portico completions bash > ~/.local/share/bash-completion/completions/portico
  portico completions zsh > ~/.zfunc/_portico          with ~/.zfunc in fpath
  portico completions fish > ~/.config/fish/completions/portico.fish";

/// Print a script with which a shell completes commands, options and their values
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// Shell that is to complete
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "portico", &mut script);
        output::print(&String::from_utf8(script)?)
    }
}
