use super::{
    Conditions, CoreScheduler, CoreStep, CoreSteps, Fetch, InstructionControl, InstructionDecoder, Loops, Operands,
    PacketBuilder, StopReport, Transfer, ROUNDS_WIDTH,
};
use crate::{
    bus::{EventOut, RegisterWriteIn},
    dma::ports::{ArgumentIn, ChunkOut, HeaderOut, StartIn, StopOut, CONTEXTS},
};
use portico_spec::ni::{
    build::Build,
    command::{SHAPERS, SHAPER_WIDTH},
    event::EVENTS,
    instruction::{Mode, COUNT_WIDTH, MODE_WIDTH, PC_WIDTH},
    packet::SLOT_WIDTH,
    segment::HANDLE_WIDTH,
    CONTEXT_WIDTH, SERVER_CONTEXT,
};
use portico_verilog::prelude::*;

/// The sequencer: runs the programs of all contexts, one instruction after the other, and cuts their transfers into packets.
///
/// All contexts of the micro-cores and the server.
///
/// | | |
/// | --- | --- |
/// | latency | 18 cycles from a start offered to the first instruction at work, 1 more to what it sends |
/// | throughput | a row that a loop repeats in 6 cycles, another chunk of a row in 5, other instructions in 8 to 10 |
/// | state | that of its parts, one instruction and one packet |
///
/// An instruction takes its steps one at a time ([`CoreSteps`]), so that none is longer than a memory or a sum.
/// Contexts change when no packet is open. A header goes out with or after the last chunk of its packet.
#[derive(LogicBlock, Default)]
pub struct MicroCoreSequencer {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context is active, no packet open.
    pub rst: Signal<In, Bit>,
    /// No start is taken.
    pub initialising: Signal<In, Bit>,
    /// Writes of registers; those to the block PROGRAM write the user's instructions.
    pub register_write: RegisterWriteIn,
    /// Starts of contexts; one is taken in its fourth cycle at the earliest, when its job is written.
    pub start: StartIn,
    /// Words of descriptors and of requests, for the registers of their contexts.
    pub argument: ArgumentIn,
    /// Reports of contexts that have stopped.
    pub stop: StopOut,
    /// Chunks of payload, in the order of their packets.
    pub chunk: ChunkOut,
    /// Headers of closed packets, each in the cycle of the last chunk of its packet or later.
    pub header: HeaderOut,
    /// NOTIFY; meant to come after the packets before it. Without an error.
    pub notice: EventOut,
    /// Events that have fired.
    pub fired: Signal<In, Bits<EVENTS>>,
    /// Segment of the context that runs, for a fence and for a credit.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// The context has a slot, and its transfer has not ended.
    pub owns_slot: Signal<Out, Bit>,
    /// Slot of the context that runs, valid with `owns_slot`: its fence does not wait for it.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Answer of the same cycle to the segment and the slot.
    pub fence_busy: Signal<In, Bit>,
    /// A credit of `segment` is asked for, until the answer.
    pub wants_credit: Signal<Out, Bit>,
    /// A credit that was asked for comes or not: the answer, for one cycle.
    pub credit_answered: Signal<In, Bit>,
    /// With `credit_answered`: there was a credit, and it is taken.
    pub credit_granted: Signal<In, Bit>,
    /// Shaper of the context that runs.
    pub shaper: Signal<Out, Bits<SHAPER_WIDTH>>,
    /// Most words of payload, 1 to 64, of a packet of `shaper`, in the same cycle.
    pub maximum: Signal<In, Bits<COUNT_WIDTH>>,
    /// Shapers that let a packet begin, one bit each.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// Contexts that do not run yet: another with their segment is parked.
    pub held: Signal<In, Bits<CONTEXTS>>,
    /// Something is to be sent, whether or not there is room for it.
    pub sends: Signal<Out, Bit>,
    /// A packet is open.
    pub mid_packet: Signal<Out, Bit>,
    /// Flits of the packet of `header`.
    pub flits: Signal<Out, Bits<COUNT_WIDTH>>,
    /// A context is active.
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    scheduler: CoreScheduler,
    steps: CoreSteps,
    fetch: Fetch,
    decoder: InstructionDecoder,
    operands: Operands,
    loops: Loops,
    builder: PacketBuilder,
    conditions: Conditions,
    control: InstructionControl,
    report: StopReport,
    transfer: Signal<Local, Transfer>,
    step: Signal<Local, CoreStep>,
    ends_transfer: Signal<Local, Bit>,
    owns: Signal<Local, Bit>,
}

