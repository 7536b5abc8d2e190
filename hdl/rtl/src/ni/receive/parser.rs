use super::{
    header::Kinds,
    steps::{Step, Steps},
};
use portico_spec::flit::KIND_WIDTH;
use portico_verilog::prelude::*;

/// Which flit of a packet is which.
///
/// Follows packets flit by flit.
///
/// | | |
/// | --- | --- |
/// | latency | combinational from the flit on offer |
/// | throughput | one flit a cycle; a cycle more for a message, and for a stream's end without payload; behind an atomic the head waits until its unit needs the packet no more, the next flit until it ends |
/// | state | that of [`Steps`], and a flag |
///
/// A last word goes to its place as soon as it can, and is remembered to have gone if the tables are busy just then: what
/// is offered stays so, and goes once.
///
/// Outputs named after a flit are high in the cycle in which that flit is taken.
#[derive(LogicBlock, Default)]
pub struct Parser {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub tvalid: Signal<In, Bit>,
    pub tlast: Signal<In, Bit>,
    pub tready: Signal<Out, Bit>,
    /// Kind of the head on offer, if it is one.
    pub next_kind: Signal<In, Bits<KIND_WIDTH>>,
    /// Of the ADDRESS word on offer, if it is one.
    pub next_strided: Signal<In, Bit>,
    /// Kind of the packet in hand.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// The tables can be read.
    pub may_start: Signal<In, Bit>,
    /// There is room for all that the end of a packet may bring about; stays so until one ends.
    pub may_end: Signal<In, Bit>,
    /// The tables cannot be written: no packet ends in this cycle.
    pub busy: Signal<In, Bit>,
    /// The payload word on offer can go where it goes, now.
    pub passes: Signal<In, Bit>,
    /// The atomic unit needs the packet no more, is at work, ends its work with this cycle.
    pub atomic_leaves: Signal<In, Bit>,
    pub atomic_works: Signal<In, Bit>,
    pub atomic_ends: Signal<In, Bit>,
    /// The word in front of the message can go, now.
    pub message_done: Signal<In, Bit>,
    pub head: Signal<Out, Bit>,
    pub address: Signal<Out, Bit>,
    pub geometry: Signal<Out, Bit>,
    pub front: Signal<Out, Bit>,
    /// A payload word is on offer and waits for nothing but `passes`.
    pub offered: Signal<Out, Bit>,
    pub payload: Signal<Out, Bit>,
    /// What is on offer is payload, if anything is.
    pub carries: Signal<Out, Bit>,
    pub operand: Signal<Out, Bit>,
    /// The payload word, if it is one, is the first of a stream.
    pub resumes: Signal<Out, Bit>,
    /// An atomic is all there.
    pub start_atomic: Signal<Out, Bit>,
    /// A packet of a transfer ends.
    pub closes: Signal<Out, Bit>,
    /// The word in front of a message waits for nothing but `message_done`.
    pub front_offered: Signal<Out, Bit>,
    /// The message is over.
    pub message_closes: Signal<Out, Bit>,
    /// A packet ends where its kind does not allow it, or is of no known kind.
    pub malformed: Signal<Out, Bit>,
    next_kinds: Kinds,
    kinds: Kinds,
    steps: Steps,
    step: Signal<Local, Step>,
    passed: DFF<Bit>,
    finishes: Signal<Local, Bit>,
    flows: Signal<Local, Bit>,
    /// The payload word on offer goes.
    goes: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    tail: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Parser {
    fn update(&mut self) {
        wire!(self => steps: clk, rst);
        dff_setup!(self, clk, passed);
        self.next_kinds.kind.next = self.next_kind.val();
        self.kinds.kind.next = self.kind.val();
        self.known.next = self.next_kinds.put.val()
            | self.next_kinds.reply.val()
            | self.next_kinds.stream.val()
            | self.next_kinds.atomic.val()
            | self.next_kinds.message.val();

        self.step.next = self.steps.step.val();
        self.finishes.next = self.may_end.val() & !self.busy.val() & !self.atomic_works.val();
        self.flows.next = self.finishes.val() | !self.tlast.val();
        self.goes.next = self.flows.val() & (self.passes.val() | self.passed.q.val());
        self.tready.next = false;
        match self.step.val() {
            Step::Head => self.tready.next = self.may_start.val(),
            Step::Address => self.tready.next = self.flows.val() & (!self.atomic_works.val() | self.atomic_ends.val()),
            Step::Geometry => self.tready.next = self.flows.val(),
            Step::Resume => self.tready.next = self.goes.val() & !self.atomic_works.val(),
            Step::Payload => self.tready.next = self.goes.val(),
            Step::Front => self.tready.next = !self.atomic_works.val(),
            Step::Operand => self.tready.next = true,
            Step::Sink => self.tready.next = true,
            Step::Atomic => {}
            Step::Ending => {}
            Step::Closing => {}
        }
        self.taken.next = self.tvalid.val() & self.tready.val();
        self.tail.next = self.taken.val() & self.tlast.val();

        self.resumes.next = self.step.val() == Step::Resume;
        self.carries.next = self.resumes.val() | (self.step.val() == Step::Payload);
        self.offered.next = self.carries.val()
            & self.tvalid.val()
            & !self.atomic_works.val()
            & (self.may_end.val() | !self.tlast.val())
            & !self.passed.q.val();
        self.payload.next = self.carries.val() & self.taken.val();
        self.front_offered.next = (self.step.val() == Step::Closing) & self.may_end.val() & !self.passed.q.val();
        self.message_closes.next =
            (self.step.val() == Step::Closing) & self.finishes.val() & (self.message_done.val() | self.passed.q.val());
        if self.carries.val() {
            self.passed.d.next = !self.taken.val() & (self.passed.q.val() | (self.offered.val() & self.passes.val()));
        }
        if self.step.val() == Step::Closing {
            self.passed.d.next = !self.message_closes.val()
                & (self.passed.q.val() | (self.front_offered.val() & self.message_done.val()));
        }

        self.head.next = false;
        self.address.next = false;
        self.geometry.next = false;
        self.front.next = false;
        self.operand.next = false;
        self.start_atomic.next = false;
        self.closes.next = false;
        self.malformed.next = false;
        match self.step.val() {
            Step::Head => {
                self.head.next = self.taken.val();
                self.malformed.next =
                    self.taken.val() & (!self.known.val() | (self.tlast.val() & !self.next_kinds.stream.val()));
            }
            Step::Address => {
                self.address.next = self.taken.val();
                self.closes.next = self.tail.val() & !self.kinds.atomic.val();
                self.start_atomic.next = self.tail.val() & self.kinds.atomic.val();
            }
            Step::Geometry => {
                self.geometry.next = self.taken.val();
                self.closes.next = self.tail.val();
            }
            Step::Resume => self.closes.next = self.tail.val(),
            Step::Payload => self.closes.next = self.tail.val() & !self.kinds.message.val(),
            Step::Front => self.front.next = self.taken.val(),
            Step::Operand => {
                self.operand.next = self.taken.val();
                self.start_atomic.next = self.tail.val();
            }
            Step::Atomic => {}
            Step::Ending => self.closes.next = self.finishes.val(),
            Step::Closing => {}
            Step::Sink => {}
        }

        wire!(self => steps: taken, tlast, next_kind, next_strided, kind, atomic_leaves);
        self.steps.ended.next = self.finishes.val();
        self.steps.closed.next = self.message_closes.val();
        if self.rst.val() {
            self.passed.d.next = false;
        }
    }
}
