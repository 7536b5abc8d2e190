use crate::{
    bus::{CreditIn, CreditTakeIn},
    prim::Ram,
};
use portico_spec::ni::segment::{CREDITS_WIDTH, HANDLE_WIDTH};
use portico_verilog::prelude::*;

/// What is done to a counter.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Change {
    Nothing,
    Set,
    Return,
    Take,
}

/// Credits of the peers' queues, one counter a segment.
///
/// One pipeline through which all that happens to the counters goes: read, change, write.
///
/// | | |
/// | --- | --- |
/// | latency | a take is answered 3 cycles after it has begun |
/// | throughput | one return a cycle; a setting and a take in cycles without one |
/// | state | 16 bits a segment in block RAM, and what is on its way |
///
/// A return never waits. What the two changes in front have written comes from them and not from the memory, which does
/// not have it yet.
#[derive(LogicBlock, Default)]
pub struct QueueCredits {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is on its way.
    pub rst: Signal<In, Bit>,
    /// The counters are cleared, one a cycle; no return comes.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<HANDLE_WIDTH>>,
    /// Sets the counter of `set_segment`; that and the value stay while `busy`.
    pub set: Signal<In, Bit>,
    pub set_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    pub set_value: Signal<In, Bits<CREDITS_WIDTH>>,
    pub credit_return: CreditIn,
    pub credit_take: CreditTakeIn,
    /// The setting waits.
    pub busy: Signal<Out, Bit>,
    counts: Ram<CREDITS_WIDTH, HANDLE_WIDTH, 1>,
    set_waits: DFF<Bit>,
    take_runs: DFF<Bit>,
    // Three stages: the memory reads, its word goes to a register, the sum is written.
    change: [DFF<Change>; 2],
    subject: [DFF<Bits<HANDLE_WIDTH>>; 2],
    value: [DFF<Bits<CREDITS_WIDTH>>; 2],
    count: DFF<Bits<CREDITS_WIDTH>>,
    /// The change in the last stage follows one to the same counter, by one or by two.
    follows: [DFF<Bit>; 2],
    /// What the last changes have made of their counters.
    written_subject: DFF<Bits<HANDLE_WIDTH>>,
    written: [DFF<Bits<CREDITS_WIDTH>>; 2],
    answered: DFF<Bit>,
    is_granted: DFF<Bit>,
    begins: Signal<Local, Change>,
    handle: Signal<Local, Bits<HANDLE_WIDTH>>,
    amount: Signal<Local, Bits<CREDITS_WIDTH>>,
    present: Signal<Local, Bits<CREDITS_WIDTH>>,
    changed: Signal<Local, Bits<CREDITS_WIDTH>>,
}

#[kernel]
impl Logic for QueueCredits {
    fn update(&mut self) {
        wire!(self => counts: clk);
        dff_setup!(
            self,
            clk,
            set_waits,
            take_runs,
            count,
            written_subject,
            answered,
            is_granted
        );
        for i in 0..2 {
            self.change[i].clock.next = self.clk.val();
            self.subject[i].clock.next = self.clk.val();
            self.value[i].clock.next = self.clk.val();
            self.follows[i].clock.next = self.clk.val();
            self.written[i].clock.next = self.clk.val();
        }

        // One begins: a return before a setting before a take.
        self.begins.next = Change::Nothing;
        self.handle.next = self.set_segment.val();
        self.amount.next = self.set_value.val();
        if self.set.val() {
            self.set_waits.d.next = true;
        }
        if self.initialising.val() {
            self.begins.next = Change::Set;
            self.handle.next = self.sweep.val();
            self.amount.next = 0.into();
        } else if self.credit_return.valid.val() {
            self.begins.next = Change::Return;
            self.handle.next = self.credit_return.segment.val();
        } else if self.set_waits.q.val() {
            self.begins.next = Change::Set;
            self.set_waits.d.next = false;
        } else if self.credit_take.valid.val() & !self.take_runs.q.val() {
            self.begins.next = Change::Take;
            self.handle.next = self.credit_take.segment.val();
            self.take_runs.d.next = true;
        }
        self.counts.read_enable.next = true;
        self.counts.read_address.next = self.handle.val();
        self.change[0].d.next = self.begins.val();
        self.subject[0].d.next = self.handle.val();
        self.value[0].d.next = self.amount.val();

        self.count.d.next = self.counts.read_data.val();
        self.change[1].d.next = self.change[0].q.val();
        self.subject[1].d.next = self.subject[0].q.val();
        self.value[1].d.next = self.value[0].q.val();
        self.follows[0].d.next = self.subject[0].q.val() == self.subject[1].q.val();
        self.follows[1].d.next = self.subject[0].q.val() == self.written_subject.q.val();

        self.present.next = self.count.q.val();
        if self.follows[1].q.val() {
            self.present.next = self.written[1].q.val();
        }
        if self.follows[0].q.val() {
            self.present.next = self.written[0].q.val();
        }
        self.changed.next = self.present.val();
        self.answered.d.next = false;
        self.is_granted.d.next = self.present.val().any();
        match self.change[1].q.val() {
            Change::Nothing => {}
            Change::Set => {
                self.changed.next = self.value[1].q.val();
            }
            Change::Return => {
                self.changed.next = self.present.val() + 1;
            }
            Change::Take => {
                self.answered.d.next = true;
                if self.present.val().any() {
                    self.changed.next = self.present.val() - 1;
                }
            }
        }
        self.counts.write_lanes.next = (self.change[1].q.val() != Change::Nothing).into();
        self.counts.write_address.next = self.subject[1].q.val();
        self.counts.write_data.next = self.changed.val();
        self.written_subject.d.next = self.subject[1].q.val();
        self.written[0].d.next = self.changed.val();
        self.written[1].d.next = self.written[0].q.val();

        self.busy.next = self.set_waits.q.val();
        self.credit_take.answered.next = self.answered.q.val();
        self.credit_take.granted.next = self.is_granted.q.val();
        if self.answered.q.val() {
            self.take_runs.d.next = false;
        }
        if self.rst.val() {
            self.set_waits.d.next = false;
            self.take_runs.d.next = false;
            self.answered.d.next = false;
            self.change[0].d.next = Change::Nothing;
            self.change[1].d.next = Change::Nothing;
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
        let mut dut = reset(QueueCredits::default());
        let mut model = vec![0u64; SEGMENTS];
        // A setting that waits; a take that waits, and what has become of one that began, by the cycle of its answer.
        let mut setting: Option<(usize, u64)> = None;
        let mut pending: Option<usize> = None;
        let mut due: Option<(usize, bool)> = None;
        let (mut granted, mut refused, mut crowded) = (0, 0, 0);
        for cycle in 0..40_000 {
            let sweeps = (10_000..10_000 + SEGMENTS).contains(&cycle) || cycle < SEGMENTS;
            let idle = (9_900..10_000).contains(&cycle);
            dut.initialising.next = sweeps;
            dut.sweep.next = ((cycle % 10_000 % SEGMENTS) as u64).into();
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
