//! Portals 4.3: memory descriptors, entries, puts and gets.

use portico::portals::{AckReq, Get, Le, LeHandle, Md, MdHandle, Me, MeHandle, PtlList, Put, SearchOp};

use crate::{
    ct::portico_ptl_ct,
    eq::{portico_ptl_eq, PORTICO_PTL_OVERFLOW, PORTICO_PTL_PRIORITY},
    handle::{call, handles, portico_fabric, Items, State},
    options::{entry_options, md_options, portico_ptl_options},
    pointer::{out, structure},
    portals::{end, portico_ptl_ni, PORTICO_PTL_ANY},
    status::{portico_status, Failure},
};

/// A memory descriptor of an interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_md;

/// An entry of a matching interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_me;

/// An entry of a non-matching interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_le;

handles! {
    portico_ptl_md: MdHandle, "md";
    portico_ptl_me: MeHandle, "me";
    portico_ptl_le: LeHandle, "le";
}

/// A memory descriptor to bind: ptl_md_t.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_md_piece {
    /// Length in bytes.
    pub length: u64,
    /// Queue of SEND, ACK and REPLY. May be NULL.
    pub eq: *mut portico_ptl_eq,
    /// Counter of them. May be NULL.
    pub ct: *mut portico_ptl_ct,
    /// Byte address in the memory of the tile; any.
    pub start: u32,
    /// Options of PORTICO_PTL_MD_*.
    pub options: portico_ptl_options,
}

/// An entry to append: ptl_me_t, and ptl_le_t, which has no match bits, no source and no `min_free`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_entry {
    /// Length in bytes.
    pub length: u64,
    /// Match bits.
    pub match_bits: u64,
    /// Match bits that do not count.
    pub ignore_bits: u64,
    /// With MANAGE_LOCAL: it leaves its list when fewer bytes are left; 0 for never.
    pub min_free: u64,
    /// Its counter. May be NULL.
    pub ct: *mut portico_ptl_ct,
    /// Byte address in the memory of the tile; any.
    pub start: u32,
    /// Options of PORTICO_PTL_ME_*.
    pub options: portico_ptl_options,
    /// The user from whom it takes messages, or PORTICO_PTL_ANY.
    pub uid: u32,
    /// The rank from which it takes messages, or PORTICO_PTL_ANY.
    pub match_id: u32,
    /// Its list: PORTICO_PTL_PRIORITY or PORTICO_PTL_OVERFLOW.
    pub list: u32,
    /// For its events.
    pub user_ptr: u32,
}

/// The effect of a search on the headers that it finds: one of PORTICO_PTL_SEARCH_*.
pub type portico_ptl_search_op = u32;

/// They stay, and PORTICO_PTL_EVENT_SEARCH tells each.
pub const PORTICO_PTL_SEARCH_ONLY: portico_ptl_search_op = 0;
/// They leave, and PORTICO_PTL_EVENT_PUT_OVERFLOW or PORTICO_PTL_EVENT_GET_OVERFLOW tells each.
pub const PORTICO_PTL_SEARCH_DELETE: portico_ptl_search_op = 1;

/// Which acknowledgement a put asks for: one of PORTICO_PTL_*ACK*.
pub type portico_ptl_ack = u32;

/// None.
pub const PORTICO_PTL_NO_ACK_REQ: portico_ptl_ack = 0;
/// The event ACK, and a count.
pub const PORTICO_PTL_ACK_REQ: portico_ptl_ack = 1;
/// A count alone.
pub const PORTICO_PTL_CT_ACK_REQ: portico_ptl_ack = 2;
/// A count that the operation is over, whatever became of it.
pub const PORTICO_PTL_OC_ACK_REQ: portico_ptl_ack = 3;

