//! Cycles that the receiver takes when nothing around it waits.

use super::{
    bench::{release_register, Bench},
    packets::{atomic, control, message, opening, put, queue_control, reply, stream},
};
use portico_spec::ni::{
    packet::{Operation, MAX_MESSAGE_WORDS},
    window::Mode,
};

fn bench<const W: usize, const B: usize>() -> Bench<W, B> {
    bench_at(false)
}

fn bench_at<const W: usize, const B: usize>(far: bool) -> Bench<W, B> {
    let mut bench = Bench::at_memory(0x7131, 1.0, far);
    let windows = [
        opening(1, 0, 100, control(Mode::Window, Some(1)), 0),
        opening(2, 100, 300, control(Mode::Pointer, Some(2)), 0),
        opening(3, 500, 256, queue_control(Some(3), 6, 2), 0),
    ];
    for (index, data) in windows.concat() {
        bench.write_register(index, data);
    }
    bench.step(None, None);
    bench
}

#[test]
fn one_flit_a_cycle_and_no_pause_between_packets() {
    let mut bench = bench::<32, 4>();
    let kinds = [
        put(1, true, 0, 1, &[1]),
        put(1, true, 0, 1, &[]),
        put(1, true, 99, 1, &[1, 2, 3]),
        reply(1, true, 0, &[1]),
        reply(1, true, 0, &[]),
        stream(2, true, &[1]),
        stream(2, false, &[1, 2, 3]),
    ];
    let mut flits: Vec<usize> = vec![];
    for _ in 0..4 {
        kinds.iter().for_each(|packet| flits.extend(bench.send(packet)));
    }
    assert!(flits.windows(2).all(|pair| pair[1] == pair[0] + 1), "{flits:?}");
    for (packet, pause) in [(message(3, 0, &[1, 2]), 1), (stream(2, true, &[]), 1)] {
        let tail = *bench.send(&packet).last().unwrap();
        assert_eq!(bench.send(&packet)[0], tail + 1 + pause);
    }
}

#[test]
fn answers_come_in_time() {
    fn holds<const W: usize, const B: usize>(pair: usize) {
        let mut bench = bench::<W, B>();
        let packets = [
            (put(1, true, 0, 1, &[1]), 1),
            (put(1, true, 0, 1, &[]), 1),
            (put(1, true, 100, 1, &[1]), 1),
            (atomic(1, 0, 1, Operation::FetchAdd, false, false, &[1]), 3),
            (atomic(1, 0, 1, Operation::PostAdd, false, false, &[1]), 3),
            (atomic(1, 0, 1, Operation::Poke, false, false, &[1]), 3),
            (atomic(1, 0, 1, Operation::Peek, false, false, &[]), 3),
            (atomic(1, 100, 1, Operation::Peek, false, false, &[]), 2),
            (atomic(1, 0, 1, Operation::FetchAdd, true, false, &[1, 2]), 3 + pair),
        ];
        for (packet, latency) in packets {
            let tail = *bench.send(&packet).last().unwrap();
            (0..8).for_each(|_| {
                bench.step(None, None);
            });
            assert_eq!(bench.offered[0], tail + latency, "W {W}, {packet:x?}");
            bench.offered.clear();
        }
    }
    holds::<32, 4>(1);
    holds::<64, 8>(0);
}

