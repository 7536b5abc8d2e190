use super::{
    fate::{Fate, Relation, DISTANCE_WIDTH, EXPONENT_WIDTH},
    optional_register::OptionalRegister,
};
use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// Second step: the addend of greater magnitude goes first.
///
/// Orders a pair of `W`-bit numbers.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle if its cut has a register, else 0 |
/// | timing | a multiplexer |
/// | state | the register of its cut, if there is one |
///
/// Significands leave left-aligned: the top bit is free for a carry, the leading bit is below it, then the fraction. A
/// subnormal has exponent 1 and no leading bit.
#[derive(LogicBlock, Default)]
pub struct MagnitudeOrder<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// The cut takes the next values; it keeps them otherwise.
    pub enable: Signal<In, Bit>,
    /// One addend.
    pub left: Signal<In, Bits<W>>,
    /// The other.
    pub right: Signal<In, Bits<W>>,
    /// How the two compare.
    pub relation: Signal<In, Relation>,
    /// Places by which to shift the lesser to the right.
    pub distance: Signal<In, Bits<DISTANCE_WIDTH>>,
    /// Significand of the greater.
    pub major: Signal<Out, Bits<W>>,
    /// That of the lesser.
    pub minor: Signal<Out, Bits<W>>,
    /// `distance` beyond the cut.
    pub distance_on: Signal<Out, Bits<DISTANCE_WIDTH>>,
    /// Sign, exponent and special cases of the sum.
    pub fate: Signal<Out, Fate>,
    words: [OptionalRegister<Bits<W>>; 2],
    distance_cut: OptionalRegister<Bits<DISTANCE_WIDTH>>,
    fate_cut: OptionalRegister<Fate>,
    greater: Signal<Local, Bits<W>>,
    lesser: Signal<Local, Bits<W>>,
    greater_subnormal: Signal<Local, Bits<1>>,
    lesser_subnormal: Signal<Local, Bits<1>>,
    exponent: Signal<Local, Bits<EXPONENT_WIDTH>>,
    ordered: Signal<Local, Fate>,
    exponent_mask: Constant<Bits<W>>,
    exponent_at: Constant<Bits<6>>,
    fraction_mask: Constant<Bits<W>>,
    fraction_to: Constant<Bits<6>>,
    leading: Constant<Bits<W>>,
    sign_mask: Constant<Bits<W>>,
}

impl<const W: usize> MagnitudeOrder<W> {
    /// For numbers of `format`, with a register at its end or none.
    pub fn new(format: Format, registered: bool) -> Self {
        Self {
            words: [OptionalRegister::new(registered), OptionalRegister::new(registered)],
            distance_cut: OptionalRegister::new(registered),
            fate_cut: OptionalRegister::new(registered),
            exponent_mask: Constant::new(format.infinity().to_bits()),
            exponent_at: Constant::new((format.fraction_width as u64).into()),
            fraction_mask: Constant::new(format.fraction_mask().to_bits()),
            fraction_to: Constant::new((format.exponent_width as u64 - 1).into()),
            leading: Constant::new((format.sign_mask() >> 1).to_bits()),
            sign_mask: Constant::new(format.sign_mask().to_bits()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for MagnitudeOrder<W> {
    fn update(&mut self) {
        wire!(self => distance_cut, fate_cut: clk);
        for i in 0..2 {
            wire!(self => words[i]: clk, enable);
        }
        self.distance_cut.enable.next = self.enable.val();
        self.fate_cut.enable.next = self.enable.val();

        self.greater.next = self.left.val();
        self.lesser.next = self.right.val();
        self.greater_subnormal.next = (!self.relation.val().a_normal).into();
        self.lesser_subnormal.next = (!self.relation.val().b_normal).into();
        if self.relation.val().swap {
            self.greater.next = self.right.val();
            self.lesser.next = self.left.val();
            self.greater_subnormal.next = (!self.relation.val().b_normal).into();
            self.lesser_subnormal.next = (!self.relation.val().a_normal).into();
        }

        self.exponent.next =
            bit_cast::<EXPONENT_WIDTH, W>((self.greater.val() & self.exponent_mask.val()) >> self.exponent_at.val())
                | bit_cast::<EXPONENT_WIDTH, 1>(self.greater_subnormal.val());
        self.distance_cut.d.next = self.distance.val();

        self.words[0].d.next = (self.greater.val() & self.fraction_mask.val()) << self.fraction_to.val();
        if !self.greater_subnormal.val().any() {
            self.words[0].d.next =
                ((self.greater.val() & self.fraction_mask.val()) << self.fraction_to.val()) | self.leading.val();
        }
        self.words[1].d.next = (self.lesser.val() & self.fraction_mask.val()) << self.fraction_to.val();
        if !self.lesser_subnormal.val().any() {
            self.words[1].d.next =
                ((self.lesser.val() & self.fraction_mask.val()) << self.fraction_to.val()) | self.leading.val();
        }
        self.ordered.next.sign = (self.greater.val() & self.sign_mask.val()).any();
        self.ordered.next.subtract = self.relation.val().subtract;
        self.ordered.next.exponent = self.exponent.val();
        self.ordered.next.huge = false;
        self.ordered.next.special = self.relation.val().special;
        self.ordered.next.nan = self.relation.val().nan;
        self.ordered.next.invalid = self.relation.val().invalid;
        self.fate_cut.d.next = self.ordered.val();

        self.major.next = self.words[0].q.val();
        self.minor.next = self.words[1].q.val();
        self.distance_on.next = self.distance_cut.q.val();
        self.fate.next = self.fate_cut.q.val();
    }
}
