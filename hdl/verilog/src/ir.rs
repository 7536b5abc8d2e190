//! Expressions with a width each, built through constructors that fold constants as they go.
//!
//! Every operator keeps the width rule of rust-hdl: operands of arithmetic, bitwise operators and comparisons are equally
//! wide and results wrap. Widening is always a concatenation, whose operands Verilog evaluates at their own width, so no
//! carry can leak into a wider context.

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
}

impl BinaryOp {
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    pub fn is_shift(self) -> bool {
        matches!(self, BinaryOp::Shl | BinaryOp::Shr)
    }

    fn is_bitwise(self) -> bool {
        matches!(self, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }

    /// Low bits of the result depend on low bits of the operands alone.
    fn is_modular(self) -> bool {
        self.is_bitwise() || matches!(self, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
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
}

fn ones(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
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

    fn is_zero(&self) -> bool {
        self.as_constant().is_some_and(|value| *value == BigUint::ZERO)
    }

    fn is_ones(&self) -> bool {
        self.as_constant().is_some_and(|value| *value == ones(self.width()))
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
            (UnaryOp::All | UnaryOp::Any | UnaryOp::Parity, operand) if width == 1 => operand,
            (op, operand) => Expr::Unary(op, Box::new(operand)),
        }
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        if let (Some(l), Some(r)) = (left.as_constant(), right.as_constant()) {
            if let Some(folded) = fold(op, l, r, left.width()) {
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
            BinaryOp::Eq if left.width() == 1 && right.is_ones() => left,
            BinaryOp::Eq if left.width() == 1 && right.is_zero() => Expr::unary(UnaryOp::Not, left),
            _ => Expr::Binary(op, Box::new(left), Box::new(right)),
        }
    }

    /// Most significant first; neighbouring constants merge.
    pub fn concat(parts: Vec<Expr>) -> Expr {
        let mut merged: Vec<Expr> = Vec::new();
        for part in parts.into_iter().filter(|part| part.width() > 0) {
            match (merged.last_mut(), part) {
                (Some(Expr::Const(high)), Expr::Const(low)) => {
                    *high = Constant::new((&high.value << low.width) | low.value, high.width + low.width);
                }
                (_, Expr::Concat(inner)) => merged.extend(inner),
                (_, part) => merged.push(part),
            }
        }
        match merged.len() {
            1 => merged.remove(0),
            _ => Expr::Concat(merged),
        }
    }

    pub fn zero_extended(self, width: usize) -> Expr {
        let missing = width - self.width();
        Expr::concat(vec![Expr::constant(0u8, missing), self])
    }

    /// Bits `offset .. offset + width`, or `None` where Verilog has no expression for them (the intermediate value needs a
    /// name of its own). Bits above the operand are zero.
    pub fn part(self, offset: usize, width: usize) -> Option<Expr> {
        let own = self.width();
        if offset == 0 && width == own {
            return Some(self);
        }
        if offset >= own {
            return Some(Expr::constant(0u8, width));
        }
        if offset + width > own {
            let inside = own - offset;
            return Some(self.part(offset, inside)?.zero_extended(width));
        }
        match self {
            Expr::Const(constant) => Some(Expr::constant(constant.value >> offset, width)),
            Expr::Part {
                signal,
                of,
                offset: base,
                ..
            } => Some(Expr::Part {
                signal,
                of,
                offset: base + offset,
                width,
            }),
            Expr::Unary(UnaryOp::Not, operand) => Some(Expr::unary(UnaryOp::Not, operand.part(offset, width)?)),
            Expr::Unary(UnaryOp::Negate, operand) if offset == 0 => {
                Some(Expr::unary(UnaryOp::Negate, operand.part(0, width)?))
            }
            Expr::Binary(op, left, right) if op.is_bitwise() || (op.is_modular() && offset == 0) => {
                Some(Expr::binary(op, left.part(offset, width)?, right.part(offset, width)?))
            }
            Expr::Binary(BinaryOp::Shl, left, right) if offset == 0 => {
                Some(Expr::binary(BinaryOp::Shl, left.part(0, width)?, *right))
            }
            Expr::Binary(BinaryOp::Shr, left, right) => {
                let shift = usize::try_from(right.as_constant()?).ok()?;
                left.part(offset + shift, width)
            }
            Expr::Concat(parts) => {
                let (mut low, mut taken) = (0, Vec::new());
                for part in parts.into_iter().rev() {
                    let high = low + part.width();
                    let (from, to) = (offset.max(low), (offset + width).min(high));
                    if from < to {
                        taken.push(part.part(from - low, to - from)?);
                    }
                    low = high;
                }
                taken.reverse();
                Some(Expr::concat(taken))
            }
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
            Expr::Unary(_, operand) => operand.reads(visit),
            Expr::Binary(_, left, right) => {
                left.reads(visit);
                right.reads(visit);
            }
            Expr::Concat(parts) => parts.iter().for_each(|part| part.reads(visit)),
        }
    }
}

fn fold(op: BinaryOp, left: &BigUint, right: &BigUint, width: usize) -> Option<Expr> {
    let modulus = BigUint::from(1u8) << width;
    let value = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left + &modulus - right,
        BinaryOp::Mul => left * right,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::Shl => left << usize::try_from(right).ok()?,
        BinaryOp::Shr => left >> usize::try_from(right).ok()?,
        BinaryOp::Eq => return Some(Expr::bit(left == right)),
        BinaryOp::Ne => return Some(Expr::bit(left != right)),
        BinaryOp::Lt => return Some(Expr::bit(left < right)),
        BinaryOp::Le => return Some(Expr::bit(left <= right)),
        BinaryOp::Gt => return Some(Expr::bit(left > right)),
        BinaryOp::Ge => return Some(Expr::bit(left >= right)),
    };
    Some(Expr::constant(value, width))
}

/// Which bits of a signal a statement writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    Whole,
    Part { offset: usize, width: usize },
    Dynamic { offset: Expr, width: usize },
}

/// A statement of a kernel after loops are unrolled and names resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Assign {
        target: SignalId,
        range: Range,
        value: Expr,
    },
    If {
        test: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Case {
        selector: Expr,
        arms: Vec<(Vec<Constant>, Vec<Stmt>)>,
        default: Option<Vec<Stmt>>,
    },
    Comment(String),
}

