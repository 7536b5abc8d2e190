//! Events: counters with a threshold.

use portico_spec::ni::{
    event::{Compare, COMPARE_OFFSET, COMPARE_WIDTH, COUNTER_WIDTH, FIRED_OFFSET, INTERRUPT_OFFSET, THRESHOLD_OFFSET},
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

    pub fn read(&self, register: u32) -> u32 {
        match register {
            0 => u32::from(self.count),
            1 => self.control,
            2 => self.error.map_or(0, |error| error as u32) | u32::from(self.fired()) << FIRED_OFFSET,
            3 => self.value as u32,
            4 => (self.value >> 32) as u32,
            _ => 0,
        }
    }

    pub fn write(&mut self, register: u32, data: u32) {
        match register {
            0 => self.count = data as u16,
            1 => self.control = data & ((1 << (INTERRUPT_OFFSET + 1)) - 1),
            2 => self.error = None,
            _ => {}
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
            event.write(1, 2 | (compare as u32) << COMPARE_OFFSET);
            event.fired()
        };
        for (count, expected) in [(1, [false, false, false, true]), (2, [false, true, true, false])] {
            event.write(0, count);
            let all = [Compare::Never, Compare::Equal, Compare::AtLeast, Compare::NotEqual];
            assert_eq!(all.map(|compare| fired(&mut event, compare)), expected);
        }
        event.notify(Some(ErrorCode::OutOfWindow));
        event.notify(Some(ErrorCode::Ended));
        assert_eq!((event.read(0), event.read(2) & 15), (4, ErrorCode::OutOfWindow as u32));
        event.write(2, 0);
        assert_eq!((event.read(0), event.read(2) & 15), (4, 0));
    }

    #[test]
    fn the_counter_wraps() {
        let mut event = Event::default();
        event.write(0, 0xffff);
        event.notify(None);
        assert_eq!(event.read(0), 0);
    }
}
