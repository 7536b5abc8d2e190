//! `portico generate`: the Verilog of a block.

use super::synth::{refusal, PART};
use crate::{
    config_args::ConfigArgs,
    design::{self, block_parser, ProofFigures},
    failure::not_allowed,
    output::{self, Output},
    table::counted,
};
use clap::Args;
use portico_generate::{generate, proof, Generated, Top, PREFIX};
use portico_spec::{deadlock::Proof, Config};
use portico_synth::{fusesoc_core, vivado_project};
use portico_testbench::bench::report::settings;
use portico_verilog::{Design, Direction};
use serde::Serialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

mod buses;
mod template;
mod vivado_ip;

const EXAMPLES: &str = "\
Examples:
  portico generate router                 Verilog on standard output
  portico generate mesh --set cols=8 --set rows=8 --out build/mesh8
  portico generate mesh --config mesh.toml --out build/mesh --split
  portico generate fifo --set fifo=16 --prefix chip --out build --json build/fifo.json
  portico generate fabric --set cols=2 --set rows=1 --core --template --out build/fabric

Without --out, the Verilog goes to standard output and all that is said about it to standard error. \
Files are written whole or not at all.";

/// Generate the Verilog of a block
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Generate {
    /// Block to generate
    #[arg(value_parser = block_parser())]
    block: &'static Top,
    #[command(flatten)]
    config: ConfigArgs,
    /// Folder for the Verilog, made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// All modules in one file (the default)
    #[arg(long = "single", overrides_with = "split")]
    _single: bool,
    /// One file a module, and a .f list of them in order of compilation
    #[arg(long, requires = "out")]
    split: bool,
    /// Also a FuseSoC core, a Vivado project script, and a wrapper with attributes for Vivado's block designs
    #[arg(long, requires = "out", conflicts_with = "split")]
    core: bool,
    /// Also an instance to copy, with every port connected or tied off, and a test bench that runs it under Icarus or Verilator
    #[arg(long, requires = "out", conflicts_with = "split")]
    template: bool,
    /// Xilinx part of the Vivado project
    #[arg(long, default_value = PART, requires = "core")]
    part: String,
    #[arg(long, value_parser = design::prefix, help = format!("Beginning of every module's name [default: {PREFIX}]"))]
    prefix: Option<String>,
    /// What was generated, as JSON: configuration, modules, ports of the top, files
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What was generated.
#[derive(Serialize)]
struct Summary<'a> {
    generator: String,
    block: &'a str,
    top: &'a str,
    config: BTreeMap<String, Value>,
    /// Of the network's freedom from deadlock, if the block is one.
    proof: Option<ProofFigures>,
    modules: Vec<ModuleFigures<'a>>,
    ports: Vec<PortFigures<'a>>,
    files: Vec<String>,
}

#[derive(Serialize)]
struct ModuleFigures<'a> {
    name: &'a str,
    lines: usize,
}

#[derive(Serialize)]
struct PortFigures<'a> {
    name: &'a str,
    direction: &'static str,
    width: usize,
}

impl Generate {
    pub fn run(self) -> anyhow::Result<()> {
        let config = self.config.resolve()?;
        self.config.warn_of_other_keys(self.block);
        let generated = generate(self.block, &config, self.prefix.as_deref()).map_err(design::refusal)?;
        let Generated { design, proof } = generated;
        let files = match self.out.as_deref() {
            Some(folder) => [
                files(&design, folder, self.split),
                self.beside(folder, &design, &config)?,
            ]
            .concat(),
            None => vec![],
        };

        let proved = proof.iter().map(|proof| proof::line(self.block.name, proof) + "\n");
        let mut said: String = proved.collect();
        let mut output = Output::default();
        let summary = self.summary(&config, &design, proof, &files);
        for (path, text) in files {
            said += &format!("wrote {}: {}\n", path.display(), content(&path, &text));
            output.add(path, text);
        }
        if let Some(path) = &self.json {
            said += &format!("wrote {}: summary\n", path.display());
            output.add(path, serde_json::to_string_pretty(&summary)? + "\n");
        }
        output.commit()?;
        match self.out {
            Some(_) => output::print(&said),
            None => {
                eprint!("{said}");
                output::print(&design.text())
            }
        }
    }

