//! A leg of the switch: what an input offers to an output.

use portico_verilog::prelude::*;

/// The flit at the head of an input, as one output sees it.
#[derive(Clone, Debug, Default, Documented, LogicInterface)]
pub struct Leg<const W: usize> {
    pub data: Signal<In, Bits<W>>,
    pub last: Signal<In, Bit>,
    /// There is a flit, and its route leads to this output.
    pub wanted: Signal<In, Bit>,
    /// The flit leaves in this cycle.
    pub taken: Signal<Out, Bit>,
}
