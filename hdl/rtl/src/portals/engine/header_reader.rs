use super::{ContextWriteOut, Request, CONTEXT_WIDTH, EVENT_INDEX_WIDTH};
use crate::prim::StreamIn;
use portico_spec::portals::engine::{
    ACK_OFFSET, ACK_WIDTH, GET_HEADER_WORDS, LENGTH_WIDTH, OPERATION_OFFSET, OPERATION_WIDTH, PORTAL_OFFSET,
    PORTAL_WIDTH, PUT_HEADER_WORDS, SLOT_OFFSET, SLOT_WIDTH, USER_OFFSET, USER_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of the place of a word in a header.
const PLACE_IN_HEADER: usize = 3;
/// Place of the requested length in an event.
const LENGTH_INDEX: u64 = 3;
/// How much further most words are in an event than in a header, in words.
const SHIFT: u64 = 3;

/// Reads the header of a request: keeps its fields, and writes its words to the event of the message.
///
/// | | |
/// | --- | --- |
/// | latency | combinational to the event and for the high half of `match_bits`; all else shows 1 cycle after its word |
/// | throughput | one word a cycle |
/// | state | the header, the place of the next word |
#[derive(LogicBlock, Default)]
pub struct HeaderReader {
    pub clk: Signal<In, Clock>,
    /// No packet is in hand: the next word is the first.
    pub rests: Signal<In, Bit>,
    /// Words are those of a header.
    pub reads: Signal<In, Bit>,
    /// No word of its event can be written: only word 0 is read.
    pub waits: Signal<In, Bit>,
    /// Where the words of its event are.
    pub home: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Words of the packet; `tlast` with its last word.
    pub words: StreamIn<32>,
    /// Words of the event.
    pub context: ContextWriteOut,
    /// The request, as far as it is read.
    pub request: Signal<Out, Request>,
    /// Match bits, as far as they are read.
    pub match_bits: Signal<Out, Bits<64>>,
    /// Header data, as far as they are read; of a get without meaning.
    pub data: Signal<Out, Bits<64>>,
    /// High for a cycle: `request` and `match_bits` have all that a search needs.
    pub asks: Signal<Out, Bit>,
    /// High for a cycle: the header has ended.
    pub ends: Signal<Out, Bit>,
    /// The header lacks words; valid with `ends`.
    pub lacks: Signal<Out, Bit>,
    place: DFF<Bits<PLACE_IN_HEADER>>,
    fields: DFF<Request>,
    match_low: DFF<Bits<32>>,
    match_high: DFF<Bits<32>>,
    data_low: DFF<Bits<32>>,
    data_high: DFF<Bits<32>>,
    may: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    high: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for HeaderReader {
    fn update(&mut self) {
        dff_setup!(self, clk, place, fields, match_low, match_high, data_low, data_high);
        self.may.next = self.reads.val() & (!self.waits.val() | !self.place.q.val().any());
        self.words.tready.next = self.may.val();
        self.takes.next = self.may.val() & self.words.tvalid.val();
        // Word 0 is not in the event. It has the words from word 2 on three places further, and of word 1 the length alone.
        self.context.enable.next = self.takes.val() & (self.place.q.val() != 0);
        self.context.context.next = self.home.val();
        self.context.index.next =
            bit_cast::<EVENT_INDEX_WIDTH, PLACE_IN_HEADER>(self.place.q.val()) + bits::<EVENT_INDEX_WIDTH>(SHIFT);
        self.context.word.next = self.words.tdata.val();
        self.high.next = self.match_high.q.val();
        if self.place.q.val() == 0 {
            if self.takes.val() {
                self.fields.d.next.operation = self.words.tdata.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
                self.fields.d.next.ack = self.words.tdata.val().get_bits::<ACK_WIDTH>(ACK_OFFSET);
                self.fields.d.next.portal = self.words.tdata.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET);
                self.fields.d.next.slot = self.words.tdata.val().get_bits::<SLOT_WIDTH>(SLOT_OFFSET);
            }
        } else if self.place.q.val() == 1 {
            self.context.index.next = bits::<EVENT_INDEX_WIDTH>(LENGTH_INDEX);
            self.context.word.next = bit_cast::<32, LENGTH_WIDTH>(self.words.tdata.val().get_bits::<LENGTH_WIDTH>(0));
            if self.takes.val() {
                self.fields.d.next.length = self.words.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                self.fields.d.next.user = self.words.tdata.val().get_bits::<USER_WIDTH>(USER_OFFSET);
            }
        } else if self.place.q.val() == 2 {
            if self.takes.val() {
                self.fields.d.next.offset = self.words.tdata.val();
            }
        } else if self.place.q.val() == 3 {
            if self.takes.val() {
                self.match_low.d.next = self.words.tdata.val();
            }
        } else if self.place.q.val() == 4 {
            self.high.next = self.words.tdata.val();
            if self.takes.val() {
                self.match_high.d.next = self.words.tdata.val();
            }
        } else if self.place.q.val() == 5 {
            if self.takes.val() {
                self.data_low.d.next = self.words.tdata.val();
            }
        } else if self.takes.val() {
            self.data_high.d.next = self.words.tdata.val();
        }
        self.asks.next =
            self.takes.val() & (self.place.q.val() == bits::<PLACE_IN_HEADER>(GET_HEADER_WORDS as u64 - 1));
        self.ends.next = self.takes.val()
            & (self.words.tlast.val() | (self.place.q.val() == bits::<PLACE_IN_HEADER>(PUT_HEADER_WORDS as u64 - 1)));
        self.lacks.next = self.place.q.val() < bits::<PLACE_IN_HEADER>(GET_HEADER_WORDS as u64 - 1);
        self.request.next = self.fields.q.val();
        self.match_bits.next = bit_cast::<64, 32>(self.match_low.q.val()) | field::<64, 32>(self.high.val(), 32);
        self.data.next = bit_cast::<64, 32>(self.data_low.q.val()) | field::<64, 32>(self.data_high.q.val(), 32);
        if self.takes.val() {
            self.place.d.next = self.place.q.val() + 1;
        }
        if self.rests.val() {
            self.place.d.next = 0.into();
        }
    }
}
