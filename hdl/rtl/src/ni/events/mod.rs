//! Events of a node.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`Events`] | all of it: the table and the order of operations |
//! | [`EventWord`] | the word of an event that an operation works on |
//! | [`EventStep`] | what an operation makes of an event |
//! | [`EventFlags`] | which events have fired, and which may interrupt |
//! | [`EventReader`] | answers reads of the registers |

mod event_flags;
mod event_reader;
mod event_step;
mod event_word;

pub use event_flags::EventFlags;
pub use event_reader::EventReader;
pub use event_step::EventStep;
pub use event_word::EventWord;

use crate::{
    bus::{AddressMatch, EventIn, RegisterAccessIn, SweepIn},
    prim::Ram,
};
use event_step::WORD_WIDTH;
use portico_spec::ni::{
    event::{EVENTS, EVENT_WIDTH},
    packet::ERROR_WIDTH,
    registers::{Block as Registers, EventRegister, FIELD_WIDTH},
};
use portico_verilog::prelude::*;

/// A word of the table: the event, and above it whether it is the second word, the error.
const PLACE_WIDTH: usize = EVENT_WIDTH + 1;

/// An operation on a word; none of its flags: the word stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Operation {
    /// The word, and above it whether it is the second word of the event.
    pub place: Bits<PLACE_WIDTH>,
    /// An update: adds one to the count.
    pub counts: Bit,
    /// Keeps `error`, if it is the first.
    pub keeps: Bit,
    pub error: Bits<ERROR_WIDTH>,
    /// Tells the error.
    pub tells: Bit,
    /// An access to a register.
    pub writes: Bit,
    pub reads: Bit,
}

/// Events: counters with a threshold and an error each.
///
/// All events of a tile.
///
/// | | |
/// | --- | --- |
/// | latency | an update taken in cycle t shows in `fired` and `pending` in t + 3, in `irq` in t + 4; accesses after t read it |
/// | throughput | one operation a cycle: an access to a register, an update, or the error that came with the update before |
/// | fairness | an access goes first, then the error of the update before, then the update on offer |
/// | timing | all outputs are flip-flops, but for `update.ready`, two gates behind them |
/// | state | twice 36 bits an event in block RAM, [`EventFlags`], and the count on its way |
///
/// An update on offer waits two cycles at most: for one access, since the next comes [`ACCESS_CYCLES`](crate::bus::ACCESS_CYCLES) later, and for one
/// error. A source that goes first and offers an update in three cycles at most therefore needs room for one.
///
/// An operation reads its word in one cycle, puts it into a flip-flop in the next, and in the third writes what
/// [`EventStep`] makes of it. The two operations before have not written when it reads: [`EventWord`] takes the word from
/// them if they change the same.
///
/// An update of an event that does not exist is taken and changes nothing. The first error of an event is kept until its
/// status is written. Registers of an event: see [`EventRegister`]; its value is in the [`crate::ni::inbox::Inbox`].
#[derive(LogicBlock, Default)]
pub struct Events {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Clears the tables after reset.
    pub sweep: SweepIn,
    /// Events that are counted, or asked for their error; after the sweep an offer waits two cycles at most.
    pub update: EventIn,
    /// The offer on `update` counts nothing: it asks for the error that its event keeps.
    pub asks: Signal<In, Bit>,
    /// A pulse, two cycles after the offer was taken: `error_told` is the answer, 0 for none.
    pub told: Signal<Out, Bit>,
    /// First error that the event keeps, 0 for none; valid with `told`.
    pub error_told: Signal<Out, Bits<ERROR_WIDTH>>,
    /// Accesses to registers; count, control and status of events are here.
    pub register: RegisterAccessIn,
    /// One bit an event: its condition holds.
    pub fired: Signal<Out, Bits<EVENTS>>,
    /// Fired, and to interrupt.
    pub pending: Signal<Out, Bits<EVENTS>>,
    /// An event that may interrupt has fired; a cycle behind `pending`.
    pub irq: Signal<Out, Bit>,
    is_own: AddressMatch<{ Registers::Events as usize }, { EVENT_WIDTH + FIELD_WIDTH }>,
    words: Ram<Bits<WORD_WIDTH>, PLACE_WIDTH>,
    selected: EventWord,
    step: EventStep,
    flags: EventFlags,
    reader: EventReader,
    /// The operation whose word is being read.
    reading: DFF<Operation>,
    /// The operation that has its word.
    stepping: DFF<Operation>,
    word: DFF<Bits<WORD_WIDTH>>,
    /// The word that the operation before that has left, its place, and whether it was changed.
    result: DFF<Bits<WORD_WIDTH>>,
    result_place: DFF<Bits<PLACE_WIDTH>>,
    changed: DFF<Bit>,
    /// It was a read, to be answered; whether its event has fired.
    shows: DFF<Bit>,
    has_fired: DFF<Bit>,
    /// The update before came with an error, which is still to be kept, with this event.
    failing: DFF<Bit>,
    failed: DFF<Bits<EVENT_WIDTH>>,
    error: DFF<Bits<ERROR_WIDTH>>,
    field: Signal<Local, Bits<FIELD_WIDTH>>,
    accesses: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    updates: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    subject: Signal<Local, Bits<EVENT_WIDTH>>,
    of_error: Signal<Local, Bit>,
    next_place: Signal<Local, Bits<PLACE_WIDTH>>,
    changes: Signal<Local, Bit>,
    exists: Signal<Local, Bit>,
    last: Constant<Bits<EVENT_WIDTH>>,
}

