//! What does not change of a job, as the words of the context memory that keep it.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use crate::dma::ports::Job;
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        command::SHAPER_WIDTH,
        event::EVENT_WIDTH,
        packet::{OFFSET_WIDTH, OPERATION_WIDTH, SLOT_WIDTH},
        segment::HANDLE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Words of a job.
pub const JOB_WORDS: usize = 4;

/// Word 0 describes the heads of the packets.
const TAG_AT: usize = NODE_WIDTH;
const KIND_AT: usize = TAG_AT + TAG_WIDTH;
const OPERATION_AT: usize = KIND_AT + KIND_WIDTH;
const SHAPER_AT: usize = OPERATION_AT + OPERATION_WIDTH;
const CONTROL_AT: usize = SHAPER_AT + SHAPER_WIDTH;
const BARE_AT: usize = CONTROL_AT + 1;
const HAS_SLOT_AT: usize = BARE_AT + 1;
const WIDE_AT: usize = HAS_SLOT_AT + 1;
const HALF_AT: usize = WIDE_AT + 1;
const QUIET_AT: usize = HALF_AT + 1;
/// Words 1 to 3 have a size or address, and a number above it.
const NUMBER_AT: usize = OFFSET_WIDTH;

/// What the instructions of a context need of its job.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Transfer {
    pub control: Bit,
    pub bare: Bit,
    pub has_slot: Bit,
    pub wide: Bit,
    pub half: Bit,
    pub quiet: Bit,
    pub destination: Bits<NODE_WIDTH>,
    pub tag: Bits<TAG_WIDTH>,
    pub kind: Bits<KIND_WIDTH>,
    pub size: Bits<OFFSET_WIDTH>,
    pub slot: Bits<SLOT_WIDTH>,
    pub operation: Bits<OPERATION_WIDTH>,
    pub shaper: Bits<SHAPER_WIDTH>,
    pub segment: Bits<HANDLE_WIDTH>,
    pub own_event: Bits<EVENT_WIDTH>,
    pub base: Bits<OFFSET_WIDTH>,
    pub limit: Bits<OFFSET_WIDTH>,
}

/// Gives one of the words of a job.
#[derive(LogicBlock, Default)]
pub struct JobEncoder {
    /// Job of the context that begins.
    pub job: Signal<In, Job>,
    /// Number of the word to give: 0 describes the heads, 1 to 3 have an address or a size, and a number.
    pub number: Signal<In, Bits<2>>,
    /// Word `number` of the job, for the context memory.
    pub word: Signal<Out, Bits<32>>,
    heads: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for JobEncoder {
    fn update(&mut self) {
        self.heads.next = bit_cast::<32, NODE_WIDTH>(self.job.val().destination)
            | field::<32, TAG_WIDTH>(self.job.val().tag, TAG_AT)
            | field::<32, KIND_WIDTH>(self.job.val().kind, KIND_AT)
            | field::<32, OPERATION_WIDTH>(self.job.val().operation, OPERATION_AT)
            | field::<32, SHAPER_WIDTH>(self.job.val().shaper, SHAPER_AT);
        self.word.next = self
            .heads
            .val()
            .replace_bit(CONTROL_AT, self.job.val().control)
            .replace_bit(BARE_AT, self.job.val().bare)
            .replace_bit(HAS_SLOT_AT, self.job.val().has_slot)
            .replace_bit(WIDE_AT, self.job.val().wide)
            .replace_bit(HALF_AT, self.job.val().half)
            .replace_bit(QUIET_AT, self.job.val().quiet);
        if self.number.val() == 1 {
            self.word.next = bit_cast::<32, OFFSET_WIDTH>(self.job.val().size)
                | field::<32, HANDLE_WIDTH>(self.job.val().segment, NUMBER_AT);
        }
        if self.number.val() == 2 {
            self.word.next = bit_cast::<32, OFFSET_WIDTH>(self.job.val().base)
                | field::<32, EVENT_WIDTH>(self.job.val().event, NUMBER_AT);
        }
        if self.number.val() == 3 {
            self.word.next = bit_cast::<32, OFFSET_WIDTH>(self.job.val().limit)
                | field::<32, SLOT_WIDTH>(self.job.val().slot, NUMBER_AT);
        }
    }
}

/// Puts the words together again.
#[derive(LogicBlock, Default)]
pub struct JobDecoder {
    /// The words of the job, as the context memory has kept them.
    pub word: [Signal<In, Bits<32>>; JOB_WORDS],
    /// What the instructions need of the job, as fields.
    pub transfer: Signal<Out, Transfer>,
}

#[kernel]
impl Logic for JobDecoder {
    fn update(&mut self) {
        self.transfer.next.destination = self.word[0].val().get_bits::<NODE_WIDTH>(0);
        self.transfer.next.tag = self.word[0].val().get_bits::<TAG_WIDTH>(TAG_AT);
        self.transfer.next.kind = self.word[0].val().get_bits::<KIND_WIDTH>(KIND_AT);
        self.transfer.next.operation = self.word[0].val().get_bits::<OPERATION_WIDTH>(OPERATION_AT);
        self.transfer.next.shaper = self.word[0].val().get_bits::<SHAPER_WIDTH>(SHAPER_AT);
        self.transfer.next.control = self.word[0].val().get_bit(CONTROL_AT);
        self.transfer.next.bare = self.word[0].val().get_bit(BARE_AT);
        self.transfer.next.has_slot = self.word[0].val().get_bit(HAS_SLOT_AT);
        self.transfer.next.wide = self.word[0].val().get_bit(WIDE_AT);
        self.transfer.next.half = self.word[0].val().get_bit(HALF_AT);
        self.transfer.next.quiet = self.word[0].val().get_bit(QUIET_AT);
        self.transfer.next.size = self.word[1].val().get_bits::<OFFSET_WIDTH>(0);
        self.transfer.next.segment = self.word[1].val().get_bits::<HANDLE_WIDTH>(NUMBER_AT);
        self.transfer.next.base = self.word[2].val().get_bits::<OFFSET_WIDTH>(0);
        self.transfer.next.own_event = self.word[2].val().get_bits::<EVENT_WIDTH>(NUMBER_AT);
        self.transfer.next.limit = self.word[3].val().get_bits::<OFFSET_WIDTH>(0);
        self.transfer.next.slot = self.word[3].val().get_bits::<SLOT_WIDTH>(NUMBER_AT);
    }
}

// The words hold their fields.
const _: () = assert!(QUIET_AT < 32 && NUMBER_AT + HANDLE_WIDTH <= 32);
