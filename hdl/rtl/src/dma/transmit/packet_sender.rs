use super::{ChunkQueue, HeaderQueue, Injector, Reader};
use crate::{
    bus::{EventIn, EventOut, MemoryReadOut},
    dma::ports::{ChunkIn, HeaderIn},
    prim::{StreamIn, StreamOut},
};
use portico_spec::flit::NODE_WIDTH;
use portico_verilog::prelude::*;

/// Sends packets that have been cut: reads their words, and puts headers in front of them.
///
/// From chunks and headers to flits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a header to the head, and from a chunk to its first request; payload without a gap from a memory of 1 cycle |
/// | throughput | one flit a cycle |
/// | state | that of its parts |
///
/// The words of packets wait in a FIFO beside it. A header is known when its packet closes, after its last word has been
/// asked for. So the FIFO has room for a whole packet: a shorter one would fill up with the words of many small rows before
/// their packet could close.
#[derive(LogicBlock, Default)]
pub struct PacketSender<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node, the source of all packets.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkIn,
    /// A closed packet. Never in the cycle of a notice.
    pub header: HeaderIn,
    /// A notice behind the packets before it. Never in the cycle of a header.
    pub notice: EventIn,
    /// Reads of the payload of packets.
    pub memory_read: MemoryReadOut<W>,
    /// A word for the payload FIFO, which has room for it.
    pub push: Signal<Out, Bit>,
    /// Word for the payload FIFO, valid with `push`.
    pub data: Signal<Out, Bits<W>>,
    /// Words that come out of the payload FIFO.
    pub payload: StreamIn<W>,
    /// Data plane.
    pub m_axis: StreamOut<W>,
    /// Control plane.
    pub m_axis_control: StreamOut<32>,
    /// The notice, after the packets before it have gone.
    pub event: EventOut,
    chunks: ChunkQueue,
    headers: HeaderQueue,
    reader: Reader<W>,
    injector: Injector<W>,
}

impl<const W: usize> PacketSender<W> {
    /// In front of a payload FIFO of `depth` words. `whole`: a packet goes only when all of its payload has come, for memories
    /// of long latency.
    pub fn new(depth: usize, whole: bool) -> Self {
        Self {
            reader: Reader::new(depth),
            injector: Injector::new(whole),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for PacketSender<W> {
    fn update(&mut self) {
        wire!(self => chunks, headers, reader, injector: clk, rst);
        wire!(self.chunk <=> chunks.chunk_in);
        wire!(reader => chunks: idle);
        wire!(chunks.chunk_out <=> reader.chunk);
        wire!(self <=> reader: memory_read);

        wire!(self => headers: node);
        wire!(self <=> headers: header, notice);
        wire!(headers <=> injector: packet);

        wire!(reader => self: push, data);
        self.injector.pushed.next = self.reader.push.val();
        wire!(self <=> injector: payload);
        self.reader.popped.next = self.injector.payload.tready.val();

        wire!(self <=> injector: m_axis, m_axis_control, event);
    }
}
