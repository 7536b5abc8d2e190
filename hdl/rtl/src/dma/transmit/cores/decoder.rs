//! Takes an instruction apart.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::ni::instruction::{
    Op, A_OFFSET, B_OFFSET, CLOSE_OFFSET, ENDS_OFFSET, ENDS_WIDTH, IMMEDIATE_OFFSET, IMMEDIATE_WIDTH, LAST_OFFSET,
    MODE_OFFSET, MODE_WIDTH, OP_OFFSET, OP_WIDTH, REGISTER_WIDTH, STOP_OFFSET, SWAP_OFFSET,
};
use rust_hdl::prelude::*;

/// What an instruction asks for.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Instruction {
    pub a: Bits<REGISTER_WIDTH>,
    pub b: Bits<REGISTER_WIDTH>,
    pub mode: Bits<MODE_WIDTH>,
    pub ends: Bits<ENDS_WIDTH>,
    /// Sign-extended; 0 where the field holds flags.
    pub immediate: Bits<32>,
    /// The immediate is -1.
    pub minus_one: Bit,
    pub set: Bit,
    pub add: Bit,
    pub enter: Bit,
    pub to: Bit,
    pub shape: Bit,
    pub run: Bit,
    pub word: Bit,
    pub close: Bit,
    pub notify: Bit,
    pub wait_for: Bit,
    pub credit: Bit,
    pub fence: Bit,
    pub unknown: Bit,
    /// Whatever packet is open is closed first: STOP, TO, WAIT, CREDIT, FENCE.
    pub seals: Bit,
    /// Flags of RUN, WORD and CLOSE; STOP stops too.
    pub closes: Bit,
    pub last: Bit,
    pub stops: Bit,
    /// Halves swapped.
    pub swap: Bit,
}

type Code = Constant<Bits<OP_WIDTH>>;
type Offset = Constant<Bits<6>>;

fn code(op: Op) -> Code {
    Constant::new(bits(op as u64))
}

fn offset(bit: usize) -> Offset {
    Constant::new(bits(bit as u64))
}

/// Decodes `word`.
#[derive(LogicBlock)]
pub struct InstructionDecoder {
    pub word: Signal<In, Bits<32>>,
    pub instruction: Signal<Out, Instruction>,
    op: Signal<Local, Bits<OP_WIDTH>>,
    field: Signal<Local, Bits<IMMEDIATE_WIDTH>>,
    is_stop: Signal<Local, Bit>,
    has_flags: Signal<Local, Bit>,
    stop: Code,
    set: Code,
    add: Code,
    enter: Code,
    to: Code,
    shape: Code,
    run: Code,
    literal: Code,
    close: Code,
    notify: Code,
    wait_for: Code,
    credit: Code,
    fence: Code,
    op_at: Offset,
    a_at: Offset,
    b_at: Offset,
    mode_at: Offset,
    ends_at: Offset,
    immediate_at: Offset,
    close_at: Offset,
    last_at: Offset,
    stop_at: Offset,
    swap_at: Offset,
    sign: Constant<Bits<32>>,
}

impl Default for InstructionDecoder {
    fn default() -> Self {
        Self {
            word: Default::default(),
            instruction: Default::default(),
            op: Default::default(),
            field: Default::default(),
            is_stop: Default::default(),
            has_flags: Default::default(),
            stop: code(Op::Stop),
            set: code(Op::Set),
            add: code(Op::Add),
            enter: code(Op::Loop),
            to: code(Op::To),
            shape: code(Op::Shape),
            run: code(Op::Run),
            literal: code(Op::Word),
            close: code(Op::Close),
            notify: code(Op::Notify),
            wait_for: code(Op::Wait),
            credit: code(Op::Credit),
            fence: code(Op::Fence),
            op_at: offset(OP_OFFSET),
            a_at: offset(A_OFFSET),
            b_at: offset(B_OFFSET),
            mode_at: offset(MODE_OFFSET),
            ends_at: offset(ENDS_OFFSET),
            immediate_at: offset(IMMEDIATE_OFFSET),
            close_at: offset(CLOSE_OFFSET),
            last_at: offset(LAST_OFFSET),
            stop_at: offset(STOP_OFFSET),
            swap_at: offset(SWAP_OFFSET),
            sign: Constant::new(bits(u64::from(u32::MAX << IMMEDIATE_WIDTH))),
        }
    }
}

impl Logic for InstructionDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.op.next = self.word.val().get_bits::<OP_WIDTH>(self.op_at.val().index());
        self.instruction.next.a = self.word.val().get_bits::<REGISTER_WIDTH>(self.a_at.val().index());
        self.instruction.next.b = self.word.val().get_bits::<REGISTER_WIDTH>(self.b_at.val().index());
        self.instruction.next.mode = self.word.val().get_bits::<MODE_WIDTH>(self.mode_at.val().index());
        self.instruction.next.ends = self.word.val().get_bits::<ENDS_WIDTH>(self.ends_at.val().index());
        self.field.next = self
            .word
            .val()
            .get_bits::<IMMEDIATE_WIDTH>(self.immediate_at.val().index());

        self.is_stop.next = self.op.val() == self.stop.val();
        self.instruction.next.set = self.op.val() == self.set.val();
        self.instruction.next.add = self.op.val() == self.add.val();
        self.instruction.next.enter = self.op.val() == self.enter.val();
        self.instruction.next.to = self.op.val() == self.to.val();
        self.instruction.next.shape = self.op.val() == self.shape.val();
        self.instruction.next.run = self.op.val() == self.run.val();
        self.instruction.next.word = self.op.val() == self.literal.val();
        self.instruction.next.close = self.op.val() == self.close.val();
        self.instruction.next.notify = self.op.val() == self.notify.val();
        self.instruction.next.wait_for = self.op.val() == self.wait_for.val();
        self.instruction.next.credit = self.op.val() == self.credit.val();
        self.instruction.next.fence = self.op.val() == self.fence.val();
        self.instruction.next.unknown = self.op.val() > self.fence.val();
        self.instruction.next.seals = self.is_stop.val()
            | (self.op.val() == self.to.val())
            | (self.op.val() == self.wait_for.val())
            | (self.op.val() == self.credit.val())
            | (self.op.val() == self.fence.val());

        self.has_flags.next = (self.op.val() == self.run.val())
            | (self.op.val() == self.literal.val())
            | (self.op.val() == self.close.val());
        self.instruction.next.closes = self.has_flags.val() & self.word.val().get_bit(self.close_at.val().index());
        self.instruction.next.last = self.has_flags.val() & self.word.val().get_bit(self.last_at.val().index());
        self.instruction.next.stops =
            self.is_stop.val() | (self.has_flags.val() & self.word.val().get_bit(self.stop_at.val().index()));
        self.instruction.next.swap = self.word.val().get_bit(self.swap_at.val().index());
        self.instruction.next.minus_one = self.field.val().all();
        self.instruction.next.immediate = bit_cast::<32, IMMEDIATE_WIDTH>(self.field.val());
        if self.word.val().get_bit(31) {
            self.instruction.next.immediate = bit_cast::<32, IMMEDIATE_WIDTH>(self.field.val()) | self.sign.val();
        }
        if self.has_flags.val() {
            self.instruction.next.immediate = 0.into();
        }
    }
}

// The sign is the instruction's highest bit.
const _: () = assert!(IMMEDIATE_OFFSET + IMMEDIATE_WIDTH == 32);
