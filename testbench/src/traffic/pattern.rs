//! Spatial patterns of synthetic traffic: to whom a tile of a `cols` x `rows` mesh sends.
//!
//! | name | tile (x, y) sends to | defined on |
//! | --- | --- | --- |
//! | `uniform` | any other terminal (edge nodes too), each equally likely | 2 terminals or more |
//! | `transpose` | (y, x) | square meshes of 2 x 2 or more |
//! | `bit-complement` | (cols - 1 - x, rows - 1 - y), which flips every bit of the id where both are powers of two | 2 tiles or more |
//! | `bit-reverse` | the tile whose id has the bits of this one's in reverse order | powers of two from 4 tiles |
//! | `neighbour` | one of its two to four adjacent tiles, each equally likely | 2 tiles or more |
//! | `hotspot` | the hot tile (cols / 2, rows / 2) for one packet in ten, otherwise as `uniform` | 2 terminals or more |
//! | `tornado` | (x + ceil(cols / 2) - 1, y + ceil(rows / 2) - 1), each modulo its side | a side of 3 or more |
//! | `all-to-one` | tile 0 | 2 terminals or more |
//!
//! A permutation's fixed points (the diagonal of `transpose`, for one) stay silent: traffic to oneself crosses no link and
//! would only flatter the figures. Edge nodes send in `uniform`, `hotspot` and `all-to-one`; elsewhere they are silent.
//! Transpose, bit-complement, bit-reverse and tornado are those of Dally and Towles, *Principles and Practices of
//! Interconnection Networks*, section 3.2.

use rand::{rngs::SmallRng, seq::SliceRandom, Rng};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// Share of the packets that `hotspot` sends to the hot tile.
pub const HOTSPOT_SHARE: f64 = 0.1;

/// A spatial pattern; see the module's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// To anyone.
    Uniform,
    /// Across the diagonal.
    Transpose,
    /// Through the centre.
    BitComplement,
    /// To the id read backwards.
    BitReverse,
    /// To an adjacent tile.
    Neighbour,
    /// To anyone, but to one tile more often.
    Hotspot,
    /// Almost half-way along both sides.
    Tornado,
    /// To tile 0.
    AllToOne,
}

/// Why a pattern cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// No pattern has this name.
    #[error("traffic `{0}` is not known; allowed are {list}", list = Pattern::names())]
    Unknown(String),
    /// The pattern is not defined on the mesh.
    #[error("traffic `{pattern}` needs {needs}; the mesh is {cols}x{rows}")]
    Undefined {
        /// The pattern.
        pattern: Pattern,
        /// What a mesh must be for it.
        needs: &'static str,
        /// Columns of the mesh.
        cols: usize,
        /// Rows of the mesh.
        rows: usize,
    },
}

impl Pattern {
    /// Every pattern, in the order of the module's table.
    pub const ALL: [Self; 8] = [
        Self::Uniform,
        Self::Transpose,
        Self::BitComplement,
        Self::BitReverse,
        Self::Neighbour,
        Self::Hotspot,
        Self::Tornado,
        Self::AllToOne,
    ];

