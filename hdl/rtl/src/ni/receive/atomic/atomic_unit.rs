use super::{AtomicAlu, AtomicCheck, AtomicLine, AtomicOld, AtomicOperands, AtomicStages};
use crate::{
    bus::{MemoryReadOut, MemoryWriteOut},
    ni::receive::{ports::AnswerOut, Target, PLACE_WIDTH},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH},
    ni::{
        packet::{ControlKind, ERROR_WIDTH, OFFSET_WIDTH, OPERATION_WIDTH, SLOT_WIDTH},
        registers::INDEX_WIDTH,
        window::MODE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Atomic operations on the memory.
///
/// Words of `W` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to the answer, with a memory that gives data after a cycle: 2 cycles for 32 bits, 3 for a pair of words; from `start` to its end a cycle a word more |
/// | throughput | one operation at a time; packets of one operand to a word of a scratchpad follow each other every 4 cycles |
/// | state | that of its parts, the place of the write, and who asked |
///
/// The packet can leave as soon as the word is asked for, so that the head of the next comes in meanwhile; its ADDRESS may
/// come when the operation ends, and nothing else before it has. A pair of words keeps its packet to the end, and so does
/// what goes to a register: that may be of the window of the next.
///
/// A value of 64 bits where words have 32 is a pair of words, the lower of them at an even offset; its upper word is read
/// and written first. The answer leaves with the old value, in the cycle before the write at the earliest; whoever hears of
/// it is a router and an injection away. A poke is answered once it is written, for it may be what others wait for; and so
/// is whatever goes to a far memory, see [`AtomicStages`].
#[derive(LogicBlock, Default)]
pub struct AtomicUnit<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// An operand is on `word`.
    pub take: Signal<In, Bit>,
    pub word: Signal<In, Bits<32>>,
    /// All are there. `slot` and `source` are taken now; `base`, `size` and `mode` stay as they are until `leaves`, the
    /// rest until `ends`.
    pub start: Signal<In, Bit>,
    pub operation: Signal<In, Bits<OPERATION_WIDTH>>,
    /// 64 bits.
    pub wide: Signal<In, Bit>,
    /// The upper half of a 64-bit word.
    pub half: Signal<In, Bit>,
    pub offset: Signal<In, Bits<OFFSET_WIDTH>>,
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    pub source: Signal<In, Bits<NODE_WIDTH>>,
    pub base: Signal<In, Bits<PLACE_WIDTH>>,
    pub size: Signal<In, Bits<PLACE_WIDTH>>,
    pub mode: Signal<In, Bits<MODE_WIDTH>>,
    pub memory_write: MemoryWriteOut<W, B>,
    pub memory_read: MemoryReadOut<W>,
    pub register_valid: Signal<Out, Bit>,
    pub register_index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub register_data: Signal<Out, Bits<32>>,
    pub register_ready: Signal<In, Bit>,
    pub answer: AnswerOut,
    /// The packet's window is needed no more.
    pub leaves: Signal<Out, Bit>,
    /// An operation is under way, and has the writes of the memory and the registers, and the answers, for itself.
    pub busy: Signal<Out, Bit>,
    /// It ends with this cycle for sure.
    pub ends: Signal<Out, Bit>,
    operands: AtomicOperands,
    alu: AtomicAlu,
    target: Target,
    check: AtomicCheck,
    stages: AtomicStages,
    old: AtomicOld<W>,
    line: AtomicLine<W, B>,
    place: DFF<Bits<OFFSET_WIDTH>>,
    asker: DFF<Bits<NODE_WIDTH>>,
    asker_slot: DFF<Bits<SLOT_WIDTH>>,
    is_pair: Signal<Local, Bit>,
    lowest: Signal<Local, Bits<1>>,
    is_far: Constant<Bit>,
}

