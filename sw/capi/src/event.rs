//! Events: counters of a node with a threshold.

use portico::event::{Compare, Event, EventState};

use crate::{
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::{portico_status, Failure},
};

/// An event of a node: a counter with a threshold. It belongs to the thread that has the fabric.
pub struct portico_event;

handles! {
    portico_event: Event, "event";
}

/// When an event fires: one of PORTICO_FIRES_*.
pub type portico_fires = u32;

/// Never.
pub const PORTICO_FIRES_NEVER: portico_fires = 0;
/// When the count is the threshold.
pub const PORTICO_FIRES_EQUAL: portico_fires = 1;
/// When the count is the threshold or more.
pub const PORTICO_FIRES_AT_LEAST: portico_fires = 2;
/// When the count is not the threshold.
pub const PORTICO_FIRES_NOT_EQUAL: portico_fires = 3;

/// State of an event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_event_state {
    /// Its counter, modulo 65,536.
    pub count: u16,
    /// Whether its condition holds.
    pub fired: bool,
    /// The code of the first error since the state was cleared; 0 without one.
    pub error: u32,
    /// The result of the last atomic.
    pub value: u64,
}

impl From<EventState> for portico_event_state {
    fn from(state: EventState) -> portico_event_state {
        portico_event_state {
            count: state.count,
            fired: state.fired,
            error: state.error.map_or(0, |code| code as u32),
            value: state.value,
        }
    }
}

/// Takes an event of a node. Its counter is 0 and it never fires.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_event_take(
    fabric: *mut portico_fabric,
    node: u32,
    event: *mut *mut portico_event,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("event", event) }?;
        let taken = state.fabric.event(node as usize)?;
        out.set(state.items.add(taken));
        Ok(())
    })
}

/// Node of an event, and its number there, as descriptors and programs use it.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_event_info(
    fabric: *mut portico_fabric,
    event: *mut portico_event,
    node: *mut u32,
    number: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let (node, number) = unsafe { (out("node", node)?, out("number", number)?) };
        let event = state.items.get(event)?;
        node.set(event.node() as u32);
        number.set(event.number().into());
        Ok(())
    })
}

/// Sets the condition on which an event fires, and whether it then interrupts.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_ARGUMENT of the condition, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_event_configure(
    fabric: *mut portico_fabric,
    event: *mut portico_event,
    threshold: u16,
    fires: portico_fires,
    interrupts: bool,
) -> portico_status {
    call(fabric, |state| {
        let compare = Compare::from_code(fires).ok_or_else(|| Failure::choice("fires", fires))?;
        let event = state.items.get(event)?;
        Ok(event.configure(&mut state.fabric, threshold, compare, interrupts)?)
    })
}

/// Sets the counter and clears the error. No operation should be under way that counts in the event.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_event_reset(
    fabric: *mut portico_fabric,
    event: *mut portico_event,
    count: u16,
) -> portico_status {
    call(fabric, |state| {
        Ok(state.items.get(event)?.reset(&mut state.fabric, count)?)
    })
}

/// Reads the state of an event.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_event_poll(
    fabric: *mut portico_fabric,
    event: *mut portico_event,
    found: *mut portico_event_state,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("found", found) }?;
        out.set(state.items.get(event)?.state(&mut state.fabric)?.into());
        Ok(())
    })
}

/// Waits until an event has fired, for at most `timeout` cycles. An error of the event is in its state, and is no error of this
/// call.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_event_wait(
    fabric: *mut portico_fabric,
    event: *mut portico_event,
    timeout: u64,
    found: *mut portico_event_state,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("found", found) }?;
        out.set(state.items.get(event)?.wait(&mut state.fabric, timeout)?.into());
        Ok(())
    })
}

/// Waits until all operations that count in an event are complete, for at most `timeout` cycles. Nothing else may count in it.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_REFUSED with the first error, which is cleared then; PORTICO_E_TIMEOUT; or the fabric's.
#[no_mangle]
pub extern "C" fn portico_event_drain(
    fabric: *mut portico_fabric,
    event: *mut portico_event,
    timeout: u64,
) -> portico_status {
    call(fabric, |state| {
        Ok(state.items.get(event)?.drain(&mut state.fabric, timeout)?)
    })
}

/// Switches an event off and releases it. The handle is stale then, also after an error of the fabric.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_event_release(fabric: *mut portico_fabric, event: *mut portico_event) -> portico_status {
    call(fabric, |state| {
        let State { fabric, items } = state;
        Ok(items.take(event)?.release(fabric)?)
    })
}
