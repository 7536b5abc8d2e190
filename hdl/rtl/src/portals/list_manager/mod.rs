//! The list manager: Priority, Unexpected and Overflow lists over one table of entries in block RAM, searched an entry a cycle.
//!
//! | | |
//! | --- | --- |
//! | latency | from the last beat of a command to the first of its result, a search that compares n entries: n + 4 cycles unhashed, at most 2 n + 6 hashed; append 3; by handle 4; refusals and counters 2 |
//! | throughput | one command at a time, each atomic; the next one's beats are taken while a result is sent |
//! | timing | every stream's handshake comes from flip-flops |
//! | state | 312 bits an entry in block RAM; hashed 376, and 128 a bucket; about 1,000 flip-flops |
//!
//! Commands, results and codes: [`portico_spec::portals::list`]. Paper: Portals Accelerator (PAC), 3.2.4.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`CommandReader`], [`Fields`], [`Decoder`] | a command off its stream, its fields, and its meaning |
//! | [`Responder`] | results, in beats |
//! | [`ListCore`] | the lists without streams, for an engine; the blocks below are inside it |
//! | [`ListControl`] | the stages of a command |
//! | [`ListSearch`] | the search: [`SearchSegments`] gives the chains, a [`Walker`] walks each |
//! | [`HandleCheck`] | whether the entry of a handle is there |
//! | [`Editor`] | how entries come into their chains and leave them |
//! | [`CommandOutcome`] | the contents of results |
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
mod list_core;
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
pub use list_core::ListCore;
pub use list_counters::ListCounters;
pub use list_ends::ListEnds;
pub use list_search::ListSearch;
pub use matcher::Matcher;
pub use parameters::ListParameters;
pub use ports::RecordIn;
pub use responder::Responder;
pub use search_segments::SearchSegments;
pub use sequence_numbers::SequenceNumbers;
pub use walker::Walker;

use crate::{prim::StreamIn, prim::StreamOut};
use portico_spec::portals::list::{COUNTER_WIDTH, LENGTH_WIDTH, OCCUPANCY_WIDTH, OFFSET_OFFSET};
use portico_verilog::prelude::*;
use ports::WORD;

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
    core: ListCore<A>,
    responder: Responder<A>,
}

impl<const A: usize> ListManager<A> {
    /// A list manager of these parameters; panics with a sentence if one is out of range, or `A` bits do not number the entries.
    pub fn new(parameters: &ListParameters) -> Self {
        Self {
            core: ListCore::new(parameters),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for ListManager<A> {
    fn update(&mut self) {
        wire!(self => reader, core, responder: clk, rst);
        wire!(self <=> reader: s_axis);
        self.reader.allow.next = !self.core.busy.val();
        self.reader.done.next = self.core.request.done.val();
        self.initialising.next = self.core.busy.val();
        self.core.quiet.next = !self.reader.valid.val() & self.responder.answer.idle.val();
        wire!(reader <=> fields: beats);
        wire!(fields => decoder: opcode, list, once, resolution);
        self.decoder.held.next = self.core.held.val();
        self.decoder.length.next = self.reader.length.val();

        self.core.request.valid.next = self.reader.valid.val();
        wire!(decoder <=> core.request: plan);
        wire!(fields => core.request: list, handle, any);
        wire!(decoder => core.request: new_list);
        // A resolution's is in the word of a header that has no meaning.
        self.core.request.new_offset.next = self
            .fields
            .record
            .ignore_bits
            .val()
            .get_bits::<LENGTH_WIDTH>(OFFSET_OFFSET);
        wire!(fields.request <=> core.request.side);
        wire!(fields <=> core.request: record);
        wire!(core <=> responder: answer);
        wire!(core <=> responder: counts);
        wire!(self <=> responder: m_axis);

        self.occupancy_priority.next = self.core.counts.priority.val();
        self.occupancy_overflow.next = self.core.counts.overflow.val();
        self.occupancy_unexpected.next = self.core.counts.unexpected.val();
        wire!(core.counts => self: searches, compared, longest);
    }
}
