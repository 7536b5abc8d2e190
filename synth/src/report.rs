//! Synthesis of one block for one target, and its report.

use crate::nextpnr::timed;
use crate::{mapped_area, Area, Mapping, Placement, SynthError, Target, Timing, Tool, Yosys};
use portico_verilog::Design;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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

        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<SynthReport>(&json).unwrap(), report);
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
            "{report:?}"
        );
        assert!((8..=30).contains(&area.luts) && area.others.is_empty(), "{report:?}");
        assert!(report.timing.is_none() && report.area.command.contains("synth_xilinx -family xc7 -flatten"));
        options.place = Some(Placement::default());
        let error = synthesise(&fifo(), &options).unwrap_err();
        assert!(matches!(error, SynthError::NoPlacer { .. }), "{error}");
    }
}
