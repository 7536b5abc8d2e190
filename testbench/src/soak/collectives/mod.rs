//! Calls of message-passing engines, in random groups of tiles with random trees.
//!
//! Every context of the engines has groups of its own, so that a tile is in as many as it has contexts. Between rounds some
//! contexts get other groups. In a round every member posts the calls of a context in their order, beside all else that it
//! does, as far as there is room: for one that runs, and those that wait.
//!
//! Calls come in waves. A member posts those of a wave, of all contexts, before those of the next. Those of a wave have room
//! when all calls before it have ended; so no two members wait for room that the calls of each other would make.
//!
//! The outcome does not depend on the order in which members come. Each context has its own area of words at each tile. Each
//! member runs the calls of a context in their order, and folds operands in the order of its list. What an engine refuses does
//! not depend on the rest of its tile. So the model carries out all posts of a round, wave after wave, before the round begins.

use self::group::Group;
use super::{
    access::{self, Rows},
    device::SoakDevice,
    epoch::Epoch,
    operation::{Operation, Room},
    site::{singles, SHARED},
    workload::Kind,
};
use portico_spec::{
    mpe::{
        call::{Call, Kind as CallKind, Row, Transfer, WAITING},
        reduce::Operation as Reduction,
    },
    ni::{
        command::SHAPERS,
        descriptor::{Command, Descriptor},
        registers::{MpeRegister, MPE_NEXT_OFFSET, MPE_WAITING_OFFSET},
        segment::SEGMENTS,
    },
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};
use std::collections::VecDeque;

mod group;
mod wrong;

/// Calls of a context for which a member has room: one runs, the others wait.
const MOST_CALLS: usize = 1 + WAITING;
/// Calls that a look at the status of a context may miss: one that is accepted and does not wait yet, or waits no more and does
/// not run yet, beside the one that runs.
const UNSEEN: usize = 2;
/// Calls of a wave behind the first, in a context: so few that one more has room for certain when those before the wave have
/// ended.
const MOST_OF_WAVE: usize = MOST_CALLS - UNSEEN;
/// Words of a call at most: four packets.
const MOST_WORDS: u32 = 100;
/// Words of calls at the ends of packets: the first has room for 31, the others for 32.
const EDGES: [u32; 10] = [0, 1, 30, 31, 32, 62, 63, 64, 95, 96];
/// Chance that a context gets other groups before a round.
const REGROUPED: f64 = 0.4;
/// Chance that a wrong descriptor comes next, which is refused.
const WRONG: f64 = 0.15;

/// Words of the area of a context in a memory of so many words: room for a source and a result, or less in a small memory.
pub fn area_words(config: &Config, memory_words: u32) -> u32 {
    let most = 2 * MOST_WORDS + 8;
    most.min(memory_words / 8 / config.mpe.max(1) as u32 * 2)
}

/// Where a member has the words of its calls, as byte addresses and in words.
#[derive(Clone, Copy)]
struct Words {
    /// Of this context alone.
    area: (u32, u32),
    /// Words that no command writes.
    fixed: (u32, u32),
    memory: u32,
}

/// A context of a tile.
struct Seat {
    list: Vec<Option<Row>>,
    words: Words,
    /// Calls of the wave that are still to be drawn, and how many were.
    calls: VecDeque<Operation>,
    drawn: usize,
    wave: usize,
    /// Number of the next call that is drawn.
    next: u8,
    /// Number of the next call that is given to the tile, and calls for which there is room for certain.
    given: u8,
    room: usize,
}

/// All groups, and what their members have still to post.
#[derive(Default)]
pub struct Collectives {
    groups: Vec<Group>,
    /// By tile and context; none where no calls are made.
    seats: Vec<Vec<Seat>>,
    /// By tile: the descriptors that it posts in this round, in order.
    posts: Vec<VecDeque<Operation>>,
}

impl Collectives {
    /// The next descriptor that a tile posts at its engine, right or wrong. The model has carried it out already.
    pub fn next(&mut self, tile: usize) -> Option<Operation> {
        self.posts.get_mut(tile)?.pop_front()
    }
}

