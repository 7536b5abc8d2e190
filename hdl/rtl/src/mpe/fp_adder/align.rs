//! Third and fourth step: shift the smaller significand to the place that its exponent gives it.
//!
//! | | |
//! | --- | --- |
//! | latency | that of its cut |
//! | timing | as many multiplexers in a row as it looks at bits of the distance |
//! | state | that of its cut |
//!
//! Below the significand two bits are kept, the guard and the round bit; a third, the sticky bit, says whether a one has
//! gone beyond them. That is enough to round the sum as if it were exact: where the shift is longer than one place, the sum
//! loses no more than its leading place, and then the round bit becomes the guard bit.

use super::{
    cut::Cut,
    fate::{Fate, DISTANCE_WIDTH},
};
use portico_spec::fp::Format;
use rust_hdl::prelude::*;
use std::ops::Range;

/// Shifts a `W`-bit significand to the right by some bits of the distance.
#[derive(LogicBlock)]
pub struct Align<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub major: Signal<In, Bits<W>>,
    pub minor: Signal<In, Bits<W>>,
    /// The sticky bit of an earlier shift.
    pub lost: Signal<In, Bit>,
    pub distance: Signal<In, Bits<DISTANCE_WIDTH>>,
    pub fate: Signal<In, Fate>,
    /// All of them beyond the cut, `minor` and `lost` as they are after the shift.
    pub major_on: Signal<Out, Bits<W>>,
    pub minor_on: Signal<Out, Bits<W>>,
    pub lost_on: Signal<Out, Bit>,
    pub distance_on: Signal<Out, Bits<DISTANCE_WIDTH>>,
    pub fate_on: Signal<Out, Fate>,
    words: [Cut<Bits<W>>; 2],
    lost_cut: Cut<Bit>,
    distance_cut: Cut<Bits<DISTANCE_WIDTH>>,
    fate_cut: Cut<Fate>,
    /// Below each bit of the distance, the significand and whether a one is gone.
    shifted: Vec<Signal<Local, Bits<W>>>,
    gone: Vec<Signal<Local, Bit>>,
    step: Vec<Constant<Bits<DISTANCE_WIDTH>>>,
    lost_mask: Vec<Constant<Bits<W>>>,
    kept_mask: Constant<Bits<W>>,
    start: Constant<Bits<DISTANCE_WIDTH>>,
    end: Constant<Bits<DISTANCE_WIDTH>>,
    _from: usize,
    _to: usize,
}

impl<const W: usize> Align<W> {
    /// Looks at these bits of the distance.
    pub fn new(format: Format, bits: Range<usize>, registered: bool) -> Self {
        let kept = ones(W) & (u64::MAX << (format.exponent_width - 3));
        let lost = |bit: usize| kept & !(kept << (1 << bit));
        let place = |bit: usize| Constant::new((bit as u64).into());
        Self {
            clk: Default::default(),
            enable: Default::default(),
            major: Default::default(),
            minor: Default::default(),
            lost: Default::default(),
            distance: Default::default(),
            fate: Default::default(),
            major_on: Default::default(),
            minor_on: Default::default(),
            lost_on: Default::default(),
            distance_on: Default::default(),
            fate_on: Default::default(),
            words: [Cut::new(registered), Cut::new(registered)],
            lost_cut: Cut::new(registered),
            distance_cut: Cut::new(registered),
            fate_cut: Cut::new(registered),
            shifted: (0..=bits.end).map(|_| Signal::default()).collect(),
            gone: (0..=bits.end).map(|_| Signal::default()).collect(),
            step: (0..bits.end).map(|bit| Constant::new((1u64 << bit).into())).collect(),
            lost_mask: (0..bits.end).map(|bit| Constant::new(lost(bit).to_bits())).collect(),
            kept_mask: Constant::new(kept.to_bits()),
            start: place(bits.start),
            end: place(bits.end),
            _from: bits.start,
            _to: bits.end,
        }
    }
}

/// A word of this many ones.
fn ones(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

impl<const W: usize> Logic for Align<W> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.words[i].clk.next = self.clk.val();
            self.words[i].enable.next = self.enable.val();
        }
        self.lost_cut.clk.next = self.clk.val();
        self.lost_cut.enable.next = self.enable.val();
        self.distance_cut.clk.next = self.clk.val();
        self.distance_cut.enable.next = self.enable.val();
        self.fate_cut.clk.next = self.clk.val();
        self.fate_cut.enable.next = self.enable.val();

        self.shifted[self.start.val().index()].next = self.minor.val();
        self.gone[self.start.val().index()].next = self.lost.val();
        for i in self._from..self._to {
            self.shifted[i + 1].next = self.shifted[i].val();
            self.gone[i + 1].next = self.gone[i].val();
            if self.distance.val().get_bit(i) {
                self.shifted[i + 1].next = (self.shifted[i].val() >> self.step[i].val()) & self.kept_mask.val();
                self.gone[i + 1].next = self.gone[i].val() | (self.shifted[i].val() & self.lost_mask[i].val()).any();
            }
        }

        self.words[0].d.next = self.major.val();
        self.words[1].d.next = self.shifted[self.end.val().index()].val();
        self.lost_cut.d.next = self.gone[self.end.val().index()].val();
        self.distance_cut.d.next = self.distance.val();
        self.fate_cut.d.next = self.fate.val();
        self.major_on.next = self.words[0].q.val();
        self.minor_on.next = self.words[1].q.val();
        self.lost_on.next = self.lost_cut.q.val();
        self.distance_on.next = self.distance_cut.q.val();
        self.fate_on.next = self.fate_cut.q.val();
    }
}
