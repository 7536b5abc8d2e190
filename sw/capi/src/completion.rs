//! How an operation completes, and who starts it.

use portico::{
    onesided::{Initiator, Operation, Outcome, Ticket},
    Error, Fabric,
};

use crate::{
    carrier::Carrier,
    event::portico_event,
    handle::Items,
    list::portico_steps,
    pointer::{out, structure, Out},
    status::{portico_status, Failure},
    ticket::{portico_ticket, Open},
};

/// How an operation completes. At most one of `ticket`, `event` and `steps` is not NULL. If all are, the call returns when the
/// operation is complete.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_completion {
    /// Cycles that a call without ticket, event and steps waits. After PORTICO_E_TIMEOUT the operation goes on.
    pub timeout: u64,
    /// Where a ticket goes, which tells when the operation is complete.
    pub ticket: *mut *mut portico_ticket,
    /// An event of the initiator, in which the operation counts together with others: see portico_event_drain().
    pub event: *mut portico_event,
    /// Steps to which the operation is added, in place of a start: see portico_list_new().
    pub steps: *mut portico_steps,
    /// The packet shaper: see portico_set_shaper().
    pub shaper: u8,
    /// Whether the node holds the operation until its earlier commands have ended.
    pub drained: bool,
}

/// A node as the initiator of operations.
pub(crate) fn initiator(fabric: &mut Fabric<Carrier>, node: u32) -> Result<Initiator<'_, Carrier>, Error> {
    match node as usize {
        node if node == fabric.host_node() => Ok(fabric.host()),
        node => fabric.tile(node),
    }
}

/// The result of an operation, as this interface gives it.
pub(crate) trait Value: Outcome {
    fn number(self) -> u64;
    fn open(ticket: Ticket<Self>) -> Open;
}

impl Value for () {
    fn number(self) -> u64 {
        0
    }

    fn open(ticket: Ticket<()>) -> Open {
        Open::Done(ticket)
    }
}

impl Value for u32 {
    fn number(self) -> u64 {
        self.into()
    }

    fn open(ticket: Ticket<u32>) -> Open {
        Open::Word(ticket)
    }
}

impl Value for u64 {
    fn number(self) -> u64 {
        self
    }

    fn open(ticket: Ticket<u64>) -> Open {
        Open::Wide(ticket)
    }
}

/// How the caller wants an operation to complete.
pub(crate) struct End {
    wanted: portico_completion,
    ticket: Option<Out<*mut portico_ticket>>,
}

impl End {
    /// # Safety
    /// A pointer that is not NULL points to a completion, whose ticket may be written if it is not NULL.
    pub unsafe fn read(completion: *const portico_completion) -> Result<End, Failure> {
        // SAFETY: promised above.
        let wanted = unsafe { structure("completion", completion) }?;
        let given = [wanted.ticket.is_null(), wanted.event.is_null(), wanted.steps.is_null()];
        if given.into_iter().filter(|is_null| !is_null).count() > 1 {
            return Err(Failure::new(
                portico_status::PORTICO_E_ARGUMENT,
                "completion has more than one of ticket, event and steps",
            ));
        }
        // SAFETY: promised above.
        let ticket = match wanted.ticket.is_null() {
            true => None,
            false => Some(unsafe { out("ticket", wanted.ticket) }?),
        };
        Ok(End { wanted, ticket })
    }

    /// Completes an operation that way. Gives its result if the call waits for it; else 0.
    pub fn of<V: Value>(self, operation: Operation<'_, Carrier, V>, items: &mut Items) -> Result<u64, Failure> {
        let mut operation = operation.shaper(self.wanted.shaper)?;
        if self.wanted.drained {
            operation = operation.drained();
        }
        if let Some(ticket) = self.ticket {
            ticket.set(items.add(V::open(operation.start()?)));
        } else if !self.wanted.event.is_null() {
            operation.count_in(items.get(self.wanted.event)?)?;
        } else if !self.wanted.steps.is_null() {
            operation.add_to(items.get_mut(self.wanted.steps)?);
        } else {
            return Ok(operation.wait(self.wanted.timeout)?.number());
        }
        Ok(0)
    }
}
