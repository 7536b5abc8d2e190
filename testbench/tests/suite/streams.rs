//! Every block that queues one stream, on every device: rust-hdl's simulator, its Verilog, its netlist.

use crate::promises::queue;
use portico_generate::design;
use portico_hdl::prim::{Fifo, SkidBuffer};
use portico_spec::Config;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    rtl_device,
};

const SEED: u64 = 0x5eed;

/// Beats that a skid buffer holds.
const SKID_BEATS: usize = 2;

macro_rules! rtl {
    ($block:expr) => {
        rtl_device!($block; rst, s_axis.tdata, s_axis.tlast, s_axis.tvalid, m_axis.tready)
    };
}

fn config(width: usize, fifo: usize) -> Config {
    Config {
        width,
        fifo,
        ..Config::default()
    }
}

#[test]
fn fifos_of_rust_hdl_are_queues() -> anyhow::Result<()> {
    for depth in 1..=2 {
        queue::check(rtl!(Fifo::<32, 1>::new(depth)), depth, 32, SEED)?;
    }
    for depth in [3, 4, 5, 7, 16] {
        queue::check(rtl!(Fifo::<64, 4>::new(depth)), depth, 64, SEED)?;
    }
    queue::check(rtl!(Fifo::<32, 10>::new(1000)), 1000, 32, SEED)
}

#[test]
fn fifos_of_verilog_are_queues() -> anyhow::Result<()> {
    for (width, depth) in [(32, 2), (64, 3), (32, 4), (64, 16)] {
        queue::check(compiled(&design("fifo", &config(width, depth))?)?, depth, width, SEED)?;
    }
    Ok(())
}

#[test]
fn fifos_of_cells_are_queues() -> anyhow::Result<()> {
    for depth in [2, 3, 4, 16] {
        queue::check(synthesised(&design("fifo", &config(32, depth))?)?, depth, 32, SEED)?;
    }
    Ok(())
}

#[test]
fn skid_buffers_are_queues_of_two() -> anyhow::Result<()> {
    queue::check(rtl!(SkidBuffer::<32>::default()), SKID_BEATS, 32, SEED)?;
    queue::check(rtl!(SkidBuffer::<64>::default()), SKID_BEATS, 64, SEED)?;
    queue::check(compiled(&design("skid-buffer", &config(64, 2))?)?, SKID_BEATS, 64, SEED)?;
    queue::check(
        synthesised(&design("skid-buffer", &config(32, 2))?)?,
        SKID_BEATS,
        32,
        SEED,
    )
}
