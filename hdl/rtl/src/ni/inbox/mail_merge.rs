//! What a mail makes of its mailbox: value, count, event. Combinational, no state.

use portico_spec::ni::{
    event::EVENT_WIDTH,
    mailbox::{COUNT_WIDTH, EVENT_ENABLE_OFFSET, EVENT_OFFSET, EXPECTED_OFFSET, EXPECTED_WIDTH, MODE_OFFSET},
};
use portico_verilog::prelude::*;

/// Width of a mailbox's control, in bits.
pub const CONTROL_WIDTH: usize = EXPECTED_OFFSET + EXPECTED_WIDTH;

/// Width of a mailbox's value, in bits.
pub const VALUE_WIDTH: usize = 64;
/// Width of what is stored together, in bits: the count, the control.
pub const LANE_WIDTH: usize = COUNT_WIDTH;
/// Place of the control in a mailbox.
pub const CONTROL_AT: usize = VALUE_WIDTH + COUNT_WIDTH;
/// Width of a mailbox: its value, its count above, its control above that.
pub const WORD_WIDTH: usize = CONTROL_AT + LANE_WIDTH;

/// The mailbox after a mail; a barrier's count goes back to 0 with the last of the mails expected.
#[derive(LogicBlock, Default)]
pub struct MailMerge {
    /// The mailbox before the mail: value, count above, control above that.
    pub old: Signal<In, Bits<WORD_WIDTH>>,
    /// The mail.
    pub mail: Signal<In, Bits<VALUE_WIDTH>>,
    /// Without the control, which stays as it is.
    pub after: Signal<Out, Bits<WORD_WIDTH>>,
    /// The mail counts in the event of the mailbox.
    pub fires: Signal<Out, Bit>,
    /// Event of the mailbox; valid with `fires`.
    pub event_number: Signal<Out, Bits<EVENT_WIDTH>>,
    control: Signal<Local, Bits<CONTROL_WIDTH>>,
    is_barrier: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    expected: Signal<Local, Bits<EXPECTED_WIDTH>>,
    value: Signal<Local, Bits<VALUE_WIDTH>>,
    count: Signal<Local, Bits<COUNT_WIDTH>>,
}

#[kernel]
impl Logic for MailMerge {
    fn update(&mut self) {
        self.control.next = self.old.val().get_bits::<CONTROL_WIDTH>(CONTROL_AT);
        self.is_barrier.next = self.control.val().get_bit(MODE_OFFSET);
        self.expected.next = self.control.val().get_bits::<EXPECTED_WIDTH>(EXPECTED_OFFSET);
        if !self.expected.val().any() {
            self.expected.next = 1.into();
        }
        self.value.next = self.mail.val();
        self.count.next = self.old.val().get_bits::<COUNT_WIDTH>(VALUE_WIDTH) + 1;
        self.full.next =
            self.is_barrier.val() & (self.count.val() >= bit_cast::<COUNT_WIDTH, EXPECTED_WIDTH>(self.expected.val()));
        if self.is_barrier.val() {
            self.value.next = self.mail.val() | bit_cast::<VALUE_WIDTH, WORD_WIDTH>(self.old.val());
        }
        if self.full.val() {
            self.count.next = 0.into();
        }
        self.after.next = bit_cast::<WORD_WIDTH, VALUE_WIDTH>(self.value.val())
            | field::<WORD_WIDTH, COUNT_WIDTH>(self.count.val(), VALUE_WIDTH);
        self.event_number.next = self.control.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
        self.fires.next = self.control.val().get_bit(EVENT_ENABLE_OFFSET) & (self.full.val() | !self.is_barrier.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    #[test]
    fn barriers_of_every_size_fire_with_their_last_mail_and_messages_with_each() {
        let mut rng = rng(0x3a11);
        let mut dut = MailMerge::default();
        dut.connect_all();
        for expected in 0..256u64 {
            let (barrier, enable, event) = (expected % 5 > 0, rng.gen(), rng.gen_range(0..64));
            let control = u64::from(barrier) | u64::from(enable) << 1 | event << 2 | expected << 8;
            let control = bits::<WORD_WIDTH>(control) << bits::<7>(CONTROL_AT as u64);
            dut.old.next = control;
            let (mut value, mut fired) = (0, 0);
            let rounds = 2 * expected.max(1);
            for i in 1..=rounds {
                let mail: u64 = rng.gen::<u64>() & rng.gen::<u64>();
                dut.mail.next = mail.into();
                settle(&mut dut);
                value = if barrier { value | mail } else { mail };
                let last = !barrier || i % expected.max(1) == 0;
                assert_eq!(dut.after.val().get_bits::<64>(0), value, "{expected} expected");
                let count = if !barrier { i } else { i % expected.max(1) };
                assert_eq!(dut.after.val().get_bits::<16>(64), count, "{expected} expected");
                assert_eq!(dut.fires.val(), last && enable, "{expected} expected, mail {i}");
                assert_eq!(dut.event_number.val(), event);
                fired += u64::from(last);
                dut.old.next = control | dut.after.val();
            }
            assert_eq!(fired, if barrier { 2 } else { rounds });
        }
    }
}
