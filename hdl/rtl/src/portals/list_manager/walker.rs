//! Walks a chain, an entry a cycle.
//!
//! | | |
//! | --- | --- |
//! | latency | 2 cycles from `start` to the first entry compared |
//! | throughput | one entry a cycle |
//! | timing | the next link goes from the memory's register straight to its address |
//! | state | two places, the tail, 4 flip-flops |
//!
//! An entry is read in one cycle, compared with the request in the next, and judged in the one after: `valid`. By then up to
//! two of its followers have been read; `stop` forgets them.

use rust_hdl::prelude::*;

/// Walks among entries that `A` bits number.
#[derive(LogicBlock, Default)]
pub struct Walker<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: nothing is under way.
    pub rst: Signal<In, Bit>,
    /// Begins with the entry `from`, which is read in this cycle, up to `tail`.
    pub start: Signal<In, Bit>,
    pub from: Signal<In, Bits<A>>,
    pub tail: Signal<In, Bits<A>>,
    /// Next link of the entry read last.
    pub follower: Signal<In, Bits<A>>,
    /// The entry `follower` is to be read.
    pub read: Signal<Out, Bit>,
    /// The entry `index` is compared.
    pub valid: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<A>>,
    /// It is the tail.
    pub last: Signal<Out, Bit>,
    /// The tail that was given.
    pub goal: Signal<Out, Bits<A>>,
    /// Ends the walk.
    pub stop: Signal<In, Bit>,
    kept_goal: DFF<Bits<A>>,
    shown: DFF<Bit>,
    shown_index: DFF<Bits<A>>,
    compared: DFF<Bit>,
    compared_index: DFF<Bits<A>>,
    goes_on: Signal<Local, Bit>,
}

impl<const A: usize> Logic for Walker<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, kept_goal, shown, shown_index, compared, compared_index);
        self.goes_on.next = self.shown.q.val() & (self.shown_index.q.val() != self.kept_goal.q.val());
        self.goal.next = self.kept_goal.q.val();
        self.read.next = self.goes_on.val();
        self.valid.next = self.compared.q.val();
        self.index.next = self.compared_index.q.val();
        self.last.next = self.compared_index.q.val() == self.kept_goal.q.val();

        self.compared.d.next = self.shown.q.val() & !self.stop.val();
        self.compared_index.d.next = self.shown_index.q.val();
        self.shown.d.next = self.goes_on.val() & !self.stop.val();
        self.shown_index.d.next = self.follower.val();
        if self.start.val() {
            self.shown.d.next = true;
            self.shown_index.d.next = self.from.val();
            self.kept_goal.d.next = self.tail.val();
        }
        if self.rst.val() {
            self.shown.d.next = false;
            self.compared.d.next = false;
        }
    }
}
