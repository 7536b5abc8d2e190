use super::{Command, Operands, WORDS_WIDTH};
use portico_spec::ni::{
    command::{BARE_WORDS, SHAPER_WIDTH, TRANSFER_WORDS},
    packet::{Operation, ERROR_WIDTH, OFFSET_WIDTH, OPERATION_WIDTH},
    segment::{SegmentKind, KIND_WIDTH},
    ErrorCode,
};
use portico_verilog::prelude::*;

/// Bits of a room above the lowest.
const ROOM_ABOVE_WIDTH: usize = OFFSET_WIDTH - 1;

/// Checks a whole descriptor.
///
/// Says what is wrong with a descriptor.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// The order of the checks: opcode, whether all is built, number of words and alignment, segment known, node reached, segment
/// of the right kind, length of a message, end of the segment, end of the memory. The last two only if the transfer is a
/// single row, or nothing; the ends of others must be measured. A `sequential` node has all ends measured.
#[derive(LogicBlock, Default)]
pub struct CommandCheck {
    /// First word of the descriptor, taken apart.
    pub command: Signal<In, Command>,
    /// The words after the first, taken apart, with what the checks need of them.
    pub operands: Signal<In, Operands>,
    /// Of the segment.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// Packets come to its node.
    pub reached: Signal<In, Bit>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// There is one.
    pub wrong: Signal<Out, Bit>,
    /// Nothing is to be moved.
    pub nothing: Signal<Out, Bit>,
    /// There are several rows.
    pub several: Signal<Out, Bit>,
    /// The ends have not been checked.
    pub measure: Signal<Out, Bit>,
    /// With `measure`: the end in the remote segment is to be measured too.
    pub remote: Signal<Out, Bit>,
    /// With `measure`: the end in the remote segment alone is to be measured, and none in the memory.
    pub remote_only: Signal<Out, Bit>,
    transfers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    linear: Signal<Local, Bit>,
    shaped: Signal<Local, Bit>,
    cubic: Signal<Local, Bit>,
    right_count: Signal<Local, Bit>,
    malformed: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    not_built: Signal<Local, Bit>,
    wrong_kind: Signal<Local, Bit>,
    too_narrow: Signal<Local, Bit>,
    unknown_segment: Signal<Local, Bit>,
    absent_node: Signal<Local, Bit>,
    too_long: Signal<Local, Bit>,
    out_of_segment: Signal<Local, Bit>,
    out_of_memory: Signal<Local, Bit>,
    /// 64 bits are two words of memory.
    pairs: Constant<Bit>,
    last_shaper: Constant<Bits<SHAPER_WIDTH>>,
    sequential: Constant<Bit>,
}

