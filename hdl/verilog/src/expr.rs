//! Expressions with a width each. They are built by the constructors of `fold` and `slice`.
//!
//! Every operator keeps the width rule of rust-hdl: operands of arithmetic, bitwise operators and comparisons are equally
//! wide and results wrap. Widening is always a concatenation, whose operands Verilog evaluates at their own width, so no
//! carry can leak into a wider context.
//!
//! All values are vectors of bits. Sign is a matter of operators: those that need it come in a signed form, and a signed
//! value is widened by [`Expr::SignExtend`]. So no unsigned operand can change what its neighbour means.

use num_bigint::BigUint;

/// A signal of one block: an index into its table of signals.
pub type SignalId = usize;

/// A constant of known width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub value: BigUint,
    pub width: usize,
    /// The `localparam` that stands for it in the text, for values of enumerations.
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Negate,
    All,
    Any,
    Parity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Like those above, of numbers in two's complement.
    SignedMul,
    SignedLt,
    SignedLe,
    SignedGt,
    SignedGe,
}

impl BinaryOp {
    /// The operator on numbers in two's complement, where it is another one.
    pub fn signed(self) -> Self {
        match self {
            BinaryOp::Mul => BinaryOp::SignedMul,
            BinaryOp::Lt => BinaryOp::SignedLt,
            BinaryOp::Le => BinaryOp::SignedLe,
            BinaryOp::Gt => BinaryOp::SignedGt,
            BinaryOp::Ge => BinaryOp::SignedGe,
            other => other,
        }
    }

    pub fn is_signed(self) -> bool {
        use BinaryOp::*;
        matches!(self, SignedMul | SignedLt | SignedLe | SignedGt | SignedGe)
    }

    /// How Verilog and Rust write it.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul | BinaryOp::SignedMul => "*",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt | BinaryOp::SignedLt => "<",
            BinaryOp::Le | BinaryOp::SignedLe => "<=",
            BinaryOp::Gt | BinaryOp::SignedGt => ">",
            BinaryOp::Ge | BinaryOp::SignedGe => ">=",
        }
    }

    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(
            self,
            Eq | Ne | Lt | Le | Gt | Ge | SignedLt | SignedLe | SignedGt | SignedGe
        )
    }

    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }

    pub fn is_bitwise(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }

    /// Low bits of the result depend on low bits of the operands alone.
    pub fn is_modular(self) -> bool {
        use BinaryOp::*;
        self.is_bitwise() || matches!(self, Add | Sub | Mul | SignedMul)
    }
}

/// An expression; `width` tells how many bits it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(Constant),
    /// Bits `offset .. offset + width` of a signal that has `of` bits.
    Part {
        signal: SignalId,
        of: usize,
        offset: usize,
        width: usize,
    },
    /// Bits of a signal from an offset that is known only in hardware.
    DynamicPart {
        signal: SignalId,
        offset: Box<Expr>,
        width: usize,
    },
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Most significant first.
    Concat(Vec<Expr>),
    /// A number in two's complement, widened.
    SignExtend(Box<Expr>, usize),
}

/// A number of `width` ones.
pub fn ones(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

/// Bits `offset .. offset + width`, for sets of bits kept as numbers.
pub fn mask(offset: usize, width: usize) -> BigUint {
    ones(width) << offset
}

impl Constant {
    /// `value` cut to `width` bits.
    pub fn new(value: impl Into<BigUint>, width: usize) -> Self {
        Constant {
            value: value.into() & ones(width),
            width,
            name: None,
        }
    }
}

impl Expr {
    pub fn constant(value: impl Into<BigUint>, width: usize) -> Self {
        Expr::Const(Constant::new(value, width))
    }

    pub fn bit(value: bool) -> Self {
        Expr::constant(value as u8, 1)
    }

    pub fn signal(signal: SignalId, width: usize) -> Self {
        Expr::Part {
            signal,
            of: width,
            offset: 0,
            width,
        }
    }

    pub fn width(&self) -> usize {
        match self {
            Expr::Const(constant) => constant.width,
            Expr::Part { width, .. } | Expr::DynamicPart { width, .. } => *width,
            Expr::Unary(UnaryOp::Not | UnaryOp::Negate, operand) => operand.width(),
            Expr::Unary(..) => 1,
            Expr::Binary(op, ..) if op.is_comparison() => 1,
            Expr::Binary(_, left, _) => left.width(),
            Expr::Concat(parts) => parts.iter().map(Expr::width).sum(),
            Expr::SignExtend(_, width) => *width,
        }
    }

    pub fn as_constant(&self) -> Option<&BigUint> {
        match self {
            Expr::Const(constant) => Some(&constant.value),
            _ => None,
        }
    }

    /// The signal, where the expression is one signal whole.
    pub fn as_whole_signal(&self) -> Option<SignalId> {
        match self {
            Expr::Part {
                signal,
                of,
                offset: 0,
                width,
            } if of == width => Some(*signal),
            _ => None,
        }
    }

    /// Calls `visit` for every signal that is read: its id, and the bits read as (offset, width), or `None` where only the
    /// hardware knows which.
    pub fn reads(&self, visit: &mut dyn FnMut(SignalId, Option<(usize, usize)>)) {
        match self {
            Expr::Const(_) => {}
            Expr::Part {
                signal, offset, width, ..
            } => visit(*signal, Some((*offset, *width))),
            Expr::DynamicPart { signal, offset, .. } => {
                visit(*signal, None);
                offset.reads(visit);
            }
            Expr::Unary(_, operand) | Expr::SignExtend(operand, _) => operand.reads(visit),
            Expr::Binary(_, left, right) => {
                left.reads(visit);
                right.reads(visit);
            }
            Expr::Concat(parts) => parts.iter().for_each(|part| part.reads(visit)),
        }
    }
}
