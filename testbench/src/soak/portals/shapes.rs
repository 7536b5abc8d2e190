//! Random entries, and commands of counters and portal indices.

use super::{
    super::{device::SoakDevice, epoch::Epoch},
    entries::Step,
    match_bits,
    ring::PEER_WIDTH,
    site::{MOST_OPEN, OPEN_BYTES},
    FILLER, GENERATION_OFFSET, HOME, KINDS, KIND_WIDTH, MAIN, OF_ALL, OPEN, OPEN_LENGTH, RANDOM_OFFSET, SET_COUNTER,
    SHARED_COUNTERS, SWITCHED, TAKEN_COUNTER, UNEXPECTED,
};
use portico_spec::portals::{
    engine::{
        Append, Control, Search, ACK_DISABLE, ANY_USER, COMM_DISABLE, CT_BYTES, CT_COMM, CT_OVERFLOW, LINK_DISABLE,
        OP_GET, OP_PUT, OVER_DISABLE, SUCCESS_DISABLE, UNLINK_DISABLE,
    },
    list::{List, ANY_SOURCE, MANAGE_LOCAL, NO_TRUNCATE, UNEXPECTED_HDR_DISABLE, USE_ONCE},
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

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

    /// An entry that no message matches.
    pub fn filler(&mut self, tile: usize, number: usize) -> Append {
        let rank = self.rank(tile);
        Append {
            list: if number.is_multiple_of(3) {
                List::Overflow
            } else {
                List::Priority
            },
            match_bits: match_bits(FILLER, rank, number as u16),
            options: bits(&[LINK_DISABLE, USE_ONCE]),
            ..append(MAIN, self.pointer(tile, rank))
        }
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
    pub fn entry_of_pair(&mut self, tile: usize, at: usize, generation: u16, random: &mut StdRng) -> Append {
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
        let list = if random.gen_bool(0.3) {
            List::Overflow
        } else {
            List::Priority
        };
        // A header would hold its place into later rounds.
        if list == List::Overflow {
            options |= bits(&[UNEXPECTED_HDR_DISABLE]);
        }
        Append {
            list,
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

    /// An entry in Overflow for messages that an initiator sends in a round: it keeps their headers.
    pub fn entry_of_headers(&mut self, tile: usize, at: usize, generation: u16, random: &mut StdRng) -> Append {
        let entry = self.entry_of_pair(tile, at, generation, random);
        Append {
            list: List::Overflow,
            portal: UNEXPECTED,
            options: entry.options & !bits(&[UNEXPECTED_HDR_DISABLE]),
            ..entry
        }
    }

    /// An entry for headers that messages of an initiator have left in a round.
    pub fn seeker(&mut self, tile: usize, at: usize, generation: u16, random: &mut StdRng) -> Append {
        let initiator = self.rank(self.site.portals.pairs[at].initiator);
        let mut options = self.harmless(random);
        for (option, chance) in [
            (ANY_SOURCE, 0.4),
            (USE_ONCE, 0.5),
            (NO_TRUNCATE, 0.2),
            (CT_OVERFLOW, 0.5),
            (UNLINK_DISABLE, 0.2),
        ] {
            options |= u16::from(random.gen_bool(chance)) << option;
        }
        Append {
            source: initiator as u16,
            options,
            counter: random.gen_bool(0.8).then(|| random.gen_range(0..SHARED_COUNTERS)),
            length: random.gen_range(0..100),
            match_bits: match_bits(random.gen_range(KINDS), initiator, generation),
            ignore_bits: u64::MAX << RANDOM_OFFSET | [0, 3].choose(random).expect("there are two"),
            ..append(UNEXPECTED, self.pointer(tile, initiator))
        }
    }

    /// A search that deletes all headers that messages of an initiator have left in a round.
    pub fn last_search(&mut self, tile: usize, at: usize, generation: u16) -> Search {
        let initiator = self.rank(self.site.portals.pairs[at].initiator);
        Search {
            deletes: true,
            portal: UNEXPECTED,
            source: initiator as u16,
            options: 0,
            length: 0,
            match_bits: match_bits(0, initiator, generation),
            ignore_bits: u64::MAX << RANDOM_OFFSET | 0xff,
            user_pointer: self.pointer(tile, initiator),
        }
    }

    /// An entry for so many messages of any rank.
    pub fn entry_for_all(&mut self, tile: usize, place: usize, generation: u16, random: &mut StdRng) -> Append {
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

/// Something with a counter or a portal index, that succeeds.
pub fn control(random: &mut StdRng) -> Control {
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
