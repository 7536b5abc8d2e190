//! `portico bitstream`: a fabric on a board, as a file that programs its FPGA.

use super::board::{of_family, refusal, BoardArgs, OnBoard};
use crate::{
    failure::not_allowed,
    output::{self, Output},
    progress,
};
use anyhow::bail;
use clap::Args;
use portico_synth::{bitstream, BitstreamOptions, BitstreamReport, Target, Verdict};
use portico_testbench::bench::report::settings;
use portico_verilog::Design;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

const EXAMPLES: &str = "\
Examples:
  portico bitstream --board ulx3s-85f --set cols=2 --set rows=2
  portico bitstream --board ecpix5-85f --config fabric.toml --clock 40 --limit 90 --out build/ecpix5
  portico bitstream --board ulx3s-85f --set cols=2 --set rows=1 --baud 115200 --seeds 1
  portico program --board ulx3s-85f build/ulx3s-85f/portico_ulx3s_85f.bit

Yosys synthesises the fabric with the board's PLL, nextpnr places and routes it, ecppack packs it. A fabric that is too \
big for the FPGA by the sums of docs/area.md is refused before synthesis, one that is too big by its cells before placement. If a seed misses the clock, the next one is tried; if all miss it, no \
bitstream is written, and the report tells what each reached. Boards with an FPGA of Xilinx: see portico vivado.";

/// Make the bitstream of a fabric for a board with an ECP5
#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("board", |board| of_family(board, Target::Ecp5)))]
pub struct Bitstream {
    #[command(flatten)]
    board: BoardArgs,
    /// Map each copy of a repeated module by itself: a few times the minutes of Yosys, and some 2 % fewer sites
    #[arg(long)]
    flat: bool,
    /// Most seeds of the placer: 1 first, the next ones only if the clock is missed
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    seeds: u32,
    /// End the placer after so many minutes, all seeds together [default: no limit]
    #[arg(long, value_name = "MINUTES")]
    limit: Option<f64>,
    /// Folder for bitstream, report, log and Verilog, made if need be [default: build/<BOARD>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Bitstream {
    pub fn run(self) -> anyhow::Result<()> {
        let limit = self.limit.map(limit).transpose()?;
        let on_board = self.board.resolve("bitstream", Target::Ecp5)?;
        let design = on_board.design()?;
        let OnBoard { board, config, rates } = on_board;
        let options = BitstreamOptions {
            flat: self.flat,
            seeds: self.seeds,
            limit,
            configuration: settings(config.fabric().map_err(not_allowed)?.entries()),
        };
        let spinner = progress::spinner(design.top.clone());
        let made = bitstream(&board, &design, &rates, &options, &mut |line| {
            spinner.set_message(line.to_owned());
            // A line that nobody can read is no reason to give up a run of hours.
            spinner.suspend(|| drop(output::print(&format!("{line}\n"))));
        });
        spinner.finish_and_clear();
        let folder = self.out.unwrap_or_else(|| Path::new("build").join(board.name));
        output::print(&finish(&folder, &design, made.map_err(refusal)?)?)
    }
}

/// A limit of so many minutes.
///
/// # Errors
/// It is none, or less.
pub fn limit(minutes: f64) -> anyhow::Result<Duration> {
    let allowed = Duration::try_from_secs_f64(60.0 * minutes).ok();
    let refused = || not_allowed(format!("--limit {minutes}: allowed is a number of minutes above 0"));
    allowed.filter(|limit| !limit.is_zero()).ok_or_else(refused)
}

/// Writes what was made into `folder`: the line that says so.
///
/// The report of a bitstream has its name; the report of a run without one has a name of its own, so that a bitstream that
/// an earlier run left keeps the report that belongs to it.
///
/// # Errors
/// A file cannot be written, or there is no bitstream: then report and log are.
fn finish(folder: &Path, design: &Design, made: portico_synth::Bitstream) -> anyhow::Result<String> {
    let report = serde_json::to_string_pretty(&made.report)? + "\n";
    let file = |extension: &str| folder.join(format!("{}{extension}", design.top));
    let mut output = Output::default();
    let reason = match made.verdict {
        Verdict::Met { bit, svf } => {
            for (extension, content) in [
                (".bit", bit),
                (".svf", svf),
                (".json", report.into()),
                (".log", made.log.into()),
                (".v", design.text().into()),
            ] {
                output.add(file(extension), content);
            }
            output.commit()?;
            let clock = &made.report.clock;
            return Ok(format!(
                "wrote {}: {:.2} MHz reached, {:.2} MHz needed; report, log, SVF and Verilog beside it\n",
                file(".bit").display(),
                clock.reached_mhz.unwrap_or_default(),
                clock.pll_mhz
            ));
        }
        Verdict::Missed => format!(
            "the clock of {:.2} MHz is missed: {}; ask for a slower one (--clock) or for more seeds (--seeds)",
            made.report.clock.pll_mhz,
            reached(&made.report)
        ),
        Verdict::TimeIsUp(place) => match made.report.placements.is_empty() {
            true => format!("the limit of time ended the placer: {place}"),
            false => format!(
                "the limit of time ended the placer: {place}; before it, {}",
                reached(&made.report)
            ),
        },
    };
    output.add(file("_failed.json"), report);
    output.add(file("_failed.log"), made.log);
    output.commit()?;
    bail!("{reason}; the report is {}", file("_failed.json").display())
}

