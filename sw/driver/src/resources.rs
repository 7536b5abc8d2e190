//! Resources of each node that the driver allocates: numbered items, memory, and room in the command queue.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use portico_spec::{
    config::MAX_SCRATCHPAD,
    ni::{
        build::Build,
        command::{opcode, QUEUE_WORDS},
        instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
    },
    parts::{Station, PARTS},
};

use crate::Error;

/// A feature that a node may be built without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    /// Name used in error messages.
    pub what: &'static str,
    /// Whether a node that is built so has it.
    pub is_built: fn(&Build) -> bool,
    /// The key that gives it to tiles, if one does.
    pub tile_key: Option<&'static str>,
    /// The key that gives it to the host, if one does.
    pub host_key: Option<&'static str>,
}

impl Feature {
    /// The error of node `node`, of this kind, that lacks it.
    pub fn missing(&self, node: usize, station: Station) -> Error {
        let key = match station {
            Station::Tile => self.tile_key,
            Station::Host => self.host_key,
            Station::Memory => None,
        };
        let what = self.what;
        Error::NotBuilt { node, what, key }
    }
}

/// Numbers of which each is free or taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    resource: &'static str,
    /// The key that gives the node more, if it is the host and may have more.
    key: Option<&'static str>,
    taken: Vec<bool>,
}

impl Numbers {
    pub fn new(resource: &'static str, key: Option<&'static str>, count: usize) -> Numbers {
        Numbers {
            resource,
            key,
            taken: vec![false; count],
        }
    }

    /// The lowest that is free.
    pub fn take(&mut self, node: usize) -> Result<u8, Error> {
        let free = self.taken.iter().position(|taken| !taken).ok_or(Error::Exhausted {
            node,
            resource: self.resource,
            wanted: 1,
            limit: self.taken.len() as u32,
            key: self.key,
        })?;
        self.taken[free] = true;
        Ok(free as u8)
    }

    /// Whether none is free.
    pub fn is_empty(&self) -> bool {
        self.taken.iter().all(|&taken| taken)
    }

    /// Refuses numbers that node `node` does not have, or of which one is taken.
    pub fn check_free(&self, node: usize, numbers: &std::ops::Range<usize>) -> Result<(), Error> {
        let most = self.taken.len();
        if numbers.start > numbers.end || numbers.end > most {
            return Err(Error::OutOfRange {
                field: self.resource,
                value: numbers.end as u64,
                min: numbers.start.min(most) as u64,
                max: most as u64,
            });
        }
        match self.taken[numbers.clone()].contains(&true) {
            true => Err(Error::Taken {
                node,
                resource: self.resource,
            }),
            false => Ok(()),
        }
    }

    /// Takes these permanently.
    pub fn reserve(&mut self, numbers: std::ops::Range<usize>) {
        self.taken[numbers].fill(true);
    }

    pub fn give(&mut self, number: u8) {
        self.taken[usize::from(number)] = false;
    }
}

/// A range of addresses in pieces, first fit.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    resource: &'static str,
    /// As that of [`Numbers`].
    key: Option<&'static str>,
    size: u32,
    /// Free pieces: base and size; never two that touch.
    free: BTreeMap<u32, u32>,
    taken: BTreeMap<u32, u32>,
}

impl Space {
    pub fn new(resource: &'static str, key: Option<&'static str>, base: u32, end: u32) -> Space {
        Space {
            resource,
            key,
            size: end - base,
            free: BTreeMap::from([(base, end - base)]),
            taken: BTreeMap::new(),
        }
    }

    pub fn take(&mut self, node: usize, wanted: u32) -> Result<u32, Error> {
        let fit = self.free.iter().find(|&(_, &size)| size >= wanted && wanted > 0);
        let (&base, &size) = fit.ok_or(Error::Exhausted {
            node,
            resource: self.resource,
            wanted,
            limit: self.size,
            key: self.key,
        })?;
        self.free.remove(&base);
        if size > wanted {
            self.free.insert(base + wanted, size - wanted);
        }
        self.taken.insert(base, wanted);
        Ok(base)
    }

    /// Whether all of these bytes are free.
    pub fn is_free(&self, first: u32, bytes: u32) -> bool {
        let before = self.free.range(..=first).next_back();
        bytes == 0 || before.is_some_and(|(&base, &size)| holds(base, size, first, bytes))
    }

