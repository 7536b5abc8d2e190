//! Functions: they give a value a name where Verilog needs one to take its sign.

use super::{ports::vector, put, Printer, INDENT};
use crate::expr::Expr;
use std::collections::BTreeSet;

/// The function that widens a number in two's complement.
pub fn sign_extension(from: usize, to: usize) -> String {
    format!("sign_extend_{from}_to_{to}")
}

/// Widths, from and to, of all values in `expression` that a function widens.
pub fn sign_extensions(expression: &Expr, note: &mut dyn FnMut((usize, usize))) {
    match expression {
        Expr::Const(_) | Expr::Part { .. } => {}
        Expr::SignExtend(operand, width) => {
            if !matches!(**operand, Expr::Part { .. }) {
                note((operand.width(), *width));
            }
            sign_extensions(operand, note);
        }
        Expr::DynamicPart { offset: operand, .. } | Expr::Unary(_, operand) => sign_extensions(operand, note),
        Expr::Binary(_, left, right) => {
            sign_extensions(left, note);
            sign_extensions(right, note);
        }
        Expr::Concat(parts) => parts.iter().for_each(|part| sign_extensions(part, note)),
    }
}

impl Printer<'_> {
    pub fn functions(&self, text: &mut String) {
        let mut used = BTreeSet::new();
        self.plan.expressions(&mut |expression| {
            sign_extensions(expression, &mut |widths| {
                used.insert(widths);
            });
        });
        for (from, to) in used {
            let name = sign_extension(from, to);
            let input = format!("input {} value", vector(from)).replace("  ", " ");
            let sign = if from == 1 {
                "value".into()
            } else {
                format!("value[{}]", from - 1)
            };
            put(
                text,
                &format!("{INDENT}function automatic {} {name}({input});", vector(to)),
            );
            let copies = format!("{{{}{{{sign}}}}}", to - from);
            put(text, &format!("{INDENT}{INDENT}{name} = {{{copies}, value}};"));
            put(text, &format!("{INDENT}endfunction\n"));
        }
    }
}
