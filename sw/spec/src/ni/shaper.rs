//! Packet shapers: how long packets may be, and how many flits may go.

use super::{instruction::COUNT_WIDTH, layout::BitField};
use crate::flit::MAX_PAYLOAD_FLITS;

/// Width of a rate and of a burst, in bits; greater values count as the greatest.
pub const RATE_WIDTH: usize = 9;
/// Cycles in which a rate's flits may go.
pub const RATE_CYCLES: usize = 256;

pub(super) const MAXIMUM: BitField =
    BitField::new("words", 0, COUNT_WIDTH, "Most words of payload of a packet, 1..=64.")
        .reset(MAX_PAYLOAD_FLITS as u32);
pub(super) const RATE: BitField = BitField::new(
    "flits",
    0,
    RATE_WIDTH,
    "Flits that may go in 256 cycles, 0 for any number.",
);
pub(super) const BURST: BitField = BitField::new("flits", 0, RATE_WIDTH, "Flits that may go at once after a pause.");
