//! Values of every width that the circuits use, computed by rust-hdl's own `Bits` and `bool`.

use rust_hdl::core::bits::LITERAL_BITS;
use rust_hdl::core::prelude::LiteralType;
use rust_hdl::prelude::*;

/// Widths of values. One bit is a `bool`; beyond 32 rust-hdl computes another way.
pub const WIDTHS: [usize; 7] = [1, 3, 4, 8, 13, 32, 40];

/// Widths of signals.
pub const SIGNAL_WIDTHS: [usize; 6] = [1, 4, 8, 13, 32, 40];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Bit(bool),
    W3(Bits<3>),
    W4(Bits<4>),
    W8(Bits<8>),
    W13(Bits<13>),
    W32(Bits<32>),
    W40(Bits<40>),
}

use Value::{Bit as B, W13, W3, W32, W4, W40, W8};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    And,
    Or,
    Xor,
    Add,
    Sub,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduction {
    All,
    Any,
    Xor,
}

macro_rules! conversions {
    ($($variant:ident $width:literal),*) => {
        $(
            impl From<Bits<$width>> for Value {
                fn from(value: Bits<$width>) -> Self {
                    $variant(value)
                }
            }

            impl From<Value> for Bits<$width> {
                fn from(value: Value) -> Self {
                    match value {
                        $variant(value) => value,
                        other => panic!("{other:?} is not {} bits wide", $width),
                    }
                }
            }
        )*
    };
}

conversions!(W3 3, W4 4, W8 8, W13 13, W32 32, W40 40);

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        B(value)
    }
}

impl From<Value> for bool {
    fn from(value: Value) -> Self {
        match value {
            B(value) => value,
            other => panic!("{other:?} is not a bit"),
        }
    }
}

/// `$body` for a value of any width but one bit.
macro_rules! any_bits {
    ($value:expr, $bits:ident => $body:expr) => {
        match $value {
            W3($bits) => $body,
            W4($bits) => $body,
            W8($bits) => $body,
            W13($bits) => $body,
            W32($bits) => $body,
            W40($bits) => $body,
            B(_) => panic!("one bit is no Bits"),
        }
    };
}

/// `$body` for two values of the same width.
macro_rules! both {
    ($left:expr, $right:expr, $l:ident, $r:ident => $body:expr) => {
        match ($left, $right) {
            (W3($l), W3($r)) => $body,
            (W4($l), W4($r)) => $body,
            (W8($l), W8($r)) => $body,
            (W13($l), W13($r)) => $body,
            (W32($l), W32($r)) => $body,
            (W40($l), W40($r)) => $body,
            (left, right) => panic!("{left:?} and {right:?} differ in width"),
        }
    };
}

/// `$body`, generic over a constant, for the width at hand.
macro_rules! of_width {
    ($width:expr, $n:ident => $body:expr) => {
        match $width {
            3 => {
                const $n: usize = 3;
                $body
            }
            4 => {
                const $n: usize = 4;
                $body
            }
            8 => {
                const $n: usize = 8;
                $body
            }
            13 => {
                const $n: usize = 13;
                $body
            }
            32 => {
                const $n: usize = 32;
                $body
            }
            40 => {
                const $n: usize = 40;
                $body
            }
            other => panic!("{other} is no width of Bits here"),
        }
    };
}

impl Value {
    pub fn new(value: u64, width: usize) -> Value {
        match width {
            1 => B(value == 1),
            _ => of_width!(width, N => bits::<N>(value).into()),
        }
    }

    pub fn width(self) -> usize {
        match self {
            B(_) => 1,
            _ => any_bits!(self, x => x.len()),
        }
    }

    pub fn number(self) -> u64 {
        match self {
            B(bit) => bit.into(),
            _ => any_bits!(self, x => x.to_u64()),
        }
    }

    pub fn not(self) -> Value {
        match self {
            B(bit) => B(!bit),
            _ => any_bits!(self, x => (!x).into()),
        }
    }

    pub fn binary(self, op: Op, other: Value) -> Value {
        match (self, other) {
            (B(l), B(r)) => match op {
                Op::And => B(l && r),
                Op::Or => B(l | r),
                Op::Xor => B(l ^ r),
                Op::Add | Op::Sub => panic!("bits do not add up"),
            },
            _ => both!(self, other, l, r => match op {
                Op::And => (l & r).into(),
                Op::Or => (l | r).into(),
                Op::Xor => (l ^ r).into(),
                Op::Add => (l + r).into(),
                Op::Sub => (l - r).into(),
            }),
        }
    }

    /// The sum with a bit, as rust-hdl adds a `bool`.
    pub fn plus_bit(self, bit: bool) -> Value {
        any_bits!(self, x => (x + bit).into())
    }

    pub fn compare(self, order: Order, other: Value) -> bool {
        macro_rules! compared {
            ($l:expr, $r:expr) => {
                match order {
                    Order::Eq => $l == $r,
                    Order::Ne => $l != $r,
                    Order::Lt => $l < $r,
                    Order::Le => $l <= $r,
                    Order::Gt => $l > $r,
                    Order::Ge => $l >= $r,
                }
            };
        }
        match (self, other) {
            (B(l), B(r)) => compared!(l, r),
            _ => both!(self, other, l, r => compared!(l, r)),
        }
    }

    pub fn reduce(self, reduction: Reduction) -> bool {
        any_bits!(self, x => match reduction {
            Reduction::All => x.all(),
            Reduction::Any => x.any(),
            Reduction::Xor => x.xor(),
        })
    }

    pub fn shift(self, left: bool, amount: Value) -> Value {
        any_bits!(self, x => any_bits!(amount, by => if left { (x << by).into() } else { (x >> by).into() }))
    }

    pub fn shift_by(self, left: bool, amount: LiteralType) -> Value {
        any_bits!(self, x => if left { (x << amount).into() } else { (x >> amount).into() })
    }

    /// `bit_cast::<width, 64>(1 << amount)`: a number shifted by hardware.
    pub fn one_shifted(amount: Value, width: usize) -> Value {
        const ONE: LiteralType = 1;
        let shifted: Bits<LITERAL_BITS> = any_bits!(amount, by => ONE << by);
        of_width!(width, N => bit_cast::<N, LITERAL_BITS>(shifted).into())
    }

    pub fn cast(self, width: usize) -> Value {
        of_width!(width, M => any_bits!(self, x => bit_cast::<M, _>(x).into()))
    }

    pub fn bit(self, index: usize) -> bool {
        any_bits!(self, x => x.get_bit(index))
    }

    pub fn slice(self, offset: usize, width: usize) -> Value {
        of_width!(width, M => any_bits!(self, x => x.get_bits::<M>(offset).into()))
    }

    pub fn with_bit(self, index: usize, bit: bool) -> Value {
        any_bits!(self, x => x.replace_bit(index, bit).into())
    }

    /// With some bits replaced, as a write to a field of a record replaces them.
    pub fn with_part(self, offset: usize, part: Value) -> Value {
        any_bits!(self, whole => {
            let mut whole = whole;
            match part {
                B(bit) => whole = whole.replace_bit(offset, bit),
                _ => any_bits!(part, part => whole.set_bits(offset, part)),
            }
            whole.into()
        })
    }

    /// The number as an index.
    pub fn index(self) -> usize {
        any_bits!(self, x => x.index())
    }
}
