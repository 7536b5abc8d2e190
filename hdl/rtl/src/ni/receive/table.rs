use crate::prim::Ram;
use portico_spec::flit::TAG_WIDTH;
use portico_verilog::prelude::*;

/// A table with an entry a tag, for a reader who may meet the writer.
///
/// Entries of `D` bits, `B` bytes.
///
/// | | |
/// | --- | --- |
/// | latency | read: 1 cycle; a read of the entry that is being written gives the new one |
/// | throughput | one write and one read a cycle |
/// | state | 256 entries of `D` bits in block RAM, undefined until written, untouched by reset; `D` + 1 flip-flops |
#[derive(LogicBlock, Default)]
pub struct Table<const D: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub write_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub write_data: Signal<In, Bits<D>>,
    /// Reads; `data` stays as it is otherwise.
    pub read: Signal<In, Bit>,
    pub read_tag: Signal<In, Bits<TAG_WIDTH>>,
    pub data: Signal<Out, Bits<D>>,
    entries: Ram<D, TAG_WIDTH, B>,
    met: DFF<Bit>,
    new_data: DFF<Bits<D>>,
}

#[kernel]
impl<const D: usize, const B: usize> Logic for Table<D, B> {
    fn update(&mut self) {
        wire!(self => entries: clk);
        dff_setup!(self, clk, met, new_data);
        self.entries.write_lanes.next = 0.into();
        if self.write.val() {
            self.entries.write_lanes.next = !bits::<B>(0);
        }
        self.entries.write_address.next = self.write_tag.val();
        self.entries.write_data.next = self.write_data.val();
        self.entries.read_enable.next = self.read.val();
        self.entries.read_address.next = self.read_tag.val();
        if self.read.val() {
            self.met.d.next = self.write.val() & (self.write_tag.val() == self.read_tag.val());
            self.new_data.d.next = self.write_data.val();
        }
        self.data.next = self.entries.read_data.val();
        if self.met.q.val() {
            self.data.next = self.new_data.q.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::Rng;

    #[test]
    fn reads_what_was_written_last_even_in_that_cycle() {
        let mut rng = rng(0x7ab1e);
        let mut dut = Table::<16, 2>::default();
        dut.connect_all();
        let (mut model, mut expected, mut met) = ([0u64; 4], 0, 0);
        for cycle in 0..4000 {
            let (write, tag, data) = (rng.gen(), rng.gen_range(0..4usize), rng.gen_range(0..1u64 << 16));
            let (read, read_tag) = (rng.gen(), rng.gen_range(0..4usize));
            dut.write.next = write;
            dut.write_tag.next = (tag as u64).into();
            dut.write_data.next = data.into();
            dut.read.next = read;
            dut.read_tag.next = (read_tag as u64).into();
            clock_edge!(dut);
            met += usize::from(write && read && tag == read_tag);
            if write {
                model[tag] = data;
            }
            if read {
                expected = model[read_tag];
            }
            assert_eq!(dut.data.val().to_u64(), expected, "cycle {cycle}");
        }
        assert!(met > 100);
    }
}
