//! Packets that go past the sequencer, and those that might but must not.

use super::check;
use crate::dma::transmit::testing::{op, op1, Bench, Job, CLOSE, EAGER, LAST, OWN, STOP};
use portico_spec::ni::{
    instruction::Op::{self, *},
    packet::{ControlKind, DataKind},
    registers::{Block as RegisterBlock, ShaperRegister},
    ErrorCode, SERVER_CONTEXT,
};
use rand::{rngs::SmallRng, Rng};

const TOLD: [u32; 2] = [op_notify(), 0];

const fn op_notify() -> u32 {
    // NOTIFY of -1: the command's own event.
    Notify as u32 | 3 << 12 | 0x7fff << 17
}

/// A job of one packet, and the program that would send it.
pub(super) fn single(rng: &mut SmallRng, context: u64) -> (Job, Vec<u32>) {
    let row = if rng.gen_bool(0.1) { 0 } else { rng.gen_range(1..=64) };
    let run = if row == 0 { op1(Op::Close, 0) } else { op1(Run, 2) } | CLOSE | LAST;
    let pointer = rng.gen_range(0..2000);
    let registers: Vec<(u64, u32)> = (0..6)
        .map(|register| (register, if register == 2 { pointer } else { rng.gen() }))
        .collect();
    let job = Job {
        row,
        stride: row,
        offset: rng.gen_range(0..3000),
        operation: rng.gen_range(0..8),
        wide: rng.gen(),
        slot: rng.gen_range(0..32),
        quiet: rng.gen(),
        payload: Some([0, row, pointer.into()]),
        registers,
        ..Job::put(context)
    };
    let untold = Job {
        has_slot: false,
        ..job.clone()
    };
    if context == SERVER_CONTEXT as u64 {
        let reply = Job {
            kind: DataKind::Reply as u64,
            base: rng.gen_range(0..1 << 21),
            quiet: true,
            ..untold
        };
        return (reply, vec![run | STOP]);
    }
    match rng.gen_range(0..6) {
        0 => (job, vec![run | STOP]),
        1 => {
            let stream = Job {
                kind: DataKind::Stream as u64,
                bare: true,
                ..untold
            };
            (stream, [&[run][..], &TOLD].concat())
        }
        2 => {
            let message = Job {
                kind: DataKind::Message as u64,
                bare: true,
                row: row.min(62),
                payload: Some([1, row.min(62), pointer.into()]),
                ..untold
            };
            (message, [&[op1(Credit, 0), op1(Word, 0), run][..], &TOLD].concat())
        }
        3 => {
            let literals = rng.gen_range(0..=4);
            let mut code: Vec<u32> = (2..2 + literals).map(|register| op1(Word, register)).collect();
            code.push(op1(Op::Close, 0) | LAST | STOP);
            let atomic = Job {
                kind: DataKind::Atomic as u64,
                half: rng.gen(),
                payload: Some([literals.into(), 0, pointer.into()]),
                ..job
            };
            (atomic, code)
        }
        4 => {
            let get = Job {
                control: true,
                kind: ControlKind::Get as u64,
                payload: Some([2, 0, pointer.into()]),
                ..job
            };
            (get, vec![op1(Word, 1), op1(Word, 3) | CLOSE | STOP])
        }
        _ => {
            let mail = Job {
                control: true,
                bare: true,
                kind: ControlKind::Mail as u64,
                payload: Some([2, 0, pointer.into()]),
                ..untold
            };
            (mail, [&[op1(Word, 2), op1(Word, 3) | CLOSE][..], &TOLD].concat())
        }
    }
}

fn put(context: u64, row: u64) -> Job {
    Job {
        row,
        stride: row,
        registers: vec![(2, 0x40)],
        payload: Some([0, row, 0x40]),
        ..Job::put(context)
    }
}

const PUT: [u32; 1] = [6 | 2 << 4 | CLOSE | LAST | STOP];

#[test]
fn a_short_put_leaves_two_cycles_after_its_start() {
    let mut bench = Bench::<32>::new(0, EAGER, &PUT);
    let started = bench.start(&put(0, 2));
    bench.finish(1, 100);
    check(&bench, &put(0, 2), &PUT, 64);
    let packet = &bench.packets[0];
    assert_eq!((packet.offered, packet.gone), (started + 2, started + 5));
    assert_eq!(bench.stops[0].cycle, started + 2, "the context is free");
}

