//! Random programs in many contexts, with neighbours that pause.

use super::{bypass::single, check};
use crate::dma::transmit::testing::{
    ends, op, op1, Bench, Job, Mood, Operand, Operand::*, CLOSE, LAST, OWN, STOP, SWAP, UNBOUNDED,
};
use portico_spec::ni::{
    instruction::{Op, Op::*, FIRMWARE_WORDS},
    registers::Block as RegisterBlock,
};
use rand::{rngs::SmallRng, Rng};
use std::collections::HashSet;

/// Registers whose values mean something: 0 and 1 remote offsets, 2 and 3 local pointers, 4 and 5 rows and strides, the
/// others anything.
fn registers(rng: &mut SmallRng) -> Vec<(u64, u32)> {
    (0..16)
        .map(|register| {
            let value = match register {
                0 | 1 => rng.gen_range(0..3000),
                2 | 3 => rng.gen_range(0..2500),
                4 | 5 => rng.gen_range(0..90),
                _ => rng.gen(),
            };
            (register, value)
        })
        .collect()
}

fn operand(rng: &mut SmallRng) -> Operand {
    match rng.gen_range(0..4) {
        0 => Register(rng.gen_range(4..6)),
        1 => Low(rng.gen_range(0..6)),
        2 => High(rng.gen_range(0..6)),
        _ => Number(rng.gen_range(-20..90)),
    }
}

/// One instruction that begins no loop.
fn instruction(rng: &mut SmallRng) -> u32 {
    let mut flags = 0;
    for (flag, chance) in [(CLOSE, 0.3), (LAST, 0.04), (STOP, 0.01), (SWAP, 0.3)] {
        flags |= if rng.gen_bool(chance) { flag } else { 0 };
    }
    let flagged = Low(rng.gen_range(0..6));
    match rng.gen_range(0..100) {
        0..=44 => op(Run, rng.gen_range(2..4), flagged) & !(0x7fff << 17) | flags,
        45..=59 => op1(Word, rng.gen_range(0..16)) | flags,
        60..=64 => op1(Op::Close, 0) | flags & !CLOSE,
        65..=71 => op1(To, rng.gen_range(0..2)),
        72..=81 => op(Shape, rng.gen_range(4..6), Low(rng.gen_range(4..6))),
        82..=85 => op(Set, rng.gen_range(0..6), operand(rng)),
        86..=90 => op(Add, rng.gen_range(0..6), operand(rng)),
        91..=93 => op(Notify, 0, if rng.gen() { OWN } else { Number(rng.gen_range(0..64)) }),
        94..=95 => op(Wait, 0, Number(rng.gen_range(0..32))),
        96 => op1(Credit, 0),
        97 => op1(Fence, 0),
        98 => op1(Op::Close, 0) | flags,
        _ => rng.gen_range(13..16),
    }
}

/// Instructions with loops in them.
fn block(rng: &mut SmallRng, depth: usize) -> Vec<u32> {
    let mut code = vec![];
    for _ in 0..rng.gen_range(1..5) {
        if depth < 4 && rng.gen_bool(0.3) {
            code.push(op(Loop, 0, Number(rng.gen_range(1..4))));
            code.extend(block(rng, depth + 1));
        } else if depth < 4 && rng.gen_bool(0.05) {
            // A packet that is open outlasts it, or not.
            code.push(op(Loop, 0, Number(rng.gen_range(55..70))));
            code.push(op(Add, 7, Number(1)) | ends(1));
        } else {
            code.push(instruction(rng));
        }
    }
    if depth > 0 {
        *code.last_mut().unwrap() += ends(1);
    }
    code
}

