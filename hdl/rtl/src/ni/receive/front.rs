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
use rust_hdl::prelude::*;

/// Puts the word in front of a message together.
#[derive(LogicBlock)]
pub struct FrontEncoder {
    /// Words of payload.
    pub words: Signal<In, Bits<MESSAGE_WORDS_WIDTH>>,
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    pub word: Signal<Out, Bits<32>>,
    words_at: Constant<Bits<5>>,
    source_at: Constant<Bits<5>>,
    handle_at: Constant<Bits<5>>,
}

impl Default for FrontEncoder {
    fn default() -> Self {
        Self {
            words: Default::default(),
            source: Default::default(),
            handle: Default::default(),
            word: Default::default(),
            words_at: Constant::new(bits(MESSAGE_WORDS_OFFSET as u64)),
            source_at: Constant::new(bits(MESSAGE_SOURCE_OFFSET as u64)),
            handle_at: Constant::new(bits(MESSAGE_HANDLE_OFFSET as u64)),
        }
    }
}

impl Logic for FrontEncoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.word.next = (bit_cast::<32, MESSAGE_WORDS_WIDTH>(self.words.val()) << self.words_at.val())
            | (bit_cast::<32, NODE_WIDTH>(self.source.val()) << self.source_at.val())
            | (bit_cast::<32, HANDLE_WIDTH>(self.handle.val()) << self.handle_at.val());
    }
}

/// Takes out of the word in front of a message to whom its place goes back.
#[derive(LogicBlock)]
pub struct FrontDecoder {
    pub word: Signal<In, Bits<32>>,
    pub source: Signal<Out, Bits<NODE_WIDTH>>,
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    source_at: Constant<Bits<5>>,
    handle_at: Constant<Bits<5>>,
}

impl Default for FrontDecoder {
    fn default() -> Self {
        Self {
            word: Default::default(),
            source: Default::default(),
            handle: Default::default(),
            source_at: Constant::new(bits(MESSAGE_SOURCE_OFFSET as u64)),
            handle_at: Constant::new(bits(MESSAGE_HANDLE_OFFSET as u64)),
        }
    }
}

impl Logic for FrontDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.source.next = self.word.val().get_bits::<NODE_WIDTH>(self.source_at.val().index());
        self.handle.next = self.word.val().get_bits::<HANDLE_WIDTH>(self.handle_at.val().index());
    }
}
