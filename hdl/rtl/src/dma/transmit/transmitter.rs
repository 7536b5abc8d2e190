use super::{cores::MicroCoreSequencer, Bypass, CreditTurn, PacketSender, Shapers};
use crate::{
    bus::{CreditTakeOut, EventOut, MemoryReadOut, RegisterWriteIn},
    dma::ports::{ArgumentIn, ParkOut, StartIn, StartOut, StopOut},
    prim::{Fifo, SkidBuffer, StreamOut},
};
use portico_spec::{
    flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH},
    ni::{
        build::Build, command::SHAPER_WIDTH, event::EVENTS, instruction::COUNT_WIDTH, packet::SLOT_WIDTH,
        segment::HANDLE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Address bits of the payload FIFO: that of a packet.
const PAYLOAD_BITS: usize = MAX_PAYLOAD_FLITS.ilog2() as usize;

/// The sending half of the DMA: micro-cores, packet shapers, sender.
///
/// Runs the programs of all contexts and sends their packets.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a start taken to the first head, 4 on the control plane; payload without a gap from a memory of 1 cycle |
/// | throughput | one flit a cycle |
/// | state | that of its parts, and the payload FIFO |
#[derive(LogicBlock, Default)]
pub struct Transmitter<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High after reset while `sweep` counts through all addresses; no start is taken.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// This node, the source of all packets.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    pub start: StartIn,
    pub argument: ArgumentIn,
    pub stop: StopOut,
    pub park: ParkOut,
    pub memory_read: MemoryReadOut<W>,
    /// NOTIFY, after the packets before it have gone.
    pub event: EventOut,
    /// Events that have fired, for WAIT.
    pub fired: Signal<In, Bits<EVENTS>>,
    pub credit_take: CreditTakeOut,
    pub fence_segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// The slot of the context, which its fence does not wait for, until the transfer has ended.
    pub fence_owns: Signal<Out, Bit>,
    pub fence_slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// In the same cycle: another transaction of that segment is open.
    pub fence_busy: Signal<In, Bit>,
    /// Data plane.
    pub m_axis: StreamOut<W>,
    /// Control plane.
    pub m_axis_control: StreamOut<32>,
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    bypass: Bypass,
    sequencer: MicroCoreSequencer,
    credits: CreditTurn,
    shapers: Shapers,
    sender: PacketSender<W>,
    payload: Fifo<W, PAYLOAD_BITS>,
    control: SkidBuffer<32>,
    pays: DFF<Bit>,
    payer: DFF<Bits<SHAPER_WIDTH>>,
    price: DFF<Bits<COUNT_WIDTH>>,
}

