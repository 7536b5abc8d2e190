//! Collectives: what every member may rely on.

use super::SOON;
use portico::{
    collective::{CallTicket, Communicator, Operation, Shape},
    mpi::Way,
    registers::{CounterRegister, MpeRegister},
    Error, ErrorCode, Fabric, Transport,
};
use portico_spec::{
    mpe::call::{Call, Kind, Transfer, ARMED, NUMBER_WIDTH},
    ni::registers::{MPE_ARMED_OFFSET, MPE_IDLE_OFFSET, MPE_NEXT_OFFSET, MPE_RUNNING_OFFSET},
};

/// Where members have their own words, and where results go.
const OWN: u32 = 0x400;
const RESULT: u32 = 0x1000;
/// What no call writes.
const UNTOUCHED: u32 = 0xdead_beef;

/// A fabric of 32 bits with engines; none where it is built without, which is told by name.
fn opened<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<Option<Fabric<T>>, Error> {
    let mut fabric = open(32);
    if fabric.config().mpe == 0 {
        let refused = fabric.world(&Shape::Linear).map(drop);
        super::says(
            refused,
            "node 0 is built without a message-passing engine: set the key mpe",
        );
        return Ok(None);
    }
    Ok(Some(fabric))
}

/// What word number `word` of a tile is.
fn own(tile: usize, word: u32) -> u32 {
    (tile as u32 + 1) * (word + 3)
}

/// Gives all tiles their own words, and results that nobody has written.
fn prepare<T: Transport>(fabric: &mut Fabric<T>, words: u32) -> Result<(), Error> {
    for tile in 0..fabric.config().tiles() {
        let (mine, none): (Vec<u32>, Vec<u32>) = (0..words).map(|word| (own(tile, word), UNTOUCHED)).unzip();
        fabric.write(tile, OWN, &mine)?;
        fabric.write(tile, RESULT, &[&none[..], &[UNTOUCHED; 4]].concat())?;
    }
    Ok(())
}

/// Asserts that results are what `wanted` gives for a tile and a word, and that nothing behind them is written.
fn assert_results<T: Transport>(
    fabric: &mut Fabric<T>,
    words: u32,
    what: &str,
    wanted: impl Fn(usize, u32) -> u32,
) -> Result<(), Error> {
    for tile in 0..fabric.config().tiles() {
        let results = fabric.read(tile, RESULT, words as usize + 4)?;
        for (word, result) in (0..words).zip(&results) {
            assert_eq!(*result, wanted(tile, word), "{what}: word {word} of tile {tile}");
        }
        assert_eq!(
            results[words as usize..],
            [UNTOUCHED; 4],
            "{what}: behind the words of tile {tile}"
        );
    }
    Ok(())
}

/// All credits are at home, and nothing was refused.
fn assert_rest<T: Transport>(fabric: &mut Fabric<T>, contexts: usize) -> Result<(), Error> {
    assert_idle(fabric, contexts)?;
    let watched = if fabric.config().monitors {
        fabric.config().tiles()
    } else {
        0
    };
    for tile in 0..watched {
        assert_eq!(fabric.counters(tile)?[CounterRegister::Refused], 0);
    }
    Ok(())
}

/// All credits are at home.
fn assert_idle<T: Transport>(fabric: &mut Fabric<T>, contexts: usize) -> Result<(), Error> {
    super::rest(fabric);
    for tile in 0..fabric.config().tiles() {
        for context in 0..contexts {
            let status = fabric.peek(tile, MpeRegister::Status, context)?;
            assert_eq!(
                status >> MPE_IDLE_OFFSET & 1,
                1,
                "context {context} of tile {tile}: {status:#x}"
            );
        }
    }
    Ok(())
}

/// Posts a call at one member, not by the driver's communicator.
pub fn post<T: Transport>(
    fabric: &mut Fabric<T>,
    group: &Communicator,
    rank: usize,
    root: usize,
    call: Call,
) -> Result<(), Error> {
    let towards = group.tree().towards(root)[rank].map(|place| place as u8);
    let call = Call { towards, ..call };
    let opcode = portico_spec::ni::descriptor::Command::Call(call).opcode() as u32;
    let words = [&[opcode][..], &call.encode().expect("a call")].concat();
    let tile = group.tiles()[rank];
    drop(fabric.tile(tile)?.descriptor::<()>(&words)?.start()?);
    Ok(())
}

