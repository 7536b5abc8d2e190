//! What a fabric is set up with for Portals: the same on the device and on the golden model, but for the sizes of rings.

use super::{
    super::{
        access::{self, Rows},
        site::arrivals_in_zones,
    },
    CLOSED, COUNTERS, FLUSH_COUNTER, FLUSH_DESCRIPTOR, MAIN, OPEN, OPEN_COUNTERS, OPEN_DESCRIPTORS, SHORT_DESCRIPTOR,
    SHORT_LENGTH, SWITCHED, UNEXPECTED,
};
use portico::{Error, Fabric, Region, Transport};
use portico_spec::{
    ni::registers::PortalsRegister,
    portals::engine::{
        item, EVENT_BYTES, EVENT_PRESENT_OFFSET, EVENT_WORDS, MD_BOUND_OFFSET, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET,
        MD_CT_ACK, MD_CT_REPLY, PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET, PORTAL_QUEUES_OFFSET,
        PORTAL_QUEUE_OFFSET, RANK_PRESENT_OFFSET,
    },
    Config,
};
use rand::{seq::SliceRandom, Rng};

/// Rings of a tile: of entries, of memory descriptors, of entries for all ranks.
pub const RINGS: usize = 3;
pub const TARGET: usize = 0;
pub const INITIATOR: usize = 1;
pub const OF_ALL: usize = 2;
/// Most events of a ring, as logarithms.
const MOST_EVENTS: [usize; RINGS] = [5, 5, 3];
/// Words of a zone at most: five packets.
const MOST_ZONE_WORDS: u32 = 128;
/// Entries of a tile at once, at most. Only lists with so few places are filled.
pub const MOST_ENTRIES: usize = 128;
/// Bytes of an entry for all ranks, and how many of them a tile has at once at most.
pub const OPEN_BYTES: u32 = 24;
pub const MOST_OPEN: usize = 8;
/// Words of memory without which a fabric gets no Portals traffic.
const LEAST_WORDS: u32 = 1024;

/// Decisions of a set-up.
pub struct PortalsChoices {
    /// The tile of each rank; none without Portals traffic.
    pub ranks: Vec<usize>,
    /// By rank: logarithms of the sizes that the device's rings have.
    pub rings: Vec<[usize; RINGS]>,
    /// By rank.
    pub users: Vec<u16>,
}

/// A tile with a rank.
pub struct TileArea {
    pub rings: [Region; RINGS],
    /// A word for the handle of each entry, and a first one that no command writes.
    pub handles: Region,
    /// Memory of entries for all ranks.
    pub open: Region,
}

/// An initiator and one of its targets, both with ranks.
pub struct PairArea {
    pub initiator: usize,
    pub target: usize,
    /// Which of the initiator's targets.
    pub place: u8,
    /// Memory of the target for this initiator alone.
    pub zone: Region,
    /// Where gets go.
    pub landing: Region,
}

/// What stands in memories.
#[derive(Default)]
pub struct PortalsSite {
    /// The tile of each rank.
    pub ranks: Vec<usize>,
    /// By rank.
    pub tiles: Vec<TileArea>,
    pub pairs: Vec<PairArea>,
}

/// Logarithms of the most events of rings in a memory of so many words.
pub fn ring_sizes(memory_words: u32) -> [usize; RINGS] {
    // In a small memory all have 8 events: the model's rings hold all events of an operation.
    match memory_words >= 4 * LEAST_WORDS {
        true => MOST_EVENTS,
        false => [3; RINGS],
    }
}

/// Words of a zone in a memory of so many.
fn zone_words(memory_words: u32) -> u32 {
    MOST_ZONE_WORDS.min(memory_words / 64)
}

fn handles(config: &Config) -> usize {
    config.entries.min(MOST_ENTRIES) + 1
}

