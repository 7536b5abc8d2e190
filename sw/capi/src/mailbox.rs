//! Mailboxes: 64 bits at a time, from any node.

use portico::mailbox::{Delivery, Mailbox};

use crate::{
    completion::{initiator, portico_completion, End},
    event::portico_event,
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    status::portico_status,
};

/// A mailbox of a node. Every node may send to it. It belongs to the thread that has the fabric.
pub struct portico_mailbox;

handles! {
    portico_mailbox: Mailbox, "mailbox";
}

/// Takes a mailbox of a node, empty. With `arrivals` 0, each message replaces the one before, and notifies; with 1 to 255,
/// messages are ORed, and the last of this number notifies. `event`, of the same node, is notified; it may be NULL.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE of `arrivals`, PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED,
/// PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT at a memory node, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_mailbox_take(
    fabric: *mut portico_fabric,
    node: u32,
    arrivals: u32,
    event: *mut portico_event,
    mailbox: *mut *mut portico_mailbox,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("mailbox", mailbox) }?;
        let delivery = match arrivals {
            0 => Delivery::Message,
            arrivals => Delivery::Barrier(arrivals),
        };
        let taken = fabric.mailbox(node as usize, delivery, items.optional(event)?)?;
        out.set(items.add(taken));
        Ok(())
    })
}

/// Node of a mailbox, and its number there.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_mailbox_info(
    fabric: *mut portico_fabric,
    mailbox: *mut portico_mailbox,
    node: *mut u32,
    number: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let (node, number) = unsafe { (out("node", node)?, out("number", number)?) };
        let mailbox = state.items.get(mailbox)?;
        node.set(mailbox.node() as u32);
        number.set(mailbox.number().into());
        Ok(())
    })
}

/// Arrivals since the mailbox was cleared, or of the round of its barrier; and the value.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_mailbox_read(
    fabric: *mut portico_fabric,
    mailbox: *mut portico_mailbox,
    count: *mut u32,
    value: *mut u64,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let (count, value) = unsafe { (out("count", count)?, out("value", value)?) };
        let (arrived, found) = items.get(mailbox)?.read(fabric)?;
        count.set(arrived);
        value.set(found);
        Ok(())
    })
}

/// Sets count and value to 0.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_mailbox_clear(fabric: *mut portico_fabric, mailbox: *mut portico_mailbox) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get(mailbox)?.clear(fabric)?)
    })
}

/// Releases a mailbox. Later messages to it stay unnoticed. The handle is stale then, also after an error of the fabric.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_mailbox_release(
    fabric: *mut portico_fabric,
    mailbox: *mut portico_mailbox,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.take(mailbox)?.release(fabric)?)
    })
}

/// Sends 64 bits from a node, a tile or the host, to a mailbox. Complete when they are sent.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_NO_SUCH_NODE, PORTICO_E_NO_WAY from an edge node to itself, or of the operation as of
/// portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_mail(
    fabric: *mut portico_fabric,
    node: u32,
    mailbox: *mut portico_mailbox,
    value: u64,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let end = unsafe { End::read(completion) }?;
        let operation = initiator(fabric, node)?.mail(items.get(mailbox)?, value)?;
        end.of(operation, items).map(|_| ())
    })
}
