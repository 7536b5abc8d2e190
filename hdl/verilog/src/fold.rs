//! Operators on expressions: what is constant folds, and what can be said more plainly is.

use crate::expr::{ones, BinaryOp, Constant, Expr, UnaryOp};
use num_bigint::{BigInt, BigUint};

impl Expr {
    fn is_zero(&self) -> bool {
        self.as_constant().is_some_and(|value| *value == BigUint::ZERO)
    }

    fn is_ones(&self) -> bool {
        self.as_constant().is_some_and(|value| *value == ones(self.width()))
    }

    /// A bit that no name explains: comparing with it says less than the operand alone.
    fn is_plain_bit(&self) -> bool {
        matches!(
            self,
            Expr::Const(Constant {
                width: 1,
                name: None,
                ..
            })
        )
    }

    fn is_lowest(&self) -> bool {
        let lowest = || BigUint::from(1u8) << (self.width() - 1);
        self.as_constant().is_some_and(|value| *value == lowest())
    }

    fn is_highest(&self) -> bool {
        self.as_constant().is_some_and(|value| *value == ones(self.width() - 1))
    }

    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        let width = operand.width();
        if let Some(value) = operand.as_constant() {
            return match op {
                UnaryOp::Not => Expr::constant(value ^ ones(width), width),
                UnaryOp::Negate => Expr::constant((BigUint::from(1u8) << width) - value, width),
                UnaryOp::All => Expr::bit(*value == ones(width)),
                UnaryOp::Any => Expr::bit(*value != BigUint::ZERO),
                UnaryOp::Parity => Expr::bit(value.count_ones() % 2 == 1),
            };
        }
        match (op, operand) {
            (UnaryOp::Not, Expr::Unary(UnaryOp::Not, inner)) => *inner,
            (UnaryOp::Not, Expr::Binary(BinaryOp::Eq, left, right)) => Expr::Binary(BinaryOp::Ne, left, right),
            (UnaryOp::Not, Expr::Binary(BinaryOp::Ne, left, right)) => Expr::Binary(BinaryOp::Eq, left, right),
            (UnaryOp::All | UnaryOp::Any | UnaryOp::Parity, operand) if width == 1 => operand,
            (op, operand) => Expr::Unary(op, Box::new(operand)),
        }
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let width = left.width();
        if let (Some(l), Some(r)) = (left.as_constant(), right.as_constant()) {
            return fold(op, l, r, width);
        }
        if left == right {
            if let Some(folded) = fold_equal(op, &left) {
                return folded;
            }
        }
        match op {
            BinaryOp::And if left.is_zero() || right.is_ones() => left,
            BinaryOp::And if right.is_zero() || left.is_ones() => right,
            BinaryOp::Or if left.is_zero() || right.is_ones() => right,
            BinaryOp::Or if right.is_zero() || left.is_ones() => left,
            BinaryOp::Add | BinaryOp::Xor if left.is_zero() => right,
            BinaryOp::Add | BinaryOp::Xor | BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Shr if right.is_zero() => left,
            BinaryOp::Shl | BinaryOp::Shr if left.is_zero() || right.is_at_least(width) => Expr::constant(0u8, width),
            BinaryOp::Eq if right.is_plain_bit() => left.equal_to_bit(right.is_ones()),
            BinaryOp::Eq if left.is_plain_bit() => right.equal_to_bit(left.is_ones()),
            BinaryOp::Ne if right.is_plain_bit() => left.equal_to_bit(right.is_zero()),
            BinaryOp::Ne if left.is_plain_bit() => right.equal_to_bit(left.is_zero()),
            // Nothing is below zero or above all ones: linters report such comparisons.
            BinaryOp::Lt if right.is_zero() || left.is_ones() => Expr::bit(false),
            BinaryOp::Gt if left.is_zero() || right.is_ones() => Expr::bit(false),
            BinaryOp::Le if left.is_zero() || right.is_ones() => Expr::bit(true),
            BinaryOp::Ge if right.is_zero() || left.is_ones() => Expr::bit(true),
            BinaryOp::SignedLt if right.is_lowest() || left.is_highest() => Expr::bit(false),
            BinaryOp::SignedGt if left.is_lowest() || right.is_highest() => Expr::bit(false),
            BinaryOp::SignedLe if left.is_lowest() || right.is_highest() => Expr::bit(true),
            BinaryOp::SignedGe if right.is_lowest() || left.is_highest() => Expr::bit(true),
            BinaryOp::SignedMul if left.is_zero() || right.is_zero() => Expr::constant(0u8, width),
            BinaryOp::Mul => product(left, right),
            _ => Expr::Binary(op, Box::new(left), Box::new(right)),
        }
    }

    fn equal_to_bit(self, bit: bool) -> Expr {
        match bit {
            true => self,
            false => Expr::unary(UnaryOp::Not, self),
        }
    }

    fn is_at_least(&self, limit: usize) -> bool {
        self.as_constant().is_some_and(|value| *value >= limit.into())
    }
}

