use super::{ControlReceiver, GetQueue};
use crate::{
    bus::{
        ClaimIn, CompletionIn, CompletionOut, EventArbiter, EventIn, EventOut, RegisterAccessIn, RegisterReadIn,
        RegisterWriteIn,
    },
    ni::{events::Events, mailboxes::Mailboxes, slots::Slots},
    prim::{StreamIn, StreamOut},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{packet::SLOT_WIDTH, segment::HANDLE_WIDTH, GET_CREDITS},
};
use portico_verilog::prelude::*;

/// Sources of events, the first going first: mailboxes, slots, receiver, micro-cores, refused commands.
const EVENT_SOURCES: usize = 5;

/// What comes back: the control plane's packets, and the events that everything ends in.
///
/// Slots, mailboxes and events of a node.
///
/// ```text
///  s_axis -> ControlReceiver -> Slots ------> EventArbiter -> Events
///                            -> Mailboxes --->    ^
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
    /// Tables are being cleared; `sweep` is the place.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    /// The control plane.
    pub s_axis: StreamIn<32>,
    /// Get requests of other nodes.
    pub m_axis_request: StreamOut<32>,
    pub claim: ClaimIn,
    /// Ends of replies; transactions that ended before they were sent.
    pub data_completion: CompletionIn,
    pub own_completion: CompletionIn,
    /// Of the receiver, the micro-cores, the dispatcher.
    pub received: EventIn,
    pub notified: EventIn,
    pub refused: EventIn,
    pub fence_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    pub fence_owns: Signal<In, Bit>,
    pub fence_slot: Signal<In, Bits<SLOT_WIDTH>>,
    pub fence_busy: Signal<Out, Bit>,
    /// A credit of a peer's queue.
    pub credit_valid: Signal<Out, Bit>,
    pub credit_segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    pub register_write: RegisterWriteIn,
    /// Of the events.
    pub register: RegisterAccessIn,
    pub mailbox_read: RegisterReadIn,
    pub fired: Signal<Out, Bits<64>>,
    pub pending: Signal<Out, Bits<64>>,
    pub irq: Signal<Out, Bit>,
    control: ControlReceiver,
    gets: GetQueue,
    mailboxes: Mailboxes,
    slots: Slots,
    reports: EventArbiter<EVENT_SOURCES>,
    events: Events,
}

impl Completions {
    /// For a fabric of so many terminals.
    pub fn new(terminals: usize) -> Self {
        Self {
            gets: GetQueue::new(GET_CREDITS * terminals),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Completions {
    fn update(&mut self) {
        wire!(self => control, gets, mailboxes, slots, events: clk, rst);
        self.control.initialising.next = self.initialising.val();
        StreamIn::<32>::link(&mut self.s_axis, &mut self.control.s_axis);
        wire!(control => self: credit_valid, credit_segment);

        StreamOut::<32>::join(&mut self.control.m_axis_request, &mut self.gets.s_axis);
        StreamOut::<32>::link(&mut self.m_axis_request, &mut self.gets.m_axis);

        wire!(self => mailboxes: initialising, sweep);
        wire!(control => mailboxes: mail_valid, mail_box, mail_data);
        RegisterWriteIn::link(&mut self.register_write, &mut self.mailboxes.register_write);
        RegisterReadIn::link(&mut self.mailbox_read, &mut self.mailboxes.register_read);

        wire!(self => slots: initialising, sweep);
        ClaimIn::link(&mut self.claim, &mut self.slots.claim);
        CompletionOut::join(&mut self.control.completion, &mut self.slots.complete[0]);
        CompletionIn::link(&mut self.data_completion, &mut self.slots.complete[1]);
        CompletionIn::link(&mut self.own_completion, &mut self.slots.complete[2]);
        wire!(self => slots: fence_segment, fence_owns, fence_slot);
        self.fence_busy.next = self.slots.fence_busy.val();

        // A mailbox keeps one event, until the next mail; slots keep theirs until they are taken.
        EventOut::join(&mut self.mailboxes.update, &mut self.reports.source[0]);
        EventOut::join(&mut self.slots.update, &mut self.reports.source[1]);
        EventIn::link(&mut self.received, &mut self.reports.source[2]);
        EventIn::link(&mut self.notified, &mut self.reports.source[3]);
        EventIn::link(&mut self.refused, &mut self.reports.source[4]);

        wire!(self => events: initialising, sweep);
        EventOut::join(&mut self.reports.chosen, &mut self.events.update);
        wire!(slots => events: value_valid, value_event, value_data);
        RegisterAccessIn::link(&mut self.register, &mut self.events.register);
        wire!(events => self: fired, pending, irq);
    }
}
