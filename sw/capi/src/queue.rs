//! N-to-1 queues: many senders, one owner, whole messages.

use portico::queue::{Message, Queue};

use crate::{
    event::portico_event,
    handle::{call, handles, portico_fabric, State},
    pointer::{out, out_array, Out, OutArray},
    status::{portico_status, Failure},
};

/// A queue of messages, as its owner has it. It belongs to the thread that has the fabric.
pub struct portico_queue;

handles! {
    portico_queue: Queue, "queue";
}

/// What is known of a queue.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_queue_facts {
    /// The node that owns it.
    pub node: u32,
    /// Most bytes of a message.
    pub message_bytes: u32,
    /// Credits that are left to give to senders.
    pub free_credits: u32,
}

/// A message that was received.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_message {
    /// Whether there was one; else all is 0.
    pub found: bool,
    /// The node that sent it.
    pub source: u32,
    /// Its words of 32 bits.
    pub count: usize,
}

/// Makes a queue at a node, with `slots` places, a power of two, for messages of at most `message_bytes` bytes. Arrivals count in
/// `event`, of the same node, which may be NULL.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_MISALIGNED, PORTICO_E_WRONG_NODE of the event, PORTICO_E_EXHAUSTED,
/// PORTICO_E_NO_SUCH_NODE, PORTICO_E_NOT_BUILT, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_queue_new(
    fabric: *mut portico_fabric,
    node: u32,
    slots: u32,
    message_bytes: u32,
    event: *mut portico_event,
    queue: *mut *mut portico_queue,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("queue", queue) }?;
        let event = items.optional(event)?;
        let made = fabric.queue(node as usize, slots, message_bytes, event)?;
        out.set(items.add(made));
        Ok(())
    })
}

/// What is known of a queue.
///
/// Errors: PORTICO_E_NULL.
#[no_mangle]
pub unsafe extern "C" fn portico_queue_info(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    facts: *mut portico_queue_facts,
) -> portico_status {
    call(fabric, |state| {
        let out = unsafe { out("facts", facts) }?;
        let queue = state.items.get(queue)?;
        out.set(portico_queue_facts {
            node: queue.id().node() as u32,
            message_bytes: queue.message_bytes(),
            free_credits: queue.free_credits(),
        });
        Ok(())
    })
}

/// Messages that have arrived and are not yet read.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_queue_waiting(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    messages: *mut u32,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("messages", messages) }?;
        out.set(items.get(queue)?.waiting(fabric)?.into());
        Ok(())
    })
}

/// Where a message of the caller goes, with room for the longest of a queue.
struct Place {
    words: OutArray<u32>,
    message: Out<portico_message>,
}

impl Place {
    /// # Safety
    /// Pointers that are not NULL may be written, `words` as many as `count`.
    unsafe fn new(words: *mut u32, count: usize, message: *mut portico_message) -> Result<Place, Failure> {
        // SAFETY: promised above.
        let (words, message) = unsafe { (out_array("words", words, count)?, out("message", message)?) };
        Ok(Place { words, message })
    }

    fn check(&self, queue: &Queue) -> Result<(), Failure> {
        self.words.check_room("words", queue.message_bytes() as usize / 4)
    }

    fn set(self, message: Option<Message>) -> Result<(), Failure> {
        let found = message.is_some();
        let Message { source, words } = message.unwrap_or(Message {
            source: 0,
            words: vec![],
        });
        // A front that a write has damaged may tell more words than any sender has sent.
        self.words.check_room("words", words.len()).map_err(|_| {
            Failure::new(
                portico_status::PORTICO_E_BAD_MESSAGE,
                format_args!(
                    "a message of node {source} tells {} words: a write has damaged the queue",
                    words.len()
                ),
            )
        })?;
        self.words.set(&words);
        self.message.set(portico_message {
            found,
            source: source as u32,
            count: words.len(),
        });
        Ok(())
    }
}

/// Takes the next message, if one has arrived, into `words`, which has room for `count`, at least `message_bytes` / 4. The message
/// keeps its slot until released.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER, PORTICO_E_BAD_MESSAGE if its slot was overwritten: it must be released. Or the
/// fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_queue_receive(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    words: *mut u32,
    count: usize,
    message: *mut portico_message,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let place = unsafe { Place::new(words, count, message) }?;
        let queue = items.get_mut(queue)?;
        place.check(queue)?;
        place.set(queue.receive(fabric)?)
    })
}

/// As portico_queue_receive(), and waits for a message, for at most `timeout` cycles.
///
/// Errors: as of portico_queue_receive(), and PORTICO_E_TIMEOUT.
#[no_mangle]
pub unsafe extern "C" fn portico_queue_wait(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    timeout: u64,
    words: *mut u32,
    count: usize,
    message: *mut portico_message,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let place = unsafe { Place::new(words, count, message) }?;
        let queue = items.get_mut(queue)?;
        place.check(queue)?;
        place.set(Some(queue.wait(fabric, timeout)?))
    })
}

/// Gives back the slots of the oldest messages that were read, and the credits to their senders.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE if so many were not read, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_queue_release(
    fabric: *mut portico_fabric,
    queue: *mut portico_queue,
    messages: u16,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.get_mut(queue)?.release(fabric, messages)?)
    })
}

/// Closes a queue. Messages in it are lost, and so are those that arrive later. The handle is stale then, also after an error of
/// the fabric.
///
/// Errors: PORTICO_E_NULL, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_queue_close(fabric: *mut portico_fabric, queue: *mut portico_queue) -> portico_status {
    call(fabric, |State { fabric, items }| {
        Ok(items.take(queue)?.close(fabric)?)
    })
}
