use super::{AnswerIn, RankWriteIn, SlotClaimIn, GET_SLOT_WIDTH};
use crate::{
    bus::HeadEncoder,
    prim::{LutRam, Queue, SkidBuffer, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::packet::ControlKind,
    portals::engine::{
        ControlPacket, CONTROL_OFFSET, CONTROL_WIDTH, DELIVERED_OFFSET, FAILURE_OFFSET, FAILURE_WIDTH, LENGTH_WIDTH,
        OVERFLOW_OFFSET, RANK_WIDTH, ROOMS, SILENT_OFFSET, SLOT_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// The word that is sent next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ControlWord {
    Head,
    Status,
    Offset,
}

/// Sends credits and answers on the control plane.
///
/// To up to 64 ranks.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a credit, 1 from an answer, to its head on `m_axis` |
/// | throughput | one flit a cycle; credits come before answers |
/// | state | two credits a rank and a slot of gets, and the nodes of ranks and slots, in LUT-RAM |
///
/// The sender always takes a credit: it has a place for each room.
#[derive(LogicBlock, Default)]
pub struct ControlSender {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// The tile's own rank.
    pub own_rank: Signal<In, Bits<RANK_WIDTH>>,
    /// Rows of the rank map as they are written, for this block's copy.
    pub rank_write: RankWriteIn,
    /// Slots as they are claimed: credits of replies go to their nodes.
    pub claim: SlotClaimIn,
    /// High for a cycle: a room of `rank` is free.
    pub request_credit: Signal<In, Bit>,
    /// Rank of the room; valid with `request_credit`.
    pub rank: Signal<In, Bits<RANK_WIDTH>>,
    /// High for a cycle: a room of the get in `slot` is free for another packet of its reply.
    pub reply_credit: Signal<In, Bit>,
    /// Slot of the get; valid with `reply_credit`.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Answers to requests.
    pub answer: AnswerIn,
    /// Packets for the control plane.
    pub m_axis: StreamOut<32>,
    nodes: LutRam<Bits<NODE_WIDTH>, RANK_WIDTH>,
    targets: LutRam<Bits<NODE_WIDTH>, GET_SLOT_WIDTH>,
    requests: Queue<Bits<RANK_WIDTH>, { RANK_WIDTH + 1 }>,
    replies: Queue<Bits<GET_SLOT_WIDTH>, { GET_SLOT_WIDTH + 1 }>,
    head: HeadEncoder,
    buffer: SkidBuffer<32>,
    step: DFF<ControlWord>,
    kind: Signal<Local, Bits<CONTROL_WIDTH>>,
    free: Signal<Local, Bit>,
    silent_bit: Signal<Local, Bits<1>>,
    overflow_bit: Signal<Local, Bits<1>>,
}

impl ControlSender {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            nodes: LutRam::new(ranks),
            requests: Queue::new(ROOMS * ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ControlSender {
    fn update(&mut self) {
        wire!(self => requests, replies, buffer: clk, rst);
        wire!(self => nodes, targets: clk);
        dff_setup!(self, clk, step);
        self.nodes.write_enable.next = self.rank_write.enable.val();
        self.nodes.write_address.next = self.rank_write.rank.val();
        self.nodes.write_data.next = self.rank_write.node.val();
        self.targets.write_enable.next = self.claim.enable.val() & self.claim.get.val();
        self.targets.write_address.next = self.claim.slot.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.targets.write_data.next = self.claim.node.val();
        self.requests.write.next = self.request_credit.val();
        self.requests.write_data.next = self.rank.val();
        self.replies.write.next = self.reply_credit.val();
        self.replies.write_data.next = self.slot.val().get_bits::<GET_SLOT_WIDTH>(0);

        // Which packet is next.
        self.free.next = self.buffer.s_axis.tready.val();
        self.requests.read.next = false;
        self.replies.read.next = false;
        self.answer.ready.next = false;
        self.targets.read_address.next = self.replies.read_data.val();
        self.nodes.read_address.next = self.answer.rank.val();
        self.kind.next = bits::<CONTROL_WIDTH>(ControlPacket::Answer as u64);
        self.head.destination.next = self.nodes.read_data.val();
        self.head.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.answer.slot.val());
        if !self.requests.empty.val() {
            self.nodes.read_address.next = self.requests.read_data.val();
            self.kind.next = bits::<CONTROL_WIDTH>(ControlPacket::RequestCredit as u64);
            self.head.tag.next = bit_cast::<TAG_WIDTH, RANK_WIDTH>(self.own_rank.val());
        } else if !self.replies.empty.val() {
            self.head.destination.next = self.targets.read_data.val();
            self.kind.next = bits::<CONTROL_WIDTH>(ControlPacket::ReplyCredit as u64);
            self.head.tag.next = bit_cast::<TAG_WIDTH, RANK_WIDTH>(self.own_rank.val());
        }
        self.head.source.next = self.node.val();
        self.head.kind.next = bits::<KIND_WIDTH>(ControlKind::Portals as u64);
        self.head.last.next = true;

        // Its words.
        self.silent_bit.next = self.answer.outcome.val().silent.into();
        self.overflow_bit.next = self.answer.outcome.val().overflow.into();
        self.buffer.s_axis.tvalid.next = true;
        self.buffer.s_axis.tlast.next = true;
        self.buffer.s_axis.tdata.next =
            self.head.word.val() | field::<32, CONTROL_WIDTH>(self.kind.val(), CONTROL_OFFSET);
        match self.step.q.val() {
            ControlWord::Head => {
                if !self.requests.empty.val() {
                    self.requests.read.next = self.free.val();
                } else if !self.replies.empty.val() {
                    self.replies.read.next = self.free.val();
                } else {
                    self.buffer.s_axis.tvalid.next = self.answer.valid.val();
                    self.buffer.s_axis.tlast.next = false;
                    if self.answer.valid.val() & self.free.val() {
                        self.step.d.next = ControlWord::Status;
                    }
                }
            }
            ControlWord::Status => {
                self.buffer.s_axis.tdata.next =
                    field::<32, LENGTH_WIDTH>(self.answer.outcome.val().delivered, DELIVERED_OFFSET)
                        | field::<32, FAILURE_WIDTH>(self.answer.outcome.val().failure, FAILURE_OFFSET)
                        | field::<32, 1>(self.overflow_bit.val(), OVERFLOW_OFFSET)
                        | field::<32, 1>(self.silent_bit.val(), SILENT_OFFSET);
                self.buffer.s_axis.tlast.next = !self.answer.full.val();
                if self.free.val() {
                    self.step.d.next = ControlWord::Head;
                    self.answer.ready.next = !self.answer.full.val();
                    if self.answer.full.val() {
                        self.step.d.next = ControlWord::Offset;
                    }
                }
            }
            ControlWord::Offset => {
                self.buffer.s_axis.tdata.next = self.answer.used.val();
                if self.free.val() {
                    self.step.d.next = ControlWord::Head;
                    self.answer.ready.next = true;
                }
            }
        }
        wire!(self <=> buffer: m_axis);
        if self.rst.val() {
            self.step.d.next = ControlWord::Head;
        }
    }
}
