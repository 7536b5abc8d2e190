//! Portals 4.3: interfaces, portal indices, counters, event queues.

use portico::{
    portals::{
        self, get_map, set_map, CtEvent, CtHandle, EqHandle, Error, Event, EventKind, Interface, Ni, NiFail, NiLimits,
        Process, PtlList, StatusRegister,
    },
    Fabric,
};

use crate::{
    carrier::Carrier,
    handle::{call, handles, portico_fabric, Handle, State},
    options::{portico_ptl_options, pt_options},
    pointer::{array, out, out_array, structure, Out},
    status::{portico_status, Failure},
};

/// An interface of a tile, opened by PtlNIInit. It belongs to the thread that has the fabric.
pub struct portico_ptl_ni;

/// A counter of an interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_ct;

/// An event queue of an interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_eq;

handles! {
    portico_ptl_ni: Ni, "ni";
    portico_ptl_ct: CtHandle, "ct";
    portico_ptl_eq: EqHandle, "eq";
}

/// Which interface of a tile: one of PORTICO_PTL_NI_*.
pub type portico_ptl_interface = u32;

/// Entries have match bits and a source.
pub const PORTICO_PTL_NI_MATCHING: portico_ptl_interface = 0;
/// The first entry of an index takes every message.
pub const PORTICO_PTL_NI_NO_MATCHING: portico_ptl_interface = 1;

/// A status register of an interface: one of PORTICO_PTL_SR_*.
pub type portico_ptl_status_register = u32;

/// Messages that matched nothing, or met an index that is disabled or not allocated.
pub const PORTICO_PTL_SR_DROP_COUNT: portico_ptl_status_register = 0;
/// Messages whose entry is for another user.
pub const PORTICO_PTL_SR_PERMISSION_VIOLATIONS: portico_ptl_status_register = 1;
/// Messages whose entry does not allow the operation.
pub const PORTICO_PTL_SR_OPERATION_VIOLATIONS: portico_ptl_status_register = 2;

/// Any portal index, user or rank.
pub const PORTICO_PTL_ANY: u32 = 0xffff_ffff;

/// Counts of a counter: ptl_ct_event_t.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_ct_event {
    /// Successes, or bytes.
    pub success: u64,
    /// Failures.
    pub failure: u64,
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
/// A get had been served from Overflow.
pub const PORTICO_PTL_EVENT_GET_OVERFLOW: u32 = 1;
/// A put came to an entry of the index.
pub const PORTICO_PTL_EVENT_PUT: u32 = 2;
/// A put had come to Overflow.
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
/// A search has ended.
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

/// Entries for expected messages.
pub const PORTICO_PTL_PRIORITY: u32 = 0;
/// Entries that take what nothing in Priority matches.
pub const PORTICO_PTL_OVERFLOW: u32 = 1;

/// Limits of an interface: ptl_ni_limits_t. What does not exist has 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_limits {
    /// Entries in all lists.
    pub max_entries: u64,
    /// Headers of unexpected messages.
    pub max_unexpected_headers: u64,
    /// Memory descriptors.
    pub max_mds: u64,
    /// Counters.
    pub max_cts: u64,
    /// Event queues.
    pub max_eqs: u64,
    /// Largest portal index.
    pub max_pt_index: u64,
    /// Pieces of a memory descriptor or entry.
    pub max_iovecs: u64,
    /// Entries of one list.
    pub max_list_size: u64,
    /// Triggered operations.
    pub max_triggered_ops: u64,
    /// Bytes of a message.
    pub max_msg_size: u64,
    /// Bytes of an atomic.
    pub max_atomic_size: u64,
    /// Bytes of an atomic that fetches.
    pub max_fetch_atomic_size: u64,
    /// Bytes whose order is kept when one message writes what another wrote.
    pub max_waw_ordered_size: u64,
    /// Bytes whose order is kept when one message writes what another read.
    pub max_war_ordered_size: u64,
    /// Bytes of a put that are copied before it returns.
    pub max_volatile_size: u64,
    /// Whether the data of two messages of a pair are in their order, whatever they do.
    pub total_data_ordering: bool,
}

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

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        use portico_status::*;
        let status = match &error {
            Error::Fail(_) | Error::Damaged { .. } => PORTICO_E_PTL_FAIL,
            Error::NoInit { .. } => PORTICO_E_PTL_NO_INIT,
            Error::ArgInvalid { .. } | Error::Stale { .. } | Error::WrongInterface { .. } => PORTICO_E_PTL_ARG_INVALID,
            Error::NoSpace { .. } => PORTICO_E_PTL_NO_SPACE,
            Error::PtFull { .. } => PORTICO_E_PTL_PT_FULL,
            Error::PtInUse { .. } => PORTICO_E_PTL_PT_IN_USE,
            Error::PtEqNeeded => PORTICO_E_PTL_PT_EQ_NEEDED,
            Error::InUse { .. } => PORTICO_E_PTL_IN_USE,
            Error::EqEmpty => PORTICO_E_PTL_EQ_EMPTY,
            Error::EqDropped(_) => PORTICO_E_PTL_EQ_DROPPED,
            Error::CtNoneReached { .. } => PORTICO_E_PTL_CT_NONE_REACHED,
            Error::Ignored => PORTICO_E_PTL_IGNORED,
        };
        Failure::new(status, error)
    }
}

