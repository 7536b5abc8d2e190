//! The Portals engine of a tile: packets, descriptors, tables and events (`pac-portals-2016`, chapters 2 and 3).
//!
//! Matching happens in hardware: a put or get names a rank, a portal index and match bits, and the lists of the target's
//! engine say where its data lie. `docs/portals.md` has the whole picture; this module has every number.
//!
//! ```
//! use portico_spec::portals::engine::{Command, Move, Operation, Ack};
//!
//! let put = Command::Move(Move {
//!     operation: Operation::Put, ack: Ack::Full, portal: 3, descriptor: 1, rank: 2, local: 0x40, length: 8, remote: 0,
//!     match_bits: 0x1234, user_pointer: 7, header_data: 9,
//! });
//! let words = put.encode();
//! assert_eq!(words, [0, 2 << 18 | 1 << 12 | 3 << 5 | 1 << 3, 0x40, 8, 0, 0x1234, 0, 7, 9, 0]);
//! assert_eq!(Command::decode(24, &words), Some(put));
//! ```

use crate::ni::codes::codes;

mod command;
mod event;
mod step;

pub use command::{
    Append, Command, Control, ControlCommand, EntryCommand, Move, Search, COMMAND_OFFSET, COMMAND_WIDTH,
    COUNTER_OFFSET, COUNTS_OFFSET, DESCRIPTOR_OFFSET, ENTRY_WORDS, GET_WORDS, INDEX_CONTROL_WORDS, INDEX_OFFSET,
    LIST_OFFSET, NO_ENTRY, OPTIONS_OFFSET, PUT_WORDS, RANK_OFFSET, SEARCH_WORDS, SOURCE_OFFSET, UNLINK_WORDS,
    VALUE_CONTROL_WORDS,
};
pub use event::{
    Event, EventKind, DROPPED_OFFSET, EVENT_BYTES, EVENT_DELIVERED_OFFSET, EVENT_FAILURE_OFFSET, EVENT_OVERFLOW_OFFSET,
    EVENT_PORTAL_OFFSET, EVENT_WORDS, KIND_OFFSET, KIND_WIDTH, PHASE_OFFSET,
};
pub use step::Step;

/// Ranks that the key `portals` may give a tile.
pub const RANKS: [usize; 3] = [4, 16, 64];
/// Width of a rank, in bits.
pub const RANK_WIDTH: usize = 6;
/// Width of the rank of an entry's source and of an event, in bits.
pub const SOURCE_RANK_WIDTH: usize = 9;
/// Memory descriptors.
pub const DESCRIPTORS: usize = 64;
/// Counters.
pub const COUNTERS: usize = 64;
/// Width of the number of a memory descriptor or counter, in bits.
pub const NUMBER_WIDTH: usize = 6;
/// Event queues.
pub const QUEUES: usize = 16;
/// Width of the number of an event queue, in bits.
pub const QUEUE_WIDTH: usize = 4;
/// Portal indices of an interface.
pub const INDICES: usize = 64;
/// In a portal index: it is of the non-matching interface.
pub const NON_MATCHING_OFFSET: usize = 6;
/// Width of a portal index with its interface, in bits.
pub const PORTAL_WIDTH: usize = NON_MATCHING_OFFSET + 1;
/// Portal indices of both interfaces.
pub const PORTALS: usize = 1 << PORTAL_WIDTH;
/// Slots: requests of a tile that may wait for their answers.
pub const SLOTS: usize = 32;
/// Width of the number of a slot, in bits.
pub const SLOT_WIDTH: usize = 5;
/// Slots of gets, the first ones; the others are for puts.
pub const GET_SLOTS: usize = 4;
/// Moves that wait, at most.
pub const WAITING_MOVES: usize = 8;
/// Rooms of a rank, and of a slot of gets: its credits.
pub const ROOMS: usize = 2;
/// Words of a room: a packet without its head.
pub const ROOM_WORDS: usize = 32;
/// Width of addresses and lengths, in bits: bytes of a scratchpad.
pub const LENGTH_WIDTH: usize = 20;
/// Width of a user's identity, in bits.
pub const USER_WIDTH: usize = 12;
/// The user of an entry that takes messages of all.
pub const ANY_USER: u16 = (1 << USER_WIDTH) - 1;

