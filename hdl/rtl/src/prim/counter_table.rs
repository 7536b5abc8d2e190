use super::Ram;
use portico_verilog::prelude::*;

/// The change of a counter.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Change {
    Nothing,
    Look,
    Set,
    /// One more or less; both wrap.
    Up,
    Down,
    /// One less; 0 stays 0.
    Take,
}

/// A table of counters with one pipeline for all changes: read, change, write.
///
/// Up to 2^A counters of `D` bits.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a change to the value before it |
/// | throughput | one change a cycle |
/// | timing | all outputs are flip-flops |
/// | state | `D` bits a counter in block RAM, undefined until set, and what is on its way |
///
/// The results of the two previous changes are forwarded, because the memory does not have them yet.
#[derive(LogicBlock, Default)]
pub struct CounterTable<const D: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is on its way.
    pub rst: Signal<In, Bit>,
    /// What happens to the counter `place`; a look changes nothing, and is answered as the others are.
    pub change: Signal<In, Change>,
    /// Counter that is changed.
    pub place: Signal<In, Bits<A>>,
    /// The value to be set.
    pub value: Signal<In, Bits<D>>,
    /// The change of three cycles before.
    pub done: Signal<Out, Change>,
    /// Counter of the change of three cycles before.
    pub done_place: Signal<Out, Bits<A>>,
    /// Value of that counter before that change; valid while `done` is not `Nothing`.
    pub was: Signal<Out, Bits<D>>,
    /// `was` is not 0.
    pub was_any: Signal<Out, Bit>,
    counts: Ram<Bits<D>, A>,
    // Three stages: the memory reads, its word goes to a register, the sum is written.
    stage: [DFF<Change>; 3],
    subject: [DFF<Bits<A>>; 3],
    amount: [DFF<Bits<D>>; 2],
    count: DFF<Bits<D>>,
    /// The change in the last stage follows one to the same counter, by one or by two.
    follows: [DFF<Bit>; 2],
    /// The new values of the last changes.
    written: [DFF<Bits<D>>; 2],
    before_it: DFF<Bits<D>>,
    any_before: DFF<Bit>,
    present: Signal<Local, Bits<D>>,
    changed: Signal<Local, Bits<D>>,
}

impl<const D: usize, const A: usize> CounterTable<D, A> {
    /// A table of so many counters, up to 2^A.
    pub fn new(counters: usize) -> Self {
        Self {
            counts: Ram::new(counters),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const D: usize, const A: usize> Logic for CounterTable<D, A> {
    fn update(&mut self) {
        wire!(self => counts: clk);
        dff_setup!(self, clk, count, before_it, any_before);
        for i in 0..2 {
            self.amount[i].clock.next = self.clk.val();
            self.follows[i].clock.next = self.clk.val();
            self.written[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.stage[i].clock.next = self.clk.val();
            self.subject[i].clock.next = self.clk.val();
        }

        self.counts.read_enable.next = true;
        self.counts.read_address.next = self.place.val();
        self.stage[0].d.next = self.change.val();
        self.subject[0].d.next = self.place.val();
        self.amount[0].d.next = self.value.val();

        self.count.d.next = self.counts.read_data.val();
        self.stage[1].d.next = self.stage[0].q.val();
        self.subject[1].d.next = self.subject[0].q.val();
        self.amount[1].d.next = self.amount[0].q.val();
        self.follows[0].d.next = self.subject[0].q.val() == self.subject[1].q.val();
        self.follows[1].d.next = self.subject[0].q.val() == self.subject[2].q.val();

        self.present.next = self.count.q.val();
        if self.follows[1].q.val() {
            self.present.next = self.written[1].q.val();
        }
        if self.follows[0].q.val() {
            self.present.next = self.written[0].q.val();
        }
        self.changed.next = self.present.val();
        match self.stage[1].q.val() {
            Change::Nothing => {}
            Change::Look => {}
            Change::Set => {
                self.changed.next = self.amount[1].q.val();
            }
            Change::Up => {
                self.changed.next = self.present.val() + 1;
            }
            Change::Down => {
                self.changed.next = self.present.val() - 1;
            }
            Change::Take => {
                if self.present.val().any() {
                    self.changed.next = self.present.val() - 1;
                }
            }
        }
        self.counts.write_enable.next = self.stage[1].q.val() != Change::Nothing;
        self.counts.write_address.next = self.subject[1].q.val();
        self.counts.write_data.next = self.changed.val();
        self.stage[2].d.next = self.stage[1].q.val();
        self.subject[2].d.next = self.subject[1].q.val();
        self.written[0].d.next = self.changed.val();
        self.written[1].d.next = self.written[0].q.val();
        self.before_it.d.next = self.present.val();
        self.any_before.d.next = self.present.val().any();

        self.done.next = self.stage[2].q.val();
        self.done_place.next = self.subject[2].q.val();
        self.was.next = self.before_it.q.val();
        self.was_any.next = self.any_before.q.val();
        if self.rst.val() {
            for i in 0..3 {
                self.stage[i].d.next = Change::Nothing;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([] CounterTable<4, 5>);

    #[test]
    fn changes_that_follow_each_other_at_once_see_what_those_before_have_made() {
        let mut rng = rng(0xc017);
        let mut dut = reset(CounterTable::<4, 5>::default());
        let mut model = [0u64; 32];
        let mut due: VecDeque<Option<(Change, u64, u64)>> = VecDeque::from(vec![None; 2]);
        let (mut again, mut zero, mut last) = ([0; 2], 0, [99; 2]);
        for cycle in 0..20_000 {
            let sweeps = cycle < 32;
            let change = match rng.gen_range(0..6) {
                _ if sweeps => Change::Set,
                0 => Change::Nothing,
                1 => Change::Look,
                2 => Change::Set,
                3 => Change::Up,
                4 => Change::Down,
                _ => Change::Take,
            };
            let place = if sweeps { cycle } else { rng.gen_range(0..3) * 15 };
            let value = rng.gen_range(0..16);
            dut.change.next = change;
            dut.place.next = place.into();
            dut.value.next = value.into();
            let count = &mut model[place as usize];
            let was = *count;
            match change {
                Change::Set => *count = value,
                Change::Up => *count = (*count + 1) % 16,
                Change::Down => *count = (*count + 15) % 16,
                Change::Take => *count = count.saturating_sub(1),
                _ => {}
            }
            zero += u32::from(change == Change::Take && was == 0);
            for (again, last) in again.iter_mut().zip(last) {
                *again += u32::from(last == place && change != Change::Nothing);
            }
            last = [place, last[0]];
            due.push_back((!sweeps && change != Change::Nothing).then_some((change, place, was)));
            clock(&mut dut);
            if let Some((change, place, was)) = due.pop_front().unwrap() {
                assert_eq!(dut.done.val(), change, "cycle {cycle}");
                assert_eq!(dut.done_place.val(), place, "cycle {cycle}");
                assert_eq!(dut.was.val(), was, "cycle {cycle}");
                assert_eq!(dut.was_any.val(), was > 0, "cycle {cycle}");
            }
        }
        assert!(
            zero > 100 && again.iter().all(|times| *times > 2_000),
            "{zero} {again:?}"
        );
    }
}
