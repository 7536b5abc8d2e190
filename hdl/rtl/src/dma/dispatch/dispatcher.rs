use super::{
    CommandIntake, Contexts, EventStage, LocalWindows, Refuser, RequestIntake, RequestStart, SegmentTable, Stops,
};
use crate::{
    bus::{ClaimOut, CommandPort, CompletionOut, CreditIn, CreditTakeIn, EventOut, LookOut, RegisterWriteIn, SweepIn},
    dma::ports::{ArgumentOut, ParkIn, StartOut, StopIn, CONTEXTS},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{build::Build, firmware::Entries, CONTEXT_WIDTH, SERVER_CONTEXT},
    Config,
};
use portico_verilog::prelude::*;

/// The dispatcher: takes descriptors and get requests, and starts programs for them.
///
/// The dispatcher of a node with words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | last word to start offered: 3 cycles, 4 of a descriptor of one word or two, 1 for a request; if it is measured, that of [`super::Measure`] and 1 more |
/// | throughput | a descriptor of `n` words in `n` + 1 cycles at best |
/// | fairness | the sources of commands take turns; requests wait for the server alone |
/// | state | its parts' |
///
/// The job arbiter of the MPPA's DMA (`kalray-aos-2017`), with the checks of a message-passing interface added: nothing
/// that is out of the segment, or of the memory, is ever started.
#[derive(LogicBlock, Default)]
pub struct Dispatcher<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset. No command is read meanwhile, though its first two words wait already.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Descriptors of an accelerator or a processor.
    pub s_axis_command: StreamIn<32>,
    /// Descriptors of the command queue.
    pub queued: StreamIn<32>,
    /// Get requests of other nodes, whole packets.
    pub s_axis_request: StreamIn<32>,
    /// Writes of registers; those to the blocks SEGMENTS and TAGS are looked at.
    pub register_write: RegisterWriteIn,
    /// Claims of slots, for commands that take one.
    pub claim: ClaimOut,
    /// Starts of commands. One of these or of `serve` is taken in a cycle, never both.
    pub start: StartOut,
    /// Starts of the server, for gets of other nodes. One of these or of `start` is taken in a cycle, never both.
    pub serve: StartOut,
    /// Words of descriptors and of requests, for the registers of their contexts.
    pub argument: ArgumentOut,
    /// Reports of contexts that have stopped.
    pub stop: StopIn,
    /// Commands that are parked; whether one more may be; and the contexts that are held behind them.
    pub park: ParkIn,
    /// Transactions that end here, well or not.
    pub completion: CompletionOut,
    /// Events of commands that were refused, or that failed later where no slot is completed.
    pub event: EventOut,
    /// A transaction slot is open.
    pub any_open: Signal<In, Bit>,
    /// Asks for the error of the event of a command with the bit `drained`.
    pub look: LookOut,
    /// Refusals of requests, for the control plane.
    pub m_axis_refuse: StreamOut<32>,
    /// Credits of segments that come back.
    pub credit_return: CreditIn,
    /// Requests of credits of peers' queues, for messages.
    pub credit_take: CreditTakeIn,
    /// A register write is not done; the next must wait.
    pub busy: Signal<Out, Bit>,
    /// One bit a context that runs; the server's is the last.
    pub active: Signal<Out, Bits<CONTEXTS>>,
    port: CommandPort,
    commands: CommandIntake,
    requests: RequestIntake,
    plan: RequestStart,
    contexts: Contexts,
    stops: Stops,
    events: EventStage,
    refuser: Refuser,
    segments: SegmentTable,
    windows: LocalWindows,
    started: Signal<Local, Bit>,
    served: Signal<Local, Bit>,
}

