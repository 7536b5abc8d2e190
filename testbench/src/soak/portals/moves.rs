//! Puts and gets.

use super::{
    super::{device::SoakDevice, epoch::Epoch, operation::Operation},
    match_bits,
    ring::PEER_WIDTH,
    site::OF_ALL as RING_OF_ALL,
    ABSENT, CLOSED, DESCRIPTORS_OF_KIND, HOME, KINDS, MAIN, NOBODY, OF_ALL, OPEN, OPEN_DESCRIPTORS, OPEN_LENGTH,
    RANDOM_OFFSET, SWITCHED, UNEXPECTED,
};
use portico_spec::portals::engine::{Ack, Command, Event, EventKind, Move, Operation as Transfer};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Lengths at the ends of words and packets: a put has 25 words in its first packet, a reply 30, others 32.
const EDGES: [u32; 14] = [0, 1, 3, 4, 5, 99, 100, 101, 119, 120, 121, 127, 228, 229];

/// A length of at most so many bytes.
fn length(most: u32, random: &mut StdRng) -> u32 {
    let length = match random.gen_range(0..4) {
        0 => *EDGES.choose(random).expect("there are some"),
        1 => random.gen_range(0..=most),
        _ => random.gen_range(0..=most.min(40)),
    };
    length.min(most)
}

impl<D: SoakDevice> Epoch<D> {
    /// The next command of a tile: a move, another command, or a wrong one. The model does it.
    ///
    /// # Errors
    /// The model's.
    pub fn draw_portals(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        if self.config.portals > 0 && self.site.portals.rank_of(tile).is_none() {
            return Ok(None);
        }
        match random.gen_range(0..20) {
            0 => self.wrong_portals(tile, random),
            1..=7 => self.next_step(tile, random),
            _ => self.draw_move(tile, random),
        }
    }

    /// A move of a tile that may be right or refused by its target. The model does it.
    ///
    /// # Errors
    /// The model's.
    fn draw_move(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let Some(&at) = self.site.portals.pairs_of(tile).choose(random) else {
            return Ok(None);
        };
        match random.gen_range(0..10) {
            0 => self.move_to_all(tile, at, random),
            1 => self.move_to_switched(tile, at, random).map(Some),
            _ => self.move_of_pair(tile, at, random).map(Some),
        }
    }

    /// One whose outcome the order within the pair decides.
    fn move_of_pair(&mut self, tile: usize, at: usize, random: &mut StdRng) -> anyhow::Result<Operation> {
        let pair = &self.site.portals.pairs[at];
        let (target, zone, landing) = (pair.target, pair.zone, pair.landing);
        let own = self.rank(tile);
        let of_target = self.rank(target);
        let state = &mut self.portals.ranks[of_target];
        let is_filled = state.is_filled;
        let portal = match random.gen_range(0..20) {
            0 => CLOSED,
            1 => ABSENT,
            2..=6 if state.headers > 0 => {
                state.headers -= 1;
                state.unexpected.insert(at);
                UNEXPECTED
            }
            _ => MAIN,
        };
        let kind = match random.gen_range(0..12) {
            0 => NOBODY,
            _ if is_filled => HOME,
            1..=3 if portal != UNEXPECTED => HOME,
            _ => random.gen_range(KINDS),
        };
        let above: u64 = if random.gen() { 0 } else { random.gen() };
        let is_put = random.gen_bool(0.6);
        let descriptor = random.gen_range(0..DESCRIPTORS_OF_KIND) + if is_put { 0 } else { DESCRIPTORS_OF_KIND };
        let local = match is_put {
            true => self.site.initiators[tile].source,
            false => landing,
        };
        let length = length(zone.bytes.min(local.bytes), random);
        let address = local.base + random.gen_range(0..=local.bytes - length);
        let request = Move {
            operation: if is_put { Transfer::Put } else { Transfer::Get },
            ack: *Ack::ALL.choose(random).expect("there are some"),
            portal,
            descriptor,
            rank: of_target as u16,
            local: address - self.portals.ranks[own].starts[usize::from(descriptor)],
            length,
            // Some begin behind the end.
            remote: random.gen_range(0..zone.bytes + 8),
            match_bits: match_bits(kind, own, self.portals.generation) | above << RANDOM_OFFSET,
            user_pointer: 0,
            header_data: if is_put { random.gen() } else { 0 },
        };
        self.send(tile, target, request, random)
    }

