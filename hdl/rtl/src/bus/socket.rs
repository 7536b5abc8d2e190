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
    /// A flit is shown in this cycle, and is taken in it.
    pub valid: Signal<In, Bit>,
    /// It is a head.
    pub first: Signal<In, Bit>,
    /// It is a tail.
    pub last: Signal<In, Bit>,
    /// The flit; valid with `valid`.
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
    /// Flits of the data plane with the engine's kind.
    pub data_in: FlitsIn<W>,
    /// Flits of the control plane with the engine's kind.
    pub control_in: FlitsIn<32>,
    /// Whole packets for the data plane: a head is offered only when the rest follows without another wait.
    pub data_out: StreamOut<W>,
    /// Whole packets for the control plane: a head is offered only when the rest follows without another wait.
    pub control_out: StreamOut<32>,
    /// Descriptors with the engine's opcodes, whole.
    pub commands: StreamIn<32>,
    /// Events that the engine counts, with an error code.
    pub event: EventOut,
    /// Answers are valid from [`ANSWER_CYCLES`](super::ANSWER_CYCLES) on; 0 for registers of other blocks.
    pub register: RegisterAccessIn,
    /// Reads of the scratchpad.
    pub memory_read: MemoryReadOut<W>,
    /// Writes to the scratchpad.
    pub memory_write: MemoryWriteOut<W, B>,
    /// The engine has work; counted for each cycle.
    pub running: Signal<Out, Bit>,
    /// The engine has work and waits; counted for each cycle.
    pub waiting: Signal<Out, Bit>,
    /// High for one cycle for each packet, or part of one, that was refused.
    pub refused: Signal<Out, Bit>,
}
