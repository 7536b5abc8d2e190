//! Atomic operations on the memory.
//!
//! | | |
//! | --- | --- |
//! | latency | from `start` to the answer, with a memory that gives data after a cycle: 2 cycles for 32 bits, 3 for a pair of words; from `start` to its end a cycle a word more |
//! | throughput | one operation at a time; packets of one operand follow each other every 4 cycles |
//! | state | two operands, the old value, the step, the place of the write, and who asked |
//!
//! The packet can leave as soon as the word is asked for, so that the head of the next comes in meanwhile; its ADDRESS may
//! come when the operation ends, and nothing else before it has. A pair of words keeps its packet to the end, and so does
//! what goes to a register: that may be of the window of the next.
//!
//! A value of 64 bits where words have 32 is a pair of words, the lower of them at an even offset; its upper word is read
//! and written first. The answer leaves with the old value, in the cycle before the write at the earliest; whoever hears of
//! it is a router and an injection away. A poke is answered once it is written, for it may be what others wait for.

use super::{
    atomic_alu::AtomicAlu, atomic_check::AtomicCheck, atomic_operands::AtomicOperands, ports::AnswerOut,
    target::Target, PLACE_WIDTH,
};
use crate::ni::ports::{MemoryReadOut, MemoryWriteOut};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH},
    ni::{
        packet::{ControlKind, ERROR_WIDTH, OFFSET_WIDTH, OPERATION_WIDTH, SLOT_WIDTH},
        registers::INDEX_WIDTH,
        window::MODE_WIDTH,
    },
};
use rust_hdl::prelude::*;

/// What comes next.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Stage {
    Idle,
    /// Checks, and reads the word, or the upper one of a pair.
    Check,
    /// Reads the lower word of a pair.
    ReadLower,
    Await,
    /// Writes the upper word of a pair.
    WriteUpper,
    Write,
    WriteDevice,
}

/// Words of `W` bits, `B` bytes.
#[derive(LogicBlock)]
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
    stage: DFF<Stage>,
    old: DFF<Bits<64>>,
    upper_word: DFF<Bits<32>>,
    has_upper: DFF<Bit>,
    place: DFF<Bits<OFFSET_WIDTH>>,
    asker: DFF<Bits<NODE_WIDTH>>,
    asker_slot: DFF<Bits<SLOT_WIDTH>>,
    finished: Signal<Local, Bit>,
    is_pair: Signal<Local, Bit>,
    upper: Signal<Local, Bit>,
    lowest: Signal<Local, Bits<1>>,
    read_word: Signal<Local, Bits<64>>,
    value: Signal<Local, Bits<64>>,
    arrives: Signal<Local, Bit>,
    new_value: Signal<Local, Bits<64>>,
    line: Signal<Local, Bits<64>>,
    lanes: Signal<Local, Bits<8>>,
    narrow_words: Constant<Bit>,
    half_at: Constant<Bits<6>>,
    all_lanes: Constant<Bits<8>>,
    low_lanes: Constant<Bits<8>>,
    high_lanes: Constant<Bits<8>>,
    ack: Constant<Bits<KIND_WIDTH>>,
    refuse: Constant<Bits<KIND_WIDTH>>,
    value_kind: Constant<Bits<KIND_WIDTH>>,
}

impl<const W: usize, const B: usize> AtomicUnit<W, B> {
    /// For the memory and registers of [`Target::new`].
    pub fn new(memory_words: u64, register_bit: usize) -> Self {
        let kind = |kind: ControlKind| Constant::new(bits(kind as u64));
        Self {
            clk: Default::default(),
            rst: Default::default(),
            take: Default::default(),
            word: Default::default(),
            start: Default::default(),
            operation: Default::default(),
            wide: Default::default(),
            half: Default::default(),
            offset: Default::default(),
            slot: Default::default(),
            source: Default::default(),
            base: Default::default(),
            size: Default::default(),
            mode: Default::default(),
            memory_write: Default::default(),
            memory_read: Default::default(),
            register_valid: Default::default(),
            register_index: Default::default(),
            register_data: Default::default(),
            register_ready: Default::default(),
            answer: Default::default(),
            leaves: Default::default(),
            busy: Default::default(),
            ends: Default::default(),
            operands: Default::default(),
            alu: Default::default(),
            target: Target::new(memory_words, register_bit),
            check: Default::default(),
            stage: Default::default(),
            old: Default::default(),
            upper_word: Default::default(),
            has_upper: Default::default(),
            place: Default::default(),
            asker: Default::default(),
            asker_slot: Default::default(),
            finished: Default::default(),
            is_pair: Default::default(),
            upper: Default::default(),
            lowest: Default::default(),
            read_word: Default::default(),
            value: Default::default(),
            arrives: Default::default(),
            new_value: Default::default(),
            line: Default::default(),
            lanes: Default::default(),
            narrow_words: Constant::new(W == 32),
            half_at: Constant::new(bits(32)),
            all_lanes: Constant::new(bits(0xff)),
            low_lanes: Constant::new(bits(0x0f)),
            high_lanes: Constant::new(bits(0xf0)),
            ack: kind(ControlKind::Ack),
            refuse: kind(ControlKind::Refuse),
            value_kind: kind(ControlKind::Value),
        }
    }
}

