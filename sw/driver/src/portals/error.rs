//! Errors, by the codes of Portals.

use thiserror::Error;

use super::Event;

/// Why a function of Portals failed. The text begins with the code of Portals; nothing was changed unless the variant says so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// PTL_FAIL: the fabric failed, or did not answer in time.
    #[error("PTL_FAIL: {0}")]
    Fail(#[from] crate::Error),
    /// PTL_NO_INIT: the tile has no rank yet.
    #[error("PTL_NO_INIT: tile {tile} has no rank: call portals::set_map first, with this tile in the map")]
    NoInit {
        /// The tile.
        tile: usize,
    },
    /// PTL_ARG_INVALID: a value that is not allowed.
    #[error("PTL_ARG_INVALID: {field} = {value} is not allowed: allowed is {allowed}")]
    ArgInvalid {
        /// The argument.
        field: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// PTL_ARG_INVALID: the handle is of something that was freed, or that has left its list.
    #[error("PTL_ARG_INVALID: the {what} of this handle is gone from tile {tile}: it was freed, released, closed or unlinked")]
    Stale {
        /// What the handle was of.
        what: &'static str,
        /// Its tile.
        tile: usize,
    },
    /// PTL_ARG_INVALID: the handle belongs to another interface.
    #[error("PTL_ARG_INVALID: the {what} belongs to {owner}, not to {user}")]
    WrongInterface {
        /// What the handle is of.
        what: &'static str,
        /// Its interface.
        owner: String,
        /// The interface that should use it.
        user: String,
    },
    /// PTL_NO_SPACE: all of a table is taken.
    #[error("PTL_NO_SPACE: tile {tile} cannot allocate another {what}: it has {limit} in all")]
    NoSpace {
        /// The tile.
        tile: usize,
        /// Of what there is none left.
        what: &'static str,
        /// How many there are.
        limit: usize,
    },
    /// PTL_PT_FULL: all portal indices of the interface are allocated.
    #[error("PTL_PT_FULL: all {limit} portal indices of {interface} are allocated")]
    PtFull {
        /// The interface.
        interface: String,
        /// How many there are.
        limit: usize,
    },
    /// PTL_PT_IN_USE: the portal index is allocated, or has entries, headers, or messages in progress.
    #[error("PTL_PT_IN_USE: pt_index = {pt_index} of {interface} {why}")]
    PtInUse {
        /// The interface.
        interface: String,
        /// The portal index.
        pt_index: u32,
        /// How it is used.
        why: &'static str,
    },
    /// PTL_PT_EQ_NEEDED: flow control needs an event queue.
    #[error("PTL_PT_EQ_NEEDED: options = PTL_PT_FLOWCTRL needs an event queue")]
    PtEqNeeded,
    /// PTL_IN_USE: something else still uses it.
    #[error("PTL_IN_USE: the {what} of tile {tile} is in use by {user}")]
    InUse {
        /// What is used.
        what: &'static str,
        /// Its tile.
        tile: usize,
        /// What uses it.
        user: &'static str,
    },
    /// PTL_EQ_EMPTY: no event has come.
    #[error("PTL_EQ_EMPTY: the event queue has no event")]
    EqEmpty,
    /// PTL_EQ_DROPPED: the event queue was full, and events before this one were lost. This event is taken.
    #[error("PTL_EQ_DROPPED: events were lost in front of {0}")]
    EqDropped(Box<Event>),
    /// PTL_CT_NONE_REACHED: no counter has reached its test value in time.
    #[error("PTL_CT_NONE_REACHED: no counter has reached its test value within {timeout} cycles")]
    CtNoneReached {
        /// The time in cycles.
        timeout: u64,
    },
    /// PTL_IGNORED: there is another map of ranks already.
    #[error("PTL_IGNORED: the map of ranks is set, and stays until the fabric is reset")]
    Ignored,
    /// PTL_FAIL: a word in a ring of events that is none of the hardware's.
    #[error(
        "PTL_FAIL: the event at {address:#x} of tile {tile} begins with {word:#x}: a write has damaged the event queue"
    )]
    Damaged {
        /// The tile.
        tile: usize,
        /// Where the event lies.
        address: u32,
        /// Its first word.
        word: u32,
    },
}

impl Error {
    /// The code of Portals.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Fail(_) | Error::Damaged { .. } => "PTL_FAIL",
            Error::NoInit { .. } => "PTL_NO_INIT",
            Error::ArgInvalid { .. } | Error::Stale { .. } | Error::WrongInterface { .. } => "PTL_ARG_INVALID",
            Error::NoSpace { .. } => "PTL_NO_SPACE",
            Error::PtFull { .. } => "PTL_PT_FULL",
            Error::PtInUse { .. } => "PTL_PT_IN_USE",
            Error::PtEqNeeded => "PTL_PT_EQ_NEEDED",
            Error::InUse { .. } => "PTL_IN_USE",
            Error::EqEmpty => "PTL_EQ_EMPTY",
            Error::EqDropped(_) => "PTL_EQ_DROPPED",
            Error::CtNoneReached { .. } => "PTL_CT_NONE_REACHED",
            Error::Ignored => "PTL_IGNORED",
        }
    }

    /// A value that is not allowed.
    pub(super) fn invalid(field: &'static str, value: impl ToString, allowed: impl ToString) -> Error {
        let (value, allowed) = (value.to_string(), allowed.to_string());
        Error::ArgInvalid { field, value, allowed }
    }

    /// Refuses a value outside of a range.
    pub(super) fn check_range(field: &'static str, value: u64, min: u64, max: u64) -> Result<(), Error> {
        match (min..=max).contains(&value) {
            true => Ok(()),
            false => Err(Error::invalid(field, value, format!("{min}..={max}"))),
        }
    }
}