/// Ends what a handle stands for. A handle of what has gone by itself is ended too.
pub(crate) fn end<H: Handle<Item: Copy>>(
    State { fabric, items }: &mut State,
    handle: *mut H,
    work: impl FnOnce(&mut Fabric<Carrier>, H::Item) -> Result<(), Error>,
) -> Result<(), Failure> {
    let ended = work(fabric, *items.get(handle)?);
    if matches!(ended, Ok(()) | Err(Error::Stale { .. })) {
        items.take(handle)?;
    }
    Ok(ended?)
}

/// Sets the tiles of the ranks: `tiles` has one for each of `count` ranks. It is to be called before the first
/// portico_ptl_ni_init().
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_IGNORED if another map is set, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_set_map(
    fabric: *mut portico_fabric,
    tiles: *const u32,
    count: usize,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let tiles = unsafe { crate::group::tiles(tiles, count) }?;
        let map: Vec<Process> = tiles.into_iter().map(Process::from).collect();
        Ok(set_map(fabric, &map)?)
    })
}

/// The tile of each rank, into an array with room for `size`. `count` gets how many ranks there are, 0 if no map is set.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_get_map(
    fabric: *mut portico_fabric,
    tiles: *mut u32,
    size: usize,
    count: *mut usize,
) -> portico_status {
    call(fabric, |State { fabric, .. }| {
        let (tiles, count) = unsafe { (out_array("tiles", tiles, size)?, out("count", count)?) };
        let map: Vec<u32> = get_map(fabric).iter().map(|process| process.nid as u32).collect();
        tiles.check_room("tiles", map.len())?;
        tiles.set(&map);
        count.set(map.len());
        Ok(())
    })
}

/// PtlNIInit: an interface of a tile that has a rank. An interface that is open is the same one again, and is to be closed as
/// often.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_PTL_NO_INIT without a rank, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ni_init(
    fabric: *mut portico_fabric,
    tile: u32,
    interface: portico_ptl_interface,
    ni: *mut *mut portico_ptl_ni,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("ni", ni) }?;
        let interface = match interface {
            PORTICO_PTL_NI_MATCHING => Interface::Matching,
            PORTICO_PTL_NI_NO_MATCHING => Interface::NonMatching,
            interface => return Err(Failure::choice("interface", interface)),
        };
        out.set(items.add(Ni::open(fabric, tile as usize, interface)?));
        Ok(())
    })
}

/// PtlNIFini. The last one of an interface ends its entries, indices, memory descriptors, counters and event queues.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_FAIL of the fabric, or if messages in progress do not end in time: the handle stays then.
#[no_mangle]
pub extern "C" fn portico_ptl_ni_fini(fabric: *mut portico_fabric, ni: *mut portico_ptl_ni) -> portico_status {
    call(fabric, |state| end(state, ni, |fabric, ni| ni.close(fabric)))
}

