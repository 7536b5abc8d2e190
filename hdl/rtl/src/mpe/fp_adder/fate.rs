//! Values that travel through the pipeline with a pair of addends, beside their significands.

use portico_verilog::prelude::*;

/// Bits of an exponent, wide enough for both formats.
pub const EXPONENT_WIDTH: usize = 11;

/// Bits of the distance between two exponents, as far as it matters, for both formats.
pub const DISTANCE_WIDTH: usize = 6;

/// Bits of the normalising shift, for both formats.
pub const SHIFT_WIDTH: usize = 6;

/// Result of the comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Relation {
    /// `b` has the greater magnitude.
    pub swap: Bit,
    /// `a` has the leading bit that the exponent implies; subnormals and zeros have not.
    pub a_normal: Bit,
    /// And `b`.
    pub b_normal: Bit,
    /// The signs differ.
    pub subtract: Bit,
    /// The result is an infinity or a NaN, for any significands.
    pub special: Bit,
    /// It is a NaN.
    pub nan: Bit,
    /// It is a NaN although no quiet NaN came in, or a signalling one did.
    pub invalid: Bit,
}

/// Sign, exponent and special cases of a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Fate {
    /// The sign of the addend of greater magnitude.
    pub sign: Bit,
    /// The signs differ.
    pub subtract: Bit,
    /// The exponent field of the addend of greater magnitude, 1 for subnormals; two more after the last digit of the
    /// normalising shift is chosen.
    pub exponent: Bits<EXPONENT_WIDTH>,
    /// The significands alone carry the sum beyond the largest exponent.
    pub huge: Bit,
    /// The result is an infinity or a NaN for any significands, or it is huge.
    pub special: Bit,
    /// It is a NaN.
    pub nan: Bit,
    /// It is a NaN that raises the flag.
    pub invalid: Bit,
}
