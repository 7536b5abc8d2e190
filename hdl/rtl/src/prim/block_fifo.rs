use super::{FifoControl, RamOutput, StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// FIFO of words in block RAM, for a stream without `tlast`.
///
/// `depth` words of `W` bits, with `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | 3 cycles from a word taken to the same word offered |
/// | throughput | one word a cycle |
/// | timing | `s_axis_tready`, `m_axis_tvalid` and `m_axis_tdata` come straight from flip-flops |
/// | state | `depth` words in block RAM, [`RamOutput`], [`FifoControl`] |
///
/// The word at the output of the memory and the word on offer come in addition to `depth`. A read never meets the write of the
/// same word, because the control sees a write one cycle later.
#[derive(LogicBlock)]
pub struct BlockFifo<const W: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the FIFO is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Words that go in; `tlast` is not kept.
    pub s_axis: StreamIn<W>,
    /// Words that come out.
    pub m_axis: StreamOut<W>,
    control: FifoControl<A>,
    words: RamOutput<W, A>,
}

impl<const W: usize, const A: usize> BlockFifo<W, A> {
    /// A FIFO of `depth` words, 1 to 2^A with `A` of 1 to 10; panics outside that.
    pub fn new(depth: usize) -> Self {
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: Default::default(),
            m_axis: Default::default(),
            control: FifoControl::new(depth),
            words: RamOutput::new(FifoControl::<A>::memory_words(depth)),
        }
    }
}

impl<const W: usize, const A: usize> Default for BlockFifo<W, A> {
    /// As many words as an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for BlockFifo<W, A> {
    fn update(&mut self) {
        wire!(self => control, words: clk, rst);
        self.control.write.next = self.s_axis.tvalid.val();
        self.s_axis.tready.next = !self.control.full.val();
        wire!(control => words: write_enable, write_address, read_address);
        self.words.write_data.next = self.s_axis.tdata.val();
        self.words.holds.next = !self.control.empty.val();
        self.control.read.next = self.words.fetch.val();
        wire!(self <=> words: m_axis);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle, Phases};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const W: usize, const A: usize] BlockFifo<W, A>);

    /// Words come out in order, none sooner than 3 cycles after it went in; an idle reader gets the first in the third.
    fn carries_words(depth: usize) {
        let mut rng = rng(0xb10c + depth as u64);
        let mut dut = reset(BlockFifo::<32, 4>::new(depth));
        let mut model: VecDeque<(usize, u64)> = VecDeque::new();
        let (mut soonest, mut most) = (usize::MAX, 0);
        let phases = Phases::new(depth);
        for cycle in 0..phases.cycles() {
            let (write, read) = phases.draw(cycle, &mut rng);
            let word = u64::from(rng.gen::<u32>());
            dut.s_axis.tvalid.next = write;
            dut.s_axis.tdata.next = word.into();
            dut.m_axis.tready.next = read;
            settle(&mut dut);
            let (stores, takes) = (write && dut.s_axis.tready.val(), read && dut.m_axis.tvalid.val());
            if dut.m_axis.tvalid.val() {
                let &(since, oldest) = model.front().expect("a word that was written");
                assert_eq!(dut.m_axis.tdata.val(), oldest, "depth {depth}, cycle {cycle}");
                soonest = soonest.min(cycle - since);
            }
            clock(&mut dut);
            if takes {
                model.pop_front();
            }
            if stores {
                model.push_back((cycle, word));
            }
            most = most.max(model.len());
        }
        assert_eq!((soonest, most), (3, depth + 2), "depth {depth}");
    }

    #[test]
    fn every_small_depth_carries_words() {
        (1..=16).for_each(carries_words);
    }

    #[test]
    fn a_word_passes_every_cycle() {
        let mut dut = reset(BlockFifo::<32, 4>::new(16));
        dut.s_axis.tvalid.next = true;
        dut.m_axis.tready.next = true;
        for cycle in 0..50u64 {
            dut.s_axis.tdata.next = cycle.into();
            settle(&mut dut);
            assert_eq!(dut.m_axis.tvalid.val(), cycle >= 3, "cycle {cycle}");
            if cycle >= 3 {
                assert_eq!(dut.m_axis.tdata.val(), cycle - 3);
            }
            clock(&mut dut);
        }
    }
}
