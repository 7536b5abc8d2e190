//! Portals 4.3: event queues.

use portico::portals::{EqHandle, Error, Event, EventKind, NiFail, PtlList};

use crate::{
    handle::{call, handles, portico_fabric, State},
    pointer::{array, out, Out},
    portals::{end, portico_ptl_ni},
    status::{portico_status, Failure},
};

/// An event queue of an interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_eq;

handles! {
    portico_ptl_eq: EqHandle, "eq";
}

/// An event of an event queue: ptl_event_t. Fields that its kind does not have are 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_event {
    /// Its kind: one of PORTICO_PTL_EVENT_*.
    pub kind: u32,
    /// How the operation ended: one of PORTICO_PTL_NI_FAIL_*.
    pub ni_fail_type: u32,
    /// The list of the entry: PORTICO_PTL_PRIORITY or PORTICO_PTL_OVERFLOW.
    pub ptl_list: u32,
    /// The portal index.
    pub pt_index: u32,
    /// Rank of the initiator.
    pub initiator: u32,
    /// User of the initiator.
    pub uid: u32,
    /// Match bits of the request.
    pub match_bits: u64,
    /// Header data of the put.
    pub hdr_data: u64,
    /// Requested length, in bytes.
    pub rlength: u64,
    /// Delivered length, in bytes.
    pub mlength: u64,
    /// Offset in the entry, in bytes.
    pub remote_offset: u64,
    /// Address of the data in the target's memory.
    pub start: u32,
    /// The pointer of the entry, or of the put or get.
    pub user_ptr: u32,
}

/// A get was served from an entry of the index.
pub const PORTICO_PTL_EVENT_GET: u32 = 0;
/// A get had been served from Overflow, and an append or search has consumed its header.
pub const PORTICO_PTL_EVENT_GET_OVERFLOW: u32 = 1;
/// A put came to an entry of the index.
pub const PORTICO_PTL_EVENT_PUT: u32 = 2;
/// A put had come to Overflow, and an append or search has consumed its header.
pub const PORTICO_PTL_EVENT_PUT_OVERFLOW: u32 = 3;
/// An atomic came.
pub const PORTICO_PTL_EVENT_ATOMIC: u32 = 4;
/// An atomic had come to Overflow.
pub const PORTICO_PTL_EVENT_ATOMIC_OVERFLOW: u32 = 5;
/// An atomic that fetches came.
pub const PORTICO_PTL_EVENT_FETCH_ATOMIC: u32 = 6;
/// An atomic that fetches had come to Overflow.
pub const PORTICO_PTL_EVENT_FETCH_ATOMIC_OVERFLOW: u32 = 7;
/// The data of a get are in the memory descriptor.
pub const PORTICO_PTL_EVENT_REPLY: u32 = 8;
/// The data of a put have been read: its memory may be written again.
pub const PORTICO_PTL_EVENT_SEND: u32 = 9;
/// The target has the data of a put, or refused it.
pub const PORTICO_PTL_EVENT_ACK: u32 = 10;
/// Flow control has disabled the index.
pub const PORTICO_PTL_EVENT_PT_DISABLED: u32 = 11;
/// An entry has left its list by itself, and all its messages are complete.
pub const PORTICO_PTL_EVENT_AUTO_UNLINK: u32 = 12;
/// No header refers to an entry of Overflow that has left.
pub const PORTICO_PTL_EVENT_AUTO_FREE: u32 = 13;
/// A search has found a header, or none.
pub const PORTICO_PTL_EVENT_SEARCH: u32 = 14;
/// An entry is in its list.
pub const PORTICO_PTL_EVENT_LINK: u32 = 15;

/// The operation ended well.
pub const PORTICO_PTL_NI_FAIL_OK: u32 = 0;
/// No entry matched, or the index is not allocated.
pub const PORTICO_PTL_NI_FAIL_DROPPED: u32 = 1;
/// The index is disabled.
pub const PORTICO_PTL_NI_FAIL_PT_DISABLED: u32 = 2;
/// The entry is for another user.
pub const PORTICO_PTL_NI_FAIL_PERM_VIOLATION: u32 = 3;
/// The entry does not allow the operation.
pub const PORTICO_PTL_NI_FAIL_OP_VIOLATION: u32 = 4;
/// A search has found no header.
pub const PORTICO_PTL_NI_FAIL_NO_MATCH: u32 = 5;

/// Entries for expected messages.
pub const PORTICO_PTL_PRIORITY: u32 = 0;
/// Entries that take what nothing in Priority matches.
pub const PORTICO_PTL_OVERFLOW: u32 = 1;

