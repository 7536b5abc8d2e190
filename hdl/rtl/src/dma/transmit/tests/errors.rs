//! What stops a context with an error, and what it has sent until then; and what makes it wait.

use super::check;
use crate::dma::transmit::testing::{ends, op, op1, Bench, Job, Operand::*, CLOSE, EAGER, LAST, STOP};
use portico_spec::ni::{
    instruction::{
        Op::{self, *},
        FIRMWARE_WORDS,
    },
    registers::{Block as RegisterBlock, ShaperRegister},
    ErrorCode, SERVER_CONTEXT,
};

fn fails(job: &Job, program: &[u32], error: ErrorCode, packets: usize) {
    let mut bench = Bench::<32>::new(0xe4, EAGER, program);
    bench.start(job);
    bench.finish(1, 5000);
    let expected = check(&bench, job, program, 64);
    assert_eq!(expected.error, error as u64);
    assert_eq!(expected.packets.len(), packets);
}

#[test]
fn reading_beyond_the_limit() {
    let job = |context, pointer| Job {
        row: 100,
        stride: 100,
        base: 0x5000,
        limit: 1000,
        registers: vec![(2, pointer)],
        ..Job::put(context)
    };
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    let server = SERVER_CONTEXT as u64;
    fails(&job(0, 901), &program, ErrorCode::OutOfMemory, 1);
    // The server ends what it breaks off, with a packet more.
    fails(&job(server, 901), &program, ErrorCode::OutOfWindow, 2);
    fails(&job(server, 1000), &program, ErrorCode::OutOfWindow, 1);
    for pointer in [937, 1000, u32::MAX, 1 << 23, 1 << 22] {
        fails(&job(7, pointer), &program, ErrorCode::OutOfMemory, 0);
    }
    let program = [op1(Word, 2), op1(Run, 2) | CLOSE | LAST | STOP];
    fails(&job(0, 950), &program, ErrorCode::OutOfMemory, 1);
    let mut bench = Bench::<32>::new(0, EAGER, &program);
    bench.start(&job(0, 900));
    bench.finish(1, 1000);
    assert_eq!(check(&bench, &job(0, 900), &program, 64).error, 0);
}

/// What breaks a get off goes the way of its words, one packet after the other, and as slowly as its shaper has it.
#[test]
fn a_get_that_breaks_off_waits_for_its_shaper() {
    let job = Job {
        row: 100,
        stride: 100,
        limit: 64,
        registers: vec![(2, 0)],
        ..Job::put(SERVER_CONTEXT as u64)
    };
    let program = [op1(Run, 2) | CLOSE | LAST | STOP];
    let mut bench = Bench::<32>::new(0xe5, EAGER, &program);
    bench.write(RegisterBlock::Shapers, ShaperRegister::Rate as u64, 64);
    bench.start(&job);
    bench.finish(1, 5000);
    check(&bench, &job, &program, 64);
    let [words, end] = &bench.packets[..] else {
        panic!("{:?}", bench.packets)
    };
    // A flit in four cycles.
    assert!(end.offered > words.gone + 64, "{} after {}", end.offered, words.gone);
}

#[test]
fn writing_beyond_the_segment() {
    let job = |offset, size, row, stride| Job {
        offset,
        size,
        row,
        stride,
        registers: vec![(2, 0)],
        ..Job::put(0)
    };
    let program = [op1(Run, 2), op1(Run, 2) | CLOSE | LAST | STOP];
    fails(&job(0x100, 0x17f, 64, 64), &program, ErrorCode::OutOfSegment, 1);
    fails(&job(0x100, 0x14f, 16, 64), &program, ErrorCode::OutOfSegment, 1);
    fails(
        &job((1 << 22) - 70, (1 << 22) - 1, 64, 64),
        &program,
        ErrorCode::OutOfSegment,
        1,
    );
    fails(
        &job(0x100, 0x100, 1, 1),
        &[op1(Word, 2) | CLOSE | LAST],
        ErrorCode::OutOfSegment,
        0,
    );
    let far = [op(Set, 9, Number(-1)), op1(To, 9), op1(Word, 2) | CLOSE | LAST];
    fails(&job(0, (1 << 22) - 1, 1, 1), &far, ErrorCode::OutOfSegment, 0);
}

#[test]
fn sending_after_the_end() {
    let job = |row| Job {
        row,
        stride: row,
        registers: vec![(2, 0)],
        ..Job::put(0)
    };
    let close = op1(Op::Close, 0) | LAST;
    fails(&job(4), &[close, close | STOP], ErrorCode::Ended, 1);
    fails(&job(4), &[close, op1(Run, 2)], ErrorCode::Ended, 1);
    fails(&job(0), &[close, op1(Run, 2), op1(Word, 2)], ErrorCode::Ended, 1);
    let fine = [close, op1(Run, 2) | CLOSE, op1(Op::Close, 0), op1(Stop, 0)];
    let mut bench = Bench::<32>::new(0, EAGER, &fine);
    bench.start(&job(0));
    bench.finish(1, 1000);
    assert_eq!(
        check(&bench, &job(0), &fine, 64).error,
        0,
        "nothing is sent after the end"
    );
}

