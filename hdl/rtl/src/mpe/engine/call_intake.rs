use super::{CallOut, ADDRESS_WIDTH, COUNTS_WIDTH, EDGES, NUMBERS_WIDTH};
use crate::{
    bus::EventOut,
    prim::{LutRam, StreamIn},
};
use portico_spec::{
    mpe::{
        call::{
            ARMED, ARMED_OFFSET, ARMED_WIDTH, BARRIER_WORDS, CALL_KIND_OFFSET, CALL_LENGTH_OFFSET,
            CALL_OPERATION_OFFSET, CONTEXTS, CONTEXT_OFFSET, CONTEXT_WIDTH, HEAD_NUMBER_WIDTH, KIND_WIDTH,
            LAUNCH_OFFSET, LENGTH_WIDTH, NEXT_OFFSET, NUMBER_WIDTH, OPERATION_OFFSET, PLACE_WIDTH, ROOT_OFFSET,
            TOWARDS_OFFSET, TRANSFER_WORDS, WAITING,
        },
        reduce::{Operation, OPERATION_WIDTH},
    },
    ni::{
        command::{EVENT_OFFSET, OPCODE_OFFSET, QUIET_OFFSET},
        event::EVENT_WIDTH,
        packet::ERROR_WIDTH,
        ErrorCode,
    },
};
use portico_verilog::prelude::*;

/// Bits that count the words of a descriptor, and those beyond.
const COUNT_WIDTH: usize = 3;
/// Width of a number of calls that wait.
const WAITING_WIDTH: usize = 3;
/// Width of the place of a call among those that wait.
const TAIL_WIDTH: usize = 2;
/// Width of the place of a call among those that are kept: those that wait, and above them those that are armed.
const ENTRY_WIDTH: usize = TAIL_WIDTH + 1;
/// Calls of a context that are kept.
const ENTRIES: usize = 1 << ENTRY_WIDTH;
/// Words of a call that is kept.
const CALL_WORDS: usize = 4;
/// Address of a word of a call that is kept.
const QUEUE_WIDTH: usize = CONTEXT_WIDTH + ENTRY_WIDTH + 2;
/// Bits of word 1 of a descriptor.
const CALL_WIDTH: usize = LAUNCH_OFFSET + 1;
/// Place of the last context's number among the low bits of all.
const LAST_NUMBER: usize = NUMBERS_WIDTH - HEAD_NUMBER_WIDTH;
/// Width of an address of a word, of which the memory has fewer than half.
const WORD_WIDTH: usize = ADDRESS_WIDTH + 1;
/// Width of the end of a transfer.
const END_WIDTH: usize = LENGTH_WIDTH + 1;
/// Bits of a byte address above those of a word's address.
const BEYOND_WIDTH: usize = 32 - WORD_WIDTH - 2;
/// Above word 1 of a call that is kept: kind, event, quiet.
const COMMON_WIDTH: usize = KIND_WIDTH + EVENT_WIDTH + 1;

/// State of the intake.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Intake {
    /// Takes the words of a descriptor.
    Take,
    /// Adds lengths to addresses.
    Add,
    /// Accepts it or not.
    Check,
    /// Keeps it among those that wait, or those that are armed.
    Keep,
    /// Gets one of those.
    Fetch,
    /// Gives it to the scheduler.
    Begin,
    /// Ends it with an error, or tells that it is armed or launched.
    Report,
}

