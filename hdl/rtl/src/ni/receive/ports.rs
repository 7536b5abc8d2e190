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
    pub tag: Signal<Out, Bits<TAG_WIDTH>>,
    pub base: Signal<Out, Bit>,
    pub size: Signal<Out, Bit>,
    pub control: Signal<Out, Bit>,
    pub pointer: Signal<Out, Bit>,
    pub geometry: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    pub released: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<32>>,
}

/// What software has set up for a tag.
#[interface(mirror = WindowIn)]
pub struct WindowOut {
    pub base: Signal<Out, Bits<PLACE_WIDTH>>,
    pub size: Signal<Out, Bits<PLACE_WIDTH>>,
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    pub event_enable: Signal<Out, Bit>,
    pub event_number: Signal<Out, Bits<EVENT_WIDTH>>,
    pub slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    pub slots: Signal<Out, Bits<SLOTS_WIDTH>>,
}

/// How far a tag has come.
#[interface]
pub struct StateOut {
    /// Place of the next word, from the base; in a queue the messages ever written, in the low bits.
    pub position: Signal<Out, Bits<PLACE_WIDTH>>,
    /// Words of the row in front of it.
    pub done: Signal<Out, Bits<ROW_WIDTH>>,
    /// See [`super::Walk`].
    pub row_last: Signal<Out, Bits<ROW_WIDTH>>,
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
    pub valid: Signal<Out, Bit>,
    pub destination: Signal<Out, Bits<NODE_WIDTH>>,
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// ACK, REFUSE or VALUE.
    pub kind: Signal<Out, Bits<KIND_WIDTH>>,
    /// The transaction is over.
    pub last: Signal<Out, Bit>,
    /// Error code or value.
    pub value: Signal<Out, Bits<64>>,
    pub ready: Signal<In, Bit>,
}

/// The release of messages at the tables: it reads the row of a tag, then writes how many messages are released.
#[interface(mirror = ReleasePortOut)]
pub struct ReleasePortIn {
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Asks for the row; it is there in the cycle after `reads`.
    pub read: Signal<In, Bit>,
    pub reads: Signal<Out, Bit>,
    pub base: Signal<Out, Bits<PLACE_WIDTH>>,
    pub mode: Signal<Out, Bits<MODE_WIDTH>>,
    pub slot_words: Signal<Out, Bits<SLOT_WORDS_WIDTH>>,
    pub slots: Signal<Out, Bits<SLOTS_WIDTH>>,
    pub written: Signal<Out, Bits<MESSAGES_WIDTH>>,
    pub released: Signal<Out, Bits<MESSAGES_WIDTH>>,
    /// Asks for a write; it is done with `writes`.
    pub write: Signal<In, Bit>,
    pub writes: Signal<Out, Bit>,
    pub next_released: Signal<In, Bits<MESSAGES_WIDTH>>,
}