fn job(rng: &mut SmallRng, context: u64, pc: usize, maximum: &[u64]) -> Job {
    let row = rng.gen_range(0..90);
    // Data or control, and what has no address.
    let (control, kind, bare) = [
        (false, 0, false),
        (false, 0, false),
        (false, 1, false),
        (false, 2, true),
        (false, 3, false),
        (false, 4, true),
        (true, 4, false),
    ][rng.gen_range(0..7)];
    Job {
        pc: pc as u64,
        control,
        kind,
        bare,
        offset: rng.gen_range(0..3000),
        size: if rng.gen() {
            UNBOUNDED
        } else {
            rng.gen_range(2500..4500)
        },
        row,
        stride: if rng.gen() { row } else { rng.gen_range(0..120) },
        has_slot: rng.gen(),
        slot: rng.gen_range(0..32),
        operation: rng.gen_range(0..8),
        wide: rng.gen(),
        half: rng.gen(),
        shaper: rng.gen_range(0..maximum.len() as u64),
        quiet: rng.gen(),
        base: rng.gen_range(0..1 << 22),
        limit: rng.gen_range(2000..6000),
        registers: registers(rng),
        ..Job::put(context)
    }
}

/// Programs of all contexts, started at random moments, in rounds.
fn rounds<const W: usize>(seed: u64, mood: Mood) -> (HashSet<u64>, usize) {
    let mut bench = Bench::<W>::new(seed, mood, &[]);
    let mut rng = crate::prim::testing::rng(seed ^ 0xfeed);
    let (mut errors, mut packets) = (HashSet::new(), 0);
    bench.dut.fired.next = u64::from(u32::MAX).into();
    for _ in 0..ROUNDS {
        let maximum: Vec<u64> = (0..3).map(|_| rng.gen_range(1..=64)).collect();
        for (shaper, &words) in maximum.iter().enumerate() {
            bench.write(RegisterBlock::Shapers, shaper as u64 * 4, words as u32);
            bench.write(RegisterBlock::Shapers, shaper as u64 * 4 + 1, [0, 200, 90][shaper]);
        }
        let mut program = vec![];
        let mut jobs = vec![];
        for context in 0..9 {
            let pc = FIRMWARE_WORDS + program.len();
            let (job, code) = if rng.gen_bool(0.25) {
                let (job, code) = single(&mut rng, context);
                let shaper = rng.gen_range(0..maximum.len() as u64);
                (
                    Job {
                        shaper,
                        pc: pc as u64,
                        ..job
                    },
                    code,
                )
            } else {
                let mut code = block(&mut rng, 0);
                code.push(op1(Op::Close, 0) | LAST | STOP);
                (job(&mut rng, context, pc, &maximum), code)
            };
            if program.len() + code.len() <= 256 - FIRMWARE_WORDS {
                jobs.push(job);
                program.extend(code);
            }
        }
        bench.load(&program);
        bench.credits = jobs.iter().map(|job| (job.segment, usize::MAX)).collect();
        bench.packets.clear();
        bench.stops.clear();
        bench.notices.clear();
        for job in &jobs {
            for _ in 0..rng.gen_range(0..100) {
                bench.step();
            }
            bench.start(job);
        }
        bench.finish(jobs.len(), 1_000_000);
        let mut notices = vec![];
        for job in &jobs {
            let expected = check(&bench, job, &program, maximum[job.shaper as usize]);
            errors.insert(expected.error);
            packets += expected.packets.len();
            notices.extend(expected.notices);
        }
        notices.sort_unstable();
        let mut seen: Vec<u64> = bench.notices.iter().map(|(_, event)| *event).collect();
        seen.sort_unstable();
        assert_eq!(seen, notices);
    }
    (errors, packets)
}

const ROUNDS: usize = 10;

#[test]
fn random_programs_send_what_the_model_says() {
    let mood = |ready, latency, jitter| Mood { ready, latency, jitter };
    let mut errors = HashSet::new();
    let mut packets = 0;
    let runs = [
        rounds::<32>(0x41, mood(1.0, 1, 0)),
        rounds::<32>(0x42, mood(0.7, 1, 3)),
        rounds::<32>(0x43, mood(0.8, 30, 10)),
        rounds::<64>(0x44, mood(0.3, 4, 2)),
    ];
    for (seen, sent) in runs {
        errors.extend(seen);
        packets += sent;
    }
    assert!(packets > 1000, "{packets} packets");
    for error in [0, 5, 6, 9, 10, 12] {
        assert!(errors.contains(&error), "error {error} was not reached: {errors:?}");
    }
}
