//! The flags and addresses of a FIFO, without its memory.
//!
//! | | |
//! | --- | --- |
//! | latency | a write is seen by `empty` in the next cycle, a read by `full` in the next cycle |
//! | throughput | one write and one read a cycle with `depth` of 2 or more; every other cycle with a depth of 1 |
//! | state | 2 flip-flops of flags, and two rings of addresses |
//!
//! Both flags come straight from flip-flops. That they tell "no room" from "no word" makes a third bit for the pointers
//! needless; the price is that each must see one step ahead: the write that takes the last room finds the reader's address
//! next on its ring, the read that takes the last word finds the writer's.
//!
//! A write while full and a read while empty do nothing. Until the first reset both flags are high, so nothing happens.

use super::AddressRing;
use rust_hdl::prelude::*;

/// Control of a FIFO of `depth` words, for a memory with `A` address bits.
#[derive(LogicBlock)]
pub struct FifoControl<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the FIFO is empty afterwards.
    pub rst: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub full: Signal<Out, Bit>,
    pub read: Signal<In, Bit>,
    pub empty: Signal<Out, Bit>,
    /// High in a cycle whose word is stored.
    pub write_enable: Signal<Out, Bit>,
    pub write_address: Signal<Out, Bits<A>>,
    pub read_address: Signal<Out, Bits<A>>,
    has_room: DFF<Bit>,
    has_word: DFF<Bit>,
    writer: AddressRing<A>,
    reader: AddressRing<A>,
    storing: Signal<Local, Bit>,
    taking: Signal<Local, Bit>,
    last_room: Signal<Local, Bit>,
    last_word: Signal<Local, Bit>,
    is_pair: Constant<Bit>,
}

impl<const A: usize> FifoControl<A> {
    /// Control of `depth` words, 1 to 2^A with `A` of 1 to 10; panics outside that.
    pub fn new(depth: usize) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            write: Default::default(),
            full: Default::default(),
            read: Default::default(),
            empty: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            read_address: Default::default(),
            has_room: Default::default(),
            has_word: Default::default(),
            writer: AddressRing::new(depth),
            reader: AddressRing::new(depth),
            storing: Default::default(),
            taking: Default::default(),
            last_room: Default::default(),
            last_word: Default::default(),
            is_pair: Constant::new(depth == 2),
        }
    }

    /// Words that the memory of a FIFO of `depth` words must have.
    pub fn memory_words(depth: usize) -> usize {
        AddressRing::<A>::span(depth)
    }
}

impl<const A: usize> Logic for FifoControl<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, has_room, has_word);
        self.writer.clk.next = self.clk.val();
        self.reader.clk.next = self.clk.val();
        self.writer.rst.next = self.rst.val();
        self.reader.rst.next = self.rst.val();

        self.full.next = !self.has_room.q.val();
        self.empty.next = !self.has_word.q.val();
        self.storing.next = self.write.val() & self.has_room.q.val();
        self.taking.next = self.read.val() & self.has_word.q.val();
        self.write_enable.next = self.storing.val();
        self.writer.advance.next = self.storing.val();
        self.reader.advance.next = self.taking.val();
        self.write_address.next = self.writer.address.val();
        self.read_address.next = self.reader.address.val();

        self.last_room.next = self.writer.after.val() == self.reader.address.val();
        self.last_word.next = self.reader.after.val() == self.writer.address.val();
        if self.is_pair.val() {
            // Of two places, one is used exactly if there is a room and a word: no addresses to compare.
            self.last_room.next = self.has_room.q.val() & self.has_word.q.val();
            self.last_word.next = self.has_room.q.val() & self.has_word.q.val();
        }
        self.has_room.d.next = self.taking.val() | (self.has_room.q.val() & !(self.write.val() & self.last_room.val()));
        self.has_word.d.next = self.storing.val() | (self.has_word.q.val() & !(self.read.val() & self.last_word.val()));
        if self.rst.val() {
            self.has_room.d.next = true;
            self.has_word.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset};

    clocked!([const A: usize] FifoControl<A>);

    #[test]
    fn the_reader_visits_the_places_of_the_writer() {
        for depth in 1..=16 {
            let mut dut = reset(FifoControl::<4>::new(depth));
            let (mut written, mut taken) = (Vec::new(), Vec::new());
            for _ in 0..3 {
                dut.write.next = true;
                dut.read.next = false;
                while !dut.full.val() {
                    written.push(dut.write_address.val().to_u64());
                    clock(&mut dut);
                }
                assert!(!dut.write_enable.val(), "depth {depth}: full, and yet a word is stored");
                dut.write.next = false;
                dut.read.next = true;
                while !dut.empty.val() {
                    taken.push(dut.read_address.val().to_u64());
                    clock(&mut dut);
                }
            }
            assert_eq!(written.len(), 3 * depth);
            assert_eq!(written, taken, "depth {depth}");
            let most = FifoControl::<4>::memory_words(depth) as u64;
            assert!(written.iter().all(|&address| address < most), "depth {depth}");
        }
    }

    #[test]
    #[should_panic(expected = "address ring: places = 0, allowed with A = 4: 1 to 16")]
    fn a_depth_of_zero_is_refused() {
        FifoControl::<4>::new(0);
    }
}
