//! What a tile has in a run: registers of its Portals engine, and a map of its memory.

use super::{
    super::access::{self, Rows},
    draw::{APPENDS, ENTRY_BYTES, MOVES, MOVE_BYTES, OPEN_PORTALS, SHUT_PORTAL},
};
use portico::{Fabric, Region, Transport};
use portico_spec::{
    ni::registers::PortalsRegister,
    portals::engine::{
        item, EVENT_BYTES, EVENT_PRESENT_OFFSET, MD_BOUND_OFFSET, MD_COUNTER_OFFSET, MD_COUNTS_OFFSET,
        MD_OPTIONS_WIDTH, MD_QUEUES_OFFSET, MD_QUEUE_OFFSET, PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET,
        PORTAL_QUEUES_OFFSET, PORTAL_QUEUE_OFFSET, RANK_PRESENT_OFFSET,
    },
    Config,
};
use rand::{rngs::StdRng, seq::SliceRandom, Rng};

/// Rings of a tile: of entries and commands, and of memory descriptors.
pub const RINGS: usize = 2;
const TARGET: u32 = 0;
const INITIATOR: u32 = 1;
/// Most events of a ring, as logarithms.
const MOST_EVENTS: [u32; RINGS] = [7, 6];
/// Counters: of memory descriptors, of entries, and one that commands set.
pub const DESCRIPTORS: u8 = 4;
pub const SET_COUNTER: u8 = 8;
pub const COUNTERS: usize = 9;
/// Events of a tile: of descriptors, of rings, of counters.
pub const OF_DESCRIPTORS: u8 = 0;
const OF_RINGS: u32 = 1;
const OF_COUNTERS: u32 = 2;
pub const EVENTS: usize = 3;
/// Bytes of a tile that puts read.
const SOURCE_BYTES: u32 = 2 * MOVE_BYTES;
const STAGING_BYTES: u32 = 1024;

/// Decisions of a run.
pub struct Site {
    config: Config,
    /// The tile of each rank.
    pub ranks: Vec<usize>,
    users: Vec<u32>,
    /// By tile: logarithms of the sizes of its rings.
    rings: Vec<[u32; RINGS]>,
    /// By tile and memory descriptor.
    options: Vec<Vec<u32>>,
    source: Vec<u32>,
}

/// Bytes of a tile.
pub struct Area {
    pub base: u32,
    pub bytes: u32,
}

/// What moves and messages change in the memory of a tile: memory of gets, and of entries.
pub const CHANGED: [Area; 2] = [
    Area {
        base: LANDINGS,
        bytes: ENTRIES - LANDINGS,
    },
    Area {
        base: ENTRIES,
        bytes: HANDLES - ENTRIES,
    },
];

/// Where the parts of a tile's memory begin, in bytes.
mod map {
    use super::*;

    pub const RINGS_BASE: [u32; RINGS] = [0, (EVENT_BYTES as u32) << MOST_EVENTS[0]];
    pub const SOURCE: u32 = RINGS_BASE[1] + ((EVENT_BYTES as u32) << MOST_EVENTS[1]);
    pub const LANDINGS: u32 = SOURCE + SOURCE_BYTES;
    pub const ENTRIES: u32 = LANDINGS + MOVES as u32 * MOVE_BYTES;
    pub const HANDLES: u32 = ENTRIES + APPENDS as u32 * ENTRY_BYTES;
    pub const END: u32 = (HANDLES + 4 * APPENDS as u32).next_multiple_of(STAGING_BYTES);
}
pub use map::{ENTRIES, HANDLES, LANDINGS, SOURCE};

/// The least `scratchpad`, in KiB.
pub fn least_scratchpad() -> usize {
    map::END.div_ceil(1 << 10).next_power_of_two() as usize
}

