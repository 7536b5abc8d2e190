use super::number_comparator::NumberComparator;
use portico_spec::{
    fp::Format,
    mpe::reduce::{Operation, FLOAT_BIT, OPERATION_WIDTH},
};
use portico_verilog::prelude::*;

type Code = Bits<OPERATION_WIDTH>;

/// Every operation of a reduction that needs no pipeline: all but the floating-point sum.
///
/// The result of an operation on an accumulated element `a` and a contribution `b`.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
#[derive(LogicBlock, Default)]
pub struct SingleCycle<const W: usize> {
    /// A code of [`Operation`]. With any other code `a` passes, and `invalid` is high.
    pub operation: Signal<In, Code>,
    /// Accumulated element.
    pub a: Signal<In, Bits<W>>,
    /// Contribution.
    pub b: Signal<In, Bits<W>>,
    /// Of a floating-point sum: `a`.
    pub result: Signal<Out, Bits<W>>,
    /// The flag of that name.
    pub invalid: Signal<Out, Bit>,
    /// The operation is a floating-point sum.
    pub float_sum: Signal<Out, Bit>,
    order: NumberComparator<W>,
    floating: Signal<Local, Bit>,
    least: Signal<Local, Bit>,
    greatest: Signal<Local, Bit>,
    added: Signal<Local, Bit>,
    conjunct: Signal<Local, Bit>,
    disjunct: Signal<Local, Bit>,
    exclusive: Signal<Local, Bit>,
    spoilt: Signal<Local, Bit>,
    unknown: Signal<Local, Bit>,
}

impl<const W: usize> SingleCycle<W> {
    const NAN: u64 = Format::of_width(W).expect("a format of 32 or 64 bits").canonical_nan();
}

#[kernel]
impl<const W: usize> Logic for SingleCycle<W> {
    fn update(&mut self) {
        wire!(self => order: a, b);
        self.floating.next = (self.operation.val() & bits::<OPERATION_WIDTH>(1u64 << FLOAT_BIT)).any();
        self.order.floating.next = self.floating.val();

        self.added.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::IntegerSum as u64);
        self.conjunct.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::And as u64);
        self.disjunct.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Or as u64);
        self.exclusive.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::Xor as u64);
        self.least.next = (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::IntegerMin as u64))
            | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::FloatMin as u64));
        self.greatest.next = (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::IntegerMax as u64))
            | (self.operation.val() == bits::<OPERATION_WIDTH>(Operation::FloatMax as u64));
        self.float_sum.next = self.operation.val() == bits::<OPERATION_WIDTH>(Operation::FloatSum as u64);
        self.unknown.next = !(self.added.val()
            | self.conjunct.val()
            | self.disjunct.val()
            | self.exclusive.val()
            | self.least.val()
            | self.greatest.val()
            | self.float_sum.val());
        self.spoilt.next = (self.least.val() | self.greatest.val()) & self.floating.val() & self.order.nan.val();
        self.invalid.next = self.unknown.val() | (self.spoilt.val() & self.order.signalling.val());

        // The comparison is the slowest: what depends on it comes last.
        self.result.next = self.a.val();
        if self.added.val() {
            self.result.next = self.a.val() + self.b.val();
        }
        if self.conjunct.val() {
            self.result.next = self.a.val() & self.b.val();
        }
        if self.disjunct.val() {
            self.result.next = self.a.val() | self.b.val();
        }
        if self.exclusive.val() {
            self.result.next = self.a.val() ^ self.b.val();
        }
        if (self.least.val() & !self.order.a_first.val()) | (self.greatest.val() & self.order.a_first.val()) {
            self.result.next = self.b.val();
        }
        if self.spoilt.val() {
            self.result.next = bits::<W>(Self::NAN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::{rng, settle};
    use rand::Rng;

    fn outputs(dut: &mut SingleCycle<32>, code: u64, a: u32, b: u32) -> (u64, bool, bool) {
        dut.operation.next = code.to_bits();
        dut.a.next = u64::from(a).to_bits();
        dut.b.next = u64::from(b).to_bits();
        settle(dut);
        (dut.result.val().to_u64(), dut.invalid.val(), dut.float_sum.val())
    }

    #[test]
    fn integers_and_bits_behave_as_on_the_processor() {
        let mut dut = SingleCycle::<32>::default();
        dut.connect_all();
        let mut rng = rng(0x51c1e);
        for _ in 0..5_000 {
            let (a, b): (u32, u32) = (rng.gen(), rng.gen());
            let (one, other) = (a as i32, b as i32);
            for (operation, expected) in [
                (Operation::IntegerSum, a.wrapping_add(b)),
                (Operation::IntegerMin, one.min(other) as u32),
                (Operation::IntegerMax, one.max(other) as u32),
                (Operation::And, a & b),
                (Operation::Or, a | b),
                (Operation::Xor, a ^ b),
            ] {
                let seen = outputs(&mut dut, operation as u64, a, b);
                assert_eq!(seen, (expected.into(), false, false), "{operation:?} {a:x} {b:x}");
            }
        }
    }

    #[test]
    fn minimum_and_maximum_propagate_nan_and_order_zeros() {
        let mut dut = SingleCycle::<32>::default();
        dut.connect_all();
        let (quiet, signalling, canonical) = (0xffc0_1234, 0x7f80_0001, 0x7fc0_0000);
        let (zero, minus_zero) = (0, 0x8000_0000);
        let [one, minus_two, minus_infinity] = [1.0, -2.0, f32::NEG_INFINITY].map(f32::to_bits);
        for (a, b, least, greatest, invalid) in [
            (one, minus_two, minus_two, one, false),
            (minus_two, minus_infinity, minus_infinity, minus_two, false),
            (zero, minus_zero, minus_zero, zero, false),
            (one, quiet, canonical, canonical, false),
            (quiet, quiet, canonical, canonical, false),
            (minus_infinity, signalling, canonical, canonical, true),
            (quiet, signalling, canonical, canonical, true),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                let seen = outputs(&mut dut, Operation::FloatMin as u64, a, b);
                assert_eq!(seen, (least.into(), invalid, false), "minimum {a:x} {b:x}");
                let seen = outputs(&mut dut, Operation::FloatMax as u64, a, b);
                assert_eq!(seen, (greatest.into(), invalid, false), "maximum {a:x} {b:x}");
            }
        }
    }

    #[test]
    fn a_code_without_a_meaning_passes_the_accumulated_element() {
        let mut dut = SingleCycle::<32>::default();
        dut.connect_all();
        let known = |code: &u64| Operation::from_code(*code as u32).is_some();
        for code in (0..1 << OPERATION_WIDTH).filter(|code| !known(code)) {
            assert_eq!(
                outputs(&mut dut, code, 0x7f80_0001, 5),
                (0x7f80_0001, true, false),
                "{code}"
            );
        }
        let sum = outputs(&mut dut, Operation::FloatSum as u64, 0x7f80_0001, 5);
        assert_eq!(sum, (0x7f80_0001, false, true), "its flags are the adder's");
    }
}
