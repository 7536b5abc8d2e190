//! The datapath of the adder, with a clock enable and no handshake.
//!
//! | | |
//! | --- | --- |
//! | latency | `stages` enabled cycles |
//! | throughput | one sum an enabled cycle |
//! | timing | the result and its flags come straight from flip-flops |
//! | state | the registers of the cuts, without a reset |

use super::{
    add::Add, align::Align, compare::Compare, cuts, magnitude_order::MagnitudeOrder, normalise::Normalise,
    round::Round, Shift,
};
use portico_spec::fp::{Format, FLAGS_WIDTH};
use portico_verilog::prelude::*;

/// Bits of the distance that the first half of the alignment looks at.
const NEAR: usize = 2;

/// Adds numbers of `W` bits, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct FpAdderCore<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// All registers take their next values; they keep them otherwise.
    pub enable: Signal<In, Bit>,
    /// One addend.
    pub a: Signal<In, Bits<W>>,
    /// The other.
    pub b: Signal<In, Bits<W>>,
    /// The sum of the addends of `stages` enabled edges ago.
    pub sum: Signal<Out, Bits<W>>,
    /// Its exceptions, as [`Flag`](portico_spec::fp::Flag) numbers them.
    pub flags: Signal<Out, Bits<FLAGS_WIDTH>>,
    compare: Compare<W>,
    order: MagnitudeOrder<W>,
    align: [Align<W>; 2],
    add: Add<W>,
    normalise: [Normalise<W>; 3],
    round: Round<W>,
}

impl<const W: usize> FpAdderCore<W> {
    /// An adder of 2 to 6 stages; panics outside that, and if W is neither 32 nor 64.
    pub fn new(stages: usize) -> Self {
        let format = Format::of_width(W).unwrap_or_else(|| panic!("adder: W = {W}, allowed: 32, 64"));
        let shift = Shift::of(format);
        let cuts = cuts(stages);
        Self {
            compare: Compare::new(format, shift.distance_width, cuts[0]),
            order: MagnitudeOrder::new(format, cuts[1]),
            align: [
                Align::new(format, 0..NEAR, cuts[2]),
                Align::new(format, NEAR..shift.distance_width, cuts[3]),
            ],
            add: Add::new(format, shift.longest(), cuts[4]),
            normalise: std::array::from_fn(|at| Normalise::new(format, &shift.digits, at, cuts[5 + at])),
            round: Round::new(format, &shift.digits[2]),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for FpAdderCore<W> {
    fn update(&mut self) {
        wire!(self => compare, order, add, round: clk);
        self.compare.enable.next = self.enable.val();
        self.order.enable.next = self.enable.val();
        self.add.enable.next = self.enable.val();
        self.round.enable.next = self.enable.val();
        for i in 0..2 {
            wire!(self => align[i]: clk, enable);
        }
        for i in 0..3 {
            wire!(self => normalise[i]: clk, enable);
        }

        wire!(self => compare: a, b);
        wire!(compare => order: left, right, relation, distance);
        wire!(order => align[0]: major, minor);
        self.align[0].lost.next = false;
        self.align[0].distance.next = self.order.distance_on.val();
        self.align[0].fate.next = self.order.fate.val();
        self.align[1].major.next = self.align[0].major_on.val();
        self.align[1].minor.next = self.align[0].minor_on.val();
        self.align[1].lost.next = self.align[0].lost_on.val();
        self.align[1].distance.next = self.align[0].distance_on.val();
        self.align[1].fate.next = self.align[0].fate_on.val();
        self.add.major.next = self.align[1].major_on.val();
        self.add.minor.next = self.align[1].minor_on.val();
        self.add.lost.next = self.align[1].lost_on.val();
        self.add.fate.next = self.align[1].fate_on.val();
        self.normalise[0].word.next = self.add.sum.val();
        self.normalise[0].shift.next = 0.into();
        self.normalise[0].limit.next = self.add.limit.val();
        self.normalise[0].bound.next = true;
        self.normalise[0].fate.next = self.add.fate_on.val();
        for i in 1..3 {
            self.normalise[i].word.next = self.normalise[i - 1].word_on.val();
            self.normalise[i].shift.next = self.normalise[i - 1].shift_on.val();
            self.normalise[i].limit.next = self.normalise[i - 1].limit_on.val();
            self.normalise[i].bound.next = self.normalise[i - 1].bound_on.val();
            self.normalise[i].fate.next = self.normalise[i - 1].fate_on.val();
        }
        self.round.word.next = self.normalise[2].word_on.val();
        self.round.shift.next = self.normalise[2].shift_on.val();
        self.round.fate.next = self.normalise[2].fate_on.val();
        wire!(round => self: sum, flags);
    }
}
