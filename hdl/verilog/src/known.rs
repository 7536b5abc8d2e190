//! Constants followed through a kernel: what a local or an output is known to hold is put where it is read.
//!
//! An `always @*` that reads nothing but constants would never run in an event-driven simulator. After this pass none is
//! left: a kernel's value is either known, and then assigned whole, or it depends on a signal from outside.

use crate::{
    expr::{mask, Constant, Expr, SignalId},
    stmt::{without_loose_comments, Range, Stmt},
    symbols::Symbols,
};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Bits of a signal that are known, and their values; the name of the constant where all come from one.
#[derive(Clone, Debug, Default, PartialEq)]
struct Bits {
    known: BigUint,
    value: BigUint,
    name: Option<String>,
}

impl Bits {
    fn forget(&mut self, bits: &BigUint) {
        let kept = &self.known - (&self.known & bits);
        self.value &= &kept;
        self.known = kept;
        self.name = None;
    }

    fn learn(&mut self, bits: BigUint, value: BigUint) {
        self.forget(&bits);
        self.known |= bits;
        self.value |= value;
    }
}

/// What is known of each signal at some statement.
type Known = HashMap<SignalId, Bits>;

/// The kernel with every known value in place of its reading, and no choice that is already made.
pub fn propagate(body: Vec<Stmt>, symbols: &Symbols) -> Vec<Stmt> {
    Follower { symbols }.run(body, &mut Known::new())
}

struct Follower<'a> {
    symbols: &'a Symbols,
}

impl Follower<'_> {
    fn run(&self, body: Vec<Stmt>, known: &mut Known) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in body {
            match stmt {
                Stmt::Comment { .. } => out.push(stmt),
                Stmt::Assign { target, range, value } => out.push(self.assign(target, range, value, known)),
                Stmt::If { test, then, otherwise } => {
                    let test = self.substitute(test, known);
                    match test.as_constant().map(|value| *value == BigUint::ZERO) {
                        Some(false) => out.extend(self.run(then, known)),
                        Some(true) => out.extend(self.run(otherwise, known)),
                        None => {
                            let mut ends = [known.clone(), known.clone()];
                            let then = self.run(then, &mut ends[0]);
                            let otherwise = self.run(otherwise, &mut ends[1]);
                            *known = agreed(ends);
                            out.extend(Stmt::choice(test, then, otherwise));
                        }
                    }
                }
                Stmt::Case {
                    selector,
                    arms,
                    default,
                } => {
                    let selector = self.substitute(selector, known);
                    if selector.as_constant().is_some() {
                        out.extend(self.run(Stmt::case(selector, arms, default), known));
                        continue;
                    }
                    let mut ends = Vec::new();
                    let mut follow = |arm: Vec<Stmt>| {
                        let mut end = known.clone();
                        let arm = self.run(arm, &mut end);
                        ends.push(end);
                        arm
                    };
                    let arms = arms.into_iter().map(|(label, arm)| (label, follow(arm))).collect();
                    let default = default.map(&mut follow);
                    if default.is_none() {
                        ends.push(known.clone());
                    }
                    *known = agreed(ends);
                    out.extend(Stmt::case(selector, arms, default));
                }
            }
        }
        without_loose_comments(out)
    }

    fn assign(&self, target: SignalId, range: Range, value: Expr, known: &mut Known) -> Stmt {
        let value = self.substitute(value, known);
        let whole = self.symbols.signals[target].width;
        let bits = known.entry(target).or_default();
        match range {
            Range::Whole => {
                *bits = Bits::default();
                if let Expr::Const(constant) = &value {
                    bits.learn(mask(0, whole), constant.value.clone());
                    bits.name = constant.name.clone();
                }
            }
            Range::Part { offset, width } => match value.as_constant() {
                Some(constant) => {
                    bits.learn(mask(offset, width), constant << offset);
                    if bits.known == mask(0, whole) {
                        return Stmt::whole(target, Expr::constant(bits.value.clone(), whole));
                    }
                }
                None => bits.forget(&mask(offset, width)),
            },
            Range::Dynamic { offset, width } => {
                let offset = self.substitute(offset, known);
                if let Some(offset) = inside(&offset, width, whole) {
                    return self.assign(target, Range::Part { offset, width }, value, known);
                }
                known.remove(&target);
                let range = Range::Dynamic { offset, width };
                return Stmt::Assign { target, range, value };
            }
        }
        Stmt::Assign { target, range, value }
    }

    fn substitute(&self, expression: Expr, known: &Known) -> Expr {
        let inner = |operand: Box<Expr>| self.substitute(*operand, known);
        match expression {
            Expr::Part {
                signal,
                of,
                offset,
                width,
            } => match known.get(&signal).filter(|_| !self.symbols.is_next(signal)) {
                Some(bits) if &bits.known & mask(offset, width) == mask(offset, width) => {
                    let name = bits.name.clone().filter(|_| width == of);
                    let constant = Constant::new(&bits.value >> offset, width);
                    Expr::Const(Constant { name, ..constant })
                }
                _ => expression,
            },
            Expr::DynamicPart { signal, offset, width } => {
                let (offset, of) = (inner(offset), self.symbols.signals[signal].width);
                let part = |offset| Expr::Part {
                    signal,
                    of,
                    offset,
                    width,
                };
                match inside(&offset, width, of) {
                    Some(offset) => self.substitute(part(offset), known),
                    None => Expr::DynamicPart {
                        signal,
                        offset: Box::new(offset),
                        width,
                    },
                }
            }
            Expr::Unary(op, operand) => Expr::unary(op, inner(operand)),
            Expr::SignExtend(operand, width) => inner(operand).sign_extended(width),
            Expr::Binary(op, left, right) => Expr::binary(op, inner(left), inner(right)),
            Expr::Concat(parts) => {
                let parts = parts.into_iter().map(|part| self.substitute(part, known));
                Expr::concat(parts.collect())
            }
            Expr::Const(_) => expression,
        }
    }
}

