//! `portico synth`: what a block takes of an FPGA, and how fast it runs there.

mod all;
mod figures;
mod report_text;

use super::bitstream::limit;
use crate::{
    config_args::ConfigArgs,
    design::{self, block_parser, prefix},
    failure::not_allowed,
    figure_files::FigureFiles,
    output::{self, Output},
    progress,
};
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    Args,
};
use portico_generate::{generate, Top, PREFIX};
use portico_spec::Config;
use portico_synth::{
    fusesoc_core, netlist, parts, synthesise, vivado_project, Mapping, Memories, Placement, SynthError, SynthOptions,
    Target,
};
use portico_verilog::Design;
use std::path::PathBuf;

/// The part of a Vivado project, unless told otherwise.
pub const PART: &str = "xc7a100tcsg324-1";

const EXAMPLES: &str = "\
Examples:
  portico synth router --target ecp5      area, and the clock with three seeds
  portico synth router --set fifo=2 --target ecp5 --seeds 1,2,3,4,5
  portico synth tile --target ecp5 --seeds 1,2 --limit 20 --aim 100
  portico synth router --target xilinx --out build/router-xilinx
  portico synth fifo --target ecp5 --no-place --json build/fifo.json
  portico synth tile --set profile=leaf --target ecp5 --by-part --depth 3
  portico synth --all --target ecp5 --no-place --only fifo,router,tile --json build/area.json

ECP5 is synthesised once, without wide LUTs unless --wide-luts asks for them, placed and routed for an LFE5U-85F of speed \
grade 6 with a register at every input and output. Xilinx 7 series is synthesised alone; --out writes a project for Vivado.

--by-part keeps the modules of the parts down to --depth and flattens what is below. Nothing is optimised across parts, so \
that their sum is larger than the area of the block alone.

Large modules that repeat (the tiles of a fabric, its planes, its routers) are worked on once, up to the mapping of \
registers and LUTs. --flat works on each copy by itself: a fabric takes a few times as long, and its area differs by a percent or two.";

/// Synthesise a block: its area, and its clock on ECP5
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Synth {
    /// Block to synthesise
    #[arg(value_parser = block_parser(), required_unless_present = "all")]
    block: Option<&'static Top>,
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
    /// End each run of the placer after so many minutes; its row then says "not finished" [default: no limit]
    #[arg(long, value_name = "MINUTES")]
    limit: Option<f64>,
    /// Area only: do not place and route
    #[arg(long, conflicts_with_all = ["seeds", "aim", "limit"])]
    no_place: bool,
    /// Map wide functions to LUTs with multiplexers behind them: more LUTs, fewer levels; ECP5 alone
    #[arg(long)]
    wide_luts: bool,
    /// Work on each copy of a repeated module by itself
    #[arg(long)]
    flat: bool,
    /// Area of each part of the block, by instance; ECP5 alone, and not placed
    #[arg(long, conflicts_with_all = ["seeds", "aim", "limit", "wide_luts", "flat", "csv"])]
    by_part: bool,
    /// Levels of parts below the block
    #[arg(long, value_name = "LEVELS", default_value_t = 2, requires = "by_part")]
    depth: usize,
    /// All blocks, with their default parameters; writes --json after each, and skips those that the file holds already
    #[arg(long, requires = "json", conflicts_with_all = ["block", "config", "settings", "by_part", "out", "csv", "prefix"])]
    all: bool,
    /// With --all: synthesise only these blocks
    #[arg(long, value_name = "BLOCK,...", value_delimiter = ',', value_parser = block_parser(), requires = "all")]
    only: Vec<&'static Top>,
    /// Xilinx part of the Vivado project
    #[arg(long, default_value = PART)]
    part: String,
    #[command(flatten)]
    files: FigureFiles,
    #[arg(long, value_parser = prefix, help = format!("Beginning of every module's name [default: {PREFIX}]"))]
    prefix: Option<String>,
    /// Folder for the figures, made if need be; without --by-part also for the Verilog and its FuseSoC core with the netlist
    /// (ECP5) or the Vivado project (Xilinx)
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
        let options = self.options()?;
        match self.block {
            Some(block) if self.by_part => self.run_by_part(block),
            Some(block) => self.run_block(block, &options),
            None => {
                let file = self.files.json.as_deref().expect("clap demands a file with --all");
                all::run(&self.only, &options, file)
            }
        }
    }

    fn run_block(self, block: &'static Top, options: &SynthOptions) -> anyhow::Result<()> {
        let config = self.config.resolve()?;
        self.config.warn_of_other_keys(block);
        let design = self.design(block, &config)?;
        let progress = progress::spinner(format!("synthesising {} for {}", design.top, self.target));
        let files = self.files(&design);
        let report = files.and_then(|files| Ok((files, synthesise(&design, options).map_err(refusal)?)));
        progress.finish_and_clear();
        let (files, report) = report?;

        let figures = figures::bench_report(block, &config, &report);
        let text = report_text::synth(&report);
        let mut output = Output::default();
        if let Some(folder) = &self.out {
            files
                .into_iter()
                .for_each(|(name, text)| output.add(folder.join(name), text));
            output.add(folder.join("synth.txt"), text.clone());
        }
        self.files.add(&mut output, self.out.as_deref(), "synth", &figures);
        output.commit()?;
        output::print(&format!("{text}\n{}", figures::bounds(&figures)))
    }

    fn run_by_part(self, block: &'static Top) -> anyhow::Result<()> {
        let config = self.config.resolve()?;
        self.config.warn_of_other_keys(block);
        let design = self.design(block, &config)?;
        let progress = progress::spinner(format!("synthesising the parts of {}", design.top));
        let report = parts(&design, self.depth);
        progress.finish_and_clear();
        let report = report.map_err(refusal)?;

        let json = serde_json::to_string_pretty(&report)? + "\n";
        let text = report_text::parts(&report);
        let mut output = Output::default();
        if let Some(folder) = &self.out {
            output.add(folder.join("parts.txt"), text.clone());
        }
        let in_folder = self.out.map(|folder| folder.join("parts.json"));
        output.add_at(self.files.json, in_folder, json);
        output.commit()?;
        output::print(&text)
    }

    fn design(&self, block: &Top, config: &Config) -> anyhow::Result<Design> {
        let generated = generate(block, config, self.prefix.as_deref());
        Ok(generated.map_err(design::refusal)?.design)
    }

    /// Refuses an option that only an ECP5 has, by its name on the command line.
    fn refuse_options_of_ecp5(&self) -> anyhow::Result<()> {
        let given = [
            ("--by-part", self.by_part),
            ("--wide-luts", self.wide_luts),
            ("--seeds", self.seeds.is_some()),
            ("--aim", self.aim.is_some()),
            ("--limit", self.limit.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.target != Target::Ecp5 => Err(not_allowed(format!(
                "{option} is not allowed with --target {}: allowed is --target ecp5",
                self.target
            ))),
            _ => Ok(()),
        }
    }

    fn options(&self) -> anyhow::Result<SynthOptions> {
        self.refuse_options_of_ecp5()?;
        let mapping = Mapping {
            flat: self.flat,
            ..Mapping::of(self.target)
        };
        Ok(SynthOptions {
            mapping: mapping.with_wide_luts(self.wide_luts).map_err(refusal)?,
            place: self.placement()?,
        })
    }

    fn placement(&self) -> anyhow::Result<Option<Placement>> {
        let asked = self.seeds.is_some() || self.aim.is_some() || self.limit.is_some();
        let place = asked || (self.target == Target::Ecp5 && !self.no_place);
        let limit = self.limit.map(limit).transpose()?;
        let default = Placement::default();
        Ok(place.then(|| Placement {
            seeds: self.seeds.clone().unwrap_or(default.seeds),
            target_mhz: self.aim.unwrap_or(default.target_mhz),
            limit,
        }))
    }

    /// Files for other tools, if a folder for them was named: (file name, text).
    fn files(&self, design: &Design) -> anyhow::Result<Vec<(String, String)>> {
        if self.out.is_none() {
            return Ok(vec![]);
        }
        let mut files = match self.target {
            Target::Ecp5 => vec![
                (format!("{}.v", design.top), design.text()),
                (
                    format!("{}_netlist.v", design.top),
                    netlist(design, Memories::Luts)?.text(),
                ),
            ],
            Target::Xilinx => vivado_project(design, &self.part, "").map_err(refusal)?,
        };
        let core = fusesoc_core(design, &[format!("{}.v", design.top)], None);
        files.push((format!("{}.core", design.top), core));
        Ok(files)
    }
}

