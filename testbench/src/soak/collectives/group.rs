//! Groups of tiles that make calls together, each joined by a tree.

use portico_spec::{
    mpe::{
        call::Row,
        tree::{Shape, Tree},
    },
    Config,
};
use rand::{
    seq::{index::sample, SliceRandom},
    Rng,
};

/// Tiles that make calls in one context.
pub struct Group {
    pub context: usize,
    tree: Tree,
    /// Of each member: where its list has each of its neighbours. Lists have gaps, and orders of their own.
    places: Vec<Vec<usize>>,
    /// Number of the next call.
    pub next: u8,
}

impl Group {
    /// Groups of random tiles for a context: one at least, and no tile in two of them.
    pub fn draw(config: &Config, context: usize, random: &mut impl Rng) -> Vec<Group> {
        let mut tiles: Vec<usize> = (0..config.tiles()).collect();
        tiles.shuffle(random);
        // The others are in none.
        if random.gen() {
            tiles.truncate(random.gen_range(1..=tiles.len()));
        }
        let mut groups = vec![];
        while !tiles.is_empty() {
            // A list of one place joins two tiles at most.
            let most = if config.mpe_neighbours == 1 { 2 } else { tiles.len() }.min(tiles.len());
            let size = if random.gen() { most } else { random.gen_range(1..=most) };
            let rest = tiles.split_off(size);
            groups.push(Group::of(config, context, &tiles, random));
            tiles = rest;
        }
        groups
    }

    /// These tiles, joined by a random tree that fits the lists.
    fn of(config: &Config, context: usize, tiles: &[usize], random: &mut impl Rng) -> Group {
        let most = config.mpe_neighbours;
        let shape = match random.gen_range(0..8) {
            0 => Shape::Linear,
            1 => Shape::Binomial,
            2 => Shape::Kary(random.gen_range(1..=4)),
            3 => Shape::Columns(random.gen_range(0..config.cols)),
            4 => Shape::Rows(random.gen_range(0..config.rows)),
            5 => Shape::Centre,
            6 => Shape::Star,
            _ => own(tiles.len(), most, random),
        };
        let tree = |shape| Tree::new(config, tiles, shape).expect("members are different tiles");
        let wanted = tree(&shape);
        let tree = match wanted.check(most) {
            Ok(()) => wanted,
            Err(_) => tree(&own(tiles.len(), most, random)),
        };
        let places = (0..tiles.len()).map(|rank| sample(random, most, tree.neighbours(rank).len()).into_vec());
        Group {
            context,
            places: places.collect(),
            tree,
            next: 0,
        }
    }

    /// The members, by rank.
    pub fn tiles(&self) -> &[usize] {
        self.tree.tiles()
    }

    /// The members with their neighbours in the tree, all as tiles.
    pub fn neighbours(&self) -> Vec<(usize, Vec<usize>)> {
        let tiles = self.tiles();
        let of = |rank| self.tree.neighbours(rank).iter().map(|&neighbour| tiles[neighbour]);
        (0..tiles.len()).map(|rank| (tiles[rank], of(rank).collect())).collect()
    }

    /// The list of a member.
    pub fn rows(&self, config: &Config, rank: usize) -> Vec<Option<Row>> {
        let mut rows = vec![None; config.mpe_neighbours];
        for (at, &neighbour) in self.tree.neighbours(rank).iter().enumerate() {
            rows[self.places[rank][at]] = Some(Row {
                node: config.terminal_node(self.tiles()[neighbour]),
                place: self.places[neighbour][self.tree.place_at(rank, at)] as u8,
            });
        }
        rows
    }

    /// Where the list of each member has the neighbour on the way to `root`; none at the root.
    pub fn towards(&self, root: usize) -> Vec<Option<u8>> {
        let towards = self.tree.towards(root).into_iter().zip(&self.places);
        towards
            .map(|(neighbour, places)| Some(places[neighbour?] as u8))
            .collect()
    }
}

/// A random tree in which none of so many members has more than `most` neighbours.
fn own(members: usize, most: usize, random: &mut impl Rng) -> Shape {
    let mut counts = vec![0; members];
    let mut pairs = vec![];
    for rank in 1..members {
        let free: Vec<usize> = (0..rank).filter(|&of| counts[of] < most).collect();
        let one = *free.choose(random).expect("a tree has leaves");
        counts[one] += 1;
        counts[rank] += 1;
        pairs.push((one, rank));
    }
    Shape::Own(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{rngs::StdRng, SeedableRng};

    #[test]
    fn lists_name_each_other_and_lead_to_the_root() {
        let mut random = StdRng::seed_from_u64(4);
        for mpe_neighbours in [1, 2, 3, 5, 8] {
            let config = Config {
                cols: 3,
                rows: 3,
                mpe_neighbours,
                ..Config::default()
            };
            let groups = (0..100).flat_map(|_| Group::draw(&config, 0, &mut random));
            let groups: Vec<Group> = groups.collect();
            assert!([1, 2].map(|size| groups.iter().any(|group| group.tiles().len() == size)) == [true; 2]);
            assert!(mpe_neighbours == 1 || groups.iter().any(|group| group.tiles().len() == 9));
            for group in &groups {
                let tiles = group.tiles();
                let lists: Vec<_> = (0..tiles.len()).map(|rank| group.rows(&config, rank)).collect();
                let rank_of = |row: Row| tiles.iter().position(|&tile| config.terminal_node(tile) == row.node);
                for (rank, list) in lists.iter().enumerate() {
                    for (place, row) in list.iter().enumerate() {
                        let Some(row) = *row else { continue };
                        let back = lists[rank_of(row).unwrap()][usize::from(row.place)].unwrap();
                        assert_eq!((rank_of(back), usize::from(back.place)), (Some(rank), place));
                    }
                }
                for root in 0..tiles.len() {
                    let towards = group.towards(root);
                    for rank in 0..tiles.len() {
                        let (mut at, mut steps) = (rank, 0);
                        while let Some(place) = towards[at] {
                            at = rank_of(lists[at][usize::from(place)].unwrap()).unwrap();
                            steps += 1;
                            assert!(steps < tiles.len());
                        }
                        assert_eq!(at, root);
                    }
                }
            }
        }
    }
}
