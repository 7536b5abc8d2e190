//! What comes back: the control plane's packets, and the events that everything ends in.
//!
//! ```text
//!  s_axis -> ControlReceiver -> Slots ------> EventArbiter -> Events
//!                            -> Mailboxes --->    ^
//!                            -> GetQueue -> m_axis_request
//! ```
//!
//! Control ejection never waits: what a packet completes was reserved when the request was sent.
//!
//! | | |
//! | --- | --- |
//! | latency | an acknowledgement taken shows in its event's counter two cycles later |
//! | throughput | one flit a cycle |

use super::{
    ports::{ClaimIn, CompletionIn, CompletionOut, EventIn, EventOut, RegisterReadIn, RegisterWriteIn},
    ControlReceiver, EventArbiter, Events, GetQueue, Mailboxes, Slots,
};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{packet::SLOT_WIDTH, segment::HANDLE_WIDTH, GET_CREDITS},
};
use rust_hdl::prelude::*;

/// Sources of events, the first going first: mailboxes, slots, receiver, micro-cores, refused commands.
const EVENT_SOURCES: usize = 5;

/// Slots, mailboxes and events of a node.
#[derive(LogicBlock)]
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
    pub event_read: RegisterReadIn,
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
            clk: Default::default(),
            rst: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            s_axis: Default::default(),
            m_axis_request: Default::default(),
            claim: Default::default(),
            data_completion: Default::default(),
            own_completion: Default::default(),
            received: Default::default(),
            notified: Default::default(),
            refused: Default::default(),
            fence_segment: Default::default(),
            fence_owns: Default::default(),
            fence_slot: Default::default(),
            fence_busy: Default::default(),
            credit_valid: Default::default(),
            credit_segment: Default::default(),
            register_write: Default::default(),
            event_read: Default::default(),
            mailbox_read: Default::default(),
            fired: Default::default(),
            pending: Default::default(),
            irq: Default::default(),
            control: Default::default(),
            gets: GetQueue::new(GET_CREDITS * terminals),
            mailboxes: Default::default(),
            slots: Default::default(),
            reports: Default::default(),
            events: Default::default(),
        }
    }
}

impl Logic for Completions {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.control.initialising.next = self.initialising.val();
        StreamIn::<32>::link(&mut self.s_axis, &mut self.control.s_axis);
        self.credit_valid.next = self.control.credit_valid.val();
        self.credit_segment.next = self.control.credit_segment.val();

        self.gets.clk.next = self.clk.val();
        self.gets.rst.next = self.rst.val();
        StreamOut::<32>::join(&mut self.control.m_axis_request, &mut self.gets.s_axis);
        StreamOut::<32>::link(&mut self.m_axis_request, &mut self.gets.m_axis);

        self.mailboxes.clk.next = self.clk.val();
        self.mailboxes.rst.next = self.rst.val();
        self.mailboxes.initialising.next = self.initialising.val();
        self.mailboxes.sweep.next = self.sweep.val();
        self.mailboxes.mail_valid.next = self.control.mail_valid.val();
        self.mailboxes.mail_box.next = self.control.mail_box.val();
        self.mailboxes.mail_data.next = self.control.mail_data.val();
        RegisterWriteIn::link(&mut self.register_write, &mut self.mailboxes.register_write);
        RegisterReadIn::link(&mut self.mailbox_read, &mut self.mailboxes.register_read);

        self.slots.clk.next = self.clk.val();
        self.slots.rst.next = self.rst.val();
        self.slots.initialising.next = self.initialising.val();
        self.slots.sweep.next = self.sweep.val();
        ClaimIn::link(&mut self.claim, &mut self.slots.claim);
        CompletionOut::join(&mut self.control.completion, &mut self.slots.complete[0]);
        CompletionIn::link(&mut self.data_completion, &mut self.slots.complete[1]);
        CompletionIn::link(&mut self.own_completion, &mut self.slots.complete[2]);
        self.slots.fence_segment.next = self.fence_segment.val();
        self.slots.fence_owns.next = self.fence_owns.val();
        self.slots.fence_slot.next = self.fence_slot.val();
        self.fence_busy.next = self.slots.fence_busy.val();

        // A mailbox keeps one event, until the next mail; slots keep theirs until they are taken.
        EventOut::join(&mut self.mailboxes.update, &mut self.reports.source[0]);
        EventOut::join(&mut self.slots.update, &mut self.reports.source[1]);
        EventIn::link(&mut self.received, &mut self.reports.source[2]);
        EventIn::link(&mut self.notified, &mut self.reports.source[3]);
        EventIn::link(&mut self.refused, &mut self.reports.source[4]);

        self.events.clk.next = self.clk.val();
        self.events.rst.next = self.rst.val();
        self.events.initialising.next = self.initialising.val();
        self.events.sweep.next = self.sweep.val();
        EventOut::join(&mut self.reports.update, &mut self.events.update);
        self.events.value_valid.next = self.slots.value_valid.val();
        self.events.value_event.next = self.slots.value_event.val();
        self.events.value_data.next = self.slots.value_data.val();
        RegisterWriteIn::link(&mut self.register_write, &mut self.events.register_write);
        RegisterReadIn::link(&mut self.event_read, &mut self.events.register_read);
        self.fired.next = self.events.fired.val();
        self.pending.next = self.events.pending.val();
        self.irq.next = self.events.irq.val();
    }
}
