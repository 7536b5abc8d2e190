//! Armed calls, and launches.

use super::*;
use portico_spec::{
    mpe::call::{Launch, ARMED, ARMED_OFFSET, LAUNCH_OFFSET},
    ni::{command::QUIET_OFFSET, registers::MPE_ARMED_OFFSET},
};

/// Events of calls that are armed, and of those that are launched.
const ARMS: u32 = 3;
const LAUNCHES: u32 = 4;

/// Arms a call at all members of a tree; it counts in its event at `counts` alone.
fn arm(bench: &mut Bench, context: usize, tree: &Tree, root: usize, counts: usize, kind: Kind, transfer: Transfer) {
    for (rank, &at) in tree.tiles().to_vec().iter().enumerate() {
        let call = Call {
            kind,
            begin: Begin::Launched,
            number: 77,
            context: context as u8,
            towards: tree.towards(root)[rank].map(|place| place as u8),
            transfer,
        };
        let quiet = if at == counts { 0 } else { 1 << QUIET_OFFSET };
        let word = quiet | ARMS << EVENT_OFFSET | (Opcode::Barrier as u32 + kind as u32);
        give(bench, at, &[&[word][..], &call.encode().unwrap()].concat());
    }
}

fn give(bench: &mut Bench, at: usize, words: &[u32]) {
    let last = words.len() - 1;
    bench.commands[at].extend(words.iter().enumerate().map(|(at, &word)| (word, at == last)));
}

fn launch(bench: &mut Bench, at: usize, context: u8) {
    let word = LAUNCHES << EVENT_OFFSET | Opcode::Barrier as u32;
    give(bench, at, &[word, Launch { context }.encode().unwrap()]);
}

/// Cycles until an engine has so many events.
fn until(bench: &mut Bench, at: usize, events: usize) -> u64 {
    let begun = bench.cycle;
    while bench.events[at].len() < events {
        bench.cycle();
        assert!(bench.cycle - begun < 5_000, "engine {at}: {:?}", bench.events[at]);
    }
    bench.cycle - begun
}

fn own(at: usize, round: u32, word: u32) -> u32 {
    1 + (at as u32) * 1000 + round * 37 + word
}

#[test]
fn one_launch_runs_every_member_and_the_event_comes_last() {
    for (seed, idle) in [(21, 0.0), (22, 0.3)] {
        let tree = tree(5, &Shape::Own(vec![(0, 1), (1, 2), (1, 3), (3, 4)]));
        let mut bench = Bench::new(5, seed, idle);
        bench.join(1, &tree);
        arm(&mut bench, 1, &tree, 3, 5, Kind::Allreduce, words(40));
        arm(&mut bench, 1, &tree, 2, 2, Kind::Barrier, Transfer::NONE);
        // Each armed call counts once when it is kept, quiet or not.
        bench.until(2, 500);
        assert!(bench.events.iter().all(|list| list == &[(ARMS, 0); 2]));
        for round in 0..6u32 {
            for at in 0..5 {
                assert_eq!(bench.status(at, 1) >> MPE_ARMED_OFFSET, ARMED as u32);
                for word in 0..40 {
                    bench.memories[at][word as usize] = own(at, round, word);
                }
            }
            // Any member may launch; member 2 has the event.
            let by = bench.rng.gen_range(0..5);
            let (before, launched) = (bench.events[2].len(), usize::from(by == 2));
            launch(&mut bench, by, 1);
            until(&mut bench, 2, before + launched + 1);
            assert_eq!(bench.events[2].last(), Some(&(ARMS, 0)));
            for at in 0..5 {
                for word in 0..40u32 {
                    let sum: u32 = (0..5).map(|member| own(member, round, word)).sum();
                    assert_eq!(
                        bench.memories[at][512 + word as usize],
                        sum,
                        "round {round}, engine {at}"
                    );
                }
            }
            bench.run(60);
            let next = (2 * (round + 1)) << MPE_NEXT_OFFSET;
            for at in 0..5 {
                let status = bench.status(at, 1);
                assert_eq!(status, 1 | next | (ARMED as u32) << MPE_ARMED_OFFSET, "engine {at}");
            }
        }
        let events: usize = bench.events.iter().map(Vec::len).sum();
        assert_eq!(events, 5 * 2 + 6 + 6);
        assert!(bench.events.iter().flatten().all(|&(_, error)| error == 0));
        bench.assert_idle(1);
    }
}

