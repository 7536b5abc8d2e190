use crate::{
    bus::{AddressMatch, RegisterReadIn, SweepIn, ACCESS_CYCLES},
    prim::LutRam,
};
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
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Every cycle counts while this is high.
    pub cycle: Signal<In, Bit>,
    /// A flit has come on the data plane in this cycle.
    pub data_in: Signal<In, Bit>,
    /// A flit has gone on the data plane in this cycle.
    pub data_out: Signal<In, Bit>,
    /// A flit has come on the control plane in this cycle.
    pub control_in: Signal<In, Bit>,
    /// A flit has gone on the control plane in this cycle.
    pub control_out: Signal<In, Bit>,
    /// A flit waits to enter the data plane.
    pub data_stall: Signal<In, Bit>,
    /// A word or packet from the network is refused in this cycle.
    pub refused: Signal<In, Bit>,
    /// A descriptor is dropped in this cycle: it did not fit its queue, or the node takes none.
    pub dropped: Signal<In, Bit>,
    /// A micro-core runs in this cycle; at a memory node: a get is served.
    pub running: Signal<In, Bit>,
    /// Every active micro-core waits in this cycle.
    pub waiting: Signal<In, Bit>,
    /// External memory answered with an error.
    pub memory_error: Signal<In, Bit>,
    /// An engine has work in this cycle.
    pub engines_run: Signal<In, Bit>,
    /// An engine has work and waits in this cycle.
    pub engines_wait: Signal<In, Bit>,
    /// A read of any register begins: high for a cycle.
    pub asked: Signal<In, Bit>,
    /// Reads of registers; those of block COUNTERS are answered here, 3 cycles after `asked`.
    pub register_read: RegisterReadIn,
    counters: NodeCounters,
    tapped: [DFF<Bit>; COUNTERS],
    taps: Signal<Local, Bits<COUNTERS>>,
}

