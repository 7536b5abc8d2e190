use portico_golden::mpe::reduce::reduce;
use portico_spec::{fp::Format, mpe::call::Kind, ni::registers::MPE_NEXT_OFFSET};
use rand::{rngs::SmallRng, Rng, SeedableRng};

use super::{request::Work, *};
use crate::{
    collective::{Operation, Shape},
    registers::MpeRegister,
    testing::free_events,
    Config, Error, ErrorCode, Fabric, GoldenTransport, Region, Transport,
};

const LIMIT: u64 = 100_000;
/// Bytes of every tile that are allocated for data, from 0 on.
const DATA: u32 = 0x8000;
const SOURCE: u32 = 0x1000;
const RESULT: u32 = 0x4000;

/// A fabric of 4x3 tiles, each with `mpe` contexts in its message-passing engine.
fn fabric(mpe: usize) -> Fabric<GoldenTransport> {
    let config = Config {
        cols: 4,
        rows: 3,
        edge_nodes: 1,
        mpe,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    for tile in 0..12 {
        assert_eq!(fabric.allocate(tile, DATA).unwrap().base, 0);
        let words: Vec<u32> = (0..DATA as usize / 4).map(|place| word(tile, place)).collect();
        fabric.write(tile, 0, &words).unwrap();
    }
    fabric
}

/// As a floating-point number neither NaN nor infinite, and another one at every place of every tile.
fn word(tile: usize, place: usize) -> u32 {
    let mixed = (tile as u32 * 0x2000 + place as u32 + 1).wrapping_mul(0x9e37_79b1);
    mixed & 0xbfff_ffff
}

/// The words of a tile from an address on.
fn words(tile: usize, address: u32, count: usize) -> Vec<u32> {
    (0..count).map(|at| word(tile, address as usize / 4 + at)).collect()
}

/// Ways that this call has on a fabric with engines.
const FOLDS: [Way; 2] = [Way::Engines, Way::Host];
const COPIES: [Way; 2] = [Way::Engines, Way::Puts];

/// All tiles but one, in another order.
const TILES: [usize; 11] = [5, 0, 1, 2, 3, 7, 6, 4, 8, 9, 11];

fn nothing_is_left(mut fabric: Fabric<GoldenTransport>, mut comm: Comm) {
    comm.release(&mut fabric).unwrap();
    for tile in 0..12 {
        let (base, bytes) = (0, DATA);
        fabric
            .free(Region {
                node: tile,
                base,
                bytes,
            })
            .unwrap();
        let bytes = fabric.memory_bytes(tile).unwrap();
        let all = fabric.allocate(tile, bytes).unwrap();
        fabric.free(all).unwrap();
    }
    let mut again = fabric.mpi(&TILES, &Shape::Kary(10)).map(drop);
    if fabric.config().mpe > 0 {
        // The tree is too wide for the engines.
        assert!(matches!(again, Err(Error::Tree(_))), "{again:?}");
        again = fabric.mpi(&TILES, &Shape::Linear).map(drop);
    }
    assert_eq!(again, Ok(()));
}

#[test]
fn every_way_leaves_what_mpi_says() {
    let size = TILES.len();
    let mut fabric = fabric(1);
    let mut comm = fabric.mpi(&TILES, &Shape::Centre).unwrap();
    assert_eq!((comm.size(), comm.rank(7), comm.rank(10)), (11, Some(5), None));
    for (turn, way) in COPIES.into_iter().enumerate() {
        comm.force(Some(way));
        let address = SOURCE + 0x800 * turn as u32;
        let bcast = comm.bcast(&mut fabric, 4, address, 40).unwrap();
        assert_eq!(bcast.way(), way);
        bcast.run(&mut fabric, LIMIT).unwrap();
        for tile in TILES {
            assert_eq!(
                fabric.read(tile, address, 40).unwrap(),
                words(3, address, 40),
                "bcast by {}",
                way.name()
            );
        }
        let address = RESULT + 0x800 * turn as u32;
        let allgather = comm.allgather(&mut fabric, address, 3).unwrap();
        assert_eq!(allgather.way(), way);
        allgather.run(&mut fabric, LIMIT).unwrap();
        let gathered: Vec<u32> = TILES
            .iter()
            .zip(0..)
            .flat_map(|(&tile, rank)| words(tile, address + 12 * rank, 3))
            .collect();
        for tile in TILES {
            assert_eq!(
                fabric.read(tile, address, 3 * size).unwrap(),
                gathered,
                "allgather by {}",
                way.name()
            );
        }
    }
    comm.force(None);
    // The words of all calls lie apart, and the next ones come from where nothing was written.
    let source = 0x200;
    comm.scatter(&mut fabric, 2, source, RESULT, 2)
        .unwrap()
        .run(&mut fabric, LIMIT)
        .unwrap();
    for (tile, rank) in TILES.into_iter().zip(0..) {
        assert_eq!(fabric.read(tile, RESULT, 2).unwrap(), words(1, source + 8 * rank, 2));
    }
    comm.gather(&mut fabric, 9, source, RESULT + 64, 2)
        .unwrap()
        .run(&mut fabric, LIMIT)
        .unwrap();
    let gathered: Vec<u32> = TILES.iter().flat_map(|&tile| words(tile, source, 2)).collect();
    assert_eq!(fabric.read(9, RESULT + 64, 22).unwrap(), gathered);
    comm.alltoall(&mut fabric, source, 0x6000, 2)
        .unwrap()
        .run(&mut fabric, LIMIT)
        .unwrap();
    let lengths: Vec<Vec<u32>> = (0..size)
        .map(|from| (0..size).map(|to| ((from + to) % 3) as u32).collect())
        .collect();
    let before = |rank: usize, lengths: &dyn Fn(usize) -> u32| (0..rank).map(lengths).sum::<u32>();
    comm.alltoallv(&mut fabric, source, 0x7000, &lengths)
        .unwrap()
        .run(&mut fabric, LIMIT)
        .unwrap();
    for (to, tile) in TILES.into_iter().enumerate() {
        let sent = |from: usize| words(TILES[from], source + 8 * to as u32, 2);
        assert_eq!(
            fabric.read(tile, 0x6000, 22).unwrap(),
            (0..size).flat_map(sent).collect::<Vec<_>>()
        );
        let sent = |from: usize| {
            let first = source + 4 * before(to, &|other| lengths[from][other]);
            words(TILES[from], first, lengths[from][to] as usize)
        };
        let expected: Vec<u32> = (0..size).flat_map(sent).collect();
        assert_eq!(fabric.read(tile, 0x7000, expected.len()).unwrap(), expected);
    }
    nothing_is_left(fabric, comm);
}

/// The sum of floating-point numbers depends on the order, so this compares the orders.
#[test]
fn host_and_engines_fold_to_the_same_bits() {
    let size = TILES.len() as u32;
    for shape in [Shape::Linear, Shape::Binomial, Shape::Centre, Shape::Kary(2)] {
        let mut fabric = fabric(2);
        let mut comm = fabric.mpi(&TILES, &shape).unwrap();
        let mut found = vec![];
        for (turn, way) in FOLDS.into_iter().enumerate() {
            comm.force(Some(way));
            let result = RESULT + 0x1000 * turn as u32;
            for operation in [Operation::FloatSum, Operation::IntegerMax] {
                let mut of_way = vec![];
                for root in [0, 4, 10] {
                    let reduce = comm.reduce(&mut fabric, root, SOURCE, result, 33, operation).unwrap();
                    assert_eq!(reduce.way(), way);
                    reduce.run(&mut fabric, LIMIT).unwrap();
                    of_way.push(fabric.read(TILES[root], result, 33).unwrap());
                }
                comm.allreduce(&mut fabric, SOURCE, result, 20, operation)
                    .unwrap()
                    .run(&mut fabric, LIMIT)
                    .unwrap();
                comm.reduce_scatter(&mut fabric, SOURCE, result + 0x100, 2, operation)
                    .unwrap()
                    .run(&mut fabric, LIMIT)
                    .unwrap();
                for tile in TILES {
                    of_way.push(fabric.read(tile, result, 20).unwrap());
                    of_way.push(fabric.read(tile, result + 0x100, 2).unwrap());
                }
                found.push(of_way);
            }
            comm.barrier(&mut fabric).unwrap().run(&mut fabric, LIMIT).unwrap();
        }
        assert_eq!(found[0], found[2], "sums along {shape:?}");
        assert_eq!(found[1], found[3], "maxima along {shape:?}");
        // A fold that no order changes, for itself.
        let greatest = |at: usize| {
            TILES
                .iter()
                .map(|&tile| word(tile, SOURCE as usize / 4 + at) as i32)
                .max()
                .unwrap() as u32
        };
        assert_eq!(found[3][0], (0..33).map(greatest).collect::<Vec<_>>());
        let scattered = &found[3][4];
        assert_eq!(*scattered, [greatest(0), greatest(1)], "rank 0 of {size}");
        nothing_is_left(fabric, comm);
    }
}

#[test]
fn in_place_folds_read_before_they_write() {
    for mpe in [0, 1] {
        let mut fabric = fabric(mpe);
        let mut comm = fabric.mpi(&[0, 1, 2], &Shape::Linear).unwrap();
        comm.allreduce(&mut fabric, SOURCE, SOURCE, 4, Operation::Xor)
            .unwrap()
            .run(&mut fabric, LIMIT)
            .unwrap();
        let xor = |at: usize| (0..3).fold(0, |folded, tile| folded ^ word(tile, SOURCE as usize / 4 + at));
        for tile in 0..3 {
            assert_eq!(
                fabric.read(tile, SOURCE, 4).unwrap(),
                (0..4).map(xor).collect::<Vec<_>>()
            );
        }
        // Each member's block of its own source.
        let places: Vec<u32> = (0..3).map(|rank| 0x2000 + 8 * rank).collect();
        comm.reduce_scatter(&mut fabric, 0x2000, places.clone(), 2, Operation::IntegerSum)
            .unwrap()
            .run(&mut fabric, LIMIT)
            .unwrap();
        for (tile, place) in places.into_iter().enumerate() {
            let sum = |at: usize| {
                let words = (0..3).map(|from| word(from, place as usize / 4 + at));
                words.fold(0u64, |sum, word| {
                    reduce(Format::BINARY32, Operation::IntegerSum as u32, sum, word.into()).0
                }) as u32
            };
            assert_eq!(fabric.read(tile, place, 2).unwrap(), [sum(0), sum(1)]);
        }
        comm.release(&mut fabric).unwrap();
    }
}

#[test]
fn a_call_starts_again_with_the_words_of_then() {
    let mut fabric = fabric(1);
    let mut comm = fabric.mpi(&TILES, &Shape::Centre).unwrap();
    let mut requests = vec![];
    for way in COPIES {
        comm.force(Some(way));
        requests.push(comm.bcast(&mut fabric, 1, SOURCE, 2).unwrap());
    }
    for way in FOLDS {
        comm.force(Some(way));
        requests.push(
            comm.reduce(&mut fabric, 1, SOURCE, RESULT, 2, Operation::IntegerMax)
                .unwrap(),
        );
    }
    // More often than a context numbers its calls.
    for round in 0..300 {
        for (turn, request) in requests.iter_mut().enumerate() {
            let own = [round, 4 * round + turn as u32];
            fabric.write(TILES[1], SOURCE, &own).unwrap();
            if request.way() == Way::Engines {
                // A second start waits for the first one.
                request.start(&mut fabric).unwrap();
            }
            request.start(&mut fabric).unwrap();
            request.wait(&mut fabric, LIMIT).unwrap();
            assert!(request.poll(&mut fabric).unwrap());
            let (tile, address) = if turn < 2 { (11, SOURCE) } else { (TILES[1], RESULT) };
            assert_eq!(fabric.read(tile, address, 2).unwrap(), own, "round {round}");
        }
    }
    for mut request in requests {
        request.release(&mut fabric).unwrap();
    }
    nothing_is_left(fabric, comm);
}

#[test]
fn the_cheapest_way_is_taken_unless_another_is_forced() {
    let mut with = fabric(1);
    let mut comm = with.mpi(&TILES, &Shape::Linear).unwrap();
    type Prepare = fn(&Comm, &mut Fabric<GoldenTransport>) -> Result<Request, Error>;
    let ways = |fabric: &mut Fabric<GoldenTransport>, comm: &mut Comm, prepare: Prepare| {
        let mut estimates = vec![];
        for way in COPIES {
            comm.force(Some(way));
            let mut request = prepare(comm, fabric).unwrap();
            estimates.push((request.estimate(), request.way()));
            request.release(fabric).unwrap();
        }
        comm.force(None);
        let mut chosen = prepare(comm, fabric).unwrap();
        assert_eq!((chosen.estimate(), chosen.way()), *estimates.iter().min().unwrap());
        chosen.release(fabric).unwrap();
        chosen.way()
    };
    // Engines make a call a member of an allgather. They forward long messages while these still come.
    let allgather: Prepare = |comm, fabric| comm.allgather(fabric, RESULT, 16);
    assert_eq!(ways(&mut with, &mut comm, allgather), Way::Puts);
    let bcast: Prepare = |comm, fabric| comm.bcast(fabric, 0, SOURCE, 3000);
    assert_eq!(ways(&mut with, &mut comm, bcast), Way::Engines);
    let sum = |fabric: &mut Fabric<GoldenTransport>, comm: &Comm| {
        comm.allreduce(fabric, SOURCE, RESULT, 100, Operation::IntegerSum)
            .unwrap()
            .way()
    };
    assert_eq!(sum(&mut with, &comm), Way::Engines);
    let mut without = fabric(0);
    let bare = without.mpi(&TILES, &Shape::Linear).unwrap();
    assert_eq!(sum(&mut without, &bare), Way::Host);
    nothing_is_left(with, comm);
    nothing_is_left(without, bare);
}

#[test]
fn wrong_calls_are_refused_before_anything_is_sent() {
    let mut without = fabric(0);
    let mut bare = without.mpi(&TILES, &Shape::Linear).unwrap();
    let told = |refused: Result<Request, Error>| refused.unwrap_err().to_string();
    bare.force(Some(Way::Engines));
    let what = "node 5 is built without a message-passing engine: set the key mpe";
    assert_eq!(told(bare.bcast(&mut without, 0, SOURCE, 1)), what);
    assert_eq!(told(bare.barrier(&mut without)), what);
    bare.force(Some(Way::Puts));
    let refused = told(bare.reduce(&mut without, 0, SOURCE, RESULT, 1, Operation::And));
    assert_eq!(refused, "way = puts is not allowed for reduce: allowed is host");
    bare.force(Some(Way::Host));
    let refused = told(bare.alltoall(&mut without, SOURCE, RESULT, 1));
    assert_eq!(refused, "way = host is not allowed for alltoall: allowed is puts");
    bare.force(None);
    let sum = Operation::IntegerSum;
    let refused = told(bare.reduce(&mut without, 11, SOURCE, RESULT, 1, sum));
    assert_eq!(refused, "root = 11 is not allowed: allowed is 0..=10");
    let refused = told(bare.allreduce(&mut without, [0, 4].to_vec(), RESULT, 1, sum));
    assert_eq!(refused, "source addresses = 2 is not allowed: allowed is 11..=11");
    for (source, result) in [(SOURCE, SOURCE + 4), (SOURCE + 8, SOURCE)] {
        let refused = bare.allreduce(&mut without, source, result, 3, sum).unwrap_err();
        assert!(matches!(refused, Error::Overlap { node: 5, .. }), "{refused}");
    }
    // Rank 1 would read what it has written.
    let refused = bare.reduce_scatter(&mut without, SOURCE, SOURCE, 2, sum).unwrap_err();
    assert!(matches!(refused, Error::Overlap { node: 0, .. }), "{refused}");
    let refused = bare.reduce(&mut without, 3, 2, RESULT, 1, sum).unwrap_err();
    assert!(
        matches!(refused, Error::Misaligned { field: "source", .. }),
        "{refused}"
    );
    let refused = bare.reduce(&mut without, 3, 0, 0x0fff_fff0, 8, sum).unwrap_err();
    assert!(matches!(refused, Error::OutOfMemory { node: 2, .. }), "{refused}");
    let refused = bare.bcast(&mut without, 0, SOURCE, 1 << 30).unwrap_err();
    assert!(matches!(refused, Error::OutOfRange { field: "words", .. }), "{refused}");
    let refused = bare.allgather(&mut without, u32::MAX - 3, 1).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::OutOfRange {
                field: "address of a block",
                ..
            }
        ),
        "{refused}"
    );
    for tile in TILES {
        assert_eq!(
            without.read(tile, 0, DATA as usize / 4).unwrap(),
            words(tile, 0, DATA as usize / 4)
        );
    }
    nothing_is_left(without, bare);
}

