//! The register map of a node.

use portico_spec::{
    flit::X_WIDTH,
    ni::{
        command::MAX_DESCRIPTOR_WORDS,
        event::EVENTS,
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
        registers::{Block, ControlRegister, CounterRegister, Place, BLOCK_OFFSET, IDENTITY},
    },
};

use super::{super::reception::release, Interface};

/// Block, place in it.
fn split(index: u16) -> (u32, usize) {
    let index = u32::from(index);
    (index >> BLOCK_OFFSET, (index & ((1 << BLOCK_OFFSET) - 1)) as usize)
}

/// Number of an item of the block, and the register of it, if there is one. Behind the last item the first comes again.
fn part<P: Place>(place: usize) -> (usize, Option<P>) {
    let (item, register) = item(place);
    (item & (P::BLOCK.map().items - 1), register)
}

/// The same, but no item comes again.
fn item<P: Place>(place: usize) -> (usize, Option<P>) {
    let width = P::BLOCK.map().number_width;
    (place >> width, P::from_number(place & ((1 << width) - 1)))
}

impl Interface {
    /// The register of this index; 0 if there is none, or if it is only written.
    pub(super) fn read_register(&self, index: u16) -> u32 {
        let (block, place) = split(index);
        match Block::from_code(block) {
            Some(Block::Control) => part(place).1.map_or(0, |register| self.read_control(register)),
            Some(Block::Events) => {
                let (event, register) = part(place);
                register.map_or(0, |register| self.events[event].read(register))
            }
            Some(Block::Tags) => {
                let (tag, register) = item(place);
                let window = self.windows.get(tag);
                window
                    .zip(register)
                    .map_or(0, |(window, register)| window.read(register))
            }
            Some(Block::Mailboxes) => {
                let (mailbox, register) = part(place);
                register.map_or(0, |register| self.mailboxes[mailbox].read(register))
            }
            // All that has to do with time is not of this model.
            Some(Block::Counters) => match part(place).1 {
                Some(CounterRegister::Refused) => self.refused,
                Some(CounterRegister::Dropped) => self.dropped,
                _ => 0,
            },
            _ => 0,
        }
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
        }
    }

    /// One bit an event: it has fired.
    pub fn fired(&self) -> u64 {
        (0..EVENTS)
            .map(|event| u64::from(self.events[event].fired()) << event)
            .sum()
    }

    /// One bit an event: it has fired and interrupts.
    pub fn interrupts(&self) -> u64 {
        (0..EVENTS)
            .map(|event| u64::from(self.events[event].interrupts()) << event)
            .sum()
    }

    /// Writes the register of this index, if there is one to write.
    pub(super) fn write_register(&mut self, index: u16, data: u32) {
        let (block, place) = split(index);
        match Block::from_code(block) {
            Some(Block::Command) => {
                let last = place % MAX_DESCRIPTOR_WORDS == MAX_DESCRIPTOR_WORDS - 1;
                self.push_command(data, last);
            }
            Some(Block::Events) => {
                if let (event, Some(register)) = part(place) {
                    self.events[event].write(register, data);
                }
            }
            Some(Block::Tags) => {
                let (tag, register) = item(place);
                if let Some((window, register)) = self.windows.get_mut(tag).zip(register) {
                    window.write(register, data);
                }
            }
            Some(Block::Segments) => {
                let (segment, register) = item(place);
                if let Some((segment, register)) = self.segments.get_mut(segment).zip(register) {
                    segment.write(register, data);
                }
            }
            Some(Block::Mailboxes) => {
                if let (mailbox, Some(register)) = part(place) {
                    self.mailboxes[mailbox].write(register, data);
                }
            }
            Some(Block::Program) => {
                let at = place % PROGRAM_WORDS;
                if at >= FIRMWARE_WORDS {
                    self.program[at] = data;
                }
            }
            Some(Block::Release) => release(self, (place % self.windows.len()) as u8, data),
            Some(Block::Pages) => {
                if let (page, Some(half)) = part(place) {
                    self.memory.write_page(page, half, data);
                }
            }
            _ => {}
        }
    }
}
