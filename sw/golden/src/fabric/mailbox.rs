//! Mailboxes: 64 bits from the control plane.

use portico_spec::ni::{
    event::EVENT_WIDTH,
    mailbox::{Mode, COUNT_WIDTH, EVENT_ENABLE_OFFSET, EVENT_OFFSET, EXPECTED_OFFSET, EXPECTED_WIDTH, MODE_OFFSET},
    registers::MailboxRegister,
};

use super::bits::{bit, field};

/// One mailbox. A message replaces the value; in barrier mode values are ORed, and the arrival that makes the count
/// the expected one notifies and begins the next round.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    value: u64,
    control: u32,
    count: u32,
}

impl Mailbox {
    /// Takes a mail; gives the event that it counts in.
    pub fn take(&mut self, value: u64) -> Option<u32> {
        self.count = field(self.count + 1, 0, COUNT_WIDTH);
        let mut notifies = bit(self.control, EVENT_ENABLE_OFFSET);
        if field(self.control, MODE_OFFSET, 1) == Mode::Barrier as u32 {
            self.value |= value;
            let complete = self.count >= field(self.control, EXPECTED_OFFSET, EXPECTED_WIDTH);
            if complete {
                self.count = 0;
            }
            notifies &= complete;
        } else {
            self.value = value;
        }
        notifies.then(|| field(self.control, EVENT_OFFSET, EVENT_WIDTH))
    }

    pub fn read(&self, register: MailboxRegister) -> u32 {
        match register {
            MailboxRegister::Low => self.value as u32,
            MailboxRegister::High => (self.value >> 32) as u32,
            MailboxRegister::Control => 0,
            MailboxRegister::Count => self.count,
        }
    }

    pub fn write(&mut self, register: MailboxRegister, data: u32) {
        match register {
            MailboxRegister::Control => self.control = data,
            MailboxRegister::Count => {
                self.count = 0;
                self.value = 0;
            }
            MailboxRegister::Low | MailboxRegister::High => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READABLE: [MailboxRegister; 3] = [MailboxRegister::Low, MailboxRegister::High, MailboxRegister::Count];

    #[test]
    fn a_message_replaces_and_every_one_notifies() {
        let mut mailbox = Mailbox::default();
        assert_eq!(mailbox.take(7), None);
        mailbox.write(MailboxRegister::Control, 1 << EVENT_ENABLE_OFFSET | 9 << EVENT_OFFSET);
        assert_eq!(mailbox.take(5 << 32 | 1), Some(9));
        assert_eq!(READABLE.map(|register| mailbox.read(register)), [1, 5, 2]);
        mailbox.write(MailboxRegister::Count, 0);
        assert_eq!(READABLE.map(|register| mailbox.read(register)), [0, 0, 0]);
    }

    #[test]
    fn a_barrier_collects_and_notifies_once_a_round() {
        let mut mailbox = Mailbox::default();
        mailbox.write(
            MailboxRegister::Control,
            Mode::Barrier as u32 | 1 << EVENT_ENABLE_OFFSET | 9 << EVENT_OFFSET | 3 << EXPECTED_OFFSET,
        );
        for round in 0..2 {
            assert_eq!(
                [1, 2, 4].map(|value| mailbox.take(value)),
                [None, None, Some(9)],
                "round {round}"
            );
            assert_eq!(READABLE.map(|register| mailbox.read(register)), [7, 0, 0]);
        }
    }
}
