//! Commands of the host to an engine, and waits for its events.

use portico_spec::{
    ni::{descriptor::Command as Descriptor, ErrorCode},
    portals::engine::Command,
};

use super::{Error, Ni};
use crate::{command, Error as DriverError, Fabric, Transport};

impl Ni {
    /// Sends an entry or control command and waits until it has ended. An inner error is the engine's.
    pub(super) fn command<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        command: Command,
    ) -> Result<Result<(), ErrorCode>, Error> {
        let (tile, event) = (self.tile, self.taken(fabric)?.commands.number());
        let words = command::encode(fabric.config(), 0, Descriptor::Portals(command))?;
        let (target, written) = fabric.issue(tile, event, &words)?;
        written?;
        let registers = fabric.completed(tile, event, target, fabric.port.timeout)?;
        let Some(code) = registers.error else {
            return Ok(Ok(()));
        };
        fabric.clear_error(tile, event)?;
        Ok(Err(code))
    }

    /// Sends a put or get, as soon as the command queue is sure to have room.
    pub(super) fn send<T: Transport>(self, fabric: &mut Fabric<T>, command: Command) -> Result<(), Error> {
        let event = self.taken(fabric)?.moves.number();
        let words = command::encode(fabric.config(), 0, Descriptor::Portals(command))?;
        let (_, written) = fabric.issue(self.tile, event, &words)?;
        Ok(written?)
    }

    /// Waits until all puts and gets so far are sent: until then they use their memory descriptors.
    pub(super) fn finish_moves<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let event = self.taken(fabric)?.moves.number();
        Ok(fabric.drain_event(self.tile, event, "puts and gets", fabric.port.timeout)?)
    }

    /// Looks, and looks again after each change of a counter or event queue of the tile, until something is found. Nothing if the time is
    /// out.
    pub(super) fn wait_for<T: Transport, R>(
        self,
        fabric: &mut Fabric<T>,
        timeout: u64,
        mut look: impl FnMut(&mut Fabric<T>) -> Result<Option<R>, Error>,
    ) -> Result<Option<R>, Error> {
        if let Some(found) = look(fabric)? {
            return Ok(Some(found));
        }
        let (tile, event) = (self.tile, self.taken(fabric)?.changes.number());
        let begun = fabric.port.transport.cycles();
        let is_over = |fabric: &Fabric<T>| fabric.port.transport.cycles() - begun >= timeout;
        loop {
            // A change behind this count ends the wait below.
            let before = fabric.read_event(tile, event)?.count;
            if let Some(found) = look(fabric)? {
                return Ok(Some(found));
            }
            while !is_over(fabric) && fabric.read_event(tile, event)?.count == before {}
            if is_over(fabric) {
                return look(fabric);
            }
        }
    }

    /// The engine refused what the driver had checked.
    pub(super) fn refused(self, what: &'static str, code: ErrorCode) -> Error {
        let node = self.tile;
        DriverError::Refused { node, what, code }.into()
    }
}