#[test]
fn a_launch_waits_for_a_member_that_is_late() {
    for idle in [0.0, 0.3] {
        let tree = tree(3, &Shape::Linear);
        let mut bench = Bench::new(3, 23, idle);
        bench.join(0, &tree);
        arm(&mut bench, 0, &tree, 0, 5, Kind::Allreduce, words(8));
        arm(&mut bench, 0, &tree, 0, 0, Kind::Barrier, Transfer::NONE);
        bench.until(2, 500);
        // A broadcast ends at its root before the others have begun it.
        let broadcast = |rank: usize| Call {
            kind: Kind::Broadcast,
            begin: Begin::Next,
            // The engines give it the next number, whatever the descriptors say.
            number: 97 + rank as u8,
            context: 0,
            towards: tree.towards(0)[rank].map(|place| place as u8),
            transfer: Transfer { result: 0, ..words(8) },
        };
        (0..8).for_each(|word| bench.memories[0][word] = 5 + word as u32);
        bench.post(0, 6, broadcast(0));
        until(&mut bench, 0, 3);
        launch(&mut bench, 0, 0);
        bench.run(300);
        assert_eq!(bench.events[0].len(), 4);
        assert_eq!(bench.status(2, 0) & 3, 0, "a launch is kept, and nothing runs");
        for rank in [2, 1] {
            bench.post(rank, 6, broadcast(rank));
        }
        until(&mut bench, 0, 5);
        for at in 0..3 {
            let sums: Vec<u32> = (0..8).map(|word| 3 * (5 + word)).collect();
            assert_eq!(bench.memories[at][512..520], sums);
        }
        assert_eq!(bench.events[1][2..], [(6, 0)]);
        bench.assert_idle(0);
    }
}

