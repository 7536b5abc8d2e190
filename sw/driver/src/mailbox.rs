//! Mailboxes: 64 bits at a time, from any node, without touching memory.

use portico_spec::ni::{
    descriptor::Command,
    mailbox::{Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, EXPECTED_OFFSET},
};

use crate::{
    command,
    event::Event,
    onesided::{Initiator, Operation},
    registers::{MailboxRegister, Registers},
    resources::Feature,
    Error, Fabric, Transport,
};

/// Mailboxes: only memory nodes have none.
const MAILBOXES: Feature = Feature {
    what: "mailboxes",
    is_built: |build| build.mailboxes > 0,
    tile_key: None,
    host_key: None,
};

/// How a mailbox takes messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Each message replaces the one before, and notifies.
    Message,
    /// Messages are ORed, and the last of this number notifies: 1..=255.
    Barrier(u32),
}

/// A mailbox of a node. Every node may send to it.
///
/// ```
/// use portico::{mailbox::Delivery, Config, Fabric, GoldenTransport};
///
/// let config = Config { edge_nodes: 1, ..Config::default() };
/// let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
/// let mailbox = fabric.mailbox(4, Delivery::Message, None)?;
/// fabric.tile(9)?.mail(&mailbox, 0x1_0000_0002)?.wait(1000)?;
/// assert_eq!(mailbox.read(&mut fabric)?, (1, 0x1_0000_0002));
/// # Ok::<(), portico::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a mailbox is taken until it is released"]
pub struct Mailbox {
    node: usize,
    number: u8,
}

impl Mailbox {
    /// The node of the mailbox.
    pub fn node(&self) -> usize {
        self.node
    }

    /// Its number at the node.
    pub fn number(&self) -> u8 {
        self.number
    }

    /// Arrivals since it was cleared, or of the barrier's round; and the value.
    ///
    /// # Errors
    /// The fabric's.
    pub fn read<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(u32, u64), Error> {
        let registers: Registers<MailboxRegister> = fabric.peek_item(self.node, self.number.into())?;
        let value = u64::from(registers[MailboxRegister::High]) << 32 | u64::from(registers[MailboxRegister::Low]);
        Ok((registers[MailboxRegister::Count], value))
    }

    /// Sets count and value to 0.
    ///
    /// # Errors
    /// The fabric's.
    pub fn clear<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        fabric.poke(self.node, MailboxRegister::Count, self.number.into(), &[0])
    }

    /// Releases the mailbox; later messages to it stay unnoticed.
    ///
    /// # Errors
    /// The fabric's.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let written = fabric.poke_once(self.node, MailboxRegister::Control, self.number.into(), &[0])?;
        fabric.nodes[self.node].mailboxes.give(self.number);
        written
    }
}

impl<T: Transport> Fabric<T> {
    /// Takes a mailbox of a node, empty, which notifies an event of the same node.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] of a barrier, [`Error::WrongNode`] of the event, [`Error::Exhausted`],
    /// [`Error::NoSuchNode`], [`Error::NotBuilt`] at a memory node, or the fabric's.
    pub fn mailbox(&mut self, node: usize, delivery: Delivery, event: Option<&Event>) -> Result<Mailbox, Error> {
        self.check_node(node)?;
        self.nodes[node].check_built(node, &MAILBOXES)?;
        let mode = match delivery {
            Delivery::Message => Mode::Message as u32,
            Delivery::Barrier(expected) => {
                Error::check_range("arrivals of the barrier", expected.into(), 1, 255)?;
                Mode::Barrier as u32 | expected << EXPECTED_OFFSET
            }
        };
        let event = match event {
            Some(event) if event.node() != node => {
                let (what, owner) = ("event", event.node());
                return Err(Error::WrongNode { what, owner, node });
            }
            Some(event) => 1 << EVENT_ENABLE_OFFSET | u32::from(event.number()) << EVENT_OFFSET,
            None => 0,
        };
        let number = self.nodes[node].mailboxes.take(node)?;
        let mailbox = Mailbox { node, number };
        let registers = [(MailboxRegister::Control, mode | event), (MailboxRegister::Count, 0)];
        self.poke_item(node, number.into(), registers)?;
        Ok(mailbox)
    }
}

impl<'f, T: Transport> Initiator<'f, T> {
    /// Sends 64 bits; complete when they are sent.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`] if the mailbox is of another fabric.
    pub fn mail(self, mailbox: &Mailbox, value: u64) -> Result<Operation<'f, T, ()>, Error> {
        self.fabric.check_node(mailbox.node)?;
        self.fabric.check_way(self.node, mailbox.node)?;
        let config = self.fabric.config();
        let mail = Command::Mail {
            node: config.terminal_node(mailbox.node),
            mailbox: mailbox.number,
            value,
        };
        let words = command::encode(config, 0, mail)?;
        Ok(self.operation("mail", words))
    }
}