impl<const W: usize, const B: usize> AtomicUnit<W, B> {
    /// For the memory and registers of [`Target::new`]; `far_memory` as in
    /// [`InterfaceParameters`](crate::ni::InterfaceParameters).
    pub fn new(memory_words: u64, register_bit: usize, far_memory: bool) -> Self {
        Self {
            target: Target::new(memory_words, register_bit),
            stages: AtomicStages::new(far_memory),
            is_far: Constant::new(far_memory),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for AtomicUnit<W, B> {
    fn update(&mut self) {
        wire!(self => stages: clk, rst);
        wire!(self => operands, old: clk);
        dff_setup!(self, clk, place, asker, asker_slot);
        self.operands.clear.next = self.stages.finished.val() | self.rst.val();
        wire!(self => operands: take, word, operation, wide);
        self.alu.operation.next = self.operation.val();
        self.alu.old.next = self.old.held.val();
        wire!(operands => alu: first, second);

        // The word in hand; the check is of the upper one of a pair, beyond which nothing lies.
        self.is_pair.next = self.wide.val() & (W == 32);
        self.lowest.next = self.stages.upper.val().into();
        wire!(self => target: base, size);
        self.target.position.next =
            bit_cast::<PLACE_WIDTH, OFFSET_WIDTH>(self.offset.val()) | bit_cast::<PLACE_WIDTH, 1>(self.lowest.val());
        self.target.absolute.next = false;
        self.check.mode.next = self.mode.val();
        wire!(target => check: in_memory, is_device);
        self.check.suits_device.next = self.alu.stores.val() & !self.wide.val() & ((W == 32) | !self.half.val());
        self.check.well_formed.next =
            self.operands.complete.val() & !(self.is_pair.val() & self.offset.val().get_bit(0));

        self.stages.start.next = self.start.val();
        self.stages.failing.next = self.check.error.val().any();
        self.stages.is_device.next = self.target.is_device.val();
        wire!(alu => stages: stores, changes);
        self.stages.is_pair.next = self.is_pair.val();
        self.stages.arrives.next = self.old.arrives.val();
        self.stages.answer_ready.next = self.answer.ready.val();
        self.stages.read_ready.next = self.memory_read.ready.val();
        self.stages.write_ready.next = self.memory_write.ready.val();
        self.stages.register_ready.next = self.register_ready.val();
        wire!(stages => self: leaves, busy, ends);
        if self.start.val() {
            self.asker.d.next = self.source.val();
            self.asker_slot.d.next = self.slot.val();
        }
        if self.stages.checks.val() {
            self.place.d.next = self.target.address.val();
        }

        self.old.clear.next = !self.stages.busy.val();
        wire!(self => old: wide, half, is_pair);
        wire!(memory_read => old: data_valid, data);
        self.memory_read.valid.next = self.stages.read.val();
        self.memory_read.address.next = self.target.address.val();

        self.line.new_value.next = self.alu.new_value.val();
        wire!(self => line: wide, half);
        self.line.upper.next = self.stages.upper.val();
        self.memory_write.valid.next = self.stages.write.val();
        self.memory_write.address.next = self.place.q.val();
        if self.is_pair.val() {
            self.memory_write.address.next = self.target.address.val();
        }
        wire!(line => memory_write: data, lanes);
        self.register_valid.next = self.stages.write_register.val();
        self.register_index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.place.q.val());
        self.register_data.next = self.alu.new_value.val().get_bits::<32>(0);

        self.answer.valid.next = self.stages.answers.val();
        self.answer.destination.next = self.asker.q.val();
        self.answer.slot.next = self.asker_slot.q.val();
        self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Value as u64);
        self.answer.value.next = self.old.value.val();
        if self.is_far.val() {
            self.answer.value.next = self.old.held.val();
        }
        if self.alu.posted.val() {
            self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Ack as u64);
        }
        if self.stages.refuses.val() {
            self.answer.kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
            self.answer.value.next = bit_cast::<64, ERROR_WIDTH>(self.check.error.val());
        }
    }
}