#[test]
fn instructions_that_there_are_not() {
    let job = Job {
        row: 3,
        stride: 3,
        registers: vec![(2, 0)],
        ..Job::put(0)
    };
    let enter = op(Loop, 0, Number(2));
    for code in 13..16 {
        fails(&job, &[op1(Run, 2), code], ErrorCode::UnknownInstruction, 1);
    }
    fails(&job, &[enter; 5], ErrorCode::UnknownInstruction, 0);
    fails(&job, &[enter, enter | ends(1)], ErrorCode::UnknownInstruction, 0);
    fails(
        &job,
        &[enter, op(Add, 1, Number(1)) | ends(2)],
        ErrorCode::UnknownInstruction,
        0,
    );
    fails(
        &Job { pc: 0xff, ..job },
        &[op(Add, 1, Number(1)); 256 - FIRMWARE_WORDS],
        ErrorCode::UnknownInstruction,
        0,
    );
}

/// A context that waits closes its packet, lets others run, and goes on when its time has come.
#[test]
fn waiting_contexts_let_others_run() {
    let waiting = |op| vec![op1(Word, 2), op, op1(Word, 3) | CLOSE | LAST | STOP];
    for (kind, instruction) in [(0, op(Wait, 0, Register(4))), (1, op1(Credit, 0)), (2, op1(Fence, 0))] {
        let mut program = waiting(instruction);
        let other = program.len();
        program.push(op1(Word, 3) | CLOSE | LAST | STOP);
        let job = Job {
            registers: vec![(2, 22), (3, 33), (4, 63)],
            ..Job::put(1)
        };
        let mut bench = Bench::<32>::new(0x3a, EAGER, &program);
        bench.busy = vec![(job.segment, job.slot), (job.segment, job.slot + 1)];
        bench.start(&job);
        (0..60).for_each(|_| bench.step());
        assert_eq!(bench.packets.len(), 1, "the packet before the wait");
        assert!(bench.dut.running.val() && bench.dut.waiting.val());
        let next = Job {
            pc: (FIRMWARE_WORDS + other) as u64,
            registers: vec![(3, 33)],
            ..Job::put(2)
        };
        bench.start(&next);
        (0..60).for_each(|_| bench.step());
        assert_eq!((bench.packets.len(), bench.stops.len()), (2, 1), "the other runs");
        assert!(bench.dut.waiting.val(), "the first still waits");
        match kind {
            0 => bench.dut.fired.next = (1u64 << 63).into(),
            1 => bench.credits.push((job.segment, 1)),
            _ => bench.busy.truncate(1),
        }
        bench.finish(2, 200);
        check(&bench, &job, &program, 64);
        assert_eq!(bench.packets[1].flits[2], 33);
    }
}

/// A fence does not wait for the slot of its own program before that has ended its transfer, and does afterwards.
#[test]
fn a_fence_waits_for_its_own_transfer_once_that_has_ended() {
    let program = [op1(Fence, 0), op1(Word, 2) | CLOSE | LAST, op1(Fence, 0), op1(Stop, 0)];
    let job = Job {
        registers: vec![(2, 22)],
        ..Job::put(1)
    };
    let mut bench = Bench::<32>::new(0x3b, EAGER, &program);
    bench.busy.push((job.segment, job.slot));
    bench.start(&job);
    (0..40).for_each(|_| bench.step());
    assert_eq!((bench.packets.len(), bench.stops.len()), (1, 0));
    assert!(bench.dut.waiting.val(), "the second fence waits");
    bench.busy.clear();
    bench.finish(1, 200);
    check(&bench, &job, &program, 64);
}

#[test]
fn reset_in_mid_flight_leaves_nothing() {
    let program = [
        op(Loop, 0, Number(9)),
        op1(Run, 2) | ends(1),
        op1(Op::Close, 0) | LAST | STOP,
    ];
    let job = Job {
        row: 50,
        stride: 60,
        registers: vec![(2, 0)],
        ..Job::put(0)
    };
    let mut bench = Bench::<32>::new(0x4e5, EAGER, &program);
    for cycles in [3, 4, 5, 20, 70, 71, 72, 200] {
        bench.start(&job);
        (0..cycles).for_each(|_| bench.step());
        assert!(bench.dut.running.val());
        bench.reset();
        assert!(!bench.dut.running.val());
        bench.start(&job);
        bench.finish(1, 2000);
        check(&bench, &job, &program, 64);
        bench.packets.clear();
        bench.stops.clear();
    }
}
