//! Entries of lists, of both interfaces.

use portico_spec::{
    ni::ErrorCode,
    portals::{
        engine::{Append, Command, ANY_USER, NO_ENTRY},
        list::{List, ANY_SOURCE, INDEX_WIDTH, OPTIONS_WIDTH},
    },
};

use super::{
    handle::EntryKey,
    ni::{check_count, MAX_USER},
    options::of_hardware,
    CtHandle, EntryOptions, Error, Interface, LeHandle, MeHandle, Ni, PtlList,
};
use crate::{Fabric, Transport};

/// An entry of a matching interface: `ptl_me_t`. The default one is for all users and all sources, and takes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Me {
    /// Byte address in the memory of the tile; any.
    pub start: u32,
    /// Length in bytes.
    pub length: u64,
    /// Its counter; none for `PTL_CT_NONE`.
    pub ct: Option<CtHandle>,
    /// With [`EntryOptions::MANAGE_LOCAL`]: it leaves its list when fewer bytes are left; 0 for never.
    pub min_free: u64,
    /// The user from whom it takes messages; none for `PTL_UID_ANY`.
    pub uid: Option<u32>,
    /// Options.
    pub options: EntryOptions,
    /// The rank from which it takes messages; none for `PTL_RANK_ANY`.
    pub match_id: Option<u32>,
    /// Match bits.
    pub match_bits: u64,
    /// Match bits that do not count.
    pub ignore_bits: u64,
}

/// An entry of a non-matching interface: `ptl_le_t`. It takes every message of its index. The default one is for all users, and
/// takes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Le {
    /// Byte address in the memory of the tile; any.
    pub start: u32,
    /// Length in bytes.
    pub length: u64,
    /// Its counter; none for `PTL_CT_NONE`.
    pub ct: Option<CtHandle>,
    /// The user from whom it takes messages; none for `PTL_UID_ANY`.
    pub uid: Option<u32>,
    /// Options.
    pub options: EntryOptions,
}

impl Le {
    /// The same as an entry that takes every message of its index: one from any source, of which no match bit counts.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] of options that only a match list entry has.
    pub(super) fn as_me(&self) -> Result<Me, Error> {
        for option in [
            EntryOptions::MANAGE_LOCAL,
            EntryOptions::NO_TRUNCATE,
            EntryOptions::MAY_ALIGN,
        ] {
            self.options.refuse(option, "options of a list entry")?;
        }
        let &Le {
            start,
            length,
            ct,
            uid,
            options,
        } = self;
        Ok(Me {
            start,
            length,
            ct,
            uid,
            options,
            ignore_bits: u64::MAX,
            ..Me::default()
        })
    }
}

/// The fields of an entry that an append and a search check, as the engine has them.
pub(super) struct CheckedEntry {
    pub portal: u8,
    pub counter: Option<u8>,
    pub source: u16,
    pub options: u16,
    pub user: u16,
    pub min_free: u32,
}

