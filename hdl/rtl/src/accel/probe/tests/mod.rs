//! Source, sink and registers of the source/sink core.

mod sink;
mod source;

use super::*;
use crate::prim::testing::{clock, clocked, reset, rng, settle};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        packet::DataKind,
        registers::{index, ProbeRegister},
    },
    probe::content,
    Head, Node,
};
use rand::Rng;
use std::collections::BTreeMap;

clocked!([] ProbeRegisters);

const HERE: Node = Node { x: 1, y: 0 };

fn config(cols: usize, rows: usize, width: usize) -> Config {
    Config {
        cols,
        rows,
        width,
        ..Config::default()
    }
}

/// A word of payload on a plane of `width` bits.
fn widened(width: usize, word: u32) -> u64 {
    match width {
        32 => u64::from(word),
        _ => u64::from(!word) << 32 | u64::from(word),
    }
}

#[test]
fn registers_show_the_counts_and_clear_them() {
    let mut dut = reset(ProbeRegisters::default());
    dut.received.next = 11u64.into();
    dut.words.next = 22u64.into();
    dut.errors.next = 33u64.into();
    dut.least.next = 44u64.into();
    dut.greatest.next = 55u64.into();
    dut.sum.next = (66u64 | 77 << 32).into();
    dut.first.next = 88u64.into();
    dut.last.next = 99u64.into();
    dut.running.next = true;
    dut.sent.next = true;
    (0..5).for_each(|_| clock(&mut dut));
    dut.sent.next = false;
    let read = |dut: &mut ProbeRegisters, at: u64| {
        dut.register.index.next = at.into();
        dut.register.read.next = true;
        clock(dut);
        dut.register.read.next = false;
        assert_eq!(dut.register.answer.val(), 0u64);
        clock(dut);
        dut.register.answer.val().to_u64()
    };
    let first = index(ProbeRegister::Status, 0) as u64;
    let seen: Vec<u64> = (0..13).map(|place| read(&mut dut, first + place)).collect();
    assert_eq!(seen, [1, 5, 11, 22, 33, 44, 55, 66, 77, 88, 99, 0, 0]);
    assert_eq!(read(&mut dut, first - 0x1000 + 2), 0, "of another block");
    dut.register.index.next = (first + ProbeRegister::Clear as u64).into();
    dut.register.write.next = true;
    clock(&mut dut);
    dut.register.write.next = false;
    assert!(dut.clear.val());
    clock(&mut dut);
    assert!(!dut.clear.val());
    assert_eq!(read(&mut dut, first + ProbeRegister::Sent as u64), 0);
}
