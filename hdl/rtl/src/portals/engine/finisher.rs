use super::{AnswerOut, ContextWriteIn, CountOut, EventJobOut, FinishIn, Outcome, CONTEXT_WIDTH, EVENT_INDEX_WIDTH};
use crate::prim::Ram;
use portico_spec::portals::engine::{
    EventKind, EVENT_FAILURE_OFFSET, EVENT_OVERFLOW_OFFSET, EVENT_PORTAL_OFFSET, FAILURE_WIDTH, KIND_OFFSET,
    KIND_WIDTH, LENGTH_WIDTH, NUMBER_WIDTH, PORTAL_WIDTH, QUEUE_WIDTH, RANK_WIDTH, SLOT_WIDTH,
};
use portico_verilog::prelude::*;

/// Width of an address of a word of an event.
const ADDRESS_WIDTH: usize = CONTEXT_WIDTH + EVENT_INDEX_WIDTH;
/// Place of the user's pointer in an event.
const POINTER_INDEX: u64 = 4;
/// Place of the first word of the header data in an event.
const HEADER_INDEX: u64 = 8;

/// State of the finisher.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum FinishStep {
    /// Takes what is to be raised.
    Take,
    /// Raises the event of the message.
    Event,
    /// Counts.
    Count,
    /// Raises AUTO_UNLINK.
    Unlink,
    /// Raises AUTO_FREE.
    Free,
    /// Sends the answer.
    Answer,
}

/// Raises at the target what the end of a message wants: its event, its count, AUTO_UNLINK and AUTO_FREE, its answer, in this order.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle to the event |
/// | throughput | one message at a time: 5 cycles, and those of the event writer |
/// | state | words of events of two messages a rank in block RAM; what is raised |
#[derive(LogicBlock, Default)]
pub struct Finisher {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Words of events, as they are known.
    pub write: ContextWriteIn,
    /// Events, counts and answers to raise.
    pub finish: FinishIn,
    /// Place of a word of an event of a header.
    pub header_index: Signal<Out, Bits<EVENT_INDEX_WIDTH>>,
    /// The word whose place was `header_index` in the cycle before.
    pub header_word: Signal<In, Bits<32>>,
    /// Events of the engine.
    pub job: EventJobOut,
    /// Counters of entries.
    pub count: CountOut,
    /// Answers.
    pub answer: AnswerOut,
    /// Something is being raised.
    pub busy: Signal<Out, Bit>,
    /// Rank and parity of the message whose words are in use; valid with `busy`.
    pub held: Signal<Out, Bits<CONTEXT_WIDTH>>,
    words: Ram<Bits<32>, ADDRESS_WIDTH>,
    step: DFF<FinishStep>,
    owner: DFF<Bits<CONTEXT_WIDTH>>,
    portal: DFF<Bits<PORTAL_WIDTH>>,
    ring: DFF<Bits<QUEUE_WIDTH>>,
    overflow: DFF<Bit>,
    pointer: DFF<Bits<32>>,
    raises: DFF<Bit>,
    kind: DFF<Bits<KIND_WIDTH>>,
    counts: DFF<Bit>,
    counter: DFF<Bits<NUMBER_WIDTH>>,
    amount: DFF<Bits<LENGTH_WIDTH>>,
    unlinks: DFF<Bit>,
    frees: DFF<Bit>,
    header: DFF<Bit>,
    answers: DFF<Bit>,
    slot: DFF<Bits<SLOT_WIDTH>>,
    outcome: DFF<Outcome>,
    full: DFF<Bit>,
    used: DFF<Bits<32>>,
    asked: DFF<Bits<EVENT_INDEX_WIDTH>>,
    word: DFF<Bits<32>>,
    shown_kind: Signal<Local, Bits<KIND_WIDTH>>,
    bare: Signal<Local, Bit>,
    overflow_bit: Signal<Local, Bits<1>>,
}

