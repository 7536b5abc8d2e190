//! One step of a reduction: what becomes of an accumulated element and a contribution to it.

use crate::fp;
use portico_spec::fp::Flag;
use portico_spec::fp::Format;
use portico_spec::mpe::reduce::Operation;
use std::cmp::Ordering;

/// The result of the operation of this code on elements as wide as `format`, and the exception flags ([`Flag`]).
///
/// A code that is no [`Operation`] gives `accumulated`, and [`Flag::Invalid`].
pub fn reduce(format: Format, code: u32, accumulated: u64, contribution: u64) -> (u64, u8) {
    let (a, b) = (accumulated, contribution);
    let Some(operation) = Operation::from_code(code) else {
        return (a, Flag::Invalid.mask());
    };
    let [signed_a, signed_b] = [a, b].map(|word| signed(format, word));
    let exact = |word| (word, 0);
    match operation {
        Operation::IntegerSum => exact(a.wrapping_add(b) & (u64::MAX >> (64 - format.width))),
        Operation::IntegerMin => exact(if signed_a < signed_b { a } else { b }),
        Operation::IntegerMax => exact(if signed_a > signed_b { a } else { b }),
        Operation::And => exact(a & b),
        Operation::Or => exact(a | b),
        Operation::Xor => exact(a ^ b),
        Operation::FloatSum => fp::add(format, a, b),
        Operation::FloatMin => extreme(format, Ordering::Less, a, b),
        Operation::FloatMax => extreme(format, Ordering::Greater, a, b),
    }
}

/// A word as a signed integer.
fn signed(format: Format, word: u64) -> i64 {
    let unused = 64 - format.width;
    (word << unused) as i64 >> unused
}

/// The number of the two that is `wanted` than the other; a NaN if either is one.
fn extreme(format: Format, wanted: Ordering, a: u64, b: u64) -> (u64, u8) {
    let is_nan = |word: u64| word & !format.sign_mask() > format.infinity();
    let signals = |word: u64| is_nan(word) && word & format.quiet_mask() == 0;
    if is_nan(a) || is_nan(b) {
        let flags = if signals(a) || signals(b) {
            Flag::Invalid.mask()
        } else {
            0
        };
        return (format.canonical_nan(), flags);
    }
    let value = |word: u64| match format.width {
        32 => f32::from_bits(word as u32).into(),
        _ => f64::from_bits(word),
    };
    // Of numbers, the total order differs from the usual one in that it puts -0 below +0.
    match value(a).total_cmp(&value(b)) == wanted {
        true => (a, 0),
        false => (b, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::mpe::reduce::OPERATION_WIDTH;
    use proptest::prelude::*;
    use rustc_apfloat::{
        ieee::{Double, Single},
        Float,
    };

    /// Words of every class, and any word.
    fn words(format: Format) -> impl Strategy<Value = u64> {
        let top = format.sign_mask() - 1;
        let border = prop::sample::select(vec![
            0,
            1,
            format.fraction_mask(),
            format.fraction_mask() + 1,
            format.infinity() - 1,
            format.infinity(),
            format.infinity() + 1,
            format.canonical_nan(),
            top,
        ]);
        let magnitude = prop_oneof![border, any::<u64>().prop_map(move |word| word & top)];
        (magnitude, any::<bool>()).prop_map(move |(word, negative)| match negative {
            true => word | format.sign_mask(),
            false => word,
        })
    }

    /// `minimum`, `maximum` and the sum of another implementation, every NaN made the canonical one.
    fn independent<F: Float>(format: Format, operation: Operation, a: u64, b: u64) -> (u64, bool) {
        let [one, other] = [a, b].map(|word| F::from_bits(word.into()));
        let signalling = one.is_signaling() || other.is_signaling();
        let (value, invalid) = match operation {
            Operation::FloatMin => (one.minimum(other), signalling),
            Operation::FloatMax => (one.maximum(other), signalling),
            _ => {
                let sum = one + other;
                (sum.value, sum.status.contains(rustc_apfloat::Status::INVALID_OP))
            }
        };
        match value.is_nan() {
            true => (format.canonical_nan(), invalid),
            false => (value.to_bits() as u64, invalid),
        }
    }

    proptest! {
        #[test]
        fn floats_agree_with_another_implementation(
            singles in (words(Format::BINARY32), words(Format::BINARY32)),
            doubles in (words(Format::BINARY64), words(Format::BINARY64)),
            operation in prop::sample::select(vec![Operation::FloatSum, Operation::FloatMin, Operation::FloatMax]),
        ) {
            let (value, flags) = reduce(Format::BINARY32, operation as u32, singles.0, singles.1);
            let expected = independent::<Single>(Format::BINARY32, operation, singles.0, singles.1);
            prop_assert_eq!((value, flags & Flag::Invalid.mask() != 0), expected);
            let (value, flags) = reduce(Format::BINARY64, operation as u32, doubles.0, doubles.1);
            let expected = independent::<Double>(Format::BINARY64, operation, doubles.0, doubles.1);
            prop_assert_eq!((value, flags & Flag::Invalid.mask() != 0), expected);
        }

        #[test]
        fn integers_and_bits_are_those_of_the_processor(a: i64, b: i64) {
            for (operation, expected) in [
                (Operation::IntegerSum, a.wrapping_add(b)),
                (Operation::IntegerMin, a.min(b)),
                (Operation::IntegerMax, a.max(b)),
                (Operation::And, a & b),
                (Operation::Or, a | b),
                (Operation::Xor, a ^ b),
            ] {
                let seen = reduce(Format::BINARY64, operation as u32, a as u64, b as u64);
                prop_assert_eq!(seen, (expected as u64, 0));
                let [low_a, low_b] = [a as i32, b as i32];
                let expected = match operation {
                    Operation::IntegerMin => low_a.min(low_b),
                    Operation::IntegerMax => low_a.max(low_b),
                    _ => expected as i32,
                };
                let [a, b] = [a, b].map(|word| word as u64 & 0xffff_ffff);
                let seen = reduce(Format::BINARY32, operation as u32, a, b);
                prop_assert_eq!(seen, ((expected as u32).into(), 0));
            }
        }
    }

    #[test]
    fn an_unknown_code_keeps_what_is_accumulated_and_says_so() {
        let unknown = (0..1 << OPERATION_WIDTH).filter(|&code| Operation::from_code(code).is_none());
        for code in unknown {
            assert_eq!(reduce(Format::BINARY32, code, 7, 9), (7, Flag::Invalid.mask()));
        }
    }
}
