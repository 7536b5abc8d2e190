//! Bandwidth of long calls that follow each other at once: a member begins the next call while others are still in the last.

use super::{
    bounds::{flits, keyed, kind_name, WORDS},
    form::Form,
    group::Group,
    Effort, BENCH,
};
use crate::bench::{
    onesided::bench::Bench,
    report::{Better, Row},
};
use portico_spec::mpe::call::{Kind, WAITING};

/// Calls that are under way before as many again are timed: all may wait in a context.
const CALLS: usize = WAITING / 2;
/// The paper's link, in Mbit/s (`gao-mpe-2013`, 5.4.2.1).
const LINK: f64 = 3200.0;
/// Mbit/s of the paper's engine (Table 5.5), by call and tiles.
const PAPER: [(Kind, usize, f64); 4] = [
    (Kind::Broadcast, 4, 1010.0),
    (Kind::Broadcast, 32, 934.0),
    (Kind::Reduce, 4, 1000.0),
    (Kind::Reduce, 32, 916.0),
];

/// The share of a link, in percent, that words of calls back to back take, on the sizes of fabrics for which the paper has it.
///
/// # Errors
/// The fabric does something wrong.
pub fn rows(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<Row>> {
    let tiles = bench.config().tiles();
    let share = |words: usize, cycles: f64| 100.0 * words as f64 / cycles;
    let mut rows = vec![];
    for (kind, _, paper) in PAPER.into_iter().filter(|&(_, of, _)| of == tiles) {
        let mut group = Group::new(bench, Form::Linear)?;
        let cycles = group.back_to_back(bench, kind, WORDS, CALLS, effort.check)?;
        let name = format!(
            "{}, {tiles} tiles, linear tree, {WORDS} words, back to back",
            kind_name(kind)
        );
        let value = share(CALLS * WORDS, cycles as f64);
        let row = Row {
            paper: Some(100.0 * paper / LINK),
            limit: Some(share(WORDS, flits(WORDS) as f64)),
            ..Row::new(BENCH, name, "% of a link", Better::More, value)
        };
        rows.push(keyed(row, "back to back", kind, tiles, Form::Linear, WORDS));
    }
    Ok(rows)
}
