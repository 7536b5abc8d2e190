//! Counters.

use portico_spec::portals::engine::{Command, Control, EVENT_PRESENT_OFFSET};

use super::{handle::Key, ni::check_count, state::CtRow, CtHandle, Error, Ni};
use crate::{registers::PortalsRegister, Error as DriverError, Fabric, Transport};

/// Counts of a counter: `ptl_ct_event_t`. Each wraps at 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CtEvent {
    /// Successes, or bytes.
    pub success: u64,
    /// Failures.
    pub failure: u64,
}

impl Ni {
    /// `PtlCTAlloc`: a counter, whose counts are 0.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::NoSpace`], [`Error::Stale`], [`Error::Fail`] of the fabric.
    pub fn ct_alloc<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<CtHandle, Error> {
        let number = self.engine(fabric)?.cts.free(self.tile)?;
        let event = u32::from(self.taken(fabric)?.changes.number()) | 1 << EVENT_PRESENT_OFFSET;
        self.write_counter(fabric, number, event)?;
        let key = self.engine(fabric)?.cts.take(self.tile, self.interface, number, CtRow);
        Ok(CtHandle(key))
    }

    /// `PtlCTFree`. Entries that count in it should be unlinked.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::InUse`] by a memory descriptor, [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the fabric.
    pub fn ct_free<T: Transport>(self, fabric: &mut Fabric<T>, ct: CtHandle) -> Result<(), Error> {
        let number = self.ct_number(fabric, Some(ct))?;
        let (what, tile, user) = ("counter", self.tile, "a memory descriptor");
        if self.engine(fabric)?.mds.any(|md| md.ct == number) {
            return Err(Error::InUse { what, tile, user });
        }
        self.free_ct(fabric, ct.0)
    }

    pub(super) fn free_ct<T: Transport>(self, fabric: &mut Fabric<T>, key: Key) -> Result<(), Error> {
        self.write_counter(fabric, key.number, 0)?;
        self.engine(fabric)?.cts.give(key);
        Ok(())
    }

    /// `PtlCTGet`.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the fabric.
    pub fn ct_get<T: Transport>(self, fabric: &mut Fabric<T>, ct: CtHandle) -> Result<CtEvent, Error> {
        self.ct_number(fabric, Some(ct))?;
        let counts = fabric.read_registers(self.tile, PortalsRegister::CtSuccess, ct.number(), 2)?;
        Ok(CtEvent {
            success: counts[0].into(),
            failure: counts[1].into(),
        })
    }

    /// `PtlCTWait`: until the successes have reached `test`, or there is a failure; at most so many cycles.
    ///
    /// Accesses: 1 if that is so at once. Else 3; 1 for each look at the event of the tile that counts with its counters and queues; and
    /// 2 after each such count.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] of a test beyond 32 bits, [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the time or of
    /// the fabric.
    pub fn ct_wait<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        ct: CtHandle,
        test: u64,
        timeout: u64,
    ) -> Result<CtEvent, Error> {
        match self.ct_poll(fabric, &[(ct, test)], timeout) {
            Ok((counts, _)) => Ok(counts),
            Err(Error::CtNoneReached { timeout: cycles }) => {
                let (node, what) = (self.tile, "count of a counter");
                Err(DriverError::Timeout { node, what, cycles }.into())
            }
            Err(error) => Err(error),
        }
    }

    /// `PtlCTPoll`: as [`ct_wait`](Ni::ct_wait) of several counters of the interface, each with its test. Gives the counts of
    /// the first that has reached it or has a failure, and its place.
    ///
    /// Accesses: as of [`ct_wait`](Ni::ct_wait), with a read of every counter for each read of one.
    ///
    /// # Errors
    /// [`Error::CtNoneReached`] after so many cycles; else as for [`ct_wait`](Ni::ct_wait).
    pub fn ct_poll<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        cts: &[(CtHandle, u64)],
        timeout: u64,
    ) -> Result<(CtEvent, usize), Error> {
        for &(ct, test) in cts {
            self.ct_number(fabric, Some(ct))?;
            check_count("test", test)?;
        }
        let found = self.wait_for(fabric, timeout, |fabric| {
            for (place, &(ct, test)) in cts.iter().enumerate() {
                let counts = self.ct_get(fabric, ct)?;
                if counts.success >= test || counts.failure > 0 {
                    return Ok(Some((counts, place)));
                }
            }
            Ok(None)
        })?;
        found.ok_or(Error::CtNoneReached { timeout })
    }

    /// `PtlCTSet`: both counts, in one step.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] beyond 32 bits, [`Error::Stale`], [`Error::WrongInterface`], [`Error::Fail`] of the fabric.
    pub fn ct_set<T: Transport>(self, fabric: &mut Fabric<T>, ct: CtHandle, counts: CtEvent) -> Result<(), Error> {
        self.ct_number(fabric, Some(ct))?;
        let set = Control::Set {
            counter: ct.0.number,
            success: check_count("success", counts.success)?,
            failure: check_count("failure", counts.failure)?,
        };
        self.command(fabric, Command::Control(set))?
            .map_err(|code| self.refused("ct_set", code))
    }

    /// `PtlCTInc`: one of both counts.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    ///
    /// # Errors
    /// As for [`ct_set`](Ni::ct_set), and [`Error::ArgInvalid`] of an increment of both.
    pub fn ct_inc<T: Transport>(self, fabric: &mut Fabric<T>, ct: CtHandle, increment: CtEvent) -> Result<(), Error> {
        self.ct_number(fabric, Some(ct))?;
        if increment.success > 0 && increment.failure > 0 {
            return Err(Error::invalid(
                "failure",
                increment.failure,
                "0, as successes are incremented",
            ));
        }
        let increment = Control::Increment {
            counter: ct.0.number,
            success: check_count("success", increment.success)?,
            failure: check_count("failure", increment.failure)?,
        };
        self.command(fabric, Command::Control(increment))?
            .map_err(|code| self.refused("ct_inc", code))
    }

    /// The number of a handle of this interface that is not stale.
    pub(super) fn ct_number<T>(self, fabric: &mut Fabric<T>, ct: Option<CtHandle>) -> Result<Option<u8>, Error> {
        let Some(CtHandle(key)) = ct else {
            return Ok(None);
        };
        self.check_owner("counter", key)?;
        self.engine(fabric)?.cts.row(key)?;
        Ok(Some(key.number))
    }

    /// Clears a counter, and names its event.
    fn write_counter<T: Transport>(self, fabric: &mut Fabric<T>, number: u8, event: u32) -> Result<(), Error> {
        let registers = [
            (PortalsRegister::CtSuccess, 0),
            (PortalsRegister::CtFailure, 0),
            (PortalsRegister::CtEvent, event),
        ];
        Ok(fabric.poke_item(self.tile, number.into(), registers)?)
    }
}
