use portico_spec::{
    mpe::call::{self, Begin, Kind, Transfer},
    ni::{
        descriptor::Command,
        registers::{MPE_CLOSED_OFFSET, MPE_RUNNING_OFFSET},
    },
    Config,
};

use super::*;
use crate::{
    command,
    registers::{CounterRegister, MpeRegister},
    testing::Failing,
    ErrorCode, GoldenTransport,
};

mod armed;

const LIMIT: u64 = 20_000;

fn fabric(cols: usize, rows: usize, mpe: usize) -> Fabric<GoldenTransport> {
    let config = Config {
        cols,
        rows,
        edge_nodes: 1,
        mpe,
        ..Config::default()
    };
    Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap()
}

/// What every tile has at an address.
fn read(fabric: &mut Fabric<GoldenTransport>, address: u32, words: usize) -> Vec<Vec<u32>> {
    let tiles = 0..fabric.config().tiles();
    tiles.map(|tile| fabric.read(tile, address, words).unwrap()).collect()
}

/// Words `[tile + 1, 10 * tile, ...]` of every tile at an address.
fn fill(fabric: &mut Fabric<GoldenTransport>, address: u32) {
    for tile in 0..fabric.config().tiles() {
        fabric
            .write(tile, address, &[tile as u32 + 1, 10 * tile as u32])
            .unwrap();
    }
}

/// A call that the driver does not know of, at one tile; it is not waited for.
fn intrude(fabric: &mut Fabric<GoldenTransport>, tile: usize, call: call::Call) {
    let words = command::encode(fabric.config(), 0, Command::Call(call)).unwrap();
    let started = fabric.tile(tile).unwrap().descriptor::<()>(&words).unwrap().start();
    drop(started.unwrap());
}

fn barrier(number: u8, towards: Option<u8>) -> call::Call {
    call::Call {
        kind: Kind::Barrier,
        begin: Begin::InTurn,
        number,
        context: 0,
        towards,
        transfer: Transfer::NONE,
    }
}

/// A broadcast of three words, as its root calls it.
fn broadcast_of_three(number: u8) -> call::Call {
    call::Call {
        kind: Kind::Broadcast,
        transfer: Transfer {
            length: 3,
            ..Transfer::NONE
        },
        ..barrier(number, None)
    }
}

fn nothing_was_refused(fabric: &mut Fabric<GoldenTransport>) {
    for tile in 0..fabric.config().tiles() {
        assert_eq!(
            fabric.counters(tile).unwrap()[CounterRegister::Refused],
            0,
            "tile {tile}"
        );
    }
}

#[test]
fn all_kinds_with_every_root_on_trees_of_every_shape() {
    let shapes = [
        Shape::Linear,
        Shape::Binomial,
        Shape::Kary(2),
        Shape::Columns(1),
        Shape::Rows(0),
        Shape::Centre,
        Shape::Quad,
        Shape::Star,
    ];
    // Sums of tile + 1, and of 10 * tile, over 4 and over 9 tiles.
    for (side, sums) in [(2, [10, 60]), (3, [45, 360])] {
        let mut fabric = fabric(side, side, 2);
        let tiles = side * side;
        for shape in &shapes {
            let all = fabric.world(shape).unwrap();
            assert_eq!(
                (all.size(), all.rank(tiles - 1), all.rank(tiles)),
                (tiles, Some(tiles - 1), None)
            );
            if *shape == Shape::Star {
                // The list of tile 0 has seven places, so a star of nine tiles has two levels.
                assert_eq!(all.tree().depth(0), side - 1);
            }
            for root in 0..tiles {
                for tile in 0..tiles {
                    fabric.write(tile, 0x200, &[0; 6]).unwrap();
                }
                fill(&mut fabric, 0x100);
                let sum = Operation::IntegerSum;
                all.reduce(&mut fabric, root, 0x100, 0x200, 2, sum)
                    .unwrap()
                    .wait(LIMIT)
                    .unwrap();
                all.allreduce(&mut fabric, 0x100, 0x208, 2, sum)
                    .unwrap()
                    .wait(LIMIT)
                    .unwrap();
                all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
                let results = read(&mut fabric, 0x200, 4);
                for (tile, result) in results.iter().enumerate() {
                    let reduced = if tile == root { sums } else { [0, 0] };
                    assert_eq!(
                        result[..],
                        [reduced, sums].concat(),
                        "{shape:?}, root {root}, tile {tile}"
                    );
                }
                all.broadcast(&mut fabric, root, 0x100, 2).unwrap().wait(LIMIT).unwrap();
                let of_root = vec![root as u32 + 1, 10 * root as u32];
                assert_eq!(
                    read(&mut fabric, 0x100, 2),
                    vec![of_root; tiles],
                    "{shape:?}, root {root}"
                );
            }
            all.free();
        }
        nothing_was_refused(&mut fabric);
    }
}