impl Finisher {
    /// For `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self {
            words: Ram::new((2 * ranks) << EVENT_INDEX_WIDTH),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Finisher {
    fn update(&mut self) {
        wire!(self => words: clk);
        dff_setup!(self, clk, step, owner, portal, ring, overflow, pointer, raises, kind, counts, counter, amount);
        dff_setup!(self, clk, unlinks, frees, header, answers, slot, outcome, full, used, asked, word);
        self.words.write_enable.next = self.write.enable.val();
        self.words.write_address.next =
            field::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.write.context.val(), EVENT_INDEX_WIDTH)
                | bit_cast::<ADDRESS_WIDTH, EVENT_INDEX_WIDTH>(self.write.index.val());
        self.words.write_data.next = self.write.word.val();

        self.shown_kind.next = self.kind.q.val();
        // AUTO_UNLINK, AUTO_FREE, LINK, and a SEARCH that found nothing have no words of a message.
        self.bare.next = !self.header.q.val() & (self.kind.q.val() >= bits::<KIND_WIDTH>(EventKind::AutoUnlink as u64));
        self.finish.ready.next = self.step.q.val() == FinishStep::Take;
        self.job.valid.next = false;
        self.count.valid.next = false;
        self.answer.valid.next = false;
        match self.step.q.val() {
            FinishStep::Take => {
                self.owner.d.next = self.finish.context.val();
                self.portal.d.next = self.finish.portal.val();
                self.ring.d.next = self.finish.queue.val();
                self.overflow.d.next = self.finish.overflow.val();
                self.pointer.d.next = self.finish.pointer.val();
                self.raises.d.next = self.finish.raises.val();
                self.kind.d.next = self.finish.kind.val();
                self.counts.d.next = self.finish.counts.val();
                self.counter.d.next = self.finish.counter.val();
                self.amount.d.next = self.finish.amount.val();
                self.unlinks.d.next = self.finish.unlinks.val();
                self.frees.d.next = self.finish.frees.val();
                self.header.d.next = self.finish.header.val();
                self.answers.d.next = self.finish.answers.val();
                self.slot.d.next = self.finish.slot.val();
                self.outcome.d.next = self.finish.outcome.val();
                self.full.d.next = self.finish.full.val();
                self.used.d.next = self.finish.used.val();
                if self.finish.valid.val() {
                    self.step.d.next = FinishStep::Event;
                }
            }
            FinishStep::Event => {
                self.job.valid.next = self.raises.q.val();
                if !self.raises.q.val() | self.job.done.val() {
                    self.step.d.next = FinishStep::Count;
                }
            }
            FinishStep::Count => {
                self.count.valid.next = self.counts.q.val();
                if !self.counts.q.val() | self.count.ready.val() {
                    self.step.d.next = FinishStep::Answer;
                    if self.unlinks.q.val() {
                        self.step.d.next = FinishStep::Unlink;
                    }
                }
            }
            FinishStep::Unlink => {
                self.shown_kind.next = bits::<KIND_WIDTH>(EventKind::AutoUnlink as u64);
                self.bare.next = true;
                self.job.valid.next = true;
                if self.job.done.val() {
                    self.step.d.next = FinishStep::Answer;
                    if self.frees.q.val() {
                        self.step.d.next = FinishStep::Free;
                    }
                }
            }
            FinishStep::Free => {
                self.shown_kind.next = bits::<KIND_WIDTH>(EventKind::AutoFree as u64);
                self.bare.next = true;
                self.job.valid.next = true;
                if self.job.done.val() {
                    self.step.d.next = FinishStep::Answer;
                }
            }
            FinishStep::Answer => {
                self.answer.valid.next = self.answers.q.val();
                if !self.answers.q.val() | self.answer.ready.val() {
                    self.step.d.next = FinishStep::Take;
                }
            }
        }
        self.count.counter.next = self.counter.q.val();
        self.count.sets.next = false;
        self.count.success.next = bit_cast::<32, LENGTH_WIDTH>(self.amount.q.val());
        self.count.failure.next = 0.into();
        self.answer.rank.next = self.owner.q.val().get_bits::<RANK_WIDTH>(1);
        self.answer.slot.next = self.slot.q.val();
        self.answer.outcome.next = self.outcome.q.val();
        self.answer.full.next = self.full.q.val();
        self.answer.used.next = self.used.q.val();
        self.busy.next = self.step.q.val() != FinishStep::Take;
        self.held.next = self.owner.q.val();

        // The words of an event.
        self.job.queue.next = self.ring.q.val();
        self.asked.d.next = self.job.index.val();
        self.words.read_enable.next = true;
        self.words.read_address.next = field::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.owner.q.val(), EVENT_INDEX_WIDTH)
            | bit_cast::<ADDRESS_WIDTH, EVENT_INDEX_WIDTH>(self.job.index.val());
        self.overflow_bit.next = self.overflow.q.val().into();
        self.header_index.next = self.job.index.val();
        self.word.d.next = self.words.read_data.val();
        if self.header.q.val() {
            self.word.d.next = self.header_word.val();
        }
        if self.bare.val()
            | ((self.shown_kind.val() == bits::<KIND_WIDTH>(EventKind::Get as u64))
                & (self.asked.q.val() >= bits::<EVENT_INDEX_WIDTH>(HEADER_INDEX)))
        {
            self.word.d.next = 0.into();
        }
        if self.asked.q.val() == bits::<EVENT_INDEX_WIDTH>(POINTER_INDEX) {
            self.word.d.next = self.pointer.q.val();
        }
        if self.asked.q.val() == 0 {
            self.word.d.next = field::<32, KIND_WIDTH>(self.shown_kind.val(), KIND_OFFSET)
                | field::<32, FAILURE_WIDTH>(self.outcome.q.val().failure, EVENT_FAILURE_OFFSET)
                | field::<32, 1>(self.overflow_bit.val(), EVENT_OVERFLOW_OFFSET)
                | field::<32, PORTAL_WIDTH>(self.portal.q.val(), EVENT_PORTAL_OFFSET);
        }
        self.job.word.next = self.word.q.val();
        if self.rst.val() {
            self.step.d.next = FinishStep::Take;
        }
    }
}
