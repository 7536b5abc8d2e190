//! How a design is mapped to cells: the command of Yosys, and whether equal modules are worked on once.

use crate::hierarchy::Hierarchy;
use crate::{Mode, SynthError, Target};
use portico_verilog::Design;
use std::collections::BTreeSet;

/// Stage of `synth_ecp5` before which shared modules are flattened. All before it (memories, arithmetic, gates) takes most
/// of the time and grows faster than the design; registers and LUTs are mapped flat, so that constants cross the boundary.
const FLATTENED_BEFORE: &str = "map_ffs";

/// How a design is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The command of Yosys.
    pub mode: Mode,
    /// Flatten first, so that each copy of a module is worked on by itself. Otherwise large modules that repeat (tiles,
    /// planes, routers) are worked on once until registers are mapped; for Xilinx the design is flattened first always.
    pub flat: bool,
}

impl Mapping {
    /// The mapping whose figures are compared, with equal modules shared.
    pub fn of(target: Target) -> Self {
        Mapping {
            mode: target.mode(),
            flat: false,
        }
    }

    /// With wide LUTs, if `wide`.
    ///
    /// # Errors
    /// [`SynthError::NoWideLuts`] for a target other than ECP5.
    pub fn with_wide_luts(self, wide: bool) -> Result<Self, SynthError> {
        let mode = match (wide, self.mode.target()) {
            (false, _) => self.mode,
            (true, Target::Ecp5) => Mode::Ecp5,
            (true, target) => return Err(SynthError::NoWideLuts { target }),
        };
        Ok(Mapping { mode, ..self })
    }

    /// Script that maps the design below the module `top`, which is its own or holds it.
    pub(crate) fn script(self, design: &Design, top: &str) -> String {
        let repeated = match (self.flat, self.mode.target()) {
            (false, Target::Ecp5) => Hierarchy::of(design).repeated(),
            _ => BTreeSet::new(),
        };
        if repeated.is_empty() {
            return self.mode.script(top);
        }
        let (command, modules) = (self.mode.script(top), list(&repeated));
        format!(
            "setattr -mod -set keep_hierarchy 1 {modules}\n\
             {command} -run begin:{FLATTENED_BEFORE}\n\
             setattr -mod -unset keep_hierarchy {modules}\n\
             flatten\n\
             opt -undriven -fine -mux_undef\n\
             {command} -run {FLATTENED_BEFORE}:"
        )
    }
}

/// Names of modules as Yosys takes them.
pub(crate) fn list(modules: &BTreeSet<&str>) -> String {
    modules.iter().copied().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fifo, twins};
    use crate::mapped_area;

    #[test]
    fn a_design_without_repeated_modules_takes_the_plain_command() {
        let mapping = Mapping::of(Target::Ecp5);
        assert_eq!(mapping.script(&fifo(), "fifo"), "synth_ecp5 -nowidelut -top fifo");
        let wide = mapping.with_wide_luts(true).unwrap();
        assert_eq!(wide.script(&fifo(), "fifo"), "synth_ecp5 -top fifo");
    }

    #[test]
    fn repeated_modules_are_shared_and_come_to_the_same_area() {
        let (twins, shared) = (twins(1000), Mapping::of(Target::Ecp5));
        let flat = Mapping { flat: true, ..shared };
        assert!(shared.script(&twins, "twins").contains("keep_hierarchy 1 twin\n"));
        assert!(!flat.script(&twins, "twins").contains("keep_hierarchy"));
        let area = mapped_area(&twins, shared).unwrap();
        assert_eq!(area.ffs, 16);
        assert_eq!(area, mapped_area(&twins, flat).unwrap());
    }

    #[test]
    fn wide_luts_are_of_ecp5_alone() {
        let xilinx = Mapping::of(Target::Xilinx);
        assert_eq!(xilinx.with_wide_luts(false).unwrap(), xilinx);
        let error = xilinx.with_wide_luts(true).unwrap_err().to_string();
        assert_eq!(error, "wide_luts = true, allowed with target = xilinx: false");
    }
}
