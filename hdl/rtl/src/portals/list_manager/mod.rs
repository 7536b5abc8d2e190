//! The list manager: Priority, Unexpected and Overflow lists over one table of entries in block RAM, searched an entry a cycle.
//!
//! | | |
//! | --- | --- |
//! | latency | from the last beat of a command to the first of its result, a search that compares n entries: n + 4 cycles unhashed, at most 2 n + 6 hashed; append and by handle 3; refusals and counters 2 |
//! | throughput | one command at a time, each atomic; the next one's beats are taken while a result is sent |
//! | timing | every stream's handshake comes from flip-flops |
//! | state | 312 bits an entry in block RAM; hashed 376, and 128 a bucket; about 1,000 flip-flops |
//!
//! Commands, results and codes: [`portico_spec::portals::list`]. Paper: Portals Accelerator (PAC), 3.2.4.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`CommandReader`], [`Fields`], [`Decoder`] | a command off its stream, its fields, and its meaning |
//! | [`ListControl`] | the stages of a command |
//! | [`ListSearch`] | the search: [`SearchSegments`] gives the chains, a [`Walker`] walks each |
//! | [`HandleCheck`] | whether the entry of a handle is there |
//! | [`Editor`] | how entries come into their chains and leave them |
//! | [`CommandOutcome`], [`Responder`] | the contents of results, and their beats |
//! | [`EntryTable`] | fields and tags of the entries |
//! | [`Chains`] | the chains of the entries |
//! | [`Chain`], [`ListEnds`] | each list in append order |
//! | [`HashIndex`] | the same by source, with [`BucketEnds`] and [`SequenceNumbers`] |
//! | [`FreeList`] | places without an entry |
//! | [`Matcher`] | whether an entry matches |
//! | [`ListCounters`] | occupancy and search lengths |
//!
//! Every entry is in the chain of its list, and with hashing in a second one by source. After a reset a hashed list manager
//! clears the ends of its chains, 4 cycles a bucket; once in `sequence_limit` less `entries` appends it numbers its entries
//! afresh, in as many cycles as it has, and 6. Meanwhile `initialising` is high and `s_axis_tready` low.

mod bucket_ends;
mod chain;
mod chains;
mod command_outcome;
mod command_reader;
mod decoder;
mod editor;
mod entry_table;
mod fields;
mod free_list;
mod handle_check;
mod hash_index;
mod list_control;
mod list_counters;
mod list_ends;
mod list_search;
mod matcher;
mod parameters;
mod ports;
mod responder;
mod search_segments;
mod sequence_numbers;
#[cfg(test)]
mod tests;
mod walker;

pub use bucket_ends::BucketEnds;
pub use chain::Chain;
pub use chains::Chains;
pub use command_outcome::CommandOutcome;
pub use command_reader::CommandReader;
pub use decoder::Decoder;
pub use editor::Editor;
pub use entry_table::EntryTable;
pub use fields::Fields;
pub use free_list::FreeList;
pub use handle_check::HandleCheck;
pub use hash_index::HashIndex;
pub use list_control::ListControl;
pub use list_counters::ListCounters;
pub use list_ends::ListEnds;
pub use list_search::ListSearch;
pub use matcher::Matcher;
pub use parameters::ListParameters;
pub use responder::Responder;
pub use search_segments::SearchSegments;
pub use sequence_numbers::SequenceNumbers;
pub use walker::Walker;

use crate::{prim::StreamIn, prim::StreamOut};
use portico_spec::portals::list::{COUNTER_WIDTH, OCCUPANCY_WIDTH};
use portico_verilog::prelude::*;
use ports::{AccessOut, BeatsOut, EndsOut, FindingOut, PlanOut, RecordOut, ResultOut, SideOut, WORD};

/// Lists of entries that `A` bits number.
#[derive(LogicBlock, Default)]
pub struct ListManager<const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all lists are empty, all counters 0, and handles from before void until their
    /// places are used again.
    pub rst: Signal<In, Bit>,
    /// Commands.
    pub s_axis: StreamIn<WORD>,
    /// Results.
    pub m_axis: StreamOut<WORD>,
    /// No command is taken for now.
    pub initialising: Signal<Out, Bit>,
    /// Entries of the Priority list.
    pub occupancy_priority: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Entries of the Overflow list.
    pub occupancy_overflow: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Entries of the Unexpected list.
    pub occupancy_unexpected: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Commands that searched.
    pub searches: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Entries that they compared.
    pub compared: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Most that one of them compared.
    pub longest: Signal<Out, Bits<COUNTER_WIDTH>>,
    reader: CommandReader,
    fields: Fields,
    decoder: Decoder,
    control: ListControl,
    search: ListSearch<A>,
    matcher: Matcher,
    handle_check: HandleCheck<A>,
    editor: Editor<A>,
    chains: Chains<A>,
    entries: EntryTable<A>,
    outcome: CommandOutcome,
    responder: Responder<A>,
    counters: ListCounters,
}

