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
    let mut bench = Bench::new(0x7131, 1.0);
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
    // A flit that waits at the door has been taken: the pause shows from the third packet on.
    for (packet, pause) in [(message(3, 0, &[1, 2]), 1), (stream(2, true, &[]), 1)] {
        let tails: Vec<usize> = (0..6).map(|_| *bench.send(&packet).last().unwrap()).collect();
        let paces: Vec<usize> = tails.windows(2).skip(1).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(paces, [packet.len() + pause; 4]);
    }
}

#[test]
fn answers_come_in_time() {
    fn holds<const W: usize, const B: usize>(pair: usize) {
        let mut bench = bench::<W, B>();
        let packets = [
            (put(1, true, 0, 1, &[1]), 3),
            (put(1, true, 0, 1, &[]), 3),
            (put(1, true, 100, 1, &[1]), 3),
            (atomic(1, 0, 1, Operation::FetchAdd, false, false, &[1]), 5),
            (atomic(1, 0, 1, Operation::PostAdd, false, false, &[1]), 5),
            (atomic(1, 0, 1, Operation::Poke, false, false, &[1]), 4),
            (atomic(1, 0, 1, Operation::Peek, false, false, &[]), 6),
            (atomic(1, 100, 1, Operation::Peek, false, false, &[]), 4),
            (atomic(1, 0, 1, Operation::FetchAdd, true, false, &[1, 2]), 5 + pair),
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
    holds::<32, 4>(3);
    holds::<64, 8>(0);
}

/// The head goes on once the word is asked for, the rest when the operation ends; one flit more has been taken by then.
#[test]
fn the_next_packet_follows_an_atomic_in_time() {
    let fetch = atomic(1, 0, 1, Operation::FetchAdd, false, false, &[1]);
    let pair = atomic(1, 0, 1, Operation::FetchAdd, true, false, &[1, 2]);
    let poke = atomic(1, 0, 1, Operation::Poke, false, false, &[1]);
    let refused = atomic(1, 100, 1, Operation::FetchAdd, false, false, &[1]);
    let peek = atomic(1, 0, 1, Operation::Peek, false, false, &[]);
    let words = [1, 2, 3];
    for (first, next, flits) in [
        (&fetch, put(1, true, 0, 1, &words), &[1, 2, 4, 5, 6][..]),
        (&fetch, stream(2, true, &words), &[1, 2, 4, 5]),
        (&fetch, message(3, 0, &words), &[1, 2, 4, 5, 6]),
        (&fetch, reply(1, true, 0, &words), &[1, 2, 4, 5, 6]),
        (&poke, put(1, true, 0, 1, &words), &[1, 2, 4, 5, 6]),
        (&refused, put(1, true, 0, 1, &words), &[1, 2, 4, 5, 6]),
        (&peek, put(1, true, 0, 1, &words), &[1, 3, 5, 6, 7]),
        (&pair, put(1, true, 0, 1, &words), &[1, 4, 9, 10, 11]),
    ] {
        let mut bench = bench::<32, 4>();
        let tail = *bench.send(first).last().unwrap();
        let taken: Vec<usize> = bench.send(&next).into_iter().map(|flit| flit - tail).collect();
        assert_eq!(taken, flits, "{first:x?}, {next:x?}");
        bench.drain();
    }
}

/// Whoever hears of it may read at once, and a memory may serve that read before a write that waits.
#[test]
fn an_atomic_answers_when_the_write_is_taken() {
    let failed = atomic(1, 0, 1, Operation::CompareAndSwap, false, false, &[7, 8]);
    let add = atomic(1, 0, 1, Operation::FetchAdd, false, false, &[1]);
    let pair = atomic(1, 0, 1, Operation::PostAdd, true, false, &[1, 2]);
    for (packet, writes) in [(&failed, false), (&add, true), (&pair, true)] {
        let mut bench = bench::<32, 4>();
        bench.writes_wait = true;
        let tail = *bench.send(packet).last().unwrap();
        for _ in 0..20 {
            bench.step(None, None);
        }
        let since = bench.cycle;
        assert_eq!(bench.offered.is_empty(), writes, "{packet:x?}");
        bench.writes_wait = false;
        bench.drain();
        let words = if packet == &pair { 2 } else { 1 };
        let offered = if writes { since + words } else { tail + 5 };
        assert_eq!(bench.offered[0], offered, "{packet:x?}");
    }
}

#[test]
fn atomics_of_one_operand_follow_each_other_every_four_cycles() {
    for (operation, pace) in [(Operation::FetchAdd, 4), (Operation::PostAdd, 4), (Operation::Poke, 4)] {
        let mut bench = bench::<32, 4>();
        let packet = atomic(1, 0, 1, operation, false, false, &[1]);
        let tails: Vec<usize> = (0..8).map(|_| *bench.send(&packet).last().unwrap()).collect();
        assert!(
            tails.windows(2).skip(1).all(|pair| pair[1] - pair[0] == pace),
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
    assert_eq!(bench.credits_offered, [since + 6, since + 13, since + 20]);
    assert_eq!(bench.log.refused, 0);
}
