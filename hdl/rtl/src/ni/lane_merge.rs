//! Words with some bytes replaced. Combinational, no state.

use portico_verilog::prelude::*;

/// `W` bits in `B` byte lanes.
#[derive(LogicBlock)]
pub struct LaneMerge<const W: usize, const B: usize> {
    pub word: Signal<In, Bits<W>>,
    pub written: Signal<In, Bits<W>>,
    /// One bit a byte, bit 0 for bits 7 to 0: takes it from `written`.
    pub lanes: Signal<In, Bits<B>>,
    pub merged: Signal<Out, Bits<W>>,
    mask: Signal<Local, Bits<W>>,
}

impl<const W: usize, const B: usize> Default for LaneMerge<W, B> {
    fn default() -> Self {
        Self {
            word: Default::default(),
            written: Default::default(),
            lanes: Default::default(),
            merged: Default::default(),
            mask: Default::default(),
        }
    }
}

#[kernel]
impl<const W: usize, const B: usize> Logic for LaneMerge<W, B> {
    fn update(&mut self) {
        self.mask.next = 0.into();
        for lane in 0..B {
            for i in 0..8 {
                self.mask.next = self
                    .mask
                    .val()
                    .replace_bit(8 * lane + i, self.lanes.val().get_bit(lane));
            }
        }
        self.merged.next = (self.written.val() & self.mask.val()) | (self.word.val() & !self.mask.val());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{emitted, rng, settle};
    use rand::Rng;

    fn merges<const W: usize, const B: usize>() {
        let mut rng = rng(W as u64);
        let mut dut = LaneMerge::<W, B>::default();
        dut.connect_all();
        for lanes in 0..1u64 << B {
            let (word, written) = (rng.gen::<u64>() >> (64 - W), rng.gen::<u64>() >> (64 - W));
            dut.word.next = word.into();
            dut.written.next = written.into();
            dut.lanes.next = lanes.into();
            settle(&mut dut);
            for byte in 0..B {
                let from = if lanes >> byte & 1 == 1 { written } else { word };
                assert_eq!(dut.merged.val().get_bits::<8>(8 * byte), from >> (8 * byte) & 0xff);
            }
        }
    }

    #[test]
    fn each_byte_comes_from_where_its_lane_says() {
        merges::<32, 4>();
        merges::<64, 8>();
    }

    #[test]
    fn emits() {
        emitted("lane-merge", &LaneMerge::<32, 4>::default());
    }
}
