//! Events: counters with a threshold.

use portico_spec::ni::{
    event::{Compare, Status, COMPARE_OFFSET, COMPARE_WIDTH, COUNTER_WIDTH, INTERRUPT_OFFSET, THRESHOLD_OFFSET},
    registers::EventRegister,
    ErrorCode,
};

use super::bits::{bit, field};

/// One event.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    count: u16,
    control: u32,
    error: Option<ErrorCode>,
    value: u64,
}

impl Event {
    /// Something happened: one more, and the first error is kept.
    pub fn notify(&mut self, error: Option<ErrorCode>) {
        self.count = self.count.wrapping_add(1);
        self.error = self.error.or(error);
    }

    /// The first error since its status was written.
    pub fn error(&self) -> Option<ErrorCode> {
        self.error
    }

    /// Keeps the result of an atomic, which reports itself with [`Event::notify`].
    pub fn keep(&mut self, value: u64) {
        self.value = value;
    }

    /// Whether its condition holds.
    pub fn fired(&self) -> bool {
        let threshold = field(self.control, THRESHOLD_OFFSET, COUNTER_WIDTH) as u16;
        let compare = field(self.control, COMPARE_OFFSET, COMPARE_WIDTH);
        match compare {
            c if c == Compare::Equal as u32 => self.count == threshold,
            c if c == Compare::AtLeast as u32 => self.count >= threshold,
            c if c == Compare::NotEqual as u32 => self.count != threshold,
            _ => false,
        }
    }

    /// Whether it wants an interrupt now.
    pub fn interrupts(&self) -> bool {
        self.fired() && bit(self.control, INTERRUPT_OFFSET)
    }

    pub fn read(&self, register: EventRegister) -> u32 {
        match register {
            EventRegister::Count => u32::from(self.count),
            EventRegister::Control => self.control,
            EventRegister::Status => {
                let error = self.error;
                let fired = self.fired();
                Status { error, fired }.encode()
            }
            EventRegister::ValueLow => self.value as u32,
            EventRegister::ValueHigh => (self.value >> 32) as u32,
        }
    }

    pub fn write(&mut self, register: EventRegister, data: u32) {
        match register {
            EventRegister::Count => self.count = data as u16,
            EventRegister::Control => self.control = data & ((1 << (INTERRUPT_OFFSET + 1)) - 1),
            EventRegister::Status => self.error = None,
            EventRegister::ValueLow | EventRegister::ValueHigh => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fires_by_its_comparison_and_keeps_an_error_until_written() {
        let mut event = Event::default();
        let fired = |event: &mut Event, compare: Compare| {
            event.write(EventRegister::Control, 2 | (compare as u32) << COMPARE_OFFSET);
            event.fired()
        };
        for (count, expected) in [(1, [false, false, false, true]), (2, [false, true, true, false])] {
            event.write(EventRegister::Count, count);
            let all = [Compare::Never, Compare::Equal, Compare::AtLeast, Compare::NotEqual];
            assert_eq!(all.map(|compare| fired(&mut event, compare)), expected);
        }
        event.notify(Some(ErrorCode::OutOfWindow));
        event.notify(Some(ErrorCode::Ended));
        assert_eq!(
            (event.read(EventRegister::Count), event.error),
            (4, Some(ErrorCode::OutOfWindow))
        );
        event.write(EventRegister::Status, 0);
        assert_eq!((event.read(EventRegister::Count), event.error), (4, None));
    }

    #[test]
    fn the_counter_wraps() {
        let mut event = Event::default();
        event.write(EventRegister::Count, 0xffff);
        event.notify(None);
        assert_eq!(event.read(EventRegister::Count), 0);
    }
}
