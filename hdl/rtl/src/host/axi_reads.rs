use super::{
    address_channel::{BURSTS, BURSTS_WIDTH, COUNT_WIDTH},
    AddressChannel, ClientChoice, Gatherer,
};
use crate::{
    bus::{MemoryReadIn, RegisterWriteIn},
    prim::{CreditCounter, Fifo},
};
use portico_spec::flit::NODE_WIDTH;
use portico_verilog::prelude::*;

/// Idle cycles that an open burst waits for more requests: its first word is late already.
const IDLE_CYCLES: u64 = 1;

/// Reads of external memory by two clients, gathered into bursts.
///
/// The read half of [`AxiMemory`](super::AxiMemory).
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a lone request to its address on the channel, 1 cycle from a beat to its client |
/// | throughput | one word a cycle |
/// | limit | 16 bursts that are not complete |
/// | state | [`Gatherer`], [`AddressChannel`], the clients of 16 bursts in LUT-RAM, W + 15 flip-flops |
#[derive(LogicBlock, Default)]
pub struct AxiReads<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub registers: RegisterWriteIn,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub memory_read: [MemoryReadIn<W>; 2],
    /// Requests may be taken.
    pub enable: Signal<In, Bit>,
    /// A client asks.
    pub asked: Signal<Out, Bit>,
    /// A request is taken.
    pub taken: Signal<Out, Bit>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arlen: Signal<Out, Bits<8>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<W>>,
    pub rlast: Signal<In, Bit>,
    /// A beat, always taken.
    pub rvalid: Signal<In, Bit>,
    choice: ClientChoice,
    gatherer: Gatherer,
    address_channel: AddressChannel<W>,
    clients: Fifo<1, BURSTS_WIDTH>,
    incomplete: CreditCounter<COUNT_WIDTH>,
    data: DFF<Bits<W>>,
    arrived: [DFF<Bit>; 2],
    takes: Signal<Local, Bit>,
}

impl<const W: usize> AxiReads<W> {
    pub fn new() -> Self {
        Self {
            gatherer: Gatherer::new(W, IDLE_CYCLES),
            incomplete: CreditCounter::new(BURSTS as u64),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for AxiReads<W> {
    fn update(&mut self) {
        wire!(self => choice, gatherer, incomplete, address_channel, clients: clk, rst);
        dff_setup!(self, clk, data);
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

        self.incomplete.take.next = self.gatherer.burst.valid.val();
        self.incomplete.give.next = self.rvalid.val() & self.rlast.val();

        RegisterWriteIn::link(&mut self.registers, &mut self.address_channel.registers);
        wire!(self => address_channel: initialising, sweep);
        wire!(gatherer.burst => address_channel.burst: valid, client, address, beats);
        self.araddr.next = self.address_channel.addr.val();
        self.arlen.next = self.address_channel.len.val();
        self.arvalid.next = self.address_channel.valid.val();
        self.address_channel.ready.next = self.arready.val();

        self.clients.s_axis.tvalid.next = self.gatherer.burst.valid.val();
        self.clients.s_axis.tdata.next = self.gatherer.burst.client.val().into();
        self.clients.s_axis.tlast.next = true;
        self.clients.m_axis.tready.next = self.rvalid.val() & self.rlast.val();
        self.data.d.next = self.rdata.val();
        self.arrived[0].clock.next = self.clk.val();
        self.arrived[0].d.next = self.rvalid.val() & !self.clients.m_axis.tdata.val().any();
        self.arrived[1].clock.next = self.clk.val();
        self.arrived[1].d.next = self.rvalid.val() & self.clients.m_axis.tdata.val().any();
        for i in 0..2 {
            self.memory_read[i].data.next = self.data.q.val();
            self.memory_read[i].data_valid.next = self.arrived[i].q.val();
        }
        if self.rst.val() {
            self.arrived[0].d.next = false;
            self.arrived[1].d.next = false;
        }
    }
}