    /// Takes these bytes, which are free, permanently.
    pub fn reserve(&mut self, first: u32, bytes: u32) {
        if bytes == 0 {
            return;
        }
        let before = self.free.range(..=first).next_back();
        let (&base, &size) = before.expect("a free piece");
        self.free.remove(&base);
        for (base, end) in [(base, first), (first + bytes, base + size)] {
            if base < end {
                self.free.insert(base, end - base);
            }
        }
        self.taken.insert(first, bytes);
    }

    /// Whether these bytes lie in one piece that is taken.
    pub fn has_taken(&self, first: u32, bytes: u32) -> bool {
        let before = self.taken.range(..=first).next_back();
        before.is_some_and(|(&base, &size)| holds(base, size, first, bytes))
    }

    pub fn give(&mut self, node: usize, base: u32) -> Result<(), Error> {
        let mut size = self.taken.remove(&base).ok_or(Error::NotAllocated { node, base })?;
        if let Some(after) = self.free.remove(&(base + size)) {
            size += after;
        }
        let before = self.free.range(..base).next_back();
        match before.filter(|&(&start, &length)| start + length == base) {
            Some((&start, _)) => *self.free.get_mut(&start).expect("just seen") += size,
            None => {
                self.free.insert(base, size);
            }
        }
        Ok(())
    }
}

/// Whether a piece that begins at or before these bytes has all of them.
fn holds(base: u32, size: u32, first: u32, bytes: u32) -> bool {
    u64::from(first) + u64::from(bytes) <= u64::from(base) + u64::from(size)
}

/// Descriptors that may still wait at a node, in a queue for each taker. A taker works in order: when a descriptor has completed,
/// all earlier ones have left the same queue as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands {
    waiting: VecDeque<Waiting>,
    /// Events of commands that were not seen complete.
    open: BTreeSet<u8>,
}

/// A descriptor in a queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    port: Port,
    event: u8,
    words: usize,
    /// It brings others, and its words may come from another node: no other descriptor may come between.
    is_list: bool,
}

/// The queue of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Port {
    Requester,
    /// An engine's, by its place in the table of parts.
    Engine(usize),
}

impl Port {
    /// The queue of a descriptor with this first word, at a node of this build. The requester takes, and refuses, the descriptors
    /// of engines that are not built.
    pub fn of(word: u32, build: &Build) -> Port {
        let opcode = opcode(word);
        let mut engines = PARTS.iter().enumerate().filter(|(_, part)| part.is_engine);
        let taker = engines.find(|(_, part)| part.takes(opcode) && build.has(part));
        taker.map_or(Port::Requester, |(place, _)| Port::Engine(place))
    }
}

impl Commands {
    pub fn has_room(&self, port: Port, words: usize) -> bool {
        let same = self.waiting.iter().filter(|waiting| waiting.port == port);
        let is_alone = !self.waiting.iter().any(|waiting| waiting.is_list);
        is_alone && same.map(|waiting| waiting.words).sum::<usize>() + words <= QUEUE_WORDS
    }

    /// An event of a command that was not seen complete. Without one, no descriptor waits either.
    pub fn open_event(&self) -> Option<u8> {
        self.open.first().copied()
    }

    /// Whether a command of this event was not seen complete.
    pub fn is_open(&self, event: u8) -> bool {
        self.open.contains(&event)
    }

    pub fn push(&mut self, port: Port, event: u8, words: usize) {
        self.open.insert(event);
        self.waiting.push_back(Waiting {
            port,
            event,
            words,
            is_list: false,
        });
    }

    /// Notes a list whose descriptors for this taker count in the event. Until it is retired, no queue of the node has room.
    pub fn push_list(&mut self, port: Port, event: u8) {
        self.open.insert(event);
        self.waiting.push_back(Waiting {
            port,
            event,
            words: QUEUE_WORDS,
            is_list: true,
        });
    }

    /// All that count in this event have completed.
    pub fn retire(&mut self, event: u8) {
        self.open.remove(&event);
        while let Some(last) = self.waiting.iter().rposition(|waiting| waiting.event == event) {
            let port = self.waiting[last].port;
            let behind = self.waiting.split_off(last + 1);
            self.waiting.retain(|waiting| waiting.port != port);
            self.waiting.extend(behind);
        }
    }

