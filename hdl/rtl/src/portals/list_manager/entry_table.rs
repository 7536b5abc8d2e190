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
const TAG_WIDTH: usize = 24;
/// In a tag: the list, above the generation.
const TAG_LIST: usize = GENERATION_WIDTH;
/// In a tag: the place has an entry.
const TAG_LIVE: usize = TAG_LIST + LIST_BITS;

/// The contents of every place: the fields of its entry, and the tag that distinguishes valid handles from stale ones.
///
/// Entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from `read` to the fields, which then stay; a change: 1 cycle |
/// | throughput | one read or one change a cycle |
/// | state | 280 bits a place in block RAM: match bits, ignore bits, extent, detail, and a tag of 24 |
///
/// A tag is the generation, the list and whether the place has an entry. Each removal raises the generation. The tag of a
/// place that never had an entry is undefined, so a reader must know how many places were ever used.
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
    tags: Ram<Bits<TAG_WIDTH>, A>,
    new_generation: Signal<Local, Bits<GENERATION_WIDTH>>,
    tag_list: Signal<Local, Bits<LIST_BITS>>,
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

        self.generation.next = self.tags.read_data.val().get_bits::<GENERATION_WIDTH>(0);
        self.tag_list.next = self.tags.read_data.val().get_bits::<LIST_BITS>(TAG_LIST);
        self.list.next = self.tag_list.val();
        self.live.next = self.tags.read_data.val().get_bit(TAG_LIVE);
        self.new_generation.next = self.tags.read_data.val().get_bits::<GENERATION_WIDTH>(0);
        if self.fresh.val() {
            self.new_generation.next = 0.into();
        }
        self.tags.read_enable.next = self.read.val();
        self.tags.read_address.next = self.at.val();
        self.tags.write_enable.next = false;
        self.tags.write_address.next = self.index.val();
        self.tags.write_data.next = bit_cast::<TAG_WIDTH, GENERATION_WIDTH>(self.new_generation.val())
            | (bit_cast::<TAG_WIDTH, LIST_BITS>(self.new_list.val()) << bits::<6>(TAG_LIST))
            | (bits::<TAG_WIDTH>(1) << bits::<6>(TAG_LIVE));
        if self.insert.val() | self.remove.val() | self.detach.val() {
            self.tags.write_enable.next = true;
        }
        if self.remove.val() {
            self.tags.write_data.next =
                bit_cast::<TAG_WIDTH, GENERATION_WIDTH>(self.tags.read_data.val().get_bits::<GENERATION_WIDTH>(0) + 1);
        }

        if self.detach.val() {
            self.tags.write_data.next = self.tags.read_data.val() | (bits::<TAG_WIDTH>(NO_LIST) << bits::<6>(TAG_LIST));
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
