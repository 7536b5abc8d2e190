//! Requests of other nodes.

use super::{
    bench::{Bench, Source, NODE},
    expect::{request, word0},
};
use portico_spec::{
    flit::LAST_OFFSET,
    ni::{packet::ControlKind, ErrorCode::*, SERVER_CONTEXT},
};

const WINDOW: [u64; 3] = [0x300, 0x200, 1];
const SOURCE: u32 = 0x155;

/// The packet of a get request, its words those after the ADDRESS word.
pub fn packet(tag: u32, slot: u32, words: &[u32]) -> Vec<u32> {
    let head = 0x23 | SOURCE << 9 | tag << 18 | (ControlKind::Get as u32) << 26 | 1 << 29;
    [&[head, 0x77 | slot << 22], words].concat()
}

/// The refusal of that packet.
pub fn refusal(slot: u64, error: u64) -> [(u64, bool); 2] {
    let head = u64::from(SOURCE) | NODE << 9 | slot << 18 | (ControlKind::Refuse as u64) << 26 | 1 << LAST_OFFSET;
    [(head, false), (error, true)]
}

fn bench() -> Bench<32> {
    let mut bench = Bench::new(2);
    bench.window(5, WINDOW);
    bench.window(6, [0, 100, 2]);
    bench.window(7, [0, 100, 3]);
    bench
}

#[test]
fn the_server_starts_in_the_cycle_after_the_last_word() {
    for words in [
        &[10, 1 << 16 | 7][..],
        &[10, 1 << 16],
        &[10, 7],
        &[10, 1 << 16 | 7, 0],
        &[10, 1 << 16, 0],
        &[10, 7, 0],
        &[10, 3 << 16 | 7, 9 << 16 | 8],
        &[10, 0, 9 << 16 | 8],
        &[10, 3 << 16 | 7, 9 << 16 | 8, 4, 1 << 16 | 2],
        &[10, 1 << 16 | 7, 9 << 16 | 8, 4, 1 << 16 | 2],
        &[10, 3 << 16 | 7, 9 << 16 | 8, 0, 1 << 16 | 2],
    ] {
        for (tag, window) in [(5, WINDOW), (255, [0, super::SPACE, 1])] {
            let mut bench = bench();
            let packet = packet(tag, 19, words);
            bench.send(Source::Request, &packet);
            bench.run(20);
            let [(cycle, start)] = &bench.starts[..] else {
                panic!("{:?}", bench.starts)
            };
            assert_eq!(*start, request(&packet, window).unwrap(), "{words:x?}");
            assert_eq!(cycle - bench.last_words[0].0, 1);
            assert_eq!(bench.active(), 1 << SERVER_CONTEXT);
            assert_eq!(bench.registers[SERVER_CONTEXT][1], 0x77, "the offset without the slot");
            for (at, &word) in words.iter().enumerate() {
                assert_eq!(bench.registers[SERVER_CONTEXT][at + 2], u64::from(word));
            }
            assert!(bench.claims.is_empty() && bench.refusals.is_empty());
        }
    }
}

#[test]
fn wrong_requests_are_refused() {
    let good = [10, 1 << 16 | 7, 0];
    for (packet, error) in [
        (packet(4, 19, &good), UnknownWindow),
        (packet(6, 19, &good), WrongWindow),
        (packet(7, 19, &good), WrongWindow),
        (packet(5, 19, &good[..0]), Malformed),
        (packet(5, 19, &good[..1]), Malformed),
        (packet(5, 19, &[10, 2 << 16 | 7]), Malformed),
        (packet(5, 19, &[1; 4]), Malformed),
        (packet(5, 19, &[1; 6]), Malformed),
        (packet(5, 19, &[1; 20]), Malformed),
    ] {
        let mut bench = bench();
        bench.send(Source::Request, &packet);
        bench.send(Source::Request, &super::requests::packet(5, 3, &good));
        bench.refuse_ready = false;
        bench.run(30);
        assert!(bench.starts.is_empty(), "a refusal waits, and with it the next request");
        bench.refuse_ready = true;
        bench.run(20);
        assert_eq!(bench.refusals, refusal(19, error as u64));
        assert_eq!(bench.starts.len(), 1, "the next is served");
    }
}

#[test]
fn half_a_request_leaves_no_trace() {
    let mut bench = bench();
    let good = packet(5, 3, &[10, 1 << 16 | 7, 0]);
    bench.send(Source::Request, &good[..1]);
    bench.send(Source::Request, &good);
    bench.run(20);
    assert_eq!((bench.starts.len(), bench.refusals.len()), (1, 0));
}

#[test]
fn one_request_at_a_time_and_a_failure_is_told_by_the_server() {
    let mut bench = bench();
    for slot in [3, 4] {
        bench.send(Source::Request, &packet(5, slot, &[10, 1 << 16 | 7, 0]));
    }
    bench.run(30);
    assert_eq!((bench.starts.len(), bench.words[2].len()), (1, 5));
    bench.stops.push_back((SERVER_CONTEXT as u64, true, OutOfWindow as u64));
    bench.run(20);
    assert_eq!(bench.refusals, []);
    assert_eq!((bench.starts.len(), bench.starts[1].1.tag), (2, 4));
    bench.stops.push_back((SERVER_CONTEXT as u64, false, 0));
    bench.run(3);
    assert_eq!((bench.active(), bench.refusals.len()), (0, 0));
    assert!(bench.completions.is_empty() && bench.events.is_empty());
}

/// A command that waits, for whatever, does not hold a request up.
#[test]
fn requests_pass_commands_that_wait() {
    type Block = fn(&mut Bench<32>);
    let put = [word0(1, 33, 1), 0x20, 0x108, 1 << 16 | 7];
    let blocks: [Block; 3] = [
        |bench| bench.claim_ready = false,
        |bench| bench.send(Source::Queued, &[word0(7, 1, 1)]),
        |bench| {
            (0..2).for_each(|_| bench.send(Source::Queued, &[word0(6, 1, 0), 0, 0, 0]));
        },
    ];
    for block in blocks {
        let mut bench = bench();
        bench.segment(1, [0x41, 0x9a, 1, 100]);
        block(&mut bench);
        bench.run(20);
        let before = bench.starts.len();
        bench.send(Source::Command, &put);
        bench.run(20);
        assert_eq!(bench.starts.len(), before, "the command does not wait");
        assert_eq!(bench.events, []);
        bench.send(Source::Request, &packet(5, 3, &[10, 1 << 16 | 7, 0]));
        bench.run(9);
        assert_eq!(bench.starts.len(), before + 1);
        assert_eq!(bench.starts[before].1.context, SERVER_CONTEXT as u64);
    }
}
