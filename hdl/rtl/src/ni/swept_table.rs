use crate::prim::LutRam;
use portico_spec::flit::NODE_WIDTH;
use portico_verilog::prelude::*;

/// Table in LUT-RAM with one write port and several read ports; the initialisation clears it.
///
/// 2^A words of `D` bits with `R` read ports; `A` of at most [`NODE_WIDTH`], so that the sweep reaches every word.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable in the next cycle; read: combinational from `read_address` |
/// | throughput | one write and `R` reads a cycle |
/// | state | `R` copies of 2^A words of `D` bits, `INITIAL` after the initialisation |
#[derive(LogicBlock)]
pub struct SweptTable<const D: usize, const A: usize, const R: usize, const INITIAL: u64 = 0> {
    pub clk: Signal<In, Clock>,
    /// Writes wait: `INITIAL` goes to the word at `sweep`.
    pub initialising: Signal<In, Bit>,
    pub sweep: Signal<In, Bits<NODE_WIDTH>>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, Bits<D>>,
    pub read_address: [Signal<In, Bits<A>>; R],
    pub read_data: [Signal<Out, Bits<D>>; R],
    copy: [LutRam<D, A>; R],
}

impl<const D: usize, const A: usize, const R: usize, const INITIAL: u64> Default for SweptTable<D, A, R, INITIAL> {
    fn default() -> Self {
        const { assert!(A <= NODE_WIDTH, "swept table: A is wider than the sweep") };
        Self {
            clk: Default::default(),
            initialising: Default::default(),
            sweep: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_address: std::array::from_fn(|_| Default::default()),
            read_data: std::array::from_fn(|_| Default::default()),
            copy: std::array::from_fn(|_| Default::default()),
        }
    }
}

#[kernel]
impl<const D: usize, const A: usize, const R: usize, const INITIAL: u64> Logic for SweptTable<D, A, R, INITIAL> {
    fn update(&mut self) {
        for i in 0..R {
            self.copy[i].clk.next = self.clk.val();
            self.copy[i].write_enable.next = self.write_enable.val() | self.initialising.val();
            wire!(self => copy[i]: write_address, write_data);
            if self.initialising.val() {
                self.copy[i].write_address.next = bit_cast::<A, NODE_WIDTH>(self.sweep.val());
                self.copy[i].write_data.next = bits::<D>(INITIAL);
            }
            self.copy[i].read_address.next = self.read_address[i].val();
            self.read_data[i].next = self.copy[i].read_data.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use rand::Rng;

    const INITIAL: u64 = 0x5a;

    fn new() -> SweptTable<8, 4, 3, INITIAL> {
        let mut dut = SweptTable::default();
        dut.connect_all();
        dut
    }

    #[test]
    fn the_sweep_clears_and_then_every_port_reads_what_was_written_last() {
        let mut rng = rng(0x5e9);
        let mut dut = new();
        let mut model = [0; 16];
        for cycle in 0..3_000 {
            // A second initialisation in the middle, with writes that must not count.
            let initialising = cycle % 1_500 < 16;
            let (write, address, data) = (rng.gen(), rng.gen_range(0..16usize), rng.gen_range(0..256));
            dut.initialising.next = initialising;
            dut.sweep.next = (cycle % 1_500 % 512).into();
            dut.write_enable.next = write;
            dut.write_address.next = (address as u64).into();
            dut.write_data.next = data.into();
            clock_edge!(dut);
            if initialising {
                model[cycle as usize % 1_500] = INITIAL;
            } else if write {
                model[address] = data;
            }
            if cycle % 1_500 >= 15 {
                let reads: [usize; 3] = [rng.gen_range(0..16), address, rng.gen_range(0..16)];
                for (port, read) in reads.into_iter().enumerate() {
                    dut.read_address[port].next = (read as u64).into();
                }
                settle(&mut dut);
                for (port, read) in reads.into_iter().enumerate() {
                    assert_eq!(dut.read_data[port].val(), model[read], "cycle {cycle}, port {port}");
                }
            }
        }
    }
}
