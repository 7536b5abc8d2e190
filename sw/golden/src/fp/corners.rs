//! Operands at which adders go wrong.

use portico_spec::fp::Format;
use rand::Rng;

/// Every class and every boundary exponent with all-zeros, all-ones and single-bit fractions, in both signs: zeros,
/// subnormals, normal numbers at both ends and around one, as far from one as significands are long, infinities, quiet and
/// signalling NaNs.
pub fn corners(format: Format) -> Vec<u64> {
    let (top, significand) = (format.top_exponent(), format.fraction_width as u64 + 1);
    let bias = top / 2;
    let exponents = [
        0,
        1,
        2,
        significand,
        significand + 1,
        bias,
        bias + 1,
        bias + significand - 1,
        bias + significand,
        bias + significand + 1,
        bias + significand + 2,
        top - 2,
        top - 1,
        top,
    ];
    let mut fractions = vec![0, format.fraction_mask()];
    fractions.extend((0..format.fraction_width).map(|bit| 1 << bit));
    let magnitudes = exponents.into_iter().flat_map(|exponent| {
        fractions
            .iter()
            .map(move |fraction| exponent << format.fraction_width | fraction)
    });
    magnitudes
        .flat_map(|magnitude| [magnitude, magnitude | format.sign_mask()])
        .collect()
}

/// Pairs that carry, cancel, round by their sticky bit or end among the subnormals: every distance of exponents until the
/// smaller addend is out of sight, from every exponent near the subnormals, one in the middle and the last, with fractions
/// at and beside the borders of rounding, in both orders and for both operations.
pub fn directed(format: Format) -> Vec<(u64, u64)> {
    let (ones, half) = (format.fraction_mask(), format.quiet_mask());
    let reach = format.fraction_width as u64 + 5;
    let exponents = (0..reach).chain([format.top_exponent() / 2, format.top_exponent() - 1]);
    let mut pairs = vec![];
    for exponent in exponents {
        for distance in 0..=reach.min(exponent) {
            for big in [0, 1, ones - 1, ones] {
                for small in [0, 1, half - 1, half, half + 1, ones - 1, ones] {
                    let big = exponent << format.fraction_width | big;
                    let small = (exponent - distance) << format.fraction_width | small;
                    pairs.extend([(big, small), (small | format.sign_mask(), big)]);
                }
            }
        }
    }
    // A difference of a few units in the last place, from every exponent whose lower bits may matter.
    for exponent in (0..300)
        .chain([format.top_exponent() - 1])
        .filter(|&at| at < format.top_exponent())
    {
        for (fraction, units) in [(0, 1), (0, 2), (0, 5), (half, 1), (ones, 1), (ones, 3)] {
            let above = exponent << format.fraction_width | fraction;
            let below = above.saturating_sub(units);
            pairs.extend([(above, below | format.sign_mask()), (below, above | format.sign_mask())]);
        }
    }
    pairs
}

/// A pair whose exponents are mostly near and whose fractions are mostly not of the kind that random bits make.
pub fn random_pair(format: Format, rng: &mut impl Rng) -> (u64, u64) {
    let top = format.top_exponent();
    let a_exponent = match rng.gen_range(0..4) {
        0 => rng.gen_range(0..4),
        1 => top - rng.gen_range(0..4),
        _ => rng.gen_range(0..=top),
    };
    let most = match rng.gen_range(0..4) {
        0 => 1,
        1 => 2,
        2 => format.fraction_width as u64 + 4,
        _ => top,
    };
    let b_exponent = a_exponent.saturating_sub(rng.gen_range(0..=most));
    let mut number = |exponent: u64| {
        let zeros = rng.gen_range(0..format.fraction_width);
        let fraction = match rng.gen_range(0..5) {
            0 => rng.gen::<u64>() << zeros,
            1 => !(rng.gen::<u64>() << zeros),
            2 => u64::MAX << zeros,
            3 => rng.gen::<u64>() & rng.gen::<u64>() & rng.gen::<u64>(),
            _ => rng.gen(),
        };
        let sign = rng.gen::<u64>() & format.sign_mask();
        sign | exponent << format.fraction_width | fraction & format.fraction_mask()
    };
    let (a, b) = (number(a_exponent), number(b_exponent));
    match rng.gen_range(0..8) {
        0 => (a, a ^ format.sign_mask() ^ rng.gen_range(0..4)),
        1..=4 => (b, a),
        _ => (a, b),
    }
}
