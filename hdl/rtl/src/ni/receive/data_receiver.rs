use super::{
    answers::Answers,
    atomic::AtomicUnit,
    header::{Header, Kinds},
    parser::Parser,
    ports::ReleasePortIn,
    queue::{Message, Release},
    report::Report,
    tags::{RowGeometry, TagTables},
    target::Target,
    transfer_end::TransferEnd,
    walk::Walk,
    PLACE_WIDTH,
};
use crate::{
    bus::{CompletionOut, EventOut, MemoryReadOut, MemoryWriteOut, RegisterReadIn, RegisterWriteIn},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        packet::{ERROR_WIDTH, OFFSET_WIDTH, SLOT_WIDTH},
        registers::INDEX_WIDTH,
        window::MESSAGES_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Takes the packets of the data plane and does what they ask for.
///
/// Words of `W` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | a payload word: 0 cycles to the memory; the tail of a put: 1 cycle to its answer on `m_axis_control`, of an atomic 3 with a memory that gives data after a cycle, 4 with a far one |
/// | throughput | one flit a cycle; a cycle more for a message, and for a stream's end without payload; 1 more for an atomic of one word, 5 for one of a pair of words |
/// | state | that of its parts |
///
/// Nothing waits but for the memory, the register bus, room for an answer on the control plane, and this node's own events
/// and slots. What is refused is dropped where it stands.
#[derive(LogicBlock, Default)]
pub struct DataReceiver<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the tag in the low bits of `sweep`; no packet is taken.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    pub s_axis: StreamIn<W>,
    pub memory_write: MemoryWriteOut<W, B>,
    /// For atomics.
    pub memory_read: MemoryReadOut<W>,
    /// A register is written from the network.
    pub register_valid: Signal<Out, Bit>,
    pub register_index: Signal<Out, Bits<INDEX_WIDTH>>,
    pub register_data: Signal<Out, Bits<32>>,
    pub register_ready: Signal<In, Bit>,
    /// Takes writes to the blocks TAGS and RELEASE.
    pub register_write: RegisterWriteIn,
    pub register_read: RegisterReadIn,
    /// ACK, REFUSE and VALUE packets.
    pub m_axis_control: StreamOut<32>,
    /// CREDIT packets.
    pub m_axis_credit: StreamOut<32>,
    /// Reads the words in front of messages.
    pub release_read: MemoryReadOut<W>,
    /// A write to RELEASE is taken only while this is high.
    pub release_ready: Signal<Out, Bit>,
    pub completion: CompletionOut,
    pub event: EventOut,
    /// High for a cycle for every word, message and malformed packet that is refused.
    pub refused: Signal<Out, Bit>,
    parser: Parser,
    header: Header,
    kinds: Kinds,
    shape: RowGeometry,
    windows: TagTables,
    walk: Walk,
    target: Target,
    message: Message,
    transfer_end: TransferEnd,
    atomic: AtomicUnit<W, B>,
    answers: Answers,
    report: Report,
    releaser: Release<W>,
    refusing: DFF<Bit>,
    word: Signal<Local, Bits<32>>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    allowed: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    front_goes: Signal<Local, Bit>,
    message_done: Signal<Local, Bit>,
    message_ends: Signal<Local, Bit>,
    message_counts: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
}

