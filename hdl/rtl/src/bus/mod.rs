//! Interfaces and arbiters that several engines use. They lie below all of them.
//!
//! An interface that may wait has `valid` and `ready`, as in [`StreamIn`](crate::prim::StreamIn): a transfer passes in a
//! cycle with both high. An offer on a stream, a memory or the register bus stays until it has passed; one of an event, a claim, a
//! look or a completion may end before. Each interface is a pair: `Out` for its source, `In` for
//! its sink.
//!
//! | interface | what passes |
//! | --- | --- |
//! | [`MemoryWriteOut`], [`MemoryReadOut`] | words of a memory |
//! | [`RegisterRequestOut`], [`RegisterFetchOut`] | requests to write and to read registers, until they are taken |
//! | [`RegisterWriteIn`], [`RegisterReadIn`], [`RegisterAccessIn`] | the same at the owners of registers |
//! | [`ClaimOut`], [`CompletionOut`] | a transaction slot is claimed; its transaction is complete |
//! | [`EventOut`] | an event is counted |
//! | [`FenceOut`] | asks whether transactions of a segment are open |
//! | [`LookOut`] | asks for the error of an event |
//! | [`CreditOut`] | a credit of a queue comes back |
//! | [`CreditTakeOut`], [`CreditTakeIn`] | a credit of a queue is taken |
//! | [`FlitsOut`] | flits for an engine, which always takes them |
//! | [`SweepOut`] | tables are cleared after reset |
//! | [`Planes`] | number and streams of a node: all connections of it to the network |
//! | [`SocketIn`] | all connections of an engine to its node |
//!
//! | block | what it is |
//! | --- | --- |
//! | [`AddressMatch`] | recognises the registers of one block |
//! | [`EventArbiter`], [`CompletionArbiter`] | fixed-priority arbiters: source 0 wins |
//! | [`HeldAccess`] | an access that waits until its table is free |
//! | [`WindowRow`] | the row of the window table for a tag |
//! | [`ReadBuffer`] | a place for a read that the memory has not taken yet |
//! | [`PacketArbiter`] | round-robin arbiter for streams, packet by packet |
//! | [`PlaneOut`] | the same for the sources of a plane; the last user keeps it until another asks |
//! | [`ReadShare`], [`WriteShare`] | one port of a memory for several users |
//! | [`CommandDoor`], [`CommandPort`], [`CommandQueue`] | descriptors on their way to their takers |
//! | [`HeadEncoder`], [`AddressEncoder`], [`GeometryEncoder`] | words of a packet from their fields |
//! | [`HeadDecoder`], [`AddressDecoder`], [`GeometryDecoder`] | the fields of a packet's words |

mod address_match;
mod commands;
mod fixed_priority_arbiter;
mod held_access;
mod memory;
mod memory_share;
mod packet_arbiter;
mod packet_words;
mod plane_out;
mod planes;
mod read_buffer;
mod registers;
mod socket;
mod sweep;
#[cfg(test)]
pub(crate) mod testing;
mod transactions;
mod window_row;

pub use address_match::AddressMatch;
pub use commands::{CommandDoor, CommandPort, CommandQueue};
pub use fixed_priority_arbiter::{CompletionArbiter, EventArbiter};
pub use held_access::HeldAccess;
pub use memory::{MemoryReadIn, MemoryReadOut, MemoryWriteIn, MemoryWriteOut};
pub use memory_share::{ReadShare, WriteShare};
pub use packet_arbiter::PacketArbiter;
pub use packet_words::{AddressDecoder, AddressEncoder, GeometryDecoder, GeometryEncoder, HeadDecoder, HeadEncoder};
pub use plane_out::PlaneOut;
pub use planes::Planes;
pub use read_buffer::ReadBuffer;
pub use registers::{
    RegisterAccessIn, RegisterAccessOut, RegisterFetchIn, RegisterFetchOut, RegisterReadIn, RegisterRequestIn,
    RegisterRequestOut, RegisterWriteIn, RegisterWriteOut, ACCESS_CYCLES, ANSWER_CYCLES, COMMAND_CYCLES,
};
pub use socket::{FlitsIn, FlitsOut, SocketIn, SocketOut};
pub use sweep::{SweepIn, SweepOut};
pub use transactions::{
    ClaimIn, ClaimOut, CompletionIn, CompletionOut, CreditIn, CreditOut, CreditTakeIn, CreditTakeOut, EventIn,
    EventOut, FenceIn, FenceOut, LookIn, LookOut,
};
pub use window_row::WindowRow;
