use super::{
    bucket_ends::BucketEnds,
    chain::Chain,
    list_ends::ListEnds,
    ports::{EndsIn, EndsOut, LIST_BITS},
    SequenceNumbers,
};
use portico_spec::portals::list::SOURCE_WIDTH;
use portico_verilog::prelude::*;

/// Chains by source: the entries that a header of one source can match are in the chain of one bucket and in that of ANY.
///
/// Chains of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | `ends` and `follower`: 1 cycle after `look` and `read`; a change: 1 cycle; `older`: 2 cycles after `read` |
/// | throughput | one look, one read or one change a cycle |
/// | state | 64 bits an entry and 128 bits a bucket in block RAM; the ends of three chains |
///
/// Every entry is in exactly one of these chains, beside that of its list, and each chain is in append order.
#[derive(LogicBlock, Default)]
pub struct HashIndex<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all chains become empty.
    pub rst: Signal<In, Bit>,
    /// The ends of the chains are cleared after reset.
    pub initialising: Signal<Out, Bit>,
    /// Reads the links and the number of the entry at `at`.
    pub read: Signal<In, Bit>,
    /// Entry to read.
    pub at: Signal<In, Bits<A>>,
    /// Turns to the chain of `source` in `list`, or if `wild` to that of its entries with ANY.
    pub look: Signal<In, Bit>,
    /// List whose chain is looked at.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// Source whose chain is looked at; its low bits number the bucket.
    pub source: Signal<In, Bits<SOURCE_WIDTH>>,
    /// The chain of the entries with ANY is looked at in place of that of `source`.
    pub wild: Signal<In, Bit>,
    /// Ends of the chain looked at, from one cycle after `look` on.
    pub ends: EndsOut<A>,
    /// Next link of the entry read last, from one cycle after `read` on.
    pub follower: Signal<Out, Bits<A>>,
    /// The entry `index` comes to the chain that was looked at.
    pub insert: Signal<In, Bit>,
    /// The entry `index` leaves the chain that was looked at; its links have been read.
    pub unlink: Signal<In, Bit>,
    /// The entry that is changed.
    pub index: Signal<In, Bits<A>>,
    /// The entry that was read two cycles ago is the one to compare with, as in the [`SequenceNumbers`].
    pub keep: Signal<In, Bit>,
    /// The entry that was read two cycles ago is older than that.
    pub older: Signal<Out, Bit>,
    /// No command may be taken: the entries have to be numbered afresh.
    pub busy: Signal<Out, Bit>,
    /// No command is there, and the table is not read.
    pub quiet: Signal<In, Bit>,
    /// While it numbers afresh: selects `numbering_list`; the ends of the list come in the next cycle.
    pub numbering_look: Signal<Out, Bit>,
    /// The list to look at.
    pub numbering_list: Signal<Out, Bits<LIST_BITS>>,
    /// Reads the links of the entry at `walk_at`.
    pub walks: Signal<Out, Bit>,
    /// The entry to read; its next link comes one cycle later.
    pub walk_at: Signal<Out, Bits<A>>,
    /// Ends of the list looked at, in append order.
    pub order_ends: EndsIn<A>,
    /// The next link of the entry that was read, in append order.
    pub order_next: Signal<In, Bits<A>>,
    buckets: BucketEnds<A>,
    wildcards: ListEnds<A>,
    chain: Chain<A>,
    sequencer: SequenceNumbers<A>,
    is_wild: DFF<Bit>,
    nonempty: Signal<Local, Bit>,
    head: Signal<Local, Bits<A>>,
    tail: Signal<Local, Bits<A>>,
}

impl<const A: usize> HashIndex<A> {
    /// For `entries` entries in `buckets` buckets, with sequence numbers below `limit`.
    pub fn new(entries: usize, buckets: usize, limit: u64) -> Self {
        Self {
            buckets: BucketEnds::new(buckets),
            chain: Chain::new(entries),
            sequencer: SequenceNumbers::new(entries, limit),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for HashIndex<A> {
    fn update(&mut self) {
        wire!(self => buckets, wildcards, sequencer: clk, rst);
        wire!(self => chain: clk);
        dff_setup!(self, clk, is_wild);
        if self.look.val() {
            self.is_wild.d.next = self.wild.val();
        }
        wire!(self => buckets: look, list, source);
        wire!(self => wildcards: look, list);
        self.initialising.next = self.buckets.initialising.val();
        wire!(buckets.ends => self: nonempty, head, tail);
        if self.is_wild.q.val() {
            wire!(wildcards.ends => self: nonempty, head, tail);
        }
        wire!(self => ends: nonempty, head, tail);

        wire!(self => chain: read, at);
        wire!(self => chain.ends: nonempty, head, tail);
        wire!(self => chain: index, insert, unlink);
        self.chain.frees.next = false;
        self.chain.successor.next = 0.into();
        self.follower.next = self.chain.follower.val();
        self.buckets.write.next = (self.insert.val() | self.unlink.val()) & !self.is_wild.q.val();
        wire!(chain <=> buckets: new_ends);
        self.wildcards.write.next = (self.insert.val() | self.unlink.val()) & self.is_wild.q.val();
        wire!(chain <=> wildcards: new_ends);

        wire!(self => sequencer: read, at, insert, index, keep, quiet);
        wire!(self.order_ends <=> sequencer.ends);
        self.sequencer.follower.next = self.order_next.val();
        wire!(sequencer => self: older, busy);
        self.numbering_look.next = self.sequencer.look.val();
        self.numbering_list.next = self.sequencer.list.val();
        wire!(sequencer => self: walks, walk_at);
    }
}
