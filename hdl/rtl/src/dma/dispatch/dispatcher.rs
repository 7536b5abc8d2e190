//! The dispatcher: takes descriptors and get requests, and starts programs for them.
//!
//! | | |
//! | --- | --- |
//! | latency | last word to start offered: 1 cycle; with several rows, that of [`super::Measure`] and 1 more |
//! | throughput | a descriptor of `n` words in `n` + 1 cycles at best |
//! | fairness | the sources of commands take turns; requests wait for the server alone |
//! | state | its parts' |
//!
//! The job arbiter of the MPPA's DMA (`kalray-aos-2017`), with the checks of a message-passing interface added: nothing
//! that is out of the segment, or of the memory, is ever started.

use super::{
    CommandIntake, CommandSelect, Contexts, EventStage, Refuser, RequestIntake, Segments, StartArbiter, Stops, Windows,
    CONTEXTS,
};
use crate::{
    ni::ports::{ArgumentOut, ClaimOut, CompletionOut, CreditIn, EventOut, RegisterWriteIn, StartOut, StopIn},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{firmware::Entries, segment::HANDLE_WIDTH, CONTEXT_WIDTH, SERVER_CONTEXT},
};
use rust_hdl::prelude::*;

/// The dispatcher of a node with words of `W` bits.
#[derive(LogicBlock)]
pub struct Dispatcher<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The tables are cleared, and nothing is taken.
    pub initialising: Signal<In, Bit>,
    /// Which place is cleared; all places at least once.
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Descriptors of an accelerator or a processor.
    pub s_axis_command: StreamIn<32>,
    /// Descriptors of the command queue.
    pub queued: StreamIn<32>,
    /// Get requests of other nodes, whole packets.
    pub s_axis_request: StreamIn<32>,
    pub register_write: RegisterWriteIn,
    pub claim: ClaimOut,
    pub start: StartOut,
    pub argument: ArgumentOut,
    pub stop: StopIn,
    pub completion: CompletionOut,
    pub event: EventOut,
    /// Refusals of requests, for the control plane.
    pub m_axis_refuse: StreamOut<32>,
    pub credit_return: CreditIn,
    pub credit_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    pub credit_ready: Signal<Out, Bit>,
    pub credit_available: Signal<Out, Bit>,
    pub credit_take: Signal<In, Bit>,
    /// One bit a context that runs; the server's is the last.
    pub active: Signal<Out, Bits<CONTEXTS>>,
    select: CommandSelect,
    commands: CommandIntake,
    requests: RequestIntake,
    starts: StartArbiter,
    contexts: Contexts,
    stops: Stops,
    events: EventStage,
    refuser: Refuser,
    segments: Segments,
    windows: Windows,
    started: Signal<Local, Bit>,
    launched: Signal<Local, Bits<CONTEXT_WIDTH>>,
    server_at: Constant<Bits<CONTEXT_WIDTH>>,
}

impl<const W: usize> Dispatcher<W> {
    /// For 1 to 8 `cores`, a memory of `memory_words`, an address space of `space_words`, both below 2^22, `W` of 32 or 64, and
    /// programs at `entries`; panics outside that.
    pub fn new(cores: usize, memory_words: u64, space_words: u64, entries: &Entries) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            node: Default::default(),
            s_axis_command: Default::default(),
            queued: Default::default(),
            s_axis_request: Default::default(),
            register_write: Default::default(),
            claim: Default::default(),
            start: Default::default(),
            argument: Default::default(),
            stop: Default::default(),
            completion: Default::default(),
            event: Default::default(),
            m_axis_refuse: Default::default(),
            credit_return: Default::default(),
            credit_segment: Default::default(),
            credit_ready: Default::default(),
            credit_available: Default::default(),
            credit_take: Default::default(),
            active: Default::default(),
            select: Default::default(),
            commands: CommandIntake::new(W, memory_words, entries),
            requests: RequestIntake::new(entries),
            starts: Default::default(),
            contexts: Contexts::new(cores),
            stops: Default::default(),
            events: Default::default(),
            refuser: Default::default(),
            segments: Default::default(),
            windows: Windows::new(space_words),
            started: Default::default(),
            launched: Default::default(),
            server_at: Constant::new(bits(SERVER_CONTEXT as u64)),
        }
    }
}

