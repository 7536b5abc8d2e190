//! A kernel taken apart into independent processes: the `assign`s and `always` blocks of the Verilog.
//!
//! A single block would be correct, but event-driven simulators would see false loops through it, and it would be hard
//! to read. Signals stay together when one statement drives them, or when one is read between two of its writes.

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

/// Drops writes whose value nobody reads: defaults that are always overridden, locals that are settled.
pub fn without_dead_stores(body: Vec<Stmt>, symbols: &Symbols) -> Vec<Stmt> {
    let is_local = |id: &SignalId| symbols.signals[*id].role == Role::Local;
    // Signals whose value at this place nobody reads; the others leave the block.
    let mut dead: HashSet<SignalId> = (0..symbols.signals.len()).filter(is_local).collect();
    let mut kept = Vec::new();
    let mut is_followed = false;
    for stmt in body.into_iter().rev() {
        if stmt.is_comment() {
            kept.extend(is_followed.then_some(stmt));
            continue;
        }
        let read = signals_read(&stmt);
        let needed = |id: SignalId| !dead.contains(&id);
        let own = match &stmt {
            Stmt::Assign { .. } => keep(std::slice::from_ref(&stmt), &needed),
            _ => keep(std::slice::from_ref(&stmt), &|id| needed(id) || read.contains(&id)),
        };
        is_followed = !own.is_empty();
        for stmt in own.into_iter().rev() {
            if let Stmt::Assign {
                target,
                range: Range::Whole,
                ..
            } = &stmt
            {
                dead.insert(*target);
            }
            signals_read(&stmt).iter().for_each(|id| {
                dead.remove(id);
            });
            kept.push(stmt);
        }
    }
    kept.reverse();
    kept
}

fn signals_read(stmt: &Stmt) -> HashSet<SignalId> {
    let mut read = HashSet::new();
    walk(std::slice::from_ref(stmt), &mut |inner| {
        inner.own_expressions(&mut |expression| {
            expression.reads(&mut |id, _| {
                read.insert(id);
            })
        });
    });
    read
}

/// Finds signals that are read before their last write, and ties them to what is written from that reading. The next
/// state of a register is read as the kernel leaves it, from another process.
fn order_hazards(body: &[Stmt], symbols: &Symbols, classes: &mut Classes) {
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
                if last_write.get(&id).is_some_and(|last| *last >= position) && !symbols.is_next(id) {
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
    order_hazards(body, symbols, &mut apart);
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
        false if reads_own_next(&process, symbols).is_some() => by_class(&process, &apart),
        false => vec![process],
    };
    processes.into_iter().enumerate().flat_map(split_more).collect()
}

/// The next state of a register that the process writes and reads.
pub fn reads_own_next(process: &[Stmt], symbols: &Symbols) -> Option<SignalId> {
    let next = |id: &SignalId| symbols.is_next(*id);
    let written: Vec<SignalId> = written(process).into_iter().filter(next).collect();
    let mut read = HashSet::new();
    if !written.is_empty() {
        process.iter().for_each(|stmt| read.extend(signals_read(stmt)));
    }
    written.into_iter().find(|id| read.contains(id))
}

/// Next states that some statement reads.
pub fn next_states_read(body: &[Stmt], symbols: &Symbols) -> HashSet<SignalId> {
    let read = body.iter().flat_map(signals_read);
    read.filter(|id| symbols.is_next(*id)).collect()
}

fn by_class(body: &[Stmt], classes: &Classes) -> Vec<Vec<Stmt>> {
    let mut place: HashMap<SignalId, usize> = HashMap::new();
    let mut processes: Vec<Vec<Stmt>> = Vec::new();
    let mut comments: Vec<Stmt> = Vec::new();
    for stmt in body {
        if stmt.is_comment() {
            comments.push(stmt.clone());
            continue;
        }
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
            processes[index].append(&mut comments);
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

/// A process without its first statement, where that is a default of which later parts leave nothing.
pub fn without_covered_default(mut process: Vec<Stmt>) -> Vec<Stmt> {
    let Some((Stmt::Assign { target, range, value }, rest)) = process.split_first() else {
        return process;
    };
    let mut covered = BigUint::ZERO;
    let only_parts = rest.iter().all(|stmt| match stmt {
        Stmt::Assign {
            target: other,
            range: Range::Part { offset, width },
            value,
        } => {
            covered |= mask(*offset, *width);
            other == target && !reads(value, *target)
        }
        _ => false,
    });
    if *range == Range::Whole && only_parts && covered == mask(0, value.width()) {
        process.remove(0);
    }
    process
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

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: SignalId = 0;
    const LOCAL: SignalId = 1;
    const ONE: SignalId = 2;
    const OTHER: SignalId = 3;

    fn symbols() -> Symbols {
        Symbols::of(&[
            ("input", 4, Role::Input),
            ("local", 4, Role::Local),
            ("one", 4, Role::Output),
            ("other", 4, Role::Output),
        ])
    }

    fn copy(target: SignalId, source: SignalId) -> Stmt {
        Stmt::whole(target, Expr::signal(source, 4))
    }

    fn low_half(target: SignalId, source: SignalId) -> Stmt {
        let value = Expr::signal(source, 4).part(0, 2).unwrap();
        let range = Range::Part { offset: 0, width: 2 };
        Stmt::Assign { target, range, value }
    }

    fn processes(body: &[Stmt]) -> Vec<Vec<Stmt>> {
        let symbols = symbols();
        split(body, &symbols, &Dependencies::new(body, &symbols, &[]))
    }

    #[test]
    fn a_value_that_nobody_reads_is_not_written() {
        let zero = |target| Stmt::whole(target, Expr::constant(0u8, 4));
        let dead = without_dead_stores(vec![zero(ONE), zero(LOCAL), copy(ONE, INPUT)], &symbols());
        assert_eq!(dead, [copy(ONE, INPUT)]);
        let live = vec![zero(ONE), copy(LOCAL, ONE), copy(ONE, LOCAL)];
        assert_eq!(without_dead_stores(live.clone(), &symbols()), live);
    }

    #[test]
    fn what_nothing_ties_comes_apart() {
        let body = [copy(LOCAL, INPUT), copy(ONE, LOCAL), copy(OTHER, INPUT)];
        assert_eq!(processes(&body), body.clone().map(|stmt| vec![stmt]));
    }

    #[test]
    fn a_value_that_changes_after_it_is_read_stays_with_its_reader() {
        let body = [
            copy(LOCAL, INPUT),
            copy(ONE, LOCAL),
            low_half(LOCAL, ONE),
            copy(OTHER, LOCAL),
        ];
        assert_eq!(processes(&body), [body[..3].to_vec(), body[3..].to_vec()]);
    }

    #[test]
    fn parts_over_a_default_make_one_value_or_need_no_default() {
        let body = [copy(ONE, INPUT), low_half(ONE, LOCAL)];
        let high = Expr::signal(INPUT, 4).part(2, 2).unwrap();
        let low = Expr::signal(LOCAL, 4).part(0, 2).unwrap();
        assert_eq!(merged(&body), Some((ONE, Expr::concat(vec![high.clone(), low]))));
        let range = Range::Part { offset: 2, width: 2 };
        let rest = Stmt::Assign {
            target: ONE,
            range,
            value: high,
        };
        let covered = [&body[..], &[rest]].concat();
        let left = without_covered_default(covered.clone());
        assert_eq!(left, covered[1..]);
        assert!(is_assigned_in_parts(&left) && !is_assigned_in_parts(&covered));
        assert_eq!(without_covered_default(body.to_vec()), body);
    }
}
