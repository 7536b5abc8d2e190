//! Combinational paths through a block, and the loops that they may close.

use crate::{
    error::{Error, Result},
    ir::{Expr, Range, SignalId, Stmt},
    symbols::{Role, Symbols},
    tree::Instance,
};
use rust_hdl::core::atom::AtomKind;
use std::collections::{BTreeSet, HashMap};

/// Ports of a module between which a combinational path runs: for each output, the inputs that reach it.
pub type Paths = HashMap<String, BTreeSet<String>>;

/// Inputs of the block, registers and outputs of children that a value depends on.
type Roots = BTreeSet<SignalId>;

/// Paths of a block given as text: those that its timing does not cut with a register.
pub fn paths_of_text(instance: &Instance) -> Paths {
    let sampled: Vec<&String> = instance.timing.iter().flat_map(|timing| &timing.inputs).collect();
    let registered: Vec<&String> = instance.timing.iter().flat_map(|timing| &timing.outputs).collect();
    let inputs = || {
        let free = instance
            .atoms
            .iter()
            .filter(|atom| atom.kind == AtomKind::InputParameter);
        free.filter(|atom| !sampled.contains(&&atom.key) && !is_clock(instance, &atom.key))
    };
    let outputs = instance
        .atoms
        .iter()
        .filter(|atom| atom.kind == AtomKind::OutputParameter);
    outputs
        .filter(|atom| !registered.contains(&&atom.key))
        .map(|atom| {
            (
                crate::names::flat(&atom.key),
                inputs().map(|input| crate::names::flat(&input.key)).collect(),
            )
        })
        .collect()
}

fn is_clock(instance: &Instance, key: &str) -> bool {
    instance.timing.iter().any(|timing| timing.clock == key)
}

/// Follows values through a kernel in the order of its statements.
#[derive(Default)]
struct Flow {
    roots: HashMap<SignalId, Roots>,
    /// What decides whether the statement at hand runs.
    control: Vec<Roots>,
}

impl Flow {
    fn of(&self, expression: &Expr, symbols: &Symbols) -> Roots {
        let mut roots = Roots::new();
        expression.reads(&mut |id, _| match symbols.signals[id].role {
            Role::Local | Role::Output => roots.extend(self.roots.get(&id).into_iter().flatten()),
            _ => {
                roots.insert(id);
            }
        });
        roots
    }

    fn run(&mut self, body: &[Stmt], symbols: &Symbols) {
        for stmt in body {
            let mut own = Roots::new();
            stmt.own_expressions(&mut |expression| own.extend(self.of(expression, symbols)));
            match stmt {
                Stmt::Assign { target, range, .. } => {
                    own.extend(self.control.iter().flatten());
                    let replaced = self.control.is_empty() && *range == Range::Whole;
                    let entry = self.roots.entry(*target).or_default();
                    if replaced {
                        entry.clear();
                    }
                    entry.extend(own);
                }
                Stmt::If { then, otherwise, .. } => {
                    self.control.push(own);
                    self.run(then, symbols);
                    self.run(otherwise, symbols);
                    self.control.pop();
                }
                Stmt::Case { arms, default, .. } => {
                    self.control.push(own);
                    arms.iter()
                        .map(|(_, arm)| arm)
                        .chain(default)
                        .for_each(|arm| self.run(arm, symbols));
                    self.control.pop();
                }
                Stmt::Comment(_) => {}
            }
        }
    }
}

/// The signals of a block, and for each what it depends on within the cycle.
pub struct Dependencies<'a> {
    symbols: &'a Symbols,
    roots: HashMap<SignalId, Roots>,
    /// For each output of a child, the inputs of that child that reach it.
    through: HashMap<SignalId, Vec<SignalId>>,
}

impl<'a> Dependencies<'a> {
    /// `paths` holds the paths of each child, in the order of [`Symbols::children`].
    pub fn new(body: &[Stmt], symbols: &'a Symbols, paths: &[&Paths]) -> Self {
        let mut flow = Flow::default();
        flow.run(body, symbols);
        let mut through = HashMap::new();
        for (child, paths) in symbols.children.iter().zip(paths) {
            let ids: HashMap<&str, SignalId> = child.ports.iter().map(|(port, id)| (port.as_str(), *id)).collect();
            for (output, inputs) in *paths {
                through.insert(
                    ids[output.as_str()],
                    inputs.iter().map(|input| ids[input.as_str()]).collect(),
                );
            }
        }
        Dependencies {
            symbols,
            roots: flow.roots,
            through,
        }
    }

    /// Inputs of a child that reach its output `source` within the cycle.
    pub fn through(&self, source: SignalId) -> &[SignalId] {
        self.through.get(&source).map_or(&[], Vec::as_slice)
    }

    fn before(&self, id: SignalId) -> Vec<SignalId> {
        match self.symbols.signals[id].role {
            Role::Source(_) => self.through(id).to_vec(),
            _ => self.roots.get(&id).into_iter().flatten().copied().collect(),
        }
    }

    /// Combinational paths from the block's inputs to its outputs, or the loop that makes them meaningless.
    pub fn paths(&self, block: &str) -> Result<Paths> {
        let mut reached: HashMap<SignalId, BTreeSet<SignalId>> = HashMap::new();
        let mut trail = Vec::new();
        for id in 0..self.symbols.signals.len() {
            self.reach(id, &mut reached, &mut trail, block)?;
        }
        let name = |id: &SignalId| self.symbols.signals[*id].name.clone();
        let outputs = (0..self.symbols.signals.len()).filter(|id| self.symbols.signals[*id].role == Role::Output);
        Ok(outputs
            .map(|id| (name(&id), reached[&id].iter().map(name).collect()))
            .collect())
    }

    fn reach(
        &self,
        id: SignalId,
        reached: &mut HashMap<SignalId, BTreeSet<SignalId>>,
        trail: &mut Vec<SignalId>,
        block: &str,
    ) -> Result<()> {
        if reached.contains_key(&id) {
            return Ok(());
        }
        if let Some(start) = trail.iter().position(|seen| *seen == id) {
            // Followed backwards, told forwards.
            let mut cycle: Vec<String> = trail[start..]
                .iter()
                .map(|id| self.symbols.signals[*id].path.clone())
                .collect();
            cycle.push(self.symbols.signals[id].path.clone());
            cycle.reverse();
            return Err(Error::LogicLoop {
                block: block.to_owned(),
                cycle,
            });
        }
        trail.push(id);
        let mut inputs = BTreeSet::new();
        if self.symbols.signals[id].role == Role::Input {
            inputs.insert(id);
        }
        for before in self.before(id) {
            self.reach(before, reached, trail, block)?;
            inputs.extend(reached[&before].iter().copied());
        }
        trail.pop();
        reached.insert(id, inputs);
        Ok(())
    }
}
