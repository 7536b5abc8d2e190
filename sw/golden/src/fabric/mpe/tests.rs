//! Engines driven by hand, and groups of them.

use portico_spec::{
    mpe::{
        call::{Call, CallWord, Kind, Marks, Sign, Tag, Transfer},
        reduce::Operation,
    },
    ni::{registers::MpeRegister, ErrorCode},
};
use rand::{rngs::SmallRng, Rng, SeedableRng};

use self::group::{first_word, node, transfer, Group, UNTOUCHED, WORDS};

mod fabric;
mod group;
mod refusals;

const LENGTHS: [u32; 8] = [0, 1, 31, 32, 63, 64, 95, 100];
/// Ranks 0 and 2 have two children each.
const PAIRS: [(usize, usize); 4] = [(0, 1), (2, 0), (2, 3), (4, 2)];
const RUNNING: u32 = 1 << 1;
const CLOSED: u32 = 1 << 2;
const DRAINED: u32 = 1 << 14;

/// A word of a member, and the sum of such words of five.
fn own(member: usize, word: u32) -> u32 {
    1000 * (member as u32 + 1) + word * word
}

fn sum_of_five(word: u32) -> u32 {
    15_000 + 5 * word * word
}

#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    for seed in 0..30 {
        let mut group = Group::new(seed, 3, &[(0, 1), (1, 2)]);
        for number in 0..6 {
            let (root, late) = (usize::from(number) % 3, usize::from(number / 2));
            let ended = group.ends.clone();
            let call = |group: &Group, member| group.call(member, Kind::Barrier, number, root, Transfer::NONE);
            for member in (0..3).filter(|&member| member != late) {
                let call = call(&group, member);
                group.post(member, call);
            }
            group.run();
            assert_eq!(group.ends, ended, "seed {seed}");
            assert!(!group.members[(late + 1) % 3].is_idle() && group.members[late].is_idle());
            let call = call(&group, late);
            group.post(late, call);
            group.run();
            for ends in &group.ends {
                assert_eq!(ends.len(), ended[0].len() + 1);
                assert_eq!(ends.last(), Some(&(number.into(), None)));
            }
        }
        group.check_rest(6);
    }
}

#[test]
fn words_reach_who_is_to_have_them_while_the_root_moves() {
    for (seed, &length) in (0..).zip(LENGTHS.iter().cycle().take(40)) {
        let mut group = Group::new(seed, 5, &PAIRS);
        for member in 0..5 {
            group.write(member, 0, (0..length).map(|word| own(member, word)));
        }
        let root = |call: u64| (seed + call) as usize % 5;
        let at = |call: u32| Transfer {
            result: 0x400 + 0x200 * call,
            ..transfer(length, Operation::IntegerSum)
        };
        group.post_all(Kind::Reduce, 0, root(0), at(0));
        group.post_all(Kind::Broadcast, 1, root(1), at(1));
        group.post_all(Kind::Barrier, 2, root(4), Transfer::NONE);
        group.post_all(Kind::Allreduce, 3, root(2), at(2));
        group.post_all(Kind::Broadcast, 4, root(3), at(3));
        group.run();
        group.check_rest(5);
        for member in 0..5 {
            let ends: Vec<_> = (0..5).map(|event| (event, None)).collect();
            assert_eq!(group.ends[member], ends);
            let check = |call: usize, is_written: bool, value: &dyn Fn(u32) -> u32| {
                // Each result has 128 words.
                let value = |word| match word < length && is_written {
                    true => u64::from(value(word)),
                    false => UNTOUCHED,
                };
                let expected: Vec<u64> = (0..128).map(value).collect();
                let seen = group.read(member, 256 + 128 * call, 128);
                assert_eq!(seen, expected, "call {call} at {member}, length {length}");
            };
            check(0, member == root(0), &sum_of_five);
            check(1, member != root(1), &|word| own(root(1), word));
            check(2, true, &sum_of_five);
            check(3, member != root(3), &|word| own(root(3), word));
        }
    }
}