impl Site {
    /// Draws the decisions of a run.
    pub fn draw(config: &Config, random: &mut StdRng) -> Site {
        let tiles = config.tiles();
        let mut ranks: Vec<usize> = (0..tiles).collect();
        ranks.shuffle(random);
        ranks.truncate(config.portals);
        Site {
            ranks,
            users: (0..tiles).map(|_| random.gen_range(0..2)).collect(),
            rings: (0..tiles)
                .map(|_| MOST_EVENTS.map(|most| random.gen_range(2..=most)))
                .collect(),
            options: (0..tiles)
                .map(|_| {
                    (0..DESCRIPTORS)
                        .map(|_| random.gen_range(0..1 << MD_OPTIONS_WIDTH))
                        .collect()
                })
                .collect(),
            source: (0..SOURCE_BYTES / 4).map(|_| random.gen()).collect(),
            config: config.clone(),
        }
    }

    /// The rings of a tile.
    pub fn rings(&self, tile: usize) -> [Area; RINGS] {
        [0, 1].map(|ring: usize| Area {
            base: map::RINGS_BASE[ring],
            bytes: (EVENT_BYTES as u32) << self.rings[tile][ring],
        })
    }

    /// Writes all registers, then enables the ranks; gives memory of the host for further accesses.
    ///
    /// # Errors
    /// The driver's.
    pub fn set_up<T: Transport>(&self, fabric: &mut Fabric<T>) -> anyhow::Result<Region> {
        let staging = fabric.allocate(self.config.tiles(), STAGING_BYTES)?;
        let nodes = self.ranks.iter().map(|&tile| self.config.tile_node(tile).number());
        let nodes: Vec<u32> = nodes.map(|node| u32::from(node) | 1 << RANK_PRESENT_OFFSET).collect();
        for (rank, &tile) in self.ranks.iter().enumerate() {
            access::clear(
                fabric,
                staging,
                Rows::of_memory(tile, 0, map::END / STAGING_BYTES, STAGING_BYTES),
            )?;
            fabric.write(tile, SOURCE, &self.source)?;
            let mut poke = |register, first: usize, registers: usize, values: &[u32]| {
                let place = Rows::new(fabric, tile, register, first, values.len() / registers, registers);
                access::poke(fabric, staging, place, values)
            };
            poke(PortalsRegister::Rank, 0, 1, &nodes)?;
            poke(PortalsRegister::EqBase, 0, 1, &map::RINGS_BASE)?;
            poke(PortalsRegister::EqSize, 0, 1, &self.rings[tile])?;
            poke(
                PortalsRegister::EqEvent,
                0,
                1,
                &[OF_RINGS | 1 << EVENT_PRESENT_OFFSET; RINGS],
            )?;
            poke(
                PortalsRegister::CtEvent,
                0,
                1,
                &[OF_COUNTERS | 1 << EVENT_PRESENT_OFFSET; COUNTERS],
            )?;
            let allocated = 1 << PORTAL_ALLOCATED_OFFSET | TARGET << PORTAL_QUEUE_OFFSET | 1 << PORTAL_QUEUES_OFFSET;
            for index in OPEN_PORTALS {
                poke(
                    PortalsRegister::Portal,
                    index.into(),
                    1,
                    &[allocated | 1 << PORTAL_ENABLED_OFFSET],
                )?;
            }
            poke(PortalsRegister::Portal, SHUT_PORTAL.into(), 1, &[allocated])?;
            for descriptor in 0..DESCRIPTORS {
                let options = self.options[tile][usize::from(descriptor)]
                    | u32::from(descriptor) << MD_COUNTER_OFFSET
                    | 1 << MD_COUNTS_OFFSET
                    | INITIATOR << MD_QUEUE_OFFSET
                    | 1 << MD_QUEUES_OFFSET
                    | 1 << MD_BOUND_OFFSET;
                poke(PortalsRegister::MdStart, descriptor.into(), 3, &[0, map::END, options])?;
            }
            poke(PortalsRegister::Setting, item::RANK, 1, &[rank as u32])?;
            poke(PortalsRegister::Setting, item::USER, 1, &[self.users[tile]])?;
        }
        for &tile in &self.ranks {
            let place = Rows::new(fabric, tile, PortalsRegister::Setting, item::ENABLE, 1, 1);
            access::poke(fabric, staging, place, &[1])?;
        }
        Ok(staging)
    }
}
