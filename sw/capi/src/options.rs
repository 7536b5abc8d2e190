//! Options of Portals: bits of a number.

use std::ops::BitOr;

use portico::portals::{EntryOptions, MdOptions, PtOptions};

use crate::status::{portico_status, Failure};

/// Options: a sum of PORTICO_PTL_PT_*, PORTICO_PTL_ME_* or PORTICO_PTL_MD_*.
pub type portico_ptl_options = u32;

/// A promise that all entries have USE_ONCE.
pub const PORTICO_PTL_PT_ONLY_USE_ONCE: portico_ptl_options = 0x1;
/// A promise that no entry has NO_TRUNCATE.
pub const PORTICO_PTL_PT_ONLY_TRUNCATE: portico_ptl_options = 0x2;
/// Flow control, which is refused.
pub const PORTICO_PTL_PT_FLOWCTRL: portico_ptl_options = 0x4;
/// The index is disabled until portico_ptl_pt_enable().
pub const PORTICO_PTL_PT_ALLOC_DISABLED: portico_ptl_options = 0x8;

/// It leaves its list with the first message that it takes; its append and a search find one header.
pub const PORTICO_PTL_ME_USE_ONCE: portico_ptl_options = 0x1;
/// It matches only a message that fits.
pub const PORTICO_PTL_ME_NO_TRUNCATE: portico_ptl_options = 0x2;
/// It keeps an offset of its own, which each message advances.
pub const PORTICO_PTL_ME_MANAGE_LOCAL: portico_ptl_options = 0x4;
/// In Overflow: its messages leave no headers, so no later append or search finds them.
pub const PORTICO_PTL_ME_UNEXPECTED_HDR_DISABLE: portico_ptl_options = 0x8;
/// It takes puts.
pub const PORTICO_PTL_ME_OP_PUT: portico_ptl_options = 0x10;
/// It takes gets.
pub const PORTICO_PTL_ME_OP_GET: portico_ptl_options = 0x20;
/// Its messages raise nothing at their initiators.
pub const PORTICO_PTL_ME_ACK_DISABLE: portico_ptl_options = 0x40;
/// No LINK.
pub const PORTICO_PTL_ME_EVENT_LINK_DISABLE: portico_ptl_options = 0x80;
/// No AUTO_UNLINK and no AUTO_FREE.
pub const PORTICO_PTL_ME_EVENT_UNLINK_DISABLE: portico_ptl_options = 0x100;
/// No events of messages; of a search no PORTICO_PTL_EVENT_SEARCH.
pub const PORTICO_PTL_ME_EVENT_COMM_DISABLE: portico_ptl_options = 0x200;
/// No PORTICO_PTL_EVENT_PUT_OVERFLOW and no PORTICO_PTL_EVENT_GET_OVERFLOW of headers that an append or search consumes.
pub const PORTICO_PTL_ME_EVENT_OVER_DISABLE: portico_ptl_options = 0x400;
/// No events of success.
pub const PORTICO_PTL_ME_EVENT_SUCCESS_DISABLE: portico_ptl_options = 0x800;
/// Its counter counts messages.
pub const PORTICO_PTL_ME_EVENT_CT_COMM: portico_ptl_options = 0x1000;
/// Its counter counts the headers that its append consumes; of no meaning in a search.
pub const PORTICO_PTL_ME_EVENT_CT_OVERFLOW: portico_ptl_options = 0x2000;
/// Its counter counts bytes.
pub const PORTICO_PTL_ME_EVENT_CT_BYTES: portico_ptl_options = 0x4000;
/// A hint without an effect.
pub const PORTICO_PTL_ME_MAY_ALIGN: portico_ptl_options = 0x8000;
/// A hint without an effect.
pub const PORTICO_PTL_ME_IS_ACCESSIBLE: portico_ptl_options = 0x10000;
/// No PT_DISABLED.
pub const PORTICO_PTL_ME_EVENT_FLOWCTRL_DISABLE: portico_ptl_options = 0x20000;
/// Refused: an entry is one piece of memory.
pub const PORTICO_PTL_ME_IOVEC: portico_ptl_options = 0x40000;

