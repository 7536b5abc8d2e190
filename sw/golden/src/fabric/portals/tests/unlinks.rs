//! Which entry takes a request, and when entries leave their lists.

use portico_spec::{
    ni::{registers::PortalsRegister, ErrorCode},
    portals::{
        engine::{
            Ack, Append, Command, Event,
            EventKind::{AutoFree, AutoUnlink, Link, Put},
            Move,
        },
        list::{List, ANY_SOURCE, MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE, USE_ONCE},
    },
};

use super::bench::{entry, put, Bench, ENTRY, PORTAL};

/// The user pointer of the entry that took the last put; none if none did.
fn taker(bench: &mut Bench) -> Option<u32> {
    let posted = bench.posted(1);
    let mut events = posted.iter().map(|words| Event::decode(words).expect("a kind"));
    events.rfind(|event| event.kind == Put).map(|event| event.user_pointer)
}

/// Appends an entry with a user pointer.
fn append(bench: &mut Bench, user_pointer: u32, append: Append) -> u32 {
    bench.append(1, Append { user_pointer, ..append })
}

#[test]
fn the_entry_that_came_first_wins_whatever_its_wildcards_are() {
    let mut bench = Bench::new(3);
    let priority = |match_bits, options: &[usize]| entry(List::Priority, match_bits, &[options, &[USE_ONCE]].concat());
    let all = |append: Append| Append {
        ignore_bits: u64::MAX,
        ..append
    };
    append(&mut bench, 9, all(entry(List::Overflow, 0, &[ANY_SOURCE])));
    append(
        &mut bench,
        1,
        Append {
            source: 2,
            ..priority(7, &[])
        },
    );
    append(&mut bench, 2, priority(7, &[ANY_SOURCE]));
    append(&mut bench, 3, priority(7, &[]));
    append(&mut bench, 4, all(priority(0, &[ANY_SOURCE])));
    append(&mut bench, 5, priority(8, &[]));
    // An entry of another portal index is no candidate.
    let other = Append {
        portal: PORTAL + 1,
        ..all(priority(0, &[ANY_SOURCE]))
    };
    let allocated = bench.get(1, PortalsRegister::Portal, PORTAL.into());
    bench.set(1, PortalsRegister::Portal, usize::from(PORTAL) + 1, allocated);
    append(&mut bench, 6, other);
    for (source, match_bits, expected) in [
        (0, 7, 2),
        (2, 7, 1),
        (0, 7, 3),
        (0, 8, 4),
        (0, 8, 5),
        (0, 8, 9),
        (2, 0x8000_0000_0000_0000, 9),
    ] {
        bench.request(source, put(match_bits, Ack::None));
        assert_eq!(taker(&mut bench), Some(expected), "{match_bits} of {source}");
    }
    let elsewhere = Move {
        portal: PORTAL + 1,
        ..put(8, Ack::None)
    };
    bench.request(0, elsewhere);
    assert_eq!(taker(&mut bench), Some(6));
}

#[test]
fn an_entry_with_its_own_offset_is_filled_until_too_little_is_free() {
    let mut bench = Bench::new(2);
    let managed = Append {
        min_free: 20,
        ..entry(List::Overflow, 1, &[MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE])
    };
    bench.append(1, managed);
    let mut at = 0;
    // 8 bytes ten times leave 20, which are enough; the next leave 12.
    for round in 0..11 {
        bench.write_bytes(0, super::bench::LOCAL + 5, &[round + 1; 8]);
        let request = Move {
            remote: 1000 * u32::from(round),
            ..put(1, Ack::Full)
        };
        bench.request(0, request);
        let words = *bench.posted(0).last().expect("an ACK");
        let answer = Event::decode(&words).expect("a kind");
        assert_eq!((answer.delivered, answer.offset), (8, at));
        assert_eq!(bench.read_bytes(1, ENTRY + at, 8), [round + 1; 8]);
        let posted = bench.posted(1);
        let events: Vec<Event> = posted
            .iter()
            .map(|words| Event::decode(words).expect("a kind"))
            .collect();
        let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
        match round {
            0 => assert_eq!(kinds, [Link, Put]),
            10 => assert_eq!(kinds, [Put, AutoUnlink, AutoFree]),
            _ => assert_eq!(kinds, [Put]),
        }
        let arrived = events.iter().find(|event| event.kind == Put).expect("a PUT");
        assert_eq!((arrived.start, arrived.offset), (ENTRY + at, request.remote));
        at += 8;
    }
}

#[test]
fn an_entry_without_least_room_stays_when_it_is_full() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 1, &[MANAGE_LOCAL]));
    // With another offset than its own it does not count either.
    let unmanaged = Append {
        min_free: 100,
        ..entry(List::Priority, 2, &[])
    };
    bench.append(1, unmanaged);
    for (match_bits, length, delivered) in [(1, 70, 70), (1, 70, 30), (1, 70, 0), (2, 70, 70), (2, 70, 70)] {
        let request = Move {
            length,
            remote: 0,
            ..put(match_bits, Ack::Full)
        };
        bench.request(0, request);
        let words = *bench.posted(0).last().expect("an ACK");
        assert_eq!(Event::decode(&words).expect("a kind").delivered, delivered);
    }
    assert_eq!(bench.kinds(1), [Link, Link, Put, Put, Put, Put, Put]);
}

#[test]
fn of_twenty_entries_that_are_used_once_ten_can_be_unlinked_after_ten_puts() {
    let mut bench = Bench::new(2);
    for round in 0..50 {
        let handles: Vec<u32> = (0..20)
            .map(|_| bench.append(1, entry(List::Priority, round, &[USE_ONCE])))
            .collect();
        for _ in 0..10 {
            bench.request(0, put(round, Ack::None));
        }
        assert_eq!(bench.ended(1), (20, None));
        for (at, handle) in handles.into_iter().enumerate() {
            bench.command(1, Command::Unlink(handle));
            let error = (at < 10).then_some(ErrorCode::UnknownEntry);
            assert_eq!(bench.ended(1), (1, error), "entry {at}");
        }
    }
}

#[test]
fn an_unlinked_entry_is_named_by_no_later_event() {
    let mut bench = Bench::new(2);
    let handle = bench.append(1, entry(List::Priority, 1, &[]));
    bench.request(0, put(1, Ack::None));
    bench.command(1, Command::Unlink(handle));
    bench.request(0, put(1, Ack::None));
    assert_eq!(bench.kinds(1), [Link, Put]);
    assert_eq!(bench.ended(1), (2, None));
}