/// The offset as a number, where it is one and `width` bits from there are within `of`.
fn inside(offset: &Expr, width: usize, of: usize) -> Option<usize> {
    let offset = usize::try_from(offset.as_constant()?).ok()?;
    (offset + width <= of).then_some(offset)
}

/// What all of these agree on.
fn agreed(ends: impl IntoIterator<Item = Known>) -> Known {
    let mut ends = ends.into_iter();
    let mut common = ends.next().unwrap_or_default();
    for end in ends {
        common.retain(|id, bits| {
            end.get(id).is_some_and(|other| {
                let shared = &bits.known & &other.known;
                let different = (&bits.value ^ &other.value) & &shared;
                let name = bits.name.take().filter(|name| other.name.as_ref() == Some(name));
                bits.forget(&((&bits.known ^ &shared) | different));
                bits.name = name;
                bits.known != BigUint::ZERO
            })
        });
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{expr::BinaryOp, symbols::Role};

    const TEST: SignalId = 0;
    const LOCAL: SignalId = 1;
    const RESULT: SignalId = 2;

    fn symbols() -> Symbols {
        Symbols::of(&[
            ("test", 1, Role::Input),
            ("local", 4, Role::Local),
            ("result", 4, Role::Output),
        ])
    }

    fn set(target: SignalId, value: u8) -> Stmt {
        Stmt::whole(target, Expr::constant(value, 4))
    }

    fn set_part(target: SignalId, offset: usize, width: usize, value: Expr) -> Stmt {
        let range = Range::Part { offset, width };
        Stmt::Assign { target, range, value }
    }

    fn read_local() -> Stmt {
        Stmt::whole(RESULT, Expr::signal(LOCAL, 4))
    }

    /// What is assigned to the result at the end of `body`.
    fn result(body: Vec<Stmt>) -> Expr {
        match propagate(body, &symbols()).pop() {
            Some(Stmt::Assign { value, .. }) => value,
            other => panic!("{other:?} is no assignment"),
        }
    }

    fn either(then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
        let test = Expr::signal(TEST, 1);
        Stmt::If { test, then, otherwise }
    }

    #[test]
    fn parts_add_up_to_a_constant_that_is_assigned_whole() {
        let body = vec![set(LOCAL, 0), set_part(LOCAL, 1, 2, Expr::constant(3u8, 2))];
        assert_eq!(propagate(body.clone(), &symbols()), [set(LOCAL, 0), set(LOCAL, 6)]);
        assert_eq!(result([body, vec![read_local()]].concat()), Expr::constant(6u8, 4));
    }

    #[test]
    fn after_a_choice_only_what_both_branches_agree_on_is_known() {
        let same = either(vec![set(LOCAL, 5)], vec![set(LOCAL, 5)]);
        assert_eq!(result(vec![same, read_local()]), Expr::constant(5u8, 4));
        let high = Expr::signal(LOCAL, 4).part(2, 2).unwrap();
        let other = either(vec![set(LOCAL, 5)], vec![set(LOCAL, 6)]);
        assert_eq!(result(vec![other.clone(), read_local()]), Expr::signal(LOCAL, 4));
        assert_eq!(
            result(vec![other, set_part(RESULT, 0, 2, high)]),
            Expr::constant(1u8, 2)
        );
        let none = either(vec![set(LOCAL, 5)], Vec::new());
        assert_eq!(result(vec![set(LOCAL, 4), none, read_local()]), Expr::signal(LOCAL, 4));
    }

    #[test]
    fn a_choice_that_is_already_made_leaves_one_branch() {
        let test = Expr::binary(BinaryOp::Eq, Expr::signal(LOCAL, 4), Expr::constant(3u8, 4));
        let chosen = Stmt::If {
            test,
            then: vec![set(RESULT, 1)],
            otherwise: vec![set(RESULT, 2)],
        };
        let body = vec![set(LOCAL, 3), chosen];
        assert_eq!(propagate(body, &symbols()), [set(LOCAL, 3), set(RESULT, 1)]);
    }

    #[test]
    fn an_unknown_part_is_forgotten() {
        let body = vec![
            set(LOCAL, 15),
            set_part(LOCAL, 0, 1, Expr::signal(TEST, 1)),
            read_local(),
        ];
        assert_eq!(result(body), Expr::signal(LOCAL, 4));
    }
}
