use super::{
    answers::Answers,
    atomic::AtomicUnit,
    delivery::Delivery,
    header::{Header, Kinds},
    intake::Intake,
    parser::Parser,
    queue::{Message, Release},
    report::Report,
    tags::{PacketTag, RowGeometry, TagTables},
    target::Target,
    transfer_end::TransferEnd,
    walk::Walk,
    PLACE_WIDTH,
};
use crate::{
    bus::{
        CompletionOut, EventOut, FlitsOut, MemoryReadOut, MemoryWriteOut, RegisterAccessIn, RegisterRequestOut, SweepIn,
    },
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        build::Build,
        packet::{ERROR_WIDTH, OFFSET_WIDTH, SLOTS, SLOT_WIDTH},
        registers::INDEX_WIDTH,
        window::MESSAGES_WIDTH,
    },
    parts::Part,
};
use portico_verilog::prelude::*;

/// Takes the packets of the data plane and does what they ask for.
///
/// Words of `W` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | a payload word: 2 cycles to the memory; the tail of a put, or of a packet of it that is refused: 3 cycles to its answer on `m_axis_control`, of an atomic 5 with a memory that gives data after a cycle |
/// | throughput | one flit a cycle, one head every other cycle; a cycle more for a message; 1 more for an atomic, 6 for one of a pair of words |
/// | state | that of its parts |
///
/// A flit comes into [`Intake`], while the row of its tag is read if it is a head. There the [`Parser`] says what it is, and
/// its place is found. In the next cycle it is in [`Delivery`], which checks the place and brings the word there.
///
/// Nothing waits but for the memory, the register bus, room for an answer on the control plane, and this node's own events
/// and slots. What is refused is dropped where it stands. What a packet writes to registers holds for the
/// packet of the receiver's own behind it; packets of engines pass on at once.
#[derive(LogicBlock, Default)]
pub struct DataReceiver<const W: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Packets of the data plane.
    pub s_axis: StreamIn<W>,
    /// Packets for engines, in the order of their seats.
    pub engine: Vec<FlitsOut<W>>,
    /// Writes of payload, of the words in front of messages, and of atomics.
    pub memory_write: MemoryWriteOut<W, B>,
    /// For atomics.
    pub memory_read: MemoryReadOut<W>,
    /// Slots that are open for gets; a reply for another is refused.
    pub gets: Signal<In, Bits<SLOTS>>,
    /// Writes of registers from the network; taken whether the word is kept or not.
    pub register_write: RegisterRequestOut,
    /// With `ready` of `register_write`: the word is one of a descriptor without room.
    pub register_refused: Signal<In, Bit>,
    /// The blocks TAGS and RELEASE.
    pub access: RegisterAccessIn,
    /// ACK, REFUSE and VALUE packets.
    pub m_axis_control: StreamOut<32>,
    /// CREDIT packets.
    pub m_axis_credit: StreamOut<32>,
    /// Reads the words in front of messages.
    pub release_read: MemoryReadOut<W>,
    /// A write to RELEASE is taken only while this is high.
    pub release_ready: Signal<Out, Bit>,
    /// Completions of gets, with their last reply.
    pub completion: CompletionOut,
    /// Events for ends of transfers and messages.
    pub event: EventOut,
    /// High for a cycle for every word, message and malformed packet that is refused.
    pub refused: Signal<Out, Bit>,
    intake: Intake<W>,
    parser: Parser,
    header: Header,
    kinds: Kinds,
    shape: RowGeometry,
    tables: TagTables,
    packet: PacketTag,
    walk: Walk,
    target: Target,
    delivery: Delivery<W>,
    message: Message,
    transfer_end: TransferEnd,
    atomic: AtomicUnit<W, B>,
    answers: Answers,
    report: Report,
    releaser: Vec<Release<W>>,
    refusing: DFF<Bit>,
    /// The window takes the packet; no payload is there sooner than two cycles after its head.
    taking: DFF<Bit>,
    /// The flit in hand.
    word: Signal<Local, Bits<32>>,
    goes: Signal<Local, Bit>,
    head_goes: Signal<Local, Bit>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    is_upper: Signal<Local, Bit>,
    /// The flit in delivery.
    delivered: Signal<Local, Bits<32>>,
    allowed: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    front_goes: Signal<Local, Bit>,
    message_ends: Signal<Local, Bit>,
    message_counts: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    /// Of a reply.
    slot: Signal<Local, Bits<SLOT_WIDTH>>,
    _queues: usize,
    _engines: usize,
}