impl<const W: usize, const B: usize> DataReceiver<W, B> {
    /// For a memory of `memory_words` words, in an address space of `space_words` words in which those with bit
    /// `register_bit` of the address set are registers; `far_memory` as in
    /// [`InterfaceParameters`](crate::ni::InterfaceParameters). Panics for what [`Target::new`] refuses.
    pub fn new(memory_words: u64, space_words: u64, register_bit: usize, far_memory: bool) -> Self {
        Self {
            windows: TagTables::new(space_words),
            target: Target::new(memory_words, register_bit),
            atomic: AtomicUnit::new(memory_words, register_bit, far_memory),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for DataReceiver<W, B> {
    fn update(&mut self) {
        wire!(self => parser, windows, atomic, answers, report, releaser: clk, rst);
        wire!(self => header, walk, message, transfer_end: clk);
        dff_setup!(self, clk, refusing);
        self.word.next = bit_cast::<32, W>(self.s_axis.tdata.val());

        // The packet, flit by flit.
        wire!(s_axis => parser: tvalid, tlast);
        self.s_axis.tready.next = self.parser.tready.val();
        wire!(header => parser: next_kind, next_strided, kind);
        self.parser.may_start.next = !self.initialising.val() & !self.windows.busy.val();
        self.parser.may_end.next = self.answers.answer.ready.val() & !self.report.busy.val();
        self.parser.busy.next = self.windows.busy.val();
        self.parser.atomic_leaves.next = self.atomic.leaves.val();
        self.parser.atomic_works.next = self.atomic.busy.val();
        self.parser.atomic_ends.next = self.atomic.ends.val();
        self.header.word.next = self.word.val();
        self.header.take_head.next = self.parser.head.val();
        self.header.take_address.next = self.parser.address.val();
        self.kinds.kind.next = self.header.kind.val();
        self.shape.word.next = self.word.val();

        // Its tag.
        wire!(self => windows: initialising, sweep);
        RegisterWriteIn::link(&mut self.register_write, &mut self.windows.register_write);
        RegisterReadIn::link(&mut self.register_read, &mut self.windows.register_read);
        self.windows.read.next = self.parser.head.val();
        self.windows.tag.next = self.header.next_tag.val();
        self.windows.packet_tag.next = self.header.tag.val();

        // Where its words go.
        self.place.next = bit_cast::<PLACE_WIDTH, OFFSET_WIDTH>(self.header.next_offset.val());
        if self.kinds.message.val() {
            self.place.next = self.message.place_in_hand.val();
            if self.parser.front.val() {
                self.place.next = self.message.place_after.val();
                if self.s_axis.tlast.val() {
                    self.place.next = self.message.place.val();
                }
            }
        }
        self.walk.resume.next = self.parser.resumes.val();
        self.walk.resumed_position.next = self.windows.state.position.val();
        self.walk.resumed_done.next = self.windows.state.done.val();
        self.walk.resumed_row_last.next = self.windows.window.row_last.val();
        self.walk.resumed_gap.next = self.windows.window.gap.val();
        self.walk.jump.next = self.parser.address.val()
            | self.parser.front.val()
            | (self.kinds.message.val() & self.parser.payload.val() & self.s_axis.tlast.val());
        self.walk.place.next = self.place.val();
        self.walk.reshape.next = self.parser.geometry.val();
        wire!(shape => walk: row_last, gap);
        self.walk.advance.next = self.parser.payload.val();
        wire!(windows.window => target: base, size);
        self.target.position.next = self.walk.position.val();
        self.target.absolute.next = self.kinds.reply.val();

        wire!(windows.window => message: mode, slots, slot_words);
        self.message.written.next = bit_cast::<MESSAGES_WIDTH, PLACE_WIDTH>(self.windows.state.position.val());
        self.message.released.next = self.windows.state.released.val();
        self.message.word.next = self.word.val();
        self.message.source.next = self.header.source.val();
        self.message.begin_message.next = self.parser.front.val();
        self.message.advance.next = self.parser.payload.val();
        self.message.in_memory.next = self.target.in_memory.val();

        // Whether they go there, and when.
        self.allowed.next =
            self.transfer_end.allowed.val() & (self.target.in_memory.val() | self.target.is_device.val());
        if self.kinds.message.val() {
            self.allowed.next = self.message.has_room.val() & self.target.in_memory.val();
        }
        self.accepted.next = self.memory_write.ready.val();
        if self.target.is_device.val() {
            self.accepted.next = self.register_ready.val();
        }
        self.parser.passes.next = !self.allowed.val() | self.accepted.val();
        self.front_goes.next = self.message.fits.val() & self.target.in_memory.val();
        self.message_done.next = !self.front_goes.val() | self.memory_write.ready.val();
        self.parser.message_done.next = self.message_done.val();
        self.message_ends.next = self.parser.message_closes.val() & self.message.is_queue.val();
        self.message_counts.next = self.parser.message_closes.val() & self.front_goes.val();
        self.refuses.next = self.parser.carries.val() & !self.allowed.val();

        self.atomic.take.next = self.parser.operand.val();
        self.atomic.word.next = self.word.val();
        self.atomic.start.next = self.parser.start_atomic.val();
        wire!(header => atomic: operation, wide, half, offset, slot, source);
        wire!(windows.window => atomic: base, size, mode);
        self.atomic.memory_write.ready.next = self.memory_write.ready.val();
        self.atomic.register_ready.next = self.register_ready.val();
        self.atomic.answer.ready.next = self.answers.answer.ready.val();
        MemoryReadOut::<W>::link(&mut self.memory_read, &mut self.atomic.memory_read);

        self.memory_write.valid.next = (self.parser.offered.val() & self.allowed.val() & !self.target.is_device.val())
            | (self.parser.front_offered.val() & self.front_goes.val());
        self.memory_write.address.next = self.target.address.val();
        self.memory_write.data.next = self.s_axis.tdata.val();
        if self.parser.front_offered.val() {
            self.memory_write.data.next = bit_cast::<W, 32>(self.message.front.val());
        }
        self.memory_write.lanes.next = !bits::<B>(0);
        self.register_valid.next = self.parser.offered.val() & self.allowed.val() & self.target.is_device.val();
        self.register_index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.target.address.val());
        self.register_data.next = self.word.val();
        if self.atomic.busy.val() {
            wire!(atomic.memory_write => memory_write: valid, address, data, lanes);
            wire!(atomic => self: register_valid, register_index, register_data);
        }

        // What they leave behind.
        self.transfer_end.head.next = self.parser.head.val();
        wire!(header => transfer_end: kind, last);
        wire!(windows.window => transfer_end: mode, event_enable);
        wire!(windows.state => transfer_end: ends, fault);
        self.transfer_end.refuse.next = self.refuses.val();
        self.transfer_end.advance.next = self.parser.payload.val();
        self.transfer_end.closes.next = self.parser.closes.val();
        wire!(transfer_end => windows: write_ends, next_ends, next_fault);
        self.windows.write_pointer.next = self.message_counts.val()
            | (self.kinds.stream.val()
                & self.transfer_end.allowed.val()
                & self.parser.payload.val()
                & self.s_axis.tlast.val());
        wire!(walk => windows: next_position, next_done);
        if self.kinds.message.val() {
            self.windows.next_position.next = bit_cast::<PLACE_WIDTH, MESSAGES_WIDTH>(self.message.next_written.val());
            self.windows.next_done.next = 0.into();
        }

        self.answers.node.next = self.node.val();
        self.answers.answer.valid.next = self.transfer_end.answers.val();
        self.answers.answer.destination.next = self.header.source.val();
        self.answers.answer.slot.next = self.header.slot.val();
        self.answers.answer.kind.next = self.transfer_end.answer_kind.val();
        self.answers.answer.value.next = bit_cast::<64, ERROR_WIDTH>(self.transfer_end.outcome.val());
        if self.atomic.busy.val() {
            wire!(atomic.answer => answers.answer: valid, destination, slot, kind, value);
        }
        StreamOut::<32>::link(&mut self.m_axis_control, &mut self.answers.m_axis);

        self.report.signal_event.next =
            self.transfer_end.signals.val() | (self.message_ends.val() & self.windows.window.event_enable.val());
        self.report.event_number.next = self.windows.window.event_number.val();
        self.report.error.next = 0.into();
        if self.transfer_end.signals.val() {
            self.report.error.next = self.transfer_end.outcome.val();
        }
        if self.message_ends.val() & !self.front_goes.val() {
            self.report.error.next = self.message.reason.val();
        }
        self.report.complete.next = self.transfer_end.completes.val();
        self.report.slot.next = bit_cast::<SLOT_WIDTH, TAG_WIDTH>(self.header.tag.val());
        // A get that was broken off has the reason in place of a slot.
        self.report.failure.next = self.header.slot.val().get_bits::<ERROR_WIDTH>(0);
        EventOut::link(&mut self.event, &mut self.report.event);
        CompletionOut::link(&mut self.completion, &mut self.report.completion);

        self.refusing.d.next = self.parser.malformed.val()
            | (self.parser.payload.val() & self.refuses.val() & !self.kinds.message.val())
            | (self.parser.message_closes.val() & !self.front_goes.val());
        self.refused.next = self.refusing.q.val();

        // The release of messages.
        self.releaser.node.next = self.node.val();
        RegisterWriteIn::link(&mut self.register_write, &mut self.releaser.register_write);
        self.release_ready.next = self.releaser.ready.val();
        self.releaser.busy.next = self.windows.busy.val();
        ReleasePortIn::join(&mut self.windows.release_port, &mut self.releaser.tables);
        MemoryReadOut::<W>::link(&mut self.release_read, &mut self.releaser.memory_read);
        StreamOut::<32>::link(&mut self.m_axis_credit, &mut self.releaser.m_axis);
        if self.rst.val() {
            self.refusing.d.next = false;
        }
    }
}
