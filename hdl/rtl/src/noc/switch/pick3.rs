//! Multiplexer of three values, two LUTs a bit. Combinational, no state.

use portico_verilog::prelude::*;

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

#[kernel]
impl<const N: usize> Logic for Pick3<N> {
    fn update(&mut self) {
        self.picked.next = self.a.val();
        if self.pick_c.val() {
            self.picked.next = self.c.val();
        } else if self.pick_b.val() {
            self.picked.next = self.b.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    #[test]
    fn every_select_picks_its_value() {
        let mut dut = Pick3::<8>::default();
        dut.connect_all();
        dut.a.next = 0x3au64.into();
        dut.b.next = 0x5cu64.into();
        dut.c.next = 0xc5u64.into();
        for (pick_b, pick_c, value) in [
            (false, false, 0x3a),
            (true, false, 0x5c),
            (false, true, 0xc5),
            (true, true, 0xc5),
        ] {
            dut.pick_b.next = pick_b;
            dut.pick_c.next = pick_c;
            settle(&mut dut);
            assert_eq!(dut.picked.val().to_u64(), value, "b {pick_b}, c {pick_c}");
        }
    }
}
