//! Portals 4.3: interfaces and portal indices.

use portico::{
    portals::{get_map, set_map, Error, Interface, Ni, NiLimits, Process, StatusRegister},
    Fabric,
};

use crate::{
    carrier::Carrier,
    eq::portico_ptl_eq,
    group,
    handle::{call, handles, portico_fabric, Handle, State},
    options::{portico_ptl_options, pt_options},
    pointer::{out, out_array},
    status::{portico_status, Failure},
};

/// An interface of a tile, opened by PtlNIInit. It belongs to the thread that has the fabric.
pub struct portico_ptl_ni;

handles! {
    portico_ptl_ni: Ni, "ni";
}

/// Which interface of a tile: one of PORTICO_PTL_NI_*.
pub type portico_ptl_interface = u32;

/// Entries have match bits and a source.
pub const PORTICO_PTL_NI_MATCHING: portico_ptl_interface = 0;
/// The first entry of an index takes every message.
pub const PORTICO_PTL_NI_NO_MATCHING: portico_ptl_interface = 1;

/// A status register of an interface: one of PORTICO_PTL_SR_*.
pub type portico_ptl_status_register = u32;

/// Messages that matched nothing, whose header had no place, or that met an index that is disabled or not allocated.
pub const PORTICO_PTL_SR_DROP_COUNT: portico_ptl_status_register = 0;
/// Messages whose entry is for another user.
pub const PORTICO_PTL_SR_PERMISSION_VIOLATIONS: portico_ptl_status_register = 1;
/// Messages whose entry does not allow the operation.
pub const PORTICO_PTL_SR_OPERATION_VIOLATIONS: portico_ptl_status_register = 2;

/// Any portal index, user or rank.
pub const PORTICO_PTL_ANY: u32 = 0xffff_ffff;

/// Limits of an interface: ptl_ni_limits_t. What does not exist has 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_limits {
    /// Entries in all lists, and headers of unexpected messages: they share their places.
    pub max_entries: u64,
    /// Headers of unexpected messages: as many as entries.
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
        let tiles = unsafe { group::tiles(tiles, count) }?;
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
/// Errors: PORTICO_E_NULL, PORTICO_E_PTL_PT_IN_USE with entries, headers or messages in progress, PORTICO_E_PTL_ARG_INVALID,
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
