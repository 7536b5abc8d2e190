//! N-to-1 queues: many senders, one owner, whole messages, no message lost.
//!
//! A queue is a ring of slots in its owner's memory. A sender owns credits, one for each message that it may have in the queue
//! unreleased. Without a credit, a message waits at the sender. The owner reads messages in the order of their arrival and
//! releases them, which returns the credits.
//!
//! The driver counts what it sends and what it releases. It refuses a message of the host without a credit
//! ([`Error::NoCredit`]): the message would block the accesses that receive and release. When all messages of a sender
//! are released, the sender can be [retired](Queue::retire); its credits are then free for other senders.
//!
//! ```
//! use portico::{Config, Fabric, GoldenTransport};
//!
//! let config = Config { edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let mut queue = fabric.queue(0, 8, 16, None)?;
//! let sender = queue.sender(&mut fabric, 5, 4)?;
//!
//! fabric.write(5, 0x40, &[1, 2, 3])?;
//! fabric.tile(5)?.enqueue(&sender, 0x40, 12)?.wait(1000)?;
//!
//! let message = queue.receive(&mut fabric)?.expect("one message");
//! assert_eq!((message.source, message.words), (5, vec![1, 2, 3]));
//! queue.release(&mut fabric, 1)?;
//! queue.retire(&mut fabric, sender)?;
//! assert_eq!(queue.free_credits(), 8);
//! # Ok::<(), portico::Error>(())
//! ```

use std::collections::VecDeque;

use portico_spec::ni::{
    packet::MAX_MESSAGE_WORDS,
    window::{
        self, Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, MODE_OFFSET, SLOTS_OFFSET, SLOTS_WIDTH, SLOT_WORDS_OFFSET,
    },
};

use crate::{
    event::Event,
    onesided::{GlobalId, Kind},
    registers::{ReleaseRegister, TagRegister},
    resources::Feature,
    Error, Fabric, Region, Transport,
};

/// Queues of messages: what a sender's node has, and the owner's.
const QUEUES: Feature = Feature {
    what: "queues",
    is_built: |build| build.queues,
    tile_key: Some("queues"),
    host_key: Some("host_queues"),
};

pub use self::sender::{Sender, Unretired};

mod sender;

/// A queue, as its owner has it.
#[derive(Debug)]
#[must_use = "a queue is taken until it is closed"]
pub struct Queue {
    id: GlobalId,
    region: Region,
    slots: u32,
    slot_bytes: u32,
    message_bytes: u32,
    /// Credits that senders have.
    granted: u32,
    /// Messages read and released since reset, modulo 65,536.
    read: u16,
    released: u16,
    /// Node and handle that sent each unreleased message; none for a message that no sender can have sent.
    unreleased: VecDeque<Option<(usize, u8)>>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The node that sent it.
    pub source: usize,
    /// Its words.
    pub words: Vec<u32>,
}

impl Queue {
    /// Its name in the fabric.
    pub fn id(&self) -> GlobalId {
        self.id
    }

    /// Most bytes of a message.
    pub fn message_bytes(&self) -> u32 {
        self.message_bytes
    }

    /// Credits that are left to give to senders.
    pub fn free_credits(&self) -> u32 {
        self.slots - self.granted
    }

    fn written<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<u16, Error> {
        Ok(fabric.peek(self.id.node, TagRegister::Pointer, self.id.tag.into())? as u16)
    }

    /// Messages that have arrived and are not yet read.
    ///
    /// # Errors
    /// The fabric's.
    pub fn waiting<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<u16, Error> {
        Ok(self.written(fabric)?.wrapping_sub(self.read))
    }

    /// The next message, if one has arrived. It keeps its slot until released.
    ///
    /// # Errors
    /// [`Error::BadMessage`] if its slot was overwritten; the message counts as received and must be released. Or the fabric's.
    pub fn receive<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<Option<Message>, Error> {
        if self.waiting(fabric)? == 0 {
            return Ok(None);
        }
        let address = self.next_slot();
        let slot = fabric.read(self.id.node, address, self.slot_bytes as usize / 4)?;
        self.take(fabric, address, &slot).map(Some)
    }

