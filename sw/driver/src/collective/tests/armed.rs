//! Calls that are started again and again.

use portico_spec::{
    mpe::call::{ARMED, ARMED_WIDTH, NUMBER_WIDTH},
    ni::registers::{MPE_ARMED_OFFSET, MPE_NEXT_OFFSET},
};

use super::*;
use crate::{registers::EventRegister, testing::free_events};

const SUM: Operation = Operation::IntegerSum;

/// A prepared sum of two words at 0x100 into 0x200 of all members.
fn sum<T: Transport>(fabric: &mut Fabric<T>, group: &Communicator) -> Prepared {
    group.allreduce(fabric, 0x100, 0x200, 2, SUM).unwrap().prepared()
}

fn start<T: Transport>(fabric: &mut Fabric<T>, call: &Prepared) -> Result<CallTicket, Error> {
    let (ticket, posted) = call.start(fabric);
    posted.map(|()| ticket.unwrap())
}

fn run<T: Transport>(fabric: &mut Fabric<T>, call: &Prepared) -> Result<(), Error> {
    start(fabric, call)?.wait(fabric, LIMIT)
}

fn runs<T: Transport>(fabric: &mut Fabric<T>, call: &Prepared, times: usize) {
    (0..times).for_each(|_| run(fabric, call).unwrap());
}

/// Two fields of the status of context 0 at a tile: armed calls, and the number of the next call.
fn status<T: Transport>(fabric: &mut Fabric<T>, tile: usize) -> (usize, u8) {
    let status = fabric.peek(tile, MpeRegister::Status, 0).unwrap();
    let field = |offset, width: usize| status >> offset & ((1 << width) - 1);
    let armed = field(MPE_ARMED_OFFSET, ARMED_WIDTH) as usize;
    (armed, field(MPE_NEXT_OFFSET, NUMBER_WIDTH) as u8)
}

/// The counters of all events of each tile.
fn counts(fabric: &mut Fabric<GoldenTransport>) -> Vec<Vec<u32>> {
    let tiles = 0..fabric.config().tiles();
    let count = |tile: usize| {
        let events = 0..fabric.nodes[tile].build.events;
        let counts = events.map(|event| fabric.peek(tile, EventRegister::Count, event).unwrap());
        counts.collect()
    };
    tiles.map(count).collect()
}

/// How many counts each tile has had since.
fn counts_since(fabric: &mut Fabric<GoldenTransport>, before: &[Vec<u32>]) -> Vec<u32> {
    let since = |(now, before): (Vec<u32>, &Vec<u32>)| now.iter().zip(before).map(|(now, before)| now - before).sum();
    counts(fabric).into_iter().zip(before).map(since).collect()
}

/// Accesses of the driver to other nodes, so far.
fn accesses<T: Transport>(fabric: &Fabric<T>) -> u16 {
    let host = fabric.nodes.get(fabric.port.host).unwrap();
    host.issued.last().copied().flatten().unwrap()
}

#[test]
fn a_call_that_is_repeated_costs_one_descriptor_and_one_event() {
    let mut fabric = fabric(3, 3, 1);
    let all = fabric.world(&Shape::Centre).unwrap();
    let events = free_events(&mut fabric);
    let call = sum(&mut fabric, &all);
    // More often than a context numbers its calls.
    for round in 0..300 {
        for tile in 0..9 {
            fabric.write(tile, 0x100, &[round + tile as u32, round]).unwrap();
        }
        let (before, sent) = (counts(&mut fabric), accesses(&fabric));
        let mut ticket = start(&mut fabric, &call).unwrap();
        if round >= 2 {
            assert_eq!(accesses(&fabric), sent.wrapping_add(1), "round {round}");
        }
        ticket.wait(&mut fabric, LIMIT).unwrap();
        if round >= 2 {
            let own = |tile| if tile == all.tiles()[all.middle] { 2 } else { 0 };
            let since: Vec<u32> = (0..9).map(own).collect();
            assert_eq!(counts_since(&mut fabric, &before), since, "round {round}");
        }
        assert_eq!(
            status(&mut fabric, 0).0,
            if round == 0 { 0 } else { ARMED },
            "round {round}"
        );
        let sums = vec![9 * round + 36, 9 * round];
        assert_eq!(read(&mut fabric, 0x200, 2), vec![sums; 9], "round {round}");
    }
    let held: Vec<usize> = events.iter().map(|events| events - 1).collect();
    assert_eq!(free_events(&mut fabric), held);
    nothing_was_refused(&mut fabric);
}

