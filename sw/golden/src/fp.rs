//! The sum of two floating-point numbers: the exact sum as an integer of any size, then one rounding.

mod corners;
#[cfg(test)]
mod tests;

pub use corners::{corners, directed, random_pair};

use num_bigint::{BigInt, BigUint, Sign};
use portico_spec::fp::{Flag, Format};

/// What a bit pattern stands for.
enum Number {
    Nan {
        signalling: bool,
    },
    Infinity(Sign),
    /// Beside the value, in units of the smallest subnormal, the sign: zero has one too.
    Finite(Sign, BigInt),
}

fn decode(format: Format, word: u64) -> Number {
    let fraction = word & format.fraction_mask();
    let exponent = word >> format.fraction_width & format.top_exponent();
    let sign = match word & format.sign_mask() {
        0 => Sign::Plus,
        _ => Sign::Minus,
    };
    if exponent == format.top_exponent() {
        return match fraction {
            0 => Number::Infinity(sign),
            _ => Number::Nan {
                signalling: fraction & format.quiet_mask() == 0,
            },
        };
    }
    let magnitude = match exponent {
        0 => BigUint::from(fraction),
        _ => BigUint::from(fraction | 1 << format.fraction_width) << (exponent - 1),
    };
    Number::Finite(sign, BigInt::from_biguint(sign, magnitude))
}

/// The nearest number to a magnitude in units of the smallest subnormal, to even where two are as near, and the flags.
fn round(format: Format, magnitude: &BigUint) -> (u64, u8) {
    // Numbers of one exponent lie `1 << step` units apart.
    let step = magnitude.bits().saturating_sub(format.fraction_width as u64 + 1);
    let mut kept = magnitude >> step;
    let rest = magnitude - (&kept << step);
    let half = (BigUint::from(1u8) << step) >> 1;
    if step > 0 && (rest > half || rest == half && kept.bit(0)) {
        kept += 1u8;
    }
    // Adding the significand with its leading bit, which counts one in the exponent, makes every carry right.
    let rounded = (BigUint::from(step) << format.fraction_width) + kept;
    let inexact = if rest == BigUint::ZERO { 0 } else { Flag::Inexact.mask() };
    match u64::try_from(rounded) {
        Ok(rounded) if rounded < format.infinity() => (rounded, inexact),
        _ => (format.infinity(), Flag::Overflow.mask() | Flag::Inexact.mask()),
    }
}

/// The sum of `a` and `b`, and the exception flags ([`Flag`]): round to nearest even, canonical NaN.
pub fn add(format: Format, a: u64, b: u64) -> (u64, u8) {
    let with_sign = |sign, magnitude| match sign {
        Sign::Minus => format.sign_mask() | magnitude,
        _ => magnitude,
    };
    let (a, b) = (decode(format, a), decode(format, b));
    let nan = |invalid| match invalid {
        true => (format.canonical_nan(), Flag::Invalid.mask()),
        false => (format.canonical_nan(), 0),
    };
    match (a, b) {
        (Number::Nan { signalling: a }, Number::Nan { signalling: b }) => nan(a || b),
        (Number::Nan { signalling }, _) | (_, Number::Nan { signalling }) => nan(signalling),
        (Number::Infinity(a), Number::Infinity(b)) if a != b => nan(true),
        (Number::Infinity(sign), _) | (_, Number::Infinity(sign)) => (with_sign(sign, format.infinity()), 0),
        (Number::Finite(a_sign, a), Number::Finite(b_sign, b)) => {
            let sum = a + b;
            let (magnitude, flags) = round(format, sum.magnitude());
            let sign = match sum.sign() {
                // A sum of zero is positive unless both addends are negative zeros.
                Sign::NoSign if a_sign == b_sign => a_sign,
                sign => sign,
            };
            (with_sign(sign, magnitude), flags)
        }
    }
}
