use super::{edge_reader::ROOM_WIDTH, EjectionIn, JobIn, EDGES, EDGE_WIDTH};
use portico_spec::mpe::call::{CONTEXTS, CONTEXT_WIDTH, NEIGHBOURS, PACKETS, PLACE_WIDTH};
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
/// | throughput | a room a cycle, in cycles without another credit or token |
/// | state | by context how much of its passes is left; the room in turn |
///
/// The passes that the scheduler gave out before the context was closed still run. A room that such a pass has kept is freed too, so
/// the credits of all packets go home.
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
    /// The packet that is being ejected into the edge buffer.
    pub ejection: EjectionIn,
    /// Another credit or a token is sent in this cycle.
    pub busy: Signal<In, Bit>,
    /// One bit a context: a pass is under way.
    pub passes: Signal<Out, Bits<CONTEXTS>>,
    /// High for a cycle: the packet in a room is dropped, and its credit is owed.
    pub frees: Signal<Out, Bit>,
    /// Room that becomes free: edge, and which of its two; valid with `frees`.
    pub freed: Signal<Out, Bits<ROOM_WIDTH>>,
    left: [DFF<Bits<PASSES_WIDTH>>; CONTEXTS],
    turn: DFF<Bits<ROOM_WIDTH>>,
    given: Signal<Local, Bits<CONTEXTS>>,
    from_edge: Signal<Local, Bits<CONTEXTS>>,
    given_bit: Signal<Local, Bits<1>>,
    edge_bit: Signal<Local, Bits<1>>,
    read_bit: Signal<Local, Bits<1>>,
    folded_bit: Signal<Local, Bits<1>>,
    tried: Signal<Local, Bits<EDGE_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    is_taken: Signal<Local, Bit>,
    empties: Signal<Local, Bits<CONTEXTS>>,
    comes: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    last_room: Constant<Bits<ROOM_WIDTH>>,
}

impl EdgeDrain {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        let rooms = contexts * NEIGHBOURS * PACKETS;
        Self {
            last_room: Constant::new(bits(rooms as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for EdgeDrain {
    fn update(&mut self) {
        dff_setup!(self, clk, turn);
        // A pass counts once for its words of the edge, and once for the words that it makes.
        self.given.next = 0.into();
        self.from_edge.next = 0.into();
        if self.job.valid.val() {
            self.given.next = bits::<CONTEXTS>(1) << self.job.owner.val();
            if self.job.from_edge.val() {
                self.from_edge.next = bits::<CONTEXTS>(1) << self.job.owner.val();
            }
        }
        self.passes.next = 0.into();
        for i in 0..CONTEXTS {
            self.left[i].clock.next = self.clk.val();
            self.given_bit.next = self.given.val().get_bit(i).into();
            self.edge_bit.next = self.from_edge.val().get_bit(i).into();
            self.read_bit.next = self.read.val().get_bit(i).into();
            self.folded_bit.next = (self.folded.val() | self.marked.val()).get_bit(i).into();
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

        // Room after room; the turn stays at one that cannot be freed yet for want of a way for its credit.
        self.tried.next = self.turn.q.val().get_bits::<EDGE_WIDTH>(1);
        self.owner.next = self.turn.q.val().get_bits::<CONTEXT_WIDTH>(1 + PLACE_WIDTH);
        self.is_taken.next = self.first_taken.val().get_bit(self.tried.val().index());
        if self.turn.q.val().get_bit(0) {
            self.is_taken.next = self.second_taken.val().get_bit(self.tried.val().index());
        }
        self.comes.next = self.ejection.valid.val()
            & (self.ejection.neighbour.val() == self.tried.val())
            & (self.ejection.slot.val() == self.turn.q.val().get_bit(0));
        self.empties.next = self.closed.val() & !self.passes.val();
        self.drops.next =
            self.is_taken.val() & !self.comes.val() & self.empties.val().get_bit(self.owner.val().index());
        self.frees.next = self.drops.val() & !self.busy.val();
        self.freed.next = self.turn.q.val();
        if !self.drops.val() | !self.busy.val() {
            self.turn.d.next = (self.turn.q.val() + 1) & self.last_room.val();
        }
        if self.rst.val() {
            self.turn.d.next = 0.into();
        }
    }
}
