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
use portico_verilog::prelude::*;

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

/// Decodes `word`.
#[derive(LogicBlock, Default)]
pub struct InstructionDecoder {
    /// The instruction as the program memory has it.
    pub word: Signal<In, Bits<32>>,
    /// What the instruction asks for, as fields and flags.
    pub instruction: Signal<Out, Instruction>,
    op: Signal<Local, Bits<OP_WIDTH>>,
    field: Signal<Local, Bits<IMMEDIATE_WIDTH>>,
    is_stop: Signal<Local, Bit>,
    has_flags: Signal<Local, Bit>,
}

#[kernel]
impl Logic for InstructionDecoder {
    fn update(&mut self) {
        self.op.next = self.word.val().get_bits::<OP_WIDTH>(OP_OFFSET);
        self.instruction.next.a = self.word.val().get_bits::<REGISTER_WIDTH>(A_OFFSET);
        self.instruction.next.b = self.word.val().get_bits::<REGISTER_WIDTH>(B_OFFSET);
        self.instruction.next.mode = self.word.val().get_bits::<MODE_WIDTH>(MODE_OFFSET);
        self.instruction.next.ends = self.word.val().get_bits::<ENDS_WIDTH>(ENDS_OFFSET);
        self.field.next = self.word.val().get_bits::<IMMEDIATE_WIDTH>(IMMEDIATE_OFFSET);

        self.is_stop.next = self.op.val() == bits::<OP_WIDTH>(Op::Stop as u64);
        self.instruction.next.set = self.op.val() == bits::<OP_WIDTH>(Op::Set as u64);
        self.instruction.next.add = self.op.val() == bits::<OP_WIDTH>(Op::Add as u64);
        self.instruction.next.enter = self.op.val() == bits::<OP_WIDTH>(Op::Loop as u64);
        self.instruction.next.to = self.op.val() == bits::<OP_WIDTH>(Op::To as u64);
        self.instruction.next.shape = self.op.val() == bits::<OP_WIDTH>(Op::Shape as u64);
        self.instruction.next.run = self.op.val() == bits::<OP_WIDTH>(Op::Run as u64);
        self.instruction.next.word = self.op.val() == bits::<OP_WIDTH>(Op::Word as u64);
        self.instruction.next.close = self.op.val() == bits::<OP_WIDTH>(Op::Close as u64);
        self.instruction.next.notify = self.op.val() == bits::<OP_WIDTH>(Op::Notify as u64);
        self.instruction.next.wait_for = self.op.val() == bits::<OP_WIDTH>(Op::Wait as u64);
        self.instruction.next.credit = self.op.val() == bits::<OP_WIDTH>(Op::Credit as u64);
        self.instruction.next.fence = self.op.val() == bits::<OP_WIDTH>(Op::Fence as u64);
        self.instruction.next.unknown = self.op.val() > bits::<OP_WIDTH>(Op::Fence as u64);
        self.instruction.next.seals = self.is_stop.val()
            | (self.op.val() == bits::<OP_WIDTH>(Op::To as u64))
            | (self.op.val() == bits::<OP_WIDTH>(Op::Wait as u64))
            | (self.op.val() == bits::<OP_WIDTH>(Op::Credit as u64))
            | (self.op.val() == bits::<OP_WIDTH>(Op::Fence as u64));

        self.has_flags.next = (self.op.val() == bits::<OP_WIDTH>(Op::Run as u64))
            | (self.op.val() == bits::<OP_WIDTH>(Op::Word as u64))
            | (self.op.val() == bits::<OP_WIDTH>(Op::Close as u64));
        self.instruction.next.closes = self.has_flags.val() & self.word.val().get_bit(CLOSE_OFFSET);
        self.instruction.next.last = self.has_flags.val() & self.word.val().get_bit(LAST_OFFSET);
        self.instruction.next.stops =
            self.is_stop.val() | (self.has_flags.val() & self.word.val().get_bit(STOP_OFFSET));
        self.instruction.next.swap = self.word.val().get_bit(SWAP_OFFSET);
        self.instruction.next.minus_one = self.field.val().all();
        self.instruction.next.immediate = bit_cast::<32, IMMEDIATE_WIDTH>(self.field.val());
        if self.word.val().get_bit(31) {
            self.instruction.next.immediate =
                bit_cast::<32, IMMEDIATE_WIDTH>(self.field.val()) | bits::<32>((u32::MAX << IMMEDIATE_WIDTH) as u64);
        }
        if self.has_flags.val() {
            self.instruction.next.immediate = 0.into();
        }
    }
}

// The sign is the instruction's highest bit.
const _: () = assert!(IMMEDIATE_OFFSET + IMMEDIATE_WIDTH == 32);
