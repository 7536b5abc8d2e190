use portico_verilog::prelude::*;

/// Credit counter: how many credits of a fixed number are at hand.
///
/// Counts up to `max` credits in `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | a take or give shows in `credits` and `available` in the next cycle |
/// | throughput | one take and one give a cycle, both in one cycle if need be |
/// | range | 0 to `max`, for any inputs |
/// | state | `W` + 1 flip-flops |
///
/// A take without a credit and a give at `max` only raise `error`. At 0, a take fails even with a give in the same cycle, because
/// `available` is low. At `max`, a take in the same cycle makes room for a give.
#[derive(LogicBlock, Default)]
pub struct CreditCounter<const W: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all credits are at hand afterwards.
    pub rst: Signal<In, Bit>,
    /// Takes one credit away.
    pub take: Signal<In, Bit>,
    /// Gives one credit back.
    pub give: Signal<In, Bit>,
    /// Credits that are left.
    pub credits: Signal<Out, Bits<W>>,
    /// High if there is a credit to take.
    pub available: Signal<Out, Bit>,
    /// High for one cycle, the one after a take or give that was refused.
    pub error: Signal<Out, Bit>,
    count: DFF<Bits<W>>,
    refused: DFF<Bit>,
    taking: Signal<Local, Bit>,
    giving: Signal<Local, Bit>,
    max: Constant<Bits<W>>,
}

impl<const W: usize> CreditCounter<W> {
    /// A counter of `max` credits, 1 to 2^W - 1; panics outside that.
    pub fn new(max: u64) -> Self {
        let most = u64::MAX >> (64 - W.clamp(1, 64));
        assert!(
            (1..=most).contains(&max),
            "credit counter: max = {max}, allowed with {W} bits: 1 to {most}"
        );
        Self {
            max: Constant::new(max.into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for CreditCounter<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, count, refused);
        self.credits.next = self.count.q.val();
        self.available.next = self.count.q.val().any();
        self.error.next = self.refused.q.val();
        self.taking.next = self.take.val() & self.count.q.val().any();
        self.giving.next = self.give.val() & (self.taking.val() | (self.count.q.val() != self.max.val()));
        if self.taking.val() & !self.giving.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.giving.val() & !self.taking.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.refused.d.next = (self.take.val() & !self.taking.val()) | (self.give.val() & !self.giving.val());
        if self.rst.val() {
            self.count.d.next = self.max.val();
            self.refused.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng};
    use rand::Rng;

    clocked!([const W: usize] CreditCounter<W>);

    /// Takes and gives at random, each at any moment, and holds every output to plain arithmetic.
    fn counts_as_arithmetic_does<const W: usize>(max: u64, seed: u64) {
        let mut rng = rng(seed);
        let mut dut = reset(CreditCounter::<W>::new(max));
        let (mut credits, mut error) = (max, false);
        let (mut refused_takes, mut refused_gives, mut swaps_at_max) = (0, 0, 0);
        for cycle in 0..4_000 {
            let seen = (dut.credits.val().to_u64(), dut.available.val(), dut.error.val());
            assert_eq!(seen, (credits, credits > 0, error), "max {max}, cycle {cycle}");
            // Phases in which takes or gives prevail reach both ends.
            let (take, give) = if cycle / 64 % 2 == 0 { (0.8, 0.3) } else { (0.3, 0.8) };
            let (take, give, rst) = (rng.gen_bool(take), rng.gen_bool(give), rng.gen_bool(0.002));
            dut.take.next = take;
            dut.give.next = give;
            dut.rst.next = rst;
            clock(&mut dut);
            let takes = take && credits > 0;
            let gives = give && (credits < max || takes);
            refused_takes += usize::from(take && !takes);
            refused_gives += usize::from(give && !gives);
            swaps_at_max += usize::from(takes && gives && credits == max);
            (credits, error) = if rst {
                (max, false)
            } else {
                (
                    credits + u64::from(gives) - u64::from(takes),
                    take != takes || give != gives,
                )
            };
        }
        assert!(
            refused_takes > 0 && refused_gives > 0 && swaps_at_max > 0,
            "a corner was not reached"
        );
    }

    #[test]
    fn counts_from_one_credit_to_all_that_the_width_holds() {
        counts_as_arithmetic_does::<1>(1, 0xc1);
        counts_as_arithmetic_does::<3>(5, 0xc3);
        counts_as_arithmetic_does::<4>(15, 0xc4);
    }

    #[test]
    #[should_panic(expected = "credit counter: max = 8, allowed with 3 bits: 1 to 7")]
    fn a_maximum_beyond_the_width_is_refused() {
        CreditCounter::<3>::new(8);
    }
}
