//! Primitives: small blocks that everything else is built from.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`StreamIn`], [`StreamOut`] | the two sides of the one handshake |
//! | [`Register`] | register with enable and synchronous reset |
//! | [`Ram`] | one write and one read port, block RAM |
//! | [`LaneRam`] | the same, with lanes that are written one by one |
//! | [`RamOutput`] | a block RAM whose words come out as a stream, from flip-flops |
//! | [`TrueDualPortRam`], [`RamPort`] | two ports that read and write, byte lanes, block RAM |
//! | [`LutRam`] | one write port, one asynchronous read port, LUT-RAM |
//! | [`BeatRam`] | the same for beats of a stream: data and a last |
//! | [`Queue`] | first-word fall-through FIFO of records |
//! | [`Fifo`] | first-word fall-through FIFO of a stream |
//! | [`BlockFifo`] | FIFO of words in block RAM |
//! | [`FifoControl`] | the flags and addresses of a FIFO, for a memory of any shape |
//! | [`AddressRing`] | a register that steps through a number of addresses, one LUT a step |
//! | [`SkidBuffer`] | registers both directions of a stream |
//! | [`RoundRobinArbiter`] | grants one of `N` requesters, in turn |
//! | [`ParkedArbiter`] | the same with a grant from flip-flops; the last user keeps it until another asks |
//! | [`CounterTable`], [`Change`] | counters in block RAM, one pipeline for all changes |
//! | [`CreditCounter`] | credits, taken and given back |
//!
//! Every block has one clock, `clk`, and where it has state to reset a synchronous, active-high `rst`.

mod address_ring;
mod beat_ram;
mod block_fifo;
mod counter_table;
mod credit_counter;
mod fifo;
mod fifo_control;
mod lane_ram;
mod lut_ram;
mod memory;
mod parked_arbiter;
mod queue;
mod ram;
mod ram_output;
mod register;
mod round_robin_arbiter;
mod skid_buffer;
mod stream;
#[cfg(test)]
pub(crate) mod testing;
mod true_dual_port_ram;

pub use address_ring::AddressRing;
pub use beat_ram::BeatRam;
pub use block_fifo::BlockFifo;
pub use counter_table::{Change, CounterTable};
pub use credit_counter::CreditCounter;
pub use fifo::Fifo;
pub use fifo_control::FifoControl;
pub use lane_ram::LaneRam;
pub use lut_ram::LutRam;
pub use parked_arbiter::ParkedArbiter;
pub use queue::Queue;
pub use ram::Ram;
pub use ram_output::RamOutput;
pub use register::Register;
pub use round_robin_arbiter::RoundRobinArbiter;
pub use skid_buffer::SkidBuffer;
pub use stream::{StreamIn, StreamOut};
pub use true_dual_port_ram::{RamPort, TrueDualPortRam};