impl MicroCoreSequencer {
    /// With `cores` micro-cores, 1 to 8, and the built-in programs.
    pub fn new(build: &Build, firmware: &[u32]) -> Self {
        Self {
            fetch: Fetch::new(build.programs, firmware),
            scheduler: CoreScheduler::new(build.cores),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for MicroCoreSequencer {
    fn update(&mut self) {
        wire!(self => scheduler, steps, operands, builder, report: clk, rst);
        wire!(self => fetch, loops, conditions, control: clk);
        self.step.next = self.steps.step.val();
        self.transfer.next = self.operands.transfer.val();

        wire!(operands => scheduler: started);
        self.scheduler.start_context.next = self.start.context.val();
        self.scheduler.start_shaper.next = self.start.job.val().shaper;
        wire!(self => scheduler: may_send, held);
        self.scheduler.live.next = self.step.val() != CoreStep::Idle;
        wire!(fetch => scheduler: current);
        wire!(control => scheduler: parked, acts);
        self.scheduler.stopped.next = self.control.stop.val();
        wire!(scheduler => self: running, waiting);

        wire!(scheduler => steps: somebody);
        self.steps.results_wait.next = self.operands.busy.val();
        wire!(control => steps: payload, acts, done, parked, stop, leave);
        self.steps.ends.next = self.decoder.instruction.val().ends.any();
        wire!(loops => steps: repeats, alone, more);
        self.steps.rereads.next = (self.decoder.instruction.val().a == self.decoder.instruction.val().b)
            & (self.decoder.instruction.val().mode != bits::<MODE_WIDTH>(Mode::Immediate as u64));

        wire!(self <=> fetch: register_write);
        wire!(operands => fetch: started);
        self.fetch.start_context.next = self.start.context.val();
        self.fetch.start_pc.next = self.start.job.val().pc;
        self.fetch.change.next = (self.step.val() == CoreStep::Idle) & self.scheduler.somebody.val();
        wire!(scheduler => fetch: pick);
        wire!(loops => fetch: advance, after);
        self.fetch.take.next = (self.step.val() == CoreStep::Load3) | (self.step.val() == CoreStep::Decode);
        self.decoder.word.next = self.fetch.word.val();

        wire!(self <=> operands: argument, start);
        self.operands.may_start.next = !self.initialising.val()
            & (self.step.val() != CoreStep::Unwind)
            & ((self.step.val() != CoreStep::Act) | self.control.stands.val());
        self.control.start_waits.next = self.start.valid.val();
        self.operands.step.next = self.step.val();
        wire!(fetch => operands: current);
        wire!(decoder => operands: instruction);
        wire!(loops => operands: innermost, level);
        self.operands.write_loop.next = self.loops.write.val();
        self.operands.written.next = self.loops.round.val();
        wire!(control => operands: write);
        // A get hands its slot over to the reply.
        self.ends_transfer.next =
            self.control.push_header.val() & (self.control.last.val() | self.transfer.val().control);
        self.operands.end_transfer.next = self.ends_transfer.val();

        wire!(fetch => loops: current, pc);
        wire!(operands => loops: started);
        self.loops.start_context.next = self.start.context.val();
        self.loops.enter.next = self.decoder.instruction.val().enter;
        self.loops.ends.next = self.decoder.instruction.val().ends;
        self.loops.rounds.next = self.operands.b.val().get_bits::<ROUNDS_WIDTH>(0);
        self.loops.commit.next = self.control.done.val();
        self.loops.asks.next = (self.step.val() == CoreStep::Operands) | (self.step.val() == CoreStep::Ask);
        self.loops.word.next = self.operands.round.val();
        self.loops.unwind.next = self.step.val() == CoreStep::Unwind;

        wire!(operands => builder: started, transfer, a, b);
        self.builder.start_context.next = self.start.context.val();
        self.builder.start_offset.next = self.start.job.val().offset;
        self.builder.start_row.next = self.start.job.val().row;
        self.builder.start_stride.next = self.start.job.val().stride;
        wire!(fetch => builder: current);
        wire!(self => builder: maximum);
        self.builder.cuts.next = self.step.val() == CoreStep::Cut;
        self.builder.literal.next = self.decoder.instruction.val().word;
        self.builder.literal_word.next = self.operands.literal.val();
        self.builder.moves.next = self.control.done.val() & self.decoder.instruction.val().to;
        self.builder.shapes.next = self.control.done.val() & self.decoder.instruction.val().shape;
        self.builder.wanted.next = self.control.wants_chunk.val();
        self.builder.push.next = self.control.push_chunk.val();
        self.builder.close.next = self.control.push_header.val();
        wire!(control => builder: last, breaks_off, error);
        wire!(self <=> builder: chunk, header);
        wire!(builder => self: flits);

        wire!(operands => conditions: transfer, b);
        wire!(decoder => conditions: instruction);
        wire!(self => conditions: fired, fence_busy, may_send);
        self.control.decide.next = self.step.val() == CoreStep::Decide;
        self.control.act.next = self.step.val() == CoreStep::Act;
        wire!(decoder => control: instruction);
        self.control.lost.next = self.fetch.pc.val().get_bit(PC_WIDTH) | self.loops.bad.val();
        self.control.server.next = self.fetch.current.val() == bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        self.control.ended.next = self.operands.has_ended.val();
        wire!(builder => control: has_row, joins, finishes, out_of_memory, out_of_segment, is_open, rows);
        self.control.may_send.next = self.conditions.sends.val();
        self.control.fired.next = self.conditions.has_fired.val();
        self.control.fence_busy.next = self.conditions.is_fenced.val();
        wire!(conditions => control: silent);
        wire!(self => control: credit_answered, credit_granted);
        wire!(scheduler => control: others);
        self.control.header_ready.next = self.header.ready.val();
        self.control.chunk_ready.next = self.chunk.ready.val();
        self.control.notice_ready.next = self.notice.ready.val();
        self.control.stop_ready.next = self.report.ready.val();
        self.control.write_ready.next = !self.operands.busy.val();

        self.wants_credit.next = self.control.take_credit.val();
        self.sends.next = self.control.sends.val();
        self.mid_packet.next = self.builder.is_open.val();
        self.shaper.next = self.transfer.val().shaper;
        self.segment.next = self.transfer.val().segment;
        self.slot.next = self.transfer.val().slot;
        self.owns.next = self.transfer.val().has_slot & !self.operands.has_ended.val();
        self.owns_slot.next = self.owns.val();
        self.notice.valid.next = self.control.push_notice.val();
        self.notice.error.next = 0.into();
        self.notice.event.next = self.conditions.subject.val();
        self.report.enable.next = self.control.stop.val();
        self.report.stopped.next = self.fetch.current.val();
        self.report.owns_slot.next = self.owns.val() & !self.ends_transfer.val();
        self.report.error.next = self.control.error.val();
        wire!(self <=> report: stop);
    }
}
