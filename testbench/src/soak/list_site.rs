//! What a tile has for lists: memory, and segments for address spaces.

use super::access::{self, Rows};
use portico::{Fabric, Region, Transport};
use portico_spec::{
    ni::{
        command::first_place,
        registers::{address_at, CommandRegister, SegmentRegister},
        segment,
    },
    Config,
};

/// Tiles whose lists a tile can start.
const OTHERS: usize = 2;
/// Segments of a tile for lists: for its own address space, and those of others. The last segment of a tile is never one.
pub const SPARE_SEGMENTS: usize = 1 + OTHERS + 1;
/// Words of a list at most: several pieces.
const MOST_WORDS: u32 = 640;

/// Words of the fabric for the list of a tile, in a memory of so many.
pub fn words(memory_words: u32) -> u32 {
    MOST_WORDS.min(memory_words / 8)
}

/// What a tile has for lists.
pub struct ListSite {
    tile: usize,
    pub region: Region,
    /// Tiles and the segments for their address spaces, of the tile itself first; none if the tile has no segments left.
    spaces: Vec<(usize, u8)>,
}

impl ListSite {
    /// Sets up a tile of which so many segments are taken, the low ones.
    ///
    /// # Errors
    /// The driver's.
    pub fn new<T: Transport>(
        fabric: &mut Fabric<T>,
        staging: Region,
        region: Region,
        taken: usize,
    ) -> anyhow::Result<Self> {
        let config = fabric.config().clone();
        let (tile, tiles) = (region.node, config.tiles());
        let mut spaces = vec![];
        if taken + SPARE_SEGMENTS <= config.segments {
            for distance in 0..tiles.min(1 + OTHERS) {
                let (other, handle) = ((tile + distance) % tiles, config.segments - 2 - distance);
                let place = Rows::new(fabric, tile, SegmentRegister::Target, handle, 1, 2);
                access::poke(fabric, staging, place, &segment::space(&config, other))?;
                spaces.push((other, handle as u8));
            }
        }
        Ok(ListSite { tile, region, spaces })
    }

    /// The segment for the tile's own address space.
    pub fn own(&self) -> Option<u8> {
        self.space(self.tile)
    }

    /// The segment for the address space of a tile.
    pub fn space(&self, tile: usize) -> Option<u8> {
        let own = self.spaces.iter().find(|(other, _)| *other == tile);
        own.map(|&(_, handle)| handle)
    }

    /// Lists that one of the tile can start.
    pub fn others(&self) -> usize {
        self.spaces.len().saturating_sub(1)
    }
}

/// Where a descriptor of so many words goes in the address space of a tile.
pub fn places(config: &Config, tile: usize, words: usize) -> u32 {
    address_at(config, tile, CommandRegister::Word, first_place(words))
}
