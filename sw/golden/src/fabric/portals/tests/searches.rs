//! Searches of headers, word by word, and what stops their events.

use portico_spec::{
    ni::registers::PortalsRegister,
    portals::{
        engine::{
            Ack, Append, Command, Control,
            EventKind::{self, AutoFree, AutoUnlink, GetOverflow, Link, PutOverflow, Search as Searched},
            Failure, Search, COMM_DISABLE, CT_BYTES, CT_OVERFLOW, LINK_DISABLE, OVER_DISABLE, SUCCESS_DISABLE,
            UNLINK_DISABLE,
        },
        list::{List, ANY_SOURCE, NO_TRUNCATE, USE_ONCE},
    },
};

use super::bench::{entry, get, put, search, Bench, CHANGES, PORTAL};

/// Portal index 7, and in Overflow the list too.
const PRIORITY: u32 = 7 << 18;
const OVERFLOW: u32 = 7 << 18 | 1 << 8;

/// A bench whose tile 1 has headers of two puts and a get with match bits 1, in this order, of an entry with these options.
fn three_headers(options: &[usize]) -> Bench {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, options));
    bench.request(0, put(1, Ack::None));
    bench.request(0, put(1, Ack::None));
    bench.request(0, get(1));
    bench.posted(1);
    bench.ended(1);
    bench
}

/// The words of an event of a header of [`three_headers`], for a search.
fn found(kind: u32, is_put: bool) -> [u32; 10] {
    let data = [0x3333_4444, 0x1111_2222].map(|word| if is_put { word } else { 0 });
    [
        kind | OVERFLOW,
        8 << 9,
        100 << 20 | 0x2005,
        8,
        0x5ea0_0001,
        2,
        1,
        0,
        data[0],
        data[1],
    ]
}

#[test]
fn a_search_tells_one_or_each_header_and_changes_nothing() {
    let mut bench = three_headers(&[]);
    for _ in 0..2 {
        bench.search(1, search(false, 1, &[USE_ONCE]));
        assert_eq!((bench.posted(1), bench.ended(1)), (vec![found(14, true)], (1, None)));
        bench.search(1, search(false, 1, &[]));
        let all = vec![found(14, true), found(14, true), found(14, false)];
        assert_eq!((bench.posted(1), bench.ended(1)), (all, (1, None)));
    }
    bench.append(1, entry(List::Priority, 1, &[]));
    assert_eq!(bench.kinds(1), [PutOverflow, PutOverflow, GetOverflow, Link]);
}

#[test]
fn a_search_that_deletes_tells_one_or_each_header_as_an_append_does() {
    let mut bench = three_headers(&[]);
    bench.search(1, search(true, 1, &[USE_ONCE]));
    assert_eq!((bench.posted(1), bench.ended(1)), (vec![found(3, true)], (1, None)));
    bench.search(1, search(true, 1, &[]));
    let rest = vec![found(3, true), found(1, false)];
    assert_eq!((bench.posted(1), bench.ended(1)), (rest, (1, None)));
    let missed = [14 | 5 << 4 | PRIORITY, 0, 0, 0, 0x5ea0_0001, 0, 0, 0, 0, 0];
    for deletes in [true, false] {
        bench.search(1, search(deletes, 1, &[]));
        assert_eq!((bench.posted(1), bench.ended(1)), (vec![missed], (1, None)));
    }
    bench.append(1, entry(List::Priority, 1, &[USE_ONCE]));
    assert_eq!(bench.kinds(1), [Link]);
}

#[test]
fn a_search_that_deletes_the_last_header_frees_its_entry() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, &[USE_ONCE]));
    bench.append(1, entry(List::Overflow, 1, &[USE_ONCE]));
    bench.request(0, put(1, Ack::None));
    bench.request(0, put(1, Ack::None));
    bench.posted(1);
    bench.search(1, search(true, 1, &[]));
    let freed = [13 | OVERFLOW, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0];
    assert_eq!(bench.posted(1), [found(3, true), freed, found(3, true), freed]);
}

#[test]
fn options_stop_events_of_searches() {
    let (put, get) = (PutOverflow, GetOverflow);
    let three = [Searched; 3];
    type Case<'a> = (&'a [usize], &'a [EventKind], &'a [EventKind], usize);
    let cases: [Case; 7] = [
        (&[], &three, &[put, put, get], 1),
        (&[COMM_DISABLE], &[], &[put, put, get], 0),
        (&[SUCCESS_DISABLE], &[], &[], 1),
        (&[OVER_DISABLE], &three, &[], 1),
        (&[UNLINK_DISABLE, LINK_DISABLE], &three, &[put, put, get], 1),
        (&[CT_OVERFLOW, CT_BYTES], &three, &[put, put, get], 1),
        (&[COMM_DISABLE, OVER_DISABLE], &[], &[], 0),
    ];
    for (options, told, deleted, missed) in cases {
        let mut bench = three_headers(&[]);
        bench.search(1, search(false, 1, options));
        assert_eq!(bench.kinds(1), told, "{options:?}");
        bench.search(1, search(true, 1, options));
        assert_eq!(bench.kinds(1), deleted, "{options:?}");
        for deletes in [false, true] {
            bench.search(1, search(deletes, 1, options));
            let misses = vec![(Searched, Failure::NoMatch); missed];
            assert_eq!(bench.kinds_and_failures(1), misses, "{options:?}");
        }
        assert_eq!((bench.counter(1), bench.event(1, CHANGES)), ((0, 0), (0, None)));
        assert_eq!(bench.ended(1), (4, None));
    }
}

