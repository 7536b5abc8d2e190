use super::{MemoryReadIn, MemoryReadOut};
use portico_spec::ni::packet::OFFSET_WIDTH;
use portico_verilog::prelude::*;

/// Holds a read that the memory has not taken yet, so that `reader.ready` comes from a flip-flop.
///
/// Reads of words of `W` bits.
///
/// | | |
/// | --- | --- |
/// | latency | none, both ways |
/// | throughput | one read a cycle |
/// | timing | `reader.ready` is a flip-flop |
/// | state | one address, and whether there is one |
#[derive(LogicBlock, Default)]
pub struct ReadBuffer<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Reads of the user; `ready` is a flip-flop.
    pub reader: MemoryReadIn<W>,
    /// The same reads at the memory, held until it takes them.
    pub memory: MemoryReadOut<W>,
    /// A read waits, of `address`.
    waits: DFF<Bit>,
    address: DFF<Bits<OFFSET_WIDTH>>,
}

#[kernel]
impl<const W: usize> Logic for ReadBuffer<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, waits, address);
        self.reader.ready.next = !self.waits.q.val();
        self.memory.valid.next = self.reader.valid.val() | self.waits.q.val();
        self.memory.address.next = self.reader.address.val();
        if self.waits.q.val() {
            self.memory.address.next = self.address.q.val();
        }
        self.address.d.next = self.memory.address.val();
        self.waits.d.next = self.memory.valid.val() & !self.memory.ready.val();
        wire!(memory => reader: data, data_valid);
        if self.rst.val() {
            self.waits.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock, clocked, reset, rng, settle};
    use rand::Rng;

    clocked!([const W: usize] ReadBuffer<W>);

    #[test]
    fn every_read_reaches_the_memory_once_and_in_order() {
        let mut rng = rng(0x5ead);
        let mut dut = reset(ReadBuffer::<32>::default());
        let (mut next, mut asked, mut waited) = (0u64, 0u64, 0);
        for cycle in 0..4_000 {
            dut.reader.valid.next = rng.gen_bool(0.7);
            dut.reader.address.next = next.into();
            dut.memory.ready.next = rng.gen_bool(0.7);
            dut.memory.data_valid.next = rng.gen();
            dut.memory.data.next = u64::from(rng.gen::<u32>()).into();
            settle(&mut dut);
            assert_eq!(dut.reader.data_valid.val(), dut.memory.data_valid.val());
            assert_eq!(dut.reader.data.val(), dut.memory.data.val());
            if dut.memory.valid.val() && dut.memory.ready.val() {
                assert_eq!(dut.memory.address.val(), asked, "cycle {cycle}");
                asked += 1;
            }
            waited += u32::from(!dut.reader.ready.val());
            next += u64::from(dut.reader.valid.val() && dut.reader.ready.val());
            assert!(next - asked <= 1);
            clock(&mut dut);
        }
        assert!(
            asked > 2_000 && waited > 500,
            "{asked} reads, {waited} cycles without room"
        );
    }
}
