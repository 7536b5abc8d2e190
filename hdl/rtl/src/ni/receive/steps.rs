use super::header::Kinds;
use portico_spec::flit::KIND_WIDTH;
use portico_verilog::prelude::*;

/// What the flit in hand is, or what follows it without one.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Step {
    Head,
    Address,
    Geometry,
    Payload,
    /// Word 0 of a message.
    Front,
    Operand,
    /// An atomic without operands has its address now.
    Atomic,
    /// The lower word of a pair, after the upper one.
    Lower,
    /// A message is complete but for the word in front.
    Closing,
    /// Of no known kind.
    Sink,
}

/// The step of the parser: which flit is in hand.
///
/// Keeps the step.
///
/// | | |
/// | --- | --- |
/// | latency | a flit that goes on changes the step in the next cycle |
/// | throughput | one step a cycle |
/// | state | the step |
#[derive(LogicBlock, Default)]
pub struct Steps {
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
    /// What the flit in hand is, or what follows it without one.
    pub step: Signal<Out, Step>,
    /// A step without a flit follows.
    pub stays: Signal<Out, Bit>,
    next_kinds: Kinds,
    kinds: Kinds,
    current: DFF<Step>,
    following: Signal<Local, Step>,
}

impl Steps {
    /// Messages are known only where there are `queues`.
    pub fn new(queues: bool) -> Self {
        Self {
            next_kinds: Kinds::new(queues),
            kinds: Kinds::new(queues),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Steps {
    fn update(&mut self) {
        dff_setup!(self, clk, current);
        self.next_kinds.kind.next = self.next_kind.val();
        self.kinds.kind.next = self.kind.val();
        self.step.next = self.current.q.val();
        self.stays.next = false;
        self.following.next = self.current.q.val();
        if self.last.val() {
            self.following.next = Step::Head;
        }
        match self.current.q.val() {
            Step::Head => {
                if !self.last.val() {
                    self.following.next = Step::Sink;
                    if self.next_kinds.put.val() | self.next_kinds.reply.val() | self.next_kinds.atomic.val() {
                        self.following.next = Step::Address;
                    }
                    if self.next_kinds.stream.val() {
                        self.following.next = Step::Payload;
                    }
                    if self.next_kinds.message.val() {
                        self.following.next = Step::Front;
                    }
                }
            }
            Step::Address => {
                if self.kinds.atomic.val() {
                    self.stays.next = self.last.val();
                    self.following.next = Step::Operand;
                    if self.last.val() {
                        self.following.next = Step::Atomic;
                    }
                } else if !self.last.val() {
                    self.following.next = Step::Payload;
                    if self.next_strided.val() {
                        self.following.next = Step::Geometry;
                    }
                }
            }
            Step::Geometry => {
                if !self.last.val() {
                    self.following.next = Step::Payload;
                }
            }
            Step::Payload => {
                if self.last.val() & self.kinds.message.val() {
                    self.stays.next = true;
                    self.following.next = Step::Closing;
                }
            }
            Step::Front => {
                self.stays.next = self.last.val();
                self.following.next = Step::Payload;
                if self.last.val() {
                    self.following.next = Step::Closing;
                }
            }
            Step::Operand => {
                if self.last.val() & self.is_pair.val() {
                    self.stays.next = true;
                    self.following.next = Step::Lower;
                }
            }
            Step::Atomic => {
                if self.is_pair.val() {
                    self.stays.next = true;
                    self.following.next = Step::Lower;
                }
            }
            Step::Lower => {}
            Step::Closing => {}
            Step::Sink => {}
        }
        if self.goes.val() {
            self.current.d.next = self.following.val();
        }
        if self.rst.val() {
            self.current.d.next = Step::Head;
        }
    }
}