/// Nobody leaves a barrier before the last member has come, whoever that is.
pub fn barrier_holds_all<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let tiles = fabric.config().tiles();
    for shape in [Shape::Linear, Shape::Binomial, Shape::Centre, Shape::Quad] {
        let group = fabric.world(&shape)?;
        let context = group.context();
        let running = |fabric: &mut Fabric<T>, tile: usize| fabric.peek(tile, MpeRegister::Status, context);
        for (number, late) in (0u8..).zip([tiles - 1, 0, 2]) {
            let call = Call::in_turn(Kind::Barrier, number, context as u8, Transfer::NONE);
            for rank in (0..tiles).filter(|&rank| rank != late) {
                post(&mut fabric, &group, rank, 1, call)?;
            }
            super::rest(&mut fabric);
            for tile in (0..tiles).filter(|&tile| tile != late) {
                assert_eq!(
                    running(&mut fabric, tile)? & 2,
                    2,
                    "{shape:?}: tile {tile} waits for {late}"
                );
            }
            post(&mut fabric, &group, late, 1, call)?;
            super::rest(&mut fabric);
            for tile in 0..tiles {
                assert_eq!(running(&mut fabric, tile)? & 2, 0, "{shape:?}: tile {tile} has left");
            }
        }
        group.free();
    }
    assert_rest(&mut fabric, 2)
}

/// Words of a broadcast reach every member, and nobody else; of every length at which packets begin or end.
pub fn words_reach_every_member_and_nobody_else<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    for shape in [Shape::Linear, Shape::Kary(2)] {
        let group = fabric.communicator(&[5, 1, 3, 0], &shape)?;
        for (root, words) in [(0, 0), (1, 1), (2, 31), (3, 32), (0, 33), (1, 63), (2, 64), (3, 150)] {
            prepare(&mut fabric, words)?;
            let addresses: Vec<u32> = (0..4).map(|rank| if rank == root { OWN } else { RESULT }).collect();
            group.broadcast(&mut fabric, root, addresses, words)?.wait(SOON)?;
            let from = group.tiles()[root];
            assert_results(
                &mut fabric,
                words,
                &format!("{words} words, {shape:?}"),
                |tile, word| {
                    if tile != from && group.rank(tile).is_some() {
                        own(from, word)
                    } else {
                        UNTOUCHED
                    }
                },
            )?;
        }
        group.free();
    }
    assert_rest(&mut fabric, 2)
}

/// Sums, minima and maxima of known words, at the root or at all members.
pub fn sums_are_those_made_by_hand<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    // Of own(tile, word) over tiles 0 to 5: 1 + 2 + 3 + 4 + 5 + 6 = 21.
    let sum = |word: u32| 21 * (word + 3);
    let all = fabric.world(&Shape::Centre)?;
    for words in [0, 1, 31, 32, 100] {
        prepare(&mut fabric, words)?;
        all.reduce(&mut fabric, 4, OWN, RESULT, words, Operation::IntegerSum)?
            .wait(SOON)?;
        assert_results(&mut fabric, words, "reduce", |tile, word| {
            if tile == 4 {
                sum(word)
            } else {
                UNTOUCHED
            }
        })?;
        all.allreduce(&mut fabric, OWN, RESULT, words, Operation::IntegerSum)?
            .wait(SOON)?;
        assert_results(&mut fabric, words, "allreduce", |_, word| sum(word))?;
        all.allreduce(&mut fabric, OWN, RESULT, words, Operation::IntegerMax)?
            .wait(SOON)?;
        assert_results(&mut fabric, words, "maximum", |_, word| 6 * (word + 3))?;
    }
    // In place, and floating-point numbers: a half, a quarter, ... of six tiles are 63 / 64.
    for tile in 0..6 {
        fabric.write(
            tile,
            RESULT,
            &[0.5f32.powi(tile as i32 + 1).to_bits(), (tile as f32).to_bits()],
        )?;
    }
    all.allreduce(&mut fabric, RESULT, RESULT, 2, Operation::FloatSum)?
        .wait(SOON)?;
    for tile in 0..6 {
        assert_eq!(fabric.read(tile, RESULT, 2)?, [0.984375f32.to_bits(), 15f32.to_bits()]);
    }
    // A member alone.
    let alone = fabric.communicator(&[2], &Shape::Star)?;
    prepare(&mut fabric, 40)?;
    alone
        .allreduce(&mut fabric, OWN, RESULT, 40, Operation::IntegerSum)?
        .wait(SOON)?;
    alone.barrier(&mut fabric)?.wait(SOON)?;
    assert_results(&mut fabric, 40, "alone", |tile, word| {
        if tile == 2 {
            own(2, word)
        } else {
            UNTOUCHED
        }
    })?;
    assert_rest(&mut fabric, 2)
}

