use super::{
    call_check::{COUNT_WIDTH, WORD_WIDTH},
    kept_calls::WAITING_WIDTH,
    ArmedOut, CallCheck, CallOut, KeptCalls, Posted, RenewalIn, ADDRESS_WIDTH, EDGES,
};
use crate::{bus::EventOut, prim::StreamIn};
use portico_spec::{
    mpe::{
        call::{
            ARMED_OFFSET, ARMED_WIDTH, BARRIER_WORDS, CALL_KIND_OFFSET, CALL_LENGTH_OFFSET, CALL_OPERATION_OFFSET,
            CONTEXTS, CONTEXT_OFFSET, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, KIND_WIDTH, LAUNCH_OFFSET, LENGTH_WIDTH,
            NEXT_OFFSET, NUMBER_WIDTH, OPERATION_OFFSET, PLACE_WIDTH, ROOT_OFFSET, TOWARDS_OFFSET,
        },
        reduce::OPERATION_WIDTH,
    },
    ni::{
        command::{EVENT_OFFSET, OPCODE_OFFSET, QUIET_OFFSET},
        event::EVENT_WIDTH,
        packet::ERROR_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// Bits of a byte address above those of a word's address.
const BEYOND_WIDTH: usize = 32 - WORD_WIDTH - 2;

/// State of the intake.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Intake {
    /// Takes the words of a descriptor.
    Take,
    /// Adds lengths to addresses.
    Add,
    /// Accepts it or not: the call begins, or it is kept.
    Check,
    /// Gets a call that was kept.
    Fetch,
    /// Gives it to the scheduler.
    Begin,
    /// Ends a call with an error, or tells that it is armed or launched.
    Report,
}

/// Takes descriptors of calls and launches, has them checked, and begins calls: each one at once, or after those before it in its
/// context, or when it is launched.
///
/// Calls of up to 4 contexts. [`CallCheck`] has the order of the checks.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the call at `call`: 1 cycle for a barrier, 2 for others; 2 for one that has waited or was armed |
/// | throughput | a descriptor every 3 to 7 cycles |
/// | state | [`KeptCalls`], the number of each context's next call, and the descriptor in hand |
#[derive(LogicBlock, Default)]
pub struct CallIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    /// Descriptors with the engine's opcodes, whole.
    pub commands: StreamIn<32>,
    /// Calls that begin, new or after they were kept: nothing runs in their context.
    pub call: CallOut,
    /// Of calls that end here: refused, or waiting in a context that is closed. Of those that are armed, and of launches.
    pub event: EventOut,
    /// Edges with a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// By context the error code that calls of a closed context get.
    pub codes: [Signal<In, Bits<ERROR_WIDTH>>; CONTEXTS],
    /// One bit a context: a call to it is whole here, and does not run or wait yet.
    pub takes_in: Signal<Out, Bits<CONTEXTS>>,
    /// Calls that are armed, and launches.
    pub armed: ArmedOut,
    /// By context how many calls are armed.
    pub counts: [Signal<In, Bits<ARMED_WIDTH>>; CONTEXTS],
    /// By context how many of them have begun in the launch that is under way.
    pub begun: [Signal<In, Bits<ARMED_WIDTH>>; CONTEXTS],
    /// By context the low bits of the number of its next call.
    pub numbers: [Signal<Out, Bits<HEAD_NUMBER_WIDTH>>; CONTEXTS],
    /// Contexts of which the calls are numbered from 0 on.
    pub renewal: RenewalIn,
    /// Context of a register read.
    pub asked: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Calls that wait in this context.
    pub asked_waiting: Signal<Out, Bits<WAITING_WIDTH>>,
    /// Number of the next call of this context.
    pub asked_next: Signal<Out, Bits<NUMBER_WIDTH>>,
    kept: KeptCalls,
    check: CallCheck,
    step: DFF<Intake>,
    count: DFF<Bits<COUNT_WIDTH>>,
    /// The call in hand, and the context that its descriptor names.
    hand: DFF<Posted>,
    named: DFF<Bits<CONTEXT_WIDTH>>,
    is_next: DFF<Bit>,
    is_armed: DFF<Bit>,
    is_launch: DFF<Bit>,
    is_malformed: DFF<Bit>,
    is_beyond: DFF<Bit>,
    error: DFF<Bits<ERROR_WIDTH>>,
    next: [DFF<Bits<NUMBER_WIDTH>>; CONTEXTS],
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    /// Of that context: its bit, its next number, its armed calls, its error code, and whether a call runs or calls wait.
    own: Signal<Local, Bits<CONTEXTS>>,
    own_next: Signal<Local, Bits<NUMBER_WIDTH>>,
    own_armed: Signal<Local, Bits<ARMED_WIDTH>>,
    own_begun: Signal<Local, Bits<ARMED_WIDTH>>,
    own_code: Signal<Local, Bits<ERROR_WIDTH>>,
    is_busy: Signal<Local, Bit>,
    /// The call in hand, with the next number of its context when it gets one.
    posted: Signal<Local, Posted>,
    is_barrier: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    /// The descriptor is accepted, and is a call to begin now or after others.
    is_call: Signal<Local, Bit>,
    /// One that was armed begins.
    resumes: Signal<Local, Bit>,
    /// Contexts in which a call that waits may begin; those of all calls that may.
    ready_calls: Signal<Local, Bits<CONTEXTS>>,
    starts: Signal<Local, Bits<CONTEXTS>>,
    fetches: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<CONTEXT_WIDTH>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
}