/// A product, as a shift where one factor is a power of two.
fn product(left: Expr, right: Expr) -> Expr {
    let width = left.width();
    if left.is_zero() || right.is_zero() {
        return Expr::constant(0u8, width);
    }
    let power = |factor: &Expr| {
        factor
            .as_constant()
            .filter(|value| value.count_ones() == 1)
            .and_then(BigUint::trailing_zeros)
    };
    let (shift, factor) = match (power(&left), power(&right)) {
        (Some(shift), _) => (shift as usize, right),
        (None, Some(shift)) => (shift as usize, left),
        (None, None) => return Expr::Binary(BinaryOp::Mul, Box::new(left), Box::new(right)),
    };
    match factor.clone().part(0, width - shift) {
        Some(high) => Expr::concat(vec![high, Expr::constant(0u8, shift)]),
        None => Expr::binary(BinaryOp::Shl, factor, Expr::constant(shift, usize::BITS as usize)),
    }
}

/// What two equal operands make, where it does not depend on their value.
fn fold_equal(op: BinaryOp, operand: &Expr) -> Option<Expr> {
    match op {
        BinaryOp::And | BinaryOp::Or => Some(operand.clone()),
        BinaryOp::Xor | BinaryOp::Sub => Some(Expr::constant(0u8, operand.width())),
        BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge | BinaryOp::SignedLe | BinaryOp::SignedGe => Some(Expr::bit(true)),
        BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Gt | BinaryOp::SignedLt | BinaryOp::SignedGt => Some(Expr::bit(false)),
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::SignedMul | BinaryOp::Shl | BinaryOp::Shr => None,
    }
}

/// The number that bits in two's complement stand for.
pub fn signed_number(bits: &BigUint, width: usize) -> BigInt {
    match width > 0 && bits.bit(width as u64 - 1) {
        true => BigInt::from(bits.clone()) - (BigInt::from(1u8) << width),
        false => bits.clone().into(),
    }
}

