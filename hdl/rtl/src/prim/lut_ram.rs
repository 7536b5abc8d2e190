use super::memory::Size;
use portico_verilog::prelude::*;

/// LUT-RAM: one synchronous write port, one asynchronous read port.
///
/// `words` words of type `D`, reached by `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable in the next cycle; read: combinational from `read_address` |
/// | throughput | one write and one read a cycle |
/// | state | `words` words, undefined until written, untouched by reset |
/// | maps to | TRELLIS_DPR16X4 on ECP5, RAM32M, RAM64M and kin on Xilinx; up to 16 words also flip-flops, on families without LUT-RAM |
///
/// A word is a number or flag (`Bits`, `Bit`), a value of an enumeration (`LogicState`), or a record (`LogicStruct`) whose
/// first field has the lowest bits. A record has no const generics: one whose widths are parameters of its block is
/// stored as `Bits`.
#[derive(LogicBlock)]
pub struct LutRam<D: Synth, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Writes `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Below `words`, as every address.
    pub write_address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_data: Signal<In, D>,
    /// Which word is read.
    pub read_address: Signal<In, Bits<A>>,
    /// That word, in the same cycle.
    pub read_data: Signal<Out, D>,
    _size: Size,
    _memory: Vec<D>,
}

impl<D: Synth, const A: usize> LutRam<D, A> {
    /// A memory of `words` words, 1 to 2^A; panics outside that.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            _size: Size::new(words, A),
            _memory: vec![D::default(); words],
        }
    }
}

impl<D: Synth, const A: usize> Default for LutRam<D, A> {
    /// All the words that an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

impl<D: Synth, const A: usize> Logic for LutRam<D, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.write_enable.val() {
            let index = self._size.index(self.write_address.val().to_u64());
            if let Some(word) = self._memory.get_mut(index) {
                *word = self.write_data.val();
            }
        }
        let index = self._size.index(self.read_address.val().to_u64());
        self.read_data.next = self._memory.get(index).copied().unwrap_or_default();
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(self._size.verilog_lut_ram(D::BITS, "write_data", "read_data"))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "memory".into(),
            clock: "clk".into(),
            inputs: vec!["write_enable".into(), "write_address".into(), "write_data".into()],
            outputs: vec![],
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng, settle};
    use rand::Rng;

    #[test]
    fn reads_what_was_written_last_without_a_clock() {
        const WORDS: usize = 20;
        let mut rng = rng(0x1a);
        let mut dut = LutRam::<Bits<36>, 6>::new(WORDS);
        dut.connect_all();
        let mut model = [0u64; WORDS];
        for cycle in 0..4_000 {
            let (write, address, data) = (rng.gen(), rng.gen_range(0..WORDS), rng.gen::<u64>() >> 28);
            dut.write_enable.next = write;
            dut.write_address.next = (address as u64).into();
            dut.write_data.next = data.into();
            clock_edge!(dut);
            if write {
                model[address] = data;
            }
            for read in [address, rng.gen_range(0..WORDS)] {
                dut.read_address.next = (read as u64).into();
                settle(&mut dut);
                assert_eq!(dut.read_data.val(), model[read], "cycle {cycle}, address {read}");
            }
        }
    }
}
