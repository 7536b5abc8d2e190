//! Append order as numbers, so that entries of two chains can be told older from younger.
//!
//! | | |
//! | --- | --- |
//! | latency | the number of the entry at `at`: 1 cycle after `read`; `older`: 2 cycles |
//! | throughput | one comparison or one insert a cycle |
//! | state | 32 bits an entry in block RAM, a counter, the number kept |
//!
//! Each entry that is inserted gets the next number, so numbers rise along each list. Before the counter would pass `limit` the
//! entries of Priority and Overflow are numbered afresh in append order, from zero: an entry a cycle and 6 cycles, during which no
//! command is taken. The counter then stands at their number, which is at most that of the places and so below `limit`:
//! numbers of one list differ at all times, rise along it, and never wrap. Unexpected needs no numbers, because each of its
//! searches walks one chain; its entries get some, which nobody reads.

use super::ports::{EndsIn, LIST_BITS};
use crate::prim::Ram;
use portico_spec::portals::list::List;
use rust_hdl::prelude::*;

/// Width of a number, in bits.
const SEQUENCE_WIDTH: usize = 32;
const SEQUENCE_BYTES: usize = SEQUENCE_WIDTH / 8;

/// What is being done.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Numbering {
    Rest,
    /// The list that was looked at begins.
    Head,
    /// An entry was read: it gets a number.
    Step,
}

/// Numbers of entries that `A` bits number.
#[derive(LogicBlock)]
pub struct Sequencer<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the counter is 0.
    pub rst: Signal<In, Bit>,
    pub read: Signal<In, Bit>,
    pub at: Signal<In, Bits<A>>,
    /// The entry `index` comes to the tail of a list.
    pub insert: Signal<In, Bit>,
    pub index: Signal<In, Bits<A>>,
    /// The entry that was read two cycles ago is the one to compare with.
    pub keep: Signal<In, Bit>,
    /// The entry that was read two cycles ago is older than that.
    pub older: Signal<Out, Bit>,
    /// No command may be taken.
    pub busy: Signal<Out, Bit>,
    /// No command is there, and the table is not read.
    pub quiet: Signal<In, Bit>,
    /// While it numbers afresh: the list to look at, the entry to read.
    pub look: Signal<Out, Bit>,
    pub list: Signal<Out, Bits<LIST_BITS>>,
    pub walks: Signal<Out, Bit>,
    pub walk_at: Signal<Out, Bits<A>>,
    /// Ends of the list looked at, and the next link of the entry read, both in append order.
    pub ends: EndsIn<A>,
    pub follower: Signal<In, Bits<A>>,
    numbers: Ram<SEQUENCE_WIDTH, A, SEQUENCE_BYTES>,
    numbering: DFF<Numbering>,
    numbered_list: DFF<Bits<LIST_BITS>>,
    place: DFF<Bits<A>>,
    counter: DFF<Bits<SEQUENCE_WIDTH>>,
    compared: DFF<Bits<SEQUENCE_WIDTH>>,
    kept: DFF<Bits<SEQUENCE_WIDTH>>,
    is_older: DFF<Bit>,
    due: Signal<Local, Bit>,
    list_ends: Signal<Local, Bit>,
    limit: Constant<Bits<SEQUENCE_WIDTH>>,
    lanes: Constant<Bits<SEQUENCE_BYTES>>,
    first_list: Constant<Bits<LIST_BITS>>,
    last_list: Constant<Bits<LIST_BITS>>,
}

impl<const A: usize> Sequencer<A> {
    /// Numbers of `entries` entries, below `limit`, which is above `entries` and below 2^32.
    pub fn new(entries: usize, limit: u64) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            read: Default::default(),
            at: Default::default(),
            insert: Default::default(),
            index: Default::default(),
            keep: Default::default(),
            older: Default::default(),
            busy: Default::default(),
            quiet: Default::default(),
            look: Default::default(),
            list: Default::default(),
            walks: Default::default(),
            walk_at: Default::default(),
            ends: Default::default(),
            follower: Default::default(),
            numbers: Ram::new(entries),
            numbering: Default::default(),
            numbered_list: Default::default(),
            place: Default::default(),
            counter: Default::default(),
            compared: Default::default(),
            kept: Default::default(),
            is_older: Default::default(),
            due: Default::default(),
            list_ends: Default::default(),
            limit: Constant::new(bits(limit)),
            lanes: Constant::new(Bits::<SEQUENCE_BYTES>::mask()),
            first_list: Constant::new(bits(List::Priority as u64)),
            last_list: Constant::new(bits(List::Overflow as u64)),
        }
    }
}

impl<const A: usize> Logic for Sequencer<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            numbering,
            numbered_list,
            place,
            counter,
            compared,
            kept,
            is_older
        );
        self.numbers.clk.next = self.clk.val();
        self.numbers.read_enable.next = self.read.val();
        self.numbers.read_address.next = self.at.val();
        self.numbers.write_lanes.next = 0.into();
        self.numbers.write_address.next = self.index.val();
        self.numbers.write_data.next = self.counter.q.val();
        if self.insert.val() {
            self.numbers.write_lanes.next = self.lanes.val();
            self.counter.d.next = self.counter.q.val() + 1;
        }
        self.compared.d.next = self.numbers.read_data.val();
        self.is_older.d.next = self.numbers.read_data.val() < self.kept.q.val();
        self.older.next = self.is_older.q.val();
        if self.keep.val() {
            self.kept.d.next = self.compared.q.val();
        }

        self.due.next = self.counter.q.val() == self.limit.val();
        self.busy.next = self.due.val() | (self.numbering.q.val() != Numbering::Rest);
        self.look.next = false;
        self.list.next = self.first_list.val();
        self.walks.next = false;
        self.walk_at.next = self.ends.head.val();
        self.list_ends.next = false;
        match self.numbering.q.val() {
            Numbering::Rest => {
                if self.due.val() & self.quiet.val() {
                    self.look.next = true;
                    self.numbered_list.d.next = self.first_list.val();
                    self.counter.d.next = 0.into();
                    self.numbering.d.next = Numbering::Head;
                }
            }
            Numbering::Head => {
                self.walks.next = self.ends.nonempty.val();
                self.place.d.next = self.ends.head.val();
                self.numbering.d.next = Numbering::Step;
                self.list_ends.next = !self.ends.nonempty.val();
            }
            Numbering::Step => {
                self.numbers.write_lanes.next = self.lanes.val();
                self.numbers.write_address.next = self.place.q.val();
                self.counter.d.next = self.counter.q.val() + 1;
                self.list_ends.next = self.place.q.val() == self.ends.tail.val();
                self.walks.next = self.place.q.val() != self.ends.tail.val();
                self.walk_at.next = self.follower.val();
                self.place.d.next = self.follower.val();
            }
        }
        if self.list_ends.val() {
            self.numbering.d.next = Numbering::Rest;
            if self.numbered_list.q.val() != self.last_list.val() {
                self.look.next = true;
                self.list.next = self.last_list.val();
                self.numbered_list.d.next = self.last_list.val();
                self.numbering.d.next = Numbering::Head;
            }
        }
        // The list has a reset though it is set before it is used: synthesis takes such a register for a state machine, and encodes
        // it so that it never leaves a state that it does not know.
        if self.rst.val() {
            self.numbering.d.next = Numbering::Rest;
            self.numbered_list.d.next = self.first_list.val();
            self.counter.d.next = 0.into();
        }
    }
}
