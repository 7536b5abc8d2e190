//! Combinational paths through a block, and the loops that they may close.

use crate::{
    error::{Error, Result},
    expr::{Expr, SignalId},
    stmt::{Range, Stmt},
    symbols::{Role, Symbols},
};
use petgraph::{algo::kosaraju_scc, graph::DiGraph};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// Ports of a module between which a combinational path runs: for each output, the inputs that reach it.
pub type Paths = HashMap<String, BTreeSet<String>>;

/// Inputs of the block, registers and outputs of children that a value depends on.
type Roots = BTreeSet<SignalId>;

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
                    let arms = arms.iter().map(|(_, arm)| arm).chain(default);
                    arms.for_each(|arm| self.run(arm, symbols));
                    self.control.pop();
                }
                Stmt::Comment { .. } => {}
            }
        }
    }
}

/// Sets of nodes that reach each other, those that a node depends on before it; `before` lists what a node depends on.
pub fn components(before: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let edges = || {
        (0u32..)
            .zip(before)
            .flat_map(|(at, before)| before.iter().map(move |other| (at, *other as u32)))
    };
    let mut graph = DiGraph::<(), (), u32>::with_capacity(before.len(), edges().count());
    before.iter().for_each(|_| {
        graph.add_node(());
    });
    graph.extend_with_edges(edges());
    let components = kosaraju_scc(&graph);
    components
        .into_iter()
        .map(|nodes| nodes.into_iter().map(|node| node.index()).collect())
        .collect()
}

/// Whether the nodes of a component close a cycle.
pub fn is_cyclic(component: &[usize], before: &[Vec<usize>]) -> bool {
    component.len() > 1 || before[component[0]].contains(&component[0])
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
                let inputs = inputs.iter().map(|input| ids[input.as_str()]).collect();
                through.insert(ids[output.as_str()], inputs);
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
        let signals = &self.symbols.signals;
        let before: Vec<Vec<SignalId>> = (0..signals.len()).map(|id| self.before(id)).collect();
        let mut reached = vec![BTreeSet::new(); signals.len()];
        for component in components(&before) {
            if is_cyclic(&component, &before) {
                let cycle = shortest_cycle(&component, &before);
                return Err(Error::LogicLoop {
                    block: block.to_owned(),
                    cycle: cycle.into_iter().map(|id| signals[id].path.clone()).collect(),
                });
            }
            let id = component[0];
            reached[id] = match signals[id].role {
                Role::Input => BTreeSet::from([id]),
                _ => before[id]
                    .iter()
                    .flat_map(|before| &reached[*before])
                    .copied()
                    .collect(),
            };
        }
        let name = |id: &SignalId| signals[*id].name.clone();
        let outputs = (0..signals.len()).filter(|id| signals[*id].role == Role::Output);
        Ok(outputs
            .map(|id| (name(&id), reached[id].iter().map(name).collect()))
            .collect())
    }
}

/// A shortest cycle through the first signal of a component, each before the one that depends on it.
fn shortest_cycle(component: &[SignalId], before: &[Vec<SignalId>]) -> Vec<SignalId> {
    let members: HashSet<SignalId> = component.iter().copied().collect();
    let start = component.iter().copied().min().expect("a component has members");
    let mut after: HashMap<SignalId, SignalId> = HashMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in before[at].iter().filter(|next| members.contains(next)) {
            if !after.contains_key(next) {
                after.insert(*next, at);
                open.push_back(*next);
            }
        }
    }
    let mut cycle = vec![start];
    let mut at = after[&start];
    while at != start {
        cycle.push(at);
        at = after[&at];
    }
    cycle.push(start);
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_is_ordered_without_recursion() {
        let length = 200_000;
        let before: Vec<Vec<usize>> = (0..length)
            .map(|at: usize| at.checked_sub(1).into_iter().collect())
            .collect();
        let order = components(&before).concat();
        assert_eq!(order, (0..length).collect::<Vec<_>>());
    }

    #[test]
    fn the_shortest_cycle_is_told_in_the_order_of_flow() {
        // 0 depends on 1, 1 on 2 and 3, both of them on 0; 3 the long way round.
        let before = [vec![1], vec![3, 2], vec![0], vec![4], vec![0]];
        let component = components(&before).into_iter().find(|nodes| is_cyclic(nodes, &before));
        assert_eq!(shortest_cycle(&component.unwrap(), &before), [0, 2, 1, 0]);
    }

    #[test]
    fn only_a_loop_of_one_or_more_is_cyclic() {
        let before = [vec![0], vec![0], vec![]];
        let cyclic: Vec<usize> = components(&before)
            .into_iter()
            .filter(|nodes| is_cyclic(nodes, &before))
            .flatten()
            .collect();
        assert_eq!(cyclic, [0]);
    }
}
