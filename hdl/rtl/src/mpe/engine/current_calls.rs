use super::{RenewalIn, EDGES};
use portico_spec::mpe::call::{CONTEXTS, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, KIND_WIDTH, NEIGHBOURS, PLACE_WIDTH};
use portico_verilog::prelude::*;

/// Knows the current call of each context, for those who compare with it what comes: the call that runs, or else the next one.
///
/// Of up to 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a call that begins, 2 cycles from the end of one |
/// | throughput | any number of changes in a cycle |
/// | state | by context the low bits of the number, the kind, the edge towards the root, and whether a call ran |
#[derive(LogicBlock, Default)]
pub struct CurrentCalls {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// High for a cycle: a call begins.
    pub begins: Signal<In, Bit>,
    /// Its context; valid with `begins`.
    pub owner: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Its kind; valid with `begins`.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// Place of the neighbour on the way to the root; valid with `begins`, but at the root.
    pub towards: Signal<In, Bits<PLACE_WIDTH>>,
    /// This tile is the root; valid with `begins`.
    pub root: Signal<In, Bit>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// Contexts of which the calls are numbered from 0 on.
    pub renewal: RenewalIn,
    /// One bit a context, for a cycle: its call has ended, and the number still is that of this call.
    pub ended: Signal<Out, Bits<CONTEXTS>>,
    /// By context the low bits of the number of its current call.
    pub numbers: [Signal<Out, Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    /// By context the kind of its current call; valid while the call runs.
    pub kinds: [Signal<Out, Bits<KIND_WIDTH>>; CONTEXTS],
    /// One bit an edge: it leads towards the root; valid while a call runs.
    pub ways: Signal<Out, Bits<EDGES>>,
    ran: DFF<Bits<CONTEXTS>>,
    way: DFF<Bits<EDGES>>,
    number: [DFF<Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    called: [DFF<Bits<KIND_WIDTH>>; CONTEXTS],
    own: Signal<Local, Bits<EDGES>>,
    shift: Signal<Local, Bits<6>>,
    new_way: Signal<Local, Bits<EDGES>>,
}

#[kernel]
impl Logic for CurrentCalls {
    fn update(&mut self) {
        dff_setup!(self, clk, ran, way);
        self.ran.d.next = self.running.val();
        self.ended.next = self.ran.q.val() & !self.running.val();
        self.shift.next = field::<6, CONTEXT_WIDTH>(self.owner.val(), PLACE_WIDTH);
        self.own.next = bits::<EDGES>((1 << NEIGHBOURS) - 1) << self.shift.val();
        self.new_way.next = 0.into();
        if !self.root.val() {
            self.new_way.next =
                (bits::<EDGES>(1) << bit_cast::<6, PLACE_WIDTH>(self.towards.val())) << self.shift.val();
        }
        if self.begins.val() {
            self.way.d.next = (self.way.q.val() & !self.own.val()) | self.new_way.val();
        }
        self.ways.next = self.way.q.val();
        for i in 0..CONTEXTS {
            self.number[i].clock.next = self.clk.val();
            self.called[i].clock.next = self.clk.val();
            self.number[i].d.next = self.number[i].q.val();
            self.called[i].d.next = self.called[i].q.val();
            self.numbers[i].next = self.number[i].q.val();
            self.kinds[i].next = self.called[i].q.val();
            if self.begins.val() & (self.owner.val() == bits::<CONTEXT_WIDTH>(i)) {
                self.called[i].d.next = self.kind.val();
            }
            if self.ended.val().get_bit(i) {
                self.number[i].d.next = self.number[i].q.val() + 1;
            }
            if self.renewal.enable.val() & (self.renewal.context.val() == bits::<CONTEXT_WIDTH>(i)) {
                self.number[i].d.next = 0.into();
            }
            if self.rst.val() {
                self.number[i].d.next = 0.into();
                self.called[i].d.next = 0.into();
            }
        }
        if self.rst.val() {
            self.ran.d.next = 0.into();
            self.way.d.next = 0.into();
        }
    }
}
