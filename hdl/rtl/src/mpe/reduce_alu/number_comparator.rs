use portico_spec::fp::Format;
use portico_verilog::prelude::*;

/// Which of two numbers is the lesser, for signed integers and floating-point numbers with one comparator.
///
/// Compares `a` with `b`, of `W` bits each, 32 or 64.
///
/// | | |
/// | --- | --- |
/// | latency | combinational |
/// | state | none |
///
/// Signed integers compare as unsigned numbers do once their sign bits are flipped. Floating-point numbers hold sign and
/// magnitude, the magnitude rising with exponent and fraction: they compare in the same way unless both are negative,
/// where the order is the other way round. That puts -0 below +0, as IEEE 754-2019, 9.6, wants it of minimum and maximum.
#[derive(LogicBlock, Default)]
pub struct NumberComparator<const W: usize> {
    /// One number.
    pub a: Signal<In, Bits<W>>,
    /// The other.
    pub b: Signal<In, Bits<W>>,
    /// Both are floating-point numbers, and signed integers otherwise.
    pub floating: Signal<In, Bit>,
    /// `a` comes before `b`; undefined if they are equal or one is a NaN.
    pub a_first: Signal<Out, Bit>,
    /// One of them, as a floating-point number, is a NaN.
    pub nan: Signal<Out, Bit>,
    /// One of them, as a floating-point number, is a signalling NaN.
    pub signalling: Signal<Out, Bit>,
    a_negative: Signal<Local, Bit>,
    b_negative: Signal<Local, Bit>,
    a_nan: Signal<Local, Bit>,
    b_nan: Signal<Local, Bit>,
}

impl<const W: usize> NumberComparator<W> {
    const FORMAT: Format = Format::of_width(W).expect("a format of 32 or 64 bits");
    const SIGN: u64 = Self::FORMAT.sign_mask();
    const INFINITY: u64 = Self::FORMAT.infinity();
    const FRACTION: u64 = Self::FORMAT.fraction_mask();
    const QUIET: u64 = Self::FORMAT.quiet_mask();
}

#[kernel]
impl<const W: usize> Logic for NumberComparator<W> {
    fn update(&mut self) {
        self.a_negative.next = (self.a.val() & bits::<W>(Self::SIGN)).any();
        self.b_negative.next = (self.b.val() & bits::<W>(Self::SIGN)).any();
        self.a_first.next = ((self.a.val() ^ bits::<W>(Self::SIGN)) < (self.b.val() ^ bits::<W>(Self::SIGN)))
            ^ (self.floating.val() & self.a_negative.val() & self.b_negative.val());

        self.a_nan.next = ((self.a.val() & bits::<W>(Self::INFINITY)) == bits::<W>(Self::INFINITY))
            & (self.a.val() & bits::<W>(Self::FRACTION)).any();
        self.b_nan.next = ((self.b.val() & bits::<W>(Self::INFINITY)) == bits::<W>(Self::INFINITY))
            & (self.b.val() & bits::<W>(Self::FRACTION)).any();
        self.nan.next = self.a_nan.val() | self.b_nan.val();
        self.signalling.next = (self.a_nan.val() & !(self.a.val() & bits::<W>(Self::QUIET)).any())
            | (self.b_nan.val() & !(self.b.val() & bits::<W>(Self::QUIET)).any());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::testing::settle;

    fn holds<const W: usize>(words: &[u64], below: impl Fn(u64, u64, bool) -> bool, nan: impl Fn(u64) -> bool) {
        let format = Format::of_width(W).unwrap();
        let mut dut = NumberComparator::<W>::default();
        dut.connect_all();
        for (&a, &b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            for float in [false, true] {
                dut.a.next = a.to_bits();
                dut.b.next = b.to_bits();
                dut.floating.next = float;
                settle(&mut dut);
                let any_nan = nan(a) || nan(b);
                if a != b && !(float && any_nan) {
                    assert_eq!(dut.a_first.val(), below(a, b, float), "{a:x} {b:x}, float {float}");
                }
                let signals = |word| nan(word) && word & format.quiet_mask() == 0;
                let seen = (dut.nan.val(), dut.signalling.val());
                assert_eq!(seen, (any_nan, signals(a) || signals(b)), "{a:x} {b:x}");
            }
        }
    }

    /// Around every border of the ranges of either kind, of both signs.
    fn words(format: Format) -> Vec<u64> {
        let borders = [
            0,
            format.fraction_mask(),
            format.quiet_mask(),
            format.infinity(),
            format.canonical_nan(),
        ];
        let near = borders
            .into_iter()
            .flat_map(|word| [word.saturating_sub(1), word, word + 1]);
        let most = format.sign_mask() - 1;
        near.chain([most])
            .flat_map(|word| [word, word | format.sign_mask()])
            .collect()
    }

    #[test]
    fn single_words_are_ordered_as_the_processor_orders_them() {
        let below = |a: u64, b: u64, float| match float {
            true => f32::from_bits(a as u32).total_cmp(&f32::from_bits(b as u32)).is_lt(),
            false => (a as i32) < b as i32,
        };
        holds::<32>(&words(Format::BINARY32), below, |word| {
            f32::from_bits(word as u32).is_nan()
        });
    }

    #[test]
    fn double_words_are_ordered_as_the_processor_orders_them() {
        let below = |a: u64, b: u64, float| match float {
            true => f64::from_bits(a).total_cmp(&f64::from_bits(b)).is_lt(),
            false => (a as i64) < b as i64,
        };
        holds::<64>(&words(Format::BINARY64), below, |word| f64::from_bits(word).is_nan());
    }
}