impl<const W: usize> Logic for Dispatcher<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.select.clk.next = self.clk.val();
        self.select.rst.next = self.rst.val();
        self.commands.clk.next = self.clk.val();
        self.commands.rst.next = self.rst.val();
        self.requests.clk.next = self.clk.val();
        self.requests.rst.next = self.rst.val();
        self.starts.clk.next = self.clk.val();
        self.starts.rst.next = self.rst.val();
        self.contexts.clk.next = self.clk.val();
        self.contexts.rst.next = self.rst.val();
        self.stops.clk.next = self.clk.val();
        self.events.clk.next = self.clk.val();
        self.events.rst.next = self.rst.val();
        self.refuser.clk.next = self.clk.val();
        self.refuser.rst.next = self.rst.val();
        self.segments.clk.next = self.clk.val();
        self.windows.clk.next = self.clk.val();

        StreamIn::<32>::link(&mut self.s_axis_command, &mut self.select.s_axis_command);
        StreamIn::<32>::link(&mut self.queued, &mut self.select.queued);
        StreamOut::<32>::join(&mut self.select.m_axis, &mut self.commands.s_axis);
        StreamIn::<32>::link(&mut self.s_axis_request, &mut self.requests.s_axis);
        ClaimOut::link(&mut self.claim, &mut self.commands.claim);
        StartOut::join(&mut self.commands.start, &mut self.starts.command);
        StartOut::join(&mut self.requests.start, &mut self.starts.request);
        StartOut::link(&mut self.start, &mut self.starts.start);
        StopIn::link(&mut self.stop, &mut self.stops.stop);
        CompletionOut::link(&mut self.completion, &mut self.stops.completion);
        EventOut::join(&mut self.stops.report, &mut self.events.stopped);
        EventOut::join(&mut self.commands.report, &mut self.events.refused);
        EventOut::link(&mut self.event, &mut self.events.event);
        StreamOut::<32>::link(&mut self.m_axis_refuse, &mut self.refuser.m_axis);
        CreditIn::link(&mut self.credit_return, &mut self.segments.credit_return);
        RegisterWriteIn::link(&mut self.register_write, &mut self.segments.register_write);
        RegisterWriteIn::link(&mut self.register_write, &mut self.windows.register_write);

        // Registers: a request's word goes first, for it is one of few; what must not wait, before all.
        self.requests.grant.next = !self.commands.fills.val();
        self.commands.grant.next = !self.requests.argument.enable.val();
        self.argument.enable.next = self.commands.argument.enable.val() | self.requests.argument.enable.val();
        self.argument.context.next = self.commands.argument.context.val();
        self.argument.register.next = self.commands.argument.register.val();
        self.argument.data.next = self.commands.argument.data.val();
        if self.requests.argument.enable.val() {
            self.argument.context.next = self.requests.argument.context.val();
            self.argument.register.next = self.requests.argument.register.val();
            self.argument.data.next = self.requests.argument.data.val();
        }

        self.segments.initialising.next = self.initialising.val();
        self.segments.sweep.next = self.sweep.val().get_bits::<HANDLE_WIDTH>(0);
        self.segments.lookup.next = self.commands.lookup.val();
        self.segments.handle.next = self.commands.handle.val();
        self.commands.lookup_ready.next = self.segments.lookup_ready.val();
        self.commands.node.next = self.segments.node.val();
        self.commands.tag.next = self.segments.tag.val();
        self.commands.kind.next = self.segments.kind.val();
        self.commands.size.next = self.segments.size.val();
        self.segments.credit_segment.next = self.credit_segment.val();
        self.segments.credit_take.next = self.credit_take.val();
        self.credit_ready.next = self.segments.credit_ready.val();
        self.credit_available.next = self.segments.credit_available.val();

        self.windows.initialising.next = self.initialising.val();
        self.windows.sweep.next = self.sweep.val().get_bits::<TAG_WIDTH>(0);
        self.windows.lookup.next = self.requests.lookup.val();
        self.windows.tag.next = self.requests.window_tag.val();
        self.requests.lookup_ready.next = self.windows.lookup_ready.val();
        self.requests.base.next = self.windows.base.val();
        self.requests.size.next = self.windows.size.val();
        self.requests.mode.next = self.windows.mode.val();

        self.started.next = self.starts.start.valid.val() & self.start.ready.val();
        self.launched.next = self.starts.start.context.val();
        self.stops.start.next = self.started.val();
        self.stops.start_context.next = self.launched.val();
        self.stops.has_slot.next = self.starts.start.has_slot.val();
        self.stops.slot.next = self.starts.start.slot.val();
        self.stops.own_event.next = self.starts.start.event.val();
        self.contexts.start.next = self.started.val();
        self.contexts.start_context.next = self.launched.val();
        self.contexts.stop.next = self.stops.stopped.val();
        self.contexts.stop_context.next = self.stops.stopped_context.val();
        self.contexts.segment.next = self.commands.segment.val();
        self.contexts.ordered.next = self.commands.ordered.val();
        self.commands.conflict.next = self.contexts.conflict.val();
        self.commands.has_free.next = self.contexts.has_free.val();
        self.commands.free_context.next = self.contexts.free_context.val();
        self.active.next = self.contexts.active.val();
        self.requests.active.next = self.contexts.active.val().get_bit(self.server_at.val().index());

        self.refuser.node.next = self.node.val();
        self.refuser.valid.next = self.requests.refuse.val();
        self.refuser.destination.next = self.requests.requester.val();
        self.refuser.slot.next = self.requests.slot.val();
        self.refuser.error.next = self.requests.refuse_error.val();
        self.requests.refuse_ready.next = self.refuser.ready.val();
    }
}

#[cfg(test)]
mod tests;
