//! The shape of one module: what becomes a register, an `assign`, an `always` block or a plain connection.

use crate::{
    assigned,
    error::{Error, Result},
    expr::{mask, Constant, Expr, SignalId},
    known,
    loops::{Dependencies, Paths},
    process,
    stmt::{walk, written, Range, Stmt},
    symbols::{Role, Symbols},
};
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};

/// A register: clocked by `clock`, reset by the signal and to the value of `reset`.
pub struct RegisterPlan {
    pub state: SignalId,
    pub next: SignalId,
    /// What it takes at the clock edge: its `next` signal, or an expression that needs no name.
    pub value: Expr,
    pub clock: SignalId,
    pub reset: Option<(SignalId, Constant)>,
}

/// Everything a module says, in the order it says it.
pub struct Plan {
    pub registers: Vec<RegisterPlan>,
    /// Continuous assignments: to a whole signal, or to part of one of which the rest has its own.
    pub assigns: Vec<(SignalId, Range, Expr)>,
    pub processes: Vec<Vec<Stmt>>,
    /// Comments on what is no statement of a process, by the signal that it drives.
    pub comments: HashMap<SignalId, Vec<String>>,
    /// Inputs of children that are wired to a signal, part of one, or a constant.
    pub connections: HashMap<SignalId, Expr>,
    /// Outputs of children that are outputs of the block itself.
    pub aliases: HashMap<SignalId, SignalId>,
    /// Signals of which some bit is read by nobody.
    pub unused: Vec<SignalId>,
    /// Combinational paths through the module.
    pub paths: Paths,
}

/// Plans a block from its lowered kernel; `paths` are those of its children.
pub fn plan(body: Vec<Stmt>, symbols: &Symbols, paths: &[&Paths], block: &str) -> Result<Plan> {
    let (body, clocks) = take_clocks(body, symbols, block)?;
    assigned::check(&body, symbols, block)?;
    let body = known::propagate(body, symbols);
    // A next state that the kernel reads is a signal of its own, and its reset a part of it.
    let read_next = process::next_states_read(&body, symbols);
    let (body, resets) = lift_reset(body, symbols, &read_next);
    let body = process::without_dead_stores(body, symbols);
    let dependencies = Dependencies::new(&body, symbols, paths);
    let paths = dependencies.paths(block)?;

    let mut plan = Plan {
        registers: Vec::new(),
        assigns: Vec::new(),
        processes: Vec::new(),
        comments: HashMap::new(),
        connections: HashMap::new(),
        aliases: HashMap::new(),
        unused: Vec::new(),
        paths,
    };
    let (mut inlined, mut commented) = (HashMap::new(), HashSet::new());
    for process in process::split(&body, symbols, &dependencies) {
        if let Some(id) = process::reads_own_next(&process, symbols) {
            return Err(Error::ReadOfSink {
                block: block.to_owned(),
                signal: symbols.signals[id].path.clone(),
            });
        }
        let (comments, plain): (Vec<Stmt>, Vec<Stmt>) = process.iter().cloned().partition(Stmt::is_comment);
        let plain = process::without_covered_default(plain);
        if let Some((target, value)) = process::merged(&plain) {
            plan.comment(target, comments, &mut commented);
            if read_next.contains(&target) {
                plan.assigns.push((target, Range::Whole, value));
            } else {
                plan.place(target, value, symbols, &mut inlined);
            }
        } else if process::is_assigned_in_parts(&plain) {
            plan.comment(written(&plain)[0], comments, &mut commented);
            for stmt in plain {
                if let Stmt::Assign { target, range, value } = stmt {
                    plan.assigns.push((target, range, value));
                }
            }
        } else {
            let process = if comments.is_empty() { plain } else { process };
            plan.processes.push(uncommented(process, &mut commented));
        }
    }
    for (register, clock) in symbols.registers.iter().zip(clocks) {
        let width = symbols.signals[register.next].width;
        plan.registers.push(RegisterPlan {
            state: register.state,
            next: register.next,
            value: inlined
                .remove(&register.next)
                .unwrap_or(Expr::signal(register.next, width)),
            clock,
            reset: resets.get(&register.next).cloned(),
        });
    }
    plan.unused = plan.unused_signals(symbols);
    Ok(plan)
}

