//! Synthesis of one block for one target, and its report.

use crate::nextpnr::{timed, NOT_FINISHED};
use crate::{mapped_area, Area, Mapping, Placement, SynthError, Target, Timing, Tool, Yosys};
use portico_verilog::Design;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::{Alignment, Style};

/// How to synthesise, and what to do besides counting cells.
#[derive(Clone, Debug, PartialEq)]
pub struct SynthOptions {
    /// How the block is mapped; the target is that of its mode.
    pub mapping: Mapping,
    /// Place and route, for the clock frequency; ECP5 alone.
    pub place: Option<Placement>,
}

/// Area of a block, and its clock where it was placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SynthReport {
    /// Top module of the block.
    pub top: String,
    /// The family.
    pub target: Target,
    /// Versions of the tools, by name.
    pub tools: BTreeMap<String, String>,
    /// What the block takes.
    pub area: ModeArea,
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

/// Synthesises a block, and places and routes it if asked to. Yosys runs once: a block that is placed is counted within its
/// scan wrapper, whose registers do not count.
///
/// # Errors
/// [`SynthError::NoPlacer`] if placement is asked for a target other than ECP5; as [`fmax`](crate::fmax).
pub fn synthesise(design: &Design, options: &SynthOptions) -> Result<SynthReport, SynthError> {
    let (mapping, target) = (options.mapping, options.mapping.mode.target());
    let mut tools = BTreeMap::from([(Tool::Yosys.to_string(), Yosys::locate()?.version().to_string())]);
    let (area, timing) = match &options.place {
        None => (mapped_area(design, mapping)?, None),
        Some(_) if target != Target::Ecp5 => return Err(SynthError::NoPlacer { target }),
        Some(placement) => {
            let nextpnr = crate::locate(Tool::NextpnrEcp5)?;
            tools.insert(Tool::NextpnrEcp5.to_string(), nextpnr.version);
            let (area, timing) = timed(design, mapping, placement)?;
            (area, Some(timing))
        }
    };
    let command = mapping.mode.command().to_string();
    Ok(SynthReport {
        top: design.top.clone(),
        target,
        tools,
        area: ModeArea { command, area },
        timing,
    })
}

impl SynthReport {
    fn area_table(&self) -> String {
        let mut builder = Builder::default();
        builder.push_record("mode,LUT,carry,FF,LUT RAM,block RAM,DSP,mux,other cells".split(','));
        let ModeArea { command, area } = &self.area;
        let others = area.others.iter().map(|(cell, count)| format!("{count} {cell}"));
        let others: Vec<String> = others.collect();
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
        table(builder)
    }
}

impl Timing {
    fn table(&self) -> String {
        let mut builder = Builder::default();
        builder.push_record(["seed", "fmax (MHz)"]);
        let shown = |mhz: Option<f64>| mhz.map_or_else(|| NOT_FINISHED.into(), |mhz| format!("{mhz:.1}"));
        for (seed, &mhz) in self.seeds.iter().zip(&self.per_seed) {
            builder.push_record([seed.to_string(), shown(mhz)]);
        }
        builder.push_record(["median".into(), shown(self.median)]);
        table(builder)
    }
}

/// Tools with their versions, in a line.
pub(crate) fn listed(tools: &BTreeMap<String, String>) -> String {
    let tools = tools.iter().map(|(tool, version)| format!("{tool} ({version})"));
    tools.collect::<Vec<_>>().join(" and ")
}

/// A table that Markdown takes, numbers to the right.
pub(crate) fn table(builder: Builder) -> String {
    let mut table = builder.build();
    let numbers = Columns::new(1..).not(Rows::first());
    table.with(Style::markdown()).modify(numbers, Alignment::right());
    table.to_string()
}

impl fmt::Display for SynthReport {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{} on {}, by {}\n", self.top, self.target, listed(&self.tools))?;
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
        if timing.median.is_none() {
            return Ok(());
        }
        write!(f, "\nSlowest path at the median, in ns:\n\n{}", timing.critical_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::fifo;
    use crate::{area, Mode};

    #[test]
    fn a_report_has_the_area_the_clock_and_the_versions() {
        let place = Placement {
            seeds: vec![1],
            ..Placement::default()
        };
        let options = SynthOptions {
            mapping: Mapping::of(Target::Ecp5),
            place: Some(place),
        };
        let report = synthesise(&fifo(), &options).unwrap();
        let timing = report.timing.as_ref().unwrap();
        assert_eq!(timing.per_seed, [timing.median]);
        let median = timing.median.unwrap();
        assert!((50.0..900.0).contains(&median), "{timing:?}");
        assert!(timing.critical_path.contains("setup"), "{}", timing.critical_path);
        // Counted within the wrapper.
        assert_eq!(report.area.area, area(&fifo(), Mode::Ecp5NoWideLut).unwrap());

        let text = report.to_string();
        assert!(text.contains("| synth_ecp5 -nowidelut "), "{text}");
        for version in report.tools.values() {
            assert!(text.contains(version), "{text}");
        }
        assert!(text.contains(&format!("| median | {median:10.1} |")), "{text}");

        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<SynthReport>(&json).unwrap(), report);
    }

    #[test]
    fn a_seed_that_did_not_finish_has_a_row_that_says_so() {
        let mut timing = Timing {
            device: String::new(),
            command: String::new(),
            target_mhz: 200.0,
            seeds: vec![1, 2],
            per_seed: vec![None, Some(100.0)],
            median: Some(100.0),
            critical_path: String::new(),
        };
        let table = timing.table();
        assert!(table.contains("| 1      | not finished |"), "{table}");
        assert!(table.contains("| median |        100.0 |"), "{table}");
        (timing.per_seed, timing.median) = (vec![None; 2], None);
        assert_eq!(timing.table().matches("not finished").count(), 3);
    }

    #[test]
    fn xilinx_is_counted_and_not_placed() {
        let mut options = SynthOptions {
            mapping: Mapping::of(Target::Xilinx),
            place: None,
        };
        let report = synthesise(&fifo(), &options).unwrap();
        let area = &report.area.area;
        assert_eq!(
            (area.ffs, area.lut_rams, area.block_rams, area.dsps, area.muxes),
            (8, 2, 0, 0, 0),
            "{report}"
        );
        assert!((8..=30).contains(&area.luts) && area.others.is_empty(), "{report}");
        assert!(report.timing.is_none() && report.to_string().contains("synth_xilinx -family xc7 -flatten"));
        options.place = Some(Placement::default());
        let error = synthesise(&fifo(), &options).unwrap_err();
        assert!(matches!(error, SynthError::NoPlacer { .. }), "{error}");
    }
}
