//! Multiplexer of four values in two LUTs of four inputs a bit, where a plain one takes three. Combinational, no state.
//!
//! The first LUT chooses between `a` and `b`, and is free when `c` or `d` is wanted: then it carries which of the two, and
//! the second LUT needs only one select. `high` and `high_or_idle` ask for the same whenever anything is asked for. They
//! are two signals because a mapper that knew them equal would fold both LUTs back into one function of six inputs.

use portico_verilog::prelude::*;

/// `a`, `b`, `c` or `d`, for `high` and `odd` of 00, 01, 10, 11.
#[derive(LogicBlock, Default)]
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
}

#[kernel]
impl<const N: usize> Logic for Pick4<N> {
    fn update(&mut self) {
        self.spread.next = 0.into();
        if self.high_or_idle.val() {
            self.spread.next = !bits::<N>(0);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    #[test]
    fn every_select_picks_its_value() {
        let mut rng = rng(0x91c4);
        let mut dut = Pick4::<8>::default();
        dut.connect_all();
        for _ in 0..100 {
            let values: [u64; 4] = std::array::from_fn(|_| rng.gen_range(0..1 << 8));
            dut.a.next = values[0].into();
            dut.b.next = values[1].into();
            dut.c.next = values[2].into();
            dut.d.next = values[3].into();
            for (select, value) in values.into_iter().enumerate() {
                dut.high.next = select & 2 != 0;
                dut.high_or_idle.next = select & 2 != 0;
                dut.odd.next = select & 1 != 0;
                settle(&mut dut);
                assert_eq!(dut.picked.val().to_u64(), value, "select {select} of {values:x?}");
            }
        }
    }
}
