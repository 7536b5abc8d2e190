//! Signed numbers in kernels: which values they are, their casts and products.

use crate::{
    error::{Error, Result},
    expr::{BinaryOp, Expr},
    kernel::{operator, Lowering},
    path,
};
use rust_hdl::core::ast::{VerilogExpression as Ast, VerilogOpUnary};

/// The only width that rust-hdl multiplies; the product is twice as wide.
pub const FACTOR_BITS: usize = 16;

/// Width of a product. Other products are indices, whose width their place tells.
pub fn product_width(factor: usize) -> usize {
    match factor {
        FACTOR_BITS => 2 * FACTOR_BITS,
        other => other,
    }
}

impl Lowering<'_> {
    /// `signed_bit_cast` of a value: the AST does not tell to which width, its place does.
    pub fn signed_cast(&self, value: Expr, width: usize) -> Result<Expr> {
        match width < value.width() {
            true => self.part(value, 0, width, "a value that is cut"),
            false => Ok(value.sign_extended(width)),
        }
    }

    pub fn loose_cast(&self) -> Error {
        self.needs_name("a signed_bit_cast whose context gives no width")
    }

    /// Whether there is a `signed_bit_cast` in `ast` whose width its place must tell.
    pub fn is_loose(&self, ast: &Ast) -> bool {
        match ast {
            Ast::Signed(inner) => self.is_signed(inner),
            Ast::Paren(inner) | Ast::Unsigned(inner) | Ast::Unary(_, inner) => self.is_loose(inner),
            Ast::Binary(left, op, right) if !operator(op).is_comparison() => {
                self.is_loose(left) || self.is_loose(right)
            }
            _ => false,
        }
    }

    /// Whether `ast` is a `Signed`.
    pub fn is_signed(&self, ast: &Ast) -> bool {
        match ast {
            Ast::Signal(_) if !self.symbols.has_signed() => false,
            Ast::Signal(text) => {
                let key = path::resolve(text, self.symbols, &self.loops, self.block);
                key.is_ok_and(|key| self.symbols.is_signed(&key))
            }
            Ast::Paren(inner) | Ast::Unary(VerilogOpUnary::Neg, inner) | Ast::Slice(inner, ..) => self.is_signed(inner),
            Ast::Signed(_) => true,
            Ast::Binary(left, op, right) => {
                !operator(op).is_comparison() && (self.is_signed(left) || self.is_signed(right))
            }
            _ => false,
        }
    }

    /// The product of two values of one width.
    pub fn product(&self, left: Expr, right: Expr, is_signed: bool) -> Result<Expr> {
        let right = self.same_width(right, left.width(), || "right operand of `*`".into())?;
        let width = product_width(left.width());
        Ok(match is_signed {
            true => Expr::binary(
                BinaryOp::SignedMul,
                left.sign_extended(width),
                right.sign_extended(width),
            ),
            false => Expr::binary(BinaryOp::Mul, left.zero_extended(width), right.zero_extended(width)),
        })
    }
}
