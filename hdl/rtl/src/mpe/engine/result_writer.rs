use super::{ADDRESS_WIDTH, QUEUE_WIDTH};
use crate::{
    bus::MemoryWriteOut,
    prim::{Fifo, StreamIn},
};
use portico_spec::{
    mpe::call::{CONTEXTS, CONTEXT_WIDTH},
    ni::packet::OFFSET_WIDTH,
};
use portico_verilog::prelude::*;

/// A result: a word, and above it whether it is the first of its pass.
pub const RESULT_WIDTH: usize = OPENS_AT + 1;
pub const OPENS_AT: usize = 32;
/// Byte lanes of a word.
const LANES: usize = 4;

/// Writes words of passes to the scratchpad, and tells when the last of a phase is written.
///
/// Words of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a word to the scratchpad |
/// | throughput | one word a cycle |
/// | state | 16 words and addresses in LUT-RAM, and the pass in hand |
#[derive(LogicBlock, Default)]
pub struct ResultWriter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for one cycle for each pass, with its first word or earlier: `place` is valid.
    pub place_valid: Signal<In, Bit>,
    /// Address in the scratchpad, in words, where the words of the next pass go; valid with `place_valid`.
    pub place: Signal<In, Bits<ADDRESS_WIDTH>>,
    /// Words. A beat with `tlast` holds no word: it names a context whose phase ends. Always ready for as many as are reserved.
    pub s_axis: StreamIn<RESULT_WIDTH>,
    /// High for a cycle: one of them has left the queue.
    pub released: Signal<Out, Bit>,
    /// Writes of results to the scratchpad.
    pub memory: MemoryWriteOut<32, LANES>,
    /// One bit a context, for a cycle: its last word is written.
    pub ended: Signal<Out, Bits<CONTEXTS>>,
    words: Fifo<RESULT_WIDTH, QUEUE_WIDTH>,
    places: Fifo<ADDRESS_WIDTH, QUEUE_WIDTH>,
    writes: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    data: DFF<Bits<32>>,
    is_free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    is_mark: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ResultWriter {
    fn update(&mut self) {
        wire!(self => words, places: clk, rst);
        dff_setup!(self, clk, writes, address, data);
        wire!(self <=> words: s_axis);
        self.places.s_axis.tvalid.next = self.place_valid.val();
        self.places.s_axis.tdata.next = self.place.val();
        self.places.s_axis.tlast.next = true;

        self.is_free.next = !self.writes.q.val() | self.memory.ready.val();
        self.is_mark.next = self.words.m_axis.tlast.val();
        self.is_first.next = self.words.m_axis.tdata.val().get_bit(OPENS_AT);
        self.takes.next = self.words.m_axis.tvalid.val() & self.is_free.val();
        self.words.m_axis.tready.next = self.is_free.val();
        self.released.next = self.takes.val();
        self.places.m_axis.tready.next = self.takes.val() & self.is_first.val() & !self.is_mark.val();
        if self.is_free.val() {
            self.writes.d.next = self.takes.val() & !self.is_mark.val();
        }
        if self.takes.val() & !self.is_mark.val() {
            self.data.d.next = self.words.m_axis.tdata.val().get_bits::<32>(0);
            self.address.d.next = self.address.q.val() + 1;
            if self.is_first.val() {
                self.address.d.next = self.places.m_axis.tdata.val();
            }
        }
        self.ended.next = 0.into();
        if self.takes.val() & self.is_mark.val() {
            self.ended.next = bits::<CONTEXTS>(1) << self.words.m_axis.tdata.val().get_bits::<CONTEXT_WIDTH>(0);
        }
        self.memory.valid.next = self.writes.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.memory.data.next = self.data.q.val();
        self.memory.lanes.next = !bits::<LANES>(0);
        if self.rst.val() {
            self.writes.d.next = false;
        }
    }
}
