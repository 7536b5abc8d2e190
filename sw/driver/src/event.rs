//! Events: counters of a node with a threshold, for completions, arrivals and notifications.

pub use portico_spec::ni::event::Compare;
use portico_spec::ni::{event::Control, ErrorCode};

use crate::{
    command::{self, EventRegisters},
    registers::EventRegister,
    Error, Fabric, Transport,
};

/// An event of a node, taken with [`Fabric::event`].
///
/// ```
/// use portico::{event::Compare, onesided::{Geometry, Window}, Config, Fabric, GoldenTransport};
///
/// let config = Config { edge_nodes: 1, ..Config::default() };
/// let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
/// let arrivals = fabric.event(2)?;
/// arrivals.configure(&mut fabric, 2, Compare::AtLeast, false)?;
/// let segment = fabric.publish(2, Window::new(0, 64).notifying(&arrivals))?;
///
/// let remote = fabric.tile(7)?.clone_segment(segment.id())?;
/// let sent = fabric.event(7)?;
/// for offset in [0, 32] {
///     fabric.tile(7)?.put(&remote, offset, 0, Geometry::linear(32))?.count_in(&sent)?;
/// }
/// sent.drain(&mut fabric, 1000)?;
/// assert_eq!(arrivals.wait(&mut fabric, 1000)?.count, 2);
/// # Ok::<(), portico::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an event is taken until it is released"]
pub struct Event {
    node: usize,
    number: u8,
}

/// State of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventState {
    /// Its counter, modulo 65,536.
    pub count: u16,
    /// The first error since the state was cleared.
    pub error: Option<ErrorCode>,
    /// Whether its condition holds.
    pub fired: bool,
    /// The result of the last atomic.
    pub value: u64,
}

impl Event {
    /// The node of the event.
    pub fn node(&self) -> usize {
        self.node
    }

    /// Its number at the node, as descriptors and programs use it.
    pub fn number(&self) -> u8 {
        self.number
    }

    /// Sets the condition on which the event fires, and whether it then interrupts. After reset it never fires.
    ///
    /// # Errors
    /// The fabric's.
    pub fn configure<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        threshold: u16,
        compare: Compare,
        interrupt: bool,
    ) -> Result<(), Error> {
        let control = Control {
            threshold,
            compare,
            interrupt,
        };
        fabric.poke(
            self.node,
            EventRegister::Control,
            self.number.into(),
            &[control.encode()],
        )
    }

    /// Sets the counter and clears the error. No operation should be under way that counts in it.
    ///
    /// # Errors
    /// The fabric's.
    pub fn reset<T: Transport>(&self, fabric: &mut Fabric<T>, count: u16) -> Result<(), Error> {
        let written = fabric.poke_once(self.node, EventRegister::Count, self.number.into(), &[count.into()])?;
        fabric.nodes[self.node].issued[usize::from(self.number)] = Some(count);
        written?;
        fabric.clear_error(self.node, self.number)
    }

    /// Reads the state of the event.
    ///
    /// # Errors
    /// The fabric's.
    pub fn state<T: Transport>(&self, fabric: &mut Fabric<T>) -> Result<EventState, Error> {
        let EventRegisters {
            count,
            error,
            fired,
            value,
        } = fabric.read_event(self.node, self.number)?;
        Ok(EventState {
            count,
            error,
            fired,
            value,
        })
    }

    /// Waits until the event has fired, for at most `timeout` cycles. An error of the event is in the returned state; it is not
    /// an error of this call.
    ///
    /// # Errors
    /// [`Error::Timeout`], or the fabric's.
    pub fn wait<T: Transport>(&self, fabric: &mut Fabric<T>, timeout: u64) -> Result<EventState, Error> {
        let begun = fabric.port.transport.cycles();
        loop {
            let state = self.state(fabric)?;
            if state.fired {
                return Ok(state);
            }
            fabric.check_time(begun, timeout, self.node, "event")?;
        }
    }

    /// Waits until all operations that count in it are complete: see [`Operation::count_in`]. Nothing else may count
    /// in the same event.
    ///
    /// # Errors
    /// [`Error::Refused`] with the first error if some operation was refused, and the error is cleared;
    /// [`Error::Timeout`]; or the fabric's.
    ///
    /// [`Operation::count_in`]: crate::onesided::Operation::count_in
    pub fn drain<T: Transport>(&self, fabric: &mut Fabric<T>, timeout: u64) -> Result<(), Error> {
        fabric.drain_event(self.node, self.number, "operations on an event", timeout)
    }

    /// Switches the event off and releases it.
    ///
    /// # Errors
    /// The fabric's.
    pub fn release<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        self.configure(fabric, 0, Compare::Never, false)?;
        self.reset(fabric, 0)?;
        fabric.nodes[self.node].events.give(self.number);
        Ok(())
    }
}

impl<T: Transport> Fabric<T> {
    /// Takes an event of a node; its counter is 0 and it never fires.
    ///
    /// # Errors
    /// [`Error::Exhausted`], [`Error::NoSuchNode`], or the fabric's.
    pub fn event(&mut self, node: usize) -> Result<Event, Error> {
        self.check_node(node)?;
        let number = self.take_event(node)?;
        let event = Event { node, number };
        event.configure(self, 0, Compare::Never, false)?;
        event.reset(self, 0)?;
        Ok(event)
    }

    /// Waits until all commands that count in an event are complete: see [`Event::drain`]. `what` names them in errors.
    pub(crate) fn drain_event(
        &mut self,
        node: usize,
        event: u8,
        what: &'static str,
        timeout: u64,
    ) -> Result<(), Error> {
        let begun = self.port.transport.cycles();
        loop {
            let state = self.read_event(node, event)?;
            // Without an operation so far, there is nothing to wait for.
            let issued = self.nodes[node].issued[usize::from(event)].unwrap_or(state.count);
            if command::reached(state.count, issued) {
                let Some(code) = state.error else {
                    return Ok(());
                };
                self.clear_error(node, event)?;
                self.nodes[node].issued[usize::from(event)] = None;
                return Err(Error::Refused { node, what, code });
            }
            self.check_time(begun, timeout, node, what)?;
        }
    }
}
