//! Puts and gets that meet an entry: each event and count, word by word.

use portico_spec::portals::{
    engine::{Ack, CT_COMM},
    list::List,
};

use super::bench::{entry, get, put, Bench, CHANGES, ENTRY, LOCAL};

const DATA: [u8; 8] = [0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x87];

#[test]
fn a_put_tells_both_sides() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 0x55, &[CT_COMM]));
    bench.write_bytes(0, LOCAL + 5, &DATA);
    bench.request(0, put(0x55, Ack::Full));
    assert_eq!(bench.read_bytes(1, ENTRY, 12), [&[0, 0], &DATA[..], &[0, 0]].concat());
    // LINK, then PUT: kind, portal 7; rank 0 and 8 bytes; start and user; requested; user pointer; offset; bits; data.
    let link = [15 | 7 << 18, 0, 0, 0, 0xe000_0055, 0, 0, 0, 0, 0];
    let arrived = [
        2 | 7 << 18,
        8 << 9,
        100 << 20 | 0x2005,
        8,
        0xe000_0055,
        2,
        0x55,
        0,
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
fn a_get_tells_both_sides() {
    let mut bench = Bench::new(2);
    bench.append(1, entry(List::Priority, 0x66, &[CT_COMM]));
    bench.write_bytes(1, ENTRY + 2, &DATA);
    bench.request(0, get(0x66));
    assert_eq!(bench.read_bytes(0, LOCAL + 4, 10), [&[0], &DATA[..], &[0]].concat());
    let served = [7 << 18, 8 << 9, 100 << 20 | 0x2005, 8, 0xe000_0066, 2, 0x66, 0, 0, 0];
    assert_eq!(bench.posted(1)[1..], [served]);
    let reply = [8, 8 << 9, 0, 0, 0xabc0_0066, 2, 0, 0, 0, 0];
    assert_eq!(bench.posted(0), [reply]);
    assert_eq!((bench.counter(0), bench.counter(1)), ((0, 0), (1, 0)));
    assert_eq!((bench.ended(0), bench.ended(1)), ((1, None), (1, None)));
    assert!(bench.fabric.is_idle());
}
