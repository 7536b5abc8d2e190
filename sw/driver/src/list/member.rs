//! One member of a launch: its command list, and the events in which its commands count.

use std::collections::BTreeMap;

use portico_spec::ni::{
    command::{EVENT_OFFSET, QUEUE_WORDS, QUIET_OFFSET, TRANSFER_WORDS},
    command_list::{bytes, ListPlace, FETCH_WORDS},
    registers::in_memory,
};

use super::LaunchStep;
use crate::{event::Event, resources::Port, Error, Fabric, Region, Transport};

/// A member whose list lies in its memory.
#[derive(Debug)]
pub(crate) struct Member {
    pub tile: usize,
    /// Counts the commands of the requester, the mail among them.
    pub event: Event,
    /// How many they are.
    pub commands: u16,
    /// The descriptors of engines, for which the mail does not wait.
    pub of_engines: Option<OfEngines>,
    /// The descriptor that starts the list.
    pub start: Vec<u32>,
    /// The list, and the descriptors that start other members.
    region: Option<Region>,
}

/// Descriptors of engines in a list.
#[derive(Debug)]
pub(crate) struct OfEngines {
    /// Counts them.
    pub event: Event,
    /// How many they are.
    pub count: u16,
    /// The engine of the last one.
    pub port: Port,
}

/// The handles of a member: of its own address space, and of those of others.
pub(crate) type Handles<'a> = &'a dyn Fn(usize) -> u8;

impl Member {
    /// Takes events and memory, and writes the list. `started` gives tile and start of another member by its place.
    pub fn new<T: Transport>(
        fabric: &mut Fabric<T>,
        tile: usize,
        own: usize,
        steps: &[LaunchStep],
        handles: Handles,
        mail: Vec<u32>,
        started: &[Option<Member>],
    ) -> Result<Member, Error> {
        let mut member = Member {
            tile,
            event: fabric.event(tile)?,
            commands: 0,
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

    /// Events in which its commands count: its own and, with descriptors of engines, theirs. With each, how many count in it, and the
    /// port of the last one.
    pub fn counts(&self) -> impl Iterator<Item = (&Event, u16, Port)> {
        let of_engines = self.of_engines.iter().map(|of| (&of.event, of.count, of.port));
        [(&self.event, self.commands, Port::Requester)]
            .into_iter()
            .chain(of_engines)
    }

    /// Gives back what it has taken.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        if let Some(region) = self.region {
            fabric.free(region)?;
        }
        let of_engines = self
            .of_engines
            .map_or(Ok(()), |of_engines| of_engines.event.release(fabric));
        self.event.release(fabric).and(of_engines)
    }

    fn write<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        own: usize,
        steps: &[LaunchStep],
        handles: Handles,
        mut mail: Vec<u32>,
        started: &[Option<Member>],
    ) -> Result<(), Error> {
        let config = fabric.config().clone();
        let unit = (config.width / 8) as u32;
        let lengths = steps.iter().map(|step| match step {
            LaunchStep::Start(_) => TRANSFER_WORDS[0],
            LaunchStep::Command(words) => words.len(),
        });
        let lengths: Vec<usize> = lengths.chain([mail.len()]).collect();
        self.check_engines(fabric, steps)?;
        let length = bytes(&config, &lengths);
        let starts = steps.iter().filter(|step| matches!(step, LaunchStep::Start(_))).count();
        let region = fabric.allocate(self.tile, length + unit * (starts * FETCH_WORDS) as u32)?;
        self.region = Some(region);
        let place = ListPlace {
            node: self.tile,
            base: region.base,
            own_space: handles(own),
            event: self.event.number(),
        };

        // Behind the list lie the descriptors that start other members.
        let mut behind: Vec<u32> = vec![];
        let mut descriptors = vec![];
        for step in steps {
            descriptors.push(match step {
                LaunchStep::Command(words) => self.count(fabric, words.clone())?,
                LaunchStep::Start(other) => {
                    let Member { tile, start, .. } = started[*other].as_ref().expect("a member behind this one");
                    let local = region.base + length + unit * behind.len() as u32;
                    let put = place.start_of(&config, (*tile, handles(*other)), start, local)?;
                    behind.extend(start);
                    self.count(fabric, put)?
                }
            });
        }
        mail[0] |= u32::from(self.event.number()) << EVENT_OFFSET;
        self.commands += 1;
        descriptors.push(mail);
        let list = place.list(&config, &descriptors)?;
        self.start = list.start;
        let mut memory = list.memory;
        memory.extend(in_memory(&config, &behind));
        fabric.write(self.tile, region.base, &memory)
    }

    /// Refuses more words for an engine than its queue holds: a list does not wait for engines.
    fn check_engines<T: Transport>(&self, fabric: &Fabric<T>, steps: &[LaunchStep]) -> Result<(), Error> {
        let mut words: BTreeMap<Port, usize> = BTreeMap::new();
        for step in steps {
            if let LaunchStep::Command(descriptor) = step {
                *words
                    .entry(Port::of(descriptor[0], &fabric.nodes[self.tile].build))
                    .or_default() += descriptor.len();
            }
        }
        words.remove(&Port::Requester);
        let most = words.into_values().max().unwrap_or(0) as u64;
        let field = "words of descriptors for one engine in a list";
        Error::check_range(field, most, 0, QUEUE_WORDS as u64)
    }

    /// Lets a command of the requester count in the event of the member, and one of an engine in that of engines. All count, so that
    /// their counts tell whether the member still works.
    fn count<T: Transport>(&mut self, fabric: &mut Fabric<T>, mut words: Vec<u32>) -> Result<Vec<u32>, Error> {
        let build = fabric.nodes[self.tile].build;
        words[0] &= !(1 << QUIET_OFFSET);
        let event = match Port::of(words[0], &build) {
            Port::Requester => {
                self.commands += 1;
                self.event.number()
            }
            port => {
                let of_engines = match &mut self.of_engines {
                    Some(of_engines) => of_engines,
                    none => none.insert(OfEngines {
                        event: fabric.event(self.tile)?,
                        count: 0,
                        port,
                    }),
                };
                of_engines.count += 1;
                of_engines.port = port;
                of_engines.event.number()
            }
        };
        words[0] |= u32::from(event) << EVENT_OFFSET;
        Ok(words)
    }
}
