//! Small circuits, one for each thing that the backend must write well.

use portico_verilog::{emit, Design, Options, Result};
use rust_hdl::prelude::*;

/// Options under which the tests emit.
pub fn options(block: &str) -> Options {
    Options {
        generator: "Test 1.0".into(),
        prefix: "test".into(),
        block: block.into(),
        configuration: vec![("depth".into(), "4".into())],
        keep_apart: vec![],
    }
}

/// Emits `block` under the name `name`.
pub fn emitted(block: &dyn Block, name: &str) -> Result<Design> {
    emit(block, &options(name))
}

/// A counter with enable: a register with reset, and a default that a condition overrides.
#[derive(LogicBlock, Default)]
pub struct Counter {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub count: Signal<Out, Bits<8>>,
    pub wraps: Signal<Out, Bit>,
    value: DFF<Bits<8>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, value);
        self.count.next = self.value.q.val();
        self.wraps.next = self.enable.val() & self.value.q.val().all();
        if self.enable.val() {
            self.value.d.next = self.value.q.val() + 1;
        }
        if self.rst.val() {
            self.value.d.next = 0.into();
        }
    }
}

/// States of [`Lights`].
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Phase {
    Red,
    Green,
    Amber,
}

/// A state machine: an enumeration of three values in two bits, matched without a default.
#[derive(LogicBlock, Default)]
pub struct Lights {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub stop: Signal<Out, Bit>,
    phase: DFF<Phase>,
}

impl Logic for Lights {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, phase);
        self.stop.next = true;
        match self.phase.q.val() {
            Phase::Red => self.phase.d.next = Phase::Green,
            Phase::Green => {
                self.stop.next = false;
                self.phase.d.next = Phase::Amber;
            }
            Phase::Amber => self.phase.d.next = Phase::Red,
        }
        if self.rst.val() {
            self.phase.d.next = Phase::Red;
        }
    }
}

/// A word on its way, with interfaces on both sides.
#[derive(LogicInterface, Default)]
#[join = "LaneOut"]
pub struct LaneIn {
    pub data: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
}

/// The mirror of [`LaneIn`].
#[derive(LogicInterface, Default)]
#[join = "LaneIn"]
pub struct LaneOut {
    pub data: Signal<Out, Bits<4>>,
    pub ready: Signal<In, Bit>,
}

/// A cell of [`Grid`]: arrays of interfaces, and an array of registers.
#[derive(LogicBlock, Default)]
pub struct Cell {
    pub clk: Signal<In, Clock>,
    pub from: [LaneIn; 2],
    pub to: [LaneOut; 2],
    held: [DFF<Bits<4>>; 2],
}

impl Logic for Cell {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.held[i].clock.next = self.clk.val();
            self.held[i].d.next = self.from[i].data.val();
            self.to[i].data.next = self.held[1 - i].q.val();
            self.from[i].ready.next = self.to[i].ready.val();
        }
    }
}

/// A `Vec` of cells wired by index arithmetic over nested loops and a constant known at elaboration.
#[derive(LogicBlock)]
pub struct Grid {
    pub clk: Signal<In, Clock>,
    pub west: Vec<LaneIn>,
    pub east: Vec<LaneOut>,
    cell: Vec<Cell>,
    cols: Constant<Bits<8>>,
    _rows: usize,
    _links: usize,
}

impl Grid {
    pub fn new(cols: usize, rows: usize) -> Self {
        fn many<T: Default>(count: usize) -> Vec<T> {
            (0..count).map(|_| T::default()).collect()
        }
        Grid {
            clk: Default::default(),
            west: many(2 * rows),
            east: many(2 * rows),
            cell: many(cols * rows),
            cols: Constant::new(bits(cols as u64)),
            _rows: rows,
            _links: cols - 1,
        }
    }
}

impl Logic for Grid {
    #[hdl_gen]
    fn update(&mut self) {
        for y in 0..self._rows {
            for x in 0..self._links {
                self.cell[y * self.cols.val().index() + x].clk.next = self.clk.val();
                for k in 0..2 {
                    self.cell[y * self.cols.val().index() + x + 1].from[k].data.next =
                        self.cell[y * self.cols.val().index() + x].to[k].data.val();
                    self.cell[y * self.cols.val().index() + x].to[k].ready.next =
                        self.cell[y * self.cols.val().index() + x + 1].from[k].ready.val();
                }
            }
            self.cell[(y + 1) * self.cols.val().index() - 1].clk.next = self.clk.val();
            for k in 0..2 {
                LaneIn::link(
                    &mut self.west[2 * y + k],
                    &mut self.cell[y * self.cols.val().index()].from[k],
                );
                LaneOut::link(
                    &mut self.east[2 * y + k],
                    &mut self.cell[(y + 1) * self.cols.val().index() - 1].to[k],
                );
            }
        }
    }
}

/// Fields of a word.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Header {
    pub destination: Bits<9>,
    pub tag: Bits<8>,
    pub last: Bit,
}

/// Records, slices, widening and narrowing casts, replaced bits, indices from hardware.
#[derive(LogicBlock, Default)]
pub struct Shapes {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub at: Signal<In, Bits<3>>,
    pub header: Signal<In, Header>,
    pub wide_sum: Signal<Out, Bits<12>>,
    pub low_sum: Signal<Out, Bits<4>>,
    pub picked: Signal<Out, Bit>,
    pub nibble: Signal<Out, Bits<4>>,
    pub marked: Signal<Out, Bits<8>>,
    pub turned: Signal<Out, Bits<8>>,
    pub reply: Signal<Out, Header>,
    pub order: Signal<Out, Bit>,
    pub amount: Signal<Out, Bits<8>>,
}

impl Logic for Shapes {
    #[hdl_gen]
    fn update(&mut self) {
        self.wide_sum.next = bit_cast::<12, 8>(self.a.val() + self.b.val());
        self.low_sum.next = bit_cast::<4, 8>(self.a.val() - self.b.val());
        self.picked.next = self.a.val().get_bit(self.at.val().index());
        self.nibble.next = (self.a.val() ^ self.b.val()).get_bits::<4>(2);
        self.marked.next = self.a.val().replace_bit(3, self.b.val().any());
        self.turned.next = self.a.val().replace_bit(self.at.val().index(), true);
        self.reply.next.destination = self.header.val().destination + 1;
        self.reply.next.tag = self.header.val().tag;
        self.reply.next.last = !self.header.val().last;
        self.order.next = (self.a.val() & self.b.val()) < (self.a.val() | bits::<8>(3));
        self.amount.next = (self.a.val() << self.at.val()) + (self.b.val() >> 2);
    }
}

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
