//! Against `rustc_apfloat`: results and flags.

use super::*;
use rand::{rngs::SmallRng, Rng, SeedableRng};
use rustc_apfloat::{
    ieee::{Double, Single},
    Float, Status,
};

const SEED: u64 = 0xf10a7;
const FORMATS: [Format; 2] = [Format::BINARY32, Format::BINARY64];
/// What additions raise; of the other flags they have no use.
const RAISED: u8 = Flag::Invalid.mask() | Flag::Overflow.mask() | Flag::Inexact.mask();

fn by_apfloat<F: Float>(format: Format, a: u64, b: u64) -> (u64, u8) {
    let sum = F::from_bits(a.into()) + F::from_bits(b.into());
    let flags = [
        (Status::INEXACT, Flag::Inexact),
        (Status::UNDERFLOW, Flag::Underflow),
        (Status::OVERFLOW, Flag::Overflow),
        (Status::DIV_BY_ZERO, Flag::DivideByZero),
        (Status::INVALID_OP, Flag::Invalid),
    ];
    let raised = flags.into_iter().filter(|(status, _)| sum.status.intersects(*status));
    let value = match sum.value.is_nan() {
        true => format.canonical_nan(),
        false => u64::try_from(sum.value.to_bits()).expect("no wider than its format"),
    };
    (value, raised.map(|(_, flag)| flag.mask()).sum())
}

/// Holds the golden sum to that of the library and gives its flags.
fn check(format: Format, a: u64, b: u64) -> u8 {
    let expected = match format.width {
        32 => by_apfloat::<Single>(format, a, b),
        _ => by_apfloat::<Double>(format, a, b),
    };
    let sum = add(format, a, b);
    assert_eq!(
        sum, expected,
        "{a:#x} + {b:#x} of {} bits: {sum:x?}, not {expected:x?}",
        format.width
    );
    sum.1
}

#[test]
fn corners_add_as_in_apfloat() {
    for format in FORMATS {
        let corners = corners(format);
        let raised = corners
            .iter()
            .flat_map(|a| corners.iter().map(move |b| (a, b)))
            .fold(0, |raised, (&a, &b)| raised | check(format, a, b));
        assert_eq!(raised, RAISED);
    }
}

#[test]
fn directed_pairs_add_as_in_apfloat() {
    for format in FORMATS {
        for (a, b) in directed(format) {
            check(format, a, b);
        }
    }
}

#[test]
fn millions_of_near_numbers_add_as_in_apfloat() {
    println!("seed {SEED:#x}");
    for format in FORMATS {
        let mut rng = SmallRng::seed_from_u64(SEED);
        let raised = (0..2_000_000).fold(0, |raised, _| {
            let (a, b) = random_pair(format, &mut rng);
            raised | check(format, a, b)
        });
        assert_eq!(raised, RAISED);
    }
}

#[test]
fn random_numbers_add_as_on_the_processor() {
    println!("seed {SEED:#x}");
    let mut rng = SmallRng::seed_from_u64(SEED);
    for _ in 0..100_000 {
        let (a, b) = (f64::from_bits(rng.gen()), f64::from_bits(rng.gen()));
        let sum = a + b;
        if !sum.is_nan() {
            assert_eq!(add(Format::BINARY64, a.to_bits(), b.to_bits()).0, sum.to_bits());
        }
    }
}
