use portico_verilog::prelude::*;

/// Walks a chain, an entry a cycle.
///
/// Walks among entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles from `start` or `resume` to the first entry compared |
/// | throughput | one entry a cycle |
/// | timing | the next link goes from the memory's register straight to its address |
/// | state | the places that are shown and compared, and the goal |
///
/// An entry is read in one cycle, compared with the request in the next, and judged in the one after: `valid`. By then up to
/// two of its followers have been read; `stop` drops them. A walk that pauses reads its entry once more. So it can continue
/// from there even if the entry has left the chain, because the memory still shows the link of the entry.
#[derive(LogicBlock, Default)]
pub struct Walker<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is under way.
    pub rst: Signal<In, Bit>,
    /// Begins with the entry `from`, up to `tail`.
    pub start: Signal<In, Bit>,
    /// First entry of the walk, in the cycle of `start`.
    pub from: Signal<In, Bits<A>>,
    /// Last entry of the walk, in the cycle of `start`.
    pub tail: Signal<In, Bits<A>>,
    /// Reads the entry at `at`.
    pub read: Signal<Out, Bit>,
    /// Entry to read.
    pub at: Signal<Out, Bits<A>>,
    /// Next link of the entry read last.
    pub follower: Signal<In, Bits<A>>,
    /// The entry `index` is compared.
    pub valid: Signal<Out, Bit>,
    /// The entry that is compared, which was read two cycles ago.
    pub index: Signal<Out, Bits<A>>,
    /// It is the tail.
    pub last: Signal<Out, Bit>,
    /// Ends the walk.
    pub stop: Signal<In, Bit>,
    /// With `stop`: it may go on after the entry `index`, which is read in this cycle, and nothing else until `resume`.
    pub pause: Signal<In, Bit>,
    /// Goes on after the entry that the walk paused at, unless that was the tail: `exhausted`.
    pub resume: Signal<In, Bit>,
    /// The entry that the walk paused at was the tail.
    pub exhausted: Signal<Out, Bit>,
    goal: DFF<Bits<A>>,
    shown: DFF<Bit>,
    shown_index: DFF<Bits<A>>,
    compared: DFF<Bit>,
    compared_index: DFF<Bits<A>>,
    at_tail: DFF<Bit>,
    goes_on: Signal<Local, Bit>,
    resumes: Signal<Local, Bit>,
}

#[kernel]
impl<const A: usize> Logic for Walker<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, goal, shown, shown_index, compared, compared_index, at_tail);
        self.valid.next = self.compared.q.val();
        self.index.next = self.compared_index.q.val();
        self.last.next = self.compared_index.q.val() == self.goal.q.val();
        self.exhausted.next = self.at_tail.q.val();

        self.goes_on.next = self.shown.q.val() & (self.shown_index.q.val() != self.goal.q.val());
        self.resumes.next = self.resume.val() & !self.at_tail.q.val();
        self.read.next = self.goes_on.val() | self.start.val() | self.resumes.val();
        self.at.next = self.follower.val();
        if self.start.val() {
            self.at.next = self.from.val();
            self.goal.d.next = self.tail.val();
        }
        self.shown.d.next = (self.goes_on.val() & !self.stop.val()) | self.start.val() | self.resumes.val();
        self.shown_index.d.next = self.at.val();
        self.compared.d.next = self.shown.q.val() & !self.stop.val();
        self.compared_index.d.next = self.shown_index.q.val();

        if self.pause.val() {
            self.at_tail.d.next = self.compared_index.q.val() == self.goal.q.val();
        }
        if self.rst.val() {
            self.shown.d.next = false;
            self.compared.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([const A: usize] Walker<A>);

    /// One cycle of a walk and of its memory, in which entry i is followed by i + 3.
    fn step(dut: &mut Walker<4>) {
        settle(dut);
        let at = if dut.pause.val() { dut.index.val() } else { dut.at.val() };
        let reads = dut.read.val() | dut.pause.val();
        clock(dut);
        if reads {
            dut.follower.next = at + 3;
        }
        dut.start.next = false;
        dut.stop.next = false;
        dut.pause.next = false;
        dut.resume.next = false;
        settle(dut);
    }

    /// What is compared in these cycles.
    fn walk(dut: &mut Walker<4>, cycles: usize) -> Vec<Option<u64>> {
        let compared = |_| {
            step(dut);
            dut.valid.val().then(|| dut.index.val().to_u64())
        };
        (0..cycles).map(compared).collect()
    }

    fn start(dut: &mut Walker<4>, from: u64, tail: u64) {
        dut.start.next = true;
        dut.from.next = from.into();
        dut.tail.next = tail.into();
    }

    #[test]
    fn an_entry_a_cycle_up_to_the_tail() {
        let mut dut = reset(Walker::<4>::default());
        start(&mut dut, 1, 7);
        assert_eq!(walk(&mut dut, 3), [None, Some(1), Some(4)]);
        assert!(!dut.last.val());
        assert_eq!(walk(&mut dut, 1), [Some(7)]);
        assert!(dut.last.val());
        assert_eq!(walk(&mut dut, 4), [None; 4]);
    }

    #[test]
    fn a_walk_that_stops_may_begin_anew_at_once() {
        let mut dut = reset(Walker::<4>::default());
        start(&mut dut, 1, 13);
        assert_eq!(walk(&mut dut, 2), [None, Some(1)]);
        dut.stop.next = true;
        start(&mut dut, 2, 5);
        assert_eq!(walk(&mut dut, 5), [None, Some(2), Some(5), None, None]);
    }
    #[test]
    fn a_walk_goes_on_behind_the_entry_that_it_paused_at() {
        let mut dut = reset(Walker::<4>::default());
        start(&mut dut, 1, 10);
        for paused_at in [Some(1), Some(4), Some(7), Some(10)] {
            assert_eq!(walk(&mut dut, 2), [None, paused_at]);
            dut.stop.next = true;
            dut.pause.next = true;
            assert_eq!(walk(&mut dut, 3), [None; 3]);
            assert_eq!(dut.exhausted.val(), paused_at == Some(10));
            dut.resume.next = true;
        }
        assert_eq!(walk(&mut dut, 4), [None; 4]);
    }
}
