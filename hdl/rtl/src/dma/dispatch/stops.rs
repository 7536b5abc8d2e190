use crate::{
    bus::{CompletionOut, EventOut},
    dma::ports::StopIn,
    prim::LutRam,
};
use portico_spec::ni::{event::EVENT_WIDTH, packet::SLOT_WIDTH, CONTEXT_WIDTH, SERVER_CONTEXT};
use portico_verilog::prelude::*;

/// Bits of a context that number a core.
const CORE_WIDTH: usize = CONTEXT_WIDTH - 1;
/// Slot, event, whether there is a slot.
const ENTRY: usize = SLOT_WIDTH + EVENT_WIDTH + 1;

/// What is left to do when a context stops.
///
/// Completes and reports.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one stop a cycle, if whoever must be told is ready |
/// | state | 12 bits a core in LUT-RAM |
///
/// A slot that was never sent along with an end of transfer is completed here, with the error if there is one. A slot that
/// was is completed by the answer, so that an error then counts in the event alone. The server has told its requester
/// itself.
#[derive(LogicBlock, Default)]
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
}

#[kernel]
impl Logic for Stops {
    fn update(&mut self) {
        wire!(self => kept: clk);
        self.has_slot_bit.next = self.has_slot.val().into();
        self.kept.write_enable.next =
            self.start.val() & (self.start_context.val() != bits::<CONTEXT_WIDTH>(SERVER_CONTEXT));
        self.kept.write_address.next = self.start_context.val().get_bits::<CORE_WIDTH>(0);
        self.kept.write_data.next = bit_cast::<ENTRY, SLOT_WIDTH>(self.slot.val())
            | (bit_cast::<ENTRY, EVENT_WIDTH>(self.own_event.val()) << bits::<5>(SLOT_WIDTH))
            | (bit_cast::<ENTRY, 1>(self.has_slot_bit.val()) << bits::<5>((SLOT_WIDTH + EVENT_WIDTH) as u64));
        self.kept.read_address.next = self.stop.context.val().get_bits::<CORE_WIDTH>(0);

        self.is_server.next = self.stop.context.val() == bits::<CONTEXT_WIDTH>(SERVER_CONTEXT);
        self.failed.next = self.stop.error.val().any();
        self.owned.next = self.stop.owns_slot.val() & self.kept.read_data.val().get_bit(SLOT_WIDTH + EVENT_WIDTH);

        self.completion.valid.next = self.stop.valid.val() & !self.is_server.val() & self.owned.val();
        self.completion.slot.next = self.kept.read_data.val().get_bits::<SLOT_WIDTH>(0);
        self.completion.error.next = self.stop.error.val();
        self.completion.has_value.next = false;
        self.completion.value.next = 0.into();
        self.report.valid.next = self.stop.valid.val() & !self.is_server.val() & !self.owned.val() & self.failed.val();
        self.report.event.next = self.kept.read_data.val().get_bits::<EVENT_WIDTH>(SLOT_WIDTH);
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
