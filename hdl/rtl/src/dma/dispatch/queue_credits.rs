use crate::{bus::CreditIn, prim::LutRam};
use portico_spec::ni::segment::{CREDITS_WIDTH, HANDLE_WIDTH};
use portico_verilog::prelude::*;

/// A counter and its phase.
const ENTRY_WIDTH: usize = CREDITS_WIDTH + 1;

/// Credits of the peers' queues, one counter a segment.
///
/// The counters. A return comes first, a take waits for it.
///
/// | | |
/// | --- | --- |
/// | latency | a credit that is set, returned or taken counts in the next cycle |
/// | throughput | one setting, and one return or take, a cycle |
/// | state | 17 bits a segment in LUT-RAM, and one of the bits a second time |
///
/// Neither a register write nor a return can wait, and both may come in every cycle; a memory has one write port. So each
/// has a memory of its own: `counts` for returns and takes, `settings` for register writes. A bit beside each, the phase,
/// tells which of the two is newer: a write of a setting makes the phases differ, and whoever counts makes them equal.
#[derive(LogicBlock, Default)]
pub struct QueueCredits {
    pub clk: Signal<In, Clock>,
    /// The counters are cleared, one a cycle.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<HANDLE_WIDTH>>,
    /// Sets the counter of `set_segment`.
    pub set: Signal<In, Bit>,
    pub set_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    pub set_value: Signal<In, Bits<CREDITS_WIDTH>>,
    pub credit_return: CreditIn,
    pub credit_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// `credit_segment` is looked at in this cycle.
    pub credit_ready: Signal<Out, Bit>,
    /// It is, and has a credit.
    pub credit_available: Signal<Out, Bit>,
    /// Takes that credit; nothing without `credit_available`.
    pub credit_take: Signal<In, Bit>,
    counts: LutRam<ENTRY_WIDTH, HANDLE_WIDTH>,
    settings: LutRam<ENTRY_WIDTH, HANDLE_WIDTH>,
    /// Phases of `counts`, for who sets.
    phases: LutRam<1, HANDLE_WIDTH>,
    looked_at: Signal<Local, Bits<HANDLE_WIDTH>>,
    phase: Signal<Local, Bits<1>>,
    count: Signal<Local, Bits<CREDITS_WIDTH>>,
    counted: Signal<Local, Bits<CREDITS_WIDTH>>,
    counting: Signal<Local, Bit>,
    set_phase: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for QueueCredits {
    fn update(&mut self) {
        wire!(self => counts, settings, phases: clk);

        self.looked_at.next = self.credit_segment.val();
        if self.credit_return.valid.val() {
            self.looked_at.next = self.credit_return.segment.val();
        }
        self.counts.read_address.next = self.looked_at.val();
        self.settings.read_address.next = self.looked_at.val();
        self.phase.next = self.settings.read_data.val().get_bits::<1>(CREDITS_WIDTH);
        self.count.next = self.counts.read_data.val().get_bits::<CREDITS_WIDTH>(0);
        if self.phase.val() != self.counts.read_data.val().get_bits::<1>(CREDITS_WIDTH) {
            self.count.next = self.settings.read_data.val().get_bits::<CREDITS_WIDTH>(0);
        }
        self.credit_ready.next = !self.credit_return.valid.val() & !self.initialising.val();
        self.credit_available.next =
            !self.credit_return.valid.val() & !self.initialising.val() & self.count.val().any();

        self.counting.next = self.credit_return.valid.val() | (self.credit_take.val() & self.count.val().any());
        self.counted.next = self.count.val() - 1;
        if self.credit_return.valid.val() {
            self.counted.next = self.count.val() + 1;
        }
        self.counts.write_enable.next = self.counting.val() | self.initialising.val();
        self.counts.write_address.next = self.looked_at.val();
        self.counts.write_data.next = bit_cast::<ENTRY_WIDTH, CREDITS_WIDTH>(self.counted.val())
            | (bit_cast::<ENTRY_WIDTH, 1>(self.phase.val()) << bits::<5>(CREDITS_WIDTH));
        self.phases.write_enable.next = self.counting.val() | self.initialising.val();
        self.phases.write_address.next = self.looked_at.val();
        self.phases.write_data.next = self.phase.val();

        // A count of the same segment in the same cycle makes the phases equal first.
        self.phases.read_address.next = self.set_segment.val();
        self.set_phase.next = !self.phases.read_data.val();
        if self.counting.val() & (self.looked_at.val() == self.set_segment.val()) {
            self.set_phase.next = !self.phase.val();
        }
        self.settings.write_enable.next = self.set.val() | self.initialising.val();
        self.settings.write_address.next = self.set_segment.val();
        self.settings.write_data.next = bit_cast::<ENTRY_WIDTH, CREDITS_WIDTH>(self.set_value.val())
            | (bit_cast::<ENTRY_WIDTH, 1>(self.set_phase.val()) << bits::<5>(CREDITS_WIDTH));

        if self.initialising.val() {
            self.counts.write_address.next = self.sweep.val();
            self.counts.write_data.next = 0.into();
            self.phases.write_address.next = self.sweep.val();
            self.phases.write_data.next = 0.into();
            self.settings.write_address.next = self.sweep.val();
            self.settings.write_data.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use portico_spec::ni::segment::SEGMENTS;
    use rand::Rng;

    #[test]
    fn counts_settings_returns_and_takes_that_all_come_at_once() {
        let mut rng = rng(0xc4ed);
        let mut dut = QueueCredits::default();
        dut.connect_all();
        let mut model = vec![0u64; SEGMENTS];
        // Leave something behind for the sweep to clear.
        for cycle in 0..40_000 {
            let sweeps = (10_000..10_000 + SEGMENTS).contains(&cycle) || cycle < SEGMENTS;
            dut.initialising.next = sweeps;
            dut.sweep.next = ((cycle % 10_000 % SEGMENTS) as u64).into();
            // Few segments, so that they meet.
            let mut handle = || rng.gen_range(0..4) * 85;
            let (set, back, take) = (handle(), handle(), handle());
            let value = rng.gen_range(0..4);
            let (sets, returns, takes) = (
                !sweeps && rng.gen_bool(0.3),
                !sweeps && rng.gen_bool(0.3),
                rng.gen_bool(0.8),
            );
            dut.set.next = sets;
            dut.set_segment.next = (set as u64).into();
            dut.set_value.next = value.into();
            dut.credit_return.valid.next = returns;
            dut.credit_return.segment.next = (back as u64).into();
            dut.credit_segment.next = (take as u64).into();
            dut.credit_take.next = false;
            settle(&mut dut);
            assert_eq!(dut.credit_ready.val(), !returns && !sweeps, "cycle {cycle}");
            let available = dut.credit_available.val();
            assert_eq!(
                available,
                !returns && !sweeps && model[take] > 0,
                "cycle {cycle}, segment {take}"
            );
            dut.credit_take.next = takes && available;
            if takes && available {
                model[take] -= 1;
            }
            if returns {
                model[back] += 1;
            }
            if sets {
                model[set] = value;
            }
            if sweeps {
                model.fill(0);
            }
            clock_edge!(dut);
        }
    }
}
