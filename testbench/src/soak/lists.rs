//! Tiles that work by lists: the operations of a group lie in the memory of the tile, which sends them to its own command
//! queue.
//!
//! A list has the whole queue. So the tile is given one when all before it has left the queue, and nothing else until the
//! fence at its end has counted. The tile's stream, port or registers start it, or the list of another tile that begins in
//! the same moment.
//!
//! The model knows no lists: it carries out their operations one by one.

use super::{
    device::SoakDevice,
    epoch::Epoch,
    list_site::ListSite,
    operation::{Operation, Room},
    site::FENCES,
};
use anyhow::ensure;
use portico_spec::ni::{
    command::{QUEUE_WORDS, TRANSFER_WORDS},
    command_list::{bytes, ListPlace, FETCH_WORDS},
    registers::in_memory,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Chance that the list of a tile is started by one of another tile that can.
const NESTED: f64 = 0.7;

/// A list that is to be started: its tile and its descriptors.
type List = (usize, Vec<Vec<u32>>);

/// Whether a list with these operations must end before this one comes. Calls of two waves would wait for each other's room. A wrong
/// call looks for room that calls of its own list would take. The engine's queue holds so many words.
pub fn is_apart(list: &[Operation], operation: &Operation) -> bool {
    let Some(Room::Call { wave, is_taken, .. }) = operation.room else {
        return false;
    };
    let mut words = operation.words.len();
    for before in list {
        if let Some(Room::Call { wave: of, .. }) = before.room {
            if of != wave || !is_taken {
                return true;
            }
            words += before.words.len();
        }
    }
    words > QUEUE_WORDS
}

impl<D: SoakDevice> Epoch<D> {
    /// Whether a tile has what lists need.
    pub fn has_lists(&self, tile: usize) -> bool {
        self.site.lists[tile].own().is_some()
    }

    /// Whether the tile has room for a list of descriptors with these lengths, however many others it starts: pieces then end
    /// elsewhere, and have other pads.
    pub fn fits_list(&self, tile: usize, lengths: impl Iterator<Item = usize>) -> bool {
        let site = &self.site.lists[tile];
        let mut lengths: Vec<usize> = lengths.collect();
        let room = site.region.bytes - self.behind(site);
        (0..=site.others()).all(|starts| {
            lengths.splice(0..0, (starts > 0).then_some(TRANSFER_WORDS[0]));
            bytes(&self.config, &lengths) <= room
        })
    }

    /// Bytes of the descriptors that start other lists.
    fn behind(&self, site: &ListSite) -> u32 {
        (site.others() * FETCH_WORDS * self.config.width / 8) as u32
    }

    /// Writes these lists and starts them, some by others of them.
    pub fn launch(&mut self, mut lists: Vec<List>, random: &mut StdRng) -> anyhow::Result<()> {
        lists.shuffle(random);
        let mut children: Vec<Vec<usize>> = vec![vec![]; lists.len()];
        let mut roots = vec![];
        for (place, (tile, _)) in lists.iter().enumerate() {
            let can_start = |&before: &usize| {
                let site = &self.site.lists[lists[before].0];
                children[before].len() < site.others() && site.space(*tile).is_some()
            };
            let parents: Vec<usize> = (0..place).filter(can_start).collect();
            match parents.choose(random) {
                Some(&parent) if random.gen_bool(NESTED) => children[parent].push(place),
                _ => roots.push(place),
            }
        }
        let mut starts = vec![vec![]; lists.len()];
        for place in (0..lists.len()).rev() {
            let children = children[place]
                .iter()
                .map(|&child| (lists[child].0, starts[child].clone()));
            let children: Vec<(usize, Vec<u32>)> = children.collect();
            let (tile, own) = &lists[place];
            starts[place] = self.load(*tile, own, &children)?;
        }
        let mut roots = roots.into_iter();
        roots.try_for_each(|place| self.command(lists[place].0, &starts[place]))
    }

    /// Writes the list of a tile, which first starts those of others; gives the descriptor that starts it.
    fn load(&mut self, tile: usize, own: &[Vec<u32>], children: &[(usize, Vec<u32>)]) -> anyhow::Result<Vec<u32>> {
        let site = &self.site.lists[tile];
        let unit = (self.config.width / 8) as u32;
        let behind = site.region.bytes - self.behind(site);
        let place = ListPlace {
            node: tile,
            base: site.region.base,
            own_space: site.own().expect("a tile with lists"),
            event: FENCES as u8,
        };
        let mut started: Vec<u32> = vec![];
        let mut descriptors = vec![];
        for (child, start) in children {
            let space = site.space(*child).expect("a tile that this one can start");
            let local = site.region.base + behind + unit * started.len() as u32;
            descriptors.push(place.start_of(&self.config, (*child, space), start, local)?);
            started.extend(start);
        }
        descriptors.extend_from_slice(own);
        let list = place.list(&self.config, &descriptors)?;
        ensure!(
            4 * list.memory.len() as u32 <= behind,
            "tile {tile}: its list is too long"
        );
        let words = in_memory(&self.config, &started);
        let base = site.region.base;
        self.device.write(tile, base, &list.memory)?;
        if !words.is_empty() {
            self.device.write(tile, base + behind, &words)?;
        }
        Ok(list.start)
    }
}
