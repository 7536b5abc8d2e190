//! Steps of an engine, as the outputs of key `portals_log` tell them.

/// Something that takes effect on lists, tables, counters or rings. Steps of one cycle take effect in the order of this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The oldest move that waits begins to leave.
    Sends {
        /// Its slot; without meaning if nothing answers it.
        slot: u8,
    },
    /// The data of the oldest move that leaves have left: SEND, and the event of its descriptor.
    Sent,
    /// The answer of a request is here: ACK or REPLY.
    Answered {
        /// Slot of the request.
        slot: u8,
    },
    /// The oldest message of a rank that waits has met its entry, or has failed.
    Matched {
        /// The rank that has sent it.
        rank: u8,
    },
    /// The message of a rank that has been matched is over: PUT or GET, AUTO_UNLINK, AUTO_FREE.
    Ended {
        /// The rank that has sent it.
        rank: u8,
    },
    /// The command in hand has consumed a header, or disabled a portal index, and is not over.
    Advances,
    /// The command in hand is over: done, or refused.
    Finishes,
}
