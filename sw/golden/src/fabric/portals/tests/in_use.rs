//! What may not go while messages are in progress. The fabric serves messages in one go, so the steps are taken by hand.

use portico_spec::{
    ni::ErrorCode,
    portals::{
        engine::{
            Ack, Append, Command, Control, Event, EventKind, Failure, Move, Request, PORTAL_ALLOCATED_OFFSET,
            PORTAL_ENABLED_OFFSET, PORTAL_QUEUES_OFFSET,
        },
        list::{List, MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE, USE_ONCE},
    },
};

use super::{
    super::{super::memory::Memory, message::Ask, target::Delivery, Portals, PortalsStep},
    bench::{entry, put, HANDLE, PORTAL, RING},
};

/// An engine whose portal index has event queue 0.
struct Alone {
    engine: Portals,
    memory: Memory,
    events: u32,
}

impl Alone {
    fn new() -> Alone {
        let mut engine = Portals::new(4, 64);
        let flags = [PORTAL_ALLOCATED_OFFSET, PORTAL_ENABLED_OFFSET, PORTAL_QUEUES_OFFSET];
        let flags = flags.iter().map(|flag| 1 << flag).sum();
        engine.target.portals[usize::from(PORTAL)].write(flags);
        engine.reports.rings[0].base = RING;
        engine.reports.rings[0].resize(6);
        Alone {
            engine,
            memory: Memory::Scratchpad(vec![0; 0x4000]),
            events: 0,
        }
    }

    /// How a command ends; none if it waits.
    fn command(&mut self, command: Command) -> Option<Result<(), ErrorCode>> {
        let mut words = command.encode();
        words[0] |= command.opcode() as u32;
        self.engine.commands().push(words);
        self.ended()
    }

    fn control(&mut self, control: Control) -> Option<Result<(), ErrorCode>> {
        self.command(Command::Control(control))
    }

    /// How the next command ends; none if it waits.
    fn ended(&mut self) -> Option<Result<(), ErrorCode>> {
        loop {
            match self.engine.step(&mut self.memory)? {
                PortalsStep::Ends(_, error) => return Some(error.map_or(Ok(()), Err)),
                PortalsStep::Moves => {}
                other => unreachable!("of no command: {other:?}"),
            }
        }
    }

    fn append(&mut self, append: Append) -> u32 {
        assert_eq!(self.command(Command::Append(append)), Some(Ok(())));
        self.memory.read(HANDLE / 4) as u32
    }

    /// A put of 8 bytes of rank 0 meets its entry.
    fn begin(&mut self, match_bits: u64) -> Result<Delivery, Failure> {
        let Move { operation, length, .. } = put(match_bits, Ack::None);
        self.engine.target.begin(Ask {
            rank: 0,
            request: Request {
                operation,
                ack: Ack::None,
                portal: PORTAL,
                slot: 0,
            },
            user: 0,
            length,
            remote: 0,
            match_bits,
            header_data: 0,
            payload: vec![0; length as usize],
        })
    }

    fn complete(&mut self, delivery: &Delivery) {
        let Alone { engine, memory, .. } = self;
        let answer = engine.target.complete(memory, delivery, &mut engine.reports);
        assert_eq!(answer, None);
    }

    /// Kinds of the events since the last call.
    fn kinds(&mut self) -> Vec<EventKind> {
        let mut kinds = vec![];
        loop {
            let start = RING / 4 + 10 * self.events;
            let words = std::array::from_fn(|word| self.memory.read(start + word as u32) as u32);
            if !Event::phase(words[0]) {
                return kinds;
            }
            kinds.push(Event::decode(&words).expect("a kind").kind);
            self.events += 1;
        }
    }
}

const DONE: Option<Result<(), ErrorCode>> = Some(Ok(()));
const IN_USE: Option<Result<(), ErrorCode>> = Some(Err(ErrorCode::InUse));
const UNKNOWN_ENTRY: Option<Result<(), ErrorCode>> = Some(Err(ErrorCode::UnknownEntry));

