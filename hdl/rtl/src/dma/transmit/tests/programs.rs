//! The built-in programs, and loops.

use super::check;
use crate::dma::transmit::testing::{ends, op, op1, Bench, Job, Mood, Operand::*, CLOSE, EAGER, LAST, OWN, STOP, SWAP};
use portico_spec::ni::instruction::Op::{self, *};

/// Programs put together, each with its first place.
fn put() -> Vec<u32> {
    vec![op1(Run, 2) | CLOSE | LAST | STOP]
}

fn put2d() -> Vec<u32> {
    vec![
        op(Loop, 0, High(3)),
        op(Run, 2, Low(4)) | ends(1),
        op1(Op::Close, 0) | LAST | STOP,
    ]
}

fn put3d() -> Vec<u32> {
    vec![
        op(Loop, 0, Low(5)),
        op1(To, 1),
        op(Set, 7, Register(2)),
        op(Loop, 0, High(3)),
        op(Run, 7, Low(4)) | ends(1),
        op(Add, 1, High(6)),
        op(Add, 2, Low(6)) | ends(1),
        op1(Op::Close, 0) | LAST | STOP,
    ]
}

const SLOW: Mood = Mood {
    ready: 0.6,
    latency: 9,
    jitter: 5,
};

/// Runs one job at both widths, eager and slow, and holds it to the model.
fn runs(job: &Job, program: &[u32]) {
    for mood in [EAGER, SLOW] {
        let mut bench = Bench::<32>::new(0x90, mood, program);
        bench.credits.push((job.segment, 1));
        bench.start(job);
        bench.finish(1, 40_000);
        let expected = check(&bench, job, program, 64);
        let notices: Vec<u64> = bench.notices.iter().map(|(_, event)| *event).collect();
        assert_eq!(notices, expected.notices);
        if let (Some((noticed, _)), Some(last)) = (bench.notices.first(), bench.packets.last()) {
            assert!(*noticed > last.gone, "a notice before its packets");
        }
        assert_eq!(bench.credits[0].1, 1 - expected.credits);
    }
    let mut bench = Bench::<64>::new(0x91, SLOW, program);
    bench.credits.push((job.segment, 1));
    bench.start(job);
    bench.finish(1, 40_000);
    check(&bench, job, program, 64);
}

#[test]
fn puts() {
    for row in [1, 2, 63, 64, 65, 128, 200] {
        let job = Job {
            row,
            stride: row,
            registers: vec![(2, 0x123)],
            ..Job::put(2)
        };
        runs(&job, &put());
    }
    runs(&Job::put(0), &[op1(Op::Close, 0) | LAST | STOP]);
}

#[test]
fn puts_of_two_dimensions() {
    for (row, rows, stride, pitch) in [
        (8, 12, 20, 9),
        (1, 70, 5, 3),
        (64, 3, 65, 64),
        (70, 3, 100, 80),
        (8, 20, 8, 10),
    ] {
        let job = Job {
            row,
            stride,
            registers: vec![
                (2, 0x40),
                (3, (rows << 16) | row as u32),
                (4, (stride as u32) << 16 | pitch),
            ],
            ..Job::put(1)
        };
        runs(&job, &put2d());
    }
}

#[test]
fn puts_of_three_dimensions() {
    let job = Job {
        row: 5,
        stride: 7,
        offset: 0x500,
        registers: vec![
            (1, 0x500),
            (2, 0x40),
            (3, 6 << 16 | 5),
            (4, 7 << 16 | 6),
            (5, 4),
            (6, 100 << 16 | 50),
        ],
        ..Job::put(5)
    };
    runs(&job, &put3d());
}

#[test]
fn gets_and_mails_go_to_the_control_plane() {
    let registers = vec![(1, 0x77), (2, 0x1111_2222), (3, 0x3333_4444), (4, 0x5555_6666)];
    let get = Job {
        control: true,
        kind: 4,
        registers: registers.clone(),
        ..Job::put(3)
    };
    runs(&get, &[op1(Word, 1), op1(Word, 3), op1(Word, 4) | SWAP | CLOSE | STOP]);
    let mail = Job {
        bare: true,
        kind: 3,
        has_slot: false,
        ..get
    };
    runs(
        &mail,
        &[op1(Word, 2), op1(Word, 3) | CLOSE, op(Notify, 0, OWN), op1(Stop, 0)],
    );
}

#[test]
fn atomics_are_never_strided_and_never_split() {
    let job = Job {
        kind: 3,
        operation: 4,
        wide: true,
        half: true,
        registers: vec![(2, 2), (3, 3), (4, 4), (5, 5)],
        ..Job::put(4)
    };
    let program: Vec<u32> = vec![
        op1(Word, 2),
        op1(Word, 3),
        op1(Word, 4),
        op1(Word, 5) | CLOSE | LAST | STOP,
    ];
    runs(&job, &program);
    runs(&Job { half: false, ..job }, &program);
}

