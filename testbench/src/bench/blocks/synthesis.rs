//! Area and clock of a stand-alone block, as rows.

use super::{Effort, BENCH};
use crate::bench::report::{Better, Row};
use portico_synth::{area, fmax, Area, Mode, Timing};
use portico_verilog::Design;

/// What synthesis makes of a block.
#[derive(Clone, Debug)]
pub struct Synthesis {
    /// By `synth_ecp5 -nowidelut`.
    pub ecp5: Area,
    /// By `synth_xilinx -family xc7 -flatten`.
    pub xilinx: Area,
    /// On ECP5; nothing where it was not placed.
    pub clock: Option<Timing>,
}

impl Synthesis {
    /// Synthesises `design` for both families, and places it if `effort` says so.
    ///
    /// # Errors
    /// A tool is missing or fails.
    pub fn of(design: &Design, effort: &Effort) -> anyhow::Result<Self> {
        let clock = effort.place.as_ref().map(|place| fmax(design, place));
        Ok(Self {
            ecp5: area(design, Mode::Ecp5NoWideLut)?,
            xilinx: area(design, Mode::Xilinx7)?,
            clock: clock.transpose()?,
        })
    }

    /// Its rows, of names that begin with `block`: cells of each kind, then the clock. Kinds of which there are none are
    /// left out, LUTs and flip-flops never.
    pub fn rows(&self, block: &str) -> Vec<Row> {
        let mut rows = vec![];
        for (family, area) in [("ECP5", &self.ecp5), ("Xilinx 7", &self.xilinx)] {
            let counts = [
                ("LUT", area.luts),
                ("FF", area.ffs),
                ("carry", area.carry),
                ("LUT RAM", area.lut_rams),
                ("block RAM", area.block_rams),
                ("DSP", area.dsps),
                ("mux", area.muxes),
            ];
            let counts = counts
                .iter()
                .enumerate()
                .filter(|(at, (_, count))| *at < 2 || *count > 0);
            rows.extend(counts.map(|(_, (cell, count))| {
                let name = format!("{block}: {cell}, {family}");
                Row::new(BENCH, name, "cells", Better::Less, *count as f64)
                    .with("measure", "cells")
                    .with("block", block)
                    .with("family", family)
                    .with("cell", *cell)
            }));
        }
        rows.extend(self.clock.as_ref().and_then(|clock| {
            let name = format!("{block}: clock, ECP5, median of {} seeds", clock.seeds.len());
            let row = Row::new(BENCH, name, "MHz", Better::More, clock.median?);
            Some(row.with("measure", "clock").with("block", block))
        }));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_block_cell_and_family() {
        let synthesis = Synthesis {
            ecp5: Area {
                luts: 10,
                carry: 2,
                ..Area::default()
            },
            xilinx: Area {
                ffs: 3,
                ..Area::default()
            },
            clock: None,
        };
        let rows = synthesis.rows("fp-add");
        assert_eq!(rows[3].keys["family"], "Xilinx 7");
        let found: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.value)).collect();
        assert_eq!(
            found,
            [
                ("fp-add: LUT, ECP5", 10.0),
                ("fp-add: FF, ECP5", 0.0),
                ("fp-add: carry, ECP5", 2.0),
                ("fp-add: LUT, Xilinx 7", 0.0),
                ("fp-add: FF, Xilinx 7", 3.0)
            ]
        );
    }
}
