//! Places of headers, and the entries that headers keep.

use portico_spec::{
    ni::{
        registers::PortalsRegister,
        ErrorCode::{self, InUse, UnknownEntry},
    },
    portals::{
        engine::{
            item, Ack, Append, Command, Control, Event,
            EventKind::{AutoFree, AutoUnlink, Link, Put, PutOverflow},
            Failure, Move, ANY_USER, LINK_DISABLE, NO_ENTRY, OP_GET, OP_PUT,
        },
        list::{List, ANY_SOURCE, MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE, USE_ONCE},
    },
};

use super::bench::{entry, get, put, search, Bench, ENTRY, LOCAL, PORTAL};

/// Failure and delivered length that the ACK of a put tells.
fn told(bench: &mut Bench, request: Move) -> (Failure, u32) {
    bench.request(0, request);
    let words = *bench.posted(0).last().expect("an ACK");
    let event = Event::decode(&words).expect("a kind");
    (event.failure, event.delivered)
}

fn drops(bench: &mut Bench) -> u32 {
    bench.get(1, PortalsRegister::Status, item::DROPS)
}

/// Fills the places of tile 1, but for so many, with entries that take nothing.
fn fill(bench: &mut Bench, free: usize) {
    let nothing = Append {
        options: 1 << LINK_DISABLE,
        ..entry(List::Priority, u64::MAX, &[])
    };
    for _ in free..64 {
        bench.append(1, nothing);
    }
    bench.ended(1);
}

/// How a command of tile 1 ends.
fn error(bench: &mut Bench, command: Command) -> Option<ErrorCode> {
    bench.command(1, command);
    bench.ended(1).1
}

#[test]
fn a_message_whose_header_has_no_place_changes_nothing() {
    let mut bench = Bench::new(2);
    fill(&mut bench, 3);
    let managed = Append {
        min_free: 90,
        ..entry(List::Overflow, 1, &[MANAGE_LOCAL])
    };
    bench.append(1, managed);
    bench.append(1, entry(List::Overflow, 2, &[USE_ONCE]));
    // The first header takes the last place.
    assert_eq!(told(&mut bench, put(1, Ack::Full)), (Failure::Ok, 8));
    assert_eq!(bench.kinds(1), [Link, Link, Put]);
    bench.write_bytes(1, ENTRY, &[0xee; 100]);
    for (request, dropped) in [(put(1, Ack::Full), 1), (put(2, Ack::Full), 2), (get(2), 3)] {
        assert_eq!(told(&mut bench, request), (Failure::Dropped, 0));
        assert_eq!((drops(&mut bench), bench.posted(1).len()), (dropped, 0));
    }
    bench.request(0, put(2, Ack::None));
    assert_eq!((drops(&mut bench), bench.counter(1)), (4, (0, 0)));
    assert_eq!(bench.read_bytes(1, ENTRY, 100), [0xee; 100]);
    // A place is free again. The entry goes on where it was, and then leaves.
    bench.search(1, search(true, 1, &[]));
    assert_eq!(bench.kinds(1), [PutOverflow]);
    bench.write_bytes(0, LOCAL + 5, &[0x77; 8]);
    assert_eq!(told(&mut bench, put(1, Ack::Full)), (Failure::Ok, 8));
    assert_eq!(bench.read_bytes(1, ENTRY + 8, 8), [0x77; 8]);
    assert_eq!(bench.kinds(1), [Put, AutoUnlink]);
    // The place of the entry that has left is its own until its header is consumed.
    assert_eq!(told(&mut bench, put(2, Ack::Full)), (Failure::Dropped, 0));
    bench.append(1, entry(List::Priority, 1, &[USE_ONCE]));
    assert_eq!(bench.kinds(1), [PutOverflow, AutoFree, AutoUnlink]);
    assert_eq!(told(&mut bench, put(2, Ack::Full)), (Failure::Ok, 8));
    assert!(bench.fabric.is_idle());
}

