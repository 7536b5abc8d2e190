use super::{CountOut, EventJobOut, Outcome, Report, ReportRules, SentMove, SlotKeepIn, SlotRow, EVENT_INDEX_WIDTH};
use crate::{bus::EventOut, prim::LutRam};
use portico_spec::{
    ni::event::EVENT_WIDTH,
    portals::engine::{
        ACK_WIDTH, EVENT_DELIVERED_OFFSET, EVENT_FAILURE_OFFSET, EVENT_OVERFLOW_OFFSET, FAILURE_WIDTH, KIND_OFFSET,
        KIND_WIDTH, LENGTH_WIDTH, SLOT_WIDTH,
    },
};
use portico_verilog::prelude::*;

/// State of the completer.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum CompletionStep {
    /// Takes what is over.
    Take,
    /// Decides what it raises.
    Judge,
    /// Raises the event of the engine.
    Event,
    /// Waits until the event is written: software that sees the count finds it in its ring.
    Settle,
    /// Counts.
    Count,
    /// Counts in the event of the descriptor, or frees the slot.
    End,
}

/// Reports at the initiator what is over: moves that are sent, answers, replies.
///
/// | | |
/// | --- | --- |
/// | latency | 2 cycles to the event of the engine or to the count, 1 more to the event of the descriptor; the count waits until the event is written |
/// | throughput | one at a time: 4 cycles, and those of the event writer |
/// | state | what is kept of 32 requests in LUT-RAM; what is reported |
#[derive(LogicBlock, Default)]
pub struct Completer {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Rows of requests.
    pub keep: SlotKeepIn,
    /// A move is sent.
    pub sent: Signal<In, Bit>,
    /// That move; valid with `sent`.
    pub sent_move: Signal<In, SentMove>,
    /// High for a cycle: the move is taken.
    pub take_sent: Signal<Out, Bit>,
    /// A reply has come whole.
    pub replied: Signal<In, Bit>,
    /// The data of the reply that was taken last are written.
    pub reply_settled: Signal<In, Bit>,
    /// Slot of the reply; valid with `replied`.
    pub reply_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Outcome of the get; valid with `replied`.
    pub reply_outcome: Signal<In, Outcome>,
    /// Offset used, in bytes; valid with `replied`.
    pub reply_used: Signal<In, Bits<32>>,
    /// High for a cycle: the reply is taken.
    pub take_reply: Signal<Out, Bit>,
    /// There is an answer.
    pub answered: Signal<In, Bit>,
    /// Slot of the answer; valid with `answered`.
    pub answer_slot: Signal<In, Bits<SLOT_WIDTH>>,
    /// Outcome of the request; valid with `answered`.
    pub answer_outcome: Signal<In, Outcome>,
    /// Offset used, in bytes; valid with `answered`.
    pub answer_used: Signal<In, Bits<32>>,
    /// High for a cycle: the answer is taken.
    pub take_answer: Signal<Out, Bit>,
    /// Events of the engine: SEND, ACK, REPLY.
    pub job: EventJobOut,
    /// Counters of memory descriptors.
    pub count: CountOut,
    /// Events of the moves' descriptors.
    pub event: EventOut,
    /// High for a cycle: the slot `freed` is free.
    pub frees: Signal<Out, Bit>,
    /// The slot; valid with `frees`.
    pub freed: Signal<Out, Bits<SLOT_WIDTH>>,
    /// Something is being reported.
    pub busy: Signal<Out, Bit>,
    rows: LutRam<SlotRow, SLOT_WIDTH>,
    rules: ReportRules,
    step: DFF<CompletionStep>,
    /// A move is sent; else a request is answered.
    is_sent: DFF<Bit>,
    get: DFF<Bit>,
    ack: DFF<Bits<ACK_WIDTH>>,
    report: DFF<Report>,
    pointer: DFF<Bits<32>>,
    requested: DFF<Bits<LENGTH_WIDTH>>,
    outcome: DFF<Outcome>,
    used: DFF<Bits<32>>,
    slot: DFF<Bits<SLOT_WIDTH>>,
    number: DFF<Bits<EVENT_WIDTH>>,
    quiet: DFF<Bit>,
    raises: DFF<Bit>,
    counts: DFF<Bit>,
    kind: DFF<Bits<KIND_WIDTH>>,
    success: DFF<Bits<LENGTH_WIDTH>>,
    fails: DFF<Bit>,
    asked: DFF<Bits<EVENT_INDEX_WIDTH>>,
    word: DFF<Bits<32>>,
    chosen: Signal<Local, Bits<SLOT_WIDTH>>,
    chosen_outcome: Signal<Local, Outcome>,
    chosen_used: Signal<Local, Bits<32>>,
    overflow_bit: Signal<Local, Bits<1>>,
    failure_bit: Signal<Local, Bits<1>>,
}

