use super::{ControlReceiver, GetQueue};
use crate::{
    bus::{
        ClaimIn, CompletionIn, CreditOut, EventArbiter, EventIn, FenceIn, FlitsOut, LookIn, RegisterAccessIn, SweepIn,
    },
    ni::{events::Events, inbox::Inbox, slots::Slots},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    ni::{build::Build, packet::SLOTS, GET_CREDITS},
    parts::Part,
};
use portico_verilog::prelude::*;

/// Sources of events beside engines, the first going first: inbox, slots, receiver, micro-cores, refused commands. Engines
/// follow: theirs ends a descriptor, and can wait.
const EVENT_SOURCES: usize = 5;

/// What comes back: the control plane's packets, and the events that everything ends in.
///
/// Slots, inbox and events of a node.
///
/// ```text
///  s_axis -> ControlReceiver -> Slots ------> EventArbiter -> Events
///                            -> Inbox ------->    ^
///                            -> GetQueue -> m_axis_request
/// ```
///
/// Control ejection never waits: what a packet completes was reserved when the request was sent.
///
/// | | |
/// | --- | --- |
/// | latency | an acknowledgement taken shows in its event's counter two cycles later |
/// | throughput | one flit a cycle |
#[derive(LogicBlock, Default)]
pub struct Completions {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// The control plane.
    pub s_axis: StreamIn<32>,
    /// Get requests of other nodes.
    pub m_axis_request: StreamOut<32>,
    /// Claims of transaction slots.
    pub claim: ClaimIn,
    /// Slots that wait for replies.
    pub awaited: Signal<Out, Bits<SLOTS>>,
    /// Ends of replies.
    pub data_completion: CompletionIn,
    /// Transactions that ended before they were sent.
    pub own_completion: CompletionIn,
    /// Events of the receiver.
    pub received: EventIn,
    /// Events of the micro-cores.
    pub notified: EventIn,
    /// Events of the dispatcher, for commands that were refused.
    pub refused: EventIn,
    /// Of the engines, in the order of their seats.
    pub ended: Vec<EventIn>,
    /// Asks for the error of an event.
    pub look: LookIn,
    /// A transaction slot is open; a cycle late.
    pub any_open: Signal<Out, Bit>,
    /// Packets of the control plane for engines.
    pub engine: Vec<FlitsOut<32>>,
    /// Fences that wait for the open slots of their segments.
    pub fence: FenceIn,
    /// Credits of segments that come back.
    pub credit_return: CreditOut,
    /// Of the inbox and the events.
    pub register: RegisterAccessIn,
    /// One bit an event: its condition holds.
    pub fired: Signal<Out, Bits<64>>,
    /// One bit an event: it has fired, and is to interrupt.
    pub pending: Signal<Out, Bits<64>>,
    /// An event that may interrupt has fired; a cycle behind `pending`.
    pub irq: Signal<Out, Bit>,
    control: ControlReceiver,
    gets: GetQueue,
    inbox: Inbox,
    slots: Slots,
    reports: EventArbiter,
    events: Events,
    _engines: usize,
}

impl Completions {
    /// The tables of `build`, for a fabric of so many terminals, with node numbers below `nodes`, and these engines.
    pub fn new(build: &Build, terminals: usize, nodes: usize, engines: &[Part]) -> Self {
        Self {
            engine: engines.iter().map(|_| Default::default()).collect(),
            ended: engines.iter().map(|_| Default::default()).collect(),
            control: ControlReceiver::new(engines),
            reports: EventArbiter::new(EVENT_SOURCES + engines.len() + 1),
            _engines: engines.len(),
            gets: GetQueue::new(GET_CREDITS * terminals),
            inbox: Inbox::new(build),
            slots: Slots::new(build, nodes),
            events: Events::new(build.events),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Completions {
    fn update(&mut self) {
        wire!(self => control, gets, inbox, slots, events: clk, rst);
        self.control.initialising.next = self.sweep.active.val();
        wire!(self <=> control: s_axis, credit_return);

        wire!(control.m_axis_request <=> gets.s_axis);
        wire!(self.m_axis_request <=> gets.m_axis);

        wire!(self <=> inbox: sweep);
        wire!(control => inbox: mail_valid, mail_box, mail_data);
        wire!(slots => inbox: value_valid, value_event, value_data);

        wire!(self <=> slots: sweep, claim);
        self.awaited.next = self.slots.gets.val();
        wire!(control.completion <=> slots.complete[0]);
        wire!(self.data_completion <=> slots.complete[1]);
        wire!(self.own_completion <=> slots.complete[2]);
        wire!(self <=> slots: fence);

        // The inbox keeps one event, until the next mail; slots keep theirs until they are taken.
        wire!(inbox.update <=> reports.source[0]);
        wire!(slots.update <=> reports.source[1]);
        wire!(self.received <=> reports.source[2]);
        wire!(self.notified <=> reports.source[3]);
        wire!(self.refused <=> reports.source[4]);
        for i in 0..self._engines {
            wire!(self.ended[i] <=> reports.source[EVENT_SOURCES + i]);
            wire!(self.engine[i] <=> control.engine[i]);
        }

        // A look goes last: it finds what all updates before it have left.
        self.reports.source[EVENT_SOURCES + self._engines].valid.next = self.look.valid.val();
        self.reports.source[EVENT_SOURCES + self._engines].event.next = self.look.event.val();
        self.reports.source[EVENT_SOURCES + self._engines].error.next = 0.into();
        self.look.ready.next = self.reports.source[EVENT_SOURCES + self._engines].ready.val();
        self.events.asks.next = self.look.valid.val() & self.look.ready.val();
        self.look.told.next = self.events.told.val();
        self.look.error.next = self.events.error_told.val();
        wire!(slots => self: any_open);

        wire!(self <=> events: sweep);
        wire!(reports.chosen <=> events.update);
        wire!(register => inbox.register: write, read, index, data);
        wire!(register => events.register: write, read, index, data);
        self.register.answer.next = self.inbox.register.answer.val() | self.events.register.answer.val();
        wire!(events => self: fired, pending, irq);
    }
}
