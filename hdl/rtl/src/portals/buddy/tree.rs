use super::first_places;
use super::{NODE_WIDTH, WORD_WIDTH};
use crate::prim::Ram;
use portico_spec::portals::buddy::Heap;
use portico_verilog::prelude::*;

/// The bits of the nodes: first word in registers, the others in RAM.
///
/// Words of `W` = 2^`R` nodes, each in a RAM word of `M` bits.
///
/// | | |
/// | --- | --- |
/// | latency | the word of `next_node` is shown two cycles later; what is written then is read from the cycle after |
/// | throughput | one word shown and written a cycle |
/// | state | one bit a node |
///
/// A node's parent and children are in other words, unless in word 0, and so are theirs: a walk never reads from RAM what it
/// is writing or has yet to write.
#[derive(LogicBlock, Default)]
pub struct Tree<const W: usize, const R: usize, const M: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: word 0 is that of a free heap; RAM stays as it is.
    pub rst: Signal<In, Bit>,
    /// The node in hand in two cycles.
    pub next_node: Signal<In, Bits<NODE_WIDTH>>,
    /// In one cycle: the last `next_node`.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// The node in hand.
    pub hand: Signal<Out, Bits<NODE_WIDTH>>,
    /// The node in hand becomes used.
    pub mark: Signal<In, Bit>,
    /// It is used no more.
    pub unmark: Signal<In, Bit>,
    /// No node of its word is used, which is not word 0.
    pub clear: Signal<In, Bit>,
    /// The node in hand is used.
    pub used: Signal<Out, Bit>,
    /// Its buddy is.
    pub buddy_used: Signal<Out, Bit>,
    /// Free blocks in its word.
    pub free: Signal<Out, Bits<W>>,
    /// Free blocks in word 0.
    pub first_free: Signal<Out, Bits<W>>,
    /// Its word will have a free block.
    pub keeps_free: Signal<Out, Bit>,
    store: Ram<Bits<M>, WORD_WIDTH>,
    first: DFF<Bits<W>>,
    /// The word of RAM that was read.
    fetched: DFF<Bits<M>>,
    held: DFF<Bits<NODE_WIDTH>>,
    /// The node in hand is in word 0.
    in_first: DFF<Bit>,
    word: Signal<Local, Bits<W>>,
    place: Signal<Local, Bits<R>>,
    buddy: Signal<Local, Bits<R>>,
    new_word: Signal<Local, Bits<W>>,
    writes: Signal<Local, Bit>,
    nodes: Constant<Bits<W>>,
}

impl<const W: usize, const R: usize, const M: usize> Tree<W, R, M> {
    /// For `heap`, all of it free after reset.
    pub fn new(heap: Heap) -> Self {
        let nodes = 2 * u64::from(heap.blocks());
        Self {
            store: Ram::new(nodes as usize / W),
            nodes: first_places(nodes),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const R: usize, const M: usize> Logic for Tree<W, R, M> {
    fn update(&mut self) {
        wire!(self => store: clk);
        dff_setup!(self, clk, first, fetched, held, in_first);
        self.store.read_enable.next = true;
        self.store.read_address.next = bit_cast::<WORD_WIDTH, NODE_WIDTH>(self.next_node.val() >> bits::<3>(R));
        self.held.d.next = self.node.val();
        self.hand.next = self.held.q.val();
        self.in_first.d.next = !(self.node.val() >> bits::<3>(R)).any();
        self.store.write_address.next = bit_cast::<WORD_WIDTH, NODE_WIDTH>(self.held.q.val() >> bits::<3>(R));
        self.fetched.d.next = self.store.read_data.val();
        self.word.next = bit_cast::<W, M>(self.fetched.q.val());
        if self.in_first.q.val() {
            self.word.next = self.first.q.val();
        }
        self.place.next = bit_cast::<R, NODE_WIDTH>(self.held.q.val());
        self.buddy.next = self.place.val() ^ bits::<R>(1);
        self.used.next = self.word.val().get_bit(self.place.val().index());
        self.buddy_used.next = self.word.val().get_bit(self.buddy.val().index());

        // A node is free that is not used while its buddy is.
        self.free.next = !self.word.val()
            & (((self.word.val() & bits::<W>(0x5555_5555 & ((1 << W) - 1))) << 1)
                | ((self.word.val() >> 1) & bits::<W>(0x5555_5555 & ((1 << W) - 1))));
        self.first_free.next = !self.first.q.val()
            & (((self.first.q.val() & bits::<W>(0x5555_5555 & ((1 << W) - 1))) << 1)
                | ((self.first.q.val() >> 1) & bits::<W>(0x5555_5555 & ((1 << W) - 1))));

        self.new_word.next = self.word.val().replace_bit(self.place.val().index(), self.mark.val());
        if self.clear.val() {
            self.new_word.next = 0.into();
        }
        self.keeps_free.next =
            ((self.new_word.val() ^ (self.new_word.val() >> 1)) & bits::<W>(0x5555_5555 & ((1 << W) - 1))).any();
        self.writes.next = self.mark.val() | self.unmark.val() | self.clear.val();
        self.store.write_data.next = bit_cast::<M, W>(self.new_word.val());
        self.store.write_enable.next = false;
        if self.writes.val() & self.in_first.q.val() {
            self.first.d.next = self.new_word.val() & self.nodes.val();
        }
        if self.writes.val() & !self.in_first.q.val() {
            self.store.write_enable.next = true;
        }
        if self.rst.val() {
            self.first.d.next = bits::<W>(1);
        }
    }
}
