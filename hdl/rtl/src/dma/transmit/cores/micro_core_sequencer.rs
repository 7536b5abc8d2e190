use super::{
    Arithmetic, Cursor, Cutter, Fetch, InstructionControl, InstructionDecoder, Loops, Packet, RegisterFile, Scheduler,
    StopReport, TransferTable,
};
use crate::{
    bus::{EventOut, RegisterWriteIn},
    dma::ports::{ArgumentIn, ChunkOut, HeaderOut, StartIn, StopOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, MAX_PAYLOAD_FLITS},
    ni::{
        command::{SHAPERS, SHAPER_WIDTH},
        event::EVENTS,
        instruction::{Mode, COUNT_WIDTH, MODE_WIDTH},
        packet::{DataKind, ERROR_WIDTH, SLOT_WIDTH},
        segment::HANDLE_WIDTH,
        CONTEXT_WIDTH, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// The sequencer: runs the programs of all contexts, an instruction a cycle, and cuts their transfers into packets.
///
/// All contexts of the micro-cores and the server.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from a start taken to the first instruction at work, 1 from a context that leaves to the next at work |
/// | throughput | one instruction or chunk a cycle; a cycle more for a packet that the next chunk closes; none while a start comes |
/// | state | registers, loops, cursor and transfer by context; one packet |
///
/// Contexts change when no packet is open. A header goes out with or after the last chunk of its packet.
#[derive(LogicBlock, Default)]
pub struct MicroCoreSequencer {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context is active, no packet open.
    pub rst: Signal<In, Bit>,
    /// No start is taken.
    pub initialising: Signal<In, Bit>,
    pub register_write: RegisterWriteIn,
    pub start: StartIn,
    pub argument: ArgumentIn,
    pub stop: StopOut,
    pub chunk: ChunkOut,
    pub header: HeaderOut,
    /// NOTIFY; meant to come after the packets before it. Without an error.
    pub notice: EventOut,
    /// Events that have fired.
    pub fired: Signal<In, Bits<EVENTS>>,
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// The context has a slot, and its transfer has not ended.
    pub owns_slot: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Answers of the same cycle to `segment` and the slot.
    pub credit_available: Signal<In, Bit>,
    pub fence_busy: Signal<In, Bit>,
    pub credit_take: Signal<Out, Bit>,
    /// A take counts only with it.
    pub credit_ready: Signal<In, Bit>,
    /// The shaper of the context that runs, its most payload, and who may begin a packet.
    pub shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// Something is to be sent; a packet is open.
    pub sends: Signal<Out, Bit>,
    pub mid_packet: Signal<Out, Bit>,
    /// Flits of the packet of `header`.
    pub flits: Signal<Out, Bits<COUNT_WIDTH>>,
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    fetch: Fetch,
    decoder: InstructionDecoder,
    registers: RegisterFile,
    arithmetic: Arithmetic,
    loops: Loops,
    transfers: TransferTable,
    cursor: Cursor,
    cutter: Cutter,
    packet: Packet,
    control: InstructionControl,
    scheduler: Scheduler,
    report: StopReport,
    placed: Signal<Local, Bit>,
    ends_transfer: Signal<Local, Bit>,
}

impl MicroCoreSequencer {
    /// With `cores` micro-cores, 1 to 8, and the built-in programs.
    pub fn new(cores: usize, firmware: &[u32]) -> Self {
        Self {
            fetch: Fetch::new(firmware),
            scheduler: Scheduler::new(cores),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for MicroCoreSequencer {
    fn update(&mut self) {
        wire!(self => fetch, scheduler, packet, report: clk, rst);
        wire!(self => registers, loops, transfers, cursor: clk);
        RegisterWriteIn::link(&mut self.register_write, &mut self.fetch.register_write);
        self.fetch.started.next = self.transfers.started.val();
        self.fetch.start_context.next = self.start.context.val();
        self.fetch.start_pc.next = self.start.job.val().pc;
        wire!(scheduler => fetch: somebody, pick);
        self.fetch.advance.next = self.control.done.val();
        self.fetch.after.next = self.loops.after.val();
        self.fetch.leave.next = self.control.leave.val();

        self.scheduler.started.next = self.transfers.started.val();
        self.scheduler.start_context.next = self.start.context.val();
        self.scheduler.start_shaper.next = self.start.job.val().shaper;
        self.scheduler.may_send.next = self.may_send.val();
        wire!(fetch => scheduler: live, current);
        wire!(control => scheduler: parked, acts);
        self.scheduler.stopped.next = self.control.stop.val();
        wire!(scheduler => self: running, waiting);

        self.decoder.word.next = self.fetch.word.val();
        ArgumentIn::link(&mut self.argument, &mut self.registers.argument);
        self.registers.current.next = self.fetch.current.val();
        self.registers.a_register.next = self.decoder.instruction.val().a;
        self.registers.b_register.next = self.decoder.instruction.val().b;
        self.registers.write.next = self.control.write.val();
        self.registers.write_data.next = self.arithmetic.result.val();
        self.arithmetic.instruction.next = self.decoder.instruction.val();
        wire!(registers => arithmetic: a, b);

        self.loops.current.next = self.fetch.current.val();
        self.loops.started.next = self.transfers.started.val();
        self.loops.start_context.next = self.start.context.val();
        self.loops.pc.next = self.fetch.pc.val();
        self.loops.enter.next = self.decoder.instruction.val().enter;
        self.loops.rounds.next = self.arithmetic.operand.val().get_bits::<16>(0);
        self.loops.ends.next = self.decoder.instruction.val().ends;
        self.loops.commit.next = self.control.done.val();

        self.transfers.initialising.next = self.initialising.val();
        StartIn::link(&mut self.start, &mut self.transfers.start);
        self.transfers.current.next = self.fetch.current.val();
        // A get hands its slot over to the reply.
        self.ends_transfer.next =
            self.control.push_header.val() & (self.control.last.val() | self.transfers.transfer.val().control);
        self.transfers.end_transfer.next = self.ends_transfer.val();
        self.shaper.next = self.transfers.transfer.val().shaper;
        self.segment.next = self.transfers.transfer.val().segment;
        self.owns_slot.next = self.transfers.transfer.val().has_slot & !self.transfers.transfer.val().ended;
        self.slot.next = self.transfers.transfer.val().slot;
        self.placed.next = !self.transfers.transfer.val().control
            & ((self.transfers.transfer.val().kind == bits::<KIND_WIDTH>(DataKind::Put as u64))
                | (self.transfers.transfer.val().kind == bits::<KIND_WIDTH>(DataKind::Reply as u64)));

        self.cursor.current.next = self.fetch.current.val();
        self.cursor.started.next = self.transfers.started.val();
        self.cursor.start_context.next = self.start.context.val();
        self.cursor.start_offset.next = self.start.job.val().offset;
        self.cursor.start_row.next = self.start.job.val().row;
        self.cursor.start_stride.next = self.start.job.val().stride;
        self.cursor.step.next = self.control.push_chunk.val();
        self.cursor.literal.next = self.decoder.instruction.val().word;
        wire!(cutter => cursor: words, finishes);
        self.cursor.placed.next = self.placed.val();
        self.cursor.moves.next = self.control.done.val() & self.decoder.instruction.val().to;
        self.cursor.shapes.next = self.control.done.val() & self.decoder.instruction.val().shape;
        self.cursor.a.next = self.registers.a.val();
        self.cursor.b.next = self.arithmetic.operand.val();

        self.cutter.literal.next = self.decoder.instruction.val().word;
        self.cutter.pointer.next = self.registers.a.val();
        self.cutter.base.next = self.transfers.transfer.val().base;
        self.cutter.limit.next = self.transfers.transfer.val().limit;
        wire!(cursor => cutter: origin, position, row, stride);
        self.cutter.size.next = self.transfers.transfer.val().size;
        self.cutter.placed.next = self.placed.val();
        self.cutter.maximum.next = bits::<COUNT_WIDTH>(MAX_PAYLOAD_FLITS);
        if self.transfers.transfer.val().kind <= bits::<KIND_WIDTH>(DataKind::Stream as u64) {
            self.cutter.maximum.next = self.maximum.val();
        }
        wire!(packet => cutter: is_open, filled, rows);

        self.control.enable.next = self.fetch.live.val() & !self.transfers.started.val();
        self.control.instruction.next = self.decoder.instruction.val();
        self.control.lost.next = self.fetch.pc.val().get_bit(8) | self.loops.bad.val();
        self.control.server.next = self.fetch.current.val() == bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        self.control.ended.next = self.transfers.transfer.val().ended;
        self.control.has_row.next = self.cursor.row.val().any();
        wire!(cutter => control: joins, finishes, out_of_memory, out_of_segment);
        wire!(packet => control: is_open, rows);
        self.control.may_send.next = self
            .may_send
            .val()
            .get_bit(self.transfers.transfer.val().shaper.index());
        self.control.fired.next = self
            .fired
            .val()
            .get_bit(self.arithmetic.operand.val().get_bits::<6>(0).index());
        wire!(self => control: credit_available, fence_busy);
        self.control.others.next = self.scheduler.others.val();
        self.control.header_ready.next = self.header.ready.val();
        self.control.chunk_ready.next = self.chunk.ready.val();
        self.control.notice_ready.next = self.notice.ready.val();
        self.control.stop_ready.next = self.report.ready.val();
        self.control.credit_ready.next = self.credit_ready.val();
        self.control.write_ready.next = !self.argument.enable.val();
        self.credit_take.next = self.control.take_credit.val();

        self.sends.next = self.control.sends.val();
        self.mid_packet.next = self.packet.is_open.val();
        self.packet.wanted.next = self.control.wants_chunk.val();
        self.packet.push.next = self.control.push_chunk.val();
        wire!(cutter => packet: words, remote, whole, jumps);
        self.packet.close.next = self.control.push_header.val();

        self.chunk.valid.next = self.control.push_chunk.val();
        self.chunk.literal.next = self.decoder.instruction.val().word;
        self.chunk.words.next = self.cutter.words.val();
        self.chunk.value.next = bit_cast::<32, 22>(self.cutter.address.val());
        if self.decoder.instruction.val().word {
            self.chunk.value.next = self.arithmetic.literal.val();
        }

        self.header.valid.next = self.control.push_header.val();
        self.header.control.next = self.transfers.transfer.val().control;
        self.header.bare.next = self.transfers.transfer.val().bare;
        self.header.destination.next = self.transfers.transfer.val().destination;
        self.header.tag.next = self.transfers.transfer.val().tag;
        self.header.kind.next = self.transfers.transfer.val().kind;
        self.header.last.next = self.control.last.val();
        self.header.offset.next = self.packet.offset.val();
        self.header.slot.next = self.transfers.transfer.val().slot;
        if self.control.breaks_off.val() {
            self.header.slot.next = bit_cast::<SLOT_WIDTH, ERROR_WIDTH>(self.control.error.val());
        }
        self.header.has_geometry.next = self.packet.strided.val();
        self.header.strided.next = self.packet.strided.val();
        if self.transfers.transfer.val().kind == bits::<KIND_WIDTH>(DataKind::Atomic as u64) {
            self.header.strided.next = self.transfers.transfer.val().half;
        }
        self.header.operation.next = self.transfers.transfer.val().operation;
        self.header.wide.next = self.transfers.transfer.val().wide;
        wire!(cursor => header: row, stride);
        self.header.words.next = self.packet.total.val();

        self.flits.next = self.packet.total.val() + !self.transfers.transfer.val().bare + self.packet.strided.val() + 1;

        self.notice.valid.next = self.control.push_notice.val();
        self.notice.error.next = 0.into();
        self.notice.event.next = self.arithmetic.operand.val().get_bits::<6>(0);
        self.control.silent.next = false;
        if (self.decoder.instruction.val().mode == bits::<MODE_WIDTH>(Mode::Immediate as u64))
            & self.decoder.instruction.val().minus_one
        {
            self.notice.event.next = self.transfers.transfer.val().own_event;
            self.control.silent.next = self.transfers.transfer.val().quiet;
        }

        self.report.enable.next = self.control.stop.val();
        self.report.stopped.next = self.fetch.current.val();
        self.report.owns_slot.next = self.owns_slot.val() & !self.ends_transfer.val();
        self.report.error.next = self.control.error.val();
        StopOut::link(&mut self.stop, &mut self.report.stop);
    }
}
