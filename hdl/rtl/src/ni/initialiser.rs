use crate::bus::SweepOut;
use portico_spec::{flit::NODE_WIDTH, ni::INITIALISATION_CYCLES};
use portico_verilog::prelude::*;

/// Counts the cycles after reset in which a network interface clears its tables.
///
/// Gives every table its addresses, once after each reset.
///
/// | | |
/// | --- | --- |
/// | latency | `sweep_active` is high from the first clock edge of a reset until [`INITIALISATION_CYCLES`] after the last |
/// | timing | both outputs come straight from flip-flops |
/// | state | 10 flip-flops |
#[derive(LogicBlock, Default)]
pub struct Initialiser {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The place counts from 0 to the last of the largest table.
    pub sweep: SweepOut,
    count: DFF<Bits<NODE_WIDTH>>,
    over: DFF<Bit>,
}

// The sweep ends by its width.
const _: () = assert!(INITIALISATION_CYCLES == 1 << NODE_WIDTH);

#[kernel]
impl Logic for Initialiser {
    fn update(&mut self) {
        dff_setup!(self, clk, count, over);
        self.sweep.active.next = !self.over.q.val();
        self.sweep.place.next = self.count.q.val();
        self.count.d.next = self.count.q.val() + 1;
        self.over.d.next = self.over.q.val() | self.count.q.val().all();
        if self.rst.val() {
            self.count.d.next = 0.into();
            self.over.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset};

    clocked!([] Initialiser);

    fn sweeps_once(dut: &mut Initialiser) {
        for cycle in 0..INITIALISATION_CYCLES {
            assert!(dut.sweep.active.val(), "cycle {cycle}");
            assert_eq!(dut.sweep.place.val(), cycle as u64);
            clock(dut);
        }
        for _ in 0..2 * INITIALISATION_CYCLES {
            assert!(!dut.sweep.active.val());
            clock(dut);
        }
    }

    #[test]
    fn every_address_comes_once_after_each_reset() {
        let mut dut = reset(Initialiser::default());
        sweeps_once(&mut dut);
        let mut dut = reset(dut);
        (0..100).for_each(|_| clock(&mut dut));
        sweeps_once(&mut reset(dut));
    }

    #[test]
    fn a_long_reset_holds_the_sweep() {
        let mut dut = reset(Initialiser::default());
        dut.rst.next = true;
        for _ in 0..2 * INITIALISATION_CYCLES {
            clock(&mut dut);
            assert!(dut.sweep.active.val());
            assert_eq!(dut.sweep.place.val(), 0u64);
        }
        dut.rst.next = false;
        sweeps_once(&mut dut);
    }
}
