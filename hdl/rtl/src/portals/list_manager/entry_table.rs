use super::ports::{RecordIn, RecordOut, SideOut, LIST_BITS, NO_LIST, WORD};
use crate::prim::{LaneRam, Ram};
use portico_spec::portals::list::DETAIL_OPTIONS_OFFSET;
use portico_spec::portals::list::DETAIL_SOURCE_OFFSET;
use portico_spec::portals::list::GENERATION_WIDTH;
use portico_spec::portals::list::LENGTH_OFFSET;
use portico_spec::portals::list::LENGTH_WIDTH;
use portico_spec::portals::list::OFFSET_OFFSET;
use portico_spec::portals::list::OPTIONS_WIDTH;
use portico_spec::portals::list::SOURCE_WIDTH;
use portico_verilog::prelude::*;

const WORD_BYTES: usize = WORD / 8;

/// What distinguishes the handles of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Tag {
    /// How often the place was freed, modulo 2^16.
    pub generation: Bits<GENERATION_WIDTH>,
    pub list: Bits<LIST_BITS>,
    /// The place has an entry.
    pub live: Bit,
}

/// The contents of every place: the fields of its entry, and the tag that distinguishes valid handles from stale ones.
///
/// Entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `read` to the fields, which then stay; a change: 1 cycle |
/// | throughput | one read or one change a cycle |
/// | state | match bits, ignore bits, extent, detail and tag of each place, in block RAM |
///
/// Each removal raises the generation. The tag of a place that never had an entry is undefined, so a reader must know
/// how many places were ever used.
#[derive(LogicBlock, Default)]
pub struct EntryTable<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Reads the entry at `at`.
    pub read: Signal<In, Bit>,
    /// Entry to read.
    pub at: Signal<In, Bits<A>>,
    /// The fields read.
    pub entry: SideOut,
    /// The fields read, in words as in results.
    pub record: RecordOut,
    /// Generation of the place read: how often it was freed, modulo 2^16; undefined if it never had an entry.
    pub generation: Signal<Out, Bits<GENERATION_WIDTH>>,
    /// List of the entry read.
    pub list: Signal<Out, Bits<LIST_BITS>>,
    /// There is an entry at the place read; undefined if it never had one.
    pub live: Signal<Out, Bit>,
    /// The entry that is changed; for an insert or removal it has been read.
    pub index: Signal<In, Bits<A>>,
    /// Gives it the new fields and list.
    pub insert: Signal<In, Bit>,
    /// For the first time: the generation is 0.
    pub fresh: Signal<In, Bit>,
    /// List of the entry that is inserted.
    pub new_list: Signal<In, Bits<LIST_BITS>>,
    /// Fields of the entry that is inserted.
    pub new_record: RecordIn,
    /// Removes it: its place is free.
    pub remove: Signal<In, Bit>,
    /// Detaches it: it is in no list.
    pub detach: Signal<In, Bit>,
    /// Gets the offset of `offset_extent`.
    pub set_offset: Signal<In, Bit>,
    /// An extent, of which the offset counts.
    pub offset_extent: Signal<In, Bits<WORD>>,
    match_words: Ram<Bits<WORD>, A>,
    ignore_words: Ram<Bits<WORD>, A>,
    extent_words: LaneRam<WORD, A, WORD_BYTES>,
    detail_words: Ram<Bits<WORD>, A>,
    tags: Ram<Tag, A>,
}

impl<const A: usize> EntryTable<A> {
    /// A table of `entries` places.
    pub fn new(entries: usize) -> Self {
        Self {
            match_words: Ram::new(entries),
            ignore_words: Ram::new(entries),
            extent_words: LaneRam::new(entries),
            detail_words: Ram::new(entries),
            tags: Ram::new(entries),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for EntryTable<A> {
    fn update(&mut self) {
        wire!(self => match_words, ignore_words, detail_words, extent_words, tags: clk);
        self.match_words.read_enable.next = self.read.val();
        self.match_words.read_address.next = self.at.val();
        self.match_words.write_enable.next = self.insert.val();
        self.match_words.write_address.next = self.index.val();
        self.match_words.write_data.next = self.new_record.match_bits.val();
        self.ignore_words.read_enable.next = self.read.val();
        self.ignore_words.read_address.next = self.at.val();
        self.ignore_words.write_enable.next = self.insert.val();
        self.ignore_words.write_address.next = self.index.val();
        self.ignore_words.write_data.next = self.new_record.ignore_bits.val();
        self.detail_words.read_enable.next = self.read.val();
        self.detail_words.read_address.next = self.at.val();
        self.detail_words.write_enable.next = self.insert.val();
        self.detail_words.write_address.next = self.index.val();
        self.detail_words.write_data.next = self.new_record.detail.val();
        self.extent_words.read_enable.next = self.read.val();
        self.extent_words.read_address.next = self.at.val();
        self.extent_words.write_lanes.next = 0.into();
        self.extent_words.write_address.next = self.index.val();
        self.extent_words.write_data.next = self.new_record.extent.val();
        if self.insert.val() {
            self.extent_words.write_lanes.next = !bits::<WORD_BYTES>(0);
        }
        if self.set_offset.val() {
            self.extent_words.write_lanes.next =
                bits::<WORD_BYTES>(((1 << (LENGTH_WIDTH / 8)) - 1) << (OFFSET_OFFSET / 8));
            self.extent_words.write_data.next = self.offset_extent.val();
        }

        self.generation.next = self.tags.read_data.val().generation;
        self.list.next = self.tags.read_data.val().list;
        self.live.next = self.tags.read_data.val().live;
        self.tags.read_enable.next = self.read.val();
        self.tags.read_address.next = self.at.val();
        self.tags.write_enable.next = self.insert.val() | self.remove.val() | self.detach.val();
        self.tags.write_address.next = self.index.val();
        self.tags.write_data.next.generation = self.tags.read_data.val().generation;
        if self.fresh.val() {
            self.tags.write_data.next.generation = 0.into();
        }
        self.tags.write_data.next.list = self.new_list.val();
        self.tags.write_data.next.live = true;
        if self.remove.val() {
            self.tags.write_data.next.generation = self.tags.read_data.val().generation + 1;
            self.tags.write_data.next.list = 0.into();
            self.tags.write_data.next.live = false;
        }

        if self.detach.val() {
            self.tags.write_data.next.generation = self.tags.read_data.val().generation;
            self.tags.write_data.next.list = bits::<LIST_BITS>(NO_LIST);
        }

        self.entry.match_bits.next = self.match_words.read_data.val();
        self.entry.ignore_bits.next = self.ignore_words.read_data.val();
        self.entry.length.next = self
            .extent_words
            .read_data
            .val()
            .get_bits::<LENGTH_WIDTH>(LENGTH_OFFSET);
        self.entry.offset.next = self
            .extent_words
            .read_data
            .val()
            .get_bits::<LENGTH_WIDTH>(OFFSET_OFFSET);
        self.entry.source.next = self
            .detail_words
            .read_data
            .val()
            .get_bits::<SOURCE_WIDTH>(DETAIL_SOURCE_OFFSET);
        self.entry.options.next = self
            .detail_words
            .read_data
            .val()
            .get_bits::<OPTIONS_WIDTH>(DETAIL_OPTIONS_OFFSET);
        self.record.match_bits.next = self.match_words.read_data.val();
        self.record.extent.next = self.extent_words.read_data.val();
        self.record.ignore_bits.next = self.ignore_words.read_data.val();
        self.record.detail.next = self.detail_words.read_data.val();
    }
}
