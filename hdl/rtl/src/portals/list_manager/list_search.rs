use super::{
    ports::{EndsIn, FindingOut, LIST_BITS},
    SearchSegments, Walker,
};
use portico_verilog::prelude::*;

/// Searches: the oldest entry that matches, and in mirrored searches the ones after it.
///
/// Searches among entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | from `start` to `found` or `missed`, for each segment: 1 cycle if it is empty, else its entries and 2 |
/// | throughput | one entry a cycle, one search at a time |
/// | timing | as in the [`Walker`] |
/// | state | the candidate of a bucket; the segment, and the walk |
///
/// A search walks [`SearchSegments`] one after the other. Each is a chain in append order, so its first match is its oldest. A
/// match in a bucket is only a candidate: the search then walks the entries with ANY as long as they are older than the
/// candidate. The older of the two matches is the match of the list.
#[derive(LogicBlock, Default)]
pub struct ListSearch<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the search under way is dropped.
    pub rst: Signal<In, Bit>,
    /// As in the plan: an entry among headers, not a header among entries.
    pub mirrored: Signal<In, Bit>,
    /// As in the plan: Overflow after Priority.
    pub both: Signal<In, Bit>,
    /// The list that the command names.
    pub list: Signal<In, Bits<LIST_BITS>>,
    /// The source of the command is ANY.
    pub any: Signal<In, Bit>,
    /// Begins.
    pub start: Signal<In, Bit>,
    /// Continues after the entry found, even if the entry has left its chain; nothing else was read. Only in mirrored searches.
    pub resume: Signal<In, Bit>,
    /// How the search ends, or pauses.
    pub finding: FindingOut,
    /// As in the segments: the search selects the chain of the source in `look_list`, or of its entries with ANY.
    pub look: Signal<Out, Bit>,
    /// List of the chain that the search selects.
    pub look_list: Signal<Out, Bits<LIST_BITS>>,
    /// The search selects the chain of the entries with ANY.
    pub look_wild: Signal<Out, Bit>,
    /// The search walks the list's own chain even if there are buckets.
    pub by_order: Signal<Out, Bit>,
    /// Ends of the segment looked at.
    pub ends: EndsIn<A>,
    /// Reads the entry at `at`.
    pub read: Signal<Out, Bit>,
    /// Entry to read.
    pub at: Signal<Out, Bits<A>>,
    /// Next link of the entry read last.
    pub follower: Signal<In, Bits<A>>,
    /// An entry is compared, which was read two cycles ago.
    pub compared: Signal<Out, Bit>,
    /// It matches.
    pub hit: Signal<In, Bit>,
    /// It becomes the candidate.
    pub keep: Signal<Out, Bit>,
    /// It is older than the candidate.
    pub older: Signal<In, Bit>,
    segments: SearchSegments,
    walker: Walker<A>,
    seeking: DFF<Bit>,
    has_candidate: DFF<Bit>,
    candidate: DFF<Bits<A>>,
    over: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<A>>,
    advances: Signal<Local, Bit>,
}

