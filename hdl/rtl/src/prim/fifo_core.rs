//! First-word fall-through FIFO of plain words, in LUT-RAM.
//!
//! | | |
//! | --- | --- |
//! | latency | a word can be read in the cycle after its write |
//! | throughput | one write and one read a cycle with `depth` of 2 or more; every other cycle with a depth of 1 |
//! | flags | exact, and straight from flip-flops; a write while full and a read while empty do nothing |
//! | state | `depth` words of `D` bits in LUT-RAM, and [`FifoControl`] |

use super::{FifoControl, LutRam};
use rust_hdl::prelude::*;

/// `depth` words of `D` bits, with `A` address bits.
#[derive(LogicBlock)]
pub struct FifoCore<const D: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the FIFO is empty afterwards.
    pub rst: Signal<In, Bit>,
    pub write_data: Signal<In, Bits<D>>,
    pub write: Signal<In, Bit>,
    pub full: Signal<Out, Bit>,
    /// The oldest word, unless `empty`.
    pub read_data: Signal<Out, Bits<D>>,
    /// Takes the oldest word away.
    pub read: Signal<In, Bit>,
    pub empty: Signal<Out, Bit>,
    control: FifoControl<A>,
    words: LutRam<D, A>,
}

impl<const D: usize, const A: usize> FifoCore<D, A> {
    /// A FIFO of `depth` words, 1 to 2^A with `A` of 1 to 10; panics outside that.
    pub fn new(depth: usize) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            write_data: Default::default(),
            write: Default::default(),
            full: Default::default(),
            read_data: Default::default(),
            read: Default::default(),
            empty: Default::default(),
            control: FifoControl::new(depth),
            words: LutRam::new(FifoControl::<A>::memory_words(depth)),
        }
    }
}

impl<const D: usize, const A: usize> Logic for FifoCore<D, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.control.write.next = self.write.val();
        self.control.read.next = self.read.val();
        self.full.next = self.control.full.val();
        self.empty.next = self.control.empty.val();

        self.words.clk.next = self.clk.val();
        self.words.write_enable.next = self.control.write_enable.val();
        self.words.write_address.next = self.control.write_address.val();
        self.words.write_data.next = self.write_data.val();
        self.words.read_address.next = self.control.read_address.val();
        self.read_data.next = self.words.read_data.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle, Phases};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const D: usize, const A: usize] FifoCore<D, A>);

    /// Writes and reads at any moment, full or empty as it may be, and holds words and flags to a queue of the library.
    fn queues_as_the_library_does<const A: usize>(depth: usize) {
        let mut rng = rng(0xf1f0 + depth as u64);
        let mut dut = reset(FifoCore::<36, A>::new(depth));
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
                assert_eq!(dut.read_data.val(), oldest, "depth {depth}, cycle {cycle}");
            }
            let (write, read) = phases.draw(cycle, &mut rng);
            let (data, rst) = (rng.gen::<u64>() >> 28, rng.gen_bool(0.000_5));
            dut.write.next = write;
            dut.write_data.next = data.into();
            dut.read.next = read;
            dut.rst.next = rst;
            clock(&mut dut);
            refused_writes += usize::from(write && full);
            refused_reads += usize::from(read && empty);
            writes_and_reads += usize::from(write && read && !empty && !full);
            if read {
                model.pop_front();
            }
            if write && !full {
                model.push_back(data);
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
        let mut dut = reset(FifoCore::<8, 1>::new(2));
        dut.write.next = true;
        dut.read.next = true;
        for cycle in 0..50u64 {
            dut.write_data.next = cycle.into();
            clock(&mut dut);
            assert!(!dut.empty.val() && !dut.full.val(), "cycle {cycle}");
            assert_eq!(dut.read_data.val(), cycle);
        }
    }

    #[test]
    fn nothing_happens_before_the_first_reset() {
        let mut dut = FifoCore::<8, 1>::new(2);
        dut.connect_all();
        dut.write.next = true;
        dut.read.next = true;
        settle(&mut dut);
        for _ in 0..3 {
            assert!(dut.full.val() && dut.empty.val());
            clock(&mut dut);
        }
    }
}
