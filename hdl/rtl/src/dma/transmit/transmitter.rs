use super::{cores::MicroCoreSequencer, ChunkQueue, HeaderQueue, Injector, PacketOut, Reader, Shapers};
use crate::{
    bus::{EventOut, MemoryReadOut, RegisterWriteIn},
    dma::ports::{ArgumentIn, ChunkOut, HeaderOut, StartIn, StopOut},
    prim::{Fifo, StreamOut},
};
use portico_spec::{
    flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH},
    ni::{event::EVENTS, packet::SLOT_WIDTH, segment::HANDLE_WIDTH},
};
use portico_verilog::prelude::*;

/// Address bits of the payload FIFO.
const PAYLOAD_BITS: usize = (2 * MAX_PAYLOAD_FLITS).ilog2() as usize;

/// The sending half of the DMA: micro-cores, packet shapers, reader, injector.
///
/// Runs the programs of all contexts and sends their packets.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a start taken to the first head; payload without a gap from a memory of 1 cycle |
/// | throughput | one flit a cycle |
/// | state | that of its parts, and the payload FIFO |
///
/// A header is known when its packet closes, after its last word has been asked for. So the payload FIFO has room for a
/// whole packet: a shorter one would fill up with the words of many small rows before their packet could close.
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
    sequencer: MicroCoreSequencer,
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
            sequencer: MicroCoreSequencer::new(cores, firmware),
            reader: Reader::new(depth),
            payload: Fifo::new(depth),
            injector: Injector::new(whole),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Transmitter<W> {
    fn update(&mut self) {
        wire!(self => sequencer, shapers, chunks, headers, reader, payload, injector: clk, rst);

        RegisterWriteIn::link(&mut self.register_write, &mut self.sequencer.register_write);
        StartIn::link(&mut self.start, &mut self.sequencer.start);
        ArgumentIn::link(&mut self.argument, &mut self.sequencer.argument);
        StopOut::link(&mut self.stop, &mut self.sequencer.stop);
        wire!(self => sequencer: initialising, fired);
        self.credit_segment.next = self.sequencer.segment.val();
        self.fence_segment.next = self.sequencer.segment.val();
        self.fence_owns.next = self.sequencer.owns_slot.val();
        self.fence_slot.next = self.sequencer.slot.val();
        wire!(self => sequencer: credit_available, fence_busy);
        self.credit_take.next = self.sequencer.credit_take.val();
        self.sequencer.credit_ready.next = self.credit_ready.val();
        wire!(sequencer => self: running, waiting);

        wire!(self => shapers: initialising, sweep);
        wire!(register_write => shapers.register_write: enable, index, data);
        self.shapers.selected.next = self.sequencer.shaper.val();
        wire!(shapers => sequencer: maximum, may_send);
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
