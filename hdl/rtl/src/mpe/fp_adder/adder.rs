//! The adder between streams.
//!
//! | | |
//! | --- | --- |
//! | latency | `stages` cycles, unless its output is held up |
//! | throughput | one sum a cycle |
//! | timing | `m_axis` comes straight from flip-flops; each `tready` is two gates behind the other side's signals |
//! | state | the datapath's, and a valid and a last bit a stage |
//!
//! The whole pipeline stands still while a result is offered and not taken, and moves in every other cycle, so that one
//! enable serves all registers. An addend waits for its partner: a `s_axis` is ready only when the other has a beat.

use super::FpAdderCore;
use crate::prim::{StreamIn, StreamOut};
use portico_spec::fp::FLAGS_WIDTH;
use portico_verilog::prelude::*;

/// Adds the beats of two streams of `W` bits, 32 or 64, pair by pair.
#[derive(LogicBlock, Default)]
pub struct FpAdder<const W: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no sum is under way afterwards.
    pub rst: Signal<In, Bit>,
    /// One addend; the sum carries its `tlast`.
    pub s_axis_a: StreamIn<W>,
    /// The other addend; its `tlast` is ignored.
    pub s_axis_b: StreamIn<W>,
    /// The sums.
    pub m_axis: StreamOut<W>,
    /// Exceptions of the sum that is offered, as [`Flag`](portico_spec::fp::Flag) numbers them.
    pub m_axis_tuser: Signal<Out, Bits<FLAGS_WIDTH>>,
    datapath: FpAdderCore<W>,
    /// By stage, whether it holds a sum, and the last bit of it.
    valid: Vec<DFF<Bit>>,
    last: Vec<DFF<Bit>>,
    moves: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    output: Constant<Bits<3>>,
    _stages: usize,
}

impl<const W: usize> FpAdder<W> {
    /// An adder of 2 to 6 stages; panics outside that, and if W is neither 32 nor 64.
    pub fn new(stages: usize) -> Self {
        Self {
            datapath: FpAdderCore::new(stages),
            valid: (0..stages).map(|_| DFF::default()).collect(),
            last: (0..stages).map(|_| DFF::default()).collect(),
            output: Constant::new((stages as u64 - 1).into()),
            _stages: stages,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for FpAdder<W> {
    fn update(&mut self) {
        wire!(self => datapath: clk);
        for i in 0..self._stages {
            self.valid[i].clock.next = self.clk.val();
            self.valid[i].d.next = self.valid[i].q.val();
            self.last[i].clock.next = self.clk.val();
            self.last[i].d.next = self.last[i].q.val();
        }
        self.moves.next = self.m_axis.tready.val() | !self.valid[self.output.val().index()].q.val();
        self.taken.next = self.moves.val() & self.s_axis_a.tvalid.val() & self.s_axis_b.tvalid.val();
        self.s_axis_a.tready.next = self.moves.val() & self.s_axis_b.tvalid.val();
        self.s_axis_b.tready.next = self.moves.val() & self.s_axis_a.tvalid.val();

        self.datapath.enable.next = self.moves.val();
        self.datapath.a.next = self.s_axis_a.tdata.val();
        self.datapath.b.next = self.s_axis_b.tdata.val();
        if self.moves.val() {
            self.valid[0].d.next = self.taken.val();
            self.last[0].d.next = self.s_axis_a.tlast.val();
            for i in 1..self._stages {
                self.valid[i].d.next = self.valid[i - 1].q.val();
                self.last[i].d.next = self.last[i - 1].q.val();
            }
        }

        self.m_axis.tvalid.next = self.valid[self.output.val().index()].q.val();
        self.m_axis.tdata.next = self.datapath.sum.val();
        self.m_axis.tlast.next = self.last[self.output.val().index()].q.val();
        self.m_axis_tuser.next = self.datapath.flags.val();
        if self.rst.val() {
            for i in 0..self._stages {
                self.valid[i].d.next = false;
            }
        }
    }
}
