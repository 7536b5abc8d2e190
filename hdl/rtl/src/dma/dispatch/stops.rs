use crate::{
    bus::{CompletionOut, EventArbiter, EventIn, EventOut, HeadEncoder},
    dma::ports::StopIn,
    prim::{LutRam, StreamOut},
};
use portico_spec::{
    flit::{KIND_WIDTH, NODE_WIDTH, TAG_WIDTH},
    ni::{
        event::EVENT_WIDTH,
        packet::{ControlKind, ERROR_WIDTH, SLOT_WIDTH},
        CONTEXT_WIDTH, SERVER_CONTEXT,
    },
};
use portico_verilog::prelude::*;

/// Bits of a context that number a core.
const CORE_WIDTH: usize = CONTEXT_WIDTH - 1;

/// What is kept of the start of a core's context until its stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Started {
    pub slot: Bits<SLOT_WIDTH>,
    /// The descriptor's event.
    pub event: Bits<EVENT_WIDTH>,
    /// The context owns `slot`.
    pub has_slot: Bit,
}

/// What is left to do when a context stops.
///
/// Completes and reports.
///
/// | | |
/// | --- | --- |
/// | latency | `stopped` is combinational; who must be told is told a cycle later |
/// | throughput | one stop a cycle, in two cycles if somebody must be told, who is ready |
/// | state | 12 bits a core in LUT-RAM, and the stop in hand |
///
/// A slot that was never sent along with an end of transfer is completed here, with the error if there is one. A slot that
/// was is completed by the answer, so that an error then counts in the event alone. The server has told its requester
/// itself.
#[derive(LogicBlock, Default)]
pub struct Stops {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nobody is told.
    pub rst: Signal<In, Bit>,
    /// `start_context` starts, with what is to be kept for its stop.
    pub start: Signal<In, Bit>,
    /// Context that starts; valid with `start`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The context owns `slot`; valid with `start`.
    pub has_slot: Signal<In, Bit>,
    /// Transaction slot of the command; valid with `start` and `has_slot`.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// The descriptor's event; valid with `start`.
    pub own_event: Signal<In, Bits<EVENT_WIDTH>>,
    /// Reports of contexts that have stopped.
    pub stop: StopIn,
    /// A pulse: `stopped_context` is free.
    pub stopped: Signal<Out, Bit>,
    /// Context that is free; valid with `stopped`.
    pub stopped_context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Completions of slots that were never sent along with an end of transfer.
    pub completion: CompletionOut,
    /// Events of commands that failed, where no slot is completed.
    pub report: EventOut,
    kept: LutRam<Started, CORE_WIDTH>,
    /// A completion, a report waits.
    completes: DFF<Bit>,
    reports: DFF<Bit>,
    subject: DFF<Bits<SLOT_WIDTH>>,
    counted: DFF<Bits<EVENT_WIDTH>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    is_server: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    owned: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Stops {
    fn update(&mut self) {
        wire!(self => kept: clk);
        dff_setup!(self, clk, completes, reports, subject, counted, error);
        self.kept.write_enable.next =
            self.start.val() & (self.start_context.val() != bits::<CONTEXT_WIDTH>(SERVER_CONTEXT));
        self.kept.write_address.next = self.start_context.val().get_bits::<CORE_WIDTH>(0);
        self.kept.write_data.next.slot = self.slot.val();
        self.kept.write_data.next.event = self.own_event.val();
        self.kept.write_data.next.has_slot = self.has_slot.val();
        self.kept.read_address.next = self.stop.context.val().get_bits::<CORE_WIDTH>(0);

        self.is_server.next = self.stop.context.val() == bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        self.failed.next = self.stop.error.val().any();
        self.owned.next = self.stop.owns_slot.val() & self.kept.read_data.val().has_slot;

        self.ready.next = !self.completes.q.val() & !self.reports.q.val();
        self.stop.ready.next = self.ready.val();
        self.stopped.next = self.stop.valid.val() & self.ready.val();
        if self.completion.ready.val() {
            self.completes.d.next = false;
        }
        if self.report.ready.val() {
            self.reports.d.next = false;
        }
        if self.ready.val() {
            self.completes.d.next = self.stop.valid.val() & !self.is_server.val() & self.owned.val();
            self.reports.d.next = self.stop.valid.val() & !self.is_server.val() & !self.owned.val() & self.failed.val();
            self.subject.d.next = self.kept.read_data.val().slot;
            self.counted.d.next = self.kept.read_data.val().event;
            self.error.d.next = self.stop.error.val();
        }
        self.completion.valid.next = self.completes.q.val();
        self.completion.slot.next = self.subject.q.val();
        self.completion.error.next = self.error.q.val();
        self.completion.last.next = true;
        self.completion.has_value.next = false;
        self.completion.value.next = 0.into();
        self.report.valid.next = self.reports.q.val();
        self.report.event.next = self.counted.q.val();
        self.report.error.next = self.error.q.val();
        self.stopped_context.next = self.stop.context.val();
        if self.rst.val() {
            self.completes.d.next = false;
            self.reports.d.next = false;
        }
    }
}

/// Joins the two reporters of events of the dispatcher, and parts them from the events by a register.
///
/// Events of commands that were not started, and of those that failed later.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one event in two cycles |
/// | fairness | stops go first: there are no more of them than contexts that were started |
/// | state | 12 flip-flops |
#[derive(LogicBlock, Default)]
pub struct EventStage {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Events of commands that failed after their start; these go first.
    pub stopped: EventIn,
    /// Events of commands that were not started.
    pub refused: EventIn,
    /// Events of both, one at a time.
    pub event: EventOut,
    choice: EventArbiter,
    pending: DFF<Bit>,
    number: DFF<Bits<EVENT_WIDTH>>,
    code: DFF<Bits<ERROR_WIDTH>>,
    room: Signal<Local, Bit>,
}

impl EventStage {
    /// Without an event.
    pub fn new() -> Self {
        Self {
            choice: EventArbiter::new(2),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for EventStage {
    fn update(&mut self) {
        dff_setup!(self, clk, pending, number, code);
        wire!(self.stopped <=> choice.source[0]);
        wire!(self.refused <=> choice.source[1]);
        self.event.valid.next = self.pending.q.val();
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.code.q.val();
        self.room.next = !self.pending.q.val();
        self.choice.chosen.ready.next = self.room.val();
        if self.event.ready.val() {
            self.pending.d.next = false;
        }
        if self.room.val() {
            self.pending.d.next = self.choice.chosen.valid.val();
            self.number.d.next = self.choice.chosen.event.val();
            self.code.d.next = self.choice.chosen.error.val();
        }
        if self.rst.val() {
            self.pending.d.next = false;
        }
    }
}

/// Refuses a request, which is then over: a packet of two flits on the control plane.
///
/// Sends what is offered; `ready` with the last flit.
///
/// | | |
/// | --- | --- |
/// | latency | 0 cycles to the head, 1 to the code |
/// | throughput | one refusal in two cycles |
/// | state | 1 flip-flop |
#[derive(LogicBlock, Default)]
pub struct Refuser {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Stays with the fields below until `ready`.
    pub valid: Signal<In, Bit>,
    /// Node of the requester.
    pub destination: Signal<In, Bits<NODE_WIDTH>>,
    /// Transaction slot of the requester.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Error code that the requester is told.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    /// The last flit goes in this cycle: the refusal is over.
    pub ready: Signal<Out, Bit>,
    /// Refusals, for the control plane.
    pub m_axis: StreamOut<32>,
    head: HeadEncoder,
    in_code: DFF<Bit>,
}

#[kernel]
impl Logic for Refuser {
    fn update(&mut self) {
        dff_setup!(self, clk, in_code);
        self.head.destination.next = self.destination.val();
        self.head.source.next = self.node.val();
        self.head.tag.next = bit_cast::<TAG_WIDTH, SLOT_WIDTH>(self.slot.val());
        self.head.kind.next = bits::<KIND_WIDTH>(ControlKind::Refuse as u64);
        self.head.last.next = true;
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tlast.next = self.in_code.q.val();
        self.m_axis.tdata.next = self.head.word.val();
        if self.in_code.q.val() {
            self.m_axis.tdata.next = bit_cast::<32, ERROR_WIDTH>(self.error.val());
        }
        self.ready.next = self.in_code.q.val() & self.m_axis.tready.val();
        if self.valid.val() & self.m_axis.tready.val() {
            self.in_code.d.next = !self.in_code.q.val();
        }
        if self.rst.val() {
            self.in_code.d.next = false;
        }
    }
}