    /// All messages that have arrived, with one or two reads. They keep their slots until released.
    ///
    /// # Errors
    /// As for [`Queue::receive`] of the first message. A later one with an overwritten slot is left for the next call.
    pub fn receive_all<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<Vec<Message>, Error> {
        let mut left = u32::from(self.waiting(fabric)?);
        let mut messages = vec![];
        while left > 0 {
            // Up to the end of the ring.
            let count = left.min(self.slots - u32::from(self.read) % self.slots);
            let address = self.next_slot();
            let words = self.slot_bytes as usize / 4;
            let slots = fabric.read(self.id.node, address, count as usize * words)?;
            for (address, slot) in (address..).step_by(self.slot_bytes as usize).zip(slots.chunks(words)) {
                let (read, unreleased) = (self.read, self.unreleased.len());
                match self.take(fabric, address, slot) {
                    Ok(message) => messages.push(message),
                    Err(error) if messages.is_empty() => return Err(error),
                    Err(_) => {
                        self.read = read;
                        self.unreleased.truncate(unreleased);
                        return Ok(messages);
                    }
                }
            }
            left -= count;
        }
        Ok(messages)
    }

    /// The address of the slot of the next message.
    fn next_slot(&self) -> u32 {
        self.region.base + u32::from(self.read) % self.slots * self.slot_bytes
    }

    /// The message in a slot, which is then read.
    fn take<T: Transport>(&mut self, fabric: &Fabric<T>, address: u32, slot: &[u32]) -> Result<Message, Error> {
        let lanes = fabric.word_bytes() as usize / 4;
        let front = window::Message::decode(slot[0]);
        let words = slot.get(lanes..lanes + usize::from(front.words) * lanes);
        let source = fabric.config().node_id(front.source);
        self.read = self.read.wrapping_add(1);
        self.unreleased.push_back(source.map(|source| (source, front.handle)));
        let Some((source, words)) = source.zip(words) else {
            let (node, front) = (self.id.node, slot[0]);
            return Err(Error::BadMessage { node, address, front });
        };
        let words = words.to_vec();
        Ok(Message { source, words })
    }

    /// Waits for the next message, at most so many cycles.
    ///
    /// # Errors
    /// [`Error::Timeout`], or the fabric's.
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<Message, Error> {
        let begun = fabric.port.transport.cycles();
        loop {
            if let Some(message) = self.receive(fabric)? {
                return Ok(message);
            }
            fabric.check_time(begun, timeout, self.id.node, "message")?;
        }
    }

    /// Gives back the slots of the oldest messages that were read, and the credits to their senders.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if so many were not read, or the fabric's.
    pub fn release<T: Transport>(&mut self, fabric: &mut Fabric<T>, messages: u16) -> Result<(), Error> {
        let left = self.read.wrapping_sub(self.released);
        Error::check_range("messages to release", messages.into(), 0, left.into())?;
        if messages == 0 {
            return Ok(());
        }
        let (node, tag) = (self.id.node, self.id.tag.into());
        let written = fabric.poke_once(node, ReleaseRegister::Messages, tag, &[messages.into()])?;
        self.released = self.released.wrapping_add(messages);
        // A closed queue also releases messages that were never read.
        let read = self.unreleased.len().min(messages.into());
        for (node, handle) in self.unreleased.drain(..read).flatten() {
            let used = &mut fabric.nodes[node].credits(handle).used;
            *used = used.saturating_sub(1);
        }
        written
    }

    /// Closes the queue; messages in it are lost, and so are those that arrive later.
    ///
    /// # Errors
    /// The fabric's.
    pub fn close<T: Transport>(mut self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.read = self.written(fabric)?;
        let left = self.read.wrapping_sub(self.released);
        self.release(fabric, left)?;
        fabric.close_window(self.id)?;
        fabric.free(self.region)
    }
}

