//! MPI-like calls of groups of tiles. Each gives a request.

use portico::{
    mpi::{Comm, Request},
    Error, Fabric,
};

use crate::{
    carrier::Carrier,
    comm::portico_comm,
    group::{addresses, matrix, operation, portico_addresses, portico_fold},
    handle::{call, portico_fabric, State},
    pointer::out,
    request::portico_request,
    status::{portico_status, Failure},
};

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
