//! What is asked of every block's benchmark, and the form of what it gives.

use crate::bench::report::Row;
use portico_synth::Placement;
use serde::Serialize;

/// Name of the benchmark in its rows.
pub const BENCH: &str = "blocks";

/// How much to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Few sizes and short runs.
    pub quick: bool,
    /// How to place and route on ECP5; without it, no clock is measured.
    pub place: Option<Placement>,
    /// Of the stimulus.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            quick: false,
            place: Some(Placement::default()),
            seed: 1,
        }
    }
}

impl Effort {
    /// Short runs, and no placement.
    pub fn quick() -> Self {
        Self {
            quick: true,
            place: None,
            ..Self::default()
        }
    }
}

/// What the benchmark of one block gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// One row a figure; names begin with the block's.
    pub rows: Vec<Row>,
    /// Series of figures, for plots and tables of their own.
    pub plots: Vec<Plot>,
}

/// One pair of axes, both logarithmic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// What is seen, in a few words.
    pub title: String,
    /// Quantity and unit of the horizontal axis.
    pub x: String,
    /// Quantity and unit of the vertical axis.
    pub y: String,
    /// One a case.
    pub lines: Vec<Line>,
}

/// The points of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// The case.
    pub name: String,
    /// Rising in x; all coordinates are above zero.
    pub points: Vec<(f64, f64)>,
    /// Figures of the paper beside them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paper: Vec<(f64, f64)>,
}
