use super::{edge_reader::ROOM_WIDTH, EjectionIn, JobIn, EDGES, EDGE_WIDTH};
use portico_spec::mpe::call::{CONTEXTS, CONTEXT_WIDTH, NEIGHBOURS, PLACE_WIDTH};
use portico_verilog::prelude::*;

/// Width of a number of passes: the queues of `EdgeReader` and `Folder` hold four each, and one mark may be on its way.
const PASSES_WIDTH: usize = 4;

/// Empties the edge buffers of closed contexts, and gives the credits back.
///
/// Of up to 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | a packet is freed after the last pass of its context, at most 16 cycles for each context that is built |
/// | throughput | a room a cycle, in cycles without another credit, and not behind a token |
/// | state | by context how much of its passes is left, and what begins and ends of them; the edge in turn |
///
/// The passes that the scheduler gave out before the context was closed still run. A room that such a pass has kept is freed too, so
/// the credits of all packets go home. Of two packets of an edge, the older one goes first: its neighbour may be open still, and send
/// another packet with the credit, which comes into the room of the older one.
///
/// Passes are counted a cycle after they begin or end. The scheduler shows that a context is closed two cycles after its last pass or
/// later, so no pass is overlooked.
#[derive(LogicBlock, Default)]
pub struct EdgeDrain {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Passes that are given out, with `valid` in the cycle in which one is accepted.
    pub job: JobIn,
    /// One bit a context, for a cycle: a pass has read its last word from the edge buffer.
    pub read: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: the folder has ended a pass without a mark.
    pub folded: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: the mark of a pass has come out of the writer.
    pub marked: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// One bit an edge: a packet is in its first room.
    pub first_taken: Signal<In, Bits<EDGES>>,
    /// One bit an edge: a packet is in its second room.
    pub second_taken: Signal<In, Bits<EDGES>>,
    /// One bit an edge: its next packet comes into its second room, so that the packet there is the older of two.
    pub next_slot: Signal<In, Bits<EDGES>>,
    /// The packet that is being ejected into the edge buffer.
    pub ejection: EjectionIn,
    /// No room is to become free in this cycle: another credit is sent.
    pub busy: Signal<In, Bit>,
    /// One bit a context: a pass is under way.
    pub passes: Signal<Out, Bits<CONTEXTS>>,
    /// High for a cycle: the packet in a room is dropped, and its credit is owed.
    pub frees: Signal<Out, Bit>,
    /// Room that becomes free: edge, and which of its two; valid with `frees`.
    pub freed: Signal<Out, Bits<ROOM_WIDTH>>,
    left: [DFF<Bits<PASSES_WIDTH>>; CONTEXTS],
    turn: DFF<Bits<EDGE_WIDTH>>,
    given: DFF<Bits<CONTEXTS>>,
    from_edge: DFF<Bits<CONTEXTS>>,
    was_read: DFF<Bits<CONTEXTS>>,
    was_folded: DFF<Bits<CONTEXTS>>,
    given_bit: Signal<Local, Bits<1>>,
    edge_bit: Signal<Local, Bits<1>>,
    read_bit: Signal<Local, Bits<1>>,
    folded_bit: Signal<Local, Bits<1>>,
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    slot: Signal<Local, Bit>,
    slot_bit: Signal<Local, Bits<1>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    empties: Signal<Local, Bits<CONTEXTS>>,
    comes: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    last_edge: Constant<Bits<EDGE_WIDTH>>,
}

