use crate::{
    bus::{AddressEncoder, EventIn, GeometryEncoder, HeadEncoder},
    dma::ports::{HeaderIn, PacketOut},
    prim::Queue,
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{event::EVENT_WIDTH, instruction::COUNT_WIDTH},
};
use portico_verilog::prelude::*;

const DEPTH_BITS: usize = 2;

/// A packet or notice that waits; the fields are those of [`PacketOut`].
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Packet {
    pub head: Bits<32>,
    pub address: Bits<32>,
    pub geometry: Bits<32>,
    pub words: Bits<COUNT_WIDTH>,
    pub notice: Bit,
    pub control: Bit,
    pub has_address: Bit,
    pub has_geometry: Bit,
}

/// Headers on their way to the injector, put into words, and notices between them.
///
/// A FIFO of headers and notices; never both in a cycle.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one header or notice a cycle |
/// | state | 4 places in LUT-RAM |
///
/// A notice goes the way of the packets, so that it comes out when those before it have gone.
#[derive(LogicBlock, Default)]
pub struct HeaderQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: empty afterwards.
    pub rst: Signal<In, Bit>,
    /// The node, as source of all packets.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Headers of closed packets.
    pub header: HeaderIn,
    /// Notices; each comes out when the packets before it have gone.
    pub notice: EventIn,
    /// Packets and notices in their order, the headers put into words.
    pub packet: PacketOut,
    head_encoder: HeadEncoder,
    address_encoder: AddressEncoder,
    geometry_encoder: GeometryEncoder,
    packets: Queue<Packet, DEPTH_BITS>,
}

#[kernel]
impl Logic for HeaderQueue {
    fn update(&mut self) {
        wire!(self => packets: clk, rst);
        self.head_encoder.destination.next = self.header.destination.val();
        self.head_encoder.source.next = self.node.val();
        wire!(header => head_encoder: tag, kind, last);
        wire!(header => address_encoder: offset, slot, strided, operation, wide);
        wire!(header => geometry_encoder: row, stride);

        self.packets.write.next = self.header.valid.val() | self.notice.valid.val();
        self.header.ready.next = !self.packets.full.val();
        self.notice.ready.next = !self.packets.full.val();
        self.packets.write_data.next.head = self.head_encoder.word.val();
        if self.notice.valid.val() {
            self.packets.write_data.next.head = bit_cast::<32, EVENT_WIDTH>(self.notice.event.val());
        }
        self.packets.write_data.next.address = self.address_encoder.word.val();
        self.packets.write_data.next.geometry = self.geometry_encoder.word.val();
        self.packets.write_data.next.words = self.header.words.val();
        self.packets.write_data.next.notice = self.notice.valid.val();
        self.packets.write_data.next.control = self.header.control.val();
        self.packets.write_data.next.has_address = !self.header.bare.val();
        self.packets.write_data.next.has_geometry = self.header.has_geometry.val();

        self.packet.valid.next = !self.packets.empty.val();
        self.packet.head.next = self.packets.read_data.val().head;
        self.packet.address.next = self.packets.read_data.val().address;
        self.packet.geometry.next = self.packets.read_data.val().geometry;
        self.packet.words.next = self.packets.read_data.val().words;
        self.packet.notice.next = self.packets.read_data.val().notice;
        self.packet.control.next = self.packets.read_data.val().control;
        self.packet.has_address.next = self.packets.read_data.val().has_address;
        self.packet.has_geometry.next = self.packets.read_data.val().has_geometry;
        self.packets.read.next = self.packet.ready.val();
    }
}
