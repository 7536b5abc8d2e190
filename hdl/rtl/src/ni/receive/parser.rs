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
/// | latency | combinational from the flit in hand |
/// | throughput | one flit a cycle; a cycle more for a message, and for an atomic of a pair of words or without operands |
/// | state | that of [`Steps`] |
///
/// The outputs say what the flit in hand is. What follows a packet without a flit (the word in front of a message, the
/// lower word of a pair) is a step of its own.
#[derive(LogicBlock, Default)]
pub struct Parser {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: a head comes next.
    pub rst: Signal<In, Bit>,
    /// The flit in hand goes on.
    pub goes: Signal<In, Bit>,
    /// It is the tail of its packet.
    pub last: Signal<In, Bit>,
    /// Its kind, if it is a head.
    pub next_kind: Signal<In, Bits<KIND_WIDTH>>,
    /// Of the ADDRESS word in hand, if it is one.
    pub next_strided: Signal<In, Bit>,
    /// Kind of the packet in hand.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// The atomic is of a pair of words.
    pub is_pair: Signal<In, Bit>,
    /// A step without a flit follows.
    pub stays: Signal<Out, Bit>,
    /// The flit in hand is a head; without a flit in hand, a head comes next.
    pub head: Signal<Out, Bit>,
    /// The flit in hand is an ADDRESS word.
    pub address: Signal<Out, Bit>,
    /// The flit in hand is a GEOMETRY word.
    pub geometry: Signal<Out, Bit>,
    /// The flit in hand is a word of payload.
    pub payload: Signal<Out, Bit>,
    /// Word 0 of a message.
    pub opening: Signal<Out, Bit>,
    /// The flit in hand is an operand of an atomic.
    pub operand: Signal<Out, Bit>,
    /// A packet of a transfer ends.
    pub closes: Signal<Out, Bit>,
    /// The word in front of a message is due.
    pub front: Signal<Out, Bit>,
    /// An atomic is all there.
    pub atomic: Signal<Out, Bit>,
    /// The lower word of an atomic's pair is due, after the upper one.
    pub lower: Signal<Out, Bit>,
    /// A packet ends where its kind does not allow it, or is of no known kind.
    pub malformed: Signal<Out, Bit>,
    next_kinds: Kinds,
    kinds: Kinds,
    steps: Steps,
    step: Signal<Local, Step>,
    known: Signal<Local, Bit>,
}

impl Parser {
    /// Messages are known only where there are `queues`.
    pub fn new(queues: bool) -> Self {
        Self {
            next_kinds: Kinds::new(queues),
            kinds: Kinds::new(queues),
            steps: Steps::new(queues),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Parser {
    fn update(&mut self) {
        wire!(self => steps: clk, rst);
        wire!(self => steps: goes, last, next_kind, next_strided, kind, is_pair);
        self.step.next = self.steps.step.val();
        self.stays.next = self.steps.stays.val();
        self.next_kinds.kind.next = self.next_kind.val();
        self.kinds.kind.next = self.kind.val();
        self.known.next = self.next_kinds.put.val()
            | self.next_kinds.reply.val()
            | self.next_kinds.stream.val()
            | self.next_kinds.atomic.val()
            | self.next_kinds.message.val();
        self.head.next = self.step.val() == Step::Head;
        self.address.next = self.step.val() == Step::Address;
        self.geometry.next = self.step.val() == Step::Geometry;
        self.payload.next = self.step.val() == Step::Payload;
        self.opening.next = self.step.val() == Step::Front;
        self.operand.next = self.step.val() == Step::Operand;
        self.front.next = self.step.val() == Step::Closing;
        self.lower.next = self.step.val() == Step::Lower;
        self.atomic.next = (self.step.val() == Step::Atomic) | (self.operand.val() & self.last.val());
        self.malformed.next = self.head.val() & (!self.known.val() | (self.last.val() & !self.next_kinds.stream.val()));
        self.closes.next = self.last.val()
            & ((self.head.val() & self.next_kinds.stream.val())
                | (self.address.val() & !self.kinds.atomic.val())
                | self.geometry.val()
                | (self.payload.val() & !self.kinds.message.val()));
    }
}
