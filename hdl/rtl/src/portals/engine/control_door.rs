use super::{data_door::MOST_RANKS, Outcome, RankWriteIn, SlotClaimIn};
use crate::{
    bus::{FlitsIn, HeadDecoder},
    prim::{LutRam, Queue},
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    portals::engine::{
        ControlPacket, CONTROL_OFFSET, CONTROL_WIDTH, DELIVERED_OFFSET, FAILURE_OFFSET, FAILURE_WIDTH, LENGTH_WIDTH,
        OVERFLOW_OFFSET, RANK_WIDTH, SILENT_OFFSET, SLOTS, SLOT_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Takes credits and answers from the control plane.
///
/// Of up to 64 ranks and 32 slots.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a flit to the credit, or to the answer of which it is the tail |
/// | throughput | one flit a cycle |
/// | state | an answer a slot, and nodes of ranks and slots, in LUT-RAM; the packet in hand |
///
/// The door drops a packet whose sender is not the node of its rank or slot.
#[derive(LogicBlock, Default)]
pub struct ControlDoor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Flits of the control plane with the engine's kind.
    pub flits: FlitsIn<32>,
    /// Rows of the rank map as they are written, for this block's copy.
    pub rank_write: RankWriteIn,
    /// One bit a rank: it has a node.
    pub present: Signal<In, Bits<MOST_RANKS>>,
    /// Slots as they are claimed: answers come from their nodes.
    pub claim: SlotClaimIn,
    /// One bit a slot: it waits for its answer.
    pub waiting: Signal<In, Bits<SLOTS>>,
    /// High for a cycle: a credit of a request of `rank` comes back.
    pub request_credit: Signal<Out, Bit>,
    /// High for a cycle: a credit of a reply to `rank` comes back.
    pub reply_credit: Signal<Out, Bit>,
    /// The rank that gives the credit; valid with either.
    pub rank: Signal<Out, Bits<RANK_WIDTH>>,
    /// There is an answer.
    pub answered: Signal<Out, Bit>,
    /// Its slot; valid with `answered`.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Outcome of the request; valid with `answered`.
    pub outcome: Signal<Out, Outcome>,
    /// Offset used, in bytes, 0 if it is not told; valid with `answered`.
    pub used: Signal<Out, Bits<32>>,
    /// The answer is taken.
    pub take: Signal<In, Bit>,
    /// High for a cycle: a packet is refused.
    pub refused: Signal<Out, Bit>,
    nodes: LutRam<Bits<NODE_WIDTH>, RANK_WIDTH>,
    targets: LutRam<Bits<NODE_WIDTH>, SLOT_WIDTH>,
    outcomes: LutRam<Outcome, SLOT_WIDTH>,
    offsets: LutRam<Bits<32>, SLOT_WIDTH>,
    slots: Queue<Bits<SLOT_WIDTH>, SLOT_WIDTH>,
    head: HeadDecoder,
    valid: DFF<Bit>,
    is_head: DFF<Bit>,
    is_tail: DFF<Bit>,
    data: DFF<Bits<32>>,
    /// The packet is an answer, and is taken.
    takes: DFF<Bit>,
    named: DFF<Bits<SLOT_WIDTH>>,
    /// Its STATUS word has come.
    second: DFF<Bit>,
    kind: Signal<Local, Bits<CONTROL_WIDTH>>,
    from_rank: Signal<Local, Bit>,
    from_target: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    has_word: Signal<Local, Bit>,
}

impl ControlDoor {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            nodes: LutRam::new(ranks),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ControlDoor {
    fn update(&mut self) {
        wire!(self => slots: clk, rst);
        wire!(self => nodes, targets, outcomes, offsets: clk);
        dff_setup!(self, clk, valid, is_head, is_tail, data, takes, named, second);
        self.valid.d.next = self.flits.valid.val();
        self.is_head.d.next = self.flits.first.val();
        self.is_tail.d.next = self.flits.last.val();
        self.data.d.next = self.flits.data.val();
        self.nodes.write_enable.next = self.rank_write.enable.val();
        self.nodes.write_address.next = self.rank_write.rank.val();
        self.nodes.write_data.next = self.rank_write.node.val();
        self.targets.write_enable.next = self.claim.enable.val();
        self.targets.write_address.next = self.claim.slot.val();
        self.targets.write_data.next = self.claim.node.val();

        // Its sender and its kind.
        self.head.word.next = self.data.q.val();
        self.kind.next = self.data.q.val().get_bits::<CONTROL_WIDTH>(CONTROL_OFFSET);
        self.rank.next = self.head.tag.val().get_bits::<RANK_WIDTH>(0);
        self.nodes.read_address.next = self.rank.val();
        self.targets.read_address.next = self.head.tag.val().get_bits::<SLOT_WIDTH>(0);
        self.from_rank.next = !self
            .head
            .tag
            .val()
            .get_bits::<{ TAG_WIDTH - RANK_WIDTH }>(RANK_WIDTH)
            .any()
            & self.present.val().get_bit(self.rank.val().index())
            & (self.nodes.read_data.val() == self.head.source.val());
        self.from_target.next = !self
            .head
            .tag
            .val()
            .get_bits::<{ TAG_WIDTH - SLOT_WIDTH }>(SLOT_WIDTH)
            .any()
            & self
                .waiting
                .val()
                .get_bit(self.head.tag.val().get_bits::<SLOT_WIDTH>(0).index())
            & (self.targets.read_data.val() == self.head.source.val());
        self.begins.next = self.valid.q.val() & self.is_head.q.val();
        self.request_credit.next = false;
        self.reply_credit.next = false;
        self.refused.next = false;
        if self.begins.val() {
            self.takes.d.next = false;
            self.second.d.next = false;
            self.named.d.next = self.head.tag.val().get_bits::<SLOT_WIDTH>(0);
            if self.kind.val() == bits::<CONTROL_WIDTH>(ControlPacket::RequestCredit as u64) {
                self.request_credit.next = self.from_rank.val();
                self.refused.next = !self.from_rank.val();
            } else if self.kind.val() == bits::<CONTROL_WIDTH>(ControlPacket::ReplyCredit as u64) {
                self.reply_credit.next = self.from_rank.val();
                self.refused.next = !self.from_rank.val();
            } else {
                self.takes.d.next = self.from_target.val() & !self.is_tail.q.val();
                self.refused.next = !self.from_target.val() | self.is_tail.q.val();
            }
        }

        // Answers.
        self.has_word.next = self.valid.q.val() & !self.is_head.q.val() & self.takes.q.val();
        self.outcomes.write_enable.next = self.has_word.val() & !self.second.q.val();
        self.outcomes.write_address.next = self.named.q.val();
        self.outcomes.write_data.next.delivered = self.data.q.val().get_bits::<LENGTH_WIDTH>(DELIVERED_OFFSET);
        self.outcomes.write_data.next.failure = self.data.q.val().get_bits::<FAILURE_WIDTH>(FAILURE_OFFSET);
        self.outcomes.write_data.next.overflow = self.data.q.val().get_bit(OVERFLOW_OFFSET);
        self.outcomes.write_data.next.silent = self.data.q.val().get_bit(SILENT_OFFSET);
        self.offsets.write_enable.next = self.has_word.val();
        self.offsets.write_address.next = self.named.q.val();
        self.offsets.write_data.next = 0.into();
        if self.second.q.val() {
            self.offsets.write_data.next = self.data.q.val();
        }
        self.slots.write.next = self.has_word.val() & self.is_tail.q.val();
        self.slots.write_data.next = self.named.q.val();
        if self.has_word.val() {
            self.second.d.next = true;
            self.takes.d.next = !self.is_tail.q.val();
        }
        self.answered.next = !self.slots.empty.val();
        self.slot.next = self.slots.read_data.val();
        self.outcomes.read_address.next = self.slots.read_data.val();
        self.offsets.read_address.next = self.slots.read_data.val();
        self.outcome.next = self.outcomes.read_data.val();
        self.used.next = self.offsets.read_data.val();
        self.slots.read.next = self.take.val();
        if self.rst.val() {
            self.valid.d.next = false;
            self.takes.d.next = false;
        }
    }
}
