//! Blocks that describe themselves.

use portico_verilog::prelude::*;

/// Codes of a unit, as a register map has them.
mod operation {
    pub const KEEP: usize = 0;
    pub const ADD: usize = 2;
}

/// Kinds whose numbers are those of a packet.
pub enum Kind {
    Put = 3,
}

/// One side of a handshake.
#[interface]
pub struct CommandIn {
    /// What to do: see `operation`.
    pub operation: Signal<In, Bits<4>>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
}

/// A register of `W` bits that remembers.
///
/// | | |
/// | --- | --- |
/// | latency | 1 cycle from [`Store::d`] to `q` |
/// | throughput | a word a cycle |
/// | state | `W` flip-flops |
#[derive(LogicBlock, Default)]
pub struct Store<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Taken in every cycle.
    pub d: Signal<In, Bits<W>>,
    pub q: Signal<Out, Bits<W>>,
    /// So many ones are kept.
    mask: Constant<Bits<W>>,
    word: DFF<Bits<W>>,
}

impl<const W: usize> Store<W> {
    fn new(mask: u64) -> Self {
        Self {
            mask: Constant::new(mask.into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize> Logic for Store<W> {
    fn update(&mut self) {
        dff_setup!(self, clk, word);
        self.word.d.next = self.d.val() & self.mask.val();
        self.q.next = self.word.q.val();
        if self.rst.val() {
            self.word.d.next = 0.into();
        }
    }
}

/// Does what commands say. This line is long, so that the comment above the module has to be broken where a word ends
/// and not in the middle of one.
#[derive(LogicBlock, Default)]
pub struct Unit {
    pub clk: Signal<In, Clock>,
    /// Synchronous, active high.
    pub rst: Signal<In, Bit>,
    /// Two ways in; the first wins.
    pub command: [CommandIn; 2],
    /// What there is to see.
    pub q: Signal<Out, Bits<8>>,
    pub is_put: Signal<Out, Bit>,
    pub wide: Signal<Out, Bits<8>>,
    narrow: Store<4>,
    store: Vec<Store<8>>,
    chosen: Signal<Local, Bits<4>>,
    _stores: usize,
}

impl Unit {
    /// With so many stores in a row.
    pub fn new(stores: usize) -> Self {
        Self {
            narrow: Store::new(15),
            store: (0..stores)
                .map(|at| Store::new(if at == 0 { 0xff } else { 0x7f }))
                .collect(),
            _stores: stores,
            ..Default::default()
        }
    }
}

/// The code of a limit, as arithmetic.
const LIMIT: usize = 9;

#[kernel]
impl Logic for Unit {
    fn update(&mut self) {
        wire!(self => narrow: clk, rst);
        for i in 0..self._stores {
            wire!(self => store[i]: clk, rst);
            self.store[i].d.next = bits::<8>(i as u64);
        }
        self.chosen.next = self.command[1].operation.val();
        if self.command[0].valid.val() {
            self.chosen.next = self.command[0].operation.val();
        }
        self.command[0].ready.next = true;
        self.command[1].ready.next = !self.command[0].valid.val();
        self.narrow.d.next = 0.into();
        if self.chosen.val() == bits::<4>(operation::ADD) {
            self.narrow.d.next = self.narrow.q.val() + bits::<4>(LIMIT as u64 - 2);
        } else if self.chosen.val() == bits::<4>(operation::KEEP as u64) {
            self.narrow.d.next = self.narrow.q.val();
        }
        self.is_put.next = self.chosen.val() == bits::<4>(Kind::Put as u64);
        self.wide.next = bits::<8>(LIMIT) + self.store[operation::KEEP].q.val();
        self.q.next = bit_cast::<8, 4>(self.narrow.q.val()) | self.store[operation::KEEP + 1].q.val();
        if LIMIT == 9 {
            self.q.next = bits::<8>(LIMIT) | self.store[operation::KEEP + 1].q.val();
        }
    }
}
