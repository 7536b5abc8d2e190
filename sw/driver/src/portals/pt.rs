//! Portal indices.

use portico_spec::{
    ni::ErrorCode,
    portals::engine::{
        Command, Control, INDICES, PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET, PORTAL_QUEUES_OFFSET,
        PORTAL_QUEUE_OFFSET,
    },
};

use super::{state::PortalRow, EqHandle, Error, Ni, PtOptions};
use crate::{registers::PortalsRegister, Fabric, Transport};

impl Ni {
    /// `PtlPTAlloc`: a portal index, the lowest free one (`PTL_PT_ANY`) or that of `pt_index_req`. Events of its messages and
    /// entries go to `eq`.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::PtFull`], [`Error::PtInUse`], [`Error::ArgInvalid`] beyond the largest index and for
    /// [`PtOptions::FLOWCTRL`], [`Error::PtEqNeeded`] for it without an event queue, [`Error::Stale`], [`Error::WrongInterface`],
    /// [`Error::Fail`] of the fabric.
    pub fn pt_alloc<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        options: PtOptions,
        eq: Option<EqHandle>,
        pt_index_req: Option<u32>,
    ) -> Result<u32, Error> {
        let eq = self.eq_number(fabric, eq)?;
        if options.contains(PtOptions::FLOWCTRL) && eq.is_none() {
            return Err(Error::PtEqNeeded);
        }
        options.refuse(PtOptions::FLOWCTRL, "a portal index without flow control")?;
        let engine = self.engine(fabric)?;
        let mut all = 0..INDICES as u32;
        let is_free = |pt_index: u32| engine.portals[usize::from(self.interface.portal(pt_index))].is_none();
        let interface = || self.interface.of(self.tile);
        let pt_index = match pt_index_req {
            None => all.find(|&index| is_free(index)).ok_or_else(|| Error::PtFull {
                interface: interface(),
                limit: INDICES,
            })?,
            Some(pt_index) => {
                Error::check_range("pt_index_req", pt_index.into(), 0, u64::from(all.end) - 1)?;
                if !is_free(pt_index) {
                    let why = "is allocated";
                    return Err(self.pt_in_use(pt_index, why));
                }
                pt_index
            }
        };
        let portal = self.interface.portal(pt_index);
        let is_enabled = !options.contains(PtOptions::ALLOC_DISABLED);
        let value = 1 << PORTAL_ALLOCATED_OFFSET
            | u32::from(is_enabled) << PORTAL_ENABLED_OFFSET
            | u32::from(eq.unwrap_or_default()) << PORTAL_QUEUE_OFFSET
            | u32::from(eq.is_some()) << PORTAL_QUEUES_OFFSET;
        fabric.poke(self.tile, PortalsRegister::Portal, portal.into(), &[value])?;
        self.engine(fabric)?.portals[usize::from(portal)] = Some(PortalRow { eq });
        Ok(pt_index)
    }

    /// `PtlPTFree`: of an index without entries, headers of unexpected messages, and messages in progress.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    ///
    /// # Errors
    /// [`Error::PtInUse`] with entries, headers or messages in progress; [`Error::ArgInvalid`] of an index that is not allocated;
    /// [`Error::Stale`]; [`Error::Fail`] of the fabric.
    pub fn pt_free<T: Transport>(self, fabric: &mut Fabric<T>, pt_index: u32) -> Result<(), Error> {
        let portal = self.portal(fabric, pt_index)?;
        match self.command(fabric, Command::Control(Control::Free(portal)))? {
            Ok(()) => {}
            Err(ErrorCode::InUse) => {
                return Err(self.pt_in_use(pt_index, "has entries, headers, or messages in progress"))
            }
            Err(code) => return Err(self.refused("pt_free", code)),
        }
        let engine = self.engine(fabric)?;
        engine.portals[usize::from(portal)] = None;
        engine.entries.retain(|_, &mut (_, of)| of != portal);
        Ok(())
    }

    /// `PtlPTEnable`: the index takes messages.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] of an index that is not allocated, [`Error::Stale`], [`Error::Fail`] of the fabric.
    pub fn pt_enable<T: Transport>(self, fabric: &mut Fabric<T>, pt_index: u32) -> Result<(), Error> {
        let portal = self.portal(fabric, pt_index)?;
        self.command(fabric, Command::Control(Control::Enable(portal)))?
            .map_err(|code| self.refused("pt_enable", code))
    }

    /// `PtlPTDisable`: the index refuses messages. Returns when those in progress are complete.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    ///
    /// # Errors
    /// As for [`Ni::pt_enable`].
    pub fn pt_disable<T: Transport>(self, fabric: &mut Fabric<T>, pt_index: u32) -> Result<(), Error> {
        let portal = self.portal(fabric, pt_index)?;
        self.command(fabric, Command::Control(Control::Disable(portal)))?
            .map_err(|code| self.refused("pt_disable", code))
    }

    /// Removes all headers of the interface, unlinks all its entries, and frees all its indices.
    pub(super) fn free_indices<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let engine = self.engine(fabric)?;
        let is_allocated = |&index: &u32| engine.portals[usize::from(self.interface.portal(index))].is_some();
        let indices: Vec<u32> = (0..INDICES as u32).filter(is_allocated).collect();
        for pt_index in indices {
            // No message is in progress then, and none comes, so no header does.
            self.pt_disable(fabric, pt_index)?;
            self.delete_headers(fabric, pt_index)?;
            let portal = self.interface.portal(pt_index);
            let entries = self.engine(fabric)?.entries.values().filter(|&&(_, of)| of == portal);
            let handles: Vec<u32> = entries.map(|&(handle, _)| handle).collect();
            for handle in handles {
                // An entry that has left its list by itself is told as such.
                match self.command(fabric, Command::Unlink(handle))? {
                    Ok(()) | Err(ErrorCode::UnknownEntry) => {}
                    Err(code) => return Err(self.refused("close", code)),
                }
            }
            self.pt_free(fabric, pt_index)?;
        }
        Ok(())
    }

    /// An allocated index, as the engine has it.
    pub(super) fn portal<T>(self, fabric: &mut Fabric<T>, pt_index: u32) -> Result<u8, Error> {
        let engine = self.engine(fabric)?;
        let known = (0..INDICES as u32).contains(&pt_index);
        let portal = self.interface.portal(pt_index);
        match known && engine.portals[usize::from(portal)].is_some() {
            true => Ok(portal),
            false => Err(Error::invalid("pt_index", pt_index, "an index that is allocated")),
        }
    }

    fn pt_in_use(self, pt_index: u32, why: &'static str) -> Error {
        Error::PtInUse {
            interface: self.interface.of(self.tile),
            pt_index,
            why,
        }
    }
}
