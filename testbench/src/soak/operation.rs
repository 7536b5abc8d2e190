//! An operation of a tile, and what it must come to.

use super::workload::Kind;
use portico_spec::ni::{command::SEGMENT_OFFSET, ErrorCode};

/// Where the counters are: the one of 64 bits, that of 32 bits.
pub const COUNTER_OFFSETS: [u32; 2] = [0, 8];

/// A descriptor and what it must come to.
#[derive(Clone, Debug)]
pub struct Operation {
    pub words: Vec<u32>,
    pub kind: Kind,
    pub event: usize,
    /// It counts in its event, by its own success or by its error.
    pub counts: bool,
    /// The error that it must end with.
    pub error: Option<ErrorCode>,
    /// Its event has the value that it fetched, which must be the model's.
    pub fetches: bool,
    /// It adds to a shared counter.
    pub addition: Option<Addition>,
    /// It is given when there is room for it.
    pub room: Option<Room>,
}

/// Room that an operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// For a call in a context of the tile's message-passing engine.
    Call {
        context: usize,
        /// The wave of the round in which it is posted; see the module `calls`.
        wave: usize,
        /// It is a call, which takes the room.
        is_taken: bool,
    },
    /// Among the parked commands of the tile, for a command to the queue of a pair.
    Queue {
        pair: usize,
        /// It is a message, which needs a credit.
        is_message: bool,
    },
}

impl Operation {
    /// The segment that its first word names.
    pub fn segment(&self) -> u8 {
        (self.words[0] >> SEGMENT_OFFSET) as u8
    }

    /// One that counts in its event, does well and gives nothing back.
    pub fn counting(kind: Kind, event: usize, words: Vec<u32>) -> Self {
        Operation {
            words,
            kind,
            event,
            counts: true,
            error: None,
            fetches: false,
            addition: None,
            room: None,
        }
    }
}

/// An addition to a counter that all tiles change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    pub target: usize,
    pub wide: bool,
    pub addend: u64,
    /// The event that has the value before it, of the initiator.
    pub fetched: bool,
}