/// Words in front of the payload of the first packet of a put.
pub const PUT_HEADER_WORDS: usize = 7;
/// Words of a get, without its head.
pub const GET_HEADER_WORDS: usize = 5;
/// Words in front of the payload of the first packet of a reply.
pub const REPLY_HEADER_WORDS: usize = 2;

/// In a data head: a reply, whose tag is a slot; else a request, whose tag is the sender's rank.
pub const REPLY_OFFSET: usize = 30;
/// In a data head: the first packet of its message.
pub const FIRST_OFFSET: usize = 31;
/// Kind of a control packet: lowest bit in its head.
pub const CONTROL_OFFSET: usize = 30;
/// Width of the kind of a control packet, in bits.
pub const CONTROL_WIDTH: usize = 2;

codes! {
    /// Packets of the control plane, by the upper bits of their heads.
    ControlPacket {
        /// A room of a rank is free again; the tag is the sender's own rank.
        RequestCredit = 0, "request_credit";
        /// A room of a slot is free again; the tag is the sender's own rank.
        ReplyCredit = 1, "reply_credit";
        /// An answer; the tag is a slot.
        Answer = 2, "answer";
    }
}

codes! {
    /// What a request does.
    Operation {
        /// Data to the target.
        Put = 0, "put";
        /// Data from the target.
        Get = 1, "get";
    }
}

codes! {
    /// Which acknowledgement a put wants.
    Ack {
        /// None; it takes no slot.
        None = 0, "none";
        /// Event and count.
        Full = 1, "full";
        /// A count of its own success or failure.
        Count = 2, "count";
        /// A count that it is over, whatever became of it.
        Operation = 3, "operation";
    }
}

codes! {
    /// How a request ended at its target.
    Failure {
        /// It did not fail.
        Ok = 0, "ok";
        /// No entry matched, its header had no place, or the portal index is not allocated.
        Dropped = 1, "dropped";
        /// The portal index is disabled.
        PortalDisabled = 2, "portal_disabled";
        /// The entry is for another user.
        Permission = 3, "permission";
        /// The entry does not allow the operation.
        Operation = 4, "operation";
        /// A search has found no header.
        NoMatch = 5, "no_match";
    }
}

/// Width of a failure, in bits.
pub const FAILURE_WIDTH: usize = 4;

// REQUEST.

/// Operation: lowest bit in a REQUEST word.
pub const OPERATION_OFFSET: usize = 0;
/// Width of an operation, in bits.
pub const OPERATION_WIDTH: usize = 3;
/// Acknowledgement: lowest bit in a REQUEST word.
pub const ACK_OFFSET: usize = OPERATION_OFFSET + OPERATION_WIDTH;
/// Width of an acknowledgement's kind, in bits.
pub const ACK_WIDTH: usize = 2;
/// Portal index: lowest bit in a REQUEST word.
pub const PORTAL_OFFSET: usize = ACK_OFFSET + ACK_WIDTH;
/// Slot of the initiator: lowest bit in a REQUEST word.
pub const SLOT_OFFSET: usize = PORTAL_OFFSET + PORTAL_WIDTH;

// EXTENT, and the word that says where an entry lies.

/// Length, or start of an entry, in bytes: lowest bit in an EXTENT word.
pub const LENGTH_OFFSET: usize = 0;
/// User: lowest bit in an EXTENT word.
pub const USER_OFFSET: usize = LENGTH_OFFSET + LENGTH_WIDTH;

// STATUS.

/// Delivered length in bytes: lowest bit in a STATUS word.
pub const DELIVERED_OFFSET: usize = 0;
/// Failure: lowest bit in a STATUS word.
pub const FAILURE_OFFSET: usize = DELIVERED_OFFSET + LENGTH_WIDTH;
/// In a STATUS word: the entry was in the Overflow list.
pub const OVERFLOW_OFFSET: usize = FAILURE_OFFSET + FAILURE_WIDTH;
/// In a STATUS word: the initiator raises nothing, and frees the slot.
pub const SILENT_OFFSET: usize = OVERFLOW_OFFSET + 1;

