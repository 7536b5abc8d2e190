//! From the Verilog of a board to its bitstream: Yosys, nextpnr and ecppack, for an ECP5.

use crate::board_top::decimal;
use crate::scratch::{Scratch, Watched};
use crate::{
    area::{Cells, STAT_SCRIPT},
    nextpnr, Area, Board, Capacity, Ecp5, Located, Mapping, Rates, SynthError, Target, Tool, Yosys,
};
use portico_verilog::Design;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const NETLIST: &str = "board.json";
const CONSTRAINTS: &str = "board.lpf";
const TIMING: &str = "timing.json";
const PLACED: &str = "board.config";
const BIT: &str = "board.bit";
const SVF: &str = "board.svf";
const LOG: &str = "nextpnr.log";
const PACK_LOG: &str = "ecppack.log";

/// How to map, place and route, and what a report says of the design.
#[derive(Clone, Debug, PartialEq)]
pub struct BitstreamOptions {
    /// Map each copy of a repeated module by itself: see [`Mapping::flat`].
    pub flat: bool,
    /// Most seeds: 1 first, and each next one only if the clock was missed with those before.
    pub seeds: u32,
    /// Time for all runs of the placer together.
    pub limit: Option<Duration>,
    /// The configuration of the fabric, for the report.
    pub configuration: BTreeMap<String, Value>,
}

impl Default for BitstreamOptions {
    fn default() -> Self {
        BitstreamOptions {
            flat: false,
            seeds: 3,
            limit: None,
            configuration: BTreeMap::new(),
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bitstream {
    /// The figures.
    pub report: BitstreamReport,
    /// Whether there is a bitstream.
    pub verdict: Verdict,
    /// Log of nextpnr, of the last seed.
    pub log: String,
}

/// Whether there is a bitstream, and why not.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The clock is met.
    Met {
        /// The bitstream, compressed.
        bit: Vec<u8>,
        /// The same as a script for JTAG programmers.
        svf: Vec<u8>,
    },
    /// The clock is missed with every seed.
    Missed,
    /// The placer was ended when its time was up: how far it came.
    TimeIsUp(String),
}

/// All figures of a bitstream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BitstreamReport {
    /// Name of the board.
    pub board: String,
    /// Its FPGA.
    pub part: String,
    /// Top module.
    pub top: String,
    /// The configuration of the fabric.
    pub configuration: BTreeMap<String, Value>,
    /// Versions of the tools, by name.
    pub tools: BTreeMap<String, String>,
    /// The clock of the fabric.
    pub clock: ClockFigures,
    /// Baud rate of the serial line.
    pub baud: u32,
    /// Clock cycles of a bit.
    pub bit_cycles: u16,
    /// Cells after synthesis.
    pub area: Area,
    /// Sites of LUT4 that they take: see [`Area::sites`].
    pub sites: u64,
    /// What the FPGA has.
    pub capacity: Capacity,
    /// Minutes that synthesis took.
    pub synthesis_minutes: f64,
    /// One a seed, in their order.
    pub placements: Vec<PlacementFigures>,
    /// The seed of the bitstream, if there is one.
    pub seed: Option<u32>,
    /// The slowest path with the best seed, a line a step, delays in ns.
    pub critical_path: String,
}

/// Frequencies of the fabric's clock, in MHz.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockFigures {
    /// What was asked for.
    pub asked_mhz: f64,
    /// What the PLL makes, and the placer has to reach.
    pub pll_mhz: f64,
    /// The highest with any seed, once one is routed.
    pub reached_mhz: Option<f64>,
}

/// One run of the placer and router.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacementFigures {
    /// Its seed.
    pub seed: u32,
    /// Highest frequency of the fabric's clock, in MHz.
    pub mhz: f64,
    /// How long it took.
    pub minutes: f64,
    /// The most memory that it held, in MiB, where the system tells.
    pub peak_mib: Option<u64>,
}

/// The tools of the flow.
struct Tools {
    yosys: Yosys,
    nextpnr: Located,
    ecppack: Located,
}

impl Tools {
    fn locate() -> Result<Self, SynthError> {
        Ok(Tools {
            yosys: Yosys::locate()?,
            nextpnr: crate::locate(Tool::NextpnrEcp5)?,
            ecppack: crate::locate(Tool::Ecppack)?,
        })
    }

    fn versions(&self) -> BTreeMap<String, String> {
        let located = [&self.nextpnr, &self.ecppack].map(|tool| (tool.tool.to_string(), tool.version.clone()));
        let yosys = (Tool::Yosys.to_string(), self.yosys.version().to_owned());
        located.into_iter().chain([yosys]).collect()
    }
}