#[test]
fn an_engine_that_fails_is_told() {
    let mut fabric = fabric(1);
    let mut comm = fabric.mpi(&TILES, &Shape::Linear).unwrap();
    comm.force(Some(Way::Engines));
    let mut bcast = comm.bcast(&mut fabric, 0, SOURCE, 8).unwrap();
    // Another length at one member.
    let Work::Engines(call, _) = &mut bcast.work else {
        panic!("engines carry it out")
    };
    call.prepared().change(6, |words| words[2] += 1);
    let refused = bcast.run(&mut fabric, LIMIT).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::CommunicatorFailed {
                code: ErrorCode::Mismatch,
                ..
            }
        ),
        "{refused}"
    );
    assert!(matches!(
        comm.barrier(&mut fabric),
        Err(Error::CommunicatorFailed { .. })
    ));
    // Nobody waits in an engine any more, so puts and the host, which need all earlier commands complete, still carry calls out.
    comm.force(Some(Way::Host));
    let reduce = comm.reduce(&mut fabric, 0, SOURCE, RESULT, 8, Operation::And).unwrap();
    reduce.run(&mut fabric, LIMIT).unwrap();
    let folded = fabric.read(TILES[0], RESULT, 8).unwrap();
    comm.force(Some(Way::Puts));
    comm.bcast(&mut fabric, 0, RESULT, 8)
        .unwrap()
        .run(&mut fabric, LIMIT)
        .unwrap();
    for tile in TILES {
        assert_eq!(fabric.read(tile, RESULT, 8).unwrap(), folded, "tile {tile}");
    }
    comm.force(Some(Way::Engines));
    comm.recover(&mut fabric, LIMIT).unwrap();
    let bcast = comm.bcast(&mut fabric, 0, RESULT, 8).unwrap();
    bcast.run(&mut fabric, LIMIT).unwrap();
    comm.release(&mut fabric).unwrap();
}