impl PortalsChoices {
    /// Without traffic nothing is drawn.
    pub fn new(config: &Config, memory_words: u32, has_traffic: bool, random: &mut impl Rng) -> Self {
        let mut ranks = vec![];
        if has_traffic && memory_words >= LEAST_WORDS {
            ranks = (0..config.tiles()).collect();
            ranks.shuffle(random);
            ranks.truncate(config.portals);
        }
        let sizes = ring_sizes(memory_words);
        PortalsChoices {
            rings: ranks
                .iter()
                .map(|_| sizes.map(|most| random.gen_range(1..=most)))
                .collect(),
            users: ranks.iter().map(|_| random.gen_range(0..3)).collect(),
            ranks,
        }
    }

    /// Words of a tile for Portals, with so many targets and initiators.
    pub fn words(&self, config: &Config, memory_words: u32, pairs: u32) -> u32 {
        if self.ranks.is_empty() {
            return 0;
        }
        let events: u32 = ring_sizes(memory_words).iter().map(|log| 1 << log).sum();
        let open = MOST_OPEN as u32 * OPEN_BYTES / 4;
        events * EVENT_WORDS as u32 + handles(config) as u32 + open + pairs * zone_words(memory_words) + 8
    }
}

impl PortalsSite {
    /// Allocates what depends on who comes first, or on places in lists: it is not compared as memory.
    ///
    /// # Errors
    /// The driver's.
    pub fn add_tile<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        choices: &PortalsChoices,
        node: usize,
        memory_words: u32,
    ) -> Result<(), Error> {
        if !choices.ranks.contains(&node) {
            return Ok(());
        }
        let [first, second, third] = ring_sizes(memory_words);
        let config = fabric.config().clone();
        let mut ring = |log: usize| fabric.allocate(node, (EVENT_BYTES << log) as u32);
        let rings = [ring(first)?, ring(second)?, ring(third)?];
        self.tiles.push(TileArea {
            rings,
            handles: fabric.allocate(node, 4 * handles(&config) as u32)?,
            open: fabric.allocate(node, MOST_OPEN as u32 * OPEN_BYTES)?,
        });
        Ok(())
    }

    /// Puts the tiles, which have come in the order of nodes, in the order of ranks.
    pub fn order(&mut self, choices: &PortalsChoices) {
        self.ranks.clone_from(&choices.ranks);
        let node = |tile: &TileArea| tile.handles.node;
        self.tiles
            .sort_by_key(|tile| choices.ranks.iter().position(|&of| of == node(tile)));
    }

    /// Allocates what a pair has.
    ///
    /// # Errors
    /// The driver's.
    pub fn add_pair<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        initiator: usize,
        target: usize,
        memory_words: u32,
    ) -> Result<(), Error> {
        if self.rank_of(initiator).is_none() || self.rank_of(target).is_none() {
            return Ok(());
        }
        let place = self.pairs.iter().filter(|pair| pair.initiator == initiator).count() as u8;
        let bytes = 4 * zone_words(memory_words);
        self.pairs.push(PairArea {
            initiator,
            target,
            place,
            zone: fabric.allocate(target, bytes)?,
            landing: fabric.allocate(initiator, bytes)?,
        });
        Ok(())
    }

    /// The rank of a tile.
    pub fn rank_of(&self, tile: usize) -> Option<usize> {
        self.ranks.iter().position(|&of| of == tile)
    }

    /// Which pairs have this tile as their initiator.
    pub fn pairs_of(&self, tile: usize) -> Vec<usize> {
        let own = |&at: &usize| self.pairs[at].initiator == tile;
        (0..self.pairs.len()).filter(own).collect()
    }

    /// Which pairs have this tile as their target.
    pub fn pairs_to(&self, tile: usize) -> Vec<usize> {
        let own = |&at: &usize| self.pairs[at].target == tile;
        (0..self.pairs.len()).filter(own).collect()
    }

    /// Writes all registers, with rings of these sizes, then enables the ranks.
    ///
    /// # Errors
    /// The driver's.
    pub fn set_up<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        staging: Region,
        choices: &PortalsChoices,
        rings: &[[usize; RINGS]],
    ) -> anyhow::Result<()> {
        let config = fabric.config().clone();
        let nodes = self.ranks.iter().map(|&tile| config.tile_node(tile).number());
        let nodes: Vec<u32> = nodes.map(|node| u32::from(node) | 1 << RANK_PRESENT_OFFSET).collect();
        for (rank, (&tile, area)) in self.ranks.iter().zip(&self.tiles).enumerate() {
            let bases: Vec<u32> = area.rings.iter().map(|ring| ring.base).collect();
            for region in area.rings.iter().chain([&area.handles]) {
                fabric.write(tile, region.base, &vec![0; region.bytes as usize / 4])?;
            }
            let mut poke = |register, first, registers: usize, values: &[u32]| {
                let place = Rows::new(fabric, tile, register, first, values.len() / registers, registers);
                access::poke(fabric, staging, place, values)
            };
            poke(PortalsRegister::Rank, 0, 1, &nodes)?;
            poke(PortalsRegister::EqBase, 0, 1, &bases)?;
            poke(PortalsRegister::EqSize, 0, 1, &rings[rank].map(|log| log as u32))?;
            let taken = 1 << PORTAL_ALLOCATED_OFFSET | 1 << PORTAL_ENABLED_OFFSET;
            let queue = |ring: usize| (ring as u32) << PORTAL_QUEUE_OFFSET | 1 << PORTAL_QUEUES_OFFSET;
            for (index, value) in [
                (MAIN, taken | queue(TARGET)),
                (UNEXPECTED, taken | queue(TARGET)),
                (OPEN, taken | queue(OF_ALL)),
                (SWITCHED, taken),
                (CLOSED, 1 << PORTAL_ALLOCATED_OFFSET | queue(TARGET)),
            ] {
                poke(PortalsRegister::Portal, index.into(), 1, &[value])?;
            }
            // Counters whose changes do not depend on who comes first count in an event, which is compared.
            let event = arrivals_in_zones(&config) as u32 | 1 << EVENT_PRESENT_OFFSET;
            poke(PortalsRegister::CtEvent, 0, 1, &[event; COUNTERS])?;
            let memory = (config.scratchpad << 10) as u32;
            let counting = |counter: u8| {
                1 << MD_CT_ACK | 1 << MD_CT_REPLY | 1 << MD_COUNTS_OFFSET | u32::from(counter) << MD_COUNTER_OFFSET
            };
            let mut bind = |row: u8, start, length, options| {
                let values = [start, length, options | 1 << MD_BOUND_OFFSET];
                poke(PortalsRegister::MdStart, row.into(), 3, &values)
            };
            bind(FLUSH_DESCRIPTOR, 0, whole(memory), counting(FLUSH_COUNTER))?;
            // It reaches beyond the memory.
            bind(SHORT_DESCRIPTOR, memory - SHORT_LENGTH, 100, 0)?;
            for place in 0..self.pairs_of(tile).len() as u8 {
                bind(
                    OPEN_DESCRIPTORS + place,
                    0,
                    whole(memory),
                    counting(OPEN_COUNTERS + place),
                )?;
            }
            poke(PortalsRegister::Setting, item::RANK, 1, &[rank as u32])?;
            poke(PortalsRegister::Setting, item::USER, 1, &[choices.users[rank].into()])?;
        }
        for &tile in &self.ranks {
            self.enable(fabric, staging, tile, true)?;
        }
        Ok(())
    }

    /// Lets a tile send moves and take requests, or lets them wait.
    ///
    /// # Errors
    /// The driver's.
    pub fn enable<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        staging: Region,
        tile: usize,
        enabled: bool,
    ) -> anyhow::Result<()> {
        let place = Rows::new(fabric, tile, PortalsRegister::Setting, item::ENABLE, 1, 1);
        access::poke(fabric, staging, place, &[enabled.into()])
    }
}

/// Length of a memory descriptor of all memory.
pub fn whole(memory: u32) -> u32 {
    memory.min((1 << 20) - 1)
}
