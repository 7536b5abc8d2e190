//! A kernel taken apart into independent processes: the `assign`s and `always` blocks of the Verilog.
//!
//! One big block would be right but unkind: event-driven simulators see false loops through it, and readers see a wall.
//! Signals stay together when one statement drives them, or when one is read between two of its writes.

use crate::{
    ir::{walk, written, Range, SignalId, Stmt},
    loops::Dependencies,
    symbols::{Role, Symbols},
};
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};

/// Sets of signals that belong together.
#[derive(Clone)]
struct Classes(Vec<SignalId>);

impl Classes {
    fn find(&mut self, id: SignalId) -> SignalId {
        let mut root = id;
        while self.0[root] != root {
            root = self.0[root];
        }
        self.0[id] = root;
        root
    }

    fn join(&mut self, a: SignalId, b: SignalId) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Drops writes that a later unconditional write covers before anybody reads them: defaults that are always overridden.
pub fn without_dead_stores(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut last_whole: HashMap<SignalId, usize> = HashMap::new();
    let mut first_read: HashMap<SignalId, usize> = HashMap::new();
    for (at, stmt) in body.iter().enumerate() {
        walk(std::slice::from_ref(stmt), &mut |inner| {
            inner.own_expressions(&mut |expression| {
                expression.reads(&mut |id, _| {
                    first_read.entry(id).or_insert(at);
                })
            });
        });
        if let Stmt::Assign {
            target,
            range: Range::Whole,
            ..
        } = stmt
        {
            last_whole.insert(*target, at);
        }
    }
    last_whole.retain(|id, at| first_read.get(id).is_none_or(|read| read > at));
    let mut kept = Vec::new();
    for (at, stmt) in body.into_iter().enumerate() {
        kept.extend(keep(&[stmt], &|id| last_whole.get(&id).is_none_or(|last| at >= *last)));
    }
    kept
}

/// `body` with the assignments to signals that `wanted` names, and no empty branches.
fn keep(body: &[Stmt], wanted: &dyn Fn(SignalId) -> bool) -> Vec<Stmt> {
    let mut kept = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Assign { target, .. } if !wanted(*target) => {}
            Stmt::If { test, then, otherwise } => {
                let (then, otherwise) = (keep(then, wanted), keep(otherwise, wanted));
                if !(then.is_empty() && otherwise.is_empty()) {
                    kept.push(Stmt::If {
                        test: test.clone(),
                        then,
                        otherwise,
                    });
                }
            }
            Stmt::Case {
                selector,
                arms,
                default,
            } => {
                let arms: Vec<_> = arms
                    .iter()
                    .map(|(labels, arm)| (labels.clone(), keep(arm, wanted)))
                    .collect();
                let default = default.as_ref().map(|arm| keep(arm, wanted));
                if arms.iter().any(|(_, arm)| !arm.is_empty()) || default.as_ref().is_some_and(|arm| !arm.is_empty()) {
                    kept.push(Stmt::Case {
                        selector: selector.clone(),
                        arms,
                        default,
                    });
                }
            }
            other => kept.push(other.clone()),
        }
    }
    kept
}

/// Finds signals that are read before their last write, and ties them to what is written from that reading.
fn order_hazards(body: &[Stmt], classes: &mut Classes) {
    let mut last_write: HashMap<SignalId, usize> = HashMap::new();
    let mut position = 0;
    walk(body, &mut |stmt| {
        position += 1;
        if let Stmt::Assign { target, .. } = stmt {
            last_write.insert(*target, position);
        }
    });
    let mut position = 0;
    walk(body, &mut |stmt| {
        position += 1;
        let mut early = Vec::new();
        stmt.own_expressions(&mut |expression| {
            expression.reads(&mut |id, _| {
                if last_write.get(&id).is_some_and(|last| *last >= position) {
                    early.push(id);
                }
            });
        });
        if !early.is_empty() {
            for target in written(std::slice::from_ref(stmt)) {
                early.iter().for_each(|id| classes.join(*id, target));
            }
        }
    });
}

