//! Statements of `always @*` blocks.

use super::{put, wrap::statement, Printer, INDENT};
use crate::{
    expr::{Expr, SignalId},
    stmt::{Range, Stmt},
};

/// A comment, line by line.
pub fn comment(text: &str, pad: &str) -> String {
    text.lines()
        .map(|line| format!("{}\n", format!("{pad}// {line}").trim_end()))
        .collect()
}

impl Printer<'_> {
    pub fn statements(&self, body: &[Stmt], depth: usize, text: &mut String) {
        let pad = INDENT.repeat(depth);
        for stmt in body {
            match stmt {
                Stmt::Assign { target, range, value } => {
                    put(
                        text,
                        &statement(&format!("{pad}{}", self.assignment(*target, range, value))),
                    );
                }
                Stmt::Comment { text: source, .. } => text.push_str(&comment(source, &pad)),
                Stmt::If { .. } => self.conditional(stmt, depth, text),
                Stmt::Case {
                    selector,
                    arms,
                    default,
                } => {
                    put(text, &statement(&format!("{pad}case ({})", self.expr(selector))));
                    for (label, arm) in arms {
                        self.arm(&self.constant(label), arm, depth + 1, text);
                    }
                    // A case without a default is full or has its defaults above: say so.
                    self.arm("default", default.as_deref().unwrap_or(&[]), depth + 1, text);
                    put(text, &format!("{pad}endcase"));
                }
            }
        }
    }

    pub fn assignment(&self, target: SignalId, range: &Range, value: &Expr) -> String {
        format!("{} = {};", self.target(target, range), self.whole_expr(value))
    }

    fn arm(&self, label: &str, arm: &[Stmt], depth: usize, text: &mut String) {
        let pad = INDENT.repeat(depth);
        match arm {
            [] => put(text, &format!("{pad}{label}: ;")),
            [Stmt::Assign { target, range, value }] => {
                put(
                    text,
                    &statement(&format!("{pad}{label}: {}", self.assignment(*target, range, value))),
                );
            }
            _ => {
                put(text, &format!("{pad}{label}: begin"));
                self.statements(arm, depth + 1, text);
                put(text, &format!("{pad}end"));
            }
        }
    }

    fn conditional(&self, stmt: &Stmt, depth: usize, text: &mut String) {
        let pad = INDENT.repeat(depth);
        let mut lead = format!("{pad}if");
        let mut current = stmt;
        while let Stmt::If { test, then, otherwise } = current {
            put(text, &statement(&format!("{lead} ({}) begin", self.expr(test))));
            self.statements(then, depth + 1, text);
            match otherwise.as_slice() {
                [] => break,
                [next @ Stmt::If { .. }] => {
                    lead = format!("{pad}end else if");
                    current = next;
                }
                other => {
                    put(text, &format!("{pad}end else begin"));
                    self.statements(other, depth + 1, text);
                    break;
                }
            }
        }
        put(text, &format!("{pad}end"));
    }
}
