//! What is held against a bound.

use super::{
    form::{centre, Form},
    group::{self, Group},
    paper, Effort, BENCH,
};
use crate::bench::{
    onesided::bench::Bench,
    report::{Better, Row},
};
use portico_spec::mpe::call::{self, Kind};

/// Words of the bounded broadcasts and reductions.
pub const WORDS: usize = 4096;
/// Cycles of a flit from one tile to the next: there are two routers on the way.
const HOP: usize = 2;
/// Barriers: tiles, the paper's cycles (Figure 5.1), the limit and the bound.
const BARRIERS: [(usize, Option<f64>, f64, f64); 3] = [
    (4, Some(454.0), 6.0, 24.0),
    (16, None, 10.0, 38.0),
    (32, Some(2410.0), 14.0, 50.0),
];
/// Tiles and bound of broadcasts, reductions, and allreduces of one word.
const BROADCASTS: [(usize, f64); 2] = [(4, 4265.0), (32, 4480.0)];
const REDUCES: [(usize, f64); 2] = [(4, 4283.0), (32, 4650.0)];
const ALLREDUCES: [(usize, f64); 2] = [(16, 140.0), (32, 176.0)];
/// Tiles of the fabric on which calls are repeated.
const REPEATED: usize = 16;
/// Words of the calls that are repeated.
const REPEATED_WORDS: usize = 256;
/// Cycles by which the same call may differ.
const SPREAD: f64 = 0.0;

/// Flits that one edge carries of a call: its words, the call word, and the head of each packet.
pub fn flits(words: usize) -> usize {
    words + 1 + call::packets(words as u32).len()
}

/// The rows of this module that belong to a fabric of this size, each with its place in the report.
///
/// # Errors
/// The fabric does something wrong.
pub fn rows(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<(usize, Row)>> {
    let tiles = bench.config().tiles();
    let mut rows = vec![];
    if let Some(&(_, paper, limit, bound)) = BARRIERS.iter().find(|row| row.0 == tiles) {
        let (cycles, form) = fastest_barrier(bench, effort)?;
        let name = format!("barrier, {tiles} tiles, {} tree", form.name());
        let row = row(name, cycles, paper, Some(limit), bound);
        rows.push((0, keyed(row, "bound", Kind::Barrier, tiles, form, 0)));
    }
    for (place, kind, bounds) in [(1, Kind::Broadcast, BROADCASTS), (2, Kind::Reduce, REDUCES)] {
        let Some(&(_, bound)) = bounds.iter().find(|row| row.0 == tiles) else {
            continue;
        };
        let mut group = Group::new(bench, Form::Linear)?;
        let cycles = worst(bench, &mut group, kind, WORDS, effort)?;
        // The paper's best tree stands beside ours.
        let paper = paper::cycles(kind, Form::Binomial, tiles, WORDS);
        let adder = if kind == Kind::Reduce { bench.config().stages } else { 0 };
        let limit = flits(WORDS) + (tiles - 1) * (HOP + adder);
        let name = format!("{}, {tiles} tiles, linear tree, {WORDS} words", kind_name(kind));
        let row = row(name, cycles, paper, Some(limit as f64), bound);
        rows.push((place, keyed(row, "bound", kind, tiles, Form::Linear, WORDS)));
    }
    if let Some(&(_, bound)) = ALLREDUCES.iter().find(|row| row.0 == tiles) {
        let mut group = Group::new(bench, Form::Mapped)?;
        let cycles = worst(bench, &mut group, Kind::Allreduce, 1, effort)?;
        let limit = 2 * group.tree().depth(centre(group.tree()));
        let name = format!("allreduce, {tiles} tiles, mapped tree, 1 word");
        let row = row(name, cycles, None, Some(limit as f64), bound);
        rows.push((3, keyed(row, "bound", Kind::Allreduce, tiles, Form::Mapped, 1)));
    }
    if tiles == REPEATED {
        for (kind, words) in [
            (Kind::Barrier, 0),
            (Kind::Broadcast, REPEATED_WORDS),
            (Kind::Reduce, REPEATED_WORDS),
        ] {
            rows.push((4, spread(bench, kind, words, effort)?));
        }
    }
    Ok(rows)
}

/// The figure of a call with its variables.
pub fn keyed(row: Row, measure: &str, kind: Kind, tiles: usize, form: Form, words: usize) -> Row {
    row.with("measure", measure)
        .with("call", kind_name(kind))
        .with("tiles", tiles)
        .with("tree", form.name())
        .with("words", words)
}

fn row(name: String, cycles: u64, paper: Option<f64>, limit: Option<f64>, bound: f64) -> Row {
    Row {
        paper,
        limit,
        bound: Some(bound),
        ..Row::new(BENCH, name, "cycles", Better::Less, cycles as f64)
    }
}

/// The name of a call in figures.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Barrier => "barrier",
        Kind::Broadcast => "broadcast",
        Kind::Reduce => "reduce",
        Kind::Allreduce => "allreduce",
    }
}

/// Cycles of the same call again and again.
fn repeated(
    bench: &mut Bench,
    group: &mut Group,
    kind: Kind,
    words: usize,
    effort: &Effort,
) -> anyhow::Result<Vec<u64>> {
    let calls = (0..effort.repeats).map(|_| Ok(group.measure(bench, kind, words, effort.check)?.cycles));
    calls.collect()
}

/// The longest of some calls.
fn worst(bench: &mut Bench, group: &mut Group, kind: Kind, words: usize, effort: &Effort) -> anyhow::Result<u64> {
    let cycles = repeated(bench, group, kind, words, effort)?;
    Ok(cycles.into_iter().max().expect("a call"))
}

/// Cycles of a barrier along the tree that suits it best: the mapped or the quartered one, a star, or a k-ary one.
fn fastest_barrier(bench: &mut Bench, effort: &Effort) -> anyhow::Result<(u64, Form)> {
    let kary = (2..bench.config().mpe_neighbours).map(Form::Kary);
    let mut best: Option<(u64, Form)> = None;
    for form in [Form::Mapped, Form::Quad, Form::Star].into_iter().chain(kary) {
        if group::tree(bench.config(), form).is_err() {
            continue;
        }
        let mut group = Group::new(bench, form)?;
        let cycles = worst(bench, &mut group, Kind::Barrier, 0, effort)?;
        if best.is_none_or(|(least, _)| cycles < least) {
            best = Some((cycles, form));
        }
    }
    Ok(best.expect("the mapped tree fits"))
}

/// The most by which one call takes longer than another.
fn spread(bench: &mut Bench, kind: Kind, words: usize, effort: &Effort) -> anyhow::Result<Row> {
    let mut group = Group::new(bench, Form::Mapped)?;
    let cycles = repeated(bench, &mut group, kind, words, effort)?;
    let spread = cycles.iter().max().expect("a call") - cycles.iter().min().expect("a call");
    let of_words = if words == 0 {
        String::new()
    } else {
        format!(", {words} words")
    };
    let name = format!(
        "{}, {REPEATED} tiles, mapped tree{of_words}, spread of {} calls",
        kind_name(kind),
        cycles.len()
    );
    let row = row(name, spread, None, Some(0.0), SPREAD);
    Ok(keyed(row, "spread", kind, REPEATED, Form::Mapped, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_carries_words_a_call_word_and_heads() {
        assert_eq!([1, 31, 32, 4096].map(flits), [3, 33, 35, 4226]);
    }
}
