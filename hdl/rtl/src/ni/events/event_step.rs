use portico_spec::ni::{
    event::{Compare, COMPARE_OFFSET, COMPARE_WIDTH, COUNTER_WIDTH, INTERRUPT_OFFSET, THRESHOLD_OFFSET},
    packet::ERROR_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of an event's control register, in bits.
pub const CONTROL_WIDTH: usize = INTERRUPT_OFFSET + 1;
/// In the first word of an event the control stands above the count; the second word is the error.
pub(super) const CONTROL_AT: usize = COUNTER_WIDTH;
/// Width of a word: what a block RAM has at its widest.
pub(super) const WORD_WIDTH: usize = 36;
/// A difference of counts, and whether it is below zero.
const DIFFERENCE_WIDTH: usize = COUNTER_WIDTH + 1;

/// What an operation makes of a word of an event, and whether the event has fired then.
///
/// Works on one word.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// The count that is to come is not waited for: it equals the threshold if the difference is one short of it.
#[derive(LogicBlock, Default)]
pub struct EventStep {
    /// Word of the event, as the operation finds it.
    pub word: Signal<In, Bits<WORD_WIDTH>>,
    /// Adds one to the count.
    pub counts: Signal<In, Bit>,
    /// Keeps `error` in a second word, if it is the first.
    pub keeps: Signal<In, Bit>,
    /// Error code that is kept; valid with `keeps`.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    /// The word as the operation leaves it.
    pub after: Signal<Out, Bits<WORD_WIDTH>>,
    /// The condition holds of the count as it is after.
    pub holds: Signal<Out, Bit>,
    /// The event is to interrupt when it has fired.
    pub interrupts: Signal<Out, Bit>,
    count: Signal<Local, Bits<COUNTER_WIDTH>>,
    control: Signal<Local, Bits<CONTROL_WIDTH>>,
    compare: Signal<Local, Bits<COMPARE_WIDTH>>,
    difference: Signal<Local, Bits<DIFFERENCE_WIDTH>>,
    distance: Signal<Local, Bits<COUNTER_WIDTH>>,
    equal: Signal<Local, Bit>,
    at_least: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EventStep {
    fn update(&mut self) {
        self.count.next = self.word.val().get_bits::<COUNTER_WIDTH>(0);
        self.control.next = self.word.val().get_bits::<CONTROL_WIDTH>(CONTROL_AT);
        self.compare.next = self.control.val().get_bits::<COMPARE_WIDTH>(COMPARE_OFFSET);
        self.interrupts.next = self.control.val().get_bit(INTERRUPT_OFFSET);
        self.difference.next = bit_cast::<DIFFERENCE_WIDTH, COUNTER_WIDTH>(self.count.val())
            - bit_cast::<DIFFERENCE_WIDTH, COUNTER_WIDTH>(
                self.control.val().get_bits::<COUNTER_WIDTH>(THRESHOLD_OFFSET),
            );
        self.distance.next = self.difference.val().get_bits::<COUNTER_WIDTH>(0);
        self.equal.next = !self.distance.val().any();
        self.at_least.next = !self.difference.val().get_bit(COUNTER_WIDTH);
        if self.counts.val() {
            self.equal.next = self.distance.val().all();
            self.at_least.next =
                self.distance.val().all() | (!self.difference.val().get_bit(COUNTER_WIDTH) & !self.count.val().all());
        }
        self.holds.next = ((self.compare.val() == bits::<COMPARE_WIDTH>(Compare::Equal as u64)) & self.equal.val())
            | ((self.compare.val() == bits::<COMPARE_WIDTH>(Compare::AtLeast as u64)) & self.at_least.val())
            | ((self.compare.val() == bits::<COMPARE_WIDTH>(Compare::NotEqual as u64)) & !self.equal.val());

        self.after.next = self.word.val();
        if self.counts.val() {
            self.after.next = field::<WORD_WIDTH, CONTROL_WIDTH>(self.control.val(), CONTROL_AT)
                | bit_cast::<WORD_WIDTH, COUNTER_WIDTH>(self.count.val() + 1);
        }
        if self.keeps.val() & !self.word.val().get_bits::<ERROR_WIDTH>(0).any() {
            self.after.next = bit_cast::<WORD_WIDTH, ERROR_WIDTH>(self.error.val());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    #[test]
    fn every_comparison_holds_below_at_and_above_the_threshold_as_it_says() {
        let mut dut = EventStep::default();
        dut.connect_all();
        for threshold in [0u16, 1, 2, 0x8000, 0xfffe, 0xffff] {
            for count in [0u16, 1, 0x7fff, 0x8000, 0x8001, 0xfffd, 0xfffe, 0xffff] {
                for (code, compare) in [Compare::Never, Compare::Equal, Compare::AtLeast, Compare::NotEqual]
                    .into_iter()
                    .enumerate()
                {
                    for (counts, interrupts) in [(false, false), (false, true), (true, false), (true, true)] {
                        let control = u64::from(threshold) | (code as u64) << 16 | u64::from(interrupts) << 18;
                        let after = count.wrapping_add(u16::from(counts));
                        dut.word.next = (control << 16 | u64::from(count)).into();
                        dut.counts.next = counts;
                        settle(&mut dut);
                        assert_eq!(
                            dut.holds.val(),
                            compare.holds(after, threshold),
                            "{after} against {control:#x}"
                        );
                        assert_eq!(dut.interrupts.val(), interrupts);
                        assert_eq!(dut.after.val(), control << 16 | u64::from(after));
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_error_stays() {
        let mut dut = EventStep::default();
        dut.connect_all();
        dut.keeps.next = true;
        for (kept, error, after) in [(0u64, 0u64, 0u64), (0, 5, 5), (3, 5, 3), (15, 1, 15)] {
            dut.word.next = kept.into();
            dut.error.next = error.into();
            settle(&mut dut);
            assert_eq!(dut.after.val(), after, "{error} after {kept}");
        }
    }
}
