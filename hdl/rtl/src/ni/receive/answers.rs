use super::ports::AnswerIn;
use crate::{
    bus::HeadEncoder,
    prim::{Queue, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::packet::{ControlKind, SLOT_WIDTH},
};
use portico_verilog::prelude::*;

/// Answers that wait.
const DEPTH: usize = 4;
const ADDRESS_WIDTH: usize = DEPTH.trailing_zeros() as usize;

/// An answer that waits; the fields are those of [`AnswerIn`].
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Answer {
    pub destination: Bits<NODE_WIDTH>,
    pub slot: Bits<SLOT_WIDTH>,
    pub kind: Bits<KIND_WIDTH>,
    pub last: Bit,
    pub value: Bits<64>,
}

/// What is sent next of an answer.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Part {
    Head,
    Low,
    High,
}

/// Answers to initiators, as packets of the control plane.
///
/// Queues answers and sends them.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from an answer taken to its head offered |
/// | throughput | one flit a cycle; an ACK is 1 flit, a REFUSE 2, a VALUE 3 |
/// | state | 4 answers in LUT-RAM, and the part that is being sent |
#[derive(LogicBlock, Default)]
pub struct Answers {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node, as the source of the packets.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// `ready` comes from a flip-flop.
    pub answer: AnswerIn,
    /// ACK, REFUSE and VALUE packets.
    pub m_axis: StreamOut<32>,
    answers: Queue<Answer, ADDRESS_WIDTH>,
    head: HeadEncoder,
    part: DFF<Part>,
    kind: Signal<Local, Bits<KIND_WIDTH>>,
    value: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for Answers {
    fn update(&mut self) {
        wire!(self => answers: clk, rst);
        dff_setup!(self, clk, part);
        self.answers.write.next = self.answer.valid.val();
        self.answer.ready.next = !self.answers.full.val();
        self.answers.write_data.next.destination = self.answer.destination.val();
        self.answers.write_data.next.slot = self.answer.slot.val();
        self.answers.write_data.next.kind = self.answer.kind.val();
        self.answers.write_data.next.last = self.answer.last.val();
        self.answers.write_data.next.value = self.answer.value.val();

        self.head.destination.next = self.answers.read_data.val().destination;
        self.head.source.next = self.node.val();
        self.head.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.answers.read_data.val().slot);
        self.kind.next = self.answers.read_data.val().kind;
        self.head.kind.next = self.kind.val();
        self.head.last.next = self.answers.read_data.val().last;
        self.value.next = self.answers.read_data.val().value;

        self.m_axis.tvalid.next = !self.answers.empty.val();
        self.m_axis.tdata.next = self.head.word.val();
        self.m_axis.tlast.next = self.kind.val() == bits::<KIND_WIDTH>(ControlKind::Ack as u64);
        match self.part.q.val() {
            Part::Head => {}
            Part::Low => {
                self.m_axis.tdata.next = bit_cast::<32, 64>(self.value.val());
                self.m_axis.tlast.next = self.kind.val() == bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
            }
            Part::High => {
                self.m_axis.tdata.next = self.value.val().get_bits::<32>(32);
                self.m_axis.tlast.next = true;
            }
        }
        self.answers.read.next = self.m_axis.tready.val() & self.m_axis.tlast.val();
        if self.m_axis.tvalid.val() & self.m_axis.tready.val() {
            match self.part.q.val() {
                Part::Head => self.part.d.next = Part::Low,
                Part::Low => self.part.d.next = Part::High,
                Part::High => {}
            }
            if self.m_axis.tlast.val() {
                self.part.d.next = Part::Head;
            }
        }
        if self.rst.val() {
            self.part.d.next = Part::Head;
        }
    }
}