/// Calls `visit` with every statement, outer before inner.
pub fn walk<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in body {
        visit(stmt);
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                walk(then, visit);
                walk(otherwise, visit);
            }
            Stmt::Case { arms, default, .. } => {
                arms.iter().for_each(|(_, arm)| walk(arm, visit));
                if let Some(default) = default {
                    walk(default, visit);
                }
            }
            Stmt::Assign { .. } | Stmt::Comment(_) => {}
        }
    }
}

impl Stmt {
    /// Calls `visit` for every expression of this statement alone, not of those nested in it.
    pub fn own_expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Stmt::Assign { range, value, .. } => {
                if let Range::Dynamic { offset, .. } = range {
                    visit(offset);
                }
                visit(value);
            }
            Stmt::If { test, .. } => visit(test),
            Stmt::Case { selector, .. } => visit(selector),
            Stmt::Comment(_) => {}
        }
    }
}

/// Signals that `body` writes, in order of their first write.
pub fn written(body: &[Stmt]) -> Vec<SignalId> {
    let mut targets = Vec::new();
    walk(body, &mut |stmt| {
        if let Stmt::Assign { target, .. } = stmt {
            if !targets.contains(target) {
                targets.push(*target);
            }
        }
    });
    targets
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
        assert_eq!(
            Expr::unary(UnaryOp::Negate, Expr::constant(0u8, 4)),
            Expr::constant(0u8, 4)
        );
    }

    #[test]
    fn parts_of_a_sum_exist_at_the_bottom_only() {
        let sum = Expr::binary(BinaryOp::Add, Expr::signal(0, 8), Expr::signal(1, 8));
        assert_eq!(sum.clone().part(4, 4), None);
        let low = sum.part(0, 4).expect("low bits of a sum are a sum of low bits");
        assert_eq!(low.width(), 4);
    }

    #[test]
    fn parts_reach_through_concatenations() {
        let joined = Expr::concat(vec![Expr::signal(0, 4), Expr::constant(0b10u8, 2), Expr::signal(1, 4)]);
        let middle = joined.part(3, 4).unwrap();
        assert_eq!(
            middle,
            Expr::Concat(vec![
                Expr::Part {
                    signal: 0,
                    of: 4,
                    offset: 0,
                    width: 1
                },
                Expr::constant(0b10u8, 2),
                Expr::Part {
                    signal: 1,
                    of: 4,
                    offset: 3,
                    width: 1
                },
            ])
        );
    }
}