impl CommandCheck {
    /// For words of `width` bits and so many `shapers`; `sequential` as in [`super::Measure`].
    pub fn new(width: usize, shapers: usize, sequential: bool) -> Self {
        Self {
            sequential: Constant::new(sequential),
            last_shaper: Constant::new(bits(shapers as u64 - 1)),
            pairs: Constant::new(width == 32),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandCheck {
    fn update(&mut self) {
        self.transfers.next = self.command.val().is_put | self.command.val().is_get;
        self.moves.next = self.transfers.val() | self.command.val().is_stream | self.command.val().is_enqueue;
        self.nothing.next = self.moves.val() & !self.operands.val().has_words;
        self.several.next = self.moves.val()
            & self.operands.val().has_words
            & !(self.operands.val().is_row & self.operands.val().is_plane);
        self.measure.next =
            self.several.val() | (self.sequential.val() & (self.moves.val() | self.command.val().is_atomic));
        self.remote.next = self.transfers.val() | self.command.val().is_atomic;
        self.remote_only.next = self.command.val().is_atomic;

        self.linear.next = self.operands.val().count == bits::<WORDS_WIDTH>(TRANSFER_WORDS[0] as u64);
        self.shaped.next = self.operands.val().count == bits::<WORDS_WIDTH>(TRANSFER_WORDS[1] as u64);
        self.cubic.next = self.operands.val().count == bits::<WORDS_WIDTH>(TRANSFER_WORDS[2] as u64);
        self.known.next = true;
        self.right_count.next = self.linear.val();
        if self.transfers.val() {
            self.right_count.next = self.linear.val() | self.shaped.val() | self.cubic.val();
        } else if self.command.val().is_stream {
            self.right_count.next = self.linear.val() | self.shaped.val();
        } else if self.command.val().is_atomic {
            self.right_count.next = (self.operands.val().count == self.operands.val().atomic_words)
                & (self.command.val().operation != bits::<OPERATION_WIDTH>(Operation::AddIf as u64 + 1));
        } else if self.command.val().is_fence {
            self.right_count.next =
                (self.operands.val().count == 1) | (self.operands.val().count == bits::<WORDS_WIDTH>(BARE_WORDS));
        } else if self.command.val().is_program {
            self.right_count.next = self.operands.val().count != 1;
        } else if !(self.command.val().is_enqueue | self.command.val().is_mail | self.command.val().is_absent) {
            self.known.next = false;
        }

        self.malformed.next = self.operands.val().overlong
            | !self.right_count.val()
            | (self.moves.val() & self.linear.val() & self.operands.val().several_rows)
            | ((self.transfers.val() | self.command.val().is_atomic) & self.operands.val().misaligned)
            | (self.moves.val() & self.operands.val().source_misaligned)
            | (self.command.val().is_program & self.operands.val().no_entry);

        self.wrong_kind.next = self.kind.val() != bits::<KIND_WIDTH>(SegmentKind::Window as u64);
        if self.command.val().is_enqueue {
            self.wrong_kind.next = self.kind.val() != bits::<KIND_WIDTH>(SegmentKind::Queue as u64);
        }
        if self.command.val().is_fence {
            self.wrong_kind.next = false;
        }

        self.too_narrow.next = !self.operands.val().room.get_bits::<ROOM_ABOVE_WIDTH>(1).any()
            & (!self.operands.val().room.get_bit(0) | (self.command.val().wide & self.pairs.val()));
        self.out_of_segment.next = (self.transfers.val()
            & (self.operands.val().beyond
                | (!self.measure.val() & self.operands.val().has_words & self.operands.val().row_beyond)))
            | (self.command.val().is_atomic
                & (self.operands.val().beyond | (!self.measure.val() & self.too_narrow.val())));
        self.out_of_memory.next = self.moves.val()
            & !self.measure.val()
            & (self.operands.val().source_beyond
                | (self.operands.val().has_words & self.operands.val().row_beyond_source));
        self.unknown_segment.next = !self.command.val().is_mail & !self.kind.val().any();
        self.absent_node.next = !self.reached.val();
        if self.command.val().is_mail {
            self.absent_node.next = !self.operands.val().reached;
        }
        self.too_long.next = self.command.val().is_enqueue & self.operands.val().row_beyond_message;
        self.not_built.next = self.command.val().is_absent | (self.command.val().shaper > self.last_shaper.val());
        self.wrong.next = !self.known.val()
            | self.not_built.val()
            | self.malformed.val()
            | self.unknown_segment.val()
            | self.absent_node.val()
            | (!self.command.val().is_mail & self.wrong_kind.val())
            | self.too_long.val()
            | self.out_of_segment.val()
            | self.out_of_memory.val();

        self.error.next = 0.into();
        if !self.known.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownOpcode as u64);
        } else if self.not_built.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::NotBuilt as u64);
        } else if self.malformed.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        } else if self.unknown_segment.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::UnknownSegment as u64);
        } else if self.absent_node.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::AbsentNode as u64);
        } else if !self.command.val().is_mail & self.wrong_kind.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::WrongSegment as u64);
        } else if self.too_long.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::TooLong as u64);
        } else if self.out_of_segment.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfSegment as u64);
        } else if self.out_of_memory.val() {
            self.error.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
        }
    }
}
