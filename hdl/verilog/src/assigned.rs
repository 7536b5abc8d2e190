//! Definite assignment: every signal that a kernel drives is driven on every path, and read only after that.

use crate::{
    error::{Error, Result},
    expr::{mask, Expr, SignalId},
    stmt::{Range, Stmt},
    symbols::{Role, Symbols},
};
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};

/// Bits of each signal that are written on every path so far.
type Written = HashMap<SignalId, BigUint>;

struct Checker<'a> {
    symbols: &'a Symbols,
    block: &'a str,
    touched: HashSet<SignalId>,
}

/// Checks `body`, a kernel whose clocks are taken out, against latches, undriven signals and early reads.
pub fn check(body: &[Stmt], symbols: &Symbols, block: &str) -> Result<()> {
    let mut checker = Checker {
        symbols,
        block,
        touched: HashSet::new(),
    };
    let mut written = Written::new();
    checker.run(body, &mut written)?;
    for (id, signal) in symbols.signals.iter().enumerate() {
        let touched = checker.touched.contains(&id);
        let must = match signal.role {
            Role::Output | Role::Next(_) | Role::Sink(_) => true,
            Role::Local => touched,
            Role::Input | Role::State(_) | Role::Clock(_) | Role::Source(_) => false,
        };
        if must && written.get(&id) != Some(&mask(0, signal.width)) {
            return Err(checker.fault(id, touched));
        }
    }
    Ok(())
}

impl Checker<'_> {
    fn fault(&self, id: SignalId, touched: bool) -> Error {
        let (block, signal) = (self.block.to_owned(), self.symbols.signals[id].path.clone());
        match touched {
            true => Error::Latch { block, signal },
            false => Error::Undriven { block, signal },
        }
    }

    fn reads(&self, value: &Expr, written: &Written) -> Result<()> {
        let mut fault = None;
        value.reads(&mut |id, bits| {
            let signal = &self.symbols.signals[id];
            if matches!(signal.role, Role::Local | Role::Output) && fault.is_none() {
                let (offset, width) = bits.unwrap_or((0, signal.width));
                let wanted = mask(offset, width);
                let there = written.get(&id).cloned().unwrap_or_default();
                if &there & &wanted != wanted {
                    fault = Some(signal.path.clone());
                }
            }
        });
        fault.map_or(Ok(()), |signal| {
            Err(Error::ReadBeforeWrite {
                block: self.block.to_owned(),
                signal,
            })
        })
    }

    fn run(&mut self, body: &[Stmt], written: &mut Written) -> Result<()> {
        for stmt in body {
            let mut expressions = Vec::new();
            stmt.own_expressions(&mut |expression| expressions.push(expression));
            for expression in expressions {
                self.reads(expression, written)?;
            }
            match stmt {
                Stmt::Assign { target, range, .. } => self.assign(*target, range, written)?,
                Stmt::If { then, otherwise, .. } => self.branches([then, otherwise], false, written)?,
                Stmt::Case { arms, default, .. } => {
                    let bodies = arms.iter().map(|(_, arm)| arm).chain(default);
                    self.branches(bodies, default.is_none(), written)?;
                }
                Stmt::Comment { .. } => {}
            }
        }
        Ok(())
    }

    fn assign(&mut self, target: SignalId, range: &Range, written: &mut Written) -> Result<()> {
        let whole = mask(0, self.symbols.signals[target].width);
        self.touched.insert(target);
        let entry = written.entry(target).or_default();
        match range {
            Range::Whole => *entry = whole,
            Range::Part { offset, width } => *entry |= mask(*offset, *width),
            // Nobody knows which bits it leaves alone, so all of them need a value before.
            Range::Dynamic { .. } if *entry != whole => return Err(self.fault(target, true)),
            Range::Dynamic { .. } => {}
        }
        Ok(())
    }

    /// What is written after a choice is what every branch writes; `open` when no branch may be taken at all.
    fn branches<'b>(
        &mut self,
        bodies: impl IntoIterator<Item = &'b Vec<Stmt>>,
        open: bool,
        written: &mut Written,
    ) -> Result<()> {
        let before = written.clone();
        let mut common = open.then(|| before.clone());
        for body in bodies {
            let mut branch = before.clone();
            self.run(body, &mut branch)?;
            common = Some(match common {
                None => branch,
                Some(mut common) => {
                    for (id, bits) in common.iter_mut() {
                        *bits &= branch.get(id).cloned().unwrap_or_default();
                    }
                    common
                }
            });
        }
        *written = common.unwrap_or(before);
        Ok(())
    }
}
