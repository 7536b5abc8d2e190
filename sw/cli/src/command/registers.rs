//! `portico registers`: what software needs to know of the network interface, in the form that it reads.

use crate::{
    config_args::ConfigArgs,
    design,
    output::{self, Output},
    table::counted,
};
use clap::{Args, ValueEnum};
use portico_generate::PREFIX;
use portico_spec::{
    ni::render::{c_header, markdown, systemrdl, verilog_header, Naming},
    Config,
};
use portico_verilog::configuration_hash;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico registers --form c --out build/portico_ni.h
  portico registers --form verilog --out build/portico_ni.vh
  portico registers --form systemrdl --set width=64 > portico_ni.rdl
  portico registers --form c --prefix left --config left.toml --out build/left_ni.h
  portico registers                       the page docs/registers.md

The headers name registers of tiles and the host PORTICO_..., those of memory nodes PORTICO_MEMORY_NODE_...
SystemRDL has three address maps: portico_tile, portico_host, portico_memory_node. Both have what the fabric of this
configuration has. Texts of two fabrics in one project want two prefixes, as their Verilog does.

All forms come from the tables from which the hardware comes too.";

/// A language.
#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Page of documentation, in Markdown
    Page,
    /// Header for C and C++: addresses, fields, codes, words of packets and descriptors
    C,
    /// The same names as macros, for a file that Verilog includes
    Verilog,
    /// SystemRDL 2.0: registers and memory, for peakrdl and other compilers
    Systemrdl,
}

/// Describe registers, packets and descriptors: as a page, a C header, macros of Verilog, or SystemRDL
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Registers {
    /// Form of the description
    #[arg(long, value_enum, default_value = "page")]
    form: Form,
    #[command(flatten)]
    config: ConfigArgs,
    #[arg(long, value_parser = design::prefix, help = format!("Beginning of every global name [default: {PREFIX}]"))]
    prefix: Option<String>,
    /// File for it, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Form {
    fn render(self, config: &Config, prefix: &str) -> String {
        let fabric = design::block("fabric");
        let naming = Naming {
            prefix,
            generator: &format!("Portico {}", design::VERSION),
            hash: &configuration_hash(fabric.name, &fabric.configuration(config)),
        };
        match self {
            Form::Page => markdown(config),
            Form::C => c_header(config, &naming),
            Form::Verilog => verilog_header(config, &naming),
            Form::Systemrdl => systemrdl(config, &naming),
        }
    }
}

impl Registers {
    pub fn run(self) -> anyhow::Result<()> {
        let text = self
            .form
            .render(&self.config.resolve()?, self.prefix.as_deref().unwrap_or(PREFIX));
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