impl Events {
    /// So many events, a power of two up to 64.
    pub fn new(events: usize) -> Self {
        Self {
            flags: EventFlags::new(events),
            last: Constant::new(bits(events as u64 - 1)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Events {
    fn update(&mut self) {
        wire!(self => flags: clk, rst);
        wire!(self => words, reader: clk);
        dff_setup!(self, clk, reading, stepping, word, has_fired, shows, result);
        dff_setup!(self, clk, result_place, changed, failing, failed, error);

        // What begins: an access, else the error of the update before, else an update.
        self.is_own.index.next = self.register.index.val();
        self.field.next = self.register.index.val().get_bits::<FIELD_WIDTH>(0);
        self.accesses.next =
            (self.register.write.val() | self.register.read.val()) & self.is_own.hit.val() & !self.sweep.active.val();
        self.fails.next = self.failing.q.val() & !self.accesses.val();
        self.update.ready.next = !self.failing.q.val() & !self.accesses.val() & !self.sweep.active.val();
        self.taken.next = self.update.valid.val() & self.update.ready.val();
        self.updates.next = self.taken.val() & !self.asks.val();
        self.exists.next = self.update.event.val() <= self.last.val();
        self.subject.next = self.update.event.val();
        self.of_error.next = self.fails.val() | self.asks.val();
        if self.fails.val() {
            self.subject.next = self.failed.q.val();
        }
        if self.accesses.val() {
            self.subject.next = self.register.index.val().get_bits::<EVENT_WIDTH>(FIELD_WIDTH);
            self.of_error.next = self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Status as u64);
        }
        self.next_place.next =
            bit_cast::<PLACE_WIDTH, EVENT_WIDTH>(self.subject.val()).replace_bit(EVENT_WIDTH, self.of_error.val());
        self.reading.d.next.place = self.next_place.val();
        self.reading.d.next.counts = self.updates.val() & self.exists.val();
        self.reading.d.next.keeps = self.fails.val();
        self.reading.d.next.error = self.error.q.val();
        self.reading.d.next.tells = self.taken.val() & self.asks.val();
        self.reading.d.next.writes = self.accesses.val() & self.register.write.val();
        self.reading.d.next.reads = self.accesses.val() & self.register.read.val();
        self.failing.d.next = self.failing.q.val() & self.accesses.val();
        if self.updates.val() {
            self.failing.d.next = self.exists.val() & self.update.error.val().any();
            self.failed.d.next = self.update.event.val();
            self.error.d.next = self.update.error.val();
        }
        self.words.read_enable.next = true;
        self.words.read_address.next = self.next_place.val();

        // Its word, as the operations before have left it, with what a register write puts into it.
        self.changes.next = self.stepping.q.val().counts | self.stepping.q.val().keeps | self.stepping.q.val().writes;
        self.selected.stored.next = self.words.read_data.val();
        self.selected.follows.next = self.changes.val() & (self.stepping.q.val().place == self.reading.q.val().place);
        self.selected.after.next = self.step.after.val();
        self.selected.follows_result.next =
            self.changed.q.val() & (self.result_place.q.val() == self.reading.q.val().place);
        self.selected.result.next = self.result.q.val();
        self.selected.writes.next = self.reading.q.val().writes;
        self.selected.field.next = self.field.val();
        self.selected.data.next = self.register.data.val();
        self.word.d.next = self.selected.word.val();
        self.stepping.d.next = self.reading.q.val();

        // What becomes of it.
        self.step.word.next = self.word.q.val();
        self.step.counts.next = self.stepping.q.val().counts;
        self.step.keeps.next = self.stepping.q.val().keeps;
        self.step.error.next = self.stepping.q.val().error;
        self.told.next = self.stepping.q.val().tells;
        self.error_told.next = self.word.q.val().get_bits::<ERROR_WIDTH>(0);
        self.changed.d.next = self.changes.val();
        self.result.d.next = self.step.after.val();
        self.result_place.d.next = self.stepping.q.val().place;
        self.flags.set.next = self.changes.val() & !self.stepping.q.val().place.get_bit(EVENT_WIDTH);
        self.flags.event_number.next = self.stepping.q.val().place.get_bits::<EVENT_WIDTH>(0);
        wire!(step => flags: holds, interrupts);
        wire!(flags => self: fired, pending, irq);
        self.words.write_enable.next = self.changes.val();
        self.words.write_address.next = self.stepping.q.val().place;
        self.words.write_data.next = self.step.after.val();
        if self.sweep.active.val() {
            self.words.write_enable.next = true;
            self.words.write_address.next = self.sweep.place.val().get_bits::<PLACE_WIDTH>(0);
            self.words.write_data.next = 0.into();
        }

        // A read is answered a cycle later, when the flags show the update before it.
        self.shows.d.next = self.stepping.q.val().reads;
        self.has_fired.d.next = self
            .flags
            .fired
            .val()
            .get_bit(self.stepping.q.val().place.get_bits::<EVENT_WIDTH>(0).index());
        self.reader.clear.next = self.register.read.val();
        self.reader.show.next = self.shows.q.val();
        self.reader.field.next = self.field.val();
        self.reader.word.next = self.result.q.val();
        self.reader.has_fired.next = self.has_fired.q.val();
        self.register.answer.next = self.reader.answer.val();
        if self.rst.val() {
            self.reading.d.next.counts = false;
            self.reading.d.next.keeps = false;
            self.reading.d.next.tells = false;
            self.reading.d.next.writes = false;
            self.reading.d.next.reads = false;
            self.stepping.d.next.counts = false;
            self.stepping.d.next.keeps = false;
            self.stepping.d.next.tells = false;
            self.stepping.d.next.writes = false;
            self.stepping.d.next.reads = false;
            self.changed.d.next = false;
            self.shows.d.next = false;
            self.failing.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests;
