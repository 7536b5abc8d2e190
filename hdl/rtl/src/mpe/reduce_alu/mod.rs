//! Reduce ALU: combines an accumulated element and a contribution, for a stream of such pairs.
//!
//! | | |
//! | --- | --- |
//! | latency | `stages` cycles for every operation, from the handshake that takes a pair to its result offered |
//! | throughput | one operation a cycle, in any mix; results in order |
//! | timing | `m_axis_tvalid` and `m_axis_tlast` come from flip-flops, `m_axis_tdata` and `m_axis_tuser` through a multiplexer behind flip-flops; `s_axis_a_tready` follows `m_axis_tready` and `s_axis_b_tvalid` within the cycle, `s_axis_b_tready` likewise |
//! | state | the adder's pipeline, and beside it `stages` places of `W` + 3 bits and of a valid bit |
//!
//! The adder computes floating-point sums. All other results are computed in the first cycle and wait beside the adder. The
//! whole pipeline stalls while a result is offered and not taken.

mod delay_line;
mod number_comparator;
mod single_cycle;

use crate::{mpe::FpAdderCore, prim::StreamIn, prim::StreamOut};
pub(crate) use delay_line::DelayLine;
use portico_spec::fp::Flag;
use portico_spec::fp::ADDER_STAGES;
use portico_spec::fp::FLAGS_WIDTH;
use portico_spec::mpe::reduce::OPERATION_WIDTH;
use portico_verilog::prelude::*;
use single_cycle::SingleCycle;

/// What travels with a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Marks {
    /// Its pair was the last.
    pub last: Bit,
    /// It is a floating-point sum.
    pub float_sum: Bit,
    /// It is another result, and raises invalid.
    pub invalid: Bit,
}

/// Operations of [`Operation`](portico_spec::mpe::reduce::Operation) on elements of `W` bits, 32 or 64.
#[derive(LogicBlock, Default)]
pub struct ReduceAlu<const W: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is on its way afterwards.
    pub rst: Signal<In, Bit>,
    /// Accumulated elements. A beat is taken together with one of `s_axis_b`.
    pub s_axis_a: StreamIn<W>,
    /// The operation of the pair, a code of [`Operation`](portico_spec::mpe::reduce::Operation). Any other passes the
    /// accumulated element and raises invalid.
    pub s_axis_a_tuser: Signal<In, Bits<OPERATION_WIDTH>>,
    /// Contributions. Their `tlast` is ignored.
    pub s_axis_b: StreamIn<W>,
    /// Results, with the `tlast` of `s_axis_a`.
    pub m_axis: StreamOut<W>,
    /// Exception flags, a bit each as [`Flag`] numbers them; only of floating-point operations and unknown codes.
    pub m_axis_tuser: Signal<Out, Bits<FLAGS_WIDTH>>,
    adder: FpAdderCore<W>,
    single_cycle: SingleCycle<W>,
    results: DelayLine<Bits<W>>,
    marks: DelayLine<Marks>,
    valid: Vec<DFF<Bit>>,
    offered: Signal<Local, Bit>,
    moving: Signal<Local, Bit>,
    _stages: usize,
    _moves: usize,
}

impl<const W: usize> ReduceAlu<W> {
    /// An ALU of so many stages, 2 to 6; panics outside that.
    pub fn new(stages: usize) -> Self {
        assert!(
            ADDER_STAGES.contains(&stages),
            "{stages} stages, not one of {ADDER_STAGES:?}"
        );
        Self {
            adder: FpAdderCore::new(stages),
            results: DelayLine::new(stages),
            marks: DelayLine::new(stages),
            valid: (0..stages).map(|_| DFF::default()).collect(),
            _stages: stages,
            _moves: stages - 1,
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for ReduceAlu<W> {
    fn update(&mut self) {
        wire!(self => adder, results, marks: clk);
        for i in 0..self._stages {
            self.valid[i].clock.next = self.clk.val();
            self.valid[i].d.next = self.valid[i].q.val();
            // The last place has the last word.
            self.offered.next = self.valid[i].q.val();
        }
        self.moving.next = self.m_axis.tready.val() | !self.offered.val();
        self.s_axis_a.tready.next = self.moving.val() & self.s_axis_b.tvalid.val();
        self.s_axis_b.tready.next = self.moving.val() & self.s_axis_a.tvalid.val();

        self.adder.enable.next = self.moving.val();
        self.adder.a.next = self.s_axis_a.tdata.val();
        self.adder.b.next = self.s_axis_b.tdata.val();
        self.single_cycle.operation.next = self.s_axis_a_tuser.val();
        self.single_cycle.a.next = self.s_axis_a.tdata.val();
        self.single_cycle.b.next = self.s_axis_b.tdata.val();
        self.results.enable.next = self.moving.val();
        self.results.d.next = self.single_cycle.result.val();
        self.marks.enable.next = self.moving.val();
        self.marks.d.next.last = self.s_axis_a.tlast.val();
        self.marks.d.next.float_sum = self.single_cycle.float_sum.val();
        self.marks.d.next.invalid = self.single_cycle.invalid.val();

        if self.moving.val() {
            self.valid[0].d.next = self.s_axis_a.tvalid.val() & self.s_axis_b.tvalid.val();
            for i in 0..self._moves {
                self.valid[i + 1].d.next = self.valid[i].q.val();
            }
        }

        self.m_axis.tvalid.next = self.offered.val();
        self.m_axis.tlast.next = self.marks.q.val().last;
        self.m_axis.tdata.next = self.results.q.val();
        self.m_axis_tuser.next = 0.into();
        if self.marks.q.val().float_sum {
            self.m_axis.tdata.next = self.adder.sum.val();
            self.m_axis_tuser.next = self.adder.flags.val();
        } else if self.marks.q.val().invalid {
            self.m_axis_tuser.next = bits::<FLAGS_WIDTH>(Flag::Invalid.mask() as u64);
        }
        if self.rst.val() {
            for i in 0..self._stages {
                self.valid[i].d.next = false;
            }
        }
    }
}

#[cfg(test)]
mod tests;
