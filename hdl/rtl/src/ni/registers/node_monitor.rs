use crate::bus::{AddressMatch, RegisterReadIn};
use portico_spec::ni::registers::{Block as Registers, CounterRegister, Place};
use portico_verilog::prelude::*;

/// What happens at a node, counted.
///
/// The taps of the [`NodeCounters`], in the order of their registers.
///
/// | | |
/// | --- | --- |
/// | latency | an event shows in its counter in the next cycle |
/// | state | [`NodeCounters`], one flip-flop an event |
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
    counters: NodeCounters,
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

/// Counters of a network interface.
pub const COUNTERS: usize = CounterRegister::REGISTERS.len();
/// Bits that number them.
const PLACE_WIDTH: usize = 4;
const PLACES: usize = 1 << PLACE_WIDTH;

/// Counters of the monitor.
///
/// Counters of 32 bits that wrap.
///
/// | | |
/// | --- | --- |
/// | latency | an increment of cycle t is read by an index of t + 1 |
/// | throughput | every counter every cycle |
/// | state | 32 flip-flops a counter, 32 for the value read |
#[derive(LogicBlock, Default)]
pub struct NodeCounters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all counters are 0 afterwards.
    pub rst: Signal<In, Bit>,
    /// One bit a counter: adds one.
    pub increment: Signal<In, Bits<COUNTERS>>,
    pub register_read: RegisterReadIn,
    read_match: AddressMatch<{ Registers::Counters as usize }, PLACE_WIDTH>,
    count: [DFF<Bits<32>>; COUNTERS],
    shown: DFF<Bits<32>>,
    place: Signal<Local, Bits<PLACES>>,
    picked: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for NodeCounters {
    fn update(&mut self) {
        dff_setup!(self, clk, shown);
        self.read_match.index.next = self.register_read.index.val();
        self.place.next = 0.into();
        if self.read_match.hit.val() {
            self.place.next = bits::<PLACES>(1) << self.register_read.index.val().get_bits::<PLACE_WIDTH>(0);
        }
        self.picked.next = 0.into();
        for i in 0..COUNTERS {
            self.count[i].clock.next = self.clk.val();
            self.count[i].d.next = self.count[i].q.val();
            if self.increment.val().get_bit(i) {
                self.count[i].d.next = self.count[i].q.val() + 1;
            }
            if self.place.val().get_bit(i) {
                self.picked.next = self.picked.val() | self.count[i].q.val();
            }
        }
        self.shown.d.next = self.picked.val();
        self.register_read.data.next = self.shown.q.val();
        if self.rst.val() {
            for i in 0..COUNTERS {
                self.count[i].d.next = 0.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
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

    clocked!([] NodeCounters);

    #[test]
    fn counts_every_pulse_and_gives_zero_for_registers_of_others() {
        let mut rng = rng(0xc07);
        let mut dut = reset(NodeCounters::default());
        let mut model = [0u64; COUNTERS];
        for cycle in 0..3_000 {
            let (increment, rst) = (rng.gen_range(0..1u64 << COUNTERS), rng.gen_bool(0.001));
            let base = if rng.gen_bool(0.8) {
                0x9000
            } else {
                rng.gen_range(0..0x1000) << 4
            };
            let index = base | rng.gen_range(0..PLACES as u64);
            dut.increment.next = increment.into();
            dut.register_read.index.next = index.into();
            dut.rst.next = rst;
            let expected = if base == 0x9000 {
                model.get(index as usize % PLACES).copied()
            } else {
                None
            };
            clock(&mut dut);
            assert_eq!(
                dut.register_read.data.val(),
                expected.unwrap_or_default(),
                "cycle {cycle}"
            );
            for (i, count) in model.iter_mut().enumerate() {
                *count = if rst { 0 } else { *count + (increment >> i & 1) };
            }
        }
        assert!(model.iter().all(|count| *count > 0));
    }
}
