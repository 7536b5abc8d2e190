//! The sending half of the DMA: micro-cores, packet shapers, reader, injector.
//!
//! | | |
//! | --- | --- |
//! | latency | 3 cycles from a start taken to the first head; payload without a gap from a memory of 1 cycle |
//! | throughput | one flit a cycle |
//! | state | that of its parts, and the payload FIFO |
//!
//! A header is known when its packet closes, after its last word has been asked for. So the payload FIFO has room for a
//! whole packet: a shorter one would fill up with the words of many small rows before their packet could close.

use super::{cores::Sequencer, ChunkQueue, HeaderQueue, Injector, PacketOut, Reader, Shapers};
use crate::{
    ni::ports::{ArgumentIn, ChunkOut, EventOut, HeaderOut, MemoryReadOut, RegisterWriteIn, StartIn, StopOut},
    prim::{Fifo, StreamOut},
};
use portico_spec::{
    flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH},
    ni::{event::EVENTS, packet::SLOT_WIDTH, segment::HANDLE_WIDTH},
};
use rust_hdl::prelude::*;

/// Address bits of the payload FIFO.
const PAYLOAD_BITS: usize = (2 * MAX_PAYLOAD_FLITS).ilog2() as usize;

/// Runs the programs of all contexts and sends their packets.
#[derive(LogicBlock)]
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
    pub memory_read: MemoryReadOut<W>,
    /// NOTIFY, after the packets before it have gone.
    pub event: EventOut,
    /// Events that have fired, for WAIT.
    pub fired: Signal<In, Bits<EVENTS>>,
    pub credit_segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// In the same cycle: the queue of that segment has a credit.
    pub credit_available: Signal<In, Bit>,
    pub credit_take: Signal<Out, Bit>,
    /// A take counts only with it.
    pub credit_ready: Signal<In, Bit>,
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
    sequencer: Sequencer,
    shapers: Shapers,
    chunks: ChunkQueue,
    headers: HeaderQueue,
    reader: Reader<W>,
    payload: Fifo<W, PAYLOAD_BITS>,
    injector: Injector<W>,
}

impl<const W: usize> Transmitter<W> {
    /// With `cores` micro-cores, 1 to 8, and the built-in programs. `whole`: a packet goes only when all of its payload has
    /// come, for memories of long latency.
    pub fn new(cores: usize, whole: bool, firmware: &[u32]) -> Self {
        let depth = MAX_PAYLOAD_FLITS << usize::from(whole);
        Self {
            clk: Default::default(),
            rst: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            node: Default::default(),
            register_write: Default::default(),
            start: Default::default(),
            argument: Default::default(),
            stop: Default::default(),
            memory_read: Default::default(),
            event: Default::default(),
            fired: Default::default(),
            credit_segment: Default::default(),
            credit_available: Default::default(),
            credit_take: Default::default(),
            credit_ready: Default::default(),
            fence_segment: Default::default(),
            fence_owns: Default::default(),
            fence_slot: Default::default(),
            fence_busy: Default::default(),
            m_axis: Default::default(),
            m_axis_control: Default::default(),
            running: Default::default(),
            waiting: Default::default(),
            sequencer: Sequencer::new(cores, firmware),
            shapers: Default::default(),
            chunks: Default::default(),
            headers: Default::default(),
            reader: Reader::new(depth),
            payload: Fifo::new(depth),
            injector: Injector::new(whole),
        }
    }
}

impl<const W: usize> Logic for Transmitter<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sequencer.clk.next = self.clk.val();
        self.shapers.clk.next = self.clk.val();
        self.chunks.clk.next = self.clk.val();
        self.headers.clk.next = self.clk.val();
        self.reader.clk.next = self.clk.val();
        self.payload.clk.next = self.clk.val();
        self.injector.clk.next = self.clk.val();
        self.sequencer.rst.next = self.rst.val();
        self.shapers.rst.next = self.rst.val();
        self.chunks.rst.next = self.rst.val();
        self.headers.rst.next = self.rst.val();
        self.reader.rst.next = self.rst.val();
        self.payload.rst.next = self.rst.val();
        self.injector.rst.next = self.rst.val();

        RegisterWriteIn::link(&mut self.register_write, &mut self.sequencer.register_write);
        StartIn::link(&mut self.start, &mut self.sequencer.start);
        ArgumentIn::link(&mut self.argument, &mut self.sequencer.argument);
        StopOut::link(&mut self.stop, &mut self.sequencer.stop);
        self.sequencer.initialising.next = self.initialising.val();
        self.sequencer.fired.next = self.fired.val();
        self.credit_segment.next = self.sequencer.segment.val();
        self.fence_segment.next = self.sequencer.segment.val();
        self.fence_owns.next = self.sequencer.owns_slot.val();
        self.fence_slot.next = self.sequencer.slot.val();
        self.sequencer.credit_available.next = self.credit_available.val();
        self.sequencer.fence_busy.next = self.fence_busy.val();
        self.credit_take.next = self.sequencer.credit_take.val();
        self.sequencer.credit_ready.next = self.credit_ready.val();
        self.running.next = self.sequencer.running.val();
        self.waiting.next = self.sequencer.waiting.val();

        self.shapers.initialising.next = self.initialising.val();
        self.shapers.sweep.next = self.sweep.val();
        self.shapers.register_write.enable.next = self.register_write.enable.val();
        self.shapers.register_write.index.next = self.register_write.index.val();
        self.shapers.register_write.data.next = self.register_write.data.val();
        self.shapers.selected.next = self.sequencer.shaper.val();
        self.sequencer.maximum.next = self.shapers.maximum.val();
        self.sequencer.may_send.next = self.shapers.may_send.val();
        self.shapers.take.next = self.sequencer.header.valid.val();
        self.shapers.flits.next = self.sequencer.flits.val();

        ChunkOut::join(&mut self.sequencer.chunk, &mut self.chunks.chunk_in);
        ChunkOut::join(&mut self.chunks.chunk_out, &mut self.reader.chunk);
        HeaderOut::join(&mut self.sequencer.header, &mut self.headers.header);
        EventOut::join(&mut self.sequencer.notice, &mut self.headers.notice);
        self.headers.node.next = self.node.val();
        PacketOut::join(&mut self.headers.packet, &mut self.injector.packet);
        MemoryReadOut::<W>::link(&mut self.memory_read, &mut self.reader.memory_read);

        self.payload.s_axis.tvalid.next = self.reader.push.val();
        self.payload.s_axis.tdata.next = self.reader.data.val();
        self.payload.s_axis.tlast.next = false;
        self.injector.pushed.next = self.reader.push.val();
        StreamOut::<W>::join(&mut self.payload.m_axis, &mut self.injector.payload);
        self.reader.popped.next = self.injector.payload.tready.val();

        StreamOut::<W>::link(&mut self.m_axis, &mut self.injector.m_axis);
        StreamOut::<32>::link(&mut self.m_axis_control, &mut self.injector.m_axis_control);
        EventOut::link(&mut self.event, &mut self.injector.event);
    }
}
