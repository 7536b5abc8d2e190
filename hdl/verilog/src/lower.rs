//! From the kernel's AST to statements: loops unrolled, names resolved, widths settled, constants folded.

use crate::{
    error::{Error, Result},
    ir::{Constant, Range, SignalId, Stmt},
    path,
    symbols::{dotted, Role},
    value::Lowering,
};
use num_bigint::BigUint;
use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogLink, VerilogLinkDetails,
    VerilogLoop, VerilogMatch, VerilogStatement,
};

impl Lowering<'_> {
    /// The statements of a kernel, or of a branch of one.
    pub fn block(&mut self, block: &VerilogBlock) -> Result<Vec<Stmt>> {
        let mut body = Vec::new();
        for statement in block {
            self.statement(statement, &mut body)?;
        }
        Ok(body)
    }

    fn statement(&mut self, statement: &VerilogStatement, body: &mut Vec<Stmt>) -> Result<()> {
        match statement {
            VerilogStatement::Assignment(target, value) => {
                let target = self.target(target)?;
                let width = self.symbols.signals[target].width;
                let value = self.sized(value, width, target)?;
                body.push(Stmt::Assign {
                    target,
                    range: Range::Whole,
                    value,
                });
            }
            VerilogStatement::SliceAssignment {
                base,
                width,
                offset,
                replacement,
            } => {
                let target = self.target(base)?;
                let of = self.symbols.signals[target].width;
                let value = self.sized(replacement, *width, target)?;
                let range = match self.offset(offset, of)? {
                    Ok(0) if *width == of => Range::Whole,
                    Ok(offset) if offset + width <= of => Range::Part { offset, width: *width },
                    Ok(offset) => {
                        let index = format!("{offset} of `{}`", self.symbols.signals[target].path);
                        let reason = format!("it has {of} bits");
                        return Err(Error::BadIndex {
                            block: self.name(),
                            index,
                            reason,
                        });
                    }
                    Err(offset) => Range::Dynamic { offset, width: *width },
                };
                body.push(Stmt::Assign { target, range, value });
            }
            VerilogStatement::If(conditional) => self.conditional(conditional, body)?,
            VerilogStatement::Match(case) => self.case(case, body)?,
            VerilogStatement::Loop(repeat) => self.repeat(repeat, body)?,
            VerilogStatement::Comment(text) => body.push(Stmt::Comment(text.clone())),
            VerilogStatement::Link(links) => {
                for link in links {
                    body.push(self.link(link)?);
                }
            }
            VerilogStatement::Macro(block) => body.extend(self.block(block)?),
        }
        Ok(())
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
        let id = self.symbols.signal(&key).ok_or_else(|| self.unknown(&key))?;
        match self.symbols.signals[id].role {
            Role::Output | Role::Local | Role::Next(_) | Role::Clock(_) | Role::Sink(_) => Ok(id),
            Role::Input | Role::State(_) | Role::Source(_) => Err(Error::NotWritable {
                block: self.name(),
                signal: dotted(&key),
            }),
        }
    }

    fn conditional(&mut self, conditional: &VerilogConditional, body: &mut Vec<Stmt>) -> Result<()> {
        let test = self.value(&conditional.test, Some(1))?;
        let then = self.block(&conditional.then)?;
        let mut otherwise = Vec::new();
        match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => otherwise = self.block(block)?,
            VerilogBlockOrConditional::Conditional(statement) => self.statement(statement, &mut otherwise)?,
            VerilogBlockOrConditional::None => {}
        }
        match test.as_constant() {
            Some(value) if *value == BigUint::ZERO => body.extend(otherwise),
            Some(_) => body.extend(then),
            None if then.is_empty() && otherwise.is_empty() => {}
            None => body.push(Stmt::If { test, then, otherwise }),
        }
        Ok(())
    }

    fn case(&mut self, case: &VerilogMatch, body: &mut Vec<Stmt>) -> Result<()> {
        let selector = self.value(&case.test, None)?;
        let width = selector.width();
        let (mut arms, mut default, mut labels) = (Vec::new(), None, 0);
        let mut values = None;
        for arm in &case.cases {
            let statements = self.block(&arm.block)?;
            if arm.condition == "default" {
                default = Some(statements);
            } else {
                values = values.or(self.symbols.values_beside(&arm.condition.replace("::", "$")));
                arms.push((vec![self.label(&arm.condition, width)?], statements));
                labels += 1;
            }
        }
        // Codes that no value of the enumeration has must not make a latch: the last arm takes them.
        let complete = values == Some(labels) || (width < usize::BITS as usize && labels == 1 << width);
        if default.is_none() && complete {
            default = arms.pop().map(|(_, statements)| statements);
        }
        if let Some(value) = selector.as_constant() {
            let taken = arms
                .into_iter()
                .find(|(labels, _)| labels.iter().any(|label| label.value == *value));
            body.extend(taken.map(|(_, statements)| statements).or(default).unwrap_or_default());
        } else {
            body.push(Stmt::Case {
                selector,
                arms,
                default,
            });
        }
        Ok(())
    }

    fn label(&self, text: &str, width: usize) -> Result<Constant> {
        let key = text.replace("::", "$");
        if let Some(constant) = self.symbols.constant(&key) {
            return Ok(constant.clone());
        }
        let digits = text.replace('_', "");
        let (digits, radix) = match digits.get(..2) {
            Some("0x") => (&digits[2..], 16),
            Some("0b") => (&digits[2..], 2),
            _ => (digits.as_str(), 10),
        };
        let digits = digits.trim_end_matches(['u', 's', 'i', 'z', 'e']);
        let value = match text {
            "true" => Some(BigUint::from(1u8)),
            "false" => Some(BigUint::ZERO),
            _ => BigUint::parse_bytes(digits.as_bytes(), radix),
        };
        let value = value.ok_or_else(|| self.unknown(text))?;
        if value.bits() as usize > width {
            let what = format!("case label {text}");
            return Err(Error::WidthMismatch {
                block: self.name(),
                what,
                found: value.bits() as usize,
                expected: width,
            });
        }
        Ok(Constant::new(value, width))
    }

    fn repeat(&mut self, repeat: &VerilogLoop, body: &mut Vec<Stmt>) -> Result<()> {
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
        Ok(Stmt::Assign {
            target,
            range: Range::Whole,
            value,
        })
    }
}
