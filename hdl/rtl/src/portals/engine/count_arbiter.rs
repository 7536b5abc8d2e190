use super::{CountIn, CountOut};
use portico_verilog::prelude::*;

/// Blocks that change counters.
const CHANGERS: usize = 3;
/// Width of the number of such a block, in bits.
const CHANGER_WIDTH: usize = 2;

/// Fixed-priority arbiter for changes of counters: source 0 wins.
///
/// Three sources, none of which makes an offer in successive cycles. The bank reads, adds and writes while a change is offered, so an offer
/// that was passed on is passed on until it is taken.
///
/// | | |
/// | --- | --- |
/// | latency | combinational for a change that finds the bank free |
/// | state | 3 flip-flops |
#[derive(LogicBlock, Default)]
pub struct CountArbiter {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Sources; of those that make an offer, the one with the lowest number wins.
    pub source: [CountIn; CHANGERS],
    /// The offer of the winner.
    pub chosen: CountOut,
    /// An offer waits to be taken, and whose it is.
    held: DFF<Bit>,
    turn: DFF<Bits<CHANGER_WIDTH>>,
    winner: Signal<Local, Bits<CHANGER_WIDTH>>,
}

#[kernel]
impl Logic for CountArbiter {
    fn update(&mut self) {
        dff_setup!(self, clk, held, turn);
        self.winner.next = self.turn.q.val();
        if !self.held.q.val() {
            self.winner.next = 2.into();
            if self.source[1].valid.val() {
                self.winner.next = 1.into();
            }
            if self.source[0].valid.val() {
                self.winner.next = 0.into();
            }
        }
        self.turn.d.next = self.winner.val();
        self.chosen.valid.next = false;
        self.chosen.counter.next = 0.into();
        self.chosen.sets.next = false;
        self.chosen.success.next = 0.into();
        self.chosen.failure.next = 0.into();
        for i in 0..CHANGERS {
            self.source[i].ready.next =
                self.chosen.ready.val() & (self.winner.val() == bits::<CHANGER_WIDTH>(i as u64));
            if self.winner.val() == bits::<CHANGER_WIDTH>(i as u64) {
                self.chosen.valid.next = self.source[i].valid.val();
                self.chosen.counter.next = self.source[i].counter.val();
                self.chosen.sets.next = self.source[i].sets.val();
                self.chosen.success.next = self.source[i].success.val();
                self.chosen.failure.next = self.source[i].failure.val();
            }
        }
        self.held.d.next = self.chosen.valid.val() & !self.chosen.ready.val();
        if self.rst.val() {
            self.held.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};

    clocked!([] CountArbiter);

    fn offer(dut: &mut CountArbiter, source: usize, counter: u64) {
        dut.source[source].valid.next = true;
        dut.source[source].counter.next = counter.into();
        dut.source[source].success.next = (100 + counter).into();
    }

    /// Which counter is offered, and which sources are told that theirs is taken.
    fn chosen(dut: &mut CountArbiter, ready: bool) -> (Option<u64>, [bool; CHANGERS]) {
        dut.chosen.ready.next = ready;
        settle(dut);
        let counter = dut.chosen.counter.val().to_u64();
        let offered = dut.chosen.valid.val().then_some(counter);
        assert!(offered.is_none() || dut.chosen.success.val() == 100 + counter);
        (offered, [0, 1, 2].map(|source| dut.source[source].ready.val()))
    }

    #[test]
    fn an_offer_stays_though_a_better_source_comes() {
        let mut dut = reset(CountArbiter::default());
        assert_eq!(chosen(&mut dut, false).0, None);
        offer(&mut dut, 2, 7);
        for _ in 0..3 {
            assert_eq!(chosen(&mut dut, false), (Some(7), [false; CHANGERS]));
            clock(&mut dut);
            offer(&mut dut, 0, 5);
            offer(&mut dut, 1, 6);
        }
        assert_eq!(chosen(&mut dut, true), (Some(7), [false, false, true]));
        clock(&mut dut);
        dut.source[2].valid.next = false;
        for (source, counter) in [(0, 5), (1, 6)] {
            let mut taken = [false; CHANGERS];
            assert_eq!(chosen(&mut dut, false), (Some(counter), taken));
            clock(&mut dut);
            taken[source] = true;
            assert_eq!(chosen(&mut dut, true), (Some(counter), taken));
            clock(&mut dut);
            dut.source[source].valid.next = false;
        }
        assert_eq!(chosen(&mut dut, false).0, None);
    }
}
