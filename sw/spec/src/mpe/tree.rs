//! Trees along which collectives travel: which members of a group are neighbours.
//!
//! A tree has no root of its own. It is a list of neighbours for each member, and a call names the member that is its root;
//! [`Tree::towards`] tells each member which neighbour is on the way there. So every member can be the root of the same tree.
//!
//! | shape | neighbours | source |
//! | --- | --- | --- |
//! | [`Shape::Linear`] | a chain that snakes through the rows | `gao-mpe-2013`, chapter 5 |
//! | [`Shape::Binomial`] | rank `r` and `r` without its lowest bit that is set | `gao-mpe-2013`, chapter 4 |
//! | [`Shape::Kary`] | rank `r` and `(r - 1) / k` | `gao-mpe-2013`, chapter 4 |
//! | [`Shape::Columns`] | a chain along one column, and from there along each row: a broadcast from that column | `nocmsg-collectives-2013`, 3.2.3 |
//! | [`Shape::Rows`] | a chain along one row, and from there along each column: a reduction to that row | `nocmsg-collectives-2013`, 3.2.4 |
//! | [`Shape::Centre`] | [`Shape::Columns`] of the centre column: four neighbours at most | `nocmsg-collectives-2013`, 3.2.2 |
//! | [`Shape::Quad`] | the member in the middle of each quarter of a rectangle, again and again: little depth in the mesh | |
//! | [`Shape::Star`] | all of the first member; of two levels where its list is too short | |
//! | [`Shape::Own`] | the user's own | |
//!
//! Where a group fills a rectangle, neighbours of the linear and mapped trees lie side by side in the mesh, so that no link
//! carries the packets of two edges.
//!
//! A member serves its children one after the other, in the order of its list. So the lists of all shapes but [`Shape::Own`] begin
//! with the neighbour behind which the tree is deepest: the longest way is served first.
//!
//! ```
//! use portico_spec::{mpe::tree::{Shape, Tree}, Config};
//!
//! let config = Config { cols: 4, rows: 4, ..Config::default() };
//! let all: Vec<usize> = (0..16).collect();
//! let tree = Tree::new(&config, &all, &Shape::Centre)?;
//! assert_eq!((tree.most_neighbours(), tree.depth(5)), (4, 4));
//! // Lists of `config` have 7 places: seven members around the first, and one or two around each of these.
//! let star = Tree::new(&config, &all, &Shape::Star)?;
//! assert_eq!((star.neighbours(0).len(), star.depth(0)), (7, 2));
//! let wide = Tree::new(&config, &all, &Shape::Kary(15))?;
//! assert_eq!(
//!     wide.check(7).unwrap_err().to_string(),
//!     "tile 0 needs 15 neighbours in this tree: the engine has room for 7"
//! );
//! # Ok::<(), portico_spec::mpe::tree::TreeError>(())
//! ```

use std::{cmp::Reverse, collections::VecDeque};

use thiserror::Error;

use crate::{Config, Node};

/// How members of a group are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A chain: even rows from west to east, odd rows from east to west.
    Linear,
    /// Each rank with the one that lacks its lowest bit that is set.
    Binomial,
    /// Each rank with rank `(r - 1) / k`.
    Kary(usize),
    /// Along this column, then along the rows.
    Columns(usize),
    /// Along this row, then along the columns.
    Rows(usize),
    /// Along the centre column, then along the rows.
    Centre,
    /// The rectangle of the group is cut into quarters, these again, and so on. The member nearest to the middle of each is joined
    /// with the one in the middle of the whole, which heads its own quarter too while its list has room. Each member has five
    /// neighbours at most, or as many more as `mpe_neighbours` allows.
    Quad,
    /// All with rank 0. If these are more than `mpe_neighbours`, so many that are nearest to rank 0 are joined with it, and each
    /// other one with one of them.
    Star,
    /// These pairs of ranks, in this order in the lists.
    Own(Vec<(usize, usize)>),
}

