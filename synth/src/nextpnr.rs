//! The clock that a block reaches on an ECP5, placed and routed by nextpnr within a scan wrapper.

use crate::area::{Cells, STAT_SCRIPT};
use crate::scan;
use crate::scratch::Scratch;
use crate::{Area, Located, Mapping, Mode, SynthError, Tool, Yosys};
use portico_verilog::{Design, Direction};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The FPGA, as nextpnr is told and as people know it.
const DEVICE_ARGUMENTS: [&str; 5] = ["--85k", "--speed", "6", "--package", "CABGA756"];
const DEVICE: &str = "LFE5U-85F, speed grade 6, CABGA756";
/// Highest frequency to aim at: well above what any net of an ECP5 takes.
const MOST_MHZ: f64 = 1000.0;
const NETLIST: &str = "scan.json";
const REPORT: &str = "timing.json";
/// What stands for the frequency of a run that its limit ended.
const NOT_FINISHED: &str = "not finished";

/// How to place and route.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// One run each; a router takes about 15 s.
    pub seeds: Vec<u32>,
    /// Frequency in MHz that the placer aims at, up to 1000; the figures depend on it.
    pub target_mhz: f64,
    /// Time for each run of the placer; one that takes longer is ended, and the next begins.
    pub limit: Option<Duration>,
}

impl Default for Placement {
    fn default() -> Self {
        Placement {
            seeds: vec![1, 2, 3],
            target_mhz: 200.0,
            limit: None,
        }
    }
}

/// Clock frequencies of a block, every input and output of it registered, frequencies in MHz.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// FPGA, speed grade and package.
    pub device: String,
    /// Command of Yosys that mapped the block.
    pub command: String,
    /// What the placer aimed at.
    pub target_mhz: f64,
    /// Seeds of the placer.
    pub seeds: Vec<u32>,
    /// Highest frequency with each seed, in their order; none where the placer did not finish within its limit.
    pub per_seed: Vec<Option<f64>>,
    /// The median of those that finished; of an even number, the mean of the middle two. None if none did.
    pub median: Option<f64>,
    /// The slowest path with the seed at the median (the lower one of two), a line a step, delays in ns. What begins with
    /// `block.` is within the block; `drive` and `captured` are the wrapper's registers. Empty if no seed finished.
    pub critical_path: String,
    /// Where the slowest paths of that seed end, the slowest first: one end an instance, [`SLOWEST_ENDS`] at most.
    #[serde(default)]
    pub slowest_ends: Vec<PathEnd>,
}

/// How many ends of slow paths [`Timing`] has at most.
pub const SLOWEST_ENDS: usize = 10;

/// The end of the slowest path into an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathEnd {
    /// The instance, as [`instance_of`] gives it.
    pub instance: String,
    /// From the clock edge to the end, setup included, in ns.
    pub ns: f64,
}

/// The instance that a cell belongs to, without the wrapper and what Yosys adds to names.
pub fn instance_of(cell: &str) -> String {
    let cell = cell.strip_prefix("block.").unwrap_or(cell);
    let words = cell.split('.');
    let is_ours = |word: &&str| !word.contains("TRELLIS") && !word.contains("LUT4") && !word.contains("CCU2C");
    let words: Vec<&str> = words
        .take_while(|word| is_ours(word) && word.parse::<u32>().is_err())
        .collect();
    words.join(".")
}

/// Places and routes a block alone within a scan wrapper, once a seed, one after the other.
///
/// The block is mapped by `synth_ecp5 -nowidelut`, flat, as if it were alone: its area is that of
/// [`Mode::Ecp5NoWideLut`](crate::Mode::Ecp5NoWideLut). The input `clk` is the clock, `rst` comes from a register of its
/// own, and every other port counts as data.
///
/// # Errors
/// As [`Yosys::run`]; [`SynthError::NoSeeds`], [`SynthError::TargetFrequency`] and [`SynthError::NoOutputs`] before any run.
pub fn fmax(design: &Design, placement: &Placement) -> Result<Timing, SynthError> {
    let mapping = Mapping {
        mode: Mode::Ecp5NoWideLut,
        flat: true,
    };
    timed(design, mapping, placement).map(|(_, timing)| timing)
}

