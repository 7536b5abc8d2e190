//! Descriptors of commands.

use super::{codes::codes, event::EVENT_WIDTH, packet::OPERATION_WIDTH, segment::HANDLE_WIDTH};

/// Most words of a descriptor.
pub const MAX_DESCRIPTOR_WORDS: usize = 16;

/// Place in block COMMAND of the first of so many words of a descriptor: its last word goes to the last place.
pub const fn first_place(words: usize) -> usize {
    MAX_DESCRIPTOR_WORDS - words
}

/// Words of the descriptor of a transfer of one row; of rows; of planes of rows.
pub const TRANSFER_WORDS: [usize; 3] = [4, 5, 7];
/// Words of an atomic's descriptor without its operands, and of a fence's at most.
pub const BARE_WORDS: usize = 2;
/// Low bits of a register's place in the COMMAND block that are all ones at the last word of a descriptor.
pub const PLACE_WIDTH: usize = MAX_DESCRIPTOR_WORDS.ilog2() as usize;
/// Words that the command queue of a node holds.
pub const QUEUE_WORDS: usize = 64;
/// Opcode: lowest bit in word 0.
pub const OPCODE_OFFSET: usize = 0;
/// Width of the opcode, in bits.
pub const OPCODE_WIDTH: usize = 5;
/// The opcode in word 0 of a descriptor.
pub const fn opcode(word: u32) -> u8 {
    (word >> OPCODE_OFFSET) as u8 & ((1 << OPCODE_WIDTH) - 1)
}

/// The opcode of a pad: a word in front of a descriptor that the node forgets, so that descriptors of different lengths fit rows of
/// one length. The last word of a descriptor is no pad.
pub const PAD: u8 = 0;

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
/// In word 0 of a command of the requester: it waits for all before it, and is not sent if its event has an error.
pub const DRAINED_OFFSET: usize = QUIET_OFFSET + 1;

codes! {
    /// What a descriptor asks for.
    Opcode {
        /// Words to a window.
        Put = 1, "put";
        /// Words from a window.
        Get = 2, "get";
        /// Words to a window in pointer mode.
        Stream = 3, "stream";
        /// A message to a queue.
        Enqueue = 4, "enqueue";
        /// An atomic operation.
        Atomic = 5, "atomic";
        /// 64 bits to a mailbox.
        Mail = 6, "mail";
        /// Wait for all that is open on a segment.
        Fence = 7, "fence";
        /// A program of the user's.
        Program = 8, "program";
        /// A get of another node; never from software.
        Serve = 11, "serve";
        /// A barrier of a context.
        Barrier = 16, "barrier";
        /// A broadcast in a context.
        Broadcast = 17, "broadcast";
        /// A reduction in a context.
        Reduce = 18, "reduce";
        /// A reduction in a context whose result all get.
        Allreduce = 19, "allreduce";
        /// A run of the source of the source/sink core.
        Probe = 20, "probe";
        /// A put or a get of the Portals engine.
        Move = 24, "move";
        /// An entry comes to a list of the Portals engine, or leaves it.
        Entry = 25, "entry";
        /// A counter or a portal index of the Portals engine changes.
        Control = 26, "control";
        /// Rows of the memory onto the stream that leaves the tile.
        Send = 28, "send";
        /// The stream that comes to the tile into its memory.
        Receive = 29, "receive";
    }
}
