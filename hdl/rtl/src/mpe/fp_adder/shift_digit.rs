use super::{fate::SHIFT_WIDTH, Digit};
use portico_verilog::prelude::*;

/// A shift to the left by one digit of the normalising shift.
///
/// Shifts a `W`-bit word by none, one, two or three times what one counts in the digit.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | timing | two multiplexers |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct ShiftDigit<const W: usize> {
    /// The word to shift.
    pub word: Signal<In, Bits<W>>,
    /// All digits; one of them counts here.
    pub shift: Signal<In, Bits<SHIFT_WIDTH>>,
    /// The word, with zeros at its low end.
    pub shifted: Signal<Out, Bits<W>>,
    digit: Signal<Local, Bits<2>>,
    by_two_mask: Signal<Local, Bits<W>>,
    by_one_mask: Signal<Local, Bits<W>>,
    by_two: Signal<Local, Bits<W>>,
    places: Constant<Bits<3>>,
    step: Constant<Bits<6>>,
    twice: Constant<Bits<6>>,
    most: Constant<Bits<2>>,
}

impl<const W: usize> ShiftDigit<W> {
    /// By this digit of the shift; by nothing without one.
    pub(super) fn new(digit: Option<&Digit>) -> Self {
        let (places, most) = digit.map_or((0, 0), |digit| (digit.places, digit.most));
        Self {
            places: Constant::new((places as u64).into()),
            step: Constant::new((1u64 << places).into()),
            twice: Constant::new((2u64 << places).into()),
            most: Constant::new(most.into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for ShiftDigit<W> {
    fn update(&mut self) {
        self.digit.next = (self.shift.val() >> self.places.val()).get_bits::<2>(0) & self.most.val();
        // Gates, not a choice: of a choice between a place and zero, synthesis makes a reset of the register behind it,
        // and a reset takes longer to reach than data. The upper bit of a digit is known before the lower one.
        self.by_two_mask.next = 0.into();
        if self.digit.val().get_bit(1) {
            self.by_two_mask.next = !bits::<W>(0);
        }
        self.by_one_mask.next = 0.into();
        if self.digit.val().get_bit(0) {
            self.by_one_mask.next = !bits::<W>(0);
        }
        self.by_two.next = (self.word.val() & !self.by_two_mask.val())
            | ((self.word.val() << self.twice.val()) & self.by_two_mask.val());
        self.shifted.next = (self.by_two.val() & !self.by_one_mask.val())
            | ((self.by_two.val() << self.step.val()) & self.by_one_mask.val());
    }
}
