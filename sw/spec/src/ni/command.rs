//! Descriptors of commands.

use super::{event::EVENT_WIDTH, packet::OPERATION_WIDTH, segment::HANDLE_WIDTH};

/// Most words of a descriptor.
pub const MAX_DESCRIPTOR_WORDS: usize = 16;
/// Opcode: lowest bit in word 0.
pub const OPCODE_OFFSET: usize = 0;
/// Width of the opcode, in bits.
pub const OPCODE_WIDTH: usize = 5;
/// Packet shaper: lowest bit in word 0.
pub const SHAPER_OFFSET: usize = OPCODE_OFFSET + OPCODE_WIDTH;
/// Width of a shaper's number, in bits.
pub const SHAPER_WIDTH: usize = 3;
/// Packet shapers of a tile.
pub const SHAPERS: usize = 1 << SHAPER_WIDTH;
/// Event: lowest bit in word 0.
pub const EVENT_OFFSET: usize = SHAPER_OFFSET + SHAPER_WIDTH;
/// Segment handle: lowest bit in word 0.
pub const SEGMENT_OFFSET: usize = EVENT_OFFSET + EVENT_WIDTH;
/// Atomic operation: lowest bit in word 0.
pub const OPERATION_OFFSET: usize = SEGMENT_OFFSET + HANDLE_WIDTH;
/// In word 0: the atomic is of 64 bits.
pub const WIDE_OFFSET: usize = OPERATION_OFFSET + OPERATION_WIDTH;
/// In word 0: success leaves the event alone; errors do not.
pub const QUIET_OFFSET: usize = WIDE_OFFSET + 2;

/// What a descriptor asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// Words to a window.
    Put = 1,
    /// Words from a window.
    Get = 2,
    /// Words to a window in pointer mode.
    Stream = 3,
    /// A message to a queue.
    Enqueue = 4,
    /// An atomic operation.
    Atomic = 5,
    /// 64 bits to a mailbox.
    Mail = 6,
    /// Wait for all that is open on a segment.
    Fence = 7,
    /// A program of the user's.
    Program = 8,
    /// A get of another node; never from software.
    Serve = 31,
}