impl Ni {
    /// `PtlMEAppend`: an entry at the end of a list of a portal index. LINK tells the queue of the index that it is there; the entry
    /// takes messages when this function returns.
    ///
    /// In Priority it first consumes the headers of messages that came before it and that it matches, oldest first: with
    /// [`EntryOptions::USE_ONCE`] one header, else all. `PTL_EVENT_PUT_OVERFLOW` or `PTL_EVENT_GET_OVERFLOW` tells each; the data stay
    /// where the entry of Overflow has put them, and `start` of the event is their address. With USE_ONCE, AUTO_UNLINK comes in place of
    /// LINK, and the handle is stale as that of every entry that has left by itself.
    ///
    /// Accesses: 1, 1 or more until it has ended, and 1 for the handle.
    ///
    /// # Errors
    /// [`Error::NoSpace`] without a place for an entry; [`Error::ArgInvalid`] of an index that is not allocated, of memory that the
    /// tile does not have, of a rank, user or `min_free`, and of [`EntryOptions::IOVEC`]; [`Error::WrongInterface`] on a non-matching
    /// interface; [`Error::Stale`]; [`Error::Fail`] of the fabric.
    pub fn me_append<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        me: &Me,
        list: PtlList,
        user_ptr: u32,
    ) -> Result<MeHandle, Error> {
        self.check_interface("match list entry", Interface::Matching)?;
        self.append(fabric, pt_index, me, list, user_ptr).map(MeHandle)
    }

    /// `PtlLEAppend`: as [`me_append`](Ni::me_append) on a non-matching interface.
    ///
    /// Accesses: as of [`me_append`](Ni::me_append).
    ///
    /// # Errors
    /// As for [`me_append`](Ni::me_append), and [`Error::ArgInvalid`] of options that only a match list entry has.
    pub fn le_append<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        le: &Le,
        list: PtlList,
        user_ptr: u32,
    ) -> Result<LeHandle, Error> {
        self.check_interface("list entry", Interface::NonMatching)?;
        let me = le.as_me()?;
        self.append(fabric, pt_index, &me, list, user_ptr).map(LeHandle)
    }

    /// `PtlMEUnlink`: the entry leaves its list, without an event.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    ///
    /// # Errors
    /// [`Error::InUse`] while a message of the entry is in progress or a header of one is left; [`Error::Stale`] of an entry that is
    /// unlinked, by hand or by itself; [`Error::WrongInterface`]; [`Error::Fail`] of the fabric.
    pub fn me_unlink<T: Transport>(self, fabric: &mut Fabric<T>, me: MeHandle) -> Result<(), Error> {
        self.check_interface("match list entry", Interface::Matching)?;
        self.unlink(fabric, "match list entry", me.0)
    }

    /// `PtlLEUnlink`: as [`me_unlink`](Ni::me_unlink) on a non-matching interface.
    ///
    /// Accesses: as of [`me_unlink`](Ni::me_unlink).
    ///
    /// # Errors
    /// As for [`me_unlink`](Ni::me_unlink).
    pub fn le_unlink<T: Transport>(self, fabric: &mut Fabric<T>, le: LeHandle) -> Result<(), Error> {
        self.check_interface("list entry", Interface::NonMatching)?;
        self.unlink(fabric, "list entry", le.0)
    }

    fn append<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        me: &Me,
        list: PtlList,
        user_ptr: u32,
    ) -> Result<EntryKey, Error> {
        let CheckedEntry {
            portal,
            counter,
            source,
            options,
            user,
            min_free,
        } = self.checked_entry(fabric, pt_index, me)?;
        self.check_memory(fabric, me.start, me.length)?;
        let handle = self.taken(fabric)?.handle;
        let append = Append {
            list: match list {
                PtlList::Priority => List::Priority,
                PtlList::Overflow => List::Overflow,
            },
            portal,
            counter,
            source,
            options,
            start: me.start,
            user,
            length: me.length as u32,
            min_free,
            match_bits: me.match_bits,
            ignore_bits: me.ignore_bits,
            user_pointer: user_ptr,
            handle_address: handle.base,
        };
        let (tile, what) = (self.tile, "place for an entry");
        match self.command(fabric, Command::Append(append))? {
            Ok(()) => {}
            Err(ErrorCode::NoPlace) => {
                let limit = fabric.nodes[tile].build.entries;
                return Err(Error::NoSpace { tile, what, limit });
            }
            Err(code) => return Err(self.refused("append", code)),
        }
        let hardware = fabric.read(tile, handle.base, 1)?[0];
        if hardware != NO_ENTRY {
            // The place of an entry that has left by itself comes again.
            self.engine(fabric)?.entries.insert(place(hardware), (hardware, portal));
        }
        Ok(EntryKey { tile, hardware })
    }

    /// Checks the fields of an entry but for its memory.
    ///
    /// # Errors
    /// As for [`me_append`](Ni::me_append).
    pub(super) fn checked_entry<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        me: &Me,
    ) -> Result<CheckedEntry, Error> {
        let portal = self.portal(fabric, pt_index)?;
        let counter = self.ct_number(fabric, me.ct)?;
        me.options.refuse(EntryOptions::IOVEC, "an entry of one piece")?;
        let min_free = check_count("min_free", me.min_free)?;
        if let Some(uid) = me.uid {
            Error::check_range("uid", uid.into(), 0, MAX_USER)?;
        }
        if let Some(rank) = me.match_id {
            check_rank(fabric, "match_id", rank)?;
        }
        let any = u32::from(me.match_id.is_none()) << ANY_SOURCE;
        Ok(CheckedEntry {
            portal,
            counter,
            source: me.match_id.unwrap_or_default() as u16,
            options: (of_hardware(me.options.0, OPTIONS_WIDTH) | any) as u16,
            user: me.uid.map_or(ANY_USER, |uid| uid as u16),
            min_free,
        })
    }

    fn unlink<T: Transport>(self, fabric: &mut Fabric<T>, what: &'static str, entry: EntryKey) -> Result<(), Error> {
        let tile = self.tile;
        self.engine(fabric)?;
        if entry.tile != tile {
            return Err(Error::WrongInterface {
                what,
                owner: self.interface.of(entry.tile),
                user: self.interface.of(tile),
            });
        }
        match self.command(fabric, Command::Unlink(entry.hardware))? {
            Ok(()) => {
                self.engine(fabric)?.entries.remove(&place(entry.hardware));
                Ok(())
            }
            Err(ErrorCode::UnknownEntry) => Err(Error::Stale { what, tile }),
            Err(ErrorCode::InUse) => {
                let user = "a message in progress, or the header of one";
                Err(Error::InUse { what, tile, user })
            }
            Err(code) => Err(self.refused("unlink", code)),
        }
    }

    pub(super) fn check_interface(self, what: &'static str, interface: Interface) -> Result<(), Error> {
        match self.interface == interface {
            true => Ok(()),
            false => Err(Error::WrongInterface {
                what,
                owner: interface.to_string(),
                user: self.interface.of(self.tile),
            }),
        }
    }
}

/// The place of an entry in the table, from its handle.
fn place(handle: u32) -> u32 {
    handle & ((1 << INDEX_WIDTH) - 1)
}

/// Checks that the map has this rank.
pub(super) fn check_rank<T>(fabric: &Fabric<T>, field: &'static str, rank: u32) -> Result<(), Error> {
    Error::check_range(field, rank.into(), 0, fabric.portals.map.len() as u64 - 1)
}
