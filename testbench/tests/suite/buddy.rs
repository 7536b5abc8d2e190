//! The buddy allocator on golden, in rust-hdl's simulator, as Verilog and as a netlist.

use crate::promises::buddy::check;
use portico_hdl::portals::buddy::BuddyAllocator;
use portico_spec::portals::buddy::Heap;
use portico_testbench::bench::blocks::buddy::design;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    model::golden_blocks,
    rtl_device,
};

const SEED: u64 = 0x5eed;

fn heap(bytes: u32, block: u32) -> Heap {
    Heap::new(bytes, block).expect("a heap within the limits")
}

/// The allocator of `heap` in rust-hdl.
macro_rules! rtl {
    ($w:literal, $r:literal, $m:literal, $heap:expr) => {
        rtl_device!(
            BuddyAllocator::<$w, $r, $m>::new($heap);
            rst, s_axis.tdata, s_axis.tlast, s_axis.tvalid, m_axis.tready
        )
    };
}

/// Every width of word, the smallest heaps and the largest.
fn heaps() -> [Heap; 6] {
    [
        heap(4096, 2048),
        heap(4096, 1024),
        heap(1 << 15, 1024),
        heap(4096, 64),
        heap(1 << 17, 64),
        heap(1 << 20, 64),
    ]
}

#[test]
fn golden_passes_its_own_suite() -> anyhow::Result<()> {
    for heap in heaps() {
        println!("{:?}", check(golden_blocks::buddy(heap), heap, 20_000, SEED)?);
    }
    Ok(())
}

#[test]
fn rust_hdl_does_what_golden_does() -> anyhow::Result<()> {
    let [two, four, thirty_two, small, large, _] = heaps();
    println!("{:?}", check(rtl!(2, 1, 16, two), two, 2_000, SEED)?);
    println!("{:?}", check(rtl!(2, 1, 16, four), four, 2_000, SEED)?);
    println!("{:?}", check(rtl!(4, 2, 16, thirty_two), thirty_two, 2_000, SEED)?);
    println!("{:?}", check(rtl!(8, 3, 16, small), small, 2_000, SEED)?);
    println!("{:?}", check(rtl!(16, 4, 16, large), large, 2_000, SEED)?);
    Ok(())
}

#[test]
fn rust_hdl_of_the_largest_heap_does_what_golden_does() -> anyhow::Result<()> {
    let [.., heap] = heaps();
    println!("{:?}", check(rtl!(32, 5, 32, heap), heap, 5_000, SEED)?);
    Ok(())
}

#[test]
fn verilog_does_what_golden_does() -> anyhow::Result<()> {
    for heap in heaps() {
        println!("{:?}", check(compiled(&design(heap)?)?, heap, 50_000, SEED)?);
    }
    Ok(())
}

#[test]
fn a_netlist_does_what_golden_does() -> anyhow::Result<()> {
    for heap in [heap(4096, 64), heap(4096, 1024), heap(1 << 18, 64)] {
        println!("{:?}", check(synthesised(&design(heap)?)?, heap, 5_000, SEED)?);
    }
    Ok(())
}
