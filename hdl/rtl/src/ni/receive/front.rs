//! The word in front of a message in a queue, put together and taken apart.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        segment::HANDLE_WIDTH,
        window::{MESSAGE_HANDLE_OFFSET, MESSAGE_SOURCE_OFFSET, MESSAGE_WORDS_OFFSET, MESSAGE_WORDS_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// Puts the word in front of a message together.
#[derive(LogicBlock, Default)]
pub struct FrontEncoder {
    /// Words of payload.
    pub words: Signal<In, Bits<MESSAGE_WORDS_WIDTH>>,
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    pub word: Signal<Out, Bits<32>>,
}

#[kernel]
impl Logic for FrontEncoder {
    fn update(&mut self) {
        self.word.next = (bit_cast::<32, MESSAGE_WORDS_WIDTH>(self.words.val()) << bits::<5>(MESSAGE_WORDS_OFFSET))
            | (bit_cast::<32, NODE_WIDTH>(self.source.val()) << bits::<5>(MESSAGE_SOURCE_OFFSET))
            | (bit_cast::<32, HANDLE_WIDTH>(self.handle.val()) << bits::<5>(MESSAGE_HANDLE_OFFSET));
    }
}

/// Takes out of the word in front of a message to whom its place goes back.
#[derive(LogicBlock, Default)]
pub struct FrontDecoder {
    pub word: Signal<In, Bits<32>>,
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
}

#[kernel]
impl Logic for FrontDecoder {
    fn update(&mut self) {
        self.source.next = self.word.val().get_bits::<NODE_WIDTH>(MESSAGE_SOURCE_OFFSET);
        self.handle.next = self.word.val().get_bits::<HANDLE_WIDTH>(MESSAGE_HANDLE_OFFSET);
    }
}
