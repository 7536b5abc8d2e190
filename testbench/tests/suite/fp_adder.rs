//! The floating-point adder on every device: golden, rust-hdl's simulator, its Verilog, its netlist.

use crate::promises::fp_adder::{check, check_pairs};
use portico_golden::fp::{corners, directed, random_pair};
use portico_hdl::mpe::FpAdder;
use portico_spec::fp::{Format, ADDER_STAGES};
use portico_testbench::bench::blocks::fp_adder::design;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    model::golden_blocks,
    rtl_device,
};
use rand::{rngs::SmallRng, SeedableRng};

const SEED: u64 = 0x5eed;
const CYCLES: usize = 100_000;
const RTL_CYCLES: usize = 4_000;
const FORMATS: [Format; 2] = [Format::BINARY32, Format::BINARY64];

/// An adder in rust-hdl's simulator.
macro_rules! rtl {
    ($width:literal, $stages:expr) => {
        rtl_device!(
            FpAdder::<$width>::new($stages);
            rst,
            s_axis_a.tdata, s_axis_a.tlast, s_axis_a.tvalid,
            s_axis_b.tdata, s_axis_b.tlast, s_axis_b.tvalid,
            m_axis.tready
        )
    };
}

/// Every pair of corners, or every `step`th.
fn corner_pairs(format: Format, step: usize) -> impl Iterator<Item = (u64, u64)> {
    let corners = corners(format);
    let count = corners.len();
    (0..count * count)
        .step_by(step)
        .map(move |at| (corners[at / count], corners[at % count]))
}

#[test]
fn golden_passes_its_own_suite() -> anyhow::Result<()> {
    for format in FORMATS {
        for stages in ADDER_STAGES {
            let device = golden_blocks::fp_adder(format, stages);
            check(device, format.width, stages, CYCLES, SEED)?;
        }
    }
    Ok(())
}

#[test]
fn adders_of_rust_hdl_keep_their_promise() -> anyhow::Result<()> {
    for stages in ADDER_STAGES {
        check(rtl!(32, stages), 32, stages, RTL_CYCLES, SEED)?;
        check(rtl!(64, stages), 64, stages, RTL_CYCLES, SEED)?;
    }
    Ok(())
}

#[test]
fn adders_of_rust_hdl_add_corners() -> anyhow::Result<()> {
    check_pairs(rtl!(32, 4), 32, 4, corner_pairs(Format::BINARY32, 101))?;
    check_pairs(rtl!(64, 4), 64, 4, corner_pairs(Format::BINARY64, 509))
}

#[test]
fn adders_of_verilog_keep_their_promise() -> anyhow::Result<()> {
    for format in FORMATS {
        for stages in ADDER_STAGES {
            let device = compiled(&design(format.width, stages)?)?;
            check(device, format.width, stages, CYCLES, SEED)?;
        }
    }
    Ok(())
}

#[test]
fn adders_of_verilog_add_all_corners_and_directed_pairs() -> anyhow::Result<()> {
    for format in FORMATS {
        let device = compiled(&design(format.width, 4)?)?;
        let pairs = corner_pairs(format, 1).chain(directed(format));
        check_pairs(device, format.width, 4, pairs)?;
    }
    Ok(())
}

#[test]
fn adders_of_verilog_add_millions_of_near_numbers() -> anyhow::Result<()> {
    println!("seed {SEED:#x}");
    for format in FORMATS {
        let device = compiled(&design(format.width, 4)?)?;
        let mut rng = SmallRng::seed_from_u64(SEED);
        let pairs = (0..2_000_000).map(|_| random_pair(format, &mut rng));
        check_pairs(device, format.width, 4, pairs)?;
    }
    Ok(())
}

#[test]
fn adders_of_cells_keep_their_promise() -> anyhow::Result<()> {
    for (width, stages) in [(32, 2), (32, 4), (64, 6)] {
        let device = synthesised(&design(width, stages)?)?;
        check(device, width, stages, CYCLES / 10, SEED)?;
    }
    Ok(())
}

#[test]
fn adders_of_cells_add_corners() -> anyhow::Result<()> {
    for (format, step) in FORMATS.into_iter().zip([7, 101]) {
        let device = synthesised(&design(format.width, 4)?)?;
        let pairs = corner_pairs(format, step).chain(directed(format).into_iter().step_by(step / 7));
        check_pairs(device, format.width, 4, pairs)?;
    }
    Ok(())
}
