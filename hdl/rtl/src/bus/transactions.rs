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
    pub valid: Signal<Out, Bit>,
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    pub ready: Signal<In, Bit>,
}

/// Asks for the first error that an event keeps, when no update of an event waits. As the asker sees it.
#[interface(mirror = LookIn)]
pub struct LookOut {
    pub valid: Signal<Out, Bit>,
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    pub ready: Signal<In, Bit>,
    /// A pulse: `error` is the answer, 0 for none.
    pub told: Signal<In, Bit>,
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
}

/// An answer to a transaction, as its reporter sees it.
#[interface(mirror = CompletionIn)]
pub struct CompletionOut {
    pub valid: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<SLOT_WIDTH>>,
    /// An error code, 0 for none.
    pub error: Signal<Out, Bits<ERROR_WIDTH>>,
    /// The transaction is over, and its slot becomes free. When low, the slot stays open and keeps the error.
    pub last: Signal<Out, Bit>,
    /// `value` is the result of an atomic, kept with the event.
    pub has_value: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<64>>,
    pub ready: Signal<In, Bit>,
}

/// A claim of a transaction slot, as the dispatcher sees it. `ready` means that a slot is free and, for a get, that a credit of
/// the peer is available. `slot` is the slot that the claim gets.
#[interface(mirror = ClaimIn)]
pub struct ClaimOut {
    pub valid: Signal<Out, Bit>,
    pub event: Signal<Out, Bits<EVENT_WIDTH>>,
    /// No event on success.
    pub quiet: Signal<Out, Bit>,
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    pub node: Signal<Out, Bits<NODE_WIDTH>>,
    /// Takes a get-request credit of `node`.
    pub is_get: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
    pub slot: Signal<In, Bits<SLOT_WIDTH>>,
}

/// A credit of a peer's queue comes back.
#[interface]
pub struct CreditIn {
    pub valid: Signal<In, Bit>,
    /// Handle of the segment at this tile.
    pub segment: Signal<In, Bits<HANDLE_WIDTH>>,
}

/// Requests a credit of a peer's queue, as the sender sees it. `valid` and `segment` stay until the answer; the answer lasts
/// one cycle.
#[interface(mirror = CreditTakeIn)]
pub struct CreditTakeOut {
    pub valid: Signal<Out, Bit>,
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// The answer. If `granted`, there was a credit, and it is taken.
    pub answered: Signal<In, Bit>,
    pub granted: Signal<In, Bit>,
}
