//! Values in kernels: expressions of rust-hdl's AST, each brought to the width that its place needs.

use crate::{
    error::{Error, Result},
    expr::{BinaryOp, Constant, Expr, SignalId, UnaryOp},
    kernel::{operator, Lowering},
    path,
    signed::{product_width, FACTOR_BITS},
    symbols::{Number, Role},
    tree::{literal_value, literal_width},
};
use num_bigint::BigUint;
use rust_hdl::core::{
    ast::{VerilogExpression as Ast, VerilogOpUnary},
    bits::LITERAL_BITS,
};

/// What a name in a kernel stands for.
enum Named {
    Number(Number),
    Value(Expr),
}

impl Lowering<'_> {
    fn named(&self, text: &str) -> Result<Named> {
        if let Some((_, value)) = self.loops.iter().rev().find(|(variable, _)| variable == text) {
            return Ok(Named::Number(Number {
                value: (*value).into(),
                name: None,
            }));
        }
        let key = path::resolve(text, self.symbols, &self.loops, self.block)?;
        if let Some(constant) = self.symbols.constant(&key) {
            return Ok(Named::Value(Expr::Const(constant.clone())));
        }
        if let Some(number) = self.symbols.number(&key) {
            return Ok(Named::Number(number.clone()));
        }
        let id = self.symbols.signal(&key).ok_or_else(|| self.unknown(&key))?;
        let signal = &self.symbols.signals[id];
        match signal.role {
            Role::Clock(_) | Role::Sink(_) => Err(Error::ReadOfSink {
                block: self.name(),
                signal: signal.path.clone(),
            }),
            _ => Ok(Named::Value(Expr::signal(id, signal.width))),
        }
    }

    /// Width of an expression where it has one of its own: literals and loop variables take that of their place.
    pub fn own_width(&self, ast: &Ast) -> Result<Option<usize>> {
        Ok(match ast {
            Ast::Signal(text) => match self.named(text)? {
                Named::Number(_) => None,
                Named::Value(value) => Some(value.width()),
            },
            Ast::Literal(literal) => Some(literal_width(literal)).filter(|width| *width == 1),
            Ast::Cast(_, width) | Ast::Slice(_, width, _) => Some(*width),
            Ast::Signed(inner) if self.is_signed(inner) => None,
            Ast::Paren(inner) | Ast::Unsigned(inner) | Ast::Signed(inner) | Ast::IndexReplace(inner, ..) => {
                self.own_width(inner)?
            }
            Ast::Binary(left, op, right) => match operator(op) {
                op if op.is_comparison() => Some(1),
                op if op.is_shift() => match self.own_width(left)? {
                    // A number shifted by hardware is as wide as rust-hdl makes numbers.
                    None if self.own_width(right)?.is_some() => Some(LITERAL_BITS),
                    width => width,
                },
                op => {
                    let width = match self.own_width(left)? {
                        Some(width) => Some(width),
                        None => self.own_width(right)?,
                    };
                    match op {
                        BinaryOp::Mul if self.is_signed(ast) => Some(2 * FACTOR_BITS),
                        BinaryOp::Mul => width.map(product_width),
                        _ => width,
                    }
                }
            },
            Ast::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, operand) => self.own_width(operand)?,
            Ast::Unary(..) | Ast::Index(..) => Some(1),
        })
    }

    /// The value of `ast` as `target` needs it, `width` bits wide.
    pub fn sized(&self, ast: &Ast, width: usize, target: SignalId) -> Result<Expr> {
        let value = self.value(ast, Some(width))?;
        let what = || format!("value for `{}`", self.symbols.signals[target].path);
        self.same_width(value, width, what)
    }

    /// The value of `ast`; `place` is the width its place asks for, which literals take.
    pub fn value(&self, ast: &Ast, place: Option<usize>) -> Result<Expr> {
        match ast {
            Ast::Signal(text) => match self.named(text)? {
                Named::Number(number) => self.number(number, place),
                Named::Value(value) => Ok(value),
            },
            Ast::Literal(literal) => {
                let place = place.or(Some(literal_width(literal)).filter(|width| *width == 1));
                let (value, name) = (literal_value(literal), None);
                self.number(Number { value, name }, place)
            }
            Ast::Paren(inner) | Ast::Unsigned(inner) => self.value(inner, place),
            Ast::Signed(inner) if self.is_signed(inner) => {
                let width = place.ok_or_else(|| self.loose_cast())?;
                self.signed_cast(self.value(inner, self.own_width(inner)?)?, width)
            }
            Ast::Signed(inner) => self.value(inner, place),
            Ast::Cast(inner, width) => {
                let inner_width = match self.own_width(inner)? {
                    None if self.is_loose(inner) => return Err(self.loose_cast()),
                    own => own.unwrap_or(*width),
                };
                let value = self.value(inner, Some(inner_width))?;
                self.part(value, 0, *width, "a value that is cut")
            }
            Ast::Unary(op, operand) => self.unary(op, operand, place),
            Ast::Binary(left, op, right) => match self.computed(ast)? {
                Some(value) => self.number(Number { value, name: None }, place),
                None => self.binary(left, operator(op), right, place),
            },
            Ast::Index(base, index) => self.bit(base, index),
            Ast::Slice(base, width, offset) => self.slice(base, *width, offset),
            Ast::IndexReplace(base, index, bit) => self.replaced(base, index, bit),
        }
    }

    /// Whether `ast` is made of literals and loop variables alone.
    fn is_number(&self, ast: &Ast) -> bool {
        match ast {
            Ast::Literal(literal) => literal_width(literal) != 1,
            Ast::Signal(text) => matches!(self.named(text), Ok(Named::Number(_))),
            Ast::Paren(inner) | Ast::Unary(VerilogOpUnary::Neg, inner) => self.is_number(inner),
            Ast::Binary(left, _, right) => self.is_number(left) && self.is_number(right),
            _ => false,
        }
    }

    /// The value of arithmetic on numbers and loop variables alone: Rust computes it before the hardware sees it.
    fn computed(&self, ast: &Ast) -> Result<Option<BigUint>> {
        let Ast::Binary(left, op, right) = ast else {
            return Ok(None);
        };
        let op = operator(op);
        if op.is_comparison() || !self.is_number(ast) {
            return Ok(None);
        }
        let value = self.binary(left, op, right, Some(usize::BITS as usize))?;
        Ok(value.as_constant().cloned())
    }

    /// A number in its place, which tells its width.
    fn number(&self, Number { value, name }: Number, place: Option<usize>) -> Result<Expr> {
        let block = self.name();
        let Some(width) = place else {
            let literal = name.unwrap_or_else(|| value.to_string());
            return Err(Error::UnsizedLiteral { block, literal });
        };
        let found = value.bits() as usize;
        if found > width {
            let what = name.map_or_else(|| format!("literal {value}"), |name| format!("constant {name}"));
            return Err(Error::WidthMismatch {
                block,
                what,
                found,
                expected: width,
            });
        }
        Ok(Expr::Const(Constant { value, width, name }))
    }

    /// The value of `ast`, one bit wide.
    pub fn bit_value(&self, ast: &Ast, what: &str) -> Result<Expr> {
        let value = self.value(ast, Some(1))?;
        self.same_width(value, 1, || what.to_owned())
    }

    fn unary(&self, op: &VerilogOpUnary, operand: &Ast, place: Option<usize>) -> Result<Expr> {
        let own = self.own_width(operand)?;
        let (op, width) = match op {
            VerilogOpUnary::Not => (UnaryOp::Not, own.or(place)),
            VerilogOpUnary::Neg => (UnaryOp::Negate, own.or(place)),
            VerilogOpUnary::All => (UnaryOp::All, own),
            VerilogOpUnary::Any => (UnaryOp::Any, own),
            VerilogOpUnary::Xor => (UnaryOp::Parity, own),
        };
        Ok(Expr::unary(op, self.value(operand, width)?))
    }

    fn binary(&self, left: &Ast, op: BinaryOp, right: &Ast, place: Option<usize>) -> Result<Expr> {
        let (own_left, own_right) = (self.own_width(left)?, self.own_width(right)?);
        if op.is_shift() {
            let wide = own_right.map(|_| LITERAL_BITS);
            let left = self.value(left, own_left.or(wide).or(place))?;
            // A shift amount is counted on its own: a literal takes the width that holds it.
            let amount_width = own_right.unwrap_or(usize::BITS as usize);
            return Ok(Expr::binary(op, left, shrunk(self.value(right, Some(amount_width))?)));
        }
        let is_signed = self.is_signed(left) || self.is_signed(right);
        if op == BinaryOp::Mul {
            let width = if is_signed {
                Some(FACTOR_BITS)
            } else {
                own_left.or(own_right).or(place)
            };
            return self.product(self.value(left, width)?, self.value(right, width)?, is_signed);
        }
        if op.is_comparison() {
            if own_left.or(own_right).is_none() && (self.is_loose(left) || self.is_loose(right)) {
                return Err(self.loose_cast());
            }
            if let Some(result) = self.beyond(left, op, right)? {
                return Ok(Expr::bit(result));
            }
        }
        // Two literals meet in comparisons of loop variables alone.
        let both_literal = op.is_comparison().then_some(usize::BITS as usize);
        let width = own_left
            .or(own_right)
            .or(if op.is_comparison() { both_literal } else { place });
        let left = self.value(left, width)?;
        let right = self.value(right, width)?;
        // A carry is added as the bit that it is.
        let right = match op {
            BinaryOp::Add if right.width() == 1 => right.zero_extended(left.width()),
            _ => self.same_width(right, left.width(), || format!("right operand of `{}`", op.symbol()))?,
        };
        let op = if is_signed { op.signed() } else { op };
        Ok(Expr::binary(op, left, right))
    }

    /// What comes of comparing a signal with a computed number that is beyond its width, as indices are.
    fn beyond(&self, left: &Ast, op: BinaryOp, right: &Ast) -> Result<Option<bool>> {
        let is_beyond = |signal: &Ast, number: &Ast| -> Result<bool> {
            let Some(width) = self.own_width(signal)? else {
                return Ok(false);
            };
            let number = match number {
                Ast::Signal(text) => match self.named(text)? {
                    Named::Number(number) => Some(number.value),
                    Named::Value(_) => None,
                },
                Ast::Paren(inner) => self.computed(inner)?,
                other => self.computed(other)?,
            };
            Ok(number.is_some_and(|number| number.bits() as usize > width))
        };
        Ok(if is_beyond(left, right)? {
            Some(matches!(op, BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le))
        } else if is_beyond(right, left)? {
            Some(matches!(op, BinaryOp::Ne | BinaryOp::Gt | BinaryOp::Ge))
        } else {
            None
        })
    }
}

/// A constant without its leading zeros, at least a bit wide.
fn shrunk(value: Expr) -> Expr {
    match value.as_constant() {
        Some(constant) => Expr::constant(constant.clone(), (constant.bits() as usize).max(1)),
        None => value,
    }
}
