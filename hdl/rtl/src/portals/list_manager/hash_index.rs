//! Chains by source: what a header of one source can match is in one bucket's chain and in that of the entries with ANY.
//!
//! | | |
//! | --- | --- |
//! | latency | `ends` and `follower`: 1 cycle after `look` and `read`; a change: 1 cycle; `older`: 2 cycles after `read` |
//! | throughput | one look, one read or one change a cycle |
//! | state | 64 bits an entry and 128 bits a bucket in block RAM; the ends of three chains |
//!
//! Every entry is in exactly one of these chains, beside that of its list, and each chain is in append order.

use super::{
    bucket_ends::BucketEnds,
    chain::Chain,
    list_ends::ListEnds,
    ports::{EndsIn, EndsOut, LIST_BITS},
    sequencer::Sequencer,
};
use portico_spec::portals::list::SOURCE_WIDTH;
use rust_hdl::prelude::*;

/// Chains of entries that `A` bits number.
#[derive(LogicBlock)]
pub struct HashIndex<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all chains become empty.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<Out, Bit>,
    pub read: Signal<In, Bit>,
    pub at: Signal<In, Bits<A>>,
    /// Turns to the chain of `source` in `list`, or if `wild` to that of its entries with ANY.
    pub look: Signal<In, Bit>,
    pub list: Signal<In, Bits<LIST_BITS>>,
    pub source: Signal<In, Bits<SOURCE_WIDTH>>,
    pub wild: Signal<In, Bit>,
    pub ends: EndsOut<A>,
    pub follower: Signal<Out, Bits<A>>,
    /// The entry `index` comes to, or leaves, the chain that was looked at.
    pub insert: Signal<In, Bit>,
    pub unlink: Signal<In, Bit>,
    pub index: Signal<In, Bits<A>>,
    /// As in the [`Sequencer`], whose other ports follow.
    pub keep: Signal<In, Bit>,
    pub older: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    pub quiet: Signal<In, Bit>,
    pub numbering_look: Signal<Out, Bit>,
    pub numbering_list: Signal<Out, Bits<LIST_BITS>>,
    pub walks: Signal<Out, Bit>,
    pub walk_at: Signal<Out, Bits<A>>,
    pub order_ends: EndsIn<A>,
    pub order_next: Signal<In, Bits<A>>,
    buckets: BucketEnds<A>,
    wildcards: ListEnds<A>,
    chain: Chain<A>,
    sequencer: Sequencer<A>,
    is_wild: DFF<Bit>,
    nonempty: Signal<Local, Bit>,
    head: Signal<Local, Bits<A>>,
    tail: Signal<Local, Bits<A>>,
}

impl<const A: usize> HashIndex<A> {
    /// For `entries` entries in `buckets` buckets, with sequence numbers below `limit`.
    pub fn new(entries: usize, buckets: usize, limit: u64) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            initialising: Default::default(),
            read: Default::default(),
            at: Default::default(),
            look: Default::default(),
            list: Default::default(),
            source: Default::default(),
            wild: Default::default(),
            ends: Default::default(),
            follower: Default::default(),
            insert: Default::default(),
            unlink: Default::default(),
            index: Default::default(),
            keep: Default::default(),
            older: Default::default(),
            busy: Default::default(),
            quiet: Default::default(),
            numbering_look: Default::default(),
            numbering_list: Default::default(),
            walks: Default::default(),
            walk_at: Default::default(),
            order_ends: Default::default(),
            order_next: Default::default(),
            buckets: BucketEnds::new(buckets),
            wildcards: Default::default(),
            chain: Chain::new(entries),
            sequencer: Sequencer::new(entries, limit),
            is_wild: Default::default(),
            nonempty: Default::default(),
            head: Default::default(),
            tail: Default::default(),
        }
    }
}

impl<const A: usize> Logic for HashIndex<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, is_wild);
        if self.look.val() {
            self.is_wild.d.next = self.wild.val();
        }
        self.buckets.clk.next = self.clk.val();
        self.buckets.rst.next = self.rst.val();
        self.buckets.look.next = self.look.val();
        self.buckets.list.next = self.list.val();
        self.buckets.source.next = self.source.val();
        self.wildcards.clk.next = self.clk.val();
        self.wildcards.rst.next = self.rst.val();
        self.wildcards.look.next = self.look.val();
        self.wildcards.list.next = self.list.val();
        self.initialising.next = self.buckets.initialising.val();
        self.nonempty.next = self.buckets.ends.nonempty.val();
        self.head.next = self.buckets.ends.head.val();
        self.tail.next = self.buckets.ends.tail.val();
        if self.is_wild.q.val() {
            self.nonempty.next = self.wildcards.ends.nonempty.val();
            self.head.next = self.wildcards.ends.head.val();
            self.tail.next = self.wildcards.ends.tail.val();
        }
        self.ends.nonempty.next = self.nonempty.val();
        self.ends.head.next = self.head.val();
        self.ends.tail.next = self.tail.val();

        self.chain.clk.next = self.clk.val();
        self.chain.read.next = self.read.val();
        self.chain.at.next = self.at.val();
        self.chain.ends.nonempty.next = self.nonempty.val();
        self.chain.ends.head.next = self.head.val();
        self.chain.ends.tail.next = self.tail.val();
        self.chain.index.next = self.index.val();
        self.chain.insert.next = self.insert.val();
        self.chain.unlink.next = self.unlink.val();
        self.chain.frees.next = false;
        self.chain.successor.next = 0.into();
        self.follower.next = self.chain.follower.val();
        self.buckets.write.next = (self.insert.val() | self.unlink.val()) & !self.is_wild.q.val();
        EndsOut::<A>::join(&mut self.chain.new_ends, &mut self.buckets.new_ends);
        self.wildcards.write.next = (self.insert.val() | self.unlink.val()) & self.is_wild.q.val();
        EndsOut::<A>::join(&mut self.chain.new_ends, &mut self.wildcards.new_ends);

        self.sequencer.clk.next = self.clk.val();
        self.sequencer.rst.next = self.rst.val();
        self.sequencer.read.next = self.read.val();
        self.sequencer.at.next = self.at.val();
        self.sequencer.insert.next = self.insert.val();
        self.sequencer.index.next = self.index.val();
        self.sequencer.keep.next = self.keep.val();
        self.sequencer.quiet.next = self.quiet.val();
        EndsIn::<A>::link(&mut self.order_ends, &mut self.sequencer.ends);
        self.sequencer.follower.next = self.order_next.val();
        self.older.next = self.sequencer.older.val();
        self.busy.next = self.sequencer.busy.val();
        self.numbering_look.next = self.sequencer.look.val();
        self.numbering_list.next = self.sequencer.list.val();
        self.walks.next = self.sequencer.walks.val();
        self.walk_at.next = self.sequencer.walk_at.val();
    }
}