/// As [`fmax`], mapped as asked for ECP5, with the area of the block: one run of Yosys gives both.
pub(crate) fn timed(design: &Design, mapping: Mapping, placement: &Placement) -> Result<(Area, Timing), SynthError> {
    if placement.seeds.is_empty() {
        return Err(SynthError::NoSeeds);
    }
    if !(placement.target_mhz > 0.0 && placement.target_mhz <= MOST_MHZ) {
        return Err(SynthError::TargetFrequency {
            value: placement.target_mhz,
            most: MOST_MHZ,
        });
    }
    if !design.ports.iter().any(|port| port.direction == Direction::Output) {
        return Err(SynthError::NoOutputs {
            top: design.top.clone(),
        });
    }
    let (yosys, nextpnr) = (Yosys::locate()?, crate::locate(Tool::NextpnrEcp5)?);
    let mut scratch = Scratch::new()?;
    let script = scan::wrap(design).script(design, mapping, &scratch)?;
    yosys.run_in(
        &mut scratch,
        design,
        &format!("{script}\n{STAT_SCRIPT}\nwrite_json {NETLIST}"),
    )?;
    let area = Cells::of(&scratch, &design.top)?.area();

    let mut per_seed = Vec::new();
    let mut routed = Vec::new();
    for &seed in &placement.seeds {
        let found = route(&nextpnr, &mut scratch, placement, seed)?;
        per_seed.push(found.as_ref().map(|found| found.mhz));
        let reached = found.as_ref().map(|found| format!("{:.1} MHz", found.mhz));
        tracing::info!(
            "{} with seed {seed}: {}",
            design.top,
            reached.as_deref().unwrap_or(NOT_FINISHED)
        );
        routed.extend(found);
    }
    routed.sort_by(|a, b| a.mhz.total_cmp(&b.mhz));
    let middle = routed.len().checked_sub(1).map(|last| (last / 2, routed.len() / 2));
    let shown = middle.map(|(low, _)| &routed[low]);
    let timing = Timing {
        device: DEVICE.into(),
        command: mapping.mode.command().into(),
        target_mhz: placement.target_mhz,
        seeds: placement.seeds.clone(),
        per_seed,
        median: middle.map(|(low, high)| (routed[low].mhz + routed[high].mhz) / 2.0),
        critical_path: shown.map_or_else(String::new, |shown| shown.critical_path.clone()),
        slowest_ends: shown.map_or_else(Vec::new, |shown| shown.slowest_ends.clone()),
    };
    Ok((area, timing))
}

/// The result of one run of nextpnr: the frequency in MHz and the slowest path. Only a detailed report has the slowest ends.
pub(crate) struct Routed {
    pub mhz: f64,
    pub critical_path: String,
    pub slowest_ends: Vec<PathEnd>,
}

/// One run; none if its limit ended it.
fn route(
    nextpnr: &Located,
    scratch: &mut Scratch,
    placement: &Placement,
    seed: u32,
) -> Result<Option<Routed>, SynthError> {
    let log = format!("nextpnr-{seed}.log");
    let (target, seed) = (placement.target_mhz.to_string(), seed.to_string());
    let mut arguments = DEVICE_ARGUMENTS.to_vec();
    // Missing the target is a figure, not a failure; pads may go anywhere.
    arguments.extend(["--timing-allow-fail", "--lpf-allow-unconstrained"]);
    arguments.extend(["--freq", &target, "--seed", &seed]);
    arguments.extend(["--json", NETLIST, "--report", REPORT, "--detailed-timing-report"]);
    // A limit past the end of time is none.
    let deadline = placement.limit.and_then(|limit| Instant::now().checked_add(limit));
    if scratch.watch(nextpnr, &arguments, &log, deadline, |_| ())?.time_is_up {
        return Ok(None);
    }
    let routed = read(&scratch.read(REPORT)?).map_err(|reason| {
        let path = scratch.keep(REPORT);
        SynthError::unexpected(Tool::NextpnrEcp5, &path, reason)
    })?;
    Ok(Some(routed))
}

#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Frequency>,
    critical_paths: Vec<Path>,
    #[serde(default)]
    detailed_net_timings: Vec<NetTiming>,
}

#[derive(Deserialize)]
struct NetTiming {
    event: String,
    endpoints: Vec<Endpoint>,
}

#[derive(Deserialize)]
struct Endpoint {
    cell: String,
    event: String,
    /// Shortest and longest.
    delay: [f64; 2],
}

#[derive(Deserialize)]
struct Frequency {
    achieved: f64,
}

#[derive(Deserialize)]
struct Path {
    from: String,
    to: String,
    path: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    delay: f64,
    #[serde(rename = "type")]
    kind: String,
    net: Option<String>,
    to: Pin,
}

#[derive(Deserialize)]
struct Pin {
    cell: String,
    port: String,
}

/// The frequency and the slowest path out of nextpnr's report.
pub(crate) fn read(report: &str) -> Result<Routed, String> {
    let report: Report = serde_json::from_str(report).map_err(|error| error.to_string())?;
    let mut clocks = report.fmax.iter();
    let (Some((clock, frequency)), None) = (clocks.next(), clocks.next()) else {
        return Err(format!("{} clocks, where the design has one", report.fmax.len()));
    };
    let edge = format!("posedge {clock}");
    let between_registers = |path: &&Path| path.from == edge && path.to == edge;
    let slowest = report.critical_paths.iter().find(between_registers);
    let slowest = slowest.ok_or_else(|| format!("no path from {edge} to itself"))?;
    Ok(Routed {
        mhz: frequency.achieved,
        critical_path: describe(&slowest.path),
        slowest_ends: slowest_ends(&report.detailed_net_timings, &edge),
    })
}

