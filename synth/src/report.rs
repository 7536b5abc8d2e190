//! Synthesis of one block for one target, and its report.

use crate::{area, fmax, Area, Mode, Placement, SynthError, Target, Timing, Tool, Yosys};
use portico_verilog::Design;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::{Alignment, Style};

/// What to do besides counting cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SynthOptions {
    /// Place and route, for the clock frequency; ECP5 alone.
    pub place: Option<Placement>,
}

/// Area of a block in every mode of a target, and its clock where it was placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SynthReport {
    /// Top module of the block.
    pub top: String,
    /// The family.
    pub target: Target,
    /// Versions of the tools, by name.
    pub tools: BTreeMap<String, String>,
    /// One a mode of Yosys; the first is the one whose figures are compared.
    pub areas: Vec<ModeArea>,
    /// Where it was placed and routed.
    pub timing: Option<Timing>,
}

/// Area in one mode of Yosys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeArea {
    /// The command of Yosys.
    pub command: String,
    /// What the block takes.
    pub area: Area,
}

/// Synthesises a block in every mode of the target, and places and routes it if asked to.
///
/// # Errors
/// [`SynthError::NoPlacer`] if placement is asked for a target other than ECP5; as [`fmax`].
pub fn synthesise(design: &Design, target: Target, options: &SynthOptions) -> Result<SynthReport, SynthError> {
    let mut tools = BTreeMap::from([(Tool::Yosys.to_string(), Yosys::locate()?.version().to_string())]);
    if options.place.is_some() {
        if target != Target::Ecp5 {
            return Err(SynthError::NoPlacer { target });
        }
        let nextpnr = crate::locate(Tool::NextpnrEcp5)?;
        tools.insert(Tool::NextpnrEcp5.to_string(), nextpnr.version);
    }
    let count = |&mode: &Mode| {
        let command = mode.command().to_string();
        area(design, mode).map(|area| ModeArea { command, area })
    };
    Ok(SynthReport {
        top: design.top.clone(),
        target,
        tools,
        areas: target.modes().iter().map(count).collect::<Result<_, _>>()?,
        timing: options.place.as_ref().map(|place| fmax(design, place)).transpose()?,
    })
}

impl SynthReport {
    fn area_table(&self) -> String {
        let mut builder = Builder::default();
        builder.push_record("mode,LUT,carry,FF,LUT RAM,block RAM,DSP,mux,other cells".split(','));
        for ModeArea { command, area } in &self.areas {
            let others: Vec<String> = area
                .others
                .iter()
                .map(|(cell, count)| format!("{count} {cell}"))
                .collect();
            let counts = [
                area.luts,
                area.carry,
                area.ffs,
                area.lut_rams,
                area.block_rams,
                area.dsps,
                area.muxes,
            ];
            let counts = counts.iter().map(u64::to_string);
            builder.push_record([command.clone()].into_iter().chain(counts).chain([others.join(", ")]));
        }
        table(builder)
    }
}

impl Timing {
    fn table(&self) -> String {
        let mut builder = Builder::default();
        builder.push_record(["seed", "fmax (MHz)"]);
        for (seed, mhz) in self.seeds.iter().zip(&self.per_seed) {
            builder.push_record([seed.to_string(), format!("{mhz:.1}")]);
        }
        builder.push_record(["median".into(), format!("{:.1}", self.median)]);
        table(builder)
    }
}

/// A table that Markdown takes, numbers to the right.
fn table(builder: Builder) -> String {
    let mut table = builder.build();
    let numbers = Columns::new(1..).not(Rows::first());
    table.with(Style::markdown()).modify(numbers, Alignment::right());
    table.to_string()
}

impl fmt::Display for SynthReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let tools: Vec<String> = self
            .tools
            .iter()
            .map(|(tool, version)| format!("{tool} ({version})"))
            .collect();
        writeln!(f, "{} on {}, by {}\n", self.top, self.target, tools.join(" and "))?;
        writeln!(f, "{}", self.area_table())?;
        let Some(timing) = &self.timing else {
            return Ok(());
        };
        writeln!(
            f,
            "\nClock on {}, aimed at {} MHz, after `{}`, every input and output registered:\n",
            timing.device, timing.target_mhz, timing.command
        )?;
        writeln!(f, "{}", timing.table())?;
        write!(f, "\nSlowest path at the median, in ns:\n\n{}", timing.critical_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::fifo;

    #[test]
    fn a_report_has_every_mode_the_clock_and_the_versions() {
        let place = Placement {
            seeds: vec![1],
            ..Placement::default()
        };
        let options = SynthOptions { place: Some(place) };
        let report = synthesise(&fifo(), Target::Ecp5, &options).unwrap();
        let timing = report.timing.as_ref().unwrap();
        assert_eq!((timing.per_seed.len(), timing.median), (1, timing.per_seed[0]));
        assert!((50.0..900.0).contains(&timing.median), "{timing:?}");
        assert!(timing.critical_path.contains("setup"), "{}", timing.critical_path);

        let text = report.to_string();
        for mode in Target::Ecp5.modes() {
            assert!(text.contains(&format!("| {} ", mode.command())), "{text}");
        }
        for version in report.tools.values() {
            assert!(text.contains(version), "{text}");
        }
        assert!(text.contains(&format!("| median | {:10.1} |", timing.median)), "{text}");

        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<SynthReport>(&json).unwrap(), report);
    }

    #[test]
    fn xilinx_is_counted_and_not_placed() {
        let report = synthesise(&fifo(), Target::Xilinx, &SynthOptions::default()).unwrap();
        let [ModeArea { area, .. }] = &report.areas[..] else {
            panic!("{report}")
        };
        assert_eq!(
            (area.ffs, area.lut_rams, area.block_rams, area.dsps, area.muxes),
            (8, 2, 0, 0, 0),
            "{report}"
        );
        assert!((8..=30).contains(&area.luts) && area.others.is_empty(), "{report}");
        assert!(report.timing.is_none() && report.to_string().contains("synth_xilinx -family xc7 -flatten"));
        let options = SynthOptions {
            place: Some(Placement::default()),
        };
        let error = synthesise(&fifo(), Target::Xilinx, &options).unwrap_err();
        assert!(matches!(error, SynthError::NoPlacer { .. }), "{error}");
    }
}
