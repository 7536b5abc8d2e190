//! Interfaces inside the receiver.

use super::PLACE_WIDTH;
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        event::EVENT_WIDTH,
        packet::{ERROR_WIDTH, ROW_WIDTH, SLOT_WIDTH},
        window::{ENDS_WIDTH, MESSAGES_WIDTH, MODE_WIDTH, SLOTS_WIDTH, SLOT_WORDS_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// A change of what is known of a tag, as its source sees it: by software, or by the initialisation.
#[interface(mirror = UpdateIn)]
pub struct UpdateOut {
    /// A change waits, or is written in this cycle.
    pub busy: Signal<Out, Bit>,
    /// All fields are, with what they are after reset: `data` is 0, and the system window opens.
    pub clearing: Signal<Out, Bit>,
    /// Row that changes; valid with `busy`.
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    /// High in the cycle in which the row's base is written, from `data`.
    pub base: Signal<Out, Bit>,
    /// High in the cycle in which the row's size is written, from `data`.
    pub size: Signal<Out, Bit>,
    /// High in the cycle in which mode, event and shape of the queue are written, from `data`.
    pub control: Signal<Out, Bit>,
    /// High in the cycle in which `data` is written as the place of the next word, where a row begins.
    pub pointer: Signal<Out, Bit>,
    /// High in the cycle in which the shape of rows is written, from `data` as a GEOMETRY word.
    pub geometry: Signal<Out, Bit>,
    /// High in the cycle in which the count of ends of transfers and the fault are cleared, whatever `data` is.
    pub ends: Signal<Out, Bit>,
    /// High in the cycle in which the count of released messages is written, from `data`.
    pub released: Signal<Out, Bit>,
    /// Word that software writes; valid with `busy`.
    pub data: Signal<Out, Bits<32>>,
}

/// What software has set up for a tag.
#[interface(mirror = WindowIn)]
pub struct WindowOut {
    /// First word of the window, as an address in words.
    pub base: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the window.
    pub size: Signal<Out, Bits<PLACE_WIDTH>>,
    /// What the window takes: nothing, puts and atomics, streams, or messages.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    /// Ends of transfers and messages count in the event `event_number`.
    pub event_enable: Signal<Out, Bit>,
    /// Number of the event for ends of transfers and messages; it counts only with `event_enable`.
    pub event_number: Signal<Out, Bits<EVENT_WIDTH>>,
    /// Words of a queue's slot, as the power of two; one of them is in front of the message.
    pub slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    /// Slots of a queue, as the power of two.
    pub slots: Signal<Out, Bits<SLOTS_WIDTH>>,
}

/// How far a tag has come.
#[interface]
pub struct StateOut {
    /// Place of the next word, from the base; in a queue the messages ever written, in the low bits.
    pub position: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of it.
    pub done: Signal<Out, Bits<ROW_WIDTH>>,
    /// Number of the last word of a row, from 0. See [`super::Walk`].
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
    /// Words from the last word of a row to the next row; 1 where there are no rows. See [`super::Walk`].
    pub gap: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Ends of transfers.
    pub ends: Signal<Out, Bits<ENDS_WIDTH>>,
    /// Why a word of a stream was refused since its last end of transfer; 0 if none was.
    pub fault: Signal<Out, Bits<ERROR_WIDTH>>,
    /// Messages ever released.
    pub released: Signal<Out, Bits<MESSAGES_WIDTH>>,
}

/// An answer to the initiator, as the block that gives it sees it.
#[interface(mirror = AnswerIn)]
pub struct AnswerOut {
    /// There is an answer.
    pub valid: Signal<Out, Bit>,
    /// Node of the initiator, to which the answer goes.
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    /// Transaction slot of the initiator.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// ACK, REFUSE or VALUE.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// The transaction is over.
    pub last: Signal<Out, Bit>,
    /// Error code or value.
    pub value: Signal<Out, Bits<64>>,
    /// There is room for an answer; with `valid`, it is taken in this cycle.
    pub ready: Signal<In, Bit>,
}

/// The release of messages at the tables: it reads the row of a tag, then writes how many messages are released.
#[interface(mirror = ReleasePortOut)]
pub struct ReleasePortIn {
    /// Tag of the queue whose row is read or written.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Asks for the row; it is there in the cycle after `reads`.
    pub read: Signal<In, Bit>,
    /// The row is read in this cycle.
    pub reads: Signal<Out, Bit>,
    /// A packet wrote in the cycle of the read: the row is to be read again.
    pub torn: Signal<Out, Bit>,
    /// First word of the queue, as an address in words.
    pub base: Signal<Out, Bits<PLACE_WIDTH>>,
    /// What the window takes; messages are released only of a queue.
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    /// Words of the queue's slot, as the power of two.
    pub slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    /// Slots of the queue, as the power of two.
    pub slots: Signal<Out, Bits<SLOTS_WIDTH>>,
    /// Messages ever written to the queue.
    pub written: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Messages ever released, as the row has it.
    pub released: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Asks for a write; it is done with `writes`.
    pub write: Signal<In, Bit>,
    /// The row is written in this cycle.
    pub writes: Signal<Out, Bit>,
    /// Messages ever released, as it is written.
    pub next_released: Signal<In, Bits<MESSAGES_WIDTH>>,
}
