//! Headers of unexpected messages: a tile looks for those of the round before, and deletes them.

use super::{
    super::{device::SoakDevice, epoch::Epoch},
    entries::Step,
    site::{ring_sizes, TARGET},
};
use portico_spec::portals::engine::{Append, Search};
use rand::{rngs::StdRng, Rng};

/// Most headers that come to a tile in a round, in lists of so many places for each.
const MOST_HEADERS: usize = 6;
const PLACES: usize = 16;
/// Most commands that look for headers of a pair before all of these are deleted.
const MOST_SEEKERS: usize = 2;

impl<D: SoakDevice> Epoch<D> {
    /// Headers that may come to a tile in a round. The model's ring holds what an append of all of them raises: an event of each,
    /// AUTO_FREE of as many entries, and its LINK.
    pub fn most_headers(&self, tile: usize) -> usize {
        let memory_words = (self.config.scratchpad << 10) as u32 / 4;
        let of_ring = (1 << ring_sizes(memory_words)[TARGET]) / 2 - 1;
        let slots = self.portals.ranks[self.rank(tile)].handles.len() - 1;
        MOST_HEADERS.min(of_ring).min(slots / PLACES)
    }

    /// What a tile does with the headers of the round before, with so many appends at most. None is left in the end.
    pub fn header_steps(&mut self, tile: usize, appends: usize, random: &mut StdRng) -> Vec<Step> {
        let rank = self.rank(tile);
        let before = self.portals.generation.wrapping_sub(1);
        let mut left = appends;
        let mut steps = vec![];
        for at in std::mem::take(&mut self.portals.ranks[rank].unexpected) {
            for _ in 0..random.gen_range(0..=MOST_SEEKERS) {
                let seeker = self.seeker(tile, at, before, random);
                steps.push(match left > 0 && random.gen() {
                    true => {
                        left -= 1;
                        Step::Append(seeker, Some(before))
                    }
                    false => Step::Search(search(seeker, random.gen())),
                });
            }
            steps.push(Step::Search(self.last_search(tile, at, before)));
        }
        steps
    }
}

/// The search for the headers that an entry would consume.
fn search(seeker: Append, deletes: bool) -> Search {
    Search {
        deletes,
        portal: seeker.portal,
        source: seeker.source,
        options: seeker.options,
        length: seeker.length,
        match_bits: seeker.match_bits,
        ignore_bits: seeker.ignore_bits,
        user_pointer: seeker.user_pointer,
    }
}
