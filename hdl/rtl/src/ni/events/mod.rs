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
    bus::{AddressMatch, EventIn, HeldAccess, RegisterAccessIn},
    prim::Ram,
};
use event_step::WORD_WIDTH;
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        event::{EVENTS, EVENT_WIDTH},
        packet::ERROR_WIDTH,
        registers::{Block as Registers, EventRegister, FIELD_WIDTH},
    },
};
use portico_verilog::prelude::*;

/// A word of the table: the event, and above it whether it is the second word, the error.
const PLACE_WIDTH: usize = EVENT_WIDTH + 1;

/// Events: counters with a threshold and an error each.
///
/// All events of a tile.
///
/// | | |
/// | --- | --- |
/// | latency | an update taken in cycle t shows in `fired` and `pending` in t + 3, in `irq` in t + 4; it is read by accesses after t |
/// | throughput | one operation every other cycle: an access to a register, an update, or the error that came with the update before |
/// | fairness | accesses go first; they are too far apart to keep updates waiting for long |
/// | timing | all outputs are flip-flops, but for `update.ready`, two gates behind them |
/// | state | twice 36 bits an event in block RAM, 2 flip-flops an event, 200 flip-flops |
///
/// An operation reads its word in one cycle, and has it in a flip-flop in the next but one; then it writes what
/// [`EventStep`] makes of it. The next operation reads before that write: so the word in hand comes from the operation
/// before if that had the same. Words are never read and written in the same cycle.
///
/// An update of an event that does not exist is taken and is nothing. The first error of an event is kept until its status is written. Registers of an event: see [`EventRegister`]; its
/// value is in the [`crate::ni::inbox::Inbox`].
#[derive(LogicBlock, Default)]
pub struct Events {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub update: EventIn,
    pub register: RegisterAccessIn,
    /// One bit an event: its condition holds.
    pub fired: Signal<Out, Bits<EVENTS>>,
    /// Fired, and to interrupt.
    pub pending: Signal<Out, Bits<EVENTS>>,
    pub irq: Signal<Out, Bit>,
    is_own: AddressMatch<{ Registers::Events as usize }, { EVENT_WIDTH + FIELD_WIDTH }>,
    words: Ram<WORD_WIDTH, PLACE_WIDTH, 1>,
    selected: EventWord,
    step: EventStep,
    flags: EventFlags,
    reader: EventReader,
    /// Operations begin in cycles in which this is high.
    slot: DFF<Bit>,
    access: HeldAccess,
    /// The operation under way.
    place: DFF<Bits<PLACE_WIDTH>>,
    counts: DFF<Bit>,
    keeps: DFF<Bit>,
    writes: DFF<Bit>,
    reads: DFF<Bit>,
    error: DFF<Bits<ERROR_WIDTH>>,
    /// The error is still to be kept, with this event.
    failing: DFF<Bit>,
    failed: DFF<Bits<EVENT_WIDTH>>,
    word: DFF<Bits<WORD_WIDTH>>,
    has_fired: DFF<Bit>,
    /// What the operation before has made of which word.
    result: DFF<Bits<WORD_WIDTH>>,
    result_place: DFF<Bits<PLACE_WIDTH>>,
    has_result: DFF<Bit>,
    stores: DFF<Bit>,
    field: Signal<Local, Bits<FIELD_WIDTH>>,
    wants: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    updates: Signal<Local, Bit>,
    in_hand: Signal<Local, Bits<EVENT_WIDTH>>,
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
        wire!(self => flags, access: clk, rst);
        wire!(self => words, reader: clk);
        dff_setup!(self, clk, slot, place, counts, keeps, writes, reads, error);
        dff_setup!(self, clk, failing, failed, word, has_fired, result, result_place);
        dff_setup!(self, clk, has_result, stores);
        self.slot.d.next = !self.slot.q.val();

