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

use super::{
    access::{self, Rows},
    collectives::{descriptor, wrong, Collectives, Group, OwnCall, Seat, Words, MOST_CALLS, UNSEEN},
    device::SoakDevice,
    epoch::Epoch,
    operation::{Operation, Room},
    site::{singles, SHARED},
    workload::Kind,
};
use portico_spec::{
    mpe::call::{Begin, Row},
    ni::registers::MpeRegister,
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};
use std::collections::VecDeque;

/// Calls of a wave behind the first, in a context: so few that one more has room for certain when those before the wave have
/// ended.
const MOST_OF_WAVE: usize = MOST_CALLS - UNSEEN;
/// Chance that a context gets other groups before a round.
const REGROUPED: f64 = 0.4;
/// Chance that a wrong descriptor comes next, which is refused.
const WRONG: f64 = 0.15;

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
        self.choose_failing(random);
        let seats = self.collectives.seats.iter_mut().flatten();
        seats.for_each(|seat| seat.room = MOST_CALLS);
        // Without a stream descriptors do not wait for room.
        let waves = match self.config.commands {
            true => random.gen_range(1..=self.workload.most_waves()),
            false => 1,
        };
        for wave in 0..waves {
            let most = if wave == 0 { MOST_CALLS } else { MOST_OF_WAVE };
            let failing = self.failing_context();
            let Collectives { groups, seats, .. } = &mut self.collectives;
            seats
                .iter_mut()
                .flatten()
                .for_each(|seat| (seat.drawn, seat.wave) = (0, wave));
            for group in groups.iter_mut().filter(|group| Some(group.context) != failing) {
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
        let failing = self.failing_context();
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
                    // The model does not know the answers of a context that fails.
                    let right: Vec<usize> = (0..seats.len()).filter(|&at| Some(at) != failing).collect();
                    let context = right[random.gen_range(0..right.len())];
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
    let calls = OwnCall::draw(group, group.next, seats, random);
    for (&tile, own) in group.tiles().iter().zip(calls) {
        let seat = &mut seats[tile][group.context];
        let call = own.call(group.context, Begin::InTurn, &seat.words, random);
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