/// Tile and interface of an interface, and the rank and the user of its tile: PtlGetPhysId, PtlGetId, PtlGetUid.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID if it is closed.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ni_info(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    tile: *mut u32,
    interface: *mut portico_ptl_interface,
    rank: *mut u32,
    uid: *mut u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let (tile, interface) = unsafe { (out("tile", tile)?, out("interface", interface)?) };
        let (rank, uid) = unsafe { (out("rank", rank)?, out("uid", uid)?) };
        let ni = items.get(ni)?;
        let (physical, id, user) = (ni.get_phys_id(fabric)?, ni.get_id(fabric)?, ni.get_uid(fabric)?);
        tile.set(physical.nid as u32);
        interface.set(match ni.interface() {
            Interface::Matching => PORTICO_PTL_NI_MATCHING,
            Interface::NonMatching => PORTICO_PTL_NI_NO_MATCHING,
        });
        rank.set(id);
        uid.set(user);
        Ok(())
    })
}

/// Sets the user of both interfaces of the tile.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID beyond 4,094, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub extern "C" fn portico_ptl_set_uid(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    uid: u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(ni)?.set_uid(fabric, uid)?)
    })
}

/// PtlNIStatus: a status register, which wraps.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT, PORTICO_E_PTL_ARG_INVALID if it is closed, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ni_status(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    register: portico_ptl_status_register,
    value: *mut u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("value", value) }?;
        let register = match register {
            PORTICO_PTL_SR_DROP_COUNT => StatusRegister::DropCount,
            PORTICO_PTL_SR_PERMISSION_VIOLATIONS => StatusRegister::PermissionViolations,
            PORTICO_PTL_SR_OPERATION_VIOLATIONS => StatusRegister::OperationViolations,
            register => return Err(Failure::choice("register", register)),
        };
        out.set(items.get(ni)?.ni_status(fabric, register)?);
        Ok(())
    })
}

/// The limits of an interface.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID if it is closed.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ni_limits(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    limits: *mut portico_ptl_limits,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("limits", limits) }?;
        let found: NiLimits = items.get(ni)?.limits(fabric)?;
        out.set(portico_ptl_limits {
            max_entries: found.max_entries as u64,
            max_unexpected_headers: found.max_unexpected_headers as u64,
            max_mds: found.max_mds as u64,
            max_cts: found.max_cts as u64,
            max_eqs: found.max_eqs as u64,
            max_pt_index: found.max_pt_index.into(),
            max_iovecs: found.max_iovecs as u64,
            max_list_size: found.max_list_size as u64,
            max_triggered_ops: found.max_triggered_ops as u64,
            max_msg_size: found.max_msg_size,
            max_atomic_size: found.max_atomic_size,
            max_fetch_atomic_size: found.max_fetch_atomic_size,
            max_waw_ordered_size: found.max_waw_ordered_size,
            max_war_ordered_size: found.max_war_ordered_size,
            max_volatile_size: found.max_volatile_size,
            total_data_ordering: found.total_data_ordering,
        });
        Ok(())
    })
}

/// PtlPTAlloc: a portal index, the one of `wanted` or any with PORTICO_PTL_ANY. Its events go to `eq`, which may be NULL.
/// `options` are of PORTICO_PTL_PT_*.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of options, PORTICO_E_PTL_PT_FULL, PORTICO_E_PTL_PT_IN_USE,
/// PORTICO_E_PTL_PT_EQ_NEEDED, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_pt_alloc(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    options: portico_ptl_options,
    eq: *mut portico_ptl_eq,
    wanted: u32,
    pt_index: *mut u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("pt_index", pt_index) }?;
        let (ni, eq) = (*items.get(ni)?, items.optional(eq)?.copied());
        let wanted = (wanted != PORTICO_PTL_ANY).then_some(wanted);
        out.set(ni.pt_alloc(fabric, pt_options(options)?, eq, wanted)?);
        Ok(())
    })
}

/// PtlPTFree.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_PT_IN_USE with entries or messages in progress, PORTICO_E_PTL_ARG_INVALID,
/// PORTICO_E_PTL_FAIL.
#[no_mangle]
pub extern "C" fn portico_ptl_pt_free(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(ni)?.pt_free(fabric, pt_index)?)
    })
}

/// PtlPTEnable.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub extern "C" fn portico_ptl_pt_enable(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(ni)?.pt_enable(fabric, pt_index)?)
    })
}

