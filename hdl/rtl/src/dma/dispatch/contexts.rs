use crate::dma::ports::{ParkIn, CONTEXTS};
use portico_spec::ni::{segment::HANDLE_WIDTH, CONTEXT_WIDTH, MAX_CORES, SERVER_CONTEXT};
use portico_verilog::prelude::*;

/// One core: whether it runs a command, of which segment, and whether that is parked.
#[derive(LogicBlock, Default)]
pub struct Core {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// The core is taken, for a command that `segment` and `ordered` describe.
    pub start: Signal<In, Bit>,
    /// The core is free again.
    pub stop: Signal<In, Bit>,
    /// The segment of the command that starts.
    pub segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// It has one.
    pub ordered: Signal<In, Bit>,
    /// Another than this core asks for a segment.
    pub asks: Signal<In, Bit>,
    /// Segment that is asked for; valid with `asks`.
    pub asked_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// Its command starts behind those of the cores `ahead`, and is held until they have stopped.
    pub launch: Signal<In, Bit>,
    /// One bit a core whose command is on the same segment and goes first; valid with `launch`.
    pub ahead: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context that stops in this cycle.
    pub stopping: Signal<In, Bits<CONTEXTS>>,
    /// Its command is parked.
    pub parks: Signal<In, Bit>,
    /// The core has a command.
    pub active: Signal<Out, Bit>,
    /// This core's command has the same segment.
    pub conflict: Signal<Out, Bit>,
    /// Its command is parked.
    pub is_parked: Signal<Out, Bit>,
    /// Its command is held: one of those ahead of it has not stopped.
    pub held: Signal<Out, Bit>,
    running: DFF<Bit>,
    parked: DFF<Bit>,
    predecessors: DFF<Bits<CONTEXTS>>,
    is_ordered: DFF<Bit>,
    subject: DFF<Bits<HANDLE_WIDTH>>,
}

#[kernel]
impl Logic for Core {
    fn update(&mut self) {
        dff_setup!(self, clk, running, parked, predecessors, is_ordered, subject);
        self.is_parked.next = self.parked.q.val();
        self.held.next = self.predecessors.q.val().any();
        self.predecessors.d.next = self.predecessors.q.val() & !self.stopping.val();
        if self.launch.val() {
            self.predecessors.d.next = self.ahead.val() & !self.stopping.val();
        }
        if self.parks.val() {
            self.parked.d.next = true;
        }
        self.active.next = self.running.q.val();
        self.conflict.next = self.running.q.val()
            & self.is_ordered.q.val()
            & self.asks.val()
            & (self.subject.q.val() == self.asked_segment.val());
        if self.start.val() {
            self.running.d.next = true;
            self.is_ordered.d.next = self.ordered.val();
            self.subject.d.next = self.segment.val();
        }
        if self.stop.val() | self.rst.val() {
            self.running.d.next = false;
            self.parked.d.next = false;
        }
        if self.rst.val() {
            self.predecessors.d.next = 0.into();
        }
    }
}

