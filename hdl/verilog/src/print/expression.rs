//! Expressions in Verilog: every literal sized, parentheses wherever two operators meet.

use super::{function, Named, Printer};
use crate::{
    expr::{ones, BinaryOp, Constant, Expr, SignalId, UnaryOp},
    fold::signed_number,
    names,
    stmt::Range,
    tree::Field,
};
use num_bigint::Sign;

/// Constants up to here read best in decimal, except masks.
const LARGEST_DECIMAL: u32 = 4096;

/// Masks this wide read best in hexadecimal.
const NARROWEST_MASK: usize = 4;

pub fn literal(constant: &Constant) -> String {
    let Constant { value, width, .. } = constant;
    let is_mask = *width >= NARROWEST_MASK && *value == ones(*width);
    match width {
        1 => format!("1'b{value}"),
        _ if *value <= LARGEST_DECIMAL.into() && !is_mask => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

impl Printer<'_> {
    pub fn target(&self, id: SignalId, range: &Range) -> String {
        match range {
            Range::Whole => self.name(id).to_owned(),
            Range::Part { offset, width } => self.range(id, self.symbols.signals[id].width, *offset, *width),
            Range::Dynamic { offset, width } => self.dynamic(id, offset, *width),
        }
    }

    fn range(&self, id: SignalId, of: usize, offset: usize, width: usize) -> String {
        let name = self.name(id);
        if width == of {
            return name.to_owned();
        }
        match (width, self.field(id, offset, width)) {
            (1, Some(field)) => format!("{name}[{field}]"),
            (_, Some(field)) => format!("{name}[{field} +: {width}]"),
            (1, None) => format!("{name}[{offset}]"),
            (_, None) => format!("{name}[{}:{offset}]", offset + width - 1),
        }
    }

    /// Where a part of a record begins, in words: the field that it is, or the innermost in which it begins.
    fn field(&self, id: SignalId, offset: usize, width: usize) -> Option<String> {
        let fields = &self.symbols.signals[id].fields;
        let is_it = |field: &&Field| (field.offset, field.width) == (offset, width);
        let begins_in = |field: &&Field| (field.offset..field.offset + field.width).contains(&offset);
        let field = fields.iter().find(is_it).or_else(|| fields.iter().rfind(begins_in))?;
        let name = names::constant(&field.name);
        if !names::is_identifier(&name) || self.constants.values().any(|other| *other == name) {
            return None;
        }
        let record = field.name.split("::").next().unwrap_or_default().to_owned();
        let parameter = (
            Named::Field(record, field.offset),
            name.clone(),
            field.offset.to_string(),
        );
        self.named.borrow_mut().insert(parameter);
        match offset - field.offset {
            0 => Some(name),
            beyond => Some(format!("{name} + {beyond}")),
        }
    }

    /// A literal, or the name of its `localparam`.
    pub fn constant(&self, value: &Constant) -> String {
        let name = value
            .name
            .as_ref()
            .and_then(|name| self.constants.get(&(name.clone(), value.width)));
        let Some(name) = name else {
            return literal(value);
        };
        let what = Named::Constant(value.value.clone(), value.width);
        self.named.borrow_mut().insert((what, name.clone(), literal(value)));
        name.clone()
    }

    fn dynamic(&self, id: SignalId, offset: &Expr, width: usize) -> String {
        let (name, at) = (self.name(id), self.expr(offset));
        match (width, offset) {
            (1, _) => format!("{name}[{at}]"),
            (_, Expr::Binary(..)) => format!("{name}[({at}) +: {width}]"),
            _ => format!("{name}[{at} +: {width}]"),
        }
    }

    pub fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => self.constant(value),
            Expr::Part {
                signal,
                of,
                offset,
                width,
            } => self.range(*signal, *of, *offset, *width),
            Expr::DynamicPart { signal, offset, width } => self.dynamic(*signal, offset, *width),
            Expr::Unary(op, operand) => {
                let text = self.expr(operand);
                match **operand {
                    Expr::Binary(BinaryOp::SignedMul, ..) => format!("{}{text}", unary_symbol(*op)),
                    Expr::Unary(..) | Expr::Binary(..) => format!("{}({text})", unary_symbol(*op)),
                    _ => format!("{}{text}", unary_symbol(*op)),
                }
            }
            Expr::Binary(op, left, right) if op.is_signed() => self.signed_operation(*op, left, right),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.operand(*op, left, true), self.operand(*op, right, false));
                format!("{left} {} {right}", op.symbol())
            }
            Expr::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expr(part)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Expr::SignExtend(operand, width) => self.sign_extended(operand, *width),
        }
    }

    /// An expression that has its place to itself: no neighbour changes the sign of a product, and it is as wide as its
    /// place.
    pub fn whole_expr(&self, expr: &Expr) -> String {
        let Expr::Binary(BinaryOp::SignedMul, left, right) = expr else {
            return self.expr(expr);
        };
        // A product of two numbers may be twice as wide as they are.
        let factor = |operand: &Expr| match operand {
            Expr::SignExtend(inner, width) if *width == 2 * inner.width() => Some(self.signed(inner)),
            _ => None,
        };
        let factors = factor(left).zip(factor(right));
        let (left, right) = factors.unwrap_or_else(|| (self.signed(left), self.signed(right)));
        format!("{left} * {right}")
    }

    /// Copies of the highest bit before a signal; any other value has its name in a function.
    fn sign_extended(&self, operand: &Expr, width: usize) -> String {
        let (text, own) = (self.whole_expr(operand), operand.width());
        let Expr::Part { signal, of, offset, .. } = operand else {
            return format!("{}({text})", function::sign_extension(own, width));
        };
        let sign = self.range(*signal, *of, offset + own - 1, 1);
        match own {
            1 => format!("{{{width}{{{sign}}}}}"),
            _ if width == own + 1 => format!("{{{sign}, {text}}}"),
            _ => format!("{{{{{}{{{sign}}}}}, {text}}}", width - own),
        }
    }

    /// A number in two's complement, as an operand of a signed operator.
    fn signed(&self, operand: &Expr) -> String {
        match operand {
            Expr::Const(Constant {
                value,
                width,
                name: None,
            }) if *width > 1 => {
                let number = signed_number(value, *width);
                match number.sign() {
                    Sign::Minus => format!("-{width}'sd{}", number.magnitude()),
                    _ => format!("{width}'sd{number}"),
                }
            }
            _ => format!("$signed({})", self.expr(operand)),
        }
    }

    /// A signed product is unsigned to its neighbours, whose own operands would otherwise lose their sign, or it its own.
    fn signed_operation(&self, op: BinaryOp, left: &Expr, right: &Expr) -> String {
        let text = format!("{} {} {}", self.signed(left), op.symbol(), self.signed(right));
        match op {
            BinaryOp::SignedMul => format!("$unsigned({text})"),
            _ => text,
        }
    }

    /// Parentheses wherever two different operators meet: nobody should need the table of precedences.
    fn operand(&self, parent: BinaryOp, operand: &Expr, is_left: bool) -> String {
        let chains = matches!(parent, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add);
        match operand {
            // An amount is counted on its own, so it needs no width.
            Expr::Const(Constant { value, name: None, .. }) if parent.is_shift() && !is_left => value.to_string(),
            Expr::Binary(BinaryOp::SignedMul, ..) => self.expr(operand),
            Expr::Binary(op, ..) if !(*op == parent && chains && is_left) => format!("({})", self.expr(operand)),
            Expr::Unary(UnaryOp::All | UnaryOp::Any | UnaryOp::Parity, _) => format!("({})", self.expr(operand)),
            _ => self.expr(operand),
        }
    }
}

fn unary_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "~",
        UnaryOp::Negate => "-",
        UnaryOp::All => "&",
        UnaryOp::Any => "|",
        UnaryOp::Parity => "^",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_carry_their_width() {
        let text = |value: u64, width| literal(&Constant::new(value, width));
        assert_eq!(text(1, 1), "1'b1");
        assert_eq!(text(3, 2), "2'd3");
        assert_eq!(text(15, 4), "4'hf");
        assert_eq!(text(4096, 16), "16'd4096");
        assert_eq!(text(0xbeef, 16), "16'hbeef");
    }
}
