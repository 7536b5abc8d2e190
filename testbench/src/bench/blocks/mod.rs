//! The benchmark of the blocks that are useful alone: cycles, area, clock.
//!
//! | module | measures |
//! | --- | --- |
//! | [`fp_adder`] | the floating-point adder |
//! | [`reduce_alu`] | the reduce ALU |
//! | [`list_manager`] | the list manager of Portals |
//! | [`buddy`] | the buddy allocator of Portals |
//!
//! Cycles are counted on the Verilated Verilog, every result held against the golden model while it is measured. Cells are
//! those of Yosys for ECP5 and Xilinx 7, the clock that of nextpnr for ECP5 ([`synthesis`]).

pub mod buddy;
pub mod fp_adder;
pub mod list_manager;
mod measured;
mod memory;
pub mod reduce_alu;
pub mod synthesis;

pub use measured::{Effort, Line, Measured, Plot, BENCH};

use anyhow::{ensure, Context};
use std::collections::BTreeSet;

/// A block that is measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Floating-point adder.
    FpAdd,
    /// Reduce ALU.
    ReduceAlu,
    /// List manager.
    ListManager,
    /// Buddy allocator.
    Buddy,
}

impl Block {
    /// All of them.
    pub const ALL: [Block; 4] = [Block::FpAdd, Block::ReduceAlu, Block::ListManager, Block::Buddy];

    /// Its name, as that of its top module.
    pub fn name(self) -> &'static str {
        match self {
            Block::FpAdd => "fp-add",
            Block::ReduceAlu => "reduce-alu",
            Block::ListManager => "list-manager",
            Block::Buddy => "buddy",
        }
    }

    /// The block of this name.
    pub fn named(name: &str) -> Option<Block> {
        Block::ALL.into_iter().find(|block| block.name() == name)
    }

    fn measure(self, effort: &Effort, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Measured> {
        match self {
            Block::FpAdd => fp_adder::rows(effort, progress),
            Block::ReduceAlu => reduce_alu::rows(effort, progress),
            Block::ListManager => list_manager::rows(effort, progress),
            Block::Buddy => buddy::rows(effort, progress),
        }
    }
}

/// Measures `blocks`, one after the other. `progress` is told of each step: how many blocks of how many are done, and what
/// comes next.
///
/// # Errors
/// A tool is missing or fails, or a block did something wrong.
pub fn run(
    blocks: &[Block],
    effort: &Effort,
    progress: &mut dyn FnMut(usize, usize, &str),
) -> anyhow::Result<Measured> {
    gather(blocks, progress, &mut |block, progress| block.measure(effort, progress))
}

/// How one block is measured.
type Measure<'a> = dyn FnMut(Block, &mut dyn FnMut(&str)) -> anyhow::Result<Measured> + 'a;

fn gather(
    blocks: &[Block],
    progress: &mut dyn FnMut(usize, usize, &str),
    measure: &mut Measure,
) -> anyhow::Result<Measured> {
    let mut all = Measured::default();
    let of = blocks.len();
    for (done, &block) in blocks.iter().enumerate() {
        let name = block.name();
        let mut next = |step: &str| progress(done, of, &format!("{name}, {step}"));
        let Measured { rows, plots } = measure(block, &mut next).context(name)?;
        all.rows.extend(rows);
        all.plots.extend(plots);
    }
    progress(of, of, "done");
    let mut names = BTreeSet::new();
    for row in &all.rows {
        ensure!(names.insert(&row.name), "two figures are called {}", row.name);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::{Better, Row};

    fn one_row(name: &str) -> anyhow::Result<Measured> {
        Ok(Measured {
            rows: vec![Row::new(BENCH, name, "cycles", Better::Less, 1.0)],
            plots: vec![],
        })
    }

    #[test]
    fn blocks_have_names_of_their_own() {
        for block in Block::ALL {
            assert_eq!(Block::named(block.name()), Some(block));
        }
        assert_eq!(Block::named("router"), None);
    }

    #[test]
    fn blocks_are_measured_in_the_order_asked_for_and_every_step_is_told() {
        let mut steps = vec![];
        let blocks = [Block::Buddy, Block::FpAdd];
        let measured = gather(
            &blocks,
            &mut |done, of, next| steps.push((done, of, next.to_owned())),
            &mut |block, progress| {
                progress("cycles");
                one_row(block.name())
            },
        );
        let names: Vec<_> = measured.unwrap().rows.into_iter().map(|row| row.name).collect();
        assert_eq!(names, ["buddy", "fp-add"]);
        let step = |done, next: &str| (done, 2, next.to_owned());
        assert_eq!(
            steps,
            [step(0, "buddy, cycles"), step(1, "fp-add, cycles"), step(2, "done")]
        );
    }

    #[test]
    fn what_goes_wrong_is_told_with_the_block() {
        let error = gather(&Block::ALL, &mut |_, _, _| (), &mut |block, _| match block {
            Block::ReduceAlu => anyhow::bail!("5 is not 4"),
            _ => one_row(block.name()),
        });
        assert_eq!(format!("{:#}", error.unwrap_err()), "reduce-alu: 5 is not 4");
        let error = gather(&Block::ALL, &mut |_, _, _| (), &mut |_, _| one_row("area"));
        assert_eq!(error.unwrap_err().to_string(), "two figures are called area");
    }
}
