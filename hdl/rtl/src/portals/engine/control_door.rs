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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};
    use portico_spec::{flit::Head, Node};

    clocked!([] ControlDoor);

    /// Nodes of ranks 0 and 1; other ranks have none.
    const NODES: [Node; 2] = [Node { x: 1, y: 0 }, Node { x: 0, y: 1 }];
    /// Slot of a request to rank 1 that waits for its answer.
    const SLOT: u8 = 9;
    /// Fields of the answer.
    const DELIVERED: u64 = 77;
    const FAILURE: u64 = 3;
    const OFFSET: u64 = 0xfeed_1234;

    /// A door, with what it has shown.
    struct Bench {
        dut: ControlDoor,
        /// Ranks that have given credits of requests, and of replies.
        credits: [Vec<u64>; 2],
        refused: usize,
    }

    impl Bench {
        fn new() -> Bench {
            let mut dut = reset(ControlDoor::new(4));
            dut.rank_write.enable.next = true;
            for (rank, node) in NODES.iter().enumerate() {
                dut.rank_write.rank.next = (rank as u64).into();
                dut.rank_write.node.next = u64::from(node.number()).into();
                clock(&mut dut);
            }
            dut.rank_write.enable.next = false;
            dut.present.next = 0b11_u64.into();
            dut.claim.enable.next = true;
            dut.claim.slot.next = u64::from(SLOT).into();
            dut.claim.node.next = u64::from(NODES[1].number()).into();
            clock(&mut dut);
            dut.claim.enable.next = false;
            dut.waiting.next = (1_u64 << SLOT).into();
            Bench {
                dut,
                credits: [vec![], vec![]],
                refused: 0,
            }
        }

        fn step(&mut self) {
            settle(&mut self.dut);
            let rank = self.dut.rank.val().to_u64();
            let given = [self.dut.request_credit.val(), self.dut.reply_credit.val()];
            for (credits, _) in self.credits.iter_mut().zip(given).filter(|&(_, given)| given) {
                credits.push(rank);
            }
            self.refused += usize::from(self.dut.refused.val());
            clock(&mut self.dut);
        }

        /// A packet from a node; whether it is refused.
        fn send(&mut self, source: Node, kind: ControlPacket, tag: u8, words: &[u64]) -> bool {
            let head = Head {
                source,
                tag,
                ..Head::default()
            };
            let head = head.encode().expect("fields that fit") | (kind as u32) << CONTROL_OFFSET;
            let flits = [&[u64::from(head)][..], words].concat();
            self.refused = 0;
            for (at, &flit) in flits.iter().enumerate() {
                self.dut.flits.valid.next = true;
                self.dut.flits.first.next = at == 0;
                self.dut.flits.last.next = at == words.len();
                self.dut.flits.data.next = flit.into();
                self.step();
            }
            self.dut.flits.valid.next = false;
            self.step();
            // A packet is refused once.
            assert!(self.refused <= 1, "{} refusals", self.refused);
            self.refused == 1
        }
    }

    #[test]
    fn credits_of_another_node_are_dropped() {
        let mut bench = Bench::new();
        let [own, other] = NODES;
        for (at, kind) in [ControlPacket::RequestCredit, ControlPacket::ReplyCredit]
            .into_iter()
            .enumerate()
        {
            // Of another rank, of a rank without a node, and of tags that are no ranks.
            for (source, tag) in [(own, 1), (other, 0), (own, 2), (own, 64), (other, 129)] {
                assert!(bench.send(source, kind, tag, &[]), "{kind:?} of {tag}");
            }
            assert!(bench.credits[at].is_empty(), "{kind:?}: {:?}", bench.credits);
            assert!(!bench.send(other, kind, 1, &[]), "{kind:?}");
            assert!(!bench.send(own, kind, 0, &[]), "{kind:?}");
            assert_eq!(bench.credits[at], [1, 0]);
        }
        assert_eq!(bench.credits, [[1, 0], [1, 0]]);
    }

    #[test]
    fn answers_of_another_node_are_dropped() {
        let mut bench = Bench::new();
        let [other, target] = NODES;
        let status = DELIVERED << DELIVERED_OFFSET | FAILURE << FAILURE_OFFSET;
        let forged = (3_u64 << DELIVERED_OFFSET) | 1 << OVERFLOW_OFFSET;
        for (source, tag) in [
            (other, SLOT),
            (target, SLOT + 1),
            (target, SLOT + 32),
            (target, SLOT + 128),
        ] {
            for words in [&[forged][..], &[forged, 5]] {
                assert!(bench.send(source, ControlPacket::Answer, tag, words), "slot {tag}");
                assert!(!bench.dut.answered.val(), "slot {tag}");
            }
        }
        assert!(bench.send(target, ControlPacket::Answer, SLOT, &[]), "without a word");
        assert!(!bench.dut.answered.val(), "without a word");
        for (words, used) in [(&[status, OFFSET][..], OFFSET), (&[status], 0)] {
            assert!(!bench.send(target, ControlPacket::Answer, SLOT, words));
            // Behind it a forged one changes nothing of it.
            assert!(bench.send(other, ControlPacket::Answer, SLOT, &[forged, 5]));
            assert!(bench.dut.answered.val());
            assert_eq!(bench.dut.slot.val().to_u64(), u64::from(SLOT));
            let Outcome {
                delivered,
                failure,
                overflow,
                silent,
            } = bench.dut.outcome.val();
            let outcome = (delivered.to_u64(), failure.to_u64(), overflow, silent);
            assert_eq!(outcome, (DELIVERED, FAILURE, false, false));
            assert_eq!(bench.dut.used.val().to_u64(), used);
            bench.dut.take.next = true;
            bench.step();
            bench.dut.take.next = false;
            settle(&mut bench.dut);
            assert!(!bench.dut.answered.val());
        }
        assert!(bench.credits.iter().all(Vec::is_empty), "{:?}", bench.credits);
    }
}