    /// The name by which `FromStr` knows the pattern.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Transpose => "transpose",
            Self::BitComplement => "bit-complement",
            Self::BitReverse => "bit-reverse",
            Self::Neighbour => "neighbour",
            Self::Hotspot => "hotspot",
            Self::Tornado => "tornado",
            Self::AllToOne => "all-to-one",
        }
    }

    /// All names, separated by commas, for messages and help texts.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// Resolves the pattern for a mesh of `cols` x `rows` tiles with `edge_nodes` more terminals behind them.
    ///
    /// # Errors
    /// The pattern is not defined on this mesh.
    pub fn on_mesh(self, cols: usize, rows: usize, edge_nodes: usize) -> Result<Destinations, PatternError> {
        let tiles = cols * rows;
        let terminals = tiles + edge_nodes;
        let needs = match self {
            Self::Uniform | Self::Hotspot | Self::AllToOne => (terminals < 2).then_some("2 terminals or more"),
            Self::BitComplement | Self::Neighbour => (tiles < 2).then_some("2 tiles or more"),
            Self::Transpose => (cols != rows || cols < 2).then_some("a square mesh of 2x2 or more"),
            Self::BitReverse => (!tiles.is_power_of_two() || tiles < 4).then_some("a power of two of tiles, 4 or more"),
            Self::Tornado => (cols.max(rows) < 3).then_some("a side of 3 tiles or more"),
        };
        match needs {
            Some(needs) => Err(PatternError::Undefined {
                pattern: self,
                needs,
                cols,
                rows,
            }),
            None => Ok(Destinations {
                choices: (0..terminals).map(|source| self.choice(source, cols, rows)).collect(),
            }),
        }
    }

    fn choice(self, source: usize, cols: usize, rows: usize) -> Choice {
        let at = |x: usize, y: usize| y * cols + x;
        let (x, y) = (source % cols, source / cols);
        let is_edge_node = source >= cols * rows;
        let hot = at(cols / 2, rows / 2);
        let mut among = match self {
            Self::Uniform => return Choice::Anyone,
            Self::Hotspot if source == hot => return Choice::Anyone,
            Self::Hotspot => return Choice::Hot(hot),
            Self::AllToOne => vec![0],
            _ if is_edge_node => vec![],
            Self::Transpose => vec![at(y, x)],
            Self::BitComplement => vec![at(cols - 1 - x, rows - 1 - y)],
            Self::BitReverse => vec![source.reverse_bits() >> (usize::BITS - (cols * rows).trailing_zeros())],
            Self::Tornado => vec![at((x + cols.div_ceil(2) - 1) % cols, (y + rows.div_ceil(2) - 1) % rows)],
            Self::Neighbour => {
                let mut adjacent = vec![];
                adjacent.extend((x > 0).then(|| at(x - 1, y)));
                adjacent.extend((x + 1 < cols).then(|| at(x + 1, y)));
                adjacent.extend((y > 0).then(|| at(x, y - 1)));
                adjacent.extend((y + 1 < rows).then(|| at(x, y + 1)));
                adjacent
            }
        };
        among.retain(|&destination| destination != source);
        Choice::Among(among)
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(name: &str) -> Result<Self, PatternError> {
        let known = Self::ALL.into_iter().find(|pattern| pattern.name() == name);
        known.ok_or_else(|| PatternError::Unknown(name.to_owned()))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// To whom each terminal of one network sends.
#[derive(Clone, Debug)]
pub struct Destinations {
    choices: Vec<Choice>,
}

#[derive(Clone, Debug)]
enum Choice {
    /// Any other terminal.
    Anyone,
    /// This tile for [`HOTSPOT_SHARE`] of the packets, otherwise any other terminal.
    Hot(usize),
    /// One of these; nobody, if there are none.
    Among(Vec<usize>),
}

impl Destinations {
    /// Fixed flows from terminal to terminal, of one source each, among `terminals` terminals; the others are silent.
    ///
    /// # Panics
    /// A flow names a source that is not there.
    pub fn fixed(terminals: usize, flows: &[(usize, usize)]) -> Self {
        let mut choices = vec![Choice::Among(vec![]); terminals];
        for &(source, destination) in flows {
            choices[source] = Choice::Among(vec![destination]);
        }
        Self { choices }
    }

    /// Terminals of the network: tiles, then edge nodes.
    pub fn terminals(&self) -> usize {
        self.choices.len()
    }

    /// Whether `source` ever sends.
    pub fn sends(&self, source: usize) -> bool {
        !matches!(&self.choices[source], Choice::Among(destinations) if destinations.is_empty())
    }

    /// Whether `source` sends to any other terminal, each as likely.
    pub fn is_uniform(&self, source: usize) -> bool {
        matches!(&self.choices[source], Choice::Anyone)
    }

    /// The one terminal that `source` sends to, if there is one.
    pub fn only(&self, source: usize) -> Option<usize> {
        match &self.choices[source] {
            Choice::Among(destinations) if destinations.len() == 1 => Some(destinations[0]),
            _ => None,
        }
    }

    /// Share of the packets of `source` that go to `destination`, 0 to 1; 0 if it is silent.
    pub fn share(&self, source: usize, destination: usize) -> f64 {
        let anyone = match source == destination {
            true => 0.0,
            false => 1.0 / (self.terminals() - 1) as f64,
        };
        match &self.choices[source] {
            Choice::Anyone => anyone,
            Choice::Hot(tile) if *tile == destination => HOTSPOT_SHARE + (1.0 - HOTSPOT_SHARE) * anyone,
            Choice::Hot(_) => (1.0 - HOTSPOT_SHARE) * anyone,
            Choice::Among(destinations) => {
                let chances = destinations.iter().filter(|&&to| to == destination).count();
                chances as f64 / destinations.len().max(1) as f64
            }
        }
    }

    /// The terminal that the next packet of `source` goes to; `None` if it is silent.
    pub fn draw(&self, source: usize, rng: &mut SmallRng) -> Option<usize> {
        match &self.choices[source] {
            Choice::Hot(tile) if rng.gen_bool(HOTSPOT_SHARE) => Some(*tile),
            Choice::Anyone | Choice::Hot(_) => {
                let drawn = rng.gen_range(0..self.choices.len() - 1);
                Some(drawn + usize::from(drawn >= source))
            }
            Choice::Among(destinations) => destinations.choose(rng).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use std::collections::HashSet;

    const MESHES: [(usize, usize); 6] = [(1, 2), (4, 4), (8, 8), (5, 3), (1, 7), (16, 16)];

    fn rng() -> SmallRng {
        SmallRng::seed_from_u64(0x5eed)
    }

    #[test]
    fn every_name_is_read_back() {
        for pattern in Pattern::ALL {
            assert_eq!(pattern.to_string().parse(), Ok(pattern));
        }
    }

    #[test]
    fn an_unknown_name_lists_all() {
        let message = "unifrom".parse::<Pattern>().unwrap_err().to_string();
        assert_eq!(
            message,
            "traffic `unifrom` is not known; allowed are uniform, transpose, bit-complement, bit-reverse, neighbour, \
             hotspot, tornado, all-to-one"
        );
    }

    #[test]
    fn destinations_exist_and_are_not_the_source() {
        let mut rng = rng();
        for (cols, rows) in MESHES {
            for pattern in Pattern::ALL {
                let Ok(destinations) = pattern.on_mesh(cols, rows, 1) else {
                    continue;
                };
                for source in 0..cols * rows + 1 {
                    for _ in 0..20 {
                        let drawn = destinations.draw(source, &mut rng);
                        assert_eq!(drawn.is_some(), destinations.sends(source), "{pattern} from {source}");
                        assert!(
                            drawn.is_none_or(|d| d != source && d < cols * rows + 1),
                            "{pattern} on {cols}x{rows}: {source} to {drawn:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn permutations_reach_each_tile_once_at_most() {
        let mut rng = rng();
        let permutations = [
            Pattern::Transpose,
            Pattern::BitComplement,
            Pattern::BitReverse,
            Pattern::Tornado,
        ];
        for (cols, rows) in MESHES {
            for pattern in permutations {
                let Ok(destinations) = pattern.on_mesh(cols, rows, 0) else {
                    continue;
                };
                let sent: Vec<_> = (0..cols * rows)
                    .filter_map(|source| destinations.draw(source, &mut rng))
                    .collect();
                assert!(!sent.is_empty(), "{pattern} on {cols}x{rows} moves nobody");
                assert_eq!(
                    sent.iter().collect::<HashSet<_>>().len(),
                    sent.len(),
                    "{pattern} on {cols}x{rows}"
                );
            }
        }
    }

    #[test]
    fn known_destinations() {
        let mut rng = rng();
        let mut to =
            |pattern: Pattern, cols, rows, source| pattern.on_mesh(cols, rows, 0).unwrap().draw(source, &mut rng);
        assert_eq!(to(Pattern::Transpose, 4, 4, 1), Some(4));
        assert_eq!(to(Pattern::Transpose, 4, 4, 5), None);
        assert_eq!(to(Pattern::BitComplement, 8, 8, 0b000_101), Some(0b111_010));
        assert_eq!(to(Pattern::BitComplement, 3, 3, 4), None);
        assert_eq!(to(Pattern::BitReverse, 4, 4, 0b0011), Some(0b1100));
        assert_eq!(to(Pattern::BitReverse, 8, 2, 0b0001), Some(0b1000));
        assert_eq!(to(Pattern::Tornado, 8, 8, 0), Some(3 * 8 + 3));
        assert_eq!(to(Pattern::Tornado, 5, 1, 4), Some(1));
        assert_eq!(to(Pattern::AllToOne, 4, 4, 9), Some(0));
        assert_eq!(to(Pattern::AllToOne, 4, 4, 0), None);
    }

    #[test]
    fn uniform_is_uniform_and_hotspot_is_hot() {
        let mut rng = rng();
        let draws = 100_000;
        let mut share = |pattern: Pattern, destination| {
            let destinations = pattern.on_mesh(4, 4, 0).unwrap();
            let hits = (0..draws)
                .filter(|_| destinations.draw(3, &mut rng) == Some(destination))
                .count();
            hits as f64 / f64::from(draws)
        };
        for destination in [0, 2, 4, 15] {
            assert!((share(Pattern::Uniform, destination) - 1.0 / 15.0).abs() < 0.005);
        }
        let hot = HOTSPOT_SHARE + (1.0 - HOTSPOT_SHARE) / 15.0;
        assert!((share(Pattern::Hotspot, 10) - hot).abs() < 0.007);
    }

    #[test]
    fn shares_are_those_of_the_draws() {
        let mut rng = rng();
        let draws = 20_000;
        for pattern in Pattern::ALL {
            let destinations = pattern.on_mesh(4, 4, 1).unwrap();
            for source in [0, 10, 16] {
                let mut hits = [0; 17];
                let drawn = (0..draws).filter_map(|_| destinations.draw(source, &mut rng));
                drawn.for_each(|destination| hits[destination] += 1);
                for (destination, hits) in hits.into_iter().enumerate() {
                    let share = destinations.share(source, destination);
                    let off = (f64::from(hits) / f64::from(draws) - share).abs();
                    assert!(
                        off < 0.015,
                        "{pattern}, {source} to {destination}: {hits} of {draws}, {share}"
                    );
                }
            }
        }
    }

    #[test]
    fn neighbours_are_all_drawn_and_adjacent() {
        let destinations = Pattern::Neighbour.on_mesh(4, 4, 0).unwrap();
        let mut rng = rng();
        let mut seen = |source| {
            (0..200)
                .filter_map(|_| destinations.draw(source, &mut rng))
                .collect::<HashSet<_>>()
        };
        assert_eq!(seen(0), HashSet::from([1, 4]));
        assert_eq!(seen(5), HashSet::from([1, 4, 6, 9]));
        assert_eq!(seen(7), HashSet::from([3, 6, 11]));
    }

    #[test]
    fn fixed_flows_are_the_only_ones() {
        let destinations = Destinations::fixed(4, &[(0, 3), (2, 2)]);
        let mut rng = rng();
        let sent: Vec<_> = (0..4).map(|source| destinations.draw(source, &mut rng)).collect();
        assert_eq!(sent, [Some(3), None, Some(2), None]);
        assert!(destinations.sends(0) && !destinations.sends(1));
        assert_eq!(
            [0, 1, 2].map(|source| destinations.only(source)),
            [Some(3), None, Some(2)]
        );
        let uniform = Pattern::Uniform.on_mesh(2, 1, 0).unwrap();
        assert!(uniform.is_uniform(0) && !destinations.is_uniform(0) && uniform.only(0).is_none());
    }

    #[test]
    fn a_mesh_that_does_not_fit_is_named() {
        let error = |pattern: Pattern, cols, rows| pattern.on_mesh(cols, rows, 0).unwrap_err().to_string();
        for pattern in Pattern::ALL {
            assert!(error(pattern, 1, 1).ends_with("the mesh is 1x1"), "{pattern}");
        }
        assert_eq!(
            error(Pattern::Transpose, 4, 3),
            "traffic `transpose` needs a square mesh of 2x2 or more; the mesh is 4x3"
        );
        assert_eq!(
            error(Pattern::BitReverse, 3, 3),
            "traffic `bit-reverse` needs a power of two of tiles, 4 or more; the mesh is 3x3"
        );
        assert_eq!(
            error(Pattern::Tornado, 2, 2),
            "traffic `tornado` needs a side of 3 tiles or more; the mesh is 2x2"
        );
    }
}
