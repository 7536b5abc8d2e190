use super::{BeatRam, FifoControl, StreamIn, StreamOut};
use portico_verilog::prelude::*;

/// First-word fall-through FIFO of a stream, in LUT-RAM.
///
/// `depth` beats of `W` data bits and a last, with `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a beat taken to the same beat offered |
/// | throughput | one beat a cycle with `depth` of 2 or more; every other cycle with a depth of 1 |
/// | timing | `s_axis_tready` and `m_axis_tvalid` come straight from flip-flops, never from the other side |
/// | state | `depth` beats in LUT-RAM, and [`FifoControl`] |
#[derive(LogicBlock)]
pub struct Fifo<const W: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the FIFO is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Beats that go in.
    pub s_axis: StreamIn<W>,
    /// Beats that come out.
    pub m_axis: StreamOut<W>,
    control: FifoControl<A>,
    beats: BeatRam<W, A>,
}

impl<const W: usize, const A: usize> Fifo<W, A> {
    /// A FIFO of `depth` beats, 1 to 2^A with `A` of 1 to 10; panics outside that.
    pub fn new(depth: usize) -> Self {
        let words = FifoControl::<A>::memory_words(depth);
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_axis: Default::default(),
            m_axis: Default::default(),
            control: FifoControl::new(depth),
            beats: BeatRam::new(words),
        }
    }
}

impl<const W: usize, const A: usize> Default for Fifo<W, A> {
    /// As many beats as an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

#[kernel]
impl<const W: usize, const A: usize> Logic for Fifo<W, A> {
    fn update(&mut self) {
        wire!(self => control: clk, rst);
        wire!(self => beats: clk);
        self.control.write.next = self.s_axis.tvalid.val();
        self.control.read.next = self.m_axis.tready.val();
        self.s_axis.tready.next = !self.control.full.val();
        self.m_axis.tvalid.next = !self.control.empty.val();

        wire!(control => beats: write_enable, write_address);
        self.beats.write_data.next = self.s_axis.tdata.val();
        self.beats.write_last.next = self.s_axis.tlast.val();
        self.beats.read_address.next = self.control.read_address.val();
        self.m_axis.tdata.next = self.beats.read_data.val();
        self.m_axis.tlast.next = self.beats.read_last.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clocked, queues_beats, streamed};

    clocked!([const W: usize, const A: usize] Fifo<W, A>);
    streamed!([const A: usize] Fifo<32, A>);

    #[test]
    fn every_small_depth_carries_the_stream() {
        (1..=2).for_each(|depth| queues_beats(Fifo::<32, 1>::new(depth), depth));
        (1..=9).for_each(|depth| queues_beats(Fifo::<32, 4>::new(depth), depth));
    }

    #[test]
    fn a_depth_of_1000_carries_the_stream() {
        queues_beats(Fifo::<32, 10>::new(1000), 1000);
    }
}
