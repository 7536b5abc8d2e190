use super::{first_places, GROUP_WIDTH, NODE_WIDTH, WORD_WIDTH};
use crate::prim::LutRam;
use portico_spec::portals::buddy::Heap;
use portico_verilog::prelude::*;

/// Words that have a free block, and groups of `W` words that have one.
///
/// One bit for each word of `W` = 2^`R` nodes, one for each group of `W` words.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from `update` to `words`, `groups` and `group` |
/// | throughput | one word a cycle |
/// | state | one bit a word, one bit a group, and an update in hand |
///
/// Bits of words stand in words of `W` themselves; the first of them is in registers, the others are in LUT-RAM. Word 0 of
/// the nodes has no bit here.
#[derive(LogicBlock, Default)]
pub struct Summary<const W: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is free; LUT-RAM stays as it is.
    pub rst: Signal<In, Bit>,
    /// The word of this node now has a free block or has not.
    pub update: Signal<In, Bit>,
    /// A node of the word.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// A node whose number has that of a group in the place of its word.
    pub looked: Signal<In, Bits<NODE_WIDTH>>,
    /// The word has a free block.
    pub has_free: Signal<In, Bit>,
    /// Words of group 0.
    pub words: Signal<Out, Bits<W>>,
    /// Groups with a word that has a free block.
    pub groups: Signal<Out, Bits<W>>,
    /// Words of the group of `looked`, while nothing is in hand.
    pub group: Signal<Out, Bits<W>>,
    store: LutRam<Bits<W>, GROUP_WIDTH>,
    first: DFF<Bits<W>>,
    with_free: DFF<Bits<W>>,
    pending: DFF<Bit>,
    word: DFF<Bits<WORD_WIDTH>>,
    value: DFF<Bit>,
    node_word: Signal<Local, Bits<WORD_WIDTH>>,
    group_number: Signal<Local, Bits<WORD_WIDTH>>,
    in_first: Signal<Local, Bit>,
    current: Signal<Local, Bits<W>>,
    changed: Signal<Local, Bits<W>>,
    place: Signal<Local, Bits<R>>,
    group_place: Signal<Local, Bits<R>>,
    word_places: Constant<Bits<W>>,
    group_places: Constant<Bits<W>>,
}

impl<const W: usize, const R: usize> Summary<W, R> {
    /// For `heap`.
    pub fn new(heap: Heap) -> Self {
        let words = 2 * u64::from(heap.blocks()) / W as u64;
        let groups = (words / W as u64).max(1);
        Self {
            store: LutRam::new(groups as usize),
            word_places: first_places(words),
            group_places: first_places(groups),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const R: usize> Logic for Summary<W, R> {
    fn update(&mut self) {
        wire!(self => store: clk);
        dff_setup!(self, clk, first, with_free, pending, word, value);
        self.node_word.next = bit_cast::<WORD_WIDTH, NODE_WIDTH>(self.node.val() >> bits::<3>(R));
        self.pending.d.next = self.update.val() & self.node_word.val().any();
        self.word.d.next = self.node_word.val();
        self.value.d.next = self.has_free.val();

        self.group_number.next = self.word.q.val() >> bits::<3>(R);
        self.in_first.next = !self.group_number.val().any();
        self.place.next = bit_cast::<R, WORD_WIDTH>(self.word.q.val());
        self.group_place.next = bit_cast::<R, WORD_WIDTH>(self.group_number.val());
        self.store.read_address.next = bit_cast::<GROUP_WIDTH, NODE_WIDTH>(self.looked.val() >> bits::<3>(R));
        if self.pending.q.val() {
            self.store.read_address.next = bit_cast::<GROUP_WIDTH, WORD_WIDTH>(self.group_number.val());
        }
        self.group.next = self.store.read_data.val();

        self.current.next = self.store.read_data.val();
        if self.in_first.val() {
            self.current.next = self.first.q.val();
        }
        self.changed.next = self
            .current
            .val()
            .replace_bit(self.place.val().index(), self.value.q.val());
        self.words.next = self.first.q.val();
        self.groups.next = self.with_free.q.val();
        if self.pending.q.val() & self.in_first.val() {
            self.first.d.next = self.changed.val() & self.word_places.val();
        }
        if self.pending.q.val() & !self.in_first.val() {
            self.with_free.d.next = self
                .with_free
                .q
                .val()
                .replace_bit(self.group_place.val().index(), self.changed.val().any())
                & self.group_places.val();
        }
        self.store.write_enable.next = self.pending.q.val() & !self.in_first.val();
        self.store.write_address.next = bit_cast::<GROUP_WIDTH, WORD_WIDTH>(self.group_number.val());
        self.store.write_data.next = self.changed.val();
        if self.rst.val() {
            self.first.d.next = 0.into();
            self.with_free.d.next = 0.into();
            self.pending.d.next = false;
        }
    }
}
