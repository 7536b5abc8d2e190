//! The first word of a descriptor, taken apart: the only block that knows where its fields lie.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::{
    ni::{
        build::Build,
        command::{
            Opcode, DRAINED_OFFSET, EVENT_OFFSET, OPCODE_OFFSET, OPCODE_WIDTH, OPERATION_OFFSET, QUIET_OFFSET,
            SEGMENT_OFFSET, SHAPER_OFFSET, SHAPER_WIDTH, WIDE_OFFSET,
        },
        event::EVENT_WIDTH,
        packet::OPERATION_WIDTH,
        segment::HANDLE_WIDTH,
    },
    parts::OPCODE_RUN,
};
use portico_verilog::prelude::*;

/// What the first word says. At most one of the opcodes is set, none if it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Command {
    pub is_put: Bit,
    pub is_get: Bit,
    pub is_stream: Bit,
    pub is_enqueue: Bit,
    pub is_atomic: Bit,
    pub is_mail: Bit,
    pub is_fence: Bit,
    pub is_program: Bit,
    /// It needs what is not built; then `is_enqueue` and `is_program` are not set.
    pub is_absent: Bit,
    pub shaper: Bits<SHAPER_WIDTH>,
    pub event: Bits<EVENT_WIDTH>,
    pub segment: Bits<HANDLE_WIDTH>,
    pub operation: Bits<OPERATION_WIDTH>,
    pub wide: Bit,
    pub quiet: Bit,
    /// It waits for all before it.
    pub drained: Bit,
}

/// Takes the first word apart.
#[derive(LogicBlock, Default)]
pub struct CommandDecoder {
    /// First word of a descriptor.
    pub word: Signal<In, Bits<32>>,
    /// Fields of that word in the same cycle, its opcode as one bit for each command.
    pub command: Signal<Out, Command>,
    opcode: Signal<Local, Bits<OPCODE_WIDTH>>,
    enqueues: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    queues: Constant<Bit>,
    programs: Constant<Bit>,
    pairs: Constant<Bit>,
}

impl CommandDecoder {
    /// For `build` and words of `width` bits.
    pub fn new(build: &Build, width: usize) -> Self {
        Self {
            queues: Constant::new(build.queues),
            programs: Constant::new(build.programs),
            pairs: Constant::new(width == 64 || build.wide_atomics),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandDecoder {
    fn update(&mut self) {
        self.opcode.next = self.word.val().get_bits::<OPCODE_WIDTH>(OPCODE_OFFSET);
        self.command.next.is_put = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Put as u64);
        self.command.next.is_get = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Get as u64);
        self.command.next.is_stream = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Stream as u64);
        self.enqueues.next = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Enqueue as u64);
        self.runs.next = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Program as u64);
        self.command.next.is_enqueue = self.enqueues.val() & self.queues.val();
        self.command.next.is_atomic = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Atomic as u64);
        self.command.next.is_mail = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Mail as u64);
        self.command.next.is_fence = self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Fence as u64);
        self.command.next.is_program = self.runs.val() & self.programs.val();
        self.command.next.is_absent = (self.enqueues.val() & !self.queues.val())
            | (self.runs.val() & !self.programs.val())
            // Where there is the engine, its port has the descriptor.
            | (self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Probe as u64))
            | ((self.opcode.val() & !bits::<OPCODE_WIDTH>(OPCODE_RUN as u64 - 1))
                == bits::<OPCODE_WIDTH>(Opcode::Barrier as u64))
            | (self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Move as u64))
            | (self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Entry as u64))
            | (self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Control as u64))
            | (self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Send as u64))
            | (self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Receive as u64))
            | ((self.opcode.val() == bits::<OPCODE_WIDTH>(Opcode::Atomic as u64))
                & self.word.val().get_bit(WIDE_OFFSET)
                & !self.pairs.val());
        self.command.next.shaper = self.word.val().get_bits::<SHAPER_WIDTH>(SHAPER_OFFSET);
        self.command.next.event = self.word.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
        self.command.next.segment = self.word.val().get_bits::<HANDLE_WIDTH>(SEGMENT_OFFSET);
        self.command.next.operation = self.word.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
        self.command.next.wide = self.word.val().get_bit(WIDE_OFFSET) & self.pairs.val();
        self.command.next.quiet = self.word.val().get_bit(QUIET_OFFSET);
        self.command.next.drained = self.word.val().get_bit(DRAINED_OFFSET);
    }
}
