//! Calls against words, tiles and trees, and how the engines spend the time.

use super::{
    bounds::{flits, keyed, kind_name},
    form::Form,
    group::{self, Group},
    paper, Effort, BENCH,
};
use crate::bench::{
    onesided::bench::Bench,
    report::{Better, Row},
};
use portico_spec::mpe::call::Kind;

/// One call on one tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// What is called.
    pub kind: Kind,
    /// Columns and rows of the fabric, whose tiles all take part.
    pub mesh: (usize, usize),
    /// Their tree.
    pub form: Form,
    /// Edges from the root to the farthest member.
    pub depth: usize,
    /// Words of each; 0 of a barrier.
    pub words: usize,
    /// From the last descriptor to the last event.
    pub cycles: u64,
    /// Cycles in which engines had work and went on with it, of all tiles: T_running of the paper's Equation 5.1.
    pub running: u64,
    /// Cycles in which engines had work and waited, of all tiles: its T_wait.
    pub waiting: u64,
    /// What is left of the cycles of all tiles: its T_idle.
    pub idle: u64,
}

/// A tree that was not measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Tiles of the fabric.
    pub tiles: usize,
    /// The tree.
    pub form: Form,
    /// Why.
    pub why: String,
}

impl Point {
    /// Number of tiles that take part.
    pub fn tiles(&self) -> usize {
        self.mesh.0 * self.mesh.1
    }

    /// Cycles that no implementation can pass: those that one edge needs for its flits. A barrier has none.
    pub fn limit(&self) -> Option<f64> {
        (self.kind != Kind::Barrier).then(|| flits(self.words) as f64)
    }

    /// The limit's share of the cycles, in percent.
    pub fn share(&self) -> Option<f64> {
        self.limit().map(|limit| 100.0 * limit / self.cycles as f64)
    }

    /// Words a cycle.
    pub fn rate(&self) -> Option<f64> {
        (self.kind != Kind::Barrier).then(|| self.words as f64 / self.cycles as f64)
    }

    /// Cycles that the paper measured.
    pub fn paper(&self) -> Option<f64> {
        paper::cycles(self.kind, self.form, self.tiles(), self.words)
    }

    /// What was called, where.
    fn name(&self) -> String {
        let words = match (self.kind, self.words) {
            (Kind::Barrier, _) => String::new(),
            (_, 1) => ", 1 word".to_owned(),
            (_, words) => format!(", {words} words"),
        };
        let (kind, form) = (kind_name(self.kind), self.form.name());
        format!("curve: {kind}, {} tiles, {form} tree{words}", self.tiles())
    }

    /// Its cycles, and those of the engines.
    pub fn rows(&self) -> Vec<Row> {
        let name = self.name();
        let row = |name: String, measure: &str, cycles: u64| {
            let row = Row::new(BENCH, name, "cycles", Better::Less, cycles as f64);
            keyed(row, measure, self.kind, self.tiles(), self.form, self.words).on_mesh(self.mesh)
        };
        let mut rows = vec![Row {
            paper: self.paper(),
            limit: self.limit(),
            ..row(name.clone(), "curve", self.cycles)
        }];
        for (state, cycles) in [
            ("running", self.running),
            ("waiting", self.waiting),
            ("idle", self.idle),
        ] {
            rows.push(row(
                format!("{name}, engines {state}"),
                &format!("engines {state}"),
                cycles,
            ));
        }
        rows
    }
}

/// Measures a tree in all calls; says why not if the engines have not room for it.
///
/// # Errors
/// The fabric does something wrong.
pub fn measure(bench: &mut Bench, form: Form, effort: &Effort) -> anyhow::Result<Result<Vec<Point>, Skipped>> {
    let (mesh, tiles) = ((bench.config().cols, bench.config().rows), bench.config().tiles());
    if let Err(error) = group::tree(bench.config(), form) {
        let why = error.to_string();
        return Ok(Err(Skipped { tiles, form, why }));
    }
    let mut group = Group::new(bench, form)?;
    let depth = group.tree().depth(form.root(group.tree()));
    let mut points = vec![];
    for kind in Kind::ALL {
        let lengths = if kind == Kind::Barrier { &[0][..] } else { &effort.words };
        for &words in lengths {
            let cost = group.measure(bench, kind, words, effort.check)?;
            points.push(Point {
                kind,
                mesh,
                form,
                depth,
                words,
                cycles: cost.cycles,
                running: cost.running,
                waiting: cost.waiting,
                idle: cost.idle,
            });
        }
    }
    Ok(Ok(points))
}
