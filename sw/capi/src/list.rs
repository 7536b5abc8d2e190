//! Command lists: operations that tiles do by themselves.

use portico::list::{List, Steps};

use crate::{
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::portico_status,
};

/// Operations for tiles, in the order in which each tile begins them: a portico_completion names the steps to which an operation
/// is added. They belong to the thread that has the fabric.
pub struct portico_steps;

/// Steps that lie in the memories of their tiles. They can be started again and again, and move the words that lie in memory then.
/// The list belongs to the thread that has the fabric.
pub struct portico_list;

handles! {
    portico_steps: Steps, "steps";
    portico_list: List, "list";
}

/// Makes steps without an operation.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_steps_new(
    fabric: *mut portico_fabric,
    steps: *mut *mut portico_steps,
) -> portico_status {
    call(fabric, |state| {
        unsafe { out("steps", steps) }?.set(state.items.add(Steps::default()));
        Ok(())
    })
}

/// Forgets steps that will be no list.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub extern "C" fn portico_steps_release(fabric: *mut portico_fabric, steps: *mut portico_steps) -> portico_status {
    call(fabric, |state| state.items.take(steps).map(drop))
}

/// Writes a list of steps into the memories of their tiles. The handle of the steps is stale then, also after an error.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE of operations of the host, PORTICO_E_OUT_OF_RANGE of more than 64 words of
/// descriptors for one engine of a tile, PORTICO_E_EXHAUSTED, or the fabric's. Then nothing stays taken.
#[no_mangle]
pub unsafe extern "C" fn portico_list_new(
    fabric: *mut portico_fabric,
    steps: *mut portico_steps,
    list: *mut *mut portico_list,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("list", list) }?;
        let written = state.fabric.list(state.items.take(steps)?)?;
        out.set(state.items.add(written));
        Ok(())
    })
}

/// Starts a list, when an earlier start of it and all earlier commands of its tiles have ended.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_TIMEOUT or PORTICO_E_REFUSED of what is waited for, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_list_start(fabric: *mut portico_fabric, list: *mut portico_list) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(list)?.start(fabric)?)
    })
}

/// Whether all operations of a list have ended. A list that is not started has ended.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_REFUSED of an engine's operation, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_list_poll(
    fabric: *mut portico_fabric,
    list: *mut portico_list,
    is_complete: *mut bool,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("is_complete", is_complete) }?;
        out.set(items.get_mut(list)?.poll(fabric)?);
        Ok(())
    })
}

/// Waits until all operations of a list have ended, for at most `timeout` cycles. After a time-out it may be waited for again.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED in its place if an operation was refused, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_list_wait(
    fabric: *mut portico_fabric,
    list: *mut portico_list,
    timeout: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(list)?.wait(fabric, timeout)?)
    })
}

/// Releases events, segments and memory of a list, when it is complete. After an error the handle stays, and the release may be
/// repeated.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT if the list does not end, PORTICO_E_REFUSED of its last start, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_list_release(fabric: *mut portico_fabric, list: *mut portico_list) -> portico_status {
    call(fabric, |State { fabric, items }| {
        items.get_mut(list)?.release(fabric)?;
        items.take(list).map(drop)
    })
}
