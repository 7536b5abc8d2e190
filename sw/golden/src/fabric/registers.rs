//! The register map of a node.

use portico_spec::{
    flit::X_WIDTH,
    ni::{
        command::MAX_DESCRIPTOR_WORDS,
        event::EVENTS,
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
        registers::{Block, BLOCK_OFFSET, FIELD_WIDTH, MAGIC, SHORT_FIELD_WIDTH, VERSION},
    },
};

use super::{interface::Interface, packet::Packet, window::MessageHeader};

/// Block, place in it.
fn split(index: u16) -> (u32, usize) {
    let index = u32::from(index);
    (index >> BLOCK_OFFSET, (index & ((1 << BLOCK_OFFSET) - 1)) as usize)
}

/// Number and register of one event, window; or segment, mailbox.
fn part(place: usize, width: usize, count: usize) -> (usize, u32) {
    (place >> width & (count - 1), (place & ((1 << width) - 1)) as u32)
}

impl Interface {
    /// The register of this index; 0 if there is none, or if it is only written.
    pub fn read_register(&self, index: u16) -> u32 {
        let (block, place) = split(index);
        let is = |name: Block| block == name as u32;
        if is(Block::Control) {
            self.read_control(place)
        } else if is(Block::Events) {
            let (event, register) = part(place, FIELD_WIDTH, self.events.len());
            self.events[event].read(register)
        } else if is(Block::Tags) {
            let (tag, register) = part(place, FIELD_WIDTH, self.windows.len());
            self.windows[tag].read(register)
        } else if is(Block::Mailboxes) {
            let (mailbox, register) = part(place, SHORT_FIELD_WIDTH, self.mailboxes.len());
            self.mailboxes[mailbox].read(register)
        } else if is(Block::Counters) {
            // All that has to do with time is not of this model.
            match place {
                6 => self.refused,
                7 => self.dropped,
                _ => 0,
            }
        } else {
            0
        }
    }

    fn read_control(&self, place: usize) -> u32 {
        match place {
            0 => MAGIC << 16 | VERSION,
            1 => u32::from(self.node.x) | u32::from(self.node.y) << X_WIDTH,
            2 => self.fabric,
            3 => self.memory.words() as u32 * self.word_bytes,
            5 => self.interrupts() as u32,
            6 => (self.interrupts() >> 32) as u32,
            _ => 0,
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
    pub fn write_register(&mut self, index: u16, data: u32) {
        let (block, place) = split(index);
        let is = |name: Block| block == name as u32;
        if is(Block::Command) {
            let last = place % MAX_DESCRIPTOR_WORDS == MAX_DESCRIPTOR_WORDS - 1;
            self.push_command(data, last);
        } else if is(Block::Events) {
            let (event, register) = part(place, FIELD_WIDTH, self.events.len());
            self.events[event].write(register, data);
        } else if is(Block::Tags) {
            let (tag, register) = part(place, FIELD_WIDTH, self.windows.len());
            self.windows[tag].write(register, data);
        } else if is(Block::Segments) {
            let (segment, register) = part(place, SHORT_FIELD_WIDTH, self.segments.len());
            self.segments[segment].write(register, data);
        } else if is(Block::Mailboxes) {
            let (mailbox, register) = part(place, SHORT_FIELD_WIDTH, self.mailboxes.len());
            self.mailboxes[mailbox].write(register, data);
        } else if is(Block::Program) {
            let at = place % PROGRAM_WORDS;
            if at >= FIRMWARE_WORDS {
                self.program[at] = data;
            }
        } else if is(Block::Release) {
            self.release(place % self.windows.len(), data);
        } else if is(Block::Pages) {
            self.memory.write_page(place, data);
        }
    }

    /// Gives back messages of a queue: a credit to the sender of each.
    fn release(&mut self, tag: usize, messages: u32) {
        for _ in 0..messages {
            let Some(address) = self.windows[tag].release() else {
                return;
            };
            let MessageHeader { source, segment, .. } = MessageHeader::decode(self.read_word(address));
            self.send(source, Packet::Credit { segment });
        }
    }
}
