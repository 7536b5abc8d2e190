use super::{ContextWriteOut, ListField, Request, CONTEXT_WIDTH, EVENT_INDEX_WIDTH};
use crate::prim::StreamIn;
use portico_spec::portals::engine::{
    ACK_OFFSET, ACK_WIDTH, GET_HEADER_WORDS, LENGTH_WIDTH, OPERATION_OFFSET, OPERATION_WIDTH, PORTAL_OFFSET,
    PORTAL_WIDTH, PUT_HEADER_WORDS, RANK_WIDTH, SLOT_OFFSET, SLOT_WIDTH, SOURCE_RANK_WIDTH, USER_OFFSET, USER_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of the place of a word in a header.
const PLACE_IN_HEADER: usize = 3;
/// How much further the header data are in an event than in a header, in words.
const DATA_SHIFT: u64 = 3;

/// Reads the header of a request: each word goes where it is needed, to the lists, to the event, to the check.
///
/// | | |
/// | --- | --- |
/// | latency | combinational to lists, tables and event; a field of the request shows 1 cycle after its word |
/// | throughput | one word a cycle |
/// | state | the fields of the request, the place of the next word |
#[derive(LogicBlock, Default)]
pub struct HeaderReader {
    pub clk: Signal<In, Clock>,
    /// No packet is in hand: the next word is the first.
    pub rests: Signal<In, Bit>,
    /// Words are those of a header.
    pub reads: Signal<In, Bit>,
    /// Rank of the initiator.
    pub rank: Signal<In, Bits<RANK_WIDTH>>,
    /// Where the words of its event are.
    pub home: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Words of the packet; `tlast` with its last word.
    pub words: StreamIn<32>,
    /// A word goes to a field of the request to the lists.
    pub write: Signal<Out, Bit>,
    /// Which field; valid with `write`.
    pub field: Signal<Out, ListField>,
    /// The word; valid with `write`.
    pub word: Signal<Out, Bits<32>>,
    /// High for a cycle: row and counts of `portal` are read.
    pub portal_read: Signal<Out, Bit>,
    /// Portal index of the request; valid with `portal_read`.
    pub portal: Signal<Out, Bits<PORTAL_WIDTH>>,
    /// Words of the event.
    pub context: ContextWriteOut,
    /// The request, as far as it is read.
    pub request: Signal<Out, Request>,
    /// High for a cycle: the lists have all fields in the next one.
    pub asks: Signal<Out, Bit>,
    /// High for a cycle: the header has ended.
    pub ends: Signal<Out, Bit>,
    /// The header lacks words; valid with `ends`.
    pub lacks: Signal<Out, Bit>,
    place: DFF<Bits<PLACE_IN_HEADER>>,
    fields: DFF<Request>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for HeaderReader {
    fn update(&mut self) {
        dff_setup!(self, clk, place, fields);
        self.words.tready.next = self.reads.val();
        self.takes.next = self.reads.val() & self.words.tvalid.val();
        self.write.next = self.takes.val();
        self.field.next = ListField::Source;
        self.word.next = self.words.tdata.val();
        self.portal.next = self.words.tdata.val().get_bits::<PORTAL_WIDTH>(PORTAL_OFFSET);
        self.portal_read.next = self.takes.val() & (self.place.q.val() == 0);
        self.context.enable.next = self.takes.val() & (self.place.q.val() != 0);
        self.context.context.next = self.home.val();
        self.context.index.next = 0.into();
        self.asks.next = false;
        if self.place.q.val() == 0 {
            self.word.next = bit_cast::<32, RANK_WIDTH>(self.rank.val())
                | field::<32, PORTAL_WIDTH>(self.portal.val(), SOURCE_RANK_WIDTH);
            if self.takes.val() {
                self.fields.d.next.operation = self.words.tdata.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
                self.fields.d.next.ack = self.words.tdata.val().get_bits::<ACK_WIDTH>(ACK_OFFSET);
                self.fields.d.next.portal = self.portal.val();
                self.fields.d.next.slot = self.words.tdata.val().get_bits::<SLOT_WIDTH>(SLOT_OFFSET);
            }
        } else if self.place.q.val() == 1 {
            self.field.next = ListField::Length;
            self.word.next = bit_cast::<32, LENGTH_WIDTH>(self.words.tdata.val().get_bits::<LENGTH_WIDTH>(0));
            self.context.index.next = 3.into();
            if self.takes.val() {
                self.fields.d.next.length = self.words.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                self.fields.d.next.user = self.words.tdata.val().get_bits::<USER_WIDTH>(USER_OFFSET);
            }
        } else if self.place.q.val() == 2 {
            self.field.next = ListField::Offset;
            self.context.index.next = 5.into();
            if self.takes.val() {
                self.fields.d.next.offset = self.words.tdata.val();
            }
        } else if self.place.q.val() == 3 {
            self.field.next = ListField::MatchLow;
            self.context.index.next = 6.into();
        } else if self.place.q.val() == 4 {
            self.field.next = ListField::MatchHigh;
            self.context.index.next = 7.into();
            self.asks.next = self.takes.val();
        } else {
            // The header data: a message needs no ignore bits, and its header keeps them there.
            self.field.next = ListField::IgnoreLow;
            if self.place.q.val() == 6 {
                self.field.next = ListField::IgnoreHigh;
            }
            self.context.index.next = bit_cast::<EVENT_INDEX_WIDTH, PLACE_IN_HEADER>(self.place.q.val())
                + bits::<EVENT_INDEX_WIDTH>(DATA_SHIFT);
        }
        self.context.word.next = self.word.val();
        self.ends.next = self.takes.val()
            & (self.words.tlast.val() | (self.place.q.val() == bits::<PLACE_IN_HEADER>(PUT_HEADER_WORDS as u64 - 1)));
        self.lacks.next = self.place.q.val() < bits::<PLACE_IN_HEADER>(GET_HEADER_WORDS as u64 - 1);
        self.request.next = self.fields.q.val();
        if self.takes.val() {
            self.place.d.next = self.place.q.val() + 1;
        }
        if self.rests.val() {
            self.place.d.next = 0.into();
        }
    }
}
