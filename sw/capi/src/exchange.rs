//! Exchanges that are prepared.

use portico::exchange::Exchange;

use crate::{
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::portico_status,
};

/// An exchange that is prepared, and can be started again and again. It belongs to the thread that has the fabric.
pub struct portico_exchange;

handles! {
    portico_exchange: Exchange, "exchange";
}

/// Starts all members of an exchange, when an earlier start of it and all earlier commands of the members have ended.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_RELEASED, PORTICO_E_TIMEOUT or PORTICO_E_REFUSED of what is waited for, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_exchange_start(
    fabric: *mut portico_fabric,
    exchange: *mut portico_exchange,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(exchange)?.start(fabric)?)
    })
}

/// Whether all members have received all blocks. An exchange that is not started is complete.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_exchange_poll(
    fabric: *mut portico_fabric,
    exchange: *mut portico_exchange,
    is_complete: *mut bool,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("is_complete", is_complete) }?;
        out.set(items.get_mut(exchange)?.poll(fabric)?);
        Ok(())
    })
}

/// Waits until an exchange is complete, for at most `timeout` cycles. After a time-out it may be waited for again.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_TIMEOUT, PORTICO_E_REFUSED in its place if a put was refused, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_exchange_wait(
    fabric: *mut portico_fabric,
    exchange: *mut portico_exchange,
    timeout: u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(exchange)?.wait(fabric, timeout)?)
    })
}

/// Releases events and memory of an exchange, when it is complete. After an error the handle stays, and the release may be
/// repeated.
///
/// Errors: PORTICO_E_NULL, or as of portico_exchange_wait().
#[no_mangle]
pub extern "C" fn portico_exchange_release(
    fabric: *mut portico_fabric,
    exchange: *mut portico_exchange,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        items.get_mut(exchange)?.release(fabric)?;
        items.take(exchange).map(drop)
    })
}