/// Synthesises, places and routes a board's design, which [`board_design`](crate::board_design) gives, and packs its
/// bitstream if the clock is met.
///
/// `progress` is told each step, in a line. One run of the placer takes from half a minute for a small design to hours for a full
/// FPGA.
///
/// # Errors
/// [`SynthError::Family`] if the board has no ECP5; [`SynthError::SeedCount`]; [`SynthError::TooSmall`] before placement if
/// the FPGA has too few cells of a kind; as [`Yosys::run`]. A clock that is missed is no error, but a [`Verdict`].
pub fn bitstream(
    board: &Board,
    design: &Design,
    rates: &Rates,
    options: &BitstreamOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<Bitstream, SynthError> {
    board.expect(Target::Ecp5)?;
    let ecp5 = board.ecp5.as_ref().expect("a test excludes an ECP5 board without it");
    if options.seeds == 0 {
        return Err(SynthError::SeedCount);
    }
    let tools = Tools::locate()?;
    let mut scratch = Scratch::new()?;
    progress(&format!("synthesising {} with Yosys", design.top));
    let start = Instant::now();
    let mapping = Mapping {
        flat: options.flat,
        ..Mapping::of(Target::Ecp5)
    };
    let script = format!(
        "{}\n{STAT_SCRIPT}\nwrite_json {NETLIST}",
        mapping.script(design, &design.top)
    );
    tools.yosys.run_in(&mut scratch, design, &script)?;
    let area = Cells::of(&scratch, &design.top)?.area();
    let synthesis_minutes = minutes(start.elapsed());
    progress(&format!(
        "{}; synthesis took {synthesis_minutes:.1} minutes",
        describe(&area, &board.capacity)
    ));
    let excess = board.capacity.excess(&area);
    if !excess.is_empty() {
        return Err(SynthError::TooSmall {
            part: board.part.clone(),
            top: design.top.clone(),
            excess,
        });
    }
    scratch.write(CONSTRAINTS, board.constraints)?;
    let mut made = Bitstream {
        report: BitstreamReport {
            board: board.name.into(),
            part: board.part.clone(),
            top: design.top.clone(),
            configuration: options.configuration.clone(),
            tools: tools.versions(),
            clock: ClockFigures {
                asked_mhz: rates.asked_mhz,
                pll_mhz: rates.pll.output_mhz,
                reached_mhz: None,
            },
            baud: rates.baud,
            bit_cycles: rates.bit_cycles,
            sites: area.sites(),
            area,
            capacity: board.capacity.clone(),
            synthesis_minutes,
            placements: Vec::new(),
            seed: None,
            critical_path: String::new(),
        },
        verdict: Verdict::Missed,
        log: String::new(),
    };
    place(&tools, &mut scratch, ecp5, options, progress, &mut made)?;
    Ok(made)
}

/// Runs the placer seed by seed until the clock is met, and packs the bitstream then.
fn place(
    tools: &Tools,
    scratch: &mut Scratch,
    ecp5: &Ecp5,
    options: &BitstreamOptions,
    progress: &mut dyn FnMut(&str),
    made: &mut Bitstream,
) -> Result<(), SynthError> {
    let asked = made.report.clock.pll_mhz;
    // A limit past the end of time is none.
    let deadline = options.limit.and_then(|limit| Instant::now().checked_add(limit));
    for seed in 1..=options.seeds {
        progress(&format!("seed {seed}: packing cells, for {} MHz", decimal(asked)));
        let mut phase = "packing cells";
        let watched = route(&tools.nextpnr, scratch, ecp5, asked, seed, deadline, |line| {
            if let Some(next) = phase_of(line).filter(|next| *next != phase) {
                phase = next;
                progress(&format!("seed {seed}: {phase}"));
            }
        })?;
        made.log = watched.log;
        if watched.time_is_up {
            let last = made.log.lines().rev().find(|line| !line.trim().is_empty());
            let reached = match last {
                Some(line) => format!("seed {seed} was {phase}, its last line: {}", line.trim()),
                None => format!("seed {seed} had written nothing"),
            };
            made.verdict = Verdict::TimeIsUp(reached);
            return Ok(());
        }
        let timing = scratch.read(TIMING)?;
        let routed = nextpnr::read(&timing).map_err(|reason| {
            let path = scratch.keep(TIMING);
            SynthError::unexpected(Tool::NextpnrEcp5, &path, reason)
        })?;
        let figures = PlacementFigures {
            seed,
            mhz: routed.mhz,
            minutes: minutes(watched.time),
            peak_mib: watched.peak_mib,
        };
        progress(&figures.line(asked));
        made.report.placements.push(figures);
        if made.report.clock.reached_mhz.is_none_or(|best| routed.mhz > best) {
            made.report.clock.reached_mhz = Some(routed.mhz);
            made.report.critical_path = routed.critical_path;
        }
        if routed.mhz >= asked {
            progress("packing the bitstream with ecppack");
            made.report.seed = Some(seed);
            made.verdict = pack(&tools.ecppack, scratch)?;
            return Ok(());
        }
    }
    Ok(())
}

fn route(
    nextpnr: &Located,
    scratch: &mut Scratch,
    ecp5: &Ecp5,
    mhz: f64,
    seed: u32,
    deadline: Option<Instant>,
    line: impl FnMut(&str),
) -> Result<Watched, SynthError> {
    let (device, speed) = (format!("--{}", ecp5.device), ecp5.speed.to_string());
    let (mhz, seed) = (mhz.to_string(), seed.to_string());
    let mut arguments = vec![&*device, "--package", &ecp5.package, "--speed", &speed];
    // The report tells whether the clock is met, and the next seed has its turn if not.
    arguments.extend(["--timing-allow-fail", "--freq", &mhz, "--seed", &seed]);
    arguments.extend([
        "--json",
        NETLIST,
        "--lpf",
        CONSTRAINTS,
        "--report",
        TIMING,
        "--textcfg",
        PLACED,
    ]);
    scratch.watch(nextpnr, &arguments, LOG, deadline, line)
}

fn pack(ecppack: &Located, scratch: &mut Scratch) -> Result<Verdict, SynthError> {
    let arguments = ["--compress", "--svf", SVF, PLACED, BIT];
    scratch.watch(ecppack, &arguments, PACK_LOG, None, |_| ())?;
    Ok(Verdict::Met {
        bit: scratch.read_bytes(BIT)?,
        svf: scratch.read_bytes(SVF)?,
    })
}

/// What nextpnr begins with a line of its log.
fn phase_of(line: &str) -> Option<&'static str> {
    const BEGINNINGS: [(&str, &str); 3] = [
        ("placed 0 cells", "placing"),
        ("analytical placer", "placing"),
        ("Setting up routing queue", "routing"),
    ];
    let found = BEGINNINGS.iter().find(|(words, _)| line.contains(words));
    found.map(|(_, phase)| *phase)
}

