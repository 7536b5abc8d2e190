//! Event queues: what a ring has told against what the model has.

use super::{
    site::{INITIATOR, OF_ALL},
    UNEXPECTED,
};
use portico_spec::portals::engine::{Event, EventKind};
use std::collections::{BTreeMap, VecDeque};

/// Bits of a user's pointer that name the other rank. Above them is a number that no other command has.
pub const PEER_WIDTH: usize = 8;

/// Events of a ring that keep their order among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Messages of a rank that have met entries.
    Messages(u16),
    /// Entries for a rank that have left by themselves.
    Unlinks(u8),
    /// Whatever commands of the tile raise, but for AUTO_FREE of entries that keep no headers.
    Commands,
    /// Puts that were read.
    Sends,
    /// Answers of a rank to puts, or to gets. That of a get without data comes by the control plane, and overtakes data.
    Answers(EventCode, u8, bool),
    /// Whatever comes of entries for all ranks, in any order.
    Any,
}

/// An event kind that can be sorted.
type EventCode = u8;

/// A ring of a tile.
#[derive(Default)]
pub struct Ring {
    /// Which of the tile's.
    number: usize,
    /// Logarithms of the device's size and the model's.
    pub logs: [usize; 2],
    /// Events that were taken, modulo 2^16, of the device and of the model.
    pub taken: [u16; 2],
    /// Events that may come.
    expected: BTreeMap<Class, VecDeque<Event>>,
    /// Events of this round: those that the model has, those that have come, and those of them that follow a loss.
    due: usize,
    found: usize,
    flagged: usize,
    /// The next event follows a loss, or may follow one: of a round before this.
    pending: bool,
    carried: bool,
    /// Register `eq_dropped` before this round.
    dropped: u16,
    /// Places and header data of what has come to entries for all ranks.
    pub arrived: Vec<(u32, u64)>,
}

impl Ring {
    pub fn new(number: usize, logs: [usize; 2]) -> Ring {
        Ring {
            number,
            logs,
            ..Ring::default()
        }
    }

    fn class(&self, event: &Event) -> Class {
        let peer = (event.user_pointer & ((1 << PEER_WIDTH) - 1)) as u8;
        match event.kind {
            _ if self.number == OF_ALL => Class::Any,
            EventKind::Send => Class::Sends,
            kind if self.number == INITIATOR => {
                Class::Answers(kind as u8, peer, kind == EventKind::Reply && event.delivered > 0)
            }
            EventKind::Link | EventKind::PutOverflow | EventKind::GetOverflow | EventKind::Search => Class::Commands,
            // Its last header is consumed, or it has consumed one.
            EventKind::AutoFree if event.portal == UNEXPECTED => Class::Commands,
            EventKind::AutoUnlink if event.portal == UNEXPECTED && !event.overflow => Class::Commands,
            EventKind::AutoUnlink | EventKind::AutoFree => Class::Unlinks(peer),
            _ => Class::Messages(event.rank),
        }
    }

    /// The model has raised an event.
    pub fn expect(&mut self, event: Event) {
        self.due += 1;
        // Which messages reach an entry for all ranks depends on who comes first: see [`Ring::allow`].
        if self.number != OF_ALL || event.kind != EventKind::Put {
            self.allow(event);
        }
    }

    /// An event may come.
    pub fn allow(&mut self, event: Event) {
        self.expected.entry(self.class(&event)).or_default().push_back(event);
    }

    /// The device has raised an event.
    ///
    /// # Errors
    /// It is not one that follows those of its class.
    pub fn take(&mut self, event: Event) -> Result<(), String> {
        if self.pending && self.found == 0 && !event.dropped {
            return Err(format!("{event:x?} does not tell that events before it were lost"));
        }
        self.found += 1;
        self.flagged += usize::from(event.dropped);
        let mut event = Event {
            dropped: false,
            ..event
        };
        let class = self.class(&event);
        if class == Class::Any && event.kind == EventKind::Put {
            self.arrived.push((event.start, event.header_data));
            (event.start, event.user_pointer) = (0, 0);
        }
        let expected = self.expected.entry(class).or_default();
        let Some(at) = expected.iter().position(|&other| other == event) else {
            return Err(format!("{event:x?}, expected {:x?}", expected.front()));
        };
        // Those in front of it were lost, if the number of lost ones is right.
        match class {
            Class::Any => drop(expected.remove(at)),
            _ => drop(expected.drain(..=at)),
        }
        Ok(())
    }

    /// What is missing of this round, with register `eq_dropped` being so.
    pub fn missing(&self, dropped: u16) -> Option<String> {
        let lost = usize::from(dropped.wrapping_sub(self.dropped));
        let (found, due) = (self.found, self.due);
        (found + lost != due).then(|| format!("{found} events have come and {lost} are lost, expected {due}"))
    }

    /// The round is over.
    ///
    /// # Errors
    /// Events tell losses that there were not.
    pub fn end(&mut self, dropped: u16) -> Result<(), String> {
        let lost = usize::from(dropped.wrapping_sub(self.dropped));
        let flagged = self.flagged;
        if flagged > lost + usize::from(self.carried) {
            return Err(format!("{flagged} events follow losses, but {lost} were lost"));
        }
        // Of losses that an event tells of, some may have come after the last one.
        let is_silent = self.found == 0 || flagged == usize::from(self.pending);
        self.pending = is_silent && lost > 0 || self.found == 0 && self.pending;
        self.carried = lost > 0 || self.found == 0 && self.carried;
        self.dropped = dropped;
        (self.due, self.found, self.flagged) = (0, 0, 0);
        self.expected.clear();
        self.arrived.clear();
        Ok(())
    }
}
