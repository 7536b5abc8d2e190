//! Messages that come before their entry: the events of appends that consume headers, word by word, and what stops them.

use portico_spec::portals::{
    engine::{
        Ack, Append,
        EventKind::{self, AutoFree, AutoUnlink, Link, Put, PutOverflow},
        Move, COMM_DISABLE, CT_BYTES, CT_COMM, CT_OVERFLOW, LINK_DISABLE, NO_ENTRY, OVER_DISABLE, SUCCESS_DISABLE,
        UNLINK_DISABLE,
    },
    list::{List, ANY_SOURCE, MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE, USE_ONCE},
};

use super::bench::{entry, get, put, Bench, CHANGES, ENTRY, LOCAL};

const DATA: [u8; 8] = [0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x87];
/// Portal index 7, and in Overflow the list too.
const PRIORITY: u32 = 7 << 18;
const OVERFLOW: u32 = 7 << 18 | 1 << 8;

/// An append for data at another address than the entries of Overflow.
fn receive(match_bits: u64, options: &[usize]) -> Append {
    Append {
        start: 0x5001,
        user_pointer: 0xf000_0000 | match_bits as u32,
        ..entry(List::Priority, match_bits, options)
    }
}

#[test]
fn a_put_that_came_first_is_consumed_by_an_append_that_is_used_once() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 9 << 32 | 0x55, &[CT_COMM]));
    bench.write_bytes(0, LOCAL + 5, &DATA);
    bench.request(0, put(9 << 32 | 0x55, Ack::Full));
    let link = [15 | OVERFLOW, 0, 0, 0, 0xe000_0055, 0, 0, 0, 0, 0];
    let arrived = [
        2 | OVERFLOW,
        8 << 9,
        100 << 20 | 0x2005,
        8,
        0xe000_0055,
        2,
        0x55,
        9,
        0x3333_4444,
        0x1111_2222,
    ];
    assert_eq!(bench.posted(1), [link, arrived]);
    assert_eq!(bench.counter(1), (1, 0));
    let send = [9, 0, 0, 8, 0xabc0_0055, 0, 0, 0, 0, 0];
    let ack = [10 | 1 << 8, 8 << 9, 0, 0, 0xabc0_0055, 2, 0, 0, 0, 0];
    assert_eq!(bench.posted(0), [send, ack]);
    bench.ended(1);

    let handle = bench.append(1, receive(9 << 32 | 0x55, &[USE_ONCE, CT_OVERFLOW]));
    assert_eq!(handle, NO_ENTRY);
    assert_eq!(bench.ended(1), (1, None));
    let consumed = [
        3 | OVERFLOW,
        8 << 9,
        100 << 20 | 0x2005,
        8,
        0xf000_0055,
        2,
        0x55,
        9,
        0x3333_4444,
        0x1111_2222,
    ];
    let unlinked = [12 | PRIORITY, 0, 0, 0, 0xf000_0055, 0, 0, 0, 0, 0];
    assert_eq!(bench.posted(1), [consumed, unlinked]);
    assert_eq!((bench.counter(1), bench.event(1, CHANGES)), ((2, 0), (2, None)));
    // The data stay where the entry of Overflow has put them.
    assert_eq!(bench.read_bytes(1, ENTRY + 2, 8), DATA);
    assert_eq!(bench.read_bytes(1, 0x5001, 100), [0; 100]);
    // The append never came to its list, and the header is gone: the next put is unexpected too.
    bench.request(0, put(9 << 32 | 0x55, Ack::Full));
    assert_eq!(bench.posted(0)[1], ack);
    assert!(bench.fabric.is_idle());
}

#[test]
fn a_get_that_came_first_has_no_header_data() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 0x66, &[]));
    bench.write_bytes(1, ENTRY + 2, &DATA);
    bench.request(0, get(0x66));
    assert_eq!(bench.read_bytes(0, LOCAL + 5, 8), DATA);
    bench.posted(1);
    bench.append(1, receive(0x66, &[USE_ONCE, CT_OVERFLOW]));
    let consumed = [
        1 | OVERFLOW,
        8 << 9,
        100 << 20 | 0x2005,
        8,
        0xf000_0066,
        2,
        0x66,
        0,
        0,
        0,
    ];
    let unlinked = [12 | PRIORITY, 0, 0, 0, 0xf000_0066, 0, 0, 0, 0, 0];
    assert_eq!(bench.posted(1), [consumed, unlinked]);
    assert_eq!(bench.counter(1), (1, 0));
}

