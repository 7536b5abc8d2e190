use super::CommandSelect;
use crate::prim::{SkidBuffer, StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// The command port of a taker: descriptors of the stream, and of the queue behind register writes, in turn.
///
/// Whole descriptors of one taker.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one word a cycle |
/// | fairness | the two sources take turns |
/// | timing | what is offered comes from flip-flops; either `tready` is two gates behind the `tvalid` of both sources |
/// | state | two words |
#[derive(LogicBlock, Default)]
pub struct CommandPort {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing waits afterwards.
    pub rst: Signal<In, Bit>,
    /// From a neighbour: an accelerator or a processor.
    pub s_axis_command: StreamIn<32>,
    /// From the command queue.
    pub queued: StreamIn<32>,
    /// Whole descriptors for the taker, of both sources.
    pub m_axis: StreamOut<32>,
    select: CommandSelect,
    words: SkidBuffer<32>,
}

#[kernel]
impl Logic for CommandPort {
    fn update(&mut self) {
        wire!(self => select, words: clk, rst);
        wire!(self <=> select: s_axis_command, queued);
        wire!(select.m_axis <=> words.s_axis);
        wire!(self <=> words: m_axis);
    }
}