impl EdgeDrain {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        Self {
            last_edge: Constant::new(bits((contexts * NEIGHBOURS) as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for EdgeDrain {
    fn update(&mut self) {
        dff_setup!(self, clk, turn, given, from_edge, was_read, was_folded);
        // A pass counts once for its words of the edge, and once for the words that it makes.
        self.given.d.next = 0.into();
        self.from_edge.d.next = 0.into();
        if self.job.valid.val() {
            self.given.d.next = bits::<CONTEXTS>(1) << self.job.owner.val();
            if self.job.from_edge.val() {
                self.from_edge.d.next = bits::<CONTEXTS>(1) << self.job.owner.val();
            }
        }
        self.was_read.d.next = self.read.val();
        self.was_folded.d.next = self.folded.val() | self.marked.val();
        self.passes.next = 0.into();
        for i in 0..CONTEXTS {
            self.left[i].clock.next = self.clk.val();
            self.given_bit.next = self.given.q.val().get_bit(i).into();
            self.edge_bit.next = self.from_edge.q.val().get_bit(i).into();
            self.read_bit.next = self.was_read.q.val().get_bit(i).into();
            self.folded_bit.next = self.was_folded.q.val().get_bit(i).into();
            self.left[i].d.next = self.left[i].q.val()
                + bit_cast::<PASSES_WIDTH, 1>(self.given_bit.val())
                + bit_cast::<PASSES_WIDTH, 1>(self.edge_bit.val())
                - bit_cast::<PASSES_WIDTH, 1>(self.read_bit.val())
                - bit_cast::<PASSES_WIDTH, 1>(self.folded_bit.val());
            self.passes.next = self.passes.val().replace_bit(i, self.left[i].q.val().any());
            if self.rst.val() {
                self.left[i].d.next = 0.into();
            }
        }
        self.job.ready.next = true;

        // Edge after edge; the turn stays at one whose packet cannot be freed yet for want of a way for its credit.
        self.owner.next = self.turn.q.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH);
        self.first.next = self.first_taken.val().get_bit(self.turn.q.val().index());
        self.second.next = self.second_taken.val().get_bit(self.turn.q.val().index());
        self.slot.next = self.second.val();
        if self.first.val() & self.second.val() {
            self.slot.next = self.next_slot.val().get_bit(self.turn.q.val().index());
        }
        self.comes.next = self.ejection.valid.val()
            & (self.ejection.neighbour.val() == self.turn.q.val())
            & (self.ejection.slot.val() == self.slot.val());
        self.empties.next = self.closed.val() & !self.passes.val();
        self.drops.next = (self.first.val() | self.second.val())
            & !self.comes.val()
            & self.empties.val().get_bit(self.owner.val().index());
        self.frees.next = self.drops.val() & !self.busy.val();
        self.slot_bit.next = self.slot.val().into();
        self.freed.next =
            field::<ROOM_WIDTH, EDGE_WIDTH>(self.turn.q.val(), 1) | bit_cast::<ROOM_WIDTH, 1>(self.slot_bit.val());
        if !self.drops.val() | !self.busy.val() {
            self.turn.d.next = (self.turn.q.val() + 1) & self.last_edge.val();
        }
        if self.rst.val() {
            self.turn.d.next = 0.into();
            self.given.d.next = 0.into();
            self.from_edge.d.next = 0.into();
            self.was_read.d.next = 0.into();
            self.was_folded.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] EdgeDrain);

    #[test]
    fn the_oldest_packet_of_an_edge_goes_first_and_all_go() {
        for contexts in [1, 2, 4] {
            let mut rng = rng(0xd4a1 + contexts as u64);
            let mut dut = reset(EdgeDrain::new(contexts));
            let edges = contexts * NEIGHBOURS;
            // The slots of the packets of each edge, the oldest first, and the slot of the next one.
            let mut rooms = vec![VecDeque::new(); edges];
            let mut next = vec![0u64; edges];
            let (mut came, mut gone) = (0, 0);
            for cycle in 0..4_000 {
                let closed = if cycle < 3_900 { rng.gen_range(0..16) } else { 15u64 };
                let edge = rng.gen_range(0..edges);
                if cycle < 3_900 && rng.gen_bool(0.3) && rooms[edge].len() < 2 {
                    rooms[edge].push_back(next[edge]);
                    next[edge] ^= 1;
                    came += 1;
                }
                let mask = |is: &dyn Fn(usize) -> bool| (0..edges).map(|edge| u64::from(is(edge)) << edge).sum::<u64>();
                // The youngest packet of an edge may still be coming.
                let coming = rng.gen_range(0..edges);
                let comes = cycle < 3_900 && rng.gen_bool(0.3) && !rooms[coming].is_empty();
                dut.closed.next = closed.into();
                dut.first_taken.next = mask(&|edge| rooms[edge].contains(&0)).into();
                dut.second_taken.next = mask(&|edge| rooms[edge].contains(&1)).into();
                dut.next_slot.next = mask(&|edge| next[edge] == 1).into();
                dut.ejection.valid.next = comes;
                dut.ejection.neighbour.next = (coming as u64).into();
                dut.ejection.slot.next = next[coming] == 0;
                dut.busy.next = rng.gen_bool(0.2);
                settle(&mut dut);
                if dut.frees.val() {
                    let freed = dut.freed.val().to_u64();
                    let (edge, slot) = (freed as usize / 2, freed % 2);
                    assert!(!dut.busy.val() && closed >> (edge / NEIGHBOURS) & 1 == 1);
                    assert!(
                        !comes || coming != edge || rooms[edge].len() == 2,
                        "a packet that comes stays"
                    );
                    assert_eq!(rooms[edge].pop_front(), Some(slot), "edge {edge}");
                    gone += 1;
                }
                clock(&mut dut);
            }
            assert!(came > 500 && came == gone, "{came} and {gone}");
        }
    }
}