/// Operands of one atomic go while those of the next come.
#[test]
fn atomics_of_one_operand_follow_each_other_in_three_cycles() {
    let program = [op1(Word, 2) | CLOSE | LAST | STOP];
    let add = |context: u64| Job {
        kind: DataKind::Atomic as u64,
        registers: vec![(2, context as u32)],
        payload: Some([1, 0, 0]),
        ..Job::put(context)
    };
    let mut bench = Bench::<32>::new(0, EAGER, &program);
    let starts: Vec<usize> = (0..8).map(|context| bench.start(&add(context))).collect();
    bench.finish(8, 200);
    (0..8).for_each(|context| _ = check(&bench, &add(context), &program, 64));
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == 3), "{starts:?}");
}

/// The sequencer waits for room with a packet in its hands, which is no reason for those that come to wait.
#[test]
fn a_start_does_not_wait_for_room() {
    let long = |context| Job {
        row: 64 * 20,
        stride: 64 * 20,
        registers: vec![(2, 0)],
        ..Job::put(context)
    };
    let mut bench = Bench::<32>::new(0x7d, EAGER, &PUT);
    bench.start(&long(0));
    bench.mood.ready = 0.0;
    (0..300).for_each(|_| bench.step());
    let starts: Vec<usize> = (1..8).map(|context| bench.start(&long(context))).collect();
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] <= 8), "{starts:?}");
    bench.mood.ready = 1.0;
    bench.finish(8, 20_000);
    (0..8).for_each(|context| _ = check(&bench, &long(context), &PUT, 64));
}

/// While others are cut into many packets, as many as there are micro-cores to one of those.
#[test]
fn the_bypass_and_the_sequencer_take_turns() {
    let mut bench = Bench::<32>::new(0x7a, EAGER, &PUT);
    let long = Job {
        row: 64 * 20,
        stride: 64 * 20,
        registers: vec![(2, 0)],
        ..Job::put(0)
    };
    bench.start(&long);
    (0..200).for_each(|_| bench.step());
    for _ in 0..40 {
        bench.start(&put(1, 8));
    }
    bench.finish(41, 5000);
    let is_long = |index: usize| bench.packets[index].flits.len() == 66;
    let first = (0..bench.packets.len()).position(|index| !is_long(index)).unwrap();
    let (mut longs, mut singles, mut row) = (0, 0, 0);
    for index in first..bench.packets.len() {
        (longs, singles, row) = match is_long(index) {
            true => (longs + 1, singles, 0),
            false => (longs, singles + 1, row + 1),
        };
        // The sequencer may need some cycles to want its turn.
        assert!(row <= 12 || longs == 20, "{row} packets of the bypass in a row");
        if singles == 40 {
            break;
        }
    }
    assert!(
        (3..=14).contains(&longs),
        "{longs} packets of the sequencer to 40 of the bypass"
    );
}

/// A message without a credit waits as a program would, and what comes after it goes.
#[test]
fn a_message_without_a_credit_lets_others_by() {
    let program = [
        op1(Credit, 0),
        op1(Word, 0),
        op1(Run, 2) | CLOSE | LAST,
        op(Notify, 0, OWN),
        op1(Stop, 0),
        PUT[0],
    ];
    let message = Job {
        bare: true,
        kind: DataKind::Message as u64,
        has_slot: false,
        row: 4,
        stride: 4,
        registers: vec![(0, 77), (2, 0x80)],
        payload: Some([1, 4, 0x80]),
        ..Job::put(1)
    };
    let mut bench = Bench::<32>::new(0x7b, EAGER, &program);
    bench.start(&message);
    let after = Job {
        pc: message.pc + 5,
        ..put(2, 4)
    };
    bench.start(&after);
    (0..60).for_each(|_| bench.step());
    assert_eq!((bench.packets.len(), bench.stops.len()), (1, 1));
    check(&bench, &after, &program, 64);
    bench.credits.push((message.segment, 2));
    (0..60).for_each(|_| bench.step());
    check(&bench, &message, &program, 64);
    bench.stops.clear();
    bench.packets.clear();
    let started = bench.start(&message);
    bench.finish(1, 100);
    check(&bench, &message, &program, 64);
    assert_eq!(
        bench.packets[0].offered,
        started + 5,
        "with a credit it goes past the sequencer"
    );
    assert_eq!((bench.credits[0].1, bench.notices.len()), (0, 2));
}

