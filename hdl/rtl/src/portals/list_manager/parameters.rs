//! The parameters of a list manager.

use portico_spec::portals::list::{BUCKETS, ENTRIES};

/// Size and shape of a list manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListParameters {
    /// Entries of all lists together: a power of two, 64 to 16,384 (2 and more for tests).
    pub entries: usize,
    /// Buckets of the hash by source: a power of two, 16 to 256; 0 for none.
    pub buckets: usize,
    /// Sequence numbers before the entries are numbered afresh: above `entries`, below 2^32. Unused without buckets.
    pub sequence_limit: u64,
}

impl ListParameters {
    /// So many entries and buckets, with as many sequence numbers as there can be.
    pub fn new(entries: usize, buckets: usize) -> Self {
        Self {
            entries,
            buckets,
            sequence_limit: u64::from(u32::MAX),
        }
    }

    /// Panics with a sentence about the parameter that is wrong for places that `address_bits` number.
    pub(super) fn check(&self, address_bits: usize) {
        let Self {
            entries,
            buckets,
            sequence_limit,
        } = *self;
        let most = ENTRIES.1.min(1 << address_bits);
        assert!(
            entries.is_power_of_two() && (2..=most).contains(&entries),
            "list manager: entries = {entries}, allowed with {address_bits} address bits: powers of two from 2 to {most}"
        );
        assert!(
            buckets == 0 || buckets.is_power_of_two() && buckets <= BUCKETS.1,
            "list manager: buckets = {buckets}, allowed: 0 and powers of two up to {}",
            BUCKETS.1
        );
        assert!(
            (entries as u64 + 1..1 << 32).contains(&sequence_limit),
            "list manager: sequence_limit = {sequence_limit}, allowed with {entries} entries: {} to {}",
            entries + 1,
            u32::MAX
        );
    }
}
