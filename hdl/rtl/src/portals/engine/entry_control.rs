use super::{
    ContextWriteOut, EntryChange, EntryRows, EntryVerdict, ListField, ListJobOut, ListOperation, Message, Request,
    ShownIn, TablesOut, CONTEXT_WIDTH,
};
use portico_spec::portals::engine::{
    Failure, Operation, EVENT_DELIVERED_OFFSET, FAILURE_WIDTH, LENGTH_WIDTH, OPERATION_WIDTH, RANK_WIDTH, USER_OFFSET,
    USER_WIDTH,
};
use portico_verilog::prelude::*;

/// Cycles from the entry that shows to the results of its check.
const CHECK_CYCLES: u64 = 3;
/// Cycles from the entry that shows to the address of its data.
const START_CYCLES: u64 = 2;
/// Width of a count of these cycles.
const WAIT_WIDTH: usize = 2;

/// State of the control of entries.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum EntryStep {
    /// Waits for the lists.
    Search,
    /// Waits for the check of the entry.
    Check,
    /// Says what becomes of the entry.
    Resolve,
}

/// Carries out what a message does at the entry that it meets when it begins. [`EntryEnd`](super::EntryEnd) follows, if the message
/// is not complete with its first packet.
///
/// | | |
/// | --- | --- |
/// | latency | 7 cycles from the answer of the lists to `ends`, more if the header is kept |
/// | throughput | one message at a time |
/// | state | what the lists have answered, and what becomes of the entry |
///
/// From the search to the resolution the lists hold the entry.
#[derive(LogicBlock, Default)]
pub struct EntryControl {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// No message is carried out.
    pub rests: Signal<In, Bit>,
    /// High for a cycle: a message is taken, and the lists have all fields of its search in the next one.
    pub asked: Signal<In, Bit>,
    /// Its header lacks words, so it matches nothing; valid with `asked`.
    pub lacks: Signal<In, Bit>,
    /// The header is read, and the data of the message before are written: the message may begin.
    pub goes: Signal<In, Bit>,
    /// The packet in hand is the last of its message.
    pub last: Signal<In, Bit>,
    /// Rank of the initiator.
    pub rank: Signal<In, Bits<RANK_WIDTH>>,
    /// Where the words of its event are.
    pub home: Signal<In, Bits<CONTEXT_WIDTH>>,
    /// The request; from `asked` on.
    pub request: Signal<In, Request>,
    /// The message, as it is kept.
    pub message: Signal<In, Message>,
    /// The message, with what is known in this cycle.
    pub known: Signal<Out, Message>,
    /// Requests to the lists.
    pub list: ListJobOut,
    /// Accesses to the tables.
    pub tables: TablesOut,
    /// Rows that the tables show.
    pub shown: ShownIn,
    /// Words of events.
    pub context: ContextWriteOut,
    /// High for a cycle: the message is a get that delivers something. Its data may go.
    pub delivers: Signal<Out, Bit>,
    /// The message does not fail, and `known` tells where its data go.
    pub passes: Signal<Out, Bit>,
    /// High for a cycle: `known` has all of the message.
    pub ends: Signal<Out, Bit>,
    /// The message is complete with this packet, and does not count as in progress; valid with `ends`.
    pub at_once: Signal<Out, Bit>,
    /// The entry has left its list with this message, which is complete, as all others are.
    pub unlinked: Signal<Out, Bit>,
    /// Its place is free too: no header of it is left.
    pub gone: Signal<Out, Bit>,
    /// High for a cycle: a request met no entry, or a disabled portal index.
    pub drops: Signal<Out, Bit>,
    /// High for a cycle: a request of a wrong user.
    pub permission: Signal<Out, Bit>,
    /// High for a cycle: a request of an operation that the entry does not allow.
    pub operation: Signal<Out, Bit>,
    verdict: EntryVerdict,
    rows: EntryRows,
    step: DFF<EntryStep>,
    /// The lists are asked; they have found an entry, or none.
    asks: DFF<Bit>,
    found: DFF<Bit>,
    missed: DFF<Bit>,
    lacking: DFF<Bit>,
    cycle: DFF<Bits<WAIT_WIDTH>>,
    change: DFF<EntryChange>,
    new_change: Signal<Local, EntryChange>,
    failure: Signal<Local, Bits<FAILURE_WIDTH>>,
    refuses: Signal<Local, Bit>,
    succeeds: Signal<Local, Bit>,
}

