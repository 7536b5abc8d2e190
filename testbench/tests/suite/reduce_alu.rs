//! The reduce ALU on golden, in rust-hdl's simulator, as Verilog and as a netlist, against the golden model.

use crate::promises::reduce_alu::check;
use portico_hdl::mpe::ReduceAlu;
use portico_spec::fp::Format;
use portico_testbench::bench::blocks::reduce_alu::design;
use portico_testbench::{
    device::hardware::{compiled, synthesised},
    model::golden_blocks,
    rtl_device,
};
use portico_verilog::Design;

const SEED: u64 = 0x5eed;
/// Stages of the adder whose figures are compared.
const STAGES: usize = 4;

fn designs() -> impl Iterator<Item = (usize, Design)> {
    [32, 64]
        .into_iter()
        .map(|width| (width, design(width, STAGES).expect("the ALU can be emitted")))
}

#[test]
fn golden_passes_its_own_suite() -> anyhow::Result<()> {
    for format in [Format::BINARY32, Format::BINARY64] {
        let device = golden_blocks::reduce_alu(format, STAGES);
        check(device, STAGES, format.width, 100_000, SEED)?;
    }
    Ok(())
}

#[test]
fn it_reduces_in_rust_hdls_simulator() -> anyhow::Result<()> {
    for stages in 2..=6 {
        let alu = rtl_device!(
            ReduceAlu::<32>::new(stages);
            rst, s_axis_a.tdata, s_axis_a.tlast, s_axis_a.tvalid, s_axis_a_tuser,
            s_axis_b.tdata, s_axis_b.tlast, s_axis_b.tvalid, m_axis.tready
        );
        check(alu, stages, 32, 5_000, SEED)?;
    }
    let alu = rtl_device!(
        ReduceAlu::<64>::new(STAGES);
        rst, s_axis_a.tdata, s_axis_a.tlast, s_axis_a.tvalid, s_axis_a_tuser,
        s_axis_b.tdata, s_axis_b.tlast, s_axis_b.tvalid, m_axis.tready
    );
    check(alu, STAGES, 64, 5_000, SEED)
}

#[test]
fn it_reduces_as_verilog() -> anyhow::Result<()> {
    for (width, design) in designs() {
        check(compiled(&design)?, STAGES, width, 500_000, SEED)?;
    }
    for stages in [2, 3, 5, 6] {
        check(compiled(&design(32, stages)?)?, stages, 32, 100_000, SEED)?;
    }
    Ok(())
}

#[test]
fn it_reduces_as_a_netlist() -> anyhow::Result<()> {
    for (width, design) in designs() {
        check(synthesised(&design)?, STAGES, width, 100_000, SEED)?;
    }
    Ok(())
}