/// The result of a reduction in which each member has one word.
fn folded(pairs: &[(usize, usize)], operation: Operation, words: &[u32]) -> u64 {
    let mut group = Group::new(1, words.len(), pairs);
    for (member, &word) in words.iter().enumerate() {
        group.write(member, 0, [word]);
    }
    group.post_all(Kind::Reduce, 0, 0, transfer(1, operation));
    group.run();
    group.check_rest(1);
    group.read(0, 512, 1)[0]
}

#[test]
fn children_are_folded_in_the_order_of_the_list() {
    // 2^24 and 1 in binary32: their sum is 2^24 again, but 2^24 + 2 is a number.
    let (large, one) = (0x4b80_0000, 0x3f80_0000);
    let sum = |pairs: &[_], words: &[u32]| folded(pairs, Operation::FloatSum, words);
    assert_eq!(sum(&[(0, 1), (0, 2)], &[one, one, large]), 0x4b80_0001);
    assert_eq!(sum(&[(0, 2), (0, 1)], &[one, one, large]), 0x4b80_0000);
    assert_eq!(sum(&[(0, 1), (0, 2)], &[large, one, one]), 0x4b80_0000);
    assert_eq!(sum(&[(0, 1), (1, 2)], &[large, one, one]), 0x4b80_0001);
}

#[test]
fn every_operation_is_the_one_of_its_code() {
    let fold = |operation, words: [u32; 3]| folded(&[(0, 1), (1, 2)], operation, &words);
    assert_eq!(fold(Operation::IntegerSum, [u32::MAX, 3, 5]), 7);
    assert_eq!(fold(Operation::IntegerMin, [4, 0x8000_0001, 2]), 0x8000_0001);
    assert_eq!(fold(Operation::IntegerMax, [4, 0x8000_0001, 9]), 9);
    assert_eq!(fold(Operation::And, [0b1110, 0b0111, 0b1111]), 0b0110);
    assert_eq!(fold(Operation::Or, [0b1000, 0b0001, 0]), 0b1001);
    assert_eq!(fold(Operation::Xor, [0b1110, 0b0111, 0b0001]), 0b1000);
    // 1.5, -2 and 0.25; -0 and 0.
    assert_eq!(
        fold(Operation::FloatSum, [0x3fc0_0000, 0xc000_0000, 0x3e80_0000]),
        0xbe80_0000
    );
    assert_eq!(
        fold(Operation::FloatMin, [0x3fc0_0000, 0xc000_0000, 0x3e80_0000]),
        0xc000_0000
    );
    assert_eq!(fold(Operation::FloatMax, [0x8000_0000, 0, 0x8000_0000]), 0);
}

#[test]
fn a_group_of_one_copies_what_is_folded() {
    for length in LENGTHS {
        let mut group = Group::new(1, 1, &[]);
        group.write(0, 0, (0..length).map(|word| own(0, word)));
        let at = |result| Transfer {
            result,
            ..transfer(length, Operation::FloatSum)
        };
        group.post_all(Kind::Barrier, 0, 0, Transfer::NONE);
        group.post_all(Kind::Broadcast, 1, 0, at(0x200));
        group.post_all(Kind::Reduce, 2, 0, at(0x400));
        group.post_all(Kind::Allreduce, 3, 0, at(0x600));
        group.post_all(Kind::Allreduce, 4, 0, at(0));
        group.run();
        group.check_rest(5);
        assert_eq!(group.ends[0], [0, 1, 2, 3, 4].map(|event| (event, None)));
        let source = group.read(0, 0, 128);
        assert_eq!(
            source[..length as usize],
            (0..length).map(|word| u64::from(own(0, word))).collect::<Vec<_>>()
        );
        assert_eq!(group.read(0, 128, 128), [UNTOUCHED; 128]);
        assert_eq!(group.read(0, 256, 128), source);
        assert_eq!(group.read(0, 384, 128), source);
    }
}

