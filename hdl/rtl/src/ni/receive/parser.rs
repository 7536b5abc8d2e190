use super::{
    header::{Header, Kinds},
    ports::{OperationOut, ParsedOut, TakenIn},
    steps::{Step, Steps},
    tags::RowGeometry,
};
use portico_spec::{
    flit::TAG_WIDTH,
    ni::{build::Build, packet::SLOT_WIDTH},
};
use portico_verilog::prelude::*;

/// The second stage: which flit of a packet is which, and what the words in front of the payload say.
///
/// Follows packets of flits of `W` bits, flit by flit.
///
/// | | |
/// | --- | --- |
/// | latency | combinational from the flit in hand; the header from the next cycle on |
/// | throughput | one flit a cycle; a cycle more for a message, and for an atomic of a pair of words or without operands |
/// | state | that of [`Steps`] and of [`Header`] |
///
/// What follows a packet without a flit (the word in front of a message, the lower word of a pair) is a step of its
/// own.
///
/// A flit goes on when the next stage is free: a head, once its row is there; any other, once no atomic needs the
/// header of its packet any more.
#[derive(LogicBlock, Default)]
pub struct Parser<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: a head comes next.
    pub rst: Signal<In, Bit>,
    /// The flit in hand.
    pub taken: TakenIn<W>,
    /// The flit in hand, and what it is.
    pub parsed: ParsedOut<W>,
    /// What an atomic asks for.
    pub operation: OperationOut,
    steps: Steps,
    header: Header,
    shape: RowGeometry,
    next_kinds: Kinds,
    kinds: Kinds,
    step: Signal<Local, Step>,
    word: Signal<Local, Bits<32>>,
    known: Signal<Local, Bit>,
    operand: Signal<Local, Bit>,
    is_pair: Signal<Local, Bit>,
    may_go: Signal<Local, Bit>,
}

impl<const W: usize> Parser<W> {
    /// Messages are known only where `build` has queues. Atomics of 64 bits are done where words have 64 bits, or
    /// `build` has them on pairs of words.
    pub fn new(build: &Build) -> Self {
        Self {
            steps: Steps::new(build.queues),
            header: Header::new(W == 64 || build.wide_atomics),
            next_kinds: Kinds::new(build.queues),
            kinds: Kinds::new(build.queues),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Parser<W> {
    fn update(&mut self) {
        wire!(self => steps: clk, rst);
        wire!(self => header: clk);
        self.word.next = bit_cast::<32, W>(self.taken.word.val());

        // What the flit is.
        wire!(self => header, shape: word);
        self.next_kinds.kind.next = self.header.next_kind.val();
        self.kinds.kind.next = self.header.kind.val();
        self.known.next = self.next_kinds.put.val()
            | self.next_kinds.reply.val()
            | self.next_kinds.stream.val()
            | self.next_kinds.atomic.val()
            | self.next_kinds.message.val();
        self.is_pair.next = self.header.wide.val() & (W == 32);
        self.step.next = self.steps.step.val();
        wire!(taken => parsed: word, last);
        self.parsed.head.next = self.step.val() == Step::Head;
        self.parsed.address.next = self.step.val() == Step::Address;
        self.parsed.geometry.next = self.step.val() == Step::Geometry;
        self.parsed.payload.next = self.step.val() == Step::Payload;
        self.parsed.opening.next = self.step.val() == Step::Front;
        self.operand.next = self.step.val() == Step::Operand;
        self.parsed.front.next = self.step.val() == Step::Closing;
        self.parsed.lower.next = self.step.val() == Step::Lower;
        self.parsed.atomic.next = (self.step.val() == Step::Atomic) | (self.operand.val() & self.taken.last.val());
        self.parsed.upper.next = self.parsed.atomic.val() & self.is_pair.val();
        self.parsed.malformed.next =
            self.parsed.head.val() & (!self.known.val() | (self.taken.last.val() & !self.next_kinds.stream.val()));
        self.parsed.closes.next = self.taken.last.val()
            & ((self.parsed.head.val() & self.next_kinds.stream.val())
                | (self.parsed.address.val() & !self.kinds.atomic.val())
                | self.parsed.geometry.val()
                | (self.parsed.payload.val() & !self.kinds.message.val()));
        self.parsed.offset.next = self.header.next_offset.val();
        wire!(shape => parsed: row_last, gap);

        // When it goes on.
        self.may_go.next = self.operation.free.val() | self.parsed.lower.val();
        if self.parsed.head.val() {
            self.may_go.next = self.taken.may_go.val();
        }
        self.parsed.goes.next = self.taken.valid.val() & self.parsed.free.val() & self.may_go.val();
        wire!(parsed => taken: head, goes);
        wire!(steps => taken: stays);

        // What it changes.
        wire!(parsed => steps: goes);
        wire!(taken => steps: last);
        wire!(header => steps: next_kind, next_strided, kind);
        wire!(self => steps: is_pair);
        self.header.take_head.next = self.parsed.goes.val() & self.parsed.head.val();
        self.header.take_address.next = self.parsed.goes.val() & self.parsed.address.val();

        // What the words so far say of its packet.
        wire!(kinds => parsed.header: put, reply, stream, message);
        self.parsed.header.get_slot.next = bit_cast::<SLOT_WIDTH, TAG_WIDTH>(self.header.tag.val());
        wire!(header => parsed.header: source, last, slot);
        self.operation.take.next = self.parsed.goes.val() & self.operand.val();
        wire!(self => operation: word, is_pair);
        wire!(header => operation: operation, wide, unbuilt, half, slot, source);
        self.operation.is_odd.next = self.header.offset.val().get_bit(0);
    }
}
