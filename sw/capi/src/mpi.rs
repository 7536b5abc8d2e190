//! MPI-like calls of groups of tiles. Each gives a request.

use portico::{
    mpi::{Comm, Request, Way},
    Error, Fabric,
};

use crate::{
    carrier::Carrier,
    group::{addresses, matrix, operation, portico_addresses, portico_fold, portico_shape, rank, shape, tiles},
    handle::{call, handles, portico_fabric, State},
    pointer::{out, out_array},
    request::portico_request,
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
    call(fabric, |State { fabric, items }| match items.get(comm)?.engines() {
        Some(engines) => Ok(engines.timeout(fabric, cycles)?),
        None => Ok(()),
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

/// Prepares a call of a group, and gives its request.
///
/// # Safety
/// `request` may be written if it is not NULL.
unsafe fn prepare(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    request: *mut *mut portico_request,
    work: impl FnOnce(&Comm, &mut Fabric<Carrier>) -> Result<Result<Request, Error>, Failure>,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        // SAFETY: promised above.
        let out = unsafe { out("request", request) }?;
        let prepared = work(items.get(comm)?, fabric)??;
        out.set(items.add(prepared));
        Ok(())
    })
}

/// Prepares a barrier: it ends after all members have begun it.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_NOT_BUILT and PORTICO_E_WRONG_WAY of a way that is forced,
/// PORTICO_E_COMMUNICATOR_FAILED, PORTICO_E_EXHAUSTED, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_barrier(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe { prepare(fabric, comm, request, |comm, fabric| Ok(comm.barrier(fabric))) }
}

/// Prepares a broadcast of `words` words from the address of the root, a rank, to the addresses of all others.
///
/// Errors: as of portico_barrier(); PORTICO_E_OUT_OF_RANGE of the root, of a number of addresses and of lengths,
/// PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_DESCRIPTOR of too many words, PORTICO_E_UNALLOCATED of memory that
/// portico_allocate() has not handed out.
#[no_mangle]
pub unsafe extern "C" fn portico_bcast(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    root: u32,
    address: *const portico_addresses,
    words: u32,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let address = addresses("address", address)?;
            Ok(comm.bcast(fabric, root as usize, address, words))
        })
    }
}

/// Prepares an allgather in place: a block of `words` words of every member goes to all members. That of rank r lies at the
/// address of each member + 4 r `words`.
///
/// Errors: as of portico_bcast().
#[no_mangle]
pub unsafe extern "C" fn portico_allgather(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    address: *const portico_addresses,
    words: u32,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let address = addresses("address", address)?;
            Ok(comm.allgather(fabric, address, words))
        })
    }
}

/// Prepares a fold of `words` words from the source addresses of all members into the address `result` of the root, a rank. That
/// address is the root's source or apart from it.
///
/// Errors: as of portico_bcast(); PORTICO_E_ARGUMENT of the fold, PORTICO_E_OVERLAP.
#[no_mangle]
pub unsafe extern "C" fn portico_reduce(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    root: u32,
    source: *const portico_addresses,
    result: u32,
    words: u32,
    fold: portico_fold,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let (source, operation) = (addresses("source", source)?, operation(fold)?);
            Ok(comm.reduce(fabric, root as usize, source, result, words, operation))
        })
    }
}

/// Prepares a fold of `words` words from the source addresses of all members into the result addresses of all members. A member's
/// result address is its source or apart from it.
///
/// Errors: as of portico_reduce().
#[no_mangle]
pub unsafe extern "C" fn portico_allreduce(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    source: *const portico_addresses,
    result: *const portico_addresses,
    words: u32,
    fold: portico_fold,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            Ok(comm.allreduce(fabric, source, result, words, operation(fold)?))
        })
    }
}

/// Prepares a fold of as many blocks of `words` words as there are members, which leaves at each member the block of its rank:
/// that of rank r lies at the source address of each member + 4 r `words`, and goes to the result address of member r.
///
/// Errors: as of portico_reduce().
#[no_mangle]
pub unsafe extern "C" fn portico_reduce_scatter(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    source: *const portico_addresses,
    result: *const portico_addresses,
    words: u32,
    fold: portico_fold,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            Ok(comm.reduce_scatter(fabric, source, result, words, operation(fold)?))
        })
    }
}

/// Prepares a scatter: the block of `words` words for rank r lies at `source` + 4 r `words` of the root, a rank, and goes to the
/// result address of member r.
///
/// Errors: as of portico_bcast(); PORTICO_E_OVERLAP.
#[no_mangle]
pub unsafe extern "C" fn portico_scatter(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    root: u32,
    source: u32,
    result: *const portico_addresses,
    words: u32,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let result = addresses("result", result)?;
            Ok(comm.scatter(fabric, root as usize, source, result, words))
        })
    }
}

/// Prepares a gather: the block of `words` words at the source address of rank r goes to `result` + 4 r `words` of the root, a
/// rank.
///
/// Errors: as of portico_scatter().
#[no_mangle]
pub unsafe extern "C" fn portico_gather(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    root: u32,
    source: *const portico_addresses,
    result: u32,
    words: u32,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let source = addresses("source", source)?;
            Ok(comm.gather(fabric, root as usize, source, result, words))
        })
    }
}

/// Prepares an alltoall: member r sends the block of `words` words at its source address + 4 s `words` to rank s, and gets the
/// block from rank s at its result address + 4 s `words`.
///
/// Errors: as of portico_scatter().
#[no_mangle]
pub unsafe extern "C" fn portico_alltoall(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    source: *const portico_addresses,
    result: *const portico_addresses,
    words: u32,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            Ok(comm.alltoall(fabric, source, result, words))
        })
    }
}

/// Prepares an alltoall of blocks of different lengths: `words`, an array of size times size elements, has at r times size + s the
/// words of the block from rank r to rank s. At a sender the blocks lie behind each other in the order of their receivers, at a
/// receiver in the order of their senders.
///
/// Errors: as of portico_scatter(); PORTICO_E_OUT_OF_RANGE of `count`, the elements of `words`.
#[no_mangle]
pub unsafe extern "C" fn portico_alltoallv(
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
    source: *const portico_addresses,
    result: *const portico_addresses,
    words: *const u32,
    count: usize,
    request: *mut *mut portico_request,
) -> portico_status {
    unsafe {
        prepare(fabric, comm, request, |comm, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            let words = matrix("words", words, count, comm.size())?;
            Ok(comm.alltoallv(fabric, source, result, &words))
        })
    }
}
