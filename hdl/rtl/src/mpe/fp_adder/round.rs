use super::{
    fate::{Fate, EXPONENT_WIDTH, SHIFT_WIDTH},
    optional_register::OptionalRegister,
    shift_digit::ShiftDigit,
    Digit,
};
use portico_spec::fp::{Flag, Format, FLAGS_WIDTH};
use portico_verilog::prelude::*;

/// Last step: the last digit of the normalising shift, the rounding to nearest even, the result and its flags.
///
/// Rounds a `W`-bit significand.
///
/// | | |
/// | --- | --- |
/// | latency | 1 enabled cycle |
/// | timing | a multiplexer, the decision to round up, one carry chain as long as the word |
/// | state | the result and its flags |
///
/// Exponent and fraction are one integer, to which the rounding is added: a significand that rounds up to the next power
/// of two makes the exponent right as it carries, and a subnormal becomes normal in the same way. The same chain takes the
/// length of the shift from the exponent: what is added there is its complement, one less than its negative, so that the
/// exponent comes with two added, one for this and one because the leading bit has gone up to the place of the carry.
#[derive(LogicBlock, Default)]
pub struct Round<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// The result takes its next value; when low, it keeps its value.
    pub enable: Signal<In, Bit>,
    /// The sum, shifted by all digits but the last.
    pub word: Signal<In, Bits<W>>,
    /// The whole shift, of which the last digit is yet to be carried out.
    pub shift: Signal<In, Bits<SHIFT_WIDTH>>,
    /// With two added to the exponent.
    pub fate: Signal<In, Fate>,
    /// The rounded sum.
    pub sum: Signal<Out, Bits<W>>,
    /// Its exceptions, as [`Flag`](portico_spec::fp::Flag) numbers them.
    pub flags: Signal<Out, Bits<FLAGS_WIDTH>>,
    shifter: ShiftDigit<W>,
    sum_cut: OptionalRegister<Bits<W>>,
    flags_cut: OptionalRegister<Bits<FLAGS_WIDTH>>,
    significand: Signal<Local, Bits<W>>,
    normal: Signal<Local, Bit>,
    inexact: Signal<Local, Bit>,
    up: Signal<Local, Bit>,
    fields: Signal<Local, Bits<W>>,
    change: Signal<Local, Bits<W>>,
    exponent: Signal<Local, Bits<W>>,
    complement: Signal<Local, Bits<W>>,
    magnitude: Signal<Local, Bits<W>>,
    last: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    early: Signal<Local, Bits<FLAGS_WIDTH>>,
    late: Signal<Local, Bits<FLAGS_WIDTH>>,
    top_mask: Constant<Bits<W>>,
    guard_mask: Constant<Bits<W>>,
    below_mask: Constant<Bits<W>>,
    odd_mask: Constant<Bits<W>>,
    top_exponent: Constant<Bits<EXPONENT_WIDTH>>,
    beyond: Constant<Bits<EXPONENT_WIDTH>>,
    exponent_at: Constant<Bits<6>>,
    exponent_mask: Constant<Bits<W>>,
    exponent_odd: Constant<Bits<W>>,
    fraction_to: Constant<Bits<6>>,
    fraction_mask: Constant<Bits<W>>,
    one: Constant<Bits<W>>,
    quiet: Constant<Bits<W>>,
    overflow_flags: Constant<Bits<FLAGS_WIDTH>>,
}