#[test]
fn calls_by_turns_are_posted_and_a_call_between_launches_too() {
    let mut fabric = fabric(2, 2, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    let events = free_events(&mut fabric);
    fill(&mut fabric, 0x100);
    let one = sum(&mut fabric, &all);
    let other = all.broadcast(&mut fabric, 3, 0x300, 1).unwrap().prepared();
    let gather = all.allgather(&mut fabric, 0x400, 1).unwrap().prepared();
    let right = |fabric: &mut Fabric<GoldenTransport>, call: &Prepared, word: u32| {
        fabric.write(3, 0x300, &[word]).unwrap();
        (0..4).for_each(|tile| fabric.write(tile, 0x200, &[0, 0]).unwrap());
        run(fabric, call).unwrap();
        match call.what {
            "broadcast" => assert_eq!(read(fabric, 0x300, 1), vec![vec![word]; 4]),
            _ => assert_eq!(read(fabric, 0x200, 2), vec![vec![10, 60]; 4]),
        }
    };
    for word in 0..4 {
        let before = counts(&mut fabric);
        right(&mut fabric, &one, word);
        right(&mut fabric, &other, word);
        assert_eq!(counts_since(&mut fabric, &before), [2; 4]);
        assert_eq!(status(&mut fabric, 1), (0, 2 * word as u8 + 2));
    }
    // A call that consists of several is posted each time.
    runs(&mut fabric, &gather, 2);
    assert_eq!(status(&mut fabric, 1), (0, 16));
    // Once armed, a call is launched whatever was posted between.
    (0..2).for_each(|word| right(&mut fabric, &one, word));
    assert_eq!(status(&mut fabric, 1), (ARMED, 19));
    for word in 0..4 {
        right(&mut fabric, &other, word);
        let sent = accesses(&fabric);
        let mut launched = start(&mut fabric, &one).unwrap();
        assert_eq!(accesses(&fabric), sent.wrapping_add(1));
        if word % 2 == 0 {
            // The posted call waits for the launched one.
            all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
        }
        launched.wait(&mut fabric, LIMIT).unwrap();
    }
    // Another call is armed when it is started four times in a row. Its engines number their calls from 0 on again.
    (0..5).for_each(|word| right(&mut fabric, &other, word));
    assert_eq!(status(&mut fabric, 1), (ARMED, 4));
    right(&mut fabric, &one, 0);
    right(&mut fabric, &other, 7);
    assert_eq!(status(&mut fabric, 1), (ARMED, 7));
    (0..4).for_each(|word| right(&mut fabric, &one, word));
    assert_eq!(status(&mut fabric, 1), (ARMED, 2));
    let held: Vec<usize> = events.iter().map(|events| events - 1).collect();
    assert_eq!(free_events(&mut fabric), held);
    nothing_was_refused(&mut fabric);
}

#[test]
fn all_kinds_are_launched_on_trees_of_every_shape() {
    let mut fabric = fabric(3, 2, 1);
    for shape in [Shape::Linear, Shape::Binomial, Shape::Star, Shape::Centre] {
        let all = fabric.world(&shape).unwrap();
        for root in 0..6 {
            let reduce = all.reduce(&mut fabric, root, 0x100, 0x200, 2, SUM).unwrap().prepared();
            let broadcast = all.broadcast(&mut fabric, root, 0x200, 2).unwrap().prepared();
            let barrier = all.barrier(&mut fabric).unwrap().prepared();
            for _ in 0..4 {
                fill(&mut fabric, 0x100);
                run(&mut fabric, &reduce).unwrap();
                assert_eq!(
                    fabric.read(root, 0x200, 2).unwrap(),
                    [21, 150],
                    "{shape:?}, root {root}"
                );
            }
            for round in 0..4 {
                fabric.write(root, 0x200, &[round, root as u32]).unwrap();
                run(&mut fabric, &broadcast).unwrap();
                assert_eq!(read(&mut fabric, 0x200, 2), vec![vec![round, root as u32]; 6]);
            }
            runs(&mut fabric, &barrier, 4);
        }
    }
    nothing_was_refused(&mut fabric);
}

#[test]
fn one_tile_alone_and_four_contexts() {
    let mut fabric = fabric(3, 1, 4);
    let alone = fabric.communicator(&[2], &Shape::Linear).unwrap();
    fabric.write(2, 0x100, &[4, 5]).unwrap();
    let call = sum(&mut fabric, &alone);
    for word in 0..5 {
        fabric.write(2, 0x100, &[word]).unwrap();
        run(&mut fabric, &call).unwrap();
        assert_eq!(fabric.read(2, 0x200, 2).unwrap(), [word, 5]);
    }
    alone.free();

    let groups: Vec<Communicator> = (0..4).map(|_| fabric.world(&Shape::Linear).unwrap()).collect();
    let prepare = |(group, result): (&Communicator, u32)| {
        let call = group.allreduce(&mut fabric, 0x100, 0x200 + 8 * result, 2, SUM);
        call.unwrap().prepared()
    };
    let calls: Vec<Prepared> = groups.iter().zip(0..).map(prepare).collect();
    for round in 0..20 {
        for tile in 0..3 {
            fabric.write(tile, 0x100, &[round, tile as u32]).unwrap();
            fabric.write(tile, 0x200, &[0; 8]).unwrap();
        }
        let mut tickets: Vec<CallTicket> = calls.iter().map(|call| start(&mut fabric, call).unwrap()).collect();
        for ticket in tickets.iter_mut().rev() {
            ticket.wait(&mut fabric, LIMIT).unwrap();
        }
        assert_eq!(read(&mut fabric, 0x200, 8), vec![[3 * round, 3].repeat(4); 3]);
    }
    nothing_was_refused(&mut fabric);
}

/// The launching member is tile 1, whose barrier does not end.
#[test]
fn a_launch_that_fails_at_another_member_is_found_when_its_time_is_over() {
    let mut fabric = fabric(3, 1, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    assert_eq!(all.middle, 1);
    let events = free_events(&mut fabric);
    let call = all.broadcast(&mut fabric, 1, 0x100, 8).unwrap().prepared();
    for tile in [0, 2] {
        runs(&mut fabric, &call, 3);
        // The tile is told of another length.
        let number = status(&mut fabric, tile).1;
        let towards = Some(0);
        intrude(
            &mut fabric,
            tile,
            call::Call {
                towards,
                ..broadcast_of_three(number)
            },
        );
        let mut ticket = start(&mut fabric, &call).unwrap();
        assert_eq!(ticket.poll(&mut fabric), Ok(false));
        // Lists, and the host, wait for a launched call at each of its members.
        fabric.set_timeout(1_000);
        let waits = fabric.finish_commands(&[2 - tile]);
        assert!(matches!(waits, Err(Error::Timeout { .. })), "{waits:?}");
        let (what, code) = ("broadcast", ErrorCode::Mismatch);
        let expected = Error::CommunicatorFailed { what, tile, code };
        assert_eq!(ticket.wait(&mut fabric, 1_000), Err(expected.clone()));
        assert_eq!(start(&mut fabric, &call).unwrap_err(), expected);
        ticket.poll(&mut fabric).unwrap_err();
        fabric.finish_commands(&[0, 1, 2]).unwrap();
        all.recover(&mut fabric, LIMIT).unwrap();
        assert_eq!(free_events(&mut fabric), events);
        assert_eq!(ticket.poll(&mut fabric), Err(expected));
        let sent = accesses(&fabric);
        run(&mut fabric, &call).unwrap();
        assert!(accesses(&fabric) > sent + 3, "it is posted");
    }
    // The same is found by who waits for the launched call to end.
    runs(&mut fabric, &call, 2);
    let number = status(&mut fabric, 2).1;
    intrude(
        &mut fabric,
        2,
        call::Call {
            towards: Some(0),
            ..broadcast_of_three(number)
        },
    );
    let ticket = start(&mut fabric, &call).unwrap();
    let behind = all.barrier(&mut fabric).unwrap().start();
    assert!(
        matches!(behind, Err(Error::CommunicatorFailed { tile: 2, .. })),
        "{behind:?}"
    );
    drop(ticket);
    // A communicator that is dropped gives its events back when the next one gets its context.
    all.free();
    let all = fabric.world(&Shape::Linear).unwrap();
    assert_eq!(free_events(&mut fabric), events);
    all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
}

/// All members have another call in the armed one than rank 2.
#[test]
fn an_armed_call_that_is_wrong_fails_with_the_code_of_its_member() {
    let mut fabric = fabric(3, 1, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    let events = free_events(&mut fabric);
    let call = all.broadcast(&mut fabric, 1, 0x100, 8).unwrap().prepared();
    let mut wrong = call.clone();
    wrong.change(2, |words| words[2] += 1);
    let mut outside = call.clone();
    outside.change(2, |words| words[4] = 0x0fff_fff0);
    for (wrong, code) in [(wrong, ErrorCode::Mismatch), (outside, ErrorCode::OutOfMemory)] {
        run(&mut fabric, &call).unwrap();
        fabric.set_timeout(3_000);
        let failed = run(&mut fabric, &wrong);
        let (what, tile) = ("broadcast", 2);
        assert_eq!(failed, Err(Error::CommunicatorFailed { what, tile, code }));
        assert!(all.barrier(&mut fabric).is_err());
        all.recover(&mut fabric, LIMIT).unwrap();
        assert_eq!(free_events(&mut fabric), events);
        runs(&mut fabric, &call, 3);
        assert_eq!(status(&mut fabric, 2).0, ARMED);
        all.recover(&mut fabric, LIMIT).unwrap();
        assert_eq!(free_events(&mut fabric), events);
    }
    runs(&mut fabric, &call, 3);
}

#[test]
fn an_event_that_does_not_count_does_not_hold_up_the_recovery() {
    let mut fabric = fabric(2, 1, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    let events = free_events(&mut fabric);
    let call = all.barrier(&mut fabric).unwrap().prepared();
    runs(&mut fabric, &call, 2);
    let (tile, event) = fabric.groups[&all.group].launcher_of(0).unwrap();
    let count = fabric.peek(tile, EventRegister::Count, event.into()).unwrap();
    // The other member does not come.
    fabric.poke(1 - tile, MpeRegister::Control, 0, &[1]).unwrap();
    let mut ticket = start(&mut fabric, &call).unwrap();
    assert_eq!(ticket.poll(&mut fabric), Ok(false));
    // As if a go of another member had closed the context before it began its calls.
    fabric.poke(tile, MpeRegister::Control, 0, &[1]).unwrap();
    fabric
        .poke(tile, EventRegister::Count, event.into(), &[count + 1])
        .unwrap();
    fabric.poke(tile, EventRegister::Status, event.into(), &[0]).unwrap();
    let failed = ticket.wait(&mut fabric, 1_000);
    let code = ErrorCode::Mismatch;
    assert!(
        matches!(failed, Err(Error::CommunicatorFailed { code: found, .. }) if found == code),
        "{failed:?}"
    );
    assert!(ticket.poll(&mut fabric).is_err());
    fabric.finish_commands(&[0, 1]).unwrap();
    all.recover(&mut fabric, LIMIT).unwrap();
    assert_eq!(free_events(&mut fabric), events);
    runs(&mut fabric, &call, 3);
}

#[test]
fn a_launch_that_is_refused_is_sent_again() {
    let mut fabric = fabric(2, 1, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    let call = all.barrier(&mut fabric).unwrap().prepared();
    runs(&mut fabric, &call, 3);
    let launcher = all.middle;
    let number = status(&mut fabric, launcher).1;
    let towards = all.tree().towards(launcher);
    // A call that the driver does not know of runs at the launching member.
    intrude(&mut fabric, launcher, barrier(number, None));
    fabric.groups.get_mut(&all.group).unwrap().skip(1);
    let mut ticket = start(&mut fabric, &call).unwrap();
    assert_eq!(ticket.poll(&mut fabric), Ok(false));
    assert_eq!(ticket.poll(&mut fabric), Ok(false));
    let other = 1 - launcher;
    intrude(
        &mut fabric,
        other,
        barrier(number, towards[other].map(|place| place as u8)),
    );
    ticket.wait(&mut fabric, LIMIT).unwrap();
    runs(&mut fabric, &call, 3);
    all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
}

#[test]
fn a_dropped_communicator_gives_its_events_back() {
    let mut fabric = fabric(3, 1, 1);
    let events = free_events(&mut fabric);
    let pair = fabric.communicator(&[0, 1], &Shape::Linear).unwrap();
    let call = sum(&mut fabric, &pair);
    runs(&mut fabric, &call, 2);
    let ticket = start(&mut fabric, &call).unwrap();
    pair.free();
    // One with other members.
    let all = fabric.communicator(&[1, 2], &Shape::Linear).unwrap();
    assert_eq!(free_events(&mut fabric), events);
    assert_eq!(status(&mut fabric, 1).0, 0);
    assert_eq!(start(&mut fabric, &call).unwrap_err(), Error::WrongCommunicator);
    drop(ticket);
    let call = sum(&mut fabric, &all);
    fill(&mut fabric, 0x100);
    runs(&mut fabric, &call, 4);
    assert_eq!(fabric.read(2, 0x200, 2).unwrap(), [5, 30]);
}

#[test]
fn a_member_keeps_an_event_for_calls_that_are_posted() {
    let mut fabric = fabric(2, 1, 1);
    let both = fabric.world(&Shape::Linear).unwrap();
    let call = both.barrier(&mut fabric).unwrap().prepared();
    let mut taken = vec![];
    while let Ok(event) = fabric.event(1) {
        taken.push(event);
    }
    taken.pop().unwrap().release(&mut fabric).unwrap();
    let events = free_events(&mut fabric);
    runs(&mut fabric, &call, 5);
    assert_eq!((status(&mut fabric, 0).0, free_events(&mut fabric)), (0, events));
    taken.pop().unwrap().release(&mut fabric).unwrap();
    runs(&mut fabric, &call, 1);
    assert_eq!(status(&mut fabric, 0).0, ARMED);
    both.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    runs(&mut fabric, &call, 1);
}

/// An access fails while a call is armed, launched, or armed in the place of another one.
#[test]
fn what_an_error_has_cut_short_goes_on_with_the_next_start() {
    let config = three_in_a_row();
    let mut failed = 0;
    for before in [&[1][..], &[1, 1], &[0, 0, 1], &[0, 0, 0, 1, 0, 1]] {
        for left in 0.. {
            let mut fabric = Fabric::open(Failing::new(&config)).unwrap();
            let events = free_events(&mut fabric);
            let all = fabric.world(&Shape::Linear).unwrap();
            let calls = [all.barrier(&mut fabric).unwrap().prepared(), sum(&mut fabric, &all)];
            before.iter().for_each(|&call| runs(&mut fabric, &calls[call], 1));
            fabric.transport().left = Some(left);
            let first = run(&mut fabric, &calls[1]);
            let has_failed = fabric.transport().left.take().is_none();
            assert_eq!(first.is_err(), has_failed, "{before:?}, access {left}");
            for round in 0..4 {
                (0..3).for_each(|tile| fabric.write(tile, 0x100, &[round, 5]).unwrap());
                run(&mut fabric, &calls[1]).unwrap();
                assert_eq!(
                    fabric.read(2, 0x200, 2).unwrap(),
                    [3 * round, 15],
                    "{before:?}, access {left}"
                );
            }
            assert_eq!(status(&mut fabric, 2).0, ARMED, "{before:?}, access {left}");
            runs(&mut fabric, &calls[0], 3);
            all.recover(&mut fabric, LIMIT).unwrap();
            assert_eq!(free_events(&mut fabric), events, "{before:?}, access {left}");
            failed += usize::from(has_failed);
            if !has_failed {
                break;
            }
        }
    }
    assert!(failed > 50, "{failed}");
}
