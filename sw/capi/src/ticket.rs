//! Tickets: operations under way.

use portico::{onesided::Ticket, Error, Fabric};

use crate::{
    carrier::Carrier,
    completion::Value,
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::portico_status,
};

/// An operation under way, which holds an event of its node until it was seen complete. It belongs to the thread that has the
/// fabric.
pub struct portico_ticket;

/// A ticket, by the width of its value.
pub(crate) enum Open {
    Done(Ticket<()>),
    Word(Ticket<u32>),
    Wide(Ticket<u64>),
}

handles! {
    portico_ticket: Open, "ticket";
}

impl Open {
    fn poll(&mut self, fabric: &mut Fabric<Carrier>) -> Result<Option<u64>, Error> {
        Ok(match self {
            Open::Done(ticket) => ticket.poll(fabric)?.map(Value::number),
            Open::Word(ticket) => ticket.poll(fabric)?.map(Value::number),
            Open::Wide(ticket) => ticket.poll(fabric)?,
        })
    }

    fn wait(&mut self, fabric: &mut Fabric<Carrier>, timeout: u64) -> Result<u64, Error> {
        Ok(match self {
            Open::Done(ticket) => ticket.wait(fabric, timeout)?.number(),
            Open::Word(ticket) => ticket.wait(fabric, timeout)?.number(),
            Open::Wide(ticket) => ticket.wait(fabric, timeout)?,
        })
    }
}

/// Whether an operation is complete. `value` gets its result then, 0 for an operation without one.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_REFUSED by the hardware, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_ticket_poll(
    fabric: *mut portico_fabric,
    ticket: *mut portico_ticket,
    is_complete: *mut bool,
    value: *mut u64,
) -> portico_status {
    call(fabric, |state| {
        let (is_complete, result) = unsafe { (out("is_complete", is_complete)?, out("value", value)?) };
        let State { fabric, items } = state;
        let polled = items.get_mut(ticket)?.poll(fabric)?;
        is_complete.set(polled.is_some());
        result.set(polled.unwrap_or(0));
        Ok(())
    })
}

/// Waits until an operation is complete, for at most `timeout` cycles. `value` gets its result, 0 for an operation without one.
/// After a time-out it may be waited for again.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED by the hardware, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_ticket_wait(
    fabric: *mut portico_fabric,
    ticket: *mut portico_ticket,
    timeout: u64,
    value: *mut u64,
) -> portico_status {
    call(fabric, |state| {
        let result = unsafe { out("value", value) }?;
        let State { fabric, items } = state;
        result.set(items.get_mut(ticket)?.wait(fabric, timeout)?);
        Ok(())
    })
}

/// Releases a ticket. An operation that is not complete goes on, and its event is free once it has completed.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub extern "C" fn portico_ticket_release(fabric: *mut portico_fabric, ticket: *mut portico_ticket) -> portico_status {
    call(fabric, |state| state.items.take(ticket).map(drop))
}
