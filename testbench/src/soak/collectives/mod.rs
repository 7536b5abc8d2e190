//! Groups of tiles with message-passing engines, and what their members have still to post; the module `calls` gives them their
//! calls.

pub use self::{
    group::Group,
    own_call::{descriptor, OwnCall},
};
use super::{operation::Operation, site::CALL_WORDS};
use portico_spec::{
    mpe::call::{Row, WAITING},
    ni::registers::{MPE_NEXT_OFFSET, MPE_WAITING_OFFSET},
};
use rand::{seq::SliceRandom, Rng};
use std::collections::VecDeque;

mod group;
mod own_call;
pub mod wrong;

/// Calls of a context for which a member has room: one runs, the others wait.
pub const MOST_CALLS: usize = 1 + WAITING;
/// Calls that a look at the status of a context may miss: one that is accepted and does not wait yet, or waits no more and does
/// not run yet, beside the one that runs.
pub const UNSEEN: usize = 2;
/// Words of calls at the ends of packets: the first has room for 31, the others for 32.
const EDGES: [u32; 10] = [0, 1, 30, 31, 32, 62, 63, 64, 95, 96];
/// Where a member has the words of its calls, as byte addresses and in words.
#[derive(Clone, Copy)]
pub struct Words {
    /// Of this context alone.
    pub area: (u32, u32),
    /// Words that no command writes.
    pub fixed: (u32, u32),
    pub memory: u32,
}

/// A context of a tile.
pub struct Seat {
    pub list: Vec<Option<Row>>,
    pub words: Words,
    /// Calls of the wave that are still to be drawn, and how many were.
    pub calls: VecDeque<Operation>,
    pub drawn: usize,
    pub wave: usize,
    /// Number of the next call that is drawn.
    pub next: u8,
    /// Number of the next call that is given to the tile, and calls for which there is room for certain.
    pub given: u8,
    pub room: usize,
}

/// All groups, and what their members have still to post.
#[derive(Default)]
pub struct Collectives {
    pub groups: Vec<Group>,
    /// By tile and context; none where no calls are made.
    pub seats: Vec<Vec<Seat>>,
    /// By tile: the descriptors that it posts in this round, in order.
    pub posts: Vec<VecDeque<Operation>>,
}

impl Collectives {
    /// The groups of a context.
    pub fn groups_of(&self, context: usize) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.context == context)
    }

    /// The next descriptor that a tile posts at its engine, right or wrong. The model has carried it out already.
    pub fn next(&mut self, tile: usize) -> Option<Operation> {
        self.posts.get_mut(tile)?.pop_front()
    }
}

impl Seat {
    /// The next call of the wave, if there is one.
    pub fn draw(&mut self) -> Operation {
        self.drawn += 1;
        self.next = self.next.wrapping_add(1);
        self.calls.pop_front().expect("a context with calls was chosen")
    }

    /// Learns from the status of the context whether there is more room than is known of.
    pub fn see(&mut self, status: u32) {
        let accepted = (status >> MPE_NEXT_OFFSET) as u8;
        let on_the_way = usize::from(self.given.wrapping_sub(accepted));
        let waiting = (status >> MPE_WAITING_OFFSET & 7) as usize;
        let certain = MOST_CALLS.saturating_sub(on_the_way + waiting + UNSEEN);
        self.room = self.room.max(certain);
    }
}

impl Words {
    /// Source and result of so many words: the same, or apart.
    pub fn draw(&self, length: u32, random: &mut impl Rng) -> (u32, u32) {
        let end = 4 * self.memory;
        let within = |(base, words): (u32, u32), place: u32| {
            debug_assert!(place + length <= words);
            base + 4 * place
        };
        let room = self.area.1 - length;
        match random.gen_range(0..4) {
            // Nothing is moved there.
            0 if length == 0 => (end, end),
            0 => {
                let source = random.gen_range(0..=self.fixed.1 - length);
                let result = random.gen_range(0..=room);
                (within(self.fixed, source), within(self.area, result))
            }
            1 => {
                let both = within(self.area, random.gen_range(0..=room));
                (both, both)
            }
            _ => {
                let low = random.gen_range(0..=room - length);
                let high = random.gen_range(low + length..=room);
                let [low, high] = [low, high].map(|place| within(self.area, place));
                if random.gen() {
                    (low, high)
                } else {
                    (high, low)
                }
            }
        }
    }

    /// Words of a call, of which two have room in the area, and one in what nobody changes.
    pub fn length(&self, random: &mut impl Rng) -> u32 {
        let most = CALL_WORDS.min(self.area.1 / 2).min(self.fixed.1);
        match random.gen() {
            true => *EDGES.choose(random).expect("there are some"),
            false => random.gen_range(0..=most),
        }
        .min(most)
    }
}
