//! Interfaces: open, close, identity and status.

use portico_spec::portals::engine::{item, USER_WIDTH};

use super::{
    handle::Key,
    state::{Engine, Taken},
    Error, Interface, Process,
};
use crate::{registers::PortalsRegister, resources::Feature, Error as DriverError, Fabric, Transport};

/// The Portals engine.
const PORTALS: Feature = Feature {
    what: "a Portals engine",
    is_built: |build| build.portals > 0,
    tile_key: Some("portals"),
    host_key: None,
};

/// Largest user id: the one above stands for any.
pub(super) const MAX_USER: u64 = (1 << USER_WIDTH) - 2;

/// Checks that the node is a tile with a Portals engine.
pub(super) fn check_built<T: Transport>(fabric: &Fabric<T>, tile: usize) -> Result<(), DriverError> {
    fabric.check_node(tile)?;
    fabric.nodes[tile].check_built(tile, &PORTALS)
}

/// An interface of a tile, driven by the host. All functions of Portals on handles of this interface are its methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ni {
    pub(super) tile: usize,
    pub(super) interface: Interface,
    generation: u32,
}

/// Status registers of an interface, for [`Ni::ni_status`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatusRegister {
    /// `PTL_SR_DROP_COUNT`: messages that matched nothing, whose header had no place, or that met an index that is disabled or not
    /// allocated.
    DropCount,
    /// `PTL_SR_PERMISSION_VIOLATIONS`: messages whose entry is for another user.
    PermissionViolations,
    /// `PTL_SR_OPERATION_VIOLATIONS`: messages whose entry does not allow the operation.
    OperationViolations,
}

impl Ni {
    /// `PtlNIInit`: an interface of a tile that has a rank. An interface that is open is the same one again, and is to be closed as
    /// often.
    ///
    /// Accesses: 9 for the first interface of the tile, to set up three events; else none.
    ///
    /// # Errors
    /// [`Error::NoInit`] without a rank; [`Error::Fail`] if the node has no Portals engine, if no event or memory is left at the
    /// tile, or of the fabric.
    pub fn open<T: Transport>(fabric: &mut Fabric<T>, tile: usize, interface: Interface) -> Result<Ni, Error> {
        check_built(fabric, tile)?;
        if !fabric.portals.map.contains(&tile.into()) {
            return Err(Error::NoInit { tile });
        }
        let engines = &mut fabric.portals.engines;
        if engines.entry(tile).or_insert_with(Engine::new).taken.is_none() {
            let taken = Taken::new(fabric, tile)?;
            fabric
                .portals
                .engines
                .entry(tile)
                .and_modify(|engine| engine.taken = Some(taken));
        }
        let engine = fabric.portals.engines.entry(tile).or_insert_with(Engine::new);
        let opened = &mut engine.interfaces[interface as usize];
        if opened.count == 0 {
            opened.generation += 1;
        }
        opened.count += 1;
        Ok(Ni {
            tile,
            interface,
            generation: opened.generation,
        })
    }

    /// `PtlNIFini`. The last one of an interface removes the headers of its portal indices, unlinks its entries and frees its portal
    /// indices, releases its memory descriptors and frees its counters and event queues; their handles are then stale.
    ///
    /// Accesses: those of [`pt_disable`](Ni::pt_disable), [`me_search`](Ni::me_search) and [`pt_free`](Ni::pt_free) for each portal index, of
    /// [`me_unlink`](Ni::me_unlink) for each entry, of the release of each handle, and 9 for the last interface of the tile.
    ///
    /// # Errors
    /// [`Error::Stale`] if it is closed; [`Error::Fail`] of the fabric, or if messages in progress do not end in time.
    pub fn close<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<(), Error> {
        let (tile, interface) = (self.tile, self.interface);
        let engine = self.engine(fabric)?;
        if engine.interfaces[interface as usize].count == 1 {
            self.free_indices(fabric)?;
            let engine = self.engine(fabric)?;
            let mds = engine.mds.keys(tile, interface);
            let cts = engine.cts.keys(tile, interface);
            let eqs = engine.eqs.keys(tile, interface);
            for key in mds {
                self.release_md(fabric, key)?;
            }
            for key in cts {
                self.free_ct(fabric, key)?;
            }
            for key in eqs {
                self.free_eq(fabric, key)?;
            }
        }
        let engine = self.engine(fabric)?;
        engine.interfaces[interface as usize].count -= 1;
        if engine.interfaces.iter().any(|opened| opened.count > 0) {
            return Ok(());
        }
        match engine.taken.take() {
            Some(taken) => Ok(taken.release(fabric)?),
            None => Ok(()),
        }
    }

