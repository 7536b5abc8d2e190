//! `portico synth`: what a block takes of an FPGA, and how fast it runs there.

mod figures;

use crate::{
    config_args::ConfigArgs,
    design::{block_parser, design},
    failure::not_allowed,
    output::{self, Output},
    progress,
};
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    Args,
};
use portico_generate::Top;
use portico_synth::{fusesoc_core, netlist, synthesise, vivado_project, Placement, SynthError, SynthOptions, Target};
use portico_verilog::Design;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  portico synth router --target ecp5      area in both modes of Yosys, clock with three seeds
  portico synth router --set fifo=2 --target ecp5 --seeds 1,2,3,4,5
  portico synth router --target xilinx --out build/router-xilinx
  portico synth fifo --target ecp5 --no-place --json build/fifo.json

ECP5 is synthesised in both modes, without and with wide LUTs, placed and routed for an LFE5U-85F of speed grade 6 \
with a register at every input and output. Xilinx 7 series is synthesised alone; --out writes a project for Vivado.";

/// Synthesise a block: its area, and its clock on ECP5
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Synth {
    /// Block to synthesise
    #[arg(value_parser = block_parser())]
    block: &'static Top,
    /// FPGA family
    #[arg(long, value_parser = target_parser())]
    target: Target,
    #[command(flatten)]
    config: ConfigArgs,
    /// Seeds of the placer, one run each; the clock is their median [default: 1,2,3]
    #[arg(long, value_name = "SEED,...", value_delimiter = ',')]
    seeds: Option<Vec<u32>>,
    /// Frequency in MHz that the placer aims at [default: 200]
    #[arg(long, value_name = "MHZ")]
    aim: Option<f64>,
    /// Area alone: neither place nor route
    #[arg(long, conflicts_with_all = ["seeds", "aim"])]
    no_place: bool,
    /// Xilinx part of the Vivado project
    #[arg(long, default_value = "xc7a100tcsg324-1")]
    part: String,
    /// All figures, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Folder for the Verilog and its FuseSoC core with the netlist (ECP5) or the Vivado project (Xilinx), made if need be
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn target_parser() -> impl TypedValueParser<Value = Target> {
    let names = PossibleValuesParser::new(Target::ALL.map(|target| match target {
        Target::Ecp5 => "ecp5",
        Target::Xilinx => "xilinx",
    }));
    names.try_map(|name| name.parse::<Target>())
}

impl Synth {
    pub fn run(self) -> anyhow::Result<()> {
        let config = self.config.resolve()?;
        self.config.warn_of_other_keys(self.block);
        let design = design(self.block.name, &config)?;
        let options = SynthOptions {
            place: self.placement(),
        };
        let progress = progress::spinner(format!("synthesising {} for {}", design.top, self.target));
        let files = self.files(&design);
        let report = files.and_then(|files| Ok((files, synthesise(&design, self.target, &options).map_err(refusal)?)));
        progress.finish_and_clear();
        let (files, report) = report?;

        let figures = figures::bench_report(self.block, &config, &report);
        let mut output = Output::default();
        if let Some(folder) = &self.out {
            files
                .into_iter()
                .for_each(|(name, text)| output.add(folder.join(name), text));
            output.add(folder.join("synth.txt"), report.to_string());
            output.add(folder.join("synth.json"), figures.to_json());
        }
        if let Some(file) = &self.json {
            output.add(file, figures.to_json());
        }
        output.commit()?;
        output::print(&format!("{report}\n{}", figures::bounds(&figures)))
    }

    fn placement(&self) -> Option<Placement> {
        let asked = self.seeds.is_some() || self.aim.is_some();
        let place = asked || (self.target == Target::Ecp5 && !self.no_place);
        let default = Placement::default();
        place.then(|| Placement {
            seeds: self.seeds.clone().unwrap_or(default.seeds),
            target_mhz: self.aim.unwrap_or(default.target_mhz),
        })
    }

    /// Files for other tools, if a folder for them was named: (file name, text).
    fn files(&self, design: &Design) -> anyhow::Result<Vec<(String, String)>> {
        if self.out.is_none() {
            return Ok(vec![]);
        }
        let mut files = match self.target {
            Target::Ecp5 => vec![
                (format!("{}.v", design.top), design.text()),
                (format!("{}_netlist.v", design.top), netlist(design)?.text()),
            ],
            Target::Xilinx => vivado_project(design, &self.part, "").map_err(refusal)?,
        };
        let core = fusesoc_core(design, &[format!("{}.v", design.top)]);
        files.push((format!("{}.core", design.top), core));
        Ok(files)
    }
}

/// Tells what may not be asked for from what went wrong.
fn refusal(error: SynthError) -> anyhow::Error {
    match error {
        SynthError::NoPlacer { .. }
        | SynthError::NoSeeds
        | SynthError::TargetFrequency { .. }
        | SynthError::NoOutputs { .. }
        | SynthError::Name { .. } => not_allowed(error),
        _ => error.into(),
    }
}
