//! Event queues: laps, and what happens when they are full.

use portico_spec::{
    ni::registers::PortalsRegister,
    portals::{
        engine::{Command, Event, EventKind, EVENT_WORDS},
        list::List,
    },
};

use super::{
    super::{super::memory::Memory, reports::Reports},
    bench::{entry, Bench, POSTS, QUEUE, RING},
};

const DROPPED: u32 = 1 << 30;
const PHASE: u32 = 1 << 31;

/// Posts an event, a LINK, and gives what the ring has in a place.
fn link(bench: &mut Bench, number: u64, place: u32) -> (u32, u32) {
    let handle = bench.append(0, entry(List::Priority, number, &[]));
    bench.command(0, Command::Unlink(handle));
    let words = bench.slot(0, place);
    (words[0] & (DROPPED | PHASE), words[4] & 0xff)
}

#[test]
fn a_ring_of_two_tells_its_laps_and_what_it_drops() {
    let mut bench = Bench::new(1);
    bench.set(0, PortalsRegister::EqSize, QUEUE, 1);
    let taken = |bench: &mut Bench, events| bench.set(0, PortalsRegister::EqTaken, QUEUE, events);
    let dropped = |bench: &mut Bench| bench.get(0, PortalsRegister::EqDropped, QUEUE);
    // First lap.
    assert_eq!(link(&mut bench, 1, 0), (PHASE, 1));
    assert_eq!(link(&mut bench, 2, 1), (PHASE, 2));
    // Full: two are dropped, and nothing is written or counts.
    assert_eq!(link(&mut bench, 3, 0), (PHASE, 1));
    assert_eq!(link(&mut bench, 4, 1), (PHASE, 2));
    assert_eq!((dropped(&mut bench), bench.event(0, POSTS)), (2, (2, None)));
    // Second lap: the first event tells that some were dropped.
    taken(&mut bench, 1);
    assert_eq!(link(&mut bench, 5, 0), (DROPPED, 5));
    assert_eq!(link(&mut bench, 6, 1), (PHASE, 2));
    taken(&mut bench, 2);
    assert_eq!(link(&mut bench, 7, 1), (DROPPED, 7));
    // Third lap.
    taken(&mut bench, 4);
    assert_eq!(link(&mut bench, 8, 0), (PHASE, 8));
    assert_eq!(link(&mut bench, 9, 1), (PHASE, 9));
    assert_eq!((dropped(&mut bench), bench.event(0, POSTS)), (3, (6, None)));
    // Empty again.
    assert_eq!(link(&mut bench, 10, 0), (PHASE, 8));
    bench.set(0, PortalsRegister::EqSize, QUEUE, 1);
    assert_eq!(dropped(&mut bench), 0);
    assert_eq!(link(&mut bench, 11, 0), (PHASE, 11));
    // Behind the ring nothing was written.
    assert_eq!(bench.slot(0, 2), [0; EVENT_WORDS]);
}

#[test]
fn an_event_queue_without_ring_loses_events() {
    let mut bench = Bench::new(1);
    bench.set(0, PortalsRegister::EqSize, QUEUE, 0);
    assert_eq!(link(&mut bench, 1, 0), (0, 0));
    assert_eq!(bench.get(0, PortalsRegister::EqDropped, QUEUE), 0);
    assert_eq!(bench.event(0, POSTS), (0, None));
    assert_eq!(bench.ended(0), (2, None));
}

#[test]
fn numbers_of_events_wrap() {
    let mut memory = Memory::Scratchpad(vec![0; 0x2000]);
    let mut reports = Reports::new();
    reports.rings[0].base = RING;
    reports.rings[0].resize(2);
    let mut last = 0;
    for number in 0..(1 << 16) + 9_u32 {
        let event = Event {
            requested: number,
            ..Event::new(EventKind::Send)
        };
        reports.post(&mut memory, Some(0), &event);
        reports.rings[0].taken = number.wrapping_sub(2) as u16;
        let start = RING / 4 + number % 4 * EVENT_WORDS as u32;
        assert_eq!(memory.read(start + 3), number.into());
        let phase = memory.read(start) as u32 & PHASE;
        assert_eq!(phase == PHASE, number / 4 % 2 == 0, "event {number}");
        last = number;
    }
    assert_eq!((last, reports.rings[0].dropped), ((1 << 16) + 8, 0));
    assert!(reports.is_empty());
}
