use super::{CommandCheck, CommandLoad, CommandStart, Drain, Launch, Measure, SinglePacket};
use crate::{
    bus::{ClaimOut, EventOut, LookOut},
    dma::ports::{ArgumentOut, StartOut, BANK_WIDTH, CONTEXTS},
    prim::StreamIn,
};
use portico_spec::{
    flit::{NODE_WIDTH, TAG_WIDTH},
    ni::{
        build::Build,
        firmware::Entries,
        packet::{ERROR_WIDTH, OFFSET_WIDTH},
        segment::{HANDLE_WIDTH, KIND_WIDTH},
        CONTEXT_WIDTH,
    },
    Config,
};
use portico_verilog::prelude::*;

/// Where a descriptor is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CommandState {
    /// Its words come.
    Take,
    /// All are there: a command of one row that is right is admitted, as soon as the one before it has started.
    Check,
    /// Its ends are measured.
    Measure,
    /// It is right, and waits until all before it has ended.
    Drain,
    /// It is right, and waits for the one before it.
    Offer,
    /// It does not start.
    Report,
}

/// The path of commands: takes descriptors, checks them, and starts their programs, one after the other.
///
/// One command that comes, and one that is to start.
///
/// | | |
/// | --- | --- |
/// | latency | last word of a descriptor to start offered: 2 cycles, 3 if it is of one word or two; if it is measured, that of [`Measure`] and 1 more |
/// | throughput | a descriptor of `n` words in `n` + 1 cycles at best |
/// | state | its parts', and how far the descriptor is |
///
/// A command that must wait stays in [`Launch`], and all behind it.
#[derive(LogicBlock, Default)]
pub struct CommandIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// This node.
    pub own_node: Signal<In, Bits<NODE_WIDTH>>,
    /// Whole descriptors, `tlast` on the last word of each.
    pub s_axis: StreamIn<32>,
    /// Words of descriptors, for the registers of their contexts.
    pub argument: ArgumentOut,
    /// A word of `s_axis` may go to `argument`.
    pub grant: Signal<In, Bit>,
    /// `argument` is used in this cycle, whatever `grant` is.
    pub fills: Signal<Out, Bit>,
    /// There is a free core; the first word of a descriptor waits for one.
    pub has_free: Signal<In, Bit>,
    /// Lowest core that is free, which the next descriptor gets; valid with `has_free`.
    pub free_context: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Looks a segment up; its fields below are there from the second cycle on.
    pub lookup: Signal<Out, Bit>,
    /// Handle of the segment to look up; valid with `lookup`.
    pub handle: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// A lookup may come in this cycle; no first word is taken without it.
    pub lookup_ready: Signal<In, Bit>,
    /// Node of the segment that was looked up.
    pub node: Signal<In, Bits<NODE_WIDTH>>,
    /// Tag of the segment's window at its node.
    pub tag: Signal<In, Bits<TAG_WIDTH>>,
    /// Kind of the segment, 0 if there is no such segment.
    pub kind: Signal<In, Bits<KIND_WIDTH>>,
    /// Packets come to the node of the segment.
    pub reached: Signal<In, Bit>,
    /// Words of the segment.
    pub size: Signal<In, Bits<OFFSET_WIDTH>>,
    /// High for one cycle: a command is right and takes its core.
    pub admitted: Signal<Out, Bit>,
    /// Core that the command takes; valid with `admitted`.
    pub core: Signal<Out, Bits<CONTEXT_WIDTH>>,
    /// Segment of that command, if it has one; valid with `admitted`.
    pub segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// That command has a segment; valid with `admitted`.
    pub ordered: Signal<Out, Bit>,
    /// One bit a core that must not have `asked_segment`: all but that of the command; none if it has no segment.
    pub asks: Signal<Out, Bits<CONTEXTS>>,
    /// Segment of the command that is to start or, without one, of the next command.
    pub asked_segment: Signal<Out, Bits<HANDLE_WIDTH>>,
    /// A core of `asks` has `asked_segment`; its command is parked or not.
    pub conflict: Signal<In, Bit>,
    /// A core of `asks` has `asked_segment`; its command is not parked.
    pub blocked: Signal<In, Bit>,
    /// Claims of slots, for commands that take one.
    pub claim: ClaimOut,
    /// Starts of commands.
    pub start: StartOut,
    /// Commands before it run that are not parked, transactions are open, or an event of a command waits to be counted.
    pub busy: Signal<In, Bit>,
    /// Asks for the error of the event of a command with the bit `drained`.
    pub look: LookOut,
    /// Of commands that do not start.
    pub report: EventOut,
    load: CommandLoad,
    check: CommandCheck,
    plan: CommandStart,
    single: SinglePacket,
    measure: Measure,
    drain: Drain,
    launch: Launch,
    state: DFF<CommandState>,
    error: DFF<Bits<ERROR_WIDTH>>,
    bank: DFF<Bits<BANK_WIDTH>>,
    admits: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
}