fn fold(op: BinaryOp, left: &BigUint, right: &BigUint, width: usize) -> Expr {
    let modulus = BigUint::from(1u8) << width;
    // All bits are gone by then, and a vast amount would ask for a vast number.
    let amount = usize::try_from(right).unwrap_or(width).min(width);
    let value = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left + &modulus - right,
        BinaryOp::Mul | BinaryOp::SignedMul => left * right,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::Shl => left << amount,
        BinaryOp::Shr => left >> amount,
        BinaryOp::Eq => return Expr::bit(left == right),
        BinaryOp::Ne => return Expr::bit(left != right),
        BinaryOp::Lt => return Expr::bit(left < right),
        BinaryOp::Le => return Expr::bit(left <= right),
        BinaryOp::Gt => return Expr::bit(left > right),
        BinaryOp::Ge => return Expr::bit(left >= right),
        BinaryOp::SignedLt => return Expr::bit(signed_number(left, width) < signed_number(right, width)),
        BinaryOp::SignedLe => return Expr::bit(signed_number(left, width) <= signed_number(right, width)),
        BinaryOp::SignedGt => return Expr::bit(signed_number(left, width) > signed_number(right, width)),
        BinaryOp::SignedGe => return Expr::bit(signed_number(left, width) >= signed_number(right, width)),
    };
    Expr::constant(value, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_fold_and_wrap() {
        let sum = Expr::binary(BinaryOp::Add, Expr::constant(200u8, 8), Expr::constant(100u8, 8));
        assert_eq!(sum, Expr::constant(44u8, 8));
        let difference = Expr::binary(BinaryOp::Sub, Expr::constant(1u8, 4), Expr::constant(2u8, 4));
        assert_eq!(difference, Expr::constant(15u8, 4));
        let negative = Expr::unary(UnaryOp::Negate, Expr::constant(0u8, 4));
        assert_eq!(negative, Expr::constant(0u8, 4));
    }

    #[test]
    fn signed_numbers_fold_by_their_sign() {
        let number = |value: u8| Expr::constant(value, 4);
        let less = |left, right| Expr::binary(BinaryOp::SignedLt, left, right);
        assert_eq!(less(number(15), number(1)), Expr::bit(true));
        assert_eq!(less(number(7), number(8)), Expr::bit(false));
        assert_eq!(less(Expr::signal(0, 4), number(8)), Expr::bit(false));
        assert_eq!(less(number(7), Expr::signal(0, 4)), Expr::bit(false));
        assert!(matches!(less(Expr::signal(0, 4), number(0)), Expr::Binary(..)));
        assert_eq!(signed_number(&13u8.into(), 4), (-3).into());
    }

    #[test]
    fn shifts_beyond_the_width_are_zero_however_far() {
        for op in [BinaryOp::Shl, BinaryOp::Shr] {
            for amount in [8u64, 9, u64::MAX] {
                let amount = || Expr::constant(amount, 64);
                assert_eq!(
                    Expr::binary(op, Expr::constant(255u8, 8), amount()),
                    Expr::constant(0u8, 8)
                );
                assert_eq!(Expr::binary(op, Expr::signal(0, 8), amount()), Expr::constant(0u8, 8));
            }
        }
    }

    #[test]
    fn a_bit_compared_with_a_bit_needs_no_comparison() {
        let bit = || Expr::signal(0, 1);
        let not = Expr::unary(UnaryOp::Not, bit());
        for (op, right, folded) in [
            (BinaryOp::Eq, true, bit()),
            (BinaryOp::Eq, false, not.clone()),
            (BinaryOp::Ne, true, not),
            (BinaryOp::Ne, false, bit()),
        ] {
            assert_eq!(Expr::binary(op, bit(), Expr::bit(right)), folded);
            assert_eq!(Expr::binary(op, Expr::bit(right), bit()), folded);
        }
    }

    #[test]
    fn a_comparison_that_can_only_end_one_way_is_a_constant() {
        let signal = || Expr::signal(0, 4);
        let [zero, ones] = [0u8, 15].map(|value| move || Expr::constant(value, 4));
        for (op, below, above) in [
            (BinaryOp::Lt, zero(), ones()),
            (BinaryOp::Ge, zero(), ones()),
            (BinaryOp::Gt, ones(), zero()),
            (BinaryOp::Le, ones(), zero()),
        ] {
            let result = Expr::bit(matches!(op, BinaryOp::Ge | BinaryOp::Le));
            assert_eq!(Expr::binary(op, signal(), below), result);
            assert_eq!(Expr::binary(op, above, signal()), result);
        }
    }

    #[test]
    fn equal_operands_fold_where_their_value_does_not_matter() {
        let same = |op| Expr::binary(op, Expr::signal(0, 4), Expr::signal(0, 4));
        assert_eq!(same(BinaryOp::Sub), Expr::constant(0u8, 4));
        assert_eq!(same(BinaryOp::Or), Expr::signal(0, 4));
        assert_eq!(same(BinaryOp::Ge), Expr::bit(true));
        assert_eq!(same(BinaryOp::Lt), Expr::bit(false));
        assert!(matches!(same(BinaryOp::Add), Expr::Binary(..)) && matches!(same(BinaryOp::Shl), Expr::Binary(..)));
    }

    #[test]
    fn a_factor_of_a_power_of_two_is_a_shift() {
        let factor = Expr::concat(vec![Expr::constant(0u8, 3), Expr::signal(0, 3)]);
        let product = Expr::binary(BinaryOp::Mul, factor, Expr::constant(8u8, 6));
        assert_eq!(product, Expr::Concat(vec![Expr::signal(0, 3), Expr::constant(0u8, 3)]));
    }
}
