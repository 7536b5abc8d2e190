//! Requests: calls of groups that are prepared.

use portico::mpi::Request;

use crate::{
    comm::{portico_way, way},
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::portico_status,
};

/// A call of a group that is prepared. It can be started again and again, each time with the words that lie in memory then. It
/// belongs to the thread that has the fabric.
pub struct portico_request;

handles! {
    portico_request: Request, "request";
}

/// How a request is carried out, and the cycles that the cost model expects for it.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_request_info(
    fabric: *mut portico_fabric,
    request: *mut portico_request,
    chosen: *mut portico_way,
    estimate: *mut u64,
) -> portico_status {
    call(fabric, |state| {
        let (chosen, estimate) = unsafe { (out("chosen", chosen)?, out("estimate", estimate)?) };
        let request = state.items.get(request)?;
        chosen.set(way(request.way()));
        estimate.set(request.estimate());
        Ok(())
    })
}

/// Starts a request at all members, when an earlier start of it is complete. If the host carries it out, it is complete when this
/// returns.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED, PORTICO_E_COMMUNICATOR_FAILED,
/// PORTICO_E_EXHAUSTED, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_request_start(fabric: *mut portico_fabric, request: *mut portico_request) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(request)?.start(fabric)?)
    })
}

/// Whether a request has ended at all members. One that is not started has.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_COMMUNICATOR_FAILED, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_request_poll(
    fabric: *mut portico_fabric,
    request: *mut portico_request,
    is_complete: *mut bool,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("is_complete", is_complete) }?;
        out.set(items.get_mut(request)?.poll(fabric)?);
        Ok(())
    })
}

/// Waits until a request has ended at all members, for at most `timeout` cycles. After a time-out it may be waited for again.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED, PORTICO_E_COMMUNICATOR_FAILED, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_request_wait(
    fabric: *mut portico_fabric,
    request: *mut portico_request,
    timeout: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(request)?.wait(fabric, timeout)?)
    })
}

/// Releases what a request has taken, when it is complete. After an error the handle stays, and the release may be repeated.
///
/// Errors: PORTICO_E_NULL, or as of portico_request_wait().
#[no_mangle]
pub extern "C" fn portico_request_release(
    fabric: *mut portico_fabric,
    request: *mut portico_request,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        items.get_mut(request)?.release(fabric)?;
        items.take(request).map(drop)
    })
}

/// Starts a request, waits for it, for at most `timeout` cycles, and releases it: the blocking call of MPI. The handle is stale
/// then, also after an error.
///
/// Errors: as of portico_request_start() and portico_request_wait().
#[no_mangle]
pub extern "C" fn portico_request_run(
    fabric: *mut portico_fabric,
    request: *mut portico_request,
    timeout: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.take(request)?.run(fabric, timeout)?)
    })
}
