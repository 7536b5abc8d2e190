//! The buddy allocator with its streams.
//!
//! | | |
//! | --- | --- |
//! | latency | from a command taken to its result offered, with d depths below the root (14 for 1 MiB in 64-byte blocks): allocate up to d + 8 cycles, free up to d + 5, errors 2 to d + 5 |
//! | throughput | one command at a time; the next is taken in the cycle after the result |
//! | timing | `s_axis_tready`, `m_axis_tvalid` and both readings come straight from flip-flops |
//! | initialisation | after a reset 2^(d + 1) / W + 1 cycles (1025 for 1 MiB in 64-byte blocks), no command is taken |
//! | state | 2^(d + 1) bits in RAM, a `W`th of that in LUT-RAM |

use super::{
    account::Account, buddy_control::BuddyControl, buddy_request::BuddyRequest, marker::Marker, path::Path,
    reply::Reply, summary::Summary, tree::Tree, tree_search::TreeSearch, word_radix,
};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::portals::buddy::{Heap, BYTES_WIDTH};
use portico_verilog::prelude::*;

/// An allocator whose nodes stand in words of `W` = 2^`R` bits, each in a RAM word of `M` bits.
#[derive(LogicBlock, Default)]
pub struct BuddyAllocator<const W: usize, const R: usize, const M: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: after the initialisation the whole heap is free.
    pub rst: Signal<In, Bit>,
    /// Commands, one beat each; `tlast` is ignored.
    pub s_axis: StreamIn<32>,
    /// Results, one beat each, in the order of the commands.
    pub m_axis: StreamOut<32>,
    /// Bytes of all free blocks, as of the result offered or taken last; changes only between a command and its result.
    pub free_bytes: Signal<Out, Bits<BYTES_WIDTH>>,
    /// Bytes of the largest free block, 0 without one; changes at the same times as `free_bytes`.
    pub largest_free: Signal<Out, Bits<BYTES_WIDTH>>,
    /// Tables are being cleared after a reset; `free_bytes` and `largest_free` are not valid yet.
    pub initialising: Signal<Out, Bit>,
    request: BuddyRequest,
    control: BuddyControl,
    search: TreeSearch<W, R>,
    path: Path<W, R>,
    marker: Marker,
    tree: Tree<W, R, M>,
    summary: Summary<W, R>,
    account: Account,
    reply: Reply,
}

impl<const W: usize, const R: usize, const M: usize> BuddyAllocator<W, R, M> {
    /// An allocator of `heap`; panics unless `R` is [`word_radix`] of it, `W` = 2^`R`, and `M` is `W`, or 16 if that is
    /// less.
    pub fn new(heap: Heap) -> Self {
        assert!(
            R == word_radix(heap) && W == 1 << R && M == W.max(16),
            "buddy allocator: W = {W}, R = {R}, M = {M} for {heap:?}, allowed: R = {}, W = 2^R, M = max(W, 16)",
            word_radix(heap)
        );
        Self {
            request: BuddyRequest::new(heap),
            search: TreeSearch::new(),
            path: Path::new(heap),
            tree: Tree::new(heap),
            summary: Summary::new(heap),
            account: Account::new(heap),
            reply: Reply::new(heap),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const R: usize, const M: usize> Logic for BuddyAllocator<W, R, M> {
    fn update(&mut self) {
        wire!(self => control, path, tree, summary, account: clk, rst);
        wire!(self => marker, search: clk);
        self.request.command.next = self.s_axis.tdata.val();
        self.control.start.next = self.s_axis.tvalid.val();
        wire!(request => control: is_free, foreign, zero_size);
        self.control.too_large.next = !self.request.sufficient.val().any();
        wire!(search => control: none, leads_to_word, leads_to_group);
        wire!(path => control: at_leaf, at_last_word);
        wire!(marker => control: ends, misplaced, not_live);
        self.control.taken.next = self.m_axis.tready.val();
        self.initialising.next = self.control.initialising.val();

        self.path.stage.next = self.control.stage.val();
        wire!(request => path: is_free, leaf);
        wire!(control => path: leads_on);
        self.path.place.next = self.search.place.val();
        self.marker.stage.next = self.control.hand_stage.val();
        wire!(control => marker: idle);
        self.marker.sufficient.next = self.request.sufficient.val();
        self.marker.node.next = self.tree.hand.val();
        wire!(tree => marker: used, buddy_used);

        wire!(path => tree: node, next_node);
        wire!(marker => tree: mark, unmark, clear);
        self.summary.update.next = self.marker.mark.val() | self.marker.unmark.val() | self.marker.clear.val();
        self.summary.node.next = self.tree.hand.val();
        self.summary.looked.next = self.path.node.val();
        self.summary.has_free.next = self.tree.keeps_free.val();

        self.search.nodes.next = self.tree.first_free.val();
        wire!(summary => search: words, groups);
        self.search.sufficient.next = self.request.sufficient.val();
        self.search.goes_on.next = self.control.seeks_word.val() | self.control.seeks_node.val();
        self.search.further.next = self.tree.free.val();
        if self.control.seeks_word.val() {
            self.search.further.next = self.summary.group.val();
        }

        wire!(control => account: granted, freed);
        self.account.order.next = self.marker.order.val();
        self.account.available.next = self.search.available.val();
        wire!(account => self: free_bytes, largest_free);

        wire!(control => reply: status, frees);
        self.reply.order.next = self.marker.order.val();
        self.reply.node.next = self.path.node.val();
        self.s_axis.tready.next = self.control.idle.val();
        self.m_axis.tvalid.next = self.control.offers.val();
        self.m_axis.tlast.next = true;
        self.m_axis.tdata.next = self.reply.beat.val();
    }
}
