//! Random descriptors and requests, against the model, with neighbours that are ready when they like.

use super::{
    bench::{Bench, Source, Started, MEMORY},
    expect::{command, registers, request, word0, Outcome, Segment},
    requests::{packet, refusal},
};
use crate::prim::testing::rng;
use portico_spec::ni::{build::Build, command::Opcode, ErrorCode, SERVER_CONTEXT};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng};
use std::collections::VecDeque;

/// Mostly right, in sizes that now and then are too large.
fn descriptor(rng: &mut SmallRng) -> Vec<u32> {
    let opcode = if rng.gen_bool(0.05) {
        rng.gen_range(0..32)
    } else {
        rng.gen_range(1..=8)
    };
    let word = word0(opcode, rng.gen_range(0..64), rng.gen_range(0..8))
        | rng.gen_range(0..8) << 5
        | rng.gen_range(0..64) << 22;
    let mut usual = match opcode {
        1 | 2 => *[4, 5, 7].choose(rng).unwrap(),
        3 => rng.gen_range(4..=5),
        5 => rng.gen_range(2..=6),
        7 => rng.gen_range(1..=2),
        8 => rng.gen_range(2..=16),
        _ => 4,
    };
    if rng.gen_bool(0.05) {
        usual = rng.gen_range(1..=19);
    }
    let mut small = |most: u32| {
        if rng.gen_bool(0.03) {
            rng.gen()
        } else {
            rng.gen_range(0..most)
        }
    };
    let (offset, source) = (small(120) << 3, small(MEMORY as u32 / 2) << 3);
    let (rows, row) = (
        if usual > 4 {
            small(6)
        } else {
            small(8) / 4 + small(2) / 2 + 1
        },
        small(30),
    );
    let mut words = vec![word, offset, source, rows << 16 | (row % (1 << 16))];
    words.extend([
        small(20) << 16 | (small(400) % (1 << 16)),
        small(4),
        small(50) << 16 | (small(400) % (1 << 16)),
    ]);
    words.extend((7..20).map(|_| small(1 << 30)));
    words.truncate(usual);
    if rng.gen_bool(0.05) && words.len() > 2 {
        words[rng.gen_range(1..=2)] ^= rng.gen_range(1..8);
    }
    words
}

