//! One member of a launch: its command list, and the events in which its commands count.

use portico_spec::ni::{
    command::{first_place, opcode, EVENT_OFFSET, QUIET_OFFSET, TRANSFER_WORDS},
    command_list::{bytes, ListPlace, FETCH_WORDS},
    descriptor::{Command, Descriptor, Geometry, Transfer},
    registers::address_at,
};

use super::Step;
use crate::{event::Event, registers::CommandRegister, resources::Port, Error, Fabric, Region, Transport};

/// A member whose list lies in its memory.
#[derive(Debug)]
pub(crate) struct Member {
    pub tile: usize,
    /// Counts the mail, and every error.
    pub event: Event,
    /// Counts the descriptors of engines, which the mail does not wait for; and how many they are.
    pub of_engines: Option<(Event, u16)>,
    /// The descriptor that starts the list.
    pub start: Vec<u32>,
    /// The list, and the descriptors that start other members.
    region: Option<Region>,
}

/// The handles of a member: of its own address space, and of those of others.
pub(crate) type Handles<'a> = &'a dyn Fn(usize) -> u8;

impl Member {
    /// Takes events and memory, and writes the list. `started` gives tile and start of another member by its place.
    pub fn new<T: Transport>(
        fabric: &mut Fabric<T>,
        tile: usize,
        own: usize,
        steps: &[Step],
        handles: Handles,
        mail: Vec<u32>,
        started: &[Option<Member>],
    ) -> Result<Member, Error> {
        let mut member = Member {
            tile,
            event: fabric.event(tile)?,
            of_engines: None,
            start: vec![],
            region: None,
        };
        match member.write(fabric, own, steps, handles, mail, started) {
            Ok(()) => Ok(member),
            Err(error) => {
                // The first error tells the cause.
                let _ = member.release(fabric);
                Err(error)
            }
        }
    }

    /// Gives back what it has taken.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if let Some(region) = self.region {
            fabric.free(region)?;
        }
        let of_engines = self.of_engines.map_or(Ok(()), |(event, _)| event.release(fabric));
        self.event.release(fabric).and(of_engines)
    }

    fn write<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        own: usize,
        steps: &[Step],
        handles: Handles,
        mut mail: Vec<u32>,
        started: &[Option<Member>],
    ) -> Result<(), Error> {
        let config = fabric.config().clone();
        let unit = (config.width / 8) as u32;
        let lengths = steps.iter().map(|step| match step {
            Step::Start(_) => TRANSFER_WORDS[0],
            Step::Command(words) => words.len(),
        });
        let lengths: Vec<usize> = lengths.chain([mail.len()]).collect();
        let length = bytes(&config, &lengths);
        let starts = steps.iter().filter(|step| matches!(step, Step::Start(_))).count();
        let region = fabric.allocate(self.tile, length + unit * (starts * FETCH_WORDS) as u32)?;
        self.region = Some(region);

        // Behind the list lie the descriptors that start other members.
        let mut behind: Vec<u32> = vec![];
        let mut descriptors = vec![];
        for step in steps {
            descriptors.push(match step {
                Step::Command(words) => self.count(fabric, words.clone())?,
                Step::Start(place) => {
                    let Member { tile, start, .. } = started[*place].as_ref().expect("a member behind this one");
                    let transfer = Transfer {
                        remote: address_at(&config, *tile, CommandRegister::Word, first_place(start.len())),
                        local: region.base + length + unit * behind.len() as u32,
                        geometry: Geometry::Row {
                            row: unit * start.len() as u32,
                        },
                    };
                    behind.extend(start);
                    let put = Descriptor {
                        segment: handles(*place),
                        ..Descriptor::new(Command::Put(transfer))
                    };
                    self.count(fabric, put.encode(&config)?)?
                }
            });
        }
        mail[0] |= u32::from(self.event.number()) << EVENT_OFFSET;
        descriptors.push(mail);
        let place = ListPlace {
            node: self.tile,
            base: region.base,
            own_space: handles(own),
            event: self.event.number(),
        };
        let list = place.list(&config, &descriptors)?;
        self.start = list.start;
        let mut memory = list.memory;
        for word in behind {
            memory.push(word);
            memory.resize(memory.len() + config.width / 32 - 1, 0);
        }
        fabric.write(self.tile, region.base, &memory)
    }

    /// Lets the errors of a command of the requester count in the event of the member, and an engine's end in that of engines.
    fn count<T: Transport>(&mut self, fabric: &mut Fabric<T>, mut words: Vec<u32>) -> Result<Vec<u32>, Error> {
        let build = fabric.nodes[self.tile].build;
        let event = match Port::of(u32::from(opcode(words[0])), &build) {
            Port::Requester => {
                words[0] |= 1 << QUIET_OFFSET;
                self.event.number()
            }
            Port::Engine(_) => {
                let (event, count) = match self.of_engines.take() {
                    Some(counted) => counted,
                    None => (fabric.event(self.tile)?, 0),
                };
                let number = event.number();
                self.of_engines = Some((event, count + 1));
                number
            }
        };
        words[0] |= u32::from(event) << EVENT_OFFSET;
        Ok(words)
    }
}
