use super::{FifoControl, LutRam};
use portico_verilog::prelude::*;

/// First-word fall-through FIFO of records, in LUT-RAM.
///
/// `depth` records of type `D`, with `A` address bits; see [`LutRam`] for what a record may be. [`Fifo`](super::Fifo) is
/// that of a stream.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from a record stored to the same record offered |
/// | throughput | one record a cycle with `depth` of 2 or more; every other cycle with a depth of 1 |
/// | timing | `full` and `empty` come straight from flip-flops |
/// | state | `depth` records in LUT-RAM, and [`FifoControl`] |
#[derive(LogicBlock, Default)]
pub struct Queue<D: Synth, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high: the queue is empty afterwards.
    pub rst: Signal<In, Bit>,
    /// Stores `write_data`; does nothing while `full`.
    pub write: Signal<In, Bit>,
    /// The record to store.
    pub write_data: Signal<In, D>,
    /// There is no room for a record.
    pub full: Signal<Out, Bit>,
    /// Takes the oldest record; does nothing while `empty`.
    pub read: Signal<In, Bit>,
    /// The oldest record; undefined while `empty`.
    pub read_data: Signal<Out, D>,
    /// There is no record.
    pub empty: Signal<Out, Bit>,
    control: FifoControl<A>,
    records: LutRam<D, A>,
}

impl<D: Synth, const A: usize> Queue<D, A> {
    /// A queue of `depth` records, 1 to 2^A with `A` of 1 to 10; panics outside that.
    pub fn new(depth: usize) -> Self {
        Self {
            control: FifoControl::new(depth),
            records: LutRam::new(FifoControl::<A>::memory_words(depth)),
            ..Default::default()
        }
    }
}

#[kernel]
impl<D: Synth, const A: usize> Logic for Queue<D, A> {
    fn update(&mut self) {
        wire!(self => control: clk, rst, write, read);
        wire!(self => records: clk, write_data);
        wire!(control => records: write_enable, write_address, read_address);
        wire!(control => self: full, empty);
        wire!(records => self: read_data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle, Phases};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([D: Synth, const A: usize] Queue<D, A>);

    /// A record of two fields.
    #[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
    pub struct Row {
        pub number: Bits<12>,
        pub used: Bit,
    }

    /// Records come out in order, at any speed of both sides.
    fn queues_records<const A: usize>(depth: usize) {
        let mut rng = rng(0x9e + depth as u64);
        let mut dut = reset(Queue::<Row, A>::new(depth));
        let mut model = VecDeque::new();
        let (mut most, mut taken) = (0, 0);
        let phases = Phases::new(depth);
        for cycle in 0..phases.cycles() {
            let (write, read) = phases.draw(cycle, &mut rng);
            let number: Bits<12> = rng.gen_range(0..1 << 12u64).into();
            let row = Row {
                number,
                used: rng.gen(),
            };
            dut.write.next = write;
            dut.write_data.next = row;
            dut.read.next = read;
            settle(&mut dut);
            let (full, empty) = (model.len() == depth, model.is_empty());
            assert_eq!(
                (dut.full.val(), dut.empty.val()),
                (full, empty),
                "depth {depth}, cycle {cycle}"
            );
            if let Some(oldest) = model.front() {
                assert_eq!(dut.read_data.val(), *oldest, "depth {depth}, cycle {cycle}");
            }
            clock(&mut dut);
            if read && model.pop_front().is_some() {
                taken += 1;
            }
            if write && !full {
                model.push_back(row);
            }
            most = most.max(model.len());
        }
        assert!(
            most == depth && taken > depth,
            "depth {depth}: {most} records, {taken} taken"
        );
    }

    #[test]
    fn every_small_depth_queues_records() {
        (1..=2).for_each(queues_records::<1>);
        (1..=9).for_each(queues_records::<4>);
    }
}
