//! Kinds of packets, and the words that follow the head.

/// Kinds of packets on the data plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// Words for a window of the target, acknowledged at the end of the transfer.
    Put = 0,
    /// Words that a get asked for, for the memory of the requester.
    Reply = 1,
    /// Words for a window in pointer mode, never acknowledged.
    Stream = 2,
    /// An atomic operation.
    Atomic = 3,
    /// A message for a queue.
    Message = 4,
}

/// Kinds of packets on the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlKind {
    /// A transaction is complete.
    Ack = 0,
    /// A transaction is refused; an error code follows.
    Refuse = 1,
    /// The result of an atomic follows, low word first.
    Value = 2,
    /// 64 bits for a mailbox follow, low word first.
    Mail = 3,
    /// A get request.
    Get = 4,
    /// A credit of a queue comes back.
    Credit = 5,
}

/// Atomic operations. The first two are posted: acknowledged, without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Adds.
    PostAdd = 0,
    /// Stores.
    Poke = 1,
    /// Adds, and gives the old value.
    FetchAdd = 2,
    /// Stores zero, and gives the old value.
    FetchClear = 3,
    /// Stores the second operand if the value equals the first; gives the old value.
    CompareAndSwap = 4,
    /// Gives the value.
    Peek = 5,
    /// Adds the second operand if the value is below the first, unsigned; gives the old value.
    AddIf = 6,
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
pub const ERROR_WIDTH: usize = 4;
/// Most words of a queue's message, without the word in front of it.
pub const MAX_MESSAGE_WORDS: usize = 62;
