//! The initiator's side: moves that wait, and requests that wait for their answers.

use std::{collections::VecDeque, ops::Range};

use portico_spec::{
    portals::engine::{
        Ack, Event, EventKind, Failure, Move, Operation, Request, GET_SLOTS, MD_CT_ACK, MD_CT_BYTES, MD_CT_REPLY,
        MD_CT_SEND, MD_SEND_DISABLE, MD_SUCCESS_DISABLE, SLOTS, WAITING_MOVES,
    },
    Node,
};

use super::{
    super::{descriptor::Common, memory::Memory},
    bytes,
    message::{Answer, Ask, Message},
    reports::Reports,
    tables::MemoryDescriptor,
    PortalsStep, Setting,
};

/// A move that waits. Its memory descriptor and its target are those of the moment at which it was accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// Word 0 of its descriptor.
    pub common: Common,
    /// What it asks for.
    pub request: Move,
    /// The target.
    pub node: Node,
    /// The memory descriptor.
    pub descriptor: MemoryDescriptor,
}

impl Waiting {
    /// Byte address of its local data.
    fn start(&self) -> u32 {
        self.descriptor.start + self.request.local
    }

    /// It is sent: SEND of a put, and the event of its descriptor.
    pub fn report(&self, memory: &mut Memory, reports: &mut Reports) {
        if self.request.operation == Operation::Put {
            report_send(memory, &self.request, &self.descriptor, reports);
        }
        reports.push(PortalsStep::Ends(self.common, None));
    }

    /// The slots of which it needs one; none if nothing answers it.
    fn slots(&self) -> Option<Range<usize>> {
        match (self.request.operation, self.request.ack) {
            (Operation::Get, _) => Some(0..GET_SLOTS),
            (Operation::Put, Ack::None) => None,
            (Operation::Put, _) => Some(GET_SLOTS..SLOTS),
        }
    }
}

/// Moves in their order, and the slots of those whose answers are to come.
#[derive(Clone, Debug)]
pub(super) struct Initiator {
    waiting: VecDeque<Waiting>,
    slots: Vec<Option<Waiting>>,
}

impl Initiator {
    /// Nothing waits.
    pub fn new() -> Initiator {
        Initiator {
            waiting: VecDeque::new(),
            slots: vec![None; SLOTS],
        }
    }

    /// Whether no move waits to be sent or for its answer.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.slots.iter().all(Option::is_none)
    }

    /// Whether as many moves wait as may.
    pub fn is_full(&self) -> bool {
        self.waiting.len() == WAITING_MOVES
    }

    /// Lets a move wait.
    pub fn accept(&mut self, waiting: Waiting) {
        self.waiting.push_back(waiting);
    }

    /// Sends the oldest move, if there is a slot for it, and reports it; false if not.
    pub fn send_next(&mut self, memory: &mut Memory, setting: Setting, reports: &mut Reports) -> bool {
        let Some(next) = self.waiting.front() else {
            return false;
        };
        let slot = match next.slots() {
            None => Some(0),
            Some(mut slots) => slots.find(|&slot| self.slots[slot].is_none()),
        };
        let sent = slot.and_then(|slot| self.send(memory, setting, slot as u8, reports));
        if let Some(sent) = &sent {
            sent.report(memory, reports);
        }
        sent.is_some()
    }

    /// Sends the oldest move with this slot; none if no move waits, or if the slot is not free or not one for the move.
    pub fn send(&mut self, memory: &Memory, setting: Setting, slot: u8, reports: &mut Reports) -> Option<Waiting> {
        let next = self.waiting.front()?;
        if let Some(slots) = next.slots() {
            let place = &mut self.slots[usize::from(slot)];
            if !slots.contains(&usize::from(slot)) || place.is_some() {
                return None;
            }
            *place = Some(*next);
        }
        let sent = self.waiting.pop_front()?;
        let request = &sent.request;
        let payload = match request.operation {
            Operation::Put => bytes::read(memory, sent.start(), request.length),
            Operation::Get => vec![],
        };
        let ask = Ask {
            rank: setting.rank,
            request: Request {
                operation: request.operation,
                ack: request.ack,
                portal: request.portal,
                slot,
            },
            user: setting.user,
            length: request.length,
            remote: request.remote,
            match_bits: request.match_bits,
            header_data: request.header_data,
            payload,
        };
        reports.push(PortalsStep::Sends(sent.node, Message::Ask(ask)));
        Some(sent)
    }

    /// Takes the answer of a request, which frees its slot.
    ///
    /// # Panics
    /// If the slot is free: each answer is of a request.
    pub fn take_answer(&mut self, memory: &mut Memory, answer: &Answer, reports: &mut Reports) {
        let open = self.slots[usize::from(answer.slot)].take().expect("a request waits");
        let Waiting {
            request, descriptor, ..
        } = &open;
        bytes::write(memory, open.start(), &answer.payload);
        let status = &answer.status;
        if status.silent {
            return;
        }
        let is_get = request.operation == Operation::Get;
        let (kind, counts) = match is_get {
            true => (EventKind::Reply, MD_CT_REPLY),
            false => (EventKind::Ack, MD_CT_ACK),
        };
        let succeeded = status.failure == Failure::Ok;
        let is_full = is_get || request.ack == Ack::Full;
        if is_full && !(succeeded && descriptor.has(MD_SUCCESS_DISABLE)) {
            let event = Event {
                failure: status.failure,
                overflow: status.overflow,
                delivered: status.delivered,
                offset: answer.offset,
                user_pointer: request.user_pointer,
                ..Event::new(kind)
            };
            reports.post(memory, descriptor.queue(), &event);
        }
        let Some(counter) = descriptor.counter().filter(|_| descriptor.has(counts)) else {
            return;
        };
        let of_operations = !is_get && request.ack == Ack::Operation;
        match succeeded || of_operations {
            true if descriptor.has(MD_CT_BYTES) && !of_operations => reports.count(counter, status.delivered, 0),
            true => reports.count(counter, 1, 0),
            false => reports.count(counter, 0, 1),
        }
    }
}

/// The data of a put have been read.
fn report_send(memory: &mut Memory, request: &Move, descriptor: &MemoryDescriptor, reports: &mut Reports) {
    if !descriptor.has(MD_SEND_DISABLE) && !descriptor.has(MD_SUCCESS_DISABLE) {
        let event = Event {
            requested: request.length,
            user_pointer: request.user_pointer,
            ..Event::new(EventKind::Send)
        };
        reports.post(memory, descriptor.queue(), &event);
    }
    if let Some(counter) = descriptor.counter().filter(|_| descriptor.has(MD_CT_SEND)) {
        let bytes = descriptor.has(MD_CT_BYTES);
        reports.count(counter, if bytes { request.length } else { 1 }, 0);
    }
}
