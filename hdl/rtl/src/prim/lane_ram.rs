use super::memory::{Lanes, Size};
use portico_verilog::prelude::*;

/// [`Ram`](super::Ram) with lanes, each of which is written or not: one write port, one read port.
///
/// `words` words of `W` bits in `B` lanes of the same width, reached by `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable by a read of the next cycle; read: 1 cycle, from a register |
/// | throughput | one write and one read a cycle |
/// | collision | a read of the word that is being written gives undefined data |
/// | state | `words` words of `W` bits, undefined until written, untouched by reset |
/// | maps to | DP16KD on ECP5, RAMB18 and RAMB36 on Xilinx |
///
/// A word is `Bits`: its lanes need not be fields.
#[derive(LogicBlock)]
pub struct LaneRam<const W: usize, const A: usize, const B: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// One bit a lane of the word, bit 0 for the lowest; all zero writes nothing.
    pub write_lanes: Signal<In, Bits<B>>,
    /// Below `words`, as every address.
    pub write_address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_data: Signal<In, Bits<W>>,
    /// Reads; `read_data` stays as it is otherwise.
    pub read_enable: Signal<In, Bit>,
    /// Which word is read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word of the cycle before, kept while nothing is read.
    pub read_data: Signal<Out, Bits<W>>,
    _size: Size,
    _lanes: Lanes,
    _memory: Vec<Bits<W>>,
}

impl<const W: usize, const A: usize, const B: usize> LaneRam<W, A, B> {
    /// A memory of `words` words, 1 to 2^A, with `B` of 2 or more and `W` a multiple of it; panics outside that.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            write_lanes: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_enable: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            _size: Size::new(words, A),
            _lanes: Lanes::new(W, B),
            _memory: vec![Bits::default(); words],
        }
    }
}

impl<const W: usize, const A: usize, const B: usize> Default for LaneRam<W, A, B> {
    /// All the words that an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

impl<const W: usize, const A: usize, const B: usize> Logic for LaneRam<W, A, B> {
    fn update(&mut self) {
        if !self.clk.pos_edge() {
            return;
        }
        if self.read_enable.val() {
            let index = self._size.index(self.read_address.val().to_u64());
            self.read_data.next = self._memory.get(index).copied().unwrap_or_default();
        }
        let index = self._size.index(self.write_address.val().to_u64());
        if let Some(word) = self._memory.get_mut(index) {
            *word = self._lanes.merge(*word, self.write_data.val(), self.write_lanes.val());
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let size = self._size;
        let writes = self
            ._lanes
            .verilog_writes("    ", "", &size.verilog_index("write_address"));
        Verilog::Custom(size.verilog_block_ram(W, &writes))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let inputs = [
            "write_lanes",
            "write_address",
            "write_data",
            "read_enable",
            "read_address",
        ];
        vec![TimingInfo {
            name: "memory".into(),
            clock: "clk".into(),
            inputs: inputs.map(String::from).to_vec(),
            outputs: vec!["read_data".into()],
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::Rng;

    #[test]
    fn reads_the_lanes_written_last_a_cycle_later() {
        const WORDS: usize = 12;
        let mut rng = rng(0x4a);
        let mut dut = LaneRam::<32, 4, 4>::new(WORDS);
        dut.connect_all();
        let (mut model, mut expected) = ([0u32; WORDS], 0);
        let mut held = 0;
        for cycle in 0..5_000 {
            let (lanes, write, data): (u64, _, u32) = (rng.gen_range(0..16), rng.gen_range(0..WORDS), rng.gen());
            let (enable, mut read) = (rng.gen_bool(0.7), rng.gen_range(0..WORDS));
            if read == write {
                read = (read + 1) % WORDS;
            }
            dut.write_lanes.next = lanes.into();
            dut.write_address.next = (write as u64).into();
            dut.write_data.next = u64::from(data).into();
            dut.read_enable.next = enable;
            dut.read_address.next = (read as u64).into();
            clock_edge!(dut);
            if enable {
                expected = model[read];
            } else {
                held += 1;
            }
            assert_eq!(dut.read_data.val(), u64::from(expected), "cycle {cycle}");
            for lane in (0..4).filter(|lane| lanes >> lane & 1 == 1) {
                let mask = 0xffu32 << (8 * lane);
                model[write] = model[write] & !mask | data & mask;
            }
        }
        assert!(held > 0, "read_data was never held");
    }
}
