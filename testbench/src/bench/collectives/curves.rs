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
    /// Tiles that take part.
    pub tiles: usize,
    /// Their tree.
    pub form: Form,
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
        paper::cycles(self.kind, self.form, self.tiles, self.words)
    }

    /// What was called, where.
    fn name(&self) -> String {
        let words = match (self.kind, self.words) {
            (Kind::Barrier, _) => String::new(),
            (_, 1) => ", 1 word".to_owned(),
            (_, words) => format!(", {words} words"),
        };
        let (kind, form) = (kind_name(self.kind), self.form.name());
        format!("curve: {kind}, {} tiles, {form} tree{words}", self.tiles)
    }

    /// Its cycles, and those of the engines.
    pub fn rows(&self) -> Vec<Row> {
        let name = self.name();
        let row = |name: String, measure: &str, cycles: u64| {
            let row = Row::new(BENCH, name, "cycles", Better::Less, cycles as f64);
            keyed(row, measure, self.kind, self.tiles, self.form, self.words)
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

/// All points as CSV, with a line of names above them.
pub fn csv(points: &[Point]) -> String {
    let mut text =
        "call,tiles,tree,words,cycles,words_per_cycle,limit,share_percent,paper,running,waiting,idle\n".to_owned();
    for point in points {
        let number = |figure: Option<f64>| figure.map_or_else(String::new, |figure| format!("{figure:.4}"));
        let cycles = |figure: Option<f64>| figure.map_or_else(String::new, |figure| format!("{figure:.0}"));
        let fields = [
            kind_name(point.kind).to_owned(),
            point.tiles.to_string(),
            point.form.name(),
            point.words.to_string(),
            point.cycles.to_string(),
            number(point.rate()),
            cycles(point.limit()),
            number(point.share()),
            cycles(point.paper()),
            point.running.to_string(),
            point.waiting.to_string(),
            point.idle.to_string(),
        ];
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// Measures a tree in all calls; says why not if the engines have not room for it.
///
/// # Errors
/// The fabric does something wrong.
pub fn measure(bench: &mut Bench, form: Form, effort: &Effort) -> anyhow::Result<Result<Vec<Point>, Skipped>> {
    let tiles = bench.config().tiles();
    if let Err(error) = group::tree(bench.config(), form) {
        let why = error.to_string();
        return Ok(Err(Skipped { tiles, form, why }));
    }
    let mut group = Group::new(bench, form)?;
    let mut points = vec![];
    for kind in Kind::ALL {
        let lengths = if kind == Kind::Barrier { &[0][..] } else { &effort.words };
        for &words in lengths {
            let cost = group.measure(bench, kind, words, effort.check)?;
            points.push(Point {
                kind,
                tiles,
                form,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_a_line_a_point_and_nothing_where_there_is_no_figure() {
        let point = Point {
            kind: Kind::Broadcast,
            tiles: 4,
            form: Form::Linear,
            words: 8,
            cycles: 20,
            running: 30,
            waiting: 20,
            idle: 10,
        };
        let barrier = Point {
            kind: Kind::Barrier,
            words: 0,
            ..point
        };
        assert_eq!(
            csv(&[point, barrier]),
            "call,tiles,tree,words,cycles,words_per_cycle,limit,share_percent,paper,running,waiting,idle\n\
             broadcast,4,linear,8,20,0.4000,10,50.0000,627,30,20,10\n\
             barrier,4,linear,0,20,,,,,30,20,10\n"
        );
    }
}