/// Arguments of PtlPut and PtlGet.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_message {
    /// The memory descriptor.
    pub md: *mut portico_ptl_md,
    /// Offset in it, in bytes.
    pub local_offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Match bits; of no meaning on a non-matching interface.
    pub match_bits: u64,
    /// Offset in the entry, in bytes.
    pub remote_offset: u64,
    /// For the event at the target; of a put alone.
    pub hdr_data: u64,
    /// Rank of the target.
    pub target: u32,
    /// Portal index at the target.
    pub pt_index: u32,
    /// Which acknowledgement; of a put alone.
    pub ack: portico_ptl_ack,
    /// For the events at the initiator.
    pub user_ptr: u32,
}

fn list(list: u32) -> Result<PtlList, Failure> {
    match list {
        PORTICO_PTL_PRIORITY => Ok(PtlList::Priority),
        PORTICO_PTL_OVERFLOW => Ok(PtlList::Overflow),
        list => Err(Failure::choice("list", list)),
    }
}

fn search_op(operation: portico_ptl_search_op) -> Result<SearchOp, Failure> {
    match operation {
        PORTICO_PTL_SEARCH_ONLY => Ok(SearchOp::Only),
        PORTICO_PTL_SEARCH_DELETE => Ok(SearchOp::Delete),
        operation => Err(Failure::choice("operation", operation)),
    }
}

/// The fields of an entry of a matching interface.
fn match_entry(given: portico_ptl_entry, items: &Items) -> Result<Me, Failure> {
    Ok(Me {
        start: given.start,
        length: given.length,
        ct: items.optional(given.ct)?.copied(),
        min_free: given.min_free,
        uid: unless_any(given.uid),
        options: entry_options(given.options)?,
        match_id: unless_any(given.match_id),
        match_bits: given.match_bits,
        ignore_bits: given.ignore_bits,
    })
}

/// The fields of an entry of a non-matching interface.
fn list_entry(given: portico_ptl_entry, items: &Items) -> Result<Le, Failure> {
    Ok(Le {
        start: given.start,
        length: given.length,
        ct: items.optional(given.ct)?.copied(),
        uid: unless_any(given.uid),
        options: entry_options(given.options)?,
    })
}

fn unless_any(value: u32) -> Option<u32> {
    (value != PORTICO_PTL_ANY).then_some(value)
}

/// PtlMDBind.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_md_bind(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    piece: *const portico_ptl_md_piece,
    md: *mut *mut portico_ptl_md,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("md", md) }?;
        let given = unsafe { structure("piece", piece) }?;
        let md = Md {
            start: given.start,
            length: given.length,
            options: md_options(given.options)?,
            eq: items.optional(given.eq)?.copied(),
            ct: items.optional(given.ct)?.copied(),
        };
        let bound = items.get(ni)?.md_bind(fabric, &md)?;
        out.set(items.add(bound));
        Ok(())
    })
}

/// PtlMDRelease.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL. The handle stays then, unless it was of one that is gone.
#[no_mangle]
pub extern "C" fn portico_ptl_md_release(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    md: *mut portico_ptl_md,
) -> portico_status {
    call(fabric, |state| {
        let ni = *state.items.get(ni)?;
        end(state, md, |fabric, md| ni.md_release(fabric, md))
    })
}

/// PtlMEAppend: an entry at the end of a list of a portal index, of a matching interface. In Priority it first consumes the headers of
/// messages that came before it and that it matches: with USE_ONCE the oldest, else all. An entry with USE_ONCE that has consumed one
/// is gone from its list when this function returns.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options and list, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID,
/// PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_me_append(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
    entry: *const portico_ptl_entry,
    me: *mut *mut portico_ptl_me,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("me", me) }?;
        let given = unsafe { structure("entry", entry) }?;
        let entry = match_entry(given, items)?;
        let appended = items
            .get(ni)?
            .me_append(fabric, pt_index, &entry, list(given.list)?, given.user_ptr)?;
        out.set(items.add(appended));
        Ok(())
    })
}

