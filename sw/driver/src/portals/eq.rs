//! Event queues.

use portico_spec::portals::engine::{self, EVENT_BYTES, EVENT_PRESENT_OFFSET, EVENT_WORDS, QUEUE_SIZES};

use super::{handle::Key, state::EqRow, EqHandle, Error, Event, Ni};
use crate::{registers::PortalsRegister, Error as DriverError, Fabric, Transport};

impl Ni {
    /// `PtlEQAlloc`: a queue of at least so many events; the hardware has powers of two from 2 to 4,096. Its ring, 40 bytes an event, is
    /// memory of the tile.
    ///
    /// Accesses: 2, and 1 for each 2 to 8 KiB of the ring, as the host has memory for.
    ///
    /// # Errors
    /// [`Error::NoSpace`], [`Error::ArgInvalid`] of a count out of 1 to 4,096, [`Error::Stale`], [`Error::Fail`] if the tile has no
    /// memory left, or of the fabric.
    pub fn eq_alloc<T: Transport>(self, fabric: &mut Fabric<T>, count: u64) -> Result<EqHandle, Error> {
        Error::check_range("count", count, 1, 1 << QUEUE_SIZES.1)?;
        let number = self.engine(fabric)?.eqs.free(self.tile)?;
        let size = (count as u32).next_power_of_two().max(1 << QUEUE_SIZES.0);
        let bytes = size * EVENT_BYTES as u32;
        let event = u32::from(self.taken(fabric)?.changes.number()) | 1 << EVENT_PRESENT_OFFSET;
        let region = fabric.allocate(self.tile, bytes)?;
        // The phase of the first lap is 1.
        fabric.write(self.tile, region.base, &vec![0; bytes as usize / 4])?;
        fabric.poke(self.tile, PortalsRegister::EqEvent, number.into(), &[event])?;
        let registers = [
            (PortalsRegister::EqBase, region.base),
            (PortalsRegister::EqSize, size.ilog2()),
        ];
        fabric.poke_item(self.tile, number.into(), registers)?;
        let row = EqRow {
            region,
            size: size as u16,
            taken: 0,
        };
        let key = self.engine(fabric)?.eqs.take(self.tile, self.interface, number, row);
        Ok(EqHandle(key))
    }

    /// `PtlEQFree`: events that are still to come are lost in silence.
    ///
    /// Accesses: 2.
    ///
    /// # Errors
    /// [`Error::InUse`] by a memory descriptor or portal index, [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the
    /// fabric.
    pub fn eq_free<T: Transport>(self, fabric: &mut Fabric<T>, eq: EqHandle) -> Result<(), Error> {
        let number = self.eq_number(fabric, Some(eq))?;
        let engine = self.engine(fabric)?;
        let mut portals = engine.portals.iter().flatten();
        let user = match engine.mds.any(|md| md.eq == number) {
            true => Some("a memory descriptor"),
            false => portals.any(|portal| portal.eq == number).then_some("a portal index"),
        };
        let (what, tile) = ("event queue", self.tile);
        match user {
            Some(user) => Err(Error::InUse { what, tile, user }),
            None => self.free_eq(fabric, eq.0),
        }
    }

    pub(super) fn free_eq<T: Transport>(self, fabric: &mut Fabric<T>, key: Key) -> Result<(), Error> {
        // Without a size there is no ring.
        fabric.poke(self.tile, PortalsRegister::EqSize, key.number.into(), &[0])?;
        fabric.poke(self.tile, PortalsRegister::EqEvent, key.number.into(), &[0])?;
        let engine = self.engine(fabric)?;
        let region = engine.eqs.row(key)?.region;
        engine.eqs.give(key);
        Ok(fabric.free(region)?)
    }

    /// `PtlEQGet`: takes the oldest event.
    ///
    /// Accesses: 2; 1 if there is none.
    ///
    /// # Errors
    /// [`Error::EqEmpty`]; [`Error::EqDropped`] with the event, which is taken; [`Error::Damaged`], and the event is not taken;
    /// [`Error::Stale`]; [`Error::WrongInterface`]; [`Error::Fail`] of the fabric.
    pub fn eq_get<T: Transport>(self, fabric: &mut Fabric<T>, eq: EqHandle) -> Result<Event, Error> {
        self.next_event(fabric, eq)?.ok_or(Error::EqEmpty)
    }