/// A small model of what random calls leave, and the calls themselves: 24 of each of two contexts, with their own memory.
#[test]
fn streams_of_random_calls_leave_what_they_should() {
    const CALLS: usize = 24;
    for seed in 0..40 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let members = rng.gen_range(1..=7);
        // Each joins one that is before it and has less than four neighbours.
        let mut pairs: Vec<(usize, usize)> = vec![];
        for rank in 1..members {
            let count = |of: usize| pairs.iter().filter(|&&(one, two)| of == one || of == two).count();
            let free: Vec<usize> = (0..rank).filter(|&of| count(of) < 4).collect();
            pairs.push((free[rng.gen_range(0..free.len())], rank));
        }
        let mut group = Group::new(seed, members, &pairs);
        let mut model: Vec<Vec<u32>> = (0..members).map(|_| (0..WORDS).map(|_| rng.gen()).collect()).collect();
        for (member, words) in model.iter().enumerate() {
            group.write(member, 0, words.iter().copied());
        }
        let mut calls: [Vec<(Kind, usize, Transfer)>; 2] = [vec![], vec![]];
        for number in 0..2 * CALLS {
            let (context, root) = (number % 2, rng.gen_range(0..members));
            let operation = [Operation::IntegerSum, Operation::IntegerMax, Operation::Xor][rng.gen_range(0..3)];
            let source = 512 * context + rng.gen_range(0..4) * 128;
            let result = 512 * context + rng.gen_range(0..4) * 128;
            let kind = Kind::ALL[rng.gen_range(0..4)];
            let transfer = match kind {
                Kind::Barrier => Transfer::NONE,
                _ => Transfer {
                    length: LENGTHS[rng.gen_range(0..8)],
                    source: 4 * source as u32,
                    result: 4 * result as u32,
                    operation,
                },
            };
            calls[context].push((kind, root, transfer));
            for word in 0..transfer.length as usize {
                let fold = |one: u32, other: u32| match operation {
                    Operation::IntegerSum => one.wrapping_add(other),
                    Operation::IntegerMax => (one as i32).max(other as i32) as u32,
                    _ => one ^ other,
                };
                let sum = model.iter().map(|words| words[source + word]).reduce(fold).unwrap();
                let sent = model[root][source + word];
                for (member, words) in model.iter_mut().enumerate() {
                    match kind {
                        Kind::Broadcast if member != root => words[result + word] = sent,
                        Kind::Reduce if member == root => words[result + word] = sum,
                        Kind::Allreduce => words[result + word] = sum,
                        _ => {}
                    }
                }
            }
        }
        // Members post when they like to, but for what an engine has room for.
        let mut posted = vec![[0; 2]; members];
        while posted.iter().flatten().any(|&posted| posted < CALLS) {
            let (member, context) = (rng.gen_range(0..members), rng.gen_range(0..2));
            let number = posted[member][context];
            let waiting = group.status(member, context) >> 3 & 7;
            if number < CALLS && waiting < 4 {
                let (kind, root, transfer) = calls[context][number];
                let call = Call {
                    context: context as u8,
                    ..group.call(member, kind, number as u8, root, transfer)
                };
                group.post(member, call);
                posted[member][context] += 1;
            }
            if waiting == 4 || rng.gen_bool(0.1) {
                group.run();
            }
            // The descriptor itself is taken at once.
            group.step(member);
        }
        group.run();
        group.check_rest(CALLS as u32);
        for (member, words) in model.into_iter().enumerate() {
            let words: Vec<u64> = words.into_iter().map(u64::from).collect();
            assert_eq!(group.read(member, 0, WORDS), words, "member {member}, seed {seed}");
            assert_eq!(group.ends[member].len(), 2 * CALLS);
            assert!(group.ends[member].iter().all(|&(_, error)| error.is_none()));
        }
    }
}

#[test]
fn two_packets_go_to_a_member_that_is_late() {
    let mut group = Group::new(5, 2, &[(0, 1)]);
    let transfer = transfer(100, Operation::Or);
    let call = |group: &Group, member| group.call(member, Kind::Broadcast, 0, 0, transfer);
    let root = call(&group, 0);
    group.post(0, root);
    let mut sent = 0;
    while group.step(0) {
        sent = group.flying.get(&(0, 1, true)).map_or(0, |line| line.len());
    }
    assert_eq!(sent, 2);
    group.run();
    assert_eq!((group.refused, &group.ends[0]), (0, &vec![]));
    // Both packets lie at the late one: its rows may not change, and it is asked for nothing else.
    assert_eq!([group.status(0, 0), group.status(1, 0)], [RUNNING | 1 << 6, 0]);
    assert!(group.members[1].is_idle());
    let late = call(&group, 1);
    group.post(1, late);
    group.run();
    group.check_rest(1);
}