/// The head comes in once the word is asked for, the rest when the operation has ended.
#[test]
fn the_next_packet_follows_an_atomic_in_time() {
    let fetch = atomic(1, 0, 1, Operation::FetchAdd, false, false, &[1]);
    let pair = atomic(1, 0, 1, Operation::FetchAdd, true, false, &[1, 2]);
    let poke = atomic(1, 0, 1, Operation::Poke, false, false, &[1]);
    let refused = atomic(1, 100, 1, Operation::FetchAdd, false, false, &[1]);
    let peek = atomic(1, 0, 1, Operation::Peek, false, false, &[]);
    for (first, next, flits) in [
        (&fetch, put(1, true, 0, 1, &[1]), [2, 3, 4]),
        (&fetch, put(1, true, 0, 1, &[]), [2, 4, 0]),
        (&fetch, stream(2, true, &[1]), [2, 4, 0]),
        (&fetch, stream(2, true, &[]), [2, 0, 0]),
        (&fetch, message(3, 0, &[1]), [2, 4, 5]),
        (&fetch, reply(1, true, 0, &[1]), [2, 3, 4]),
        (&fetch, poke.clone(), [2, 3, 4]),
        (&fetch, peek.clone(), [2, 4, 0]),
        (&poke, put(1, true, 0, 1, &[1]), [2, 3, 4]),
        (&refused, put(1, true, 0, 1, &[1]), [2, 3, 4]),
        (&pair, put(1, true, 0, 1, &[1]), [6, 7, 8]),
    ] {
        let mut bench = bench::<32, 4>();
        let tail = *bench.send(first).last().unwrap();
        let taken = bench.send(&next);
        let expected: Vec<usize> = flits.into_iter().take(taken.len()).map(|flit| tail + flit).collect();
        assert_eq!(taken, expected, "{first:x?}, {next:x?}");
        bench.drain();
    }
}

/// Whoever hears of it may read at once, and a far memory may serve that read before a write that waits.
#[test]
fn a_far_memory_answers_when_the_write_is_taken() {
    let failed = atomic(1, 0, 1, Operation::CompareAndSwap, false, false, &[7, 8]);
    let add = atomic(1, 0, 1, Operation::FetchAdd, false, false, &[1]);
    let pair = atomic(1, 0, 1, Operation::PostAdd, true, false, &[1, 2]);
    for (packet, writes) in [(&failed, false), (&add, true), (&pair, true)] {
        for far in [false, true] {
            let mut bench = bench_at::<32, 4>(far);
            bench.writes_wait = true;
            let tail = *bench.send(packet).last().unwrap();
            for _ in 0..20 {
                bench.step(None, None);
            }
            let since = bench.cycle;
            assert_eq!(bench.offered.is_empty(), far && writes, "{packet:x?}, far {far}");
            bench.writes_wait = false;
            bench.drain();
            let words = if packet == &pair { 2 } else { 1 };
            let offered = match (far, writes) {
                (false, _) => tail + 2 + words,
                (true, false) => tail + 4,
                (true, true) => since + words,
            };
            assert_eq!(bench.offered[0], offered, "{packet:x?}, far {far}");
        }
    }
}

#[test]
fn atomics_of_one_operand_follow_each_other_every_four_cycles() {
    for operation in [Operation::FetchAdd, Operation::PostAdd, Operation::Poke] {
        let mut bench = bench::<32, 4>();
        let packet = atomic(1, 0, 1, operation, false, false, &[1]);
        let tails: Vec<usize> = (0..8).map(|_| *bench.send(&packet).last().unwrap()).collect();
        assert!(
            tails.windows(2).all(|pair| pair[1] - pair[0] == 4),
            "{operation:?}: {tails:?}"
        );
        bench.drain();
    }
}

#[test]
fn messages_are_released_in_time() {
    let mut bench = bench::<32, 4>();
    (0..3).for_each(|_| {
        bench.send(&message(3, 1, &[7; MAX_MESSAGE_WORDS]));
    });
    bench.drain();
    let since = bench.cycle;
    bench.write_register(release_register(3), 3);
    bench.drain();
    assert_eq!(bench.credits_offered, [since + 6, since + 10, since + 14]);
    bench.credits_offered.clear();
    (0..3).for_each(|_| {
        bench.send(&message(3, 1, &[7; 3]));
    });
    bench.drain();
    let since = bench.cycle;
    (0..3).for_each(|_| bench.write_register(release_register(3), 1));
    bench.drain();
    assert_eq!(bench.credits_offered, [since + 6, since + 11, since + 16]);
    assert_eq!(bench.log.refused, 0);
}
