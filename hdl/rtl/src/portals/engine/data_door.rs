use super::{ArrivalOut, RankWriteIn, SlotClaimIn, GET_SLOT_WIDTH, INDEX_WIDTH, OWNER_WIDTH, ROOM_WIDTH, WORDS_WIDTH};
use crate::{
    bus::{FlitsIn, HeadDecoder, SweepIn},
    prim::LutRam,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    portals::engine::{
        Operation, FIRST_OFFSET, GET_SLOTS, OPERATION_OFFSET, OPERATION_WIDTH, RANKS, RANK_WIDTH, REPLY_OFFSET, ROOMS,
    },
};
use portico_verilog::prelude::*;

/// Width of a count of packets of an owner, modulo twice its rooms.
pub const COUNT_WIDTH: usize = ROOMS.ilog2() as usize + 1;
/// All ranks that there can be.
pub const MOST_RANKS: usize = RANKS[RANKS.len() - 1];

/// State of an owner at the door.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct DoorRow {
    /// Packets that have come, modulo four.
    pub given: Bits<COUNT_WIDTH>,
    /// A message has begun, and its last packet has not come.
    pub open: Bit,
}

/// Fields of a packet, by its head and its first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct PacketKind {
    /// It is the first packet of its message.
    pub first: Bit,
    /// It is the last packet of its message.
    pub last: Bit,
    /// It is a get.
    pub get: Bit,
}

/// Takes packets of requests and replies from the data plane into their rooms.
///
/// Two rooms of 32 words for each rank and for each slot of gets.
///
/// | | |
/// | --- | --- |
/// | latency | a word can be read 2 cycles after its flit is shown; a packet is told with its first word |
/// | throughput | one flit a cycle |
/// | state | counts, kinds and lengths of packets in LUT-RAM; the packet in hand |
///
/// The door drops a packet whole if its sender is not the node of its rank or slot, if it has no room or no word, or if it does not
/// continue the message of its owner. It drops the extra words of a packet that is too long.
#[derive(LogicBlock, Default)]
pub struct DataDoor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the sweep has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the counts after reset.
    pub sweep: SweepIn,
    /// Flits of the data plane with the engine's kind.
    pub flits: FlitsIn<32>,
    /// Rows of the rank map as they are written, for this block's copy.
    pub rank_write: RankWriteIn,
    /// One bit a rank: it has a node.
    pub present: Signal<In, Bits<MOST_RANKS>>,
    /// Slots as they are claimed: replies come from their nodes.
    pub claim: SlotClaimIn,
    /// One bit a slot of gets: it waits for its reply.
    pub waiting_gets: Signal<In, Bits<GET_SLOTS>>,
    /// A word of a packet goes to its room.
    pub write: Signal<Out, Bit>,
    /// Where the word goes: room above place; valid with `write`.
    pub write_address: Signal<Out, Bits<{ ROOM_WIDTH + INDEX_WIDTH }>>,
    /// The word; valid with `write`.
    pub write_data: Signal<Out, Bits<32>>,
    /// High for a cycle: a packet of `arrived` has come in part, and can be read.
    pub arrives: Signal<Out, Bit>,
    /// Owner of the packet: a rank, or a slot of gets behind all ranks; valid with `arrives`.
    pub arrived: Signal<Out, Bits<OWNER_WIDTH>>,
    /// The packet that is coming in. All others are whole.
    pub arrival: ArrivalOut,
    /// Room of the packet whose kind is asked for.
    pub asked: Signal<In, Bits<ROOM_WIDTH>>,
    /// Kind of the packet in that room, in the same cycle.
    pub kind: Signal<Out, PacketKind>,
    /// Room of the packet whose length is asked for.
    pub length_room: Signal<In, Bits<ROOM_WIDTH>>,
    /// Words of the packet in that room, in the same cycle; valid if it is whole.
    pub length: Signal<Out, Bits<WORDS_WIDTH>>,
    /// High for a cycle: a room of an owner is free again.
    pub frees: Signal<In, Bit>,
    /// The owner; valid with `frees`.
    pub freed: Signal<In, Bits<OWNER_WIDTH>>,
    /// Packets of this owner that have left their rooms, modulo four; valid with `frees`.
    pub freed_count: Signal<In, Bits<COUNT_WIDTH>>,
    /// High for a cycle: a packet is refused.
    pub refused: Signal<Out, Bit>,
    nodes: LutRam<Bits<NODE_WIDTH>, RANK_WIDTH>,
    targets: LutRam<Bits<NODE_WIDTH>, GET_SLOT_WIDTH>,
    rows: LutRam<DoorRow, OWNER_WIDTH>,
    left: LutRam<Bits<COUNT_WIDTH>, OWNER_WIDTH>,
    kinds: LutRam<PacketKind, ROOM_WIDTH>,
    lengths: LutRam<Bits<WORDS_WIDTH>, ROOM_WIDTH>,
    head: HeadDecoder,
    valid: DFF<Bit>,
    is_head: DFF<Bit>,
    is_tail: DFF<Bit>,
    data: DFF<Bits<32>>,
    /// The packet is taken.
    takes: DFF<Bit>,
    owner: DFF<Bits<OWNER_WIDTH>>,
    room: DFF<Bits<ROOM_WIDTH>>,
    reply: DFF<Bit>,
    first: DFF<Bit>,
    last: DFF<Bit>,
    /// Words of it that have come.
    count: DFF<Bits<WORDS_WIDTH>>,
    is_reply: Signal<Local, Bit>,
    is_known: Signal<Local, Bit>,
    named: Signal<Local, Bits<OWNER_WIDTH>>,
    used: Signal<Local, Bits<COUNT_WIDTH>>,
    which: Signal<Local, Bits<1>>,
    begins: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    has_word: Signal<Local, Bit>,
    words: Signal<Local, Bits<WORDS_WIDTH>>,
    ranks: Constant<Bits<OWNER_WIDTH>>,
}