impl<const W: usize> Round<W> {
    pub(super) fn new(format: Format, last: &Digit) -> Self {
        let odd_at = format.exponent_width;
        let word = |word: u64| Constant::new(word.to_bits());
        let flags = |mask: u8| Constant::new(u64::from(mask).into());
        Self {
            shifter: ShiftDigit::new(Some(last)),
            sum_cut: OptionalRegister::new(true),
            flags_cut: OptionalRegister::new(true),
            top_mask: word(format.sign_mask()),
            guard_mask: word(1 << (odd_at - 1)),
            below_mask: word((1 << (odd_at - 1)) - 1),
            odd_mask: word(1 << odd_at),
            top_exponent: Constant::new(format.top_exponent().into()),
            beyond: Constant::new(((format.top_exponent() + 1) % (1 << EXPONENT_WIDTH)).into()),
            exponent_at: Constant::new((format.fraction_width as u64).into()),
            exponent_mask: word(format.infinity()),
            exponent_odd: word(format.fraction_mask() + 1),
            fraction_to: Constant::new((odd_at as u64).into()),
            fraction_mask: word(format.fraction_mask()),
            one: word(1),
            quiet: word(format.quiet_mask()),
            overflow_flags: flags(Flag::Overflow.mask() | Flag::Inexact.mask()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Round<W> {
    fn update(&mut self) {
        wire!(self => sum_cut, flags_cut: clk);
        self.sum_cut.enable.next = self.enable.val();
        self.flags_cut.enable.next = self.enable.val();
        wire!(self => shifter: word, shift);
        self.significand.next = self.shifter.shifted.val();

        // Without its leading bit a number is subnormal or zero.
        self.normal.next = (self.significand.val() & self.top_mask.val()).any() & !self.fate.val().special;
        self.inexact.next = (self.significand.val() & (self.guard_mask.val() | self.below_mask.val())).any();
        self.up.next = (self.significand.val() & self.guard_mask.val()).any()
            & (self.significand.val() & (self.odd_mask.val() | self.below_mask.val())).any()
            & !self.fate.val().special;

        self.fields.next = (self.significand.val() >> self.fraction_to.val()) & self.fraction_mask.val();
        if self.fate.val().special {
            self.fields.next = 0.into();
        }
        if self.fate.val().nan {
            self.fields.next = self.quiet.val();
        }
        self.change.next = 0.into();
        if self.up.val() {
            self.change.next = self.one.val();
        }
        self.exponent.next = 0.into();
        self.complement.next = 0.into();
        if self.normal.val() {
            self.exponent.next = (bit_cast::<W, EXPONENT_WIDTH>(self.fate.val().exponent) << self.exponent_at.val())
                & self.exponent_mask.val();
            self.complement.next =
                (!bit_cast::<W, SHIFT_WIDTH>(self.shift.val()) << self.exponent_at.val()) & self.exponent_mask.val();
        }
        if self.fate.val().special {
            self.exponent.next = self.exponent_mask.val();
        }
        // What carries out of the exponent is the borrow that a complement has not.
        self.magnitude.next = ((self.exponent.val() | self.fields.val()) + (self.complement.val() | self.change.val()))
            & !self.top_mask.val();

        self.last.next = ((self.fate.val().exponent == self.top_exponent.val()) & !self.shift.val().any())
            | ((self.fate.val().exponent == self.beyond.val()) & (self.shift.val() == bits::<SHIFT_WIDTH>(1)));
        // The last exponent before infinity's is even: one more shows in its lowest bit.
        self.overflow.next =
            self.fate.val().huge | (self.last.val() & (self.magnitude.val() & self.exponent_odd.val()).any());

        // A difference of zero is positive.
        self.sum_cut.d.next = self.magnitude.val();
        if self.fate.val().sign
            & !self.fate.val().nan
            & (!self.fate.val().subtract | self.significand.val().any() | self.fate.val().special)
        {
            self.sum_cut.d.next = self.magnitude.val() | self.top_mask.val();
        }
        // Overflow comes last: an OR is nearer to the register than a choice.
        self.early.next = 0.into();
        if self.inexact.val() & !self.fate.val().special {
            self.early.next = bits::<FLAGS_WIDTH>(Flag::Inexact.mask() as u64);
        }
        if self.fate.val().invalid {
            self.early.next = bits::<FLAGS_WIDTH>(Flag::Invalid.mask() as u64);
        }
        self.late.next = 0.into();
        if self.overflow.val() {
            self.late.next = self.overflow_flags.val();
        }
        self.flags_cut.d.next = self.early.val() | self.late.val();
        self.sum.next = self.sum_cut.q.val();
        self.flags.next = self.flags_cut.q.val();
    }
}
