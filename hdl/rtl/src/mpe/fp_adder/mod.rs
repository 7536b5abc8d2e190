//! Floating-point adder: binary32 and binary64 of IEEE 754-2019, round to nearest even.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`FpAdder`] | the adder between streams |
//! | [`FpAdderCore`] | its datapath, for blocks that bring their own handshake |
//! | `Compare`, `MagnitudeOrder`, `Align` twice, `Add`, `Normalise` thrice, `Round` | the steps of the datapath, in this order |
//! | `Operand`, `Distance`, `ShiftDigit` | parts of steps |
//! | `OptionalRegister` | the end of a step, where a register may stand |
//!
//! One path for all sums. The addends are ordered by magnitude, so that one shifter aligns, the difference is never
//! negative and its sign is known; a normalising shifter counts zeros as it goes and stops where numbers become subnormal;
//! the rounding carries through fraction and exponent at once. After each step there is an `OptionalRegister`, and the number of
//! stages decides which of them have a register (`cuts`); `Round` always has one.

mod add;
mod adder;
mod align;
mod compare;
mod core;
mod distance;
mod fate;
mod magnitude_order;
mod normalise;
mod operand;
mod optional_register;
mod round;
mod shift_digit;
#[cfg(test)]
mod tests;

pub use self::core::FpAdderCore;
pub use adder::FpAdder;

use portico_spec::fp::{Format, ADDER_STAGES};

/// How the shifters of a format are built.
struct Shift {
    /// Bits of the distance of the alignment.
    distance_width: usize,
    /// The digits of the normalising shift, from the highest.
    digits: [Digit; 3],
}

/// A digit of the normalising shift.
struct Digit {
    /// One in this digit counts two to the power of this.
    places: usize,
    /// The highest value, 1 or 3.
    most: u64,
}

impl Shift {
    fn of(format: Format) -> Self {
        let digit = |places, most| Digit { places, most };
        match format.width {
            32 => Shift {
                distance_width: 5,
                digits: [digit(3, 3), digit(1, 3), digit(0, 1)],
            },
            _ => Shift {
                distance_width: 6,
                digits: [digit(4, 3), digit(2, 3), digit(0, 3)],
            },
        }
    }

    /// The longest normalising shift.
    fn longest(&self) -> u64 {
        self.digits.iter().map(|digit| digit.most << digit.places).sum()
    }
}

/// Whether there is a register after `Compare`, `MagnitudeOrder`, each `Align`, `Add` and each `Normalise`, in this order.
type Cuts = [bool; 8];

/// The registers of an adder of so many stages: of the places that were tried on an ECP5 for binary32, the fastest, or as
/// fast as any.
fn cuts(stages: usize) -> Cuts {
    let places: &[usize] = match stages {
        2 => &[4],
        3 => &[3, 5],
        4 => &[2, 4, 7],
        5 => &[1, 3, 5, 7],
        6 => &[2, 3, 4, 5, 7],
        _ => panic!("adder: stages = {stages}, allowed: {ADDER_STAGES:?}"),
    };
    std::array::from_fn(|at| places.contains(&at))
}
