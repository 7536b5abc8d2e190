use super::fate::{DISTANCE_WIDTH, EXPONENT_WIDTH};
use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// How far apart two exponents are.
///
/// Subtracts an exponent from one that is not smaller. In all other cases the result is undefined.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | timing | a carry chain as long as the exponent, an OR |
/// | state | none |
///
/// A distance beyond the range of the shifter becomes one of the farthest, with all but its lowest two bits set: in either case
/// only the fact that the smaller addend was not zero remains of it. The lowest bits, which the shifter needs first, do not wait
/// for this.
#[derive(LogicBlock, Default)]
pub struct Distance {
    /// The minuend.
    pub greater: Signal<In, Bits<EXPONENT_WIDTH>>,
    /// The subtrahend, not greater.
    pub lesser: Signal<In, Bits<EXPONENT_WIDTH>>,
    /// Their difference, or one among the farthest.
    pub distance: Signal<Out, Bits<DISTANCE_WIDTH>>,
    difference: Signal<Local, Bits<EXPONENT_WIDTH>>,
    far_mask: Constant<Bits<EXPONENT_WIDTH>>,
    mask: Constant<Bits<DISTANCE_WIDTH>>,
    farthest: Constant<Bits<DISTANCE_WIDTH>>,
}

impl Distance {
    /// Distances have `width` bits, the others are zero.
    pub fn new(format: Format, width: usize) -> Self {
        let mask = (1 << width) - 1;
        Self {
            far_mask: Constant::new((format.top_exponent() & !mask).into()),
            mask: Constant::new(mask.into()),
            farthest: Constant::new((mask & !0b11).into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Distance {
    fn update(&mut self) {
        self.difference.next = self.greater.val() - self.lesser.val();
        self.distance.next = self.difference.val().get_bits::<DISTANCE_WIDTH>(0) & self.mask.val();
        if (self.difference.val() & self.far_mask.val()).any() {
            self.distance.next =
                (self.difference.val().get_bits::<DISTANCE_WIDTH>(0) & self.mask.val()) | self.farthest.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    #[test]
    fn near_distances_are_exact_and_far_ones_stay_far() {
        for (format, width) in [(Format::BINARY32, 5), (Format::BINARY64, 6)] {
            let mut dut = Distance::new(format, width);
            dut.connect_all();
            let farthest = (1 << width) - 1;
            for expected in 0..=format.top_exponent() {
                for lesser in [0, 1, format.top_exponent() - expected] {
                    let greater = lesser + expected;
                    if greater > format.top_exponent() {
                        continue;
                    }
                    dut.greater.next = greater.into();
                    dut.lesser.next = lesser.into();
                    settle(&mut dut);
                    let found = dut.distance.val().to_u64();
                    match expected <= farthest {
                        true => assert_eq!(found, expected, "{greater} - {lesser}"),
                        false => assert_eq!(found, farthest & !0b11 | expected & 0b11, "{greater} - {lesser}"),
                    }
                }
            }
        }
    }
}
