//! The first word of a descriptor, taken apart: the only block that knows where its fields lie.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | state | none |

use portico_spec::ni::{
    command::{
        Opcode, EVENT_OFFSET, OPCODE_OFFSET, OPCODE_WIDTH, OPERATION_OFFSET, QUIET_OFFSET, SEGMENT_OFFSET,
        SHAPER_OFFSET, SHAPER_WIDTH, WIDE_OFFSET,
    },
    event::EVENT_WIDTH,
    packet::OPERATION_WIDTH,
    segment::HANDLE_WIDTH,
};
use rust_hdl::prelude::*;

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
    pub shaper: Bits<SHAPER_WIDTH>,
    pub event: Bits<EVENT_WIDTH>,
    pub segment: Bits<HANDLE_WIDTH>,
    pub operation: Bits<OPERATION_WIDTH>,
    pub wide: Bit,
    pub quiet: Bit,
}

type Code = Constant<Bits<OPCODE_WIDTH>>;
type Offset = Constant<Bits<6>>;

fn code(opcode: Opcode) -> Code {
    Constant::new(bits(opcode as u64))
}

fn offset(bit: usize) -> Offset {
    Constant::new(bits(bit as u64))
}

/// Takes the first word apart.
#[derive(LogicBlock)]
pub struct CommandDecoder {
    pub word: Signal<In, Bits<32>>,
    pub command: Signal<Out, Command>,
    opcode: Signal<Local, Bits<OPCODE_WIDTH>>,
    put: Code,
    get: Code,
    stream: Code,
    enqueue: Code,
    atomic: Code,
    mail: Code,
    fence: Code,
    user_program: Code,
    opcode_at: Offset,
    shaper_at: Offset,
    event_at: Offset,
    segment_at: Offset,
    operation_at: Offset,
    wide_at: Offset,
    quiet_at: Offset,
}

impl Default for CommandDecoder {
    fn default() -> Self {
        Self {
            word: Default::default(),
            command: Default::default(),
            opcode: Default::default(),
            put: code(Opcode::Put),
            get: code(Opcode::Get),
            stream: code(Opcode::Stream),
            enqueue: code(Opcode::Enqueue),
            atomic: code(Opcode::Atomic),
            mail: code(Opcode::Mail),
            fence: code(Opcode::Fence),
            user_program: code(Opcode::Program),
            opcode_at: offset(OPCODE_OFFSET),
            shaper_at: offset(SHAPER_OFFSET),
            event_at: offset(EVENT_OFFSET),
            segment_at: offset(SEGMENT_OFFSET),
            operation_at: offset(OPERATION_OFFSET),
            wide_at: offset(WIDE_OFFSET),
            quiet_at: offset(QUIET_OFFSET),
        }
    }
}

impl Logic for CommandDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.word.val().get_bits::<OPCODE_WIDTH>(self.opcode_at.val().index());
        self.command.next.is_put = self.opcode.val() == self.put.val();
        self.command.next.is_get = self.opcode.val() == self.get.val();
        self.command.next.is_stream = self.opcode.val() == self.stream.val();
        self.command.next.is_enqueue = self.opcode.val() == self.enqueue.val();
        self.command.next.is_atomic = self.opcode.val() == self.atomic.val();
        self.command.next.is_mail = self.opcode.val() == self.mail.val();
        self.command.next.is_fence = self.opcode.val() == self.fence.val();
        self.command.next.is_program = self.opcode.val() == self.user_program.val();
        self.command.next.shaper = self.word.val().get_bits::<SHAPER_WIDTH>(self.shaper_at.val().index());
        self.command.next.event = self.word.val().get_bits::<EVENT_WIDTH>(self.event_at.val().index());
        self.command.next.segment = self.word.val().get_bits::<HANDLE_WIDTH>(self.segment_at.val().index());
        self.command.next.operation = self
            .word
            .val()
            .get_bits::<OPERATION_WIDTH>(self.operation_at.val().index());
        self.command.next.wide = self.word.val().get_bit(self.wide_at.val().index());
        self.command.next.quiet = self.word.val().get_bit(self.quiet_at.val().index());
    }
}
