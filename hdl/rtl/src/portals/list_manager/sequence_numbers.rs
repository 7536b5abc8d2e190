use super::ports::{EndsIn, LIST_BITS};
use crate::prim::Ram;
use portico_spec::portals::list::List;
use portico_verilog::prelude::*;

/// Width of a number, in bits.
const SEQUENCE_WIDTH: usize = 32;

/// State of the numbering.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Numbering {
    Rest,
    /// The list that was looked at begins.
    Head,
    /// An entry was read: it gets a number.
    Step,
}

/// Append order as numbers: they give the older of two entries from different chains.
///
/// Numbers of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | the number of the entry at `at`: 1 cycle after `read`; `older`: 2 cycles |
/// | throughput | one comparison or one insert a cycle |
/// | state | 32 bits an entry in block RAM, a counter, the number kept |
///
/// Each entry that is inserted gets the next number, so numbers rise along each list. Before the counter would pass `limit` the
/// entries of Priority and Overflow are numbered afresh in append order, from zero: an entry a cycle and 6 cycles, during which no
/// command is taken. The counter then stands at their number, which is at most that of the places and so below `limit`:
/// numbers of one list differ at all times, rise along it, and never wrap. Unexpected needs no numbers, because each of its
/// searches walks one chain. Its entries get numbers that no block reads.
#[derive(LogicBlock, Default)]
pub struct SequenceNumbers<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the counter is 0.
    pub rst: Signal<In, Bit>,
    /// Reads the number of the entry at `at`.
    pub read: Signal<In, Bit>,
    /// Entry to read.
    pub at: Signal<In, Bits<A>>,
    /// The entry `index` comes to the tail of a list.
    pub insert: Signal<In, Bit>,
    /// The entry that is inserted.
    pub index: Signal<In, Bits<A>>,
    /// The entry that was read two cycles ago is the one to compare with.
    pub keep: Signal<In, Bit>,
    /// The entry that was read two cycles ago is older than that.
    pub older: Signal<Out, Bit>,
    /// No command may be taken.
    pub busy: Signal<Out, Bit>,
    /// No command is there, and the table is not read.
    pub quiet: Signal<In, Bit>,
    /// While it numbers afresh: selects `list`; the ends of the list come in the next cycle.
    pub look: Signal<Out, Bit>,
    /// The list to look at.
    pub list: Signal<Out, Bits<LIST_BITS>>,
    /// Reads the links of the entry at `walk_at`.
    pub walks: Signal<Out, Bit>,
    /// The entry to read; its next link comes one cycle later.
    pub walk_at: Signal<Out, Bits<A>>,
    /// Ends of the list looked at, in append order.
    pub ends: EndsIn<A>,
    /// The next link of the entry that was read, in append order.
    pub follower: Signal<In, Bits<A>>,
    numbers: Ram<Bits<SEQUENCE_WIDTH>, A>,
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
}

