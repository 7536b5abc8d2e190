//! Sums of the core, with enables at random; the adder's handshake and reset.

use super::*;
use crate::prim::testing::{clock, clock_edge, clocked, reset, rng, settle};
use portico_golden::fp::add;
use portico_golden::fp::corners;
use portico_golden::fp::directed;
use portico_verilog::prelude::*;
use rand::{seq::SliceRandom, Rng};
use std::collections::VecDeque;

clocked!([const W: usize] FpAdder<W>);

/// Sums of pairs, with the enable low in some cycles.
fn adds<const W: usize>(stages: usize, count: usize) {
    let format = Format::of_width(W).expect("a width of the adder");
    let mut rng = rng(0xadd + stages as u64);
    let corners = corners(format);
    let directed = directed(format);
    let mut dut = FpAdderCore::<W>::new(stages);
    dut.connect_all();
    // The pairs of the last enabled edges; what is shown stays while the enable is low.
    let mut under_way = VecDeque::new();
    for n in 0..count {
        let (a, b) = match n % 2 {
            0 => (*corners.choose(&mut rng).unwrap(), *corners.choose(&mut rng).unwrap()),
            _ => *directed.choose(&mut rng).unwrap(),
        };
        let enable = rng.gen_bool(0.9);
        dut.a.next = a.to_bits();
        dut.b.next = b.to_bits();
        dut.enable.next = enable;
        clock_edge!(dut);
        if enable {
            under_way.push_back((a, b));
        }
        if under_way.len() > stages {
            under_way.pop_front();
        }
        if under_way.len() == stages {
            let (a, b) = under_way[0];
            let (sum, flags) = add(format, a, b);
            let found = (dut.sum.val().to_u64(), dut.flags.val().to_u64());
            assert_eq!(
                found,
                (sum, u64::from(flags)),
                "{a:#x} + {b:#x} is {sum:#x}, {flags:#x}, not {found:x?}"
            );
        }
    }
}

#[test]
fn sums_are_golden() {
    for stages in ADDER_STAGES {
        adds::<32>(stages, 2_000);
        adds::<64>(stages, 2_000);
    }
}

const STAGES: usize = 3;

/// Which addends are offered, and whether a sum is taken.
fn offer(dut: &mut FpAdder<32>, [a, b]: [Option<f32>; 2], ready: bool) {
    dut.s_axis_a.tvalid.next = a.is_some();
    dut.s_axis_b.tvalid.next = b.is_some();
    dut.s_axis_a.tdata.next = u64::from(a.unwrap_or(0.0).to_bits()).into();
    dut.s_axis_b.tdata.next = u64::from(b.unwrap_or(0.0).to_bits()).into();
    dut.s_axis_a.tlast.next = a == Some(1.0);
    dut.m_axis.tready.next = ready;
    settle(dut);
}

/// The sum that is offered, and its last.
fn sum(dut: &FpAdder<32>) -> Option<(f32, bool)> {
    let sum = f32::from_bits(dut.m_axis.tdata.val().to_u64() as u32);
    dut.m_axis.tvalid.val().then_some((sum, dut.m_axis.tlast.val()))
}

fn readies(dut: &FpAdder<32>) -> [bool; 2] {
    [dut.s_axis_a.tready.val(), dut.s_axis_b.tready.val()]
}

#[test]
fn a_pair_is_taken_whole_and_its_sum_waits() {
    let mut dut = reset(FpAdder::<32>::new(STAGES));
    for (addends, expected) in [
        ([Some(1.0), None], [false, true]),
        ([None, Some(2.0)], [true, false]),
        ([Some(1.0), Some(2.0)], [true, true]),
    ] {
        offer(&mut dut, addends, false);
        assert_eq!((readies(&dut), sum(&dut)), (expected, None), "{addends:?}");
        clock(&mut dut);
    }
    // The pipeline moves while nothing is offered at its end, whether a sum would be taken or not.
    for _ in 1..STAGES {
        offer(&mut dut, [Some(4.0), Some(8.0)], false);
        assert_eq!((readies(&dut), sum(&dut)), ([true; 2], None));
        clock(&mut dut);
    }
    for _ in 0..3 {
        offer(&mut dut, [Some(4.0), Some(8.0)], false);
        assert_eq!((readies(&dut), sum(&dut)), ([false; 2], Some((3.0, true))));
        clock(&mut dut);
    }
    offer(&mut dut, [None; 2], true);
    clock(&mut dut);
    assert_eq!(sum(&dut), Some((12.0, false)), "the sums of the pairs behind it follow");
}

#[test]
fn a_reset_leaves_no_sum_under_way() {
    let mut dut = reset(FpAdder::<32>::new(STAGES));
    for _ in 0..STAGES {
        offer(&mut dut, [Some(1.0), Some(2.0)], false);
        clock(&mut dut);
    }
    assert!(sum(&dut).is_some());
    offer(&mut dut, [None; 2], true);
    dut.rst.next = true;
    clock(&mut dut);
    dut.rst.next = false;
    for _ in 0..=STAGES {
        offer(&mut dut, [None; 2], true);
        assert_eq!(sum(&dut), None);
        clock(&mut dut);
    }
}