/// The root moves from call to call of the same tree, with calls of all kinds under way.
pub fn roots_move_from_call_to_call<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let tiles = fabric.config().tiles();
    let all = fabric.world(&Shape::Binomial)?;
    prepare(&mut fabric, 256)?;
    let mut tickets: Vec<CallTicket> = vec![];
    // Each root gets a sum of eight words, and gives its own eight to all.
    for root in 0..tiles {
        let at = 32 * root as u32;
        tickets.push(
            all.reduce(&mut fabric, root, OWN, RESULT + at, 8, Operation::IntegerSum)?
                .start()?,
        );
        let addresses: Vec<u32> = (0..tiles)
            .map(|rank| if rank == root { OWN } else { RESULT + 0x200 + at })
            .collect();
        tickets.push(all.broadcast(&mut fabric, root, addresses, 8)?.start()?);
        tickets.push(all.barrier(&mut fabric)?.start()?);
    }
    for ticket in &mut tickets {
        ticket.wait(&mut fabric, SOON)?;
    }
    for tile in 0..tiles {
        let results = fabric.read(tile, RESULT, 8 * tiles)?;
        let copies = fabric.read(tile, RESULT + 0x200, 8 * tiles)?;
        for (at, (result, copy)) in results.into_iter().zip(copies).enumerate() {
            let (root, word) = (at / 8, at as u32 % 8);
            assert_eq!(
                result,
                if root == tile { 21 * (word + 3) } else { UNTOUCHED },
                "sum {at} of tile {tile}"
            );
            // The copies lie where the results of no tile lie; the rest was not written by `prepare`.
            let wanted = if root == tile { UNTOUCHED } else { own(root, word) };
            assert_eq!(copy, wanted, "copy {at} of tile {tile}");
        }
    }
    assert_rest(&mut fabric, 2)
}

/// Two communicators with the same members, which post in opposite orders.
pub fn orders_of_posting_do_not_matter<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let one = fabric.world(&Shape::Linear)?;
    let two = one.dup(&mut fabric)?;
    prepare(&mut fabric, 100)?;
    let call = |group: &Communicator, result: u32| {
        Call::in_turn(
            Kind::Allreduce,
            0,
            group.context() as u8,
            Transfer {
                length: 40,
                source: OWN,
                result,
                operation: Operation::IntegerSum,
            },
        )
    };
    for rank in 0..one.size() {
        let mut calls = [(&one, RESULT), (&two, RESULT + 160)];
        if rank % 2 == 1 {
            calls.reverse();
        }
        for (group, result) in calls {
            post(&mut fabric, group, rank, 2, call(group, result))?;
            super::rest(&mut fabric);
        }
    }
    super::rest(&mut fabric);
    assert_results(&mut fabric, 100, "both", |_, word| match word {
        0..40 => 21 * (word + 3),
        40..80 => 21 * (word - 40 + 3),
        _ => UNTOUCHED,
    })?;
    assert_rest(&mut fabric, 2)
}

/// A member that comes 100,000 cycles after the others finds them waiting.
pub fn a_member_may_be_late<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let all = fabric.world(&Shape::Centre)?;
    prepare(&mut fabric, 80)?;
    let call = Call::in_turn(
        Kind::Allreduce,
        0,
        all.context() as u8,
        Transfer {
            length: 80,
            source: OWN,
            result: RESULT,
            operation: Operation::IntegerSum,
        },
    );
    for rank in 1..all.size() {
        post(&mut fabric, &all, rank, 3, call)?;
    }
    fabric.transport().wait(100_000);
    assert_results(&mut fabric, 80, "too early", |_, _| UNTOUCHED)?;
    post(&mut fabric, &all, 0, 3, call)?;
    super::rest(&mut fabric);
    super::rest(&mut fabric);
    assert_results(&mut fabric, 80, "in the end", |_, word| 21 * (word + 3))?;
    assert_rest(&mut fabric, 2)
}

