//! The core in rust-hdl's simulator, with enables at random; the adder's handshake.

use super::*;
use crate::{prim::testing::clock_edge, prim::testing::rng};
use portico_golden::fp::add;
use portico_golden::fp::corners;
use portico_golden::fp::directed;
use rand::{seq::SliceRandom, Rng};
use rust_hdl::prelude::*;
use std::collections::VecDeque;

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
