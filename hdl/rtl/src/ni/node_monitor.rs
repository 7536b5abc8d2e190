use super::{Counters, COUNTERS};
use crate::bus::RegisterReadIn;
use portico_verilog::prelude::*;

/// What happens at a node, counted.
///
/// The taps of the [`Counters`], in the order of their registers.
///
/// | | |
/// | --- | --- |
/// | latency | an event shows in its counter in the next cycle |
/// | state | [`Counters`], one flip-flop an event |
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
    /// External memory answered with an error.
    pub memory_error: Signal<In, Bit>,
    pub register_read: RegisterReadIn,
    counters: Counters,
    tapped: [DFF<Bit>; COUNTERS],
    taps: Signal<Local, Bits<COUNTERS>>,
}

#[kernel]
impl Logic for NodeMonitor {
    fn update(&mut self) {
        wire!(self => counters: clk, rst);
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
        self.tapped[10].d.next = self.memory_error.val();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, emitted, reset, rng};
    use portico_spec::ni::registers::{index, CounterRegister};
    use rand::Rng;
    use CounterRegister::*;

    clocked!([] NodeMonitor);

    fn taps(dut: &mut NodeMonitor) -> [&mut Signal<In, Bit>; COUNTERS] {
        [
            &mut dut.cycle,
            &mut dut.data_in,
            &mut dut.data_out,
            &mut dut.control_in,
            &mut dut.control_out,
            &mut dut.data_stall,
            &mut dut.refused,
            &mut dut.dropped,
            &mut dut.running,
            &mut dut.waiting,
            &mut dut.memory_error,
        ]
    }

    #[test]
    fn every_tap_counts_in_its_own_register() {
        let mut rng = rng(0x3043);
        let mut dut = reset(NodeMonitor::default());
        let registers = [
            Cycles,
            DataIn,
            DataOut,
            ControlIn,
            ControlOut,
            DataStalls,
            Refused,
            Dropped,
            Running,
            Waiting,
            MemoryErrors,
        ];
        // Each tap as often as no other, so that two that are swapped are told apart.
        let mut model = [0; COUNTERS];
        for _ in 0..2_000 {
            let pulses: [bool; COUNTERS] = std::array::from_fn(|tap| rng.gen_bool((tap + 1) as f64 / 16.0));
            for ((tap, pulse), count) in taps(&mut dut).into_iter().zip(pulses).zip(&mut model) {
                tap.next = pulse;
                *count += u64::from(pulse);
            }
            clock(&mut dut);
        }
        taps(&mut dut).into_iter().for_each(|tap| tap.next = false);
        (0..2).for_each(|_| clock(&mut dut));
        for (register, count) in registers.into_iter().zip(model) {
            dut.register_read.index.next = u64::from(index(register, 0)).into();
            clock(&mut dut);
            assert_eq!(dut.register_read.data.val(), count, "{register:?}");
        }
        dut.rst.next = true;
        clock(&mut dut);
        dut.rst.next = false;
        for register in registers {
            dut.register_read.index.next = u64::from(index(register, 0)).into();
            clock(&mut dut);
            assert_eq!(dut.register_read.data.val(), 0u64, "{register:?} after reset");
        }
    }

    #[test]
    fn emits() {
        emitted("node-monitor", &NodeMonitor::default());
    }
}
