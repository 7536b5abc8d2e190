//! What can go wrong in a synthesis flow.

use crate::{Finding, Target, Tool, ToolError};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a flow gives no result. Where a tool ran, its whole log is kept and named.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    /// A tool cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A file of the private folder of a run cannot be used.
    #[error("cannot {action} {}: {source}", .path.display())]
    Io {
        /// What was tried, such as `write`.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A tool ended with an error.
    #[error("{tool} ends with {status}:\n{lines}\nits whole log is {}", .log.display())]
    Failed {
        /// The tool.
        tool: Tool,
        /// How its process ended.
        status: String,
        /// Its errors, else the last lines that it wrote.
        lines: String,
        /// The whole log.
        log: PathBuf,
    },
    /// Yosys accepts the Verilog, but calls it faulty.
    #[error("Yosys finds faults in the Verilog:\n{}\nits whole log is {}", list(.findings), .log.display())]
    Faulty {
        /// Each distinct fault, in the order of the log.
        findings: Vec<Finding>,
        /// The whole log.
        log: PathBuf,
    },
    /// A tool wrote something that these flows do not know.
    #[error("{tool} wrote {}, which does not read as expected: {reason}", .path.display())]
    Unexpected {
        /// The tool.
        tool: Tool,
        /// What it wrote.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Placement was asked for a target whose placer is not part of the flows.
    #[error("place = true, allowed with target = {target}: false; only ecp5 is placed and routed")]
    NoPlacer {
        /// The target asked for.
        target: Target,
    },
    /// Wide LUTs were asked for with a target that has no choice of them.
    #[error("wide_luts = true, allowed with target = {target}: false")]
    NoWideLuts {
        /// The target asked for.
        target: Target,
    },
    /// Placement was asked for without a seed.
    #[error("seeds is empty, allowed: at least one seed")]
    NoSeeds,
    /// A frequency that no placer can aim at.
    #[error("target_mhz = {value}, allowed: above 0, at most {most}")]
    TargetFrequency {
        /// The value given.
        value: f64,
        /// The highest value taken.
        most: f64,
    },
    /// A block without outputs leaves nothing once it is optimised.
    #[error("{top} has no output, so that nothing of it can be timed")]
    NoOutputs {
        /// Name of the block.
        top: String,
    },
    /// The netlist holds a cell that has no simulation model.
    #[error("the netlist of {top} holds {count} {cell}, of which Yosys has no simulation model")]
    NoModel {
        /// Name of the block.
        top: String,
        /// Type of the cell.
        cell: String,
        /// How many there are.
        count: u64,
    },
    /// A name that may not stand in a project script.
    #[error("{field} = {value:?}, allowed: letters, digits, '-', '_' and '.'")]
    Name {
        /// What it names, such as `part`.
        field: &'static str,
        /// The value given.
        value: String,
    },
    /// No board has this name.
    #[error("board = {name:?} is not known: the boards are {}", .known.join(", "))]
    UnknownBoard {
        /// The name given.
        name: String,
        /// Names of all boards.
        known: Vec<&'static str>,
    },
    /// The board has an FPGA of a family that the flow is not for.
    #[error("{board} has an FPGA of {family}: {instead}")]
    Family {
        /// Name of the board.
        board: String,
        /// Its family.
        family: Target,
        /// What to do in place of it.
        instead: &'static str,
    },
    /// A frequency that the PLL neither takes nor makes.
    #[error("{what} = {value} MHz, allowed with the PLL of {family}: {least} to {most} MHz")]
    ClockRange {
        /// `input`, or `clock` for what comes out.
        what: &'static str,
        /// The value given, in MHz.
        value: f64,
        /// The family.
        family: String,
        /// The lowest value taken, in MHz.
        least: f64,
        /// The highest value taken, in MHz.
        most: f64,
    },
    /// A frequency that lies between those that the PLL makes.
    #[error("clock = {asked} MHz cannot be made of {input} MHz within 1 %: the nearest is {nearest} MHz")]
    ClockNear {
        /// Frequency asked for, in MHz.
        asked: f64,
        /// Frequency of the oscillator, in MHz.
        input: f64,
        /// The nearest frequency that comes out, in MHz.
        nearest: f64,
    },
    /// A bit of the serial line that the fabric's clock does not divide into.
    #[error(
        "baud = {baud}, allowed with a clock of {clock_mhz} MHz: 16 to 65535 cycles a bit, the baud rate met within 2 %; \
         the nearest is {nearest:.0}"
    )]
    Baud {
        /// The value given, in baud.
        baud: u32,
        /// Clock of the fabric, in MHz.
        clock_mhz: f64,
        /// The nearest rate that is possible, in baud.
        nearest: f64,
    },
    /// The core of a board lacks a port that the board's top connects, or has one that it does not.
    #[error("{core} has the ports {found}, where a board connects {expected}")]
    CorePorts {
        /// Name of the core's module.
        core: String,
        /// Its ports.
        found: String,
        /// The ports that a board's top connects.
        expected: String,
    },
    /// The design does not fit into the FPGA.
    #[error("{part} is too small for {top}: {}", .excess.join(", "))]
    TooSmall {
        /// The FPGA.
        part: String,
        /// Top module of the design.
        top: String,
        /// Each kind of cell of which there are too few, with both numbers.
        excess: Vec<String>,
    },
    /// No seed was asked for.
    #[error("seeds = 0, allowed: at least 1")]
    SeedCount,
}

impl SynthError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SynthError {
        let path = path.to_path_buf();
        move |source| SynthError::Io { action, path, source }
    }

    pub(crate) fn unexpected(tool: Tool, path: &Path, reason: impl fmt::Display) -> SynthError {
        SynthError::Unexpected {
            tool,
            path: path.to_path_buf(),
            reason: reason.to_string(),
        }
    }
}

fn list(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(|finding| format!("  {finding}")).collect();
    lines.join("\n")
}
