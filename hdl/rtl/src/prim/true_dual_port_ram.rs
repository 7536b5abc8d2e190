use super::memory::{Lanes, Size};
use portico_verilog::prelude::*;

/// One port.
#[interface]
pub struct RamPort<const W: usize, const A: usize, const B: usize> {
    /// Reads or writes; `read_data` stays as it is otherwise.
    pub enable: Signal<In, Bit>,
    /// One bit a lane of the word, bit 0 for the lowest; all zero reads.
    pub write_lanes: Signal<In, Bits<B>>,
    /// Below `words`.
    pub address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_data: Signal<In, Bits<W>>,
    /// The word that was read in the cycle before; valid up to the next write of this port.
    pub read_data: Signal<Out, Bits<W>>,
}

/// True dual-port RAM with lanes: two ports, each of which reads or writes in any cycle.
///
/// `words` words of `W` bits in `B` lanes of the same width, reached by `A` address bits.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable by a read of the next cycle; read: 1 cycle, from a register |
/// | throughput | one access a port and cycle |
/// | collision | a read of the word that the other port is writing gives undefined data; two writes of one byte leave undefined data |
/// | state | `words` words of `W` bits, undefined until written, untouched by reset |
/// | maps to | DP16KD on ECP5, RAMB18 and RAMB36 on Xilinx |
///
/// In both simulators a port that writes keeps its read data. On an ECP5 it may not: if a word spans several block RAMs and a write
/// enables no lane of one of them, that block RAM reads. So `read_data` is valid only up to the next write of its port.
/// As in [`super::Ram`] the memory carries `no_rw_check`: at a collision both simulators read the old word, and port B's write
/// wins, but no user may rely on it.
#[derive(LogicBlock)]
pub struct TrueDualPortRam<const W: usize, const A: usize, const B: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// One port.
    pub a: RamPort<W, A, B>,
    /// The other.
    pub b: RamPort<W, A, B>,
    _size: Size,
    _lanes: Lanes,
    _memory: Vec<Bits<W>>,
}

impl<const W: usize, const A: usize, const B: usize> TrueDualPortRam<W, A, B> {
    /// A memory of `words` words, 1 to 2^A, with `W` a multiple of `B`; panics outside that.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            a: Default::default(),
            b: Default::default(),
            _size: Size::new(words, A),
            _lanes: Lanes::new(W, B),
            _memory: vec![Bits::default(); words],
        }
    }
}

impl<const W: usize, const A: usize, const B: usize> Default for TrueDualPortRam<W, A, B> {
    /// All the words that an address reaches.
    fn default() -> Self {
        Self::new(1 << A)
    }
}

impl<const W: usize, const A: usize, const B: usize> Logic for TrueDualPortRam<W, A, B> {
    fn update(&mut self) {
        if !self.clk.pos_edge() {
            return;
        }
        for port in [&mut self.a, &mut self.b] {
            if port.enable.val() && !port.write_lanes.val().any() {
                let index = self._size.index(port.address.val().to_u64());
                port.read_data.next = self._memory.get(index).copied().unwrap_or_default();
            }
        }
        for port in [&self.a, &self.b] {
            let index = self._size.index(port.address.val().to_u64());
            if let (true, Some(word)) = (port.enable.val(), self._memory.get_mut(index)) {
                *word = self._lanes.merge(*word, port.write_data.val(), port.write_lanes.val());
            }
        }
    }

    fn connect(&mut self) {
        self.a.read_data.connect();
        self.b.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let size = self._size;
        let mut text = size.verilog_array("(* no_rw_check *) ", W) + &size.verilog_unused(&["a_address", "b_address"]);
        for port in ["a_", "b_"] {
            let index = size.verilog_index(&format!("{port}address"));
            let writes = self._lanes.verilog_writes("        ", port, &index);
            text += &format!(
                "\
always @(posedge clk) begin
    if ({port}enable) begin
        if (~|{port}write_lanes) begin
            {port}read_data <= memory[{index}];
        end
{writes}    end
end
"
            );
        }
        Verilog::Custom(text)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let ports = |fields: &[&str]| {
            ["a", "b"]
                .iter()
                .flat_map(|port| fields.iter().map(move |field| format!("{port}_{field}")))
                .collect()
        };
        vec![TimingInfo {
            name: "memory".into(),
            clock: "clk".into(),
            inputs: ports(&["enable", "write_lanes", "address", "write_data"]),
            outputs: ports(&["read_data"]),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{clock_edge, rng};
    use rand::{rngs::SmallRng, Rng};

    const WORDS: usize = 10;

    /// The access of one port in one cycle.
    struct Access {
        enable: bool,
        lanes: u64,
        address: usize,
        data: u64,
    }

    impl Access {
        fn random(rng: &mut SmallRng) -> Self {
            let lanes = if rng.gen() { rng.gen_range(0..4) } else { 0 };
            Self {
                enable: rng.gen_bool(0.8),
                lanes,
                address: rng.gen_range(0..WORDS),
                data: rng.gen_range(0..1 << 16),
            }
        }

        fn apply(&self, port: &mut RamPort<16, 4, 2>) {
            port.enable.next = self.enable;
            port.write_lanes.next = self.lanes.into();
            port.address.next = (self.address as u64).into();
            port.write_data.next = self.data.into();
        }

        fn reads(&self) -> bool {
            self.enable && self.lanes == 0
        }

        fn write(&self, model: &mut [u64; WORDS]) {
            let mask = [0, 0xff, 0xff00, 0xffff][self.lanes as usize] * u64::from(self.enable);
            model[self.address] = model[self.address] & !mask | self.data & mask;
        }
    }

    #[test]
    fn both_ports_read_what_either_wrote() {
        let mut rng = rng(0x7d);
        let mut dut = TrueDualPortRam::<16, 4, 2>::new(WORDS);
        dut.connect_all();
        let (mut model, mut expected) = ([0; WORDS], [0; 2]);
        let mut kept_while_writing = 0;
        for cycle in 0..5_000 {
            let mut ports = [Access::random(&mut rng), Access::random(&mut rng)];
            let two_reads = ports[0].reads() && ports[1].reads();
            if ports[0].address == ports[1].address && !two_reads {
                ports[1].address = (ports[1].address + 1) % WORDS;
            }
            ports[0].apply(&mut dut.a);
            ports[1].apply(&mut dut.b);
            clock_edge!(dut);
            for (access, expected) in ports.iter().zip(&mut expected) {
                if access.reads() {
                    *expected = model[access.address];
                } else {
                    kept_while_writing += usize::from(access.enable);
                }
            }
            ports.iter().for_each(|access| access.write(&mut model));
            assert_eq!(
                [dut.a.read_data.val().to_u64(), dut.b.read_data.val().to_u64()],
                expected,
                "cycle {cycle}"
            );
        }
        assert!(kept_while_writing > 0, "no port ever wrote");
    }
}
