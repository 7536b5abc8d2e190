//! The buddy allocator: cycles, area and RAM.
//!
//! Cycles are those of the Verilated Verilog, from the cycle in which a command is taken to that in which its result is
//! offered. Every result is held against the golden allocator.

use super::{memory::memory_bits, synthesis::Synthesis, Effort, Line, Measured, Plot, BENCH};
use crate::bench::report::{Better, Row};
use crate::device::hardware;
use crate::device::{Device, Input, Output};
use anyhow::{ensure, Context};
use portico_golden::portals::buddy::BuddyAllocator;
use portico_spec::portals::buddy::{command, Heap, Operation, BLOCK_BYTES, HEAP_BYTES};
use portico_spec::Config;
use portico_verilog::Design;
use rand::{rngs::SmallRng, Rng, SeedableRng};

/// Most cycles for a command with 15 orders.
const MOST_CYCLES: f64 = 32.0;
/// The memory allocator's SRAM of `pac-portals-2016`, Table II: 512 x 192 bits.
const PAPER_RAM_BITS: f64 = 512.0 * 192.0;
/// Longer than anything that the allocator does, initialisation included.
const PATIENCE: u64 = 10_000;

/// The Verilog of the allocator of `heap`.
///
/// # Errors
/// The backend refuses it.
pub fn design(heap: Heap) -> anyhow::Result<Design> {
    let config = Config {
        heap: (heap.bytes() >> 10) as usize,
        block: heap.block() as usize,
        ..Config::default()
    };
    Ok(portico_generate::design("buddy", &config)?)
}

/// The device, one command at a time.
struct Runner<D> {
    device: D,
    golden: BuddyAllocator,
    inputs: [Input; 3],
    ready: Output,
    valid: Output,
    data: Output,
}

impl<D: Device> Runner<D> {
    fn new(mut device: D, heap: Heap) -> anyhow::Result<Self> {
        device.reset(1);
        Ok(Self {
            inputs: [
                device.require_input("s_axis_tdata")?,
                device.require_input("s_axis_tvalid")?,
                device.require_input("m_axis_tready")?,
            ],
            ready: device.require_output("s_axis_tready")?,
            valid: device.require_output("m_axis_tvalid")?,
            data: device.require_output("m_axis_tdata")?,
            golden: BuddyAllocator::new(heap),
            device,
        })
    }

    /// Ticks until `port` is high; the cycles passed.
    fn wait(&mut self, port: Output) -> anyhow::Result<u64> {
        let cycles = self.device.until(port, PATIENCE);
        cycles.context("the allocator stands still")
    }

    /// Cycles that a command takes.
    fn cycles(&mut self, operation: Operation, operand: u32) -> anyhow::Result<u64> {
        let [data, valid, ready] = self.inputs;
        self.device.set(data, command(operation, operand).into());
        self.device.set(valid, 1);
        self.device.set(ready, 1);
        self.wait(self.ready)?;
        self.device.tick();
        self.device.set(valid, 0);
        let cycles = 1 + self.wait(self.valid)?;
        let (shown, expected) = (self.device.get(self.data), self.golden.execute(operation, operand));
        ensure!(shown == u64::from(expected.word()), "{shown:#x} and not {expected:x?}");
        self.device.tick();
        Ok(cycles)
    }
}

/// The most and the mean cycles, by operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cycles {
    most: [f64; 2],
    mean: [f64; 2],
}

/// The most cycles: for every order in turn a heap is made whose only free block has that order, or in which one is to be
/// joined from the smallest; so the run contains a split and a join through every depth.
fn most(runner: &mut Runner<impl Device>, heap: Heap) -> anyhow::Result<[f64; 2]> {
    let mut most = [0; 2];
    let mut note = |operation: Operation, cycles: u64| most[operation as usize] = cycles.max(most[operation as usize]);
    for order in (0..=heap.top_order()).rev() {
        // Halves, quarters and so on, until what is left is one block of this order.
        let blockers = (order..heap.top_order()).rev().map(|order| heap.bytes_of(order));
        for size in blockers {
            runner.cycles(Operation::Allocate, size)?;
        }
        ensure!(
            runner.golden.largest_free() == heap.bytes_of(order),
            "the free block has another order"
        );
        note(Operation::Allocate, runner.cycles(Operation::Allocate, 1)?);
        let last = heap.bytes() - heap.bytes_of(order);
        note(Operation::Free, runner.cycles(Operation::Free, last)?);
        let live: Vec<_> = runner.golden.live().collect();
        for (address, _) in live {
            note(Operation::Free, runner.cycles(Operation::Free, address)?);
        }
        ensure!(
            runner.golden.largest_free() == heap.bytes(),
            "the heap is not whole again"
        );
    }
    Ok(most.map(|cycles| cycles as f64))
}

