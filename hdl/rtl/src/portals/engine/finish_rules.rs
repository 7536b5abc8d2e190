use super::{EntryRow, FinishOut, Message, PortalRow, CONTEXT_WIDTH};
use portico_spec::portals::engine::{Ack, EventKind, ACK_WIDTH, KIND_WIDTH};
use portico_verilog::prelude::*;

/// Event, count, AUTO_UNLINK, AUTO_FREE and answer that the end of a message raises at its target (rules 9 to 11 of Portals 4).
///
/// Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct FinishRules {
    /// The message has ended; stays until `taken`.
    pub valid: Signal<In, Bit>,
    /// The message.
    pub message: Signal<In, Message>,
    /// Where the words of its event are.
    pub home: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Row of its portal index.
    pub row: Signal<In, PortalRow>,
    /// Row of its entry; no matter if it failed.
    pub entry: Signal<In, EntryRow>,
    /// The entry has left its list, and its last message is complete.
    pub unlinked: Signal<In, Bit>,
    /// Its place is free too: no header of it is left.
    pub gone: Signal<In, Bit>,
    /// It is a get whose data have left: they were its answer.
    pub served: Signal<In, Bit>,
    /// Event, counts and answer.
    pub finish: FinishOut,
    /// It is taken in this cycle if `valid` is high.
    pub taken: Signal<Out, Bit>,
    succeeds: Signal<Local, Bit>,
}

#[kernel]
impl Logic for FinishRules {
    fn update(&mut self) {
        self.succeeds.next = !self.message.val().failure.any();
        self.finish.valid.next = self.valid.val();
        self.taken.next = self.finish.ready.val();
        self.finish.context.next = self.home.val();
        self.finish.portal.next = self.message.val().portal;
        self.finish.queue.next = self.row.val().queue;
        self.finish.overflow.next = self.message.val().overflow;
        self.finish.pointer.next = self.entry.val().pointer;
        self.finish.raises.next = self.succeeds.val()
            & self.row.val().queues
            & !self.entry.val().comm_disable
            & !self.entry.val().success_disable;
        self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Put as u64);
        if self.message.val().get {
            self.finish.kind.next = bits::<KIND_WIDTH>(EventKind::Get as u64);
        }
        self.finish.header.next = false;
        self.finish.counts.next = self.succeeds.val() & self.entry.val().counts & self.entry.val().ct_comm;
        self.finish.counter.next = self.entry.val().counter;
        self.finish.amount.next = 1.into();
        if self.entry.val().ct_bytes {
            self.finish.amount.next = self.message.val().delivered;
        }
        self.finish.unlinks.next = self.unlinked.val() & self.row.val().queues & !self.entry.val().unlink_disable;
        self.finish.frees.next = self.finish.unlinks.val() & self.gone.val() & self.message.val().overflow;
        self.finish.answers.next = !self.served.val()
            & (self.message.val().get | (self.message.val().ack != bits::<ACK_WIDTH>(Ack::None as u64)));
        self.finish.slot.next = self.message.val().slot;
        self.finish.outcome.next.delivered = self.message.val().delivered;
        self.finish.outcome.next.failure = self.message.val().failure;
        self.finish.outcome.next.overflow = self.message.val().overflow;
        self.finish.outcome.next.silent = self.succeeds.val() & self.entry.val().ack_disable;
        self.finish.full.next =
            self.message.val().get | (self.message.val().ack == bits::<ACK_WIDTH>(Ack::Full as u64));
        self.finish.used.next = self.message.val().used;
    }
}
