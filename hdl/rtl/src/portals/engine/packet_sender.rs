use super::{BytesOut, PacketJobIn};
use crate::{
    bus::HeadEncoder,
    prim::{Fifo, Queue, SkidBuffer, StreamIn, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::packet::DataKind,
    portals::engine::{FIRST_OFFSET, REPLY_OFFSET},
};
use portico_verilog::prelude::*;

/// Width of the address of a queue of header words, which holds 16.
const HEADER_WIDTH: usize = 4;

/// State of a packet that is to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Outgoing {
    /// Node to which it goes.
    pub node: Bits<NODE_WIDTH>,
    /// Rank of the sender, or slot of the get.
    pub tag: Bits<TAG_WIDTH>,
    /// It is of a reply.
    pub reply: Bit,
    /// It is the first of its message.
    pub first: Bit,
    /// It is the last of its message.
    pub last: Bit,
    /// It has payload.
    pub loaded: Bit,
}

/// The part of a packet that is sent next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum PacketPart {
    Head,
    Header,
    Payload,
}

/// Sends the packets of requests and replies on the data plane, whole, replies first.
///
/// Flits of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a packet to its head on `m_axis` |
/// | throughput | one flit a cycle; the payload of the next packet is read while one is sent |
/// | state | 2 packets, and 16 header words of requests and of replies, in LUT-RAM |
///
/// A head leaves when its packet is decided. What follows waits for the scratchpad alone, whose port passes a read of each
/// engine in turn.
#[derive(LogicBlock, Default)]
pub struct PacketSender {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Packets of requests.
    pub request: PacketJobIn,
    /// Header words of requests; `tlast` with the last word of each.
    pub request_header: StreamIn<32>,
    /// Packets of replies; they come first.
    pub reply: PacketJobIn,
    /// Header words of replies; `tlast` with the last word of each.
    pub reply_header: StreamIn<32>,
    /// Payload to read.
    pub run: BytesOut,
    /// The payload; `tlast` with the last word of each packet.
    pub payload: StreamIn<32>,
    /// Packets for the data plane.
    pub m_axis: StreamOut<32>,
    /// High for a cycle: the last packet of a request has left.
    pub request_leaves: Signal<Out, Bit>,
    /// High for a cycle: the last packet of a reply has left.
    pub reply_leaves: Signal<Out, Bit>,
    packets: Queue<Outgoing, 1>,
    requests: Fifo<32, HEADER_WIDTH>,
    replies: Fifo<32, HEADER_WIDTH>,
    head: HeadEncoder,
    buffer: SkidBuffer<32>,
    part: DFF<PacketPart>,
    takes_reply: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    word_valid: Signal<Local, Bit>,
    word_last: Signal<Local, Bit>,
    shown: Signal<Local, Outgoing>,
}