#[test]
fn contexts_take_turns() {
    let mut group = Group::new(1, 1, &[]);
    let at = |context: u8, result| Call {
        context,
        ..group.call(
            0,
            Kind::Reduce,
            0,
            0,
            Transfer {
                result,
                ..transfer(64, Operation::Or)
            },
        )
    };
    let calls = [at(0, 0x800), at(1, 0xc00)];
    group.write(0, 0, 0..64);
    for call in calls {
        group.post(0, call);
        assert!(group.step(0));
    }
    for _ in 0..2 {
        assert!(group.step(0));
    }
    // The first packet of each, without a call word.
    for first in [512, 768] {
        assert_eq!(group.read(0, first + 30, 2), [30, UNTOUCHED]);
    }
}

/// A line of 0, 1 and 2 whose middle is the root of a reduction of `length` words, and two calls behind it.
fn mistaken(seed: u64, length: u32) -> Group {
    let mut group = Group::new(seed, 3, &[(1, 0), (1, 2)]);
    let root = group.call(1, Kind::Reduce, 0, 1, transfer(length, Operation::Or));
    let barrier = |number| group.call(1, Kind::Barrier, number, 1, Transfer::NONE);
    let barriers = [barrier(1), barrier(2)];
    group.post(1, root);
    // A call that fails counts even if it is quiet.
    let quiet = [
        &[first_word(Kind::Barrier, 1, true)][..],
        &barriers[0].encode().unwrap(),
    ]
    .concat();
    group.members[1].commands().push(quiet);
    group.post(1, barriers[1]);
    group
}

#[test]
fn a_mismatch_closes_the_context_and_ends_its_calls_in_their_order() {
    let right = transfer(5, Operation::Or);
    let longer = transfer(6, Operation::Or);
    let other = transfer(5, Operation::Xor);
    for (seed, (kind, transfer)) in (0..).zip([(Kind::Reduce, longer), (Kind::Reduce, other), (Kind::Allreduce, right)])
    {
        let mut group = mistaken(seed, 5);
        let call = group.call(2, Kind::Reduce, 0, 1, right);
        group.post(2, call);
        let call = group.call(0, kind, 0, 1, transfer);
        group.post(0, call);
        group.run();
        let mismatch = Some(ErrorCode::Mismatch);
        assert_eq!(group.ends[1], [(0, mismatch), (1, mismatch), (2, mismatch)]);
        assert_eq!((group.status(1, 0), group.refused), (CLOSED | DRAINED | 3 << 6, 0));
        assert!(group.members[1].is_idle());
        // The credit comes back: the member that had sent all its packets ends its call.
        assert_eq!(group.ends[2], [(0, None)]);
        assert_eq!(group.status(2, 0), 1 | 1 << 6);
        // There is room for two packets, and they are dropped.
        let tag = Tag {
            context: 0,
            place: 0,
            sign: Sign::Credit,
        };
        let mut send = || group.members[1].take_words(node(0), tag.encode(), Marks::default(), vec![1]);
        assert_eq!([send(), send(), send()], [true, true, false]);
        assert_eq!(group.status(1, 0), CLOSED | 3 << 6);
        assert!(
            [0; 4].iter().all(|_| group.step(1)) && !group.step(1),
            "two packets, two credits"
        );
        assert_eq!(group.status(1, 0), CLOSED | DRAINED | 3 << 6);
        // Nobody is owed these credits.
        group.flying.clear();
        let late = group.call(1, Kind::Barrier, 3, 1, Transfer::NONE);
        group.post(1, late);
        group.run();
        assert_eq!(group.ends[1][3..], [(3, Some(ErrorCode::Closed))]);
        // The other context does not know of it.
        for member in 0..3 {
            let call = Call {
                context: 1,
                ..group.call(member, Kind::Barrier, 0, 0, Transfer::NONE)
            };
            group.post(member, call);
        }
        group.run();
        assert_eq!(group.ends[1].last(), Some(&(0, None)));
        assert_eq!([0, 1, 2].map(|member| group.status(member, 1)), [1 | 1 << 6; 3]);
    }
}

