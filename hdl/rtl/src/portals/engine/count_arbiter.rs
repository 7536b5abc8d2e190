use super::{CountIn, CountOut};
use portico_verilog::prelude::*;

/// Blocks that change counters.
const CHANGERS: usize = 3;

/// Fixed-priority arbiter for changes of counters: source 0 wins.
///
/// Three sources, none of which makes an offer in successive cycles. Combinational, no state.
#[derive(LogicBlock, Default)]
pub struct CountArbiter {
    /// Sources; of those that make an offer, the one with the lowest number wins.
    pub source: [CountIn; CHANGERS],
    /// What the winner offers.
    pub chosen: CountOut,
    given: Signal<Local, Bit>,
}

#[kernel]
impl Logic for CountArbiter {
    fn update(&mut self) {
        self.given.next = false;
        self.chosen.counter.next = 0.into();
        self.chosen.sets.next = false;
        self.chosen.success.next = 0.into();
        self.chosen.failure.next = 0.into();
        for i in 0..CHANGERS {
            self.source[i].ready.next = self.chosen.ready.val() & !self.given.val();
            if self.source[i].valid.val() & !self.given.val() {
                self.chosen.counter.next = self.source[i].counter.val();
                self.chosen.sets.next = self.source[i].sets.val();
                self.chosen.success.next = self.source[i].success.val();
                self.chosen.failure.next = self.source[i].failure.val();
                self.given.next = true;
            }
        }
        self.chosen.valid.next = self.given.val();
    }
}
