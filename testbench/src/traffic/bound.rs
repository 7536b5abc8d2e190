//! The load above which no mesh keeps up with all terminals under a pattern of traffic.

use super::pattern::Destinations;
use portico_spec::{Config, Node};

/// Offered loads above which no mesh accepts all that all terminals offer, in flits per sending terminal and cycle; infinite
/// where nothing has to pass. Some terminals may get more when others get less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaturationBound {
    /// Of the links between the halves of the mesh: the less of both directions, of columns and of rows.
    pub bisection: f64,
    /// Of the links between terminals and routers, which carry a flit a cycle each.
    pub terminals: f64,
}

impl SaturationBound {
    /// The bounds of the mesh of `config` when every terminal sends to `destinations` at one rate.
    ///
    /// At a rate of r, the links of a cut carry r times the sum of the shares of packets that cross it, and each carries at
    /// most one flit a cycle. A side of odd length has two cuts in its middle.
    ///
    /// # Panics
    /// `destinations` are those of another number of terminals.
    pub fn of(config: &Config, destinations: &Destinations) -> Self {
        let terminals = config.terminals();
        assert_eq!(destinations.terminals(), terminals, "destinations of this mesh");
        let Config { cols, rows, .. } = *config;
        let is_west = |middle: usize| move |node: Node| usize::from(node.x) < middle;
        let is_north = |middle: usize| move |node: Node| usize::from(node.y) < middle;
        // From one side of a cut to the other.
        let crossing = |from: &dyn Fn(Node) -> bool| {
            let side = |terminal| from(config.terminal_node(terminal));
            sum(terminals, destinations, |source, destination| {
                side(source) && !side(destination)
            })
        };
        let cut = |links: usize, side: &dyn Fn(Node) -> bool| {
            let there = crossing(side);
            let back = crossing(&|node| !side(node));
            links as f64 / there.max(back)
        };
        let of_columns = middles(cols).into_iter().map(|middle| cut(rows, &is_west(middle)));
        let of_rows = middles(rows).into_iter().map(|middle| cut(cols, &is_north(middle)));
        let bisection = of_columns.chain(of_rows).fold(f64::INFINITY, f64::min);
        let sent = (0..terminals).map(|terminal| sum(terminals, destinations, |source, _| source == terminal));
        let received = (0..terminals).map(|terminal| sum(terminals, destinations, |_, to| to == terminal));
        let busiest = sent.chain(received).fold(0.0, f64::max);
        Self {
            bisection,
            terminals: 1.0 / busiest,
        }
    }
}

/// Sum of the shares of all packets from a source to a destination that `counts`.
fn sum(terminals: usize, destinations: &Destinations, counts: impl Fn(usize, usize) -> bool) -> f64 {
    let pairs = (0..terminals).flat_map(|source| (0..terminals).map(move |destination| (source, destination)));
    let counted = pairs.filter(|&(source, destination)| counts(source, destination));
    counted
        .map(|(source, destination)| destinations.share(source, destination))
        .sum()
}

/// Where a side of this length is cut in the middle; a side of one has no middle.
fn middles(length: usize) -> Vec<usize> {
    let mut middles = vec![length / 2, length.div_ceil(2)];
    middles.retain(|&middle| middle > 0 && middle < length);
    middles.dedup();
    middles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Pattern;
    use portico_golden::uniform_saturation_bound;

    fn bound(pattern: Pattern, cols: usize, rows: usize) -> SaturationBound {
        let config = Config {
            cols,
            rows,
            ..Config::default()
        };
        SaturationBound::of(&config, &pattern.on_mesh(cols, rows, 0).unwrap())
    }

    #[test]
    fn under_uniform_traffic_it_is_the_bound_of_the_golden_model() {
        for (cols, rows) in [(4, 4), (8, 8), (5, 5), (3, 2), (16, 1), (2, 2)] {
            let SaturationBound { bisection, terminals } = bound(Pattern::Uniform, cols, rows);
            let golden = uniform_saturation_bound(cols, rows);
            assert!(
                (bisection.min(terminals) - golden).abs() < 1e-9,
                "{cols}x{rows}: {bisection}"
            );
        }
    }

    #[test]
    fn known_bounds() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        // All 32 tiles of a half send across 8 links.
        let complement = bound(Pattern::BitComplement, 8, 8);
        assert!(
            close(complement.bisection, 0.25) && close(complement.terminals, 1.0),
            "{complement:?}"
        );
        // The hot tile takes a flit a cycle.
        let hot = bound(Pattern::Hotspot, 4, 4);
        assert!(close(hot.terminals, 1.0 / (15.0 * 0.1 + 0.9)), "{hot:?}");
        assert!(close(bound(Pattern::AllToOne, 4, 4).terminals, 1.0 / 15.0));
        assert!(bound(Pattern::Neighbour, 4, 4).bisection > 1.0);
        // Along one row there is no cut between rows, and two in the middle of three columns.
        assert!(close(bound(Pattern::BitComplement, 3, 1).bisection, 1.0));
    }
}
