use crate::bus::{CompletionOut, EventOut};
use portico_spec::ni::{
    event::EVENT_WIDTH,
    packet::{ERROR_WIDTH, SLOT_WIDTH},
};
use portico_verilog::prelude::*;

/// What this node's own events and slots are told.
///
/// Keeps a report until it is taken.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one report every other cycle |
/// | state | one event, one completion |
#[derive(LogicBlock, Default)]
pub struct Report {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// A report waits; nothing else is to be reported. From flip-flops.
    pub busy: Signal<Out, Bit>,
    /// Reports the event `event_number` with `error`; only while `busy` is low.
    pub signal_event: Signal<In, Bit>,
    /// Number of the event to report; taken with `signal_event`.
    pub event_number: Signal<In, Bits<EVENT_WIDTH>>,
    /// Error code that the event keeps, 0 for none; taken with `signal_event`.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    /// Reports `slot` with `failure`; only while `busy` is low.
    pub complete: Signal<In, Bit>,
    /// Transaction slot that is complete; taken with `complete`.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Error code: what is wrong with the slot's transaction, 0 if nothing is; taken with `complete`.
    pub failure: Signal<In, Bits<ERROR_WIDTH>>,
    /// Events for ends of transfers and messages.
    pub event: EventOut,
    /// Completions of gets, each the last of its slot.
    pub completion: CompletionOut,
    has_event: DFF<Bit>,
    held_event: DFF<Bits<EVENT_WIDTH>>,
    held_error: DFF<Bits<ERROR_WIDTH>>,
    has_slot: DFF<Bit>,
    held_slot: DFF<Bits<SLOT_WIDTH>>,
    held_failure: DFF<Bits<ERROR_WIDTH>>,
}

#[kernel]
impl Logic for Report {
    fn update(&mut self) {
        dff_setup!(self, clk, has_event, held_event, held_error, has_slot, held_slot);
        dff_setup!(self, clk, held_failure);
        self.busy.next = self.has_event.q.val() | self.has_slot.q.val();
        self.event.valid.next = self.has_event.q.val();
        self.event.event.next = self.held_event.q.val();
        self.event.error.next = self.held_error.q.val();
        if self.event.ready.val() {
            self.has_event.d.next = false;
        }
        if self.signal_event.val() {
            self.has_event.d.next = true;
            self.held_event.d.next = self.event_number.val();
            self.held_error.d.next = self.error.val();
        }
        self.completion.valid.next = self.has_slot.q.val();
        self.completion.slot.next = self.held_slot.q.val();
        self.completion.error.next = self.held_failure.q.val();
        self.completion.last.next = true;
        self.completion.has_value.next = false;
        self.completion.value.next = 0.into();
        if self.completion.ready.val() {
            self.has_slot.d.next = false;
        }
        if self.complete.val() {
            self.has_slot.d.next = true;
            self.held_slot.d.next = self.slot.val();
            self.held_failure.d.next = self.failure.val();
        }
        if self.rst.val() {
            self.has_event.d.next = false;
            self.has_slot.d.next = false;
        }
    }
}
