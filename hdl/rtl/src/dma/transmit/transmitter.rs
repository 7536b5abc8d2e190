use super::{fixed::FixedSequencer, PacketSender, Programmed, Shapers};
use crate::{
    bus::{CreditTakeOut, EventOut, FenceOut, MemoryReadOut, RegisterWriteIn, SweepIn},
    dma::ports::{ArgumentIn, ParkOut, StartIn, StopOut},
    prim::{SkidBuffer, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{build::Build, command::SHAPER_WIDTH, event::EVENTS, firmware::Firmware, instruction::COUNT_WIDTH},
};
use portico_verilog::prelude::*;

/// The sending half of the DMA: micro-cores or fixed logic, packet shapers, sender.
///
/// Runs the programs of all contexts and sends their packets.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a start taken to the first head, 4 on the control plane; payload without a gap from a memory of 1 cycle |
/// | throughput | one flit a cycle |
/// | state | that of its parts |
#[derive(LogicBlock, Default)]
pub struct Transmitter<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset. No start is taken meanwhile.
    pub sweep: SweepIn,
    /// This node, the source of all packets.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Writes of registers; those to the blocks PROGRAM and SHAPERS are looked at.
    pub register_write: RegisterWriteIn,
    /// A command. It or `serve` is taken in a cycle, never both.
    pub start: StartIn,
    /// A get of another node. It or `start` is taken in a cycle, never both.
    pub serve: StartIn,
    /// Words of descriptors and of requests, for the registers of their contexts.
    pub argument: ArgumentIn,
    /// Reports of contexts that have stopped.
    pub stop: StopOut,
    /// Commands that are parked; whether one more may be; and the contexts that are held behind them.
    pub park: ParkOut,
    /// Reads of the payload of packets.
    pub memory_read: MemoryReadOut<W>,
    /// NOTIFY, after the packets before it have gone.
    pub event: EventOut,
    /// Events that have fired, for WAIT.
    pub fired: Signal<In, Bits<EVENTS>>,
    /// Requests of credits of peers' queues, for messages.
    pub credit_take: CreditTakeOut,
    /// Fences that wait for the open transactions of their segments.
    pub fence: FenceOut,
    /// Data plane.
    pub m_axis: StreamOut<W>,
    /// Control plane.
    pub m_axis_control: StreamOut<32>,
    /// A context is active.
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    /// Where there are several cores, or programs of the user's.
    programmed: Vec<Programmed>,
    /// Elsewhere.
    fixed: Vec<FixedSequencer>,
    _programmed: usize,
    _fixed: usize,
    shapers: Shapers,
    sender: PacketSender<W>,
    control: SkidBuffer<32>,
    pays: DFF<Bit>,
    payer: DFF<Bits<SHAPER_WIDTH>>,
    price: DFF<Bits<COUNT_WIDTH>>,
}

impl<const W: usize> Transmitter<W> {
    /// With the micro-cores and shapers of `build`, and the built-in programs, at a memory that answers after a cycle.
    pub fn new(build: &Build, firmware: &Firmware) -> Self {
        let fixed = usize::from(build.is_fixed());
        let programmed = 1 - fixed;
        Self {
            programmed: (0..programmed)
                .map(|_| Programmed::new(build, &firmware.words))
                .collect(),
            fixed: (0..fixed)
                .map(|_| FixedSequencer::new(build.queues, &firmware.entries))
                .collect(),
            _programmed: programmed,
            _fixed: fixed,
            shapers: Shapers::new(build.shapers),
            sender: PacketSender::new(false),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Transmitter<W> {
    fn update(&mut self) {
        wire!(self => shapers, sender, control: clk, rst);
        dff_setup!(self, clk, pays, payer, price);
        wire!(self <=> shapers: sweep);
        wire!(self <=> shapers: register_write);
        for i in 0..self._programmed {
            wire!(self => programmed[i]: clk, rst, fired);
            self.programmed[i].initialising.next = self.sweep.active.val();
            wire!(self <=> programmed[i]: register_write);
            wire!(self <=> programmed[i]: start, serve, argument, stop, park, credit_take);
            wire!(programmed[i] <=> sender: chunk, header, notice);
            wire!(self <=> programmed[i]: fence);
            wire!(programmed[i] => self: running, waiting);
            self.shapers.selected[0].next = self.programmed[i].shaper.val();
            self.shapers.selected[1].next = self.programmed[i].start_shaper.val();
            self.programmed[i].maximum.next = self.shapers.maximum[0].val();
            self.programmed[i].start_maximum.next = self.shapers.maximum[1].val();
            self.programmed[i].may_send.next = self.shapers.may_send.val();
            self.pays.d.next = self.programmed[i].header.valid.val();
            self.payer.d.next = self.programmed[i].payer.val();
            self.price.d.next = self.programmed[i].flits.val();
        }
        for i in 0..self._fixed {
            wire!(self => fixed[i]: clk, rst);
            self.fixed[i].initialising.next = self.sweep.active.val();
            wire!(self <=> fixed[i]: start, serve, argument, stop, credit_take);
            wire!(fixed[i] <=> sender: chunk, header, notice);
            wire!(self <=> fixed[i]: fence);
            wire!(fixed[i] => self: running, waiting);
            // No command is parked.
            self.park.parks.next = false;
            self.park.context.next = 0.into();
            self.shapers.selected[0].next = self.fixed[i].shaper.val();
            self.shapers.selected[1].next = self.fixed[i].start_shaper.val();
            self.fixed[i].maximum.next = self.shapers.maximum[0].val();
            self.fixed[i].start_maximum.next = self.shapers.maximum[1].val();
            self.fixed[i].may_send.next = self.shapers.may_send.val();
            self.pays.d.next = self.fixed[i].header.valid.val();
            self.payer.d.next = self.fixed[i].shaper.val();
            self.price.d.next = self.fixed[i].flits.val();
        }
        // A bucket pays for a packet a cycle late. What begins in that cycle pays later, too.
        self.shapers.take.next = self.pays.q.val();
        self.shapers.taker.next = self.payer.q.val();
        self.shapers.flits.next = self.price.q.val();
        wire!(self => sender: node);
        wire!(self <=> sender: memory_read, m_axis);
        // The control plane has other sources, and a turn to wait for.
        wire!(sender.m_axis_control <=> control.s_axis);
        wire!(self.m_axis_control <=> control.m_axis);
        wire!(self <=> sender: event);
        if self.rst.val() {
            self.pays.d.next = false;
        }
    }
}