    /// The events that can show room, that of the latest command first.
    pub fn events(&self) -> Vec<u8> {
        let mut events: Vec<u8> = Vec::new();
        for &Waiting { event, .. } in self.waiting.iter().rev() {
            if !events.contains(&event) {
                events.push(event);
            }
        }
        events
    }
}

/// Credits of a queue, as one of its senders has them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Credits {
    pub granted: u32,
    /// Messages that were sent and not yet released.
    pub used: u32,
}

/// Events of abandoned operations of a node, with the final values of their counters. A dropped ticket adds its event; the node
/// takes the event back when its operation has completed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Abandoned(Arc<Mutex<Vec<(u8, u16)>>>);

impl Abandoned {
    pub fn push(&self, event: u8, target: u16) {
        self.events().push((event, target));
    }

    /// Takes all of them out.
    pub fn take(&self) -> Vec<(u8, u16)> {
        std::mem::take(&mut self.events())
    }

    /// A panic cannot leave the list in an invalid state, so a poisoned lock is ignored.
    fn events(&self) -> MutexGuard<'_, Vec<(u8, u16)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All of one node.
#[derive(Clone, Debug)]
pub(crate) struct NodeState {
    station: Station,
    pub memory_bytes: u32,
    pub memory: Space,
    pub program: Space,
    pub windows: Numbers,
    pub segments: Numbers,
    pub events: Numbers,
    pub mailboxes: Numbers,
    /// The build of the node.
    pub build: Build,
    pub commands: Commands,
    /// The value of each event's counter when all commands so far have completed; unknown before the first use of the event.
    pub issued: Vec<Option<u16>>,
    /// Events of abandoned operations.
    pub abandoned: Abandoned,
    /// The credits of the node, by the handle of the queue.
    senders: BTreeMap<u8, Credits>,
}

impl NodeState {
    /// A node of this kind that has `memory_bytes` of memory, of which the driver hands out the first `bytes`.
    pub fn new(station: Station, memory_bytes: u32, bytes: u32, build: &Build) -> NodeState {
        let key = |key: &'static str, may_grow: bool| (station == Station::Host && may_grow).then_some(key);
        let numbers =
            |resource, count: usize, most: usize| Numbers::new(resource, key("host_profile", count < most), count);
        let full = Build::FULL;
        let more_memory = key("host_scratchpad", memory_bytes < (MAX_SCRATCHPAD << 10) as u32);
        let more_segments = key("segments", build.segments < full.segments);
        NodeState {
            station,
            memory_bytes,
            memory: Space::new("bytes of memory", more_memory, 0, bytes),
            program: Space::new(
                "places of program memory",
                None,
                FIRMWARE_WORDS as u32,
                PROGRAM_WORDS as u32,
            ),
            windows: numbers("window", build.free_windows(), full.free_windows()),
            segments: Numbers::new("segment handle", more_segments, build.segments),
            events: numbers("event", build.events, full.events),
            mailboxes: numbers("mailbox", build.mailboxes, full.mailboxes),
            build: *build,
            commands: Commands::default(),
            issued: vec![None; build.events],
            abandoned: Abandoned::default(),
            senders: BTreeMap::new(),
        }
    }

    /// Refuses a feature that node `node` is built without.
    pub fn check_built(&self, node: usize, feature: &Feature) -> Result<(), Error> {
        if (feature.is_built)(&self.build) {
            return Ok(());
        }
        Err(feature.missing(node, self.station))
    }

