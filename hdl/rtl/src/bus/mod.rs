//! Interfaces and arbiters that several engines use. They lie below all of them.
//!
//! An interface that may wait has `valid` and `ready`, as in [`StreamIn`](crate::prim::StreamIn): a transfer passes in a
//! cycle with both high, and an offer stays until it has passed. Each interface is a pair: `Out` for its source, `In` for
//! its sink.
//!
//! | interface | what passes |
//! | --- | --- |
//! | [`MemoryWriteOut`], [`MemoryReadOut`] | words of a memory |
//! | [`RegisterWriteIn`], [`RegisterReadIn`], [`RegisterAccessIn`] | registers |
//! | [`ClaimOut`], [`CompletionOut`] | a transaction slot is claimed; its transaction is complete |
//! | [`EventOut`] | an event is counted |
//! | [`CreditIn`] | a credit of a queue comes back |
//! | [`CreditTakeOut`], [`CreditTakeIn`] | a credit of a queue is taken |
//!
//! | block | what it is |
//! | --- | --- |
//! | [`AddressMatch`] | recognises the registers of one block |
//! | [`EventArbiter`], [`CompletionArbiter`] | fixed-priority arbiters: source 0 wins |
//! | [`HeldAccess`] | an access that waits until its table is free |
//! | [`WindowRow`] | the row of the window table that a tag stands for |
//! | [`ReadBuffer`] | a place for a read that the memory has not taken yet |
//! | [`PacketArbiter`] | round-robin arbiter for streams, packet by packet |
//! | [`HeadEncoder`], [`AddressEncoder`], [`GeometryEncoder`] | words of a packet from their fields |
//! | [`HeadDecoder`], [`AddressDecoder`], [`GeometryDecoder`] | the fields of a packet's words |

mod address_match;
mod fixed_priority_arbiter;
mod held_access;
mod memory;
mod packet_arbiter;
mod packet_words;
mod read_buffer;
mod registers;
#[cfg(test)]
pub(crate) mod testing;
mod transactions;
mod window_row;

pub use address_match::AddressMatch;
pub use fixed_priority_arbiter::{CompletionArbiter, EventArbiter};
pub use held_access::HeldAccess;
pub use memory::{MemoryReadIn, MemoryReadOut, MemoryWriteIn, MemoryWriteOut};
pub use packet_arbiter::PacketArbiter;
pub use packet_words::{AddressDecoder, AddressEncoder, GeometryDecoder, GeometryEncoder, HeadDecoder, HeadEncoder};
pub use read_buffer::ReadBuffer;
pub use registers::{
    RegisterAccessIn, RegisterAccessOut, RegisterReadIn, RegisterWriteIn, RegisterWriteOut, ACCESS_CYCLES,
    ANSWER_CYCLES,
};
pub use transactions::{
    ClaimIn, ClaimOut, CompletionIn, CompletionOut, CreditIn, CreditTakeIn, CreditTakeOut, EventIn, EventOut,
};
pub use window_row::WindowRow;