#[test]
fn a_group_without_room_takes_nothing() {
    let config = Config {
        cols: 5,
        rows: 4,
        edge_nodes: 1,
        segments: 16,
        mpe: 1,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    let all: Vec<usize> = (0..17).collect();
    let refused = fabric.mpi(&all, &Shape::Linear).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Exhausted {
                resource: "segment handle",
                ..
            }
        ),
        "{refused}"
    );
    // The only context is free again.
    fabric
        .mpi(&all[..16], &Shape::Linear)
        .unwrap()
        .release(&mut fabric)
        .unwrap();
}

#[test]
fn a_group_that_is_dropped_gives_its_handles_back() {
    let mut fabric = fabric(1);
    let taken = |fabric: &mut Fabric<GoldenTransport>| {
        fabric.release_dropped().unwrap();
        fabric
            .nodes
            .iter()
            .map(|node| node.segments.clone())
            .collect::<Vec<_>>()
    };
    let before = taken(&mut fabric);
    for _ in 0..100 {
        let comm = fabric.mpi(&TILES, &Shape::Linear).unwrap();
        comm.barrier(&mut fabric).unwrap().run(&mut fabric, LIMIT).unwrap();
    }
    assert_eq!(taken(&mut fabric), before);

    // A prepared call keeps the handles of its group.
    let comm = fabric.mpi(&TILES, &Shape::Linear).unwrap();
    let mut call = comm.gather(&mut fabric, 0, SOURCE, RESULT, 1).unwrap();
    drop(comm);
    assert_ne!(taken(&mut fabric), before);
    call.start(&mut fabric).unwrap();
    call.wait(&mut fabric, LIMIT).unwrap();
    call.release(&mut fabric).unwrap();
    drop(call);
    assert_eq!(taken(&mut fabric), before);
}

