//! Events of event queues.

use super::{
    take, Failure, FAILURE_WIDTH, LENGTH_OFFSET, LENGTH_WIDTH, PORTAL_WIDTH, SOURCE_RANK_WIDTH, USER_OFFSET, USER_WIDTH,
};
use crate::ni::codes::codes;

/// Words of an event in its ring.
pub const EVENT_WORDS: usize = 10;
/// Bytes of an event in its ring.
pub const EVENT_BYTES: usize = 4 * EVENT_WORDS;

codes! {
    /// Kinds of events.
    EventKind {
        /// A get was served.
        Get = 0, "get";
        /// A get had been served from Overflow.
        GetOverflow = 1, "get_overflow";
        /// A put came.
        Put = 2, "put";
        /// A put had come to Overflow.
        PutOverflow = 3, "put_overflow";
        /// An atomic came.
        Atomic = 4, "atomic";
        /// An atomic had come to Overflow.
        AtomicOverflow = 5, "atomic_overflow";
        /// An atomic that fetches came.
        FetchAtomic = 6, "fetch_atomic";
        /// An atomic that fetches had come to Overflow.
        FetchAtomicOverflow = 7, "fetch_atomic_overflow";
        /// The data of a get are here.
        Reply = 8, "reply";
        /// The data of a put have been read.
        Send = 9, "send";
        /// A put is acknowledged.
        Ack = 10, "ack";
        /// A portal index was disabled.
        PortalDisabled = 11, "portal_disabled";
        /// An entry has left its list by itself.
        AutoUnlink = 12, "auto_unlink";
        /// An entry of Overflow has no header any more.
        AutoFree = 13, "auto_free";
        /// A search has ended.
        Search = 14, "search";
        /// An entry is in its list.
        Link = 15, "link";
    }
}

const KIND: (usize, usize) = (0, 4);
const FAILURE: (usize, usize) = (4, FAILURE_WIDTH);
const OVERFLOW: (usize, usize) = (8, 1);
const PORTAL: (usize, usize) = (18, PORTAL_WIDTH);
const RANK: (usize, usize) = (0, SOURCE_RANK_WIDTH);
const DELIVERED: (usize, usize) = (SOURCE_RANK_WIDTH, LENGTH_WIDTH);
/// In word 0 of an event: events before this one were dropped.
pub(super) const DROPPED: (usize, usize) = (30, 1);
/// In word 0 of an event: 1 in the first lap of the ring, 0 in the second, and so on.
pub(super) const PHASE: (usize, usize) = (31, 1);

/// Kind of an event: lowest bit in word 0.
pub const KIND_OFFSET: usize = KIND.0;
/// Width of the kind of an event, in bits.
pub const KIND_WIDTH: usize = KIND.1;
/// Failure: lowest bit in word 0 of an event.
pub const EVENT_FAILURE_OFFSET: usize = FAILURE.0;
/// In word 0 of an event: the list is Overflow.
pub const EVENT_OVERFLOW_OFFSET: usize = OVERFLOW.0;
/// Portal index: lowest bit in word 0 of an event.
pub const EVENT_PORTAL_OFFSET: usize = PORTAL.0;
/// In word 0 of an event: events before this one were dropped.
pub const DROPPED_OFFSET: usize = DROPPED.0;
/// In word 0 of an event: the phase.
pub const PHASE_OFFSET: usize = PHASE.0;
/// Delivered length: lowest bit in word 1 of an event, above the rank.
pub const EVENT_DELIVERED_OFFSET: usize = DELIVERED.0;

