//! Multiplexer of five values by one-hot selects, three LUTs a bit and two deep. Combinational, no state.

use portico_verilog::prelude::*;

/// The value whose bit of `pick` is high; zero if none is.
#[derive(LogicBlock, Default)]
pub struct Pick5<const N: usize> {
    pub value: [Signal<In, Bits<N>>; 5],
    /// At most one bit is high.
    pub pick: Signal<In, Bits<5>>,
    pub picked: Signal<Out, Bits<N>>,
    gated: [Signal<Local, Bits<N>>; 5],
}

#[kernel]
impl<const N: usize> Logic for Pick5<N> {
    fn update(&mut self) {
        for i in 0..5 {
            self.gated[i].next = 0.into();
            if self.pick.val().get_bit(i) {
                self.gated[i].next = self.value[i].val();
            }
        }
        self.picked.next = (self.gated[0].val() | self.gated[1].val())
            | (self.gated[2].val() | self.gated[3].val())
            | self.gated[4].val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    #[test]
    fn every_select_picks_its_value() {
        let mut rng = rng(0x91c5);
        let mut dut = Pick5::<8>::default();
        dut.connect_all();
        for _ in 0..100 {
            let values: [u64; 5] = std::array::from_fn(|_| rng.gen_range(0..1 << 8));
            for (signal, value) in dut.value.iter_mut().zip(values) {
                signal.next = value.into();
            }
            for (pick, value) in (0..5).map(|i| (1u64 << i, values[i])).chain([(0, 0)]) {
                dut.pick.next = pick.into();
                settle(&mut dut);
                assert_eq!(dut.picked.val().to_u64(), value, "pick {pick:05b} of {values:x?}");
            }
        }
    }
}
