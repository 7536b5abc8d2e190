use super::memory::Size;
use portico_verilog::prelude::*;

/// LUT-RAM for beats of a stream: a [`LutRam`](super::LutRam) of which a word is `W` bits of data and a last.
///
/// One memory holds both: a tool turns a memory of a single bit into flip-flops.
///
/// | | |
/// | --- | --- |
/// | latency | write: readable in the next cycle; read: combinational from `read_address` |
/// | throughput | one write and one read a cycle |
/// | state | `words` beats, undefined until written, untouched by reset |
/// | maps to | as a [`LutRam`](super::LutRam) of `W` + 1 bits |
#[derive(LogicBlock)]
pub struct BeatRam<const W: usize, const A: usize> {
    /// Every register changes at its rising edge.
    pub clk: Signal<In, Clock>,
    /// Writes `write_data` and `write_last` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Below `words`, as every address.
    pub write_address: Signal<In, Bits<A>>,
    /// Data of the beat to write.
    pub write_data: Signal<In, Bits<W>>,
    /// Last of the beat to write.
    pub write_last: Signal<In, Bit>,
    /// Which beat is read.
    pub read_address: Signal<In, Bits<A>>,
    /// Its data, in the same cycle.
    pub read_data: Signal<Out, Bits<W>>,
    /// Its last, in the same cycle.
    pub read_last: Signal<Out, Bit>,
    _size: Size,
    _memory: Vec<(Bits<W>, bool)>,
}

impl<const W: usize, const A: usize> BeatRam<W, A> {
    /// A memory of `words` beats, 1 to 2^A; panics outside that.
    pub fn new(words: usize) -> Self {
        Self {
            clk: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            write_last: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            read_last: Default::default(),
            _size: Size::new(words, A),
            _memory: vec![Default::default(); words],
        }
    }
}

impl<const W: usize, const A: usize> Logic for BeatRam<W, A> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.write_enable.val() {
            let index = self._size.index(self.write_address.val().to_u64());
            if let Some(beat) = self._memory.get_mut(index) {
                *beat = (self.write_data.val(), self.write_last.val());
            }
        }
        let index = self._size.index(self.read_address.val().to_u64());
        let (data, last) = self._memory.get(index).copied().unwrap_or_default();
        self.read_data.next = data;
        self.read_last.next = last;
    }

    fn connect(&mut self) {
        self.read_data.connect();
        self.read_last.connect();
    }

    fn hdl(&self) -> Verilog {
        let memory = self
            ._size
            .verilog_lut_ram(W + 1, "{write_last, write_data}", "{read_last, read_data}");
        Verilog::Custom(memory)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "memory".into(),
            clock: "clk".into(),
            inputs: ["write_enable", "write_address", "write_data", "write_last"]
                .map(String::from)
                .into(),
            outputs: vec![],
        }]
    }
}
