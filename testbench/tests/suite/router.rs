//! The router alone, on every device: rust-hdl's simulator, its Verilog, its netlist.

use crate::promises::routing;
use portico_generate::design;
use portico_hdl::noc::Router;
use portico_spec::Config;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    rtl_device,
};

const SEED: u64 = 0x5eed;

/// Cycles of random traffic on compiled hardware, and on rust-hdl's simulator.
const CYCLES: usize = 40_000;
const RTL_CYCLES: usize = 10_000;

fn config(width: usize, fifo: usize) -> Config {
    Config {
        width,
        fifo,
        ..Config::default()
    }
}

/// A router in rust-hdl's simulator, held to its promise.
macro_rules! check_rtl {
    ($width:literal, $address_bits:literal, $depth:literal) => {{
        let device = rtl_device!(
            Router::<$width, $address_bits>::new($depth);
            rst, x, y,
            s_axis.local.tdata, s_axis.local.tlast, s_axis.local.tvalid, m_axis.local.tready,
            s_axis.north.tdata, s_axis.north.tlast, s_axis.north.tvalid, m_axis.north.tready,
            s_axis.east.tdata, s_axis.east.tlast, s_axis.east.tvalid, m_axis.east.tready,
            s_axis.south.tdata, s_axis.south.tlast, s_axis.south.tvalid, m_axis.south.tready,
            s_axis.west.tdata, s_axis.west.tlast, s_axis.west.tvalid, m_axis.west.tready
        );
        routing::check(device, $depth, $width, RTL_CYCLES, SEED)?;
    }};
}

#[test]
fn routers_of_rust_hdl_keep_their_promise() -> anyhow::Result<()> {
    check_rtl!(32, 1, 2);
    check_rtl!(32, 2, 3);
    check_rtl!(32, 2, 4);
    check_rtl!(32, 4, 16);
    Ok(())
}

#[test]
fn wide_routers_of_rust_hdl_keep_their_promise() -> anyhow::Result<()> {
    check_rtl!(64, 1, 2);
    check_rtl!(64, 2, 3);
    check_rtl!(64, 2, 4);
    check_rtl!(64, 4, 16);
    Ok(())
}

#[test]
fn routers_of_verilog_keep_their_promise() -> anyhow::Result<()> {
    for (width, depth) in [(32, 2), (32, 3), (64, 4), (64, 16)] {
        let device = compiled(&design("router", &config(width, depth))?)?;
        routing::check(device, depth, width, CYCLES, SEED)?;
    }
    Ok(())
}

#[test]
fn routers_of_cells_keep_their_promise() -> anyhow::Result<()> {
    for depth in [2, 4] {
        let device = synthesised(&design("router", &config(32, depth))?)?;
        routing::check(device, depth, 32, CYCLES, SEED)?;
    }
    Ok(())
}
