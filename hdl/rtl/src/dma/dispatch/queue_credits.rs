use crate::{
    bus::{CreditIn, CreditTakeIn, SweepIn},
    prim::{Change, CounterTable},
};
use portico_spec::ni::segment::{CREDITS_WIDTH, HANDLE_WIDTH};
use portico_verilog::prelude::*;

/// Credits of the peers' queues, one counter a segment.
///
/// Puts returns, settings and takes into the one pipeline of the counters.
///
/// | | |
/// | --- | --- |
/// | latency | a take is answered 3 cycles after it has begun |
/// | throughput | one return a cycle; a setting and a take in cycles without one |
/// | state | that of [`CounterTable`]: the credits of each segment |
///
/// A return never waits. One of a segment that does not exist is nothing.
#[derive(LogicBlock, Default)]
pub struct QueueCredits {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is on its way.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Sets the counter of `set_segment`; that and the value stay while `busy`.
    pub set: Signal<In, Bit>,
    /// Handle of the segment whose counter is set; stays while `busy`.
    pub set_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// Credits to which the counter is set; stays while `busy`.
    pub set_value: Signal<In, Bits<CREDITS_WIDTH>>,
    /// Credits of segments that come back.
    pub credit_return: CreditIn,
    /// Requests of credits of peers' queues, for messages.
    pub credit_take: CreditTakeIn,
    /// The setting waits.
    pub busy: Signal<Out, Bit>,
    counters: CounterTable<CREDITS_WIDTH, HANDLE_WIDTH>,
    set_waits: DFF<Bit>,
    take_runs: DFF<Bit>,
    last: Constant<Bits<HANDLE_WIDTH>>,
}

impl QueueCredits {
    /// Counters of `segments`, a power of two up to 256.
    pub fn new(segments: usize) -> Self {
        Self {
            counters: CounterTable::new(segments),
            last: Constant::new(bits(segments as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for QueueCredits {
    fn update(&mut self) {
        wire!(self => counters: clk, rst);
        dff_setup!(self, clk, set_waits, take_runs);

        // One begins: a return before a setting before a take.
        self.counters.change.next = Change::Nothing;
        self.counters.place.next = self.set_segment.val();
        self.counters.value.next = self.set_value.val();
        if self.set.val() {
            self.set_waits.d.next = true;
        }
        if self.sweep.active.val() {
            self.counters.change.next = Change::Set;
            self.counters.place.next = self.sweep.place.val().get_bits::<HANDLE_WIDTH>(0);
            self.counters.value.next = 0.into();
        } else if self.credit_return.valid.val() & (self.credit_return.segment.val() <= self.last.val()) {
            self.counters.change.next = Change::Up;
            self.counters.place.next = self.credit_return.segment.val();
        } else if self.set_waits.q.val() {
            self.counters.change.next = Change::Set;
            self.set_waits.d.next = false;
        } else if self.credit_take.valid.val() & !self.take_runs.q.val() {
            self.counters.change.next = Change::Take;
            self.counters.place.next = self.credit_take.segment.val();
            self.take_runs.d.next = true;
        }

        self.busy.next = self.set_waits.q.val();
        self.credit_take.answered.next = self.counters.done.val() == Change::Take;
        self.credit_take.granted.next = self.counters.was_any.val();
        if self.counters.done.val() == Change::Take {
            self.take_runs.d.next = false;
        }
        if self.rst.val() {
            self.set_waits.d.next = false;
            self.take_runs.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use portico_spec::ni::segment::SEGMENTS;
    use rand::Rng;

    clocked!([] QueueCredits);

    #[test]
    fn counts_settings_returns_and_takes_that_all_come_at_once() {
        let mut rng = rng(0xc4ed);
        let mut dut = reset(QueueCredits::new(SEGMENTS));
        let mut model = vec![0u64; SEGMENTS];
        // A setting that waits; a take that waits, and what has become of one that began, by the cycle of its answer.
        let mut setting: Option<(usize, u64)> = None;
        let mut pending: Option<usize> = None;
        let mut due: Option<(usize, bool)> = None;
        let (mut granted, mut refused, mut crowded) = (0, 0, 0);
        for cycle in 0..40_000 {
            let sweeps = (10_000..10_000 + SEGMENTS).contains(&cycle) || cycle < SEGMENTS;
            let idle = (9_900..10_000).contains(&cycle);
            dut.sweep.active.next = sweeps;
            dut.sweep.place.next = ((cycle % 10_000 % SEGMENTS) as u64).into();
            // Few segments, so that they meet.
            let mut handle = || rng.gen_range(0..3) * 85;
            let (set, back, take) = (handle(), handle(), handle());
            let crowd = cycle % 100 < 30;
            let returns = !sweeps && !idle && rng.gen_bool(if crowd { 1.0 } else { 0.3 });
            let sets = setting.is_none() && !sweeps && !idle && rng.gen_bool(0.2);
            if pending.is_none() && due.is_none() && !sweeps && !idle && rng.gen_bool(0.7) {
                pending = Some(take);
            }
            let begun = due.is_some();
            dut.set.next = sets;
            if sets {
                let value = rng.gen_range(0..4);
                dut.set_segment.next = (set as u64).into();
                dut.set_value.next = value.into();
            }
            dut.credit_return.valid.next = returns;
            dut.credit_return.segment.next = (back as u64).into();
            dut.credit_take.valid.next = pending.is_some();
            dut.credit_take.segment.next = (pending.unwrap_or(85) as u64).into();
            settle(&mut dut);
            assert_eq!(dut.busy.val(), setting.is_some(), "cycle {cycle}");

            // One of them is done, in the order of the docs; a setting is seen in the cycle after it came.
            if sweeps {
                model.fill(0);
            } else if returns {
                model[back] += 1;
                crowded += usize::from(setting.is_some());
            } else if let Some((segment, value)) = setting.take() {
                model[segment] = value;
            } else if let (Some(segment), false) = (pending, begun) {
                due = Some((cycle + 3, model[segment] > 0));
                model[segment] = model[segment].saturating_sub(1);
            }
            if sets {
                setting = Some((set, dut.set_value.val().to_u64()));
            }
            clock(&mut dut);
            let answer = dut.credit_take.answered.val().then(|| dut.credit_take.granted.val());
            let expected = due.filter(|(at, _)| *at == cycle + 1).map(|(_, granted)| granted);
            assert_eq!(answer, expected, "cycle {cycle}");
            if let Some(answer) = answer {
                granted += usize::from(answer);
                refused += usize::from(!answer);
            }
            // The answer stands for the cycle that begins, and the request with it.
            if due.is_some_and(|(at, _)| at == cycle) {
                (due, pending) = (None, None);
            }
        }
        assert!(
            granted > 1_000 && refused > 300 && crowded > 300,
            "{granted} {refused} {crowded}"
        );
    }
}
