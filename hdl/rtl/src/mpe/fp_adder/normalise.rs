use super::{
    fate::{Fate, EXPONENT_WIDTH, SHIFT_WIDTH},
    optional_register::OptionalRegister,
    shift_digit::ShiftDigit,
    Digit,
};
use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// Sixth to eighth step: count the zeros at the top of the sum and shift them out, a digit each.
///
/// Shifts a `W`-bit word by one digit and chooses the next.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle if its cut has a register, else 0 |
/// | timing | two multiplexers, an OR of as many bits as one counts in this digit, the choice of the digit |
/// | state | the register of its cut, if there is one |
///
/// The shift is the number of zeros at the top, limited by the exponent: at the limit numbers become subnormal. Both are
/// numbers of three digits. Every step chooses one digit of the shift, from the highest down: the smaller digit of the two. Once
/// a digit is smaller than that of the limit, the lower digits of the limit no longer count. An infinity or NaN does not shift,
/// because its limit is zero. A step shifts by the digit of the step before it and chooses its own digit, so that a cut stores
/// few bits and little logic lies behind it. The first step also sees the carry of the addition, which may make a sum huge.
#[derive(LogicBlock, Default)]
pub struct Normalise<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// The cut takes the next values; it keeps them otherwise.
    pub enable: Signal<In, Bit>,
    /// The sum, shifted by all digits chosen before the last.
    pub word: Signal<In, Bits<W>>,
    /// All digits chosen so far; the last of them is yet to be carried out.
    pub shift: Signal<In, Bits<SHIFT_WIDTH>>,
    /// How long the shift may be.
    pub limit: Signal<In, Bits<SHIFT_WIDTH>>,
    /// The limit counts: every digit so far was its own.
    pub bound: Signal<In, Bit>,
    /// Sign, exponent and special cases.
    pub fate: Signal<In, Fate>,
    /// The word beyond the cut, shifted by the last digit before this step's.
    pub word_on: Signal<Out, Bits<W>>,
    /// `shift` with this step's digit.
    pub shift_on: Signal<Out, Bits<SHIFT_WIDTH>>,
    /// `limit` as it was.
    pub limit_on: Signal<Out, Bits<SHIFT_WIDTH>>,
    /// `bound` for the next digit.
    pub bound_on: Signal<Out, Bit>,
    /// `fate`, with what the step finds: that the sum is huge, or the exponent for the rounding.
    pub fate_on: Signal<Out, Fate>,
    shifter: ShiftDigit<W>,
    word_cut: OptionalRegister<Bits<W>>,
    shift_cut: OptionalRegister<Bits<SHIFT_WIDTH>>,
    limit_cut: OptionalRegister<Bits<SHIFT_WIDTH>>,
    bound_cut: OptionalRegister<Bit>,
    fate_cut: OptionalRegister<Fate>,
    limit_digit: Signal<Local, Bits<2>>,
    allowed: Signal<Local, Bits<2>>,
    /// The groups from the top that have a one.
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    third: Signal<Local, Bit>,
    digit: Signal<Local, Bits<2>>,
    too_large: Signal<Local, Bit>,
    known: Signal<Local, Fate>,
    groups: [Constant<Bits<W>>; 3],
    places: Constant<Bits<3>>,
    most: Constant<Bits<2>>,
    carry_mask: Constant<Bits<W>>,
    last_exponent: Constant<Bits<EXPONENT_WIDTH>>,
    exponent_offset: Constant<Bits<EXPONENT_WIDTH>>,
}

impl<const W: usize> Normalise<W> {
    /// Chooses digit `at` of `digits`, from the highest.
    pub(super) fn new(format: Format, digits: &[Digit; 3], at: usize, registered: bool) -> Self {
        let digit = &digits[at];
        let step = 1 << digit.places;
        let group = |from_top: usize| (u64::MAX >> (64 - step)) << (W - (from_top + 1) * step);
        Self {
            shifter: ShiftDigit::new(at.checked_sub(1).map(|before| &digits[before])),
            word_cut: OptionalRegister::new(registered),
            shift_cut: OptionalRegister::new(registered),
            limit_cut: OptionalRegister::new(registered),
            bound_cut: OptionalRegister::new(registered),
            fate_cut: OptionalRegister::new(registered),
            groups: std::array::from_fn(|from_top| Constant::new(group(from_top).to_bits())),
            places: Constant::new((digit.places as u64).into()),
            most: Constant::new(digit.most.into()),
            carry_mask: Constant::new(if at == 0 { format.sign_mask() } else { 0 }.to_bits()),
            last_exponent: Constant::new((format.top_exponent() - 1).into()),
            exponent_offset: Constant::new(if at == 2 { 2 } else { 0 }.into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Normalise<W> {
    fn update(&mut self) {
        wire!(self => word_cut, shift_cut, limit_cut, bound_cut, fate_cut: clk);
        self.word_cut.enable.next = self.enable.val();
        self.shift_cut.enable.next = self.enable.val();
        self.limit_cut.enable.next = self.enable.val();
        self.bound_cut.enable.next = self.enable.val();
        self.fate_cut.enable.next = self.enable.val();

        self.limit_digit.next = (self.limit.val() >> self.places.val()).get_bits::<2>(0) & self.most.val();
        self.allowed.next = self.most.val();
        if self.bound.val() {
            self.allowed.next = self.limit_digit.val();
        }

        wire!(self => shifter: word, shift);
        self.first.next = (self.shifter.shifted.val() & self.groups[0].val()).any();
        self.second.next = (self.shifter.shifted.val() & self.groups[1].val()).any();
        self.third.next = (self.shifter.shifted.val() & self.groups[2].val()).any();
        self.digit.next = 0.into();
        if !self.first.val() & !self.second.val() & self.allowed.val().get_bit(1) {
            self.digit.next = 2.into();
            if !self.third.val() & self.allowed.val().get_bit(0) {
                self.digit.next = 3.into();
            }
        } else if !self.first.val() & self.allowed.val().any() {
            self.digit.next = 1.into();
        }

        self.too_large.next =
            (self.word.val() & self.carry_mask.val()).any() & (self.fate.val().exponent == self.last_exponent.val());
        self.known.next = self.fate.val();
        self.known.next.huge = self.fate.val().huge | self.too_large.val();
        self.known.next.special = self.fate.val().special | self.too_large.val();
        self.known.next.exponent = self.fate.val().exponent + self.exponent_offset.val();
        self.word_cut.d.next = self.shifter.shifted.val();
        self.shift_cut.d.next = self.shift.val() | (bit_cast::<SHIFT_WIDTH, 2>(self.digit.val()) << self.places.val());
        self.limit_cut.d.next = self.limit.val();
        self.bound_cut.d.next = self.bound.val() & (self.digit.val() == self.limit_digit.val());
        self.fate_cut.d.next = self.known.val();
        self.word_on.next = self.word_cut.q.val();
        self.shift_on.next = self.shift_cut.q.val();
        self.limit_on.next = self.limit_cut.q.val();
        self.bound_on.next = self.bound_cut.q.val();
        self.fate_on.next = self.fate_cut.q.val();
    }
}
