use super::{
    address_channel::{BURSTS, BURSTS_WIDTH, COUNT_WIDTH},
    axi::{INCREMENTING, NORMAL_BUFFERABLE},
    gatherer::BEATS_WIDTH,
    AddressChannel, AxiReadOut, ClientChoice, Gatherer,
};
use crate::{
    bus::{MemoryReadIn, RegisterWriteIn, SweepIn},
    prim::{CreditCounter, Fifo},
};
use portico_verilog::prelude::*;

/// Idle cycles that an open burst waits for more requests: its first word is late already.
const IDLE_CYCLES: u64 = 1;
/// Width of a burst that is under way: its client above its words less one.
const BURST_WIDTH: usize = BEATS_WIDTH + 1;

/// Reads of external memory by two clients, gathered into bursts.
///
/// The read half of [`AxiMemory`](super::AxiMemory), with its `W` and `A`.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a lone request to its address on the channel, 1 cycle from a beat to its client |
/// | throughput | one word a cycle |
/// | limit | 16 bursts that are not complete |
/// | state | [`Gatherer`], [`AddressChannel`], client and words of 16 bursts in LUT-RAM, and the word that answers |
///
/// A client gets as many words as it asked for, even from a memory that breaks the protocol. If `rlast` comes early, the missing
/// words of the burst read 0. If `rlast` comes late or never, the burst ends after its number of words. Extra beats then count
/// for the next burst that waits, which again has extra beats; without a waiting burst they are dropped. Each case is a fault.
#[derive(LogicBlock, Default)]
pub struct AxiReads<const W: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Page bases, see [`PageTable`](super::PageTable).
    pub registers: RegisterWriteIn,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Reads of two clients; 0 has the first turn.
    pub memory_read: [MemoryReadIn<W>; 2],
    /// Requests may be taken.
    pub enable: Signal<In, Bit>,
    /// A client asks.
    pub asked: Signal<Out, Bit>,
    /// A request is taken.
    pub taken: Signal<Out, Bit>,
    /// High for a cycle for each beat with an error or out of place: `rlast` early or late, or no burst under way.
    pub fault: Signal<Out, Bit>,
    /// Bursts of reads of external memory. `rready` is high, except while the missing words of a burst are filled in.
    pub m_axi: AxiReadOut<W, A>,
    choice: ClientChoice,
    gatherer: Gatherer,
    address_channel: AddressChannel<W, A>,
    bursts: Fifo<BURST_WIDTH, BURSTS_WIDTH>,
    incomplete: CreditCounter<COUNT_WIDTH>,
    data: DFF<Bits<W>>,
    arrived: [DFF<Bit>; 2],
    takes: Signal<Local, Bit>,
    /// Words of the burst that have come.
    passed: DFF<Bits<BEATS_WIDTH>>,
    /// `rlast` came early: words are missing.
    filling: DFF<Bit>,
    burst: Signal<Local, Bits<BURST_WIDTH>>,
    beat: Signal<Local, Bit>,
    word: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl<const W: usize, const A: usize> AxiReads<W, A> {
    pub fn new() -> Self {
        Self {
            gatherer: Gatherer::new(W, IDLE_CYCLES),
            incomplete: CreditCounter::new(BURSTS as u64),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for AxiReads<W, A> {
    fn update(&mut self) {
        wire!(self => choice, gatherer, incomplete, address_channel, bursts: clk, rst);
        dff_setup!(self, clk, data, passed, filling);
        self.asked.next = self.memory_read[0].valid.val() | self.memory_read[1].valid.val();
        self.takes.next = self.asked.val() & self.enable.val() & self.incomplete.available.val();
        self.taken.next = self.takes.val();
        self.choice.asks[0].next = self.memory_read[0].valid.val();
        self.choice.asks[1].next = self.memory_read[1].valid.val();
        self.choice.take.next = self.takes.val();
        self.memory_read[0].ready.next = self.takes.val() & !self.choice.client.val();
        self.memory_read[1].ready.next = self.takes.val() & self.choice.client.val();

        self.gatherer.take.next = self.takes.val();
        self.gatherer.client.next = self.choice.client.val();
        self.gatherer.address.next = self.memory_read[0].address.val();
        if self.choice.client.val() {
            self.gatherer.address.next = self.memory_read[1].address.val();
        }
        self.gatherer.flush.next = false;
        self.gatherer.room.next = self.incomplete.available.val();

        wire!(self <=> address_channel: registers, sweep);
        wire!(gatherer <=> address_channel: burst);
        self.m_axi.arid.next = 0.into();
        self.m_axi.araddr.next = self.address_channel.addr.val();
        self.m_axi.arlen.next = self.address_channel.len.val();
        self.m_axi.arsize.next = bits::<3>(((W / 8).ilog2()) as u64);
        self.m_axi.arburst.next = bits::<2>(INCREMENTING);
        self.m_axi.arlock.next = false;
        self.m_axi.arcache.next = bits::<4>(NORMAL_BUFFERABLE);
        self.m_axi.arprot.next = 0.into();
        self.m_axi.arqos.next = 0.into();
        self.m_axi.arvalid.next = self.address_channel.valid.val();
        self.address_channel.ready.next = self.m_axi.arready.val();

        self.bursts.s_axis.tvalid.next = self.gatherer.burst.valid.val();
        self.bursts.s_axis.tdata.next = field::<BURST_WIDTH, 1>(self.gatherer.burst.client.val().into(), BEATS_WIDTH)
            | bit_cast::<BURST_WIDTH, BEATS_WIDTH>(self.gatherer.burst.beats.val());
        self.bursts.s_axis.tlast.next = true;
        self.burst.next = self.bursts.m_axis.tdata.val();

        self.m_axi.rready.next = !self.filling.q.val();
        self.beat.next = self.m_axi.rvalid.val() & !self.filling.q.val();
        self.word.next = self.bursts.m_axis.tvalid.val() & (self.filling.q.val() | self.beat.val());
        self.is_last.next = self.passed.q.val() == self.burst.val().get_bits::<BEATS_WIDTH>(0);
        self.ends.next = self.word.val() & self.is_last.val();
        self.bursts.m_axis.tready.next = self.ends.val();
        self.incomplete.take.next = self.gatherer.burst.valid.val();
        self.incomplete.give.next = self.ends.val();
        // The upper half of the responses are errors.
        self.fault.next = self.beat.val()
            & (self.m_axi.rresp.val().get_bit(1)
                | !self.bursts.m_axis.tvalid.val()
                | (self.m_axi.rlast.val() != self.is_last.val()));
        if self.word.val() {
            self.passed.d.next = self.passed.q.val() + 1;
            self.filling.d.next = self.filling.q.val() | self.m_axi.rlast.val();
        }
        if self.ends.val() {
            self.passed.d.next = 0.into();
            self.filling.d.next = false;
        }

        self.data.d.next = self.m_axi.rdata.val();
        if self.filling.q.val() {
            self.data.d.next = 0.into();
        }
        self.arrived[0].clock.next = self.clk.val();
        self.arrived[0].d.next = self.word.val() & !self.burst.val().get_bit(BEATS_WIDTH);
        self.arrived[1].clock.next = self.clk.val();
        self.arrived[1].d.next = self.word.val() & self.burst.val().get_bit(BEATS_WIDTH);
        for i in 0..2 {
            self.memory_read[i].data.next = self.data.q.val();
            self.memory_read[i].data_valid.next = self.arrived[i].q.val();
        }
        if self.rst.val() {
            self.arrived[0].d.next = false;
            self.arrived[1].d.next = false;
            self.passed.d.next = 0.into();
            self.filling.d.next = false;
        }
    }
}