#[test]
fn a_persistent_append_consumes_all_that_it_matches_oldest_first() {
    let mut bench = Bench::new(3);
    let overflow = Append {
        min_free: 20,
        ignore_bits: u64::MAX,
        ..entry(List::Overflow, 1, &[MANAGE_LOCAL, ANY_SOURCE])
    };
    bench.append(1, overflow);
    let sized = |length, match_bits| Move {
        length,
        ..put(match_bits, Ack::None)
    };
    // The last one leaves 17 bytes, which are too few.
    bench.request(0, sized(30, 5));
    bench.request(2, sized(20, 5));
    bench.request(0, sized(8, 6));
    bench.request(2, sized(25, 5));
    assert_eq!(bench.kinds(1), [Link, Put, Put, Put, Put, AutoUnlink]);
    let all = Append {
        source: 0,
        ..receive(5, &[ANY_SOURCE, CT_OVERFLOW, CT_BYTES])
    };
    let handle = bench.append(1, all);
    assert_ne!(handle, NO_ENTRY);
    let told = |source: u32, length: u32, start: u32| {
        [
            3 | OVERFLOW,
            source | length << 9,
            (100 + source) << 20 | start,
            length,
            0xf000_0005,
            2,
            5,
            0,
            0x3333_4444,
            0x1111_2222,
        ]
    };
    let link = [15 | PRIORITY, 0, 0, 0, 0xf000_0005, 0, 0, 0, 0, 0];
    let expected = [told(0, 30, 0x2003), told(2, 20, 0x2021), told(2, 25, 0x203d), link];
    assert_eq!(bench.posted(1), expected);
    assert_eq!((bench.counter(1), bench.event(1, CHANGES)), ((75, 0), (3, None)));
    // It is in its list; the entry of Overflow has one header left.
    bench.request(0, put(5, Ack::None));
    assert_eq!(bench.kinds(1), [Put]);
    bench.append(1, receive(6, &[]));
    let freed = [13 | OVERFLOW, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0];
    let last = [
        3 | OVERFLOW,
        8 << 9,
        100 << 20 | 0x2035,
        8,
        0xf000_0006,
        2,
        6,
        0,
        0x3333_4444,
        0x1111_2222,
    ];
    let link = [15 | PRIORITY, 0, 0, 0, 0xf000_0006, 0, 0, 0, 0, 0];
    assert_eq!(bench.posted(1), [last, freed, link]);
    assert!(bench.fabric.is_idle());
}

#[test]
fn auto_free_comes_between_the_event_of_the_last_header_and_auto_unlink() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, &[USE_ONCE]));
    bench.request(0, put(1, Ack::None));
    let kinds = bench.kinds(1);
    assert_eq!(kinds, [Link, Put, AutoUnlink]);
    bench.append(1, receive(1, &[USE_ONCE]));
    let posted = bench.posted(1);
    assert_eq!(posted[0][0], 3 | OVERFLOW);
    let freed = [13 | OVERFLOW, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0];
    let unlinked = [12 | PRIORITY, 0, 0, 0, 0xf000_0001, 0, 0, 0, 0, 0];
    assert_eq!(posted[1..], [freed, unlinked]);
}

#[test]
fn options_of_an_append_stop_its_events_and_no_count() {
    let cases: [(&[usize], &[EventKind], &[EventKind]); 7] = [
        (&[], &[PutOverflow, AutoUnlink], &[PutOverflow, Link]),
        (&[OVER_DISABLE], &[AutoUnlink], &[Link]),
        (&[SUCCESS_DISABLE], &[AutoUnlink], &[Link]),
        (&[COMM_DISABLE], &[PutOverflow, AutoUnlink], &[PutOverflow, Link]),
        (&[LINK_DISABLE], &[PutOverflow, AutoUnlink], &[PutOverflow]),
        (&[UNLINK_DISABLE], &[PutOverflow], &[PutOverflow, Link]),
        (&[OVER_DISABLE, UNLINK_DISABLE, LINK_DISABLE], &[], &[]),
    ];
    for (options, once, persistent) in cases {
        for (kinds, more) in [(once, &[USE_ONCE][..]), (persistent, &[])] {
            for (counts, expected) in [
                (&[CT_OVERFLOW][..], 1),
                (&[CT_OVERFLOW, CT_BYTES], 8),
                (&[CT_BYTES], 0),
                (&[CT_COMM], 0),
            ] {
                let mut bench = Bench::new(2);
                bench.append(1, entry(List::Overflow, 1, &[]));
                bench.request(0, put(1, Ack::None));
                bench.posted(1);
                bench.append(1, receive(1, &[options, more, counts].concat()));
                assert_eq!(bench.kinds(1), kinds, "{options:?} {more:?}");
                assert_eq!(bench.counter(1), (expected, 0), "{options:?} {counts:?}");
            }
        }
    }
}

#[test]
fn options_of_an_entry_of_overflow_stop_its_own_events() {
    let cases: [(&[usize], &[EventKind], &[EventKind]); 4] = [
        (&[], &[Link, Put, AutoUnlink], &[PutOverflow, AutoFree, AutoUnlink]),
        (&[UNLINK_DISABLE], &[Link, Put], &[PutOverflow, AutoUnlink]),
        (
            &[COMM_DISABLE],
            &[Link, AutoUnlink],
            &[PutOverflow, AutoFree, AutoUnlink],
        ),
        (
            &[OVER_DISABLE, SUCCESS_DISABLE],
            &[Link, AutoUnlink],
            &[PutOverflow, AutoFree, AutoUnlink],
        ),
    ];
    for (options, first, then) in cases {
        let mut bench = Bench::new(2);
        bench.append(
            1,
            entry(
                List::Overflow,
                1,
                &[options, &[USE_ONCE, CT_COMM, CT_OVERFLOW]].concat(),
            ),
        );
        bench.request(0, put(1, Ack::None));
        assert_eq!(bench.kinds(1), first, "{options:?}");
        let none = Append {
            counter: None,
            ..receive(1, &[USE_ONCE, CT_OVERFLOW])
        };
        bench.append(1, none);
        assert_eq!(bench.kinds(1), then, "{options:?}");
        assert_eq!(bench.counter(1), (1, 0), "{options:?}");
    }
}

#[test]
fn an_entry_of_overflow_that_keeps_no_headers_leaves_none() {
    let mut bench = Bench::new(2);
    let options = [CT_COMM, UNEXPECTED_HDR_DISABLE];
    bench.append(1, entry(List::Overflow, 1, &options));
    bench.request(0, put(1, Ack::None));
    let once = receive(1, &[USE_ONCE]);
    assert_ne!(bench.append(1, once), NO_ENTRY);
    assert_eq!(bench.kinds(1), [Link, Put, Link]);
    assert_eq!(bench.counter(1), (1, 0));
}