/// The processes of a kernel, in the order of their first statements.
pub fn split(body: &[Stmt], symbols: &Symbols, dependencies: &Dependencies) -> Vec<Vec<Stmt>> {
    let mut apart = Classes((0..symbols.signals.len()).collect());
    order_hazards(body, &mut apart);
    let mut together = apart.clone();
    for stmt in body {
        let targets = written(std::slice::from_ref(stmt));
        targets.windows(2).for_each(|pair| together.join(pair[0], pair[1]));
    }
    let processes = by_class(body, &mut together);
    let looping = in_false_loops(&processes, symbols, dependencies);
    processes
        .into_iter()
        .enumerate()
        .flat_map(|(at, process)| {
            if looping.contains(&at) {
                by_class(&process, &mut apart)
            } else {
                vec![process]
            }
        })
        .collect()
}

fn by_class(body: &[Stmt], classes: &mut Classes) -> Vec<Vec<Stmt>> {
    let mut members: Vec<(SignalId, HashSet<SignalId>)> = Vec::new();
    let mut place: HashMap<SignalId, usize> = HashMap::new();
    let mut statements: Vec<Vec<usize>> = Vec::new();
    for (at, stmt) in body.iter().enumerate() {
        for target in written(std::slice::from_ref(stmt)) {
            let class = classes.find(target);
            let index = *place.entry(class).or_insert_with(|| {
                members.push((class, HashSet::new()));
                statements.push(Vec::new());
                members.len() - 1
            });
            members[index].1.insert(target);
            if statements[index].last() != Some(&at) {
                statements[index].push(at);
            }
        }
    }
    members
        .iter()
        .zip(statements)
        .map(|((_, targets), statements)| {
            let own = statements
                .into_iter()
                .flat_map(|at| keep(&body[at..=at], &|id| targets.contains(&id)));
            own.filter(|stmt| !matches!(stmt, Stmt::Comment(_))).collect()
        })
        .collect()
}

/// Processes that would feed themselves through others or through children, though no signal does.
fn in_false_loops(processes: &[Vec<Stmt>], symbols: &Symbols, dependencies: &Dependencies) -> HashSet<usize> {
    let mut writer: HashMap<SignalId, usize> = HashMap::new();
    for (at, process) in processes.iter().enumerate() {
        written(process).into_iter().for_each(|id| {
            writer.insert(id, at);
        });
    }
    let mut feeds: Vec<HashSet<usize>> = Vec::new();
    for (at, process) in processes.iter().enumerate() {
        let mut from = HashSet::new();
        walk(process, &mut |stmt| {
            stmt.own_expressions(&mut |expression| {
                expression.reads(&mut |id, _| match symbols.signals[id].role {
                    Role::Source(_) => from.extend(dependencies.through(id).iter().filter_map(|sink| writer.get(sink))),
                    // Reading its own blocking assignments is no loop.
                    _ => from.extend(writer.get(&id).filter(|writer| **writer != at)),
                });
            });
        });
        feeds.push(from);
    }
    let divisible = (0..processes.len()).filter(|at| written(&processes[*at]).len() > 1);
    divisible.filter(|start| reaches_itself(*start, &feeds)).collect()
}

fn reaches_itself(start: usize, feeds: &[HashSet<usize>]) -> bool {
    let mut seen = HashSet::new();
    let mut open: Vec<usize> = feeds[start].iter().copied().collect();
    while let Some(at) = open.pop() {
        if at == start {
            return true;
        }
        if seen.insert(at) {
            open.extend(&feeds[at]);
        }
    }
    false
}

/// Whether a process only gives parts of one signal their values, each once: such parts are `assign`s of their own.
pub fn is_assigned_in_parts(process: &[Stmt]) -> bool {
    let mut covered = BigUint::ZERO;
    process.iter().all(|stmt| match stmt {
        Stmt::Assign {
            target,
            range: Range::Part { offset, width },
            value,
        } => {
            let mut reads_itself = false;
            value.reads(&mut |id, _| reads_itself |= id == *target);
            let bits = ((BigUint::from(1u8) << width) - 1u8) << offset;
            let is_first = (&covered & &bits) == BigUint::ZERO;
            covered |= bits;
            is_first && !reads_itself && written(process).len() == 1
        }
        _ => false,
    })
}
