//! Commands one at a time: every happy path, every refusal, and how long they take.

use super::{
    bench::{Bench, Source, ENTRIES, MEMORY},
    expect::{command, registers, word0, Outcome, Segment},
};
use portico_spec::ni::{
    build::Build,
    ErrorCode::{self, *},
    SERVER_CONTEXT,
};

const WINDOW: Segment = [0x41, 0x9a, 1, 100];
const QUEUE: Segment = [0x42, 0x9b, 2, 0];

/// Sends one descriptor to a dispatcher that has nothing to do; gives the outcome and the cycles from last word to start or
/// event.
fn outcome<const W: usize>(words: &[u32]) -> (Outcome, u64) {
    outcome_of::<W>(
        &Build {
            cores: 2,
            ..Build::FULL
        },
        words,
    )
}

/// The same of a dispatcher as in `build`.
fn outcome_of<const W: usize>(build: &Build, words: &[u32]) -> (Outcome, u64) {
    let mut bench = Bench::<W>::with(build);
    bench.segment(1, WINDOW);
    bench.segment(2, QUEUE);
    bench.next_slot = 9;
    bench.send(Source::Command, words);
    while bench.last_words.is_empty() {
        bench.tick();
    }
    let end = bench.cycle - 1;
    for _ in 0..100 {
        if let Some((cycle, mut start)) = bench.starts.pop() {
            assert_eq!(bench.active(), 1);
            for (register, value) in registers(W as u64, words) {
                assert_eq!(bench.registers[0][register], value, "{words:x?}: register {register}");
            }
            assert_eq!(start.context, 0);
            let claims: Vec<_> = start
                .slot
                .map(|_| {
                    (
                        start.event,
                        start.quiet,
                        start.segment,
                        start.destination,
                        words[0] % 32 == 2,
                    )
                })
                .into_iter()
                .collect();
            assert_eq!(bench.claims, claims);
            if let Some(slot) = &mut start.slot {
                assert_eq!(*slot, 9);
                *slot = 0;
            }
            bench.run(5);
            assert!(bench.starts.is_empty() && bench.events.is_empty());
            return (Outcome::Start(Box::new(start)), cycle - end);
        }
        if let Some((event, error)) = bench.events.pop() {
            assert_eq!(event, u64::from(words[0] >> 8 & 63));
            let took = bench.cycle - 1 - end;
            bench.run(5);
            assert!(bench.starts.is_empty() && bench.events.is_empty() && bench.claims.is_empty());
            assert_eq!(bench.active(), 0);
            return (Outcome::Event(error), took);
        }
        bench.tick();
    }
    panic!("neither a start nor an event of {words:x?}")
}

fn starts(words: &[u32], pc: u8) -> u64 {
    let handle = words[0] >> 14 & 255;
    let segment = [[0; 4], WINDOW, QUEUE][handle as usize];
    let (seen, took) = outcome::<32>(words);
    assert_eq!(seen, command(32, words, segment), "{words:x?}");
    let Outcome::Start(start) = seen else {
        panic!("{words:x?}: {seen:?}")
    };
    assert_eq!(start.pc, u64::from(pc), "{words:x?}");
    assert_eq!(outcome::<64>(words).0, command(64, words, segment), "{words:x?}");
    took
}

fn fails(words: &[u32], error: ErrorCode) {
    assert_eq!(outcome::<32>(words).0, Outcome::Event(error as u64), "{words:x?}");
}

fn head(opcode: u32, segment: u32) -> u32 {
    word0(opcode, 33, segment) | 5 << 5
}

/// An atomic's first word.
fn atomic(operation: u32, wide: bool) -> u32 {
    head(5, 1) | operation << 22 | u32::from(wide) << 25
}

