use super::{ArmedIn, RenewalIn, EDGES, EDGE_WIDTH};
use portico_spec::mpe::call::{ARMED_WIDTH, CONTEXTS, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, NEIGHBOURS, PLACE_WIDTH};
use portico_verilog::prelude::*;

/// Knows which calls are armed, and which launches are under way; hands a launch on to the neighbours.
///
/// Of up to 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a launch or a go to `ready`, 2 cycles to the first go that is sent on |
/// | throughput | a go a cycle in; one a cycle out, in cycles without another token or credit |
/// | state | by context the armed calls, those that have begun, the launch and its number; by edge whether a go is owed; the go that leaves |
///
/// A launch is under way until its last call begins. A go that comes before closes the context. A context that is closed keeps
/// nothing; one that is renewed has no launch under way and loses its armed calls.
#[derive(LogicBlock, Default)]
pub struct Launches {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no call is armed.
    pub rst: Signal<In, Bit>,
    /// Edges with a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// Contexts that lose their armed calls.
    pub renewal: RenewalIn,
    /// Calls that are armed, launched, or begin.
    pub armed: ArmedIn,
    /// By context the low bits of the number of its next call.
    pub numbers: [Signal<In, Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    /// High for a cycle: a go has come.
    pub go: Signal<In, Bit>,
    /// Edge on which it has come: context above place; valid with `go`.
    pub neighbour: Signal<In, Bits<EDGE_WIDTH>>,
    /// The low bits of the number of its first call; valid with `go`.
    pub number: Signal<In, Bits<HEAD_NUMBER_WIDTH>>,
    /// By context how many calls are armed.
    pub counts: [Signal<Out, Bits<ARMED_WIDTH>>; CONTEXTS],
    /// By context how many of them have begun in the launch that is under way.
    pub begun: [Signal<Out, Bits<ARMED_WIDTH>>; CONTEXTS],
    /// One bit a context, for a cycle: a go has come while a launch is under way.
    pub again: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context: a launch is under way, or a go is owed.
    pub holds: Signal<Out, Bits<CONTEXTS>>,
    /// A go is to be sent.
    pub go_valid: Signal<Out, Bit>,
    /// Edge to which it goes: context above place; valid with `go_valid`.
    pub go_edge: Signal<Out, Bits<EDGE_WIDTH>>,
    /// The low bits of the number of its first call; valid with `go_valid`.
    pub go_number: Signal<Out, Bits<HEAD_NUMBER_WIDTH>>,
    /// The go is taken in this cycle if `go_valid` is high.
    pub go_ready: Signal<In, Bit>,
    count: [DFF<Bits<ARMED_WIDTH>>; CONTEXTS],
    gone: [DFF<Bits<ARMED_WIDTH>>; CONTEXTS],
    first: [DFF<Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    launched: DFF<Bits<CONTEXTS>>,
    owed: DFF<Bits<EDGES>>,
    leaves: DFF<Bit>,
    leaving: DFF<Bits<EDGE_WIDTH>>,
    leaving_number: DFF<Bits<HEAD_NUMBER_WIDTH>>,
    comes: Signal<Local, Bits<CONTEXTS>>,
    starts: Signal<Local, Bits<CONTEXTS>>,
    done: Signal<Local, Bits<CONTEXTS>>,
    ready: Signal<Local, Bits<CONTEXTS>>,
    is_next: Signal<Local, Bit>,
    own: Signal<Local, Bits<EDGES>>,
    /// Edges of the contexts that start, and of those that are closed.
    added: Signal<Local, Bits<EDGES>>,
    dropped: Signal<Local, Bits<EDGES>>,
    back: Signal<Local, Bits<EDGES>>,
    /// The context of the next go, its edges, and the place of the first of them.
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    shift: Signal<Local, Bits<6>>,
    of_owner: Signal<Local, Bits<EDGES>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    has_place: Signal<Local, Bit>,
    picked: Signal<Local, Bits<EDGE_WIDTH>>,
    picked_bit: Signal<Local, Bits<EDGES>>,
    picked_number: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    owes: Signal<Local, Bits<CONTEXTS>>,
    sends: Signal<Local, Bit>,
    sending: Signal<Local, Bits<CONTEXTS>>,
    built: Constant<Bits<EDGES>>,
}

impl Launches {
    /// For `contexts` contexts.
    pub fn new(contexts: usize) -> Self {
        Self {
            built: Constant::new(bits(super::built_edges(contexts))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Launches {
    fn update(&mut self) {
        dff_setup!(self, clk, launched, owed, leaves, leaving, leaving_number);

        // A go of a neighbour, or a launch here.
        self.comes.next = 0.into();
        if self.go.val() {
            self.comes.next = bits::<CONTEXTS>(1) << self.neighbour.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH);
        }
        self.again.next = self.comes.val() & (self.launched.q.val() | self.armed.launch.val());
        self.starts.next = (self.comes.val() | self.armed.launch.val()) & !self.launched.q.val() & !self.closed.val();

        // Calls of each context.
        self.ready.next = 0.into();
        self.done.next = 0.into();
        self.added.next = 0.into();
        self.dropped.next = 0.into();
        self.own.next = bits::<EDGES>((1 << NEIGHBOURS) - 1);
        for i in 0..CONTEXTS {
            self.count[i].clock.next = self.clk.val();
            self.gone[i].clock.next = self.clk.val();
            self.first[i].clock.next = self.clk.val();
            self.count[i].d.next = self.count[i].q.val();
            self.gone[i].d.next = self.gone[i].q.val();
            self.first[i].d.next = self.first[i].q.val();
            self.counts[i].next = self.count[i].q.val();
            self.begun[i].next = self.gone[i].q.val();
            self.is_next.next = self.gone[i].q.val().any() | (self.numbers[i].val() == self.first[i].q.val());
            self.ready.next = self.ready.val().replace_bit(
                i,
                self.launched.q.val().get_bit(i)
                    & !self.running.val().get_bit(i)
                    & !self.armed.waits.val().get_bit(i)
                    & (self.gone[i].q.val() != self.count[i].q.val())
                    & self.is_next.val(),
            );
            if self.armed.arms.val().get_bit(i) {
                self.count[i].d.next = self.count[i].q.val() + 1;
            }
            if self.armed.begins.val().get_bit(i) {
                self.gone[i].d.next = self.gone[i].q.val() + 1;
                if self.gone[i].q.val() + 1 == self.count[i].q.val() {
                    self.gone[i].d.next = 0.into();
                    self.done.next = self.done.val().replace_bit(i, true);
                }
            }
            if self.starts.val().get_bit(i) {
                self.first[i].d.next = self.number.val();
                if self.armed.launch.val().get_bit(i) {
                    self.first[i].d.next = self.numbers[i].val();
                }
                self.added.next = self.added.val() | self.own.val();
            }
            if self.renewal.enable.val() & (self.renewal.context.val() == bits::<CONTEXT_WIDTH>(i)) {
                self.count[i].d.next = 0.into();
            }
            if self.closed.val().get_bit(i) {
                self.count[i].d.next = 0.into();
                self.gone[i].d.next = 0.into();
                self.dropped.next = self.dropped.val() | self.own.val();
            }
            self.own.next = self.own.val() << bits::<6>(NEIGHBOURS as u64);
            if self.rst.val() {
                self.count[i].d.next = 0.into();
                self.gone[i].d.next = 0.into();
            }
        }
        self.armed.ready.next = self.ready.val();
        self.armed.launched.next = self.launched.q.val();
        self.launched.d.next = (self.launched.q.val() | self.starts.val()) & !self.done.val() & !self.closed.val();

        // The next go that leaves: of the first context that owes one, to its first neighbour.
        self.owes.next = 0.into();
        self.owner.next = 0.into();
        for i in 0..CONTEXTS {
            if self.owed.q.val().get_bits::<NEIGHBOURS>(i * NEIGHBOURS).any() {
                self.owes.next = self.owes.val().replace_bit(i, true);
                self.owner.next = bits::<CONTEXT_WIDTH>(i);
            }
        }
        self.shift.next = field::<6, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH);
        self.of_owner.next = self.owed.q.val() >> self.shift.val();
        self.place.next = 0.into();
        self.has_place.next = false;
        for i in 0..NEIGHBOURS {
            if self.of_owner.val().get_bit(i) & !self.has_place.val() {
                self.place.next = bits::<PLACE_WIDTH>(i);
                self.has_place.next = true;
            }
        }
        self.picked_number.next = 0.into();
        for i in 0..CONTEXTS {
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                self.picked_number.next = self.first[i].q.val();
            }
        }
        self.picked.next = field::<EDGE_WIDTH, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH)
            | bit_cast::<EDGE_WIDTH, PLACE_WIDTH>(self.place.val());
        self.picked_bit.next = 0.into();
        self.sends.next = self.owes.val().any() & (!self.leaves.q.val() | self.go_ready.val());
        if self.sends.val() {
            self.picked_bit.next = bits::<EDGES>(1) << self.picked.val();
            self.leaving.d.next = self.picked.val();
            self.leaving_number.d.next = self.picked_number.val();
        }
        self.leaves.d.next = self.sends.val() | (self.leaves.q.val() & !self.go_ready.val());
        // A neighbour that has told of a launch is not told.
        self.back.next = 0.into();
        if self.go.val() {
            self.back.next = bits::<EDGES>(1) << self.neighbour.val();
        }
        self.owed.d.next = ((self.owed.q.val() & !self.picked_bit.val())
            | (self.added.val() & self.present.val() & !self.back.val()))
            & !self.dropped.val()
            & self.built.val();
        self.go_valid.next = self.leaves.q.val();
        self.go_edge.next = self.leaving.q.val();
        self.go_number.next = self.leaving_number.q.val();
        self.sending.next = 0.into();
        if self.leaves.q.val() {
            self.sending.next = bits::<CONTEXTS>(1) << self.leaving.q.val().get_bits::<CONTEXT_WIDTH>(PLACE_WIDTH);
        }
        self.holds.next = self.launched.q.val() | self.owes.val() | self.sending.val();
        if self.rst.val() {
            self.launched.d.next = 0.into();
            self.owed.d.next = 0.into();
            self.leaves.d.next = false;
        }
    }
}
