use crate::bus::{AddressMatch, RegisterReadIn};
use portico_spec::ni::registers::{Block as Registers, CounterRegister, Place};
use portico_verilog::prelude::*;

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
pub struct Counters {
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
impl Logic for Counters {
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
    use crate::prim::testing::{clock, clocked, emitted, reset, rng};
    use rand::Rng;

    clocked!([] Counters);

    #[test]
    fn counts_every_pulse_and_gives_zero_for_registers_of_others() {
        let mut rng = rng(0xc07);
        let mut dut = reset(Counters::default());
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

    #[test]
    fn emits() {
        emitted("counters", &Counters::default());
    }
}
