use super::header::Kinds;
use portico_spec::flit::KIND_WIDTH;
use portico_verilog::prelude::*;

/// What comes next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    Head,
    Address,
    Geometry,
    /// The first word of a stream: its place comes from the tables.
    Resume,
    Payload,
    /// Word 0 of a message.
    Front,
    Operand,
    /// The atomic unit needs the packet.
    Atomic,
    /// A stream of a lone head has ended a transfer.
    Ending,
    /// A message is complete but for the word in front.
    Closing,
    /// Of no known kind.
    Sink,
}

/// The step of the parser: which flit comes next.
///
/// Keeps the step.
///
/// | | |
/// | --- | --- |
/// | latency | a flit that is taken changes the step in the next cycle |
/// | throughput | one step a cycle |
/// | state | 4 flip-flops |
#[derive(LogicBlock, Default)]
pub struct Steps {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: a head comes next.
    pub rst: Signal<In, Bit>,
    /// The flit on offer is taken.
    pub taken: Signal<In, Bit>,
    pub tlast: Signal<In, Bit>,
    /// Kind of the head on offer, if it is one.
    pub next_kind: Signal<In, Bits<KIND_WIDTH>>,
    /// Of the ADDRESS word on offer, if it is one.
    pub next_strided: Signal<In, Bit>,
    /// Kind of the packet in hand.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// The atomic unit needs the packet no more.
    pub atomic_leaves: Signal<In, Bit>,
    /// What a lone head has ended is over; the message is.
    pub ended: Signal<In, Bit>,
    pub closed: Signal<In, Bit>,
    pub step: Signal<Out, Step>,
    next_kinds: Kinds,
    kinds: Kinds,
    current: DFF<Step>,
    tail: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Steps {
    fn update(&mut self) {
        dff_setup!(self, clk, current);
        self.next_kinds.kind.next = self.next_kind.val();
        self.kinds.kind.next = self.kind.val();
        self.step.next = self.current.q.val();
        self.tail.next = self.taken.val() & self.tlast.val();
        match self.current.q.val() {
            Step::Head => {
                if self.taken.val() & !self.tlast.val() {
                    self.current.d.next = Step::Sink;
                    if self.next_kinds.put.val() | self.next_kinds.reply.val() | self.next_kinds.atomic.val() {
                        self.current.d.next = Step::Address;
                    }
                    if self.next_kinds.stream.val() {
                        self.current.d.next = Step::Resume;
                    }
                    if self.next_kinds.message.val() {
                        self.current.d.next = Step::Front;
                    }
                }
                if self.tail.val() & self.next_kinds.stream.val() {
                    self.current.d.next = Step::Ending;
                }
            }
            Step::Address => {
                if self.taken.val() {
                    self.current.d.next = Step::Payload;
                    if self.next_strided.val() {
                        self.current.d.next = Step::Geometry;
                    }
                    if self.kinds.atomic.val() {
                        self.current.d.next = Step::Operand;
                    }
                }
                if self.tail.val() {
                    self.current.d.next = Step::Head;
                    if self.kinds.atomic.val() {
                        self.current.d.next = Step::Atomic;
                    }
                }
            }
            Step::Geometry => {
                if self.taken.val() {
                    self.current.d.next = Step::Payload;
                }
                if self.tail.val() {
                    self.current.d.next = Step::Head;
                }
            }
            Step::Resume => {
                if self.taken.val() {
                    self.current.d.next = Step::Payload;
                }
                if self.tail.val() {
                    self.current.d.next = Step::Head;
                }
            }
            Step::Payload => {
                if self.tail.val() {
                    self.current.d.next = Step::Head;
                    if self.kinds.message.val() {
                        self.current.d.next = Step::Closing;
                    }
                }
            }
            Step::Front => {
                if self.taken.val() {
                    self.current.d.next = Step::Payload;
                }
                if self.tail.val() {
                    self.current.d.next = Step::Closing;
                }
            }
            Step::Operand => {
                if self.tail.val() {
                    self.current.d.next = Step::Atomic;
                }
            }
            Step::Atomic => {
                if self.atomic_leaves.val() {
                    self.current.d.next = Step::Head;
                }
            }
            Step::Ending => {
                if self.ended.val() {
                    self.current.d.next = Step::Head;
                }
            }
            Step::Closing => {
                if self.closed.val() {
                    self.current.d.next = Step::Head;
                }
            }
            Step::Sink => {
                if self.tail.val() {
                    self.current.d.next = Step::Head;
                }
            }
        }
        if self.rst.val() {
            self.current.d.next = Step::Head;
        }
    }
}