impl CommandIntake {
    /// For `build` in the fabric of `config`, words of `width` bits, a memory of `memory_words` of them, and programs at
    /// `entries`.
    pub fn new(build: &Build, config: &Config, width: usize, memory_words: u64, entries: &Entries) -> Self {
        Self {
            load: CommandLoad::new(build, config, width, memory_words),
            check: CommandCheck::new(width, build.shapers, build.is_fixed()),
            plan: CommandStart::new(width, memory_words, entries),
            measure: Measure::new(build.is_fixed()),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CommandIntake {
    fn update(&mut self) {
        wire!(self => load, measure, drain, launch: clk, rst);
        dff_setup!(self, clk, state, error, bank);
        wire!(self <=> load: s_axis, argument);
        wire!(self <=> launch: claim, start);
        wire!(self <=> drain: look);

        self.load.open.next = self.state.q.val() == CommandState::Take;
        self.load.fill.next = self.state.q.val() == CommandState::Check;
        self.load.grant.next = self.grant.val();
        self.fills.next = self.load.fills.val();
        wire!(self => load: own_node, has_free, free_context);
        wire!(load => self: lookup, handle);
        wire!(self => load: lookup_ready, size);

        wire!(load => check: command, operands);
        wire!(self => check: kind, reached);
        wire!(load => plan: command, operands);
        self.plan.nothing.next = self.check.nothing.val();
        wire!(self => plan: node, tag, size);
        self.measure.operands.next = self.load.operands.val();
        wire!(check => measure: remote, remote_only, nothing);
        wire!(load => single: command, operands);
        self.single.nothing.next = self.check.nothing.val();
        self.single.several.next = self.check.several.val();
        self.plan.payload.next = self.single.payload.val();
        self.launch.core.next = self.load.core.val();
        self.launch.is_get.next = self.load.command.val().is_get;
        self.launch.job.next = self.plan.job.val();
        wire!(self => launch: conflict, blocked);
        wire!(launch => self: asks, asked_segment);
        self.launch.ordered.next = !self.load.command.val().is_mail;
        self.load.bank.next = self.bank.q.val();
        self.plan.bank.next = self.bank.q.val();
        self.segment.next = self.load.command.val().segment;
        self.ordered.next = !self.load.command.val().is_mail;

        self.admits.next = (self.state.q.val() == CommandState::Offer)
            | ((self.state.q.val() == CommandState::Check)
                & !self.load.unsettled.val()
                & !self.check.wrong.val()
                & !self.check.measure.val()
                & !self.load.command.val().drained);
        self.launch.admit.next = self.admits.val() & self.launch.is_free.val();
        self.admitted.next = self.admits.val() & self.launch.is_free.val();
        self.core.next = self.load.core.val();
        self.measure.start.next = false;
        self.measure.prepare.next = self.state.q.val() == CommandState::Check;
        self.drain.wanted.next = self.state.q.val() == CommandState::Drain;
        self.drain.busy.next = self.busy.val() | !self.launch.is_free.val();
        self.drain.event_number.next = self.load.command.val().event;
        self.report.valid.next = false;
        self.report.event.next = self.load.command.val().event;
        self.report.error.next = self.error.q.val();
        self.finished.next = self.admits.val() & self.launch.is_free.val();
        match self.state.q.val() {
            CommandState::Take => {
                if self.load.complete.val() {
                    self.state.d.next = CommandState::Check;
                }
            }
            CommandState::Check => {
                self.error.d.next = self.check.error.val();
                if !self.load.unsettled.val() {
                    self.state.d.next = CommandState::Offer;
                    if self.check.wrong.val() {
                        self.state.d.next = CommandState::Report;
                    } else if self.check.measure.val() {
                        self.measure.start.next = true;
                        self.state.d.next = CommandState::Measure;
                    } else if self.load.command.val().drained {
                        self.state.d.next = CommandState::Drain;
                    }
                }
            }
            CommandState::Measure => {
                self.error.d.next = self.measure.error.val();
                if self.measure.done.val() {
                    self.state.d.next = CommandState::Offer;
                    if self.load.command.val().drained {
                        self.state.d.next = CommandState::Drain;
                    }
                    if self.measure.error.val().any() {
                        self.state.d.next = CommandState::Report;
                    }
                }
            }
            CommandState::Drain => {
                self.error.d.next = self.drain.error.val();
                if self.drain.done.val() {
                    self.state.d.next = CommandState::Offer;
                    if self.drain.error.val().any() {
                        self.state.d.next = CommandState::Report;
                    }
                }
            }
            CommandState::Offer => {}
            CommandState::Report => {
                self.report.valid.next = true;
                self.finished.next = self.report.ready.val();
            }
        }
        if self.finished.val() {
            self.state.d.next = CommandState::Take;
        }
        self.load.clear.next = self.finished.val();
        // One in the bypass, one in the launch, one that comes: those that are refused must leave the others' words alone.
        if self.admitted.val() {
            self.bank.d.next = self.bank.q.val() + 1;
        }
        if self.rst.val() {
            self.state.d.next = CommandState::Take;
            self.bank.d.next = 0.into();
        }
    }
}
