//! Mailboxes: 64 bits from anywhere, and a count of how often they came.

use super::{
    codes::codes,
    event::EVENT_WIDTH,
    layout::{BitField, FieldError},
};

/// Mode: its bit in a mailbox's control register.
pub const MODE_OFFSET: usize = 0;
/// In a mailbox's control register: what arrives counts in an event.
pub const EVENT_ENABLE_OFFSET: usize = MODE_OFFSET + 1;
/// That event: lowest bit in a mailbox's control register.
pub const EVENT_OFFSET: usize = EVENT_ENABLE_OFFSET + 1;
/// Mails that make a barrier: lowest bit in a mailbox's control register.
pub const EXPECTED_OFFSET: usize = EVENT_OFFSET + EVENT_WIDTH;
/// Width of the mails that make a barrier, in bits.
pub const EXPECTED_WIDTH: usize = 8;
/// Width of the count of mails, in bits.
pub const COUNT_WIDTH: usize = 16;

codes! {
    /// What a mailbox does with a mail.
    Mode {
        /// Keeps the last one; each counts in the event.
        Message = 0, "message";
        /// Joins their bits with or; the event counts once as many came as are expected.
        Barrier = 1, "barrier";
    }
}

pub(super) const MODE: BitField =
    BitField::new("mode", MODE_OFFSET, 1, "What the mailbox does with a mail.").codes(Mode::CODES);
pub(super) const EVENT_ENABLE: BitField = BitField::new(
    "event_enable",
    EVENT_ENABLE_OFFSET,
    1,
    "Mails, or full barriers, count in the event.",
);
pub(super) const EVENT: BitField = BitField::new("event", EVENT_OFFSET, EVENT_WIDTH, "That event.");
pub(super) const EXPECTED: BitField = BitField::new(
    "expected",
    EXPECTED_OFFSET,
    EXPECTED_WIDTH,
    "Mails that make a barrier.",
);

/// A mailbox's control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// What the mailbox does with a mail.
    pub mode: Mode,
    /// Where mails, or full barriers, count.
    pub event: Option<u8>,
    /// Mails that make a barrier.
    pub expected: u8,
}

impl Control {
    /// The register's value.
    ///
    /// # Errors
    /// The event does not fit.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(MODE.place(self.mode as u32)?
            | EVENT_ENABLE.place(self.event.is_some())?
            | EVENT.place(self.event.unwrap_or(0))?
            | EXPECTED.place(self.expected)?)
    }

    /// The fields of the register's value.
    pub fn decode(word: u32) -> Control {
        Control {
            mode: Mode::from_code(MODE.take(word)).expect("every code has a meaning"),
            event: EVENT_ENABLE.is_set(word).then(|| EVENT.take(word) as u8),
            expected: EXPECTED.take(word) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_lie_where_the_hardware_looks() {
        let barrier = Control {
            mode: Mode::Barrier,
            event: Some(9),
            expected: 4,
        };
        assert_eq!(barrier.encode(), Ok(1 | 1 << 1 | 9 << 2 | 4 << 8));
        let event = Control {
            event: Some(64),
            ..barrier
        };
        assert_eq!(
            event.encode().unwrap_err().to_string(),
            "event = 64 is not allowed: allowed is 0..=63"
        );
    }

    proptest! {
        #[test]
        fn every_control_reads_back(barrier in 0..2u32, event in prop::option::of(0..64u8), expected in any::<u8>()) {
            let control = Control { mode: Mode::from_code(barrier).unwrap(), event, expected };
            prop_assert_eq!(Control::decode(control.encode().unwrap()), control);
        }
    }
}
