//! The register map of a node.

use portico_spec::{
    flit::X_WIDTH,
    ni::{
        command::MAX_DESCRIPTOR_WORDS,
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
        registers::{Block, ControlRegister, CounterRegister, Place, TagRegister, BLOCK_OFFSET, IDENTITY},
        window::SYSTEM_WINDOW,
    },
};

use super::{
    super::{event::Event, reception::release},
    Interface, Way,
};

/// Block, place in it.
fn split(index: u16) -> (u32, usize) {
    let index = u32::from(index);
    (index >> BLOCK_OFFSET, (index & ((1 << BLOCK_OFFSET) - 1)) as usize)
}

impl Interface {
    /// Number of the item of the block, and the register of it, if both exist.
    fn item<P: Place>(&self, place: usize) -> Option<(usize, P)> {
        let width = P::BLOCK.map().number_width;
        let item = place >> width;
        let exists = item < self.build.items(P::BLOCK) || P::BLOCK == Block::Tags && item == SYSTEM_WINDOW;
        let register = P::from_number(place & ((1 << width) - 1))?;
        exists.then_some((item, register))
    }

    /// The window of a tag, and the register of it, if both exist.
    fn tag(&self, place: usize) -> Option<(usize, TagRegister)> {
        let (tag, register) = self.item(place)?;
        Some((self.build.window_row(tag as u8), register))
    }

    /// The register of this index; 0 if there is none, or if it is only written.
    pub(super) fn read_register(&self, index: u16) -> u32 {
        let (block, place) = split(index);
        let value = match Block::from_code(block) {
            Some(Block::Control) => self.item(place).map(|(_, register)| self.read_control(register)),
            Some(Block::Events) => self
                .item(place)
                .map(|(event, register)| self.events[event].read(register)),
            Some(Block::Tags) => self.tag(place).map(|(row, register)| self.windows[row].read(register)),
            Some(Block::Mailboxes) => self
                .item(place)
                .map(|(mailbox, register)| self.mailboxes[mailbox].read(register)),
            // All that has to do with time is not of this model.
            Some(Block::Counters) if self.build.monitors => match self.item(place) {
                Some((_, CounterRegister::Refused)) => Some(self.refused),
                Some((_, CounterRegister::Dropped)) => Some(self.dropped),
                _ => None,
            },
            Some(Block::Probe) => self.probe.as_ref().and_then(|probe| {
                let (_, register) = self.item(place)?;
                Some(probe.read(register))
            }),
            Some(Block::Mpe) => self.mpe.as_ref().and_then(|mpe| {
                let (context, register) = self.item(place)?;
                Some(mpe.read(context, register))
            }),
            Some(Block::Portals) => self.portals.as_ref().and_then(|portals| {
                let (row, register) = self.item(place)?;
                Some(portals.read(row, register))
            }),
            Some(Block::Streams) => self.streams.as_ref().and_then(|streams| {
                let (_, register) = self.item(place)?;
                Some(streams.read(register))
            }),
            _ => None,
        };
        value.unwrap_or_default()
    }

    fn read_control(&self, register: ControlRegister) -> u32 {
        match register {
            ControlRegister::Id => IDENTITY,
            ControlRegister::Node => u32::from(self.node.x) | u32::from(self.node.y) << X_WIDTH,
            ControlRegister::Tiles => self.tiles,
            ControlRegister::Memory => self.memory.words() as u32 * self.word_bytes,
            ControlRegister::Status => 0,
            ControlRegister::InterruptLow => self.interrupts() as u32,
            ControlRegister::InterruptHigh => (self.interrupts() >> 32) as u32,
            ControlRegister::Build => self.build.register(),
            ControlRegister::BuildEngines => self.build.engines_register(),
        }
    }

    /// One bit an event: it has fired.
    pub fn fired(&self) -> u64 {
        self.flags(Event::fired)
    }

    /// One bit an event: it has fired and interrupts.
    pub fn interrupts(&self) -> u64 {
        self.flags(Event::interrupts)
    }

    fn flags(&self, flag: impl Fn(&Event) -> bool) -> u64 {
        let events = self.events.iter().enumerate();
        events.map(|(number, event)| u64::from(flag(event)) << number).sum()
    }

    /// Writes the register of this index, if there is one to write; false for a word of a descriptor that is not kept.
    pub(super) fn write_register(&mut self, way: Way, index: u16, data: u32) -> bool {
        let (block, place) = split(index);
        match Block::from_code(block) {
            Some(Block::Command) => {
                let last = place % MAX_DESCRIPTOR_WORDS == MAX_DESCRIPTOR_WORDS - 1;
                return self.push_command(way, data, last);
            }
            Some(Block::Events) => {
                if let Some((event, register)) = self.item(place) {
                    self.events[event].write(register, data);
                }
            }
            Some(Block::Tags) => {
                if let Some((row, register)) = self.tag(place) {
                    self.windows[row].write(register, data);
                }
            }
            Some(Block::Segments) => {
                if let Some((segment, register)) = self.item(place) {
                    self.segments[segment].write(register, data);
                }
            }
            Some(Block::Mailboxes) => {
                if let Some((mailbox, register)) = self.item(place) {
                    self.mailboxes[mailbox].write(register, data);
                }
            }
            Some(Block::Program) if self.build.programs => {
                let at = place % PROGRAM_WORDS;
                if at >= FIRMWARE_WORDS {
                    self.program[at] = data;
                }
            }
            Some(Block::Release) if place < self.build.items(Block::Release) => release(self, place as u8, data),
            Some(Block::Pages) => {
                if let Some((page, half)) = self.item(place) {
                    self.memory.write_page(page, half, data);
                }
            }
            Some(Block::Probe) => {
                let register = self.item(place);
                if let (Some(probe), Some((_, register))) = (&mut self.probe, register) {
                    probe.write(register);
                }
            }
            Some(Block::Mpe) => {
                let register = self.item(place);
                if let (Some(mpe), Some((context, register))) = (&mut self.mpe, register) {
                    let is_taken = mpe.write(context, register, data);
                    self.refused += u32::from(!is_taken);
                }
            }
            Some(Block::Portals) => {
                let register = self.item(place);
                if let (Some(portals), Some((row, register))) = (&mut self.portals, register) {
                    portals.write(row, register, data);
                }
            }
            _ => {}
        }
        true
    }
}
