//! Statements of a kernel after loops are unrolled and names resolved.

use crate::expr::{Constant, Expr, SignalId, UnaryOp};
use std::collections::HashSet;

/// Which bits of a signal a statement writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    Whole,
    Part { offset: usize, width: usize },
    Dynamic { offset: Expr, width: usize },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Assign {
        target: SignalId,
        range: Range,
        value: Expr,
    },
    If {
        test: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    Case {
        selector: Expr,
        arms: Vec<(Constant, Vec<Stmt>)>,
        default: Option<Vec<Stmt>>,
    },
    /// A comment on the statement below it. Copies of one comment, as unrolled loops make them, have one `id`.
    Comment { id: usize, text: String },
}

impl Stmt {
    pub fn is_comment(&self) -> bool {
        matches!(self, Stmt::Comment { .. })
    }

    pub fn whole(target: SignalId, value: Expr) -> Self {
        let range = Range::Whole;
        Stmt::Assign { target, range, value }
    }

    /// `if test { then } else { otherwise }` as plainly as it can be said.
    pub fn choice(test: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Vec<Stmt> {
        match test.as_constant().map(|value| *value != 0u8.into()) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then.is_empty() && otherwise.is_empty() => Vec::new(),
            None if then.is_empty() => vec![Stmt::If {
                test: Expr::unary(UnaryOp::Not, test),
                then: otherwise,
                otherwise: Vec::new(),
            }],
            None => vec![Stmt::If { test, then, otherwise }],
        }
    }

    /// `case (selector)` as plainly as it can be said.
    pub fn case(selector: Expr, arms: Vec<(Constant, Vec<Stmt>)>, default: Option<Vec<Stmt>>) -> Vec<Stmt> {
        if let Some(value) = selector.as_constant() {
            let taken = arms.into_iter().find(|(label, _)| label.value == *value);
            return taken.map(|(_, arm)| arm).or(default).unwrap_or_default();
        }
        let mut arms = arms;
        if default.as_ref().is_none_or(Vec::is_empty) {
            arms.retain(|(_, arm)| !arm.is_empty());
        }
        match arms.is_empty() {
            true => default.unwrap_or_default(),
            false => vec![Stmt::Case {
                selector,
                arms,
                default,
            }],
        }
    }

    /// Calls `visit` for every expression of this statement alone, not of those nested in it.
    pub fn own_expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Stmt::Assign { range, value, .. } => {
                if let Range::Dynamic { offset, .. } = range {
                    visit(offset);
                }
                visit(value);
            }
            Stmt::If { test, .. } => visit(test),
            Stmt::Case { selector, .. } => visit(selector),
            Stmt::Comment { .. } => {}
        }
    }
}

/// Calls `visit` with every statement, outer before inner.
pub fn walk<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in body {
        visit(stmt);
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                walk(then, visit);
                walk(otherwise, visit);
            }
            Stmt::Case { arms, default, .. } => {
                arms.iter().for_each(|(_, arm)| walk(arm, visit));
                if let Some(default) = default {
                    walk(default, visit);
                }
            }
            Stmt::Assign { .. } | Stmt::Comment { .. } => {}
        }
    }
}

/// `body` without comments that no statement follows.
pub fn without_loose_comments(mut body: Vec<Stmt>) -> Vec<Stmt> {
    while body.last().is_some_and(Stmt::is_comment) {
        body.pop();
    }
    body
}

/// Signals that `body` writes, in order of their first write.
pub fn written(body: &[Stmt]) -> Vec<SignalId> {
    let (mut targets, mut seen) = (Vec::new(), HashSet::new());
    walk(body, &mut |stmt| {
        if let Stmt::Assign { target, .. } = stmt {
            if seen.insert(*target) {
                targets.push(*target);
            }
        }
    });
    targets
}

