use crate::dma::ports::StopOut;
use portico_spec::ni::{packet::ERROR_WIDTH, CONTEXT_WIDTH};
use portico_verilog::prelude::*;

/// Holds the report of a context that has stopped until it is taken.
///
/// A report on its way.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle |
/// | throughput | one stop in two cycles |
/// | state | one report |
#[derive(LogicBlock, Default)]
pub struct StopReport {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no report.
    pub rst: Signal<In, Bit>,
    /// There is room for a report.
    pub ready: Signal<Out, Bit>,
    /// A context stops; with `ready` alone.
    pub enable: Signal<In, Bit>,
    /// The context that stops.
    pub stopped: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The slot was never sent along with an end of transfer: nobody else will complete it.
    pub owns_slot: Signal<In, Bit>,
    /// Error for which the context stops, 0 for none.
    pub error: Signal<In, Bits<ERROR_WIDTH>>,
    /// The report, from the cycle after `enable` on until it is taken.
    pub stop: StopOut,
    held: DFF<Bit>,
    who: DFF<Bits<CONTEXT_WIDTH>>,
    owns: DFF<Bit>,
    why: DFF<Bits<ERROR_WIDTH>>,
}

#[kernel]
impl Logic for StopReport {
    fn update(&mut self) {
        dff_setup!(self, clk, held, who, owns, why);
        self.stop.valid.next = self.held.q.val();
        self.stop.context.next = self.who.q.val();
        self.stop.owns_slot.next = self.owns.q.val();
        self.stop.error.next = self.why.q.val();
        self.ready.next = !self.held.q.val();
        if self.stop.ready.val() {
            self.held.d.next = false;
        }
        if self.enable.val() {
            self.held.d.next = true;
            self.who.d.next = self.stopped.val();
            self.owns.d.next = self.owns_slot.val();
            self.why.d.next = self.error.val();
        }
        if self.rst.val() {
            self.held.d.next = false;
        }
    }
}
