use crate::dma::ports::CONTEXTS;
use crate::prim::RoundRobinArbiter;
use portico_spec::ni::{
    command::{SHAPERS, SHAPER_WIDTH},
    CONTEXT_WIDTH, MAX_CORES, SERVER_CONTEXT,
};
use portico_verilog::prelude::*;

/// Which context runs next: in turn, those that are active, not held, and whose shaper lets them send.
///
/// Keeps the contexts.
///
/// | | |
/// | --- | --- |
/// | latency | a start is picked 2 cycles later; a shaper is looked at 2 cycles late |
/// | throughput | one pick a cycle |
/// | fairness | round robin |
/// | state | by context: active, waiting, its shaper, whether that lets it send; the pick |
#[derive(LogicBlock, Default)]
pub struct CoreScheduler {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: no context is active.
    pub rst: Signal<In, Bit>,
    /// A context begins.
    pub started: Signal<In, Bit>,
    /// The context that begins, valid with `started`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Shaper of the context that begins, valid with `started`.
    pub start_shaper: Signal<In, Bits<SHAPER_WIDTH>>,
    /// Shapers that let packets begin.
    pub may_send: Signal<In, Bits<SHAPERS>>,
    /// Contexts that do not run yet; a start comes after its bit.
    pub held: Signal<In, Bits<CONTEXTS>>,
    /// A context runs.
    pub live: Signal<In, Bit>,
    /// The context that runs, or ran last.
    pub current: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The context that runs waits.
    pub parked: Signal<In, Bit>,
    /// The context that runs gets on.
    pub acts: Signal<In, Bit>,
    /// The context that runs stops.
    pub stopped: Signal<In, Bit>,
    /// There is a context to run next, as it was in the cycle before; it is taken whenever no context runs.
    pub somebody: Signal<Out, Bit>,
    /// The next context to run, valid with `somebody`.
    pub pick: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Somebody other than `current` could run, as it was in the cycle before.
    pub others: Signal<Out, Bit>,
    /// A context is active.
    pub running: Signal<Out, Bit>,
    /// Every active context waits.
    pub waiting: Signal<Out, Bit>,
    active: DFF<Bits<CONTEXTS>>,
    waits: DFF<Bits<CONTEXTS>>,
    another: DFF<Bit>,
    sendable: DFF<Bits<CONTEXTS>>,
    has_pick: DFF<Bit>,
    picked: DFF<Bits<CONTEXT_WIDTH>>,
    shaper: [DFF<Bits<SHAPER_WIDTH>>; CONTEXTS],
    arbiter: RoundRobinArbiter<CONTEXTS>,
    sends: Signal<Local, Bits<CONTEXTS>>,
    eligible: Signal<Local, Bits<CONTEXTS>>,
    started_one: Signal<Local, Bits<CONTEXTS>>,
    current_one: Signal<Local, Bits<CONTEXTS>>,
    number: [Constant<Bits<CONTEXT_WIDTH>>; CONTEXTS],
    present: Constant<Bits<CONTEXTS>>,
}

impl CoreScheduler {
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
impl Logic for CoreScheduler {
    fn update(&mut self) {
        wire!(self => arbiter: clk, rst);
        dff_setup!(self, clk, active, waits, another, sendable, has_pick, picked);
        self.started_one.next = 0.into();
        if self.started.val() {
            self.started_one.next = bits::<CONTEXTS>(1) << self.start_context.val();
        }
        self.current_one.next = bits::<CONTEXTS>(1) << self.current.val();
        self.sends.next = 0.into();
        for i in 0..CONTEXTS {
            self.shaper[i].clock.next = self.clk.val();
            self.shaper[i].d.next = self.shaper[i].q.val();
            if self.started_one.val().get_bit(i) {
                self.shaper[i].d.next = self.start_shaper.val();
            }
            self.sends.next = self
                .sends
                .val()
                .replace_bit(i, self.may_send.val().get_bit(self.shaper[i].q.val().index()));
        }
        self.sendable.d.next = self.sends.val() & !self.held.val();
        // The context that runs may stop in this cycle.
        self.eligible.next = self.active.q.val() & self.sendable.q.val() & self.present.val();
        if self.live.val() {
            self.eligible.next =
                self.active.q.val() & self.sendable.q.val() & self.present.val() & !self.current_one.val();
        }
        self.arbiter.request.next = self.eligible.val();
        self.arbiter.served.next = !self.live.val();
        self.has_pick.d.next = self.eligible.val().any();
        self.somebody.next = self.has_pick.q.val();
        self.another.d.next = (self.eligible.val() & !self.current_one.val()).any();
        self.others.next = self.another.q.val();
        self.picked.d.next = 0.into();
        for i in 0..CONTEXTS {
            if self.arbiter.grant.val().get_bit(i) {
                self.picked.d.next = self.number[i].val();
            }
        }
        self.pick.next = self.picked.q.val();

        self.running.next = self.active.q.val().any();
        self.waiting.next =
            self.active.q.val().any() & !(self.active.q.val() & self.sendable.q.val() & !self.waits.q.val()).any();
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
            self.has_pick.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "scheduler: cores = 9, allowed: 1 to 8")]
    fn more_cores_than_contexts_are_refused() {
        CoreScheduler::new(9);
    }
}