impl DataDoor {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        let owners = ranks + GET_SLOTS;
        Self {
            nodes: LutRam::new(ranks),
            rows: LutRam::new(owners),
            left: LutRam::new(owners),
            kinds: LutRam::new(ROOMS * owners),
            lengths: LutRam::new(ROOMS * owners),
            ranks: Constant::new(bits(ranks as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for DataDoor {
    fn update(&mut self) {
        wire!(self => nodes, targets, rows, left, kinds, lengths: clk);
        dff_setup!(self, clk, valid, is_head, is_tail, data, takes, owner, room, reply, first, last, count);
        self.valid.d.next = self.flits.valid.val();
        self.is_head.d.next = self.flits.first.val();
        self.is_tail.d.next = self.flits.last.val();
        self.data.d.next = self.flits.data.val();
        self.nodes.write_enable.next = self.rank_write.enable.val();
        self.nodes.write_address.next = self.rank_write.rank.val();
        self.nodes.write_data.next = self.rank_write.node.val();
        self.targets.write_enable.next = self.claim.enable.val() & self.claim.get.val();
        self.targets.write_address.next = self.claim.slot.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.targets.write_data.next = self.claim.node.val();

        // The owner of the packet.
        self.head.word.next = self.data.q.val();
        self.is_reply.next = self.data.q.val().get_bit(REPLY_OFFSET);
        self.nodes.read_address.next = self.head.tag.val().get_bits::<RANK_WIDTH>(0);
        self.targets.read_address.next = self.head.tag.val().get_bits::<GET_SLOT_WIDTH>(0);
        self.named.next = bit_cast::<OWNER_WIDTH, RANK_WIDTH>(self.head.tag.val().get_bits::<RANK_WIDTH>(0));
        self.is_known.next = !self
            .head
            .tag
            .val()
            .get_bits::<{ TAG_WIDTH - RANK_WIDTH }>(RANK_WIDTH)
            .any()
            & self.present.val().get_bit(self.named.val().index())
            & (self.nodes.read_data.val() == self.head.source.val());
        if self.is_reply.val() {
            self.named.next = self.ranks.val()
                + bit_cast::<OWNER_WIDTH, GET_SLOT_WIDTH>(self.head.tag.val().get_bits::<GET_SLOT_WIDTH>(0));
            self.is_known.next = !self
                .head
                .tag
                .val()
                .get_bits::<{ TAG_WIDTH - GET_SLOT_WIDTH }>(GET_SLOT_WIDTH)
                .any()
                & self
                    .waiting_gets
                    .val()
                    .get_bit(self.head.tag.val().get_bits::<GET_SLOT_WIDTH>(0).index())
                & (self.targets.read_data.val() == self.head.source.val());
        }

        // Whether it has a room, and continues its message.
        self.rows.read_address.next = self.named.val();
        self.left.read_address.next = self.named.val();
        self.used.next = self.rows.read_data.val().given - self.left.read_data.val();
        self.which.next = self.rows.read_data.val().given.get_bits::<1>(0);
        self.begins.next = self.valid.q.val() & self.is_head.q.val();
        self.accepts.next = self.is_known.val()
            & !self.used.val().get_bit(COUNT_WIDTH - 1)
            & (self.data.q.val().get_bit(FIRST_OFFSET) != self.rows.read_data.val().open)
            & !self.is_tail.q.val();
        self.refused.next = self.begins.val() & !self.accepts.val();
        self.rows.write_enable.next = self.sweep.active.val() | (self.begins.val() & self.accepts.val());
        self.rows.write_address.next = self.named.val();
        self.rows.write_data.next.given = self.rows.read_data.val().given + 1;
        self.rows.write_data.next.open = !self.head.last.val();
        self.left.write_enable.next = self.sweep.active.val() | self.frees.val();
        self.left.write_address.next = self.freed.val();
        self.left.write_data.next = self.freed_count.val();
        if self.sweep.active.val() {
            self.rows.write_address.next = self.sweep.place.val().get_bits::<OWNER_WIDTH>(0);
            self.rows.write_data.next.given = 0.into();
            self.rows.write_data.next.open = false;
            self.left.write_address.next = self.sweep.place.val().get_bits::<OWNER_WIDTH>(0);
            self.left.write_data.next = 0.into();
        }
        if self.begins.val() {
            self.takes.d.next = self.accepts.val();
            self.owner.d.next = self.named.val();
            self.room.d.next =
                field::<ROOM_WIDTH, OWNER_WIDTH>(self.named.val(), 1) | bit_cast::<ROOM_WIDTH, 1>(self.which.val());
            self.reply.d.next = self.is_reply.val();
            self.first.d.next = self.data.q.val().get_bit(FIRST_OFFSET);
            self.last.d.next = self.head.last.val();
            self.count.d.next = 0.into();
        }

        // Its words.
        self.has_word.next = self.valid.q.val() & !self.is_head.q.val() & self.takes.q.val();
        self.write.next = self.has_word.val() & !self.count.q.val().get_bit(INDEX_WIDTH);
        self.write_address.next = field::<{ ROOM_WIDTH + INDEX_WIDTH }, ROOM_WIDTH>(self.room.q.val(), INDEX_WIDTH)
            | bit_cast::<{ ROOM_WIDTH + INDEX_WIDTH }, INDEX_WIDTH>(self.count.q.val().get_bits::<INDEX_WIDTH>(0));
        self.write_data.next = self.data.q.val();
        self.words.next = self.count.q.val();
        if self.write.val() {
            self.words.next = self.count.q.val() + 1;
            self.count.d.next = self.count.q.val() + 1;
        }
        self.arrives.next = self.write.val() & !self.count.q.val().any();
        self.arrived.next = self.owner.q.val();
        self.kinds.write_enable.next = self.arrives.val();
        self.kinds.write_address.next = self.room.q.val();
        self.kinds.write_data.next.first = self.first.q.val();
        self.kinds.write_data.next.last = self.last.q.val();
        self.kinds.write_data.next.get = !self.reply.q.val()
            & self.first.q.val()
            & (self.data.q.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET)
                == bits::<OPERATION_WIDTH>(Operation::Get as u64));
        self.lengths.write_enable.next = self.has_word.val() & self.is_tail.q.val();
        self.lengths.write_address.next = self.room.q.val();
        self.lengths.write_data.next = self.words.val();
        if self.has_word.val() & self.is_tail.q.val() {
            self.takes.d.next = false;
        }
        self.arrival.valid.next = self.takes.q.val();
        self.arrival.room.next = self.room.q.val();
        self.arrival.words.next = self.count.q.val();

        self.kinds.read_address.next = self.asked.val();
        self.lengths.read_address.next = self.length_room.val();
        self.kind.next = self.kinds.read_data.val();
        self.length.next = self.lengths.read_data.val();
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
    use portico_spec::{flit::Head, portals::engine::ROOM_WORDS, Node};

    clocked!([] DataDoor);

    const RANKS: usize = 4;
    /// Nodes of ranks 0 to 2; rank 3 has none.
    const NODES: [Node; RANKS - 1] = [Node { x: 1, y: 0 }, Node { x: 0, y: 1 }, Node { x: 1, y: 1 }];
    const FIRST: u32 = 1 << FIRST_OFFSET;
    const REPLY: u32 = 1 << REPLY_OFFSET;
    /// Slot of the get that waits for a reply of rank 2.
    const SLOT: u8 = 1;

    /// A door of four ranks, with what it has shown.
    struct Bench {
        dut: DataDoor,
        /// Rooms and words that were written.
        written: Vec<(u64, u64)>,
        /// Owners of packets that were told.
        told: Vec<u64>,
        refused: usize,
    }

    impl Bench {
        fn new() -> Bench {
            let mut dut = reset(DataDoor::new(RANKS));
            dut.sweep.active.next = true;
            for place in 0..RANKS + GET_SLOTS {
                dut.sweep.place.next = (place as u64).into();
                clock(&mut dut);
            }
            dut.sweep.active.next = false;
            dut.rank_write.enable.next = true;
            for (rank, node) in NODES.iter().enumerate() {
                dut.rank_write.rank.next = (rank as u64).into();
                dut.rank_write.node.next = u64::from(node.number()).into();
                clock(&mut dut);
            }
            dut.rank_write.enable.next = false;
            dut.present.next = 0b111_u64.into();
            dut.claim.enable.next = true;
            dut.claim.get.next = true;
            dut.claim.slot.next = u64::from(SLOT).into();
            dut.claim.node.next = u64::from(NODES[2].number()).into();
            clock(&mut dut);
            dut.claim.enable.next = false;
            dut.waiting_gets.next = (1_u64 << SLOT).into();
            Bench {
                dut,
                written: vec![],
                told: vec![],
                refused: 0,
            }
        }

        fn step(&mut self) {
            settle(&mut self.dut);
            if self.dut.write.val() {
                let room = self.dut.write_address.val().to_u64() >> INDEX_WIDTH;
                self.written.push((room, self.dut.write_data.val().to_u64()));
            }
            if self.dut.arrives.val() {
                self.told.push(self.dut.arrived.val().to_u64());
            }
            self.refused += usize::from(self.dut.refused.val());
            clock(&mut self.dut);
        }

        /// A packet from a node, with its tag, end of a message, and marks of the engine.
        fn send(&mut self, source: Node, tag: u8, last: bool, marks: u32, words: &[u64]) {
            let head = Head {
                source,
                tag,
                last,
                ..Head::default()
            };
            let head = head.encode().expect("fields that fit") | marks;
            let flits = [&[u64::from(head)][..], words].concat();
            for (at, &flit) in flits.iter().enumerate() {
                self.dut.flits.valid.next = true;
                self.dut.flits.first.next = at == 0;
                self.dut.flits.last.next = at == words.len();
                self.dut.flits.data.next = flit.into();
                self.step();
            }
            self.dut.flits.valid.next = false;
            self.step();
        }

        /// The packet is refused, once and whole.
        #[track_caller]
        fn is_dropped(&mut self, source: Node, tag: u8, last: bool, marks: u32, words: &[u64]) {
            self.refused = 0;
            self.send(source, tag, last, marks, words);
            assert_eq!(self.refused, 1);
            assert!(self.written.is_empty() && self.told.is_empty(), "{:?}", self.written);
        }

        /// The packet comes to this room of an owner.
        #[track_caller]
        fn comes(&mut self, source: Node, tag: u8, last: bool, marks: u32, place: (u64, u64)) {
            let (owner, which) = place;
            self.refused = 0;
            self.send(source, tag, last, marks, &[7, 8, 9]);
            let written = [7_u64, 8, 9].map(|word| (2 * owner + which, word));
            assert_eq!(self.refused, 0);
            assert_eq!(self.told, [owner]);
            assert_eq!(self.written, written);
            self.dut.length_room.next = (2 * owner + which).into();
            settle(&mut self.dut);
            assert_eq!(self.dut.length.val().to_u64(), 3);
            (self.written, self.told) = (vec![], vec![]);
        }

        /// The first packets of an owner have left their rooms.
        fn free(&mut self, owner: u64, packets: u64) {
            self.dut.frees.next = true;
            self.dut.freed.next = owner.into();
            self.dut.freed_count.next = packets.into();
            self.step();
            self.dut.frees.next = false;
        }
    }

    #[test]
    fn packets_of_another_node_are_dropped() {
        let mut bench = Bench::new();
        let [own, other, target] = NODES;
        for (source, tag) in [(other, 0), (own, 1), (own, 3), (own, 64), (own, 128)] {
            bench.is_dropped(source, tag, true, FIRST, &[1, 2]);
        }
        // From another node than that of the get, of a slot that waits for nothing, and of one that there is not.
        for (source, tag) in [(other, SLOT), (target, 0), (target, SLOT + 4), (target, SLOT + 64)] {
            bench.is_dropped(source, tag, true, FIRST | REPLY, &[1, 2]);
        }
        bench.comes(own, 0, true, FIRST, (0, 0));
        bench.comes(other, 1, true, FIRST, (1, 0));
        bench.comes(target, SLOT, true, FIRST | REPLY, (RANKS as u64 + u64::from(SLOT), 0));
    }

    #[test]
    fn packets_without_a_room_are_dropped() {
        let mut bench = Bench::new();
        let [_, source, other] = NODES;
        bench.comes(source, 1, true, FIRST, (1, 0));
        bench.comes(source, 1, true, FIRST, (1, 1));
        bench.is_dropped(source, 1, true, FIRST, &[1, 2]);
        bench.comes(other, 2, true, FIRST, (2, 0));
        bench.free(1, 1);
        bench.comes(source, 1, true, FIRST, (1, 0));
        bench.is_dropped(source, 1, true, FIRST, &[1, 2]);
    }

    #[test]
    fn packets_that_do_not_continue_a_message_are_dropped() {
        let mut bench = Bench::new();
        let source = NODES[1];
        bench.is_dropped(source, 1, false, 0, &[1, 2]);
        bench.is_dropped(source, 1, true, 0, &[1, 2]);
        bench.comes(source, 1, false, FIRST, (1, 0));
        bench.is_dropped(source, 1, false, FIRST, &[1, 2]);
        bench.comes(source, 1, true, 0, (1, 1));
        bench.free(1, 2);
        bench.is_dropped(source, 1, true, 0, &[1, 2]);
        bench.comes(source, 1, true, FIRST, (1, 0));
    }

    #[test]
    fn packets_without_a_word_and_extra_words_are_dropped() {
        let mut bench = Bench::new();
        bench.is_dropped(NODES[1], 1, true, FIRST, &[]);
        bench.refused = 0;
        let words: Vec<u64> = (0..ROOM_WORDS as u64 + 3).collect();
        bench.send(NODES[1], 1, true, FIRST, &words);
        let kept: Vec<(u64, u64)> = words[..ROOM_WORDS].iter().map(|&word| (2, word)).collect();
        assert_eq!(bench.refused, 0);
        assert_eq!(bench.written, kept);
    }
}