impl Seat {
    /// The next call of the wave, if there is one.
    fn draw(&mut self) -> Operation {
        self.drawn += 1;
        self.next = self.next.wrapping_add(1);
        self.calls.pop_front().expect("a context with calls was chosen")
    }

    /// Learns from the status of the context whether there is more room than is known of.
    fn see(&mut self, status: u32) {
        let accepted = (status >> MPE_NEXT_OFFSET) as u8;
        let on_the_way = usize::from(self.given.wrapping_sub(accepted));
        let waiting = (status >> MPE_WAITING_OFFSET & 7) as usize;
        let certain = MOST_CALLS.saturating_sub(on_the_way + waiting + UNSEEN);
        self.room = self.room.max(certain);
    }
}

impl Words {
    /// Source and result of so many words: the same, or apart.
    fn draw(&self, length: u32, random: &mut impl Rng) -> (u32, u32) {
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
    fn length(&self, random: &mut impl Rng) -> u32 {
        let most = MOST_WORDS.min(self.area.1 / 2).min(self.fixed.1);
        match random.gen() {
            true => *EDGES.choose(random).expect("there are some"),
            false => random.gen_range(0..=most),
        }
        .min(most)
    }
}

/// A descriptor in which all that the engine does not look at is random.
fn descriptor(call: Call, event: usize, quiet: bool, random: &mut impl Rng) -> Descriptor {
    Descriptor {
        segment: random.gen_range(0..SEGMENTS) as u8,
        event: event as u8,
        quiet,
        drained: random.gen(),
        shaper: random.gen_range(0..SHAPERS) as u8,
        command: Command::Call(call),
    }
}

impl<D: SoakDevice> Epoch<D> {
    /// Gives some contexts other groups, and every group the calls of a round.
    ///
    /// # Errors
    /// The device does something wrong.
    pub fn plan_calls(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        if !self.workload.makes_calls(&self.config) {
            return Ok(());
        }
        let tiles = self.config.tiles();
        if self.collectives.seats.is_empty() {
            self.collectives.seats = (0..tiles).map(|tile| self.seats(tile)).collect();
            self.collectives.posts.resize_with(tiles, VecDeque::new);
        }
        for context in 0..self.config.mpe {
            let has_none = !self.collectives.groups.iter().any(|group| group.context == context);
            if has_none || random.gen_bool(REGROUPED) {
                self.regroup(context, random)?;
            }
        }
        let seats = self.collectives.seats.iter_mut().flatten();
        seats.for_each(|seat| seat.room = MOST_CALLS);
        // Without a stream descriptors do not wait for room.
        let waves = match self.config.commands {
            true => random.gen_range(1..=self.workload.most_waves()),
            false => 1,
        };
        for wave in 0..waves {
            let most = if wave == 0 { MOST_CALLS } else { MOST_OF_WAVE };
            let Collectives { groups, seats, .. } = &mut self.collectives;
            seats
                .iter_mut()
                .flatten()
                .for_each(|seat| (seat.drawn, seat.wave) = (0, wave));
            for group in groups {
                for _ in 0..random.gen_range(0..=most) {
                    add_call(&self.config, group, seats, random)?;
                }
            }
            for tile in 0..tiles {
                self.draw_posts(tile, random)?;
            }
        }
        Ok(())
    }

