//! The begin of a soak, and the begin and the end of its rounds.

use super::{
    super::{
        access::{self, Rows},
        device::SoakDevice,
        epoch::Epoch,
        operation::Operation,
    },
    entries::{Step, REFUSED},
    match_bits,
    ring::Ring,
    site::{ring_sizes, whole, PortalsChoices, INITIATOR, RINGS},
    Portals, RankState, DESCRIPTORS_OF_KIND, FLUSH_DESCRIPTOR, HOME, MAIN, SHARED_COUNTERS,
};
use anyhow::ensure;
use portico_spec::{
    ni::registers::PortalsRegister,
    portals::engine::{
        Ack, Move, Operation as Transfer, MD_BOUND_OFFSET, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET, MD_OPTIONS_WIDTH,
        MD_QUEUES_OFFSET, MD_QUEUE_OFFSET,
    },
};
use rand::{rngs::StdRng, Rng};

impl<D: SoakDevice> Epoch<D> {
    /// Sets up engines, and appends the entries that last.
    ///
    /// # Errors
    /// The device does not do it.
    pub fn begin_portals(&mut self, choices: &PortalsChoices, random: &mut StdRng) -> anyhow::Result<()> {
        let memory_words = (self.config.scratchpad << 10) as u32 / 4;
        let of_golden = ring_sizes(memory_words);
        let all = vec![of_golden; choices.ranks.len()];
        let staging = self.site.staging;
        self.site
            .portals
            .set_up(&mut self.device, staging, choices, &choices.rings)?;
        let staging = self.golden_site.staging;
        self.golden_site
            .portals
            .set_up(&mut self.golden, staging, choices, &all)?;
        self.portals = Portals::default();
        for (rank, logs) in choices.rings.iter().enumerate() {
            let words = self.site.portals.tiles[rank].handles.bytes / 4;
            self.portals.ranks.push(RankState {
                rings: (0..RINGS)
                    .map(|ring| Ring::new(ring, [logs[ring], of_golden[ring]]))
                    .collect(),
                user: choices.users[rank],
                handles: vec![0; words as usize],
                ..RankState::default()
            });
        }
        let mut steps = vec![];
        for tile in choices.ranks.clone() {
            steps.push((tile, self.lasting_entries(tile, random)));
        }
        self.carry_out_now(steps, random)
    }

    /// Prepares a round: handles, memory descriptors, and what each tile does with its engine.
    ///
    /// # Errors
    /// The device's.
    pub fn plan_portals(&mut self, random: &mut StdRng) -> anyhow::Result<()> {
        for tile in self.site.portals.ranks.clone() {
            self.read_handles(tile)?;
            self.bind(tile, random)?;
            self.plan_entries(tile, random);
            let ends = self.last_messages(tile);
            let rank = self.rank(tile);
            self.portals.ranks[rank].ends = ends.into();
        }
        Ok(())
    }

    /// Reads the handles that the device has given.
    ///
    /// # Errors
    /// An entry that was refused has one, or the device's.
    pub fn read_handles(&mut self, tile: usize) -> anyhow::Result<()> {
        let rank = self.rank(tile);
        let handles = self.site.portals.tiles[rank].handles;
        let state = &mut self.portals.ranks[rank];
        let last = state.entries.iter().map(|entry| entry.slot).max().unwrap_or(REFUSED);
        let words = self.device.read(tile, handles.base, last + 1)?;
        ensure!(
            words[REFUSED] == 0,
            "tile {tile}: an entry that was refused has a handle"
        );
        state.handles[..words.len()].copy_from_slice(&words);
        Ok(())
    }

    /// Gives the memory descriptors of a tile other options.
    fn bind(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<()> {
        let rank = self.rank(tile);
        let landings = self.site.portals.pairs_of(tile).into_iter();
        let landings = landings.map(|at| self.site.portals.pairs[at].landing.base);
        let least = landings.chain([self.site.initiators[tile].source.base]).min();
        let least = least.expect("there is a source");
        let memory = (self.config.scratchpad << 10) as u32;
        let (mut rows, mut starts) = (vec![], vec![]);
        for _ in 0..2 * DESCRIPTORS_OF_KIND {
            let start = random.gen_range(0..=least);
            let options: u32 = random.gen_range(0..1 << MD_OPTIONS_WIDTH);
            let counter = random.gen_range(0..u32::from(SHARED_COUNTERS)) << MD_COUNTER_OFFSET;
            let counts = u32::from(random.gen_bool(0.8)) << MD_COUNTS_OFFSET;
            let queue = (INITIATOR as u32) << MD_QUEUE_OFFSET;
            let queues = u32::from(random.gen_bool(0.8)) << MD_QUEUES_OFFSET;
            let options = options | counter | counts | queue | queues | 1 << MD_BOUND_OFFSET;
            rows.extend([start, whole(memory - start), options]);
            starts.push(start);
        }
        let place = Rows::new(&self.device, tile, PortalsRegister::MdStart, 0, starts.len(), 3);
        access::poke(&mut self.device, self.site.staging, place, &rows)?;
        access::poke(&mut self.golden, self.golden_site.staging, place, &rows)?;
        self.portals.ranks[rank].starts = starts;
        Ok(())
    }

    /// A put and a get to each target of a tile, whose answers are counted: all messages before them have ended then.
    fn last_messages(&self, tile: usize) -> Vec<Step> {
        let own = self.rank(tile);
        let pairs = self.site.portals.pairs_of(tile).into_iter();
        let messages = pairs.flat_map(|at| {
            let pair = &self.site.portals.pairs[at];
            let put = Move {
                operation: Transfer::Put,
                ack: Ack::Count,
                portal: MAIN,
                descriptor: FLUSH_DESCRIPTOR,
                rank: self.rank(pair.target) as u16,
                local: pair.landing.base,
                length: 0,
                remote: 0,
                match_bits: match_bits(HOME, own, 0),
                user_pointer: 0,
                header_data: 0,
            };
            let get = Move {
                operation: Transfer::Get,
                length: 1,
                ..put
            };
            [Step::Send(pair.target, put), Step::Send(pair.target, get)]
        });
        messages.collect()
    }

    /// The next message that ends the round; none when there is none left. The model does it.
    ///
    /// # Errors
    /// The model's.
    pub fn next_last_message(&mut self, tile: usize, random: &mut StdRng) -> anyhow::Result<Option<Operation>> {
        let Some(rank) = self.site.portals.rank_of(tile) else {
            return Ok(None);
        };
        match self.portals.ranks[rank].ends.pop_front() {
            Some(step) => self.carry_out(tile, step, random),
            None => Ok(None),
        }
    }
}