    /// Credits of the queue of this handle; none if it is not a queue's.
    pub fn credits(&mut self, handle: u8) -> &mut Credits {
        self.senders.entry(handle).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::ni::command::Opcode;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_reused_and_run_out() {
        let mut numbers = Numbers::new("event", None, 2);
        assert_eq!((numbers.take(3), numbers.take(3)), (Ok(0), Ok(1)));
        let none = numbers.take(3).unwrap_err();
        assert_eq!(none.to_string(), "node 3 cannot allocate 1 event: it has 2 in all");
        numbers.give(0);
        assert_eq!(numbers.take(3), Ok(0));
    }

    #[test]
    fn what_is_reserved_is_handed_out_to_nobody() {
        let mut numbers = Numbers::new("event", None, 4);
        numbers.check_free(3, &(0..2)).unwrap();
        numbers.reserve(0..2);
        assert_eq!(numbers.take(3), Ok(2));
        let told = |numbers: &Numbers, wanted| numbers.check_free(3, &wanted).unwrap_err().to_string();
        assert_eq!(
            told(&numbers, 1..4),
            "node 3 cannot reserve this event: the driver has handed it out"
        );
        assert_eq!(told(&numbers, 3..5), "event = 5 is not allowed: allowed is 3..=4");
        numbers.check_free(3, &(4..4)).unwrap();

        let mut space = Space::new("bytes of memory", None, 0, 0x100);
        assert!(space.is_free(0x40, 0x40) && !space.is_free(0xc0, 0x48));
        space.reserve(0x40, 0x40);
        assert!(!space.is_free(0x40, 8) && !space.is_free(0x38, 16) && space.is_free(0x80, 0x80));
        assert_eq!(space.take(3, 0x48), Ok(0x80));
        assert_eq!(space.take(3, 0x40), Ok(0));
        space.give(3, 0x80).unwrap();
        space.give(3, 0).unwrap();
        assert_eq!((space.take(3, 0x80), space.take(3, 0x40)), (Ok(0x80), Ok(0)));
    }

    /// One that has left its queue may still run.
    #[test]
    fn a_command_is_open_until_its_own_event_is_complete() {
        let mut commands = Commands::default();
        commands.push(Port::Requester, 1, 4);
        commands.push(Port::Requester, 2, 4);
        commands.push_list(Port::Requester, 3);
        commands.retire(3);
        assert!(commands.has_room(Port::Requester, QUEUE_WORDS));
        assert_eq!(commands.open_event(), Some(1));
        commands.retire(1);
        assert_eq!(commands.open_event(), Some(2));
        commands.retire(2);
        assert_eq!(commands.open_event(), None);
    }

    #[test]
    fn a_completed_command_lets_out_all_before_it() {
        let mut commands = Commands::default();
        let port = Port::Requester;
        for event in [1, 2, 1, 3] {
            assert!(commands.has_room(port, 16));
            commands.push(port, event, 16);
        }
        assert!(!commands.has_room(port, 1));
        assert_eq!(commands.events(), [3, 1, 2]);
        commands.retire(1);
        assert!(commands.has_room(port, 48) && !commands.has_room(port, 49));
        assert_eq!(commands.events(), [3]);
    }

    #[test]
    fn queues_of_different_takers_do_not_fill_or_empty_each_other() {
        let built = Build::FULL;
        let (own, probe) = (
            Port::of(Opcode::Fence as u32, &built),
            Port::of(Opcode::Probe as u32, &built),
        );
        assert!(own == Port::Requester && probe != own);
        assert_eq!(
            Port::of(Opcode::Probe as u32, &built.without_engines()),
            Port::Requester
        );
        let mut commands = Commands::default();
        for (port, event) in [(own, 1), (probe, 2), (own, 2), (probe, 3), (own, 4)] {
            commands.push(port, event, 16);
        }
        assert!(commands.has_room(own, 16) && !commands.has_room(own, 17) && commands.has_room(probe, 32));
        commands.retire(3);
        assert!(!commands.has_room(own, 17) && commands.has_room(probe, 64));
        commands.retire(2);
        assert!(commands.has_room(own, 48) && !commands.has_room(own, 49));
    }

    proptest! {
        #[test]
        fn pieces_never_overlap_and_all_comes_back(steps in prop::collection::vec((any::<bool>(), 0..40u32), 1..80)) {
            let mut space = Space::new("byte", None, 8, 108);
            let mut pieces: Vec<(u32, u32)> = Vec::new();
            for (take, number) in steps {
                if take {
                    if let Ok(base) = space.take(0, number) {
                        prop_assert!(number > 0 && base >= 8 && base + number <= 108);
                        prop_assert!(pieces.iter().all(|&(at, size)| at + size <= base || base + number <= at));
                        pieces.push((base, number));
                    }
                } else if !pieces.is_empty() {
                    let (base, _) = pieces.swap_remove(number as usize % pieces.len());
                    prop_assert_eq!(space.give(0, base), Ok(()));
                    prop_assert_eq!(space.give(0, base), Err(Error::NotAllocated { node: 0, base }));
                }
            }
            for (base, _) in pieces {
                prop_assert_eq!(space.give(0, base), Ok(()));
            }
            prop_assert_eq!(space.take(0, 100), Ok(8));
        }
    }
}