/// PtlMESearch: finds the headers of messages that came to Overflow, as portico_ptl_me_append() to Priority would, and appends nothing.
/// With USE_ONCE it finds the oldest header that matches, else each. If none does, one PORTICO_PTL_EVENT_SEARCH tells
/// PORTICO_PTL_NI_FAIL_NO_MATCH. Of `entry`, `start` and `list` say nothing.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options and `operation`, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_me_search(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
    entry: *const portico_ptl_entry,
    operation: portico_ptl_search_op,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let given = unsafe { structure("entry", entry) }?;
        let (entry, operation) = (match_entry(given, items)?, search_op(operation)?);
        Ok(items
            .get(ni)?
            .me_search(fabric, pt_index, &entry, operation, given.user_ptr)?)
    })
}

/// PtlMEUnlink.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_IN_USE with messages in progress or headers left, PORTICO_E_PTL_ARG_INVALID,
/// PORTICO_E_PTL_FAIL. The handle stays then, unless it was of an entry that has left its list.
#[no_mangle]
pub extern "C" fn portico_ptl_me_unlink(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    me: *mut portico_ptl_me,
) -> portico_status {
    call(fabric, |state| {
        let ni = *state.items.get(ni)?;
        end(state, me, |fabric, me| ni.me_unlink(fabric, me))
    })
}

/// PtlLEAppend: an entry at the end of a list of a portal index, of a non-matching interface. It consumes headers as
/// portico_ptl_me_append() does; every header of its index matches.
///
/// Errors: as of portico_ptl_me_append().
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_le_append(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
    entry: *const portico_ptl_entry,
    le: *mut *mut portico_ptl_le,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("le", le) }?;
        let given = unsafe { structure("entry", entry) }?;
        let entry = list_entry(given, items)?;
        let appended = items
            .get(ni)?
            .le_append(fabric, pt_index, &entry, list(given.list)?, given.user_ptr)?;
        out.set(items.add(appended));
        Ok(())
    })
}

/// PtlLESearch: as portico_ptl_me_search(), of a non-matching interface.
///
/// Errors: as of portico_ptl_me_search().
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_le_search(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
    entry: *const portico_ptl_entry,
    operation: portico_ptl_search_op,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let given = unsafe { structure("entry", entry) }?;
        let (entry, operation) = (list_entry(given, items)?, search_op(operation)?);
        Ok(items
            .get(ni)?
            .le_search(fabric, pt_index, &entry, operation, given.user_ptr)?)
    })
}

/// PtlLEUnlink.
///
/// Errors: as of portico_ptl_me_unlink().
#[no_mangle]
pub extern "C" fn portico_ptl_le_unlink(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    le: *mut portico_ptl_le,
) -> portico_status {
    call(fabric, |state| {
        let ni = *state.items.get(ni)?;
        end(state, le, |fabric, le| ni.le_unlink(fabric, le))
    })
}

/// PtlPut.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of `ack`, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_put(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    message: *const portico_ptl_message,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let given = unsafe { structure("message", message) }?;
        let put = Put {
            md: *items.get(given.md)?,
            local_offset: given.local_offset,
            length: given.length,
            ack: match given.ack {
                PORTICO_PTL_NO_ACK_REQ => AckReq::NoAck,
                PORTICO_PTL_ACK_REQ => AckReq::Ack,
                PORTICO_PTL_CT_ACK_REQ => AckReq::CtAck,
                PORTICO_PTL_OC_ACK_REQ => AckReq::OcAck,
                ack => return Err(Failure::choice("ack", ack)),
            },
            target: given.target,
            pt_index: given.pt_index,
            match_bits: given.match_bits,
            remote_offset: given.remote_offset,
            user_ptr: given.user_ptr,
            hdr_data: given.hdr_data,
        };
        Ok(items.get(ni)?.put(fabric, &put)?)
    })
}

/// PtlGet.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_get(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    message: *const portico_ptl_message,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let given = unsafe { structure("message", message) }?;
        let get = Get {
            md: *items.get(given.md)?,
            local_offset: given.local_offset,
            length: given.length,
            target: given.target,
            pt_index: given.pt_index,
            match_bits: given.match_bits,
            remote_offset: given.remote_offset,
            user_ptr: given.user_ptr,
        };
        Ok(items.get(ni)?.get(fabric, &get)?)
    })
}
