//! Operations: prepared and checked, then started, and waited for.

use std::marker::PhantomData;

use portico_spec::ni::ErrorCode;

use crate::{command, event::Event, list::Steps, resources::Abandoned, Error, Fabric, Transport};

use super::shaper::check_number;

/// The result of a complete operation.
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
    /// The handle of the queue that gives its credit.
    queue: Option<u8>,
    outcome: PhantomData<V>,
}

impl<'f, T: Transport, V: Outcome> Operation<'f, T, V> {
    pub(crate) fn new(fabric: &'f mut Fabric<T>, node: usize, what: &'static str, words: Vec<u32>) -> Self {
        Operation {
            fabric,
            node,
            what,
            words,
            queue: None,
            outcome: PhantomData,
        }
    }

    pub(crate) fn with_credit(self, handle: u8) -> Self {
        Operation {
            queue: Some(handle),
            ..self
        }
    }

    /// Sends it through another packet shaper than the first: see [`Initiator::set_shaper`](super::Initiator::set_shaper).
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn shaper(mut self, shaper: u8) -> Result<Self, Error> {
        check_number(self.fabric, self.node, shaper)?;
        self.words[0] |= command::shaper(shaper);
        Ok(self)
    }

    /// Holds it at the node until the node's earlier commands have ended and no transaction of the node is open. If its event has an
    /// error by then, it is not sent, and is refused with that error. Messages that wait for a credit are not waited for, and engines
    /// ignore it.
    pub fn drained(mut self) -> Self {
        self.words[0] |= command::DRAINED;
        self
    }

    /// Starts the operation and waits until it is complete, for at most `timeout` cycles. After a time-out it continues.
    ///
    /// # Errors
    /// [`Error::Refused`] by the hardware, [`Error::Timeout`], or as for [`Operation::start`].
    pub fn wait(mut self, timeout: u64) -> Result<V, Error> {
        self.begin()?.wait(self.fabric, timeout)
    }

    /// Starts it; the ticket tells when it is complete.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if all events of the node are taken, [`Error::Timeout`] if its command queue gets no room,
    /// or the transport's.
    pub fn start(mut self) -> Result<Ticket<V>, Error> {
        self.begin()
    }

    /// Starts it and lets it count in an event of the same node, together with others: see [`Event::drain`].
    ///
    /// # Errors
    /// [`Error::WrongNode`], [`Error::Timeout`] if the command queue gets no room, or the transport's.
    pub fn count_in(mut self, event: &Event) -> Result<(), Error> {
        if event.node() != self.node {
            let (what, owner, node) = ("event", event.node(), self.node);
            return Err(Error::WrongNode { what, owner, node });
        }
        let (_, written) = self.issue(event.number())?;
        written
    }

    /// Leaves it to the node itself, behind its other operations in these steps: see [`crate::list`]. Success counts in no event, and a
    /// result is lost.
    pub fn add_to(self, steps: &mut Steps) {
        steps.add(self.node, self.words, self.queue);
    }

    fn begin(&mut self) -> Result<Ticket<V>, Error> {
        let (ticket, written) = self.post()?;
        written.map(|()| ticket)
    }

    /// Starts the operation. An inner error means that the access timed out: the descriptor is still sent.
    pub(crate) fn post(&mut self) -> Result<(Ticket<V>, Result<(), Error>), Error> {
        let event = self.fabric.take_event(self.node)?;
        let (target, written) = match self.issue(event) {
            Ok(issued) => issued,
            Err(error) => {
                self.fabric.nodes[self.node].events.give(event);
                return Err(error);
            }
        };
        let ticket = Ticket {
            node: self.node,
            what: self.what,
            event,
            target,
            keeps_event: false,
            done: None,
            abandoned: self.fabric.nodes[self.node].abandoned.clone(),
            outcome: PhantomData,
        };
        Ok((ticket, written))
    }

    fn issue(&mut self, event: u8) -> Result<(u16, Result<(), Error>), Error> {
        let issued = self.fabric.issue(self.node, event, &self.words)?;
        if let Some(handle) = self.queue {
            self.fabric.nodes[self.node].credits(handle).used += 1;
        }
        Ok(issued)
    }
}

/// An operation under way, bound to an event of its node. The ticket holds the event until it has seen the operation complete. If
/// you drop the ticket before, the operation continues, and the event becomes free once the operation has completed.
#[derive(Debug)]
#[must_use = "only its ticket tells whether an operation succeeded"]
pub struct Ticket<V> {
    node: usize,
    what: &'static str,
    event: u8,
    target: u16,
    /// The event belongs to somebody else, and stays taken.
    keeps_event: bool,
    done: Option<Result<u64, ErrorCode>>,
    abandoned: Abandoned,
    outcome: PhantomData<V>,
}