/// `body` without comments that are elsewhere already.
fn uncommented(body: Vec<Stmt>, seen: &mut HashSet<usize>) -> Vec<Stmt> {
    let is_new = |stmt: &Stmt, seen: &mut HashSet<usize>| match stmt {
        Stmt::Comment { id, .. } => seen.insert(*id),
        _ => true,
    };
    let mut out = Vec::new();
    for stmt in body {
        if !is_new(&stmt, seen) {
            continue;
        }
        out.push(match stmt {
            Stmt::If { test, then, otherwise } => Stmt::If {
                test,
                then: uncommented(then, seen),
                otherwise: uncommented(otherwise, seen),
            },
            Stmt::Case {
                selector,
                arms,
                default,
            } => Stmt::Case {
                selector,
                arms: arms
                    .into_iter()
                    .map(|(label, arm)| (label, uncommented(arm, seen)))
                    .collect(),
                default: default.map(|arm| uncommented(arm, seen)),
            },
            other => other,
        });
    }
    out
}

/// Takes the connections of clocks out of the kernel: the clock of each register.
fn take_clocks(body: Vec<Stmt>, symbols: &Symbols, block: &str) -> Result<(Vec<Stmt>, Vec<SignalId>)> {
    let bad = |id: SignalId| {
        let path = symbols.signals[id].path.as_str();
        let signal = path.strip_suffix(".clock").unwrap_or(path).to_owned();
        Error::BadClock {
            block: block.to_owned(),
            signal,
        }
    };
    let mut clocks: HashMap<SignalId, SignalId> = HashMap::new();
    let mut rest = Vec::new();
    for stmt in body {
        match &stmt {
            Stmt::Assign { target, value, .. } if matches!(symbols.signals[*target].role, Role::Clock(_)) => {
                let clock = value.as_whole_signal().ok_or_else(|| bad(*target))?;
                if clocks.insert(*target, clock).is_some_and(|before| before != clock) {
                    return Err(bad(*target));
                }
            }
            _ => rest.push(stmt),
        }
    }
    let mut nested = None;
    walk(&rest, &mut |stmt| {
        if let Stmt::Assign { target, .. } = stmt {
            if matches!(symbols.signals[*target].role, Role::Clock(_)) {
                nested = Some(*target);
            }
        }
    });
    if let Some(target) = nested {
        return Err(bad(target));
    }
    let of_register = |register: &crate::symbols::Register| {
        let clock = clocks.get(&register.clock).copied();
        let source = clock.and_then(|clock| clock_source(clock, &rest, symbols));
        source.ok_or_else(|| bad(register.clock))
    };
    let clocks = symbols.registers.iter().map(of_register).collect::<Result<_>>()?;
    Ok((rest, clocks))
}

/// The signal that a clock is a copy of, however often it was copied.
fn clock_source(clock: SignalId, body: &[Stmt], symbols: &Symbols) -> Option<SignalId> {
    let mut source = clock;
    for _ in 0..symbols.signals.len() {
        if !matches!(symbols.signals[source].role, Role::Local | Role::Output) {
            return Some(source);
        }
        let is_driver = |stmt: &&Stmt| written(std::slice::from_ref(*stmt)).contains(&source);
        let mut drivers = body.iter().filter(is_driver);
        source = match (drivers.next()?, drivers.next()) {
            (Stmt::Assign { value, .. }, None) => value.as_whole_signal()?,
            _ => return None,
        };
    }
    None
}

/// Takes a closing `if rst { registers to constants }` out of the kernel: it becomes the reset of those registers. So
/// does each such statement above it, as loops leave them, whose registers are not written again.
fn lift_reset(
    body: Vec<Stmt>,
    symbols: &Symbols,
    read: &HashSet<SignalId>,
) -> (Vec<Stmt>, HashMap<SignalId, (SignalId, Constant)>) {
    let as_reset = |stmt: &Stmt| {
        as_reset(stmt, symbols).filter(|_| written(std::slice::from_ref(stmt)).iter().all(|id| !read.contains(id)))
    };
    let Some((reset, _)) = body.last().and_then(as_reset) else {
        return (body, HashMap::new());
    };
    let (mut kept, mut resets, mut later) = (Vec::new(), HashMap::new(), HashSet::new());
    let mut above_reset = false;
    for stmt in body.into_iter().rev() {
        if stmt.is_comment() {
            kept.extend((!above_reset).then_some(stmt));
            continue;
        }
        let targets = written(std::slice::from_ref(&stmt));
        let last_word = targets.iter().all(|target| !later.contains(target));
        later.extend(targets);
        match as_reset(&stmt) {
            Some((other, values)) if other == reset && last_word => {
                above_reset = true;
                resets.extend(values.into_iter().map(|(target, value)| (target, (reset, value))));
            }
            _ => {
                above_reset = false;
                kept.push(stmt);
            }
        }
    }
    kept.reverse();
    (kept, resets)
}