/// A member that has sent what it can in two calls, and has come to the barrier behind them, is two calls ahead of its neighbour. Its
/// token waits for the barrier, and a recovery takes it away.
pub fn a_neighbour_may_be_two_calls_ahead<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    // All that can happen by then has.
    const LONG: u64 = 2_000;
    let line = fabric.communicator(&[2, 0, 1], &Shape::Linear)?;
    prepare(&mut fabric, 40)?;
    // Rank 0 is the root of the broadcast, the one in the middle that of the others.
    let roots = [(Kind::Broadcast, 0), (Kind::Reduce, 1), (Kind::Barrier, 1)];
    let come = |fabric: &mut Fabric<T>, rank| {
        (0..).zip(roots).try_for_each(|(number, (kind, root))| {
            let transfer = match kind {
                Kind::Barrier => Transfer::NONE,
                _ => Transfer {
                    length: 20,
                    source: OWN,
                    result: RESULT + 80 * u32::from(number),
                    operation: Operation::IntegerSum,
                },
            };
            let call = Call::in_turn(kind, number, line.context() as u8, transfer);
            post(fabric, &line, rank, root, call)
        })
    };
    come(&mut fabric, 0)?;
    come(&mut fabric, 2)?;
    fabric.transport().wait(LONG);
    line.recover(&mut fabric, SOON)?;
    // The third call is no barrier.
    for _ in 0..3 {
        line.allreduce(&mut fabric, OWN, RESULT, 20, Operation::IntegerSum)?
            .wait(SOON)?;
    }
    line.recover(&mut fabric, SOON)?;
    prepare(&mut fabric, 40)?;
    come(&mut fabric, 0)?;
    come(&mut fabric, 2)?;
    fabric.transport().wait(LONG);
    come(&mut fabric, 1)?;
    fabric.transport().wait(LONG);
    for tile in [2, 0, 1] {
        let status = fabric.peek(tile, MpeRegister::Status, line.context())?;
        assert_eq!(status, 1 << MPE_IDLE_OFFSET | 3 << MPE_NEXT_OFFSET, "tile {tile}");
    }
    // The words of tile 2 at tiles 0 and 1; at tile 0 the sum of 3, 1 and 2 times a word.
    assert_results(&mut fabric, 40, "in the end", |tile, word| match (tile, word) {
        (0 | 1, 0..20) => 3 * (word + 3),
        (0, 20..) => 6 * (word - 20 + 3),
        _ => UNTOUCHED,
    })?;
    assert_idle(&mut fabric, 2)
}

/// A member means another call than all others. It is found where it meets them, without a time-out, and waiting for the call says so.
pub fn members_that_disagree_are_found_and_wait_says_mismatch<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let group = fabric.communicator(&[4, 1, 0, 5, 2], &Shape::Linear)?;
    group.timeout(&mut fabric, 0)?;
    let sum = Operation::IntegerSum;
    prepare(&mut fabric, 100)?;
    // Rank 0 is told of a call, and the driver posts another, whose root is rank 2. The neighbour of rank 0 finds it, or rank 0
    // itself, where both send words: then the driver may hear no more than that a context is closed.
    let meetings = [
        (Kind::Reduce, 2, Kind::Barrier, true),
        (Kind::Barrier, 2, Kind::Reduce, true),
        (Kind::Barrier, 2, Kind::Allreduce, true),
        (Kind::Allreduce, 2, Kind::Barrier, true),
        (Kind::Broadcast, 0, Kind::Broadcast, false),
        (Kind::Allreduce, 2, Kind::Broadcast, false),
        (Kind::Reduce, 2, Kind::Broadcast, false),
    ];
    for (wrong, root, right, is_mismatch) in meetings {
        let call = Call::in_turn(
            wrong,
            0,
            group.context() as u8,
            match wrong {
                Kind::Barrier => Transfer::NONE,
                _ => Transfer {
                    length: 100,
                    source: OWN,
                    result: RESULT,
                    operation: sum,
                },
            },
        );
        post(&mut fabric, &group, 0, root, call)?;
        let mut begun = match right {
            Kind::Barrier => group.barrier(&mut fabric)?.start()?,
            Kind::Broadcast => group.broadcast(&mut fabric, 2, OWN, 100)?.start()?,
            Kind::Reduce => group.reduce(&mut fabric, 2, OWN, RESULT, 100, sum)?.start()?,
            Kind::Allreduce => group.allreduce(&mut fabric, OWN, RESULT, 100, sum)?.start()?,
        };
        match begun.wait(&mut fabric, SOON) {
            Err(Error::CommunicatorFailed { code, .. }) => {
                let allowed = [ErrorCode::Mismatch, ErrorCode::Closed];
                let allowed = &allowed[..if is_mismatch { 1 } else { 2 }];
                assert!(allowed.contains(&code), "{wrong:?} and {right:?}: {code:?}");
            }
            other => panic!("{wrong:?} and {right:?}: {other:?}"),
        }
        group.recover(&mut fabric, SOON)?;
    }
    prepare(&mut fabric, 100)?;
    group.allreduce(&mut fabric, OWN, RESULT, 100, sum)?.wait(SOON)?;
    assert_results(&mut fabric, 100, "after the recoveries", |tile, word| match tile {
        3 => UNTOUCHED,
        _ => 17 * (word + 3),
    })?;
    assert_idle(&mut fabric, 1)
}