#[test]
fn commands_of_one_row_start_three_cycles_after_their_last_word_and_short_ones_four() {
    let e = ENTRIES;
    for quiet in [0, 1 << 27] {
        assert_eq!(starts(&[head(1, 1) | quiet, 0x20, 0x108, 1 << 16 | 7], e.put), 3);
        assert_eq!(starts(&[head(2, 1) | quiet, 0x20, 0x108, 1 << 16 | 7], e.get), 3);
        assert_eq!(starts(&[head(3, 1) | quiet, 0x21, 0x108, 1 << 16 | 7], e.stream), 3);
        assert_eq!(starts(&[head(4, 2) | quiet, 0x21, 0x108, 1 << 16 | 62], e.enqueue), 3);
        assert_eq!(starts(&[head(4, 2) | quiet, 0x21, 0x108, 1 << 16], e.enqueue_empty), 3);
        assert_eq!(
            starts(&[head(6, 9) & !(255 << 14) | quiet, 0x7f << 9 | 0x155, 3, 4], e.mail),
            3
        );
        assert_eq!(starts(&[head(7, 1) | quiet], e.fence), 4);
        assert_eq!(starts(&[head(7, 2) | quiet, 77], e.fence), 4);
        assert_eq!(starts(&[head(8, 1) | quiet, 64], 64), 4);
        let long = [head(8, 1), 0xff, 3, 9, 5 << 16, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
        assert_eq!(starts(&long, 0xff), 3);
    }
}

#[test]
fn atomics_start_three_cycles_after_their_operand_four_without() {
    let counts = [1, 1, 1, 0, 2, 0, 2];
    for (operation, &count) in counts.iter().enumerate() {
        for wide in [false, true] {
            for offset in [0x10, 0x14] {
                if wide && offset == 0x14 {
                    continue;
                }
                let count = if wide { 2 * count } else { count };
                let mut words = vec![atomic(operation as u32, wide), offset];
                words.extend((0..count as u32).map(|at| 0xab00 + at));
                let took = starts(&words, ENTRIES.atomic[count]);
                assert_eq!(took, if count == 0 { 4 } else { 3 }, "{operation}, wide {wide}");
            }
        }
    }
}

#[test]
fn rows_and_planes_are_measured() {
    let e = ENTRIES;
    // Rows of 3 every 10 end at 93, every 8 of memory at 75; one plane more 5 further.
    let took = starts(&[head(1, 1), 0x18, 0x108, 10 << 16 | 3, 10 << 16 | 8], e.put2d);
    assert_eq!(took, 4 + 1 + 4 + 1 + 4);
    starts(
        &[head(1, 1), 0x18, 0x108, 10 << 16 | 3, 10 << 16 | 8, 2, 1 << 16 | 5],
        e.put3d,
    );
    starts(&[head(2, 1), 0x18, 0x108, 10 << 16 | 3, 10 << 16 | 8], e.get2d);
    starts(
        &[head(2, 1), 0x18, 0x108, 10 << 16 | 3, 10 << 16 | 8, 2, 1 << 16 | 5],
        e.get3d,
    );
    starts(&[head(3, 1), 0x18, 0x108, 10 << 16 | 3, 0xffff << 16 | 8], e.stream2d);
    // One row may have any stride.
    assert_eq!(
        starts(&[head(1, 1), 0, 0, 1 << 16 | 100, 0xffff << 16 | 0xffff], e.put2d),
        3
    );
    for (opcode, strides, error) in [
        (1, [10 << 16 | 8, 5 << 16 | 5], OutOfSegment),
        (2, [11 << 16 | 8, 1 << 16 | 5], OutOfSegment),
        (1, [10 << 16 | 500, 1 << 16 | 5], OutOfMemory),
        (2, [10 << 16 | 8, 1 << 16 | 4100], OutOfMemory),
        (1, [11 << 16 | 500, 1 << 16 | 5], OutOfSegment),
    ] {
        let [w4, w6] = strides;
        fails(&[head(opcode, 1), 0x18, 0x108, 10 << 16 | 3, w4, 2, w6], error);
    }
    fails(&[head(3, 1), 0, 0x108, 10 << 16 | 3, 500], OutOfMemory);
    // The address is beyond already, by itself.
    fails(&[head(1, 1), 0x18, 0x8000, 2 << 16 | 1, 1 << 16 | 1], OutOfMemory);
    fails(&[head(1, 1), 101 * 4, 0x8000, 2 << 16 | 1, 1 << 16 | 1], OutOfSegment);
}

#[test]
fn transfers_of_nothing_end_at_once() {
    let end = (100 * 4, MEMORY as u32 * 4);
    for opcode in [1, 2] {
        let pc = [ENTRIES.empty, ENTRIES.get][opcode as usize - 1];
        for shape in [1 << 16, 7, 0] {
            assert_eq!(starts(&[head(opcode, 1), end.0, end.1, shape], pc), 3);
        }
        let pc = [ENTRIES.empty, ENTRIES.get2d][opcode as usize - 1];
        assert_eq!(starts(&[head(opcode, 1), end.0, end.1, 7, 3 << 16 | 9], pc), 3);
        let pc = [ENTRIES.empty, ENTRIES.get3d][opcode as usize - 1];
        assert_eq!(
            starts(&[head(opcode, 1), end.0, end.1, 3 << 16 | 7, 9 << 16, 0, 1], pc),
            3
        );
        fails(&[head(opcode, 1), end.0 + 4, end.1, 1 << 16], OutOfSegment);
        fails(&[head(opcode, 1), end.0, end.1 + 4, 1 << 16], OutOfMemory);
    }
    for quiet in [0, 1 << 27] {
        let stream = [head(3, 1) | quiet, 0, 0x108, 1 << 16];
        assert_eq!(starts(&stream, ENTRIES.stream_empty), 3);
    }
}

#[test]
fn wrong_commands_are_refused() {
    for opcode in [0, 9, 11, 12, 21, 30, 31] {
        fails(&[head(opcode, 1), 0, 0, 1 << 16 | 1], UnknownOpcode);
    }
    fails(&[head(20, 1), 0, 2, 1, 0, 0], NotBuilt);
    fails(&[head(28, 1), 0, 1 << 16 | 1, 0], NotBuilt);
    fails(&[head(29, 1), 0, 1], NotBuilt);
    for (opcode, counts) in [
        (1, [3, 6, 8]),
        (2, [1, 6, 16]),
        (3, [3, 6, 7]),
        (4, [3, 5, 16]),
        (6, [3, 5, 1]),
        (7, [3, 4, 16]),
        (8, [1, 17, 20]),
    ] {
        for count in counts {
            let mut words = vec![head(opcode, if opcode == 4 { 2 } else { 1 }); count];
            words.iter_mut().skip(1).for_each(|word| *word = 64);
            fails(&words, Malformed);
        }
    }
    fails(&[atomic(0, false), 0], Malformed);
    fails(&[atomic(0, true), 0, 1], Malformed);
    fails(&[atomic(7, false), 0, 1], Malformed);
    fails(&[head(1, 1), 0, 0, 2 << 16 | 1], Malformed);
    fails(&[head(1, 1), 2, 0, 1 << 16 | 1], Malformed);
    fails(&[head(2, 1), 0, 1, 1 << 16 | 1], Malformed);
    fails(&[head(3, 1), 0, 1, 1 << 16 | 1], Malformed);
    fails(&[atomic(0, false), 2, 1], Malformed);
    fails(&[atomic(0, true), 4, 1, 1], Malformed);
    for entry in [0, 63, 0x100, 0x140, 0x1_0040, 0x8000_00ff] {
        fails(&[head(8, 1), entry], Malformed);
    }
    assert_eq!(
        outcome::<64>(&[head(1, 1), 4, 0, 1 << 16 | 1]).0,
        Outcome::Event(Malformed as u64)
    );
    for opcode in [1, 2, 3, 4, 7, 8] {
        let words = [head(opcode, 3), 64, 64, 1 << 16 | 1];
        fails(&words[..if opcode == 7 { 2 } else { 4 }], UnknownSegment);
    }
    for opcode in [1, 2, 3, 8] {
        fails(&[head(opcode, 2), 64, 64, 1 << 16 | 1], WrongSegment);
    }
    fails(&[head(5, 2), 64, 64], WrongSegment);
    fails(&[head(4, 1), 64, 64, 1 << 16 | 1], WrongSegment);
    fails(&[head(4, 2), 64, 64, 1 << 16 | 63], TooLong);
    fails(&[head(1, 1), 93 * 4, 0, 1 << 16 | 8], OutOfSegment);
    fails(&[head(2, 1), 0xffff_fffc, 0, 1 << 16 | 1], OutOfSegment);
    fails(&[head(2, 1), 1 << 24, 0, 1 << 16 | 1], OutOfSegment);
    fails(&[atomic(0, false), 100 * 4, 1], OutOfSegment);
    fails(&[head(1, 1), 0, 0x3ff0, 1 << 16 | 5], OutOfMemory);
    fails(&[head(4, 2), 0, 1 << 24, 1 << 16 | 5], OutOfMemory);
    fails(&[head(3, 1), 0, 0xffff_fffc, 1 << 16 | 5], OutOfMemory);
}

#[test]
fn what_a_stop_leaves_to_do() {
    for (owns, error, completions, events) in [
        (true, 10, vec![(9, 10)], vec![]),
        (true, 0, vec![(9, 0)], vec![]),
        (false, 12, vec![], vec![(33, 12)]),
        (false, 0, vec![], vec![]),
    ] {
        let mut bench = Bench::<32>::new(2);
        bench.segment(1, WINDOW);
        bench.next_slot = 9;
        bench.send(Source::Command, &[head(1, 1), 0x20, 0x108, 1 << 16 | 7]);
        bench.run(8);
        (bench.completion_ready, bench.event_ready) = (false, false);
        bench.stops.push_back((0, owns, error));
        bench.run(3);
        assert_eq!(
            bench.active(),
            0,
            "a context is free before what it leaves behind is told"
        );
        (bench.completion_ready, bench.event_ready) = (true, true);
        bench.run(3);
        assert_eq!(
            (bench.completions, bench.events, bench.stops.len()),
            (completions, events, 0)
        );
    }
    // A stream has no slot, whatever the sequencer says.
    let mut bench = Bench::<32>::new(1);
    bench.segment(1, WINDOW);
    bench.send(Source::Command, &[head(3, 1), 0, 0x108, 1 << 16 | 7]);
    bench.run(8);
    bench.stops.push_back((0, true, 6));
    bench.run(3);
    assert_eq!(
        (bench.completions.len(), bench.events, bench.dut.active.val().to_u64()),
        (0, vec![(33, 6)], 0)
    );
    assert_eq!(SERVER_CONTEXT, 8);
}

/// A node without programs adds the addresses of a command one after the other: 3 cycles a side, and 1 to begin.
#[test]
fn sequential_checks_take_seven_cycles_of_a_transfer_and_four_of_an_atomic() {
    let fixed = Build {
        cores: 1,
        programs: false,
        ..Build::FULL
    };
    let row = 1 << 16 | 7;
    for (words, sides) in [
        (vec![head(1, 1), 0x20, 0x108, row], 2),
        (vec![head(2, 1), 0x20, 0x108, row], 2),
        (vec![head(3, 1), 0, 0x108, row], 1),
        (vec![head(4, 2), 0, 0x108, row], 1),
        (vec![atomic(0, false), 0x20, 1], 1),
        (vec![head(6, 1), 1, 2, 3], 0),
        (vec![head(7, 1)], 0),
    ] {
        let more = if sides > 0 { 1 + 3 * sides } else { 0 };
        let delay = |build: &Build| match outcome_of::<32>(build, &words) {
            (Outcome::Start(_), cycles) => cycles,
            other => panic!("{words:x?}: {other:?}"),
        };
        assert_eq!(delay(&fixed), delay(&Build::FULL) + more, "{words:x?}");
    }
}
