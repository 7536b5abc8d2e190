//! Calls of communicators, by their message-passing engines.

use portico::{
    collective::{Call, CallTicket, Communicator},
    Error, Fabric,
};

use crate::{
    carrier::Carrier,
    communicator::portico_communicator,
    group::{addresses, operation, portico_addresses, portico_fold},
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::{portico_status, Failure},
};

/// A call of a communicator under way. It belongs to the thread that has the fabric.
pub struct portico_call;

handles! {
    portico_call: CallTicket, "call";
}

/// Starts a call of a communicator.
///
/// # Safety
/// `started` may be written if it is not NULL.
unsafe fn start(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    started: *mut *mut portico_call,
    work: impl for<'f> FnOnce(&Communicator, &'f mut Fabric<Carrier>) -> Result<Result<Call<'f, Carrier>, Error>, Failure>,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        // SAFETY: promised above.
        let out = unsafe { out("started", started) }?;
        let ticket = work(items.get(communicator)?, fabric)??.start()?;
        out.set(items.add(ticket));
        Ok(())
    })
}

/// Starts a call that ends at a member only after all members have begun it. Four calls of a communicator can be under way; a
/// fifth first waits for the oldest.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_COMMUNICATOR_FAILED if an earlier call has failed, PORTICO_E_TIMEOUT, PORTICO_E_EXHAUSTED of
/// events, or the transport's.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_barrier(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    started: *mut *mut portico_call,
) -> portico_status {
    unsafe { start(fabric, communicator, started, |all, fabric| Ok(all.barrier(fabric))) }
}

/// Starts a copy of `words` words from the address of the root, a rank, to the addresses of all others.
///
/// Errors: as of portico_communicator_barrier(); PORTICO_E_OUT_OF_RANGE of the root and of a number of addresses,
/// PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_DESCRIPTOR of too many words.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_broadcast(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    root: u32,
    address: *const portico_addresses,
    words: u32,
    started: *mut *mut portico_call,
) -> portico_status {
    unsafe {
        start(fabric, communicator, started, |all, fabric| {
            let address = addresses("address", address)?;
            Ok(all.broadcast(fabric, root as usize, address, words))
        })
    }
}

/// Starts a fold of `words` words from the source addresses of all members into the address `result` of the root, a rank.
///
/// Errors: as of portico_communicator_broadcast(); PORTICO_E_ARGUMENT of the fold, PORTICO_E_DESCRIPTOR if result and source of the
/// root overlap without being the same.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_reduce(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    root: u32,
    source: *const portico_addresses,
    result: u32,
    words: u32,
    fold: portico_fold,
    started: *mut *mut portico_call,
) -> portico_status {
    unsafe {
        start(fabric, communicator, started, |all, fabric| {
            let (source, operation) = (addresses("source", source)?, operation(fold)?);
            Ok(all.reduce(fabric, root as usize, source, result, words, operation))
        })
    }
}

/// Starts a fold of `words` words from the source addresses of all members into the result addresses of all members.
///
/// Errors: as of portico_communicator_reduce().
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_allreduce(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    source: *const portico_addresses,
    result: *const portico_addresses,
    words: u32,
    fold: portico_fold,
    started: *mut *mut portico_call,
) -> portico_status {
    unsafe {
        start(fabric, communicator, started, |all, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            Ok(all.allreduce(fabric, source, result, words, operation(fold)?))
        })
    }
}

/// Starts a fold of as many blocks of `words` words as there are members, which leaves at each member the block of its rank.
///
/// Errors: as of portico_communicator_reduce(), and PORTICO_E_OVERLAP of source and result of a member.
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_reduce_scatter(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    source: *const portico_addresses,
    result: *const portico_addresses,
    words: u32,
    fold: portico_fold,
    started: *mut *mut portico_call,
) -> portico_status {
    unsafe {
        start(fabric, communicator, started, |all, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            Ok(all.reduce_scatter(fabric, source, result, words, operation(fold)?))
        })
    }
}

/// Starts a copy of a block of `words` words of every member to all members: that of rank r lies at the address of each member
/// + 4 r `words`.
///
/// Errors: as of portico_communicator_broadcast().
#[no_mangle]
pub unsafe extern "C" fn portico_communicator_allgather(
    fabric: *mut portico_fabric,
    communicator: *mut portico_communicator,
    address: *const portico_addresses,
    words: u32,
    started: *mut *mut portico_call,
) -> portico_status {
    unsafe {
        start(fabric, communicator, started, |all, fabric| {
            let address = addresses("address", address)?;
            Ok(all.allgather(fabric, address, words))
        })
    }
}

/// Whether a call has ended at all members.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_COMMUNICATOR_FAILED if it, or one before it, has failed; or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_call_poll(
    fabric: *mut portico_fabric,
    started: *mut portico_call,
    is_complete: *mut bool,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("is_complete", is_complete) }?;
        out.set(items.get_mut(started)?.poll(fabric)?);
        Ok(())
    })
}

/// Waits until a call has ended at all members, for at most `timeout` cycles. After a time-out it may be waited for again.
///
/// Errors: PORTICO_E_TIMEOUT, or as of portico_call_poll().
#[no_mangle]
pub extern "C" fn portico_call_wait(
    fabric: *mut portico_fabric,
    started: *mut portico_call,
    timeout: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(started)?.wait(fabric, timeout)?)
    })
}

/// Releases a call. If it has not ended, it goes on.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub extern "C" fn portico_call_release(fabric: *mut portico_fabric, started: *mut portico_call) -> portico_status {
    call(fabric, |state| state.items.take(started).map(drop))
}