impl<const A: usize> ListSearch<A> {
    /// With or without chains by source.
    pub fn new(hashed: bool) -> Self {
        Self {
            segments: SearchSegments::new(hashed),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for ListSearch<A> {
    fn update(&mut self) {
        wire!(self => walker: clk, rst);
        wire!(self => segments: clk);
        dff_setup!(self, clk, seeking, has_candidate, candidate);
        wire!(self => segments: mirrored, both, list, any, start);
        self.walker.start.next = self.seeking.q.val() & self.ends.nonempty.val();
        self.walker.from.next = self.ends.head.val();
        self.walker.tail.next = self.ends.tail.val();
        wire!(self => walker: follower, resume);

        self.over.next = self.seeking.q.val() & !self.ends.nonempty.val();
        self.finding.missed.next = self.resume.val() & self.walker.exhausted.val();
        self.finding.found.next = false;
        self.chosen.next = self.walker.index.val();
        self.keep.next = false;
        self.advances.next = false;
        if self.walker.valid.val() {
            if self.has_candidate.q.val() & !self.older.val() {
                self.over.next = true;
            } else if !self.hit.val() {
                self.over.next = self.walker.last.val();
            } else if self.segments.in_bucket.val() {
                self.keep.next = true;
                self.advances.next = true;
            } else {
                self.finding.found.next = true;
            }
        }
        // The segment ends without a match: the candidate of the bucket counts, or there may be another segment.
        if self.over.val() {
            if self.has_candidate.q.val() {
                self.finding.found.next = true;
                self.chosen.next = self.candidate.q.val();
            } else {
                self.advances.next = self.segments.has_next.val();
                self.finding.missed.next = !self.segments.has_next.val();
            }
        }
        self.walker.stop.next = self.finding.found.val() | self.advances.val() | self.finding.missed.val();
        self.walker.pause.next = self.finding.found.val();
        self.segments.advance.next = self.advances.val();
        self.seeking.d.next = self.segments.look.val();
        self.has_candidate.d.next = (self.has_candidate.q.val() | self.keep.val()) & !self.start.val();
        if self.keep.val() {
            self.candidate.d.next = self.walker.index.val();
        }

        self.compared.next = self.walker.valid.val();
        self.read.next = self.walker.read.val() | self.finding.found.val();
        self.at.next = self.walker.at.val();
        if self.finding.found.val() {
            self.at.next = self.chosen.val();
        }
        wire!(segments => self: look, look_list, look_wild, by_order);
        self.finding.in_overflow.next = self.segments.in_overflow.val();
        if self.rst.val() {
            self.seeking.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, settle};
    use portico_spec::portals::list::List;

    clocked!([const A: usize] ListSearch<A>);

    /// Chains of a memory: of a bucket, or a list, and of the entries with ANY; which entries match.
    struct Chains {
        bucket: Vec<u64>,
        any: Vec<u64>,
        matching: Vec<u64>,
    }

    impl Chains {
        /// Carries a search through, from `start` or `resume` to its end: the cycles that it takes, the entry found, and the entries
        /// compared. Entries are older the lower their numbers.
        fn run(&self, dut: &mut ListSearch<4>) -> (usize, Option<u64>, usize) {
            let all = [&self.bucket[..], &self.any].concat();
            let (mut read, mut read_before, mut compared) = ([0; 2], 0, 0);
            for cycle in 0.. {
                dut.hit.next = self.matching.contains(&read[1]);
                dut.older.next = read[1] < read_before;
                settle(dut);
                compared += usize::from(dut.compared.val());
                if dut.keep.val() {
                    read_before = read[1];
                }
                let at = dut.read.val().then(|| dut.at.val().to_u64());
                let look = dut.look.val().then(|| dut.look_wild.val());
                let (found, missed) = (dut.finding.found.val(), dut.finding.missed.val());
                clock(dut);
                dut.start.next = false;
                dut.resume.next = false;
                read = [at.unwrap_or(read[0]), read[0]];
                let place = all.iter().position(|&entry| entry == read[0]);
                let follower = place.and_then(|place| all.get(place + 1)).copied();
                dut.follower.next = follower.unwrap_or(15).into();
                if let Some(wild) = look {
                    let chain = if wild { &self.any } else { &self.bucket };
                    dut.ends.nonempty.next = !chain.is_empty();
                    dut.ends.head.next = chain.first().copied().unwrap_or(15).into();
                    dut.ends.tail.next = chain.last().copied().unwrap_or(15).into();
                }
                settle(dut);
                if found || missed {
                    clock(dut);
                    return (cycle, at.filter(|_| found), compared);
                }
            }
            unreachable!()
        }
    }

    fn search(hashed: bool, bucket: &[u64], any: &[u64], matching: &[u64]) -> (usize, Option<u64>, usize) {
        let mut dut = reset(ListSearch::<4>::new(hashed));
        let chains = Chains {
            bucket: bucket.into(),
            any: any.into(),
            matching: matching.into(),
        };
        dut.list.next = (List::Overflow as u64).into();
        dut.start.next = true;
        chains.run(&mut dut)
    }

    #[test]
    fn a_list_takes_its_entries_and_2_or_1_if_it_is_empty() {
        assert_eq!(search(false, &[], &[], &[]), (1, None, 0));
        assert_eq!(search(false, &[1, 4, 6], &[], &[]), (5, None, 3));
        assert_eq!(search(false, &[1, 4, 6], &[], &[4, 6]), (4, Some(4), 2));
    }

    #[test]
    fn the_older_of_bucket_and_any_is_found() {
        assert_eq!(search(true, &[1, 4], &[2, 6], &[4, 6]), (8, Some(4), 4));
        assert_eq!(search(true, &[1, 4], &[2, 6], &[2, 4]), (7, Some(2), 3));
        assert_eq!(search(true, &[1, 4], &[2, 6], &[6]), (8, Some(6), 4));
        assert_eq!(search(true, &[1, 4], &[], &[1]), (4, Some(1), 1));
        assert_eq!(search(true, &[], &[], &[]), (2, None, 0));
    }

    #[test]
    fn a_mirrored_search_goes_on_after_each_entry_found() {
        let mut dut = reset(ListSearch::<4>::new(true));
        let chains = Chains {
            bucket: vec![1, 4, 6, 9],
            any: vec![],
            matching: vec![1, 6, 9],
        };
        dut.mirrored.next = true;
        dut.start.next = true;
        assert_eq!(chains.run(&mut dut), (3, Some(1), 1));
        for expected in [(3, Some(6), 2), (2, Some(9), 1), (0, None, 0)] {
            dut.resume.next = true;
            assert_eq!(chains.run(&mut dut), expected);
        }
    }
}