#[test]
fn a_packet_of_a_wrong_length_is_a_mismatch() {
    let call_word = |number, length| {
        let word = CallWord {
            number,
            length,
            kind: Kind::Reduce,
            operation: Operation::Or as u8,
        };
        u64::from(word.encode().unwrap())
    };
    let words = |count: usize| vec![7; count];
    let first = |number, count| [vec![call_word(number, 64)], words(count)].concat();
    for (packets, is_wrong) in [
        (vec![first(0, 31)], false),
        (vec![first(0, 31), words(32)], false),
        (vec![first(1, 31)], true),
        (vec![first(255, 31)], true),
        (vec![first(0, 30)], true),
        (vec![first(0, 32)], true),
        (vec![first(0, 31), words(31)], true),
        (vec![first(0, 31), words(33)], true),
        (vec![first(0, 31), words(64)], true),
    ] {
        let mut group = mistaken(0, 64);
        let other = group.call(2, Kind::Reduce, 0, 1, transfer(64, Operation::Or));
        group.post(2, other);
        for (at, packet) in packets.iter().enumerate() {
            let marks = Marks {
                is_down: false,
                opens: at == 0,
            };
            assert!(group.members[1].take_words(node(0), 0, marks, packet.clone()));
        }
        group.run();
        assert_eq!(group.status(1, 0) & CLOSED != 0, is_wrong, "{packets:x?}");
        assert_eq!(group.ends[1].len(), if is_wrong { 3 } else { 0 });
    }
}

#[test]
fn a_child_finds_a_mismatch_on_the_way_down() {
    let mut group = Group::new(3, 2, &[(0, 1)]);
    for (member, length) in [(0, 4), (1, 3)] {
        let call = group.call(member, Kind::Broadcast, 0, 0, transfer(length, Operation::Or));
        group.post(member, call);
    }
    group.run();
    assert_eq!(group.ends, [vec![(0, None)], vec![(0, Some(ErrorCode::Mismatch))]]);
    assert_eq!(group.read(1, 512, 4), [UNTOUCHED; 4]);
    assert_eq!(
        [group.status(0, 0), group.status(1, 0)],
        [1 | 1 << 6, CLOSED | DRAINED | 1 << 6]
    );
}

#[test]
fn a_closed_context_gives_back_every_credit() {
    let kinds = [Kind::Barrier, Kind::Broadcast, Kind::Reduce, Kind::Allreduce];
    for seed in 0..200 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut group = Group::new(seed, 5, &PAIRS);
        // Calls that go wrong, and stop anywhere.
        for member in 0..5 {
            for number in 0..random.gen_range(0..4) {
                let kind = kinds[random.gen_range(0..4)];
                let transfer = match kind {
                    Kind::Barrier => Transfer::NONE,
                    _ => transfer([1, 31, 40, 100][random.gen_range(0..4)], Operation::IntegerSum),
                };
                let call = group.call(member, kind, number, random.gen_range(0..5), transfer);
                group.post(member, call);
            }
        }
        for _ in 0..random.gen_range(0..200) {
            group.step(random.gen_range(0..5));
        }
        let [close, open] = [1, 2];
        for member in 0..5 {
            assert!(group.members[member].write(0, MpeRegister::Control, close));
        }
        group.run();
        let codes = [Some(ErrorCode::Mismatch), Some(ErrorCode::Closed)];
        for (member, ends) in group.ends.iter().enumerate() {
            let first = ends.iter().position(|(_, error)| error.is_some()).unwrap_or(ends.len());
            assert!(
                ends[first..].iter().all(|(_, error)| codes.contains(error)),
                "seed {seed}, member {member}: {ends:?}"
            );
        }
        for member in 0..5 {
            assert_eq!(group.status(member, 0) & !(0xff << 6), CLOSED | DRAINED, "seed {seed}");
            assert!(group.members[member].write(0, MpeRegister::Control, open));
            // It is open: a second time is refused.
            assert!(!group.members[member].write(0, MpeRegister::Control, open));
            group.write(member, 0, (0..100).map(|word| own(member, word)));
        }
        assert_eq!(group.refused, 0, "seed {seed}");
        group.post_all(Kind::Allreduce, 0, 3, transfer(100, Operation::IntegerSum));
        group.post_all(Kind::Barrier, 1, 4, Transfer::NONE);
        group.run();
        group.check_rest(2);
        for member in 0..5 {
            let sums: Vec<u64> = (0..100).map(|word| sum_of_five(word).into()).collect();
            assert_eq!(group.read(member, 512, 100), sums, "seed {seed}, member {member}");
        }
    }
}