#[kernel]
impl Logic for NodeMonitor {
    fn update(&mut self) {
        wire!(self => counters: clk, rst, asked);
        wire!(self <=> counters: sweep, register_read);
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
        self.tapped[11].d.next = self.engines_run.val();
        self.tapped[12].d.next = self.engines_wait.val();
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
/// Bits of a count that is not in the table yet: enough for a round, and the accesses in it.
const RECENT_WIDTH: usize = 5;

/// Counters of the monitor.
///
/// Counters of 32 bits that wrap.
///
/// | | |
/// | --- | --- |
/// | latency | an increment of cycle t is told by a read of t; the answer follows 3 cycles after the read, and stays |
/// | throughput | every counter every cycle |
/// | state | 32 bits a counter in LUT-RAM, the counts that wait, and the counter in hand |
///
/// One adder serves all: it goes round, and adds to each counter what has happened since the last time. A read makes it
/// visit the counter that is read. A visit takes two cycles, one behind the other: the counter and its news go to
/// registers, and their sum goes back. A second visit right behind the first takes the sum of that.
#[derive(LogicBlock, Default)]
pub struct NodeCounters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// One bit a counter: adds one.
    pub increment: Signal<In, Bits<COUNTERS>>,
    /// A read of any register begins: high for a cycle.
    pub asked: Signal<In, Bit>,
    /// Reads of registers; those of block COUNTERS are answered here, 3 cycles after `asked`.
    pub register_read: RegisterReadIn,
    is_own: AddressMatch<{ Registers::Counters as usize }, PLACE_WIDTH>,
    words: LutRam<Bits<32>, PLACE_WIDTH>,
    recent: [DFF<Bits<RECENT_WIDTH>>; COUNTERS],
    turn: DFF<Bits<PLACE_WIDTH>>,
    shown: DFF<Bits<32>>,
    /// The visit in its second cycle: whose, whether for a read, what was there, what is new.
    visited: DFF<Bits<PLACE_WIDTH>>,
    shows: DFF<Bit>,
    word: DFF<Bits<32>>,
    fresh: DFF<Bits<RECENT_WIDTH>>,
    /// The read is of one of these counters; it is served a cycle after it came.
    own: DFF<Bit>,
    place: Signal<Local, Bits<PLACE_WIDTH>>,
    news: Signal<Local, Bits<RECENT_WIDTH>>,
    sum: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for NodeCounters {
    fn update(&mut self) {
        wire!(self => words: clk);
        dff_setup!(self, clk, own, turn, shown, visited, shows, word, fresh);
        self.is_own.index.next = self.register_read.index.val();
        self.own.d.next = self.asked.val() & self.is_own.hit.val();
        self.place.next = self.turn.q.val();
        if self.own.q.val() {
            self.place.next = self.register_read.index.val().get_bits::<PLACE_WIDTH>(0);
        } else {
            self.turn.d.next = self.turn.q.val() + 1;
            if self.turn.q.val() == bits::<PLACE_WIDTH>(COUNTERS as u64 - 1) {
                self.turn.d.next = 0.into();
            }
        }

        self.news.next = 0.into();
        for i in 0..COUNTERS {
            self.recent[i].clock.next = self.clk.val();
            self.recent[i].d.next = self.recent[i].q.val();
            if self.increment.val().get_bit(i) {
                self.recent[i].d.next = self.recent[i].q.val() + 1;
            }
            if self.place.val() == bits::<PLACE_WIDTH>(i) {
                self.news.next = self.recent[i].q.val();
                self.recent[i].d.next = 0.into();
                if self.increment.val().get_bit(i) {
                    self.recent[i].d.next = 1.into();
                }
            }
            if self.sweep.active.val() | self.rst.val() {
                self.recent[i].d.next = 0.into();
            }
        }
        self.words.read_address.next = self.place.val();
        self.visited.d.next = self.place.val();
        self.shows.d.next = self.own.q.val();
        self.fresh.d.next = self.news.val();
        self.sum.next = self.word.q.val() + bit_cast::<32, RECENT_WIDTH>(self.fresh.q.val());
        self.word.d.next = self.words.read_data.val();
        if self.place.val() == self.visited.q.val() {
            self.word.d.next = self.sum.val();
        }
        self.words.write_enable.next = true;
        self.words.write_address.next = self.visited.q.val();
        self.words.write_data.next = self.sum.val();
        if self.sweep.active.val() {
            self.words.write_address.next = self.sweep.place.val().get_bits::<PLACE_WIDTH>(0);
            self.words.write_data.next = 0.into();
            self.word.d.next = 0.into();
            self.fresh.d.next = 0.into();
        }
        if self.asked.val() {
            self.shown.d.next = 0.into();
        }
        if self.shows.q.val() {
            self.shown.d.next = self.sum.val();
        }
        self.register_read.data.next = self.shown.q.val();
        if self.rst.val() {
            self.own.d.next = false;
            self.shows.d.next = false;
            self.turn.d.next = 0.into();
        }
    }
}

// A counter is visited again within a round, and the accesses that come between.
const _: () = assert!(COUNTERS + COUNTERS.div_ceil(ACCESS_CYCLES) + 1 < 1 << RECENT_WIDTH);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ni::testing::initialised,
        prim::testing::{clock, clocked, reset, rng, settle},
    };
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
            &mut dut.engines_run,
            &mut dut.engines_wait,
        ]
    }

    #[test]
    fn every_tap_counts_in_its_own_register() {
        let mut rng = rng(0x3043);
        let mut dut = initialised!(NodeMonitor::default());
        let registers: [CounterRegister; COUNTERS] = [
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
            EnginesRun,
            EnginesWait,
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
            dut.asked.next = true;
            dut.register_read.index.next = u64::from(index(register, 0)).into();
            clock(&mut dut);
            dut.asked.next = false;
            (0..2).for_each(|_| clock(&mut dut));
            assert_eq!(dut.register_read.data.val(), count, "{register:?}");
        }
        let mut dut = initialised!(dut);
        for register in registers {
            dut.asked.next = true;
            dut.register_read.index.next = u64::from(index(register, 0)).into();
            clock(&mut dut);
            dut.asked.next = false;
            (0..2).for_each(|_| clock(&mut dut));
            assert_eq!(dut.register_read.data.val(), 0u64, "{register:?} after reset");
        }
    }

    clocked!([] NodeCounters);

    #[test]
    fn counts_every_pulse_and_answers_for_its_own_registers_alone() {
        let mut rng = rng(0xc07);
        let mut dut = initialised!(NodeCounters::default());
        let mut model = [0u64; COUNTERS];
        let (mut expected, mut next_access) = (0, 0);
        for cycle in 0..6_000 {
            let increment = rng.gen_range(0..1u64 << COUNTERS) | if cycle < 3_000 { 1 } else { 0x7ff };
            let reads = cycle >= next_access && rng.gen_bool(0.8);
            dut.increment.next = increment.into();
            dut.asked.next = reads;
            for (i, count) in model.iter_mut().enumerate() {
                *count += increment >> i & 1;
            }
            if cycle + ACCESS_CYCLES >= next_access + 3 {
                assert_eq!(dut.register_read.data.val(), expected, "cycle {cycle}");
            }
            if reads {
                next_access = cycle + ACCESS_CYCLES;
                let place = rng.gen_range(0..16);
                let own = rng.gen_bool(0.8);
                let base = if own { 0x9000 } else { rng.gen_range(0..0x900) << 4 };
                dut.register_read.index.next = (base | place).into();
                expected = model.get(place as usize).copied().filter(|_| own).unwrap_or_default();
            }
            clock(&mut dut);
        }
        assert!(model.iter().all(|count| *count > 2_000));
    }
}
