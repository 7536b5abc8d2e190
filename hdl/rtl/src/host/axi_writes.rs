use super::{
    address_channel::{BURSTS, COUNT_WIDTH},
    axi::{INCREMENTING, NORMAL_BUFFERABLE},
    AddressChannel, AxiWriteOut, Gatherer, WriteBeats,
};
use crate::{
    bus::{MemoryWriteIn, RegisterWriteIn, SweepIn},
    prim::CreditCounter,
};
use portico_verilog::prelude::*;

/// Idle cycles that an open burst waits for more words.
const IDLE_CYCLES: u64 = 4;

/// Writes to external memory, gathered into bursts.
///
/// The write half of [`AxiMemory`](super::AxiMemory), with its `W`, `B` and `A`.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from the end of a burst to its address on the channel, 1 to its first word |
/// | throughput | one word a cycle |
/// | limit | 16 bursts that are not answered |
/// | state | [`Gatherer`], [`AddressChannel`], [`WriteBeats`], and the bursts without an answer |
#[derive(LogicBlock, Default)]
pub struct AxiWrites<const W: usize, const B: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Page bases, see [`PageTable`](super::PageTable).
    pub registers: RegisterWriteIn,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Writes of the node, gathered into bursts.
    pub memory_write: MemoryWriteIn<W, B>,
    /// No word is taken.
    pub hold: Signal<In, Bit>,
    /// The open burst waits for no more words.
    pub flush: Signal<In, Bit>,
    /// Every word taken before this cycle is written and answered.
    pub is_quiet: Signal<Out, Bit>,
    /// A response waits.
    pub hold_response: Signal<In, Bit>,
    /// High for a cycle for each response with an error or without a burst.
    pub fault: Signal<Out, Bit>,
    /// Bursts of writes of external memory.
    pub m_axi: AxiWriteOut<W, B, A>,
    gatherer: Gatherer,
    address_channel: AddressChannel<W, A>,
    data_channel: WriteBeats<W, B>,
    unanswered: CreditCounter<COUNT_WIDTH>,
    takes: Signal<Local, Bit>,
    answered: Signal<Local, Bit>,
    all_answered: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize, const A: usize> AxiWrites<W, B, A> {
    pub fn new() -> Self {
        Self {
            gatherer: Gatherer::new(W, IDLE_CYCLES),
            unanswered: CreditCounter::new(BURSTS as u64),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize, const A: usize> Logic for AxiWrites<W, B, A> {
    fn update(&mut self) {
        wire!(self => gatherer, unanswered, address_channel, data_channel: clk, rst);
        self.memory_write.ready.next =
            self.unanswered.available.val() & self.data_channel.room.val() & !self.hold.val();
        self.takes.next = self.memory_write.valid.val()
            & self.unanswered.available.val()
            & self.data_channel.room.val()
            & !self.hold.val();

        self.gatherer.take.next = self.takes.val();
        self.gatherer.client.next = false;
        self.gatherer.address.next = self.memory_write.address.val();
        self.gatherer.flush.next = self.flush.val();
        self.gatherer.room.next = self.unanswered.available.val();

        self.m_axi.bready.next = !self.hold_response.val();
        self.answered.next = self.m_axi.bvalid.val() & !self.hold_response.val();
        self.unanswered.take.next = self.gatherer.burst.valid.val();
        self.unanswered.give.next = self.answered.val();
        self.all_answered.next = self.unanswered.credits.val() == bits::<COUNT_WIDTH>(BURSTS);
        self.is_quiet.next = !self.gatherer.is_open.val() & self.all_answered.val();
        // The upper half of the responses are errors.
        self.fault.next = self.answered.val() & (self.m_axi.bresp.val().get_bit(1) | self.all_answered.val());

        wire!(self <=> address_channel: registers, sweep);
        wire!(gatherer <=> address_channel: burst);
        self.m_axi.awid.next = 0.into();
        self.m_axi.awaddr.next = self.address_channel.addr.val();
        self.m_axi.awlen.next = self.address_channel.len.val();
        self.m_axi.awsize.next = bits::<3>((B.ilog2()) as u64);
        self.m_axi.awburst.next = bits::<2>(INCREMENTING);
        self.m_axi.awlock.next = false;
        self.m_axi.awcache.next = bits::<4>(NORMAL_BUFFERABLE);
        self.m_axi.awprot.next = 0.into();
        self.m_axi.awqos.next = 0.into();
        self.m_axi.awvalid.next = self.address_channel.valid.val();
        self.address_channel.ready.next = self.m_axi.awready.val();

        self.data_channel.take.next = self.takes.val();
        self.data_channel.word.next = self.memory_write.data.val();
        self.data_channel.lanes.next = self.memory_write.lanes.val();
        self.data_channel.close.next = self.gatherer.burst.valid.val();
        self.data_channel.beats.next = self.gatherer.burst.beats.val();
        self.m_axi.wdata.next = self.data_channel.data.val();
        self.m_axi.wstrb.next = self.data_channel.strb.val();
        self.m_axi.wlast.next = self.data_channel.last.val();
        self.m_axi.wvalid.next = self.data_channel.valid.val();
        self.data_channel.ready.next = self.m_axi.wready.val();
    }
}