/// Which contexts run, and what their commands are about.
///
/// All contexts.
///
/// | | |
/// | --- | --- |
/// | latency | a start or stop shows in the next cycle; all else is combinational |
/// | throughput | one start and one stop a cycle |
/// | state | by core the command that it runs; whether the server works, and whether a core is free |
///
/// A command without a credit is parked in its core, so that commands to other segments pass. One to the same segment
/// is parked behind it, and held until it has stopped.
#[derive(LogicBlock, Default)]
pub struct Contexts {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all contexts are free.
    pub rst: Signal<In, Bit>,
    /// The core `start_context` is taken, for a command that `segment` and `ordered` describe.
    pub start: Signal<In, Bit>,
    /// Core that is taken; valid with `start`.
    pub start_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// `stop_context` is free again.
    pub stop: Signal<In, Bit>,
    /// Context that is free again; valid with `stop`.
    pub stop_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Segment of the command of `start`, if it has one.
    pub segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// The command of `start` has a segment.
    pub ordered: Signal<In, Bit>,
    /// The server begins to run.
    pub serve: Signal<In, Bit>,
    /// One bit a core that may not have `asked_segment`: all but that of the command that asks; none if it has no segment.
    pub asks: Signal<In, Bits<CONTEXTS>>,
    /// Segment of the command that is to start or, without one, of the next command.
    pub asked_segment: Signal<In, Bits<HANDLE_WIDTH>>,
    /// A core of `asks` has `asked_segment`; its command is parked or not.
    pub conflict: Signal<Out, Bit>,
    /// A core of `asks` has `asked_segment`; its command is not parked.
    pub blocked: Signal<Out, Bit>,
    /// The command that asks starts, behind all that have its segment.
    pub launch: Signal<In, Bit>,
    /// Core of the command that starts; valid with `launch`.
    pub launch_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Commands that are parked; whether one more may be; and the contexts that are held behind them.
    pub park: ParkIn,
    /// One bit a context that runs.
    pub active: Signal<Out, Bits<CONTEXTS>>,
    /// A core has a command that is not parked.
    pub busy: Signal<Out, Bit>,
    /// There is a free core.
    pub has_free: Signal<Out, Bit>,
    /// Lowest core that is free; valid with `has_free`.
    pub free_context: Signal<Out, Bits<CONTEXT_WIDTH>>,
    core: Vec<Core>,
    server: DFF<Bit>,
    has_room: DFF<Bit>,
    ahead: Signal<Local, Bits<CONTEXTS>>,
    launches: Signal<Local, Bits<CONTEXTS>>,
    parks: Signal<Local, Bits<CONTEXTS>>,
    one_left: Signal<Local, Bit>,
    two_left: Signal<Local, Bit>,
    starts: Signal<Local, Bits<CONTEXTS>>,
    stops: Signal<Local, Bits<CONTEXTS>>,
    number: Vec<Constant<Bits<CONTEXT_WIDTH>>>,
    last_core: Constant<Bits<CONTEXT_WIDTH>>,
    _cores: usize,
}

