use super::{AtomicAlu, AtomicCheck, AtomicLine, AtomicOld, AtomicOperands, AtomicStages};
use crate::{
    bus::{MemoryReadOut, MemoryWriteOut, RegisterRequestOut},
    ni::receive::ports::{AnswerOut, OperationIn},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH},
    ni::{
        packet::{ControlKind, ERROR_WIDTH, OFFSET_WIDTH},
        registers::INDEX_WIDTH,
        window::{Mode, MODE_WIDTH},
        ErrorCode,
    },
};
use portico_verilog::prelude::*;

/// Atomic operations on the memory.
///
/// Words of `W` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to the answer, with a memory that gives data after a cycle: 2 cycles for 32 bits, 5 for a pair of words |
/// | throughput | one operation at a time; packets of one operand to a word of a scratchpad follow each other every 4 cycles |
/// | state | that of its parts, the place of the write, and who asked |
///
/// An operation leaves as soon as its word is asked for, so that the head of the next packet comes in meanwhile; what
/// follows that head may go on when the operation ends, and not before. What goes to a register stays to the end: that may
/// be of the window of the next packet.
///
/// A value of 64 bits where words have 32 is a pair of words, the lower of them at an even offset; its upper word comes,
/// is read and is written first, the lower one stays to the end. The answer leaves with the old value when the last write
/// is taken: whoever hears of it may read.
#[derive(LogicBlock, Default)]
pub struct AtomicUnit<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// What the atomic asks for, with its operands as they come.
    pub request: OperationIn,
    /// An operation is there; it stays until `leaves`.
    pub start: Signal<In, Bit>,
    /// The lower word of its pair is there; it stays until `lower_leaves`.
    pub lower: Signal<In, Bit>,
    /// What the window of the packet takes.
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    /// Address of the word that is there, in words.
    pub address: Signal<In, Bits<OFFSET_WIDTH>>,
    /// The word that is there is, within the window, a word of the memory.
    pub in_memory: Signal<In, Bit>,
    /// The word that is there is, within the window, a register.
    pub is_device: Signal<In, Bit>,
    /// Writes of new values.
    pub memory_write: MemoryWriteOut<W, B>,
    /// Reads of old values.
    pub memory_read: MemoryReadOut<W>,
    /// Writes of new values to registers; taken whether the word is kept or not.
    pub register_write: RegisterRequestOut,
    /// With `ready` of `register_write`: the word is one of a descriptor without room.
    pub register_refused: Signal<In, Bit>,
    /// Answers to the initiator: VALUE, ACK for a posted operation, or REFUSE.
    pub answer: AnswerOut,
    /// The operation needs its flit no more; high for one cycle.
    pub leaves: Signal<Out, Bit>,
    /// The lower word of the pair is needed no more: the operation ends, or is over already.
    pub lower_leaves: Signal<Out, Bit>,
    /// An operation is under way, and has the writes of the memory and the registers, and the answers, for itself.
    pub busy: Signal<Out, Bit>,
    operands: AtomicOperands,
    alu: AtomicAlu,
    check: AtomicCheck,
    stages: AtomicStages,
    old: AtomicOld<W>,
    line: AtomicLine<W, B>,
    /// What the header says, a cycle later: no operation starts sooner.
    suits_device: DFF<Bit>,
    suits_window: DFF<Bit>,
    stores: DFF<Bit>,
    place: DFF<Bits<OFFSET_WIDTH>>,
    asker: DFF<Bits<NODE_WIDTH>>,
}

impl<const W: usize, const B: usize> AtomicUnit<W, B> {
    /// `far_memory`: data may come later than a cycle after their request.
    pub fn new(far_memory: bool) -> Self {
        Self {
            stages: AtomicStages::new(far_memory),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AtomicUnit<W, B> {
    fn update(&mut self) {
        wire!(self => stages: clk, rst);
        wire!(self => operands, old: clk);
        dff_setup!(self, clk, suits_device, suits_window, stores, place, asker);
        self.operands.clear.next = self.stages.finished.val() | self.rst.val();
        wire!(request => operands: take, word, operation, wide);
        self.alu.operation.next = self.request.operation.val();
        self.alu.old.next = self.old.held.val();
        wire!(operands => alu: first, second);

        // The check is of the upper word of a pair, beyond which nothing lies.
        wire!(self => check: mode, in_memory, is_device);
        self.suits_device.d.next =
            self.alu.stores.val() & !self.request.wide.val() & ((W == 32) | !self.request.half.val());
        self.suits_window.d.next = !(self.request.is_pair.val() & self.request.is_odd.val())
            & !self.request.unbuilt.val()
            & (self.mode.val() == bits::<MODE_WIDTH>(Mode::Window as u64));
        self.stores.d.next = self.alu.stores.val();
        self.check.suits_device.next = self.suits_device.q.val();
        self.check.suits_window.next = self.suits_window.q.val();
        wire!(operands => check: complete);

        wire!(self => stages: start, lower, is_device);
        self.stages.register_ready.next = self.register_write.ready.val();
        wire!(check => stages: failing);
        self.stages.stores.next = self.stores.q.val();
        wire!(alu => stages: changes);
        wire!(request => stages: is_pair);
        self.stages.arrives.next = self.old.arrives.val();
        self.stages.answer_ready.next = self.answer.ready.val();
        self.stages.read_ready.next = self.memory_read.ready.val();
        self.stages.write_ready.next = self.memory_write.ready.val();
        wire!(stages => self: leaves, lower_leaves, busy);
        self.request.free.next = !self.stages.busy.val() | self.stages.ends.val();
        if !self.stages.busy.val() {
            self.asker.d.next = self.request.source.val();
            self.place.d.next = self.address.val();
        }

        self.old.clear.next = !self.stages.busy.val();
        wire!(request => old: wide, half, is_pair);
        wire!(memory_read => old: data_valid, data);
        self.memory_read.valid.next = self.stages.read.val();
        self.memory_read.address.next = self.address.val();

        self.line.new_value.next = self.alu.new_value.val();
        wire!(request => line: wide, half);
        self.line.upper.next = self.stages.upper.val();
        self.memory_write.valid.next = self.stages.write.val();
        self.memory_write.address.next = self.place.q.val();
        if self.request.is_pair.val() & !self.stages.upper.val() {
            self.memory_write.address.next = self.address.val();
        }
        wire!(line => memory_write: data, lanes);
        self.register_write.valid.next = self.stages.write_register.val();
        self.register_write.index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.place.q.val());
        self.register_write.data.next = self.alu.new_value.val().get_bits::<32>(0);

        self.answer.valid.next = self.stages.answers.val();
        self.answer.destination.next = self.asker.q.val();
        self.answer.slot.next = self.request.slot.val();
        self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Value as u64);
        self.answer.last.next = true;
        self.answer.value.next = self.old.held.val();
        if self.alu.posted.val() {
            self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Ack as u64);
        }
        if self.register_refused.val() {
            self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
            self.answer.value.next = bits::<64>(ErrorCode::CommandFull as u64);
        }
        if self.stages.refuses.val() {
            self.answer.destination.next = self.request.source.val();
            self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
            self.answer.value.next = bit_cast::<64, ERROR_WIDTH>(self.check.error.val());
        }
    }
}
