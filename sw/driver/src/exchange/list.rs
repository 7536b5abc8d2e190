//! The puts of one member: a [command list](portico_spec::ni::command_list) in its memory, or a single put.
//!
//! A member first starts its children: a put sends the descriptor that starts a child to the command queue of the child. Then the
//! member sends its blocks.

use portico_spec::ni::{
    command::MAX_DESCRIPTOR_WORDS,
    command_list::{bytes, ListPlace, Put},
    descriptor::{Command, Descriptor, Geometry, Transfer},
    registers::address_at,
};

use super::{Block, Peers};
use crate::{event::Event, registers::CommandRegister, Error, Fabric, Region, Transport};

/// The puts of a member.
#[derive(Debug)]
pub(super) struct List {
    pub tile: usize,
    /// Counts the puts.
    pub event: Event,
    /// Puts of a start.
    pub puts: u16,
    /// The descriptor that starts them.
    pub start: Vec<u32>,
    /// The memory of the list and of what starts the children; a single block needs none.
    region: Option<Region>,
}

/// The part of one member in an exchange.
pub(super) struct Work<'a> {
    pub rank: usize,
    pub blocks: &'a [Block],
    /// Lists of other members, by rank: those that this one starts are among them.
    pub lists: &'a [Option<List>],
}

impl Work<'_> {
    /// The children that have a list, and the handle of each.
    fn children<'a>(&'a self, peers: &'a Peers) -> impl Iterator<Item = (&'a List, u8)> + 'a {
        peers.children(self.rank).filter_map(|child| {
            let list = self.lists[child].as_ref()?;
            Some((list, peers.handle(self.rank, child)))
        })
    }
}

impl List {
    /// Takes an event and memory, and writes the list; none if there is nothing to do.
    pub fn new<T: Transport>(fabric: &mut Fabric<T>, peers: &Peers, work: &Work) -> Result<Option<List>, Error> {
        let puts = work.blocks.len() + work.children(peers).count();
        if puts == 0 {
            return Ok(None);
        }
        let tile = peers.tiles()[work.rank];
        let mut list = List {
            tile,
            event: fabric.event(tile)?,
            puts: puts as u16,
            start: vec![],
            region: None,
        };
        match list.write(fabric, peers, work) {
            Ok(()) => Ok(Some(list)),
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

    fn write<T: Transport>(&mut self, fabric: &mut Fabric<T>, peers: &Peers, work: &Work) -> Result<(), Error> {
        let config = fabric.config().clone();
        let rank = work.rank;
        if let ([block], 1) = (work.blocks, self.puts) {
            let transfer = Transfer {
                remote: block.result,
                local: block.source,
                geometry: Geometry::Row { row: block.bytes },
            };
            let put = Descriptor {
                segment: peers.handle(rank, block.to),
                event: self.event.number(),
                ..Descriptor::new(Command::Put(transfer))
            };
            self.start = put.encode(&config)?;
            return Ok(());
        }
        let unit = (config.width / 8) as u32;
        let length = bytes(&config, self.puts.into());
        let starts: u32 = work
            .children(peers)
            .map(|(list, _)| unit * list.start.len() as u32)
            .sum();
        let region = fabric.allocate(self.tile, length + starts)?;
        self.region = Some(region);

        // Behind the list lie the descriptors that start the children.
        let mut behind = vec![];
        let mut puts = vec![];
        for (list, space) in work.children(peers) {
            let words = list.start.len();
            puts.push(Put {
                segment: space,
                remote: address_at(&config, list.tile, CommandRegister::Word, MAX_DESCRIPTOR_WORDS - words),
                local: region.base + length + unit * behind.len() as u32,
                bytes: unit * words as u32,
            });
            behind.extend(&list.start);
        }
        puts.extend(work.blocks.iter().map(|block| Put {
            segment: peers.handle(rank, block.to),
            remote: block.result,
            local: block.source,
            bytes: block.bytes,
        }));
        let place = ListPlace {
            node: self.tile,
            base: region.base,
            own_space: peers.handle(rank, rank),
            event: self.event.number(),
        };
        let list = place.list(&config, &puts)?;
        self.start = list.start;
        let mut memory = list.memory;
        for word in behind {
            memory.push(word);
            memory.resize(memory.len() + config.width / 32 - 1, 0);
        }
        fabric.write(self.tile, region.base, &memory)
    }
}