/// Checks the descriptors of calls, and keeps those that wait for the one that runs in their context, or for a launch.
///
/// Calls of up to 4 contexts.
///
/// | | |
/// | --- | --- |
/// | latency | from a descriptor's last word to the call at `call`: 2 cycles for a barrier, 3 for others; 5 for one that has waited or was armed |
/// | throughput | a descriptor every 4 to 8 cycles, 4 more for one that is kept |
/// | state | 4 calls that wait and 2 that are armed in LUT-RAM by context, and the descriptor in hand |
///
/// The intake checks a descriptor in this order, and the first check that fails gives the error: its number of words; a context
/// that is built; that is not closed; the next number of the context; room among the calls that wait or are armed; an operation,
/// aligned addresses and a neighbour on the way to the root; the memory's end; source and result that do not overlap in part. A launch
/// is checked for the first three, and then for a context with an armed call, in which nothing runs, waits or is launched.
#[derive(LogicBlock, Default)]
pub struct CallIntake {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    /// Descriptors with the engine's opcodes, whole.
    pub commands: StreamIn<32>,
    /// Calls that begin, new or after they have waited: nothing runs in their context.
    pub call: CallOut,
    /// Of calls that end here: refused, or waiting in a context that is closed. Of those that are armed, and of launches.
    pub event: EventOut,
    /// Edges with a neighbour.
    pub present: Signal<In, Bits<EDGES>>,
    /// One bit a context: a call runs.
    pub running: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed.
    pub closed: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed because a call timed out.
    pub late: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: it is closed because its register `control` said so.
    pub called_off: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: calls wait.
    pub waits: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context: a call to it is whole here, and does not run or wait yet.
    pub takes_in: Signal<Out, Bits<CONTEXTS>>,
    /// By context the low bits of the number of its next call.
    pub numbers: Signal<Out, Bits<NUMBERS_WIDTH>>,
    /// One bit a context, for a cycle: one more call is armed.
    pub arms: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: it is launched.
    pub launch: Signal<Out, Bits<CONTEXTS>>,
    /// One bit a context, for a cycle: its next armed call begins.
    pub begins: Signal<Out, Bits<CONTEXTS>>,
    /// By context how many calls are armed.
    pub armed: Signal<In, Bits<COUNTS_WIDTH>>,
    /// By context how many of them have begun in the launch that is under way.
    pub begun: Signal<In, Bits<COUNTS_WIDTH>>,
    /// One bit a context: a launch is under way.
    pub launched: Signal<In, Bits<CONTEXTS>>,
    /// One bit a context: its next armed call may begin.
    pub ready_armed: Signal<In, Bits<CONTEXTS>>,
    /// A row of the context's list is written, or the context opens: its calls are numbered from 0 on.
    pub renews: Signal<In, Bit>,
    /// Context that is renewed; valid with `renews`.
    pub renewed: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Context of a register read.
    pub asked: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// Calls that wait in this context.
    pub asked_waiting: Signal<Out, Bits<WAITING_WIDTH>>,
    /// Number of the next call of this context.
    pub asked_next: Signal<Out, Bits<NUMBER_WIDTH>>,
    kept: LutRam<Bits<32>, QUEUE_WIDTH>,
    step: DFF<Intake>,
    count: DFF<Bits<COUNT_WIDTH>>,
    kind: DFF<Bits<KIND_WIDTH>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    called: DFF<Bits<CALL_WIDTH>>,
    length: DFF<Bits<LENGTH_WIDTH>>,
    source: DFF<Bits<WORD_WIDTH>>,
    result: DFF<Bits<WORD_WIDTH>>,
    /// An address is no whole number of words; one has bits above those of any memory.
    misaligned: DFF<Bit>,
    beyond: DFF<Bit>,
    source_end: DFF<Bits<END_WIDTH>>,
    result_end: DFF<Bits<END_WIDTH>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    next: [DFF<Bits<NUMBER_WIDTH>>; CONTEXTS],
    waiting: [DFF<Bits<WAITING_WIDTH>>; CONTEXTS],
    tail: [DFF<Bits<TAIL_WIDTH>>; CONTEXTS],
    /// The call that is fetched was armed.
    was_armed: DFF<Bit>,
    is_armed: Signal<Local, Bit>,
    is_launch: Signal<Local, Bit>,
    has_number: Signal<Local, Bit>,
    /// Word 1 in hand, with the next number of the context.
    numbered: Signal<Local, Bits<CALL_WIDTH>>,
    is_full: Signal<Local, Bit>,
    own: Signal<Local, Bits<CONTEXTS>>,
    own_armed: Signal<Local, Bits<ARMED_WIDTH>>,
    own_begun: Signal<Local, Bits<ARMED_WIDTH>>,
    starts: Signal<Local, Bits<CONTEXTS>>,
    rises: Signal<Local, Bit>,
    low_bits: Signal<Local, Bits<HEAD_NUMBER_WIDTH>>,
    takes: Signal<Local, Bit>,
    named: Signal<Local, Bits<CONTEXT_WIDTH>>,
    owner: Signal<Local, Bits<CONTEXT_WIDTH>>,
    towards: Signal<Local, Bits<PLACE_WIDTH>>,
    operation: Signal<Local, Bits<OPERATION_WIDTH>>,
    own_next: Signal<Local, Bits<NUMBER_WIDTH>>,
    own_waiting: Signal<Local, Bits<WAITING_WIDTH>>,
    own_tail: Signal<Local, Bits<TAIL_WIDTH>>,
    entry: Signal<Local, Bits<ENTRY_WIDTH>>,
    is_built: Signal<Local, Bit>,
    known_operations: Signal<Local, Bits<{ 1 << OPERATION_WIDTH }>>,
    is_known: Signal<Local, Bit>,
    ways: Signal<Local, Bits<EDGES>>,
    has_way: Signal<Local, Bit>,
    wrong_count: Signal<Local, Bit>,
    overlaps: Signal<Local, Bit>,
    exceeds: Signal<Local, Bit>,
    fault: Signal<Local, Bits<ERROR_WIDTH>>,
    accepts: Signal<Local, Bit>,
    ready_calls: Signal<Local, Bits<CONTEXTS>>,
    fetches: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<CONTEXT_WIDTH>>,
    leaves: Signal<Local, Bit>,
    joins: Signal<Local, Bit>,
    place: Signal<Local, Bits<QUEUE_WIDTH>>,
    stored: Signal<Local, Bits<32>>,
    value: Signal<Local, Bits<32>>,
    length_word: Signal<Local, Bits<32>>,
    last_context: Constant<Bits<CONTEXT_WIDTH>>,
    /// Those of the number in word 1.
    number_bits: Constant<Bits<CALL_WIDTH>>,
    /// One bit a code that is an operation.
    operations: Constant<Bits<{ 1 << OPERATION_WIDTH }>>,
    end: Constant<Bits<END_WIDTH>>,
}

