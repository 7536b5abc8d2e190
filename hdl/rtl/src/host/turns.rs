use portico_verilog::prelude::*;

/// Width of the count of a turn.
const TURN_WIDTH: usize = 6;

/// Turns of reads and writes at a memory whose reads wait for all writes before them.
///
/// Stops writes when a read has waited for long.
///
/// | | |
/// | --- | --- |
/// | latency | writes stop at most 64 cycles after a read begins to wait; the read then waits until those under way are answered |
/// | state | 7 flip-flops |
///
/// A stream of writes would never let a read pass, so a read that has waited for long stops the writes. Writes continue after 64
/// reads, or as soon as no read waits. So neither waits for ever.
#[derive(LogicBlock, Default)]
pub struct Turns {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// All writes are answered: reads may be taken.
    pub is_quiet: Signal<In, Bit>,
    /// A read is offered.
    pub asked: Signal<In, Bit>,
    /// A read is taken.
    pub taken: Signal<In, Bit>,
    /// No write is taken.
    pub hold: Signal<Out, Bit>,
    holding: DFF<Bit>,
    count: DFF<Bits<TURN_WIDTH>>,
}

#[kernel]
impl Logic for Turns {
    fn update(&mut self) {
        dff_setup!(self, clk, holding, count);
        self.hold.next = self.holding.q.val();
        if self.holding.q.val() {
            if self.taken.val() {
                self.count.d.next = self.count.q.val() + 1;
            }
            if !self.asked.val() | (self.taken.val() & self.count.q.val().all()) {
                self.holding.d.next = false;
                self.count.d.next = 0.into();
            }
        } else {
            self.count.d.next = 0.into();
            if self.asked.val() & !self.is_quiet.val() {
                self.count.d.next = self.count.q.val() + 1;
                self.holding.d.next = self.count.q.val().all();
            }
        }
        if self.rst.val() {
            self.holding.d.next = false;
            self.count.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] Turns);

    fn cycle(dut: &mut Turns, is_quiet: bool, asked: bool) -> bool {
        dut.is_quiet.next = is_quiet;
        dut.asked.next = asked;
        dut.taken.next = is_quiet && asked;
        settle(dut);
        let hold = dut.hold.val();
        clock(dut);
        hold
    }

    #[test]
    fn a_read_waits_64_cycles_and_then_has_64() {
        let mut dut = reset(Turns::default());
        for _ in 0..3 {
            assert!((0..64).all(|_| !cycle(&mut dut, false, true)));
            assert!((0..10).all(|_| cycle(&mut dut, false, true)), "until all is quiet");
            assert!((0..64).all(|_| cycle(&mut dut, true, true)));
            assert!(!cycle(&mut dut, true, true));
        }
    }

    #[test]
    fn holds_no_longer_than_reads_are_offered_and_not_at_all_while_they_pass() {
        let mut dut = reset(Turns::default());
        assert!((0..200).all(|_| !cycle(&mut dut, true, true)));
        (0..64).for_each(|_| assert!(!cycle(&mut dut, false, true)));
        assert!(cycle(&mut dut, true, true));
        assert!(cycle(&mut dut, true, false));
        assert!(!cycle(&mut dut, true, false));
    }
}
