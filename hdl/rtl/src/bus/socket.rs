//! The socket: how an engine joins a node (`docs/engines.md`).
//!
//! All outputs of an engine come from flip-flops or LUT-RAM; its inputs are at most one gate behind flip-flops.

use super::{EventOut, MemoryReadOut, MemoryWriteOut, RegisterAccessIn, SweepIn};
use crate::prim::{StreamIn, StreamOut};
use portico_spec::{flit::NODE_WIDTH, ni::event::EVENTS};
use portico_verilog::prelude::*;

/// Flits of an engine's kind, as the engine sees them. Each flit is shown for one cycle, and the engine must take it: there is no
/// `ready`, so an engine cannot block a door. A packet may reach its engine before the last word of an earlier put is written.
#[interface(mirror = FlitsOut)]
pub struct FlitsIn<const W: usize> {
    pub valid: Signal<In, Bit>,
    /// It is a head.
    pub first: Signal<In, Bit>,
    /// It is a tail.
    pub last: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
}

/// All connections of an engine to its node, as the engine sees them.
#[interface(mirror = SocketOut)]
pub struct SocketIn<const W: usize, const B: usize> {
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// This node.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Events that have fired.
    pub fired: Signal<In, Bits<EVENTS>>,
    pub data_in: FlitsIn<W>,
    pub control_in: FlitsIn<32>,
    /// Whole packets: a head is offered only when the rest follows without another wait.
    pub data_out: StreamOut<W>,
    pub control_out: StreamOut<32>,
    /// Descriptors with the engine's opcodes, whole.
    pub commands: StreamIn<32>,
    pub event: EventOut,
    /// Answers are valid from [`ANSWER_CYCLES`](super::ANSWER_CYCLES) on; 0 for registers of other blocks.
    pub register: RegisterAccessIn,
    pub memory_read: MemoryReadOut<W>,
    pub memory_write: MemoryWriteOut<W, B>,
    /// It has work; it has work and waits; a packet, or a part of one, was refused: one cycle each.
    pub running: Signal<Out, Bit>,
    pub waiting: Signal<Out, Bit>,
    pub refused: Signal<Out, Bit>,
}
