//! Entries, counters and portal indices: what a tile does with its own engine in a round.

use super::{
    super::{device::SoakDevice, epoch::Epoch, operation::Operation, wrong::refused},
    match_bits,
    ring::PEER_WIDTH,
    site::{MOST_OPEN, OPEN_BYTES},
    FILLED, FILLER, GENERATION_OFFSET, HOME, KINDS, KIND_WIDTH, MAIN, OF_ALL, OPEN, OPEN_LENGTH, RANDOM_OFFSET,
    SET_COUNTER, SHARED_COUNTERS, SWITCHED, TAKEN_COUNTER,
};
use portico_spec::{
    ni::ErrorCode,
    portals::{
        engine::{
            Append, Command, Control, Move, ACK_DISABLE, ANY_USER, COMM_DISABLE, CT_BYTES, CT_COMM, CT_OVERFLOW,
            LINK_DISABLE, OP_GET, OP_PUT, OVER_DISABLE, SUCCESS_DISABLE, UNLINK_DISABLE,
        },
        list::{List, ANY_SOURCE, MANAGE_LOCAL, NO_TRUNCATE, UNEXPECTED_HDR_DISABLE, USE_ONCE},
    },
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Most entries of a pair for a round.
const MOST_OF_PAIR: usize = 6;
/// Entries behind the last place that a tile tries to append.
const BEYOND: usize = 2;
/// Most stale handles that a tile unlinks in a round: each has an event of its own.
const MOST_STALE: usize = 4;

/// An entry that was appended and not unlinked by hand.
pub struct Entry {
    /// Which word has its handle.
    pub slot: usize,
    /// The handle that the model has given it.
    pub handle: u32,
    pub user_pointer: u32,
    /// The round whose messages it takes; those of all rounds have none.
    pub generation: Option<u16>,
    /// Its first message is the last one, and no AUTO_UNLINK tells it.
    pub leaves_silently: bool,
    /// It has left its list by itself.
    pub has_left: bool,
}

/// What a tile does next.
pub enum Step {
    /// Unlinks the entry of this user pointer, or a stale handle.
    Unlink(u32),
    Append(Append, Option<u16>),
    /// Appends an entry when all places are taken.
    Overfill(Append),
    Control(Control),
    /// A message at the end of a round, to a tile.
    Send(usize, Move),
}

/// An entry of a round that nobody matches.
fn append(portal: u8, user_pointer: u32) -> Append {
    Append {
        list: List::Priority,
        portal,
        counter: None,
        source: 0,
        options: 0,
        start: 0,
        user: ANY_USER,
        length: 0,
        min_free: 0,
        match_bits: 0,
        ignore_bits: 0,
        user_pointer,
        handle_address: 0,
    }
}

fn bits(options: &[usize]) -> u16 {
    options.iter().fold(0, |bits, option| bits | 1 << option)
}

impl<D: SoakDevice> Epoch<D> {
    /// Entries that take messages of all rounds: one of each pair, and one of the index that is enabled and disabled.
    pub fn lasting_entries(&mut self, tile: usize, random: &mut StdRng) -> Vec<Step> {
        let mut steps = vec![];
        for at in self.site.portals.pairs_to(tile) {
            let pair = &self.site.portals.pairs[at];
            let (initiator, zone) = (self.rank(pair.initiator), pair.zone);
            let entry = Append {
                source: initiator as u16,
                options: bits(&[OP_PUT, OP_GET]) | self.harmless(random) | random.gen_range(0..2) << ANY_SOURCE,
                counter: Some(random.gen_range(0..SHARED_COUNTERS)),
                start: zone.base,
                length: zone.bytes,
                match_bits: match_bits(HOME, initiator, 0),
                ignore_bits: u64::MAX << GENERATION_OFFSET,
                ..append(MAIN, self.pointer(tile, initiator))
            };
            steps.push(Step::Append(entry, None));
        }
        let entry = Append {
            options: bits(&[OP_PUT, OP_GET, CT_COMM, ANY_SOURCE]),
            counter: Some(TAKEN_COUNTER),
            ignore_bits: u64::MAX,
            ..append(SWITCHED, self.pointer(tile, 0))
        };
        steps.push(Step::Append(entry, None));
        steps
    }

    /// Decides what a tile does with its engine in a round, but for moves.
    pub fn plan_entries(&mut self, tile: usize, random: &mut StdRng) {
        let rank = self.rank(tile);
        let now = self.portals.generation;
        let next = now.wrapping_add(1);
        let mut steps = vec![];
        let mut stale = 0;
        self.portals.ranks[rank].entries.retain(|entry| {
            let is_old = entry.generation.is_some_and(|generation| generation != now);
            stale += usize::from(is_old && entry.has_left);
            !is_old || !entry.has_left || stale <= MOST_STALE
        });
        let entries = &self.portals.ranks[rank].entries;
        let old = entries
            .iter()
            .filter(|entry| entry.generation.is_some_and(|of| of != now));
        let mut old: Vec<u32> = old.map(|entry| entry.user_pointer).collect();
        old.shuffle(random);
        let kept = entries.len() - old.len();
        steps.extend(old.into_iter().map(Step::Unlink));
        // Places that are free for certain when old entries have left: some that have left by themselves count as taken.
        let slots = self.portals.ranks[rank].handles.len() - 1;
        let pairs = self.site.portals.pairs_to(tile);
        let mut free = slots.saturating_sub(kept + stale.min(MOST_STALE));
        let open = random.gen_range(0..=MOST_OPEN / 2).min(free / 4);
        free -= open;
        for place in 0..open {
            let entry = self.entry_for_all(tile, place, next, random);
            steps.push(Step::Append(entry, Some(next)));
        }
        // So many stay for the round after.
        let most = (free / 2 / pairs.len().max(1)).min(MOST_OF_PAIR);
        let mut of_pairs: Vec<usize> = vec![];
        for &at in &pairs {
            of_pairs.extend(std::iter::repeat_n(at, random.gen_range(0..=most)));
        }
        of_pairs.shuffle(random);
        for at in of_pairs {
            let entry = self.entry_of_pair(tile, at, next, random);
            steps.push(Step::Append(entry, Some(next)));
        }
        let appended = steps.iter().filter(|step| matches!(step, Step::Append(..))).count();
        let state = &mut self.portals.ranks[rank];
        state.is_filled = self.config.entries == slots && random.gen_bool(FILLED);
        if state.is_filled {
            let is_there = |entry: &&Entry| entry.generation.is_none_or(|of| of == now) && !entry.has_left;
            let there = state.entries.iter().filter(is_there).count() + appended;
            for number in 0..slots - there + BEYOND {
                let filler = self.filler(tile, number);
                steps.push(match number < slots - there {
                    // The next round unlinks it.
                    true => Step::Append(filler, Some(now.wrapping_sub(1))),
                    false => Step::Overfill(filler),
                });
            }
        }
        for _ in 0..random.gen_range(0..=12) {
            let at = random.gen_range(0..=steps.len());
            steps.insert(at, Step::Control(control(random)));
        }
        self.portals.ranks[rank].steps = steps.into();
    }

    /// Entries for all places that are free, if the lists are so small that they are filled.
    pub fn fillers(&mut self, tile: usize) -> Vec<Step> {
        let state = &self.portals.ranks[self.rank(tile)];
        let (slots, there) = (state.handles.len() - 1, state.entries.len());
        let free = if self.config.entries == slots { slots - there } else { 0 };
        let mut fillers = vec![];
        for number in 0..free {
            fillers.push(Step::Append(self.filler(tile, number), Some(self.portals.generation)));
        }
        fillers
    }

    /// An entry that no message matches.
    fn filler(&mut self, tile: usize, number: usize) -> Append {
        let rank = self.rank(tile);
        Append {
            list: if number % 3 == 0 {
                List::Overflow
            } else {
                List::Priority
            },
            match_bits: match_bits(FILLER, rank, number as u16),
            options: bits(&[LINK_DISABLE, USE_ONCE]),
            ..append(MAIN, self.pointer(tile, rank))
        }
    }

    /// The next command of those; none when there is none left. The model does it.
    ///
    /// # Errors
    /// The model's.
    pub fn next_step(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let Some(rank) = self.site.portals.rank_of(tile) else {
            return Ok(None);
        };
        while let Some(step) = self.portals.ranks[rank].steps.pop_front() {
            if let Some(operation) = self.carry_out(tile, step, random)? {
                return Ok(Some(operation));
            }
        }
        Ok(None)
    }

    /// The model does a step; none if the round has no event left for its error.
    ///
    /// # Errors
    /// The model's.
    pub fn carry_out(&mut self, tile: usize, step: Step, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let rank = self.rank(tile);
        let operation = match step {
            Step::Unlink(user_pointer) => return self.unlink(tile, user_pointer, random),
            Step::Append(entry, generation) => {
                let state = &self.portals.ranks[rank];
                let is_free = |&slot: &usize| state.entries.iter().all(|entry| entry.slot != slot);
                let slot = (0..state.handles.len() - 1).find(is_free);
                let slot = slot.expect("no more entries are planned than there are words for handles");
                let handles = self.site.portals.tiles[rank].handles;
                let entry = Append {
                    handle_address: handles.base + 4 * slot as u32,
                    ..entry
                };
                let operation = self.portals_operation(Command::Append(entry), None, random)?;
                self.model_portals(tile, &operation, None)?;
                let has = |option| entry.options >> option & 1 == 1;
                let handle = self.golden.transport().peek(tile, entry.handle_address);
                self.portals.ranks[rank].entries.push(Entry {
                    slot,
                    handle,
                    user_pointer: entry.user_pointer,
                    generation,
                    leaves_silently: has(UNLINK_DISABLE) && has(USE_ONCE),
                    has_left: false,
                });
                operation
            }
            Step::Overfill(entry) => {
                let Some(event) = self.tiles[tile].single_event(&self.config) else {
                    return Ok(None);
                };
                let handles = self.site.portals.tiles[rank].handles;
                let entry = Append {
                    handle_address: handles.base + handles.bytes - 4,
                    ..entry
                };
                let operation = self.portals_operation(Command::Append(entry), Some(event), random)?;
                let operation = refused(operation.words, event, ErrorCode::NoPlace);
                self.model_portals(tile, &operation, None)?;
                operation
            }
            Step::Control(control) => {
                let operation = self.portals_operation(Command::Control(control), None, random)?;
                self.model_portals(tile, &operation, None)?;
                operation
            }
            Step::Send(target, request) => self.send(tile, target, request, random)?,
        };
        Ok(Some(operation))
    }

    /// Unlinks an entry of a round before this: the device has given it a handle of its own.
    fn unlink(&mut self, tile: usize, user_pointer: u32, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let rank = self.rank(tile);
        let entries = &mut self.portals.ranks[rank].entries;
        let at = entries.iter().position(|entry| entry.user_pointer == user_pointer);
        let entry = entries.swap_remove(at.expect("an entry is unlinked once"));
        let event = match entry.has_left {
            true => match self.tiles[tile].single_event(&self.config) {
                None => return Ok(None),
                event => event,
            },
            false => None,
        };
        let operation = self.portals_operation(Command::Unlink(entry.handle), event, random)?;
        let mut operation = match event {
            Some(event) => refused(operation.words, event, ErrorCode::UnknownEntry),
            None => operation,
        };
        self.model_portals(tile, &operation, None)?;
        let last = operation.words.last_mut().expect("an unlink has words");
        *last = self.portals.ranks[rank].handles[entry.slot];
        Ok(Some(operation))
    }

    /// The user pointer of a new entry for a rank.
    fn pointer(&mut self, tile: usize, initiator: usize) -> u32 {
        self.next_number(tile) << PEER_WIDTH | initiator as u32
    }

    /// Options that change neither whether a message is taken nor whether it is answered.
    fn harmless(&self, random: &mut StdRng) -> u16 {
        [
            (LINK_DISABLE, 0.3),
            (COMM_DISABLE, 0.1),
            (OVER_DISABLE, 0.1),
            (SUCCESS_DISABLE, 0.1),
            (CT_COMM, 0.7),
            (CT_OVERFLOW, 0.1),
            (CT_BYTES, 0.3),
            (UNEXPECTED_HDR_DISABLE, 0.1),
        ]
        .into_iter()
        .fold(0, |options, (option, chance)| {
            options | u16::from(random.gen_bool(chance)) << option
        })
    }

    /// An entry for the messages that an initiator sends in a round.
    fn entry_of_pair(&mut self, tile: usize, at: usize, generation: u16, random: &mut StdRng) -> Append {
        let pair = &self.site.portals.pairs[at];
        let (initiator, zone) = (self.rank(pair.initiator), pair.zone);
        let mut options = self.harmless(random);
        for (option, chance) in [
            (ANY_SOURCE, 0.4),
            (USE_ONCE, 0.5),
            (NO_TRUNCATE, 0.2),
            (MANAGE_LOCAL, 0.35),
            (OP_PUT, 0.9),
            (OP_GET, 0.7),
            (ACK_DISABLE, 0.15),
        ] {
            options |= u16::from(random.gen_bool(chance)) << option;
        }
        let has = |option| options >> option & 1 == 1;
        let length = random.gen_range(0..=zone.bytes);
        let min_free = match has(MANAGE_LOCAL) && random.gen() {
            true => random.gen_range(0..=length + 8),
            false => 0,
        };
        // When an entry has left is always told, by AUTO_UNLINK or by the event of its only message.
        if has(USE_ONCE) && !has(COMM_DISABLE) && !has(SUCCESS_DISABLE) || !has(USE_ONCE) && min_free == 0 {
            options |= random.gen_range(0..2) << UNLINK_DISABLE;
        }
        Append {
            list: if random.gen_bool(0.3) {
                List::Overflow
            } else {
                List::Priority
            },
            source: initiator as u16,
            options,
            counter: random.gen_bool(0.8).then(|| random.gen_range(0..SHARED_COUNTERS)),
            start: zone.base + random.gen_range(0..=zone.bytes - length),
            user: match random.gen_range(0..10) {
                0 => 7,
                1..=4 => self.portals.ranks[initiator].user,
                _ => ANY_USER,
            },
            length,
            min_free,
            match_bits: match_bits(random.gen_range(KINDS), initiator, generation),
            ignore_bits: [0, u64::MAX << RANDOM_OFFSET, u64::MAX << RANDOM_OFFSET | 1, 3]
                .choose(random)
                .copied()
                .expect("there are some"),
            ..append(MAIN, self.pointer(tile, initiator))
        }
    }

    /// An entry for so many messages of any rank.
    fn entry_for_all(&mut self, tile: usize, place: usize, generation: u16, random: &mut StdRng) -> Append {
        let rank = self.rank(tile);
        // Those of two rounds are there at once.
        let place = place + usize::from(generation % 2) * (MOST_OPEN / 2);
        let start = self.site.portals.tiles[rank].open.base + place as u32 * OPEN_BYTES;
        let messages = random.gen_range(1..=OPEN_BYTES / OPEN_LENGTH);
        let (options, length) = match random.gen() {
            true => (bits(&[USE_ONCE]), OPEN_LENGTH),
            false => (bits(&[MANAGE_LOCAL]), messages * OPEN_LENGTH),
        };
        Append {
            options: options | bits(&[OP_PUT, CT_COMM, ANY_SOURCE]) | random.gen_range(0..2) << LINK_DISABLE,
            counter: Some(TAKEN_COUNTER),
            start,
            length,
            min_free: OPEN_LENGTH,
            match_bits: match_bits(OF_ALL, 0, generation),
            ignore_bits: u64::MAX << RANDOM_OFFSET | 0xff << KIND_WIDTH,
            ..append(OPEN, self.pointer(tile, 0))
        }
    }
}

fn control(random: &mut StdRng) -> Control {
    let (success, failure) = (random.gen_range(0..100), random.gen_range(0..2));
    match random.gen_range(0..8) {
        0..=1 => Control::Enable(SWITCHED),
        2..=3 => Control::Disable(SWITCHED),
        4 => Control::Set {
            counter: SET_COUNTER,
            success: random.gen(),
            failure: random.gen(),
        },
        5 => Control::Enable(MAIN),
        _ => Control::Increment {
            counter: random.gen_range(0..=SET_COUNTER),
            success,
            failure,
        },
    }
}
