use super::{
    chain::Chain,
    free_list::{FreeList, PLACES_WIDTH},
    hash_index::HashIndex,
    list_ends::ListEnds,
    parameters::ListParameters,
    ports::{AccessIn, EndsOut, LIST_BITS},
};
use portico_verilog::prelude::*;

/// The chains of the entries: that of their list, with hashing also one by source, or the free places.
///
/// Chains of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | `ends` and `follower`: 1 cycle after `look` and `read`; a change: 1 cycle; `older`: 2 cycles after `read` |
/// | throughput | one look, one read or one change a cycle |
/// | state | 32 bits an entry in block RAM, with hashing 96, and 128 a bucket |
#[derive(LogicBlock, Default)]
pub struct Chains<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all places are free.
    pub rst: Signal<In, Bit>,
    /// No command may be taken: the chains are being cleared, or the entries numbered.
    pub busy: Signal<Out, Bit>,
    /// No command is there, and no result is being sent.
    pub quiet: Signal<In, Bit>,
    /// The edit of the chains by a command.
    pub access: AccessIn<A>,
    /// For all memories: reads the entry at `any_at`, on behalf of a command or to number the entries.
    pub any_read: Signal<Out, Bit>,
    /// For all memories: entry to read.
    pub any_at: Signal<Out, Bits<A>>,
    /// `ends` and `follower` are those of the chain of the list, else of that by source if there is one.
    pub by_order: Signal<In, Bit>,
    /// Ends of the chain looked at, from one cycle after `access.look` on.
    pub ends: EndsOut<A>,
    /// Next link of the entry read last, from one cycle after `access.read` on.
    pub follower: Signal<Out, Bits<A>>,
    /// The entry that was read two cycles ago is the one to compare with, as in [`super::SequenceNumbers`].
    pub keep: Signal<In, Bit>,
    /// The entry that was read two cycles ago is older than that; low without hashing.
    pub older: Signal<Out, Bit>,
    /// No place is free, as in [`FreeList`].
    pub full: Signal<Out, Bit>,
    /// The place to take next, unless full.
    pub free_index: Signal<Out, Bits<A>>,
    /// The place to take next never had an entry.
    pub fresh: Signal<Out, Bit>,
    /// Places that had an entry at some time; they come first.
    pub used: Signal<Out, Bits<PLACES_WIDTH>>,
    order: Chain<A>,
    order_ends: ListEnds<A>,
    places: FreeList<A>,
    hash: Vec<HashIndex<A>>,
    shared_read: Signal<Local, Bit>,
    shared_at: Signal<Local, Bits<A>>,
    shared_look: Signal<Local, Bit>,
    shared_list: Signal<Local, Bits<LIST_BITS>>,
    _hashes: usize,
}

impl<const A: usize> Chains<A> {
    /// For a list manager of these parameters.
    pub fn new(parameters: &ListParameters) -> Self {
        let ListParameters {
            entries,
            buckets,
            sequence_limit,
        } = *parameters;
        let hashes = usize::from(buckets > 0);
        let hash = |_| HashIndex::new(entries, buckets, sequence_limit);
        Self {
            order: Chain::new(entries),
            places: FreeList::new(entries),
            hash: (0..hashes).map(hash).collect(),
            _hashes: hashes,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for Chains<A> {
    fn update(&mut self) {
        wire!(self => order_ends, places: clk, rst);
        wire!(self => order: clk);
        self.shared_read.next = self.access.read.val();
        self.shared_at.next = self.access.at.val();
        self.shared_look.next = self.access.look.val();
        self.shared_list.next = self.access.list.val();
        self.busy.next = false;
        self.older.next = false;
        wire!(order_ends.ends => ends: nonempty, head, tail);
        self.follower.next = self.order.follower.val();
        for i in 0..self._hashes {
            if self.hash[i].walks.val() {
                self.shared_read.next = true;
                self.shared_at.next = self.hash[i].walk_at.val();
            }
            if self.hash[i].numbering_look.val() {
                self.shared_look.next = true;
                self.shared_list.next = self.hash[i].numbering_list.val();
            }
            if !self.by_order.val() {
                wire!(hash[i].ends => ends: nonempty, head, tail);
                self.follower.next = self.hash[i].follower.val();
            }
            self.busy.next = self.hash[i].initialising.val() | self.hash[i].busy.val();
            self.older.next = self.hash[i].older.val();
            wire!(self => hash[i]: clk, rst);
            self.hash[i].read.next = self.shared_read.val();
            self.hash[i].at.next = self.shared_at.val();
            self.hash[i].look.next = self.shared_look.val();
            self.hash[i].list.next = self.shared_list.val();
            wire!(access => hash[i]: source, wild, index, insert);
            self.hash[i].unlink.next = self.access.remove.val();
            wire!(self => hash[i]: keep, quiet);
            wire!(order_ends.ends <=> hash[i].order_ends);
            self.hash[i].order_next.next = self.order.follower.val();
        }
        self.any_read.next = self.shared_read.val();
        self.any_at.next = self.shared_at.val();

        self.order_ends.look.next = self.shared_look.val();
        self.order_ends.list.next = self.shared_list.val();
        self.order_ends.write.next = self.access.insert.val() | self.access.remove.val();
        wire!(order <=> order_ends: new_ends);
        self.order.read.next = self.shared_read.val();
        self.order.at.next = self.shared_at.val();
        wire!(order_ends <=> order: ends);
        wire!(access => order: index, insert);
        self.order.unlink.next = self.access.remove.val();
        self.order.frees.next = self.access.frees.val();
        self.order.successor.next = self.places.successor.val();

        self.places.take.next = self.access.insert.val();
        self.places.follower.next = self.order.follower.val();
        self.places.give.next = self.access.frees.val();
        self.places.freed.next = self.access.index.val();
        self.full.next = self.places.full.val();
        self.free_index.next = self.places.index.val();
        wire!(places => self: fresh, used);
    }
}