impl<const W: usize, const B: usize> Logic for AtomicUnit<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, stage, old, upper_word, has_upper, place, asker, asker_slot);
        self.operands.clk.next = self.clk.val();
        self.operands.take.next = self.take.val();
        self.operands.word.next = self.word.val();
        self.operands.operation.next = self.operation.val();
        self.operands.wide.next = self.wide.val();
        self.alu.operation.next = self.operation.val();
        self.alu.old.next = self.old.q.val();
        self.alu.first.next = self.operands.first.val();
        self.alu.second.next = self.operands.second.val();
        self.new_value.next = self.alu.new_value.val();

        // The word in hand; the check is of the upper one of a pair, beyond which nothing lies.
        self.is_pair.next = self.wide.val() & self.narrow_words.val();
        self.upper.next =
            self.is_pair.val() & ((self.stage.q.val() == Stage::Check) | (self.stage.q.val() == Stage::WriteUpper));
        self.lowest.next = self.upper.val().into();
        self.target.base.next = self.base.val();
        self.target.size.next = self.size.val();
        self.target.position.next =
            bit_cast::<PLACE_WIDTH, OFFSET_WIDTH>(self.offset.val()) | bit_cast::<PLACE_WIDTH, 1>(self.lowest.val());
        self.target.absolute.next = false;
        self.check.mode.next = self.mode.val();
        self.check.in_memory.next = self.target.in_memory.val();
        self.check.is_device.next = self.target.is_device.val();
        self.check.suits_device.next =
            self.alu.stores.val() & !self.wide.val() & (self.narrow_words.val() | !self.half.val());
        self.check.well_formed.next =
            self.operands.complete.val() & !(self.is_pair.val() & self.offset.val().get_bit(0));

        // The old value, once its last word arrives.
        self.read_word.next = bit_cast::<64, W>(self.memory_read.data.val());
        self.value.next = self.read_word.val();
        if self.is_pair.val() {
            self.value.next =
                self.read_word.val() | (bit_cast::<64, 32>(self.upper_word.q.val()) << self.half_at.val());
        }
        if !self.wide.val() & !self.narrow_words.val() {
            self.value.next = bit_cast::<64, 32>(self.read_word.val().get_bits::<32>(0));
            if self.half.val() {
                self.value.next = bit_cast::<64, 32>(self.read_word.val().get_bits::<32>(self.half_at.val().index()));
            }
        }
        self.arrives.next = self.memory_read.data_valid.val() & (!self.is_pair.val() | self.has_upper.q.val());
        if self.memory_read.data_valid.val() {
            self.has_upper.d.next = true;
            self.upper_word.d.next = bit_cast::<32, 64>(self.read_word.val());
        }
        if self.arrives.val() {
            self.old.d.next = self.value.val();
        }

        // The new one, at its place in the word.
        self.line.next = self.new_value.val();
        self.lanes.next = self.all_lanes.val();
        if !self.wide.val() & !self.narrow_words.val() {
            self.line.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0))
                | (bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(0)) << self.half_at.val());
            self.lanes.next = self.low_lanes.val();
            if self.half.val() {
                self.lanes.next = self.high_lanes.val();
            }
        }
        if self.upper.val() {
            self.line.next = bit_cast::<64, 32>(self.new_value.val().get_bits::<32>(self.half_at.val().index()));
        }
        self.memory_write.address.next = self.place.q.val();
        if self.is_pair.val() {
            self.memory_write.address.next = self.target.address.val();
        }
        self.memory_write.data.next = bit_cast::<W, 64>(self.line.val());
        self.memory_write.lanes.next = bit_cast::<B, 8>(self.lanes.val());
        self.memory_write.valid.next = false;
        self.memory_read.address.next = self.target.address.val();
        self.memory_read.valid.next = false;
        self.register_index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.place.q.val());
        self.register_data.next = self.new_value.val().get_bits::<32>(0);
        self.register_valid.next = false;
        self.answer.destination.next = self.asker.q.val();
        self.answer.slot.next = self.asker_slot.q.val();
        self.answer.kind.next = self.value_kind.val();
        if self.alu.posted.val() {
            self.answer.kind.next = self.ack.val();
        }
        self.answer.value.next = self.value.val();
        self.answer.valid.next = false;
        self.finished.next = false;
        self.ends.next = false;
        self.leaves.next = false;
        self.busy.next = self.stage.q.val() != Stage::Idle;

        match self.stage.q.val() {
            Stage::Idle => {
                self.has_upper.d.next = false;
                if self.start.val() {
                    self.asker.d.next = self.source.val();
                    self.asker_slot.d.next = self.slot.val();
                    self.stage.d.next = Stage::Check;
                }
            }
            Stage::Check => {
                self.place.d.next = self.target.address.val();
                if self.check.error.val().any() {
                    self.answer.kind.next = self.refuse.val();
                    self.answer.value.next = bit_cast::<64, ERROR_WIDTH>(self.check.error.val());
                    self.answer.valid.next = true;
                    self.finished.next = self.answer.ready.val();
                } else if self.target.is_device.val() {
                    self.stage.d.next = Stage::WriteDevice;
                } else if self.alu.stores.val() {
                    self.leaves.next = !self.is_pair.val();
                    self.stage.d.next = Stage::Write;
                    if self.is_pair.val() {
                        self.stage.d.next = Stage::WriteUpper;
                    }
                } else {
                    // Whatever is read will be answered as it arrives: only with room for the answer.
                    self.memory_read.valid.next = self.answer.ready.val();
                    if self.answer.ready.val() & self.memory_read.ready.val() {
                        self.leaves.next = !self.is_pair.val();
                        self.stage.d.next = Stage::Await;
                        if self.is_pair.val() {
                            self.stage.d.next = Stage::ReadLower;
                        }
                    }
                }
            }
            Stage::ReadLower => {
                self.memory_read.valid.next = true;
                if self.memory_read.ready.val() {
                    self.stage.d.next = Stage::Await;
                }
            }
            Stage::Await => {
                self.answer.valid.next = self.arrives.val();
                if self.arrives.val() {
                    self.stage.d.next = Stage::Write;
                    if self.is_pair.val() {
                        self.stage.d.next = Stage::WriteUpper;
                    }
                }
            }
            Stage::WriteUpper => {
                self.memory_write.valid.next = self.alu.changes.val();
                self.finished.next = !self.alu.changes.val();
                if self.memory_write.ready.val() {
                    self.stage.d.next = Stage::Write;
                }
            }
            Stage::Write => {
                // Without a look at the new value, whose way is long.
                self.ends.next = self.memory_write.ready.val() & (self.answer.ready.val() | !self.alu.stores.val());
                self.memory_write.valid.next =
                    self.alu.changes.val() & (self.answer.ready.val() | !self.alu.stores.val());
                self.finished.next = !self.alu.changes.val()
                    | (self.memory_write.ready.val() & (self.answer.ready.val() | !self.alu.stores.val()));
                self.answer.valid.next = self.alu.stores.val() & self.memory_write.ready.val();
            }
            Stage::WriteDevice => {
                self.register_valid.next = self.answer.ready.val();
                self.answer.valid.next = self.register_ready.val();
                self.finished.next = self.answer.ready.val() & self.register_ready.val();
            }
        }
        if self.finished.val() {
            self.leaves.next = true;
            self.stage.d.next = Stage::Idle;
        }
        self.operands.clear.next = self.finished.val() | self.rst.val();
        if self.rst.val() {
            self.stage.d.next = Stage::Idle;
        }
    }
}
