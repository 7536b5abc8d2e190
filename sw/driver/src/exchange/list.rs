//! The puts of one member: a [command list](portico_spec::ni::command_list) in its memory, or a single put.
//!
//! To start another member, a put sends the descriptor that starts the other one's list to the other one's command queue.

use portico_spec::ni::{
    command::first_place,
    command_list::{bytes, ListPlace, Put},
    descriptor::{Command, Descriptor, Geometry, Transfer},
    registers::address_at,
};

use super::{plan::Step, Peers};
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

impl List {
    /// Takes an event and memory, and writes the list of a rank; none if there is nothing to do. `lists` has those of the other
    /// ranks that it starts.
    pub fn new<T: Transport>(
        fabric: &mut Fabric<T>,
        peers: &Peers,
        (rank, steps): (usize, &[Step]),
        lists: &[Option<List>],
    ) -> Result<Option<List>, Error> {
        if steps.is_empty() {
            return Ok(None);
        }
        let tile = peers.tiles()[rank];
        let mut list = List {
            tile,
            event: fabric.event(tile)?,
            puts: steps.len() as u16,
            start: vec![],
            region: None,
        };
        match list.write(fabric, peers, (rank, steps), lists) {
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

    fn write<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        peers: &Peers,
        (rank, steps): (usize, &[Step]),
        lists: &[Option<List>],
    ) -> Result<(), Error> {
        let config = fabric.config().clone();
        if let [Step::Send(block)] = steps {
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
        let length = bytes(&config, steps.len());
        let start_of = |child: usize| lists[child].as_ref().expect("a member that is started has a list");
        let starts = steps.iter().map(|step| match step {
            Step::Start(child) => unit * start_of(*child).start.len() as u32,
            Step::Send(_) => 0,
        });
        let region = fabric.allocate(self.tile, length + starts.sum::<u32>())?;
        self.region = Some(region);

        // Behind the list lie the descriptors that start other members.
        let mut behind = vec![];
        let puts = steps.iter().map(|step| match *step {
            Step::Start(child) => {
                let List { tile, start, .. } = start_of(child);
                let words = start.len();
                let local = region.base + length + unit * behind.len() as u32;
                behind.extend(start);
                Put {
                    segment: peers.handle(rank, child),
                    remote: address_at(&config, *tile, CommandRegister::Word, first_place(words)),
                    local,
                    bytes: unit * words as u32,
                }
            }
            Step::Send(block) => Put {
                segment: peers.handle(rank, block.to),
                remote: block.result,
                local: block.source,
                bytes: block.bytes,
            },
        });
        let puts: Vec<Put> = puts.collect();
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
