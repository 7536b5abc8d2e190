use crate::{
    bus::{AddressEncoder, EventIn, GeometryEncoder, HeadEncoder},
    dma::ports::HeaderIn,
    prim::{FifoControl, LutRam},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{event::EVENT_WIDTH, instruction::COUNT_WIDTH},
};
use portico_verilog::prelude::*;

const DEPTH_BITS: usize = 2;
/// Bits of a place: notice, control, address, geometry.
const FLAGS: usize = 4;

/// A packet to send, or a notice to give, as the queue sees it.
#[interface(mirror = PacketIn)]
pub struct PacketOut {
    /// There is a packet or a notice; it stays until it is taken.
    pub valid: Signal<Out, Bit>,
    /// No packet: the event in the low bits of `head` has happened.
    pub notice: Signal<Out, Bit>,
    /// For the control plane.
    pub control: Signal<Out, Bit>,
    /// The packet has an ADDRESS word.
    pub has_address: Signal<Out, Bit>,
    /// The packet has a GEOMETRY word.
    pub has_geometry: Signal<Out, Bit>,
    /// Head of the packet; the event of a notice in its low bits.
    pub head: Signal<Out, Bits<32>>,
    /// ADDRESS word of the packet, valid with `has_address`.
    pub address: Signal<Out, Bits<32>>,
    /// GEOMETRY word of the packet, valid with `has_geometry`.
    pub geometry: Signal<Out, Bits<32>>,
    /// Words of payload.
    pub words: Signal<Out, Bits<COUNT_WIDTH>>,
    /// The tail of the packet goes, or the notice is taken, in this cycle.
    pub ready: Signal<In, Bit>,
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
    control: FifoControl<DEPTH_BITS>,
    heads: LutRam<Bits<32>, DEPTH_BITS>,
    addresses: LutRam<Bits<32>, DEPTH_BITS>,
    geometries: LutRam<Bits<32>, DEPTH_BITS>,
    words: LutRam<Bits<COUNT_WIDTH>, DEPTH_BITS>,
    flags: [LutRam<Bits<1>, DEPTH_BITS>; FLAGS],
}

#[kernel]
impl Logic for HeaderQueue {
    fn update(&mut self) {
        wire!(self => control: clk, rst);
        wire!(self => heads, addresses, geometries, words: clk);
        self.head_encoder.destination.next = self.header.destination.val();
        self.head_encoder.source.next = self.node.val();
        wire!(header => head_encoder: tag, kind, last);
        wire!(header => address_encoder: offset, slot, strided, operation, wide);
        wire!(header => geometry_encoder: row, stride);

        self.control.write.next = self.header.valid.val() | self.notice.valid.val();
        self.header.ready.next = !self.control.full.val();
        self.notice.ready.next = !self.control.full.val();
        self.control.read.next = self.packet.ready.val();
        self.packet.valid.next = !self.control.empty.val();

        wire!(control => heads: write_enable, write_address);
        self.heads.write_data.next = self.head_encoder.word.val();
        if self.notice.valid.val() {
            self.heads.write_data.next = bit_cast::<32, EVENT_WIDTH>(self.notice.event.val());
        }
        self.heads.read_address.next = self.control.read_address.val();
        self.packet.head.next = self.heads.read_data.val();
        wire!(control => addresses: write_enable, write_address);
        self.addresses.write_data.next = self.address_encoder.word.val();
        self.addresses.read_address.next = self.control.read_address.val();
        self.packet.address.next = self.addresses.read_data.val();
        wire!(control => geometries: write_enable, write_address);
        self.geometries.write_data.next = self.geometry_encoder.word.val();
        self.geometries.read_address.next = self.control.read_address.val();
        self.packet.geometry.next = self.geometries.read_data.val();
        wire!(control => words: write_enable, write_address);
        self.words.write_data.next = self.header.words.val();
        self.words.read_address.next = self.control.read_address.val();
        self.packet.words.next = self.words.read_data.val();

        self.flags[0].write_data.next = self.notice.valid.val().into();
        self.flags[1].write_data.next = self.header.control.val().into();
        self.flags[2].write_data.next = (!self.header.bare.val()).into();
        self.flags[3].write_data.next = self.header.has_geometry.val().into();
        for i in 0..FLAGS {
            self.flags[i].clk.next = self.clk.val();
            wire!(control => flags[i]: write_enable, write_address, read_address);
        }
        self.packet.notice.next = self.flags[0].read_data.val().any();
        self.packet.control.next = self.flags[1].read_data.val().any();
        self.packet.has_address.next = self.flags[2].read_data.val().any();
        self.packet.has_geometry.next = self.flags[3].read_data.val().any();
    }
}
