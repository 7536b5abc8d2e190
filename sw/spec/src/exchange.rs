//! The order in which the members of a group send to each other when every member has a block for every other one.
//!
//! The rounds of `nocmsg-collectives-2013`, 3.2.1 and Algorithm 1, let no two packets of a round share a link of the mesh:
//!
//! 1. Direct rounds: along a row, then along a column. Packets over d links take d rounds, because d members that lie behind
//!    each other would share a link. Both directions of a link serve in the same round.
//! 2. Left rounds: towards the south-east and the north-west. Packets over dx and dy links take dx dy rounds.
//! 3. Right rounds: the same towards the north-east and the south-west.
//!
//! ```
//! use portico_spec::{exchange::{orders, Order}, Config};
//!
//! let config = Config { cols: 2, rows: 2, ..Config::default() };
//! assert_eq!(orders(&config, &[0, 1, 2, 3], Order::Rounds)[0], [1, 2, 3]);
//! assert_eq!(orders(&config, &[0, 1, 2, 3], Order::Rotated)[1], [2, 3, 0]);
//! ```

use std::collections::BTreeMap;

use crate::{Config, Node};

/// In which order a member sends to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By the [`rounds`]. No barrier separates them, so packets of different rounds meet, and several members send to one.
    Rounds,
    /// From the next rank on, round the group. In each step every member receives one block: the stages of OperaMPI, as the
    /// paper describes them, without waiting between them.
    #[default]
    Rotated,
    /// From rank 0 on, so that all members begin with the same one.
    Ranks,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Rounds, Order::Rotated, Order::Ranks];

    /// Name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Order::Rounds => "rounds",
            Order::Rotated => "rotated",
            Order::Ranks => "ranks",
        }
    }
}

/// The kinds of rounds, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Row,
    Column,
    Left,
    Right,
}

/// The rounds of an exchange: each has pairs of ranks, sender and receiver, whose packets share no link. Every pair of different
/// ranks is in one round. The tiles are the members by rank, each once.
pub fn rounds(config: &Config, tiles: &[usize]) -> Vec<Vec<(usize, usize)>> {
    let places: Vec<Node> = tiles.iter().map(|&tile| config.terminal_node(tile)).collect();
    let mut rounds: BTreeMap<_, Vec<(usize, usize)>> = BTreeMap::new();
    for (from, &at) in places.iter().enumerate() {
        for (to, &there) in places.iter().enumerate().filter(|&(to, _)| to != from) {
            let (dx, dy) = (there.x.abs_diff(at.x), there.y.abs_diff(at.y));
            let kind = match (dx, dy) {
                (_, 0) => Kind::Row,
                (0, _) => Kind::Column,
                _ if (there.x > at.x) == (there.y > at.y) => Kind::Left,
                _ => Kind::Right,
            };
            // Senders of a round are dx columns apart if they share a row, and dy rows if they share a column.
            let turn = (at.x % dx.max(1), at.y % dy.max(1));
            rounds.entry((kind, dy, dx, turn)).or_default().push((from, to));
        }
    }
    rounds.into_values().collect()
}

/// The other ranks, for each rank in the order in which it sends to them. The tiles are the members by rank, each once.
pub fn orders(config: &Config, tiles: &[usize], order: Order) -> Vec<Vec<usize>> {
    let size = tiles.len();
    let ranks = 0..size;
    match order {
        Order::Rounds => {
            let mut orders = vec![vec![]; size];
            for (from, to) in rounds(config, tiles).into_iter().flatten() {
                orders[from].push(to);
            }
            orders
        }
        Order::Rotated => ranks
            .map(|rank| (1..size).map(|step| (rank + step) % size).collect())
            .collect(),
        Order::Ranks => ranks.map(|rank| (0..size).filter(|&to| to != rank).collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{routing::path, Port};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The first link that two packets of a round share.
    fn shared(config: &Config, tiles: &[usize], rounds: &[Vec<(usize, usize)>]) -> Option<(Node, Port)> {
        let way = |(from, to): (usize, usize)| path(config, tiles[from], config.terminal_node(tiles[to]));
        rounds.iter().find_map(|round| {
            let mut taken = BTreeSet::new();
            let mut links = round
                .iter()
                .copied()
                .flat_map(way)
                .filter(|&(_, port)| port != Port::Local);
            links.find(|&link| !taken.insert(link))
        })
    }

    fn mesh(cols: usize, rows: usize) -> Config {
        Config {
            cols,
            rows,
            ..Config::default()
        }
    }

    #[test]
    fn packets_of_a_round_share_no_link_on_any_mesh() {
        for (cols, rows) in [(1, 1), (1, 7), (7, 1), (2, 2), (4, 3), (7, 7), (16, 2)] {
            let config = mesh(cols, rows);
            let tiles: Vec<usize> = (0..config.tiles()).collect();
            let rounds = rounds(&config, &tiles);
            assert_eq!(shared(&config, &tiles, &rounds), None, "{cols}x{rows}");
            // A distance of d links takes d rounds, or as many as it has senders; off the axes the product of both, twice.
            let turns = |count: usize| (1..count).map(|links| links.min(count - links)).sum::<usize>();
            let expected = turns(cols) + turns(rows) + 2 * turns(cols) * turns(rows);
            assert_eq!(rounds.len(), expected, "{cols}x{rows}");
        }
    }

    #[test]
    fn a_shared_link_is_found() {
        let config = mesh(4, 1);
        let together = [vec![(0, 2), (1, 3)]];
        let link = shared(&config, &[0, 1, 2, 3], &together).unwrap();
        assert_eq!(link, (Node { x: 1, y: 0 }, Port::East));
    }

    proptest! {
        #[test]
        fn every_member_sends_once_to_every_other_one(
            cols in 1..8usize,
            rows in 1..8usize,
            seed in prop::collection::vec(any::<u16>(), 1..40),
        ) {
            let config = mesh(cols, rows);
            let mut tiles: Vec<usize> = vec![];
            for tile in seed.into_iter().map(|word| usize::from(word) % config.tiles()) {
                if !tiles.contains(&tile) {
                    tiles.push(tile);
                }
            }
            prop_assert_eq!(shared(&config, &tiles, &rounds(&config, &tiles)), None);
            for way in Order::ALL {
                for (rank, mut to) in orders(&config, &tiles, way).into_iter().enumerate() {
                    to.push(rank);
                    to.sort_unstable();
                    prop_assert_eq!(to, (0..tiles.len()).collect::<Vec<_>>());
                }
            }
        }
    }
}