#[test]
fn violations_come_before_the_place_of_the_header() {
    let mut bench = Bench::new(2);
    fill(&mut bench, 2);
    let of_other = Append {
        user: 99,
        ..entry(List::Overflow, 1, &[])
    };
    let of_gets = Append {
        options: 1 << OP_GET,
        user: ANY_USER,
        ..entry(List::Overflow, 2, &[])
    };
    bench.append(1, of_other);
    bench.append(1, of_gets);
    assert_eq!(told(&mut bench, put(1, Ack::Full)), (Failure::Permission, 0));
    assert_eq!(told(&mut bench, put(2, Ack::Full)), (Failure::Operation, 0));
    assert_eq!(told(&mut bench, get(2)), (Failure::Dropped, 0));
    let counts = [item::DROPS, item::PERMISSION_VIOLATIONS, item::OPERATION_VIOLATIONS]
        .map(|item| bench.get(1, PortalsRegister::Status, item));
    assert_eq!(counts, [1, 1, 1]);
}

#[test]
fn a_message_without_header_needs_no_place() {
    let mut bench = Bench::new(2);
    fill(&mut bench, 1);
    bench.append(1, entry(List::Overflow, 1, &[UNEXPECTED_HDR_DISABLE]));
    for _ in 0..3 {
        assert_eq!(told(&mut bench, put(1, Ack::Full)), (Failure::Ok, 8));
    }
    assert_eq!(drops(&mut bench), 0);
}

#[test]
fn an_append_that_consumes_needs_no_place_and_one_that_stays_takes_that_of_its_header() {
    let mut bench = Bench::new(2);
    fill(&mut bench, 3);
    bench.append(1, entry(List::Overflow, 1, &[]));
    for _ in 0..2 {
        bench.request(0, put(1, Ack::None));
    }
    bench.ended(1);
    let priority = |match_bits, options: &[usize]| Command::Append(entry(List::Priority, match_bits, options));
    assert_eq!(error(&mut bench, priority(2, &[USE_ONCE])), Some(ErrorCode::NoPlace));
    assert_eq!(error(&mut bench, priority(1, &[USE_ONCE])), None);
    assert_eq!(bench.kinds(1), [Link, Put, Put, PutOverflow, AutoUnlink]);
    assert_eq!(error(&mut bench, priority(1, &[])), None);
    assert_eq!(error(&mut bench, priority(2, &[])), None);
    assert_eq!(bench.kinds(1), [PutOverflow, Link, Link]);
    assert_eq!(error(&mut bench, priority(2, &[])), Some(ErrorCode::NoPlace));
}

#[test]
fn an_entry_with_headers_and_its_portal_index_are_in_use() {
    let mut bench = Bench::new(2);
    let handle = bench.append(1, entry(List::Overflow, 1, &[]));
    for _ in 0..2 {
        bench.request(0, put(1, Ack::None));
    }
    bench.ended(1);
    let (unlink, free) = (Command::Unlink(handle), Command::Control(Control::Free(PORTAL)));
    for _ in 0..2 {
        assert_eq!(error(&mut bench, unlink), Some(InUse));
        assert_eq!(error(&mut bench, free), Some(InUse));
        bench.search(1, search(true, 1, &[USE_ONCE]));
        bench.ended(1);
    }
    assert_eq!(error(&mut bench, free), Some(InUse));
    assert_eq!(error(&mut bench, unlink), None);
    assert_eq!(error(&mut bench, free), None);
    assert_eq!(bench.kinds(1), [Link, Put, Put, PutOverflow, PutOverflow]);
}

#[test]
fn an_entry_that_has_left_by_itself_keeps_the_portal_index_until_its_last_header_goes() {
    let mut bench = Bench::new(2);
    let handle = bench.append(1, entry(List::Overflow, 1, &[USE_ONCE]));
    bench.request(0, put(1, Ack::None));
    bench.ended(1);
    assert_eq!(bench.kinds(1), [Link, Put, AutoUnlink]);
    let free = Command::Control(Control::Free(PORTAL));
    assert_eq!(error(&mut bench, Command::Unlink(handle)), Some(UnknownEntry));
    assert_eq!(error(&mut bench, free), Some(InUse));
    bench.search(1, search(true, 1, &[]));
    assert_eq!(bench.kinds(1), [PutOverflow, AutoFree]);
    bench.ended(1);
    assert_eq!(error(&mut bench, Command::Unlink(handle)), Some(UnknownEntry));
    assert_eq!(error(&mut bench, free), None);
}

