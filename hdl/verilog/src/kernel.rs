//! The state of lowering one kernel, and what all that lowers it needs.

use crate::{
    error::{Error, Result},
    expr::{BinaryOp, Expr},
    symbols::{dotted, Symbols},
};
use rust_hdl::core::ast::VerilogOp;

/// The state of lowering one kernel.
pub struct Lowering<'a> {
    pub symbols: &'a Symbols,
    /// Path of the block, for errors.
    pub block: &'a str,
    /// Variables of the loops that are being unrolled.
    pub loops: Vec<(String, usize)>,
}

impl Lowering<'_> {
    pub fn name(&self) -> String {
        self.block.to_owned()
    }

    pub fn unknown(&self, key: &str) -> Error {
        Error::UnknownName {
            block: self.name(),
            name: dotted(key),
            hint: self.symbols.hint(key),
        }
    }

    pub fn same_width(&self, value: Expr, expected: usize, what: impl Fn() -> String) -> Result<Expr> {
        if value.width() == expected {
            return Ok(value);
        }
        Err(Error::WidthMismatch {
            block: self.name(),
            what: what(),
            found: value.width(),
            expected,
        })
    }

    pub fn part(&self, value: Expr, offset: usize, width: usize, what: &str) -> Result<Expr> {
        value.part(offset, width).ok_or_else(|| self.needs_name(what))
    }

    pub fn needs_name(&self, what: &str) -> Error {
        Error::NeedsName {
            block: self.name(),
            what: what.to_owned(),
        }
    }
}

/// The operator of the same meaning.
pub fn operator(op: &VerilogOp) -> BinaryOp {
    match op {
        VerilogOp::Add => BinaryOp::Add,
        VerilogOp::Sub => BinaryOp::Sub,
        VerilogOp::Mul => BinaryOp::Mul,
        // rust-hdl's && and || take single bits alone, on which they are the bitwise operators.
        VerilogOp::LogicalAnd | VerilogOp::BitAnd => BinaryOp::And,
        VerilogOp::LogicalOr | VerilogOp::BitOr => BinaryOp::Or,
        VerilogOp::BitXor => BinaryOp::Xor,
        VerilogOp::Shl => BinaryOp::Shl,
        VerilogOp::Shr => BinaryOp::Shr,
        VerilogOp::Eq => BinaryOp::Eq,
        VerilogOp::Lt => BinaryOp::Lt,
        VerilogOp::Le => BinaryOp::Le,
        VerilogOp::Ne => BinaryOp::Ne,
        VerilogOp::Ge => BinaryOp::Ge,
        VerilogOp::Gt => BinaryOp::Gt,
    }
}
