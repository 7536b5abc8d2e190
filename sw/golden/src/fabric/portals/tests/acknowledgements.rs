//! Which acknowledgement raises what at the initiator.

use portico_spec::portals::{
    engine::{
        Ack,
        EventKind::{self, Reply},
        Failure, Move, ACK_DISABLE, MD_CT_ACK, MD_CT_BYTES, MD_CT_REPLY, MD_CT_SEND, MD_SEND_DISABLE,
        MD_SUCCESS_DISABLE,
    },
    list::List,
};

use super::bench::{entry, get, put, Bench, LOCAL};

/// Bits that an entry has, those of one that acknowledges nothing, and those of none.
const TAKEN: u64 = 1;
const SILENT: u64 = 2;
const UNKNOWN: u64 = 3;

/// What an initiator whose memory descriptor has these options learns of a request: events but SEND, and counts.
fn learnt(options: &[usize], request: Move) -> (Vec<(EventKind, Failure)>, (u32, u32)) {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, TAKEN, &[]));
    bench.append(1, entry(List::Priority, SILENT, &[ACK_DISABLE]));
    bench.describe(0, &[options, &[MD_SEND_DISABLE]].concat());
    bench.request(0, request);
    // The slot is free again, and the command is over.
    assert!(bench.fabric.is_idle());
    assert_eq!(bench.ended(0), (1, None));
    let events = bench.kinds_and_failures(0);
    (events, bench.counter(0))
}

#[test]
fn each_acknowledgement_tells_what_it_should() {
    let told = vec![(EventKind::Ack, Failure::Ok)];
    let failed = vec![(EventKind::Ack, Failure::Dropped)];
    let none = vec![];
    let counts: &[usize] = &[MD_CT_ACK];
    let bytes: &[usize] = &[MD_CT_ACK, MD_CT_BYTES];
    let quiet: &[usize] = &[MD_CT_ACK, MD_SUCCESS_DISABLE];
    for (options, match_bits, ack, events, counted) in [
        (counts, TAKEN, Ack::None, &none, (0, 0)),
        (counts, TAKEN, Ack::Full, &told, (1, 0)),
        (counts, TAKEN, Ack::Count, &none, (1, 0)),
        (counts, TAKEN, Ack::Operation, &none, (1, 0)),
        (counts, UNKNOWN, Ack::None, &none, (0, 0)),
        (counts, UNKNOWN, Ack::Full, &failed, (0, 1)),
        (counts, UNKNOWN, Ack::Count, &none, (0, 1)),
        (counts, UNKNOWN, Ack::Operation, &none, (1, 0)),
        (counts, SILENT, Ack::None, &none, (0, 0)),
        (counts, SILENT, Ack::Full, &none, (0, 0)),
        (counts, SILENT, Ack::Count, &none, (0, 0)),
        (counts, SILENT, Ack::Operation, &none, (0, 0)),
        (quiet, TAKEN, Ack::None, &none, (0, 0)),
        (quiet, TAKEN, Ack::Full, &none, (1, 0)),
        (quiet, TAKEN, Ack::Count, &none, (1, 0)),
        (quiet, TAKEN, Ack::Operation, &none, (1, 0)),
        (quiet, UNKNOWN, Ack::None, &none, (0, 0)),
        (quiet, UNKNOWN, Ack::Full, &failed, (0, 1)),
        (quiet, UNKNOWN, Ack::Count, &none, (0, 1)),
        (quiet, UNKNOWN, Ack::Operation, &none, (1, 0)),
        (bytes, TAKEN, Ack::Full, &told, (8, 0)),
        (bytes, TAKEN, Ack::Count, &none, (8, 0)),
        (bytes, TAKEN, Ack::Operation, &none, (1, 0)),
        (bytes, UNKNOWN, Ack::Full, &failed, (0, 1)),
        (bytes, UNKNOWN, Ack::Count, &none, (0, 1)),
        (bytes, UNKNOWN, Ack::Operation, &none, (1, 0)),
        (&[MD_CT_REPLY], TAKEN, Ack::Full, &told, (0, 0)),
        (&[MD_CT_REPLY], UNKNOWN, Ack::Operation, &none, (0, 0)),
    ] {
        let seen = learnt(options, put(match_bits, ack));
        assert_eq!(
            seen,
            (events.clone(), counted),
            "{ack:?} of {match_bits}, options {options:?}"
        );
    }
}

#[test]
fn a_reply_tells_what_it_should() {
    let told = vec![(Reply, Failure::Ok)];
    let failed = vec![(Reply, Failure::Dropped)];
    let none = vec![];
    for (options, match_bits, events, counted) in [
        (&[MD_CT_REPLY][..], TAKEN, &told, (1, 0)),
        (&[MD_CT_REPLY], UNKNOWN, &failed, (0, 1)),
        (&[MD_CT_REPLY], SILENT, &none, (0, 0)),
        (&[MD_CT_REPLY, MD_SUCCESS_DISABLE], TAKEN, &none, (1, 0)),
        (&[MD_CT_REPLY, MD_SUCCESS_DISABLE], UNKNOWN, &failed, (0, 1)),
        (&[MD_CT_REPLY, MD_CT_BYTES], TAKEN, &told, (8, 0)),
        (&[MD_CT_REPLY, MD_CT_BYTES], UNKNOWN, &failed, (0, 1)),
        (&[MD_CT_ACK, MD_CT_SEND], TAKEN, &told, (0, 0)),
    ] {
        let seen = learnt(options, get(match_bits));
        assert_eq!(seen, (events.clone(), counted), "{match_bits}, options {options:?}");
    }
    // The field says nothing in a get.
    let odd = Move {
        ack: Ack::Operation,
        ..get(UNKNOWN)
    };
    assert_eq!(learnt(&[MD_CT_REPLY], odd), (failed, (0, 1)));
}

#[test]
fn bytes_of_a_send_are_those_requested_and_of_an_answer_those_delivered() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, TAKEN, &[]));
    bench.describe(0, &[MD_CT_SEND, MD_CT_ACK, MD_CT_REPLY, MD_CT_BYTES]);
    let long = |request: Move| Move {
        length: 300,
        remote: 40,
        ..request
    };
    bench.request(0, long(put(TAKEN, Ack::Count)));
    assert_eq!(bench.counter(0), (300 + 60, 0));
    bench.request(0, long(get(TAKEN)));
    assert_eq!(bench.counter(0), (300 + 60 + 60, 0));
}

#[test]
fn a_get_of_a_silent_entry_delivers_its_data() {
    let mut bench = Bench::new(2);
    let append = entry(List::Priority, SILENT, &[ACK_DISABLE]);
    bench.append(1, append);
    bench.write_bytes(1, append.start + 2, &[7; 8]);
    bench.request(0, get(SILENT));
    assert_eq!(bench.read_bytes(0, LOCAL + 5, 8), [7; 8]);
    assert_eq!(bench.kinds(0), []);
}
