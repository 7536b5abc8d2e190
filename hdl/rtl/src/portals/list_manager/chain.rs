use super::ports::{EndsIn, EndsOut};
use crate::prim::Ram;
use portico_verilog::prelude::*;

/// Width of a link in memory, in bits.
const LINK_WIDTH: usize = 16;

/// Doubly linked chains of entries, in links that all chains share.
///
/// Chains of entries that `A` bits number.
///
/// | | |
/// | --- | --- |
/// | latency | `follower` of the entry at `at`: 1 cycle after `read`; insert, unlink and frees: 1 cycle |
/// | throughput | one read or one change a cycle |
/// | state | a next and a previous link an entry, 16 bits each, in block RAM |
///
/// The links beyond the ends of a chain are never written and never followed, because a walk compares with the tail. So nothing
/// needs to be cleared. Entry `i` is in one chain at most.
#[derive(LogicBlock, Default)]
pub struct Chain<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Reads the links of the entry at `at`; they stay until the next read.
    pub read: Signal<In, Bit>,
    /// Entry to read.
    pub at: Signal<In, Bits<A>>,
    /// Of the chain that is changed.
    pub ends: EndsIn<A>,
    /// The entry that is changed.
    pub index: Signal<In, Bits<A>>,
    /// Appends it behind the tail.
    pub insert: Signal<In, Bit>,
    /// It leaves its chain; its links have been read.
    pub unlink: Signal<In, Bit>,
    /// Its next link becomes `successor`.
    pub frees: Signal<In, Bit>,
    /// The next link that `frees` gives.
    pub successor: Signal<In, Bits<A>>,
    /// The next link of the entry that was read.
    pub follower: Signal<Out, Bits<A>>,
    /// The ends after an insert or unlink.
    pub new_ends: EndsOut<A>,
    next_links: Ram<Bits<LINK_WIDTH>, A>,
    previous_links: Ram<Bits<LINK_WIDTH>, A>,
    previous: Signal<Local, Bits<A>>,
    following: Signal<Local, Bits<A>>,
    is_head: Signal<Local, Bit>,
    is_tail: Signal<Local, Bit>,
}

impl<const A: usize> Chain<A> {
    /// Links of `entries` entries.
    pub fn new(entries: usize) -> Self {
        Self {
            next_links: Ram::new(entries),
            previous_links: Ram::new(entries),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize> Logic for Chain<A> {
    fn update(&mut self) {
        wire!(self => next_links, previous_links: clk);
        self.next_links.read_enable.next = self.read.val();
        self.next_links.read_address.next = self.at.val();
        self.previous_links.read_enable.next = self.read.val();
        self.previous_links.read_address.next = self.at.val();
        self.following.next = bit_cast::<A, LINK_WIDTH>(self.next_links.read_data.val());
        self.previous.next = bit_cast::<A, LINK_WIDTH>(self.previous_links.read_data.val());
        self.follower.next = self.following.val();

        self.is_head.next = self.index.val() == self.ends.head.val();
        self.is_tail.next = self.index.val() == self.ends.tail.val();
        self.next_links.write_enable.next = false;
        self.next_links.write_address.next = self.index.val();
        self.next_links.write_data.next = bit_cast::<LINK_WIDTH, A>(self.successor.val());
        self.previous_links.write_enable.next = false;
        self.previous_links.write_address.next = self.index.val();
        self.previous_links.write_data.next = bit_cast::<LINK_WIDTH, A>(self.ends.tail.val());
        self.new_ends.nonempty.next = true;
        wire!(ends => new_ends: head, tail);
        if self.frees.val() {
            self.next_links.write_enable.next = true;
        }
        if self.insert.val() {
            self.next_links.write_address.next = self.ends.tail.val();
            self.next_links.write_data.next = bit_cast::<LINK_WIDTH, A>(self.index.val());
            self.new_ends.tail.next = self.index.val();
            if self.ends.nonempty.val() {
                self.next_links.write_enable.next = true;
                self.previous_links.write_enable.next = true;
            } else {
                self.new_ends.head.next = self.index.val();
            }
        }
        if self.unlink.val() {
            self.next_links.write_address.next = self.previous.val();
            self.next_links.write_data.next = bit_cast::<LINK_WIDTH, A>(self.following.val());
            self.previous_links.write_address.next = self.following.val();
            self.previous_links.write_data.next = bit_cast::<LINK_WIDTH, A>(self.previous.val());
            self.new_ends.nonempty.next = !(self.is_head.val() & self.is_tail.val());
            if self.is_head.val() {
                self.new_ends.head.next = self.following.val();
            } else {
                self.next_links.write_enable.next = true;
            }
            if self.is_tail.val() {
                self.new_ends.tail.next = self.previous.val();
            } else {
                self.previous_links.write_enable.next = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::Rng;

    const ENTRIES: usize = 16;

    /// Sets the ends to those of a list.
    fn set_ends(dut: &mut Chain<4>, list: &[u64]) {
        dut.ends.nonempty.next = !list.is_empty();
        dut.ends.head.next = list.first().copied().unwrap_or(9).into();
        dut.ends.tail.next = list.last().copied().unwrap_or(9).into();
    }

    fn check_ends(dut: &Chain<4>, list: &[u64]) {
        assert_eq!(dut.new_ends.nonempty.val(), !list.is_empty());
        if let (Some(head), Some(tail)) = (list.first(), list.last()) {
            assert_eq!(dut.new_ends.head.val(), *head);
            assert_eq!(dut.new_ends.tail.val(), *tail);
        }
    }

    #[test]
    fn links_follow_inserts_and_unlinks_anywhere() {
        let mut rng = rng(0xc4a1);
        let mut dut = Chain::<4>::new(ENTRIES);
        dut.connect_all();
        let (mut list, mut others): (Vec<u64>, Vec<u64>) = (vec![], (0..ENTRIES as u64).collect());
        for step in 0..3_000 {
            let inserts = !others.is_empty() && (list.is_empty() || rng.gen());
            if inserts {
                let index = others.swap_remove(rng.gen_range(0..others.len()));
                set_ends(&mut dut, &list);
                dut.index.next = index.into();
                dut.insert.next = true;
                list.push(index);
            } else {
                let place = rng.gen_range(0..list.len());
                dut.at.next = list[place].into();
                dut.read.next = true;
                clock_edge!(dut);
                dut.read.next = false;
                set_ends(&mut dut, &list);
                dut.index.next = list[place].into();
                dut.unlink.next = true;
                others.push(list.remove(place));
            }
            crate::prim::testing::settle(&mut dut);
            check_ends(&dut, &list);
            clock_edge!(dut);
            dut.insert.next = false;
            dut.unlink.next = false;
            dut.read.next = true;
            for pair in list.windows(2) {
                dut.at.next = pair[0].into();
                clock_edge!(dut);
                assert_eq!(dut.follower.val(), pair[1], "step {step}");
            }
            dut.read.next = false;
        }
    }
}
