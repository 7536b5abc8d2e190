//! Which headers an append to Priority consumes.

use portico_spec::portals::{
    engine::{
        Ack, Append,
        EventKind::{Ack as Acked, AutoUnlink, GetOverflow, Link, Put, PutOverflow, Send},
        Move, NO_ENTRY,
    },
    list::{List, ANY_SOURCE, MANAGE_LOCAL, NO_TRUNCATE, USE_ONCE},
};

use super::bench::{entry, get, put, Bench, HANDLE, LOCAL};

/// An append for data at another address than the entries of Overflow.
fn receive(match_bits: u64, options: &[usize]) -> Append {
    Append {
        start: 0x5001,
        ..entry(List::Priority, match_bits, options)
    }
}

#[test]
fn an_append_that_cuts_nothing_off_takes_the_headers_that_fit() {
    let fits = |options: &[usize], length, remote, requested| {
        let mut bench = Bench::new(2);
        bench.append(1, entry(List::Overflow, 1, &[]));
        let request = Move {
            length: requested,
            remote,
            ..put(1, Ack::None)
        };
        bench.request(0, request);
        let append = Append {
            length,
            ..receive(1, &[options, &[USE_ONCE]].concat())
        };
        bench.append(1, append) == NO_ENTRY
    };
    // The requested offset and length count, not those that the entry of Overflow has used.
    for (remote, requested, own, expected) in [
        (42, 8, false, true),
        (43, 8, false, false),
        (0, 50, false, true),
        (0, 51, false, false),
        (u32::MAX, 2, false, false),
        (u32::MAX, 50, true, true),
        (0, 51, true, false),
    ] {
        let options = if own {
            vec![NO_TRUNCATE, MANAGE_LOCAL]
        } else {
            vec![NO_TRUNCATE]
        };
        assert_eq!(
            fits(&options, 50, remote, requested),
            expected,
            "{requested} at {remote}"
        );
        assert!(
            fits(&[], 50, remote, requested),
            "others cut off: {requested} at {remote}"
        );
    }
}

#[test]
fn an_append_with_its_own_offset_begins_at_0_whatever_it_has_consumed() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, &[]));
    bench.request(0, put(1, Ack::None));
    let managed = Append {
        min_free: 95,
        ..receive(1, &[MANAGE_LOCAL])
    };
    bench.append(1, managed);
    bench.write_bytes(0, LOCAL + 5, &[7; 8]);
    bench.request(0, put(1, Ack::Full));
    assert_eq!(bench.read_bytes(1, 0x5001, 8), [7; 8]);
    assert_eq!(bench.kinds(1), [Link, Put, PutOverflow, Link, Put, AutoUnlink]);
    assert_eq!(bench.kinds(0), [Send, Send, Acked]);
}

#[test]
fn an_append_meets_the_headers_that_its_wildcards_let_it() {
    let mut bench = Bench::new(3);
    let overflow = Append {
        ignore_bits: u64::MAX,
        ..entry(List::Overflow, 0, &[ANY_SOURCE])
    };
    bench.append(1, overflow);
    for (source, match_bits) in [(0, 3), (2, 3), (2, 1), (0, 1 << 63), (2, 4)] {
        bench.request(source, put(match_bits, Ack::None));
    }
    bench.posted(1);
    let first = |append: Append, bench: &mut Bench| {
        bench.append(1, append);
        let words = bench.posted(1);
        match words[0][0] & 0xf {
            3 => Some((words[0][1] & 0x1ff, words[0][6], words[0][7])),
            _ => None,
        }
    };
    let once = |match_bits, ignore_bits, options: &[usize]| Append {
        ignore_bits,
        ..receive(match_bits, &[options, &[USE_ONCE]].concat())
    };
    let of_2 = Append {
        source: 2,
        ..once(3, 0, &[])
    };
    assert_eq!(first(of_2, &mut bench), Some((2, 3, 0)));
    assert_eq!(first(once(1, 0, &[]), &mut bench), None, "of another source");
    assert_eq!(first(once(0, 7, &[ANY_SOURCE]), &mut bench), Some((0, 3, 0)));
    assert_eq!(first(once(0, 7, &[ANY_SOURCE]), &mut bench), Some((2, 1, 0)));
    assert_eq!(first(once(0, 1 << 63, &[]), &mut bench), Some((0, 0, 0x8000_0000)));
    let of_1 = Append {
        source: 1,
        ..once(0, u64::MAX, &[])
    };
    assert_eq!(first(of_1, &mut bench), None, "of no source");
    assert_eq!(first(once(0, u64::MAX, &[ANY_SOURCE]), &mut bench), Some((2, 4, 0)));
}

#[test]
fn an_append_to_overflow_looks_for_no_header_and_one_of_another_user_takes_it() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Overflow, 1, &[]));
    bench.request(0, put(1, Ack::None));
    bench.request(0, get(1));
    bench.posted(1);
    let again = bench.append(1, entry(List::Overflow, 1, &[USE_ONCE]));
    assert_eq!((bench.kinds(1), again == NO_ENTRY), (vec![Link], false));
    // Neither user nor operation is checked.
    let other = Append {
        user: 3,
        options: 1 << USE_ONCE,
        ..receive(1, &[])
    };
    bench.append(1, other);
    bench.append(1, other);
    assert_eq!(bench.kinds(1), [PutOverflow, AutoUnlink, GetOverflow, AutoUnlink]);
    assert_eq!(bench.fabric.read(1, HANDLE), NO_ENTRY);
}
