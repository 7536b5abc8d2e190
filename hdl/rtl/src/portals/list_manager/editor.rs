use super::ports::{AccessOut, LIST_BITS};
use portico_spec::portals::list::{List, ANY_SOURCE, OPTIONS_WIDTH, SOURCE_WIDTH};
use portico_verilog::prelude::*;

/// Inserts an entry into its chains, removes it from them, and selects the rows that a search or a handle needs.
///
/// Edits chains of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | from `take` to `insert` or `no_room` 1 cycle; from `leave` to `remove` 1 cycle, to `gone` 2; from a read to `index` 1 |
/// | throughput | one change, read and look a cycle |
/// | timing | the next link of a walk passes through to the memories' address |
/// | state | the place in hand, and the step |
///
/// A chain is looked at in one cycle and changed in the next. Headers in Unexpected are in the bucket of their source even if
/// they have ANY, which means nothing in a header.
#[derive(LogicBlock, Default)]
pub struct Editor<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the edit under way is dropped.
    pub rst: Signal<In, Bit>,
    /// The search reads the entry `search_at`.
    pub search_read: Signal<In, Bit>,
    /// Entry that the search reads.
    pub search_at: Signal<In, Bits<A>>,
    /// The search has found the entry `search_at`, which becomes the entry in hand.
    pub found: Signal<In, Bit>,
    /// The search selects a chain.
    pub search_look: Signal<In, Bit>,
    /// List of the chain that the search selects.
    pub search_list: Signal<In, Bits<LIST_BITS>>,
    /// The search selects the chain of the entries with ANY.
    pub search_wild: Signal<In, Bit>,
    /// The entry of the handle becomes the entry in hand.
    pub fetch: Signal<In, Bit>,
    /// Place of the handle.
    pub handle_index: Signal<In, Bits<A>>,
    /// The free place becomes the place in hand, for an entry of `new_list`.
    pub take: Signal<In, Bit>,
    /// The place to take next, unless full.
    pub free_index: Signal<In, Bits<A>>,
    /// No place is free.
    pub full: Signal<In, Bit>,
    /// List that the entry or header of the command is appended to.
    pub new_list: Signal<In, Bits<LIST_BITS>>,
    /// Source of the command.
    pub source: Signal<In, Bits<SOURCE_WIDTH>>,
    /// The source of the command is ANY.
    pub any: Signal<In, Bit>,
    /// The entry in hand keeps its place when it leaves.
    pub detaches: Signal<In, Bit>,
    /// The entry in hand has left its chains before: it leaves its place alone.
    pub releases: Signal<In, Bit>,
    /// The entry in hand may leave: its chains are looked at. The table shows it.
    pub may_leave: Signal<In, Bit>,
    /// It leaves; only with `may_leave`.
    pub leave: Signal<In, Bit>,
    /// List of the entry that the table shows.
    pub stored_list: Signal<In, Bits<LIST_BITS>>,
    /// Source of the entry that the table shows.
    pub stored_source: Signal<In, Bits<SOURCE_WIDTH>>,
    /// Options of the entry that the table shows.
    pub stored_options: Signal<In, Bits<OPTIONS_WIDTH>>,
    /// Reads, looks and changes of the chains.
    pub access: AccessOut<A>,
    /// The list that the entry comes to or leaves.
    pub changed_list: Signal<Out, Bits<LIST_BITS>>,
    /// The place of the entry in hand is given up: its handle is stale from the next cycle on.
    pub vacate: Signal<Out, Bit>,
    /// The entry in hand keeps its place, and is in no list from the next cycle on.
    pub detach: Signal<Out, Bit>,
    /// The entry in hand has left.
    pub gone: Signal<Out, Bit>,
    /// There is no free place to insert it.
    pub no_room: Signal<Out, Bit>,
    taken: DFF<Bit>,
    leaving: DFF<Bit>,
    left: DFF<Bit>,
    place: DFF<Bits<A>>,
}

#[kernel]
impl<const A: usize> Logic for Editor<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, taken, leaving, left, place);
        self.access.read.next = self.search_read.val() | self.fetch.val() | self.take.val();
        self.access.at.next = self.search_at.val();
        if self.fetch.val() {
            self.access.at.next = self.handle_index.val();
        }
        if self.take.val() {
            self.access.at.next = self.free_index.val();
        }
        if self.found.val() | self.fetch.val() | self.take.val() {
            self.place.d.next = self.access.at.val();
        }

        self.access.look.next = self.search_look.val() | self.take.val() | self.may_leave.val();
        self.access.list.next = self.search_list.val();
        self.access.source.next = self.source.val();
        self.access.wild.next = self.search_wild.val();
        if self.take.val() {
            self.access.list.next = self.new_list.val();
            self.access.wild.next =
                self.any.val() & (self.new_list.val() != bits::<LIST_BITS>(List::Unexpected as u64));
        }
        if self.may_leave.val() {
            self.access.list.next = self.stored_list.val();
            self.access.source.next = self.stored_source.val();
            self.access.wild.next = self.stored_options.val().get_bit(ANY_SOURCE)
                & (self.stored_list.val() != bits::<LIST_BITS>(List::Unexpected as u64));
        }

        self.taken.d.next = self.take.val();
        self.leaving.d.next = self.leave.val();
        self.left.d.next = self.leaving.q.val();
        self.access.index.next = self.place.q.val();
        self.access.insert.next = self.taken.q.val() & !self.full.val();
        self.no_room.next = self.taken.q.val() & self.full.val();
        self.access.remove.next = self.leaving.q.val() & !self.releases.val();
        self.vacate.next = self.leaving.q.val() & !self.detaches.val();
        self.detach.next = self.leaving.q.val() & self.detaches.val();
        self.access.frees.next = self.left.q.val() & !self.detaches.val();
        self.gone.next = self.left.q.val();
        self.changed_list.next = self.new_list.val();
        if self.leaving.q.val() {
            self.changed_list.next = self.stored_list.val();
        }
        if self.rst.val() {
            self.taken.d.next = false;
            self.leaving.d.next = false;
            self.left.d.next = false;
        }
    }
}
