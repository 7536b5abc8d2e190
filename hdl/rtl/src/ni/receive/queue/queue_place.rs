use crate::ni::receive::PLACE_WIDTH;
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        segment::HANDLE_WIDTH,
        window::{
            MESSAGES_WIDTH, MESSAGE_HANDLE_OFFSET, MESSAGE_SOURCE_OFFSET, MESSAGE_WORDS_OFFSET, MESSAGE_WORDS_WIDTH,
            SLOTS_WIDTH, SLOT_WORDS_WIDTH,
        },
    },
};
use portico_verilog::prelude::*;

/// Bits of a place beyond the windows: a queue may be described that no memory holds.
const ABOVE_WIDTH: usize = 32 - PLACE_WIDTH + 1;

/// Where a queue keeps a message.
///
/// Turns the number of a message into the place of the word in front of it.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct QueuePlace {
    /// Number of the message: how many were ever written to the queue before it.
    pub number: Signal<In, Bits<MESSAGES_WIDTH>>,
    /// Slots of the queue, as the power of two.
    pub slots: Signal<In, Bits<SLOTS_WIDTH>>,
    /// Words of the queue's slot, as the power of two; one of them is in front of the message.
    pub slot_words: Signal<In, Bits<SLOT_WORDS_WIDTH>>,
    /// Place of the word in front of the message, from the base; with the top bit set, beyond all windows.
    pub place: Signal<Out, Bits<PLACE_WIDTH>>,
    slot: Signal<Local, Bits<MESSAGES_WIDTH>>,
    wide: Signal<Local, Bits<32>>,
    above: Signal<Local, Bits<ABOVE_WIDTH>>,
}

#[kernel]
impl Logic for QueuePlace {
    fn update(&mut self) {
        self.slot.next = self.number.val() & !(!bits::<MESSAGES_WIDTH>(0) << self.slots.val());
        self.wide.next = bit_cast::<32, MESSAGES_WIDTH>(self.slot.val()) << self.slot_words.val();
        self.above.next = self.wide.val().get_bits::<ABOVE_WIDTH>(PLACE_WIDTH - 1);
        self.place.next = bit_cast::<PLACE_WIDTH, 32>(self.wide.val());
        if self.above.val().any() {
            self.place.next =
                bit_cast::<PLACE_WIDTH, 32>(self.wide.val()) | bits::<PLACE_WIDTH>(1 << (PLACE_WIDTH - 1));
        }
    }
}

/// Puts the word in front of a message together.
#[derive(LogicBlock, Default)]
pub struct FrontEncoder {
    /// Words of payload.
    pub words: Signal<In, Bits<MESSAGE_WORDS_WIDTH>>,
    /// Node of the sender.
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    /// The sender's handle of the queue, to which its credit returns.
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    /// The word in front of the message.
    pub word: Signal<Out, Bits<32>>,
}

#[kernel]
impl Logic for FrontEncoder {
    fn update(&mut self) {
        self.word.next = field::<32, MESSAGE_WORDS_WIDTH>(self.words.val(), MESSAGE_WORDS_OFFSET)
            | field::<32, NODE_WIDTH>(self.source.val(), MESSAGE_SOURCE_OFFSET)
            | field::<32, HANDLE_WIDTH>(self.handle.val(), MESSAGE_HANDLE_OFFSET);
    }
}

/// Takes out of the word in front of a message to whom its place goes back.
#[derive(LogicBlock, Default)]
pub struct FrontDecoder {
    /// The word in front of the message.
    pub word: Signal<In, Bits<32>>,
    /// Node of the sender.
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    /// The sender's handle of the queue, to which its credit returns.
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
}

#[kernel]
impl Logic for FrontDecoder {
    fn update(&mut self) {
        self.source.next = self.word.val().get_bits::<NODE_WIDTH>(MESSAGE_SOURCE_OFFSET);
        self.handle.next = self.word.val().get_bits::<HANDLE_WIDTH>(MESSAGE_HANDLE_OFFSET);
    }
}
