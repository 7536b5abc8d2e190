//! Senders of a queue, and their messages.

use portico::queue::{Sender, Unretired};

use crate::{
    completion::{initiator, portico_completion, End},
    handle::{call, handles, portico_fabric, State},
    pointer::out,
    queue::portico_queue,
    status::portico_status,
};

/// The right of a node to send to a queue. It belongs to the thread that has the fabric.
pub struct portico_sender;

handles! {
    portico_sender: Sender, "sender";
}

/// Makes a queue known to a node, which may have `credits` messages in it at a time.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE of the credits, PORTICO_E_EXHAUSTED, PORTICO_E_NO_SUCH_NODE,
/// PORTICO_E_NOT_BUILT, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_queue_sender(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    node: u32,
    credits: u32,
    sender: *mut *mut portico_sender,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("sender", sender) }?;
        let made = items.get_mut(queue)?.sender(fabric, node as usize, credits)?;
        out.set(items.add(made));
        Ok(())
    })
}

/// Node of a sender, and the handle of the queue there, as descriptors name it.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_sender_info(
    fabric: *mut portico_fabric,
    sender: *mut portico_sender,
    node: *mut u32,
    handle: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let (node, handle) = unsafe { (out("node", node)?, out("handle", handle)?) };
        let sender = state.items.get(sender)?;
        node.set(sender.node() as u32);
        handle.set(sender.handle().into());
        Ok(())
    })
}

/// Sends `bytes` of the memory of the sender's node, from byte `local` on, as a message. Complete when it is sent, for which it
/// waits until the sender has a credit.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE if it is too long, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_MISALIGNED,
/// PORTICO_E_NO_CREDIT of the host, or of the operation as of portico_put().
#[no_mangle]
pub unsafe extern "C" fn portico_enqueue(
    fabric: *mut portico_fabric,
    sender: *mut portico_sender,
    local: u32,
    bytes: u32,
    completion: *const portico_completion,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let end = unsafe { End::read(completion) }?;
        let sender = items.get(sender)?;
        let operation = initiator(fabric, sender.node() as u32)?.enqueue(sender, local, bytes)?;
        end.of(operation, items).map(|_| ())
    })
}

/// Takes back a sender's credits and its segment handle. After an error the sender stays.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_UNRELEASED if a message of it is, or will be, in the queue, PORTICO_E_WRONG_QUEUE,
/// PORTICO_E_EXHAUSTED, PORTICO_E_TIMEOUT, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_queue_retire(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    sender: *mut portico_sender,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        items.get(queue)?;
        let retiring = items.take(sender)?;
        match items.get_mut(queue)?.retire(fabric, retiring) {
            Ok(()) => Ok(()),
            Err(Unretired { sender: kept, error }) => {
                items.put_back(sender, kept);
                Err(error.into())
            }
        }
    })
}

/// Releases the segment handle of a sender whose queue is closed or will be. The handle is stale then, also after an error of the
/// fabric.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_sender_release(fabric: *mut portico_fabric, sender: *mut portico_sender) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.take(sender)?.release(fabric)?)
    })
}