/// Why a tree cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TreeError {
    /// A group without members.
    #[error("a group has no members: allowed is 1 or more")]
    Empty,
    /// A member that is no tile.
    #[error("member {tile} is not a tile: allowed is 0..={last}")]
    NotATile {
        /// The member.
        tile: usize,
        /// The last tile.
        last: usize,
    },
    /// A member that the group has twice.
    #[error("tile {tile} is in the group twice")]
    Twice {
        /// The member.
        tile: usize,
    },
    /// A tree whose nodes have no children.
    #[error("k = 0 is not allowed: allowed is 1 or more")]
    NoChildren,
    /// A pair of ranks that the group does not have, or that are one.
    #[error("ranks {one} and {two} cannot be neighbours: allowed are two of 0..={last}")]
    Pair {
        /// One.
        one: usize,
        /// The other.
        two: usize,
        /// The last rank.
        last: usize,
    },
    /// Pairs that join members on two ways.
    #[error("ranks {one} and {two} are joined already: a tree has one way between two members")]
    Cycle {
        /// One.
        one: usize,
        /// The other.
        two: usize,
    },
    /// A member that no pair joins with the first.
    #[error("rank {rank} is not joined with rank 0")]
    Apart {
        /// The member.
        rank: usize,
    },
    /// A member with more neighbours than the engine has room for.
    #[error("tile {tile} needs {needs} neighbours in this tree: the engine has room for {most}")]
    TooMany {
        /// The member.
        tile: usize,
        /// Its neighbours.
        needs: usize,
        /// Those that there may be.
        most: usize,
    },
}

/// A tree over a group of tiles. Ranks number the members in the order of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    tiles: Vec<usize>,
    /// Ranks, by rank.
    neighbours: Vec<Vec<usize>>,
}

impl Tree {
    /// Joins the `members`, which are tiles of `config`.
    ///
    /// # Errors
    /// The group is empty, or has a member twice, or one that is no tile; the pairs of [`Shape::Own`] are no tree over it.
    pub fn new(config: &Config, members: &[usize], shape: &Shape) -> Result<Tree, TreeError> {
        let last = config.tiles() - 1;
        for (rank, &tile) in members.iter().enumerate() {
            if tile > last {
                return Err(TreeError::NotATile { tile, last });
            }
            if members[..rank].contains(&tile) {
                return Err(TreeError::Twice { tile });
            }
        }
        if members.is_empty() {
            return Err(TreeError::Empty);
        }
        let nodes: Vec<Node> = members.iter().map(|&tile| config.terminal_node(tile)).collect();
        let ranks = 1..members.len();
        let pairs: Vec<(usize, usize)> = match shape {
            Shape::Linear => chain(&nodes, |node| {
                let x = if node.y % 2 == 0 { node.x } else { u8::MAX - node.x };
                (node.y, x)
            }),
            Shape::Binomial => ranks.map(|rank| (rank & (rank - 1), rank)).collect(),
            Shape::Kary(0) => return Err(TreeError::NoChildren),
            Shape::Kary(k) => ranks.map(|rank| ((rank - 1) / k, rank)).collect(),
            Shape::Star => star(&nodes, config.mpe_neighbours),
            Shape::Quad => {
                let mut pairs = vec![];
                quad(
                    (0..nodes.len()).collect(),
                    None,
                    &nodes,
                    config.mpe_neighbours,
                    &mut pairs,
                );
                pairs
            }
            Shape::Columns(column) => trunk(&nodes, *column, |node| (node.x, node.y)),
            Shape::Centre => trunk(&nodes, (config.cols - 1) / 2, |node| (node.x, node.y)),
            Shape::Rows(row) => trunk(&nodes, *row, |node| (node.y, node.x)),
            Shape::Own(pairs) => pairs.clone(),
        };
        let mut tree = Tree::of_pairs(members, &pairs)?;
        if !matches!(shape, Shape::Own(_)) {
            tree.put_the_deepest_first(&nodes);
        }
        Ok(tree)
    }

    /// Sorts the lists by what lies behind each neighbour: the levels of the tree, of as many the hops to the farthest member. Of two
    /// neighbours with as much behind them, the one that came first stays so.
    fn put_the_deepest_first(&mut self, nodes: &[Node]) {
        let away = |rank: usize, next: usize| {
            let mut farthest = (0, 0);
            let mut reached = vec![(next, rank, (1, hops(nodes[rank], nodes[next])))];
            while let Some((at, from, (levels, far))) = reached.pop() {
                farthest = farthest.max((levels, far));
                let others = self.neighbours[at].iter().filter(|&&other| other != from);
                reached.extend(others.map(|&other| (other, at, (levels + 1, far + hops(nodes[at], nodes[other])))));
            }
            farthest
        };
        let sorted = self.neighbours.iter().enumerate().map(|(rank, list)| {
            let mut list = list.clone();
            list.sort_by_cached_key(|&next| Reverse(away(rank, next)));
            list
        });
        self.neighbours = sorted.collect();
    }