    /// The tile.
    pub fn tile(self) -> usize {
        self.tile
    }

    /// Which interface of the tile.
    pub fn interface(self) -> Interface {
        self.interface
    }

    /// `PtlGetId`: the rank of the tile.
    ///
    /// Accesses: none.
    ///
    /// # Errors
    /// [`Error::Stale`].
    pub fn get_id<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<u32, Error> {
        self.engine(fabric)?;
        let own = fabric.portals.map.iter().position(|process| process.nid == self.tile);
        own.map(|rank| rank as u32).ok_or(Error::NoInit { tile: self.tile })
    }

    /// `PtlGetPhysId`: tile and process.
    ///
    /// Accesses: none.
    ///
    /// # Errors
    /// [`Error::Stale`].
    pub fn get_phys_id<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<Process, Error> {
        self.engine(fabric)?;
        Ok(self.tile.into())
    }

    /// `PtlGetUid`: the user of the tile, 0 unless set.
    ///
    /// Accesses: none.
    ///
    /// # Errors
    /// [`Error::Stale`].
    pub fn get_uid<T: Transport>(self, fabric: &mut Fabric<T>) -> Result<u32, Error> {
        Ok(self.engine(fabric)?.uid)
    }

    /// Sets the user of both interfaces of the tile. In Portals the system does. A message takes the user of the moment at which it is
    /// sent.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] beyond 4,094, [`Error::Stale`], [`Error::Fail`] of the fabric.
    pub fn set_uid<T: Transport>(self, fabric: &mut Fabric<T>, uid: u32) -> Result<(), Error> {
        Error::check_range("uid", uid.into(), 0, MAX_USER)?;
        self.engine(fabric)?;
        fabric.poke(self.tile, PortalsRegister::Setting, item::USER, &[uid])?;
        self.engine(fabric)?.uid = uid;
        Ok(())
    }

    /// `PtlNIStatus`: a status register. Both interfaces of a tile share it; it wraps at 2^32.
    ///
    /// Accesses: 1.
    ///
    /// # Errors
    /// [`Error::Stale`], [`Error::Fail`] of the fabric.
    pub fn ni_status<T: Transport>(self, fabric: &mut Fabric<T>, register: StatusRegister) -> Result<u32, Error> {
        self.engine(fabric)?;
        let row = match register {
            StatusRegister::DropCount => item::DROPS,
            StatusRegister::PermissionViolations => item::PERMISSION_VIOLATIONS,
            StatusRegister::OperationViolations => item::OPERATION_VIOLATIONS,
        };
        Ok(fabric.peek(self.tile, PortalsRegister::Status, row)?)
    }

    /// The engine of the tile, if this interface is open.
    pub(super) fn engine<T>(self, fabric: &mut Fabric<T>) -> Result<&mut Engine, Error> {
        let (what, tile) = ("interface", self.tile);
        let engine = fabric.portals.engines.get_mut(&tile);
        let is_open = |engine: &Engine| {
            let opened = engine.interfaces[self.interface as usize];
            opened.count > 0 && opened.generation == self.generation
        };
        engine
            .filter(|engine| is_open(engine))
            .ok_or(Error::Stale { what, tile })
    }

    /// What the tile gives to an open interface.
    pub(super) fn taken<T>(self, fabric: &mut Fabric<T>) -> Result<&Taken, Error> {
        let (what, tile) = ("interface", self.tile);
        self.engine(fabric)?.taken.as_ref().ok_or(Error::Stale { what, tile })
    }

    /// Checks that a handle is of this interface.
    pub(super) fn check_owner(self, what: &'static str, key: Key) -> Result<(), Error> {
        if (key.tile, key.interface) == (self.tile, self.interface) {
            return Ok(());
        }
        Err(Error::WrongInterface {
            what,
            owner: key.interface.of(key.tile),
            user: self.interface.of(self.tile),
        })
    }

    /// Checks memory of the tile.
    pub(super) fn check_memory<T: Transport>(self, fabric: &Fabric<T>, start: u32, length: u64) -> Result<(), Error> {
        let bytes = u64::from(fabric.nodes[self.tile].memory_bytes);
        Error::check_range("start", start.into(), 0, bytes)?;
        Error::check_range("length", length, 0, bytes - u64::from(start))
    }
}

/// Checks a count or offset, of which the hardware has the low 32 bits.
pub(super) fn check_count(field: &'static str, value: u64) -> Result<u32, Error> {
    Error::check_range(field, value, 0, u32::MAX.into())?;
    Ok(value as u32)
}