impl<const W: usize, const B: usize> DataReceiver<W, B> {
    /// For the windows of `build`, with a door for each of `engines`, and a memory of `memory_words` words, which gives its data
    /// a cycle after a request unless it is `far_memory`. It lies in an address space of `space_words` words; those with bit
    /// `register_bit` of the address set are registers. Panics for what [`Target::new`] refuses.
    pub fn new(
        build: &Build,
        memory_words: u64,
        space_words: u64,
        register_bit: usize,
        far_memory: bool,
        engines: &[Part],
    ) -> Self {
        let queues = usize::from(build.queues);
        Self {
            atomic: AtomicUnit::new(far_memory),
            intake: Intake::new(build, engines),
            engine: engines.iter().map(|_| Default::default()).collect(),
            _engines: engines.len(),
            parser: Parser::new(build.queues),
            header: Header::new(W == 64 || build.wide_atomics),
            kinds: Kinds::new(build.queues),
            transfer_end: TransferEnd::new(build.queues),
            releaser: (0..queues).map(|_| Release::default()).collect(),
            _queues: queues,
            tables: TagTables::new(build, space_words),
            target: Target::new(memory_words, register_bit),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for DataReceiver<W, B> {
    fn update(&mut self) {
        wire!(self => intake, parser, tables, packet, delivery, atomic, answers, report: clk, rst);
        wire!(self => header, walk, target, message, transfer_end: clk);
        dff_setup!(self, clk, refusing, taking);

        // The flit in hand: a head waits for its row, the rest for an atomic that still needs its header.
        wire!(self <=> intake: s_axis);
        self.intake.closed.next = self.sweep.active.val();
        for i in 0..self._engines {
            wire!(self.engine[i] <=> intake.engine[i]);
        }
        self.intake.may_start.next = self.tables.may_start.val();
        self.word.next = bit_cast::<32, W>(self.intake.word.val());
        self.head_goes.next =
            self.intake.valid.val() & self.delivery.free.val() & self.parser.head.val() & self.tables.may_go.val();
        self.goes.next = self.head_goes.val()
            | (self.intake.valid.val()
                & self.delivery.free.val()
                & !self.parser.head.val()
                & (!self.atomic.busy.val() | self.atomic.ends.val() | self.parser.lower.val()));
        self.intake.goes.next = self.goes.val();
        self.intake.stays.next = self.parser.stays.val();
        self.parser.goes.next = self.goes.val();
        self.parser.last.next = self.intake.last.val();
        wire!(header => parser: next_kind, next_strided, kind);
        self.parser.is_pair.next = self.atomic.is_pair.val();
        self.header.word.next = self.word.val();
        self.header.take_head.next = self.head_goes.val();
        self.header.take_address.next = self.goes.val() & self.parser.address.val();
        self.kinds.kind.next = self.header.kind.val();
        self.shape.word.next = self.word.val();

        // Its tag, from here on the number of its row.
        wire!(self <=> tables: sweep);
        wire!(self.access <=> tables.register);
        wire!(intake => tables: offers_head, starts);
        self.tables.start_tag.next = self.intake.start_row.val();
        self.tables.has_head.next = self.intake.valid.val() & self.parser.head.val();
        self.tables.head_tag.next = self.intake.row.val();
        self.tables.unkept.next = !self.packet.valid.val();
        self.tables.may_write.next = self.delivery.may_write.val();
        self.tables.device.next =
            self.target.is_device.val() & (self.delivery.carries.val() | self.delivery.atomic.val());
        self.packet.take.next = self.head_goes.val();
        self.packet.next_tag.next = self.intake.row.val();
        wire!(tables.window <=> packet.row);
        self.packet.row_ends.next = self.tables.state.ends.val();
        self.packet.row_fault.next = self.tables.state.fault.val();
        self.packet.row_written.next = bit_cast::<MESSAGES_WIDTH, PLACE_WIDTH>(self.tables.state.position.val());
        self.packet.row_released.next = self.tables.state.released.val();
        wire!(tables => packet: touched);

        // Its place: a stream goes on where the one before it on its tag has left.
        self.place.next = bit_cast::<PLACE_WIDTH, OFFSET_WIDTH>(self.header.next_offset.val());
        if self.kinds.message.val() {
            self.place.next = self.message.place_in_hand.val();
            if self.parser.opening.val() {
                self.place.next = self.message.place_after.val();
                if self.intake.last.val() {
                    self.place.next = self.message.place.val();
                }
            }
        }
        self.walk.resume.next = self.head_goes.val() & !(self.packet.is_same.val() & self.kinds.stream.val());
        self.walk.resumed_position.next = self.tables.state.position.val();
        self.walk.resumed_done.next = self.tables.state.done.val();
        self.walk.resumed_row_last.next = self.tables.state.row_last.val();
        self.walk.resumed_gap.next = self.tables.state.gap.val();
        self.walk.jump.next = self.goes.val()
            & (self.parser.address.val()
                | self.parser.opening.val()
                | (self.kinds.message.val() & self.parser.payload.val() & self.intake.last.val()));
        self.walk.place.next = self.place.val();
        self.walk.reshape.next = self.goes.val() & self.parser.geometry.val();
        wire!(shape => walk: row_last, gap);
        self.walk.advance.next = self.goes.val() & self.parser.payload.val();
        self.is_upper.next = self.parser.atomic.val() & self.atomic.is_pair.val();
        self.target.take.next = self.delivery.free.val();
        wire!(packet.window => target: base, size);
        self.target.position.next = self.walk.position.val() | bit_cast::<PLACE_WIDTH, 1>(self.is_upper.val().into());
        self.target.absolute.next = self.kinds.reply.val();

        self.message.begin_message.next = self.goes.val() & self.parser.opening.val();
        self.message.word.next = self.word.val();
        self.message.source.next = self.header.source.val();
        wire!(packet.window => message: mode, slots, slot_words);
        wire!(packet => message: written, released);
        self.message.advance.next = self.delivery.payload.val();
        self.message.in_memory.next = self.target.in_memory.val();
        self.atomic.take.next = self.goes.val() & self.parser.operand.val();
        self.atomic.word.next = self.word.val();

        // Its delivery.
        self.delivery.take.next = self.goes.val();
        self.delivery.next_word.next = self.intake.word.val();
        self.delivery.next_last.next = self.intake.last.val();
        self.delivery.next_carries.next = self.parser.payload.val();
        self.delivery.next_closes.next = self.parser.closes.val();
        self.delivery.next_front.next = self.parser.front.val();
        self.delivery.next_atomic.next = self.parser.atomic.val();
        self.delivery.next_lower.next = self.parser.lower.val();
        self.delivery.next_malformed.next = self.parser.malformed.val();
        self.delivery.atomic_works.next = self.atomic.busy.val();
        self.delivery.may_end.next = self.answers.answer.ready.val() & !self.report.busy.val();
        self.delivered.next = bit_cast::<32, W>(self.delivery.word.val());
        self.taking.d.next = self.transfer_end.allowed.val();
        self.allowed.next = self.taking.q.val() & (self.target.in_memory.val() | self.target.is_device.val());
        if self.kinds.message.val() {
            self.allowed.next = self.message.has_room.val() & self.target.in_memory.val();
        }
        self.accepted.next = self.memory_write.ready.val();
        // What is refused waits for room as well: the memory has some soon, and to know sooner takes longer.
        if self.target.is_device.val() {
            self.accepted.next = self.register_write.ready.val() | !self.taking.q.val() | self.kinds.message.val();
        }
        self.delivery.passes.next = self.accepted.val();
        self.front_goes.next = self.message.fits.val() & self.target.in_memory.val();
        self.delivery.front_passes.next = self.memory_write.ready.val();
        self.delivery.atomic_leaves.next = self.atomic.leaves.val();
        if self.delivery.lower.val() {
            self.delivery.atomic_leaves.next = self.atomic.lower_leaves.val();
        }
        self.message_ends.next = self.delivery.message_closes.val() & self.message.is_queue.val();
        self.message_counts.next = self.delivery.message_closes.val() & self.front_goes.val();
        self.is_full.next = self.delivery.carries.val()
            & self.allowed.val()
            & self.target.is_device.val()
            & self.register_refused.val();
        self.refuses.next = (self.delivery.carries.val() & !self.allowed.val()) | self.is_full.val();

        wire!(delivery => atomic: lower);
        self.atomic.start.next = self.delivery.atomic.val();
        wire!(header => atomic: operation, wide, unbuilt, half, slot, source);
        self.atomic.is_odd.next = self.header.offset.val().get_bit(0);
        self.atomic.mode.next = self.packet.window.mode.val();
        wire!(target => atomic: address, in_memory, is_device);
        self.atomic.memory_write.ready.next = self.memory_write.ready.val();
        wire!(register_write => atomic.register_write: ready);
        wire!(self => atomic: register_refused);
        self.atomic.answer.ready.next = self.answers.answer.ready.val();
        wire!(self <=> atomic: memory_read);

        self.memory_write.valid.next =
            (self.delivery.offered.val() & self.allowed.val() & !self.target.is_device.val())
                | (self.delivery.front_offered.val() & self.front_goes.val());
        self.memory_write.address.next = self.target.address.val();
        self.memory_write.data.next = self.delivery.word.val();
        if self.delivery.front.val() {
            self.memory_write.data.next = bit_cast::<W, 32>(self.message.front.val());
        }
        self.memory_write.lanes.next = !bits::<B>(0);
        self.register_write.valid.next = self.delivery.offered.val() & self.allowed.val() & self.target.is_device.val();
        self.register_write.index.next = bit_cast::<INDEX_WIDTH, OFFSET_WIDTH>(self.target.address.val());
        self.register_write.data.next = self.delivered.val();
        if self.atomic.busy.val() {
            wire!(atomic.memory_write => memory_write: valid, address, data, lanes);
            wire!(atomic.register_write => register_write: valid, index, data);
        }

        // What it leaves behind.
        self.transfer_end.head.next = self.head_goes.val();
        wire!(header => transfer_end: kind, last);
        wire!(packet.window => transfer_end: mode, event_enable);
        wire!(packet => transfer_end: ends, fault);
        self.slot.next = bit_cast::<SLOT_WIDTH, TAG_WIDTH>(self.header.tag.val());
        self.transfer_end.awaited.next = self.gets.val().get_bit(self.slot.val().index());
        self.transfer_end.refuse.next = self.refuses.val();
        wire!(self => transfer_end: is_full);
        self.transfer_end.advance.next = self.delivery.payload.val();
        self.transfer_end.closes.next = self.delivery.closes.val();
        wire!(transfer_end => packet: write_ends, next_ends, next_fault);
        self.packet.count_message.next = self.message_counts.val();
        wire!(transfer_end => tables: write_ends, next_ends, next_fault);
        self.tables.packet_tag.next = self.packet.tag.val();
        self.tables.write_pointer.next = self.message_counts.val()
            | (self.kinds.stream.val()
                & self.transfer_end.allowed.val()
                & self.delivery.payload.val()
                & self.delivery.last.val());
        self.tables.next_position.next = self.walk.position.val();
        self.tables.next_done.next = self.walk.done.val();
        if self.kinds.message.val() {
            self.tables.next_position.next = bit_cast::<PLACE_WIDTH, MESSAGES_WIDTH>(self.packet.next_written.val());
            self.tables.next_done.next = 0.into();
        }

        self.answers.node.next = self.node.val();
        self.answers.answer.valid.next = self.transfer_end.answers.val();
        self.answers.answer.destination.next = self.header.source.val();
        self.answers.answer.slot.next = self.header.slot.val();
        self.answers.answer.kind.next = self.transfer_end.answer_kind.val();
        self.answers.answer.last.next = self.header.last.val();
        self.answers.answer.value.next = bit_cast::<64, ERROR_WIDTH>(self.transfer_end.outcome.val());
        if self.atomic.busy.val() | self.delivery.atomic.val() {
            wire!(atomic.answer => answers.answer: valid, destination, slot, kind, last, value);
        }
        wire!(self.m_axis_control <=> answers.m_axis);

        self.report.signal_event.next =
            self.transfer_end.signals.val() | (self.message_ends.val() & self.packet.window.event_enable.val());
        self.report.event_number.next = self.packet.window.event_number.val();
        self.report.error.next = 0.into();
        if self.transfer_end.signals.val() {
            self.report.error.next = self.transfer_end.outcome.val();
        }
        if self.message_ends.val() & !self.front_goes.val() {
            self.report.error.next = self.message.reason.val();
        }
        self.report.complete.next = self.transfer_end.completes.val();
        self.report.slot.next = self.slot.val();
        // A get that was broken off has the reason in place of a slot.
        self.report.failure.next = self.header.slot.val().get_bits::<ERROR_WIDTH>(0);
        wire!(self <=> report: event, completion);

        self.refusing.d.next = self.delivery.malformed.val()
            | (self.delivery.payload.val() & self.refuses.val() & !self.kinds.message.val())
            | (self.delivery.message_closes.val() & !self.front_goes.val());
        self.refused.next = self.refusing.q.val();

        // The release of messages.
        self.release_ready.next = true;
        self.tables.release_port.read.next = false;
        self.tables.release_port.write.next = false;
        self.tables.release_port.tag.next = 0.into();
        self.tables.release_port.next_released.next = 0.into();
        self.release_read.valid.next = false;
        self.release_read.address.next = 0.into();
        self.m_axis_credit.tvalid.next = false;
        self.m_axis_credit.tdata.next = 0.into();
        self.m_axis_credit.tlast.next = false;
        for i in 0..self._queues {
            wire!(self => releaser[i]: clk, rst, node);
            self.releaser[i].register_write.enable.next = self.access.write.val();
            wire!(access => releaser[i].register_write: index, data);
            self.release_ready.next = self.releaser[i].ready.val();
            wire!(tables.release_port <=> releaser[i].tables);
            wire!(self.release_read <=> releaser[i].memory_read);
            wire!(self.m_axis_credit <=> releaser[i].m_axis);
        }
        if self.rst.val() {
            self.refusing.d.next = false;
        }
    }
}