impl CallIntake {
    /// For `contexts` contexts and a memory of `memory` words.
    pub fn new(contexts: usize, memory: usize) -> Self {
        Self {
            kept: LutRam::new(contexts * ENTRIES * CALL_WORDS),
            last_context: Constant::new(bits(contexts as u64 - 1)),
            number_bits: Constant::new(bits((1 << NUMBER_WIDTH) - 1)),
            operations: Constant::new(bits(Operation::ALL.iter().map(|&code| 1 << code as u64).sum())),
            end: Constant::new(bits(memory as u64)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for CallIntake {
    fn update(&mut self) {
        wire!(self => kept: clk);
        dff_setup!(self, clk, step, count, kind, number, quiet, called, length, source, result, misaligned, beyond);
        dff_setup!(self, clk, source_end, result_end, error, was_armed);

        // Of the context of the call in hand.
        self.named.next = self.called.q.val().get_bits::<CONTEXT_WIDTH>(CONTEXT_OFFSET);
        // Bits that no built context has are constants.
        self.owner.next = self.named.val() & self.last_context.val();
        self.towards.next = self.called.q.val().get_bits::<PLACE_WIDTH>(TOWARDS_OFFSET);
        self.operation.next = self.called.q.val().get_bits::<OPERATION_WIDTH>(OPERATION_OFFSET);
        self.is_armed.next = self.called.q.val().get_bit(ARMED_OFFSET);
        self.is_launch.next = self.called.q.val().get_bit(LAUNCH_OFFSET) & !self.kind.q.val().any();
        self.has_number.next = !self.is_armed.val() & !self.called.q.val().get_bit(NEXT_OFFSET);
        self.own.next = bits::<CONTEXTS>(1) << self.owner.val();
        self.own_armed.next = 0.into();
        self.own_begun.next = 0.into();
        self.numbers.next = 0.into();
        self.own_next.next = 0.into();
        self.own_waiting.next = 0.into();
        self.own_tail.next = 0.into();
        self.asked_waiting.next = 0.into();
        self.asked_next.next = 0.into();
        self.ready_calls.next = 0.into();
        self.waits.next = 0.into();
        for i in 0..CONTEXTS {
            self.next[i].clock.next = self.clk.val();
            self.next[i].d.next = self.next[i].q.val();
            self.waiting[i].clock.next = self.clk.val();
            self.waiting[i].d.next = self.waiting[i].q.val();
            self.tail[i].clock.next = self.clk.val();
            self.tail[i].d.next = self.tail[i].q.val();
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                self.own_next.next = self.next[i].q.val();
                self.own_waiting.next = self.waiting[i].q.val();
                self.own_tail.next = self.tail[i].q.val();
                self.own_armed.next = self.armed.val().get_bits::<ARMED_WIDTH>(i * ARMED_WIDTH);
                self.own_begun.next = self.begun.val().get_bits::<ARMED_WIDTH>(i * ARMED_WIDTH);
            }
            // Each one comes in at the top, and moves the earlier ones down to their places.
            self.low_bits.next = self.next[i].q.val().get_bits::<HEAD_NUMBER_WIDTH>(0);
            self.numbers.next = (self.numbers.val() >> bits::<4>(HEAD_NUMBER_WIDTH as u64))
                | (bit_cast::<NUMBERS_WIDTH, HEAD_NUMBER_WIDTH>(self.low_bits.val()) << bits::<4>(LAST_NUMBER as u64));
            if self.asked.val() == bits::<CONTEXT_WIDTH>(i) {
                self.asked_next.next = self.next[i].q.val();
                self.asked_waiting.next = self.waiting[i].q.val();
            }
            self.waits.next = self.waits.val().replace_bit(i, self.waiting[i].q.val().any());
        }
        self.ready_calls.next = self.waits.val() & !self.running.val();
        self.starts.next = self.ready_calls.val();
        if !self.ready_calls.val().any() {
            self.starts.next = self.ready_armed.val();
        }
        self.chosen.next = 0.into();
        for i in 0..CONTEXTS {
            if self.starts.val().get_bit(i) {
                self.chosen.next = bits::<CONTEXT_WIDTH>(i);
            }
        }

        // A descriptor, word by word; calls that have waited come first, then those that are launched.
        self.fetches.next = (self.step.q.val() == Intake::Take)
            & (self.count.q.val() == 0)
            & self.starts.val().any()
            & !self.initialising.val();
        self.commands.tready.next =
            (self.step.q.val() == Intake::Take) & !self.fetches.val() & !self.initialising.val();
        self.takes.next = self.commands.tvalid.val() & self.commands.tready.val();
        self.entry.next = bit_cast::<ENTRY_WIDTH, TAIL_WIDTH>(self.own_tail.val());
        if self.is_armed.val() {
            self.entry.next = bit_cast::<ENTRY_WIDTH, ARMED_WIDTH>(self.own_armed.val()).replace_bit(TAIL_WIDTH, true);
        }
        if self.step.q.val() == Intake::Fetch {
            self.entry.next = bit_cast::<ENTRY_WIDTH, TAIL_WIDTH>(
                self.own_tail.val() - self.own_waiting.val().get_bits::<TAIL_WIDTH>(0),
            );
            if self.was_armed.q.val() {
                self.entry.next =
                    bit_cast::<ENTRY_WIDTH, ARMED_WIDTH>(self.own_begun.val()).replace_bit(TAIL_WIDTH, true);
            }
        }
        self.place.next = bit_cast::<QUEUE_WIDTH, 2>(self.count.q.val().get_bits::<2>(0))
            | (bit_cast::<QUEUE_WIDTH, ENTRY_WIDTH>(self.entry.val()) << bits::<3>(2))
            | (bit_cast::<QUEUE_WIDTH, CONTEXT_WIDTH>(self.owner.val()) << bits::<3>(2 + ENTRY_WIDTH as u64));
        self.kept.read_address.next = self.place.val();
        self.kept.write_address.next = self.place.val();
        self.stored.next = 0.into();
        if self.count.q.val() == 0 {
            self.stored.next = bit_cast::<32, CALL_WIDTH>(self.called.q.val())
                | (bit_cast::<32, KIND_WIDTH>(self.kind.q.val()) << bits::<6>(CALL_WIDTH as u64))
                | (bit_cast::<32, EVENT_WIDTH>(self.number.q.val())
                    << bits::<6>(CALL_WIDTH as u64 + KIND_WIDTH as u64));
            if self.quiet.q.val() {
                self.stored.next = self.stored.val().replace_bit(CALL_WIDTH + COMMON_WIDTH - 1, true);
            }
        }
        if self.count.q.val() == 1 {
            self.stored.next = bit_cast::<32, LENGTH_WIDTH>(self.length.q.val());
        }
        if self.count.q.val() == 2 {
            self.stored.next = bit_cast::<32, WORD_WIDTH>(self.source.q.val());
        }
        if self.count.q.val() == 3 {
            self.stored.next = bit_cast::<32, WORD_WIDTH>(self.result.q.val());
        }
        self.kept.write_data.next = self.stored.val();
        self.kept.write_enable.next = self.step.q.val() == Intake::Keep;
        self.value.next = self.kept.read_data.val();

        // The error of the descriptor.
        self.is_built.next = self.named.val() == self.owner.val();
        self.known_operations.next = self.operations.val();
        self.is_known.next =
            !self.kind.q.val().get_bit(1) | self.known_operations.val().get_bit(self.operation.val().index());
        self.ways.next = self.present.val()
            >> (bit_cast::<6, PLACE_WIDTH>(self.towards.val())
                | (bit_cast::<6, CONTEXT_WIDTH>(self.owner.val()) << bits::<3>(PLACE_WIDTH as u64)));
        self.has_way.next = self.called.q.val().get_bit(ROOT_OFFSET) | self.ways.val().get_bit(0);
        self.wrong_count.next = self.count.q.val() != bits::<COUNT_WIDTH>(TRANSFER_WORDS as u64);
        if !self.kind.q.val().any() {
            self.wrong_count.next = self.count.q.val() != bits::<COUNT_WIDTH>(BARRIER_WORDS as u64);
        }
        self.exceeds.next = self.kind.q.val().any()
            & (self.beyond.q.val()
                | (self.source_end.q.val() > self.end.val())
                | (self.result_end.q.val() > self.end.val()));
        self.overlaps.next = self.kind.q.val().any()
            & (self.source.q.val() != self.result.q.val())
            & (bit_cast::<END_WIDTH, WORD_WIDTH>(self.source.q.val()) < self.result_end.q.val())
            & (bit_cast::<END_WIDTH, WORD_WIDTH>(self.result.q.val()) < self.source_end.q.val());
        self.fault.next = 0.into();
        if self.overlaps.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        if self.exceeds.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfMemory as u64);
        }
        if !self.is_known.val()
            | !self.has_way.val()
            | self.misaligned.q.val()
            | self.called.q.val().get_bit(LAUNCH_OFFSET)
        {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        self.is_full.next = self.own_waiting.val() == bits::<WAITING_WIDTH>(WAITING as u64);
        if self.is_armed.val() {
            self.is_full.next = self.own_armed.val() == bits::<ARMED_WIDTH>(ARMED as u64);
        }
        if self.is_full.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::TooManyCalls as u64);
        }
        if self.has_number.val() & (self.called.q.val().get_bits::<NUMBER_WIDTH>(0) != self.own_next.val()) {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfTurn as u64);
        }
        if self.is_launch.val() {
            self.fault.next = 0.into();
            if !self.own_armed.val().any()
                | self.own_waiting.val().any()
                | (self.running.val() & self.own.val()).any()
                | (self.launched.val() & self.own.val()).any()
            {
                self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::OutOfTurn as u64);
            }
        }
        if self.closed.val().get_bit(self.owner.val().index()) {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Closed as u64);
        }
        if !self.is_built.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::NotBuilt as u64);
        }
        if self.wrong_count.val() {
            self.fault.next = bits::<ERROR_WIDTH>(ErrorCode::Malformed as u64);
        }
        self.accepts.next = (self.step.q.val() == Intake::Check) & !self.fault.val().any();

        self.numbered.next =
            (self.called.q.val() & !self.number_bits.val()) | bit_cast::<CALL_WIDTH, NUMBER_WIDTH>(self.own_next.val());
        self.joins.next = false;
        self.leaves.next = false;
        self.rises.next = self.accepts.val() & !self.is_armed.val() & !self.is_launch.val();
        self.arms.next = 0.into();
        self.launch.next = 0.into();
        self.begins.next = 0.into();
        match self.step.q.val() {
            Intake::Take => {
                if self.fetches.val() {
                    self.step.d.next = Intake::Fetch;
                    self.was_armed.d.next = !self.ready_calls.val().any();
                    self.called.d.next =
                        bit_cast::<CALL_WIDTH, CONTEXT_WIDTH>(self.chosen.val()) << bits::<5>(CONTEXT_OFFSET as u64);
                }
                if self.takes.val() {
                    if !self.count.q.val().all() {
                        self.count.d.next = self.count.q.val() + 1;
                    }
                    if self.count.q.val() == 0 {
                        self.kind.d.next = self.commands.tdata.val().get_bits::<KIND_WIDTH>(OPCODE_OFFSET);
                        self.number.d.next = self.commands.tdata.val().get_bits::<EVENT_WIDTH>(EVENT_OFFSET);
                        self.quiet.d.next = self.commands.tdata.val().get_bit(QUIET_OFFSET);
                        self.length.d.next = 0.into();
                        self.misaligned.d.next = false;
                        self.beyond.d.next = false;
                    }
                    if self.count.q.val() == 1 {
                        self.called.d.next = self.commands.tdata.val().get_bits::<CALL_WIDTH>(0);
                    }
                    if self.count.q.val() == 2 {
                        self.length.d.next = self.commands.tdata.val().get_bits::<LENGTH_WIDTH>(0);
                    }
                    if self.count.q.val() == 3 {
                        self.source.d.next = self.commands.tdata.val().get_bits::<WORD_WIDTH>(2);
                    }
                    if self.count.q.val() == 4 {
                        self.result.d.next = self.commands.tdata.val().get_bits::<WORD_WIDTH>(2);
                    }
                    if (self.count.q.val() == 3) | (self.count.q.val() == 4) {
                        self.misaligned.d.next =
                            self.misaligned.q.val() | self.commands.tdata.val().get_bits::<2>(0).any();
                        self.beyond.d.next = self.beyond.q.val()
                            | self.commands.tdata.val().get_bits::<BEYOND_WIDTH>(WORD_WIDTH + 2).any();
                    }
                    if self.commands.tlast.val() {
                        self.step.d.next = Intake::Add;
                        if !self.kind.q.val().any() & (self.count.q.val() == 1) {
                            self.step.d.next = Intake::Check;
                        }
                    }
                }
            }
            Intake::Add => {
                self.step.d.next = Intake::Check;
            }
            Intake::Check => {
                self.error.d.next = self.fault.val();
                self.step.d.next = Intake::Report;
                self.count.d.next = 0.into();
                if !self.has_number.val() {
                    self.called.d.next = self.numbered.val();
                }
                if self.accepts.val() & !self.is_launch.val() {
                    self.step.d.next = Intake::Keep;
                    if !self.is_armed.val()
                        & !self.running.val().get_bit(self.owner.val().index())
                        & !self.own_waiting.val().any()
                    {
                        self.step.d.next = Intake::Begin;
                    }
                }
                if self.accepts.val() & self.is_launch.val() {
                    self.launch.next = self.own.val();
                    if self.quiet.q.val() {
                        self.step.d.next = Intake::Take;
                    }
                }
            }
            Intake::Keep => {
                self.count.d.next = self.count.q.val() + 1;
                if self.count.q.val() == 3 {
                    self.joins.next = !self.is_armed.val();
                    self.count.d.next = 0.into();
                    self.step.d.next = Intake::Take;
                    if self.is_armed.val() {
                        self.arms.next = self.own.val();
                        self.step.d.next = Intake::Report;
                    }
                }
            }
            Intake::Fetch => {
                self.count.d.next = self.count.q.val() + 1;
                if self.count.q.val() == 0 {
                    // The context that it names is the one that it is of.
                    self.called.d.next = self.value.val().get_bits::<CALL_WIDTH>(0);
                    self.kind.d.next = self.value.val().get_bits::<KIND_WIDTH>(CALL_WIDTH);
                    self.number.d.next = self.value.val().get_bits::<EVENT_WIDTH>(CALL_WIDTH + KIND_WIDTH);
                    self.quiet.d.next = self.value.val().get_bit(CALL_WIDTH + COMMON_WIDTH - 1);
                }
                if self.count.q.val() == 1 {
                    if self.was_armed.q.val() {
                        self.called.d.next = self.numbered.val();
                    }
                    self.length.d.next = self.value.val().get_bits::<LENGTH_WIDTH>(0);
                }
                if self.count.q.val() == 2 {
                    self.source.d.next = self.value.val().get_bits::<WORD_WIDTH>(0);
                }
                if self.count.q.val() == 3 {
                    self.result.d.next = self.value.val().get_bits::<WORD_WIDTH>(0);
                    self.leaves.next = !self.was_armed.q.val();
                    self.count.d.next = 0.into();
                    self.step.d.next = Intake::Begin;
                    if self.was_armed.q.val() {
                        self.rises.next = true;
                        self.begins.next = self.own.val();
                    }
                    self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::Mismatch as u64);
                    if self.late.val().get_bit(self.owner.val().index()) {
                        self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::TimedOut as u64);
                    }
                    if self.called_off.val().get_bit(self.owner.val().index()) {
                        self.error.d.next = bits::<ERROR_WIDTH>(ErrorCode::Closed as u64);
                    }
                    if self.closed.val().get_bit(self.owner.val().index()) {
                        self.step.d.next = Intake::Report;
                        if self.was_armed.q.val() {
                            self.step.d.next = Intake::Take;
                        }
                    }
                }
            }
            Intake::Begin => {
                if self.call.ready.val() {
                    self.step.d.next = Intake::Take;
                }
            }
            Intake::Report => {
                if self.event.ready.val() {
                    self.step.d.next = Intake::Take;
                }
            }
        }
        self.source_end.d.next = bit_cast::<END_WIDTH, WORD_WIDTH>(self.source.q.val())
            + bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.length.q.val());
        self.result_end.d.next = bit_cast::<END_WIDTH, WORD_WIDTH>(self.result.q.val())
            + bit_cast::<END_WIDTH, LENGTH_WIDTH>(self.length.q.val());

        // The state of its context.
        for i in 0..CONTEXTS {
            if self.owner.val() == bits::<CONTEXT_WIDTH>(i) {
                if self.rises.val() {
                    self.next[i].d.next = self.next[i].q.val() + 1;
                }
                if self.joins.val() {
                    self.waiting[i].d.next = self.waiting[i].q.val() + 1;
                    self.tail[i].d.next = self.tail[i].q.val() + 1;
                }
                if self.leaves.val() {
                    self.waiting[i].d.next = self.waiting[i].q.val() - 1;
                }
            }
            if self.renews.val() & (self.renewed.val() == bits::<CONTEXT_WIDTH>(i)) {
                self.next[i].d.next = 0.into();
            }
            if self.rst.val() {
                self.next[i].d.next = 0.into();
                self.waiting[i].d.next = 0.into();
                self.tail[i].d.next = 0.into();
            }
        }

        self.takes_in.next = 0.into();
        if (self.step.q.val() != Intake::Take) & (self.step.q.val() != Intake::Report) {
            self.takes_in.next = bits::<CONTEXTS>(1) << self.owner.val();
        }
        self.call.valid.next = self.step.q.val() == Intake::Begin;
        self.call.owner.next = self.owner.val();
        self.length_word.next =
            bit_cast::<32, LENGTH_WIDTH>(self.length.q.val()) << bits::<6>(CALL_LENGTH_OFFSET as u64);
        self.call.word.next = bit_cast::<32, NUMBER_WIDTH>(self.called.q.val().get_bits::<NUMBER_WIDTH>(0))
            | self.length_word.val()
            | (bit_cast::<32, KIND_WIDTH>(self.kind.q.val()) << bits::<6>(CALL_KIND_OFFSET as u64))
            | (bit_cast::<32, OPERATION_WIDTH>(self.operation.val()) << bits::<6>(CALL_OPERATION_OFFSET as u64));
        self.call.towards.next = self.towards.val();
        self.call.root.next = self.called.q.val().get_bit(ROOT_OFFSET);
        self.call.event.next = self.number.q.val();
        self.call.quiet.next = self.quiet.q.val();
        self.call.source.next = self.source.q.val().get_bits::<ADDRESS_WIDTH>(0);
        self.call.result.next = self.result.q.val().get_bits::<ADDRESS_WIDTH>(0);
        self.event.valid.next = self.step.q.val() == Intake::Report;
        self.event.event.next = self.number.q.val();
        self.event.error.next = self.error.q.val();
        if self.rst.val() {
            self.step.d.next = Intake::Take;
            self.count.d.next = 0.into();
        }
    }
}
