//! What one member sends: a [command list](portico_spec::ni::command_list) in its memory, or a single put.

use portico_spec::ni::{
    command::QUEUE_WORDS,
    command_list::{bytes, ListPlace, Put},
    descriptor::{Command, Geometry, Transfer},
};

use super::{blocks::Piece, Block, Peers};
use crate::{command, event::Event, Error, Fabric, Region, Transport};

/// The puts of a member.
#[derive(Debug)]
pub(super) struct List {
    pub tile: usize,
    /// Counts the puts.
    pub event: Event,
    /// Puts of a start.
    pub puts: u16,
    /// The descriptor that starts them, its event still 0.
    pub start: Vec<u32>,
    /// Words of the command queue that a start needs.
    pub room: usize,
    /// The memory of the list; a single put needs none.
    region: Option<Region>,
}

impl List {
    /// Takes an event and memory apart from `used`, and writes the list.
    pub fn new<T: Transport>(
        fabric: &mut Fabric<T>,
        peers: &Peers,
        rank: usize,
        blocks: &[Block],
        used: &[Piece],
    ) -> Result<List, Error> {
        let tile = peers.tiles()[rank];
        let mut list = List {
            tile,
            event: fabric.event(tile)?,
            puts: blocks.len() as u16,
            start: vec![],
            room: 0,
            region: None,
        };
        match list.write(fabric, peers, rank, blocks, used) {
            Ok(()) => Ok(list),
            Err(error) => {
                // The first error tells the cause.
                let _ = list.release(fabric);
                Err(error)
            }
        }
    }

    /// Gives back what it has taken.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if let Some(region) = self.region {
            fabric.free(region)?;
        }
        self.event.release(fabric)
    }

    fn write<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        peers: &Peers,
        rank: usize,
        blocks: &[Block],
        used: &[Piece],
    ) -> Result<(), Error> {
        if let [block] = blocks {
            let put = Command::Put(Transfer {
                remote: block.result,
                local: block.source,
                geometry: Geometry::Row { row: block.bytes },
            });
            self.start = command::encode(fabric.config(), peers.handle(rank, block.to), put)?;
            self.room = self.start.len();
            return Ok(());
        }
        let region = fabric.allocate(self.tile, bytes(fabric.config(), blocks.len()))?;
        self.region = Some(region);
        self.check_apart(region, used)?;
        let puts = blocks.iter().map(|block| Put {
            segment: peers.handle(rank, block.to),
            remote: block.result,
            local: block.source,
            bytes: block.bytes,
        });
        let place = ListPlace {
            node: self.tile,
            base: region.base,
            own_space: peers.own(rank),
            event: self.event.number(),
        };
        let list = place.list(fabric.config(), &puts.collect::<Vec<_>>())?;
        self.start = command::without_event(list.start);
        self.room = QUEUE_WORDS;
        fabric.write(self.tile, region.base, &list.memory)
    }

    /// Memory that was not allocated can be in use all the same.
    fn check_apart(&self, region: Region, used: &[Piece]) -> Result<(), Error> {
        let (first, end) = (region.base, region.base + region.bytes);
        let mut used = used.iter().filter(|piece| piece.tile == self.tile);
        match used.find(|piece| piece.first < end && first < piece.end) {
            None => Ok(()),
            Some(piece) => Err(Error::ListOverlap {
                node: self.tile,
                address: piece.first,
                first,
                end,
            }),
        }
    }
}
