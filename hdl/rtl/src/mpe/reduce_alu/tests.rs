use super::*;
use crate::{
    prim::testing::clock, prim::testing::clocked, prim::testing::reset, prim::testing::rng, prim::testing::settle,
};
use portico_golden::mpe::reduce::reduce;
use portico_spec::fp::Format;
use rand::Rng;
use std::collections::VecDeque;

clocked!([const W: usize] ReduceAlu<W>);

/// Offers a pair and a readiness; returns whether the pair is taken in this cycle, and what leaves: (data, last, flags).
fn cycle<const W: usize>(
    dut: &mut ReduceAlu<W>,
    pair: Option<(u32, u64, u64, bool)>,
    ready: bool,
) -> (bool, Option<(u64, bool, u64)>) {
    let (code, a, b, last) = pair.unwrap_or_default();
    dut.s_axis_a.tvalid.next = pair.is_some();
    dut.s_axis_b.tvalid.next = pair.is_some();
    dut.s_axis_a_tuser.next = u64::from(code).to_bits();
    dut.s_axis_a.tdata.next = a.to_bits();
    dut.s_axis_b.tdata.next = b.to_bits();
    dut.s_axis_a.tlast.next = last;
    dut.m_axis.tready.next = ready;
    settle(dut);
    let taken = dut.s_axis_a.tready.val();
    assert!(
        pair.is_none() || taken == dut.s_axis_b.tready.val(),
        "half a pair was taken"
    );
    let left = (ready && dut.m_axis.tvalid.val()).then(|| {
        let flags = dut.m_axis_tuser.val().to_u64();
        (dut.m_axis.tdata.val().to_u64(), dut.m_axis.tlast.val(), flags)
    });
    clock(dut);
    (pair.is_some() && taken, left)
}

fn every_operation_takes_the_same_time<const W: usize>() {
    let format = Format::of_width(W).unwrap();
    let mut rng = rng(0xa1 + W as u64);
    for stages in ADDER_STAGES {
        let mut dut = reset(ReduceAlu::<W>::new(stages));
        let mut expected = VecDeque::from(vec![None; stages]);
        for _ in 0..400 {
            let words = [rng.gen::<u64>(), rng.gen()].map(|word| word >> (64 - W));
            let pair = (rng.gen_range(0..16), words[0], words[1], rng.gen());
            let offered = rng.gen_bool(0.8).then_some(pair);
            let (taken, left) = cycle(&mut dut, offered, true);
            assert_eq!(taken, offered.is_some(), "nothing was in its way");
            let result = offered.map(|(code, a, b, last)| {
                let (word, flags) = reduce(format, code, a, b);
                (word, last, u64::from(flags))
            });
            expected.push_back(result);
            assert_eq!(Some(left), expected.pop_front(), "{stages} stages");
        }
    }
}

#[test]
fn every_single_precision_operation_takes_the_same_time() {
    every_operation_takes_the_same_time::<32>();
}

#[test]
fn every_double_precision_operation_takes_the_same_time() {
    every_operation_takes_the_same_time::<64>();
}

#[test]
fn a_stream_alone_is_not_taken() {
    let mut dut = reset(ReduceAlu::<32>::new(2));
    dut.m_axis.tready.next = true;
    dut.s_axis_a.tvalid.next = true;
    settle(&mut dut);
    assert!(!dut.s_axis_a.tready.val());
    dut.s_axis_a.tvalid.next = false;
    dut.s_axis_b.tvalid.next = true;
    settle(&mut dut);
    assert!(!dut.s_axis_b.tready.val());
    for _ in 0..4 {
        clock(&mut dut);
        assert!(!dut.m_axis.tvalid.val(), "a result of half a pair");
    }
}

#[test]
#[should_panic(expected = "7 stages")]
fn seven_stages_are_too_many() {
    ReduceAlu::<32>::new(7);
}