/// A call whose members disagree closes its context at those who find out; the other context goes on.
pub fn a_context_closes_alone<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let good = fabric.communicator(&[0, 1, 2, 3], &Shape::Linear)?;
    let bad = fabric.communicator(&[0, 1], &Shape::Linear)?;
    prepare(&mut fabric, 64)?;
    // Tile 1 means nine words, the root eight.
    let call = |length| {
        Call::in_turn(
            Kind::Reduce,
            0,
            bad.context() as u8,
            Transfer {
                length,
                source: OWN,
                result: RESULT + 0x800,
                operation: Operation::IntegerSum,
            },
        )
    };
    post(&mut fabric, &bad, 1, 0, call(9))?;
    super::rest(&mut fabric);
    let failed = bad
        .reduce(&mut fabric, 0, OWN, RESULT + 0x800, 8, Operation::IntegerSum)?
        .wait(SOON);
    let code = match failed {
        Err(Error::CommunicatorFailed { code, .. }) => code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code, ErrorCode::Mismatch);
    assert!(matches!(
        bad.barrier(&mut fabric).map(drop),
        Err(Error::CommunicatorFailed { .. })
    ));
    for _ in 0..5 {
        good.allreduce(&mut fabric, OWN, RESULT, 64, Operation::IntegerSum)?
            .wait(SOON)?;
    }
    // 1 + 2 + 3 + 4 = 10.
    assert_results(&mut fabric, 64, "the other context", |tile, word| {
        if tile < 4 {
            10 * (word + 3)
        } else {
            UNTOUCHED
        }
    })
}

/// After calls of every kind whose members disagree, a communicator is recovered while another one works at the same tiles. Then it is
/// as new: its sums are those made by hand.
pub fn a_communicator_works_after_recover_and_its_sums_are_right<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let good = fabric.communicator(&[0, 1, 2, 3], &Shape::Linear)?;
    let bad = fabric.communicator(&[4, 1, 0, 5, 2], &Shape::Binomial)?;
    let sum = Operation::IntegerSum;
    let kinds = [
        (Kind::Reduce, Kind::Broadcast),
        (Kind::Barrier, Kind::Reduce),
        (Kind::Reduce, Kind::Barrier),
        (Kind::Broadcast, Kind::Allreduce),
        (Kind::Allreduce, Kind::Allreduce),
    ];
    // The others come later each time, so that the call stops at another point.
    for (later, (wrong, right)) in (0..15).zip(kinds.into_iter().cycle()) {
        prepare(&mut fabric, 100)?;
        // Rank 1 is told of another call.
        let call = Call::in_turn(
            wrong,
            0,
            bad.context() as u8,
            match wrong {
                Kind::Barrier => Transfer::NONE,
                _ => Transfer {
                    length: 70,
                    source: OWN,
                    result: RESULT,
                    operation: sum,
                },
            },
        );
        post(&mut fabric, &bad, 1, 2, call)?;
        fabric.transport().wait(later);
        let mut begun = match right {
            Kind::Barrier => bad.barrier(&mut fabric)?.start()?,
            Kind::Broadcast => bad.broadcast(&mut fabric, 2, OWN, 100)?.start()?,
            Kind::Reduce => bad.reduce(&mut fabric, 2, OWN, RESULT, 100, sum)?.start()?,
            Kind::Allreduce => bad.allreduce(&mut fabric, OWN, RESULT, 100, sum)?.start()?,
        };
        let mut beside = good.allreduce(&mut fabric, OWN, RESULT + 0x800, 100, sum)?.start()?;
        bad.recover(&mut fabric, SOON)?;
        beside.wait(&mut fabric, SOON)?;
        assert!(
            matches!(begun.poll(&mut fabric), Err(Error::CommunicatorFailed { .. })),
            "{wrong:?} and {right:?}"
        );
        prepare(&mut fabric, 100)?;
        bad.allreduce(&mut fabric, OWN, RESULT, 100, sum)?.wait(SOON)?;
        // Of tiles 4, 1, 0, 5 and 2: 5 + 2 + 1 + 6 + 3 = 17.
        assert_results(&mut fabric, 100, "after the recovery", |tile, word| match tile {
            3 => UNTOUCHED,
            _ => 17 * (word + 3),
        })?;
        // No token is left either: a barrier waits for rank 1.
        let barrier = Call {
            kind: Kind::Barrier,
            number: 1,
            transfer: Transfer::NONE,
            ..call
        };
        for rank in [0, 2, 3, 4] {
            post(&mut fabric, &bad, rank, 2, barrier)?;
        }
        super::rest(&mut fabric);
        for tile in [4, 0, 5, 2] {
            let status = fabric.peek(tile, MpeRegister::Status, bad.context())?;
            assert_eq!(
                status >> MPE_RUNNING_OFFSET & 1,
                1,
                "{wrong:?} and {right:?}: tile {tile} waits"
            );
        }
        bad.recover(&mut fabric, SOON)?;
    }
    good.barrier(&mut fabric)?.wait(SOON)?;
    assert_idle(&mut fabric, 2)
}