#[kernel]
impl Logic for PacketSender {
    fn update(&mut self) {
        wire!(self => packets, requests, replies, buffer: clk, rst);
        dff_setup!(self, clk, part);
        wire!(self.request_header <=> requests.s_axis);
        wire!(self.reply_header <=> replies.s_axis);

        // Which packet is next; its payload is read from now on.
        self.takes_reply.next = self.reply.valid.val();
        self.may.next = !self.packets.full.val() & self.run.ready.val();
        self.reply.ready.next = self.may.val();
        self.request.ready.next = self.may.val() & !self.takes_reply.val();
        self.packets.write.next = self.may.val() & (self.request.valid.val() | self.reply.valid.val());
        self.packets.write_data.next.node = self.request.node.val();
        self.packets.write_data.next.tag = self.request.tag.val();
        self.packets.write_data.next.reply = self.takes_reply.val();
        self.packets.write_data.next.first = self.request.first.val();
        self.packets.write_data.next.last = self.request.last.val();
        self.packets.write_data.next.loaded = self.request.length.val().any();
        self.run.address.next = self.request.address.val();
        self.run.length.next = self.request.length.val();
        if self.takes_reply.val() {
            self.packets.write_data.next.node = self.reply.node.val();
            self.packets.write_data.next.tag = self.reply.tag.val();
            self.packets.write_data.next.first = self.reply.first.val();
            self.packets.write_data.next.last = self.reply.last.val();
            self.packets.write_data.next.loaded = self.reply.length.val().any();
            self.run.address.next = self.reply.address.val();
            self.run.length.next = self.reply.length.val();
        }
        self.run.valid.next = !self.packets.full.val() & (self.request.valid.val() | self.reply.valid.val());

        // The packet that is being sent.
        self.shown.next = self.packets.read_data.val();
        self.head.destination.next = self.shown.val().node;
        self.head.source.next = self.node.val();
        self.head.tag.next = self.shown.val().tag;
        self.head.kind.next = bits::<KIND_WIDTH>(DataKind::Portals as u64);
        self.head.last.next = self.shown.val().last;
        self.word.next = self
            .head
            .word
            .val()
            .replace_bit(REPLY_OFFSET, self.shown.val().reply)
            .replace_bit(FIRST_OFFSET, self.shown.val().first);
        self.word_valid.next = !self.packets.empty.val();
        // A packet has a header word or payload.
        self.word_last.next = false;
        self.goes.next = self.word_valid.val() & self.buffer.s_axis.tready.val();
        self.requests.m_axis.tready.next = false;
        self.replies.m_axis.tready.next = false;
        self.payload.tready.next = false;
        match self.part.q.val() {
            PacketPart::Head => {
                if self.goes.val() {
                    self.part.d.next = PacketPart::Payload;
                    if self.shown.val().first {
                        self.part.d.next = PacketPart::Header;
                    }
                }
            }
            PacketPart::Header => {
                self.word.next = self.requests.m_axis.tdata.val();
                self.word_valid.next = self.requests.m_axis.tvalid.val();
                self.word_last.next = self.requests.m_axis.tlast.val() & !self.shown.val().loaded;
                self.requests.m_axis.tready.next = self.buffer.s_axis.tready.val() & !self.shown.val().reply;
                self.replies.m_axis.tready.next = self.buffer.s_axis.tready.val() & self.shown.val().reply;
                if self.shown.val().reply {
                    self.word.next = self.replies.m_axis.tdata.val();
                    self.word_valid.next = self.replies.m_axis.tvalid.val();
                    self.word_last.next = self.replies.m_axis.tlast.val() & !self.shown.val().loaded;
                }
                self.goes.next = self.word_valid.val() & self.buffer.s_axis.tready.val();
                if self.goes.val()
                    & ((self.requests.m_axis.tlast.val() & !self.shown.val().reply)
                        | (self.replies.m_axis.tlast.val() & self.shown.val().reply))
                {
                    self.part.d.next = PacketPart::Payload;
                }
            }
            PacketPart::Payload => {
                self.word.next = self.payload.tdata.val();
                self.word_valid.next = self.payload.tvalid.val();
                self.word_last.next = self.payload.tlast.val();
                self.payload.tready.next = self.buffer.s_axis.tready.val();
                self.goes.next = self.word_valid.val() & self.buffer.s_axis.tready.val();
            }
        }
        self.ends.next = self.goes.val() & self.word_last.val();
        if self.ends.val() {
            self.part.d.next = PacketPart::Head;
        }
        self.packets.read.next = self.ends.val();
        self.buffer.s_axis.tvalid.next = self.word_valid.val();
        self.buffer.s_axis.tdata.next = self.word.val();
        self.buffer.s_axis.tlast.next = self.word_last.val();
        self.request_leaves.next = self.ends.val() & self.shown.val().last & !self.shown.val().reply;
        self.reply_leaves.next = self.ends.val() & self.shown.val().last & self.shown.val().reply;
        wire!(self <=> buffer: m_axis);
        if self.rst.val() {
            self.part.d.next = PacketPart::Head;
        }
    }
}
