use super::memory::Size;
use portico_verilog::prelude::*;

/// Simple dual-port RAM: one write port, one read port.
///
/// `words` words of type `D`, reached by `A` address bits; see [`LutRam`](super::LutRam) for what a word may be.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable by a read of the next cycle; read: 1 cycle, from a register |
/// | throughput | one write and one read a cycle |
/// | collision | a read of the word that is being written gives undefined data |
/// | state | `words` words, undefined until written, untouched by reset |
/// | maps to | DP16KD on ECP5, RAMB18 and RAMB36 on Xilinx |
///
/// A table of a few words goes into block RAM as well: its LUT-RAMs would take more sites than the logic around it.
///
/// At a collision both simulators give the old word, but block RAMs differ. Yosys would build the old word with extra LUTs, so the
/// memory carries `no_rw_check`. No user may rely on the data of a collision.
#[derive(LogicBlock)]
pub struct Ram<D: Synth, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Writes `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Below `words`, as every address.
    pub write_address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_data: Signal<In, D>,
    /// Reads; `read_data` stays as it is otherwise.
    pub read_enable: Signal<In, Bit>,
    /// Which word is read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word of the cycle before, kept while nothing is read.
    pub read_data: Signal<Out, D>,
    _size: Size,
    _memory: Vec<D>,
}

impl<D: Synth, const A: usize> Ram<D, A> {
    /// A memory of `words` words, 1 to 2^A; panics outside that.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_enable: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            _size: Size::new(words, A),
            _memory: vec![D::default(); words],
        }
    }
}

impl<D: Synth, const A: usize> Default for Ram<D, A> {
    /// All the words that an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

impl<D: Synth, const A: usize> Logic for Ram<D, A> {
    fn update(&mut self) {
        if !self.clk.pos_edge() {
            return;
        }
        if self.read_enable.val() {
            let index = self._size.index(self.read_address.val().to_u64());
            self.read_data.next = self._memory.get(index).copied().unwrap_or_default();
        }
        let index = self._size.index(self.write_address.val().to_u64());
        if let Some(word) = self._memory.get_mut(index).filter(|_| self.write_enable.val()) {
            *word = self.write_data.val();
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let write = self._size.verilog_index("write_address");
        let writes = format!(
            "\
    if (write_enable) begin
        memory[{write}] <= write_data;
    end
"
        );
        Verilog::Custom(self._size.verilog_block_ram(D::BITS, &writes))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let inputs = [
            "write_enable",
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
    use crate::prim::testing::{clock_edge, emitted, rng};
    use rand::Rng;

    /// A word of two fields.
    #[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
    pub struct Row {
        pub number: Bits<12>,
        pub used: Bit,
    }

    #[test]
    fn reads_the_record_written_last_a_cycle_later() {
        const WORDS: usize = 12;
        let mut rng = rng(0x4b);
        let mut dut = Ram::<Row, 4>::new(WORDS);
        dut.connect_all();
        let (mut model, mut expected) = ([Row::default(); WORDS], Row::default());
        let mut held = 0;
        for cycle in 0..5_000 {
            let (write, at, mut read) = (rng.gen(), rng.gen_range(0..WORDS), rng.gen_range(0..WORDS));
            if read == at {
                read = (read + 1) % WORDS;
            }
            let number: Bits<12> = rng.gen_range(0..1 << 12u64).into();
            let (row, enable) = (
                Row {
                    number,
                    used: rng.gen(),
                },
                rng.gen_bool(0.7),
            );
            dut.write_enable.next = write;
            dut.write_address.next = (at as u64).into();
            dut.write_data.next = row;
            dut.read_enable.next = enable;
            dut.read_address.next = (read as u64).into();
            clock_edge!(dut);
            if enable {
                expected = model[read];
            } else {
                held += 1;
            }
            assert_eq!(dut.read_data.val(), expected, "cycle {cycle}");
            if write {
                model[at] = row;
            }
        }
        assert!(held > 0, "read_data was never held");
    }

    #[test]
    fn a_record_is_as_wide_as_its_fields() {
        let text = emitted("ram", &Ram::<Row, 4>::default());
        assert!(text.contains("reg [12:0] memory [0:15];"), "{text}");
    }
}
