use super::{ChunkQueue, HeaderQueue, Injector, Reader};
use crate::{
    bus::{EventIn, EventOut, MemoryReadOut},
    dma::ports::{ChunkIn, HeaderIn},
    prim::{BlockFifo, Fifo, StreamOut},
};
use portico_spec::flit::{MAX_PAYLOAD_FLITS, NODE_WIDTH};
use portico_verilog::prelude::*;

/// Words of payload that wait: of a packet, as its header is known when it closes, after its last word has been asked
/// for. A shorter FIFO would fill up with the words of many small rows before their packet could close.
const PAYLOAD_WORDS: usize = MAX_PAYLOAD_FLITS;
const PAYLOAD_BITS: usize = PAYLOAD_WORDS.ilog2() as usize;
/// Likewise at a far memory: of the packet that goes, and of the one that comes meanwhile.
const FAR_PAYLOAD_WORDS: usize = 2 * MAX_PAYLOAD_FLITS;
const FAR_PAYLOAD_BITS: usize = FAR_PAYLOAD_WORDS.ilog2() as usize;

/// Sends packets that have been cut: reads their words, and puts headers in front of them.
///
/// From chunks and headers to flits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a header to the head, and from a chunk to its first request; payload without a gap from a memory of 1 cycle |
/// | throughput | one flit a cycle |
/// | state | that of its parts; the payload of a packet in LUT-RAM or, at a far memory, of two in block RAM |
///
/// ```text
///  chunk ---> ChunkQueue ---> Reader <---> memory_read
///                               |
///                          payload FIFO
///                               v
///  header --> HeaderQueue --> Injector ---> m_axis, m_axis_control, event
/// ```
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
    /// Data plane.
    pub m_axis: StreamOut<W>,
    /// Control plane.
    pub m_axis_control: StreamOut<32>,
    /// The notice, after the packets before it have gone.
    pub event: EventOut,
    chunks: ChunkQueue,
    headers: HeaderQueue,
    reader: Reader<W>,
    /// The payload on its way from the reader to the injector: in one of the two.
    payload: Vec<Fifo<W, PAYLOAD_BITS>>,
    far_payload: Vec<BlockFifo<W, FAR_PAYLOAD_BITS>>,
    injector: Injector<W>,
    _near: usize,
    _far: usize,
}

impl<const W: usize> PacketSender<W> {
    /// At a `far_memory`, of long latency, a packet goes only when all of its payload has come.
    pub fn new(far_memory: bool) -> Self {
        let (near, far) = (usize::from(!far_memory), usize::from(far_memory));
        Self {
            reader: Reader::new(if far_memory { FAR_PAYLOAD_WORDS } else { PAYLOAD_WORDS }),
            payload: (0..near).map(|_| Fifo::new(PAYLOAD_WORDS)).collect(),
            far_payload: (0..far).map(|_| BlockFifo::new(FAR_PAYLOAD_WORDS)).collect(),
            injector: Injector::new(far_memory),
            _near: near,
            _far: far,
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

        for i in 0..self._near {
            wire!(self => payload[i]: clk, rst);
            self.payload[i].s_axis.tvalid.next = self.reader.push.val();
            self.payload[i].s_axis.tdata.next = self.reader.data.val();
            self.payload[i].s_axis.tlast.next = false;
            wire!(payload[i].m_axis <=> injector.payload);
        }
        for i in 0..self._far {
            wire!(self => far_payload[i]: clk, rst);
            self.far_payload[i].s_axis.tvalid.next = self.reader.push.val();
            self.far_payload[i].s_axis.tdata.next = self.reader.data.val();
            self.far_payload[i].s_axis.tlast.next = false;
            wire!(far_payload[i].m_axis <=> injector.payload);
        }
        self.injector.pushed.next = self.reader.push.val();
        self.reader.popped.next = self.injector.payload.tready.val();

        wire!(self <=> injector: m_axis, m_axis_control, event);
    }
}
