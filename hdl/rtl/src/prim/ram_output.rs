use super::{Ram, StreamOut};
use portico_verilog::prelude::*;

/// A block RAM whose words come out as a stream, from flip-flops.
///
/// Words of `W` bits, reached by `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from `holds` to the word offered |
/// | throughput | one write and one read a cycle |
/// | timing | `m_axis` comes straight from flip-flops |
/// | state | the words in block RAM, the output of the memory, the word on offer, and whether there is each |
///
/// A read starts when the word before it can move on, so up to two words have left their places and wait to be taken.
#[derive(LogicBlock)]
pub struct RamOutput<const W: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no word waits afterwards.
    pub rst: Signal<In, Bit>,
    /// Writes `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Place of the word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_data: Signal<In, Bits<W>>,
    /// There is a word at `read_address`; it was written in an earlier cycle.
    pub holds: Signal<In, Bit>,
    /// Place of the word that comes out next; in the cycle after `fetch` that of the one behind it.
    pub read_address: Signal<In, Bits<A>>,
    /// That word leaves its place in this cycle.
    pub fetch: Signal<Out, Bit>,
    /// The words; `tlast` is always low.
    pub m_axis: StreamOut<W>,
    words: Ram<Bits<W>, A>,
    /// The output of the memory is a word that waits; a word is on offer.
    fetched: DFF<Bit>,
    offered: DFF<Bit>,
    shown: DFF<Bits<W>>,
    moves: Signal<Local, Bit>,
}

impl<const W: usize, const A: usize> RamOutput<W, A> {
    /// A memory of `words` words, 1 to 2^A; panics outside that.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            holds: Default::default(),
            read_address: Default::default(),
            fetch: Default::default(),
            m_axis: Default::default(),
            words: Ram::new(words),
            fetched: Default::default(),
            offered: Default::default(),
            shown: Default::default(),
            moves: Default::default(),
        }
    }
}

impl<const W: usize, const A: usize> Default for RamOutput<W, A> {
    /// As many words as an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for RamOutput<W, A> {
    fn update(&mut self) {
        wire!(self => words: clk, write_enable, write_address, write_data);
        dff_setup!(self, clk, fetched, offered, shown);

        self.moves.next = self.m_axis.tready.val() | !self.offered.q.val();
        self.fetch.next = self.holds.val() & (self.moves.val() | !self.fetched.q.val());
        self.words.read_enable.next = self.fetch.val();
        self.words.read_address.next = self.read_address.val();
        self.fetched.d.next = self.fetch.val() | (self.fetched.q.val() & !self.moves.val());
        if self.moves.val() {
            self.offered.d.next = self.fetched.q.val();
            self.shown.d.next = self.words.read_data.val();
        }
        self.m_axis.tvalid.next = self.offered.q.val();
        self.m_axis.tdata.next = self.shown.q.val();
        self.m_axis.tlast.next = false;
        if self.rst.val() {
            self.fetched.d.next = false;
            self.offered.d.next = false;
        }
    }
}