#[test]
fn an_entry_of_three_sources_is_freed_with_its_last_header() {
    let mut bench = Bench::new(4);
    let managed = Append {
        min_free: 80,
        ..entry(List::Overflow, 1, &[MANAGE_LOCAL, ANY_SOURCE])
    };
    bench.append(1, managed);
    for source in [2, 0, 3] {
        bench.write_bytes(source, LOCAL + 5, &[source as u8 + 1; 8]);
        bench.request(source, put(1, Ack::None));
    }
    assert_eq!(bench.kinds(1), [Link, Put, Put, Put, AutoUnlink]);
    let filled = [[3; 8], [1; 8], [4; 8]].concat();
    assert_eq!(bench.read_bytes(1, ENTRY, 24), filled);
    // The appends are in another order than the messages.
    for (source, start, freed) in [(3, 16, false), (2, 0, false), (0, 8, true)] {
        let append = Append {
            source,
            ..entry(List::Priority, 1, &[USE_ONCE])
        };
        assert_eq!(bench.append(1, append), NO_ENTRY);
        let events: Vec<Event> = bench
            .posted(1)
            .iter()
            .map(|words| Event::decode(words).expect("a kind"))
            .collect();
        assert_eq!((events[0].rank, events[0].start), (source, ENTRY + start));
        let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
        match freed {
            true => assert_eq!(kinds, [PutOverflow, AutoFree, AutoUnlink]),
            false => assert_eq!(kinds, [PutOverflow, AutoUnlink]),
        }
    }
}

#[test]
fn headers_are_of_their_portal_index_and_its_interface() {
    let mut bench = Bench::new(2);
    let others = [PORTAL + 1, PORTAL | 0x40];
    let value = bench.get(1, PortalsRegister::Portal, PORTAL.into());
    for other in others {
        bench.set(1, PortalsRegister::Portal, other.into(), value);
    }
    let of = |portal| Append {
        portal,
        ignore_bits: u64::MAX,
        ..entry(List::Overflow, 0, &[ANY_SOURCE])
    };
    for portal in [PORTAL, others[0], others[1]] {
        bench.append(1, of(portal));
        let request = Move {
            portal,
            ..put(portal.into(), Ack::None)
        };
        bench.request(0, request);
    }
    bench.posted(1);
    for portal in [others[1], PORTAL, others[0]] {
        let append = Append {
            list: List::Priority,
            options: 1 << USE_ONCE | 1 << ANY_SOURCE | 1 << OP_PUT,
            ..of(portal)
        };
        bench.append(1, append);
        let words = bench.posted(1)[0];
        assert_eq!(
            (words[0], words[6]),
            (3 | 1 << 8 | u32::from(portal) << 18, portal.into())
        );
    }
}

#[test]
fn a_disabled_index_is_appended_to_and_searched() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, &[]));
    for _ in 0..3 {
        bench.request(0, put(1, Ack::None));
    }
    bench.control(1, Control::Disable(PORTAL));
    bench.posted(1);
    bench.search(1, search(true, 1, &[USE_ONCE]));
    assert_eq!(bench.append(1, entry(List::Priority, 1, &[USE_ONCE])), NO_ENTRY);
    assert_ne!(bench.append(1, entry(List::Priority, 1, &[])), NO_ENTRY);
    assert_eq!(
        bench.kinds(1),
        [PutOverflow, PutOverflow, AutoUnlink, PutOverflow, Link]
    );
    assert_eq!(told(&mut bench, put(1, Ack::Full)), (Failure::PortalDisabled, 0));
}
