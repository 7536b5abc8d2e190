//! Blocks given as text, and a parent that passes their outputs on.

use super::Counter;
use rust_hdl::prelude::*;

/// Two places of a memory given as text, as `prim` does it.
#[derive(LogicBlock, Default)]
pub struct Memory {
    pub clk: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub at: Signal<In, Bits<1>>,
    pub data: Signal<In, Bits<4>>,
    pub first: Signal<Out, Bits<4>>,
    pub seen: Signal<Out, Bits<4>>,
    _words: [Bits<4>; 2],
}

impl Logic for Memory {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.seen.next = self._words[self.at.val().index()];
            if self.write.val() {
                self._words[self.at.val().index()] = self.data.val();
            }
        }
        self.first.next = self._words[0];
    }

    fn connect(&mut self) {
        self.first.connect();
        self.seen.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
reg [3:0] words [0:1];

assign first = words[0];

always @(posedge clk) begin
    seen <= words[at];
    if (write) words[at] <= data;
end
"
            .into(),
        )
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "memory".into(),
            clock: "clk".into(),
            inputs: vec!["write".into(), "at".into(), "data".into()],
            outputs: vec!["first".into(), "seen".into()],
        }]
    }
}

/// Two different memories' worth of children, an output passed through, one nobody reads, one shared kernel.
#[derive(LogicBlock, Default)]
pub struct Pair {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub data: Signal<In, Bits<8>>,
    pub out: Signal<Out, Bits<4>>,
    pub count: Signal<Out, Bits<8>>,
    memory: [Memory; 2],
    counter: Counter,
}

impl Logic for Pair {
    #[hdl_gen]
    fn update(&mut self) {
        self.counter.clk.next = self.clk.val();
        self.counter.rst.next = self.rst.val();
        self.counter.enable.next = self.write.val() & !self.rst.val();
        self.count.next = self.counter.count.val();
        for i in 0..2 {
            self.memory[i].clk.next = self.clk.val();
            self.memory[i].write.next = self.write.val();
            self.memory[i].at.next = self.counter.count.val().get_bits::<1>(0);
            self.memory[i].data.next = self.data.val().get_bits::<4>(4 * i);
        }
        self.out.next = self.memory[0].first.val() ^ self.memory[1].seen.val();
    }
}
