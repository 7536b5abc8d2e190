use crate::prim::{StreamIn, StreamOut};
use portico_spec::ni::command::{Opcode, OPCODE_OFFSET, OPCODE_WIDTH};
use portico_verilog::prelude::*;

/// Parts descriptors: moves from those of entries, counters and portal indices.
///
/// Streams of 32 bits.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | throughput | one word a cycle |
/// | state | which of both the descriptor in hand is |
#[derive(LogicBlock, Default)]
pub struct CommandSplit {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// All descriptors of the engine.
    pub s_axis: StreamIn<32>,
    /// Those of moves.
    pub moves: StreamOut<32>,
    /// The others.
    pub commands: StreamOut<32>,
    /// The first word of the descriptor has passed.
    open: DFF<Bit>,
    moving: DFF<Bit>,
    is_move: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CommandSplit {
    fn update(&mut self) {
        dff_setup!(self, clk, open, moving);
        self.is_move.next = self.s_axis.tdata.val().get_bits::<OPCODE_WIDTH>(OPCODE_OFFSET)
            == bits::<OPCODE_WIDTH>(Opcode::Move as u64);
        if self.open.q.val() {
            self.is_move.next = self.moving.q.val();
        }
        wire!(s_axis => moves: tdata, tlast);
        wire!(s_axis => commands: tdata, tlast);
        self.moves.tvalid.next = self.s_axis.tvalid.val() & self.is_move.val();
        self.commands.tvalid.next = self.s_axis.tvalid.val() & !self.is_move.val();
        self.s_axis.tready.next = self.commands.tready.val();
        if self.is_move.val() {
            self.s_axis.tready.next = self.moves.tready.val();
        }
        self.passes.next = self.s_axis.tvalid.val() & self.s_axis.tready.val();
        if self.passes.val() {
            self.open.d.next = !self.s_axis.tlast.val();
            self.moving.d.next = self.is_move.val();
        }
        if self.rst.val() {
            self.open.d.next = false;
        }
    }
}