#[test]
fn what_is_released_or_of_another_fabric_is_not_started() {
    let mut own = fabric(1);
    let mut comm = own.mpi(&TILES, &Shape::Linear).unwrap();
    let mut requests = vec![comm.bcast(&mut own, 0, SOURCE, 1).unwrap()];
    for way in FOLDS {
        comm.force(Some(way));
        requests.push(comm.barrier(&mut own).unwrap());
    }
    // A smaller fabric, without these tiles.
    let config = Config {
        cols: 2,
        rows: 1,
        edge_nodes: 1,
        ..Config::default()
    };
    let mut other = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    for request in &mut requests[1..] {
        let refused = request.start(&mut other).unwrap_err();
        assert!(
            matches!(refused, Error::WrongCommunicator | Error::NoSuchNode { .. }),
            "{refused}"
        );
    }
    comm.release(&mut own).unwrap();
    // Another group has the context now.
    let next = own.mpi(&TILES, &Shape::Linear).unwrap();
    for mut request in requests {
        assert!(matches!(request.start(&mut own), Err(Error::Released { .. })));
        request.release(&mut own).unwrap();
    }
    for way in [None, Some(Way::Engines), Some(Way::Host)] {
        comm.force(way);
        assert_eq!(
            comm.barrier(&mut own).map(drop),
            Err(Error::Released { what: "barrier" })
        );
    }
    next.barrier(&mut own).unwrap().run(&mut own, LIMIT).unwrap();
    nothing_is_left(own, next);
}

#[test]
fn a_reduce_scatter_starts_again_and_may_be_polled() {
    let mut fabric = fabric(1);
    let mut comm = fabric.mpi(&TILES, &Shape::Centre).unwrap();
    for way in FOLDS {
        comm.force(Some(way));
        let mut nothing = comm
            .reduce_scatter(&mut fabric, SOURCE, RESULT, 0, Operation::Or)
            .unwrap();
        nothing.start(&mut fabric).unwrap();
        nothing.run(&mut fabric, LIMIT).unwrap();
        let mut request = comm
            .reduce_scatter(&mut fabric, SOURCE, RESULT, 1, Operation::IntegerSum)
            .unwrap();
        assert_eq!(request.way(), way);
        assert!(request.poll(&mut fabric).unwrap(), "it is not started");
        for round in 0..5 {
            for tile in TILES {
                let own: Vec<u32> = (0..11).map(|rank| 100 * rank + round).collect();
                fabric.write(tile, SOURCE, &own).unwrap();
                fabric.write(tile, RESULT, &[0]).unwrap();
            }
            request.start(&mut fabric).unwrap();
            while !request.poll(&mut fabric).unwrap() {}
            for (tile, rank) in TILES.into_iter().zip(0..) {
                assert_eq!(fabric.read(tile, RESULT, 1).unwrap(), [11 * (100 * rank + round)]);
            }
            // A start behind another one, and a wait for both.
            request.start(&mut fabric).unwrap();
            request.start(&mut fabric).unwrap();
            request.wait(&mut fabric, LIMIT).unwrap();
        }
        request.release(&mut fabric).unwrap();
    }
    nothing_is_left(fabric, comm);
}

