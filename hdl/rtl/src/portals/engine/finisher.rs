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

/// Raises at the target what the end of a message wants: its event, its count, AUTO_UNLINK and AUTO_FREE, its answer, in this order.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle to the event |
/// | throughput | one message at a time: 1 cycle and those of its events, its count and its answer |
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
    /// The data of messages that are over are written in the next cycle.
    pub written: Signal<In, Bit>,
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
    /// Something is being raised: the words of the message in hand are in use.
    pub busy: Signal<Out, Bit>,
    /// All events that were raised are written.
    pub settled: Signal<Out, Bit>,
    /// Rank and parity of the message whose words are in use; valid with `busy`.
    pub held: Signal<Out, Bits<CONTEXT_WIDTH>>,
    words: Ram<Bits<32>, ADDRESS_WIDTH>,
    owner: DFF<Bits<CONTEXT_WIDTH>>,
    portal: DFF<Bits<PORTAL_WIDTH>>,
    ring: DFF<Bits<QUEUE_WIDTH>>,
    overflow: DFF<Bit>,
    pointer: DFF<Bits<32>>,
    raises: DFF<Bit>,
    /// It is not known that the data of the message are written. Software that sees what it raises finds them.
    covers: DFF<Bit>,
    /// It is not known that the last event is written. Software that sees a count or an answer finds it.
    waits: DFF<Bit>,
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
    may: Signal<Local, Bit>,
    is_told: Signal<Local, Bit>,
    is_unlink: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
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
        dff_setup!(self, clk, owner, portal, ring, overflow, pointer, raises, kind, counts, counter, amount);
        dff_setup!(self, clk, covers, waits, unlinks, frees, header, answers, slot, outcome, full, used, asked, word);
        self.words.write_enable.next = self.write.enable.val();
        self.words.write_address.next =
            field::<ADDRESS_WIDTH, CONTEXT_WIDTH>(self.write.context.val(), EVENT_INDEX_WIDTH)
                | bit_cast::<ADDRESS_WIDTH, EVENT_INDEX_WIDTH>(self.write.index.val());
        self.words.write_data.next = self.write.word.val();

        // The bits that are set tell what is still to be raised: event, count, AUTO_UNLINK, AUTO_FREE, answer, in this order.
        self.covers.d.next = self.covers.q.val() & !self.written.val();
        self.may.next = !self.covers.q.val();
        self.is_told.next = !self.raises.q.val() & !self.counts.q.val();
        self.is_unlink.next = self.is_told.val() & self.unlinks.q.val();
        self.is_free.next = self.is_told.val() & !self.unlinks.q.val() & self.frees.q.val();
        self.job.valid.next = self.may.val() & (self.raises.q.val() | self.is_unlink.val() | self.is_free.val());
        self.waits.d.next = self.job.done.val() | (self.waits.q.val() & !self.job.settled.val());
        self.count.valid.next = self.may.val() & self.counts.q.val() & !self.raises.q.val() & !self.waits.q.val();
        self.answer.valid.next = self.may.val()
            & !self.waits.q.val()
            & self.answers.q.val()
            & self.is_told.val()
            & !self.unlinks.q.val()
            & !self.frees.q.val();
        self.finish.ready.next =
            self.is_told.val() & !self.unlinks.q.val() & !self.frees.q.val() & !self.answers.q.val();
        if self.finish.ready.val() {
            self.covers.d.next = true;
            self.owner.d.next = self.finish.context.val();
            self.portal.d.next = self.finish.portal.val();
            self.ring.d.next = self.finish.queue.val();
            self.overflow.d.next = self.finish.overflow.val();
            self.pointer.d.next = self.finish.pointer.val();
            self.kind.d.next = self.finish.kind.val();
            self.counter.d.next = self.finish.counter.val();
            self.amount.d.next = self.finish.amount.val();
            self.header.d.next = self.finish.header.val();
            self.slot.d.next = self.finish.slot.val();
            self.outcome.d.next = self.finish.outcome.val();
            self.full.d.next = self.finish.full.val();
            self.used.d.next = self.finish.used.val();
            self.raises.d.next = self.finish.valid.val() & self.finish.raises.val();
            self.counts.d.next = self.finish.valid.val() & self.finish.counts.val();
            self.unlinks.d.next = self.finish.valid.val() & self.finish.unlinks.val();
            self.frees.d.next = self.finish.valid.val() & self.finish.frees.val();
            self.answers.d.next = self.finish.valid.val() & self.finish.answers.val();
        }
        if self.job.done.val() {
            self.raises.d.next = false;
            if self.is_unlink.val() {
                self.unlinks.d.next = false;
            }
            if self.is_free.val() {
                self.frees.d.next = false;
            }
        }
        if self.count.valid.val() & self.count.ready.val() {
            self.counts.d.next = false;
        }
        if self.answer.valid.val() & self.answer.ready.val() {
            self.answers.d.next = false;
        }
        // AUTO_UNLINK, AUTO_FREE, LINK, and a SEARCH that found nothing have no words of a message.
        self.shown_kind.next = self.kind.q.val();
        if self.is_unlink.val() {
            self.shown_kind.next = bits::<KIND_WIDTH>(EventKind::AutoUnlink as u64);
        }
        if self.is_free.val() {
            self.shown_kind.next = bits::<KIND_WIDTH>(EventKind::AutoFree as u64);
        }
        self.bare.next = self.is_unlink.val()
            | self.is_free.val()
            | (!self.header.q.val() & (self.kind.q.val() >= bits::<KIND_WIDTH>(EventKind::AutoUnlink as u64)));
        self.count.counter.next = self.counter.q.val();
        self.count.sets.next = false;
        self.count.success.next = bit_cast::<32, LENGTH_WIDTH>(self.amount.q.val());
        self.count.failure.next = 0.into();
        self.answer.rank.next = self.owner.q.val().get_bits::<RANK_WIDTH>(1);
        self.answer.slot.next = self.slot.q.val();
        self.answer.outcome.next = self.outcome.q.val();
        self.answer.full.next = self.full.q.val();
        self.answer.used.next = self.used.q.val();
        self.busy.next = !self.finish.ready.val();
        self.settled.next = !self.waits.q.val();
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
            self.raises.d.next = false;
            self.waits.d.next = false;
            self.counts.d.next = false;
            self.unlinks.d.next = false;
            self.frees.d.next = false;
            self.answers.d.next = false;
        }
    }
}
