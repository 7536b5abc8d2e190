use super::ports::LIST_BITS;
use portico_spec::portals::list::List;
use portico_verilog::prelude::*;

/// The chains that a search walks, one after the other.
///
/// The segment in hand.
///
/// | | |
/// | --- | --- |
/// | latency | 0 from `start` and `advance` to `look` |
/// | throughput | one segment a cycle |
/// | state | the segment: its list, and whether it is that of ANY |
///
/// Unhashed, a segment is a list. Hashed, a header's search of a list is two segments: the bucket of its source, then the
/// entries with ANY. An entry's search of Unexpected is one segment: the bucket of its source, or the whole list in append
/// order if it has ANY.
#[derive(LogicBlock, Default)]
pub struct SearchSegments {
    pub clk: Signal<In, Clock>,
    /// As in the plan: an entry among headers, not a header among entries.
    pub mirrored: Signal<In, Bit>,
    /// As in the plan: Overflow after Priority.
    pub both: Signal<In, Bit>,
    /// The list that the command names.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// The source of the command is ANY.
    pub any: Signal<In, Bit>,
    /// Turns to the first segment.
    pub start: Signal<In, Bit>,
    /// Turns to the next one.
    pub advance: Signal<In, Bit>,
    /// There is a next one.
    pub has_next: Signal<Out, Bit>,
    /// Turns to its chain: that of the source in the list, or if `look_wild` that of its entries with ANY.
    pub look: Signal<Out, Bit>,
    /// List of the chain that the search selects.
    pub look_list: Signal<Out, Bits<LIST_BITS>>,
    /// The search selects the chain of the entries with ANY.
    pub look_wild: Signal<Out, Bit>,
    /// The search walks the list's own chain even if there are buckets.
    pub by_order: Signal<Out, Bit>,
    /// The segment is a bucket; entries with ANY may match too.
    pub in_bucket: Signal<Out, Bit>,
    /// Its list is Overflow.
    pub in_overflow: Signal<Out, Bit>,
    current: DFF<Bits<LIST_BITS>>,
    wild: DFF<Bit>,
    hashed: Constant<Bit>,
}

impl SearchSegments {
    /// With or without chains by source.
    pub fn new(hashed: bool) -> Self {
        Self {
            hashed: Constant::new(hashed),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for SearchSegments {
    fn update(&mut self) {
        dff_setup!(self, clk, current, wild);
        self.by_order.next = self.mirrored.val() & self.any.val();
        self.in_bucket.next = self.hashed.val() & !self.mirrored.val() & !self.wild.q.val();
        self.in_overflow.next = self.current.q.val() == bits::<LIST_BITS>(List::Overflow as u64);
        self.has_next.next = !self.mirrored.val()
            & (self.in_bucket.val()
                | (self.both.val() & (self.current.q.val() == bits::<LIST_BITS>(List::Priority as u64))));

        self.look.next = self.start.val() | self.advance.val();
        self.look_wild.next = false;
        self.look_list.next = self.list.val();
        if self.mirrored.val() {
            self.look_list.next = bits::<LIST_BITS>(List::Unexpected as u64);
        } else if self.both.val() {
            self.look_list.next = bits::<LIST_BITS>(List::Priority as u64);
        }
        if self.advance.val() {
            self.look_wild.next = self.in_bucket.val();
            self.look_list.next = bits::<LIST_BITS>(List::Overflow as u64);
            if self.in_bucket.val() {
                self.look_list.next = self.current.q.val();
            }
        }
        if self.look.val() {
            self.current.d.next = self.look_list.val();
            self.wild.d.next = self.look_wild.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, settle};

    /// List, whether that of ANY, and `in_bucket` of all segments.
    fn segments(hashed: bool, list: List, mirrored: bool) -> Vec<(u64, bool, bool)> {
        let mut dut = SearchSegments::new(hashed);
        dut.connect_all();
        dut.list.next = (list as u64).into();
        dut.mirrored.next = mirrored;
        dut.both.next = list == List::All;
        dut.start.next = true;
        let mut all = vec![];
        loop {
            settle(&mut dut);
            assert!(dut.look.val());
            let (list, wild) = (dut.look_list.val().to_u64(), dut.look_wild.val());
            clock_edge!(dut);
            dut.start.next = false;
            dut.advance.next = false;
            settle(&mut dut);
            assert!(!dut.look.val());
            assert_eq!(dut.in_overflow.val(), list == List::Overflow as u64);
            all.push((list, wild, dut.in_bucket.val()));
            if !dut.has_next.val() {
                return all;
            }
            dut.advance.next = true;
        }
    }

    #[test]
    fn a_list_is_one_segment_and_hashed_two() {
        let (priority, overflow) = (List::Priority as u64, List::Overflow as u64);
        let bucket_and_any = |list| [(list, false, true), (list, true, false)];
        assert_eq!(segments(false, List::Overflow, false), [(overflow, false, false)]);
        assert_eq!(segments(true, List::Overflow, false), bucket_and_any(overflow));
        assert_eq!(
            segments(false, List::All, false),
            [(priority, false, false), (overflow, false, false)]
        );
        assert_eq!(
            segments(true, List::All, false),
            [bucket_and_any(priority), bucket_and_any(overflow)].concat()
        );
    }

    #[test]
    fn an_entry_searches_unexpected_whatever_list_it_is_for() {
        for hashed in [false, true] {
            for list in [List::Priority, List::Unexpected] {
                assert_eq!(segments(hashed, list, true), [(List::Unexpected as u64, false, false)]);
            }
        }
    }
}