/// An event. Fields that its kind does not have are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// How the operation ended.
    pub failure: Failure,
    /// The entry is or was in the Overflow list.
    pub overflow: bool,
    /// Portal index with its interface.
    pub portal: u8,
    /// The ring was full, and events before this one were dropped.
    pub dropped: bool,
    /// Rank of the initiator.
    pub rank: u16,
    /// Delivered length, in bytes.
    pub delivered: u32,
    /// Where the data lie, in bytes.
    pub start: u32,
    /// User of the initiator.
    pub user: u16,
    /// Requested length, in bytes.
    pub requested: u32,
    /// The user's pointer of the entry, or of the move.
    pub user_pointer: u32,
    /// Offset in bytes: that requested, of an answer that used.
    pub offset: u32,
    /// Match bits of the request.
    pub match_bits: u64,
    /// Header data of the request.
    pub header_data: u64,
}

impl Event {
    /// An event of this kind with all else 0.
    pub fn new(kind: EventKind) -> Event {
        Event {
            kind,
            failure: Failure::Ok,
            overflow: false,
            portal: 0,
            dropped: false,
            rank: 0,
            delivered: 0,
            start: 0,
            user: 0,
            requested: 0,
            user_pointer: 0,
            offset: 0,
            match_bits: 0,
            header_data: 0,
        }
    }

    /// The words, in the lap of this phase.
    pub fn encode(&self, phase: bool) -> [u32; EVENT_WORDS] {
        [
            (self.kind as u32) << KIND.0
                | (self.failure as u32) << FAILURE.0
                | u32::from(self.overflow) << OVERFLOW.0
                | u32::from(self.portal) << PORTAL.0
                | u32::from(self.dropped) << DROPPED.0
                | u32::from(phase) << PHASE.0,
            u32::from(self.rank) << RANK.0 | self.delivered << DELIVERED.0,
            self.start << LENGTH_OFFSET | u32::from(self.user) << USER_OFFSET,
            self.requested,
            self.user_pointer,
            self.offset,
            self.match_bits as u32,
            (self.match_bits >> 32) as u32,
            self.header_data as u32,
            (self.header_data >> 32) as u32,
        ]
    }

    /// The phase that word 0 of an event has.
    pub fn phase(word: u32) -> bool {
        take(word, PHASE.0, PHASE.1) == 1
    }

    /// From the words; none for a kind or failure without a meaning.
    pub fn decode(words: &[u32; EVENT_WORDS]) -> Option<Event> {
        let field = |word: usize, (offset, width): (usize, usize)| take(words[word], offset, width);
        let wide = |word: usize| u64::from(words[word]) | u64::from(words[word + 1]) << 32;
        Some(Event {
            kind: EventKind::from_code(field(0, KIND))?,
            failure: Failure::from_code(field(0, FAILURE))?,
            overflow: field(0, OVERFLOW) == 1,
            portal: field(0, PORTAL) as u8,
            dropped: field(0, DROPPED) == 1,
            rank: field(1, RANK) as u16,
            delivered: field(1, DELIVERED),
            start: field(2, (LENGTH_OFFSET, LENGTH_WIDTH)),
            user: field(2, (USER_OFFSET, USER_WIDTH)) as u16,
            requested: words[3],
            user_pointer: words[4],
            offset: words[5],
            match_bits: wide(6),
            header_data: wide(8),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_back_in_both_phases() {
        let event = Event {
            kind: EventKind::PutOverflow,
            failure: Failure::Permission,
            overflow: true,
            portal: 0x55,
            dropped: true,
            rank: 0x1ff,
            delivered: 0xa_bcde,
            start: 0xf_0f0f,
            user: 0xfed,
            requested: 1,
            user_pointer: 2,
            offset: 3,
            match_bits: 4 << 32 | 5,
            header_data: 6 << 32 | 7,
        };
        for phase in [false, true] {
            let words = event.encode(phase);
            assert_eq!(Event::phase(words[0]), phase);
            assert_eq!(Event::decode(&words), Some(event));
        }
        assert_eq!(event.encode(true)[..3], [0xc154_0133, 0x1579_bdff, 0xfedf_0f0f]);
        assert_eq!(Event::decode(&[0xf0; EVENT_WORDS]), None);
    }
}
