//! What is left to do when a context stops.
//!
//! | | |
//! | --- | --- |
//! | latency | combinational |
//! | throughput | one stop a cycle, if whoever must be told is ready |
//! | state | 12 bits a core in LUT-RAM |
//!
//! A slot that was never sent along with an end of transfer is completed here, with the error if there is one. A slot that
//! was is completed by the answer, so that an error then counts in the event alone. The server has told its requester
//! itself.

use crate::{
    ni::ports::{CompletionOut, EventOut, StopIn},
    prim::LutRam,
};
use portico_spec::ni::{event::EVENT_WIDTH, packet::SLOT_WIDTH, CONTEXT_WIDTH, MAX_CORES, SERVER_CONTEXT};
use rust_hdl::prelude::*;

/// Bits of a context that number a core.
const CORE_WIDTH: usize = CONTEXT_WIDTH - 1;
/// Slot, event, whether there is a slot.
const ENTRY: usize = SLOT_WIDTH + EVENT_WIDTH + 1;

/// Completes and reports.
#[derive(LogicBlock)]
pub struct Stops {
    pub clk: Signal<In, Clock>,
    /// `start_context` starts, with what is to be kept for its stop.
    pub start: Signal<In, Bit>,
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    pub has_slot: Signal<In, Bit>,
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    pub own_event: Signal<In, Bits<EVENT_WIDTH>>,
    pub stop: StopIn,
    /// A pulse: `stopped_context` is free.
    pub stopped: Signal<Out, Bit>,
    pub stopped_context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    pub completion: CompletionOut,
    pub report: EventOut,
    kept: LutRam<ENTRY, CORE_WIDTH>,
    has_slot_bit: Signal<Local, Bits<1>>,
    is_server: Signal<Local, Bit>,
    failed: Signal<Local, Bit>,
    owned: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    server: Constant<Bits<CONTEXT_WIDTH>>,
    event_at: Constant<Bits<5>>,
    has_slot_at: Constant<Bits<5>>,
}

impl Default for Stops {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            start: Default::default(),
            start_context: Default::default(),
            has_slot: Default::default(),
            slot: Default::default(),
            own_event: Default::default(),
            stop: Default::default(),
            stopped: Default::default(),
            stopped_context: Default::default(),
            completion: Default::default(),
            report: Default::default(),
            kept: LutRam::new(MAX_CORES),
            has_slot_bit: Default::default(),
            is_server: Default::default(),
            failed: Default::default(),
            owned: Default::default(),
            ready: Default::default(),
            server: Constant::new(bits(SERVER_CONTEXT as u64)),
            event_at: Constant::new(bits(SLOT_WIDTH as u64)),
            has_slot_at: Constant::new(bits((SLOT_WIDTH + EVENT_WIDTH) as u64)),
        }
    }
}

impl Logic for Stops {
    #[hdl_gen]
    fn update(&mut self) {
        self.has_slot_bit.next = self.has_slot.val().into();
        self.kept.clk.next = self.clk.val();
        self.kept.write_enable.next = self.start.val() & (self.start_context.val() != self.server.val());
        self.kept.write_address.next = self.start_context.val().get_bits::<CORE_WIDTH>(0);
        self.kept.write_data.next = bit_cast::<ENTRY, SLOT_WIDTH>(self.slot.val())
            | (bit_cast::<ENTRY, EVENT_WIDTH>(self.own_event.val()) << self.event_at.val())
            | (bit_cast::<ENTRY, 1>(self.has_slot_bit.val()) << self.has_slot_at.val());
        self.kept.read_address.next = self.stop.context.val().get_bits::<CORE_WIDTH>(0);

        self.is_server.next = self.stop.context.val() == self.server.val();
        self.failed.next = self.stop.error.val().any();
        self.owned.next = self.stop.owns_slot.val() & self.kept.read_data.val().get_bit(self.has_slot_at.val().index());

        self.completion.valid.next = self.stop.valid.val() & !self.is_server.val() & self.owned.val();
        self.completion.slot.next = self.kept.read_data.val().get_bits::<SLOT_WIDTH>(0);
        self.completion.error.next = self.stop.error.val();
        self.completion.has_value.next = false;
        self.completion.value.next = 0.into();
        self.report.valid.next = self.stop.valid.val() & !self.is_server.val() & !self.owned.val() & self.failed.val();
        self.report.event.next = self
            .kept
            .read_data
            .val()
            .get_bits::<EVENT_WIDTH>(self.event_at.val().index());
        self.report.error.next = self.stop.error.val();

        self.ready.next = true;
        if self.completion.valid.val() {
            self.ready.next = self.completion.ready.val();
        }
        if self.report.valid.val() {
            self.ready.next = self.report.ready.val();
        }
        self.stop.ready.next = self.ready.val();
        self.stopped.next = self.stop.valid.val() & self.ready.val();
        self.stopped_context.next = self.stop.context.val();
    }
}
