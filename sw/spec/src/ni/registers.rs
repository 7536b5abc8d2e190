//! The register map of a network interface.

/// Width of a register's index, in bits: the block above the place in it.
pub const INDEX_WIDTH: usize = 16;
/// Block: lowest bit in the index.
pub const BLOCK_OFFSET: usize = 12;
/// Width of the block, in bits.
pub const BLOCK_WIDTH: usize = INDEX_WIDTH - BLOCK_OFFSET;
/// Bytes of a tile's address space.
pub const SPACE_BYTES: usize = 1 << 20;
/// First byte of the registers in it.
pub const BASE_BYTES: usize = 0x80000;

/// Blocks of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Identity, interrupt.
    Control = 0,
    /// Descriptors.
    Command = 1,
    /// Events.
    Events = 2,
    /// Windows.
    Tags = 3,
    /// Segments.
    Segments = 4,
    /// Mailboxes.
    Mailboxes = 5,
    /// Packet shapers.
    Shapers = 6,
    /// Instruction memory.
    Program = 7,
    /// Release of messages.
    Release = 8,
    /// Counters of the monitor.
    Counters = 9,
}

/// Bits of the place that number the registers of one event, window.
pub const FIELD_WIDTH: usize = 3;
/// Bits of the place that number the registers of one segment, mailbox, shaper.
pub const SHORT_FIELD_WIDTH: usize = 2;
