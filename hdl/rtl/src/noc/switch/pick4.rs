//! Multiplexer of four values in two LUTs of four inputs a bit, where a plain one takes three. Combinational, no state.
//!
//! The first LUT chooses between `a` and `b`, and is free when `c` or `d` is wanted: then it carries which of the two, and
//! the second LUT needs only one select. `high` and `high_or_idle` ask for the same whenever anything is asked for. They
//! are two signals because a mapper that knew them equal would fold both LUTs back into one function of six inputs.

use rust_hdl::prelude::*;

/// `a`, `b`, `c` or `d`, for `high` and `odd` of 00, 01, 10, 11.
#[derive(LogicBlock)]
pub struct Pick4<const N: usize> {
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    pub c: Signal<In, Bits<N>>,
    pub d: Signal<In, Bits<N>>,
    pub high: Signal<In, Bit>,
    /// Equal to `high` unless the value does not matter.
    pub high_or_idle: Signal<In, Bit>,
    pub odd: Signal<In, Bit>,
    pub picked: Signal<Out, Bits<N>>,
    spread: Signal<Local, Bits<N>>,
    low: Signal<Local, Bits<N>>,
    ones: Constant<Bits<N>>,
}

impl<const N: usize> Default for Pick4<N> {
    fn default() -> Self {
        Self {
            a: Default::default(),
            b: Default::default(),
            c: Default::default(),
            d: Default::default(),
            high: Default::default(),
            high_or_idle: Default::default(),
            odd: Default::default(),
            picked: Default::default(),
            spread: Default::default(),
            low: Default::default(),
            ones: Constant::new(Bits::mask()),
        }
    }
}

impl<const N: usize> Logic for Pick4<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.spread.next = 0.into();
        if self.high_or_idle.val() {
            self.spread.next = self.ones.val();
        }
        self.low.next = !self.spread.val() & self.a.val();
        if self.odd.val() {
            self.low.next = self.spread.val() | self.b.val();
        }
        self.picked.next = self.low.val();
        if self.high.val() {
            self.picked.next = (self.low.val() & self.d.val()) | (!self.low.val() & self.c.val());
        }
    }
}
