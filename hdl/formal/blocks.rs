//! The blocks that are proven.

use portico_hdl::{
    mpe::engine::{CallScheduler, EdgeCounts},
    portals::buddy::BuddyAllocator,
    prim::{CreditCounter, Fifo, RoundRobinArbiter},
};
use portico_spec::portals::buddy::Heap;
use portico_verilog::{emit, Options};
use rust_hdl::prelude::Block;
use std::{error::Error, fs, path::Path};

/// Writes the Verilog of the blocks that are proven into `folder`, one file each.
///
/// Beside the blocks that `portico generate` knows these are small ones: FIFOs of every shape that the ring of addresses
/// takes up to two address bits, with words of four bits, since a proof about free words does not gain from more.
pub fn write_all(folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    write(folder, "fifo_1.v", "fifo", Fifo::<4, 1>::new(1))?;
    write(folder, "fifo_2.v", "fifo", Fifo::<4, 1>::new(2))?;
    write(folder, "fifo_3.v", "fifo", Fifo::<4, 2>::new(3))?;
    write(folder, "fifo_4.v", "fifo", Fifo::<4, 2>::new(4))?;
    let arbiter = RoundRobinArbiter::<5>::default();
    write(folder, "round_robin_arbiter.v", "round-robin-arbiter", arbiter)?;
    let heap = |block| Heap::new(4096, block);
    write(
        folder,
        "buddy_4.v",
        "buddy",
        BuddyAllocator::<2, 1, 16>::new(heap(1024)?),
    )?;
    write(
        folder,
        "buddy_8.v",
        "buddy",
        BuddyAllocator::<4, 2, 16>::new(heap(512)?),
    )?;
    // With one context no step waits for a turn, so that an induction needs to know of one call alone.
    write(folder, "mpe_scheduler.v", "mpe-scheduler", CallScheduler::new(1))?;
    write(folder, "mpe_packets.v", "mpe-packets", EdgeCounts::new(1, false))?;
    write(folder, "mpe_credits.v", "mpe-credits", EdgeCounts::new(1, true))?;
    write(folder, "credit_counter.v", "credit-counter", CreditCounter::<4>::new(8))
}

fn write(folder: &Path, file: &str, name: &str, mut block: impl Block) -> Result<(), Box<dyn Error>> {
    block.connect_all();
    let options = Options {
        generator: format!("Portico {}", env!("CARGO_PKG_VERSION")),
        licence: String::new(),
        prefix: "portico".into(),
        block: name.into(),
        configuration: Vec::new(),
        keep_apart: Vec::new(),
    };
    Ok(fs::write(folder.join(file), emit(&block, &options)?.text())?)
}