fn check<const W: usize>(build: &Build, seed: u64) {
    let mut rng = rng(seed);
    let mut bench = Bench::<W>::with(build);
    let segments: Vec<Segment> = (0..8)
        .map(|handle| {
            [
                rng.gen_range(0..512),
                rng.gen_range(0..256),
                if handle < 5 { 1 } else { handle % 3 },
                800,
            ]
        })
        .collect();
    let windows: Vec<[u64; 3]> = (0..8)
        .map(|tag| [tag * 100, 500 + tag, if tag < 6 { 1 } else { tag % 4 }])
        .collect();
    for at in 0..8 {
        bench.segment(at as u64, segments[at]);
        bench.window(at as u64, windows[at]);
    }
    // What is on its way: descriptors by source, requests, and expectations by kind.
    let mut sent: [VecDeque<Vec<u32>>; 3] = Default::default();
    let mut expected: VecDeque<(Vec<u32>, Started)> = VecDeque::new();
    let mut served: VecDeque<(Vec<u32>, Started)> = VecDeque::new();
    let (mut events, mut completions, mut refusals) = (vec![], vec![], vec![]);
    let mut running: Vec<Started> = vec![];
    let (mut commands, mut starts, mut errors) = (0, 0, 0);
    for cycle in 0..16_000 {
        let draining = cycle > 15_000;
        for (at, source) in [Source::Command, Source::Queued, Source::Request]
            .into_iter()
            .enumerate()
        {
            if sent[at].len() < 2 && !draining {
                let words = if at < 2 {
                    descriptor(&mut rng)
                } else {
                    let count = if rng.gen_bool(0.1) {
                        rng.gen_range(0..9)
                    } else {
                        *[2, 3, 5].choose(&mut rng).unwrap()
                    };
                    let words: Vec<u32> = (0..count)
                        .map(|_| rng.gen_range(0..3) << 16 | rng.gen_range(0..3))
                        .collect();
                    packet(rng.gen_range(0..8), rng.gen_range(0..32), &words)
                };
                bench.send(source, &words);
                sent[at].push_back(words);
            }
            bench.offers[at] = draining || bench.offers[at] && bench.waits[at] || rng.gen_bool(0.7);
        }
        let mut ready = |chance| draining || rng.gen_bool(chance);
        bench.claim_ready = ready(0.7);
        bench.start_ready = ready(0.7);
        bench.event_ready = ready(0.4);
        bench.completion_ready = ready(0.4);
        bench.refuse_ready = ready(0.4);
        if bench.stops.is_empty() && !running.is_empty() && (draining || rng.gen_bool(0.2)) {
            let at = rng.gen_range(0..running.len());
            let stopped = running.swap_remove(at);
            let owns = stopped.slot.is_some() && rng.gen_bool(0.3);
            let error = if rng.gen_bool(0.3) { rng.gen_range(1..16) } else { 0 };
            if stopped.context == SERVER_CONTEXT as u64 {
                // The requester knows.
            } else if owns {
                completions.push((stopped.slot.unwrap(), error));
            } else if error > 0 {
                events.push((stopped.event, error));
            }
            bench.stops.push_back((stopped.context, owns, error));
        }
        bench.tick();

        for (_, source) in bench.last_words.drain(..) {
            let words = sent[source].pop_front().unwrap();
            if source == 2 {
                match request(&words, windows[(words[0] >> 18 & 7) as usize]) {
                    Ok(start) => served.push_back((words, start)),
                    Err(error) => refusals.extend(refusal(u64::from(words[1] >> 22 & 31), error)),
                }
                continue;
            }
            commands += 1;
            let outcome = if words[0] % 32 == Opcode::Program as u32 && !build.programs {
                Outcome::Event(ErrorCode::NotBuilt as u64)
            } else {
                command(W as u64, &words, segments[(words[0] >> 14 & 7) as usize])
            };
            match outcome {
                Outcome::Start(start) => expected.push_back((words, *start)),
                Outcome::Event(error) => {
                    errors += 1;
                    events.push((u64::from(words[0] >> 8 & 63), error));
                }
            }
        }
        for (_, start) in bench.starts.drain(..) {
            let queue = if start.context == SERVER_CONTEXT as u64 {
                &mut served
            } else {
                &mut expected
            };
            let (words, mut expects) = queue.pop_front().expect("nothing was to start");
            assert!(
                running.iter().all(|other| other.context != start.context),
                "the context runs"
            );
            expects.context = start.context;
            expects.slot = expects.slot.and(start.slot);
            if build.is_fixed() && words[0] % 32 == Opcode::Atomic as u32 && start.context != SERVER_CONTEXT as u64 {
                // The words that were measured; a packet of an atomic has no geometry.
                expects.row = if expects.wide { 64 / W as u64 } else { 1 };
                expects.stride = expects.row;
            }
            assert_eq!(start, expects, "{words:x?}");
            let is_mail = words[0] % 32 == 6;
            let file = &bench.registers[start.context as usize];
            if start.context == SERVER_CONTEXT as u64 {
                (2..words.len()).for_each(|at| assert_eq!(file[at], u64::from(words[at])));
            } else {
                let is_ordered = |other: &&Started| other.context < 8 && other.kind != 99;
                let same = running
                    .iter()
                    .filter(is_ordered)
                    .any(|other| other.segment == start.segment);
                assert!(is_mail || !same, "two of a segment");
                for (register, value) in registers(W as u64, &words) {
                    assert_eq!(file[register], value, "{words:x?}: register {register}");
                }
                starts += 1;
            }
            // A mail holds no segment.
            running.push(Started {
                kind: if is_mail && start.context < 8 { 99 } else { start.kind },
                ..start
            });
        }
        for event in bench.events.drain(..) {
            let at = events
                .iter()
                .position(|&other| other == event)
                .expect("an event for nothing");
            events.swap_remove(at);
        }
        for completion in bench.completions.drain(..) {
            let at = completions.iter().position(|&other| other == completion);
            completions.swap_remove(at.expect("a completion for nothing"));
        }
        let passed = bench.refusals.len();
        assert_eq!(bench.refusals[..], refusals[..passed], "cycle {cycle}");
        bench.refusals.clear();
        refusals.drain(..passed);
    }
    assert!(sent.iter().all(VecDeque::is_empty) && expected.is_empty() && served.is_empty() && running.is_empty());
    assert!(events.is_empty() && completions.is_empty() && refusals.is_empty() && bench.stops.is_empty());
    assert_eq!(bench.active(), 0);
    assert!(
        starts > 200 && errors > 200,
        "{starts} of {commands} started, {errors} were refused"
    );
}

#[test]
fn one_core_of_32_bits_does_as_the_model() {
    check::<32>(
        &Build {
            cores: 1,
            ..Build::FULL
        },
        0xd15a,
    );
}

#[test]
fn eight_cores_of_32_bits_do_as_the_model() {
    check::<32>(
        &Build {
            cores: 8,
            ..Build::FULL
        },
        0xd15b,
    );
}

#[test]
fn three_cores_of_64_bits_do_as_the_model() {
    check::<64>(
        &Build {
            cores: 3,
            ..Build::FULL
        },
        0xd15c,
    );
}

/// The checks of a node without programs are sequential, and find the same.
#[test]
fn nodes_without_programs_do_as_the_model() {
    let fixed = Build {
        cores: 1,
        programs: false,
        ..Build::FULL
    };
    assert!(fixed.is_fixed());
    check::<32>(&fixed, 0xd15d);
    check::<64>(&fixed, 0xd15e);
}