#[test]
fn a_request_that_is_repeated_is_launched() {
    let mut fabric = fabric(1);
    let mut comm = fabric.mpi(&TILES, &Shape::Centre).unwrap();
    comm.force(Some(Way::Engines));
    let sum = Operation::IntegerSum;
    let mut request = comm.allreduce(&mut fabric, SOURCE, RESULT, 2, sum).unwrap();
    let events = free_events(&mut fabric);
    // More often than a context numbers its calls.
    for round in 0..300 {
        for tile in TILES {
            fabric.write(tile, SOURCE, &[round, tile as u32]).unwrap();
        }
        request.start(&mut fabric).unwrap();
        // An event of each member is held once the call is armed, and a call that is posted takes another one.
        let held = free_events(&mut fabric);
        let taken: usize = events.iter().zip(held).map(|(events, held)| events - held).sum();
        assert_eq!(taken, TILES.len(), "round {round}");
        request.wait(&mut fabric, LIMIT).unwrap();
        let sums = [11 * round, TILES.iter().sum::<usize>() as u32];
        for tile in TILES {
            assert_eq!(fabric.read(tile, RESULT, 2).unwrap(), sums, "round {round}");
        }
    }
    // The host folds behind a launch, whose result it reads.
    request.start(&mut fabric).unwrap();
    comm.force(Some(Way::Host));
    let max = comm.reduce(&mut fabric, 3, RESULT, SOURCE, 1, Operation::IntegerMax);
    max.unwrap().run(&mut fabric, LIMIT).unwrap();
    assert_eq!(fabric.read(TILES[3], SOURCE, 1).unwrap(), [11 * 299]);
    request.release(&mut fabric).unwrap();
    nothing_is_left(fabric, comm);
}

#[test]
fn a_request_that_fails_at_a_member_is_told_and_starts_again_after_the_recovery() {
    let mut fabric = fabric(1);
    let mut comm = fabric.mpi(&TILES, &Shape::Linear).unwrap();
    comm.force(Some(Way::Engines));
    let and = Operation::And;
    let mut requests = vec![
        comm.bcast(&mut fabric, 0, SOURCE, 8).unwrap(),
        comm.reduce_scatter(&mut fabric, SOURCE, RESULT, 1, and).unwrap(),
    ];
    let context = comm.engines().unwrap().context();
    let events = free_events(&mut fabric);
    for request in &mut requests {
        for _ in 0..5 {
            request.start(&mut fabric).unwrap();
            request.wait(&mut fabric, LIMIT).unwrap();
        }
        // A member at an end is closed before it hears of the launch.
        fabric.poke(TILES[0], MpeRegister::Control, context, &[1]).unwrap();
        request.start(&mut fabric).unwrap();
        assert!(!request.poll(&mut fabric).unwrap());
        let failed = request.wait(&mut fabric, 2_000).unwrap_err();
        assert!(
            matches!(failed, Error::CommunicatorFailed { tile, .. } if tile == TILES[0]),
            "{failed}"
        );
        let refused = request.start(&mut fabric).unwrap_err();
        assert!(matches!(refused, Error::CommunicatorFailed { .. }), "{refused}");
        comm.recover(&mut fabric, LIMIT).unwrap();
        assert_eq!(free_events(&mut fabric), events);
        for _ in 0..3 {
            request.start(&mut fabric).unwrap();
            request.wait(&mut fabric, LIMIT).unwrap();
        }
    }
    for mut request in requests {
        request.release(&mut fabric).unwrap();
    }
    nothing_is_left(fabric, comm);
}

/// A group whose members have two contexts, joined by this shape, and its chain.
fn with_chain(shape: &Shape) -> (Fabric<GoldenTransport>, Comm) {
    let mut fabric = fabric(2);
    let mut comm = fabric.mpi(&TILES, shape).unwrap();
    comm.force(Some(Way::Engines));
    assert_eq!(comm.shapes(&fabric), [shape.clone(), Shape::Linear]);
    (fabric, comm)
}

fn sum_of(comm: &Comm, fabric: &mut Fabric<GoldenTransport>, words: u32) -> Request {
    let sum = Operation::IntegerSum;
    comm.allreduce(fabric, SOURCE, RESULT, words, sum).unwrap()
}

/// Checks the result of [`sum_of`] at all members.
fn assert_sum(fabric: &mut Fabric<GoldenTransport>, count: usize) {
    let sources = TILES.map(|tile| fabric.read(tile, SOURCE, count).unwrap());
    let sums = (0..count).map(|at| sources.iter().fold(0u32, |sum, words| sum.wrapping_add(words[at])));
    let sums: Vec<u32> = sums.collect();
    for tile in TILES {
        assert_eq!(fabric.read(tile, RESULT, count).unwrap(), sums, "tile {tile}");
    }
}

