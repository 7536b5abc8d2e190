//! Searches of the headers of unexpected messages.

use portico_spec::portals::{
    engine::{Command, Search, COMM_DISABLE, OVER_DISABLE, SUCCESS_DISABLE},
    list::ANY_SOURCE,
};

use super::{entry::CheckedEntry, ni::check_count, Error, Interface, Le, Me, Ni};
use crate::{Fabric, Transport};

/// The effect of a search on the headers that it finds: `ptl_search_op_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchOp {
    /// `PTL_SEARCH_ONLY`: they stay, and SEARCH tells each.
    Only,
    /// `PTL_SEARCH_DELETE`: they leave, and `PTL_EVENT_PUT_OVERFLOW` or `PTL_EVENT_GET_OVERFLOW` tells each.
    Delete,
}

impl Ni {
    /// `PtlMESearch`: finds the headers of messages that came to Overflow, as [`me_append`](Ni::me_append) to Priority would, and appends
    /// nothing. With [`EntryOptions::USE_ONCE`](super::EntryOptions::USE_ONCE) it finds the oldest header that matches, else each. If none
    /// does, one SEARCH tells `PTL_NI_NO_MATCH`. The events are in the queue of the index when this function returns; without a queue the
    /// search works and raises nothing. It counts in no counter, and its memory is not looked at but for the length, which counts with
    /// [`EntryOptions::NO_TRUNCATE`](super::EntryOptions::NO_TRUNCATE).
    ///
    /// Accesses: 1, and 1 or more until it has ended. [`SearchOp::Delete`] ends when the data of the headers that it finds are there.
    ///
    /// # Errors
    /// [`Error::ArgInvalid`] of an index that is not allocated, of a length, rank, user or `min_free`, and of
    /// [`EntryOptions::IOVEC`](super::EntryOptions::IOVEC); [`Error::WrongInterface`] on a non-matching interface; [`Error::Stale`];
    /// [`Error::Fail`] of the fabric.
    pub fn me_search<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        me: &Me,
        operation: SearchOp,
        user_ptr: u32,
    ) -> Result<(), Error> {
        self.check_interface("match list entry", Interface::Matching)?;
        self.search(fabric, pt_index, me, operation, user_ptr)
    }

    /// `PtlLESearch`: as [`me_search`](Ni::me_search) on a non-matching interface.
    ///
    /// Accesses: as of [`me_search`](Ni::me_search).
    ///
    /// # Errors
    /// As for [`me_search`](Ni::me_search), and [`Error::ArgInvalid`] of options that only a match list entry has.
    pub fn le_search<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        le: &Le,
        operation: SearchOp,
        user_ptr: u32,
    ) -> Result<(), Error> {
        self.check_interface("list entry", Interface::NonMatching)?;
        self.search(fabric, pt_index, &le.as_me()?, operation, user_ptr)
    }

    fn search<T: Transport>(
        self,
        fabric: &mut Fabric<T>,
        pt_index: u32,
        me: &Me,
        operation: SearchOp,
        user_ptr: u32,
    ) -> Result<(), Error> {
        let CheckedEntry {
            portal,
            source,
            options,
            ..
        } = self.checked_entry(fabric, pt_index, me)?;
        let search = Search {
            deletes: operation == SearchOp::Delete,
            portal,
            source,
            options,
            length: check_count("length", me.length)?,
            match_bits: me.match_bits,
            ignore_bits: me.ignore_bits,
            user_pointer: user_ptr,
        };
        self.command(fabric, Command::Search(search))?
            .map_err(|code| self.refused("search", code))
    }

    /// Removes all headers of an index, in silence.
    ///
    /// Accesses: 1, and 1 or more until it has ended.
    pub(super) fn delete_headers<T: Transport>(self, fabric: &mut Fabric<T>, pt_index: u32) -> Result<(), Error> {
        let all = Search {
            deletes: true,
            portal: self.interface.portal(pt_index),
            source: 0,
            options: 1 << ANY_SOURCE | 1 << COMM_DISABLE | 1 << OVER_DISABLE | 1 << SUCCESS_DISABLE,
            length: 0,
            match_bits: 0,
            ignore_bits: u64::MAX,
            user_pointer: 0,
        };
        self.command(fabric, Command::Search(all))?
            .map_err(|code| self.refused("close", code))
    }
}
