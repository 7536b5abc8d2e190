//! Kinds of packets, and the words that follow the head.

pub use self::words::{Address, Rows};
use super::{
    codes::codes,
    layout::{BitField, Layout},
};
use crate::flit;

mod words;

codes! {
    /// Kinds of packets on the data plane.
    DataKind {
        /// Words for a window of the target, acknowledged at the end of the transfer, refused packet by packet.
        Put = 0, "put";
        /// Words that a get asked for, for the memory of the requester.
        Reply = 1, "reply";
        /// Words for a window in pointer mode, never acknowledged.
        Stream = 2, "stream";
        /// An atomic operation.
        Atomic = 3, "atomic";
        /// A message for a queue.
        Message = 4, "message";
        /// Words of a collective, for the message-passing engine.
        Collective = 5, "collective";
        /// A request or a reply of the Portals engine.
        Portals = 6, "portals";
        /// For the sink of the source/sink core.
        Probe = 7, "probe";
    }
}

codes! {
    /// Kinds of packets on the control plane.
    ControlKind {
        /// A transaction is complete.
        Ack = 0, "ack";
        /// A transaction, or a packet of one, is refused; an error code follows.
        Refuse = 1, "refuse";
        /// The result of an atomic follows, low word first.
        Value = 2, "value";
        /// 64 bits for a mailbox follow, low word first.
        Mail = 3, "mail";
        /// A get request.
        Get = 4, "get";
        /// A credit of a queue comes back.
        Credit = 5, "credit";
        /// A token or a credit of the message-passing engine.
        Collective = 6, "collective";
        /// A credit or an answer of the Portals engine.
        Portals = 7, "portals";
    }
}

codes! {
    /// Atomic operations. The first two are posted: acknowledged, without a value.
    Operation {
        /// Adds.
        PostAdd = 0, "post_add";
        /// Stores.
        Poke = 1, "poke";
        /// Adds, and gives the old value.
        FetchAdd = 2, "fetch_add";
        /// Stores zero, and gives the old value.
        FetchClear = 3, "fetch_clear";
        /// Stores the second operand if the value equals the first; gives the old value.
        CompareAndSwap = 4, "compare_and_swap";
        /// Gives the value.
        Peek = 5, "peek";
        /// Adds the second operand if the value is below the first, unsigned; gives the old value.
        AddIf = 6, "add_if";
    }
}

/// Offset in the window, or address, in words: lowest bit in an ADDRESS word.
pub const OFFSET_OFFSET: usize = 0;
/// Width of offsets and addresses, in bits.
pub const OFFSET_WIDTH: usize = 22;
/// Transaction slot of the initiator: lowest bit in an ADDRESS word.
pub const SLOT_OFFSET: usize = OFFSET_OFFSET + OFFSET_WIDTH;
/// Width of a slot's number, in bits.
pub const SLOT_WIDTH: usize = 5;
/// Transactions that a node may have open.
pub const SLOTS: usize = 1 << SLOT_WIDTH;
/// In an ADDRESS word: a GEOMETRY word follows; in that of an atomic: the upper half of a 64-bit word.
pub const STRIDED_OFFSET: usize = SLOT_OFFSET + SLOT_WIDTH;
/// Atomic operation: lowest bit in an ADDRESS word.
pub const OPERATION_OFFSET: usize = STRIDED_OFFSET + 1;
/// Width of an atomic operation, in bits.
pub const OPERATION_WIDTH: usize = 3;
/// In the ADDRESS word of an atomic: 64 bits rather than 32.
pub const WIDE_OFFSET: usize = OPERATION_OFFSET + OPERATION_WIDTH;

/// Words of a row: lowest bit in a GEOMETRY word.
pub const ROW_OFFSET: usize = 0;
/// Width of the words of a row, in bits.
pub const ROW_WIDTH: usize = 16;
/// Words from row to row: lowest bit in a GEOMETRY word.
pub const STRIDE_OFFSET: usize = ROW_OFFSET + ROW_WIDTH;
/// Width of a stride, in bits.
pub const STRIDE_WIDTH: usize = 16;

/// Width of an error code, in bits.
pub const ERROR_WIDTH: usize = 5;
/// Most words of a queue's message, without the word in front of it.
pub const MAX_MESSAGE_WORDS: usize = 62;

const OFFSET: BitField = BitField::new("offset", OFFSET_OFFSET, OFFSET_WIDTH, "Offset or address, in words.");
const SLOT: BitField = BitField::new(
    "slot",
    SLOT_OFFSET,
    SLOT_WIDTH,
    "Transaction slot of the initiator; of the last reply to a get: the error that broke it off, or 0.",
);
const STRIDED: BitField = BitField::new(
    "strided",
    STRIDED_OFFSET,
    1,
    "A geometry word follows; of a 32-bit atomic on 64-bit words: the upper half.",
);
const OPERATION: BitField =
    BitField::new("operation", OPERATION_OFFSET, OPERATION_WIDTH, "Of an atomic.").codes(Operation::CODES);
const WIDE: BitField = BitField::new("wide", WIDE_OFFSET, 1, "The atomic is of 64 bits rather than 32.");
const ROW: BitField = BitField::new("row", ROW_OFFSET, ROW_WIDTH, "Words of a row.");
const STRIDE: BitField = BitField::new("stride", STRIDE_OFFSET, STRIDE_WIDTH, "Words from row to row.");

/// The head of every packet: see [`crate::Head`].
pub const HEAD: Layout = Layout {
    name: "head",
    doc: "The first flit of every packet.",
    fields: &[
        BitField::new(
            "destination",
            flit::DESTINATION_OFFSET,
            flit::NODE_WIDTH,
            "Node: x in the low bits, y above.",
        ),
        BitField::new("source", flit::SOURCE_OFFSET, flit::NODE_WIDTH, "Node that sent it."),
        BitField::new(
            "tag",
            flit::TAG_OFFSET,
            flit::TAG_WIDTH,
            "Window, slot, mailbox or segment handle: see the kinds.",
        ),
        BitField::new(
            "kind",
            flit::KIND_OFFSET,
            flit::KIND_WIDTH,
            "How the network interface takes it.",
        ),
        BitField::new(
            "last",
            flit::LAST_OFFSET,
            flit::LAST_WIDTH,
            "End of a transfer of several packets; of an answer: the transaction is over.",
        ),
    ],
};

/// The word that says where in a window, or in the requester's memory.
pub const ADDRESS: Layout = Layout {
    name: "address",
    doc: "Where: an offset in a window, or an address in the requester's memory.",
    fields: &[OFFSET, SLOT, STRIDED, OPERATION, WIDE],
};

/// The word that says how rows lie at the target.
pub const GEOMETRY: Layout = Layout {
    name: "geometry",
    doc: "How the rows of a packet lie at its target.",
    fields: &[ROW, STRIDE],
};