#[test]
fn a_search_without_event_queue_works_and_raises_nothing() {
    let mut bench = three_headers(&[]);
    // Allocated and enabled.
    bench.set(1, PortalsRegister::Portal, PORTAL.into(), 3);
    bench.search(1, search(false, 1, &[]));
    bench.search(1, search(true, 1, &[USE_ONCE]));
    bench.search(1, search(true, 2, &[]));
    assert_eq!(bench.ended(1), (3, None));
    bench.set(1, PortalsRegister::Portal, PORTAL.into(), 3 | 3 << 4 | 1 << 8);
    assert_eq!(bench.posted(1).len(), 0);
    bench.search(1, search(false, 1, &[]));
    assert_eq!(bench.posted(1), [found(14, true), found(14, false)]);
}

#[test]
fn a_search_meets_headers_as_an_append_does() {
    let mut bench = Bench::new(3);
    let overflow = Append {
        ignore_bits: u64::MAX,
        ..entry(List::Overflow, 0, &[ANY_SOURCE])
    };
    bench.append(1, overflow);
    for (source, match_bits) in [(0, 3), (2, 3), (2, 9)] {
        bench.request(source, put(match_bits, Ack::None));
    }
    bench.posted(1);
    let sources = |bench: &mut Bench, search: Search| -> Vec<(u32, u32)> {
        bench.search(1, search);
        let posted = bench.posted(1);
        posted.iter().map(|words| (words[1] & 0x1ff, words[6])).collect()
    };
    let tell = |match_bits, options: &[usize]| search(false, match_bits, options);
    assert_eq!(sources(&mut bench, tell(3, &[])), [(0, 3)]);
    assert_eq!(sources(&mut bench, tell(3, &[ANY_SOURCE])), [(0, 3), (2, 3)]);
    let of_2 = Search {
        source: 2,
        ignore_bits: 0xa,
        ..tell(1, &[])
    };
    assert_eq!(sources(&mut bench, of_2), [(2, 3), (2, 9)]);
    // They request 8 bytes at 2.
    for (length, fits) in [(10, true), (9, false)] {
        let whole = Search {
            length,
            ..tell(9, &[ANY_SOURCE, NO_TRUNCATE])
        };
        let miss = vec![(0, 0)];
        let expected = if fits { vec![(2, 9)] } else { miss };
        assert_eq!(sources(&mut bench, whole), expected);
    }
    let elsewhere = Search {
        portal: PORTAL | 0x40,
        ..tell(3, &[])
    };
    bench.set(
        1,
        PortalsRegister::Portal,
        usize::from(PORTAL | 0x40),
        3 | 3 << 4 | 1 << 8,
    );
    bench.search(1, elsewhere);
    assert_eq!(bench.posted(1)[0][0], 14 | 5 << 4 | (7 | 0x40) << 18);
}

#[test]
fn a_search_finds_no_entries() {
    let mut bench = Bench::new(2);
    let handle = bench.append(1, entry(List::Priority, 1, &[]));
    bench.append(1, entry(List::Overflow, 1, &[]));
    bench.posted(1);
    bench.search(1, search(true, 1, &[]));
    assert_eq!(bench.kinds_and_failures(1), [(Searched, Failure::NoMatch)]);
    bench.request(0, put(1, Ack::None));
    assert_eq!(bench.kinds(1), [EventKind::Put]);
    bench.ended(1);
    bench.command(1, Command::Unlink(handle));
    bench.control(1, Control::Disable(PORTAL));
    assert_eq!(bench.ended(1), (2, None));
    bench.search(1, search(false, 1, &[]));
    assert_eq!(bench.kinds_and_failures(1), [(Searched, Failure::NoMatch)]);
}

#[test]
fn an_entry_that_left_with_unlink_disabled_is_freed_in_silence() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, &[USE_ONCE, UNLINK_DISABLE]));
    bench.request(0, put(1, Ack::None));
    assert_eq!(bench.kinds(1), [Link, EventKind::Put]);
    bench.ended(1);
    bench.search(1, search(true, 1, &[]));
    bench.control(1, Control::Free(PORTAL));
    assert_eq!((bench.kinds(1), bench.ended(1)), (vec![PutOverflow], (2, None)));
    // Each of the 64 places is free.
    bench.set(1, PortalsRegister::Portal, PORTAL.into(), 3);
    for _ in 0..64 {
        bench.append(1, entry(List::Priority, 1, &[]));
    }
    assert_eq!(bench.ended(1), (64, None));
    bench.append(1, entry(List::Priority, 1, &[]));
    assert!(bench.ended(1).1.is_some());
}

#[test]
fn an_append_consumes_what_a_search_has_told() {
    let mut bench = three_headers(&[USE_ONCE]);
    // The first put alone came: the entry was used once.
    bench.search(1, search(false, 1, &[]));
    bench.append(1, entry(List::Priority, 1, &[USE_ONCE]));
    assert_eq!(bench.kinds(1), [Searched, PutOverflow, AutoFree, AutoUnlink]);
}