impl From<Event> for portico_ptl_event {
    fn from(event: Event) -> portico_ptl_event {
        portico_ptl_event {
            kind: match event.kind {
                EventKind::Get => PORTICO_PTL_EVENT_GET,
                EventKind::GetOverflow => PORTICO_PTL_EVENT_GET_OVERFLOW,
                EventKind::Put => PORTICO_PTL_EVENT_PUT,
                EventKind::PutOverflow => PORTICO_PTL_EVENT_PUT_OVERFLOW,
                EventKind::Atomic => PORTICO_PTL_EVENT_ATOMIC,
                EventKind::AtomicOverflow => PORTICO_PTL_EVENT_ATOMIC_OVERFLOW,
                EventKind::FetchAtomic => PORTICO_PTL_EVENT_FETCH_ATOMIC,
                EventKind::FetchAtomicOverflow => PORTICO_PTL_EVENT_FETCH_ATOMIC_OVERFLOW,
                EventKind::Reply => PORTICO_PTL_EVENT_REPLY,
                EventKind::Send => PORTICO_PTL_EVENT_SEND,
                EventKind::Ack => PORTICO_PTL_EVENT_ACK,
                EventKind::PtDisabled => PORTICO_PTL_EVENT_PT_DISABLED,
                EventKind::AutoUnlink => PORTICO_PTL_EVENT_AUTO_UNLINK,
                EventKind::AutoFree => PORTICO_PTL_EVENT_AUTO_FREE,
                EventKind::Search => PORTICO_PTL_EVENT_SEARCH,
                EventKind::Link => PORTICO_PTL_EVENT_LINK,
            },
            ni_fail_type: match event.ni_fail_type {
                NiFail::Ok => PORTICO_PTL_NI_FAIL_OK,
                NiFail::Dropped => PORTICO_PTL_NI_FAIL_DROPPED,
                NiFail::PtDisabled => PORTICO_PTL_NI_FAIL_PT_DISABLED,
                NiFail::PermViolation => PORTICO_PTL_NI_FAIL_PERM_VIOLATION,
                NiFail::OpViolation => PORTICO_PTL_NI_FAIL_OP_VIOLATION,
                NiFail::NoMatch => PORTICO_PTL_NI_FAIL_NO_MATCH,
            },
            ptl_list: match event.ptl_list {
                PtlList::Priority => PORTICO_PTL_PRIORITY,
                PtlList::Overflow => PORTICO_PTL_OVERFLOW,
            },
            pt_index: event.pt_index,
            initiator: event.initiator,
            uid: event.uid,
            match_bits: event.match_bits,
            hdr_data: event.hdr_data,
            rlength: event.rlength,
            mlength: event.mlength,
            remote_offset: event.remote_offset,
            start: event.start,
            user_ptr: event.user_ptr,
        }
    }
}

/// PtlEQAlloc: an event queue with at least `count` places.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_eq_alloc(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    count: u64,
    eq: *mut *mut portico_ptl_eq,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("eq", eq) }?;
        let taken = items.get(ni)?.eq_alloc(fabric, count)?;
        out.set(items.add(taken));
        Ok(())
    })
}

/// PtlEQFree.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_IN_USE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL. The handle stays then, unless it
/// was of a queue that is gone.
#[no_mangle]
pub extern "C" fn portico_ptl_eq_free(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    eq: *mut portico_ptl_eq,
) -> portico_status {
    call(fabric, |state| {
        let ni = *state.items.get(ni)?;
        end(state, eq, |fabric, eq| ni.eq_free(fabric, eq))
    })
}

/// Gives the event that was taken, behind lost ones too.
fn taken(event: Out<portico_ptl_event>, found: Result<Event, Error>) -> Result<(), Failure> {
    match found {
        Ok(found) => event.set(found.into()),
        Err(Error::EqDropped(found)) => {
            event.set((*found).into());
            return Err(Error::EqDropped(found).into());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// PtlEQGet: takes the oldest event.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_EQ_EMPTY, PORTICO_E_PTL_EQ_DROPPED if events before this one were lost: it is taken and
/// written; PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_eq_get(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    eq: *mut portico_ptl_eq,
    event: *mut portico_ptl_event,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("event", event) }?;
        taken(out, items.get(ni)?.eq_get(fabric, *items.get(eq)?))
    })
}

/// PtlEQWait: takes the oldest event, and waits for it for at most `timeout` cycles.
///
/// Errors: as of portico_ptl_eq_get(), with PORTICO_E_PTL_FAIL of the time in place of PORTICO_E_PTL_EQ_EMPTY.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_eq_wait(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    eq: *mut portico_ptl_eq,
    timeout: u64,
    event: *mut portico_ptl_event,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("event", event) }?;
        taken(out, items.get(ni)?.eq_wait(fabric, *items.get(eq)?, timeout))
    })
}

/// PtlEQPoll: takes the oldest event of the first of `count` queues that has one, and waits for at most `timeout` cycles. `which`
/// gets the place of the queue; of PORTICO_E_PTL_EQ_DROPPED nothing is written there.
///
/// Errors: as of portico_ptl_eq_get().
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_eq_poll(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    eqs: *const *mut portico_ptl_eq,
    count: usize,
    timeout: u64,
    event: *mut portico_ptl_event,
    which: *mut usize,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let (event, which) = unsafe { (out("event", event)?, out("which", which)?) };
        let eqs = unsafe { array("eqs", eqs, count) }?;
        let polled = eqs.iter().map(|&eq| items.get(eq).copied());
        let polled = polled.collect::<Result<Vec<_>, Failure>>()?;
        let found = items.get(ni)?.eq_poll(fabric, &polled, timeout);
        if let Ok((_, place)) = &found {
            which.set(*place);
        }
        taken(event, found.map(|(event, _)| event))
    })
}
