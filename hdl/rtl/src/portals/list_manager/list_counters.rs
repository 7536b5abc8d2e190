use super::{free_list::PLACES_WIDTH, ports::LIST_BITS};
use portico_spec::portals::list::{COUNTER_WIDTH, OCCUPANCY_WIDTH};
use portico_verilog::prelude::*;

/// Lists that exist.
const LISTS: usize = 3;

/// Occupancy of the lists, and how long searches are.
///
/// Counts entries of each list, searches, and entries compared.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle; `longest` 2 cycles after `compared` |
/// | state | six counters of 16 bits, two of 64 |
#[derive(LogicBlock, Default)]
pub struct ListCounters {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: all places are free, and nothing was searched.
    pub rst: Signal<In, Bit>,
    /// An entry comes into `list`.
    pub inserted: Signal<In, Bit>,
    /// An entry leaves `list`.
    pub removed: Signal<In, Bit>,
    /// A place becomes free.
    pub freed: Signal<In, Bit>,
    /// Below 3.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// A command that searches begins.
    pub search: Signal<In, Bit>,
    /// It compares an entry.
    pub compared: Signal<In, Bit>,
    /// Entries of each list, and free places.
    pub occupancy: [Signal<Out, Bits<OCCUPANCY_WIDTH>>; LISTS + 1],
    /// Commands that searched.
    pub searches: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Entries that they compared.
    pub total: Signal<Out, Bits<COUNTER_WIDTH>>,
    /// Most that one of them compared.
    pub longest: Signal<Out, Bits<COUNTER_WIDTH>>,
    entries: [DFF<Bits<OCCUPANCY_WIDTH>>; LISTS],
    free_places: DFF<Bits<OCCUPANCY_WIDTH>>,
    search_count: DFF<Bits<COUNTER_WIDTH>>,
    compared_count: DFF<Bits<COUNTER_WIDTH>>,
    length: DFF<Bits<OCCUPANCY_WIDTH>>,
    most: DFF<Bits<OCCUPANCY_WIDTH>>,
    places: Constant<Bits<PLACES_WIDTH>>,
    number: [Constant<Bits<LIST_BITS>>; LISTS],
}

impl ListCounters {
    /// For a table of `places` places.
    pub fn new(places: usize) -> Self {
        Self {
            places: Constant::new(bits(places as u64)),
            number: [0, 1, 2].map(|list| Constant::new(bits(list))),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for ListCounters {
    fn update(&mut self) {
        dff_setup!(self, clk, free_places, search_count, compared_count, length, most);
        for i in 0..3 {
            self.entries[i].clock.next = self.clk.val();
            self.entries[i].d.next = self.entries[i].q.val();
            self.occupancy[i].next = self.entries[i].q.val();
            if self.list.val() == self.number[i].val() {
                if self.inserted.val() {
                    self.entries[i].d.next = self.entries[i].q.val() + 1;
                }
                if self.removed.val() {
                    self.entries[i].d.next = self.entries[i].q.val() - 1;
                }
            }
            if self.rst.val() {
                self.entries[i].d.next = 0.into();
            }
        }
        if self.inserted.val() {
            self.free_places.d.next = self.free_places.q.val() - 1;
        }
        if self.freed.val() {
            self.free_places.d.next = self.free_places.q.val() + 1;
        }
        if self.search.val() {
            self.search_count.d.next = self.search_count.q.val() + 1;
            self.length.d.next = 0.into();
        }
        if self.compared.val() {
            self.compared_count.d.next = self.compared_count.q.val() + 1;
            self.length.d.next = self.length.q.val() + 1;
        }
        if self.length.q.val() > self.most.q.val() {
            self.most.d.next = self.length.q.val();
        }
        self.occupancy[3].next = self.free_places.q.val();
        self.searches.next = self.search_count.q.val();
        self.total.next = self.compared_count.q.val();
        self.longest.next = bit_cast::<COUNTER_WIDTH, OCCUPANCY_WIDTH>(self.most.q.val());
        if self.rst.val() {
            self.free_places.d.next = self.places.val();
            self.search_count.d.next = 0.into();
            self.compared_count.d.next = 0.into();
            self.length.d.next = 0.into();
            self.most.d.next = 0.into();
        }
    }
}
