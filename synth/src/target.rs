//! FPGA families, and the ways in which Yosys synthesises for them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An FPGA family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Lattice ECP5.
    Ecp5,
    /// Xilinx 7 series.
    Xilinx,
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 2] = [Target::Ecp5, Target::Xilinx];

    /// The way to synthesise for it whose figures are compared.
    pub fn mode(self) -> Mode {
        match self {
            Target::Ecp5 => Mode::Ecp5NoWideLut,
            Target::Xilinx => Mode::Xilinx7,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Target::Ecp5 => "ecp5",
            Target::Xilinx => "xilinx",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Target::ALL.into_iter().find(|target| target.name() == name);
        known.ok_or_else(|| format!("target = {name:?}, allowed: ecp5, xilinx"))
    }
}

/// A way to synthesise: a command of Yosys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// ECP5 of 4-input LUTs alone: the count that other work quotes.
    Ecp5NoWideLut,
    /// ECP5 with wider functions out of LUTs and multiplexers: more LUTs, fewer levels.
    Ecp5,
    /// Xilinx 7 series.
    Xilinx7,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Ecp5NoWideLut, Mode::Ecp5, Mode::Xilinx7];

    /// The family that it is for.
    pub fn target(self) -> Target {
        match self {
            Mode::Ecp5NoWideLut | Mode::Ecp5 => Target::Ecp5,
            Mode::Xilinx7 => Target::Xilinx,
        }
    }

    /// The command, without the top.
    pub fn command(self) -> &'static str {
        match self {
            Mode::Ecp5NoWideLut => "synth_ecp5 -nowidelut",
            Mode::Ecp5 => "synth_ecp5",
            Mode::Xilinx7 => "synth_xilinx -family xc7 -flatten",
        }
    }

    /// The command for the module `top`.
    pub fn script(self, top: &str) -> String {
        format!("{} -top {top}", self.command())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_named_as_users_type_them() {
        for target in Target::ALL {
            assert_eq!(target.to_string().parse(), Ok(target));
            assert_eq!(serde_json::to_string(&target).unwrap(), format!("\"{target}\""));
        }
        let error = "virtex".parse::<Target>().unwrap_err();
        assert_eq!(error, "target = \"virtex\", allowed: ecp5, xilinx");
    }
}
