//! Latency, throughput and rates, in cycles.

use super::check;
use crate::dma::transmit::testing::{ends, op, op1, Bench, Job, Operand::*, CLOSE, EAGER, LAST, STOP};
use portico_spec::ni::{
    instruction::{Op, Op::*},
    registers::Block as RegisterBlock,
};

fn put(context: u64, row: u64) -> Job {
    Job {
        row,
        stride: row,
        registers: vec![(2, 0x40)],
        ..Job::put(context)
    }
}

#[test]
fn a_program_sends_twenty_cycles_after_its_start() {
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    let mut bench = Bench::<32>::new(0, EAGER, &program);
    let started = bench.start(&put(0, 2));
    bench.finish(1, 100);
    check(&bench, &put(0, 2), &program, 64);
    let packet = &bench.packets[0];
    assert_eq!((packet.offered, packet.gone), (started + 20, started + 23));
}

#[test]
fn a_long_put_fills_the_link() {
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    let mut bench = Bench::<32>::new(0, EAGER, &program);
    bench.start(&put(0, 640));
    bench.finish(1, 1000);
    check(&bench, &put(0, 640), &program, 64);
    assert_eq!(bench.packets.len(), 10);
    for pair in bench.packets.windows(2) {
        assert_eq!(pair[1].gone - pair[0].gone, 66);
    }
}

/// Cycles from tail to tail of rows of `row` words, the first two packets left out.
fn cycles_of_rows(row: u64, maximum: u32, flits: usize) -> Vec<usize> {
    let program = [
        op(Loop, 0, High(3)),
        op(Run, 2, Low(4)) | ends(1),
        op1(Op::Close, 0) | LAST | STOP,
    ];
    let rows = 8 * u64::from(maximum) / row;
    let job = Job {
        row,
        stride: row + 3,
        registers: vec![(2, 0), (3, (rows as u32) << 16), (4, 40)],
        ..Job::put(0)
    };
    let mut bench = Bench::<32>::new(0, EAGER, &program);
    bench.write(RegisterBlock::Shapers, 0, maximum);
    bench.start(&job);
    bench.finish(1, 5000);
    check(&bench, &job, &program, maximum.into());
    assert!(bench.packets.iter().all(|packet| packet.flits.len() == flits));
    bench
        .packets
        .windows(2)
        .skip(1)
        .map(|pair| pair[1].gone - pair[0].gone)
        .collect()
}

#[test]
fn rows_with_gaps_fill_the_link() {
    assert_eq!(cycles_of_rows(8, 32, 35), [35; 6]);
}

/// A row takes six cycles, and what closes a packet as long as a chunk.
#[test]
fn rows_of_a_word_take_six_cycles_each() {
    assert_eq!(cycles_of_rows(1, 64, 67)[..5], [64 * 6 + 6; 5]);
}

#[test]
fn puts_follow_each_other_as_fast_as_they_are_started() {
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    for (cores, cycles) in [(1, 22), (4, 18)] {
        let mut bench = Bench::<32>::new(0, EAGER, &program);
        let mut started = 0;
        while started < 24 {
            let free = started < bench.stops.len() + cores;
            if free {
                bench.start(&put((started % cores) as u64, 16));
                started += 1;
            } else {
                bench.step();
            }
        }
        bench.finish(24, 1000);
        for pair in bench.packets.windows(2).skip(2) {
            assert_eq!(pair[1].gone - pair[0].gone, cycles, "{cores} cores");
        }
    }
}

/// Contexts take turns by packets.
#[test]
fn contexts_share_the_link() {
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    let mut bench = Bench::<32>::new(0, EAGER, &program);
    for context in 0..9 {
        bench.start(&put(context, 320));
    }
    bench.finish(9, 4000);
    for context in 0..9 {
        check(&bench, &put(context, 320), &program, 64);
    }
    for part in bench.packets[9..36].chunks(9) {
        let mut order: Vec<u64> = part.iter().map(|packet| packet.destination()).collect();
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len(), 9, "somebody was left out");
    }
    for pair in bench.packets.windows(2) {
        assert_eq!(pair[1].gone - pair[0].gone, 66);
    }
}

/// A rate holds over time, a burst goes at once, and others are not held up.
#[test]
fn shapers_hold_rates() {
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    for (rate, burst) in [(64, 0), (128, 200), (17, 40)] {
        let mut bench = Bench::<32>::new(0, EAGER, &program);
        for (field, value) in [(0, 16), (1, rate), (2, burst)] {
            bench.write(RegisterBlock::Shapers, 5 * 4 + field, value);
        }
        (0..4000).for_each(|_| bench.step());
        let job = Job {
            shaper: 5,
            ..put(3, 16 * 60)
        };
        let started = bench.start(&job);
        // Without a burst nothing is made up for, so another context may be in the way.
        if burst == 0 {
            let free = put(4, 640);
            let started = bench.start(&free);
            (0..1000).for_each(|_| bench.step());
            check(&bench, &free, &program, 64);
            let tail = bench
                .packets
                .iter()
                .rfind(|packet| packet.destination() == free.destination);
            assert!(
                tail.unwrap().gone < started + 900,
                "a limited context holds up a free one"
            );
            bench.stops.clear();
        }
        bench.finish(1, 60_000);
        check(&bench, &job, &program, 16);
        let own: Vec<_> = bench
            .packets
            .iter()
            .filter(|packet| packet.destination() == job.destination)
            .collect();
        let at_once = own.iter().filter(|packet| packet.gone < started + 250).count();
        assert!(at_once * 18 >= (burst as usize), "the burst: {at_once} packets");
        let cycles = own[59].offered - own[39].offered;
        let expected = 20 * 18 * 256 / rate as usize;
        assert!(
            cycles.abs_diff(expected) <= 8 + expected / 100,
            "rate {rate}: {cycles} cycles rather than {expected}"
        );
    }
}

/// A maximum of 0 or beyond 64 counts as 64.
#[test]
fn maxima_that_make_no_sense_are_the_greatest() {
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    for maximum in [0, 65, 1 << 30] {
        let mut bench = Bench::<32>::new(0, EAGER, &program);
        bench.write(RegisterBlock::Shapers, 0, maximum);
        bench.start(&put(0, 130));
        bench.finish(1, 1000);
        check(&bench, &put(0, 130), &program, 64);
    }
}