    /// Checks that the pairs are a tree, and gives every member its list, in the order of the pairs.
    fn of_pairs(members: &[usize], pairs: &[(usize, usize)]) -> Result<Tree, TreeError> {
        let last = members.len() - 1;
        let mut neighbours = vec![vec![]; members.len()];
        // The lowest rank of those that a member is joined with so far.
        let mut group: Vec<usize> = (0..members.len()).collect();
        for &(one, two) in pairs {
            if one > last || two > last || one == two {
                return Err(TreeError::Pair { one, two, last });
            }
            let (kept, joined) = (group[one].min(group[two]), group[one].max(group[two]));
            if kept == joined {
                return Err(TreeError::Cycle { one, two });
            }
            group.iter_mut().filter(|of| **of == joined).for_each(|of| *of = kept);
            neighbours[one].push(two);
            neighbours[two].push(one);
        }
        match group.iter().position(|&of| of != 0) {
            Some(rank) => Err(TreeError::Apart { rank }),
            None => Ok(Tree {
                tiles: members.to_vec(),
                neighbours,
            }),
        }
    }

    /// The members, by rank.
    pub fn tiles(&self) -> &[usize] {
        &self.tiles
    }

    /// The neighbours of a member, as ranks: in this order their words are folded.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn neighbours(&self, rank: usize) -> &[usize] {
        &self.neighbours[rank]
    }

    /// The place that a member has in the list of its neighbour number `neighbour`: what packets to that neighbour carry.
    ///
    /// # Panics
    /// If there is no such rank, or it has no such neighbour.
    pub fn place_at(&self, rank: usize, neighbour: usize) -> usize {
        let list = &self.neighbours[self.neighbours[rank][neighbour]];
        let place = list.iter().position(|&of| of == rank);
        place.expect("neighbours are so both ways")
    }

    /// Neighbours of the member that has most.
    pub fn most_neighbours(&self) -> usize {
        self.neighbours.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Checks that an engine with room for `most` neighbours can hold the tree.
    ///
    /// # Errors
    /// [`TreeError::TooMany`] of the first member that needs more.
    pub fn check(&self, most: usize) -> Result<(), TreeError> {
        let mut lists = self.tiles.iter().zip(&self.neighbours);
        match lists.find(|(_, list)| list.len() > most) {
            Some((&tile, list)) => Err(TreeError::TooMany {
                tile,
                needs: list.len(),
                most,
            }),
            None => Ok(()),
        }
    }

    /// Which of its neighbours, by its place in the list, leads each member to `root`; none at the root.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn towards(&self, root: usize) -> Vec<Option<usize>> {
        let mut towards = vec![None; self.tiles.len()];
        let mut reached = VecDeque::from([(root, root)]);
        while let Some((rank, from)) = reached.pop_front() {
            for (place, &next) in self.neighbours[rank].iter().enumerate() {
                if rank != root && next == from {
                    towards[rank] = Some(place);
                } else {
                    reached.push_back((next, rank));
                }
            }
        }
        towards
    }

    /// Edges from the root to the member that is farthest from it.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn depth(&self, root: usize) -> usize {
        let mut deepest = 0;
        let mut reached = VecDeque::from([(root, root, 0)]);
        while let Some((rank, from, depth)) = reached.pop_front() {
            deepest = deepest.max(depth);
            let others = self.neighbours[rank].iter().filter(|&&next| next != from || depth == 0);
            reached.extend(others.map(|&next| (next, rank, depth + 1)));
        }
        deepest
    }
}

