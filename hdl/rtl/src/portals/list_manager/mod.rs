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
//! | [`CommandReader`], [`Decoder`] | a command off its stream, and what it asks for |
//! | [`Control`] | what happens in each cycle |
//! | [`EntryTable`] | fields and tags of the entries |
//! | [`Chains`] | in which chains the entries are |
//! | [`Chain`], [`ListEnds`] | each list in append order |
//! | [`HashIndex`] | the same by source, with [`BucketEnds`] and [`Sequencer`] |
//! | [`FreeList`] | places without an entry |
//! | [`Walker`], [`Matcher`] | an entry a cycle along a chain, and whether it matches |
//! | [`Responder`], [`Counters`] | results, occupancy and search lengths |
//!
//! Every entry is in the chain of its list, and with hashing in a second one by source. After a reset a hashed list manager
//! clears the ends of its chains, 4 cycles a bucket; once in `sequence_limit` less `entries` appends it numbers its entries
//! afresh, in as many cycles as it has, and 6. Meanwhile `initialising` is high and `s_axis_tready` low.

mod bucket_ends;
mod chain;
mod chains;
mod command_reader;
mod control;
mod counters;
mod decoder;
mod entry_table;
mod free_list;
mod hash_index;
mod list_ends;
mod matcher;
mod parameters;
mod ports;
mod responder;
mod sequencer;
#[cfg(test)]
mod tests;
mod walker;

pub use bucket_ends::BucketEnds;
pub use chain::Chain;
pub use chains::Chains;
pub use command_reader::CommandReader;
pub use control::Control;
pub use counters::Counters;
pub use decoder::Decoder;
pub use entry_table::EntryTable;
pub use free_list::FreeList;
pub use hash_index::HashIndex;
pub use list_ends::ListEnds;
pub use matcher::Matcher;
pub use parameters::ListParameters;
pub use responder::Responder;
pub use sequencer::Sequencer;
pub use walker::Walker;

use crate::{prim::StreamIn, prim::StreamOut};
use portico_spec::portals::list::COUNTER_WIDTH;
use portico_spec::portals::list::DETAIL_OPTIONS_OFFSET;
use portico_spec::portals::list::DETAIL_SOURCE_OFFSET;
use portico_spec::portals::list::LENGTH_WIDTH;
use portico_spec::portals::list::OCCUPANCY_WIDTH;
use portico_spec::portals::list::OFFSET_OFFSET;
use portico_spec::portals::list::OPTIONS_WIDTH;
use portico_spec::portals::list::POINTER_WIDTH;
use portico_spec::portals::list::SOURCE_WIDTH;
use ports::{PlanOut, ResultOut, SideOut, WORD};
use rust_hdl::prelude::*;

/// Lists of entries that `A` bits number.
#[derive(LogicBlock)]
pub struct ListManager<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all lists are empty, all handles void, all counters 0.
    pub rst: Signal<In, Bit>,
    /// Commands.
    pub s_axis: StreamIn<WORD>,
    /// Results.
    pub m_axis: StreamOut<WORD>,
    /// No command is taken for now.
    pub initialising: Signal<Out, Bit>,
    pub occupancy_priority: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    pub occupancy_overflow: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    pub occupancy_unexpected: Signal<Out, Bits<OCCUPANCY_WIDTH>>,
    /// Commands that searched.
    pub searches: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Entries that they compared.
    pub compared: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Most that one of them compared.
    pub longest: Signal<Out, Bits<COUNTER_WIDTH>>,
    reader: CommandReader,
    decoder: Decoder,
    control: Control<A>,
    chains: Chains<A>,
    entries: EntryTable<A>,
    walker: Walker<A>,
    matcher: Matcher,
    responder: Responder<A>,
    counters: Counters,
    source_at: Constant<Bits<6>>,
    options_at: Constant<Bits<6>>,
    offset_at: Constant<Bits<6>>,
}

