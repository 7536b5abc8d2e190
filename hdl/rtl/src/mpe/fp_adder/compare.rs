use super::{
    distance::Distance,
    fate::{Relation, DISTANCE_WIDTH},
    operand::Operand,
    optional_register::OptionalRegister,
};
use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// First step: which addend has the greater magnitude, how far apart they are, and whether the sum is an infinity or a NaN.
///
/// Compares and classifies a pair of `W`-bit numbers.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle if its cut has a register, else 0 |
/// | timing | one carry chain as long as the word, or one as long as the exponent between ORs of the exponent's bits |
/// | state | the register of its cut, if there is one |
///
/// Magnitudes compare as integers: the exponent is above the fraction. The distance is found both ways round while they
/// compare, which is faster than to wait for the order.
#[derive(LogicBlock, Default)]
pub struct Compare<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// The cut takes the next values; it keeps them otherwise.
    pub enable: Signal<In, Bit>,
    /// One addend.
    pub a: Signal<In, Bits<W>>,
    /// The other.
    pub b: Signal<In, Bits<W>>,
    /// `a` beyond the cut.
    pub left: Signal<Out, Bits<W>>,
    /// `b` beyond the cut.
    pub right: Signal<Out, Bits<W>>,
    /// How the two compare.
    pub relation: Signal<Out, Relation>,
    /// Places by which to shift the addend of smaller magnitude to the right.
    pub distance: Signal<Out, Bits<DISTANCE_WIDTH>>,
    a_kind: Operand<W>,
    b_kind: Operand<W>,
    a_above: Distance,
    b_above: Distance,
    words: [OptionalRegister<Bits<W>>; 2],
    relation_cut: OptionalRegister<Relation>,
    distance_cut: OptionalRegister<Bits<DISTANCE_WIDTH>>,
    found: Signal<Local, Relation>,
    opposed: Signal<Local, Bit>,
    any_nan: Signal<Local, Bit>,
    invalid: Signal<Local, Bit>,
    sign_mask: Constant<Bits<W>>,
}

impl<const W: usize> Compare<W> {
    /// `distance_width` is that of the distances that the shifter goes.
    pub fn new(format: Format, distance_width: usize, registered: bool) -> Self {
        Self {
            a_kind: Operand::new(format),
            b_kind: Operand::new(format),
            a_above: Distance::new(format, distance_width),
            b_above: Distance::new(format, distance_width),
            words: [OptionalRegister::new(registered), OptionalRegister::new(registered)],
            relation_cut: OptionalRegister::new(registered),
            distance_cut: OptionalRegister::new(registered),
            sign_mask: Constant::new(format.sign_mask().to_bits()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Compare<W> {
    fn update(&mut self) {
        wire!(self => relation_cut, distance_cut: clk);
        for i in 0..2 {
            wire!(self => words[i]: clk, enable);
        }
        self.relation_cut.enable.next = self.enable.val();
        self.distance_cut.enable.next = self.enable.val();
        self.a_kind.word.next = self.a.val();
        self.b_kind.word.next = self.b.val();

        self.opposed.next = ((self.a.val() ^ self.b.val()) & self.sign_mask.val()).any();
        self.any_nan.next = self.a_kind.nan.val() | self.b_kind.nan.val();
        self.invalid.next = self.a_kind.signalling.val()
            | self.b_kind.signalling.val()
            | (self.a_kind.special.val() & self.b_kind.special.val() & self.opposed.val() & !self.any_nan.val());
        self.found.next.swap = (self.a.val() & !self.sign_mask.val()) < (self.b.val() & !self.sign_mask.val());
        self.found.next.a_normal = self.a_kind.normal.val();
        self.found.next.b_normal = self.b_kind.normal.val();
        self.found.next.subtract = self.opposed.val();
        self.found.next.special = self.a_kind.special.val() | self.b_kind.special.val();
        self.found.next.nan = self.any_nan.val() | self.invalid.val();
        self.found.next.invalid = self.invalid.val();

        self.a_above.greater.next = self.a_kind.exponent.val();
        self.a_above.lesser.next = self.b_kind.exponent.val();
        self.b_above.greater.next = self.b_kind.exponent.val();
        self.b_above.lesser.next = self.a_kind.exponent.val();
        self.distance_cut.d.next = self.a_above.distance.val();
        if self.found.val().swap {
            self.distance_cut.d.next = self.b_above.distance.val();
        }

        self.words[0].d.next = self.a.val();
        self.words[1].d.next = self.b.val();
        self.relation_cut.d.next = self.found.val();
        self.left.next = self.words[0].q.val();
        self.right.next = self.words[1].q.val();
        self.relation.next = self.relation_cut.q.val();
        self.distance.next = self.distance_cut.q.val();
    }
}
