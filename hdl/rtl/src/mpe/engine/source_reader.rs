use super::{JobIn, ADDRESS_WIDTH, QUEUE_WIDTH, RESERVED_WIDTH, WORDS_WIDTH};
use crate::{
    bus::MemoryReadOut,
    prim::{Fifo, StreamOut},
};
use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// Address and number of words.
const JOB_WIDTH: usize = ADDRESS_WIDTH + WORDS_WIDTH;

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
    jobs: Fifo<JOB_WIDTH, 2>,
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
        self.jobs.s_axis.tvalid.next = self.job.valid.val() & self.job.from_memory.val() & self.job.words.val().any();
        self.jobs.s_axis.tdata.next = bit_cast::<JOB_WIDTH, ADDRESS_WIDTH>(self.job.address.val())
            | (bit_cast::<JOB_WIDTH, WORDS_WIDTH>(self.job.words.val()) << bits::<5>(ADDRESS_WIDTH as u64));
        self.jobs.s_axis.tlast.next = true;
        self.job.ready.next = self.jobs.s_axis.tready.val();

        self.is_free.next = !self.asks.q.val() | self.memory.ready.val();
        self.goes.next =
            self.jobs.m_axis.tvalid.val() & self.is_free.val() & !self.reserved.q.val().get_bit(QUEUE_WIDTH);
        self.is_last.next =
            self.count.q.val() + 1 == self.jobs.m_axis.tdata.val().get_bits::<WORDS_WIDTH>(ADDRESS_WIDTH);
        self.jobs.m_axis.tready.next = self.goes.val() & self.is_last.val();
        if self.is_free.val() {
            self.asks.d.next = self.goes.val();
            self.address.d.next = self.jobs.m_axis.tdata.val().get_bits::<ADDRESS_WIDTH>(0)
                + bit_cast::<ADDRESS_WIDTH, WORDS_WIDTH>(self.count.q.val());
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
        StreamOut::<32>::link(&mut self.m_axis, &mut self.words.m_axis);
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