    /// A put to entries for all ranks, unless its target fills its lists.
    fn move_to_all(&mut self, tile: usize, at: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let pair = &self.site.portals.pairs[at];
        let (target, place) = (pair.target, pair.place);
        let (own, of_target) = (self.rank(tile), self.rank(target));
        if self.portals.ranks[of_target].is_filled {
            return Ok(None);
        }
        let source = self.site.initiators[tile].source;
        let local = source.base + random.gen_range(0..=source.bytes - OPEN_LENGTH);
        let request = Move {
            operation: Transfer::Put,
            ack: *[Ack::Full, Ack::Count].choose(random).expect("there are two"),
            portal: OPEN,
            descriptor: OPEN_DESCRIPTORS + place,
            rank: of_target as u16,
            local,
            length: OPEN_LENGTH,
            remote: 0,
            match_bits: match_bits(OF_ALL, own, self.portals.generation) | random.gen::<u64>() << RANDOM_OFFSET,
            user_pointer: 0,
            header_data: random.gen(),
        };
        let golden = self.golden.transport();
        let bytes = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| {
            let address = local + at;
            (golden.peek(tile, address & !3) >> (8 * (address & 3))) as u8
        });
        let user = self.portals.ranks[own].user;
        let state = &mut self.portals.ranks[of_target];
        state.open.push((request.header_data, bytes));
        state.rings[RING_OF_ALL].allow(Event {
            portal: OPEN,
            rank: own as u16,
            delivered: OPEN_LENGTH,
            user,
            requested: OPEN_LENGTH,
            match_bits: request.match_bits,
            header_data: request.header_data,
            ..Event::new(EventKind::Put)
        });
        self.send(tile, target, request, random).map(Some)
    }

    /// A move to the index that is enabled and disabled. Its entry has no bytes.
    fn move_to_switched(&mut self, tile: usize, at: usize, random: &mut StdRng) -> anyhow::Result<Operation> {
        let pair = &self.site.portals.pairs[at];
        let (target, place, landing) = (pair.target, pair.place, pair.landing);
        let request = Move {
            operation: *[Transfer::Put, Transfer::Get].choose(random).expect("there are two"),
            ack: *[Ack::Full, Ack::Count].choose(random).expect("there are two"),
            portal: SWITCHED,
            descriptor: OPEN_DESCRIPTORS + place,
            rank: self.rank(target) as u16,
            local: landing.base,
            length: length(landing.bytes, random),
            remote: random.gen_range(0..4),
            match_bits: random.gen(),
            user_pointer: 0,
            header_data: 0,
        };
        self.send(tile, target, request, random)
    }

    /// The model does a move, which gets a number of its own.
    ///
    /// # Errors
    /// The model's.
    pub fn send(
        &mut self,
        tile: usize,
        target: usize,
        request: Move,
        random: &mut StdRng,
    ) -> anyhow::Result<Operation> {
        let peer = self.rank(target) as u32;
        let request = Move {
            user_pointer: self.next_number(tile) << PEER_WIDTH | peer,
            ..request
        };
        let operation = self.portals_operation(Command::Move(request), None, random)?;
        self.model_portals(tile, &operation, Some(target))?;
        Ok(operation)
    }

    /// The rank of a tile that has one.
    pub fn rank(&self, tile: usize) -> usize {
        self.site.portals.rank_of(tile).expect("a tile with a rank")
    }

    /// A number that no other entry or move of the tile has.
    pub fn next_number(&mut self, tile: usize) -> u32 {
        let rank = self.rank(tile);
        let number = &mut self.portals.ranks[rank].number;
        *number = number.wrapping_add(1) & (u32::MAX >> PEER_WIDTH);
        *number
    }
}
