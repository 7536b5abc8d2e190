//! Floating-point numbers as the hardware holds them: IEEE 754-2019, clause 3.4, and the exceptions of clause 7.

use std::ops::RangeInclusive;

/// Stages that the adder may be generated with; also its latency in cycles.
pub const ADDER_STAGES: RangeInclusive<usize> = 2..=6;

/// Width of a set of exception flags, one bit each as [`Flag`] numbers them.
pub const FLAGS_WIDTH: usize = 5;

/// An exception of IEEE 754, by the place of its bit among the flags. The order is that of RISC-V's `fflags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// The result is not the exact sum.
    Inexact = 0,
    /// The result is tiny and not exact. An addition never is: every subnormal sum is exact.
    Underflow = 1,
    /// The rounded sum is beyond the largest finite number.
    Overflow = 2,
    /// A division of a finite number by zero; an addition has none.
    DivideByZero = 3,
    /// A signalling NaN came in, or infinities of both signs.
    Invalid = 4,
}

impl Flag {
    /// All of them, from bit 0 upwards.
    pub const ALL: [Flag; FLAGS_WIDTH] = [
        Flag::Inexact,
        Flag::Underflow,
        Flag::Overflow,
        Flag::DivideByZero,
        Flag::Invalid,
    ];

    /// The flag alone in a set.
    pub const fn mask(self) -> u8 {
        1 << self as u8
    }
}

/// A binary interchange format: from the top a sign bit, the biased exponent, the trailing fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits in all.
    pub width: usize,
    /// Bits of the exponent.
    pub exponent_width: usize,
    /// Bits of the fraction, without the leading bit that the exponent implies.
    pub fraction_width: usize,
}

impl Format {
    /// Single precision.
    pub const BINARY32: Format = Format::new(8, 23);

    /// Double precision.
    pub const BINARY64: Format = Format::new(11, 52);

    const fn new(exponent_width: usize, fraction_width: usize) -> Self {
        Format {
            width: 1 + exponent_width + fraction_width,
            exponent_width,
            fraction_width,
        }
    }

    /// The format of numbers of this many bits; none but of 32 and 64.
    pub const fn of_width(width: usize) -> Option<Format> {
        match width {
            32 => Some(Format::BINARY32),
            64 => Some(Format::BINARY64),
            _ => None,
        }
    }

    /// The largest exponent field, that of infinities and NaNs.
    pub const fn top_exponent(self) -> u64 {
        (1 << self.exponent_width) - 1
    }

    /// All bits of the fraction.
    pub const fn fraction_mask(self) -> u64 {
        (1 << self.fraction_width) - 1
    }

    /// The sign bit alone: negative zero.
    pub const fn sign_mask(self) -> u64 {
        1 << (self.width - 1)
    }

    /// Positive infinity.
    pub const fn infinity(self) -> u64 {
        self.top_exponent() << self.fraction_width
    }

    /// The bit that tells a quiet NaN from a signalling one.
    pub const fn quiet_mask(self) -> u64 {
        1 << (self.fraction_width - 1)
    }

    /// The NaN that every operation gives: quiet, positive, nothing else set.
    pub const fn canonical_nan(self) -> u64 {
        self.infinity() | self.quiet_mask()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_the_processor() {
        let (single, double) = (Format::BINARY32, Format::BINARY64);
        assert_eq!((single.width, double.width), (32, 64));
        assert_eq!(single.infinity(), u64::from(f32::INFINITY.to_bits()));
        assert_eq!(double.infinity(), f64::INFINITY.to_bits());
        assert_eq!(single.sign_mask(), u64::from((-0.0f32).to_bits()));
        assert_eq!(double.sign_mask(), (-0.0f64).to_bits());
        assert_eq!(single.fraction_mask() + 1, u64::from(f32::MIN_POSITIVE.to_bits()));
        assert_eq!(double.fraction_mask() + 1, f64::MIN_POSITIVE.to_bits());
        assert_eq!(
            (single.canonical_nan(), double.canonical_nan()),
            (0x7fc0_0000, 0x7ff8 << 48)
        );
        for width in 0..=128 {
            assert_eq!(Format::of_width(width).is_some(), width == 32 || width == 64);
        }
    }

    #[test]
    fn flags_are_numbered_in_order() {
        for (place, flag) in Flag::ALL.into_iter().enumerate() {
            assert_eq!(flag.mask(), 1 << place);
        }
    }
}
