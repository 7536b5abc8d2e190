use super::{
    ports::{AnswerOut, CountsOut, RequestIn, LIST_BITS, WORD},
    Chains, CommandOutcome, Editor, EntryTable, HandleCheck, ListControl, ListCounters, ListParameters, ListSearch,
    Matcher,
};
use portico_spec::portals::list::{LENGTH_WIDTH, OFFSET_OFFSET};
use portico_verilog::prelude::*;

/// The lists themselves: carries out decoded commands, one after the other, and shows the entries that they find.
///
/// Lists of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | from the first cycle of a request to the start of its first answer: wrong ones and counters 0 cycles, an append 1, a handle 2, a search of n entries n + 2 unhashed |
/// | throughput | one request at a time, each atomic |
/// | state | tables of entries and chains in block RAM, the stage, the counters |
///
/// An answer starts in one cycle; in the next ones the table shows its entry, until the core is told to go on.
#[derive(LogicBlock, Default)]
pub struct ListCore<const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all lists are empty, and all counters 0.
    pub rst: Signal<In, Bit>,
    /// The tables are cleared or renumbered: no request may come.
    pub busy: Signal<Out, Bit>,
    /// The tables may be renumbered now: no request is there or on its way.
    pub quiet: Signal<In, Bit>,
    /// A hit is held: the next request resolves it.
    pub held: Signal<Out, Bit>,
    /// The request to carry out.
    pub request: RequestIn,
    /// Answers to the request.
    pub answer: AnswerOut<A>,
    /// Counters, for answers and for whoever watches.
    pub counts: CountsOut,
    control: ListControl,
    search: ListSearch<A>,
    matcher: Matcher,
    handle_check: HandleCheck<A>,
    editor: Editor<A>,
    chains: Chains<A>,
    entries: EntryTable<A>,
    outcome: CommandOutcome,
    counters: ListCounters,
    list: Signal<Local, Bits<LIST_BITS>>,
}

impl<const A: usize> ListCore<A> {
    /// Lists of these parameters; panics with a sentence if one is out of range, or `A` bits do not number the entries.
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
impl<const A: usize> Logic for ListCore<A> {
    fn update(&mut self) {
        wire!(self => control, search, editor, chains, counters: clk, rst);
        wire!(self => matcher, handle_check, entries: clk);
        self.list.next = self.request.list.val().get_bits::<LIST_BITS>(0);
        self.busy.next = self.chains.busy.val();

        self.control.valid.next = self.request.valid.val();
        self.request.done.next = self.control.done.val();
        wire!(self.request <=> control: plan);
        self.control.responder_idle.next = self.answer.idle.val();
        self.control.right.next = self.handle_check.right.val();
        wire!(search <=> control: finding);
        self.control.stored_options.next = self.entries.entry.options.val();
        self.control.insert.next = self.editor.access.insert.val();
        self.control.no_room.next = self.editor.no_room.val();
        self.control.left.next = self.editor.gone.val();
        self.control.full.next = self.chains.full.val();
        self.held.next = self.control.held.val();

        wire!(request.plan => search: mirrored, both);
        wire!(self => search: list);
        self.search.any.next = self.request.any.val();
        self.search.start.next = self.control.search.val();
        self.search.resume.next = self.control.resume.val();
        wire!(chains <=> search: ends);
        self.search.follower.next = self.chains.follower.val();
        self.search.hit.next = self.matcher.hit.val();
        self.search.older.next = self.chains.older.val();
        self.matcher.mirrored.next = self.request.plan.mirrored.val();
        wire!(self.request.side <=> matcher.request);
        wire!(entries.entry <=> matcher.stored);

        self.handle_check.handle.next = self.request.handle.val();
        wire!(self => handle_check: list);
        self.handle_check.detached.next = self.request.plan.releases.val();
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
        wire!(request.plan => editor: detaches, releases);
        self.editor.new_list.next = self.request.new_list.val();
        self.editor.source.next = self.request.side.source.val();
        self.editor.any.next = self.request.any.val();
        wire!(control => editor: may_leave, leave);
        self.editor.stored_list.next = self.entries.list.val();
        self.editor.stored_source.next = self.entries.entry.source.val();
        self.editor.stored_options.next = self.entries.entry.options.val();

        wire!(self => chains: quiet);
        wire!(editor <=> chains: access);
        wire!(search => chains: by_order, keep);
        self.entries.read.next = self.chains.any_read.val();
        self.entries.at.next = self.chains.any_at.val();
        wire!(editor.access => entries: index, insert);
        self.entries.fresh.next = self.chains.fresh.val();
        self.entries.new_list.next = self.request.new_list.val();
        wire!(self.request.record <=> entries.new_record);
        self.entries.remove.next = self.editor.vacate.val();
        self.entries.detach.next = self.editor.detach.val();
        self.entries.set_offset.next = self.control.set_offset.val();
        // The extent of set_offset is in the word of the match bits.
        self.entries.offset_extent.next = self.request.record.match_bits.val();
        if self.request.plan.resolves.val() {
            self.entries.offset_extent.next = field::<WORD, LENGTH_WIDTH>(self.request.new_offset.val(), OFFSET_OFFSET);
        }

        wire!(self.request <=> outcome: plan);
        self.outcome.list.next = self.request.list.val();
        self.outcome.at_once.next = self.control.at_once.val();
        wire!(search <=> outcome: finding);
        self.outcome.insert.next = self.editor.access.insert.val();
        self.outcome.no_room.next = self.editor.no_room.val();
        self.outcome.new_list.next = self.request.new_list.val();
        self.outcome.fresh.next = self.chains.fresh.val();
        wire!(control => outcome: check, resolve, unresolved);
        self.outcome.right.next = self.handle_check.right.val();
        self.outcome.stored_list.next = self.entries.list.val();
        wire!(self.answer <=> outcome: result);
        self.answer.index.next = self.editor.access.index.val();
        wire!(entries => answer: generation, list);
        self.answer.options.next = self.entries.entry.options.val();
        wire!(self.answer <=> entries: record);

        self.counters.inserted.next = self.editor.access.insert.val();
        self.counters.removed.next = self.editor.access.remove.val();
        self.counters.freed.next = self.editor.vacate.val();
        self.counters.list.next = self.editor.changed_list.val();
        self.counters.search.next = self.control.search.val();
        self.counters.compared.next = self.search.compared.val();
        self.counts.priority.next = self.counters.occupancy[0].val();
        self.counts.overflow.next = self.counters.occupancy[1].val();
        self.counts.unexpected.next = self.counters.occupancy[2].val();
        self.counts.free.next = self.counters.occupancy[3].val();
        self.counts.searches.next = self.counters.searches.val();
        self.counts.compared.next = self.counters.total.val();
        self.counts.longest.next = self.counters.longest.val();
    }
}
