use super::ports::AnswerIn;
use crate::{
    bus::HeadEncoder,
    prim::{FifoControl, LutRam, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::packet::{ControlKind, SLOT_WIDTH},
};
use portico_verilog::prelude::*;

/// Answers that wait.
const DEPTH: usize = 4;
const ADDRESS_WIDTH: usize = DEPTH.trailing_zeros() as usize;
/// The kind of an answer, and above it the mark *last*.
const MARKS_WIDTH: usize = KIND_WIDTH + 1;

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
    control: FifoControl<ADDRESS_WIDTH>,
    destinations: LutRam<Bits<NODE_WIDTH>, ADDRESS_WIDTH>,
    slots: LutRam<Bits<SLOT_WIDTH>, ADDRESS_WIDTH>,
    marks: LutRam<Bits<MARKS_WIDTH>, ADDRESS_WIDTH>,
    values: LutRam<Bits<64>, ADDRESS_WIDTH>,
    head: HeadEncoder,
    part: DFF<Part>,
    kind: Signal<Local, Bits<KIND_WIDTH>>,
    value: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for Answers {
    fn update(&mut self) {
        wire!(self => control: clk, rst);
        wire!(self => destinations, slots, marks, values: clk);
        dff_setup!(self, clk, part);
        self.control.write.next = self.answer.valid.val();
        self.answer.ready.next = !self.control.full.val();

        wire!(control => destinations: write_enable, write_address);
        self.destinations.write_data.next = self.answer.destination.val();
        self.destinations.read_address.next = self.control.read_address.val();
        wire!(control => slots: write_enable, write_address);
        self.slots.write_data.next = self.answer.slot.val();
        self.slots.read_address.next = self.control.read_address.val();
        wire!(control => marks: write_enable, write_address);
        self.marks.write_data.next =
            bit_cast::<MARKS_WIDTH, KIND_WIDTH>(self.answer.kind.val()).replace_bit(KIND_WIDTH, self.answer.last.val());
        self.marks.read_address.next = self.control.read_address.val();
        wire!(control => values: write_enable, write_address);
        self.values.write_data.next = self.answer.value.val();
        self.values.read_address.next = self.control.read_address.val();

        self.head.destination.next = self.destinations.read_data.val();
        self.head.source.next = self.node.val();
        self.head.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.slots.read_data.val());
        self.kind.next = self.marks.read_data.val().get_bits::<KIND_WIDTH>(0);
        self.head.kind.next = self.kind.val();
        self.head.last.next = self.marks.read_data.val().get_bit(KIND_WIDTH);
        self.value.next = self.values.read_data.val();

        self.m_axis.tvalid.next = !self.control.empty.val();
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
        self.control.read.next = self.m_axis.tready.val() & self.m_axis.tlast.val();
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
