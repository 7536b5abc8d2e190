//! Requests that no entry takes.

use portico_spec::{
    ni::registers::{CounterRegister, PortalsRegister},
    portals::{
        engine::{item, Ack, Append, Control, EventKind, Failure, Move, ANY_USER, OP_GET, OP_PUT},
        list::{List, USE_ONCE},
    },
};

use super::bench::{entry, get, put, Bench, PORTAL};

/// Drops, violations of permission and of operation.
fn status(bench: &mut Bench) -> [u32; 3] {
    let items = [item::DROPS, item::PERMISSION_VIOLATIONS, item::OPERATION_VIOLATIONS];
    items.map(|item| bench.get(1, PortalsRegister::Status, item))
}

#[test]
fn each_refusal_has_its_failure_and_its_count() {
    let mut bench = Bench::new(2);
    let without = |append: Append, option: usize| Append {
        options: append.options & !(1 << option),
        ..append
    };
    // Each is followed by one that would take the request: the search has ended before.
    bench.append(1, without(entry(List::Priority, 1, &[USE_ONCE]), OP_PUT));
    bench.append(1, without(entry(List::Priority, 2, &[USE_ONCE]), OP_GET));
    let of_other = Append {
        user: 101,
        ..without(entry(List::Priority, 3, &[USE_ONCE]), OP_PUT)
    };
    bench.append(1, of_other);
    for match_bits in 1..=3 {
        bench.append(1, entry(List::Overflow, match_bits, &[]));
    }
    bench.posted(1);
    let mut expected = [0; 3];
    for (request, failure, counter) in [
        (put(1, Ack::Full), Failure::Operation, 2),
        (get(2), Failure::Operation, 2),
        (put(3, Ack::Full), Failure::Permission, 1),
        (get(3), Failure::Permission, 1),
        (put(4, Ack::Full), Failure::Dropped, 0),
        (get(4), Failure::Dropped, 0),
        (put(4, Ack::None), Failure::Dropped, 0),
    ] {
        bench.request(0, request);
        expected[counter] += 1;
        assert_eq!(status(&mut bench), expected, "{request:?}");
        let last = bench.posted(0).pop();
        let user_pointer = request.user_pointer;
        let failed = |kind: EventKind| {
            [
                kind as u32 | (failure as u32) << 4,
                0,
                0,
                0,
                user_pointer,
                0,
                0,
                0,
                0,
                0,
            ]
        };
        match (request.operation as usize, request.ack) {
            (1, _) => assert_eq!(last, Some(failed(EventKind::Reply))),
            (_, Ack::Full) => assert_eq!(last, Some(failed(EventKind::Ack))),
            _ => assert_eq!(last.map(|words| words[0]), Some(EventKind::Send as u32)),
        }
    }
    assert_eq!(bench.posted(1).len(), 0);
    for item in 0..3 {
        bench.set(1, PortalsRegister::Status, item, 5);
    }
    assert_eq!(status(&mut bench), [0; 3]);
    // Nothing has changed: the entries are there, for what they allow.
    bench.request(0, get(1));
    bench.request(0, put(2, Ack::None));
    assert_eq!(status(&mut bench), [0; 3]);
    assert!(bench.fabric.is_idle());
}

#[test]
fn an_entry_takes_requests_of_its_user() {
    for (user, is_taken) in [(100, true), (101, false), (0, false), (ANY_USER, true)] {
        let mut bench = Bench::new(2);
        let append = Append {
            user,
            ..entry(List::Priority, 1, &[])
        };
        bench.append(1, append);
        bench.request(0, put(1, Ack::None));
        assert_eq!(status(&mut bench), [0, u32::from(!is_taken), 0], "user {user}");
    }
}

#[test]
fn a_portal_index_takes_requests_while_it_is_allocated_and_enabled() {
    let mut bench = Bench::new(2);
    let failure = |bench: &mut Bench, portal: u8| {
        let request = Move {
            portal,
            ..put(1, Ack::Full)
        };
        bench.request(0, request);
        bench.kinds_and_failures(0).pop().expect("an ACK").1
    };
    bench.append(1, entry(List::Priority, 1, &[]));
    assert_eq!(failure(&mut bench, PORTAL), Failure::Ok);
    bench.control(1, Control::Disable(PORTAL));
    assert_eq!(failure(&mut bench, PORTAL), Failure::PortalDisabled);
    assert_eq!(status(&mut bench), [1, 0, 0]);
    bench.control(1, Control::Enable(PORTAL));
    assert_eq!(failure(&mut bench, PORTAL), Failure::Ok);
    // The other interface, and the last index of it.
    for portal in [PORTAL | 0x40, 0x7f] {
        assert_eq!(failure(&mut bench, portal), Failure::Dropped);
    }
    assert_eq!(status(&mut bench), [3, 0, 0]);
    assert_eq!(bench.ended(1), (3, None));
}

#[test]
fn a_packet_of_a_wrong_rank_is_refused() {
    let mut bench = Bench::new(3);
    bench.append(1, entry(List::Priority, 1, &[]));
    let refused = |bench: &mut Bench| bench.get(1, CounterRegister::Refused, 0);
    // Rank 2 is another tile, rank 3 none, and rank 4 is one too many.
    for (rank, expected) in [(2, 1), (3, 2), (4, 3)] {
        bench.set(0, PortalsRegister::Setting, item::RANK, rank);
        bench.request(0, put(1, Ack::None));
        assert_eq!(refused(&mut bench), expected);
    }
    // 26 words do not fit into the first packet.
    for (length, packets) in [(100, 1), (101, 2), (228, 2), (229, 3)] {
        let before = refused(&mut bench);
        let request = Move {
            length,
            ..put(1, Ack::None)
        };
        bench.request(0, request);
        assert_eq!(refused(&mut bench), before + packets, "{length} bytes");
    }
    assert_eq!(bench.kinds(1), [EventKind::Link]);
    assert_eq!(status(&mut bench), [0; 3]);
    bench.set(0, PortalsRegister::Setting, item::RANK, 0);
    bench.request(0, put(1, Ack::None));
    assert_eq!(bench.kinds(1), [EventKind::Put]);
}
