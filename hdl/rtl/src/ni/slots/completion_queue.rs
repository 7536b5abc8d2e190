use crate::{
    bus::EventOut,
    prim::{LutRam, Queue},
};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::EVENT_WIDTH,
        packet::{ERROR_WIDTH, SLOT_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// What is kept of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Claim {
    /// The descriptor's event.
    pub event: Bits<EVENT_WIDTH>,
    /// Node of the peer.
    pub node: Bits<NODE_WIDTH>,
    pub is_get: Bit,
    /// No event on success.
    pub quiet: Bit,
}

/// A completion whose event is to be counted, with what was claimed of its slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Completion {
    pub event: Bits<EVENT_WIDTH>,
    pub node: Bits<NODE_WIDTH>,
    pub is_get: Bit,
    /// No event is counted.
    pub quiet: Bit,
    pub slot: Bits<SLOT_WIDTH>,
    pub error: Bits<ERROR_WIDTH>,
}

/// What was claimed of each slot, and the queue of completions whose events are to be counted.
///
/// One completion a slot.
///
/// | | |
/// | --- | --- |
/// | latency | a completion of cycle t is offered as an event in t + 1 |
/// | throughput | one claim, one completion and one event a cycle |
/// | capacity | a completion a slot: a slot is not to be claimed again before it has gone |
/// | state | LUT-RAM, and the control of a [`Queue`] |
#[derive(LogicBlock, Default)]
pub struct CompletionQueue {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the queue is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Keeps what is claimed of `claim_slot`.
    pub claim: Signal<In, Bit>,
    /// Slot that is claimed; valid with `claim`, as all of the claim.
    pub claim_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// The descriptor's event.
    pub claim_event: Signal<In, Bits<EVENT_WIDTH>>,
    /// Node of the peer.
    pub claim_node: Signal<In, Bits<NODE_WIDTH>>,
    /// The slot is claimed for a get.
    pub claim_is_get: Signal<In, Bit>,
    /// No event on success.
    pub claim_quiet: Signal<In, Bit>,
    /// Queues the completion of `done_slot`.
    pub done: Signal<In, Bit>,
    /// Slot whose transaction is complete; valid with `done`.
    pub done_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Error code of the completion, 0 for none; valid with `done`.
    pub done_error: Signal<In, Bits<ERROR_WIDTH>>,
    /// The event of `done_slot`; combinational.
    pub done_event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// Events of completions, the oldest first.
    pub update: EventOut,
    /// The oldest completion goes: its event is taken, or there is none.
    pub gone: Signal<Out, Bit>,
    /// Slot of the completion that goes; valid with `gone`.
    pub gone_slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// It is that of a get of `get_node`.
    pub gone_is_get: Signal<Out, Bit>,
    /// Node of the peer of that get; valid with `gone_is_get`.
    pub get_node: Signal<Out, Bits<NODE_WIDTH>>,
    claims: LutRam<Claim, SLOT_WIDTH>,
    queued: Queue<Completion, SLOT_WIDTH>,
    loud: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
}

impl CompletionQueue {
    /// For so many slots.
    pub fn new(slots: usize) -> Self {
        Self {
            claims: LutRam::new(slots),
            queued: Queue::new(slots),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CompletionQueue {
    fn update(&mut self) {
        wire!(self => queued: clk, rst);
        wire!(self => claims: clk);
        self.claims.write_enable.next = self.claim.val();
        self.claims.write_address.next = self.claim_slot.val();
        self.claims.write_data.next.event = self.claim_event.val();
        self.claims.write_data.next.node = self.claim_node.val();
        self.claims.write_data.next.is_get = self.claim_is_get.val();
        self.claims.write_data.next.quiet = self.claim_quiet.val();
        self.claims.read_address.next = self.done_slot.val();
        self.done_event.next = self.claims.read_data.val().event;

        self.queued.write.next = self.done.val();
        self.queued.write_data.next.event = self.claims.read_data.val().event;
        self.queued.write_data.next.node = self.claims.read_data.val().node;
        self.queued.write_data.next.is_get = self.claims.read_data.val().is_get;
        self.queued.write_data.next.quiet = self.claims.read_data.val().quiet & !self.done_error.val().any();
        self.queued.write_data.next.slot = self.done_slot.val();
        self.queued.write_data.next.error = self.done_error.val();

        self.loud.next = !self.queued.read_data.val().quiet;
        self.update.valid.next = !self.queued.empty.val() & self.loud.val();
        self.update.event.next = self.queued.read_data.val().event;
        self.update.error.next = self.queued.read_data.val().error;
        self.taken.next = self.update.ready.val() | !self.loud.val();
        self.queued.read.next = self.taken.val();
        self.gone.next = !self.queued.empty.val() & self.taken.val();
        self.gone_slot.next = self.queued.read_data.val().slot;
        self.gone_is_get.next = self.gone.val() & self.queued.read_data.val().is_get;
        self.get_node.next = self.queued.read_data.val().node;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};
    use portico_spec::ni::packet::SLOTS;

    clocked!([] CompletionQueue);

    /// Every slot once, with all bits of its claim in use; the queue is then full, and drains in order.
    #[test]
    fn a_completion_of_every_slot_waits_and_comes_out_as_it_was_claimed() {
        let mut dut = reset(CompletionQueue::new(SLOTS));
        let event = |slot: u64| slot * 7 % 64;
        let node = |slot: u64| slot * 37 % 512;
        let (is_get, quiet) = (|slot: u64| slot.is_multiple_of(3), |slot: u64| slot % 4 < 2);
        for slot in 0..SLOTS as u64 {
            dut.claim.next = true;
            dut.claim_slot.next = slot.into();
            dut.claim_event.next = event(slot).into();
            dut.claim_node.next = node(slot).into();
            dut.claim_is_get.next = is_get(slot);
            dut.claim_quiet.next = quiet(slot);
            clock(&mut dut);
        }
        dut.claim.next = false;
        // Slot 4 is first: it is loud, and holds up all behind it.
        let order: Vec<u64> = (0..SLOTS as u64).map(|i| (4 + 5 * i) % SLOTS as u64).collect();
        let error = |slot: u64| if slot % 8 == 1 { slot % 16 } else { 0 };
        assert!(!quiet(6) && order[0] == 4);
        dut.claim_quiet.next = false;
        dut.claim_slot.next = 4u64.into();
        dut.claim_event.next = event(4).into();
        dut.claim_node.next = node(4).into();
        dut.claim_is_get.next = is_get(4);
        dut.claim.next = true;
        clock(&mut dut);
        dut.claim.next = false;
        for &slot in &order {
            dut.done.next = true;
            dut.done_slot.next = slot.into();
            dut.done_error.next = error(slot).into();
            settle(&mut dut);
            assert_eq!(dut.done_event.val(), event(slot));
            assert!(!dut.gone.val());
            clock(&mut dut);
        }
        dut.done.next = false;
        dut.update.ready.next = true;
        for slot in order {
            settle(&mut dut);
            assert!(dut.gone.val());
            assert_eq!(dut.gone_slot.val(), slot);
            assert_eq!(
                dut.update.valid.val(),
                slot == 4 || !quiet(slot) || error(slot) > 0,
                "slot {slot}"
            );
            assert_eq!(dut.update.event.val(), event(slot));
            assert_eq!(dut.update.error.val(), error(slot));
            assert_eq!(dut.gone_is_get.val(), is_get(slot));
            assert_eq!(dut.get_node.val(), node(slot));
            clock(&mut dut);
        }
        assert!(!dut.gone.val() && !dut.update.valid.val() && !dut.gone_is_get.val());
    }
}
