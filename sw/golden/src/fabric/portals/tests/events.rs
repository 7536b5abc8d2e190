//! Every event that exists, word by word, and what stops it.

use portico_spec::portals::{
    engine::{
        Ack,
        EventKind::{self, AutoFree, AutoUnlink, Get, Link, Put, Send},
        COMM_DISABLE, CT_COMM, LINK_DISABLE, MD_CT_SEND, MD_SEND_DISABLE, MD_SUCCESS_DISABLE, OVER_DISABLE,
        SUCCESS_DISABLE, UNLINK_DISABLE,
    },
    list::{List, MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE, USE_ONCE},
};

use super::bench::{entry, get, put, Bench, CHANGES, ENTRY, LOCAL};

const DATA: [u8; 8] = [0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x87];
/// Portal index 7, and in Overflow the list too.
const PRIORITY: u32 = 7 << 18;
const OVERFLOW: u32 = 7 << 18 | 1 << 8;

#[test]
fn a_put_is_told_on_both_sides() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 9 << 32 | 0x55, &[CT_COMM]));
    bench.write_bytes(0, LOCAL + 5, &DATA);
    bench.request(0, put(9 << 32 | 0x55, Ack::Full));
    assert_eq!(bench.read_bytes(1, ENTRY, 12), [&[0, 0], &DATA[..], &[0, 0]].concat());
    // Words of an event: kind and portal index; rank 0 and delivered; start and user 100; requested; user pointer; offset;
    // match bits; header data.
    let link = [15 | PRIORITY, 0, 0, 0, 0xe000_0055, 0, 0, 0, 0, 0];
    let arrived = [
        2 | PRIORITY,
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
    let send = [9, 0, 0, 8, 0xabc0_0055, 0, 0, 0, 0, 0];
    let ack = [10, 8 << 9, 0, 0, 0xabc0_0055, 2, 0, 0, 0, 0];
    assert_eq!(bench.posted(0), [send, ack]);
    assert_eq!((bench.counter(0), bench.counter(1)), ((0, 0), (1, 0)));
    assert_eq!((bench.ended(0), bench.ended(1)), ((1, None), (1, None)));
    assert_eq!(bench.event(1, CHANGES), (1, None));
    assert!(bench.fabric.is_idle());
}

#[test]
fn a_get_is_told_on_both_sides() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 0x66, &[CT_COMM]));
    bench.write_bytes(1, ENTRY + 2, &DATA);
    bench.request(0, get(0x66));
    assert_eq!(bench.read_bytes(0, LOCAL + 4, 10), [&[0], &DATA[..], &[0]].concat());
    let served = [PRIORITY, 8 << 9, 100 << 20 | 0x2005, 8, 0xe000_0066, 2, 0x66, 0, 0, 0];
    assert_eq!(bench.posted(1)[1..], [served]);
    let reply = [8, 8 << 9, 0, 0, 0xabc0_0066, 2, 0, 0, 0, 0];
    assert_eq!(bench.posted(0), [reply]);
    assert_eq!((bench.counter(0), bench.counter(1)), ((0, 0), (1, 0)));
    assert_eq!((bench.ended(0), bench.ended(1)), ((1, None), (1, None)));
    assert!(bench.fabric.is_idle());
}

#[test]
fn an_entry_that_is_used_once_leaves_priority_with_auto_unlink() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 1, &[USE_ONCE]));
    bench.request(0, put(1, Ack::Full));
    let unlinked = [12 | PRIORITY, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0];
    assert_eq!(bench.posted(1)[2..], [unlinked]);
}

#[test]
fn overflow_is_told_in_every_event() {
    let mut bench = Bench::new(2);
    let managed = [USE_ONCE, MANAGE_LOCAL, UNEXPECTED_HDR_DISABLE];
    bench.append(1, entry(List::Overflow, 1, &managed));
    bench.request(0, put(1, Ack::Full));
    // The entry's own offset was used, the requested one is told at the target.
    let expected = [
        [15 | OVERFLOW, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0],
        [
            2 | OVERFLOW,
            8 << 9,
            100 << 20 | 0x2003,
            8,
            0xe000_0001,
            2,
            1,
            0,
            0x3333_4444,
            0x1111_2222,
        ],
        [12 | OVERFLOW, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0],
        [13 | OVERFLOW, 0, 0, 0, 0xe000_0001, 0, 0, 0, 0, 0],
    ];
    assert_eq!(bench.posted(1), expected);
    assert_eq!(
        bench.posted(0)[1..],
        [[10 | 1 << 8, 8 << 9, 0, 0, 0xabc0_0001, 0, 0, 0, 0, 0]]
    );

    bench.append(1, entry(List::Overflow, 2, &managed));
    bench.request(0, get(2));
    assert_eq!(bench.kinds(1), [Link, Get, AutoUnlink, AutoFree]);
    assert_eq!(
        bench.posted(0),
        [[8 | 1 << 8, 8 << 9, 0, 0, 0xabc0_0002, 0, 0, 0, 0, 0]]
    );
}

#[test]
fn options_of_an_entry_stop_events_and_no_count() {
    let cases: [(&[usize], &[EventKind]); 7] = [
        (&[], &[Link, Put, AutoUnlink, AutoFree]),
        (&[OVER_DISABLE], &[Link, Put, AutoUnlink, AutoFree]),
        (&[COMM_DISABLE], &[Link, AutoUnlink, AutoFree]),
        (&[SUCCESS_DISABLE], &[Link, AutoUnlink, AutoFree]),
        (&[LINK_DISABLE], &[Put, AutoUnlink, AutoFree]),
        (&[UNLINK_DISABLE], &[Link, Put]),
        (&[COMM_DISABLE, LINK_DISABLE, UNLINK_DISABLE], &[]),
    ];
    for (options, kinds) in cases {
        let mut bench = Bench::new(2);
        let all = [options, &[USE_ONCE, CT_COMM, UNEXPECTED_HDR_DISABLE]].concat();
        bench.append(1, entry(List::Overflow, 1, &all));
        bench.request(0, put(1, Ack::None));
        assert_eq!(bench.kinds(1), kinds, "{options:?}");
        assert_eq!(bench.counter(1), (1, 0), "{options:?}");
        bench.request(0, put(1, Ack::None));
        assert_eq!(bench.counter(1), (1, 0), "it has left the list: {options:?}");
    }
}

#[test]
fn options_of_a_memory_descriptor_stop_send_and_no_count() {
    for (options, kinds) in [
        (vec![], vec![Send]),
        (vec![MD_SEND_DISABLE], vec![]),
        (vec![MD_SUCCESS_DISABLE], vec![]),
    ] {
        let mut bench = Bench::new(2);
        bench.describe(0, &[&options[..], &[MD_CT_SEND]].concat());
        // It meets no entry, and SEND does not tell.
        bench.request(0, put(1, Ack::None));
        assert_eq!(bench.kinds(0), kinds, "{options:?}");
        assert_eq!((bench.counter(0), bench.event(0, CHANGES)), ((1, 0), (1, None)));
    }
}