/// PtlPTDisable: the index refuses messages. Returns when those in progress are complete.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub extern "C" fn portico_ptl_pt_disable(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    pt_index: u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(ni)?.pt_disable(fabric, pt_index)?)
    })
}

/// PtlCTAlloc: a counter, whose counts are 0.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_NO_SPACE, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ct_alloc(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    ct: *mut *mut portico_ptl_ct,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("ct", ct) }?;
        let taken = items.get(ni)?.ct_alloc(fabric)?;
        out.set(items.add(taken));
        Ok(())
    })
}

/// PtlCTFree.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_IN_USE by a memory descriptor, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL. The handle
/// stays then, unless it was of a counter that is gone.
#[no_mangle]
pub extern "C" fn portico_ptl_ct_free(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    ct: *mut portico_ptl_ct,
) -> portico_status {
    call(fabric, |state| {
        let ni = *state.items.get(ni)?;
        end(state, ct, |fabric, ct| ni.ct_free(fabric, ct))
    })
}

fn counts(event: CtEvent) -> portico_ptl_ct_event {
    portico_ptl_ct_event {
        success: event.success,
        failure: event.failure,
    }
}

/// PtlCTGet: the counts of a counter.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ct_get(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    ct: *mut portico_ptl_ct,
    event: *mut portico_ptl_ct_event,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("event", event) }?;
        out.set(counts(items.get(ni)?.ct_get(fabric, *items.get(ct)?)?));
        Ok(())
    })
}

/// PtlCTWait: until the successes have reached `test`, or there is a failure; at most `timeout` cycles.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_FAIL of the time or the fabric, PORTICO_E_PTL_ARG_INVALID.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ct_wait(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    ct: *mut portico_ptl_ct,
    test: u64,
    timeout: u64,
    event: *mut portico_ptl_ct_event,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("event", event) }?;
        out.set(counts(items.get(ni)?.ct_wait(
            fabric,
            *items.get(ct)?,
            test,
            timeout,
        )?));
        Ok(())
    })
}

/// PtlCTPoll: as portico_ptl_ct_wait() of `count` counters, each with its test. `which` gets the place of the one that ended it.
///
/// Errors: as of portico_ptl_ct_wait(), and PORTICO_E_PTL_CT_NONE_REACHED after `timeout` cycles.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ct_poll(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    cts: *const *mut portico_ptl_ct,
    tests: *const u64,
    count: usize,
    timeout: u64,
    event: *mut portico_ptl_ct_event,
    which: *mut usize,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let (event, which) = unsafe { (out("event", event)?, out("which", which)?) };
        let (cts, tests) = unsafe { (array("cts", cts, count)?, array("tests", tests, count)?) };
        let polled = cts.iter().zip(tests).map(|(&ct, &test)| Ok((*items.get(ct)?, test)));
        let polled = polled.collect::<Result<Vec<_>, Failure>>()?;
        let (found, place) = items.get(ni)?.ct_poll(fabric, &polled, timeout)?;
        event.set(counts(found));
        which.set(place);
        Ok(())
    })
}

/// # Safety
/// As of [`structure`].
unsafe fn given(event: *const portico_ptl_ct_event) -> Result<CtEvent, Failure> {
    // SAFETY: promised above.
    let portico_ptl_ct_event { success, failure } = unsafe { structure("event", event) }?;
    Ok(CtEvent { success, failure })
}

/// PtlCTSet: sets both counts.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ct_set(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    ct: *mut portico_ptl_ct,
    event: *const portico_ptl_ct_event,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let event = unsafe { given(event) }?;
        Ok(items.get(ni)?.ct_set(fabric, *items.get(ct)?, event)?)
    })
}

/// PtlCTInc: adds to one of both counts.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_ARG_INVALID, PORTICO_E_PTL_FAIL.
#[no_mangle]
pub unsafe extern "C" fn portico_ptl_ct_inc(
    fabric: *mut portico_fabric,
    ni: *mut portico_ptl_ni,
    ct: *mut portico_ptl_ct,
    event: *const portico_ptl_ct_event,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let event = unsafe { given(event) }?;
        Ok(items.get(ni)?.ct_inc(fabric, *items.get(ct)?, event)?)
    })
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
            return Err(portals::Error::EqDropped(found).into());
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
