use super::AddressRing;
use portico_verilog::prelude::*;

/// The flags and addresses of a FIFO, for a memory of any shape.
///
/// Control of a FIFO of `depth` words, for a memory with `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | a write is seen by `empty` in the next cycle, a read by `full` in the next cycle |
/// | throughput | one write and one read a cycle with `depth` of 2 or more; every other cycle with a depth of 1 |
/// | state | two flags, and two address rings |
///
/// Both flags come straight from flip-flops. They distinguish "no room" from "no word", so the pointers need no third bit. In
/// return, each flag must look one step ahead: the write that takes the last room finds the reader's address next on its ring,
/// and the read that takes the last word finds the writer's.
///
/// A write while full and a read while empty do nothing.
#[derive(LogicBlock)]
pub struct FifoControl<const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the FIFO is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Stores a word; does nothing while `full`.
    pub write: Signal<In, Bit>,
    /// There is no room for a word.
    pub full: Signal<Out, Bit>,
    /// Takes the oldest word; does nothing while `empty`.
    pub read: Signal<In, Bit>,
    /// There is no word.
    pub empty: Signal<Out, Bit>,
    /// High in a cycle in which the word is stored.
    pub write_enable: Signal<Out, Bit>,
    /// Where the memory stores the next word.
    pub write_address: Signal<Out, Bits<A>>,
    /// Where the oldest word is in the memory.
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
            reader: AddressRing::for_lut_ram_read(depth),
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

impl<const A: usize> Default for FifoControl<A> {
    /// As many words as an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

#[kernel]
impl<const A: usize> Logic for FifoControl<A> {
    fn update(&mut self) {
        wire!(self => writer, reader: clk, rst);
        dff_setup!(self, clk, has_room, has_word);
        self.full.next = !self.has_room.q.val();
        self.empty.next = !self.has_word.q.val();
        self.storing.next = self.write.val() & self.has_room.q.val();
        self.taking.next = self.read.val() & self.has_word.q.val();
        self.write_enable.next = self.storing.val();

        self.writer.advance.next = self.storing.val();
        self.write_address.next = self.writer.address.val();
        self.reader.advance.next = self.taking.val();
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
    use crate::prim::testing::{clock, clocked, reset, rng, settle, Phases};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const A: usize] FifoControl<A>);

    /// Writes and reads at any moment, full or empty as it may be, keeps the words where the addresses say, and holds words
    /// and flags to a queue of the library.
    fn queues_as_the_library_does<const A: usize>(depth: usize) {
        let mut rng = rng(0xf1f0 + depth as u64);
        let mut dut = reset(FifoControl::<A>::new(depth));
        let mut memory = vec![0u32; FifoControl::<A>::memory_words(depth)];
        let mut model = VecDeque::new();
        let (mut refused_writes, mut refused_reads, mut writes_and_reads) = (0, 0, 0);
        let phases = Phases::new(depth);
        for cycle in 0..phases.cycles() {
            let (empty, full) = (model.is_empty(), model.len() == depth);
            assert_eq!(
                (dut.empty.val(), dut.full.val()),
                (empty, full),
                "depth {depth}, cycle {cycle}"
            );
            if let Some(&oldest) = model.front() {
                assert_eq!(
                    memory[dut.read_address.val().index()],
                    oldest,
                    "depth {depth}, cycle {cycle}"
                );
            }
            let (write, read) = phases.draw(cycle, &mut rng);
            let (word, rst) = (rng.gen(), rng.gen_bool(0.000_5));
            dut.write.next = write;
            dut.read.next = read;
            dut.rst.next = rst;
            settle(&mut dut);
            assert_eq!(dut.write_enable.val(), write && !full, "depth {depth}, cycle {cycle}");
            if dut.write_enable.val() {
                memory[dut.write_address.val().index()] = word;
            }
            clock(&mut dut);
            refused_writes += usize::from(write && full);
            refused_reads += usize::from(read && empty);
            writes_and_reads += usize::from(write && read && !empty && !full);
            if read {
                model.pop_front();
            }
            if write && !full {
                model.push_back(word);
            }
            if rst {
                model.clear();
            }
        }
        assert!(
            refused_writes > 0 && refused_reads > 0,
            "depth {depth}: a corner was not reached"
        );
        assert!(
            depth == 1 || writes_and_reads > 0,
            "depth {depth}: never written and read at once"
        );
    }

    #[test]
    fn every_small_depth_queues_with_exact_flags() {
        (1..=2).for_each(queues_as_the_library_does::<1>);
        (1..=4).for_each(queues_as_the_library_does::<2>);
        (1..=16).for_each(queues_as_the_library_does::<4>);
    }

    #[test]
    fn great_depths_queue_with_exact_flags() {
        [33, 1000, 1024].into_iter().for_each(queues_as_the_library_does::<10>);
    }

    #[test]
    fn a_word_passes_every_cycle_at_a_depth_of_two() {
        let mut dut = reset(FifoControl::<1>::new(2));
        dut.write.next = true;
        dut.read.next = true;
        for cycle in 0..50 {
            clock(&mut dut);
            assert!(!dut.empty.val() && !dut.full.val(), "cycle {cycle}");
        }
    }

    #[test]
    #[should_panic(expected = "address ring: places = 0, allowed with A = 4: 1 to 16")]
    fn a_depth_of_zero_is_refused() {
        FifoControl::<4>::new(0);
    }
}
