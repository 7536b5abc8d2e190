//! What an engine tells software: events in rings, counters, and events of the tile.

use std::collections::VecDeque;

use portico_spec::{
    ni::event::EVENT_WIDTH,
    portals::engine::{Event, COUNTERS, EVENT_BYTES, EVENT_PRESENT_OFFSET, QUEUES, QUEUE_SIZE_WIDTH},
    Node,
};

use super::{
    super::{
        bits::{bit, field},
        memory::Memory,
    },
    bytes,
    message::{Answer, Message},
    PortalsStep,
};

/// A counter.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter {
    /// Successes, or bytes of them.
    pub success: u32,
    /// Failures.
    pub failure: u32,
    /// Register `ct_event`.
    pub event: u32,
}

/// An event queue: a ring in the scratchpad.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    /// Byte address of the first event.
    pub base: u32,
    log: u32,
    written: u16,
    /// Events that software has taken, modulo 2^16.
    pub taken: u16,
    /// Events for which there was no room, modulo 2^16.
    pub dropped: u16,
    /// An event was dropped after the last that was written.
    has_dropped: bool,
    /// Register `eq_event`.
    pub event: u32,
}

/// Counters, event queues, and what is to leave the engine.
#[derive(Clone, Debug)]
pub(super) struct Reports {
    pub counters: Vec<Counter>,
    pub rings: Vec<Ring>,
    steps: VecDeque<PortalsStep>,
}

impl Ring {
    /// Gives the ring room for 2^log events, and empties it.
    pub fn resize(&mut self, log: u32) {
        *self = Ring {
            base: self.base,
            log: field(log, 0, QUEUE_SIZE_WIDTH),
            event: self.event,
            ..Ring::default()
        };
    }

    /// Writes an event if there is room; false if not.
    fn write(&mut self, memory: &mut Memory, event: &Event) -> bool {
        if self.log == 0 {
            return false;
        }
        let size = 1 << self.log;
        if self.written.wrapping_sub(self.taken) == size {
            self.dropped = self.dropped.wrapping_add(1);
            self.has_dropped = true;
            return false;
        }
        let event = Event {
            dropped: std::mem::take(&mut self.has_dropped),
            ..*event
        };
        let first_lap = self.written >> self.log & 1 == 0;
        let start = self.base + u32::from(self.written % size) * EVENT_BYTES as u32;
        for (at, word) in (start..).step_by(4).zip(event.encode(first_lap)) {
            bytes::write_word(memory, at, word);
        }
        self.written = self.written.wrapping_add(1);
        true
    }
}

impl Reports {
    /// Counters of 0 and event queues without rings.
    pub fn new() -> Reports {
        Reports {
            counters: vec![Counter::default(); COUNTERS],
            rings: vec![Ring::default(); QUEUES],
            steps: VecDeque::new(),
        }
    }

    /// Whether nothing is to leave the engine.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What leaves the engine next.
    pub fn next(&mut self) -> Option<PortalsStep> {
        self.steps.pop_front()
    }

    /// Lets a packet or the end of a command leave the engine, after what is to leave it already.
    pub fn push(&mut self, step: PortalsStep) {
        self.steps.push_back(step);
    }

    /// Lets an answer leave the engine likewise, if there is one.
    pub fn answer(&mut self, initiator: Node, answer: Option<Answer>) {
        if let Some(answer) = answer {
            self.push(PortalsStep::Sends(initiator, Message::Answer(answer)));
        }
    }

    /// Posts an event to an event queue, if there is one. An event queue without a ring loses it.
    pub fn post(&mut self, memory: &mut Memory, queue: Option<usize>, event: &Event) {
        let Some(queue) = queue else { return };
        let ring = &mut self.rings[queue];
        if ring.write(memory, event) {
            let event = ring.event;
            self.notify(event);
        }
    }

    /// Increments both counts of a counter, in one step.
    pub fn count(&mut self, counter: usize, success: u32, failure: u32) {
        let Counter {
            success: now,
            failure: failed,
            ..
        } = self.counters[counter];
        self.set(counter, now.wrapping_add(success), failed.wrapping_add(failure));
    }

    /// Sets both counts of a counter, in one step.
    pub fn set(&mut self, counter: usize, success: u32, failure: u32) {
        let counter = &mut self.counters[counter];
        (counter.success, counter.failure) = (success, failure);
        let event = counter.event;
        self.notify(event);
    }

    /// Counts in the event of the tile that a register names, if it names one.
    fn notify(&mut self, register: u32) {
        if bit(register, EVENT_PRESENT_OFFSET) {
            self.push(PortalsStep::Notifies(field(register, 0, EVENT_WIDTH)));
        }
    }
}