    /// The files that the options `core` and `template` ask for.
    fn beside(&self, folder: &Path, design: &Design, config: &Config) -> anyhow::Result<Vec<(PathBuf, String)>> {
        let (top, mut files) = (&design.top, vec![]);
        let bench = self.template.then(|| format!("{top}_tb.v"));
        if let Some(bench) = &bench {
            // A fabric's bus of registers is that of its host's node, which has the number behind those of the tiles.
            let bench_text = match self.block.name {
                "fabric" => template::bench(design, config.tiles(), &config.fabric().map_err(not_allowed)?),
                _ => template::bench(design, 0, config),
            };
            files.push((bench.clone(), bench_text));
            files.push((format!("{top}_template.vh"), template::template(design)));
        }
        if self.core {
            let project = vivado_project(design, &self.part, "").map_err(refusal)?;
            // The Verilog is there already.
            files.extend(project.into_iter().filter(|(name, _)| !name.ends_with(".v")));
            files.push((format!("{top}_ip.v"), vivado_ip::wrapper(design)));
            let core = fusesoc_core(design, &[format!("{top}.v")], bench.as_deref());
            files.push((format!("{top}.core"), core));
        }
        Ok(files
            .into_iter()
            .map(|(name, text)| (folder.join(name), text))
            .collect())
    }

    fn summary<'a>(
        &self,
        config: &Config,
        design: &'a Design,
        proof: Option<Proof>,
        files: &[(PathBuf, String)],
    ) -> Summary<'a> {
        let module = |module: &'a portico_verilog::Module| ModuleFigures {
            name: &module.name,
            lines: module.text.lines().count(),
        };
        let port = |port: &'a portico_verilog::Port| PortFigures {
            name: &port.name,
            direction: match port.direction {
                Direction::Input => "input",
                Direction::Output => "output",
            },
            width: port.width,
        };
        Summary {
            generator: format!("Portico {}", design::VERSION),
            block: self.block.name,
            top: &design.top,
            config: settings(self.block.configuration(config)),
            proof: proof.map(ProofFigures::from),
            modules: design.modules.iter().map(module).collect(),
            ports: design.ports.iter().map(port).collect(),
            files: files.iter().map(|(path, _)| path.display().to_string()).collect(),
        }
    }
}

/// The files of a design, in `folder`.
fn files(design: &Design, folder: &Path, split: bool) -> Vec<(PathBuf, String)> {
    let files = match split {
        true => design.files(),
        false => vec![(format!("{}.v", design.top), design.text())],
    };
    files
        .into_iter()
        .map(|(name, text)| (folder.join(name), text))
        .collect()
}

/// Counts what a file holds: modules and lines of Verilog, the names in a list of files, or lines.
fn content(path: &Path, text: &str) -> String {
    let lines = text.lines().count();
    match text.lines().filter(|line| line.starts_with("module ")).count() {
        0 if path.extension().is_some_and(|extension| extension == "f") => counted(lines, "file"),
        0 => counted(lines, "line"),
        modules => format!("{}, {}", counted(modules, "module"), counted(lines, "line")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_design_has_a_file_a_module_and_a_list() {
        let generated = generate(design::block("fifo"), &Config::default(), Some("chip"));
        let design = generated.unwrap().design;
        let folder = Path::new("out");
        let single = files(&design, folder, false);
        assert_eq!(single.len(), 1);
        assert_eq!(single[0].0, folder.join("chip_fifo.v"));
        assert!(content(&single[0].0, &single[0].1).starts_with(&counted(design.modules.len(), "module")));
        let split = files(&design, folder, true);
        assert_eq!(split.len(), design.modules.len() + 1);
        let (name, list) = split.last().unwrap();
        assert_eq!(name, &folder.join("chip_fifo.f"));
        assert_eq!(content(name, list), counted(design.modules.len(), "file"));
    }
}