/// Tells what may not be asked for from what went wrong, with the option in place of a field of the flow.
pub fn refusal(error: SynthError) -> anyhow::Error {
    match error {
        SynthError::TargetFrequency { value, most } => not_allowed(format!(
            "--aim {value}: allowed is a frequency above 0 and at most {most} MHz"
        )),
        SynthError::NoPlacer { .. }
        | SynthError::NoWideLuts { .. }
        | SynthError::NoSeeds
        | SynthError::NoOutputs { .. }
        | SynthError::Name { .. } => not_allowed(error),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::status;
    use clap::Parser;
    use std::process::ExitCode;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        synth: Synth,
    }

    /// What `portico synth fifo` says to these words before it runs a tool.
    fn refused(words: &str) -> Option<String> {
        let line = format!("portico fifo {words}");
        let error = Line::parse_from(line.split(' ')).synth.options().err()?;
        assert_eq!(status(&error), ExitCode::from(2), "{words}");
        Some(error.to_string())
    }

    #[test]
    fn a_refusal_names_the_option_that_was_given() {
        for option in ["--by-part", "--wide-luts", "--seeds 1", "--aim 100", "--limit 5"] {
            let name = option.split(' ').next().unwrap();
            let expected = format!("{name} is not allowed with --target xilinx: allowed is --target ecp5");
            assert_eq!(refused(&format!("--target xilinx {option}")), Some(expected));
            assert_eq!(refused(&format!("--target ecp5 {option}")), None);
        }
        assert_eq!(refused("--target xilinx"), None);
        let reason = refused("--target ecp5 --limit 0");
        assert_eq!(
            reason.as_deref(),
            Some("--limit 0: allowed is a number of minutes above 0")
        );
        let error = refusal(SynthError::TargetFrequency {
            value: 0.0,
            most: 1000.0,
        });
        assert_eq!(
            error.to_string(),
            "--aim 0: allowed is a frequency above 0 and at most 1000 MHz"
        );
        assert_eq!(status(&error), ExitCode::from(2));
    }
}
