//! Transactions: their slots, their completions, the events that they count, and the credits that come back.

use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::EVENT_WIDTH,
        packet::{ERROR_WIDTH, SLOT_WIDTH},
        segment::HANDLE_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Counts an event: its counter rises by one, and the event keeps an error. As the reporter sees it.
#[interface(mirror = EventIn)]
pub struct EventOut {
    /// An event is offered.
    pub valid: Signal<Out, Bit>,
    /// Number of the event that is counted.
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The event is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// Asks for the first error that an event keeps, when no update of an event waits. As the asker sees it.
#[interface(mirror = LookIn)]
pub struct LookOut {
    /// A question is offered.
    pub valid: Signal<Out, Bit>,
    /// Number of the event whose error is asked for.
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// The question is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
    /// A pulse: `error` is the answer, 0 for none.
    pub told: Signal<In, Bit>,
    /// First error that the event keeps, 0 for none; valid with `told`.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
}

/// An answer to a transaction, as its reporter sees it.
#[interface(mirror = CompletionIn)]
pub struct CompletionOut {
    /// An answer is offered.
    pub valid: Signal<Out, Bit>,
    /// Slot of the transaction.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The transaction is over, and its slot becomes free. When low, the slot stays open and keeps the error.
    pub last: Signal<Out, Bit>,
    /// `value` is the result of an atomic, kept with the event.
    pub has_value: Signal<Out, Bit>,
    /// Result of an atomic; valid with `has_value`.
    pub value: Signal<Out, Bits<64>>,
    /// The answer is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
}

/// A claim of a transaction slot, as the dispatcher sees it. `ready` means that a slot is free and, for a get, that a credit of
/// the peer is available. `slot` is the slot that the claim gets.
#[interface(mirror = ClaimIn)]
pub struct ClaimOut {
    /// A claim is offered.
    pub valid: Signal<Out, Bit>,
    /// The descriptor's event.
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// No event on success.
    pub quiet: Signal<Out, Bit>,
    /// Handle of the segment that the transaction uses: a fence of it waits for the transaction.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// Node of the peer.
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    /// Takes a get-request credit of `node`.
    pub is_get: Signal<Out, Bit>,
    /// A slot is free and, for a get, a credit of `node`: the claim is taken in this cycle if `valid` is high.
    pub ready: Signal<In, Bit>,
    /// Slot that the claim gets; valid with `ready`.
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
}

/// Asks whether transactions of a segment are open, for a fence. As the fence sees it.
#[interface(mirror = FenceIn)]
pub struct FenceOut {
    /// Handle of the segment of the fence.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// The fence has a slot of its own, `slot`, of that segment, and does not wait for it.
    pub owns: Signal<Out, Bit>,
    /// Slot of the fence's own; valid with `owns`.
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// A slot of `segment` may be open, beside the fence's own; in the same cycle.
    pub busy: Signal<In, Bit>,
}

/// A credit of a peer's queue comes back, as the receiver of its packet sees it. It is always taken.
#[interface(mirror = CreditIn)]
pub struct CreditOut {
    /// High for one cycle: a credit comes back.
    pub valid: Signal<Out, Bit>,
    /// Handle of the segment at this tile whose credit comes back; valid with `valid`.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
}

/// Requests a credit of a peer's queue, as the sender sees it. `valid` and `segment` stay until the answer; the answer lasts
/// one cycle.
#[interface(mirror = CreditTakeIn)]
pub struct CreditTakeOut {
    /// A credit is requested; the request stays until the answer.
    pub valid: Signal<Out, Bit>,
    /// Handle of the segment at this tile; stays until the answer.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// High for one cycle: `granted` is the answer.
    pub answered: Signal<In, Bit>,
    /// There was a credit, and it is taken; valid with `answered`.
    pub granted: Signal<In, Bit>,
}
