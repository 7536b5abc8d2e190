//! Windows: what a tag of a target stands for.

use super::event::EVENT_WIDTH;
use crate::flit::TAG_WIDTH;

/// Windows of a tile, one a tag.
pub const WINDOWS: usize = 1 << TAG_WIDTH;
/// The window over the whole address space of a node, open after reset.
pub const SYSTEM_WINDOW: usize = WINDOWS - 1;
/// Mode: lowest bit in a window's control register.
pub const MODE_OFFSET: usize = 0;
/// Width of the mode, in bits.
pub const MODE_WIDTH: usize = 3;
/// In a window's control register: ends of transfers and messages count in an event.
pub const EVENT_ENABLE_OFFSET: usize = MODE_OFFSET + MODE_WIDTH;
/// That event: lowest bit in a window's control register.
pub const EVENT_OFFSET: usize = EVENT_ENABLE_OFFSET + 1;
/// Words of a queue's slot, as the power of two: lowest bit in a window's control register.
pub const SLOT_WORDS_OFFSET: usize = EVENT_OFFSET + EVENT_WIDTH;
/// Width of the words of a queue's slot as the power of two, in bits.
pub const SLOT_WORDS_WIDTH: usize = 4;
/// Slots of a queue, as the power of two: lowest bit in a window's control register.
pub const SLOTS_OFFSET: usize = 16;
/// Width of the slots of a queue as the power of two, in bits.
pub const SLOTS_WIDTH: usize = 4;
/// Width of the counter of ends of transfers, in bits.
pub const ENDS_WIDTH: usize = 16;
/// Width of the counters of a queue's messages, in bits.
pub const MESSAGES_WIDTH: usize = 16;
/// In the word in front of a message in a queue: words of payload, lowest bit.
pub const MESSAGE_WORDS_OFFSET: usize = 0;
/// Width of the words of payload of a message, in bits.
pub const MESSAGE_WORDS_WIDTH: usize = 6;
/// In the word in front of a message in a queue: the sender's node, lowest bit.
pub const MESSAGE_SOURCE_OFFSET: usize = MESSAGE_WORDS_OFFSET + MESSAGE_WORDS_WIDTH;
/// In the word in front of a message in a queue: the sender's segment handle, lowest bit.
pub const MESSAGE_HANDLE_OFFSET: usize = MESSAGE_SOURCE_OFFSET + crate::flit::NODE_WIDTH;

/// What a window takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Off = 0,
    /// Puts, gets and atomics at offsets.
    Window = 1,
    /// Streams, one after the other.
    Pointer = 2,
    /// Messages.
    Queue = 3,
}
