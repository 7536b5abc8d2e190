//! Table 1 of the paper: puts to neighbours over ways that do not meet.
//!
//! Tiles along a snake through the mesh exchange data in pairs, so that each link carries one transfer in each direction; a
//! tile that has no partner puts to itself, as the paper's single cluster does. Time counts from the first beat of a
//! descriptor to the last completion. Like the paper's, the figure counts what goes into tiles and what comes out of them.

use super::{
    bench::Bench,
    bounds::{ceiling, in_pieces, size, Way, FRONT},
    words::word_bytes,
    Effort, BENCH,
};
use crate::bench::report::{Better, Row};
use anyhow::Context;
use portico_spec::Config;

/// Tiles that take part, as far as there are as many.
pub const TILES: [usize; 4] = [1, 4, 8, 16];
/// Bytes that each of them puts.
pub const SIZES: [usize; 5] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];
/// The paper's figures, in GB/s at 500 MHz.
const PAPER: [[f64; 5]; 4] = [
    [0.7, 2.7, 3.5, 3.8, 3.8],
    [2.7, 11.0, 14.2, 15.2, 15.4],
    [5.5, 21.8, 28.3, 30.5, 30.8],
    [10.7, 42.8, 56.3, 60.2, 60.2],
];
/// What the paper calls the peak: bytes a cycle and cluster, in and out, and its clock in GHz.
const PAPER_PEAK: f64 = 2.0 * 4.0 * 32.0 / 34.0;
const PAPER_CLOCK: f64 = 0.5;

/// One field of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Tiles that put.
    pub tiles: usize,
    /// Bytes that each puts.
    pub bytes: usize,
    /// Bytes of a transfer, of which each makes as many as it needs.
    pub piece: usize,
    /// Bytes a cycle, in and out, of all.
    pub rate: f64,
    /// Of what links and headers allow, in percent.
    pub share: f64,
    /// The paper's share of its own peak, in percent.
    pub paper: Option<f64>,
}

/// To whom each of the first `count` tiles of the snake puts.
fn pairs(config: &Config, count: usize) -> Vec<(usize, usize)> {
    let snake: Vec<usize> = (0..config.rows)
        .flat_map(|y| (0..config.cols).map(move |x| if y % 2 == 0 { (x, y) } else { (config.cols - 1 - x, y) }))
        .map(|(x, y)| y * config.cols + x)
        .collect();
    (0..count)
        .map(|at| (snake[at], if at ^ 1 < count { snake[at ^ 1] } else { snake[at] }))
        .collect()
}

/// Measures the table.
///
/// # Errors
/// The fabric does something wrong.
pub fn measure(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<Point>> {
    let mut points = vec![];
    let all = bench.config().tiles();
    for tiles in TILES.into_iter().filter(|&tiles| tiles <= all) {
        for &bytes in &effort.table {
            let point = point(bench, tiles, bytes, effort);
            points.push(point.with_context(|| format!("{tiles} tiles put {} to neighbours", size(bytes)))?);
        }
    }
    Ok(points)
}

fn point(bench: &mut Bench, tiles: usize, bytes: usize, effort: &Effort) -> anyhow::Result<Point> {
    bench.shift();
    let pairs = pairs(bench.config(), tiles);
    let sources: Vec<usize> = pairs.iter().map(|pair| pair.0).collect();
    let piece = bytes.min(bench.piece());
    let timing = bench.batch(&sources, bytes / piece, |bench, tile, _| {
        let (_, target) = pairs.iter().find(|pair| pair.0 == tile).expect("it is a source");
        Way::Put.descriptor(bench, bench.memory_handle(*target), piece)
    })?;
    let room = bench.room();
    for &(_, target) in &pairs {
        bench.verify(target, room, piece, effort.check)?;
    }
    let word = word_bytes(bench.config());
    let peak = (2 * tiles * word) as f64 * ceiling(piece / word, FRONT) / 100.0;
    let rate = 2.0 * (tiles * bytes) as f64 / timing.whole() as f64;
    Ok(Point {
        tiles,
        bytes,
        piece,
        rate,
        share: 100.0 * rate / peak,
        paper: paper(tiles, bytes),
    })
}

fn paper(tiles: usize, bytes: usize) -> Option<f64> {
    let line = TILES.iter().position(|&known| known == tiles)?;
    let column = SIZES.iter().position(|&known| known == bytes)?;
    Some(100.0 * PAPER[line][column] / (tiles as f64 * PAPER_PEAK * PAPER_CLOCK))
}

/// Two rows a field: bytes a cycle, and their share of the peak.
pub fn rows(points: &[Point]) -> Vec<Row> {
    let both = points.iter().flat_map(|point| {
        let counted = if point.tiles == 1 {
            "1 tile".to_owned()
        } else {
            format!("{} tiles", point.tiles)
        };
        let pieces = in_pieces(point.bytes, point.piece);
        let name = format!("puts to neighbours, {counted}, {} each{pieces}", size(point.bytes));
        let share = format!("{name}, share of peak");
        let keyed = |measure: &str, row: Row| {
            row.with("measure", measure)
                .with("tiles", point.tiles)
                .with("bytes", point.bytes)
        };
        let share = Row {
            paper: point.paper,
            limit: Some(100.0),
            ..Row::new(BENCH, share, "%", Better::More, point.share)
        };
        [
            keyed(
                "puts to neighbours",
                Row::new(BENCH, name, "bytes/cycle", Better::More, point.rate),
            ),
            keyed("puts to neighbours, share of peak", share),
        ]
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::routing;
    use std::collections::HashSet;

    #[test]
    fn no_two_ways_share_a_link() {
        for (cols, rows) in [(4, 4), (3, 3), (1, 5), (8, 2)] {
            let config = Config {
                cols,
                rows,
                ..Config::default()
            };
            for count in TILES.into_iter().filter(|&count| count <= config.tiles()) {
                let mut used = HashSet::new();
                for (from, to) in pairs(&config, count) {
                    let way = routing::path(&config, from, config.terminal_node(to));
                    assert!(way.len() <= 2, "{from} to {to} in {cols}x{rows}");
                    assert!(
                        way.into_iter().all(|link| used.insert(link)),
                        "{from} to {to} in {cols}x{rows}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_paper_reaches_its_peak_and_no_more() {
        let share = |tiles, bytes| paper(tiles, bytes).unwrap();
        assert!((share(16, 256 << 10) - 100.0).abs() < 0.1);
        assert!((share(16, 1 << 10) - 17.8).abs() < 0.1);
        assert_eq!(paper(2, 1 << 10), None);
    }
}