#[test]
fn streams_and_messages_have_no_address() {
    let stream = Job {
        bare: true,
        kind: 2,
        has_slot: false,
        row: 40,
        stride: 99,
        registers: vec![(2, 0x200), (3, 5 << 16 | 40), (4, 50)],
        ..Job::put(6)
    };
    runs(
        &stream,
        &[
            op(Loop, 0, High(3)),
            op(Run, 2, Low(4)) | ends(1),
            op1(Op::Close, 0) | LAST,
            op(Notify, 0, OWN),
            op1(Stop, 0),
        ],
    );
    runs(
        &Job {
            quiet: true,
            ..stream.clone()
        },
        &[
            op1(Run, 2) | CLOSE | LAST,
            op(Notify, 0, OWN),
            op(Notify, 0, Number(5)),
            op1(Stop, 0),
        ],
    );
    let message = Job {
        kind: 4,
        row: 62,
        registers: vec![(0, 0x1234), (2, 0x200)],
        ..stream
    };
    runs(
        &message,
        &[
            op1(Credit, 0),
            op1(Word, 0),
            op1(Run, 2) | CLOSE | LAST,
            op(Notify, 0, OWN),
            op1(Stop, 0),
        ],
    );
    runs(
        &message,
        &[
            op1(Credit, 0),
            op1(Word, 0) | CLOSE | LAST,
            op(Notify, 0, OWN),
            op1(Stop, 0),
        ],
    );
}

#[test]
fn a_message_is_longer_than_its_shaper_allows_others_to_be() {
    let program = [op1(Word, 0), op1(Run, 2) | CLOSE | LAST | STOP];
    let job = Job {
        bare: true,
        kind: 4,
        row: 62,
        registers: vec![(0, 1), (2, 0)],
        ..Job::put(0)
    };
    let mut bench = Bench::<32>::new(1, EAGER, &program);
    bench.write(portico_spec::ni::registers::Block::Shapers, 0, 8);
    bench.start(&job);
    bench.finish(1, 1000);
    assert_eq!(bench.packets[0].flits.len(), 64);
    check(&bench, &job, &program, 8);
}

/// Four loops with one end, and loops that end apart.
#[test]
fn loops_nest() {
    let job = Job {
        row: 1,
        stride: 1,
        registers: vec![(2, 0), (8, 3), (9, 2 << 16)],
        ..Job::put(0)
    };
    let common = [
        op(Loop, 0, Number(2)),
        op(Loop, 0, Register(8)),
        op(Loop, 0, High(9)),
        op(Loop, 0, Number(3)),
        op(Run, 2, Number(0)) | ends(4),
        op1(Op::Close, 0) | LAST | STOP,
    ];
    runs(&job, &common);
    let apart = [
        op(Loop, 0, Number(2)),
        op1(Word, 8),
        op(Loop, 0, Number(3)),
        op(Loop, 0, Number(1)),
        op(Loop, 0, Number(4)),
        op(Add, 8, Number(1)) | ends(1),
        op1(Word, 8) | ends(2),
        op(Add, 8, Number(-7)) | ends(1),
        op1(Word, 8) | CLOSE | LAST | STOP,
    ];
    runs(&job, &apart);
}

/// A program that sends nothing makes room for a put of two packets, though it never waits.
#[test]
fn a_loop_that_sends_nothing_lets_others_send() {
    const ROUNDS: i32 = 2_000;
    let put = put();
    let looping = [
        op(Loop, 0, Number(ROUNDS)),
        op(Add, 9, Number(1)) | ends(1),
        op1(Stop, 0),
    ];
    let mut bench = Bench::<32>::new(0x93, EAGER, &[&put[..], &looping].concat());
    let loops = Job::put(0);
    bench.start(&Job {
        pc: loops.pc + put.len() as u64,
        ..loops.clone()
    });
    bench.start(&Job {
        context: loops.context + 1,
        row: 65,
        stride: 65,
        registers: vec![(2, 0x123)],
        ..Job::put(1)
    });
    let begun = bench.cycle;
    bench.finish(2, 40_000);
    let order: Vec<u64> = bench.stops.iter().map(|stop| stop.context).collect();
    assert_eq!(order, [loops.context + 1, loops.context]);
    assert_eq!(bench.packets.len(), 2);
    // A turn of the loop goes by before each of the two packets.
    let cycles = bench.packets[1].gone - begun;
    assert!(cycles < 400, "{cycles} cycles");
}

/// Arguments of another context hold up what a loop writes, and with it the instruction that has its credit.
#[test]
fn a_loop_takes_each_credit_once_while_arguments_come() {
    const CREDITS: usize = 60;
    let program = [
        op(Loop, 0, Number(CREDITS as i32)),
        op1(Credit, 0) | ends(1),
        op1(Stop, 0),
    ];
    let mut bench = Bench::<32>::new(0x92, EAGER, &program);
    let job = Job::put(0);
    bench.credits.push((job.segment, CREDITS));
    bench.start(&job);
    for cycle in 0..40 * CREDITS {
        bench.dut.argument.enable.next = cycle % 16 < 8;
        bench.dut.argument.context.next = (job.context + 1).into();
        bench.step();
    }
    bench.dut.argument.enable.next = false;
    bench.finish(1, 10_000);
    assert_eq!(bench.credits[0].1, 0);
}
