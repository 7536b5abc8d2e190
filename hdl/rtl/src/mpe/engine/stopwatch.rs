use crate::prim::LutRam;
use portico_spec::{
    mpe::call::{CONTEXTS, CONTEXT_WIDTH},
    ni::registers::MPE_TIMEOUT_WIDTH,
};
use portico_verilog::prelude::*;

/// Cycles are counted in steps of as many as there are contexts.
const STEP_WIDTH: usize = CONTEXT_WIDTH;
/// Width of a number of steps.
const WIDTH: usize = MPE_TIMEOUT_WIDTH - STEP_WIDTH;

/// Tells which contexts have stood still for as long as they may.
///
/// Of 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | a context expires up to 8 cycles after its time |
/// | range | 4 to 2^32 - 4 cycles; less than 4 is for ever |
/// | state | limits and counts in LUT-RAM, and whose turn it is |
#[derive(LogicBlock, Default)]
pub struct Stopwatch {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high; the initialisation has to follow.
    pub rst: Signal<In, Bit>,
    /// Limits are cleared.
    pub initialising: Signal<In, Bit>,
    /// A limit in cycles is written.
    pub write: Signal<In, Bit>,
    /// Context of which the limit is written; valid with `write`.
    pub write_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The limit in cycles, less than 4 for ever; valid with `write`.
    pub write_data: Signal<In, Bits<32>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it has moved in this cycle.
    pub moves: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it has stood still for as long as its limit allows.
    pub expired: Signal<Out, Bits<CONTEXTS>>,
    limits: LutRam<Bits<WIDTH>, CONTEXT_WIDTH>,
    counts: LutRam<Bits<WIDTH>, CONTEXT_WIDTH>,
    turn: DFF<Bits<CONTEXT_WIDTH>>,
    moved: DFF<Bits<CONTEXTS>>,
    late: DFF<Bits<CONTEXTS>>,
    own: Signal<Local, Bits<CONTEXTS>>,
    stands: Signal<Local, Bit>,
    is_late: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Stopwatch {
    fn update(&mut self) {
        wire!(self => limits, counts: clk);
        dff_setup!(self, clk, turn, moved, late);
        self.turn.d.next = self.turn.q.val() + 1;
        self.own.next = bits::<CONTEXTS>(1) << self.turn.q.val();
        self.limits.read_address.next = self.turn.q.val();
        self.counts.read_address.next = self.turn.q.val();
        self.stands.next = (self.running.val() & !self.moved.q.val() & self.own.val()).any();
        self.counts.write_enable.next = true;
        self.counts.write_address.next = self.turn.q.val();
        self.counts.write_data.next = 0.into();
        if self.stands.val() {
            self.counts.write_data.next = self.counts.read_data.val() + 1;
        }
        self.moved.d.next = (self.moved.q.val() & !self.own.val()) | self.moves.val();
        self.is_late.next = self.stands.val()
            & self.limits.read_data.val().any()
            & (self.counts.read_data.val() >= self.limits.read_data.val());
        self.late.d.next = self.late.q.val() & !self.own.val();
        if self.is_late.val() {
            self.late.d.next = self.late.q.val() | self.own.val();
        }
        self.expired.next = self.late.q.val();
        self.limits.write_enable.next = self.write.val() | self.initialising.val();
        self.limits.write_address.next = self.write_context.val();
        self.limits.write_data.next = self.write_data.val().get_bits::<WIDTH>(STEP_WIDTH);
        if self.initialising.val() {
            self.limits.write_address.next = self.turn.q.val();
            self.limits.write_data.next = 0.into();
        }
        if self.rst.val() {
            self.turn.d.next = 0.into();
            self.moved.d.next = 0.into();
            self.late.d.next = 0.into();
        }
    }
}