/// `body` with the assignments to signals that `wanted` names, their comments, and no branch that does nothing.
pub fn keep(body: &[Stmt], wanted: &dyn Fn(SignalId) -> bool) -> Vec<Stmt> {
    let (mut kept, mut comments) = (Vec::new(), Vec::new());
    for stmt in body {
        let here = match stmt {
            Stmt::Comment { .. } => {
                comments.push(stmt.clone());
                continue;
            }
            Stmt::Assign { target, .. } if !wanted(*target) => Vec::new(),
            Stmt::If { test, then, otherwise } => {
                Stmt::choice(test.clone(), keep(then, wanted), keep(otherwise, wanted))
            }
            Stmt::Case {
                selector,
                arms,
                default,
            } => {
                let arms = arms.iter().map(|(label, arm)| (label.clone(), keep(arm, wanted)));
                let default = default.as_ref().map(|arm| keep(arm, wanted));
                Stmt::case(selector.clone(), arms.collect(), default)
            }
            Stmt::Assign { .. } => vec![stmt.clone()],
        };
        if !here.is_empty() {
            kept.append(&mut comments);
        }
        comments.clear();
        kept.extend(here);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(target: SignalId) -> Vec<Stmt> {
        vec![Stmt::whole(target, Expr::bit(true))]
    }

    #[test]
    fn an_empty_branch_turns_the_test_round() {
        let test = Expr::signal(9, 1);
        let turned = Stmt::If {
            test: Expr::unary(UnaryOp::Not, test.clone()),
            then: set(0),
            otherwise: Vec::new(),
        };
        assert_eq!(Stmt::choice(test.clone(), Vec::new(), set(0)), [turned]);
        assert_eq!(Stmt::choice(test, Vec::new(), Vec::new()), []);
    }

    #[test]
    fn a_constant_selector_leaves_one_arm() {
        let arms = || vec![(Constant::new(0u8, 2), set(0)), (Constant::new(1u8, 2), set(1))];
        let case = |value: u8| Stmt::case(Expr::constant(value, 2), arms(), Some(set(2)));
        assert_eq!([case(0), case(1), case(3)], [set(0), set(1), set(2)]);
        assert_eq!(Stmt::case(Expr::constant(3u8, 2), arms(), None), []);
    }

    #[test]
    fn arms_that_do_nothing_go_where_the_default_does_nothing() {
        let arms = vec![(Constant::new(0u8, 2), Vec::new()), (Constant::new(1u8, 2), set(1))];
        let [Stmt::Case { arms: kept, .. }] = &Stmt::case(Expr::signal(9, 2), arms.clone(), None)[..] else {
            panic!("a case is a case");
        };
        assert_eq!(kept, &arms[1..]);
        let [Stmt::Case { arms: kept, .. }] = &Stmt::case(Expr::signal(9, 2), arms.clone(), Some(set(2)))[..] else {
            panic!("a case is a case");
        };
        assert_eq!(*kept, arms);
    }

    #[test]
    fn a_comment_goes_where_its_statement_goes() {
        let comment = |id| Stmt::Comment {
            id,
            text: String::new(),
        };
        let then = [vec![comment(1)], set(0), vec![comment(2)], set(1), vec![comment(3)]].concat();
        let body = [vec![comment(0)], Stmt::choice(Expr::signal(9, 1), then, Vec::new())].concat();
        let then = [vec![comment(2)], set(1)].concat();
        let kept = [vec![comment(0)], Stmt::choice(Expr::signal(9, 1), then, Vec::new())].concat();
        assert_eq!(keep(&body, &|id| id == 1), kept);
        assert_eq!(keep(&body, &|_| false), []);
    }

    #[test]
    fn what_is_not_wanted_takes_its_choices_along() {
        let body = Stmt::choice(Expr::signal(9, 1), set(0), set(1));
        assert_eq!(written(&body), [0, 1]);
        assert_eq!(keep(&body, &|_| false), []);
        assert_eq!(written(&keep(&body, &|id| id == 1)), [1]);
    }
}
