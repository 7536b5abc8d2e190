//! A kernel taken apart into independent processes: the `assign`s and `always` blocks of the Verilog.
//!
//! One big block would be right but unkind: event-driven simulators see false loops through it, and readers see a wall.
//! Signals stay together when one statement drives them, or when one is read between two of its writes.

use crate::{
    expr::{mask, Expr, SignalId},
    loops::{components, is_cyclic, Dependencies},
    stmt::{keep, walk, written, Range, Stmt},
    symbols::{Role, Symbols},
};
use num_bigint::BigUint;
use petgraph::unionfind::UnionFind;
use std::collections::{HashMap, HashSet};

/// Sets of signals that belong together.
type Classes = UnionFind<SignalId>;

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
                for id in &early {
                    classes.union(*id, target);
                }
            }
        }
    });
}

/// The processes of a kernel, in the order of their first statements.
pub fn split(body: &[Stmt], symbols: &Symbols, dependencies: &Dependencies) -> Vec<Vec<Stmt>> {
    let mut apart = Classes::new(symbols.signals.len());
    order_hazards(body, &mut apart);
    let mut together = apart.clone();
    for stmt in body {
        let targets = written(std::slice::from_ref(stmt));
        for pair in targets.windows(2) {
            together.union(pair[0], pair[1]);
        }
    }
    let processes = by_class(body, &together);
    let looping = in_false_loops(&processes, symbols, dependencies);
    let split_more = |(at, process): (usize, Vec<Stmt>)| match looping.contains(&at) {
        true => by_class(&process, &apart),
        false => vec![process],
    };
    processes.into_iter().enumerate().flat_map(split_more).collect()
}

fn by_class(body: &[Stmt], classes: &Classes) -> Vec<Vec<Stmt>> {
    let mut place: HashMap<SignalId, usize> = HashMap::new();
    let mut processes: Vec<Vec<Stmt>> = Vec::new();
    for stmt in body {
        let mut members: Vec<(usize, HashSet<SignalId>)> = Vec::new();
        for target in written(std::slice::from_ref(stmt)) {
            let index = *place.entry(classes.find(target)).or_insert_with(|| {
                processes.push(Vec::new());
                processes.len() - 1
            });
            match members.iter_mut().find(|(other, _)| *other == index) {
                Some((_, targets)) => {
                    targets.insert(target);
                }
                None => members.push((index, HashSet::from([target]))),
            }
        }
        for (index, targets) in members {
            processes[index].extend(keep(std::slice::from_ref(stmt), &|id| targets.contains(&id)));
        }
    }
    processes
}

/// Processes that would feed themselves through others or through children, though no signal does.
fn in_false_loops(processes: &[Vec<Stmt>], symbols: &Symbols, dependencies: &Dependencies) -> HashSet<usize> {
    let mut writer: HashMap<SignalId, usize> = HashMap::new();
    for (at, process) in processes.iter().enumerate() {
        writer.extend(written(process).into_iter().map(|id| (id, at)));
    }
    let mut before: Vec<Vec<usize>> = Vec::new();
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
        let mut from: Vec<usize> = from.into_iter().collect();
        from.sort_unstable();
        before.push(from);
    }
    let cyclic = components(&before)
        .into_iter()
        .filter(|component| is_cyclic(component, &before));
    cyclic.flatten().collect()
}

/// The value of a process that gives one signal a value and then replaces parts of it, where Verilog has an expression
/// for that.
pub fn merged(process: &[Stmt]) -> Option<(SignalId, Expr)> {
    let (first, rest) = process.split_first()?;
    let Stmt::Assign {
        target,
        range: Range::Whole,
        value,
    } = first
    else {
        return None;
    };
    let mut merged = value.clone();
    let of = merged.width();
    for stmt in rest {
        let Stmt::Assign {
            target: other,
            range: Range::Part { offset, width },
            value,
        } = stmt
        else {
            return None;
        };
        if other != target || reads(value, *target) {
            return None;
        }
        let high = merged.clone().part(offset + width, of - offset - width)?;
        let low = merged.part(0, *offset)?;
        merged = Expr::concat(vec![high, value.clone(), low]);
    }
    Some((*target, merged))
}

fn reads(value: &Expr, signal: SignalId) -> bool {
    let mut found = false;
    value.reads(&mut |id, _| found |= id == signal);
    found
}

/// Whether a process only gives parts of one signal their values, each once: such parts are `assign`s of their own.
pub fn is_assigned_in_parts(process: &[Stmt]) -> bool {
    let mut covered: HashMap<SignalId, BigUint> = HashMap::new();
    process.iter().all(|stmt| match stmt {
        Stmt::Assign {
            target,
            range: Range::Part { offset, width },
            value,
        } => {
            let bits = mask(*offset, *width);
            let covered = covered.entry(*target).or_default();
            let is_first = (&*covered & &bits) == BigUint::ZERO;
            *covered |= bits;
            is_first && !reads(value, *target)
        }
        _ => false,
    })
}