        // What begins: an access, else the error of the update before, else an update.
        self.is_own.index.next = self.register.index.val();
        self.field.next = self.register.index.val().get_bits::<FIELD_WIDTH>(0);
        self.access.begins.next =
            (self.register.write.val() | self.register.read.val()) & self.is_own.hit.val() & !self.initialising.val();
        self.access.is_write.next = self.register.write.val();
        self.access.may.next = self.slot.q.val();
        self.wants.next = self.access.wants.val();
        self.fails.next = self.failing.q.val() & !self.wants.val();
        self.update.ready.next =
            self.slot.q.val() & !self.failing.q.val() & !self.wants.val() & !self.initialising.val();
        self.updates.next = self.update.valid.val() & self.update.ready.val();
        self.exists.next = self.update.event.val() <= self.last.val();
        self.subject.next = self.update.event.val();
        self.of_error.next = self.fails.val();
        if self.fails.val() {
            self.subject.next = self.failed.q.val();
        }
        if self.wants.val() {
            self.subject.next = self.register.index.val().get_bits::<EVENT_WIDTH>(FIELD_WIDTH);
            self.of_error.next = self.field.val() == bits::<FIELD_WIDTH>(EventRegister::Status as u64);
        }
        self.next_place.next =
            bit_cast::<PLACE_WIDTH, EVENT_WIDTH>(self.subject.val()).replace_bit(EVENT_WIDTH, self.of_error.val());
        if self.slot.q.val() {
            self.place.d.next = self.next_place.val();
            self.counts.d.next = self.updates.val() & self.exists.val();
            self.keeps.d.next = self.fails.val();
            self.writes.d.next = self.wants.val() & self.access.wants_to_write.val();
            self.reads.d.next = self.wants.val() & !self.access.wants_to_write.val();
            self.failing.d.next = self.failing.q.val() & self.wants.val();
        }
        if self.updates.val() {
            self.failing.d.next = self.exists.val() & self.update.error.val().any();
            self.failed.d.next = self.update.event.val();
            self.error.d.next = self.update.error.val();
        }
        self.words.read_enable.next = self.slot.q.val();
        self.words.read_address.next = self.next_place.val();

        // Its word, as the operation before has left it, with what a register write puts into it.
        self.selected.stored.next = self.words.read_data.val();
        self.selected.follows.next = self.has_result.q.val() & (self.result_place.q.val() == self.place.q.val());
        self.selected.result.next = self.result.q.val();
        self.selected.writes.next = self.writes.q.val();
        self.selected.field.next = self.field.val();
        self.selected.data.next = self.register.data.val();
        self.word.d.next = self.selected.word.val();
        self.in_hand.next = self.place.q.val().get_bits::<EVENT_WIDTH>(0);
        self.has_fired.d.next = self.flags.fired.val().get_bit(self.in_hand.val().index());

        // What becomes of it.
        self.step.word.next = self.word.q.val();
        self.step.counts.next = self.counts.q.val();
        self.step.keeps.next = self.keeps.q.val();
        self.step.error.next = self.error.q.val();
        self.changes.next = self.slot.q.val() & (self.counts.q.val() | self.keeps.q.val() | self.writes.q.val());
        self.stores.d.next = self.changes.val();
        if self.changes.val() {
            self.result.d.next = self.step.after.val();
            self.result_place.d.next = self.place.q.val();
            self.has_result.d.next = true;
        }
        self.flags.set.next = self.changes.val() & !self.place.q.val().get_bit(EVENT_WIDTH);
        self.flags.event_number.next = self.in_hand.val();
        wire!(step => flags: holds, interrupts);
        wire!(flags => self: fired, pending, irq);
        self.words.write_lanes.next = self.stores.q.val().into();
        self.words.write_address.next = self.result_place.q.val();
        self.words.write_data.next = self.result.q.val();
        if self.initialising.val() {
            self.words.write_lanes.next = bits::<1>(1);
            self.words.write_address.next = self.sweep.val().get_bits::<PLACE_WIDTH>(0);
            self.words.write_data.next = 0.into();
        }

        self.reader.clear.next = self.register.read.val();
        self.reader.show.next = self.slot.q.val() & self.reads.q.val();
        self.reader.field.next = self.field.val();
        self.reader.word.next = self.word.q.val();
        self.reader.has_fired.next = self.has_fired.q.val();
        self.register.answer.next = self.reader.answer.val();
        if self.rst.val() {
            self.slot.d.next = false;
            self.counts.d.next = false;
            self.keeps.d.next = false;
            self.writes.d.next = false;
            self.reads.d.next = false;
            self.failing.d.next = false;
            self.has_result.d.next = false;
            self.stores.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests;