/// Option of an entry: takes puts. Bits 0 to 4 are those of [`list`](super::list).
pub const OP_PUT: usize = super::list::OPAQUE_OPTIONS;
/// Option of an entry: takes gets.
pub const OP_GET: usize = OP_PUT + 1;
/// Option of an entry: its messages raise nothing at the initiator.
pub const ACK_DISABLE: usize = OP_GET + 1;
/// Option of an entry: no LINK.
pub const LINK_DISABLE: usize = ACK_DISABLE + 1;
/// Option of an entry: no AUTO_UNLINK and no AUTO_FREE.
pub const UNLINK_DISABLE: usize = LINK_DISABLE + 1;
/// Option of an entry: no events of messages.
pub const COMM_DISABLE: usize = UNLINK_DISABLE + 1;
/// Option of an entry: no events of overflow.
pub const OVER_DISABLE: usize = COMM_DISABLE + 1;
/// Option of an entry: no events of success.
pub const SUCCESS_DISABLE: usize = OVER_DISABLE + 1;
/// Option of an entry: its counter counts messages.
pub const CT_COMM: usize = SUCCESS_DISABLE + 1;
/// Option of an entry: its counter counts events of overflow.
pub const CT_OVERFLOW: usize = CT_COMM + 1;
/// Option of an entry: its counter counts bytes.
pub const CT_BYTES: usize = CT_OVERFLOW + 1;

/// Option of a memory descriptor: no event of success.
pub const MD_SUCCESS_DISABLE: usize = 0;
/// Option of a memory descriptor: no SEND.
pub const MD_SEND_DISABLE: usize = 1;
/// Option of a memory descriptor: its counter counts sends.
pub const MD_CT_SEND: usize = 2;
/// Option of a memory descriptor: its counter counts replies.
pub const MD_CT_REPLY: usize = 3;
/// Option of a memory descriptor: its counter counts acknowledgements.
pub const MD_CT_ACK: usize = 4;
/// Option of a memory descriptor: its counter counts bytes.
pub const MD_CT_BYTES: usize = 5;
/// Width of the options of a memory descriptor, in bits.
pub const MD_OPTIONS_WIDTH: usize = 6;
/// Counter: lowest bit in `md_options`.
pub const MD_COUNTER_OFFSET: usize = 8;
/// In `md_options`: there is a counter.
pub const MD_COUNTS_OFFSET: usize = MD_COUNTER_OFFSET + NUMBER_WIDTH;
/// Event queue: lowest bit in `md_options`.
pub const MD_QUEUE_OFFSET: usize = 16;
/// In `md_options`: there is an event queue.
pub const MD_QUEUES_OFFSET: usize = MD_QUEUE_OFFSET + QUEUE_WIDTH;
/// In `md_options`: the memory descriptor may be used.
pub const MD_BOUND_OFFSET: usize = 24;

/// In `rank`: the rank has a node.
pub const RANK_PRESENT_OFFSET: usize = 16;
/// In `portal`: allocated.
pub const PORTAL_ALLOCATED_OFFSET: usize = 0;
/// In `portal`: takes messages.
pub const PORTAL_ENABLED_OFFSET: usize = 1;
/// Event queue: lowest bit in `portal`.
pub const PORTAL_QUEUE_OFFSET: usize = 4;
/// In `portal`: there is an event queue.
pub const PORTAL_QUEUES_OFFSET: usize = PORTAL_QUEUE_OFFSET + QUEUE_WIDTH;
/// In `ct_event` and `eq_event`: an event of the tile counts.
pub const EVENT_PRESENT_OFFSET: usize = 8;
/// Fewest and most events of an event queue, as logarithms.
pub const QUEUE_SIZES: (usize, usize) = (1, 12);
/// Width of the logarithm of an event queue's size, in bits.
pub const QUEUE_SIZE_WIDTH: usize = 4;
/// Width of the count of events that software has taken, in bits.
pub const TAKEN_WIDTH: usize = 16;

/// Item of `setting` and `status`: which one.
pub mod item {
    /// `setting`: the user of the tile.
    pub const USER: usize = 0;
    /// `setting`: 1 if moves are sent and requests are taken.
    pub const ENABLE: usize = 1;
    /// `setting`: the tile's own rank.
    pub const RANK: usize = 2;
    /// `status`: requests that were dropped, or met a disabled portal index.
    pub const DROPS: usize = 0;
    /// `status`: requests of a wrong user.
    pub const PERMISSION_VIOLATIONS: usize = 1;
    /// `status`: requests whose operation the entry does not allow.
    pub const OPERATION_VIOLATIONS: usize = 2;
}