#[test]
fn stars_of_ten_to_sixty_four_members_have_two_levels() {
    let config = Config {
        cols: 8,
        rows: 8,
        edge_nodes: 1,
        mpe: 1,
        mpe_neighbours: 8,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    for members in 9..=64 {
        let tiles: Vec<usize> = (0..members).collect();
        let star = fabric.communicator(&tiles, &Shape::Star).unwrap();
        // The first member has eight neighbours.
        assert_eq!(
            star.tree().depth(0),
            if members > 9 { 2 } else { 1 },
            "{members} members"
        );
        fill(&mut fabric, 0x100);
        let last = members - 1;
        star.reduce(&mut fabric, last, 0x100, 0x200, 2, Operation::IntegerSum)
            .unwrap()
            .wait(LIMIT)
            .unwrap();
        // Sums of tile + 1, and of 10 * tile.
        let count = members as u32;
        let sums = vec![count * (count + 1) / 2, 5 * count * (count - 1)];
        assert_eq!(fabric.read(last, 0x200, 2), Ok(sums), "{members} members");
        star.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
        star.broadcast(&mut fabric, last, 0x100, 2)
            .unwrap()
            .wait(LIMIT)
            .unwrap();
        for &tile in &tiles {
            let of_last = vec![last as u32 + 1, 10 * last as u32];
            assert_eq!(
                fabric.read(tile, 0x100, 2),
                Ok(of_last),
                "{members} members, tile {tile}"
            );
        }
        star.free();
    }
    nothing_was_refused(&mut fabric);
}

#[test]
fn members_have_their_words_at_addresses_of_their_own() {
    let mut fabric = fabric(2, 2, 1);
    let some = fabric.communicator(&[3, 0, 2], &Shape::Star).unwrap();
    for (tile, address, word) in [(3, 0x10, 5), (0, 0x20, 9), (2, 0x30, 7)] {
        fabric.write(tile, address, &[word]).unwrap();
    }
    let (from, to) = ([0x10, 0x20, 0x30], vec![0x40, 0x20, 0x60]);
    some.allreduce(&mut fabric, from, to, 1, Operation::IntegerMax)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    for (tile, address) in [(3, 0x40), (0, 0x20), (2, 0x60)] {
        assert_eq!(fabric.read(tile, address, 1), Ok(vec![9]));
    }
    some.broadcast(&mut fabric, 2, [0x80, 0x84, 0x30], 1)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    assert_eq!(
        (fabric.read(3, 0x80, 1), fabric.read(0, 0x84, 1)),
        (Ok(vec![7]), Ok(vec![7]))
    );
    // Only the root of a reduction has to have room for the result.
    let last = fabric.memory_bytes(0).unwrap() - 4;
    let sources = [0x10, 0x40, last];
    fabric.write(2, last, &[1]).unwrap();
    fabric.write(0, 0x40, &[2]).unwrap();
    some.reduce(&mut fabric, 0, sources, last, 1, Operation::Or)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    assert_eq!(fabric.read(3, last, 1), Ok(vec![7]));
}

#[test]
fn one_tile_alone_and_no_words_at_all() {
    let mut fabric = fabric(2, 1, 1);
    let alone = fabric.communicator(&[1], &Shape::Linear).unwrap();
    fabric.write(1, 0x40, &[42]).unwrap();
    alone.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    alone
        .allreduce(&mut fabric, 0x40, 0x80, 1, Operation::Xor)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    assert_eq!(fabric.read(1, 0x80, 1), Ok(vec![42]));
    alone.free();
    let both = fabric.world(&Shape::Linear).unwrap();
    both.allreduce(&mut fabric, 0x40, 0x80, 0, Operation::IntegerSum)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    assert_eq!(fabric.read(1, 0x80, 1), Ok(vec![42]));
}

#[test]
fn six_tiles_split_into_two_colors() {
    let mut fabric = fabric(3, 2, 2);
    let all = fabric.world(&Shape::Binomial).unwrap();
    // Even and odd tiles, the latter from the highest down; tile 4 is in no group.
    let by = |rank: usize| (rank != 4).then_some((rank % 2, if rank % 2 == 1 { 5 - rank } else { 0 }));
    assert_eq!(all.groups(by), [vec![0, 2], vec![5, 3, 1]]);
    let groups = all.split(&mut fabric, &Shape::Linear, by).unwrap();
    // They share no tile, and so may share a context, but not that of all.
    assert_eq!([all.context(), groups[0].context(), groups[1].context()], [0, 1, 1]);
    fill(&mut fabric, 0x100);
    let mut tickets: Vec<CallTicket> = Vec::new();
    for group in &groups {
        let call = group
            .allreduce(&mut fabric, 0x100, 0x200, 2, Operation::IntegerSum)
            .unwrap();
        tickets.push(call.start().unwrap());
    }
    for ticket in &mut tickets {
        ticket.wait(&mut fabric, LIMIT).unwrap();
    }
    let (even, odd, none) = ([4, 20], [12, 90], [0, 0]);
    assert_eq!(read(&mut fabric, 0x200, 2), [even, odd, even, odd, none, odd]);
    groups[1]
        .broadcast(&mut fabric, 0, 0x100, 1)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    assert_eq!(read(&mut fabric, 0x100, 1), [[1], [6], [3], [6], [5], [6]]);
}

#[test]
fn communicators_that_overlap_have_contexts_of_their_own() {
    let mut fabric = fabric(3, 3, 2);
    let row = fabric.communicator(&[3, 4, 5], &Shape::Linear).unwrap();
    let column = fabric.communicator(&[1, 4, 7], &Shape::Linear).unwrap();
    assert_eq!((row.context(), column.context()), (0, 1));
    fill(&mut fabric, 0x100);
    for _ in 0..3 {
        let sum = Operation::IntegerSum;
        let mut across = row
            .allreduce(&mut fabric, 0x100, 0x200, 2, sum)
            .unwrap()
            .start()
            .unwrap();
        let mut along = column
            .allreduce(&mut fabric, 0x100, 0x300, 2, sum)
            .unwrap()
            .start()
            .unwrap();
        along.wait(&mut fabric, LIMIT).unwrap();
        across.wait(&mut fabric, LIMIT).unwrap();
    }
    for (tiles, address, sums) in [([3, 4, 5], 0x200, [15, 120]), ([1, 4, 7], 0x300, [15, 120])] {
        for tile in tiles {
            assert_eq!(fabric.read(tile, address, 2).unwrap(), sums);
        }
    }
    let third = fabric.communicator(&[4, 0], &Shape::Linear).unwrap_err();
    assert_eq!(
        third.to_string(),
        "no context is free at all tiles of the group: of 2, 2 are in use by communicators that are not freed, and 0 are \
         closed, since a call in them failed: recover their communicators"
    );
}

#[test]
fn four_calls_are_under_way_and_a_fifth_waits() {
    let mut fabric = fabric(2, 1, 1);
    let both = fabric.world(&Shape::Linear).unwrap();
    for tile in 0..2 {
        fabric.write(tile, 0x100, &[1, 10, 100, 1000, 10_000]).unwrap();
    }
    let start = |fabric: &mut Fabric<_>, at: u32| {
        let call = both.allreduce(fabric, 0x100 + 4 * at, 0x200 + 4 * at, 1, Operation::IntegerSum);
        call.unwrap().start()
    };
    // The driver is one call ahead of the engines, so that nothing ends before they have had that call.
    fabric.groups.get_mut(&both.group).unwrap().skip(1);
    fabric.set_timeout(5_000);
    let mut tickets: Vec<CallTicket> = (0..4).map(|at| start(&mut fabric, at).unwrap()).collect();
    assert_eq!(tickets[3].poll(&mut fabric), Ok(false));
    let late = tickets[1].wait(&mut fabric, 1_000).unwrap_err();
    assert_eq!(late.to_string(), "allreduce of node 0 not done within 1000 cycles");
    let fifth = start(&mut fabric, 4).unwrap_err();
    assert_eq!(
        fifth.to_string(),
        "the oldest of four calls of node 0 not done within 5000 cycles"
    );
    intrude(&mut fabric, 0, barrier(0, None));
    intrude(&mut fabric, 1, barrier(0, Some(0)));
    tickets.push(start(&mut fabric, 4).unwrap());
    for ticket in tickets.iter_mut().rev() {
        ticket.wait(&mut fabric, LIMIT).unwrap();
        ticket.wait(&mut fabric, LIMIT).unwrap();
    }
    assert_eq!(read(&mut fabric, 0x200, 5), vec![vec![2, 20, 200, 2000, 20_000]; 2]);
}

#[test]
fn what_comes_too_early_is_posted_again_at_that_member_alone() {
    let mut fabric = fabric(2, 1, 1);
    let both = fabric.world(&Shape::Linear).unwrap();
    fabric.groups.get_mut(&both.group).unwrap().skip(5);
    // Tile 0 is full: a call runs and four wait. Tile 1 lacks these.
    (0..5).for_each(|number| intrude(&mut fabric, 0, barrier(number, None)));
    let mut ticket = both.barrier(&mut fabric).unwrap().start().unwrap();
    assert_eq!(
        (ticket.poll(&mut fabric), ticket.poll(&mut fabric)),
        (Ok(false), Ok(false))
    );
    (0..5).for_each(|number| intrude(&mut fabric, 1, barrier(number, Some(0))));
    ticket.wait(&mut fabric, LIMIT).unwrap();
    both.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
}

#[test]
fn a_call_that_fails_retires_its_communicator_until_it_is_recovered() {
    let mut fabric = fabric(3, 1, 1);
    let pair = fabric.communicator(&[0, 2], &Shape::Linear).unwrap();
    // Rank 1, the root, has been told of another length.
    intrude(&mut fabric, 2, broadcast_of_three(0));
    let mut failing = pair.broadcast(&mut fabric, 1, 0x100, 8).unwrap().start().unwrap();
    let mut behind = pair.barrier(&mut fabric).unwrap().start().unwrap();
    let expected = Error::CommunicatorFailed {
        what: "broadcast",
        tile: 0,
        code: ErrorCode::Mismatch,
    };
    assert_eq!(failing.wait(&mut fabric, LIMIT), Err(expected.clone()));
    assert_eq!(behind.wait(&mut fabric, LIMIT), Err(expected.clone()));
    assert_eq!(failing.poll(&mut fabric), Err(expected.clone()));
    assert_eq!(pair.barrier(&mut fabric).unwrap_err(), expected);
    assert_eq!(
        expected.to_string(),
        "broadcast failed at tile 0: a neighbour is in another call; its communicator is out of use until it is recovered"
    );
    let retired = Error::NoContext {
        contexts: 1,
        in_use: 0,
        retired: 1,
    };
    assert_eq!(pair.dup(&mut fabric).unwrap_err(), retired);
    assert_eq!(fabric.world(&Shape::Linear).unwrap_err(), retired);
    let rest = fabric.communicator(&[1], &Shape::Linear).unwrap();
    rest.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    rest.free();

    // Calls that had failed stay failed; later ones are numbered from 0 on.
    fill(&mut fabric, 0x100);
    for _ in 0..3 {
        pair.recover(&mut fabric, LIMIT).unwrap();
        assert_eq!(failing.poll(&mut fabric), Err(expected.clone()));
        assert_eq!(behind.poll(&mut fabric), Err(expected.clone()));
        let sum = Operation::IntegerSum;
        for _ in 0..2 {
            let call = pair.allreduce(&mut fabric, 0x100, 0x200, 2, sum).unwrap();
            call.wait(LIMIT).unwrap();
        }
        let sums = read(&mut fabric, 0x200, 2);
        assert_eq!([&sums[0], &sums[2]], [&[4, 20], &[4, 20]]);
        (0..3).for_each(|tile| fabric.write(tile, 0x200, &[0, 0]).unwrap());
    }

    let mut succeeding = pair.barrier(&mut fabric).unwrap().start().unwrap();

    // A communicator that fails and is dropped gives its context back too: the next communicator recovers it.
    intrude(&mut fabric, 2, broadcast_of_three(3));
    let call = pair.broadcast(&mut fabric, 1, 0x100, 8).unwrap();
    assert!(matches!(call.wait(LIMIT), Err(Error::CommunicatorFailed { .. })));
    pair.free();
    let all = fabric.world(&Shape::Linear).unwrap();
    all.allreduce(&mut fabric, 0x100, 0x200, 2, Operation::IntegerSum)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    assert_eq!(read(&mut fabric, 0x200, 2), vec![vec![6, 30]; 3]);
    // Tickets of a communicator whose context belongs to another one tell what they told.
    assert_eq!(failing.poll(&mut fabric), Err(expected.clone()));
    assert_eq!(behind.wait(&mut fabric, LIMIT), Err(expected));
    assert_eq!(succeeding.poll(&mut fabric), Ok(true));
}

#[test]
fn a_member_that_would_wait_for_ever_is_closed_when_another_fails() {
    let mut fabric = fabric(3, 1, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    // Tile 1 finds another call at the root, tile 2; tile 0 would wait for tile 1.
    intrude(&mut fabric, 2, broadcast_of_three(1));
    let failed = all.broadcast(&mut fabric, 2, 0x100, 8).unwrap().wait(LIMIT);
    assert!(
        matches!(
            failed,
            Err(Error::CommunicatorFailed {
                tile: 1,
                code: ErrorCode::Mismatch,
                ..
            })
        ),
        "{failed:?}"
    );
    for tile in 0..3 {
        let status = fabric.peek(tile, MpeRegister::Status, 0).unwrap();
        let [is_running, is_closed] = [MPE_RUNNING_OFFSET, MPE_CLOSED_OFFSET].map(|at| status >> at & 1 == 1);
        assert!(is_closed && !is_running, "tile {tile}: {status:#x}");
    }
}

#[test]
fn calls_under_way_are_closed_and_so_are_those_of_an_earlier_program() {
    let mut fabric = fabric(3, 1, 1);
    let all = fabric.world(&Shape::Linear).unwrap();
    // The engines are told of a call at one member alone; three more of the communicator wait behind it.
    intrude(&mut fabric, 0, barrier(0, None));
    fabric.groups.get_mut(&all.group).unwrap().skip(1);
    let mut tickets: Vec<CallTicket> = (0..3)
        .map(|_| all.barrier(&mut fabric).unwrap().start().unwrap())
        .collect();
    assert_eq!(tickets[0].poll(&mut fabric), Ok(false));
    all.recover(&mut fabric, LIMIT).unwrap();
    for ticket in &mut tickets {
        let failed = ticket.poll(&mut fabric).unwrap_err();
        let Error::CommunicatorFailed { what, code, .. } = failed else {
            panic!("{failed}")
        };
        assert_eq!((what, code), ("barrier", ErrorCode::Closed));
    }
    all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();

    // A program that ends leaves a call behind, and another context closed. The next one knows nothing of them.
    intrude(&mut fabric, 1, barrier(1, Some(0)));
    fabric.poke(2, MpeRegister::Control, 0, &[1]).unwrap();
    let left_behind = fabric.transport().clone();
    let mut fabric = Fabric::open(left_behind.clone()).unwrap();
    fabric.set_timeout(3_000);
    // Tile 2 is closed: tiles that its list joins with it are recovered with it.
    let alone = fabric.communicator(&[2], &Shape::Linear).unwrap();
    alone.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    let pair = fabric.communicator(&[0, 1], &Shape::Linear).unwrap();
    pair.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();

    // The call at tile 1 has as long as an access to end. Then it is recovered, and the tiles that its list joins with it.
    let mut fabric = Fabric::open(left_behind).unwrap();
    fabric.set_timeout(3_000);
    fill(&mut fabric, 0x100);
    let begun = fabric.transport().cycles();
    let pair = fabric.communicator(&[0, 1], &Shape::Linear).unwrap();
    assert!(fabric.transport().cycles() - begun >= 3_000);
    let sum = Operation::IntegerSum;
    let call = pair.allreduce(&mut fabric, 0x100, 0x200, 2, sum).unwrap();
    call.wait(LIMIT).unwrap();
    assert_eq!(read(&mut fabric, 0x200, 2)[..2], [[3, 10], [3, 10]]);
    let status = fabric.context_status(2, 0).unwrap();
    assert!(status.is_idle && !status.is_closed);
    intrude(&mut fabric, 1, barrier(1, Some(0)));
    fabric.recover_context(1, 0, LIMIT).unwrap();
    pair.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    assert!(matches!(
        fabric.recover_context(0, 1, LIMIT),
        Err(Error::OutOfRange {
            field: "context",
            value: 1,
            min: 0,
            max: 0
        })
    ));
    assert!(matches!(
        fabric.recover_context(9, 0, LIMIT),
        Err(Error::NoSuchNode { .. })
    ));
    assert!(matches!(
        fabric.recover_context(3, 0, LIMIT),
        Err(Error::NotBuilt { .. })
    ));
}

#[test]
fn contexts_are_given_back_and_numbers_go_on() {
    let mut fabric = fabric(3, 1, 1);
    let sum = Operation::IntegerSum;
    fill(&mut fabric, 0x100);
    for round in 0..3 {
        let pair = fabric.communicator(&[0, 1], &Shape::Linear).unwrap();
        assert!(matches!(pair.dup(&mut fabric), Err(Error::NoContext { in_use: 1, .. })));
        let call = pair.allreduce(&mut fabric, 0x100, 0x200, 2, sum).unwrap();
        let mut ticket = call.start().unwrap();
        pair.barrier(&mut fabric).unwrap().start().map(drop).unwrap();
        // The context is handed on when the calls have ended, and the ticket knows of that too.
        pair.free();
        // Tile 2 has had fewer calls than the others in this context.
        let all = fabric.communicator(&[2, 0, 1], &Shape::Linear).unwrap();
        assert_eq!((all.context(), ticket.poll(&mut fabric)), (0, Ok(true)));
        assert_eq!(read(&mut fabric, 0x200, 2)[..2], [[3, 10], [3, 10]]);
        all.reduce(&mut fabric, 0, 0x100, 0x300, 2, sum)
            .unwrap()
            .wait(LIMIT)
            .unwrap();
        assert_eq!(fabric.read(2, 0x300, 2).unwrap(), [6, 30], "round {round}");
        fabric.write(2, 0x300, &[0, 0]).unwrap();
    }
    nothing_was_refused(&mut fabric);
}

#[test]
fn a_context_that_does_not_become_idle_is_not_waited_for_for_ever() {
    let mut fabric = fabric(2, 1, 1);
    let both = fabric.world(&Shape::Linear).unwrap();
    fabric.groups.get_mut(&both.group).unwrap().skip(1);
    both.barrier(&mut fabric).unwrap().start().map(drop).unwrap();
    both.free();
    fabric.set_timeout(3_000);
    assert_eq!(
        fabric.world(&Shape::Linear).unwrap_err().to_string(),
        "calls of another communicator of node 0 not done within 3000 cycles"
    );
    intrude(&mut fabric, 0, barrier(0, None));
    intrude(&mut fabric, 1, barrier(0, Some(0)));
    fabric.world(&Shape::Linear).unwrap();
}

#[test]
fn numbers_wrap() {
    let mut fabric = fabric(2, 1, 1);
    let both = fabric.world(&Shape::Linear).unwrap();
    for round in 0..260 {
        fabric.write(0, 0x100, &[round]).unwrap();
        both.broadcast(&mut fabric, 0, 0x100, 1).unwrap().wait(LIMIT).unwrap();
        assert_eq!(fabric.read(1, 0x100, 1).unwrap(), [round]);
    }
}

#[test]
fn too_many_neighbours_and_wrong_groups_are_refused_before_anything_is_sent() {
    let mut three = fabric(3, 3, 1);
    let before = three.transport().clone();
    let told =
        |fabric: &mut Fabric<_>, tiles: &[usize], shape| fabric.communicator(tiles, &shape).unwrap_err().to_string();
    assert_eq!(
        three.world(&Shape::Kary(8)).unwrap_err().to_string(),
        "tile 0 needs 8 neighbours in this tree: the engine has room for 7"
    );
    assert_eq!(
        told(&mut three, &[], Shape::Star),
        "a group has no members: allowed is 1 or more"
    );
    assert_eq!(
        told(&mut three, &[0, 9], Shape::Star),
        "member 9 is not a tile: allowed is 0..=8"
    );
    assert_eq!(told(&mut three, &[4, 4], Shape::Star), "tile 4 is in the group twice");
    let own = Shape::Own(vec![(0, 1)]);
    assert_eq!(told(&mut three, &[4, 5, 6], own), "rank 2 is not joined with rank 0");
    assert_eq!(three.transport().cycles(), before.cycles());
    // The context is still free.
    three.world(&Shape::Kary(4)).unwrap();

    let mut none = fabric(2, 1, 0);
    let before = none.transport().cycles();
    assert_eq!(
        none.world(&Shape::Linear).unwrap_err().to_string(),
        "node 0 is built without a message-passing engine: set the key mpe"
    );
    assert_eq!(none.transport().cycles(), before);
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_sent() {
    let mut fabric = fabric(2, 1, 2);
    let both = fabric.world(&Shape::Linear).unwrap();
    let size = fabric.memory_bytes(1).unwrap();
    let before = fabric.transport().cycles();
    let sum = Operation::IntegerSum;
    let broadcast = |fabric: &mut Fabric<_>, root, address: Addresses, words| {
        both.broadcast(fabric, root, address, words).unwrap_err().to_string()
    };
    let same = Addresses::Same;
    assert_eq!(
        broadcast(&mut fabric, 2, same(0), 1),
        "root = 2 is not allowed: allowed is 0..=1"
    );
    assert_eq!(
        broadcast(&mut fabric, 0, same(0x102), 1),
        "address = 0x102 must be a multiple of 4 bytes"
    );
    assert_eq!(
        broadcast(&mut fabric, 0, [0].into(), 1),
        "addresses = 1 is not allowed: allowed is 2..=2"
    );
    assert_eq!(
        broadcast(&mut fabric, 0, [0, size - 4].into(), 2),
        format!(
            "bytes {:#x}..{:#x} of node 1, whose memory has {size:#x} bytes",
            size - 4,
            size + 4
        )
    );
    assert!(broadcast(&mut fabric, 0, same(0), u32::MAX).starts_with("bytes 0x0..0x3fffffffc of node 0"));
    let reduce = |fabric: &mut Fabric<_>, root, result| {
        both.reduce(fabric, root, 0x100, result, 8, sum)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        reduce(&mut fabric, 7, 0x100),
        "root = 7 is not allowed: allowed is 0..=1"
    );
    assert_eq!(
        reduce(&mut fabric, 1, 0x203),
        "result = 0x203 must be a multiple of 4 bytes"
    );
    assert_eq!(
        reduce(&mut fabric, 1, 0x11c),
        "source = 0x100 and result = 0x11c overlap in 8 words: allowed is the same address, or no overlap"
    );
    let allreduce = |fabric: &mut Fabric<_>, source: Addresses, result: Addresses| {
        both.allreduce(fabric, source, result, 8, sum).unwrap_err().to_string()
    };
    assert_eq!(
        allreduce(&mut fabric, vec![].into(), same(0)),
        "source addresses = 0 is not allowed: allowed is 2..=2"
    );
    assert_eq!(
        allreduce(&mut fabric, same(0), [0, 0, 0].into()),
        "result addresses = 3 is not allowed: allowed is 2..=2"
    );
    assert_eq!(
        allreduce(&mut fabric, [0x100, 0x101].into(), same(0)),
        "source = 0x101 must be a multiple of 4 bytes"
    );
    assert!(allreduce(&mut fabric, same(size - 32), same(size - 28)).starts_with("bytes"));
    assert!(allreduce(&mut fabric, [0x100, 0x100].into(), [0x100, 0xe4].into()).contains("overlap"));
    assert_eq!(fabric.transport().cycles(), before);

    let mut other = self::fabric(2, 1, 1);
    other.world(&Shape::Linear).unwrap();
    let strange = both.barrier(&mut other).unwrap_err();
    assert_eq!(strange.to_string(), "the communicator belongs to another fabric");
    assert_eq!(both.timeout(&mut other, 1), Err(Error::WrongCommunicator));
    assert_eq!(
        both.allreduce(&mut other, 0, 64, 1, sum).unwrap_err(),
        Error::WrongCommunicator
    );
    // Nothing of all this has taken a number.
    both.allreduce(&mut fabric, 0x100, 0x100, 8, sum)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
}

#[test]
fn a_member_without_an_event_left_gets_no_call() {
    let mut fabric = fabric(2, 1, 1);
    let both = fabric.world(&Shape::Linear).unwrap();
    let mut taken = Vec::new();
    while let Ok(event) = fabric.event(1) {
        taken.push(event);
    }
    let none = both.barrier(&mut fabric).unwrap().start().unwrap_err();
    assert!(none.to_string().starts_with("node 1 cannot allocate 1 event"), "{none}");
    assert_eq!(fabric.peek(0, MpeRegister::Status, both.context()), Ok(1));
    taken.pop().unwrap().release(&mut fabric).unwrap();
    for _ in 0..6 {
        both.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    }
}

#[test]
fn a_duplicate_is_another_communicator_of_the_same_members() {
    let mut fabric = fabric(2, 2, 2);
    let one = fabric.communicator(&[2, 0, 3], &Shape::Star).unwrap();
    one.timeout(&mut fabric, one.least_timeout()).unwrap();
    let two = one.dup(&mut fabric).unwrap();
    assert_eq!((two.tiles(), two.tree()), (one.tiles(), one.tree()));
    assert_eq!((one.context(), two.context()), (0, 1));
    one.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    two.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    nothing_was_refused(&mut fabric);
}

/// Few accesses set it up, so that each of them can fail.
fn three_in_a_row() -> Config {
    Config {
        cols: 3,
        rows: 1,
        edge_nodes: 1,
        mpe: 1,
        ..Config::default()
    }
}

#[test]
fn a_call_that_an_error_has_cut_short_is_posted_where_it_is_missing() {
    let config = three_in_a_row();
    let mut failed = 0;
    for left in 0.. {
        let mut fabric = Fabric::open(Failing::new(&config)).unwrap();
        let all = fabric.world(&Shape::Linear).unwrap();
        fabric.transport().left = Some(left);
        let first = all.barrier(&mut fabric).unwrap().start();
        let has_failed = fabric.transport().left.take().is_none();
        assert_eq!(first.is_err(), has_failed, "access {left}");
        for _ in 0..5 {
            all.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
        }
        assert_eq!(fabric.peek(2, MpeRegister::Status, 0), Ok(1 | 6 << 6), "access {left}");
        failed += usize::from(has_failed);
        if !has_failed {
            break;
        }
    }
    assert!(failed > 10, "{failed}");
}

/// More members than calls that wait, results apart from the sources and in their place.
#[test]
fn blocks_are_folded_to_their_members_and_gathered_at_all() {
    for (cols, rows, shape) in [(1, 1, Shape::Linear), (3, 1, Shape::Star), (3, 3, Shape::Centre)] {
        let mut fabric = fabric(cols, rows, 2);
        let size = cols * rows;
        let tiles: Vec<usize> = (0..size).rev().collect();
        let group = fabric.communicator(&tiles, &shape).unwrap();
        let (source, result, words) = (0x400, 0x800, 3);
        let word = |tile: usize, at: usize| (100 * tile + at) as u32;
        let sum = |at: usize| (0..size).map(|tile| word(tile, at)).sum::<u32>();
        for in_place in [false, true] {
            for tile in 0..size {
                let own: Vec<u32> = (0..words * size).map(|at| word(tile, at)).collect();
                fabric.write(tile, source, &own).unwrap();
            }
            let own = |rank: usize| source + 4 * (words * rank) as u32;
            let results: Vec<u32> = (0..size)
                .map(|rank| if in_place { own(rank) } else { result })
                .collect();
            let folded = group.reduce_scatter(
                &mut fabric,
                source,
                results.clone(),
                words as u32,
                Operation::IntegerSum,
            );
            folded.unwrap().wait(LIMIT).unwrap();
            for (rank, &tile) in tiles.iter().enumerate() {
                let block: Vec<u32> = (0..words).map(|at| sum(words * rank + at)).collect();
                assert_eq!(
                    fabric.read(tile, results[rank], words).unwrap(),
                    block,
                    "{shape:?}, rank {rank}"
                );
            }
        }
        // The blocks lie in their place: gathered, they are the sums of all.
        let mut gathered = group
            .allgather(&mut fabric, source, words as u32)
            .unwrap()
            .start()
            .unwrap();
        gathered.wait(&mut fabric, LIMIT).unwrap();
        let sums: Vec<u32> = (0..words * size).map(sum).collect();
        for tile in 0..size {
            assert_eq!(
                fabric.read(tile, source, words * size).unwrap(),
                sums,
                "{shape:?}, tile {tile}"
            );
        }
        nothing_was_refused(&mut fabric);
    }
}

#[test]
fn a_result_in_another_block_of_the_source_is_refused() {
    let mut fabric = fabric(2, 1, 1);
    let pair = fabric.world(&Shape::Linear).unwrap();
    let sum = Operation::IntegerSum;
    let refused = pair
        .reduce_scatter(&mut fabric, 0x100, [0x108, 0x108], 2, sum)
        .map(drop);
    let (node, address) = (0, 0x108);
    assert_eq!(refused, Err(Error::Overlap { node, address }));
    let refused = pair
        .reduce_scatter(&mut fabric, 0x100, [0x200, 0x10c], 2, sum)
        .map(drop);
    let (node, address) = (1, 0x10c);
    assert_eq!(refused, Err(Error::Overlap { node, address }));
    for words in [1 << 20, u32::MAX] {
        let refused = pair.reduce_scatter(&mut fabric, 0x100, 0x200, words, sum).map(drop);
        assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
        let refused = pair.allgather(&mut fabric, 0x100, words).map(drop);
        assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
    }
    // Nothing was posted: the next call has the next number.
    pair.reduce_scatter(&mut fabric, 0x100, 0x200, 0, sum)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    pair.reduce_scatter(&mut fabric, 0x100, [0x100, 0x108], 2, sum)
        .unwrap()
        .wait(LIMIT)
        .unwrap();
    nothing_was_refused(&mut fabric);
}
