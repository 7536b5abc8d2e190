//! What happens at a node, counted.
//!
//! | | |
//! | --- | --- |
//! | latency | an event shows in its counter in the next cycle |
//! | state | [`Counters`], one flip-flop an event |

use super::{ports::RegisterReadIn, Counters, COUNTERS};
use rust_hdl::prelude::*;

/// The taps of the [`Counters`], in the order of their registers.
#[derive(LogicBlock, Default)]
pub struct NodeMonitor {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all counters are zero afterwards.
    pub rst: Signal<In, Bit>,
    /// Every cycle counts while this is high.
    pub cycle: Signal<In, Bit>,
    pub data_in: Signal<In, Bit>,
    pub data_out: Signal<In, Bit>,
    pub control_in: Signal<In, Bit>,
    pub control_out: Signal<In, Bit>,
    /// A flit waits to enter the data plane.
    pub data_stall: Signal<In, Bit>,
    pub refused: Signal<In, Bit>,
    pub dropped: Signal<In, Bit>,
    pub running: Signal<In, Bit>,
    pub waiting: Signal<In, Bit>,
    pub register_read: RegisterReadIn,
    counters: Counters,
    tapped: [DFF<Bit>; COUNTERS],
    taps: Signal<Local, Bits<COUNTERS>>,
}

impl Logic for NodeMonitor {
    #[hdl_gen]
    fn update(&mut self) {
        self.counters.clk.next = self.clk.val();
        self.counters.rst.next = self.rst.val();
        RegisterReadIn::link(&mut self.register_read, &mut self.counters.register_read);
        self.tapped[0].d.next = self.cycle.val();
        self.tapped[1].d.next = self.data_in.val();
        self.tapped[2].d.next = self.data_out.val();
        self.tapped[3].d.next = self.control_in.val();
        self.tapped[4].d.next = self.control_out.val();
        self.tapped[5].d.next = self.data_stall.val();
        self.tapped[6].d.next = self.refused.val();
        self.tapped[7].d.next = self.dropped.val();
        self.tapped[8].d.next = self.running.val();
        self.tapped[9].d.next = self.waiting.val();
        self.taps.next = 0.into();
        for i in 0..COUNTERS {
            self.tapped[i].clock.next = self.clk.val();
            self.taps.next = self.taps.val().replace_bit(i, self.tapped[i].q.val());
        }
        self.counters.increment.next = self.taps.val();
        if self.rst.val() {
            for i in 0..COUNTERS {
                self.tapped[i].d.next = false;
            }
        }
    }
}