#[test]
fn a_long_vector_takes_the_chain_and_a_short_one_the_tree() {
    let (mut fabric, mut comm) = with_chain(&Shape::Quad);
    for (words, shape) in [(1, Shape::Quad), (1000, Shape::Linear)] {
        // Rank 0 is the middle of both shapes, so a reduce of 1 word to it takes as long along either. The root is rank 1.
        let reduce = comm.reduce(&mut fabric, 1, SOURCE, RESULT, words, Operation::Or);
        let requests = [
            comm.bcast(&mut fabric, 4, SOURCE, words).unwrap(),
            reduce.unwrap(),
            sum_of(&comm, &mut fabric, words),
        ];
        for mut request in requests {
            assert_eq!(request.shape(), Some(&shape), "{} of {words} words", request.what);
            request.release(&mut fabric).unwrap();
        }
        let other = [Shape::Linear, Shape::Quad].into_iter().find(|other| *other != shape);
        let taken = sum_of(&comm, &mut fabric, words).estimate();
        comm.force_shape(other.clone());
        let request = sum_of(&comm, &mut fabric, words);
        assert_eq!(request.shape(), other.as_ref());
        assert!(request.estimate() > taken, "{} and {taken}", request.estimate());
        request.run(&mut fabric, LIMIT).unwrap();
        assert_sum(&mut fabric, words as usize);
        comm.force_shape(None);
    }
    assert_eq!(comm.barrier(&mut fabric).unwrap().shape(), Some(&Shape::Quad));
    let scatter = comm.reduce_scatter(&mut fabric, SOURCE, RESULT, 90, Operation::Or);
    let mut scatter = scatter.unwrap();
    assert_eq!(scatter.shape(), Some(&Shape::Linear));
    scatter.release(&mut fabric).unwrap();
    comm.force(Some(Way::Puts));
    let mut puts = comm.bcast(&mut fabric, 4, SOURCE, 1).unwrap();
    assert_eq!(puts.shape(), None);
    puts.release(&mut fabric).unwrap();
    nothing_is_left(fabric, comm);
}

#[test]
fn a_long_allreduce_has_its_root_where_no_member_serves_two() {
    let mut fabric = fabric(1);
    let all: Vec<usize> = (0..12).collect();
    let mut comm = fabric.mpi(&all, &Shape::Linear).unwrap();
    comm.force(Some(Way::Host));
    // The middle of the chain, and its end.
    for (words, root) in [(1, 5), (1000, 0)] {
        let request = sum_of(&comm, &mut fabric, words);
        let Work::Host(work) = &request.work else {
            panic!("the host carries it out")
        };
        assert_eq!(work.folds[0].root, root, "{words} words");
    }
    comm.release(&mut fabric).unwrap();
}

#[test]
fn a_group_has_one_tree_without_a_second_context_or_another_chain() {
    let mut one = fabric(1);
    let comm = one.mpi(&TILES, &Shape::Quad).unwrap();
    assert_eq!(comm.shapes(&one), [Shape::Quad]);
    nothing_is_left(one, comm);
    let mut none = fabric(0);
    let comm = none.mpi(&TILES, &Shape::Quad).unwrap();
    assert_eq!(comm.shapes(&none), [Shape::Quad]);
    let sum = sum_of(&comm, &mut none, 1000);
    assert_eq!((sum.way(), sum.shape()), (Way::Host, Some(&Shape::Quad)));
    nothing_is_left(none, comm);
    let mut two = fabric(2);
    let own: Vec<(usize, usize)> = vec![(2, 1), (1, 0)];
    for shape in [Shape::Linear, Shape::Centre, Shape::Own(own)] {
        // In a row these are the same chain.
        let comm = two.mpi(&[0, 1, 2], &shape).unwrap();
        assert_eq!(comm.shapes(&two), [shape]);
    }
    // The second context of one member is taken.
    let taken = [0, 1].map(|_| two.communicator(&[4], &Shape::Linear).unwrap());
    let other = two.communicator(&[0, 1], &Shape::Linear).unwrap();
    drop(taken);
    let comm = two.mpi(&TILES, &Shape::Quad).unwrap();
    assert_eq!(comm.shapes(&two), [Shape::Quad]);
    drop(other);
    nothing_is_left(two, comm);
}

/// A request, and what it does with words of the members' memories.
struct Move {
    kind: Kind,
    root: usize,
    /// Places of the first words.
    source: usize,
    result: usize,
    words: usize,
    request: Request,
}

impl Move {
    /// A request of this length between the two areas of the members.
    fn random(random: &mut SmallRng, comm: &Comm, fabric: &mut Fabric<GoldenTransport>, words: u32) -> Move {
        let (source, result) = [(SOURCE, RESULT), (RESULT, SOURCE)][random.gen_range(0..2)];
        let root = random.gen_range(0..TILES.len());
        let kind = [Kind::Broadcast, Kind::Reduce, Kind::Allreduce][random.gen_range(0..3)];
        let sum = Operation::IntegerSum;
        let request = match kind {
            Kind::Broadcast => comm.bcast(fabric, root, source, words),
            Kind::Reduce => comm.reduce(fabric, root, source, result, words, sum),
            _ => comm.allreduce(fabric, source, result, words, sum),
        };
        Move {
            kind,
            root,
            source: source as usize / 4,
            result: result as usize / 4,
            words: words as usize,
            request: request.unwrap(),
        }
    }

    /// Changes the words of all tiles as the call should.
    fn expect(&self, tiles: &mut [Vec<u32>]) {
        let root = TILES[self.root];
        for at in 0..self.words {
            let (source, result) = (self.source + at, self.result + at);
            let sum = TILES
                .iter()
                .fold(0, |sum: u32, &tile| sum.wrapping_add(tiles[tile][source]));
            match self.kind {
                Kind::Broadcast => {
                    let word = tiles[root][source];
                    TILES.iter().for_each(|&tile| tiles[tile][source] = word);
                }
                Kind::Reduce => tiles[root][result] = sum,
                _ => TILES.iter().for_each(|&tile| tiles[tile][result] = sum),
            }
        }
    }
}

