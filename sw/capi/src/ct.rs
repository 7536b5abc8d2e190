//! Portals 4.3: counters.

use portico::portals::{CtEvent, CtHandle};

use crate::{
    handle::{call, handles, portico_fabric, State},
    pointer::{array, out, structure},
    portals::{end, portico_ptl_ni},
    status::{portico_status, Failure},
};

/// A counter of an interface. It belongs to the thread that has the fabric.
pub struct portico_ptl_ct;

handles! {
    portico_ptl_ct: CtHandle, "ct";
}

/// Counts of a counter: ptl_ct_event_t.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_ptl_ct_event {
    /// Successes, or bytes.
    pub success: u64,
    /// Failures.
    pub failure: u64,
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