/// The frequency that each seed reached, as text.
fn reached(report: &BitstreamReport) -> String {
    let seeds = report.placements.iter();
    let seeds: Vec<String> = seeds
        .map(|placement| format!("seed {} reached {:.2} MHz", placement.seed, placement.mhz))
        .collect();
    seeds.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{design, failure::message, output::tests::names};
    use portico_spec::Config;
    use portico_synth::{Area, Board, ClockFigures, PlacementFigures};
    use std::fs;

    /// What a run came to whose seeds reached these frequencies.
    fn made(reached: &[f64], verdict: Verdict) -> portico_synth::Bitstream {
        let board = Board::named("ulx3s-85f").unwrap();
        let placements = reached.iter().zip(1..).map(|(&mhz, seed)| PlacementFigures {
            seed,
            mhz,
            minutes: 0.5,
            peak_mib: Some(400),
        });
        let report = BitstreamReport {
            board: board.name.into(),
            part: board.part.clone(),
            top: board.top(),
            configuration: [("cols".into(), 2.into())].into(),
            tools: [("Yosys".into(), "0.70".into())].into(),
            clock: ClockFigures {
                asked_mhz: 50.0,
                pll_mhz: 50.0,
                reached_mhz: reached.iter().copied().reduce(f64::max),
            },
            baud: 1_000_000,
            bit_cycles: 50,
            area: Area::default(),
            sites: 0,
            capacity: board.capacity,
            synthesis_minutes: 0.1,
            placements: placements.collect(),
            seed: None,
            critical_path: String::new(),
        };
        portico_synth::Bitstream {
            report,
            verdict,
            log: "Info: done\n".into(),
        }
    }

    #[test]
    fn a_bitstream_lies_beside_its_report_and_a_failed_run_leaves_it_there() {
        let folder = tempfile::tempdir().unwrap();
        let design = design::design("fifo", &Config::default()).unwrap();
        let met = Verdict::Met {
            bit: vec![0xff, 0x00],
            svf: b"SDR".to_vec(),
        };
        let said = finish(folder.path(), &design, made(&[60.0], met)).unwrap();
        let figures = "portico_fifo.bit: 60.00 MHz reached, 50.00 MHz needed; report, log, SVF and Verilog beside it\n";
        assert!(said.starts_with("wrote ") && said.ends_with(figures), "{said}");
        let files = [".bit", ".json", ".log", ".svf", ".v"].map(|extension| format!("portico_fifo{extension}"));
        assert_eq!(names(folder.path()), files);
        assert_eq!(fs::read(folder.path().join("portico_fifo.bit")).unwrap(), [0xff, 0x00]);
        let report = || fs::read_to_string(folder.path().join("portico_fifo.json")).unwrap();
        let first = report();
        assert!(first.contains("\"reached_mhz\": 60.0"), "{first}");

        let error = finish(folder.path(), &design, made(&[43.2, 44.0], Verdict::Missed)).unwrap_err();
        let failed = folder.path().join("portico_fifo_failed.json");
        assert_eq!(
            message(&error),
            format!(
                "the clock of 50.00 MHz is missed: seed 1 reached 43.20 MHz, seed 2 reached 44.00 MHz; ask for a slower \
                 one (--clock) or for more seeds (--seeds); the report is {}",
                failed.display()
            )
        );
        assert!(fs::read_to_string(&failed).unwrap().contains("\"reached_mhz\": 44.0"));
        assert_eq!(report(), first);
        assert_eq!(fs::read(folder.path().join("portico_fifo.bit")).unwrap(), [0xff, 0x00]);
    }

    #[test]
    fn a_limit_of_time_is_told_with_what_was_reached() {
        let folder = tempfile::tempdir().unwrap();
        let design = design::design("fifo", &Config::default()).unwrap();
        let time_is_up = || Verdict::TimeIsUp("seed 2 was routing".into());
        let error = finish(folder.path(), &design, made(&[43.2], time_is_up())).unwrap_err();
        let expected =
            "the limit of time ended the placer: seed 2 was routing; before it, seed 1 reached 43.20 MHz; the report is ";
        assert!(message(&error).starts_with(expected), "{error}");
        let error = finish(folder.path(), &design, made(&[], time_is_up())).unwrap_err();
        let expected = "the limit of time ended the placer: seed 2 was routing; the report is ";
        assert!(message(&error).starts_with(expected), "{error}");
        assert_eq!(
            names(folder.path()),
            ["portico_fifo_failed.json", "portico_fifo_failed.log"]
        );
    }

    #[test]
    fn a_limit_is_more_than_nothing() {
        assert_eq!(limit(1.5).unwrap(), Duration::from_secs(90));
        for minutes in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let expected = format!("--limit {minutes}: allowed is a number of minutes above 0");
            assert_eq!(limit(minutes).unwrap_err().to_string(), expected);
        }
    }
}
