use super::CONTEXTS;
use crate::prim::RoundRobinArbiter;
use portico_spec::ni::{
    command::{SHAPERS, SHAPER_WIDTH},
    CONTEXT_WIDTH, MAX_CORES, SERVER_CONTEXT,
};
use portico_verilog::prelude::*;

/// Who runs next: the contexts in turn, those that are active and whose shaper lets them send.
///
/// Keeps the contexts.
///
/// | | |
/// | --- | --- |
/// | latency | a start is seen in the next cycle; the pick is combinational from the state |
/// | throughput | one pick a cycle |
/// | fairness | round robin |
/// | state | by context: active, waiting, its shaper |
#[derive(LogicBlock, Default)]
pub struct Scheduler {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context is active.
    pub rst: Signal<In, Bit>,
    /// A context begins, with this shaper.
    pub started: Signal<In, Bit>,
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    pub start_shaper: Signal<In, Bits<SHAPER_WIDTH>>,
    /// Shapers that let packets begin.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// A context runs, and which.
    pub live: Signal<In, Bit>,
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// It waits, gets on, stops.
    pub parked: Signal<In, Bit>,
    pub acts: Signal<In, Bit>,
    pub stopped: Signal<In, Bit>,
    /// The next to run, if there is somebody; taken whenever no context runs.
    pub somebody: Signal<Out, Bit>,
    pub pick: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Somebody other than `current` could run, as it was in the cycle before.
    pub others: Signal<Out, Bit>,
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    active: DFF<Bits<CONTEXTS>>,
    waits: DFF<Bits<CONTEXTS>>,
    another: DFF<Bit>,
    shaper: [DFF<Bits<SHAPER_WIDTH>>; CONTEXTS],
    arbiter: RoundRobinArbiter<CONTEXTS>,
    sendable: Signal<Local, Bits<CONTEXTS>>,
    eligible: Signal<Local, Bits<CONTEXTS>>,
    started_one: Signal<Local, Bits<CONTEXTS>>,
    current_one: Signal<Local, Bits<CONTEXTS>>,
    chosen: Signal<Local, Bits<CONTEXT_WIDTH>>,
    number: [Constant<Bits<CONTEXT_WIDTH>>; CONTEXTS],
    present: Constant<Bits<CONTEXTS>>,
}

impl Scheduler {
    /// For the first `cores` contexts, 1 to 8, and the server; panics outside that.
    pub fn new(cores: usize) -> Self {
        assert!(
            (1..=MAX_CORES).contains(&cores),
            "scheduler: cores = {cores}, allowed: 1 to {MAX_CORES}"
        );
        Self {
            number: std::array::from_fn(|at| Constant::new(bits(at as u64))),
            present: Constant::new(bits(((1 << cores) - 1) | (1 << SERVER_CONTEXT))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Scheduler {
    fn update(&mut self) {
        wire!(self => arbiter: clk, rst);
        dff_setup!(self, clk, active, waits, another);
        self.started_one.next = 0.into();
        if self.started.val() {
            self.started_one.next = bits::<CONTEXTS>(1) << self.start_context.val();
        }
        self.current_one.next = bits::<CONTEXTS>(1) << self.current.val();
        self.sendable.next = 0.into();
        for i in 0..CONTEXTS {
            self.shaper[i].clock.next = self.clk.val();
            self.shaper[i].d.next = self.shaper[i].q.val();
            if self.started_one.val().get_bit(i) {
                self.shaper[i].d.next = self.start_shaper.val();
            }
            self.sendable.next = self
                .sendable
                .val()
                .replace_bit(i, self.may_send.val().get_bit(self.shaper[i].q.val().index()));
        }
        self.eligible.next = self.active.q.val() & self.sendable.val() & self.present.val();
        self.arbiter.request.next = self.eligible.val();
        self.arbiter.served.next = !self.live.val();
        self.somebody.next = self.eligible.val().any();
        self.another.d.next = (self.eligible.val() & !self.current_one.val()).any();
        self.others.next = self.another.q.val();
        self.chosen.next = 0.into();
        for i in 0..CONTEXTS {
            if self.arbiter.grant.val().get_bit(i) {
                self.chosen.next = self.number[i].val();
            }
        }
        self.pick.next = self.chosen.val();

        self.running.next = self.active.q.val().any();
        self.waiting.next =
            self.active.q.val().any() & !(self.active.q.val() & self.sendable.val() & !self.waits.q.val()).any();
        if self.stopped.val() {
            self.active.d.next = (self.active.q.val() & !self.current_one.val()) | self.started_one.val();
        } else {
            self.active.d.next = self.active.q.val() | self.started_one.val();
        }
        if self.parked.val() {
            self.waits.d.next = (self.waits.q.val() | self.current_one.val()) & !self.started_one.val();
        } else if self.acts.val() {
            self.waits.d.next = self.waits.q.val() & !self.current_one.val() & !self.started_one.val();
        } else {
            self.waits.d.next = self.waits.q.val() & !self.started_one.val();
        }
        if self.rst.val() {
            self.active.d.next = 0.into();
            self.waits.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "scheduler: cores = 9, allowed: 1 to 8")]
    fn more_cores_than_contexts_are_refused() {
        Scheduler::new(9);
    }
}
