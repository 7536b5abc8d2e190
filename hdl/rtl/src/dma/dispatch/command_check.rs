//! Checks a whole descriptor.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |
//!
//! The order of the checks: opcode, number of words and alignment, segment known, of the right kind, length of a message,
//! end of the segment, end of the memory. The last two only if the transfer is a single row, or nothing; the ends of others
//! must be measured.

use super::{Command, Operands, REPEAT_WIDTH, TARGET_WIDTH, WORDS_WIDTH};
use portico_spec::ni::{
    command::{BARE_WORDS, TRANSFER_WORDS},
    instruction::{FIRMWARE_WORDS, PC_WIDTH},
    packet::{Operation, ERROR_WIDTH, MAX_MESSAGE_WORDS, OFFSET_WIDTH, OPERATION_WIDTH, ROW_WIDTH},
    segment::{SegmentKind, KIND_WIDTH},
    ErrorCode,
};
use rust_hdl::prelude::*;

type Code = Constant<Bits<ERROR_WIDTH>>;
type Kind = Constant<Bits<KIND_WIDTH>>;
type Op = Constant<Bits<OPERATION_WIDTH>>;
type Words = Constant<Bits<WORDS_WIDTH>>;

fn code(error: ErrorCode) -> Code {
    Constant::new(bits(error as u64))
}

fn op(operation: Operation) -> Op {
    Constant::new(bits(operation as u64))
}

fn words(count: usize) -> Words {
    Constant::new(bits(count as u64))
}

/// Says what is wrong with a descriptor.
#[derive(LogicBlock)]
pub struct CommandCheck {
    pub command: Signal<In, Command>,
    pub operands: Signal<In, Operands>,
    /// Of the segment.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// Nothing is to be moved.
    pub nothing: Signal<Out, Bit>,
    /// There are several rows, whose ends have not been checked.
    pub measure: Signal<Out, Bit>,
    /// At the remote side too.
    pub remote: Signal<Out, Bit>,
    one_row: Signal<Local, Bit>,
    transfers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    linear: Signal<Local, Bit>,
    shaped: Signal<Local, Bit>,
    cubic: Signal<Local, Bit>,
    operand_count: Signal<Local, Bits<WORDS_WIDTH>>,
    operand_words: Signal<Local, Bits<WORDS_WIDTH>>,
    right_count: Signal<Local, Bit>,
    alignment: Signal<Local, Bits<TARGET_WIDTH>>,
    misaligned_bits: Signal<Local, Bits<TARGET_WIDTH>>,
    malformed: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    wrong_kind: Signal<Local, Bit>,
    reach: Signal<Local, Bits<OFFSET_WIDTH>>,
    out_of_segment: Signal<Local, Bit>,
    out_of_memory: Signal<Local, Bit>,
    fetch_clear: Op,
    compare_and_swap: Op,
    peek: Op,
    add_if: Op,
    no_operation: Op,
    linear_words: Words,
    shaped_words: Words,
    cubic_words: Words,
    atomic_words: Words,
    fence_words: Words,
    word_mask: Constant<Bits<TARGET_WIDTH>>,
    narrow_mask: Constant<Bits<TARGET_WIDTH>>,
    wide_mask: Constant<Bits<TARGET_WIDTH>>,
    /// Words of memory in 64 bits.
    wide_reach: Constant<Bits<OFFSET_WIDTH>>,
    firmware_words: Constant<Bits<PC_WIDTH>>,
    message_words: Constant<Bits<ROW_WIDTH>>,
    once: Constant<Bits<REPEAT_WIDTH>>,
    window: Kind,
    message_queue: Kind,
    unknown_opcode: Code,
    malformed_code: Code,
    unknown_segment: Code,
    wrong_segment: Code,
    too_long: Code,
    out_of_segment_code: Code,
    out_of_memory_code: Code,
}

impl CommandCheck {
    /// For words of `width` bits.
    pub fn new(width: usize) -> Self {
        Self {
            command: Default::default(),
            operands: Default::default(),
            kind: Default::default(),
            error: Default::default(),
            nothing: Default::default(),
            measure: Default::default(),
            remote: Default::default(),
            one_row: Default::default(),
            transfers: Default::default(),
            moves: Default::default(),
            linear: Default::default(),
            shaped: Default::default(),
            cubic: Default::default(),
            operand_count: Default::default(),
            operand_words: Default::default(),
            right_count: Default::default(),
            alignment: Default::default(),
            misaligned_bits: Default::default(),
            malformed: Default::default(),
            known: Default::default(),
            wrong_kind: Default::default(),
            reach: Default::default(),
            out_of_segment: Default::default(),
            out_of_memory: Default::default(),
            fetch_clear: op(Operation::FetchClear),
            compare_and_swap: op(Operation::CompareAndSwap),
            peek: op(Operation::Peek),
            add_if: op(Operation::AddIf),
            no_operation: Constant::new(bits(Operation::AddIf as u64 + 1)),
            linear_words: words(TRANSFER_WORDS[0]),
            shaped_words: words(TRANSFER_WORDS[1]),
            cubic_words: words(TRANSFER_WORDS[2]),
            atomic_words: words(BARE_WORDS),
            fence_words: words(BARE_WORDS),
            word_mask: Constant::new(bits(width as u64 / 8 - 1)),
            narrow_mask: Constant::new(bits(3)),
            wide_mask: Constant::new(bits(7)),
            wide_reach: Constant::new(bits(64 / width as u64)),
            firmware_words: Constant::new(bits(FIRMWARE_WORDS as u64)),
            message_words: Constant::new(bits(MAX_MESSAGE_WORDS as u64)),
            once: Constant::new(bits(1)),
            window: Constant::new(bits(SegmentKind::Window as u64)),
            message_queue: Constant::new(bits(SegmentKind::Queue as u64)),
            unknown_opcode: code(ErrorCode::UnknownOpcode),
            malformed_code: code(ErrorCode::Malformed),
            unknown_segment: code(ErrorCode::UnknownSegment),
            wrong_segment: code(ErrorCode::WrongSegment),
            too_long: code(ErrorCode::TooLong),
            out_of_segment_code: code(ErrorCode::OutOfSegment),
            out_of_memory_code: code(ErrorCode::OutOfMemory),
        }
    }
}

