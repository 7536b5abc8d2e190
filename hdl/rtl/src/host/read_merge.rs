use crate::{
    bus::{MemoryReadIn, MemoryReadOut},
    prim::Fifo,
};
use portico_verilog::prelude::*;

/// Address bits of the open reads, of which there may be 2^`OPEN_WIDTH`.
const OPEN_WIDTH: usize = 4;

/// Two readers of one memory that answers late.
///
/// Reads of words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | that of the memory |
/// | throughput | one read a cycle |
/// | order | the first reader goes first |
/// | state | whose the open reads are: 16 places in LUT-RAM |
#[derive(LogicBlock, Default)]
pub struct ReadMerge<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    pub first: MemoryReadIn<W>,
    pub second: MemoryReadIn<W>,
    pub memory: MemoryReadOut<W>,
    owners: Fifo<1, OPEN_WIDTH>,
    taken: Signal<Local, Bit>,
}

#[kernel]
impl<const W: usize> Logic for ReadMerge<W> {
    fn update(&mut self) {
        wire!(self => owners: clk, rst);
        self.memory.valid.next = (self.first.valid.val() | self.second.valid.val()) & self.owners.s_axis.tready.val();
        self.memory.address.next = self.second.address.val();
        if self.first.valid.val() {
            self.memory.address.next = self.first.address.val();
        }
        self.taken.next = self.memory.ready.val() & self.owners.s_axis.tready.val();
        self.first.ready.next = self.taken.val();
        self.second.ready.next = self.taken.val() & !self.first.valid.val();

        self.owners.s_axis.tvalid.next = (self.first.valid.val() | self.second.valid.val()) & self.memory.ready.val();
        self.owners.s_axis.tdata.next = 0.into();
        self.owners.s_axis.tlast.next = !self.first.valid.val();
        self.owners.m_axis.tready.next = self.memory.data_valid.val();
        self.first.data.next = self.memory.data.val();
        self.second.data.next = self.memory.data.val();
        self.first.data_valid.next = self.memory.data_valid.val() & !self.owners.m_axis.tlast.val();
        self.second.data_valid.next = self.memory.data_valid.val() & self.owners.m_axis.tlast.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;
    use std::collections::VecDeque;

    clocked!([const W: usize] ReadMerge<W>);

    #[test]
    fn each_reader_gets_its_own_answers_in_order() {
        for latency in [1, 3, 40] {
            let mut rng = rng(0x3e6e + latency);
            let mut dut = reset(ReadMerge::<32>::default());
            let mut memory = VecDeque::new();
            let mut wanted = [VecDeque::new(), VecDeque::new()];
            let mut offered = [None; 2];
            let mut answered = [0; 2];
            for cycle in 0..5_000u64 {
                for request in &mut offered {
                    if request.is_none() && rng.gen_bool(0.6) {
                        *request = Some(rng.gen_range(0..1u64 << 20));
                    }
                }
                for (port, request) in [&mut dut.first, &mut dut.second].into_iter().zip(offered) {
                    port.valid.next = request.is_some();
                    port.address.next = request.unwrap_or_default().into();
                }
                dut.memory.ready.next = rng.gen_bool(0.7);
                let due = memory.front().is_some_and(|&(at, _)| at <= cycle);
                dut.memory.data_valid.next = due;
                dut.memory.data.next = if due { memory.pop_front().unwrap().1 } else { 0u64 }.into();
                settle(&mut dut);
                if dut.memory.valid.val() && dut.memory.ready.val() {
                    memory.push_back((cycle + latency, dut.memory.address.val().to_u64() * 3));
                }
                for (at, port) in [&dut.first, &dut.second].into_iter().enumerate() {
                    if port.data_valid.val() {
                        assert_eq!(Some(port.data.val().to_u64()), wanted[at].pop_front());
                        answered[at] += 1;
                    }
                    if port.valid.val() && port.ready.val() {
                        wanted[at].push_back(offered[at].take().unwrap() * 3);
                    }
                }
                clock(&mut dut);
            }
            assert!(answered[0] > 500 && answered[1] > 100, "{answered:?}");
        }
    }
}
