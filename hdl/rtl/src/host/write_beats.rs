use super::{address_channel::BURSTS_WIDTH, gatherer::BEATS_WIDTH};
use crate::prim::{Fifo, FifoControl, LutRam};
use portico_verilog::prelude::*;

/// Bits of a place for a word: room for one burst on its way out and one that is gathered.
const WORDS_WIDTH: usize = BEATS_WIDTH + 1;

/// The write data channel of AXI4: words wait until their burst is closed; the last word of the burst is marked.
///
/// Queues words and lengths of bursts. At most 16 bursts may wait; the block that gives bursts must keep to this limit.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from the end of a burst to its first word on the channel |
/// | throughput | one word a cycle |
/// | state | 32 words and 16 bursts in LUT-RAM, and the place in the burst |
///
/// A burst is sent only when all of its words are here, so that no interconnect waits for words that are still on their way.
#[derive(LogicBlock, Default)]
pub struct WriteBeats<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing waits afterwards.
    pub rst: Signal<In, Bit>,
    /// A word is taken in this cycle; only while `room` is high.
    pub take: Signal<In, Bit>,
    /// The word that is taken.
    pub word: Signal<In, Bits<W>>,
    /// Bytes of that word to write: one bit a byte, bit 0 for bits 7 to 0.
    pub lanes: Signal<In, Bits<B>>,
    /// There is room for a word.
    pub room: Signal<Out, Bit>,
    /// A burst of `beats` + 1 of the words taken before this cycle is closed.
    pub close: Signal<In, Bit>,
    /// Words of the burst that is closed, less one.
    pub beats: Signal<In, Bits<BEATS_WIDTH>>,
    /// A word to write, in the order of the bursts.
    pub data: Signal<Out, Bits<W>>,
    /// Bytes of the word to write: one bit a byte, bit 0 for bits 7 to 0.
    pub strb: Signal<Out, Bits<B>>,
    /// The word to write is the last of its burst.
    pub last: Signal<Out, Bit>,
    /// A word to write is offered, and stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// The word to write is taken.
    pub ready: Signal<In, Bit>,
    control: FifoControl<WORDS_WIDTH>,
    words: LutRam<Bits<W>, WORDS_WIDTH>,
    strobes: LutRam<Bits<B>, WORDS_WIDTH>,
    lengths: Fifo<BEATS_WIDTH, BURSTS_WIDTH>,
    beat: DFF<Bits<BEATS_WIDTH>>,
    passes: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize, const B: usize> Logic for WriteBeats<W, B> {
    fn update(&mut self) {
        wire!(self => control, lengths: clk, rst);
        wire!(self => words, strobes: clk);
        dff_setup!(self, clk, beat);
        self.control.write.next = self.take.val();
        self.room.next = !self.control.full.val();
        wire!(control => words: write_enable, write_address);
        self.words.write_data.next = self.word.val();
        self.words.read_address.next = self.control.read_address.val();
        self.data.next = self.words.read_data.val();
        wire!(control => strobes: write_enable, write_address);
        self.strobes.write_data.next = self.lanes.val();
        self.strobes.read_address.next = self.control.read_address.val();
        self.strb.next = self.strobes.read_data.val();

        self.lengths.s_axis.tvalid.next = self.close.val();
        self.lengths.s_axis.tdata.next = self.beats.val();
        self.lengths.s_axis.tlast.next = true;
        self.valid.next = self.lengths.m_axis.tvalid.val();
        self.last.next = self.beat.q.val() == self.lengths.m_axis.tdata.val();
        self.passes.next = self.lengths.m_axis.tvalid.val() & self.ready.val();
        self.control.read.next = self.passes.val();
        self.lengths.m_axis.tready.next = self.ready.val() & self.last.val();
        if self.passes.val() {
            self.beat.d.next = self.beat.q.val() + 1;
            if self.last.val() {
                self.beat.d.next = 0.into();
            }
        }
        if self.rst.val() {
            self.beat.d.next = 0.into();
        }
    }
}
