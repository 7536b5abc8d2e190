use super::{
    fate::{Fate, DISTANCE_WIDTH},
    optional_register::OptionalRegister,
};
use portico_spec::fp::Format;
use portico_verilog::prelude::*;
use std::ops::Range;

/// Third and fourth step: shift the smaller significand to the place that its exponent gives it.
///
/// Shifts a `W`-bit significand to the right by some bits of the distance.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle if its cut has a register, else 0 |
/// | timing | as many multiplexers in a row as it looks at bits of the distance |
/// | state | the register of its cut, if there is one |
///
/// Below the significand two bits are kept, the guard and the round bit; a third, the sticky bit, says whether a one has
/// gone beyond them. That is enough to round the sum as if it were exact: where the shift is longer than one place, the sum
/// loses no more than its leading place, and then the round bit becomes the guard bit.
#[derive(LogicBlock, Default)]
pub struct Align<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// The cut takes the next values; it keeps them otherwise.
    pub enable: Signal<In, Bit>,
    /// Significand of the addend of greater magnitude; it stays.
    pub major: Signal<In, Bits<W>>,
    /// That of the other, to be shifted.
    pub minor: Signal<In, Bits<W>>,
    /// The sticky bit of an earlier shift.
    pub lost: Signal<In, Bit>,
    /// Places to shift by; the step looks at its bits of it alone.
    pub distance: Signal<In, Bits<DISTANCE_WIDTH>>,
    /// Sign, exponent and special cases.
    pub fate: Signal<In, Fate>,
    /// `major` beyond the cut, as everything that leaves.
    pub major_on: Signal<Out, Bits<W>>,
    /// `minor` after the shift.
    pub minor_on: Signal<Out, Bits<W>>,
    /// The sticky bit of this shift and the earlier one.
    pub lost_on: Signal<Out, Bit>,
    /// `distance` as it was.
    pub distance_on: Signal<Out, Bits<DISTANCE_WIDTH>>,
    /// `fate` as it was.
    pub fate_on: Signal<Out, Fate>,
    words: [OptionalRegister<Bits<W>>; 2],
    lost_cut: OptionalRegister<Bit>,
    distance_cut: OptionalRegister<Bits<DISTANCE_WIDTH>>,
    fate_cut: OptionalRegister<Fate>,
    /// Below each bit of the distance, the significand and whether a one is gone.
    shifted: Vec<Signal<Local, Bits<W>>>,
    gone: Vec<Signal<Local, Bit>>,
    step: Vec<Constant<Bits<DISTANCE_WIDTH>>>,
    lost_mask: Vec<Constant<Bits<W>>>,
    kept_mask: Constant<Bits<W>>,
    _from: usize,
    _to: usize,
}

impl<const W: usize> Align<W> {
    /// Looks at these bits of the distance.
    pub fn new(format: Format, bits: Range<usize>, registered: bool) -> Self {
        let kept = ones(W) & (u64::MAX << (format.exponent_width - 3));
        let lost = |bit: usize| kept & !(kept << (1 << bit));
        Self {
            words: [OptionalRegister::new(registered), OptionalRegister::new(registered)],
            lost_cut: OptionalRegister::new(registered),
            distance_cut: OptionalRegister::new(registered),
            fate_cut: OptionalRegister::new(registered),
            shifted: (0..=bits.end).map(|_| Signal::default()).collect(),
            gone: (0..=bits.end).map(|_| Signal::default()).collect(),
            step: (0..bits.end).map(|bit| Constant::new((1u64 << bit).into())).collect(),
            lost_mask: (0..bits.end).map(|bit| Constant::new(lost(bit).to_bits())).collect(),
            kept_mask: Constant::new(kept.to_bits()),
            _from: bits.start,
            _to: bits.end,
            ..Default::default()
        }
    }
}

/// A word of this many ones.
fn ones(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

#[kernel]
impl<const W: usize> Logic for Align<W> {
    fn update(&mut self) {
        wire!(self => lost_cut, distance_cut, fate_cut: clk);
        for i in 0..2 {
            wire!(self => words[i]: clk, enable);
        }
        self.lost_cut.enable.next = self.enable.val();
        self.distance_cut.enable.next = self.enable.val();
        self.fate_cut.enable.next = self.enable.val();

        self.shifted[self._from].next = self.minor.val();
        self.gone[self._from].next = self.lost.val();
        for i in self._from..self._to {
            self.shifted[i + 1].next = self.shifted[i].val();
            self.gone[i + 1].next = self.gone[i].val();
            if self.distance.val().get_bit(i) {
                self.shifted[i + 1].next = (self.shifted[i].val() >> self.step[i].val()) & self.kept_mask.val();
                self.gone[i + 1].next = self.gone[i].val() | (self.shifted[i].val() & self.lost_mask[i].val()).any();
            }
        }

        self.words[0].d.next = self.major.val();
        self.words[1].d.next = self.shifted[self._to].val();
        self.lost_cut.d.next = self.gone[self._to].val();
        self.distance_cut.d.next = self.distance.val();
        self.fate_cut.d.next = self.fate.val();
        self.major_on.next = self.words[0].q.val();
        self.minor_on.next = self.words[1].q.val();
        self.lost_on.next = self.lost_cut.q.val();
        self.distance_on.next = self.distance_cut.q.val();
        self.fate_on.next = self.fate_cut.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    fn shifts<const W: usize>(format: Format, bits: Range<usize>) {
        let mut rng = rng(0xa119 + W as u64);
        let mut dut = Align::<W>::new(format, bits.clone(), false);
        dut.connect_all();
        // The top bit is free for a carry; below the significand are guard and round bit.
        let significand = format.fraction_width + 1;
        let lowest = W - 1 - significand - 2;
        let looked_at = (1 << bits.end) - (1 << bits.start);
        let (mut lost, mut kept) = (0, 0);
        for number in 0..2_000 {
            let minor = (rng.gen::<u64>() & ones(significand + 2)) << lowest;
            let (distance, before) = (rng.gen_range(0..1 << bits.end), rng.gen_bool(0.1));
            dut.minor.next = minor.to_bits();
            dut.lost.next = before;
            dut.distance.next = distance.into();
            settle(&mut dut);
            let by = distance & looked_at;
            let expected = minor >> by >> lowest << lowest;
            let gone = expected << by != minor;
            let found = (dut.minor_on.val().to_u64(), dut.lost_on.val());
            assert_eq!(found, (expected, before || gone), "pair {number}: {minor:#x} by {by}");
            assert_eq!(dut.distance_on.val().to_u64(), distance);
            lost += usize::from(gone);
            kept += usize::from(!gone && by > 0);
        }
        assert!(lost > 100 && kept > 0, "{lost} times a one was lost, {kept} times none");
    }

    #[test]
    fn what_is_shifted_out_leaves_a_sticky_bit() {
        shifts::<32>(Format::BINARY32, 0..2);
        shifts::<32>(Format::BINARY32, 2..5);
        shifts::<64>(Format::BINARY64, 0..2);
        shifts::<64>(Format::BINARY64, 0..6);
    }
}