/// Calls whose words depend on each other, short and long, started without a wait between them.
#[test]
fn calls_of_both_trees_are_one_sequence() {
    for seed in 1..=4 {
        println!("seed {seed}");
        let mut random = SmallRng::seed_from_u64(seed);
        let (mut fabric, mut comm) = with_chain(&Shape::Quad);
        let mut moves = vec![];
        for shape in [Shape::Quad, Shape::Linear] {
            comm.force_shape(Some(shape));
            for words in [1, 5, 100, 600] {
                moves.push(Move::random(&mut random, &comm, &mut fabric, words));
            }
        }
        let all = DATA as usize / 4;
        let mut tiles: Vec<_> = (0..12).map(|tile| fabric.read(tile, 0, all).unwrap()).collect();
        for _ in 0..60 {
            let next = random.gen_range(0..moves.len());
            // Up to five in a row, so that some are launched.
            for _ in 0..random.gen_range(1..=5) {
                moves[next].request.start(&mut fabric).unwrap();
                moves[next].expect(&mut tiles);
            }
        }
        for of in &mut moves {
            of.request.wait(&mut fabric, LIMIT).unwrap();
        }
        for (tile, words) in tiles.iter().enumerate() {
            assert_eq!(&fabric.read(tile, 0, all).unwrap(), words, "tile {tile}");
        }
        for of in &mut moves {
            of.request.release(&mut fabric).unwrap();
        }
        nothing_is_left(fabric, comm);
    }
}

/// A broadcast along the tree of this shape that does not end: its root waits for a neighbour, which waits for the root.
fn standing_still(comm: &mut Comm, fabric: &mut Fabric<GoldenTransport>, shape: &Shape) -> Request {
    comm.force_shape(Some(shape.clone()));
    let mut request = comm.bcast(fabric, 0, SOURCE, 1).unwrap();
    comm.force_shape(None);
    let Work::Engines(call, _) = &mut request.work else {
        panic!("engines carry it out")
    };
    let (root, towards) = (1 << 13, 7 << 10);
    call.prepared().change(0, |words| words[1] &= !(root | towards));
    request
}

#[test]
fn a_call_along_one_tree_waits_for_those_along_the_other() {
    let (mut fabric, mut comm) = with_chain(&Shape::Quad);
    for shape in [Shape::Quad, Shape::Linear] {
        let mut stands = standing_still(&mut comm, &mut fabric, &shape);
        let mut requests = [1, 1000].map(|words| (words, sum_of(&comm, &mut fabric, words as u32)));
        fabric.set_timeout(2_000);
        stands.start(&mut fabric).unwrap();
        let (_, other) = requests
            .iter_mut()
            .find(|(_, request)| request.shape() != Some(&shape))
            .expect("each takes a tree of its own");
        let waited = other.start(&mut fabric).unwrap_err();
        assert!(
            matches!(
                waited,
                Error::Timeout {
                    what: "earlier calls",
                    ..
                }
            ),
            "{waited}"
        );
        if shape == Shape::Linear {
            // Another communicator waits for its context, too.
            let waited = fabric.communicator(&[9], &Shape::Linear).unwrap_err();
            assert!(matches!(waited, Error::Timeout { .. }), "{waited}");
            assert_eq!(comm.shapes(&fabric), [Shape::Quad, Shape::Linear]);
        }
        fabric.set_timeout(LIMIT);
        comm.recover(&mut fabric, LIMIT).unwrap();
        for (words, request) in &mut requests {
            request.start(&mut fabric).unwrap();
            request.wait(&mut fabric, LIMIT).unwrap();
            assert_sum(&mut fabric, *words);
        }
    }
    nothing_is_left(fabric, comm);
}

#[test]
fn another_communicator_takes_the_context_of_the_chain() {
    let (mut fabric, mut comm) = with_chain(&Shape::Quad);
    let events = free_events(&mut fabric);
    let mut requests = [1, 1000].map(|words| (words, sum_of(&comm, &mut fabric, words as u32)));
    for (words, request) in &mut requests {
        // The last starts are launched, so that each tree has an armed call.
        for _ in 0..5 {
            request.start(&mut fabric).unwrap();
        }
        request.wait(&mut fabric, LIMIT).unwrap();
        assert_sum(&mut fabric, *words);
    }
    // It waits for the call that is under way.
    requests[1].1.start(&mut fabric).unwrap();
    let pair = fabric.communicator(&[9, 8], &Shape::Linear).unwrap();
    assert!(requests[1].1.poll(&mut fabric).unwrap());
    assert_eq!(comm.shapes(&fabric), [Shape::Quad]);
    let refused = fabric.communicator(&[8], &Shape::Linear).unwrap_err();
    let none = Error::NoContext {
        contexts: 2,
        in_use: 2,
        retired: 0,
    };
    assert_eq!(refused, none);
    for round in 0..8 {
        let (words, request) = &mut requests[round as usize % 2];
        fabric.write(7, SOURCE, &[round]).unwrap();
        request.start(&mut fabric).unwrap();
        request.wait(&mut fabric, LIMIT).unwrap();
        assert_eq!(request.shape(), Some(&Shape::Quad));
        assert_sum(&mut fabric, *words);
        pair.barrier(&mut fabric).unwrap().wait(LIMIT).unwrap();
    }
    comm.force_shape(Some(Shape::Linear));
    assert_eq!(sum_of(&comm, &mut fabric, 1000).shape(), Some(&Shape::Quad));
    drop(pair);
    comm.recover(&mut fabric, LIMIT).unwrap();
    assert_eq!(free_events(&mut fabric), events);
    for (_, mut request) in requests {
        request.release(&mut fabric).unwrap();
    }
    nothing_is_left(fabric, comm);
}

