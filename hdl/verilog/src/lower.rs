//! From the kernel's AST to statements: loops unrolled, names resolved, widths settled, constants folded.

use crate::{
    comment,
    error::{Error, Result},
    expr::{Constant, SignalId},
    index::Place,
    kernel::Lowering,
    path,
    stmt::{without_loose_comments, Range, Stmt},
    symbols::{dotted, Role},
};
use num_bigint::BigUint;
use std::collections::HashSet;

use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLink, VerilogLinkDetails,
    VerilogLoop, VerilogMatch, VerilogStatement,
};

/// Suffixes that a number in a pattern may have.
const SUFFIXES: [&str; 6] = ["usize", "u128", "u64", "u32", "u16", "u8"];

impl Lowering<'_> {
    /// The statements of a kernel, or of a branch of one.
    pub fn block(&mut self, block: &VerilogBlock) -> Result<Vec<Stmt>> {
        let mut body = Vec::new();
        for statement in block {
            self.statement(statement, &mut body)?;
        }
        Ok(without_loose_comments(body))
    }

    fn statement(&mut self, statement: &VerilogStatement, body: &mut Vec<Stmt>) -> Result<()> {
        match statement {
            VerilogStatement::Assignment(target, value) => body.push(self.assignment(target, value)?),
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => body.push(self.part_assignment(self.target(base)?, *width, offset, replacement)?),
            VerilogStatement::If(conditional) => self.conditional(conditional, body)?,
            VerilogStatement::Match(case) => self.case(case, body)?,
            VerilogStatement::Loop(repeat) => self.repeat(repeat, body)?,
            VerilogStatement::Comment(source) => {
                let id = source.as_ptr() as usize;
                body.extend(comment::text(source).map(|text| Stmt::Comment { id, text }));
            }
            VerilogStatement::Link(links) => {
                for link in links {
                    body.push(self.link(link)?);
                }
            }
            VerilogStatement::Macro(block) => body.extend(self.block(block)?),
        }
        Ok(())
    }

    fn assignment(&self, target: &VerilogExpression, value: &VerilogExpression) -> Result<Stmt> {
        let target = self.target(target)?;
        match value {
            // A signal that is itself but for a bit is a write to that bit.
            VerilogExpression::IndexReplace(base, index, bit) if self.is_signal(base, target) => {
                self.part_assignment(target, 1, index, bit)
            }
            _ => {
                let width = self.symbols.signals[target].width;
                Ok(Stmt::whole(target, self.sized(value, width, target)?))
            }
        }
    }

    fn part_assignment(
        &self,
        target: SignalId,
        width: usize,
        offset: &VerilogExpression,
        value: &VerilogExpression,
    ) -> Result<Stmt> {
        let of = self.symbols.signals[target].width;
        let value = self.sized(value, width, target)?;
        let range = match self.place(offset, of)? {
            Place::Fixed(0) if width == of => Range::Whole,
            Place::Fixed(offset) if offset + width <= of => Range::Part { offset, width },
            Place::Fixed(offset) => {
                let index = format!("{offset} of `{}`", self.symbols.signals[target].path);
                return Err(self.bad_index(index, format!("it has {of} bits")));
            }
            Place::Dynamic(_) if of == 1 => Range::Whole,
            Place::Dynamic(offset) => Range::Dynamic { offset, width },
        };
        Ok(Stmt::Assign { target, range, value })
    }

    fn is_signal(&self, expression: &VerilogExpression, signal: SignalId) -> bool {
        match expression {
            VerilogExpression::Paren(inner) => self.is_signal(inner, signal),
            VerilogExpression::Signal(text) => {
                let key = path::resolve(text, self.symbols, &self.loops, self.block);
                key.is_ok_and(|key| self.symbols.signal(&key) == Some(signal))
            }
            _ => false,
        }
    }

    fn target(&self, expression: &VerilogExpression) -> Result<SignalId> {
        let VerilogExpression::Signal(text) = expression else {
            return Err(Error::Unsupported {
                block: self.name(),
                what: "a target that is not a signal".into(),
            });
        };
        self.writable(text)
    }

    fn writable(&self, text: &str) -> Result<SignalId> {
        let key = path::resolve(text, self.symbols, &self.loops, self.block)?;
        let role = self.symbols.signal(&key).map(|id| (id, self.symbols.signals[id].role));
        match role {
            Some((id, Role::Output | Role::Local | Role::Next(_) | Role::Clock(_) | Role::Sink(_))) => Ok(id),
            None if !self.symbols.knows(&key) => Err(self.unknown(&key)),
            _ => Err(Error::NotWritable {
                block: self.name(),
                signal: dotted(&key),
            }),
        }
    }

    fn conditional(&mut self, conditional: &VerilogConditional, body: &mut Vec<Stmt>) -> Result<()> {
        let test = self.bit_value(&conditional.test, "a condition")?;
        let then = self.block(&conditional.then)?;
        let mut otherwise = Vec::new();
        match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => otherwise = self.block(block)?,
            VerilogBlockOrConditional::Conditional(statement) => self.statement(statement, &mut otherwise)?,
            VerilogBlockOrConditional::None => {}
        }
        body.extend(Stmt::choice(test, then, otherwise));
        Ok(())
    }

    fn case(&mut self, case: &VerilogMatch, body: &mut Vec<Stmt>) -> Result<()> {
        let selector = self.value(&case.test, None)?;
        let width = selector.width();
        let (mut arms, mut default, mut taken) = (Vec::new(), None, HashSet::new());
        let mut values = None;
        for arm in &case.cases {
            let statements = self.block(&arm.block)?;
            if arm.condition == "default" {
                // What follows a wildcard is never reached.
                default = Some(statements);
                break;
            }
            values = values.or(self.symbols.values_beside(&arm.condition.replace("::", "$")));
            let label = self.label(&arm.condition, width)?;
            if taken.insert(label.value.clone()) {
                arms.push((label, statements));
            }
        }
        // Rust never reaches a wildcard below all values, so it must not make a latch, and neither must codes that no
        // value has: the last arm takes both. A wildcard that says what such codes do keeps them.
        let all_codes = width < usize::BITS as usize && taken.len() == 1 << width;
        let all_values = values == Some(taken.len());
        if all_codes || (all_values && default.as_ref().is_none_or(Vec::is_empty)) {
            default = arms.pop().map(|(_, statements)| statements);
        }
        body.extend(Stmt::case(selector, arms, default));
        Ok(())
    }

    /// The value of a pattern: one of an enumeration, a number, or a boolean.
    fn label(&self, text: &str, width: usize) -> Result<Constant> {
        let key = text.replace("::", "$");
        let named = self.symbols.constant(&key).filter(|_| key.contains('$'));
        let number = || {
            self.numeral(text).map(|value| Constant {
                value,
                width,
                name: None,
            })
        };
        let constant = || {
            let number = self.symbols.number(&key)?.clone();
            Some(Constant {
                value: number.value,
                width,
                name: number.name,
            })
        };
        let label = named
            .cloned()
            .or_else(constant)
            .or_else(number)
            .ok_or_else(|| Error::Unsupported {
                block: self.name(),
                what: format!("pattern `{text}`, which is neither a number nor a value of an enumeration,"),
            })?;
        let is_value = named.is_some();
        let found = match is_value {
            true => label.width,
            false => label.value.bits() as usize,
        };
        if found > width || (is_value && found != width) {
            return Err(Error::WidthMismatch {
                block: self.name(),
                what: format!("case label {text}"),
                found,
                expected: width,
            });
        }
        Ok(label)
    }

    fn numeral(&self, text: &str) -> Option<BigUint> {
        let digits = text.replace('_', "");
        let digits = SUFFIXES
            .iter()
            .find_map(|suffix| digits.strip_suffix(suffix))
            .unwrap_or(&digits);
        match digits.split_at_checked(2) {
            _ if text == "true" || text == "false" => Some(BigUint::from(text == "true")),
            Some(("0x", digits)) => BigUint::parse_bytes(digits.as_bytes(), 16),
            Some(("0o", digits)) => BigUint::parse_bytes(digits.as_bytes(), 8),
            Some(("0b", digits)) => BigUint::parse_bytes(digits.as_bytes(), 2),
            _ => BigUint::parse_bytes(digits.as_bytes(), 10),
        }
    }

    fn repeat(&mut self, repeat: &VerilogLoop, body: &mut Vec<Stmt>) -> Result<()> {
        if self.symbols.knows(&repeat.index) {
            // In the kernel's text `self.` is gone: nothing tells the two apart.
            let what = format!("loop variable `{0}` beside a signal `{0}`", repeat.index);
            return Err(Error::Unsupported {
                block: self.name(),
                what,
            });
        }
        for value in repeat.from.as_usize()..repeat.to.as_usize() {
            self.loops.push((repeat.index.clone(), value));
            let statements = self.block(&repeat.block);
            self.loops.pop();
            body.extend(statements?);
        }
        Ok(())
    }

    fn link(&self, link: &VerilogLink) -> Result<Stmt> {
        let (VerilogLink::Forward(details) | VerilogLink::Backward(details)) = link else {
            return Err(Error::Unsupported {
                block: self.name(),
                what: "a bidirectional link".into(),
            });
        };
        let VerilogLinkDetails {
            my_name,
            owner_name,
            other_name,
        } = details;
        let (owner, other) = (format!("{owner_name}{my_name}"), format!("{other_name}{my_name}"));
        let (source, sink) = match link {
            VerilogLink::Forward(_) => (owner, other),
            _ => (other, owner),
        };
        let target = self.writable(&sink)?;
        let width = self.symbols.signals[target].width;
        let value = self.sized(&VerilogExpression::Signal(source), width, target)?;
        Ok(Stmt::whole(target, value))
    }
}