impl Logic for CommandCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.transfers.next = self.command.val().is_put | self.command.val().is_get;
        self.moves.next = self.transfers.val() | self.command.val().is_stream | self.command.val().is_enqueue;
        self.one_row.next =
            (self.operands.val().rows == self.once.val()) & (self.operands.val().planes == self.once.val());
        self.nothing.next = self.moves.val()
            & !(self.operands.val().row.any() & self.operands.val().rows.any() & self.operands.val().planes.any());
        self.measure.next = self.moves.val() & !self.nothing.val() & !self.one_row.val();
        self.remote.next = self.transfers.val();

        self.linear.next = self.operands.val().count == self.linear_words.val();
        self.shaped.next = self.operands.val().count == self.shaped_words.val();
        self.cubic.next = self.operands.val().count == self.cubic_words.val();
        self.operand_count.next = 1.into();
        if (self.command.val().operation == self.fetch_clear.val()) | (self.command.val().operation == self.peek.val())
        {
            self.operand_count.next = 0.into();
        }
        if (self.command.val().operation == self.compare_and_swap.val())
            | (self.command.val().operation == self.add_if.val())
        {
            self.operand_count.next = 2.into();
        }
        self.operand_words.next = self.operand_count.val();
        if self.command.val().wide {
            self.operand_words.next = self.operand_count.val() << 1;
        }
        self.known.next = true;
        self.right_count.next = self.linear.val();
        if self.transfers.val() {
            self.right_count.next = self.linear.val() | self.shaped.val() | self.cubic.val();
        } else if self.command.val().is_stream {
            self.right_count.next = self.linear.val() | self.shaped.val();
        } else if self.command.val().is_atomic {
            self.right_count.next = (self.operands.val().count == self.atomic_words.val() + self.operand_words.val())
                & (self.command.val().operation != self.no_operation.val());
        } else if self.command.val().is_fence {
            self.right_count.next = self.operands.val().count <= self.fence_words.val();
        } else if self.command.val().is_program {
            self.right_count.next = self.operands.val().count > 1;
        } else if !(self.command.val().is_enqueue | self.command.val().is_mail) {
            self.known.next = false;
        }

        self.alignment.next = self.word_mask.val();
        if self.command.val().is_atomic {
            self.alignment.next = self.narrow_mask.val();
            if self.command.val().wide {
                self.alignment.next = self.wide_mask.val();
            }
        }
        self.misaligned_bits.next = self.operands.val().target & self.alignment.val();
        self.malformed.next = self.operands.val().overlong
            | !self.right_count.val()
            | (self.moves.val() & self.linear.val() & (self.operands.val().rows > self.once.val()))
            | ((self.transfers.val() | self.command.val().is_atomic) & self.misaligned_bits.val().any())
            | (self.moves.val() & self.operands.val().source_misaligned)
            | (self.command.val().is_program
                & (self.operands.val().no_entry
                    | (self.operands.val().target.get_bits::<PC_WIDTH>(0) < self.firmware_words.val())));

        self.wrong_kind.next = self.kind.val() != self.window.val();
        if self.command.val().is_enqueue {
            self.wrong_kind.next = self.kind.val() != self.message_queue.val();
        }
        if self.command.val().is_fence {
            self.wrong_kind.next = false;
        }

        self.reach.next = bit_cast::<OFFSET_WIDTH, ROW_WIDTH>(self.operands.val().row);
        if self.nothing.val() {
            self.reach.next = 0.into();
        }
        if self.command.val().is_atomic {
            self.reach.next = 1.into();
            if self.command.val().wide {
                self.reach.next = self.wide_reach.val();
            }
        }
        self.out_of_segment.next = (self.transfers.val() | self.command.val().is_atomic)
            & (self.operands.val().beyond | (!self.measure.val() & (self.reach.val() > self.operands.val().room)));
        self.out_of_memory.next = self.moves.val()
            & !self.measure.val()
            & (self.operands.val().source_beyond | (self.reach.val() > self.operands.val().source_room));

        self.error.next = 0.into();
        if !self.known.val() {
            self.error.next = self.unknown_opcode.val();
        } else if self.malformed.val() {
            self.error.next = self.malformed_code.val();
        } else if !self.command.val().is_mail & !self.kind.val().any() {
            self.error.next = self.unknown_segment.val();
        } else if !self.command.val().is_mail & self.wrong_kind.val() {
            self.error.next = self.wrong_segment.val();
        } else if self.command.val().is_enqueue & (self.operands.val().row > self.message_words.val()) {
            self.error.next = self.too_long.val();
        } else if self.out_of_segment.val() {
            self.error.next = self.out_of_segment_code.val();
        } else if self.out_of_memory.val() {
            self.error.next = self.out_of_memory_code.val();
        }
    }
}