impl Contexts {
    /// The contexts of 1 to 8 cores, and of the server; panics outside that.
    pub fn new(cores: usize) -> Self {
        assert!(
            (1..=MAX_CORES).contains(&cores),
            "contexts: cores = {cores}, allowed: 1 to {MAX_CORES}"
        );
        Self {
            core: (0..cores).map(|_| Core::default()).collect(),
            number: (0..cores as u64).map(|core| Constant::new(core.into())).collect(),
            last_core: Constant::new(bits(cores as u64 - 1)),
            _cores: cores,
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Contexts {
    fn update(&mut self) {
        dff_setup!(self, clk, server, has_room);
        self.launches.next = 0.into();
        if self.launch.val() {
            self.launches.next = bits::<CONTEXTS>(1) << self.launch_context.val();
        }
        self.parks.next = 0.into();
        if self.park.parks.val() {
            self.parks.next = bits::<CONTEXTS>(1) << self.park.context.val();
        }
        self.starts.next = 0.into();
        if self.start.val() {
            self.starts.next = bits::<CONTEXTS>(1) << self.start_context.val();
        }
        self.stops.next = 0.into();
        if self.stop.val() {
            self.stops.next = bits::<CONTEXTS>(1) << self.stop_context.val();
        }
        self.active.next = 0.into();
        self.ahead.next = 0.into();
        self.blocked.next = false;
        self.busy.next = false;
        self.park.held.next = 0.into();
        self.one_left.next = false;
        self.two_left.next = false;
        self.has_free.next = false;
        for i in 0..self._cores {
            wire!(self => core[i]: clk, rst);
            self.core[i].start.next = self.starts.val().get_bit(i);
            self.core[i].stop.next = self.stops.val().get_bit(i);
            wire!(self => core[i]: segment, ordered, asked_segment);
            self.core[i].asks.next = self.asks.val().get_bit(i);
            self.active.next = self.active.val().replace_bit(i, self.core[i].active.val());
            self.ahead.next = self.ahead.val().replace_bit(i, self.core[i].conflict.val());
            self.blocked.next = self.blocked.val() | (self.core[i].conflict.val() & !self.core[i].is_parked.val());
            self.busy.next = self.busy.val() | (self.core[i].active.val() & !self.core[i].is_parked.val());
            self.core[i].launch.next = self.launches.val().get_bit(i);
            self.core[i].parks.next = self.parks.val().get_bit(i);
            self.core[i].stopping.next = self.stops.val();
            self.park.held.next = self.park.held.val().replace_bit(i, self.core[i].held.val());
            // Once a command is parked, a core must be left without one.
            self.two_left.next = self.two_left.val() | (self.one_left.val() & !self.core[i].is_parked.val());
            self.one_left.next = self.one_left.val() | !self.core[i].is_parked.val();
            self.has_free.next = self.has_free.val() | !self.core[i].active.val();
        }
        for i in 0..self._cores {
            self.core[i].ahead.next = self.ahead.val();
        }
        self.conflict.next = self.ahead.val().any();
        self.has_room.d.next = self.two_left.val();
        self.park.has_room.next = self.has_room.q.val();
        self.free_context.next = 0.into();
        // The lowest is the last to speak.
        for i in 0..self._cores {
            if !self.core[self.last_core.val().index() - i].active.val() {
                self.free_context.next = self.number[self.last_core.val().index() - i].val();
            }
        }
        self.active.next = self.active.val().replace_bit(SERVER_CONTEXT, self.server.q.val());
        if self.serve.val() {
            self.server.d.next = true;
        }
        if self.stops.val().get_bit(SERVER_CONTEXT) {
            self.server.d.next = false;
        }
        if self.rst.val() {
            self.server.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::{seq::IteratorRandom, Rng};

    clocked!([] Contexts);

    #[test]
    fn keeps_account_of_who_runs_and_what() {
        for cores in [1, 3, 8] {
            let mut rng = rng(0xc0de + cores as u64);
            let mut dut = reset(Contexts::new(cores));
            let mut model: Vec<Option<Option<u64>>> = vec![None; CONTEXTS];
            let contexts: Vec<usize> = (0..cores).chain([SERVER_CONTEXT]).collect();
            let mut conflicts = 0;
            for cycle in 0..4_000 {
                let pick = |runs: bool, rng: &mut _| {
                    let matching = contexts.iter().filter(|&&context| model[context].is_some() == runs);
                    matching.choose(rng).copied()
                };
                let start = pick(false, &mut rng).filter(|_| rng.gen_bool(0.6));
                let stop = pick(true, &mut rng).filter(|_| rng.gen_bool(0.4));
                let (segment, ordered) = (rng.gen_range(0..4) * 85, rng.gen_bool(0.8));
                let served = start.filter(|&context| context == SERVER_CONTEXT);
                dut.serve.next = served.is_some();
                dut.start.next = start.is_some() && served.is_none();
                dut.start_context.next = (start.unwrap_or(0) as u64).into();
                dut.stop.next = stop.is_some();
                dut.stop_context.next = (stop.unwrap_or(0) as u64).into();
                dut.segment.next = segment.into();
                dut.ordered.next = ordered;
                let (asked, own) = (rng.gen_range(0..4) * 85, rng.gen_range(0..cores));
                dut.asked_segment.next = asked.into();
                dut.asks.next = (((1u64 << CONTEXTS) - 1) & !(1 << own)).into();
                settle(&mut dut);
                let active = (0..CONTEXTS)
                    .map(|at| u64::from(model[at].is_some()) << at)
                    .sum::<u64>();
                assert_eq!(dut.active.val().to_u64(), active, "{cores} cores, cycle {cycle}");
                let conflict = (0..cores).any(|core| core != own && model[core] == Some(Some(asked)));
                assert_eq!(dut.conflict.val(), conflict, "{cores} cores, cycle {cycle}");
                conflicts += usize::from(conflict);
                let free = (0..cores).find(|&core| model[core].is_none());
                let found = dut.has_free.val().then(|| dut.free_context.val().to_u64() as usize);
                assert_eq!(found, free, "{cores} cores, cycle {cycle}");
                clock(&mut dut);
                if let Some(context) = start {
                    model[context] = Some(ordered.then_some(segment));
                }
                if let Some(context) = stop {
                    model[context] = None;
                }
            }
            assert!(cores == 1 || conflicts > 100);
        }
    }

    #[test]
    #[should_panic(expected = "contexts: cores = 9, allowed: 1 to 8")]
    fn more_cores_are_refused() {
        Contexts::new(9);
    }
}
