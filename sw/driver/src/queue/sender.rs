//! Senders of a queue, and their credits.

use portico_spec::ni::{descriptor::Command, segment::CREDITS_WIDTH};
use thiserror::Error as DeriveError;

use crate::{
    command,
    onesided::{Initiator, Operation, Remote},
    registers::TagRegister,
    resources::Credits,
    Error, Fabric, Transport,
};

use super::{Queue, QUEUES};

/// The right of a node to send to a queue.
#[derive(Debug)]
#[must_use = "a sender holds credits and a segment handle"]
pub struct Sender {
    remote: Remote,
    message_bytes: u32,
}

/// A sender that is not retired, and why.
#[derive(Debug, DeriveError)]
#[error("{error}")]
pub struct Unretired {
    /// The sender, as it was.
    pub sender: Sender,
    /// The reason.
    pub error: Error,
}

impl From<Unretired> for Error {
    fn from(unretired: Unretired) -> Error {
        unretired.error
    }
}

impl Queue {
    /// Makes the queue known to a node, which may have `credits` messages in it at a time. All senders together have no more
    /// credits than the queue has slots, so the queue always has room for a message with a credit.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] of the credits, [`Error::Exhausted`], [`Error::NoSuchNode`], or the fabric's.
    pub fn sender<T: Transport>(&mut self, fabric: &mut Fabric<T>, node: usize, credits: u32) -> Result<Sender, Error> {
        fabric.check_node(node)?;
        fabric.nodes[node].check_built(node, &QUEUES)?;
        let max = u64::from(self.free_credits().min((1 << CREDITS_WIDTH) - 1));
        Error::check_range("credits", credits.into(), 1, max)?;
        let remote = fabric.clone_segment(node, self.id, credits)?;
        self.granted += credits;
        *fabric.nodes[node].credits(remote.handle) = Credits {
            granted: credits,
            used: 0,
        };
        Ok(Sender {
            remote,
            message_bytes: self.message_bytes,
        })
    }

    /// Takes back a sender's credits and its segment handle. The driver does not know of messages that were not sent by
    /// [`Initiator::enqueue`]: they must be released before.
    ///
    /// # Errors
    /// With the sender: [`Error::Unreleased`] if a message of it is, or will be, in the queue, [`Error::WrongQueue`],
    /// [`Error::Exhausted`] of segment handles or events of its node, [`Error::Timeout`], or the fabric's.
    pub fn retire<T: Transport>(&mut self, fabric: &mut Fabric<T>, sender: Sender) -> Result<(), Unretired> {
        match self.try_retire(fabric, &sender) {
            Ok(credits) => {
                self.granted -= credits;
                Ok(())
            }
            Err(error) => Err(Unretired { sender, error }),
        }
    }

    fn try_retire<T: Transport>(&self, fabric: &mut Fabric<T>, sender: &Sender) -> Result<u32, Error> {
        let (node, of, queue) = (sender.node(), sender.remote.id, self.id);
        if of != queue {
            return Err(Error::WrongQueue { of, queue });
        }
        fabric.check_node(node)?;
        let Credits { granted, used } = *fabric.nodes[node].credits(sender.handle());
        if used > 0 {
            let messages = used;
            return Err(Error::Unreleased { node, messages });
        }
        self.await_credits(fabric, node)?;
        sender.remote.give(fabric)?;
        Ok(granted)
    }

    /// Waits until all credits of released messages are back at a node: a late credit would reach the next owner of the handle.
    /// The credits are sent when the messages count as released, and an answer to the node does not overtake them.
    fn await_credits<T: Transport>(&self, fabric: &mut Fabric<T>, node: usize) -> Result<(), Error> {
        let begun = fabric.port.transport.cycles();
        let (owner, timeout) = (self.id.node, fabric.port.timeout);
        while fabric.peek(owner, TagRegister::Released, self.id.tag.into())? as u16 != self.released {
            fabric.check_time(begun, timeout, owner, "release of messages")?;
        }
        fabric.hear_of(&[(node, owner)], timeout)
    }
}

impl Sender {
    /// The node that may send with it.
    pub fn node(&self) -> usize {
        self.remote.initiator()
    }

    /// The handle of the queue at the sender, as descriptors name it.
    pub fn handle(&self) -> u8 {
        self.remote.handle()
    }

    /// Releases the node's segment handle, for a queue that is closed or will be. A queue that stays open loses the credits: see
    /// [`Queue::retire`]. All messages of the sender should be sent and released, because later credits reach the next owner of
    /// the handle.
    ///
    /// # Errors
    /// The fabric's.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.remote.release(fabric)
    }
}

impl<'f, T: Transport> Initiator<'f, T> {
    /// Sends `bytes` of this node's memory, from `local`, as a message. Complete when it is sent, for which it waits
    /// until the sender has a credit. The host must have one: see [`Fabric::host`].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if it is too long, [`Error::OutOfMemory`], [`Error::Misaligned`], [`Error::WrongNode`],
    /// [`Error::NoCredit`] of the host.
    pub fn enqueue(self, sender: &Sender, local: u32, bytes: u32) -> Result<Operation<'f, T, ()>, Error> {
        self.check_owner("sender", sender.node())?;
        Error::check_range("message bytes", bytes.into(), 0, sender.message_bytes.into())?;
        self.fabric
            .check_local(self.node, "local", local, "message bytes", u64::from(bytes))?;
        let (node, handle) = (self.node, sender.handle());
        let Credits { granted: credits, used } = *self.fabric.nodes[node].credits(handle);
        if node == self.fabric.host_node() && used >= credits {
            return Err(Error::NoCredit { node, credits });
        }
        let enqueue = Command::Enqueue { local, bytes };
        let words = command::encode(self.fabric.config(), handle, enqueue)?;
        Ok(self.operation("enqueue", words).with_credit(handle))
    }
}