/// The mean over `commands` random ones, sizes of all orders up to an eighth of the heap, half the heap in use or more.
fn mean(runner: &mut Runner<impl Device>, heap: Heap, commands: usize, seed: u64) -> anyhow::Result<[f64; 2]> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut cycles, mut count, mut live) = ([0; 2], [0u32; 2], vec![]);
    for _ in 0..commands {
        let crowded = runner.golden.free_bytes() < heap.bytes() / 4;
        let frees = !live.is_empty() && rng.gen_bool(if crowded { 0.7 } else { 0.4 });
        let (operation, operand) = match frees {
            true => (Operation::Free, live.swap_remove(rng.gen_range(0..live.len()))),
            false => {
                let largest = heap.bytes_of(rng.gen_range(0..=heap.top_order().saturating_sub(3)));
                (Operation::Allocate, rng.gen_range(1..=largest))
            }
        };
        let before = runner.golden.free_bytes();
        cycles[operation as usize] += runner.cycles(operation, operand)?;
        count[operation as usize] += 1;
        if !frees && runner.golden.free_bytes() != before {
            live = runner.golden.live().map(|(address, _)| address).collect();
        }
    }
    Ok([0, 1].map(|operation| f64::from(cycles[operation] as u32) / f64::from(count[operation])))
}

fn cycles(design: &Design, heap: Heap, effort: &Effort) -> anyhow::Result<Cycles> {
    let mut runner = Runner::new(hardware::compiled(design)?, heap)?;
    let commands = if effort.quick { 1_000 } else { 20_000 };
    Ok(Cycles {
        most: most(&mut runner, heap)?,
        mean: mean(&mut runner, heap, commands, effort.seed)?,
    })
}

/// Cycles and RAM of heaps from the smallest to the largest, area of some.
///
/// # Errors
/// A tool is missing or fails, or a result is not that of the golden allocator.
pub fn rows(effort: &Effort, progress: &mut dyn FnMut(&str)) -> anyhow::Result<Measured> {
    let (least, greatest) = (HEAP_BYTES.start().ilog2(), HEAP_BYTES.end().ilog2());
    let step = if effort.quick { (greatest - least) as usize } else { 1 };
    let mut rows = vec![];
    let mut lines = ["allocate, most", "free, most", "allocate, mean", "free, mean"].map(|name| Line {
        name: name.into(),
        ..Line::default()
    });
    let mut ram = Line {
        name: "RAM".into(),
        ..Line::default()
    };
    for log in (least..=greatest).step_by(step) {
        let heap = Heap::new(1 << log, *BLOCK_BYTES.start())?;
        let kib = heap.bytes() >> 10;
        let name = format!("buddy {kib} KiB in {}-byte blocks", heap.block());
        progress(&format!("{name}: cycles"));
        let design = design(heap)?;
        let Cycles { most, mean } = cycles(&design, heap, effort)?;
        for (line, value) in lines.iter_mut().zip([most, mean].concat()) {
            line.points.push((kib.into(), value));
        }
        let memory = memory_bits(&design) as f64;
        ram.points.push((f64::from(kib), memory));
        let largest = log == greatest;
        if largest {
            for (operation, what) in [(Operation::Allocate, "allocate"), (Operation::Free, "free")] {
                rows.push(Row {
                    // A halving a cycle.
                    limit: Some(heap.top_order().into()),
                    bound: Some(MOST_CYCLES),
                    ..Row::new(
                        BENCH,
                        format!("{name}: {what}, most"),
                        "cycles",
                        Better::Less,
                        most[operation as usize],
                    )
                });
                let row = format!("{name}: {what}, mean of a random trace");
                rows.push(Row::new(BENCH, row, "cycles", Better::Less, mean[operation as usize]));
            }
            rows.push(Row {
                paper: Some(PAPER_RAM_BITS),
                ..Row::new(BENCH, format!("{name}: RAM"), "bits", Better::Less, memory)
            });
            ram.paper.push((f64::from(kib), PAPER_RAM_BITS));
        }
        if largest || log == least || log == (least + greatest) / 2 {
            progress(&format!("{name}: synthesis"));
            rows.extend(Synthesis::of(&design, effort)?.rows(&name));
        }
    }
    let x = "heap in 64-byte blocks, KiB";
    let plots = vec![
        Plot {
            title: "Buddy allocator: cycles of a command".into(),
            x: x.into(),
            y: "cycles".into(),
            lines: lines.into(),
        },
        Plot {
            title: "Buddy allocator: RAM".into(),
            x: x.into(),
            y: "bits".into(),
            lines: vec![ram],
        },
    ];
    Ok(Measured { rows, plots })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_rows_hold_the_bound() -> anyhow::Result<()> {
        let measured = rows(&Effort::quick(), &mut |step| println!("{step}"))?;
        let bounded: Vec<_> = measured.rows.iter().filter(|row| row.bound.is_some()).collect();
        assert_eq!(bounded.len(), Operation::ALL.len());
        for row in &measured.rows {
            println!("{}: {} {}", row.name, row.value, row.unit);
        }
        assert!(bounded.iter().all(|row| row.meets_bound() == Some(true)), "{bounded:?}");
        Ok(())
    }
}
