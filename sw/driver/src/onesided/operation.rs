//! Operations: prepared and checked, then started, and waited for.

use std::marker::PhantomData;

use portico_spec::ni::{command::SHAPERS, ErrorCode};

use crate::{command, event::Event, Error, Fabric, Transport};

/// What an operation gives when it is complete.
pub trait Outcome: Sized {
    /// From the value of its event.
    fn from_value(value: u64) -> Self;
}

impl Outcome for () {
    fn from_value(_: u64) {}
}

impl Outcome for u32 {
    fn from_value(value: u64) -> u32 {
        value as u32
    }
}

impl Outcome for u64 {
    fn from_value(value: u64) -> u64 {
        value
    }
}

/// An operation that is checked and not yet started.
#[derive(Debug)]
#[must_use = "an operation does nothing until it is started or waited for"]
pub struct Operation<'f, T, V> {
    fabric: &'f mut Fabric<T>,
    node: usize,
    what: &'static str,
    words: Vec<u32>,
    outcome: PhantomData<V>,
}

impl<'f, T: Transport, V: Outcome> Operation<'f, T, V> {
    pub(crate) fn new(fabric: &'f mut Fabric<T>, node: usize, what: &'static str, words: Vec<u32>) -> Self {
        Operation {
            fabric,
            node,
            what,
            words,
            outcome: PhantomData,
        }
    }

    /// Sends it through another packet shaper than the first.
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn shaper(mut self, shaper: u8) -> Result<Self, Error> {
        let max = SHAPERS as u64 - 1;
        if u64::from(shaper) > max {
            let (field, value) = ("shaper", u64::from(shaper));
            return Err(Error::OutOfRange {
                field,
                value,
                min: 0,
                max,
            });
        }
        self.words[0] |= command::shaper(shaper);
        Ok(self)
    }

    /// Starts it and waits until it is complete, at most so many cycles.
    ///
    /// # Errors
    /// [`Error::Refused`] by the hardware, [`Error::Timeout`], or as for [`Operation::start`].
    pub fn wait(self, timeout: u64) -> Result<V, Error> {
        let Operation {
            fabric,
            node,
            what,
            words,
            ..
        } = self;
        start(fabric, node, what, &words)?.wait(fabric, timeout)
    }

    /// Starts it; the ticket tells when it is complete.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if all events of the node are taken, [`Error::Timeout`] if its command queue gets no room,
    /// or the transport's.
    pub fn start(self) -> Result<Ticket<V>, Error> {
        start(self.fabric, self.node, self.what, &self.words)
    }

    /// Starts it and lets it count in an event of the same node, together with others: see [`Event::drain`].
    ///
    /// # Errors
    /// [`Error::WrongNode`], [`Error::Timeout`] if the command queue gets no room, or the transport's.
    pub fn count_in(self, event: &Event) -> Result<(), Error> {
        if event.node() != self.node {
            let (what, owner, node) = ("event", event.node(), self.node);
            return Err(Error::WrongNode { what, owner, node });
        }
        self.fabric.issue(self.node, event.number(), &self.words)?;
        Ok(())
    }
}

fn start<T: Transport, V>(
    fabric: &mut Fabric<T>,
    node: usize,
    what: &'static str,
    words: &[u32],
) -> Result<Ticket<V>, Error> {
    let event = fabric.nodes[node].events.take(node)?;
    match fabric.issue(node, event, words) {
        Ok(target) => Ok(Ticket {
            node,
            what,
            event,
            target,
            done: None,
            outcome: PhantomData,
        }),
        Err(error) => {
            fabric.nodes[node].events.give(event);
            Err(error)
        }
    }
}

/// An operation under way, bound to an event of its node. The event is taken until the ticket has seen the operation
/// complete: a ticket that is dropped before keeps it for ever, for the operation may still complete.
#[derive(Debug)]
#[must_use = "only its ticket tells whether an operation succeeded"]
pub struct Ticket<V> {
    node: usize,
    what: &'static str,
    event: u8,
    target: u16,
    done: Option<Result<u64, ErrorCode>>,
    outcome: PhantomData<V>,
}

impl<V: Outcome> Ticket<V> {
    /// Whether it is complete, and what it gave.
    ///
    /// # Errors
    /// [`Error::Refused`] by the hardware, or the fabric's.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<Option<V>, Error> {
        let done = match self.done {
            Some(done) => done,
            None => {
                let registers = fabric.read_event(self.node, self.event)?;
                if !command::reached(registers.count, self.target) {
                    return Ok(None);
                }
                if registers.error().is_some() {
                    fabric.clear_error(self.node, self.event)?;
                    // It may count once more.
                    fabric.nodes[self.node].issued[usize::from(self.event)] = None;
                }
                fabric.nodes[self.node].events.give(self.event);
                *self.done.insert(registers.error().map_or(Ok(registers.value), Err))
            }
        };
        let (node, what) = (self.node, self.what);
        match done {
            Ok(value) => Ok(Some(V::from_value(value))),
            Err(code) => Err(Error::Refused { node, what, code }),
        }
    }

    /// Waits until it is complete. After a time-out it may be waited for again.
    ///
    /// # Errors
    /// [`Error::Timeout`] after so many cycles, or as for [`Ticket::poll`].
    pub fn wait<T: Transport>(&mut self, fabric: &mut Fabric<T>, timeout: u64) -> Result<V, Error> {
        let begun = fabric.port.transport.cycles();
        loop {
            if let Some(value) = self.poll(fabric)? {
                return Ok(value);
            }
            fabric.check_time(begun, timeout, self.node, self.what)?;
        }
    }
}