#[kernel]
impl Logic for Completer {
    fn update(&mut self) {
        wire!(self => rows: clk);
        dff_setup!(self, clk, step, is_sent, get, ack, report, pointer, requested, outcome, used, slot, number, quiet);
        dff_setup!(self, clk, raises, counts, kind, success, fails, asked, word);
        self.rows.write_enable.next = self.keep.enable.val();
        self.rows.write_address.next = self.keep.slot.val();
        self.rows.write_data.next = self.keep.row.val();

        // The end in hand: a move that is sent comes first, then a reply.
        self.chosen.next = self.answer_slot.val();
        self.chosen_outcome.next = self.answer_outcome.val();
        self.chosen_used.next = self.answer_used.val();
        if self.replied.val() {
            self.chosen.next = self.reply_slot.val();
            self.chosen_outcome.next = self.reply_outcome.val();
            self.chosen_used.next = self.reply_used.val();
        }
        self.rows.read_address.next = self.chosen.val();

        // What it raises and counts.
        self.rules.is_sent.next = self.is_sent.q.val();
        self.rules.get.next = self.get.q.val();
        self.rules.ack.next = self.ack.q.val();
        self.rules.report.next = self.report.q.val();
        self.rules.requested.next = self.requested.q.val();
        self.rules.outcome.next = self.outcome.q.val();

        self.take_sent.next = false;
        self.take_reply.next = false;
        self.take_answer.next = false;
        self.job.valid.next = false;
        self.count.valid.next = false;
        self.event.valid.next = false;
        self.frees.next = false;
        match self.step.q.val() {
            CompletionStep::Take => {
                self.is_sent.d.next = self.sent.val();
                self.get.d.next = self.rows.read_data.val().get;
                self.ack.d.next = self.rows.read_data.val().ack;
                self.report.d.next = self.rows.read_data.val().report;
                self.pointer.d.next = self.rows.read_data.val().pointer;
                self.requested.d.next = 0.into();
                self.outcome.d.next = self.chosen_outcome.val();
                self.used.d.next = self.chosen_used.val();
                self.slot.d.next = self.chosen.val();
                self.quiet.d.next = true;
                if self.sent.val() {
                    self.get.d.next = !self.sent_move.val().put;
                    self.report.d.next = self.sent_move.val().report;
                    self.pointer.d.next = self.sent_move.val().pointer;
                    self.requested.d.next = self.sent_move.val().requested;
                    self.outcome.d.next.delivered = 0.into();
                    self.outcome.d.next.failure = 0.into();
                    self.outcome.d.next.overflow = false;
                    self.outcome.d.next.silent = false;
                    self.used.d.next = 0.into();
                    self.number.d.next = self.sent_move.val().event;
                    self.quiet.d.next = self.sent_move.val().quiet;
                    self.take_sent.next = true;
                    self.step.d.next = CompletionStep::Judge;
                } else if self.replied.val() {
                    self.take_reply.next = true;
                    self.step.d.next = CompletionStep::Judge;
                } else if self.answered.val() {
                    self.take_answer.next = true;
                    self.step.d.next = CompletionStep::Judge;
                }
            }
            CompletionStep::Judge => {
                self.kind.d.next = self.rules.kind.val();
                self.raises.d.next = self.rules.raises.val();
                self.counts.d.next = self.rules.counts.val();
                self.success.d.next = self.rules.success.val();
                self.fails.d.next = self.rules.fails.val();
                // Software that sees the end of a get finds its data.
                if self.is_sent.q.val() | !self.get.q.val() | self.reply_settled.val() {
                    self.step.d.next = CompletionStep::Count;
                    if self.report.q.val().queues {
                        self.step.d.next = CompletionStep::Event;
                    }
                }
            }
            CompletionStep::Event => {
                self.job.valid.next = self.raises.q.val();
                if self.job.done.val() {
                    self.step.d.next = CompletionStep::Settle;
                } else if !self.raises.q.val() {
                    self.step.d.next = CompletionStep::Count;
                }
            }
            CompletionStep::Settle => {
                if self.job.settled.val() {
                    self.step.d.next = CompletionStep::Count;
                }
            }
            CompletionStep::Count => {
                self.count.valid.next = self.counts.q.val() & self.report.q.val().counts;
                if !self.count.valid.val() | self.count.ready.val() {
                    self.step.d.next = CompletionStep::End;
                }
            }
            CompletionStep::End => {
                self.event.valid.next = !self.quiet.q.val();
                self.frees.next = !self.is_sent.q.val();
                if !self.event.valid.val() | self.event.ready.val() {
                    self.step.d.next = CompletionStep::Take;
                }
            }
        }
        self.freed.next = self.slot.q.val();
        self.event.event.next = self.number.q.val();
        self.event.error.next = 0.into();
        self.count.counter.next = self.report.q.val().counter;
        self.count.sets.next = false;
        self.failure_bit.next = self.fails.q.val().into();
        self.count.success.next = bit_cast::<32, LENGTH_WIDTH>(self.success.q.val());
        self.count.failure.next = bit_cast::<32, 1>(self.failure_bit.val());

        // The words of the event.
        self.job.queue.next = self.report.q.val().queue;
        self.asked.d.next = self.job.index.val();
        self.overflow_bit.next = self.outcome.q.val().overflow.into();
        self.word.d.next = 0.into();
        if self.asked.q.val() == 0 {
            self.word.d.next = field::<32, KIND_WIDTH>(self.kind.q.val(), KIND_OFFSET)
                | field::<32, FAILURE_WIDTH>(self.outcome.q.val().failure, EVENT_FAILURE_OFFSET)
                | field::<32, 1>(self.overflow_bit.val(), EVENT_OVERFLOW_OFFSET);
        }
        if self.asked.q.val() == 1 {
            self.word.d.next = field::<32, LENGTH_WIDTH>(self.outcome.q.val().delivered, EVENT_DELIVERED_OFFSET);
        }
        if self.asked.q.val() == 3 {
            self.word.d.next = bit_cast::<32, LENGTH_WIDTH>(self.requested.q.val());
        }
        if self.asked.q.val() == 4 {
            self.word.d.next = self.pointer.q.val();
        }
        if self.asked.q.val() == 5 {
            self.word.d.next = self.used.q.val();
        }
        self.job.word.next = self.word.q.val();
        self.busy.next = self.step.q.val() != CompletionStep::Take;
        if self.rst.val() {
            self.step.d.next = CompletionStep::Take;
        }
    }
}