#[test]
fn what_cannot_be_armed_or_launched_is_refused() {
    let mut bench = Bench::new(2, 24, 0.0);
    let tree = tree(2, &Shape::Linear);
    (0..2).for_each(|context| bench.join(context, &tree));
    let opcode = LAUNCHES << EVENT_OFFSET | Opcode::Barrier as u32;
    let plain = 1 << LAUNCH_OFFSET;
    let ends = |bench: &mut Bench, words: &[u32], error: u32| {
        let before = bench.events[0].len();
        give(bench, 0, words);
        bench.run(40);
        assert_eq!(bench.events[0][before..], [(LAUNCHES, error)], "{words:x?}");
    };
    // No call is armed; a wrong number of words, a context that is not built, and another opcode come first.
    ends(&mut bench, &[opcode, plain], ErrorCode::OutOfTurn as u32);
    ends(&mut bench, &[opcode, plain, 0], ErrorCode::Malformed as u32);
    ends(&mut bench, &[opcode, plain | 3 << 8], ErrorCode::NotBuilt as u32);
    ends(&mut bench, &[opcode + 2, plain, 8, 0, 0], ErrorCode::Malformed as u32);
    // A call is checked when it is armed.
    let armed = 1 << ARMED_OFFSET;
    ends(&mut bench, &[opcode, armed | 3 << 8], ErrorCode::NotBuilt as u32);
    ends(&mut bench, &[opcode, armed | 3 << 10], ErrorCode::Malformed as u32);
    ends(
        &mut bench,
        &[opcode + 1, armed, 8, 0xffc, 0],
        ErrorCode::OutOfMemory as u32,
    );
    assert_eq!(bench.status(0, 0), 1);
    (0..ARMED).for_each(|_| ends(&mut bench, &[opcode | 1 << QUIET_OFFSET, armed], 0));
    ends(&mut bench, &[opcode, armed], ErrorCode::TooManyCalls as u32);
    assert_eq!(bench.status(0, 0), 1 | (ARMED as u32) << MPE_ARMED_OFFSET);
    assert_eq!(bench.status(0, 1), 1);
    // Not while a call runs, nor while a launch is under way.
    bench.post(0, 9, barrier(0, None));
    ends(&mut bench, &[opcode, plain], ErrorCode::OutOfTurn as u32);
    let next = Call {
        begin: Begin::Next,
        ..barrier(0, Some(0))
    };
    bench.post(1, 9, next);
    bench.run(60);
    assert_eq!(bench.events[0].last(), Some(&(9, 0)));
    ends(&mut bench, &[opcode, plain], 0);
    ends(&mut bench, &[opcode, plain], ErrorCode::OutOfTurn as u32);
    // The other member has a launch, and no call for it. Both are closed: armed calls go, and a launch is refused.
    assert_eq!(bench.status(1, 0) & 3, 0);
    close_and_drain(&mut bench, 0);
    assert_eq!(bench.status(0, 0) >> MPE_ARMED_OFFSET, 0);
    ends(&mut bench, &[opcode, plain], ErrorCode::Closed as u32);
    open(&mut bench, 0);
    ends(&mut bench, &[opcode, plain], ErrorCode::OutOfTurn as u32);
    // A row that is written takes armed calls away too. A quiet launch of a lone member tells nothing.
    ends(&mut bench, &[opcode, armed | 1 << 13], 0);
    let row = bench.access(0, 0, MpeRegister::Neighbour0, None);
    bench.access(0, 0, MpeRegister::Neighbour0, Some(row));
    assert_eq!(bench.status(0, 0), 1);
    bench.access(0, 0, MpeRegister::Neighbour0, Some(0));
    ends(&mut bench, &[opcode, armed | 1 << 13], 0);
    let before = bench.events[0].len();
    give(&mut bench, 0, &[opcode | 1 << QUIET_OFFSET, plain]);
    bench.run(60);
    assert_eq!(bench.events[0][before..], [(LAUNCHES, 0)], "the armed call has ended");
    assert_eq!(bench.refused, [0, 0]);
}

#[test]
fn two_launches_at_once_close_the_context() {
    for (seed, idle) in [(25, 0.0), (26, 0.4)] {
        let tree = tree(3, &Shape::Linear);
        let mut bench = Bench::new(3, seed, idle);
        for round in 0..5 {
            (0..2).for_each(|context| bench.join(context, &tree));
            for context in 0..2 {
                arm(&mut bench, context, &tree, 1, 1, Kind::Reduce, words(64));
                arm(&mut bench, context, &tree, 1, 1, Kind::Barrier, Transfer::NONE);
            }
            let before: Vec<usize> = bench.events.iter().map(Vec::len).collect();
            while (0..3).any(|at| bench.events[at].len() < before[at] + 4) {
                bench.cycle();
            }
            // In context 1 all goes on.
            launch(&mut bench, 1, 1);
            launch(&mut bench, 0, 0);
            launch(&mut bench, 2, 0);
            bench.run(1_000);
            let closed = (0..3)
                .filter(|&at| bench.status(at, 0) >> MPE_CLOSED_OFFSET & 1 == 1)
                .count();
            assert!(closed >= 1, "round {round}");
            assert!(bench.events[1].contains(&(LAUNCHES, 0)));
            close_and_drain(&mut bench, 0);
            open(&mut bench, 0);
            for at in 0..3 {
                assert_eq!(bench.status(at, 1) & 7, 1, "engine {at}");
            }
        }
        assert_eq!(bench.refused, [0; 3]);
    }
}