/// A request that is started again and again is armed, and then launched: each time with the words of that time, after other calls,
/// beside another communicator, and after a recovery. The event of one member tells that all results are there.
pub fn one_launch_runs_every_member_and_its_sums_are_right<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    let good = fabric.communicator(&[0, 1, 2, 3], &Shape::Linear)?;
    let mut group = fabric.mpi(&[4, 1, 0, 5, 2], &Shape::Binomial)?;
    group.force(Some(Way::Engines));
    // With a third context the group has a chain as well.
    group.force_shape(Some(Shape::Binomial));
    let context = group.engines().expect("the tiles have engines").context();
    let mut sum = group.allreduce(&mut fabric, OWN, RESULT, 100, Operation::IntegerSum)?;
    let mut meet = group.barrier(&mut fabric)?;
    for round in 0..3 {
        for start in 0..5u32 {
            prepare(&mut fabric, 100)?;
            // Words of this time at one tile: the sum of the others is 17 - 5 of their share.
            let words: Vec<u32> = (0..100).map(|word| word * word + 100 * round + start).collect();
            fabric.write(4, OWN, &words)?;
            let mut beside = good
                .allreduce(&mut fabric, OWN, RESULT + 0x800, 100, Operation::IntegerSum)?
                .start()?;
            sum.start(&mut fabric)?;
            sum.wait(&mut fabric, SOON)?;
            assert_results(&mut fabric, 100, "a start", |tile, word| match tile {
                3 => UNTOUCHED,
                _ => 12 * (word + 3) + words[word as usize],
            })?;
            beside.wait(&mut fabric, SOON)?;
            super::rest(&mut fabric);
            for tile in [4, 1, 0, 5, 2] {
                let status = fabric.peek(tile, MpeRegister::Status, context)?;
                let armed = status >> MPE_ARMED_OFFSET;
                assert_eq!(
                    armed,
                    if start == 0 { 0 } else { ARMED as u32 },
                    "start {start} at tile {tile}"
                );
                // A launch takes a number for the call, and one for the barrier behind it.
                let next = status >> MPE_NEXT_OFFSET & ((1 << NUMBER_WIDTH) - 1);
                assert_eq!(next, 1 + 2 * start, "start {start} at tile {tile}");
            }
        }
        // Another call between, which is posted; then launched again.
        meet.start(&mut fabric)?;
        sum.start(&mut fabric)?;
        sum.wait(&mut fabric, SOON)?;
        group.recover(&mut fabric, SOON)?;
    }
    sum.release(&mut fabric)?;
    meet.release(&mut fabric)?;
    group.release(&mut fabric)?;
    drop(good);
    assert_idle(&mut fabric, 2)
}

