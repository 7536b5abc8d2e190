//! Options, by their names in Portals.

use std::ops::BitOr;

use portico_spec::portals::{engine, list};

use super::Error;

macro_rules! options {
    (
        $(#[doc = $about:literal])+
        $type:ident($prefix:literal) {
            $($(#[doc = $doc:literal])+ $name:ident = $bit:expr;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $type(pub(super) u32);

        impl $type {
            $($(#[doc = $doc])+ pub const $name: $type = $type(1 << $bit);)+

            /// No option.
            pub const NONE: $type = $type(0);

            /// Whether all of these options are among them.
            pub fn contains(self, options: $type) -> bool {
                self.0 & options.0 == options.0
            }

            /// Refuses this option.
            pub(super) fn refuse(self, option: $type, allowed: &'static str) -> Result<(), Error> {
                if !self.contains(option) {
                    return Ok(());
                }
                let names = [$(($type::$name, concat!($prefix, stringify!($name))),)+];
                let name = names.into_iter().find(|&(known, _)| known == option);
                Err(Error::invalid("options", name.map_or($prefix, |(_, name)| name), allowed))
            }
        }

        impl BitOr for $type {
            type Output = $type;

            fn bitor(self, other: $type) -> $type {
                $type(self.0 | other.0)
            }
        }
    };
}

/// The options that the hardware knows: so many low bits.
pub(super) fn of_hardware(options: u32, width: usize) -> u32 {
    options & (u32::MAX >> (32 - width))
}

options! {
    /// Options of a portal index: `PTL_PT_*`.
    PtOptions("PTL_PT_") {
        /// A promise that all entries have USE_ONCE, of which the hardware makes no use.
        ONLY_USE_ONCE = 0;
        /// A promise that no entry has NO_TRUNCATE, of which the hardware makes no use.
        ONLY_TRUNCATE = 1;
        /// Flow control, which is refused: [`Error::PtEqNeeded`] without an event queue, else [`Error::ArgInvalid`].
        FLOWCTRL = 2;
        /// The index is disabled until [`Ni::pt_enable`](super::Ni::pt_enable).
        ALLOC_DISABLED = 3;
    }
}

/// Lowest bit of the options of entries that the hardware does not know.
const ENTRY_HINTS: usize = list::OPTIONS_WIDTH;

options! {
    /// Options of entries: `PTL_ME_*`, and `PTL_LE_*` but for MANAGE_LOCAL, NO_TRUNCATE and MAY_ALIGN.
    EntryOptions("PTL_ME_") {
        /// It leaves its list with the first message that it takes; its append and a search find one header.
        USE_ONCE = list::USE_ONCE;
        /// It matches only a message that fits.
        NO_TRUNCATE = list::NO_TRUNCATE;
        /// It keeps an offset of its own, which each message advances.
        MANAGE_LOCAL = list::MANAGE_LOCAL;
        /// In Overflow: its messages leave no headers, so no later append or search finds them.
        UNEXPECTED_HDR_DISABLE = list::UNEXPECTED_HDR_DISABLE;
        /// It takes puts.
        OP_PUT = engine::OP_PUT;
        /// It takes gets.
        OP_GET = engine::OP_GET;
        /// Its messages raise nothing at their initiators.
        ACK_DISABLE = engine::ACK_DISABLE;
        /// No LINK.
        EVENT_LINK_DISABLE = engine::LINK_DISABLE;
        /// No AUTO_UNLINK and no AUTO_FREE.
        EVENT_UNLINK_DISABLE = engine::UNLINK_DISABLE;
        /// No events of messages; of a search no SEARCH.
        EVENT_COMM_DISABLE = engine::COMM_DISABLE;
        /// No `PTL_EVENT_PUT_OVERFLOW` and no `PTL_EVENT_GET_OVERFLOW` of headers that an append or search consumes.
        EVENT_OVER_DISABLE = engine::OVER_DISABLE;
        /// No events of success.
        EVENT_SUCCESS_DISABLE = engine::SUCCESS_DISABLE;
        /// Its counter counts messages.
        EVENT_CT_COMM = engine::CT_COMM;
        /// Its counter counts the headers that its append consumes; of no meaning in a search.
        EVENT_CT_OVERFLOW = engine::CT_OVERFLOW;
        /// Its counter counts bytes.
        EVENT_CT_BYTES = engine::CT_BYTES;
        /// A hint without an effect: data lie where the offset says.
        MAY_ALIGN = ENTRY_HINTS;
        /// A hint without an effect: all memory of a tile is accessible.
        IS_ACCESSIBLE = ENTRY_HINTS + 1;
        /// No PT_DISABLED, an event that only flow control raises.
        EVENT_FLOWCTRL_DISABLE = ENTRY_HINTS + 2;
        /// Refused: an entry is one piece of memory.
        IOVEC = ENTRY_HINTS + 3;
    }
}

/// Lowest bit of the options of memory descriptors that the hardware does not know.
const MD_HINTS: usize = engine::MD_OPTIONS_WIDTH;

options! {
    /// Options of a memory descriptor: `PTL_MD_*`.
    MdOptions("PTL_MD_") {
        /// No event of success. Failures and counts stay.
        EVENT_SUCCESS_DISABLE = engine::MD_SUCCESS_DISABLE;
        /// No SEND.
        EVENT_SEND_DISABLE = engine::MD_SEND_DISABLE;
        /// Its counter counts sends.
        EVENT_CT_SEND = engine::MD_CT_SEND;
        /// Its counter counts replies.
        EVENT_CT_REPLY = engine::MD_CT_REPLY;
        /// Its counter counts acknowledgements.
        EVENT_CT_ACK = engine::MD_CT_ACK;
        /// Its counter counts bytes.
        EVENT_CT_BYTES = engine::MD_CT_BYTES;
        /// A hint without an effect: messages stay in their order.
        UNORDERED = MD_HINTS;
        /// A hint without an effect: no message is so short that it could be copied at once.
        VOLATILE = MD_HINTS + 1;
        /// Refused: a memory descriptor is one piece of memory.
        IOVEC = MD_HINTS + 2;
    }
}
