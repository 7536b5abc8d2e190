//! The paper's latencies, in cycles of its clock.
//!
//! The paper (`gao-mpe-2013`, chapter 5) prints models of its latencies (Equations 5.3 and 5.4) and how much longer its
//! measurements take (Tables 5.1 and 5.2). A measured latency is the sum of both. A link of 3.2 Gbit/s carries a word a cycle of
//! 100 MHz.

use super::form::Form;
use portico_spec::mpe::call::Kind;

/// Cycles of a microsecond.
const CLOCK: f64 = 100.0;
/// Tiles of the tables, by column.
const TILES: [usize; 4] = [4, 8, 16, 32];
/// Words of the tables, by line.
const WORDS: [usize; 4] = [8, 256, 1024, 4096];
/// O of Equation 5.4, in cycles: with it the two halves of Table 5.2 agree.
const OVERHEAD: f64 = 16.0;
/// Trees of the tables, in their order.
const FORMS: [Form; 3] = [Form::Linear, Form::Binomial, Form::Star];
/// Table 5.1 (a): measured less modelled, in microseconds, of each tree.
const BROADCAST: [[[f64; 4]; 4]; 3] = [
    [
        [5.87, 6.03, 7.99, 13.4],
        [5.00, 5.12, 6.01, 9.99],
        [5.11, 5.12, 6.98, 8.93],
        [5.53, 5.72, 7.41, 7.80],
    ],
    [
        [5.83, 5.92, 6.29, 6.89],
        [5.01, 5.53, 6.08, 5.26],
        [5.14, 5.00, 7.23, 6.92],
        [5.56, 6.53, 7.27, 4.87],
    ],
    [
        [6.89, 9.29, 10.6, 13.9],
        [4.60, 4.63, 7.06, 8.85],
        [4.48, 3.96, 5.21, 7.45],
        [4.60, 4.64, 6.14, 3.12],
    ],
];
/// Table 5.2 (a), likewise.
const REDUCE: [[[f64; 4]; 4]; 3] = [
    [
        [5.90, 6.37, 9.60, 15.7],
        [5.77, 5.68, 8.32, 10.1],
        [5.92, 5.63, 9.26, 9.46],
        [6.29, 6.74, 9.08, 9.17],
    ],
    [
        [5.83, 5.41, 7.01, 8.82],
        [6.05, 6.45, 6.89, 8.69],
        [6.30, 5.51, 8.61, 10.2],
        [6.83, 6.97, 8.54, 10.3],
    ],
    [
        [12.3, 25.2, 55.7, 138.0],
        [12.4, 24.6, 55.6, 138.0],
        [11.8, 24.6, 55.3, 136.0],
        [12.4, 25.7, 56.0, 136.0],
    ],
];

/// Edges that a word passes one after the other in the paper's model: log2 n in the binomial tree, else n - 1.
fn stages(form: Form, tiles: usize) -> f64 {
    match form {
        Form::Binomial => (tiles as f64).log2(),
        _ => tiles as f64 - 1.0,
    }
}

/// Cycles of the paper's model, Equations 5.3 and 5.4.
fn modelled(kind: Kind, form: Form, tiles: usize, words: usize) -> f64 {
    let stages = stages(form, tiles);
    let overhead = if kind == Kind::Reduce { OVERHEAD } else { 0.0 };
    (2.0 + stages) * words as f64 + stages * overhead
}

/// Cycles that the paper measured, where its tables have the figure.
pub fn cycles(kind: Kind, form: Form, tiles: usize, words: usize) -> Option<f64> {
    let table = match kind {
        Kind::Broadcast => BROADCAST,
        Kind::Reduce => REDUCE,
        // Figures 5.1 and 5.11 are plots without numbers.
        Kind::Barrier | Kind::Allreduce => return None,
    };
    let tree = FORMS.iter().position(|&known| known == form)?;
    let line = WORDS.iter().position(|&known| known == words)?;
    let column = TILES.iter().position(|&known| known == tiles)?;
    Some(modelled(kind, form, tiles, words) + CLOCK * table[tree][line][column])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_the_shares_that_the_paper_prints() {
        for (kind, form, tiles, words, percent) in [
            (Kind::Broadcast, Form::Linear, 4, 8, 93.6),
            (Kind::Broadcast, Form::Linear, 32, 4096, 0.57),
            (Kind::Broadcast, Form::Binomial, 32, 4096, 1.67),
            (Kind::Broadcast, Form::Star, 8, 256, 16.7),
            (Kind::Reduce, Form::Linear, 32, 8, 67.4),
            (Kind::Reduce, Form::Linear, 4, 8, 87.0),
            (Kind::Reduce, Form::Binomial, 8, 1024, 9.64),
            (Kind::Reduce, Form::Star, 16, 256, 54.8),
        ] {
            let measured = cycles(kind, form, tiles, words).unwrap();
            let share = 100.0 * (1.0 - modelled(kind, form, tiles, words) / measured);
            assert!(
                (share - percent).abs() < 0.01 * percent,
                "{kind:?}, {form:?}, {tiles} tiles, {words} words: {share} %, not {percent} %"
            );
        }
    }

    #[test]
    fn there_are_figures_of_the_papers_trees_alone() {
        assert_eq!(cycles(Kind::Broadcast, Form::Binomial, 4, 4096), Some(16_940.0));
        assert_eq!(cycles(Kind::Broadcast, Form::Mapped, 4, 4096), None);
        assert_eq!(cycles(Kind::Broadcast, Form::Linear, 4, 1), None);
        assert_eq!(cycles(Kind::Allreduce, Form::Linear, 4, 8), None);
    }
}