    /// `PtlEQWait`: takes the oldest event, and waits for it at most so many cycles.
    ///
    /// Accesses: 2 if there is one. Else 3, and 1 to take the event; 1 for each look at the event of the tile that counts with its
    /// counters and queues; and 2 after each such count.
    ///
    /// # Errors
    /// As for [`eq_get`](Ni::eq_get), with [`Error::Fail`] of the time in place of [`Error::EqEmpty`].
    pub fn eq_wait<T: Transport>(self, fabric: &mut Fabric<T>, eq: EqHandle, timeout: u64) -> Result<Event, Error> {
        match self.eq_poll(fabric, &[eq], timeout) {
            Ok((event, _)) => Ok(event),
            Err(Error::EqEmpty) => {
                let (node, what, cycles) = (self.tile, "event of an event queue", timeout);
                Err(DriverError::Timeout { node, what, cycles }.into())
            }
            Err(error) => Err(error),
        }
    }

    /// `PtlEQPoll`: as [`eq_wait`](Ni::eq_wait) of several queues of the interface. Gives an event, and the place of its queue.
    ///
    /// Accesses: as of [`eq_wait`](Ni::eq_wait), with a look at every queue in front of the first that has an event.
    ///
    /// # Errors
    /// As for [`eq_get`](Ni::eq_get); [`Error::EqEmpty`] after so many cycles.
    pub fn eq_poll<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        eqs: &[EqHandle],
        timeout: u64,
    ) -> Result<(Event, usize), Error> {
        for &eq in eqs {
            self.eq_number(fabric, Some(eq))?;
        }
        let found = self.wait_for(fabric, timeout, |fabric| {
            for (place, &eq) in eqs.iter().enumerate() {
                if let Some(event) = self.next_event(fabric, eq)? {
                    return Ok(Some((event, place)));
                }
            }
            Ok(None)
        })?;
        found.ok_or(Error::EqEmpty)
    }

    /// The oldest event, which is then taken.
    fn next_event<T: Transport>(self, fabric: &mut Fabric<T>, eq: EqHandle) -> Result<Option<Event>, Error> {
        let (tile, number) = (self.tile, eq.number());
        self.eq_number(fabric, Some(eq))?;
        let EqRow { region, size, taken } = *self.engine(fabric)?.eqs.row(eq.0)?;
        let address = region.base + u32::from(taken % size) * EVENT_BYTES as u32;
        // The engine writes word 0 last, and it is read first: with its phase, the others are there.
        let read = fabric.read(tile, address, EVENT_WORDS)?;
        let phase = (taken / size).is_multiple_of(2);
        if engine::Event::phase(read[0]) != phase {
            return Ok(None);
        }
        let mut words = [0; EVENT_WORDS];
        words.copy_from_slice(&read);
        let word = words[0];
        let event = engine::Event::decode(&words).ok_or(Error::Damaged { tile, address, word })?;
        let taken = taken.wrapping_add(1);
        fabric.poke(tile, PortalsRegister::EqTaken, number, &[taken.into()])?;
        self.engine(fabric)?.eqs.row(eq.0)?.taken = taken;
        let is_dropped = event.dropped;
        let event = Event::new(&event);
        match is_dropped {
            true => Err(Error::EqDropped(Box::new(event))),
            false => Ok(Some(event)),
        }
    }

    /// The number of a handle of this interface that is not stale.
    pub(super) fn eq_number<T>(self, fabric: &mut Fabric<T>, eq: Option<EqHandle>) -> Result<Option<u8>, Error> {
        let Some(EqHandle(key)) = eq else {
            return Ok(None);
        };
        self.check_owner("event queue", key)?;
        self.engine(fabric)?.eqs.row(key)?;
        Ok(Some(key.number))
    }
}