/// No event of success. Failures and counts stay.
pub const PORTICO_PTL_MD_EVENT_SUCCESS_DISABLE: portico_ptl_options = 0x1;
/// No SEND.
pub const PORTICO_PTL_MD_EVENT_SEND_DISABLE: portico_ptl_options = 0x2;
/// Its counter counts sends.
pub const PORTICO_PTL_MD_EVENT_CT_SEND: portico_ptl_options = 0x4;
/// Its counter counts replies.
pub const PORTICO_PTL_MD_EVENT_CT_REPLY: portico_ptl_options = 0x8;
/// Its counter counts acknowledgements.
pub const PORTICO_PTL_MD_EVENT_CT_ACK: portico_ptl_options = 0x10;
/// Its counter counts bytes.
pub const PORTICO_PTL_MD_EVENT_CT_BYTES: portico_ptl_options = 0x20;
/// A hint without an effect.
pub const PORTICO_PTL_MD_UNORDERED: portico_ptl_options = 0x40;
/// A hint without an effect.
pub const PORTICO_PTL_MD_VOLATILE: portico_ptl_options = 0x80;
/// Refused: a memory descriptor is one piece of memory.
pub const PORTICO_PTL_MD_IOVEC: portico_ptl_options = 0x100;

/// The options of these bits: bit n is the n-th of `all`.
fn options<O: Copy + BitOr<Output = O>>(given: portico_ptl_options, none: O, all: &[O]) -> Result<O, Failure> {
    if given >> all.len() != 0 {
        return Err(Failure::new(
            portico_status::PORTICO_E_ARGUMENT,
            format_args!(
                "options = {given:#x} is not allowed: allowed is 0..={:#x}",
                (1u32 << all.len()) - 1
            ),
        ));
    }
    let set = all.iter().enumerate().filter(|(bit, _)| given >> bit & 1 == 1);
    Ok(set.fold(none, |options, (_, &option)| options | option))
}

pub(crate) fn pt_options(given: portico_ptl_options) -> Result<PtOptions, Failure> {
    let all = [
        PtOptions::ONLY_USE_ONCE,
        PtOptions::ONLY_TRUNCATE,
        PtOptions::FLOWCTRL,
        PtOptions::ALLOC_DISABLED,
    ];
    options(given, PtOptions::NONE, &all)
}

pub(crate) fn entry_options(given: portico_ptl_options) -> Result<EntryOptions, Failure> {
    let all = [
        EntryOptions::USE_ONCE,
        EntryOptions::NO_TRUNCATE,
        EntryOptions::MANAGE_LOCAL,
        EntryOptions::UNEXPECTED_HDR_DISABLE,
        EntryOptions::OP_PUT,
        EntryOptions::OP_GET,
        EntryOptions::ACK_DISABLE,
        EntryOptions::EVENT_LINK_DISABLE,
        EntryOptions::EVENT_UNLINK_DISABLE,
        EntryOptions::EVENT_COMM_DISABLE,
        EntryOptions::EVENT_OVER_DISABLE,
        EntryOptions::EVENT_SUCCESS_DISABLE,
        EntryOptions::EVENT_CT_COMM,
        EntryOptions::EVENT_CT_OVERFLOW,
        EntryOptions::EVENT_CT_BYTES,
        EntryOptions::MAY_ALIGN,
        EntryOptions::IS_ACCESSIBLE,
        EntryOptions::EVENT_FLOWCTRL_DISABLE,
        EntryOptions::IOVEC,
    ];
    options(given, EntryOptions::NONE, &all)
}

pub(crate) fn md_options(given: portico_ptl_options) -> Result<MdOptions, Failure> {
    let all = [
        MdOptions::EVENT_SUCCESS_DISABLE,
        MdOptions::EVENT_SEND_DISABLE,
        MdOptions::EVENT_CT_SEND,
        MdOptions::EVENT_CT_REPLY,
        MdOptions::EVENT_CT_ACK,
        MdOptions::EVENT_CT_BYTES,
        MdOptions::UNORDERED,
        MdOptions::VOLATILE,
        MdOptions::IOVEC,
    ];
    options(given, MdOptions::NONE, &all)
}