/// Calls that wait for a member that does not come end when their time is over, the oldest first; a call that moves on does not,
/// however long it takes. Needs a fabric with time.
pub fn a_call_that_stands_still_times_out<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let good = fabric.communicator(&[1, 2], &Shape::Linear)?;
    let late = fabric.communicator(&[0, 1, 2], &Shape::Linear)?;
    prepare(&mut fabric, 2_000)?;
    good.timeout(&mut fabric, good.least_timeout())?;
    good.allreduce(&mut fabric, OWN, RESULT, 768, Operation::IntegerSum)?
        .wait(SOON)?;
    late.timeout(&mut fabric, 3_000)?;
    let call = Call::in_turn(Kind::Barrier, 0, late.context() as u8, Transfer::NONE);
    // Tile 2 does not come.
    for rank in [0, 1] {
        post(&mut fabric, &late, rank, 0, call)?;
    }
    fabric.transport().wait(800);
    let status = |fabric: &mut Fabric<T>, tile| fabric.peek(tile, MpeRegister::Status, late.context());
    assert_eq!(status(&mut fabric, 0)? & 6, 2, "it runs");
    fabric.transport().wait(3_000);
    assert_eq!(
        status(&mut fabric, 0)? & 6,
        4,
        "it has ended, and its context is closed"
    );
    assert_eq!(status(&mut fabric, 2)? & 6, 0);
    let wait = late.barrier(&mut fabric)?.wait(SOON);
    assert!(
        matches!(
            wait,
            Err(Error::CommunicatorFailed {
                code: ErrorCode::Closed,
                ..
            })
        ),
        "{wait:?}"
    );
    good.allreduce(&mut fabric, OWN, RESULT, 64, Operation::IntegerSum)?
        .wait(SOON)
}

/// The least time-out that the driver allows ends no call that all members make, and one cycle less is refused. Needs a fabric
/// with time.
pub fn the_least_timeout_ends_no_call<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    prepare(&mut fabric, 64)?;
    let tiles: Vec<usize> = (0..fabric.config().tiles()).rev().collect();
    for members in 2..=tiles.len() {
        for shape in [Shape::Linear, Shape::Centre] {
            let group = fabric.communicator(&tiles[..members], &shape)?;
            let least = group.least_timeout();
            let refused = group.timeout(&mut fabric, least - 1);
            let message = format!(
                "timeout = {} cycles is not allowed: allowed is 0, for none, or {least} and more, since posting a call at \
                 all members takes {}",
                least - 1,
                least / 2
            );
            super::says(refused, &message);
            group.timeout(&mut fabric, least)?;
            for root in [0, members - 1] {
                group.barrier(&mut fabric)?.wait(SOON)?;
                group.broadcast(&mut fabric, root, OWN, 1)?.wait(SOON)?;
                group
                    .reduce(&mut fabric, root, OWN, RESULT, 1, Operation::IntegerSum)?
                    .wait(SOON)?;
                group
                    .allreduce(&mut fabric, OWN, RESULT, 64, Operation::IntegerSum)?
                    .wait(SOON)?;
            }
            group.timeout(&mut fabric, 0)?;
        }
    }
    Ok(())
}

/// Reduce_scatter leaves each member its block of the sums, and allgather gives all blocks to all.
pub fn blocks_are_folded_and_gathered<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let Some(mut fabric) = opened(open)? else { return Ok(()) };
    const WORDS: u32 = 5;
    let tiles = fabric.config().tiles() as u32;
    let all = WORDS * tiles;
    prepare(&mut fabric, all)?;
    let group = fabric.world(&Shape::Linear)?;
    let block = |tile: usize| tile as u32 * WORDS;
    let into: Vec<u32> = (0..tiles as usize).map(|tile| RESULT + 4 * block(tile)).collect();
    let folded = group.reduce_scatter(&mut fabric, OWN, into, WORDS, Operation::IntegerSum)?;
    folded.wait(SOON)?;
    let sum = |word: u32| (0..tiles as usize).map(|tile| own(tile, word)).sum::<u32>();
    assert_results(&mut fabric, all, "reduce_scatter", |tile, word| {
        let is_own = (block(tile)..block(tile) + WORDS).contains(&word);
        if is_own {
            sum(word)
        } else {
            UNTOUCHED
        }
    })?;
    group.allgather(&mut fabric, RESULT, WORDS)?.wait(SOON)?;
    assert_results(&mut fabric, all, "allgather", |_, word| sum(word))?;
    let contexts = fabric.config().mpe;
    assert_rest(&mut fabric, contexts)
}
