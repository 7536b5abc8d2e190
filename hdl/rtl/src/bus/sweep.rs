//! The sweep: how tables are cleared after reset.

use portico_spec::flit::NODE_WIDTH;
use portico_verilog::prelude::*;

/// Clears tables after reset, one place a cycle, from 0 on.
#[interface(mirror = SweepIn)]
pub struct SweepOut {
    /// Tables are cleared. Nothing else may use them.
    pub active: Signal<Out, Bit>,
    /// The place that is cleared in this cycle; smaller tables take its low bits.
    pub place: Signal<Out, Bits<NODE_WIDTH>>,
}
