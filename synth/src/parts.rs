//! What each part of a block takes of an ECP5, as a tree by instance.

use crate::area::{Cells, STAT_SCRIPT};
use crate::hierarchy::Hierarchy;
use crate::mapping::list;
use crate::scratch::Scratch;
use crate::{Area, Mode, SynthError, Tool, Yosys};
use portico_verilog::Design;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Area of a block by its parts, mapped with the modules of all parts kept.
///
/// No optimisation crosses the boundary of a part, so that the sum is larger than what the block takes when it is mapped
/// flat, and the more so the deeper the tree is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartsReport {
    /// Top module of the block.
    pub top: String,
    /// Versions of the tools, by name.
    pub tools: BTreeMap<String, String>,
    /// The command of Yosys.
    pub command: String,
    /// Levels of parts below the top.
    pub depth: usize,
    /// The block.
    pub block: Part,
}

/// An instance with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Name of the instance; of the block, its top module.
    pub name: String,
    /// Its module.
    pub module: String,
    /// All its cells, with those of its parts.
    pub area: Area,
    /// Sites of LUT4 that they take: see [`Area::sites`].
    pub sites: u64,
    /// Its parts, in the order of the Verilog.
    pub parts: Vec<Part>,
}

/// Maps a block for ECP5 with the modules of its instances kept down to `depth` levels below the top, all below flattened.
///
/// A module that is a part in one place is kept in all places. Depth 0 is the block alone, mapped flat.
///
/// # Errors
/// As [`Yosys::run`].
pub fn parts(design: &Design, depth: usize) -> Result<PartsReport, SynthError> {
    let (yosys, mode) = (Yosys::locate()?, Mode::Ecp5NoWideLut);
    let hierarchy = Hierarchy::of(design);
    let kept = hierarchy.down_to(depth);
    let keep = match kept.is_empty() {
        true => String::new(),
        false => format!("setattr -mod -set keep_hierarchy 1 {}\n", list(&kept)),
    };
    let mut scratch = Scratch::new()?;
    let script = format!("{keep}{}\n{STAT_SCRIPT}", mode.script(&design.top));
    yosys.run_in(&mut scratch, design, &script)?;
    let mapped = Mapped {
        cells: Cells::of_all(&scratch)?,
        hierarchy,
    };
    Ok(PartsReport {
        top: design.top.clone(),
        tools: [(Tool::Yosys.to_string(), yosys.version().to_string())].into(),
        command: mode.command().into(),
        depth,
        block: mapped.part(&design.top, &design.top, depth),
    })
}

/// A design that is mapped with some of its modules kept.
struct Mapped<'a> {
    cells: BTreeMap<String, Cells>,
    hierarchy: Hierarchy<'a>,
}

impl Mapped<'_> {
    fn part(&self, name: &str, module: &str, depth: usize) -> Part {
        let mut total = BTreeMap::new();
        self.add(module, 1, &mut total);
        let area = Cells(total).area();
        let instances = match depth {
            0 => &[],
            _ => self.hierarchy.instances(module),
        };
        let parts = instances.iter();
        Part {
            name: name.into(),
            module: module.into(),
            sites: area.sites(),
            area,
            parts: parts.map(|part| self.part(part.name, part.module, depth - 1)).collect(),
        }
    }

    /// Adds the cells of `count` instances of a module, with those within its instances. Of a module of which nothing is
    /// used there are none.
    fn add(&self, module: &str, count: u64, total: &mut BTreeMap<String, u64>) {
        let Some(cells) = self.cells.get(module) else {
            return;
        };
        for (cell, &each) in &cells.0 {
            match self.cells.contains_key(cell) {
                true => self.add(cell, count * each, total),
                false => *total.entry(cell.clone()).or_default() += count * each,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area;
    use crate::fixtures::{fifo, twins};

    #[test]
    fn parts_add_up_and_equal_parts_are_equal() {
        let report = parts(&twins(1), 1).unwrap();
        let [low, high] = &report.block.parts[..] else {
            panic!("{report:?}")
        };
        assert_eq!((&*low.name, &*high.name, &*low.module), ("low", "high", "twin"));
        assert_eq!((low.area.ffs, &low.area), (8, &high.area));
        assert_eq!(report.block.area.ffs, 16);
        assert_eq!(report.block.sites, low.sites + high.sites);
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<PartsReport>(&json).unwrap(), report);
    }

    #[test]
    fn depth_0_is_the_flat_area_and_deeper_than_the_design_is_its_leaves() {
        let fifo = fifo();
        let flat = parts(&fifo, 0).unwrap();
        assert_eq!(flat.block.area, area(&fifo, Mode::Ecp5NoWideLut).unwrap());
        assert_eq!(flat.block.parts, []);
        let deep = parts(&fifo, 9).unwrap();
        let [ram] = &deep.block.parts[..] else {
            panic!("{deep:?}")
        };
        assert_eq!((&*ram.name, ram.area.lut_rams), ("ram", 2));
    }
}