impl<const W: usize> Transmitter<W> {
    /// With the micro-cores and shapers of `build`, and the built-in programs, at a memory that answers after a cycle.
    pub fn new(build: &Build, firmware: &[u32]) -> Self {
        Self {
            sequencer: MicroCoreSequencer::new(build, firmware),
            shapers: Shapers::new(build.shapers),
            sender: PacketSender::new(MAX_PAYLOAD_FLITS, false),
            payload: Fifo::new(MAX_PAYLOAD_FLITS),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Transmitter<W> {
    fn update(&mut self) {
        wire!(self => bypass, sequencer, credits, shapers, sender, payload, control: clk, rst);
        dff_setup!(self, clk, pays, payer, price);
        wire!(self => bypass: initialising);
        StartIn::link(&mut self.start, &mut self.bypass.start);
        wire!(argument => bypass.argument: enable, context, register, bank, data);
        wire!(argument => sequencer.argument: enable, context, register, bank, data);
        StartOut::join(&mut self.bypass.forward, &mut self.sequencer.start);
        self.park.parks.next = self.bypass.parks.val();
        self.park.context.next = self.bypass.forward.context.val();
        self.bypass.has_room.next = self.park.has_room.val();
        self.sequencer.held.next = self.park.held.val();
        wire!(sequencer => bypass: mid_packet);
        self.bypass.sequencer_wants.next = self.sequencer.sends.val();
        self.bypass.sequencer_closes.next = self.sequencer.header.valid.val();
        self.bypass.sequencer_notices.next = self.sequencer.notice.valid.val();
        RegisterWriteIn::link(&mut self.register_write, &mut self.sequencer.register_write);
        wire!(self => sequencer: initialising, fired, fence_busy);
        self.fence_segment.next = self.sequencer.segment.val();
        self.fence_owns.next = self.sequencer.owns_slot.val();
        self.fence_slot.next = self.sequencer.slot.val();
        self.running.next = self.sequencer.running.val() | self.bypass.busy.val();
        self.waiting.next = self.sequencer.waiting.val() & !self.bypass.busy.val();

        // Nobody waits for a stop of the bypass: the sequencer's goes first.
        wire!(bypass.stop => stop: context, owns_slot, error);
        if self.sequencer.stop.valid.val() {
            wire!(sequencer.stop => stop: context, owns_slot, error);
        }
        self.stop.valid.next = self.sequencer.stop.valid.val() | self.bypass.stop.valid.val();
        self.sequencer.stop.ready.next = self.stop.ready.val();
        self.bypass.stop.ready.next = self.stop.ready.val() & !self.sequencer.stop.valid.val();

        CreditTakeOut::link(&mut self.credit_take, &mut self.credits.credit_take);
        self.credits.bypass_wants.next = self.bypass.wants_credit.val();
        self.credits.bypass_segment.next = self.bypass.segment.val();
        self.credits.sequencer_wants.next = self.sequencer.wants_credit.val();
        self.credits.sequencer_segment.next = self.sequencer.segment.val();
        self.bypass.credit_answered.next = self.credits.bypass_answered.val();
        self.sequencer.credit_answered.next = self.credits.sequencer_answered.val();
        self.bypass.credit_granted.next = self.credit_take.granted.val();
        self.sequencer.credit_granted.next = self.credit_take.granted.val();

        wire!(self => shapers: initialising, sweep);
        wire!(register_write => shapers.register_write: enable, index, data);
        self.shapers.selected[0].next = self.sequencer.shaper.val();
        self.shapers.selected[1].next = self.start.job.val().shaper;
        self.sequencer.maximum.next = self.shapers.maximum[0].val();
        self.bypass.maximum.next = self.shapers.maximum[1].val();
        self.sequencer.may_send.next = self.shapers.may_send.val();
        self.bypass.may_send.next = self.shapers.may_send.val();
        // A bucket pays for a packet a cycle late. What begins in that cycle pays later, too.
        self.pays.d.next = self.sequencer.header.valid.val() | self.bypass.header.valid.val();
        self.payer.d.next = self.sequencer.shaper.val();
        self.price.d.next = self.sequencer.flits.val();
        self.shapers.take.next = self.pays.q.val();
        self.shapers.taker.next = self.payer.q.val();
        self.shapers.flits.next = self.price.q.val();

        // One of the two sends at a time.
        self.sender.chunk.valid.next = self.sequencer.chunk.valid.val() | self.bypass.chunk.valid.val();
        self.sender.header.valid.next = self.sequencer.header.valid.val() | self.bypass.header.valid.val();
        self.sender.notice.valid.next = self.sequencer.notice.valid.val() | self.bypass.notice.valid.val();
        self.bypass.chunk.ready.next = self.sender.chunk.ready.val();
        self.bypass.header.ready.next = self.sender.header.ready.val();
        self.bypass.notice.ready.next = self.sender.notice.ready.val();
        self.sequencer.chunk.ready.next = self.sender.chunk.ready.val() & self.bypass.grants.val();
        self.sequencer.header.ready.next = self.sender.header.ready.val() & self.bypass.grants.val();
        self.sequencer.notice.ready.next = self.sender.notice.ready.val() & self.bypass.grants.val();
        wire!(sequencer.chunk => sender.chunk: literal, value, words);
        wire!(
            sequencer.header => sender.header: control, bare, destination, tag, kind, last, offset, slot, strided,
                has_geometry, operation, wide, row, stride, words
        );
        wire!(sequencer.notice => sender.notice: event, error);
        if !self.bypass.grants.val() {
            self.payer.d.next = self.bypass.shaper.val();
            self.price.d.next = self.bypass.flits.val();
            wire!(bypass.chunk => sender.chunk: literal, value, words);
            wire!(
                bypass.header => sender.header: control, bare, destination, tag, kind, last, offset, slot, strided,
                    has_geometry, operation, wide, row, stride, words
            );
            wire!(bypass.notice => sender.notice: event, error);
        }
        wire!(self => sender: node);
        MemoryReadOut::<W>::link(&mut self.memory_read, &mut self.sender.memory_read);
        self.payload.s_axis.tvalid.next = self.sender.push.val();
        self.payload.s_axis.tdata.next = self.sender.data.val();
        self.payload.s_axis.tlast.next = false;
        StreamOut::<W>::join(&mut self.payload.m_axis, &mut self.sender.payload);
        StreamOut::<W>::link(&mut self.m_axis, &mut self.sender.m_axis);
        // The control plane has other sources, and a turn to wait for.
        StreamOut::<32>::join(&mut self.sender.m_axis_control, &mut self.control.s_axis);
        StreamOut::<32>::link(&mut self.m_axis_control, &mut self.control.m_axis);
        EventOut::link(&mut self.event, &mut self.sender.event);
        if self.rst.val() {
            self.pays.d.next = false;
        }
    }
}