impl<const A: usize> SequenceNumbers<A> {
    /// Numbers of `entries` entries, below `limit`, which is above `entries` and below 2^32.
    pub fn new(entries: usize, limit: u64) -> Self {
        Self {
            numbers: Ram::new(entries),
            limit: Constant::new(bits(limit)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for SequenceNumbers<A> {
    fn update(&mut self) {
        wire!(self => numbers: clk);
        dff_setup!(self, clk, numbering, numbered_list, place, counter, compared, kept);
        dff_setup!(self, clk, is_older);
        self.numbers.read_enable.next = self.read.val();
        self.numbers.read_address.next = self.at.val();
        self.numbers.write_enable.next = false;
        self.numbers.write_address.next = self.index.val();
        self.numbers.write_data.next = self.counter.q.val();
        if self.insert.val() {
            self.numbers.write_enable.next = true;
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
        self.list.next = bits::<LIST_BITS>(List::Priority as u64);
        self.walks.next = false;
        self.walk_at.next = self.ends.head.val();
        self.list_ends.next = false;
        match self.numbering.q.val() {
            Numbering::Rest => {
                if self.due.val() & self.quiet.val() {
                    self.look.next = true;
                    self.numbered_list.d.next = bits::<LIST_BITS>(List::Priority as u64);
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
                self.numbers.write_enable.next = true;
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
            if self.numbered_list.q.val() != bits::<LIST_BITS>(List::Overflow as u64) {
                self.look.next = true;
                self.list.next = bits::<LIST_BITS>(List::Overflow as u64);
                self.numbered_list.d.next = bits::<LIST_BITS>(List::Overflow as u64);
                self.numbering.d.next = Numbering::Head;
            }
        }
        // The list has a reset though it is set before it is used: synthesis takes such a register for a state machine, and encodes
        // it so that it never leaves a state that it does not know.
        if self.rst.val() {
            self.numbering.d.next = Numbering::Rest;
            self.numbered_list.d.next = bits::<LIST_BITS>(List::Priority as u64);
            self.counter.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::{rngs::SmallRng, Rng};

    const ENTRIES: usize = 16;
    const LIMIT: u64 = 40;

    clocked!([const A: usize] SequenceNumbers<A>);

    /// Priority and Overflow in append order, as the links have them.
    type Lists = [Vec<usize>; 2];

    /// Shows the ends of the list looked at and the followers of the entries read until all are numbered; the cycles that took.
    fn number_afresh(dut: &mut SequenceNumbers<4>, lists: &Lists) -> usize {
        let mut cycles = 0;
        dut.quiet.next = true;
        settle(dut);
        while dut.busy.val() {
            let looked_at = dut.look.val().then(|| dut.list.val().to_u64() as usize);
            let read = dut.walks.val().then(|| dut.walk_at.val().to_u64() as usize);
            clock(dut);
            if let Some(list) = looked_at {
                let (head, tail) = (lists[list].first(), lists[list].last());
                dut.ends.nonempty.next = head.is_some();
                dut.ends.head.next = (head.copied().unwrap_or(0) as u64).into();
                dut.ends.tail.next = (tail.copied().unwrap_or(0) as u64).into();
            }
            let after = |entry| {
                let list = lists
                    .iter()
                    .find(|list| list.contains(&entry))
                    .expect("an entry of a list");
                list.iter().skip_while(|&&other| other != entry).nth(1)
            };
            dut.follower.next = (read.and_then(after).copied().unwrap_or(0) as u64).into();
            settle(dut);
            cycles += 1;
            assert!(cycles < 100, "it never ends");
        }
        dut.quiet.next = false;
        cycles
    }

    /// Whether `other` has a lower number than `entry`.
    fn is_older(dut: &mut SequenceNumbers<4>, other: usize, entry: usize) -> bool {
        for (place, read) in [Some(entry), None, Some(other), None].into_iter().enumerate() {
            dut.read.next = read.is_some();
            dut.at.next = (read.unwrap_or(0) as u64).into();
            dut.keep.next = place == 2;
            clock(dut);
        }
        dut.older.val()
    }

    fn check_order(dut: &mut SequenceNumbers<4>, lists: &Lists) {
        for list in lists {
            for pair in list.windows(2) {
                assert!(
                    is_older(dut, pair[0], pair[1]) && !is_older(dut, pair[1], pair[0]),
                    "{lists:?}"
                );
            }
        }
    }

    /// The entry becomes the last of its list.
    fn insert(dut: &mut SequenceNumbers<4>, entry: usize) {
        dut.insert.next = true;
        dut.index.next = (entry as u64).into();
        clock(dut);
        dut.insert.next = false;
        settle(dut);
    }

    fn change(dut: &mut SequenceNumbers<4>, lists: &mut Lists, rng: &mut SmallRng) {
        let list = rng.gen_range(0..2);
        let free: Vec<usize> = (0..ENTRIES).filter(|entry| !lists.concat().contains(entry)).collect();
        if free.is_empty() || !lists[list].is_empty() && rng.gen_bool(0.4) {
            let place = rng.gen_range(0..lists[list].len().max(1));
            lists[list].drain(place..(place + 1).min(lists[list].len()));
        } else {
            let entry = free[rng.gen_range(0..free.len())];
            lists[list].push(entry);
            insert(dut, entry);
        }
    }

    #[test]
    fn order_outlives_the_numbers() {
        let mut rng = rng(0x5e9);
        let mut dut = reset(SequenceNumbers::<4>::new(ENTRIES, LIMIT));
        let (mut lists, mut numbered) = (Lists::default(), 0);
        for _ in 0..1_000 {
            change(&mut dut, &mut lists, &mut rng);
            if dut.busy.val() {
                clock(&mut dut);
                assert!(dut.busy.val() && !dut.look.val(), "it waits until all is quiet");
                let cycles = number_afresh(&mut dut, &lists);
                assert!(cycles <= lists.concat().len() + 6, "{cycles} cycles for {lists:?}");
                numbered += 1;
                check_order(&mut dut, &lists);
            }
        }
        check_order(&mut dut, &lists);
        assert!(numbered > 5, "numbers ran out {numbered} times");
    }
}