impl PlacementFigures {
    /// In a line, with the frequency `asked` for in MHz.
    fn line(&self, asked: f64) -> String {
        let verdict = if self.mhz >= asked { "met" } else { "missed" };
        let memory = self.peak_mib.map(|mib| format!(", {mib} MiB at most"));
        format!(
            "seed {}: {:.2} MHz, clock of {} MHz {verdict}; {:.1} minutes{}",
            self.seed,
            self.mhz,
            decimal(asked),
            self.minutes,
            memory.unwrap_or_default()
        )
    }
}

/// The cells beside what there is.
fn describe(area: &Area, capacity: &Capacity) -> String {
    let sites = area.sites();
    format!(
        "{} LUT4, {} carry cells and {} LUT-RAMs take {sites} of {} sites ({:.0} %), beside {} of {} flip-flops, \
         {} of {} DP16KD and {} of {} MULT18X18D",
        area.luts,
        area.carry,
        area.lut_rams,
        capacity.luts,
        100.0 * sites as f64 / capacity.luts as f64,
        area.ffs,
        capacity.ffs,
        area.block_rams,
        capacity.block_rams,
        area.dsps,
        capacity.dsps,
    )
}

fn minutes(time: Duration) -> f64 {
    time.as_secs_f64() / 60.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board_design;
    use crate::fixtures::board_core;

    /// Runs the flow with the small core, whatever it comes to, and what it says.
    fn run(board: &Board, mhz: f64, options: &BitstreamOptions) -> (Result<Bitstream, SynthError>, Vec<String>) {
        let rates = Rates::new(board, mhz, 1_000_000).unwrap();
        let design = board_design(board, &board_core(), &rates).unwrap();
        let mut said = Vec::new();
        let made = bitstream(board, &design, &rates, options, &mut |line| said.push(line.to_owned()));
        (made, said)
    }

    #[test]
    fn a_small_core_becomes_a_bitstream_for_each_board_with_an_ecp5() {
        // At 48 MHz the PLL has an output beside its feedback.
        for (name, mhz, made_mhz) in [("ulx3s-85f", 48.0, 625.0 / 13.0), ("ecpix5-85f", 50.0, 50.0)] {
            let board = Board::named(name).unwrap();
            let (made, said) = run(&board, mhz, &BitstreamOptions::default());
            let made = made.unwrap();
            let Verdict::Met { bit, svf } = &made.verdict else {
                panic!("{made:?}")
            };
            // The preamble of an ECP5's bitstream follows its comments.
            assert!(bit.windows(4).any(|word| word == [0xff, 0xff, 0xbd, 0xb3]), "{name}");
            assert!(String::from_utf8_lossy(svf).contains("SDR"), "{name}");
            let report = &made.report;
            assert_eq!(
                (report.clock.asked_mhz, report.seed, report.placements.len()),
                (mhz, Some(1), 1)
            );
            assert!((report.clock.pll_mhz - made_mhz).abs() < 1e-9);
            assert!(report.clock.reached_mhz.unwrap() > mhz && !report.critical_path.is_empty());
            assert_eq!(report.area.others, [("EHXPLLL".to_owned(), 1)].into());
            assert!(report.area.ffs >= 20 && report.sites < 200, "{report:?}");
            // nextpnr knows the clock by the PLL alone, and takes the frequency from there.
            let derived = format!("Derived frequency constraint of {made_mhz:.1} MHz for net clk");
            assert!(made.log.contains(&derived), "{derived}: {}", made.log);
            for step in [
                "synthesising",
                "sites",
                "placing",
                "routing",
                "met",
                "packing the bitstream",
            ] {
                assert!(said.iter().any(|line| line.contains(step)), "{step}: {said:?}");
            }
            let json = serde_json::to_string(report).unwrap();
            assert_eq!(serde_json::from_str::<BitstreamReport>(&json).unwrap(), *report);
        }
    }

    #[test]
    fn a_clock_that_is_missed_takes_every_seed_and_leaves_no_bitstream() {
        let board = Board::named("ulx3s-85f").unwrap();
        let options = BitstreamOptions {
            seeds: 2,
            ..BitstreamOptions::default()
        };
        let (made, said) = run(&board, 400.0, &options);
        let made = made.unwrap();
        assert_eq!(made.verdict, Verdict::Missed);
        let seeds: Vec<u32> = made.report.placements.iter().map(|figures| figures.seed).collect();
        assert_eq!((seeds, made.report.seed), (vec![1, 2], None));
        let reached = made.report.clock.reached_mhz.unwrap();
        assert!(made.report.placements.iter().all(|figures| figures.mhz <= reached) && reached < 400.0);
        let missed = said.iter().filter(|line| line.contains("clock of 400 MHz missed"));
        assert_eq!(missed.count(), 2, "{said:?}");
    }

    #[test]
    fn the_placer_is_ended_when_its_time_is_up() {
        let board = Board::named("ulx3s-85f").unwrap();
        let options = BitstreamOptions {
            limit: Some(Duration::from_millis(10)),
            ..BitstreamOptions::default()
        };
        let (made, _) = run(&board, 50.0, &options);
        let made = made.unwrap();
        assert!(
            matches!(&made.verdict, Verdict::TimeIsUp(reached) if reached.starts_with("seed 1 ")),
            "{made:?}"
        );
        assert_eq!((made.report.placements.len(), made.report.clock.reached_mhz), (0, None));
    }

    #[test]
    fn what_cannot_be_placed_is_refused_before_the_placer_runs() {
        let mut board = Board::named("ulx3s-85f").unwrap();
        board.capacity.ffs = 10;
        let (made, said) = run(&board, 50.0, &BitstreamOptions::default());
        let error = made.unwrap_err().to_string();
        let expected = "LFE5U-85F-6BG381C is too small for portico_ulx3s_85f: ";
        assert!(
            error.starts_with(expected) && error.ends_with("flip-flops of 10"),
            "{error}"
        );
        assert!(said.last().unwrap().contains(" of 10 flip-flops"), "{said:?}");

        let options = BitstreamOptions {
            seeds: 0,
            ..BitstreamOptions::default()
        };
        let board = Board::named("ulx3s-85f").unwrap();
        assert!(matches!(run(&board, 50.0, &options), (Err(SynthError::SeedCount), said) if said.is_empty()));

        let board = Board::named("arty-a7-35t").unwrap();
        let (made, said) = run(&board, 50.0, &BitstreamOptions::default());
        assert_eq!(said, [""; 0]);
        assert_eq!(
            made.unwrap_err().to_string(),
            "arty-a7-35t has an FPGA of xilinx: use `portico vivado` for a project, and Vivado for the bitstream"
        );
    }
}
