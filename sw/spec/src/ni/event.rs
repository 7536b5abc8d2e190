//! Events: counters with a threshold.

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

/// When an event has fired: its counter against its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Never.
    Never = 0,
    /// Equal.
    Equal = 1,
    /// At least the threshold.
    AtLeast = 2,
    /// Different.
    NotEqual = 3,
}