impl<const A: usize> ListManager<A> {
    /// A list manager of these parameters; panics with a sentence if one is out of range, or `A` bits do not number the entries.
    pub fn new(parameters: &ListParameters) -> Self {
        parameters.check(A);
        let at = |offset: usize| Constant::new(bits(offset as u64));
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: Default::default(),
            m_axis: Default::default(),
            initialising: Default::default(),
            occupancy_priority: Default::default(),
            occupancy_overflow: Default::default(),
            occupancy_unexpected: Default::default(),
            searches: Default::default(),
            compared: Default::default(),
            longest: Default::default(),
            reader: Default::default(),
            decoder: Default::default(),
            control: Control::new(parameters.buckets > 0),
            chains: Chains::new(parameters),
            entries: EntryTable::new(parameters.entries),
            walker: Default::default(),
            matcher: Default::default(),
            responder: Default::default(),
            counters: Counters::new(parameters.entries),
            source_at: at(DETAIL_SOURCE_OFFSET),
            options_at: at(DETAIL_OPTIONS_OFFSET),
            offset_at: at(OFFSET_OFFSET),
        }
    }
}

impl<const A: usize> Logic for ListManager<A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.reader.clk.next = self.clk.val();
        self.reader.rst.next = self.rst.val();
        StreamIn::<WORD>::link(&mut self.s_axis, &mut self.reader.s_axis);
        self.reader.allow.next = !self.chains.busy.val();
        self.reader.done.next = self.control.done.val();
        self.initialising.next = self.chains.busy.val();
        self.decoder.first.next = self.reader.first.val();
        self.decoder.beats.next = self.reader.beats.val();

        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.control.valid.next = self.reader.valid.val();
        PlanOut::join(&mut self.decoder.plan, &mut self.control.plan);
        self.control.list.next = self.decoder.list.val();
        self.control.source.next = self.decoder.source.val();
        self.control.options.next = self.decoder.options.val();
        self.control.handle.next = self.decoder.handle.val();
        self.control.responder_idle.next = self.responder.idle.val();
        self.control.stored_list.next = self.entries.list.val();
        self.control.stored_live.next = self.entries.live.val();
        self.control.stored_generation.next = self.entries.generation.val();
        self.control.stored_source.next = self.entries.entry.source.val();
        self.control.stored_options.next = self.entries.entry.options.val();
        self.control.ends.nonempty.next = self.chains.ends.nonempty.val();
        self.control.ends.head.next = self.chains.ends.head.val();
        self.control.ends.tail.next = self.chains.ends.tail.val();
        self.control.follower.next = self.chains.follower.val();
        self.control.older.next = self.chains.older.val();
        self.control.full.next = self.chains.full.val();
        self.control.free_index.next = self.chains.free_index.val();
        self.control.fresh.next = self.chains.fresh.val();
        self.control.used.next = self.chains.used.val();
        self.control.walk_read.next = self.walker.read.val();
        self.control.walk_tail.next = self.walker.goal.val();
        self.control.walk_valid.next = self.walker.valid.val();
        self.control.walk_index.next = self.walker.index.val();
        self.control.walk_last.next = self.walker.last.val();
        self.control.hit.next = self.matcher.hit.val();

        self.chains.clk.next = self.clk.val();
        self.chains.rst.next = self.rst.val();
        self.chains.quiet.next = !self.reader.valid.val() & self.responder.idle.val();
        self.chains.read.next = self.control.read.val();
        self.chains.at.next = self.control.at.val();
        self.chains.look.next = self.control.look.val();
        self.chains.list.next = self.control.look_list.val();
        self.chains.source.next = self.control.look_source.val();
        self.chains.wild.next = self.control.look_wild.val();
        self.chains.by_order.next = self.control.by_order.val();
        self.chains.index.next = self.control.index.val();
        self.chains.insert.next = self.control.insert.val();
        self.chains.remove.next = self.control.remove.val();
        self.chains.frees.next = self.control.frees.val();
        self.chains.keep.next = self.control.keep.val();

        self.entries.clk.next = self.clk.val();
        self.entries.read.next = self.chains.any_read.val();
        self.entries.at.next = self.chains.any_at.val();
        self.entries.index.next = self.control.index.val();
        self.entries.insert.next = self.control.insert.val();
        self.entries.fresh.next = self.chains.fresh.val();
        self.entries.new_list.next = self.control.insert_list.val();
        self.entries.new_match_bits.next = self.reader.match_bits.val();
        self.entries.new_ignore_bits.next = self.reader.ignore_bits.val();
        self.entries.new_extent.next = self.reader.extent.val();
        self.entries.new_detail.next = bit_cast::<WORD, POINTER_WIDTH>(self.reader.pointer.val())
            | (bit_cast::<WORD, SOURCE_WIDTH>(self.decoder.source.val()) << self.source_at.val())
            | (bit_cast::<WORD, OPTIONS_WIDTH>(self.decoder.options.val()) << self.options_at.val());
        self.entries.remove.next = self.control.remove.val();
        self.entries.set_offset.next = self.control.set_offset.val();
        self.entries.offset_extent.next = self.reader.match_bits.val();

        self.walker.clk.next = self.clk.val();
        self.walker.rst.next = self.rst.val();
        self.walker.start.next = self.control.walk.val();
        self.walker.from.next = self.control.walk_from.val();
        self.walker.tail.next = self.control.walk_to.val();
        self.walker.follower.next = self.chains.follower.val();
        self.walker.stop.next = self.control.walk_stop.val();
        self.matcher.clk.next = self.clk.val();
        self.matcher.mirrored.next = self.decoder.plan.mirrored.val();
        self.matcher.request.source.next = self.decoder.source.val();
        self.matcher.request.options.next = self.decoder.options.val();
        self.matcher.request.match_bits.next = self.reader.match_bits.val();
        self.matcher.request.ignore_bits.next = self.reader.ignore_bits.val();
        self.matcher.request.length.next = self.reader.extent.val().get_bits::<LENGTH_WIDTH>(0);
        self.matcher.request.offset.next = self
            .reader
            .extent
            .val()
            .get_bits::<LENGTH_WIDTH>(self.offset_at.val().index());
        SideOut::join(&mut self.entries.entry, &mut self.matcher.stored);

        self.responder.clk.next = self.clk.val();
        self.responder.rst.next = self.rst.val();
        ResultOut::join(&mut self.control.result, &mut self.responder.result);
        self.responder.index.next = self.control.index.val();
        self.responder.generation.next = self.entries.generation.val();
        self.responder.list.next = self.entries.list.val();
        self.responder.match_bits.next = self.entries.entry.match_bits.val();
        self.responder.extent.next = self.entries.extent.val();
        self.responder.ignore_bits.next = self.entries.entry.ignore_bits.val();
        self.responder.detail.next = self.entries.detail.val();
        self.responder.options.next = self.entries.entry.options.val();
        self.responder.searches.next = self.counters.searches.val();
        self.responder.total.next = self.counters.total.val();
        self.responder.longest.next = self.counters.longest.val();
        for i in 0..4 {
            self.responder.occupancy[i].next = self.counters.occupancy[i].val();
        }
        StreamOut::<WORD>::link(&mut self.m_axis, &mut self.responder.m_axis);

        self.counters.clk.next = self.clk.val();
        self.counters.rst.next = self.rst.val();
        self.counters.inserted.next = self.control.insert.val();
        self.counters.removed.next = self.control.remove.val();
        self.counters.list.next = self.control.changed_list.val();
        self.counters.search.next = self.control.search.val();
        self.counters.compared.next = self.control.compared.val();
        self.occupancy_priority.next = self.counters.occupancy[0].val();
        self.occupancy_overflow.next = self.counters.occupancy[1].val();
        self.occupancy_unexpected.next = self.counters.occupancy[2].val();
        self.searches.next = self.counters.searches.val();
        self.compared.next = self.counters.total.val();
        self.longest.next = self.counters.longest.val();
    }
}