impl<V: Outcome> Ticket<V> {
    /// Whether the operation is complete, and its result.
    ///
    /// # Errors
    /// [`Error::Refused`] by the hardware, or the fabric's.
    pub fn poll<T: Transport>(&mut self, fabric: &mut Fabric<T>) -> Result<Option<V>, Error> {
        let (node, what) = (self.node, self.what);
        match self.outcome(fabric)? {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(V::from_value(value))),
            Some(Err(code)) => Err(Error::Refused { node, what, code }),
        }
    }

    /// Its node and event, if it was not seen complete.
    pub(crate) fn open_event(&self) -> Option<(usize, u8)> {
        self.done.is_none().then_some((self.node, self.event))
    }

    /// Whether it is complete, and then the value of its event, or why the hardware refused it.
    pub(crate) fn outcome<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
    ) -> Result<Option<Result<u64, ErrorCode>>, Error> {
        if self.done.is_none() {
            self.done = match self.keeps_event {
                false => fabric.finish(self.node, self.event, self.target)?,
                true => fabric.finish_kept(self.node, self.event, self.target)?,
            };
        }
        Ok(self.done)
    }

    /// Ends it if its event lacks only the last count, which will not come.
    pub(crate) fn end_early<T: Transport>(
        &mut self,
        fabric: &mut Fabric<T>,
        code: ErrorCode,
    ) -> Result<Option<Result<u64, ErrorCode>>, Error> {
        let outcome = self.outcome(fabric)?;
        let count = fabric.read_event(self.node, self.event)?.count;
        if outcome.is_none() && command::reached(count, self.target.wrapping_sub(1)) {
            fabric.forget_counts(self.node, self.event);
            self.done = Some(Err(code));
        }
        Ok(self.done)
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

impl<V> Drop for Ticket<V> {
    fn drop(&mut self) {
        if self.done.is_none() && !self.keeps_event {
            self.abandoned.push(self.event, self.target);
        }
    }
}

impl<T: Transport> Fabric<T> {
    /// Whether an operation is complete. If so, returns its result and releases its event.
    fn finish(&mut self, node: usize, event: u8, target: u16) -> Result<Option<Result<u64, ErrorCode>>, Error> {
        let registers = self.read_event(node, event)?;
        if !command::reached(registers.count, target) {
            return Ok(None);
        }
        if registers.error.is_some() {
            self.clear_error(node, event)?;
            // It may count once more.
            self.nodes[node].issued[usize::from(event)] = None;
        }
        self.nodes[node].events.give(event);
        Ok(Some(registers.error.map_or(Ok(registers.value), Err)))
    }

    /// The same of an operation that keeps its event. An error ends it, even if the event should have counted more often.
    fn finish_kept(&mut self, node: usize, event: u8, target: u16) -> Result<Option<Result<u64, ErrorCode>>, Error> {
        let registers = self.read_event(node, event)?;
        let has_counted = command::reached(registers.count, target);
        let Some(code) = registers.error else {
            return Ok(has_counted.then_some(Ok(registers.value)));
        };
        self.clear_error(node, event)?;
        if !has_counted {
            self.forget_counts(node, event);
        }
        Ok(Some(Err(code)))
    }

    /// Expects no more counts of an event, and reads its counter before its next use.
    pub(crate) fn forget_counts(&mut self, node: usize, event: u8) {
        self.nodes[node].issued[usize::from(event)] = None;
        self.nodes[node].commands.retire(event);
    }

    /// Starts an operation in an event that stays taken, and that counts so often until the operation is complete. An inner error is
    /// that of [`Fabric::issue`].
    pub(crate) fn post_kept(
        &mut self,
        node: usize,
        what: &'static str,
        event: u8,
        counts: u16,
        words: &[u32],
    ) -> Result<(Ticket<()>, Result<(), Error>), Error> {
        let (first, written) = self.issue(node, event, words)?;
        let target = first.wrapping_add(counts - 1);
        self.nodes[node].issued[usize::from(event)] = Some(target);
        let ticket = Ticket {
            node,
            what,
            event,
            target,
            keeps_event: true,
            done: None,
            abandoned: self.nodes[node].abandoned.clone(),
            outcome: PhantomData,
        };
        Ok((ticket, written))
    }

    /// Takes an event; if none is free, one of an abandoned operation that has completed.
    pub(crate) fn take_event(&mut self, node: usize) -> Result<u8, Error> {
        let abandoned = self.nodes[node].abandoned.clone();
        let mut result = Ok(());
        if self.nodes[node].events.is_empty() {
            for (event, target) in abandoned.take() {
                // Once an event is free, or the fabric does not answer, the other events stay abandoned.
                let asks = result.is_ok() && self.nodes[node].events.is_empty();
                let finished = if asks {
                    self.finish(node, event, target)
                } else {
                    Ok(None)
                };
                if !matches!(finished, Ok(Some(_))) {
                    abandoned.push(event, target);
                }
                result = result.and(finished.map(|_| ()));
            }
        }
        result?;
        self.nodes[node].events.take(node)
    }
}
