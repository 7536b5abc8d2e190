use super::{edge_reader::ROOM_WIDTH, EDGES, EDGE_WIDTH};
use crate::prim::LutRam;
use portico_spec::mpe::call::{
    CONTEXTS, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, KIND_WIDTH, NEIGHBOURS, PACKETS, PLACE_WIDTH,
};
use portico_verilog::prelude::*;

/// The call that a packet opens, and its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Note {
    /// The low bits of the number in its call word; without meaning if it has none.
    pub number: Bits<HEAD_NUMBER_WIDTH>,
    /// It goes away from the root.
    pub down: Bit,
    /// It has a call word.
    pub opens: Bit,
}

/// Finds packets that say that a neighbour means another call than this member.
///
/// Of up to 4 contexts; two packets for each edge.
///
/// | | |
/// | --- | --- |
/// | latency | a wrong packet is told at most 8 cycles for each context that is built after it has come or its call has begun |
/// | throughput | an edge a cycle |
/// | state | a note of each packet in LUT-RAM, and the edge in turn |
///
/// The oldest packet of each edge is looked at. If it opens a call that has ended, or the current call has another direction or sends
/// nothing on this edge, it is wrong. The scheduler itself compares the packet that it waits for.
#[derive(LogicBlock, Default)]
pub struct PacketWatch {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle: a packet has come.
    pub arrives: Signal<In, Bit>,
    /// Its room: edge, and which of its two; valid with `arrives`.
    pub room: Signal<In, Bits<ROOM_WIDTH>>,
    /// Its note; valid with `arrives`.
    pub note: Signal<In, Note>,
    /// One bit an edge: a packet is here that no pass has taken for the last time.
    pub packets: Signal<In, Bits<EDGES>>,
    /// One bit an edge: the oldest such packet is in its second room.
    pub slots: Signal<In, Bits<EDGES>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed. Its packets are wrong already, and none may be told in the cycle in which it opens.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// By context the low bits of the number of its current call.
    pub numbers: [Signal<In, Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    /// By context the kind of its current call; valid while the call runs.
    pub kinds: [Signal<In, Bits<KIND_WIDTH>>; CONTEXTS],
    /// One bit an edge: it leads towards the root; valid while a call runs.
    pub ways: Signal<In, Bits<EDGES>>,
    /// One bit a context, for a cycle: a packet is wrong.
    pub wrong: Signal<Out, Bits<CONTEXTS>>,
    notes: LutRam<Note, ROOM_WIDTH>,
    turn: DFF<Bits<EDGE_WIDTH>>,
    fails: DFF<Bits<CONTEXTS>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    slot_bit: Signal<Local, Bits<1>>,
    current: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    kind: Signal<Local, Bits<KIND_WIDTH>>,
    runs: Signal<Local, Bit>,
    is_way: Signal<Local, Bit>,
    ahead: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    is_awaited: Signal<Local, Bit>,
    is_wrong: Signal<Local, Bit>,
    last_edge: Constant<Bits<EDGE_WIDTH>>,
}

impl PacketWatch {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        Self {
            notes: LutRam::new(contexts * NEIGHBOURS * PACKETS),
            last_edge: Constant::new(bits((contexts * NEIGHBOURS) as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for PacketWatch {
    fn update(&mut self) {
        wire!(self => notes: clk);
        dff_setup!(self, clk, turn, fails);
        self.notes.write_enable.next = self.arrives.val();
        self.notes.write_address.next = self.room.val();
        self.notes.write_data.next = self.note.val();

        self.owner.next = self.turn.q.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH);
        self.slot_bit.next = self.slots.val().get_bit(self.turn.q.val().index()).into();
        self.notes.read_address.next =
            field::<ROOM_WIDTH, EDGE_WIDTH>(self.turn.q.val(), 1) | bit_cast::<ROOM_WIDTH, 1>(self.slot_bit.val());
        self.current.next = 0.into();
        self.kind.next = 0.into();
        self.runs.next = false;
        for i in 0..CONTEXTS {
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                self.current.next = self.numbers[i].val();
                self.kind.next = self.kinds[i].val();
                self.runs.next = self.running.val().get_bit(i);
            }
        }
        self.is_way.next = self.ways.val().get_bit(self.turn.q.val().index());
        self.ahead.next = self.notes.read_data.val().number - self.current.val();
        // The kinds are numbered so that bit 0 says that words come down, and bit 1 that they go up.
        self.is_awaited.next = self.kind.val().get_bit(1) & !self.is_way.val();
        if self.notes.read_data.val().down {
            self.is_awaited.next = self.kind.val().get_bit(0) & self.is_way.val();
        }
        self.is_wrong.next = self.packets.val().get_bit(self.turn.q.val().index())
            & !self.closed.val().get_bit(self.owner.val().index())
            & self.notes.read_data.val().opens
            & (self.ahead.val().all() | (!self.ahead.val().any() & self.runs.val() & !self.is_awaited.val()));
        self.fails.d.next = 0.into();
        if self.is_wrong.val() {
            self.fails.d.next = bits::<CONTEXTS>(1) << self.owner.val();
        }
        self.wrong.next = self.fails.q.val();
        self.turn.d.next = (self.turn.q.val() + 1) & self.last_edge.val();
        if self.rst.val() {
            self.turn.d.next = 0.into();
            self.fails.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::mpe::call::{Kind, AHEAD};
    use rand::Rng;

    clocked!([] PacketWatch);

    /// Each packet alone, in all states of its context: told within a turn if and only if it is wrong.
    #[test]
    fn every_wrong_packet_is_told_and_no_other() {
        let mut dut = reset(PacketWatch::new(2));
        let mut rng = rng(0x9ac4);
        let mut told = 0;
        for round in 0..2_500 {
            let (context, place, slot) = (
                rng.gen_range(0..2usize),
                rng.gen_range(0..NEIGHBOURS),
                rng.gen_range(0..2u64),
            );
            let (number, current) = (rng.gen_range(0..4u64), rng.gen_range(0..4u64));
            let is_closed = rng.gen_bool(0.1);
            let (runs, down, opens, is_way) = (
                rng.gen::<bool>(),
                rng.gen::<bool>(),
                rng.gen_bool(0.8),
                rng.gen::<bool>(),
            );
            let kind = Kind::ALL[rng.gen_range(0..4)];
            let edge = context * NEIGHBOURS + place;
            dut.packets.next = 0.into();
            dut.arrives.next = true;
            dut.room.next = (edge as u64 * 2 + slot).into();
            dut.note.next = Note {
                number: number.into(),
                down,
                opens,
            };
            settle(&mut dut);
            clock(&mut dut);
            dut.arrives.next = false;
            dut.packets.next = (1u64 << edge).into();
            dut.slots.next = (slot << edge).into();
            dut.running.next = (u64::from(runs) << context).into();
            dut.closed.next = (u64::from(is_closed) << context).into();
            dut.numbers[context].next = current.into();
            dut.kinds[context].next = (kind as u64).into();
            dut.ways.next = (u64::from(is_way) << edge).into();
            let mut wrong = 0;
            for _ in 0..2 * NEIGHBOURS + 1 {
                settle(&mut dut);
                wrong |= dut.wrong.val().to_u64();
                clock(&mut dut);
            }
            let ahead = (number + 4 - current) as usize % 4;
            let is_awaited = if down {
                kind.spreads() && is_way
            } else {
                kind.folds() && !is_way
            };
            let is_wrong = opens && !is_closed && (ahead > AHEAD || ahead == 0 && runs && !is_awaited);
            assert_eq!(
                wrong,
                u64::from(is_wrong) << context,
                "round {round}, {kind:?}, {ahead} ahead"
            );
            told += usize::from(is_wrong);
            dut.packets.next = 0.into();
            (0..2).for_each(|_| clock(&mut dut));
        }
        assert!(told > 500 && told < 1_500, "{told}");
    }
}
