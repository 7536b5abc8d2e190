use super::{
    address_channel::{BURSTS, COUNT_WIDTH},
    AddressChannel, Gatherer, WriteBeats,
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
/// The write half of [`AxiMemory`](super::AxiMemory).
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from the end of a burst to its address on the channel, 1 to its first word |
/// | throughput | one word a cycle |
/// | limit | 16 bursts that are not answered |
/// | state | [`Gatherer`], [`AddressChannel`], [`WriteBeats`], and the bursts without an answer |
#[derive(LogicBlock, Default)]
pub struct AxiWrites<const W: usize, const B: usize> {
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
    /// Byte address of the first word of a burst of writes, in external memory.
    pub awaddr: Signal<Out, Bits<64>>,
    /// Words of the burst of writes less one.
    pub awlen: Signal<Out, Bits<8>>,
    /// The address of a burst of writes is offered, and stays until it is taken.
    pub awvalid: Signal<Out, Bit>,
    /// The address of a burst of writes is taken.
    pub awready: Signal<In, Bit>,
    /// A word to write, in the order of the addresses of the bursts.
    pub wdata: Signal<Out, Bits<W>>,
    /// Bytes of the word to write: one bit a byte, bit 0 for bits 7 to 0.
    pub wstrb: Signal<Out, Bits<B>>,
    /// The word to write is the last of its burst.
    pub wlast: Signal<Out, Bit>,
    /// A word to write is offered, and stays until it is taken.
    pub wvalid: Signal<Out, Bit>,
    /// The word to write is taken.
    pub wready: Signal<In, Bit>,
    /// A response passes in this cycle.
    pub answered: Signal<In, Bit>,
    /// No burst waits for a response.
    pub is_answered: Signal<Out, Bit>,
    gatherer: Gatherer,
    address_channel: AddressChannel<W>,
    data_channel: WriteBeats<W, B>,
    unanswered: CreditCounter<COUNT_WIDTH>,
    takes: Signal<Local, Bit>,
    all_answered: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize> AxiWrites<W, B> {
    pub fn new() -> Self {
        Self {
            gatherer: Gatherer::new(W, IDLE_CYCLES),
            unanswered: CreditCounter::new(BURSTS as u64),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AxiWrites<W, B> {
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

        self.unanswered.take.next = self.gatherer.burst.valid.val();
        self.unanswered.give.next = self.answered.val();
        self.all_answered.next = self.unanswered.credits.val() == bits::<COUNT_WIDTH>(BURSTS);
        self.is_answered.next = self.all_answered.val();
        self.is_quiet.next = !self.gatherer.is_open.val() & self.all_answered.val();

        RegisterWriteIn::link(&mut self.registers, &mut self.address_channel.registers);
        SweepIn::link(&mut self.sweep, &mut self.address_channel.sweep);
        wire!(gatherer.burst => address_channel.burst: valid, client, address, beats);
        self.awaddr.next = self.address_channel.addr.val();
        self.awlen.next = self.address_channel.len.val();
        self.awvalid.next = self.address_channel.valid.val();
        self.address_channel.ready.next = self.awready.val();

        self.data_channel.take.next = self.takes.val();
        self.data_channel.word.next = self.memory_write.data.val();
        self.data_channel.lanes.next = self.memory_write.lanes.val();
        self.data_channel.close.next = self.gatherer.burst.valid.val();
        self.data_channel.beats.next = self.gatherer.burst.beats.val();
        self.wdata.next = self.data_channel.data.val();
        self.wstrb.next = self.data_channel.strb.val();
        self.wlast.next = self.data_channel.last.val();
        self.wvalid.next = self.data_channel.valid.val();
        self.data_channel.ready.next = self.wready.val();
    }
}