impl<T: Transport> Fabric<T> {
    /// Makes a queue at a node, with `slots` places, a power of two, for messages of at most `message_bytes` bytes; its
    /// arrivals count in an event of the same node.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Misaligned`], [`Error::WrongNode`] of the event, [`Error::Exhausted`],
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`], or the fabric's.
    pub fn queue(
        &mut self,
        node: usize,
        slots: u32,
        message_bytes: u32,
        event: Option<&Event>,
    ) -> Result<Queue, Error> {
        self.check_node(node)?;
        self.nodes[node].check_built(node, &QUEUES)?;
        self.check_aligned("message bytes", message_bytes)?;
        let word_bytes = self.word_bytes();
        let max = u64::from(word_bytes) * MAX_MESSAGE_WORDS as u64;
        Error::check_range("message bytes", message_bytes.into(), 0, max)?;
        let max = 1 << ((1 << SLOTS_WIDTH) - 1);
        if !slots.is_power_of_two() || slots > max {
            let (field, value, max) = ("slots, a power of two,", u64::from(slots), u64::from(max));
            return Err(Error::OutOfRange {
                field,
                value,
                min: 1,
                max,
            });
        }
        let event = match event {
            Some(event) if event.node() != node => {
                let (what, owner) = ("event", event.node());
                return Err(Error::WrongNode { what, owner, node });
            }
            Some(event) => 1 << EVENT_ENABLE_OFFSET | u32::from(event.number()) << EVENT_OFFSET,
            None => 0,
        };
        let slot_words = (message_bytes / word_bytes + 1).next_power_of_two();
        let slot_bytes = slot_words * word_bytes;
        let region = self.allocate(node, slots * slot_bytes)?;
        let control = (Mode::Queue as u32) << MODE_OFFSET
            | event
            | slot_words.ilog2() << SLOT_WORDS_OFFSET
            | slots.ilog2() << SLOTS_OFFSET;
        let bytes = slots * slot_bytes;
        let tag = match self.open_window(node, (region.base, bytes), Kind::Queue, control, 0) {
            Ok(tag) => tag,
            Err(error) => {
                self.free(region)?;
                return Err(error);
            }
        };
        let kind = Kind::Queue;
        let mut queue = Queue {
            id: GlobalId { node, tag, bytes, kind },
            region,
            slots,
            slot_bytes,
            message_bytes,
            granted: 0,
            read: 0,
            released: 0,
            unreleased: VecDeque::new(),
        };
        // The tag's counters go on from the queue that had it before.
        queue.read = queue.written(self)?;
        queue.released = queue.read;
        Ok(queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoldenTransport;
    use portico_spec::{Config, Node};

    /// A queue of tile 0 whose slots all are credits of tile 5.
    fn of_one_sender(width: usize, slots: u32, bytes: u32) -> Result<(Fabric<GoldenTransport>, Queue, Sender), Error> {
        let config = Config {
            width,
            edge_nodes: 1,
            ..Config::default()
        };
        let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
        let mut queue = fabric.queue(0, slots, bytes, None)?;
        let sender = queue.sender(&mut fabric, 5, slots)?;
        Ok((fabric, queue, sender))
    }

    /// Messages round the end of the ring, with one read of all; one that was written over ends it.
    #[test]
    fn all_messages_are_received_at_once() -> Result<(), Error> {
        for width in [32, 64] {
            let (mut fabric, mut queue, sender) = of_one_sender(width, 4, 16)?;
            assert_eq!(queue.receive_all(&mut fabric)?, []);
            let mut number = 0..;
            for count in [3, 4, 1, 2] {
                let sent: Vec<u32> = number.by_ref().take(count).collect();
                for &word in &sent {
                    fabric.write(5, 0x40, &[word, !word])?;
                    fabric.tile(5)?.enqueue(&sender, 0x40, 8)?.wait(1000)?;
                }
                let found = queue.receive_all(&mut fabric)?;
                let expected = sent.iter().map(|&word| Message {
                    source: 5,
                    words: vec![word, !word],
                });
                assert_eq!(found, expected.collect::<Vec<_>>());
                queue.release(&mut fabric, count as u16)?;
            }
            for _ in 0..2 {
                fabric.tile(5)?.enqueue(&sender, 0x40, 8)?.wait(1000)?;
            }
            let second = queue.region.base + u32::from(queue.read + 1) % queue.slots * queue.slot_bytes;
            let (words, handle) = (40, sender.handle());
            let source = fabric.config().tile_node(5);
            let front = window::Message { words, source, handle }.encode()?;
            fabric.write(0, second, &[front, 0])?;
            assert_eq!(queue.receive_all(&mut fabric)?.len(), 1);
            let (node, address) = (0, second);
            let bad = Error::BadMessage { node, address, front };
            assert_eq!(queue.receive_all(&mut fabric), Err(bad));
            queue.release(&mut fabric, 2)?;
        }
        Ok(())
    }

    /// A message with an overwritten slot is an error, and does not block the next message.
    #[test]
    fn a_message_that_was_written_over_is_named_and_released() -> Result<(), Error> {
        for width in [32, 64] {
            let (mut fabric, mut queue, sender) = of_one_sender(width, 2, 8)?;
            let (good, nowhere) = (fabric.config().tile_node(5), Node { x: 15, y: 15 });
            for (words, source) in [(40, good), (1, nowhere)] {
                fabric.tile(5)?.enqueue(&sender, 0x40, 8)?.wait(1000)?;
                let handle = sender.handle();
                let address = queue.region.base + u32::from(queue.read) % queue.slots * queue.slot_bytes;
                let front = window::Message { words, source, handle }.encode()?;
                fabric.write(0, address, &[front, 0])?;
                let node = 0;
                assert_eq!(
                    queue.receive(&mut fabric),
                    Err(Error::BadMessage { node, address, front })
                );
                queue.release(&mut fabric, 1)?;
                fabric.write(5, 0x40, &[7, 8])?;
            }
            assert_eq!(queue.receive(&mut fabric)?, None);
        }
        Ok(())
    }
}
