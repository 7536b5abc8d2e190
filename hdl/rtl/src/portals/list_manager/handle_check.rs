use super::{
    free_list::PLACES_WIDTH,
    ports::{LIST_BITS, NO_LIST},
};
use portico_spec::portals::list::{List, GENERATION_OFFSET, GENERATION_WIDTH, HANDLE_WIDTH, INDEX_WIDTH};
use portico_verilog::prelude::*;

/// Whether the entry of a handle is there.
///
/// Checks handles of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from what the table shows to `right` |
/// | throughput | one handle a cycle |
/// | timing | the tag comes late from block RAM, so `right` is a flip-flop |
/// | state | `right` |
///
/// A handle is a place and its generation. The tag of a place that never had an entry is undefined, so only a place that had one
/// passes the check.
#[derive(LogicBlock, Default)]
pub struct HandleCheck<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Handle of the command.
    pub handle: Signal<In, Bits<HANDLE_WIDTH>>,
    /// The list that the entry should be in, or all.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// The place of the handle.
    pub index: Signal<Out, Bits<A>>,
    /// Wanted is a detached entry, not one of a list.
    pub detached: Signal<In, Bit>,
    /// List that the table shows of that place.
    pub stored_list: Signal<In, Bits<LIST_BITS>>,
    /// The table shows an entry at that place.
    pub stored_live: Signal<In, Bit>,
    /// Generation that the table shows of that place.
    pub stored_generation: Signal<In, Bits<GENERATION_WIDTH>>,
    /// Places that had an entry at some time; they come first.
    pub used: Signal<In, Bits<PLACES_WIDTH>>,
    /// The handle was that of an entry in the list a cycle ago.
    pub right: Signal<Out, Bit>,
    is_right: DFF<Bit>,
    place: Signal<Local, Bits<INDEX_WIDTH>>,
    generation: Signal<Local, Bits<GENERATION_WIDTH>>,
}

#[kernel]
impl<const A: usize> Logic for HandleCheck<A> {
    fn update(&mut self) {
        dff_setup!(self, clk, is_right);
        self.place.next = self.handle.val().get_bits::<INDEX_WIDTH>(0);
        self.generation.next = self.handle.val().get_bits::<GENERATION_WIDTH>(GENERATION_OFFSET);
        self.index.next = bit_cast::<A, INDEX_WIDTH>(self.place.val());
        self.is_right.d.next = self.stored_live.val()
            & (self.place.val() < self.used.val())
            & (self.generation.val() == self.stored_generation.val())
            & ((self.stored_list.val() == bits::<LIST_BITS>(NO_LIST)) == self.detached.val())
            & ((self.list.val() == bits::<LIST_BITS>(List::All as u64)) | (self.list.val() == self.stored_list.val()));
        self.right.next = self.is_right.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::clock_edge;

    #[test]
    fn a_handle_is_right_if_place_generation_and_list_are() {
        const OVERFLOW: u64 = List::Overflow as u64;
        const ALL: u64 = List::All as u64;
        let mut dut = HandleCheck::<4>::default();
        dut.connect_all();
        let mut check = |place: u64, generation: u64, list: u64, live: bool, stored: u64, detached: bool| {
            dut.handle.next = (place | generation << GENERATION_OFFSET).into();
            dut.list.next = list.into();
            dut.used.next = 6.into();
            dut.stored_list.next = stored.into();
            dut.detached.next = detached;
            dut.stored_generation.next = 0x8001.into();
            dut.stored_live.next = live;
            clock_edge!(dut);
            assert_eq!(dut.index.val(), place & 15);
            dut.right.val()
        };
        for (stored, wanted) in [(OVERFLOW, false), (OVERFLOW, true), (NO_LIST, false), (NO_LIST, true)] {
            let right = check(5, 0x8001, ALL, true, stored, wanted);
            assert_eq!(
                right,
                wanted == (stored == NO_LIST),
                "stored {stored}, wanted detached {wanted}"
            );
        }
        let mut right = |place, generation, list, live| check(place, generation, list, live, OVERFLOW, false);
        assert!(right(5, 0x8001, OVERFLOW, true));
        assert!(right(0, 0x8001, ALL, true));
        assert!(!right(6, 0x8001, OVERFLOW, true), "a place that never had an entry");
        assert!(!right(16, 0x8001, OVERFLOW, true), "a place that is not there");
        assert!(!right(5, 1, OVERFLOW, true), "a stale handle");
        assert!(!right(5, 0x8001, List::Priority as u64, true), "another list");
        assert!(!right(5, 0x8001, OVERFLOW, false), "a free place");
    }
}
