//! Which bytes a put or a get moves.

use portico_spec::portals::{
    engine::{Ack, Append, Event, EventKind, Failure, Move, CT_BYTES, CT_COMM},
    list::{List, ANY_SOURCE, MANAGE_LOCAL, NO_TRUNCATE},
};

use super::bench::{entry, get, put, Bench, ENTRY, LOCAL};

/// A byte of a pattern that no word repeats.
fn pattern(length: u32) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + 1) as u8).collect()
}

#[test]
fn every_alignment_and_length_moves_its_bytes_and_no_others() {
    let mut bench = Bench::new(2);
    bench.append(
        1,
        Append {
            length: 200,
            start: ENTRY & !3,
            ..entry(List::Priority, 1, &[])
        },
    );
    let lengths = (0..=9).chain(99..=101).chain(127..=129);
    for (length, offsets) in lengths.flat_map(|length| (0..16).map(move |offsets| (length, offsets))) {
        let (local, remote) = (offsets / 4, offsets % 4);
        let (near, far) = (LOCAL + local, (ENTRY & !3) + remote);
        let request = |request: Move| Move {
            local,
            remote,
            length,
            ..request
        };
        let bytes = pattern(length);
        let framed = [&[0xee; 4][..], &bytes, &[0xee; 4]].concat();
        let clear = vec![0xee; framed.len()];
        bench.write_bytes(0, near, &bytes);
        bench.write_bytes(1, far - 4, &clear);
        bench.request(0, request(put(1, Ack::Count)));
        assert_eq!(
            bench.read_bytes(1, far - 4, length + 8),
            framed,
            "put of {length}, {local} to {remote}"
        );
        bench.write_bytes(0, near - 4, &clear);
        bench.request(0, request(get(1)));
        assert_eq!(
            bench.read_bytes(0, near - 4, length + 8),
            framed,
            "get of {length}, {remote} to {local}"
        );
    }
    assert_eq!(bench.ended(0).1, None);
}

/// Delivered and offset of the last event of the initiator, and delivered, start, requested and offset of that of the target.
fn told(bench: &mut Bench) -> ([u32; 2], [u32; 4]) {
    let last = |bench: &mut Bench, tile| {
        let words = *bench.posted(tile).last().expect("an event");
        Event::decode(&words).expect("a kind")
    };
    let (answer, arrived) = (last(bench, 0), last(bench, 1));
    assert_eq!((answer.failure, arrived.user), (Failure::Ok, 100));
    let target = [arrived.delivered, arrived.start, arrived.requested, arrived.offset];
    ([answer.delivered, answer.offset], target)
}

#[test]
fn what_does_not_fit_is_cut_off() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 1, &[CT_COMM, CT_BYTES]));
    bench.write_bytes(1, ENTRY + 100, &[0xee; 4]);
    let mut counted = 0;
    for (remote, length, delivered) in [
        (0, 100, 100),
        (0, 101, 100),
        (40, 60, 60),
        (40, 61, 60),
        (99, 5, 1),
        (100, 5, 0),
        (101, 5, 0),
        (0x30_0000, 5, 0),
        (u32::MAX, 5, 0),
        (30, 0, 0),
    ] {
        for request in [put(1, Ack::Full), get(1)] {
            let request = Move {
                remote,
                length,
                ..request
            };
            bench.request(0, request);
            let start = ENTRY.wrapping_add(remote) & 0xf_ffff;
            assert_eq!(
                told(&mut bench),
                ([delivered, remote], [delivered, start, length, remote])
            );
            counted += delivered;
            assert_eq!(bench.counter(1), (counted, 0));
        }
    }
    assert_eq!(bench.read_bytes(1, ENTRY + 100, 4), [0xee; 4]);
    assert!(bench.fabric.is_idle());
}

#[test]
fn an_entry_that_cuts_nothing_off_matches_only_what_fits() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 1, &[NO_TRUNCATE]));
    let managed = Append {
        length: 10,
        ..entry(List::Overflow, 1, &[NO_TRUNCATE, MANAGE_LOCAL])
    };
    bench.append(1, managed);
    let cases = [
        (92, 8, Some(false)),
        (93, 8, Some(true)),
        (u32::MAX, 2, Some(true)),
        (99, 8, None),
    ];
    for (remote, length, overflow) in cases {
        let request = Move {
            remote,
            length,
            ..put(1, Ack::Full)
        };
        bench.request(0, request);
        let words = *bench.posted(0).last().expect("an event");
        let event = Event::decode(&words).expect("a kind");
        let taken = (event.failure == Failure::Ok).then_some(event.overflow);
        assert_eq!(taken, overflow, "{length} bytes at {remote}");
    }
}

#[test]
fn a_tile_sends_to_itself() {
    let mut bench = Bench::new(1);
    bench.append(0, entry(List::Priority, 1, &[]));
    bench.write_bytes(0, LOCAL + 5, &pattern(8));
    let own = |request: Move| Move { rank: 0, ..request };
    bench.request(0, own(put(1, Ack::Full)));
    assert_eq!(bench.read_bytes(0, ENTRY + 2, 8), pattern(8));
    bench.write_bytes(0, LOCAL + 5, &[0; 8]);
    bench.request(0, own(get(1)));
    assert_eq!(bench.read_bytes(0, LOCAL + 5, 8), pattern(8));
    let kinds = [
        EventKind::Link,
        EventKind::Send,
        EventKind::Put,
        EventKind::Ack,
        EventKind::Get,
        EventKind::Reply,
    ];
    assert_eq!(bench.kinds(0), kinds);
    assert!(bench.fabric.is_idle());
}

#[test]
fn requests_of_a_pair_keep_their_order() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 1, &[ANY_SOURCE]));
    bench.write_bytes(0, LOCAL, &[1; 8]);
    bench.write_bytes(0, LOCAL + 8, &[2; 8]);
    // While nothing is sent, all wait; then they go one after the other.
    bench.enable(0, false);
    let at = |request: Move, local| Move { local, ..request };
    bench.request(0, at(put(1, Ack::None), 0));
    bench.request(0, at(get(1), 16));
    bench.request(0, at(put(1, Ack::None), 8));
    bench.request(0, at(get(1), 24));
    assert_eq!(bench.ended(0), (0, None));
    bench.enable(0, true);
    assert_eq!(bench.ended(0), (4, None));
    assert_eq!(bench.read_bytes(0, LOCAL + 16, 16), [[1; 8], [2; 8]].concat());
}