#[kernel]
impl Logic for EntryControl {
    fn update(&mut self) {
        wire!(self => verdict: clk, request, message, last);
        dff_setup!(self, clk, step, asks, found, missed, lacking, cycle, change);
        self.verdict.portal.next = self.shown.row.val();
        self.verdict.entry.next = self.shown.entry.val();
        wire!(list => verdict: shown, full);
        wire!(self => rows: message);
        self.rows.change.next = self.change.q.val();
        wire!(shown => rows: entry, counts);

        self.succeeds.next = !self.message.val().failure.any();
        self.known.next = self.message.val();
        if self.goes.val() {
            self.known.next.get = self.request.val().operation != bits::<OPERATION_WIDTH>(Operation::Put as u64);
            self.known.next.ack = self.request.val().ack;
            self.known.next.portal = self.request.val().portal;
            self.known.next.slot = self.request.val().slot;
        }
        self.list.write.next = false;
        self.list.field.next = ListField::NewOffset;
        self.list.word.next = self.verdict.new_offset.val();
        self.list.valid.next = self.asks.q.val();
        self.list.operation.next = ListOperation::Search;
        self.list.advances.next = self.verdict.advances.val() & self.succeeds.val();
        self.list.detaches.next = self.change.q.val().unlinks;
        self.list.removes.next = self.change.q.val().frees;
        self.list.leaves_header.next = self.change.q.val().keeps;
        self.list.pauses.next = false;
        self.tables.portal_read.next = false;
        self.tables.portal.next = self.message.val().portal;
        self.tables.row_write.next = false;
        self.tables.row.next = self.shown.row.val();
        self.tables.counts_write.next = false;
        self.tables.counts.next = self.rows.new_counts.val();
        self.tables.entry_read.next = false;
        self.tables.place.next = self.message.val().place;
        self.tables.entry_write.next = false;
        self.tables.entry.next = self.rows.new_entry.val();
        self.tables.header_read.next = false;
        self.tables.header_write.next = false;
        self.tables.header.next = self.rows.header.val();
        self.context.enable.next = false;
        self.context.context.next = self.home.val();
        self.context.index.next = 1.into();
        self.context.word.next = bit_cast::<32, RANK_WIDTH>(self.rank.val())
            | field::<32, LENGTH_WIDTH>(self.message.val().delivered, EVENT_DELIVERED_OFFSET);
        self.delivers.next = false;
        self.passes.next = false;
        self.ends.next = false;
        self.drops.next = false;
        self.permission.next = false;
        self.operation.next = false;
        self.refuses.next = false;
        self.failure.next = self.message.val().failure;

        self.new_change.next = self.change.q.val();
        // The search begins before it is known whether the portal index takes messages, and while the header may still be read.
        if self.rests.val() {
            self.found.d.next = false;
            self.missed.d.next = false;
            self.cycle.d.next = 0.into();
            self.new_change.next.completes = false;
            self.new_change.next.unlinks = false;
            self.new_change.next.keeps = false;
            self.new_change.next.finishes = false;
            self.new_change.next.frees = false;
            self.step.d.next = EntryStep::Search;
        }
        if self.asked.val() {
            self.tables.portal_read.next = true;
            self.tables.portal.next = self.request.val().portal;
            self.asks.d.next = !self.lacks.val();
            self.lacking.d.next = self.lacks.val();
        }
        if self.asks.q.val() & self.list.answered.val() {
            self.found.d.next = self.list.hit.val();
            self.missed.d.next = !self.list.hit.val();
        }
        if self.asks.q.val() & self.list.done.val() {
            self.asks.d.next = false;
        }

        match self.step.q.val() {
            EntryStep::Search => {
                if self.goes.val() {
                    if self.found.q.val() {
                        self.tables.place.next = self.list.shown.val().place;
                        self.tables.entry_read.next = true;
                        self.known.next.place = self.list.shown.val().place;
                        self.known.next.overflow = self.list.shown.val().overflow;
                        self.step.d.next = EntryStep::Check;
                    } else if self.lacking.q.val() | self.missed.q.val() {
                        self.failure.next = bits::<FAILURE_WIDTH>(Failure::Dropped as u64);
                        if !self.lacking.q.val() & self.verdict.shut.val().any() {
                            self.failure.next = self.verdict.shut.val();
                        }
                        self.refuses.next = true;
                        self.drops.next = true;
                    }
                }
            }
            EntryStep::Check => {
                self.cycle.d.next = self.cycle.q.val() + 1;
                if self.cycle.q.val() == bits::<WAIT_WIDTH>(START_CYCLES) {
                    // A header says where its data lie, and whose they are.
                    self.list.write.next = true;
                    self.list.field.next = ListField::Pointer;
                    self.list.word.next = bit_cast::<32, LENGTH_WIDTH>(self.verdict.start.val())
                        | field::<32, USER_WIDTH>(self.request.val().user, USER_OFFSET);
                }
                if self.cycle.q.val() == bits::<WAIT_WIDTH>(CHECK_CYCLES) {
                    self.known.next = self.verdict.known.val();
                    self.passes.next = !self.verdict.known.val().failure.any();
                    self.delivers.next =
                        self.passes.val() & self.message.val().get & !self.verdict.change.val().completes;
                    self.list.write.next = true;
                    self.asks.d.next = true;
                    self.new_change.next = self.verdict.change.val();
                    self.cycle.d.next = 0.into();
                    self.step.d.next = EntryStep::Resolve;
                }
            }
            EntryStep::Resolve => {
                self.passes.next = self.succeeds.val();
                self.list.operation.next = ListOperation::Resolve;
                self.context.enable.next = self.cycle.q.val() <= 1;
                if self.cycle.q.val() == 0 {
                    self.tables.entry_write.next = self.succeeds.val();
                    self.tables.counts_write.next = self.succeeds.val();
                } else {
                    self.context.index.next = 2.into();
                    self.context.word.next = bit_cast::<32, LENGTH_WIDTH>(self.message.val().address)
                        | field::<32, USER_WIDTH>(self.request.val().user, USER_OFFSET);
                }
                if !self.cycle.q.val().all() {
                    self.cycle.d.next = self.cycle.q.val() + 1;
                }
                // Not in the cycle of `done`: that comes late, behind the tags of the lists.
                if !self.asks.q.val() & self.cycle.q.val().any() {
                    self.ends.next = true;
                    self.tables.place.next = self.list.shown.val().place;
                    self.tables.header_write.next = self.change.q.val().keeps;
                    self.known.next.header = self.list.shown.val().place;
                    self.drops.next = (self.failure.val() == bits::<FAILURE_WIDTH>(Failure::Dropped as u64))
                        | (self.failure.val() == bits::<FAILURE_WIDTH>(Failure::PortalDisabled as u64));
                    self.refuses.next = !self.succeeds.val();
                    self.permission.next = self.failure.val() == bits::<FAILURE_WIDTH>(Failure::Permission as u64);
                    self.operation.next = self.failure.val() == bits::<FAILURE_WIDTH>(Failure::Operation as u64);
                }
            }
        }
        if self.refuses.val() {
            self.known.next.failure = self.failure.val();
            self.known.next.delivered = 0.into();
            self.known.next.used = 0.into();
            self.known.next.overflow = false;
            self.ends.next = true;
        }
        if self.ends.val() {
            self.cycle.d.next = 0.into();
            self.step.d.next = EntryStep::Search;
        }
        self.change.d.next = self.new_change.val();
        self.at_once.next = self.change.q.val().completes;
        self.unlinked.next = self.change.q.val().finishes;
        self.gone.next = self.change.q.val().frees;
        if self.rst.val() {
            self.step.d.next = EntryStep::Search;
            self.asks.d.next = false;
        }
    }
}