/// The input that is tested, and the constants that registers take, where the statement is a reset.
fn as_reset(stmt: &Stmt, symbols: &Symbols) -> Option<(SignalId, Vec<(SignalId, Constant)>)> {
    let Stmt::If { test, then, otherwise } = stmt else {
        return None;
    };
    let reset = test
        .as_whole_signal()
        .filter(|id| symbols.signals[*id].role == Role::Input)?;
    let to_constant = |stmt: &Stmt| match stmt {
        Stmt::Assign {
            target,
            range: Range::Whole,
            value: Expr::Const(value),
        } => matches!(symbols.signals[*target].role, Role::Next(_)).then(|| (*target, value.clone())),
        _ => None,
    };
    let values = then
        .iter()
        .filter(|stmt| !stmt.is_comment())
        .map(to_constant)
        .collect::<Option<_>>()?;
    otherwise.is_empty().then_some((reset, values))
}

impl Plan {
    fn comment(&mut self, target: SignalId, comments: Vec<Stmt>, seen: &mut HashSet<usize>) {
        for comment in comments {
            if let Stmt::Comment { id, text } = comment {
                if seen.insert(id) {
                    self.comments.entry(target).or_default().push(text);
                }
            }
        }
    }

    /// Finds the plainest place for an unconditional assignment.
    fn place(&mut self, target: SignalId, value: Expr, symbols: &Symbols, inlined: &mut HashMap<SignalId, Expr>) {
        match symbols.signals[target].role {
            Role::Next(_) => {
                inlined.insert(target, value);
            }
            Role::Sink(_) if matches!(value, Expr::Const(_) | Expr::Part { .. }) => {
                self.connections.insert(target, value);
            }
            Role::Output => match value.as_whole_signal() {
                Some(source) if self.is_unnamed_source(source, symbols) => {
                    self.aliases.insert(source, target);
                }
                _ => self.assigns.push((target, Range::Whole, value)),
            },
            _ => self.assigns.push((target, Range::Whole, value)),
        }
    }

    fn is_unnamed_source(&self, id: SignalId, symbols: &Symbols) -> bool {
        matches!(symbols.signals[id].role, Role::Source(_)) && !self.aliases.contains_key(&id)
    }

    /// Signals that become a `reg`, because an `always` block drives them.
    pub fn driven_by_process(&self) -> HashSet<SignalId> {
        self.processes.iter().flat_map(|process| written(process)).collect()
    }

    /// Signals that an `assign` drives, whole or in parts.
    pub fn driven_by_assign(&self) -> HashSet<SignalId> {
        self.assigns.iter().map(|(target, ..)| *target).collect()
    }

    /// Calls `visit` for every value that the module computes.
    pub fn expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.registers.iter().for_each(|register| visit(&register.value));
        self.assigns.iter().for_each(|(_, _, value)| visit(value));
        self.connections.values().for_each(&mut *visit);
        for process in &self.processes {
            walk(process, &mut |stmt| stmt.own_expressions(visit));
        }
    }

    /// Bits of each signal that the module reads.
    fn read_bits(&self, symbols: &Symbols) -> HashMap<SignalId, BigUint> {
        let mut read: HashMap<SignalId, BigUint> = HashMap::new();
        let whole = |id: SignalId| mask(0, symbols.signals[id].width);
        let mut mark = |expression: &Expr| {
            expression.reads(&mut |id, bits| {
                *read.entry(id).or_default() |= bits.map_or_else(|| whole(id), |(offset, width)| mask(offset, width));
            });
        };
        self.expressions(&mut mark);
        for register in &self.registers {
            let reset = register.reset.iter().map(|(reset, _)| *reset);
            read.extend(reset.chain([register.clock]).map(|id| (id, whole(id))));
        }
        read
    }

    fn unused_signals(&self, symbols: &Symbols) -> Vec<SignalId> {
        let read = self.read_bits(symbols);
        let (in_process, assigned) = (self.driven_by_process(), self.driven_by_assign());
        (0..symbols.signals.len())
            .filter(|id| match symbols.signals[*id].role {
                Role::Input | Role::State(_) => true,
                Role::Source(_) => !self.aliases.contains_key(id),
                Role::Local => in_process.contains(id) || assigned.contains(id),
                Role::Output | Role::Next(_) | Role::Clock(_) | Role::Sink(_) => false,
            })
            .filter(|id| read.get(id) != Some(&mask(0, symbols.signals[*id].width)))
            .collect()
    }
}