/// The fields of a REQUEST word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it does.
    pub operation: Operation,
    /// Which acknowledgement it wants.
    pub ack: Ack,
    /// Portal index, and in bit 6 whether it is of the non-matching interface.
    pub portal: u8,
    /// Slot of the initiator; of no meaning if it takes none.
    pub slot: u8,
}

impl Request {
    /// The word.
    pub fn encode(&self) -> u32 {
        (self.operation as u32) << OPERATION_OFFSET
            | (self.ack as u32) << ACK_OFFSET
            | u32::from(self.portal) << PORTAL_OFFSET
            | u32::from(self.slot) << SLOT_OFFSET
    }

    /// From the word; none for an operation without a meaning.
    pub fn decode(word: u32) -> Option<Request> {
        Some(Request {
            operation: Operation::from_code(take(word, OPERATION_OFFSET, OPERATION_WIDTH))?,
            ack: Ack::from_code(take(word, ACK_OFFSET, ACK_WIDTH))?,
            portal: take(word, PORTAL_OFFSET, PORTAL_WIDTH) as u8,
            slot: take(word, SLOT_OFFSET, SLOT_WIDTH) as u8,
        })
    }

    /// Whether the target answers it: it then has a slot.
    pub fn is_answered(&self) -> bool {
        self.operation == Operation::Get || self.ack != Ack::None
    }
}

/// The fields of a STATUS word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Delivered length, in bytes.
    pub delivered: u32,
    /// How it ended.
    pub failure: Failure,
    /// The entry was in the Overflow list.
    pub overflow: bool,
    /// The initiator raises nothing.
    pub silent: bool,
}

impl Status {
    /// The word.
    pub fn encode(&self) -> u32 {
        self.delivered << DELIVERED_OFFSET
            | (self.failure as u32) << FAILURE_OFFSET
            | u32::from(self.overflow) << OVERFLOW_OFFSET
            | u32::from(self.silent) << SILENT_OFFSET
    }

    /// From the word; none for a failure without a meaning.
    pub fn decode(word: u32) -> Option<Status> {
        Some(Status {
            delivered: take(word, DELIVERED_OFFSET, LENGTH_WIDTH),
            failure: Failure::from_code(take(word, FAILURE_OFFSET, FAILURE_WIDTH))?,
            overflow: take(word, OVERFLOW_OFFSET, 1) == 1,
            silent: take(word, SILENT_OFFSET, 1) == 1,
        })
    }
}

fn take(word: u32, offset: usize, width: usize) -> u32 {
    word >> offset & (u32::MAX >> (32 - width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_packets_read_back() {
        let request = Request {
            operation: Operation::Get,
            ack: Ack::Operation,
            portal: 0x7f,
            slot: 31,
        };
        assert_eq!(request.encode(), 0x1_fff9);
        assert_eq!(Request::decode(request.encode()), Some(request));
        assert_eq!(Request::decode(2), None);
        let status = Status {
            delivered: 0xf_ffff,
            failure: Failure::Operation,
            overflow: true,
            silent: true,
        };
        assert_eq!(status.encode(), 0x34f_ffff);
        assert_eq!(Status::decode(status.encode()), Some(status));
        assert_eq!(Status::decode(15 << FAILURE_OFFSET), None);
    }

    #[test]
    fn a_put_without_acknowledgement_alone_is_not_answered() {
        for &operation in Operation::ALL {
            for &ack in Ack::ALL {
                let request = Request {
                    operation,
                    ack,
                    portal: 0,
                    slot: 0,
                };
                let unanswered = operation == Operation::Put && ack == Ack::None;
                assert_eq!(request.is_answered(), !unanswered);
            }
        }
    }

    #[test]
    fn options_fill_the_options_of_an_entry() {
        assert_eq!(CT_BYTES + 1, crate::portals::list::OPTIONS_WIDTH);
        assert_eq!(PORTAL_WIDTH, crate::portals::list::PORTAL_WIDTH);
        assert_eq!(SOURCE_RANK_WIDTH, crate::portals::list::PORTAL_OFFSET);
        assert_eq!(LENGTH_WIDTH + USER_WIDTH, crate::portals::list::POINTER_WIDTH);
    }
}