impl<const A: usize> ListManager<A> {
    /// A list manager of these parameters; panics with a sentence if one is out of range, or `A` bits do not number the entries.
    pub fn new(parameters: &ListParameters) -> Self {
        parameters.check(A);
        Self {
            search: ListSearch::new(parameters.buckets > 0),
            chains: Chains::new(parameters),
            entries: EntryTable::new(parameters.entries),
            counters: ListCounters::new(parameters.entries),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for ListManager<A> {
    fn update(&mut self) {
        wire!(self => reader, control, search, editor, chains, responder, counters: clk, rst);
        wire!(self => matcher, entries: clk);
        StreamIn::<WORD>::link(&mut self.s_axis, &mut self.reader.s_axis);
        self.reader.allow.next = !self.chains.busy.val();
        self.reader.done.next = self.control.done.val();
        self.initialising.next = self.chains.busy.val();
        BeatsOut::join(&mut self.reader.beats, &mut self.fields.beats);
        wire!(fields => decoder: opcode, list, once);
        self.decoder.length.next = self.reader.length.val();

        self.control.valid.next = self.reader.valid.val();
        PlanOut::join(&mut self.decoder.plan, &mut self.control.plan);
        self.control.responder_idle.next = self.responder.idle.val();
        self.control.right.next = self.handle_check.right.val();
        FindingOut::join(&mut self.search.finding, &mut self.control.finding);
        self.control.stored_options.next = self.entries.entry.options.val();
        self.control.insert.next = self.editor.access.insert.val();
        self.control.no_room.next = self.editor.no_room.val();
        self.control.frees.next = self.editor.access.frees.val();

        wire!(decoder.plan => search: mirrored, both);
        self.search.list.next = self.fields.short_list.val();
        self.search.any.next = self.fields.any.val();
        self.search.start.next = self.control.search.val();
        self.search.resume.next = self.control.resume.val();
        EndsOut::<A>::join(&mut self.chains.ends, &mut self.search.ends);
        self.search.follower.next = self.chains.follower.val();
        self.search.hit.next = self.matcher.hit.val();
        self.search.older.next = self.chains.older.val();
        self.matcher.mirrored.next = self.decoder.plan.mirrored.val();
        SideOut::join(&mut self.fields.request, &mut self.matcher.request);
        SideOut::join(&mut self.entries.entry, &mut self.matcher.stored);

        self.handle_check.handle.next = self.fields.handle.val();
        self.handle_check.list.next = self.fields.short_list.val();
        self.handle_check.stored_list.next = self.entries.list.val();
        self.handle_check.stored_live.next = self.entries.live.val();
        self.handle_check.stored_generation.next = self.entries.generation.val();
        self.handle_check.used.next = self.chains.used.val();

        self.editor.search_read.next = self.search.read.val();
        self.editor.search_at.next = self.search.at.val();
        self.editor.found.next = self.search.finding.found.val();
        self.editor.search_look.next = self.search.look.val();
        self.editor.search_list.next = self.search.look_list.val();
        self.editor.search_wild.next = self.search.look_wild.val();
        self.editor.fetch.next = self.control.fetch.val();
        self.editor.handle_index.next = self.handle_check.index.val();
        self.editor.take.next = self.control.take.val();
        wire!(chains => editor: free_index, full);
        self.editor.new_list.next = self.decoder.new_list.val();
        self.editor.source.next = self.fields.request.source.val();
        self.editor.any.next = self.fields.any.val();
        self.editor.leave.next = self.control.leave.val();
        self.editor.stored_list.next = self.entries.list.val();
        self.editor.stored_source.next = self.entries.entry.source.val();
        self.editor.stored_options.next = self.entries.entry.options.val();

        self.chains.quiet.next = !self.reader.valid.val() & self.responder.idle.val();
        AccessOut::<A>::join(&mut self.editor.access, &mut self.chains.access);
        wire!(search => chains: by_order, keep);
        self.entries.read.next = self.chains.any_read.val();
        self.entries.at.next = self.chains.any_at.val();
        wire!(editor.access => entries: index, insert);
        self.entries.fresh.next = self.chains.fresh.val();
        self.entries.new_list.next = self.decoder.new_list.val();
        RecordOut::join(&mut self.fields.record, &mut self.entries.new_record);
        self.entries.remove.next = self.editor.access.remove.val();
        self.entries.set_offset.next = self.control.set_offset.val();
        self.entries.offset_extent.next = self.reader.beats.match_bits.val();

        PlanOut::join(&mut self.decoder.plan, &mut self.outcome.plan);
        self.outcome.list.next = self.fields.list.val();
        self.outcome.at_once.next = self.control.at_once.val();
        FindingOut::join(&mut self.search.finding, &mut self.outcome.finding);
        self.outcome.insert.next = self.editor.access.insert.val();
        self.outcome.no_room.next = self.editor.no_room.val();
        self.outcome.new_list.next = self.decoder.new_list.val();
        self.outcome.fresh.next = self.chains.fresh.val();
        self.outcome.check.next = self.control.check.val();
        self.outcome.right.next = self.handle_check.right.val();
        self.outcome.stored_list.next = self.entries.list.val();
        ResultOut::join(&mut self.outcome.result, &mut self.responder.result);
        self.responder.index.next = self.editor.access.index.val();
        wire!(entries => responder: generation, list);
        self.responder.options.next = self.entries.entry.options.val();
        RecordOut::join(&mut self.entries.record, &mut self.responder.record);
        wire!(counters => responder: searches, total, longest);
        for i in 0..4 {
            self.responder.occupancy[i].next = self.counters.occupancy[i].val();
        }
        StreamOut::<WORD>::link(&mut self.m_axis, &mut self.responder.m_axis);

        self.counters.inserted.next = self.editor.access.insert.val();
        self.counters.removed.next = self.editor.access.remove.val();
        self.counters.list.next = self.editor.changed_list.val();
        self.counters.search.next = self.control.search.val();
        self.counters.compared.next = self.search.compared.val();
        self.occupancy_priority.next = self.counters.occupancy[0].val();
        self.occupancy_overflow.next = self.counters.occupancy[1].val();
        self.occupancy_unexpected.next = self.counters.occupancy[2].val();
        self.searches.next = self.counters.searches.val();
        self.compared.next = self.counters.total.val();
        self.longest.next = self.counters.longest.val();
    }
}