#[test]
fn a_failure_along_one_tree_holds_up_both_until_the_recovery() {
    let (mut fabric, comm) = with_chain(&Shape::Quad);
    for words in [1, 1000] {
        let mut wrong = sum_of(&comm, &mut fabric, words);
        let Work::Engines(call, _) = &mut wrong.work else {
            panic!("engines carry it out")
        };
        call.prepared().change(6, |words| words[2] += 1);
        let mut right = [1, 1000].map(|words| sum_of(&comm, &mut fabric, words));
        wrong.start(&mut fabric).unwrap();
        for request in &mut right {
            let refused = request
                .start(&mut fabric)
                .and_then(|()| request.wait(&mut fabric, LIMIT));
            assert!(matches!(refused, Err(Error::CommunicatorFailed { .. })), "{refused:?}");
        }
        let refused = comm.barrier(&mut fabric).unwrap_err();
        assert!(matches!(refused, Error::CommunicatorFailed { .. }), "{refused}");
        if words == 1000 {
            // The context of a chain that has failed is not taken, so that its calls tell of the failure.
            let refused = fabric.communicator(&[9], &Shape::Linear).unwrap_err();
            let retired = matches!(
                refused,
                Error::NoContext {
                    in_use: 1,
                    retired: 1,
                    ..
                }
            );
            assert!(retired, "{refused}");
        }
        let failed = wrong.wait(&mut fabric, LIMIT).unwrap_err();
        assert!(matches!(failed, Error::CommunicatorFailed { .. }), "{failed}");
        comm.recover(&mut fabric, LIMIT).unwrap();
        if words == 1000 {
            // The other tree is left as it is: its numbers go on.
            let context = comm.engines().unwrap().context();
            let status = fabric.peek(6, MpeRegister::Status, context).unwrap();
            assert_ne!((status >> MPE_NEXT_OFFSET) as u8, 0);
        }
        for (mut request, words) in right.into_iter().zip([1, 1000]) {
            request.start(&mut fabric).unwrap();
            request.wait(&mut fabric, LIMIT).unwrap();
            assert_sum(&mut fabric, words);
        }
    }
    nothing_is_left(fabric, comm);
}

/// A golden fabric has no time-outs, and their registers read 0: this compares the accesses.
#[test]
fn a_time_out_is_set_along_both_trees() {
    let (mut fabric, comm) = with_chain(&Shape::Quad);
    let least = comm.engines().unwrap().least_timeout();
    let setting = |fabric: &mut Fabric<GoldenTransport>| {
        let begun = fabric.transport().cycles();
        comm.timeout(fabric, least).unwrap();
        fabric.transport().cycles() - begun
    };
    let both = setting(&mut fabric);
    let pair = fabric.communicator(&[9, 8], &Shape::Linear).unwrap();
    let first = setting(&mut fabric);
    assert_eq!(both, 2 * first);
    let refused = comm.timeout(&mut fabric, least - 1).unwrap_err();
    assert!(matches!(refused, Error::ShortTimeout { .. }), "{refused}");
    drop(pair);
    nothing_is_left(fabric, comm);
}

#[test]
fn a_group_gives_both_contexts_back() {
    for is_released in [true, false] {
        let (mut fabric, mut comm) = with_chain(&Shape::Quad);
        for words in [1, 1000] {
            sum_of(&comm, &mut fabric, words).run(&mut fabric, LIMIT).unwrap();
        }
        if is_released {
            comm.release(&mut fabric).unwrap();
            assert_eq!(comm.shapes(&fabric), [Shape::Quad]);
        }
        drop(comm);
        let both = [0, 1].map(|_| fabric.communicator(&TILES, &Shape::Linear).unwrap().context());
        assert_eq!(both, [0, 0], "a communicator that is dropped gives its context back");
        let (one, other) = (
            fabric.communicator(&TILES, &Shape::Linear).unwrap(),
            fabric.communicator(&TILES, &Shape::Linear).unwrap(),
        );
        assert_eq!([one.context(), other.context()], [0, 1]);
    }
}

#[test]
fn each_tree_folds_to_the_same_bits_in_every_way() {
    let (mut fabric, mut comm) = with_chain(&Shape::Quad);
    let mut of_trees = vec![];
    for shape in [Shape::Quad, Shape::Linear] {
        comm.force_shape(Some(shape.clone()));
        let mut of_ways = vec![];
        for way in FOLDS {
            comm.force(Some(way));
            let mut found = vec![];
            for words in [2, 150] {
                let float = Operation::FloatSum;
                let allreduce = comm.allreduce(&mut fabric, SOURCE, RESULT, words, float).unwrap();
                assert_eq!((allreduce.way(), allreduce.shape()), (way, Some(&shape)));
                allreduce.run(&mut fabric, LIMIT).unwrap();
                let scatter = comm.reduce_scatter(&mut fabric, SOURCE, RESULT + 0x1000, words / 2, float);
                scatter.unwrap().run(&mut fabric, LIMIT).unwrap();
                for tile in TILES {
                    found.push(fabric.read(tile, RESULT, words as usize).unwrap());
                    found.push(fabric.read(tile, RESULT + 0x1000, words as usize / 2).unwrap());
                }
            }
            of_ways.push(found);
        }
        assert_eq!(of_ways[0], of_ways[1], "sums along {shape:?}");
        of_trees.extend(of_ways.pop());
    }
    assert_ne!(of_trees[0], of_trees[1], "the trees add in different orders");
    nothing_is_left(fabric, comm);
}

#[test]
fn a_barrier_of_the_host_counts_what_it_asks() {
    let (mut fabric, mut comm) = with_chain(&Shape::Quad);
    sum_of(&comm, &mut fabric, 1000).start(&mut fabric).unwrap();
    comm.force(Some(Way::Host));
    let barrier = comm.barrier(&mut fabric).unwrap();
    assert_eq!(barrier.estimate(), cost::host(1, TILES.len()));
    barrier.run(&mut fabric, LIMIT).unwrap();
    // The call before it has ended.
    assert_sum(&mut fabric, 1000);
    nothing_is_left(fabric, comm);
}
