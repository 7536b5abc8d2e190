//! Indices into values: `get_bit`, `get_bits` and `replace_bit`, with offsets from elaboration or from hardware.
//!
//! In Rust an offset is a `usize`: `at.val().index() + 1` does not wrap at the width of `at`. rust-hdl's AST drops the
//! `.index()`, so offsets are computed here by a rule of their own: as wide as their greatest value needs.

use crate::{
    error::{Error, Result},
    expr::{ones, BinaryOp, Expr, UnaryOp},
    kernel::{operator, Lowering},
};
use num_bigint::BigUint;
use rust_hdl::core::ast::VerilogExpression as Ast;

/// An offset that only the hardware knows, and the greatest value that it can take.
struct Counted {
    value: Expr,
    greatest: BigUint,
}

impl Counted {
    fn new(value: Expr) -> Self {
        let greatest = value.as_constant().cloned().unwrap_or_else(|| ones(value.width()));
        Counted { value, greatest }
    }

    fn number(number: impl Into<BigUint>) -> Self {
        let number = number.into();
        Counted::new(Expr::constant(number.clone(), bits_of(&number)))
    }
}

/// Bits that hold `value`, at least one.
fn bits_of(value: &BigUint) -> usize {
    (value.bits() as usize).max(1)
}

/// Where an index points.
pub enum Place {
    /// Known at elaboration, and inside.
    Fixed(usize),
    /// Known in hardware: as wide as Verilog wants an index into this many bits.
    Dynamic(Expr),
}

/// Whether the value depends on the width that it is computed with.
fn may_wrap(ast: &Ast) -> bool {
    match ast {
        Ast::Paren(inner) => may_wrap(inner),
        Ast::Unary(..) => true,
        Ast::Binary(left, op, right) => !operator(op).is_bitwise() || may_wrap(left) || may_wrap(right),
        _ => false,
    }
}

