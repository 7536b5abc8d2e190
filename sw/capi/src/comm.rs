//! Groups of tiles that make MPI-like calls.

use portico::mpi::{Comm, Way};

use crate::{
    group::{portico_shape, rank, shape, tiles},
    handle::{call, handles, portico_fabric, State},
    pointer::{out, out_array},
    status::{portico_status, Failure},
};

/// A group of tiles that make MPI-like calls. Members have ranks, 0 and up, in the order in which they were named. It belongs to
/// the thread that has the fabric.
pub struct portico_comm;

handles! {
    portico_comm: Comm, "comm";
}

/// How a call is carried out: one of PORTICO_WAY_*.
pub type portico_way = u32;

/// As is likely to be the fastest.
pub const PORTICO_WAY_CHEAPEST: portico_way = 0;
/// By the message-passing engines of the members.
pub const PORTICO_WAY_ENGINES: portico_way = 1;
/// By puts of the members, from command lists.
pub const PORTICO_WAY_PUTS: portico_way = 2;
/// By this program.
pub const PORTICO_WAY_HOST: portico_way = 3;

pub(crate) fn way(way: Way) -> portico_way {
    match way {
        Way::Engines => PORTICO_WAY_ENGINES,
        Way::Puts => PORTICO_WAY_PUTS,
        Way::Host => PORTICO_WAY_HOST,
    }
}

/// What is known of a group.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_comm_facts {
    /// How many members it has.
    pub size: u32,
    /// Whether all members have message-passing engines.
    pub has_engines: bool,
    /// The least time-out of portico_comm_timeout(), in cycles; 0 without engines.
    pub least_timeout: u32,
}

/// Makes a group of `count` tiles, in the order of their ranks.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the shape, PORTICO_E_OUT_OF_RANGE, PORTICO_E_TREE, PORTICO_E_EXHAUSTED,
/// PORTICO_E_NO_CONTEXT, or the fabric's: nothing stays taken.
#[no_mangle]
pub unsafe extern "C" fn portico_comm_new(
    fabric: *mut portico_fabric,
    members: *const u32,
    count: usize,
    joined: *const portico_shape,
    comm: *mut *mut portico_comm,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("comm", comm) }?;
        let (tiles, shape) = unsafe { (tiles(members, count)?, shape(joined)?) };
        out.set(items.add(fabric.mpi(&tiles, &shape)?));
        Ok(())
    })
}

/// What is known of a group.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_comm_info(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    facts: *mut portico_comm_facts,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("facts", facts) }?;
        let comm = state.items.get(comm)?;
        out.set(portico_comm_facts {
            size: comm.size() as u32,
            has_engines: comm.engines().is_some(),
            least_timeout: comm.engines().map_or(0, |engines| engines.least_timeout()),
        });
        Ok(())
    })
}

/// The members of a group by rank, into an array with room for `count`, at least the size of the group.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
#[no_mangle]
pub unsafe extern "C" fn portico_comm_tiles(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    members: *mut u32,
    count: usize,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out_array("members", members, count) }?;
        let comm = state.items.get(comm)?;
        out.check_room("members", comm.size())?;
        let tiles: Vec<u32> = comm.tiles().iter().map(|&tile| tile as u32).collect();
        out.set(&tiles);
        Ok(())
    })
}

/// The rank of a tile; PORTICO_NO_RANK if it is no member.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_comm_rank(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    tile: u32,
    own: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("own", own) }?;
        out.set(rank(state.items.get(comm)?.rank(tile as usize)));
        Ok(())
    })
}

/// Carries out later calls of a group in this way.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the way.
#[no_mangle]
pub extern "C" fn portico_comm_force(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    way: portico_way,
) -> portico_status {
    call(fabric, |state| {
        let way = match way {
            PORTICO_WAY_CHEAPEST => None,
            PORTICO_WAY_ENGINES => Some(Way::Engines),
            PORTICO_WAY_PUTS => Some(Way::Puts),
            PORTICO_WAY_HOST => Some(Way::Host),
            way => return Err(Failure::choice("way", way)),
        };
        state.items.get_mut(comm)?.force(way);
        Ok(())
    })
}

/// How long a call of the engines may stand still at a member before it fails there, in cycles of the fabric; 0 for ever. Without
/// engines nothing is set.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_TIMEOUT below the least, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_comm_timeout(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    cycles: u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(comm)?.timeout(fabric, cycles)?)
    })
}

/// Recovers the communicator of the engines of a group, as portico_communicator_recover() does. Without engines nothing is done.
///
/// Errors: as of portico_communicator_recover().
#[no_mangle]
pub extern "C" fn portico_comm_recover(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    cycles: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(comm)?.recover(fabric, cycles)?)
    })
}

/// Releases a group. Its requests that were not released can only be released. After an error the handle stays.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_UNDER_WAY if a request is under way, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_comm_release(fabric: *mut portico_fabric, comm: *mut portico_comm) -> portico_status {
    call(fabric, |State { fabric, items }| {
        items.get_mut(comm)?.release(fabric)?;
        items.take(comm).map(drop)
    })
}