/// The slowest end in each instance, between registers of the clock.
fn slowest_ends(nets: &[NetTiming], edge: &str) -> Vec<PathEnd> {
    let mut longest: BTreeMap<String, f64> = BTreeMap::new();
    for net in nets.iter().filter(|net| net.event == edge) {
        for end in net.endpoints.iter().filter(|end| end.event == edge) {
            let ns = longest.entry(instance_of(&end.cell)).or_default();
            *ns = ns.max(end.delay[1]);
        }
    }
    let ends = longest.into_iter().map(|(instance, ns)| PathEnd { instance, ns });
    let mut ends: Vec<PathEnd> = ends.collect();
    ends.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    ends.truncate(SLOWEST_ENDS);
    ends
}

fn describe(path: &[Step]) -> String {
    let mut at = 0.0;
    let mut text = String::from(" delay  total  step\n");
    for step in path {
        at += step.delay;
        let through = step.net.as_ref().map(|net| format!("{net} to ")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{:6.2} {at:6.2}  {}: {through}{}.{}",
            step.delay, step.kind, step.to.cell, step.to.port
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{design, fifo};

    #[test]
    fn a_report_gives_its_frequency_and_its_path() {
        let pin = r#"{"cell": "block.q", "loc": [1, 2], "port": "DI"}"#;
        let step = |kind, delay| format!(r#"{{"type": "{kind}", "delay": {delay}, "from": {pin}, "to": {pin}}}"#);
        let routing =
            format!(r#"{{"type": "routing", "delay": 1.25, "net": "n", "sources": [], "from": {pin}, "to": {pin}}}"#);
        let end = |cell: &str, event: &str, ns: f64| {
            format!(r#"{{"cell": "{cell}", "port": "DI", "event": "{event}", "delay": [0.5, {ns}]}}"#)
        };
        let report = format!(
            r#"{{"critical_paths": [
                {{"from": "<async>", "to": "posedge c", "path": []}},
                {{"from": "posedge c", "to": "posedge c", "path": [{}, {routing}]}}],
                "detailed_net_timings": [
                    {{"event": "posedge c", "endpoints": [{}, {}, {}]}}, {{"event": "<async>", "endpoints": [{}]}}],
                "fmax": {{"c": {{"achieved": 123.5, "constraint": 200}}}}, "utilization": {{}}}}"#,
            step("clk-to-q", 0.5),
            end("block.a.q_TRELLIS_FF_Q", "posedge c", 1.5),
            end("block.a.r_TRELLIS_FF_Q_2", "posedge c", 2.5),
            end("block.b.c.q_TRELLIS_FF_Q", "posedge c", 3.5),
            end("block.d.q_TRELLIS_FF_Q", "posedge c", 9.5),
        );
        let routed = read(&report).unwrap();
        assert_eq!(routed.mhz, 123.5);
        let expected =
            " delay  total  step\n  0.50   0.50  clk-to-q: block.q.DI\n  1.25   1.75  routing: n to block.q.DI\n";
        assert_eq!(routed.critical_path, expected);
        let ends: Vec<(&str, f64)> = routed.slowest_ends.iter().map(|end| (&*end.instance, end.ns)).collect();
        assert_eq!(ends, [("b.c", 3.5), ("a", 2.5)]);
        assert!(read(r#"{"critical_paths": [], "fmax": {}}"#).is_err());
    }

    #[test]
    fn a_seed_past_its_limit_is_not_finished_and_the_next_has_its_turn() {
        let placement = Placement {
            seeds: vec![1, 2],
            limit: Some(Duration::from_millis(10)),
            ..Placement::default()
        };
        let timing = fmax(&fifo(), &placement).unwrap();
        assert_eq!((&*timing.per_seed, timing.median), (&[None, None][..], None));
        assert_eq!(timing.critical_path, "");
    }

    #[test]
    fn what_cannot_be_timed_is_refused_before_any_run() {
        let place = |seeds: &[u32], target_mhz| Placement {
            seeds: seeds.to_vec(),
            target_mhz,
            limit: None,
        };
        assert!(matches!(fmax(&fifo(), &place(&[], 200.0)), Err(SynthError::NoSeeds)));
        for mhz in [0.0, -1.0, 1000.5, f64::NAN] {
            let error = fmax(&fifo(), &place(&[1], mhz)).unwrap_err();
            assert!(matches!(error, SynthError::TargetFrequency { .. }), "{error}");
        }
        let sink = design("sink", &[("clk", 1), ("a", 1)], "");
        assert!(matches!(
            fmax(&sink, &Placement::default()),
            Err(SynthError::NoOutputs { .. })
        ));
    }
}