impl Lowering<'_> {
    /// `base.get_bit(index)`; rust-hdl stops where the index is outside.
    pub fn bit(&self, base: &Ast, index: &Ast) -> Result<Expr> {
        let base = self.value(base, self.own_width(base)?)?;
        match self.place(index, base.width())? {
            Place::Fixed(index) => self.part(base, index, 1, "a value that is sliced"),
            // One bit has no index in Verilog, and only index 0 in rust-hdl.
            Place::Dynamic(_) if base.width() == 1 => Ok(base),
            Place::Dynamic(offset) => self.picked(base, offset, 1),
        }
    }

    /// `base.get_bits::<width>(offset)`; rust-hdl reads zeros past the end.
    pub fn slice(&self, base: &Ast, width: usize, offset: &Ast) -> Result<Expr> {
        let base = self.value(base, self.own_width(base)?)?;
        let of = base.width();
        let counted = self.counted(offset, of)?;
        match self.fixed(&counted, of)? {
            Some(offset) => self.part(base, offset, width, "a value that is sliced"),
            None if counted.greatest <= of.saturating_sub(width).into() => {
                let offset = self.as_index(counted, of)?;
                self.picked(base, offset, width)
            }
            None => {
                let shifted = Expr::binary(BinaryOp::Shr, base, counted.value);
                let what = "a slice whose index may reach past the end (it becomes a right shift)";
                self.part(shifted, 0, width, what)
            }
        }
    }

    /// `base.replace_bit(index, bit)`.
    pub fn replaced(&self, base: &Ast, index: &Ast, bit: &Ast) -> Result<Expr> {
        let base = self.value(base, self.own_width(base)?)?;
        let bit = self.bit_value(bit, "a bit that is put in place")?;
        let width = base.width();
        let counted = self.counted(index, width)?;
        if let Some(index) = self.fixed(&counted, width)? {
            let what = "a value with a bit replaced";
            let high = self.part(base.clone(), index + 1, width - index - 1, what)?;
            let low = self.part(base, 0, index, what)?;
            return Ok(Expr::concat(vec![high, bit, low]));
        }
        let placed = |bit: Expr| Expr::binary(BinaryOp::Shl, bit.zero_extended(width), counted.value.clone());
        let others = Expr::unary(UnaryOp::Not, placed(Expr::bit(true)));
        let cleared = Expr::binary(BinaryOp::And, base, others);
        Ok(Expr::binary(BinaryOp::Or, cleared, placed(bit)))
    }

    fn picked(&self, base: Expr, offset: Expr, width: usize) -> Result<Expr> {
        let signal = base.as_whole_signal();
        let signal = signal.ok_or_else(|| self.needs_name("a value with an index from hardware"))?;
        let offset = Box::new(offset);
        Ok(Expr::DynamicPart { signal, offset, width })
    }

    /// The place that `ast` names in `of` bits.
    pub fn place(&self, ast: &Ast, of: usize) -> Result<Place> {
        let counted = self.counted(ast, of)?;
        match self.fixed(&counted, of)? {
            Some(index) => Ok(Place::Fixed(index)),
            None => Ok(Place::Dynamic(self.as_index(counted, of)?)),
        }
    }

    /// What is cut away is zero, or points outside.
    fn as_index(&self, counted: Counted, of: usize) -> Result<Expr> {
        self.part(counted.value, 0, bits_of(&(of - 1).into()), "an index")
    }

    fn fixed(&self, counted: &Counted, of: usize) -> Result<Option<usize>> {
        let Some(number) = counted.value.as_constant() else {
            return Ok(None);
        };
        match usize::try_from(number) {
            Ok(number) if number < of => Ok(Some(number)),
            _ => Err(self.bad_index(number.to_string(), format!("only {of} bits are there"))),
        }
    }

    pub fn bad_index(&self, index: String, reason: String) -> Error {
        Error::BadIndex {
            block: self.name(),
            index,
            reason,
        }
    }

    fn counted(&self, ast: &Ast, of: usize) -> Result<Counted> {
        match ast {
            Ast::Literal(_) | Ast::Signal(_) if self.own_width(ast)?.is_none() => {
                let wide = self.value(ast, Some(usize::BITS as usize))?;
                Ok(Counted::number(wide.as_constant().cloned().unwrap_or_default()))
            }
            Ast::Binary(left, op, right) => self.counted_binary(left, operator(op), right, of),
            Ast::Paren(inner) if may_wrap(inner) => {
                let number = self.counted(inner, of).ok();
                if let Some(number) = number.filter(|counted| counted.value.as_constant().is_some()) {
                    return Ok(number);
                }
                // Parentheses hide whether `.index()` came before the operator or after it. Where the operator is as wide
                // as any index that can be meant, both are the same.
                let width = self.own_width(inner)?.unwrap_or(usize::BITS as usize);
                if width < bits_of(&(of - 1).into()) {
                    return Err(self.needs_name("arithmetic inside an index"));
                }
                Ok(Counted::new(self.value(inner, Some(width))?))
            }
            Ast::Paren(inner) => self.counted(inner, of),
            _ => Ok(Counted::new(self.value(ast, self.own_width(ast)?)?)),
        }
    }

    fn counted_binary(&self, left: &Ast, op: BinaryOp, right: &Ast, of: usize) -> Result<Counted> {
        let (left, right) = (self.counted(left, of)?, self.counted(right, of)?);
        let greatest = match op {
            BinaryOp::Add => &left.greatest + &right.greatest,
            BinaryOp::Mul => &left.greatest * &right.greatest,
            // A difference below zero is a fault in Rust too.
            BinaryOp::Sub => left.greatest.clone(),
            BinaryOp::And => left.greatest.clone().min(right.greatest.clone()),
            BinaryOp::Or | BinaryOp::Xor => ones(bits_of((&left.greatest).max(&right.greatest))),
            _ => return Err(self.needs_name("an index other than a sum, difference or product")),
        };
        if let (BinaryOp::Sub, Some(l), Some(r)) = (op, left.value.as_constant(), right.value.as_constant()) {
            if l < r {
                return Err(self.bad_index(format!("{l} - {r}"), "it is below zero".into()));
            }
        }
        let widest = (&greatest).max(&left.greatest).max(&right.greatest);
        let width = bits_of(widest);
        let left = self.part(left.value, 0, width, "an index")?;
        let right = self.part(right.value, 0, width, "an index")?;
        let value = Expr::binary(op, left, right);
        let greatest = value.as_constant().cloned().unwrap_or(greatest);
        Ok(Counted { value, greatest })
    }
}
