//! Windows: what a tag of a target stands for.

use super::{
    codes::codes,
    event::EVENT_WIDTH,
    layout::{BitField, FieldError, Layout},
    segment::HANDLE_WIDTH,
};
use crate::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    Node,
};

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
pub const MESSAGE_HANDLE_OFFSET: usize = MESSAGE_SOURCE_OFFSET + NODE_WIDTH;

codes! {
    /// What a window takes.
    Mode {
        /// Nothing.
        Off = 0, "off";
        /// Puts, gets and atomics at offsets.
        Window = 1, "window";
        /// Streams, one after the other.
        Pointer = 2, "pointer";
        /// Messages.
        Queue = 3, "queue";
    }
}

pub(super) const MODE: BitField =
    BitField::new("mode", MODE_OFFSET, MODE_WIDTH, "What the window takes.").codes(Mode::CODES);
pub(super) const EVENT_ENABLE: BitField = BitField::new(
    "event_enable",
    EVENT_ENABLE_OFFSET,
    1,
    "Ends of transfers and messages count in the event.",
);
pub(super) const EVENT: BitField = BitField::new("event", EVENT_OFFSET, EVENT_WIDTH, "That event.");
pub(super) const SLOT_WORDS: BitField = BitField::new(
    "slot_words",
    SLOT_WORDS_OFFSET,
    SLOT_WORDS_WIDTH,
    "Words of a queue's slot, as the power of two; one of them is in front of the message.",
);
pub(super) const SLOTS: BitField = BitField::new(
    "slots",
    SLOTS_OFFSET,
    SLOTS_WIDTH,
    "Slots of a queue, as the power of two.",
);
const MESSAGE_WORDS: BitField = BitField::new(
    "words",
    MESSAGE_WORDS_OFFSET,
    MESSAGE_WORDS_WIDTH,
    "Words of payload that follow.",
);
const MESSAGE_SOURCE: BitField = BitField::new("source", MESSAGE_SOURCE_OFFSET, NODE_WIDTH, "Node of the sender.");
const MESSAGE_HANDLE: BitField = BitField::new(
    "handle",
    MESSAGE_HANDLE_OFFSET,
    HANDLE_WIDTH,
    "The sender's handle of the queue, to which its credit returns.",
);

/// The word in front of a message in a queue.
pub const MESSAGE: Layout = Layout {
    name: "message",
    doc: "In front of each message in a queue.",
    fields: &[MESSAGE_WORDS, MESSAGE_SOURCE, MESSAGE_HANDLE],
};

/// A window's control register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// What the window takes.
    pub mode: Mode,
    /// Where ends of transfers and messages count.
    pub event: Option<u8>,
    /// Of a queue: words of a slot as the power of two, of which one is in front of the message; 6 takes every message.
    pub slot_words: u8,
    /// Of a queue: slots as the power of two.
    pub slots: u8,
}

impl Control {
    /// Of a window that is no queue.
    pub fn new(mode: Mode, event: Option<u8>) -> Control {
        Control {
            mode,
            event,
            slot_words: 0,
            slots: 0,
        }
    }

    /// The register's value.
    ///
    /// # Errors
    /// The first field that does not fit.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(MODE.place(self.mode as u32)?
            | EVENT_ENABLE.place(self.event.is_some())?
            | EVENT.place(self.event.unwrap_or(0))?
            | SLOT_WORDS.place(self.slot_words)?
            | SLOTS.place(self.slots)?)
    }

    /// The fields of the register's value.
    ///
    /// # Errors
    /// The mode has no meaning.
    pub fn decode(word: u32) -> Result<Control, FieldError> {
        Ok(Control {
            mode: Mode::from_code(MODE.take(word)).ok_or_else(|| MODE.unknown(word))?,
            event: EVENT_ENABLE.is_set(word).then(|| EVENT.take(word) as u8),
            slot_words: SLOT_WORDS.take(word) as u8,
            slots: SLOTS.take(word) as u8,
        })
    }
}

/// The word in front of a message in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Words of payload that follow, 0..=62.
    pub words: u8,
    /// Node of the sender.
    pub source: Node,
    /// The sender's handle of the queue.
    pub handle: u8,
}

impl Message {
    /// The word.
    ///
    /// # Errors
    /// The first field that does not fit.
    pub fn encode(&self) -> Result<u32, FieldError> {
        Ok(MESSAGE_WORDS.place(self.words)?
            | MESSAGE_SOURCE.place_node(self.source)?
            | MESSAGE_HANDLE.place(self.handle)?)
    }

    /// The fields of the word.
    pub fn decode(word: u32) -> Message {
        Message {
            words: MESSAGE_WORDS.take(word) as u8,
            source: MESSAGE_SOURCE.take_node(word),
            handle: MESSAGE_HANDLE.take(word) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let control = |event, slot_words, slots| Control {
            mode: Mode::Queue,
            event,
            slot_words,
            slots,
        };
        let refused = |control: Control| control.encode().unwrap_err().to_string();
        assert_eq!(
            refused(control(Some(64), 0, 0)),
            "event = 64 is not allowed: allowed is 0..=63"
        );
        assert_eq!(
            refused(control(None, 16, 0)),
            "slot_words = 16 is not allowed: allowed is 0..=15"
        );
        assert_eq!(
            refused(control(None, 0, 16)),
            "slots = 16 is not allowed: allowed is 0..=15"
        );
        assert_eq!(
            Control::decode(7).unwrap_err().to_string(),
            "mode = 7 is not allowed: allowed is 0..=3"
        );
        let message = Message {
            words: 64,
            source: Node { x: 0, y: 0 },
            handle: 0,
        };
        assert_eq!(
            message.encode().unwrap_err().to_string(),
            "words = 64 is not allowed: allowed is 0..=63"
        );
    }

    #[test]
    fn fields_lie_where_the_hardware_looks() {
        let queue = Control {
            mode: Mode::Queue,
            event: Some(5),
            slot_words: 6,
            slots: 4,
        };
        assert_eq!(queue.encode(), Ok(3 | 1 << 3 | 5 << 4 | 6 << 10 | 4 << 16));
        assert_eq!(Control::new(Mode::Window, None).encode(), Ok(1));
    }

    proptest! {
        #[test]
        fn every_control_reads_back(mode in 0..4u32, event in prop::option::of(0..64u8), slot_words in 0..16u8, slots in 0..16u8) {
            let control = Control { mode: Mode::from_code(mode).unwrap(), event, slot_words, slots };
            prop_assert_eq!(Control::decode(control.encode().unwrap()), Ok(control));
        }

        #[test]
        fn every_message_word_reads_back(word in 0..1u32 << (MESSAGE_HANDLE_OFFSET + HANDLE_WIDTH)) {
            prop_assert_eq!(Message::decode(word).encode(), Ok(word));
        }
    }
}
