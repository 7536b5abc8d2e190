//! Multiplexer of three values, two LUTs a bit. Combinational, no state.

use rust_hdl::prelude::*;

/// `c` if `pick_c`, else `b` if `pick_b`, else `a`.
#[derive(LogicBlock, Default)]
pub struct Pick3<const N: usize> {
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    pub c: Signal<In, Bits<N>>,
    pub pick_b: Signal<In, Bit>,
    pub pick_c: Signal<In, Bit>,
    pub picked: Signal<Out, Bits<N>>,
}

impl<const N: usize> Logic for Pick3<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.picked.next = self.a.val();
        if self.pick_c.val() {
            self.picked.next = self.c.val();
        } else if self.pick_b.val() {
            self.picked.next = self.b.val();
        }
    }
}