impl CallIntake {
    /// For `contexts` contexts and a memory of `memory` words.
    pub fn new(contexts: usize, memory: usize) -> Self {
        Self {
            kept: KeptCalls::new(contexts),
            check: CallCheck::new(memory),
            last_context: Constant::new(bits(contexts as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CallIntake {
    fn update(&mut self) {
        wire!(self => kept: clk, rst, asked);
        wire!(self => check: clk, present);
        dff_setup!(
            self,
            clk,
            step,
            count,
            hand,
            named,
            is_next,
            is_armed,
            is_launch,
            is_malformed,
            is_beyond,
            error
        );

        // Bits that no built context has are constants.
        self.owner.next = self.named.q.val() & self.last_context.val();
        self.own.next = bits::<CONTEXTS>(1) << self.owner.val();
        self.own_next.next = 0.into();
        self.own_armed.next = 0.into();
        self.own_begun.next = 0.into();
        self.own_code.next = 0.into();
        self.asked_next.next = 0.into();
        for i in 0..CONTEXTS {
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                self.own_next.next = self.next[i].q.val();
                self.own_armed.next = self.counts[i].val();
                self.own_begun.next = self.begun[i].val();
                self.own_code.next = self.codes[i].val();
            }
            if self.asked.val() == bits::<CONTEXT_WIDTH>(i) {
                self.asked_next.next = self.next[i].q.val();
            }
            self.numbers[i].next = self.next[i].q.val().get_bits::<HEAD_NUMBER_WIDTH>(0);
        }
        self.is_busy.next = (self.own.val() & (self.running.val() | self.kept.waits.val())).any();
        self.posted.next = self.hand.q.val();
        if self.step.q.val() == Intake::Check {
            self.posted.next.number = self.own_next.val();
        }
        self.kept.owner.next = self.owner.val();
        self.kept.is_armed.next = self.is_armed.q.val();
        self.kept.armed.next = self.own_armed.val();
        self.kept.begun.next = self.own_begun.val();
        self.kept.call.next = self.posted.val();
        self.armed.waits.next = self.kept.waits.val();
        self.asked_waiting.next = self.kept.asked_waiting.val();

        // A descriptor, word by word; calls that have waited come first, then those that are launched.
        self.ready_calls.next = self.kept.waits.val() & !self.running.val();
        self.starts.next = self.ready_calls.val();
        if !self.ready_calls.val().any() {
            self.starts.next = self.armed.ready.val();
        }
        self.chosen.next = 0.into();
        for i in 0..CONTEXTS {
            if self.starts.val().get_bit(i) {
                self.chosen.next = bits::<CONTEXT_WIDTH>(i);
            }
        }
        self.fetches.next = (self.step.q.val() == Intake::Take)
            & (self.count.q.val() == 0)
            & self.starts.val().any()
            & !self.initialising.val();
        self.commands.tready.next =
            (self.step.q.val() == Intake::Take) & !self.fetches.val() & !self.initialising.val();
        self.takes.next = self.commands.tvalid.val() & self.commands.tready.val();
        self.is_barrier.next = !self.hand.q.val().kind.any();

        self.check.count.next = self.count.q.val();
        self.check.call.next = self.hand.q.val();
        self.check.is_malformed.next = self.is_malformed.q.val();
        self.check.is_beyond.next = self.is_beyond.q.val();
        self.check.is_launch.next = self.is_launch.q.val();
        self.check.has_number.next = !self.is_armed.q.val() & !self.is_next.q.val();
        self.check.is_built.next = self.named.q.val() == self.owner.val();
        self.check.owner.next = self.owner.val();
        self.check.is_closed.next = (self.own.val() & self.closed.val()).any();
        self.check.may_launch.next =
            self.own_armed.val().any() & !self.is_busy.val() & !(self.own.val() & self.armed.launched.val()).any();
        self.check.expected.next = self.own_next.val();
        self.check.is_full.next = self.kept.is_full.val();
        self.accepts.next = (self.step.q.val() == Intake::Check) & !self.check.fault.val().any();
        self.is_call.next = self.accepts.val() & !self.is_armed.q.val() & !self.is_launch.q.val();

        self.kept.keep.next =
            self.accepts.val() & !self.is_launch.q.val() & (self.is_armed.q.val() | self.is_busy.val());
        self.kept.leave.next = false;
        self.resumes.next = false;
        self.call.possible.next = (self.step.q.val() == Intake::Check) | (self.step.q.val() == Intake::Begin);
        self.call.valid.next = self.is_call.val() & !self.is_busy.val();
        self.armed.arms.next = 0.into();
        self.armed.launch.next = 0.into();
        self.armed.begins.next = 0.into();
        match self.step.q.val() {
            Intake::Take => {
                if self.fetches.val() {
                    self.step.d.next = Intake::Fetch;
                    self.named.d.next = self.chosen.val();
                    self.is_armed.d.next = !self.ready_calls.val().any();
                }
                if self.takes.val() {
                    if !self.count.q.val().all() {
                        self.count.d.next = self.count.q.val() + 1;
                    }
                    if self.count.q.val() == 0 {
                        self.hand.d.next.kind = self.commands.tdata.val().get_bits::<KIND_WIDTH>(OPCODE_OFFSET);
                        self.hand.d.next.event = self.commands.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                        self.hand.d.next.quiet = self.commands.tdata.val().get_bit(QUIET_OFFSET);
                        self.hand.d.next.length = 0.into();
                        self.is_malformed.d.next = false;
                        self.is_beyond.d.next = false;
                    }
                    if self.count.q.val() == 1 {
                        self.hand.d.next.number = self.commands.tdata.val().get_bits::<NUMBER_WIDTH>(0);
                        self.hand.d.next.towards = self.commands.tdata.val().get_bits::<PLACE_WIDTH>(TOWARDS_OFFSET);
                        self.hand.d.next.root = self.commands.tdata.val().get_bit(ROOT_OFFSET);
                        self.hand.d.next.operation =
                            self.commands.tdata.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
                        self.named.d.next = self.commands.tdata.val().get_bits::<CONTEXT_WIDTH>(CONTEXT_OFFSET);
                        self.is_next.d.next = self.commands.tdata.val().get_bit(NEXT_OFFSET);
                        self.is_armed.d.next = self.commands.tdata.val().get_bit(ARMED_OFFSET);
                        self.is_launch.d.next =
                            self.commands.tdata.val().get_bit(LAUNCH_OFFSET) & self.is_barrier.val();
                        self.is_malformed.d.next =
                            self.commands.tdata.val().get_bit(LAUNCH_OFFSET) & !self.is_barrier.val();
                    }
                    if self.count.q.val() == 2 {
                        self.hand.d.next.length = self.commands.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                    }
                    if self.count.q.val() == 3 {
                        self.hand.d.next.source = self.commands.tdata.val().get_bits::<WORD_WIDTH>(2);
                    }
                    if self.count.q.val() == 4 {
                        self.hand.d.next.result = self.commands.tdata.val().get_bits::<WORD_WIDTH>(2);
                    }
                    if (self.count.q.val() == 3) | (self.count.q.val() == 4) {
                        self.is_malformed.d.next =
                            self.is_malformed.q.val() | self.commands.tdata.val().get_bits::<2>(0).any();
                        self.is_beyond.d.next = self.is_beyond.q.val()
                            | self.commands.tdata.val().get_bits::<BEYOND_WIDTH>(WORD_WIDTH + 2).any();
                    }
                    if self.commands.tlast.val() {
                        self.step.d.next = Intake::Add;
                        if self.is_barrier.val() & (self.count.q.val() == bits::<COUNT_WIDTH>(BARRIER_WORDS as u64 - 1))
                        {
                            self.step.d.next = Intake::Check;
                        }
                    }
                }
            }
            Intake::Add => {
                self.step.d.next = Intake::Check;
            }
            Intake::Check => {
                self.count.d.next = 0.into();
                self.error.d.next = self.check.fault.val();
                // A refusal is told, and so are a call that is armed and a launch.
                self.step.d.next = Intake::Report;
                if self.is_call.val() {
                    self.step.d.next = Intake::Take;
                }
                if self.accepts.val() & self.is_launch.q.val() {
                    self.armed.launch.next = self.own.val();
                    if self.hand.q.val().quiet {
                        self.step.d.next = Intake::Take;
                    }
                }
                if self.accepts.val() & self.is_armed.q.val() & !self.is_launch.q.val() {
                    self.armed.arms.next = self.own.val();
                }
            }
            Intake::Fetch => {
                self.hand.d.next = self.kept.fetched.val();
                self.step.d.next = Intake::Begin;
                self.kept.leave.next = !self.is_armed.q.val();
                if self.is_armed.q.val() {
                    self.hand.d.next.number = self.own_next.val();
                    self.resumes.next = true;
                    self.armed.begins.next = self.own.val();
                }
                self.error.d.next = self.own_code.val();
                if (self.own.val() & self.closed.val()).any() {
                    self.step.d.next = Intake::Report;
                    if self.is_armed.q.val() {
                        self.step.d.next = Intake::Take;
                    }
                }
            }
            Intake::Begin => {
                self.call.valid.next = true;
                self.step.d.next = Intake::Take;
            }
            Intake::Report => {
                if self.event.ready.val() {
                    self.step.d.next = Intake::Take;
                }
            }
        }

        for i in 0..CONTEXTS {
            self.next[i].clock.next = self.clk.val();
            self.next[i].d.next = self.next[i].q.val();
            if self.own.val().get_bit(i) & (self.is_call.val() | self.resumes.val()) {
                self.next[i].d.next = self.next[i].q.val() + 1;
            }
            if self.renewal.enable.val() & (self.renewal.context.val() == bits::<CONTEXT_WIDTH>(i)) {
                self.next[i].d.next = 0.into();
            }
            if self.rst.val() {
                self.next[i].d.next = 0.into();
            }
        }

        self.takes_in.next = 0.into();
        if (self.step.q.val() != Intake::Take) & (self.step.q.val() != Intake::Report) {
            self.takes_in.next = self.own.val();
        }
        self.call.owner.next = self.owner.val();
        self.call.word.next = bit_cast::<32, NUMBER_WIDTH>(self.posted.val().number)
            | field::<32, LENGTH_WIDTH>(self.posted.val().length, CALL_LENGTH_OFFSET)
            | field::<32, KIND_WIDTH>(self.posted.val().kind, CALL_KIND_OFFSET)
            | field::<32, OPERATION_WIDTH>(self.posted.val().operation, CALL_OPERATION_OFFSET);
        self.call.towards.next = self.posted.val().towards;
        self.call.root.next = self.posted.val().root;
        self.call.event.next = self.posted.val().event;
        self.call.quiet.next = self.posted.val().quiet;
        self.call.source.next = self.posted.val().source.get_bits::<ADDRESS_WIDTH>(0);
        self.call.result.next = self.posted.val().result.get_bits::<ADDRESS_WIDTH>(0);
        self.event.valid.next = self.step.q.val() == Intake::Report;
        self.event.event.next = self.hand.q.val().event;
        self.event.error.next = self.error.q.val();
        if self.rst.val() {
            self.step.d.next = Intake::Take;
            self.count.d.next = 0.into();
        }
    }
}
