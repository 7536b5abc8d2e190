use super::{JobIn, ADDRESS_WIDTH, QUEUE_WIDTH, RESERVED_WIDTH, WORDS_WIDTH};
use crate::{
    bus::MemoryReadOut,
    prim::{Fifo, Queue, StreamOut},
};
use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// What is kept of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct SourcePass {
    /// Of its first word, in words.
    pub address: Bits<ADDRESS_WIDTH>,
    pub words: Bits<WORDS_WIDTH>,
}

/// Reads the words of passes from the scratchpad, ahead of their use.
///
/// Words of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | 4 cycles from a pass to its first word, if the scratchpad is free |
/// | throughput | one word a cycle, also across passes |
/// | state | 4 passes and 16 words in LUT-RAM, and the address |
#[derive(LogicBlock, Default)]
pub struct SourceReader {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Passes; those with `from_memory` and one word or more are kept here, up to 4.
    pub job: JobIn,
    /// Reads of the calls' own words from the scratchpad.
    pub memory: MemoryReadOut<32>,
    /// Words of the passes; `tlast` is always low.
    pub m_axis: StreamOut<32>,
    jobs: Queue<SourcePass, 2>,
    words: Fifo<32, QUEUE_WIDTH>,
    /// Words of the pass that have been asked for.
    count: DFF<Bits<WORDS_WIDTH>>,
    /// Words that are asked for and not yet taken.
    reserved: DFF<Bits<RESERVED_WIDTH>>,
    asks: DFF<Bit>,
    address: DFF<Bits<ADDRESS_WIDTH>>,
    is_free: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl Logic for SourceReader {
    fn update(&mut self) {
        wire!(self => jobs, words: clk, rst);
        dff_setup!(self, clk, count, reserved, asks, address);
        self.jobs.write.next = self.job.valid.val() & self.job.from_memory.val() & self.job.words.val().any();
        self.jobs.write_data.next.address = self.job.address.val();
        self.jobs.write_data.next.words = self.job.words.val();
        self.job.ready.next = !self.jobs.full.val();

        self.is_free.next = !self.asks.q.val() | self.memory.ready.val();
        self.goes.next = !self.jobs.empty.val() & self.is_free.val() & !self.reserved.q.val().get_bit(QUEUE_WIDTH);
        self.is_last.next = self.count.q.val() + 1 == self.jobs.read_data.val().words;
        self.jobs.read.next = self.goes.val() & self.is_last.val();
        if self.is_free.val() {
            self.asks.d.next = self.goes.val();
            self.address.d.next =
                self.jobs.read_data.val().address + bit_cast::<ADDRESS_WIDTH, WORDS_WIDTH>(self.count.q.val());
        }
        if self.goes.val() {
            self.count.d.next = self.count.q.val() + 1;
            if self.is_last.val() {
                self.count.d.next = 0.into();
            }
        }
        self.memory.valid.next = self.asks.q.val();
        self.memory.address.next = bit_cast::<OFFSET_WIDTH, ADDRESS_WIDTH>(self.address.q.val());
        self.words.s_axis.tvalid.next = self.memory.data_valid.val();
        self.words.s_axis.tdata.next = self.memory.data.val();
        self.words.s_axis.tlast.next = false;
        wire!(self <=> words: m_axis);
        self.taken.next = self.m_axis.tready.val() & self.words.m_axis.tvalid.val();
        if self.goes.val() & !self.taken.val() {
            self.reserved.d.next = self.reserved.q.val() + 1;
        }
        if self.taken.val() & !self.goes.val() {
            self.reserved.d.next = self.reserved.q.val() - 1;
        }
        if self.rst.val() {
            self.count.d.next = 0.into();
            self.reserved.d.next = 0.into();
            self.asks.d.next = false;
        }
    }
}