    /// Draws what a tile posts of a wave: all calls, and some wrong descriptors. The model does it.
    fn draw_posts(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<()> {
        let most_wrong = singles(&self.config).len() / 2;
        loop {
            let seats = &mut self.collectives.seats[tile];
            let contexts: Vec<usize> = (0..seats.len()).filter(|&at| !seats[at].calls.is_empty()).collect();
            let Some(&context) = contexts.choose(random) else {
                return Ok(());
            };
            let state = &mut self.tiles[tile];
            let is_wrong = random.gen_bool(WRONG) && state.singles < most_wrong;
            let post = match is_wrong.then(|| state.single_event(&self.config)).flatten() {
                Some(event) => {
                    let context = random.gen_range(0..seats.len());
                    wrong::operation(&self.config, &seats[context], context, event, random)
                }
                None => seats[context].draw(),
            };
            self.model(tile, &post)?;
            self.collectives.posts[tile].push_back(post);
        }
    }

    /// The contexts of a tile, with empty lists.
    fn seats(&self, tile: usize) -> Vec<Seat> {
        let source = self.site.initiators[tile].source;
        let memory = (self.config.scratchpad << 10) as u32 / 4;
        let areas = self.site.areas[tile].iter().map(|area| Seat {
            list: vec![None; self.config.mpe_neighbours],
            words: Words {
                area: (area.base, area.bytes / 4),
                fixed: (source.base, source.bytes / 4),
                memory,
            },
            calls: VecDeque::new(),
            drawn: 0,
            wave: 0,
            next: 0,
            given: 0,
            room: 0,
        });
        areas.collect()
    }

    /// Gives a context other groups. It is idle everywhere.
    fn regroup(&mut self, context: usize, random: &mut StdRng) -> anyhow::Result<()> {
        let config = &self.config;
        let Collectives { groups, seats, .. } = &mut self.collectives;
        groups.retain(|group| group.context != context);
        for tile in &mut *seats {
            tile[context].list.fill(None);
            (tile[context].next, tile[context].given) = (0, 0);
        }
        for group in Group::draw(config, context, random) {
            for (rank, &tile) in group.tiles().iter().enumerate() {
                seats[tile][context].list = group.rows(config, rank);
            }
            groups.push(group);
        }
        for tile in 0..self.config.tiles() {
            let list = &self.collectives.seats[tile][context].list;
            let list: Vec<u32> = list.iter().map(|&row| Row::encode(row)).collect::<Result<_, _>>()?;
            let place = Rows::new(&self.device, tile, MpeRegister::Neighbour0, context, 1, list.len());
            access::poke(&mut self.device, self.site.staging, place, &list)?;
            access::poke(&mut self.golden, self.golden_site.staging, place, &list)?;
        }
        Ok(())
    }

    /// Takes room for a call of a tile in a context, or only looks for it; gives whether there is any.
    ///
    /// # Errors
    /// The device's.
    pub fn take_room_of_call(&mut self, tile: usize, context: usize, is_taken: bool) -> anyhow::Result<bool> {
        if self.collectives.seats[tile][context].room == 0 {
            let seats = &mut self.collectives.seats[tile];
            let place = Rows::new(&self.device, tile, MpeRegister::Status, 0, seats.len(), 1);
            let statuses = access::peek(&mut self.device, self.site.staging, place)?;
            seats
                .iter_mut()
                .zip(statuses)
                .for_each(|(seat, status)| seat.see(status));
        }
        let seat = &mut self.collectives.seats[tile][context];
        let has_room = seat.room > 0;
        if has_room && is_taken {
            seat.room -= 1;
            seat.given = seat.given.wrapping_add(1);
        }
        Ok(has_room)
    }
}

/// Gives all members of a group a random call.
fn add_call(config: &Config, group: &mut Group, seats: &mut [Vec<Seat>], random: &mut StdRng) -> anyhow::Result<()> {
    let kind = *CallKind::ALL.choose(random).expect("there are some");
    let operation = *Reduction::ALL.choose(random).expect("there are some");
    let root = random.gen_range(0..group.tiles().len());
    let length = seats[group.tiles()[root]][group.context].words.length(random);
    let towards = group.towards(root);
    for (&tile, towards) in group.tiles().iter().zip(towards) {
        let seat = &mut seats[tile][group.context];
        let (source, result) = seat.words.draw(length, random);
        let call = Call {
            kind,
            number: group.next,
            context: group.context as u8,
            towards,
            transfer: match kind {
                CallKind::Barrier => Transfer::NONE,
                _ => Transfer {
                    length,
                    source,
                    result,
                    operation,
                },
            },
        };
        let (event, quiet) = (random.gen_range(SHARED), random.gen_bool(0.3));
        let words = descriptor(call, event, quiet, random).encode(config)?;
        let operation = Operation {
            counts: !quiet,
            room: Some(Room::Call {
                context: group.context,
                wave: seat.wave,
                is_taken: true,
            }),
            ..Operation::counting(Kind::Collective, event, words)
        };
        seat.calls.push_back(operation);
    }
    group.next = group.next.wrapping_add(1);
    Ok(())
}
