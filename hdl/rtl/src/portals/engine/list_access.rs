use super::{
    HeaderWords, ListEntry, ListField, ListFields, ListJobIn, ListOperation, ListSearchIn, EVENT_INDEX_WIDTH,
    PLACE_WIDTH,
};
use crate::portals::list_manager::{ListCore, ListParameters};
use portico_spec::portals::{
    engine::{self, PORTAL_WIDTH},
    list::{
        self, List, Status, CODE_WIDTH, DETAIL_OPTIONS_OFFSET, DETAIL_SOURCE_OFFSET, LENGTH_OFFSET, LENGTH_WIDTH,
        LIST_WIDTH, OFFSET_OFFSET, OPTIONS_WIDTH, POINTER_WIDTH, PORTAL_OFFSET, SOURCE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Width of match and ignore bits.
const WORD: usize = 64;
/// Width of the number of a list that exists.
const LIST_BITS: usize = 2;

/// The lists, for the users that the engine has: a request is put together word by word.
///
/// | | |
/// | --- | --- |
/// | latency | a word, or the fields of a search, count from the next cycle on; a request takes the cycles of [`ListCore`] |
/// | throughput | one request at a time |
/// | state | the lists, and [`ListFields`] |
#[derive(LogicBlock, Default)]
pub struct ListAccess {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all lists are empty.
    pub rst: Signal<In, Bit>,
    /// Tables are cleared or renumbered: no request may come.
    pub busy: Signal<Out, Bit>,
    /// No request is there or on its way.
    pub quiet: Signal<In, Bit>,
    /// The user of commands has its turn, not that of messages.
    pub turn: Signal<In, Bit>,
    /// Requests for messages.
    pub message: ListJobIn,
    /// Fields of their searches.
    pub search: ListSearchIn,
    /// Requests for commands.
    pub command: ListJobIn,
    /// Delivered length of the header that the lists show, in bytes.
    pub delivered: Signal<In, Bits<{ engine::LENGTH_WIDTH }>>,
    /// It is of a get.
    pub get: Signal<In, Bit>,
    /// Place of a word of its event.
    pub header_index: Signal<In, Bits<EVENT_INDEX_WIDTH>>,
    /// The word whose place was `header_index` in the cycle before.
    pub header_word: Signal<Out, Bits<32>>,
    lists: ListCore<PLACE_WIDTH>,
    fields: ListFields,
    words: HeaderWords,
    /// The entry of the last answer is the first of its place.
    fresh: DFF<Bit>,
    /// No place is free.
    taken: DFF<Bit>,
    write: Signal<Local, Bit>,
    field: Signal<Local, ListField>,
    word: Signal<Local, Bits<32>>,
    valid: Signal<Local, Bit>,
    operation: Signal<Local, ListOperation>,
    named: Signal<Local, Bits<LIST_BITS>>,
    resolves: Signal<Local, Bit>,
    removes: Signal<Local, Bit>,
    detaches: Signal<Local, Bit>,
    mirrored: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    shown: Signal<Local, ListEntry>,
    extent: Signal<Local, Bits<WORD>>,
    detail: Signal<Local, Bits<WORD>>,
}

impl ListAccess {
    /// Lists of these parameters.
    pub fn new(parameters: &ListParameters) -> Self {
        Self {
            lists: ListCore::new(parameters),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ListAccess {
    fn update(&mut self) {
        wire!(self => lists: clk, rst, quiet);
        wire!(self => words: clk, delivered, get);
        wire!(self => fields: clk, turn);
        dff_setup!(self, clk, fresh, taken);
        self.busy.next = self.lists.busy.val();

        // The user that has its turn.
        self.write.next = self.message.write.val();
        self.field.next = self.message.field.val();
        self.word.next = self.message.word.val();
        self.valid.next = self.message.valid.val();
        self.operation.next = self.message.operation.val();
        if self.turn.val() {
            self.write.next = self.command.write.val();
            self.field.next = self.command.field.val();
            self.word.next = self.command.word.val();
            self.valid.next = self.command.valid.val();
            self.operation.next = self.command.operation.val();
        }

        wire!(self => fields: write, field, word);
        wire!(self.search <=> fields.search);

        // The request.
        self.resolves.next = self.operation.val() == ListOperation::Resolve;
        self.removes.next = self.message.removes.val() & self.resolves.val();
        if self.turn.val() {
            self.removes.next = self.command.removes.val() & self.resolves.val();
        }
        self.detaches.next = self.message.detaches.val() & self.resolves.val() & !self.turn.val();
        self.mirrored.next = (self.operation.val() == ListOperation::AppendPriority)
            | (self.operation.val() == ListOperation::Consume)
            | (self.operation.val() == ListOperation::Probe);
        self.named.next = bits::<LIST_BITS>(List::All as u64);
        if self.operation.val() == ListOperation::AppendPriority {
            self.named.next = bits::<LIST_BITS>(List::Priority as u64);
        }
        if self.operation.val() == ListOperation::AppendOverflow {
            self.named.next = bits::<LIST_BITS>(List::Overflow as u64);
        }
        if (self.operation.val() == ListOperation::Consume) | (self.operation.val() == ListOperation::Probe) {
            self.named.next = bits::<LIST_BITS>(List::Unexpected as u64);
        }
        self.lists.request.valid.next = self.valid.val();
        self.lists.request.plan.refused.next = false;
        self.lists.request.plan.refusal.next = bits::<CODE_WIDTH>(0);
        self.lists.request.plan.appends.next = self.operation.val() == ListOperation::AppendOverflow;
        self.lists.request.plan.takes_handle.next = (self.operation.val() == ListOperation::Show)
            | (self.operation.val() == ListOperation::Delete)
            | (self.operation.val() == ListOperation::Release);
        self.lists.request.plan.status.next = false;
        self.lists.request.plan.mirrored.next = self.mirrored.val();
        self.lists.request.plan.all_matches.next =
            (self.operation.val() == ListOperation::Probe) & !self.fields.options.val().get_bit(list::USE_ONCE);
        self.lists.request.plan.both.next = !self.mirrored.val();
        self.lists.request.plan.then_appends.next = self.operation.val() == ListOperation::AppendPriority;
        self.lists.request.plan.delivers.next = false;
        self.lists.request.plan.removes.next = (self.operation.val() == ListOperation::Delete)
            | (self.operation.val() == ListOperation::Release)
            | self.removes.val()
            | self.detaches.val();
        self.lists.request.plan.sets_offset.next = self.resolves.val() & self.message.advances.val() & !self.turn.val();
        self.lists.request.plan.holds.next = (self.operation.val() == ListOperation::Search)
            | (self.operation.val() == ListOperation::AppendPriority)
            | (self.operation.val() == ListOperation::Consume);
        self.lists.request.plan.resolves.next = self.resolves.val();
        self.lists.request.plan.detaches.next = self.resolves.val() & !self.removes.val();
        self.lists.request.plan.leaves_header.next =
            self.resolves.val() & self.message.leaves_header.val() & !self.turn.val();
        self.lists.request.plan.releases.next = self.operation.val() == ListOperation::Release;
        self.lists.request.list.next = bit_cast::<LIST_WIDTH, LIST_BITS>(self.named.val());
        self.lists.request.new_list.next = self.named.val();
        if self.resolves.val() {
            self.lists.request.new_list.next = bits::<LIST_BITS>(List::Unexpected as u64);
        }
        self.lists.request.new_offset.next = self.fields.new_offset.val();
        self.lists.request.handle.next = self.fields.handle.val();
        self.lists.request.any.next = self.fields.options.val().get_bit(list::ANY_SOURCE);
        self.lists.request.side.source.next = self.fields.source.val();
        self.lists.request.side.options.next = self.fields.options.val();
        self.lists.request.side.match_bits.next = self.fields.match_bits.val();
        self.lists.request.side.ignore_bits.next = self.fields.ignore_bits.val();
        self.lists.request.side.length.next = self.fields.length.val();
        self.lists.request.side.offset.next = self.fields.offset.val();
        self.lists.request.record.match_bits.next = self.fields.match_bits.val();
        self.lists.request.record.ignore_bits.next = self.fields.ignore_bits.val();
        self.lists.request.record.extent.next = field::<WORD, LENGTH_WIDTH>(self.fields.length.val(), LENGTH_OFFSET)
            | field::<WORD, LENGTH_WIDTH>(self.fields.offset.val(), OFFSET_OFFSET);
        self.lists.request.record.detail.next = bit_cast::<WORD, POINTER_WIDTH>(self.fields.pointer.val())
            | field::<WORD, SOURCE_WIDTH>(self.fields.source.val(), DETAIL_SOURCE_OFFSET)
            | field::<WORD, OPTIONS_WIDTH>(self.fields.options.val(), DETAIL_OPTIONS_OFFSET);

        // Answers. Nobody reads the entry of an answer while the next request is under way.
        self.lists.answer.idle.next = !self.turn.val() | !self.command.pauses.val();
        if self.lists.answer.result.start.val() {
            self.fresh.d.next = self.lists.answer.result.fresh.val();
        }
        self.hit.next = self.lists.answer.result.status.val() == bits::<CODE_WIDTH>(Status::Found as u64);
        self.found.next = (self.lists.answer.result.status.val() == bits::<CODE_WIDTH>(Status::Found as u64))
            | (self.lists.answer.result.status.val() == bits::<CODE_WIDTH>(Status::Done as u64));
        self.failed.next = !self.found.val();
        self.extent.next = self.lists.answer.record.extent.val();
        self.detail.next = self.lists.answer.record.detail.val();
        self.shown.next.place = self.lists.answer.index.val();
        self.shown.next.generation = self.lists.answer.generation.val();
        if self.fresh.q.val() {
            self.shown.next.generation = 0.into();
        }
        self.shown.next.overflow = self.lists.answer.list.val() == bits::<LIST_BITS>(List::Overflow as u64);
        self.shown.next.options = self.lists.answer.options.val();
        self.shown.next.length = self.extent.val().get_bits::<LENGTH_WIDTH>(LENGTH_OFFSET);
        self.shown.next.offset = self.extent.val().get_bits::<LENGTH_WIDTH>(OFFSET_OFFSET);
        self.shown.next.pointer = self.detail.val().get_bits::<POINTER_WIDTH>(0);
        self.shown.next.portal = self
            .detail
            .val()
            .get_bits::<PORTAL_WIDTH>(DETAIL_SOURCE_OFFSET + PORTAL_OFFSET);
        wire!(lists.answer <=> words: record);
        self.words.index.next = self.header_index.val();
        self.header_word.next = self.words.word.val();
        self.taken.d.next = !self.lists.counts.free.val().any();
        self.message.done.next = self.lists.request.done.val() & !self.turn.val();
        self.message.answered.next = self.lists.answer.result.start.val() & !self.turn.val();
        self.message.full.next = self.taken.q.val();
        self.message.hit.next = self.hit.val();
        self.message.failed.next = self.failed.val();
        self.message.shown.next = self.shown.val();
        self.command.done.next = self.lists.request.done.val() & self.turn.val();
        self.command.answered.next = self.lists.answer.result.start.val() & self.turn.val();
        self.command.full.next = self.taken.q.val();
        self.command.hit.next = self.hit.val();
        self.command.failed.next = self.failed.val();
        self.command.shown.next = self.shown.val();
    }
}