/// The first outcome of each of three members in a line, and whether its context is closed. A member that waits has no outcome.
type Outcomes = ([Option<Option<ErrorCode>>; 3], [bool; 3]);

fn meet(seed: u64, calls: [(Kind, usize, Transfer); 3]) -> Outcomes {
    let mut group = Group::new(seed, 3, &[(1, 0), (1, 2)]);
    for (member, (kind, root, transfer)) in calls.into_iter().enumerate() {
        let call = group.call(member, kind, 0, root, transfer);
        group.post(member, call);
    }
    group.run();
    assert_eq!(group.refused, 0);
    let ends = [0, 1, 2].map(|member| group.ends[member].first().map(|&(_, error)| error));
    (ends, [0, 1, 2].map(|member| group.status(member, 0) & CLOSED != 0))
}

#[test]
fn members_that_mean_different_calls_are_found_where_they_meet() {
    let mismatch = Some(ErrorCode::Mismatch);
    let none = Transfer::NONE;
    let words = |length| transfer(length, Operation::Or);
    let barrier = (Kind::Barrier, 1, none);
    let reduce = (Kind::Reduce, 1, words(3));
    for seed in 0..50 {
        // Words come to a barrier; a token comes to a reduction.
        for calls in [[reduce, barrier, barrier], [barrier, reduce, reduce]] {
            let (ends, closed) = meet(seed, calls);
            assert_eq!((ends[1], closed[1]), (Some(mismatch), true), "seed {seed}");
        }
        // Two roots, and a broadcast that meets a reduction. The first member that gets a packet finds the mismatch, perhaps before it
        // has sent one to the other.
        for length in [3, 200] {
            let broadcast = |root| (Kind::Broadcast, root, words(length));
            for first in [broadcast(0), (Kind::Reduce, 1, words(length))] {
                let (ends, closed) = meet(seed, [first, broadcast(1), broadcast(1)]);
                assert!(closed[0] || closed[1], "seed {seed}, {length} words");
                assert!(ends[0].is_some() && ends[1].is_some(), "seed {seed}: nobody waits");
                let is_failed = [ends[0], ends[1]].contains(&Some(mismatch));
                // All of a short call may have left before.
                assert!(is_failed || length == 3, "seed {seed}: {ends:?}");
            }
        }
    }
}

#[test]
fn a_neighbour_that_is_ahead_is_no_error() {
    // Member 2 has sent one packet in each of two calls, and has come to the barrier behind them, before member 1 begins.
    for seed in 0..50 {
        let mut group = Group::new(seed, 3, &[(1, 0), (1, 2)]);
        let calls = [Kind::Broadcast, Kind::Reduce, Kind::Barrier];
        for (number, kind) in (0..).zip(calls) {
            let root = if kind == Kind::Broadcast { 2 } else { 1 };
            let length = if kind == Kind::Barrier {
                Transfer::NONE
            } else {
                transfer(5, Operation::Or)
            };
            let call = group.call(2, kind, number, root, length);
            group.post(2, call);
        }
        group.run();
        assert_eq!(group.ends[2], [(0, None), (1, None)], "two calls end");
        for member in 0..2 {
            for (number, kind) in (0..).zip(calls) {
                let root = if kind == Kind::Broadcast { 2 } else { 1 };
                let length = if kind == Kind::Barrier {
                    Transfer::NONE
                } else {
                    transfer(5, Operation::Or)
                };
                let call = group.call(member, kind, number, root, length);
                group.post(member, call);
            }
        }
        group.run();
        assert!(
            group.ends.iter().flatten().all(|&(_, error)| error.is_none()),
            "seed {seed}"
        );
        group.check_rest(3);
    }
}
