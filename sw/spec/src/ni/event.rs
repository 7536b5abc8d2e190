//! Events: counters with a threshold.

use super::{
    codes::codes,
    layout::{BitField, FieldError},
    packet::ERROR_WIDTH,
    ErrorCode,
};

/// Width of an event's number, in bits.
pub const EVENT_WIDTH: usize = 6;
/// Events of a tile.
pub const EVENTS: usize = 1 << EVENT_WIDTH;
/// Width of an event's counter and threshold, in bits.
pub const COUNTER_WIDTH: usize = 16;
/// Threshold: lowest bit in an event's control register.
pub const THRESHOLD_OFFSET: usize = 0;
/// Comparison: lowest bit in an event's control register.
pub const COMPARE_OFFSET: usize = THRESHOLD_OFFSET + COUNTER_WIDTH;
/// Width of the comparison, in bits.
pub const COMPARE_WIDTH: usize = 2;
/// In an event's control register: it interrupts when it fires.
pub const INTERRUPT_OFFSET: usize = COMPARE_OFFSET + COMPARE_WIDTH;
/// In an event's status register: its condition holds; the error code is below.
pub const FIRED_OFFSET: usize = 8;

codes! {
    /// When an event has fired: its counter against its threshold.
    Compare {
        /// Never.
        Never = 0, "never";
        /// Equal.
        Equal = 1, "equal";
        /// At least the threshold.
        AtLeast = 2, "at_least";
        /// Different.
        NotEqual = 3, "not_equal";
    }
}

impl Compare {
    /// Whether an event with this counter and threshold has fired.
    pub fn holds(self, count: u16, threshold: u16) -> bool {
        match self {
            Compare::Never => false,
            Compare::Equal => count == threshold,
            Compare::AtLeast => count >= threshold,
            Compare::NotEqual => count != threshold,
        }
    }
}

pub(super) const THRESHOLD: BitField = BitField::new(
    "threshold",
    THRESHOLD_OFFSET,
    COUNTER_WIDTH,
    "What the counter is compared with.",
);
pub(super) const COMPARE: BitField =
    BitField::new("compare", COMPARE_OFFSET, COMPARE_WIDTH, "When the event has fired.").codes(Compare::CODES);
pub(super) const INTERRUPT: BitField = BitField::new(
    "interrupt",
    INTERRUPT_OFFSET,
    1,
    "The tile's interrupt is raised while the event has fired.",
);
pub(super) const ERROR: BitField = BitField::new(
    "error",
    0,
    ERROR_WIDTH,
    "The first error that came with the event, 0 for none.",
)
.codes(ErrorCode::CODES);
pub(super) const FIRED: BitField = BitField::new("fired", FIRED_OFFSET, 1, "The event has fired.");

/// An event's control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// What the counter is compared with.
    pub threshold: u16,
    /// When the event has fired.
    pub compare: Compare,
    /// It interrupts while it has fired.
    pub interrupt: bool,
}

impl Control {
    /// The register's value.
    pub fn encode(&self) -> u32 {
        u32::from(self.threshold) << THRESHOLD.offset
            | (self.compare as u32) << COMPARE.offset
            | u32::from(self.interrupt) << INTERRUPT.offset
    }

    /// The fields of the register's value.
    pub fn decode(word: u32) -> Control {
        Control {
            threshold: THRESHOLD.take(word) as u16,
            compare: Compare::from_code(COMPARE.take(word)).expect("every code has a meaning"),
            interrupt: INTERRUPT.is_set(word),
        }
    }
}

/// An event's status register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The first error since the last write.
    pub error: Option<ErrorCode>,
    /// Its condition holds.
    pub fired: bool,
}

impl Status {
    /// The register's value.
    pub fn encode(&self) -> u32 {
        self.error.map_or(0, |error| error as u32) << ERROR.offset | u32::from(self.fired) << FIRED.offset
    }

    /// The fields of the register's value.
    ///
    /// # Errors
    /// The error code has no meaning.
    pub fn decode(word: u32) -> Result<Status, FieldError> {
        let error = match ERROR.take(word) {
            0 => None,
            code => Some(ErrorCode::from_code(code).ok_or_else(|| ERROR.unknown(word))?),
        };
        Ok(Status {
            error,
            fired: FIRED.is_set(word),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_fires_as_its_comparison_says() {
        let holds = |compare: Compare| [1, 2, 3].map(|count| compare.holds(count, 2));
        assert_eq!(holds(Compare::Never), [false, false, false]);
        assert_eq!(holds(Compare::Equal), [false, true, false]);
        assert_eq!(holds(Compare::AtLeast), [false, true, true]);
        assert_eq!(holds(Compare::NotEqual), [true, false, true]);
    }

    #[test]
    fn the_status_holds_an_error_that_is_known() {
        let status = Status {
            error: Some(ErrorCode::QueueFull),
            fired: true,
        };
        assert_eq!(status.encode(), 0x10d);
        assert_eq!(Status::decode(0x10d), Ok(status));
        assert_eq!(
            Status::decode(0x1c).unwrap_err().to_string(),
            "error = 28 is not allowed: allowed is 1..=27"
        );
    }

    proptest! {
        #[test]
        fn every_control_word_reads_back(word in 0..1u32 << (INTERRUPT_OFFSET + 1)) {
            prop_assert_eq!(Control::decode(word).encode(), word);
        }
    }
}
