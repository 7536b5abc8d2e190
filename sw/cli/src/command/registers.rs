//! `portico registers`: what software needs to know of the network interface, in the form that it reads.

use crate::{
    config_args::ConfigArgs,
    output::{self, Output},
    table::counted,
};
use clap::{Args, ValueEnum};
use portico_spec::{
    ni::render::{c_header, markdown, systemrdl},
    Config,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico registers --form c --out build/portico_ni.h
  portico registers --form systemrdl --set width=64 > portico_ni.rdl
  portico registers                       the page docs/registers.md

The header names registers of tiles and the host PORTICO_..., those of memory nodes PORTICO_MEMORY_NODE_...
SystemRDL has three address maps: portico_tile, portico_host, portico_memory_node.

All forms come from the tables from which the hardware comes too.";

/// A language.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Page of documentation, in Markdown
    Page,
    /// Header for C and C++: addresses, fields, codes, words of packets and descriptors
    C,
    /// SystemRDL 2.0: registers and memory, for peakrdl and other compilers
    Systemrdl,
}

/// Describe registers, packets and descriptors: as a page, a C header, or SystemRDL
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Registers {
    /// Form of the description
    #[arg(long, value_enum, default_value = "page")]
    form: Form,
    #[command(flatten)]
    config: ConfigArgs,
    /// File for it, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Form {
    fn render(self, config: &Config) -> String {
        match self {
            Form::Page => markdown(config),
            Form::C => c_header(config),
            Form::Systemrdl => systemrdl(config),
        }
    }
}

impl Registers {
    pub fn run(self) -> anyhow::Result<()> {
        let text = self.form.render(&self.config.resolve()?);
        let Some(path) = self.out else {
            return output::print(&text);
        };
        let said = format!("wrote {}: {}\n", path.display(), counted(text.lines().count(), "line"));
        let mut output = Output::default();
        output.add(path, text);
        output.commit()?;
        output::print(&said)
    }
}