#[test]
fn an_entry_with_messages_in_progress_is_in_use() {
    let mut alone = Alone::new();
    let handle = alone.append(entry(List::Priority, 1, &[]));
    let deliveries = [0, 1].map(|_| alone.begin(1).expect("it matches"));
    for delivery in &deliveries {
        assert_eq!(alone.command(Command::Unlink(handle)), IN_USE);
        alone.complete(delivery);
    }
    assert_eq!(alone.command(Command::Unlink(handle)), DONE);
    assert_eq!(alone.command(Command::Unlink(handle)), UNKNOWN_ENTRY);
    assert_eq!(alone.begin(1).err(), Some(Failure::Dropped));
    assert_eq!(alone.kinds(), [EventKind::Link, EventKind::Put, EventKind::Put]);
}

#[test]
fn an_entry_that_leaves_by_itself_is_unknown_and_keeps_the_portal_index_in_use() {
    let mut alone = Alone::new();
    let handle = alone.append(entry(List::Priority, 1, &[USE_ONCE]));
    let delivery = alone.begin(1).expect("it matches");
    assert_eq!(alone.begin(1).err(), Some(Failure::Dropped));
    assert_eq!(alone.command(Command::Unlink(handle)), UNKNOWN_ENTRY);
    assert_eq!(alone.control(Control::Free(PORTAL)), IN_USE);
    assert_eq!(alone.kinds(), [EventKind::Link]);
    alone.complete(&delivery);
    assert_eq!(alone.kinds(), [EventKind::Put, EventKind::AutoUnlink]);
    assert_eq!(alone.command(Command::Unlink(handle)), UNKNOWN_ENTRY);
    assert_eq!(alone.control(Control::Free(PORTAL)), DONE);
}

#[test]
fn auto_unlink_waits_for_all_messages_of_the_entry() {
    let mut alone = Alone::new();
    let managed = Append {
        length: 16,
        min_free: 1,
        ..entry(List::Overflow, 1, &[MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE])
    };
    alone.append(managed);
    let [first, second] = [0, 1].map(|_| alone.begin(1).expect("it matches"));
    alone.complete(&second);
    assert_eq!(alone.kinds(), [EventKind::Link, EventKind::Put]);
    alone.complete(&first);
    assert_eq!(
        alone.kinds(),
        [EventKind::Put, EventKind::AutoUnlink, EventKind::AutoFree]
    );
}

#[test]
fn a_place_is_free_again_when_the_last_message_is_complete() {
    let mut alone = Alone::new();
    alone.append(entry(List::Priority, 1, &[USE_ONCE]));
    for _ in 1..64 {
        alone.append(entry(List::Priority, 2, &[]));
    }
    let one_more = Command::Append(entry(List::Priority, 2, &[]));
    let delivery = alone.begin(1).expect("it matches");
    assert_eq!(alone.command(one_more), Some(Err(ErrorCode::NoPlace)));
    alone.complete(&delivery);
    assert_eq!(alone.command(one_more), DONE);
    assert_eq!(alone.command(one_more), Some(Err(ErrorCode::NoPlace)));
}

#[test]
fn disable_ends_when_no_message_is_in_progress() {
    let mut alone = Alone::new();
    alone.append(entry(List::Priority, 1, &[]));
    let delivery = alone.begin(1).expect("it matches");
    assert_eq!(alone.control(Control::Disable(PORTAL)), None);
    assert_eq!(alone.begin(1).err(), Some(Failure::PortalDisabled));
    // What is behind it waits too.
    assert_eq!(alone.control(Control::Enable(PORTAL)), None);
    assert_eq!(alone.begin(1).err(), Some(Failure::PortalDisabled));
    alone.complete(&delivery);
    assert_eq!(alone.ended(), DONE);
    assert_eq!(alone.begin(1).err(), Some(Failure::PortalDisabled));
    assert_eq!(alone.ended(), DONE);
    assert!(alone.begin(1).is_ok());
    assert_eq!(alone.kinds(), [EventKind::Link, EventKind::Put]);
}