/// Ranks side by side in the order of `key`.
fn chain<K: Ord>(nodes: &[Node], key: impl Fn(&Node) -> K) -> Vec<(usize, usize)> {
    let mut ranks: Vec<usize> = (0..nodes.len()).collect();
    ranks.sort_by_key(|&rank| key(&nodes[rank]));
    ranks.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// A chain of the members that are nearest to the line `at`, one of each line across; then chains along the lines across. `place`
/// gives a node's coordinate along a line across, and the number of that line.
fn trunk(nodes: &[Node], at: usize, place: impl Fn(&Node) -> (u8, u8)) -> Vec<(usize, usize)> {
    let distance = |rank: usize| (i32::from(place(&nodes[rank]).0) - at as i32).abs();
    let mut ranks: Vec<usize> = (0..nodes.len()).collect();
    ranks.sort_by_key(|&rank| {
        let (along, line) = place(&nodes[rank]);
        (line, along)
    });
    let lines: Vec<&[usize]> = ranks
        .chunk_by(|&one, &two| place(&nodes[one]).1 == place(&nodes[two]).1)
        .collect();
    let heads = lines.iter().map(|line| {
        let nearest = line.iter().copied().min_by_key(|&rank| distance(rank));
        nearest.expect("a line has members")
    });
    let heads: Vec<usize> = heads.collect();
    let along = heads.windows(2).map(|pair| (pair[0], pair[1]));
    let across = lines
        .iter()
        .flat_map(|line| line.windows(2).map(|pair| (pair[0], pair[1])));
    along.chain(across).collect()
}

/// Rank 0 with all others, or with the `most` that are nearest to it. Each of the rest, the nearest first, is joined with the
/// nearest of those that have the fewest.
fn star(nodes: &[Node], most: usize) -> Vec<(usize, usize)> {
    let mut others: Vec<usize> = (1..nodes.len()).collect();
    others.sort_by_key(|&rank| hops(nodes[0], nodes[rank]));
    let heads = others.len().min(most);
    let mut joined = vec![0; heads];
    let mut pairs: Vec<(usize, usize)> = others[..heads].iter().map(|&head| (0, head)).collect();
    for &rank in &others[heads..] {
        let nearest = (0..heads).min_by_key(|&at| (joined[at], hops(nodes[others[at]], nodes[rank])));
        let at = nearest.expect("a list has a place");
        joined[at] += 1;
        pairs.push((others[at], rank));
    }
    pairs
}

/// Joins the member in the middle of `ranks` with `above`, and with the middles of their quarters.
fn quad(ranks: Vec<usize>, above: Option<usize>, nodes: &[Node], most: usize, pairs: &mut Vec<(usize, usize)>) {
    let Some(head) = middle_of(&ranks, above, nodes) else {
        return;
    };
    pairs.extend(above.map(|above| (above, head)));
    let mut room = most - usize::from(above.is_some());
    let mut left = ranks;
    while left.len() > 1 {
        let quarters = quarters(&left, nodes);
        let is_kept = needs(head, &left, nodes) <= room;
        left.clear();
        for mut quarter in quarters {
            if quarter.contains(&head) {
                if is_kept {
                    left = quarter;
                    continue;
                }
                quarter.retain(|&rank| rank != head);
            }
            room = room.saturating_sub(1);
            quad(quarter, Some(head), nodes, most, pairs);
        }
    }
}

/// Neighbours of the head of `ranks` among them if it heads its own quarter, the quarter of that quarter, and so on.
fn needs(head: usize, ranks: &[usize], nodes: &[Node]) -> usize {
    if ranks.len() < 2 {
        return 0;
    }
    let quarters = quarters(ranks, nodes);
    let own = quarters.iter().find(|quarter| quarter.contains(&head));
    quarters.len() - 1 + needs(head, own.expect("the head is in one of them"), nodes)
}

/// The rank nearest to the middle of the rectangle of these; of several the one nearest to `above`, of these the first.
fn middle_of(ranks: &[usize], above: Option<usize>, nodes: &[Node]) -> Option<usize> {
    let (west, east, north, south) = rectangle(ranks, nodes);
    let off = |at: u8, one: u8, other: u8| (2 * i32::from(at) - i32::from(one) - i32::from(other)).abs();
    let nearest = ranks.iter().min_by_key(|&&rank| {
        let Node { x, y } = nodes[rank];
        let away = above.map_or(0, |above| hops(nodes[above], nodes[rank]));
        (off(x, west, east) + off(y, north, south), away, rank)
    });
    nearest.copied()
}

/// The ranks in the quarters of their rectangle, without quarters that have none; a rectangle of one column or row has halves.
fn quarters(ranks: &[usize], nodes: &[Node]) -> Vec<Vec<usize>> {
    let (west, east, north, south) = rectangle(ranks, nodes);
    let mut quarters = vec![vec![]; 4];
    for &rank in ranks {
        let is_east = 2 * u32::from(nodes[rank].x) > u32::from(west) + u32::from(east);
        let is_south = 2 * u32::from(nodes[rank].y) > u32::from(north) + u32::from(south);
        quarters[2 * usize::from(is_south) + usize::from(is_east)].push(rank);
    }
    quarters.retain(|quarter| !quarter.is_empty());
    quarters
}

/// First and last column, first and last row of these ranks.
fn rectangle(ranks: &[usize], nodes: &[Node]) -> (u8, u8, u8, u8) {
    ranks
        .iter()
        .fold((u8::MAX, 0, u8::MAX, 0), |(west, east, north, south), &rank| {
            let Node { x, y } = nodes[rank];
            (west.min(x), east.max(x), north.min(y), south.max(y))
        })
}

/// Hops between two nodes.
fn hops(one: Node, other: Node) -> usize {
    usize::from(one.x.abs_diff(other.x)) + usize::from(one.y.abs_diff(other.y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn config(cols: usize, rows: usize) -> Config {
        Config {
            cols,
            rows,
            ..Config::default()
        }
    }

    fn shapes() -> impl Strategy<Value = Shape> {
        prop_oneof![
            Just(Shape::Linear),
            Just(Shape::Binomial),
            (1..6usize).prop_map(Shape::Kary),
            (0..20usize).prop_map(Shape::Columns),
            (0..20usize).prop_map(Shape::Rows),
            Just(Shape::Centre),
            Just(Shape::Quad),
            Just(Shape::Star),
        ]
    }

    fn all(config: &Config) -> Vec<usize> {
        (0..config.tiles()).collect()
    }

    #[test]
    fn mapped_trees_use_each_link_once() {
        for (cols, rows) in [(1, 1), (4, 4), (8, 4), (5, 3), (1, 7)] {
            let config = config(cols, rows);
            for shape in [Shape::Linear, Shape::Centre, Shape::Columns(0), Shape::Rows(rows - 1)] {
                let tree = Tree::new(&config, &all(&config), &shape).unwrap();
                for rank in 0..config.tiles() {
                    let at = config.tile_node(rank);
                    for &next in tree.neighbours(rank) {
                        let to = config.tile_node(next);
                        let hops = at.x.abs_diff(to.x) + at.y.abs_diff(to.y);
                        assert_eq!(hops, 1, "{shape:?} on {cols}x{rows}: {rank} and {next}");
                    }
                }
                assert!(tree.most_neighbours() <= 4);
            }
        }
    }

    #[test]
    fn known_trees() {
        let config = config(4, 4);
        let tree = |shape| Tree::new(&config, &all(&config), &shape).unwrap();
        let snake = tree(Shape::Linear);
        assert_eq!((snake.neighbours(3), snake.neighbours(7)), (&[7, 2][..], &[6, 3][..]));
        assert_eq!((snake.depth(0), snake.depth(6)), (15, 10));
        let binomial = tree(Shape::Binomial);
        assert_eq!(
            (binomial.neighbours(0), binomial.neighbours(12)),
            (&[8, 4, 2, 1][..], &[8, 14, 13][..])
        );
        assert_eq!(binomial.depth(0), 4);
        let binary = tree(Shape::Kary(2));
        assert_eq!(binary.neighbours(1), [0, 3, 4]);
        let centre = tree(Shape::Centre);
        assert_eq!((centre.neighbours(5), centre.depth(5)), (&[9, 1, 6, 4][..], 4));
        let towards = snake.towards(7);
        assert_eq!(
            [6, 7, 8, 3].map(|rank| towards[rank]),
            [Some(1), None, Some(0), Some(0)]
        );
        assert_eq!((snake.place_at(3, 1), snake.place_at(3, 0)), (0, 1));
    }

    /// (neighbours of the root, most neighbours, depth) of the quartered tree.
    fn quartered(cols: usize, rows: usize, mpe_neighbours: usize) -> (usize, usize, usize) {
        let config = Config {
            mpe_neighbours,
            ..config(cols, rows)
        };
        let tree = Tree::new(&config, &all(&config), &Shape::Quad).unwrap();
        assert_eq!(tree.check(mpe_neighbours), Ok(()), "{cols}x{rows}");
        let depths = (0..config.tiles()).map(|rank| tree.depth(rank));
        let root = depths.enumerate().min_by_key(|&(_, depth)| depth).unwrap().0;
        (tree.neighbours(root).len(), tree.most_neighbours(), tree.depth(root))
    }

    #[test]
    fn a_quartered_tree_has_few_levels_and_lists_that_fit() {
        assert_eq!(quartered(1, 1, 5), (0, 0, 0));
        assert_eq!(quartered(2, 2, 5), (3, 3, 1));
        // The middle heads its own quarter: three on each of two levels, and one more where a quarter is not square.
        assert_eq!(quartered(4, 4, 7), (6, 6, 2));
        assert_eq!(quartered(8, 4, 7), (7, 7, 3));
        // Its quarter has a head of its own.
        assert_eq!(quartered(4, 4, 5), (4, 4, 2));
        assert_eq!(quartered(8, 4, 5), (4, 5, 3));
        assert_eq!(quartered(8, 8, 7), (4, 7, 3));
        assert_eq!(quartered(8, 8, 5), (4, 5, 3));
        for (cols, rows) in [(3, 3), (5, 4), (7, 7), (1, 8), (6, 2), (16, 16)] {
            for most in 5..=8 {
                quartered(cols, rows, most);
            }
        }
    }

    #[test]
    fn heads_of_quarters_lie_in_their_middle_towards_the_root() {
        let config = config(4, 4);
        let tree = Tree::new(&config, &all(&config), &Shape::Quad).unwrap();
        // Tile 5 is in the middle of all, 6, 9 and 10 are the tiles of the other quarters next to it. Behind these is one level more.
        assert_eq!(tree.neighbours(5), [10, 6, 9, 0, 1, 4]);
        assert_eq!(tree.neighbours(1), [5]);
        assert_eq!(tree.neighbours(10), [5, 15, 11, 14]);
    }

    /// Levels of the tree behind a neighbour.
    fn levels(tree: &Tree, from: usize, at: usize) -> usize {
        let others = tree.neighbours(at).iter().filter(|&&other| other != from);
        1 + others.map(|&other| levels(tree, at, other)).max().unwrap_or(0)
    }

    #[test]
    fn lists_begin_with_the_neighbour_behind_which_the_tree_is_deepest() {
        let config = config(8, 4);
        for shape in [
            Shape::Binomial,
            Shape::Kary(3),
            Shape::Centre,
            Shape::Rows(0),
            Shape::Quad,
            Shape::Star,
        ] {
            let tree = Tree::new(&config, &all(&config), &shape).unwrap();
            for rank in 0..config.tiles() {
                let behind = tree.neighbours(rank).iter().map(|&next| levels(&tree, rank, next));
                let behind: Vec<usize> = behind.collect();
                assert!(
                    behind.is_sorted_by(|one, other| one >= other),
                    "{shape:?}, {rank}: {behind:?}"
                );
            }
        }
        // Of as many levels the farthest comes first; the user's own lists stay as they are.
        let star = Tree::new(&config, &[0, 1, 8, 3, 2], &Shape::Star).unwrap();
        assert_eq!(star.neighbours(0), [3, 4, 1, 2]);
        let own = Shape::Own(vec![(0, 1), (0, 2), (2, 3)]);
        assert_eq!(Tree::new(&config, &[0, 1, 2, 3], &own).unwrap().neighbours(0), [1, 2]);
    }

    #[test]
    fn a_star_of_too_many_members_has_two_levels() {
        let wide = Config {
            mpe_neighbours: 8,
            ..config(8, 8)
        };
        for (cols, rows, most) in [(3, 2, 5), (4, 2, 5), (5, 5, 5), (4, 4, 8), (8, 8, 8)] {
            let config = Config {
                mpe_neighbours: most,
                ..config(cols, rows)
            };
            let tree = Tree::new(&config, &all(&config), &Shape::Star).unwrap();
            let others = config.tiles() - 1;
            assert_eq!(tree.depth(0), if others > most { 2 } else { 1 });
            assert_eq!(tree.neighbours(0).len(), others.min(most));
            assert_eq!(tree.check(most), Ok(()), "{cols}x{rows}");
        }
        // The nearest of rank 0, in the middle here, are its neighbours: those at one hop and four of those at two.
        let mut members = all(&wide);
        members.swap(0, 27);
        let tree = Tree::new(&wide, &members, &Shape::Star).unwrap();
        let mut near: Vec<usize> = tree.neighbours(0).iter().map(|&rank| members[rank]).collect();
        near.sort_unstable();
        assert_eq!(near, [11, 18, 19, 20, 25, 26, 28, 35]);
    }

    #[test]
    fn a_group_of_a_row_with_gaps_is_a_tree_too() {
        let config = config(8, 2);
        let group = [14, 2, 5, 8];
        for shape in [
            Shape::Quad,
            Shape::Star,
            Shape::Linear,
            Shape::Centre,
            Shape::Columns(7),
            Shape::Rows(1),
        ] {
            let tree = Tree::new(&config, &group, &shape).unwrap();
            assert_eq!((tree.tiles(), tree.towards(3)[3]), (&group[..], None), "{shape:?}");
        }
    }

    #[test]
    fn what_is_no_tree_is_told() {
        let config = config(2, 2);
        let told = |members: &[usize], shape| Tree::new(&config, members, &shape).unwrap_err().to_string();
        assert_eq!(told(&[], Shape::Star), "a group has no members: allowed is 1 or more");
        assert_eq!(told(&[0, 4], Shape::Star), "member 4 is not a tile: allowed is 0..=3");
        assert_eq!(told(&[3, 1, 3], Shape::Star), "tile 3 is in the group twice");
        assert_eq!(told(&[0], Shape::Kary(0)), "k = 0 is not allowed: allowed is 1 or more");
        let own = |pairs: &[(usize, usize)]| told(&[0, 1, 2], Shape::Own(pairs.to_vec()));
        assert_eq!(
            own(&[(0, 3)]),
            "ranks 0 and 3 cannot be neighbours: allowed are two of 0..=2"
        );
        assert_eq!(
            own(&[(1, 1)]),
            "ranks 1 and 1 cannot be neighbours: allowed are two of 0..=2"
        );
        assert_eq!(
            own(&[(0, 1), (1, 2), (2, 0)]),
            "ranks 2 and 0 are joined already: a tree has one way between two members"
        );
        assert_eq!(own(&[(1, 2)]), "rank 1 is not joined with rank 0");
    }

    proptest! {
        #[test]
        fn every_shape_is_a_tree_over_every_group(
            cols in 1..=8usize, rows in 1..=8usize, shape in shapes(), seed in any::<u64>(), root in any::<prop::sample::Index>(),
        ) {
            let config = config(cols, rows);
            // About half of the tiles, in an order of their own.
            let mut members: Vec<usize> = (0..config.tiles()).filter(|tile| seed >> (tile % 61) & 1 == 1).collect();
            members.sort_by_key(|&tile| (tile as u64).wrapping_mul(seed | 1));
            prop_assume!(!members.is_empty());
            let tree = Tree::new(&config, &members, &shape).unwrap();
            let edges: usize = (0..members.len()).map(|rank| tree.neighbours(rank).len()).sum();
            prop_assert_eq!(edges, 2 * (members.len() - 1));
            let root = root.index(members.len());
            let towards = tree.towards(root);
            for rank in 0..members.len() {
                let (mut at, mut steps) = (rank, 0);
                while let Some(place) = towards[at] {
                    at = tree.neighbours(at)[place];
                    steps += 1;
                    prop_assert!(steps < members.len());
                }
                prop_assert!(at == root && steps <= tree.depth(root));
                for place in 0..tree.neighbours(rank).len() {
                    let back = tree.place_at(rank, place);
                    prop_assert_eq!(tree.neighbours(tree.neighbours(rank)[place])[back], rank);
                }
            }
            prop_assert!(tree.check(tree.most_neighbours()).is_ok());
        }
    }
}
