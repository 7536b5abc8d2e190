//! What a block takes of an FPGA, by the cells that Yosys maps it to.

use crate::scratch::Scratch;
use crate::{Mapping, Mode, SynthError, Target, Tool, Yosys};
use portico_verilog::Design;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const STAT: &str = "stat.json";
/// Script by which Yosys writes what [`Cells::of`] reads.
pub(crate) const STAT_SCRIPT: &str = "tee -q -o stat.json stat -json";

/// Cells of a mapped block, by their kind; each count is of cells, not of slices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// ECP5 LUT4; Xilinx LUT1 to LUT6 and INV.
    pub luts: u64,
    /// ECP5 CCU2C, of two LUTs each; Xilinx CARRY4, beside their LUTs.
    pub carry: u64,
    /// ECP5 TRELLIS_FF; Xilinx FDRE and kin.
    pub ffs: u64,
    /// LUTs as memory: ECP5 TRELLIS_DPR16X4; Xilinx RAM32M and kin, and shift registers.
    pub lut_rams: u64,
    /// ECP5 DP16KD; Xilinx RAMB18E1 and RAMB36E1.
    pub block_rams: u64,
    /// ECP5 MULT18X18D; Xilinx DSP48E1.
    pub dsps: u64,
    /// Multiplexers behind LUTs: ECP5 PFUMX and L6MUX21; Xilinx MUXF7 and MUXF8.
    pub muxes: u64,
    /// Cells of every other type.
    pub others: BTreeMap<String, u64>,
}

impl Area {
    /// Sites of LUT4 on an ECP5, as nextpnr counts them: a carry cell takes two, a LUT-RAM four and two for its write port.
    pub fn sites(&self) -> u64 {
        self.luts + 2 * self.carry + 6 * self.lut_rams
    }

    fn of(cells: &Cells) -> Self {
        let mut area = Area::default();
        for (cell, &count) in &cells.0 {
            match &**cell {
                "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" | "INV" => area.luts += count,
                "CCU2C" | "CARRY4" => area.carry += count,
                "TRELLIS_FF" | "FDRE" | "FDSE" | "FDCE" | "FDPE" => area.ffs += count,
                "DP16KD" | "RAMB18E1" | "RAMB36E1" => area.block_rams += count,
                "TRELLIS_DPR16X4" | "SRL16E" | "SRLC32E" => area.lut_rams += count,
                "MULT18X18D" | "DSP48E1" => area.dsps += count,
                "PFUMX" | "L6MUX21" | "MUXF7" | "MUXF8" => area.muxes += count,
                // A block is part of a chip: pads and clock buffers are not its own. The scopes are names, not cells.
                "IBUF" | "OBUF" | "BUFG" | "$scopeinfo" => {}
                ram if ram.starts_with("RAM32") || ram.starts_with("RAM64") => area.lut_rams += count,
                ram if ram.starts_with("RAM128") || ram.starts_with("RAM256") => area.lut_rams += count,
                _ => *area.others.entry(cell.clone()).or_default() += count,
            }
        }
        area
    }
}

/// Cells by type.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Cells(pub BTreeMap<String, u64>);

impl Cells {
    /// Those of one module, from the statistics that [`STAT_SCRIPT`] left in the folder.
    pub fn of(scratch: &Scratch, module: &str) -> Result<Self, SynthError> {
        let found = Self::of_all(scratch)?.remove(module);
        found.ok_or_else(|| unexpected(scratch, format!("it has no module {module}")))
    }

    /// Those of every module, by its name.
    pub fn of_all(scratch: &Scratch) -> Result<BTreeMap<String, Self>, SynthError> {
        #[derive(Deserialize)]
        struct Module {
            num_cells_by_type: Cells,
        }
        #[derive(Deserialize)]
        struct Statistics {
            modules: BTreeMap<String, Module>,
        }
        let read = serde_json::from_str(&scratch.read(STAT)?);
        let statistics: Statistics = read.map_err(|error| unexpected(scratch, error.to_string()))?;
        let modules = statistics.modules.into_iter();
        let named = modules.map(|(name, module)| (name.trim_start_matches('\\').to_owned(), module.num_cells_by_type));
        Ok(named.collect())
    }

    pub fn area(&self) -> Area {
        Area::of(self)
    }
}

fn unexpected(scratch: &Scratch, reason: String) -> SynthError {
    SynthError::unexpected(Tool::Yosys, &scratch.path(STAT), reason)
}

/// Synthesises a design, flat, and counts its cells; a router takes about 5 s.
///
/// # Errors
/// As [`Yosys::run`].
pub fn area(design: &Design, mode: Mode) -> Result<Area, SynthError> {
    mapped_area(design, Mapping { mode, flat: true })
}

/// As [`area`], mapped as asked.
///
/// # Errors
/// As [`Yosys::run`].
pub fn mapped_area(design: &Design, mapping: Mapping) -> Result<Area, SynthError> {
    let mut scratch = Scratch::new()?;
    let script = format!("{}\n{STAT_SCRIPT}", mapping.script(design, &design.top));
    Yosys::locate()?.run_in(&mut scratch, design, &script)?;
    Ok(Cells::of(&scratch, &design.top)?.area())
}

/// Whether a memory becomes block RAM: at least one in use, and no more flip-flops than the design has bits of ports.
///
/// A memory that Yosys builds of flip-flops has as many as it has bits; what it needs beside a block RAM to do what that
/// cannot do alone is about as wide as the ports.
///
/// # Errors
/// As [`Yosys::run`].
pub fn infers_block_ram(design: &Design, target: Target) -> Result<bool, SynthError> {
    let area = area(design, target.mode())?;
    let port_bits: usize = design.ports.iter().map(|port| port.width).sum();
    Ok(area.block_rams > 0 && area.ffs <= port_bits as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fifo, ram, Read};

    #[test]
    fn cells_are_counted_by_kind() {
        let counts = [
            ("LUT4", 1),
            ("LUT6", 2),
            ("INV", 4),
            ("RAM32M", 8),
            ("RAM128X1D", 16),
            ("RAMB36E1", 32),
            ("MUXF7", 64),
            ("IBUF", 128),
            ("ALU54B", 256),
        ];
        let cells = Cells(counts.map(|(cell, count)| (cell.to_string(), count)).into());
        let expected = Area {
            luts: 7,
            lut_rams: 24,
            block_rams: 32,
            muxes: 64,
            others: [("ALU54B".to_string(), 256)].into(),
            ..Area::default()
        };
        assert_eq!(cells.area(), expected);
    }

    #[test]
    fn a_fifo_takes_lut_ram_and_its_pointers() {
        for (mode, is_wide) in [(Mode::Ecp5NoWideLut, false), (Mode::Ecp5, true)] {
            let area = area(&fifo(), mode).unwrap();
            assert_eq!(
                (area.ffs, area.lut_rams, area.block_rams, area.dsps),
                (8, 2, 0, 0),
                "{mode:?}: {area:?}"
            );
            assert!((8..=40).contains(&area.luts), "{mode:?}: {area:?}");
            assert!(
                (area.muxes > 0) == is_wide && area.others.is_empty(),
                "{mode:?}: {area:?}"
            );
        }
    }

    #[test]
    fn a_registered_read_makes_a_block_ram_and_another_does_not() {
        for target in Target::ALL {
            assert!(infers_block_ram(&ram(Read::Registered), target).unwrap(), "{target}");
        }
        assert!(!infers_block_ram(&ram(Read::Direct), Target::Ecp5).unwrap());
    }
}