impl<const W: usize> Dispatcher<W> {
    /// For `build` in the fabric of `config`, a memory of `memory_words`, an address space of `space_words`, both below 2^22,
    /// `W` of 32 or 64, and programs at `entries`; panics outside that.
    pub fn new(build: &Build, config: &Config, memory_words: u64, space_words: u64, entries: &Entries) -> Self {
        Self {
            commands: CommandIntake::new(build, config, W, memory_words, entries),
            plan: RequestStart::new(entries),
            contexts: Contexts::new(build.cores),
            events: EventStage::new(),
            segments: SegmentTable::new(build, config),
            windows: LocalWindows::new(build, space_words),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Dispatcher<W> {
    fn update(&mut self) {
        wire!(self => port, commands, requests, contexts, stops, events, refuser, segments: clk, rst);
        wire!(self => windows: clk);

        wire!(self <=> port: s_axis_command, queued);
        wire!(port.m_axis <=> commands.s_axis);
        wire!(self.s_axis_request <=> requests.s_axis);
        wire!(self <=> commands: claim, start, look);
        self.commands.busy.next = self.contexts.busy.val() | self.any_open.val() | self.stops.report.valid.val();
        wire!(self.serve <=> plan.start);
        wire!(self <=> stops: stop, completion);
        wire!(stops.report <=> events.stopped);
        wire!(commands.report <=> events.refused);
        wire!(self <=> events: event);
        wire!(self.m_axis_refuse <=> refuser.m_axis);
        wire!(self <=> segments: credit_return, register_write);
        wire!(self <=> windows: register_write);

        // Registers: a request's word goes first, for it is one of few; what must not wait, before all.
        self.requests.grant.next = !self.commands.fills.val();
        self.commands.grant.next = !self.requests.argument.enable.val();
        self.argument.enable.next = self.commands.argument.enable.val() | self.requests.argument.enable.val();
        wire!(commands.argument => argument: context, register, bank, data);
        if self.requests.argument.enable.val() {
            wire!(requests.argument => argument: context, register, bank, data);
        }

        wire!(self <=> segments: sweep);
        self.segments.own_node.next = self.node.val();
        self.commands.own_node.next = self.node.val();
        wire!(commands => segments: lookup, handle);
        wire!(segments => commands: lookup_ready, node, tag, kind, reached, size);
        wire!(self <=> segments: credit_take);
        wire!(segments => self: busy);

        wire!(self <=> windows: sweep);
        self.windows.lookup.next = self.requests.lookup.val();
        self.windows.tag.next = self.requests.window_tag.val();
        wire!(windows => requests: lookup_ready, size, mode);
        wire!(requests => plan: offer, request);
        wire!(windows => plan: base, size);
        self.requests.taken.next = self.plan.started.val();

        self.started.next = self.commands.start.valid.val() & self.start.ready.val();
        self.served.next = self.plan.started.val();
        self.stops.start.next = self.started.val() | self.served.val();
        self.stops.start_context.next = self.commands.start.context.val();
        if self.served.val() {
            self.stops.start_context.next = bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        }
        self.stops.has_slot.next = self.commands.start.job.val().has_slot & !self.served.val();
        self.stops.slot.next = self.commands.start.job.val().slot;
        self.stops.own_event.next = self.commands.start.job.val().event;
        self.contexts.start.next = self.commands.admitted.val();
        self.contexts.start_context.next = self.commands.core.val();
        self.contexts.serve.next = self.served.val();
        self.contexts.stop.next = self.stops.stopped.val();
        self.contexts.stop_context.next = self.stops.stopped_context.val();
        wire!(commands => contexts: segment, ordered, asks, asked_segment);
        wire!(contexts => commands: conflict, blocked, has_free, free_context);
        wire!(self <=> contexts: park);
        self.contexts.launch.next = self.started.val();
        self.contexts.launch_context.next = self.commands.start.context.val();
        self.active.next = self.contexts.active.val();
        self.requests.active.next = self.contexts.active.val().get_bit(SERVER_CONTEXT);

        self.refuser.node.next = self.node.val();
        self.refuser.valid.next = self.requests.refuse.val();
        self.refuser.destination.next = self.requests.request.val().source;
        self.refuser.slot.next = self.requests.request.val().slot;
        self.refuser.error.next = self.requests.refuse_error.val();
        self.requests.refuse_ready.next = self.refuser.ready.val();
    }
}

#[cfg(test)]
mod tests;
