//! Operations of a reduction: what becomes of an accumulated element and a contribution to it.
//!
//! | bits of a code | meaning |
//! | --- | --- |
//! | 3 | operands are floating-point numbers ([`FLOAT_BIT`]) |
//! | 2 | each bit for itself |
//! | 1, 0 | which one of its group: 0 sum, 2 minimum, 3 maximum; 0 and, 1 or, 2 xor |
//!
//! Operands are W bits wide, 32 or 64: integers in two's complement, floating-point numbers in binary32 or binary64 of
//! IEEE 754. A code that is no operation leaves the accumulated element as it is and raises the invalid flag, so that a
//! damaged command neither changes a result nor goes unnoticed.

use crate::ni::codes::codes;

codes! {
    /// Operations on an accumulated element and a contribution.
    Operation {
        /// Integer sum, modulo 2^W.
        IntegerSum = 0, "integer_sum";
        /// The lesser signed integer.
        IntegerMin = 2, "integer_min";
        /// The greater signed integer.
        IntegerMax = 3, "integer_max";
        /// Bits that both have.
        And = 4, "and";
        /// Bits that either has.
        Or = 5, "or";
        /// Bits that one alone has.
        Xor = 6, "xor";
        /// Floating-point sum, rounded to nearest even.
        FloatSum = 8, "float_sum";
        /// The minimum of IEEE 754-2019, 9.6: NaN if either is one, -0 below +0.
        FloatMin = 10, "float_min";
        /// The maximum of IEEE 754-2019, 9.6: NaN if either is one, -0 below +0.
        FloatMax = 11, "float_max";
    }
}

/// Width of an operation's code, in bits.
pub const OPERATION_WIDTH: usize = 4;
/// Bit of a code that tells floating-point operands.
pub const FLOAT_BIT: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_fit() {
        assert!(Operation::CODES.is_sorted_by(|one, next| one.code < next.code));
        assert!(Operation::CODES.iter().all(|code| code.code < 1 << OPERATION_WIDTH));
    }

    #[test]
    fn a_bit_of_a_code_tells_floating_point_operands() {
        for &operation in Operation::ALL {
            let is_float = operation as u32 >> FLOAT_BIT & 1 == 1;
            assert_eq!(is_float, operation.name().starts_with("float"));
        }
        assert_eq!(Operation::from_code(1), None);
        assert_eq!(
            Operation::from_code(Operation::FloatMax as u32),
            Some(Operation::FloatMax)
        );
    }
}