/// Those before it that wait: it runs once they have stopped. Without room it is refused, and gives its slot back.
#[test]
fn commands_behind_a_parked_one_are_held_or_refused() {
    let program = [
        op1(Credit, 0),
        op1(Word, 0),
        op1(Run, 2) | CLOSE | LAST,
        op(Notify, 0, OWN),
        op1(Stop, 0),
        PUT[0],
    ];
    let message = |context| Job {
        bare: true,
        kind: DataKind::Message as u64,
        has_slot: false,
        segment: 0x80,
        row: 4,
        stride: 4,
        registers: vec![(0, 77), (2, 0x80)],
        payload: Some([1, 4, 0x80]),
        ..Job::put(context)
    };
    let behind = |context| Job {
        behind: true,
        ..message(context)
    };
    let mut bench = Bench::<32>::new(0x7e, EAGER, &program);
    bench.start(&message(1));
    bench.dut.park.held.next = 0b100u64.into();
    bench.start(&behind(2));
    (0..60).for_each(|_| bench.step());
    assert_eq!((bench.packets.len(), &bench.parked[..]), (0, &[1, 2][..]));
    bench.credits.push((0x80, 2));
    (0..60).for_each(|_| bench.step());
    assert_eq!((bench.stops.len(), bench.stops[0].context), (1, 1));
    bench.dut.park.held.next = 0u64.into();
    bench.finish(2, 100);
    assert_eq!(
        (bench.stops[1].context, bench.packets.len(), bench.notices.len()),
        (2, 2, 2)
    );

    // A message without a credit, a message behind another, a program behind it that has a slot.
    bench.dut.park.has_room.next = false;
    bench.stops.clear();
    bench.start(&message(1));
    bench.start(&behind(2));
    bench.start(&Job {
        behind: true,
        pc: message(1).pc + 5,
        ..Job::put(3)
    });
    bench.finish(3, 100);
    let code = ErrorCode::NoCredit as u64;
    let told: Vec<_> = bench
        .stops
        .iter()
        .map(|stop| (stop.context, stop.owns_slot, stop.error))
        .collect();
    assert_eq!(told, [(1, false, code), (2, false, code), (3, true, code)]);
    assert_eq!((bench.packets.len(), bench.parked.len()), (2, 2));
}

/// A message takes its credit before its shaper lets it go, so that it never waits for one afterwards.
#[test]
fn a_message_that_its_shaper_holds_has_its_credit() {
    let program = [
        op1(Credit, 0),
        op1(Word, 0),
        op1(Run, 2) | CLOSE | LAST,
        op(Notify, 0, OWN),
        op1(Stop, 0),
    ];
    let message = |context| Job {
        bare: true,
        kind: DataKind::Message as u64,
        has_slot: false,
        shaper: 3,
        segment: 0x80,
        row: 40,
        stride: 40,
        registers: vec![(0, 77), (2, 0x80)],
        payload: Some([1, 40, 0x80]),
        ..Job::put(context)
    };
    let mut bench = Bench::<32>::new(0x7f, EAGER, &program);
    bench.write(RegisterBlock::Shapers, 3 * 4 + ShaperRegister::Rate as u64, 16);
    bench.credits.push((0x80, 4));
    (1..=4).for_each(|context| _ = bench.start(&message(context)));
    (0..40).for_each(|_| bench.step());
    assert_eq!(bench.credits[0].1, 0);
    assert!(bench.packets.len() < 4);
    bench.finish(4, 4000);
    assert_eq!((bench.packets.len(), bench.credits[0].1, bench.parked.len()), (4, 0, 0));
}

/// A shaper holds single packets as it holds those of a program, and cuts what is too long for it.
#[test]
fn shapers_hold_single_packets_too() {
    let mut bench = Bench::<32>::new(0x7c, EAGER, &PUT);
    for (field, value) in [(ShaperRegister::Maximum, 8), (ShaperRegister::Rate, 64)] {
        bench.write(RegisterBlock::Shapers, 3 * 4 + field as u64, value);
    }
    let held = |context, row| Job {
        shaper: 3,
        ..put(context, row)
    };
    for context in 0..8 {
        bench.start(&held(context, 8));
    }
    bench.finish(8, 2000);
    // Ten flits in forty cycles, but for what a bucket gathers.
    let cycles = bench.packets[7].offered - bench.packets[0].offered;
    assert!((7 * 40 - 32..=7 * 40 + 8).contains(&cycles), "{cycles} cycles");
    bench.stops.clear();
    bench.packets.clear();
    bench.start(&held(0, 20));
    bench.finish(1, 2000);
    check(&bench, &held(0, 20), &PUT, 8);
    assert_eq!(bench.packets.len(), 3);
}
