use portico_spec::ni::{
    segment::{self, SegmentKind},
    window::SYSTEM_WINDOW,
};
use proptest::prelude::*;

use super::*;
use crate::{
    onesided::Geometry,
    registers::{CounterRegister, SegmentRegister},
    testing::Failing,
    Config, Error, ErrorCode, Fabric, GoldenTransport, Region, Transport, TransportError,
};

const LIMIT: u64 = 100_000;

/// Bytes of every tile that are allocated for blocks, from 0 on.
const BLOCKS: u32 = 0x8000;

fn fabric(cols: usize, rows: usize, width: usize) -> Fabric<GoldenTransport> {
    fabric_of(&Config {
        cols,
        rows,
        width,
        edge_nodes: 1,
        ..Config::default()
    })
}

fn fabric_of(config: &Config) -> Fabric<GoldenTransport> {
    let mut fabric = Fabric::open(GoldenTransport::new(config).unwrap()).unwrap();
    allocate(&mut fabric);
    fabric
}

fn allocate<T: Transport>(fabric: &mut Fabric<T>) {
    for tile in 0..fabric.config().tiles() {
        assert_eq!(fabric.allocate(tile, BLOCKS).unwrap().base, 0);
    }
}

/// A word that differs from the words of other places and tiles.
fn word(tile: usize, place: usize) -> u32 {
    (tile as u32 + 1) << 20 ^ (place as u32).wrapping_mul(0x9e37_79b1)
}

/// Fills the memories of all tiles, and gives a copy.
fn fill(fabric: &mut Fabric<GoldenTransport>) -> Vec<Vec<u32>> {
    (0..fabric.config().tiles())
        .map(|tile| {
            let words = fabric.memory_bytes(tile).unwrap() as usize / 4;
            let words: Vec<u32> = (0..words).map(|place| word(tile, place)).collect();
            fabric.write(tile, 0, &words).unwrap();
            words
        })
        .collect()
}

/// Copies blocks as the exchange should. Blocks do not overlap, so their order does not matter.
fn copy(memories: &mut [Vec<u32>], tiles: &[usize], blocks: &[Vec<Block>]) {
    for (rank, blocks) in blocks.iter().enumerate() {
        for block in blocks {
            let (from, to, words) = (
                block.source as usize / 4,
                block.result as usize / 4,
                block.bytes as usize / 4,
            );
            let moved = memories[tiles[rank]][from..from + words].to_vec();
            memories[tiles[block.to]][to..to + words].copy_from_slice(&moved);
        }
    }
}

/// Compares the blocks of all tiles.
fn compare(fabric: &mut Fabric<GoldenTransport>, memories: &[Vec<u32>]) {
    for (tile, memory) in memories.iter().enumerate() {
        let words = BLOCKS as usize / 4;
        let found = fabric.read(tile, 0, words).unwrap();
        let wrong = (0..words).find(|&at| found[at] != memory[at]);
        assert_eq!(wrong, None, "tile {tile}: a word differs");
    }
}

/// All memory of all tiles is free, all their events, windows and segments too, and no node has refused anything.
fn nothing_is_left(fabric: &mut Fabric<GoldenTransport>) {
    for tile in 0..fabric.config().tiles() {
        let blocks = Region {
            node: tile,
            base: 0,
            bytes: BLOCKS,
        };
        fabric.free(blocks).unwrap();
        let bytes = fabric.memory_bytes(tile).unwrap();
        let all = fabric.allocate(tile, bytes).unwrap();
        fabric.free(all).unwrap();
        let build = fabric.nodes[tile].build;
        let events: Vec<_> = (0..build.events).map(|_| fabric.event(tile).unwrap()).collect();
        events.into_iter().for_each(|event| event.release(fabric).unwrap());
        let handles: Vec<_> = (0..build.segments)
            .map(|_| fabric.clone_space(tile, tile).unwrap())
            .collect();
        handles.into_iter().for_each(|handle| handle.release(fabric).unwrap());
        assert_eq!(
            fabric.counters(tile).unwrap()[CounterRegister::Refused],
            0,
            "tile {tile}"
        );
    }
}

fn run(fabric: &mut Fabric<GoldenTransport>, exchange: &mut Exchange) {
    exchange.start(fabric).unwrap();
    exchange.wait(fabric, LIMIT).unwrap();
    assert!(exchange.poll(fabric).unwrap());
}

/// The block of a whole alltoall between ranks of a group.
fn alltoall_blocks(size: usize, source: u32, result: u32, bytes: u32) -> Vec<Vec<Block>> {
    let block = |from: usize, to: usize| Block {
        to,
        source: source + to as u32 * bytes,
        result: result + from as u32 * bytes,
        bytes,
    };
    (0..size)
        .map(|from| (0..size).map(|to| block(from, to)).collect())
        .collect()
}

#[test]
fn alltoall_moves_every_block_in_every_order_on_every_mesh() {
    // One member, one row, one column, more members than a queue has room for, and as many as need three pieces.
    for (cols, rows, width, bytes) in [
        (1, 1, 32, 8),
        (3, 1, 32, 4),
        (1, 4, 64, 24),
        (4, 4, 32, 20),
        (4, 4, 64, 8),
        (5, 4, 32, 12),
        (6, 5, 64, 16),
    ] {
        let mut fabric = fabric(cols, rows, width);
        let tiles: Vec<usize> = (0..cols * rows).rev().collect();
        let mut memories = fill(&mut fabric);
        let mut peers = fabric.peers(&tiles).unwrap();
        for (turn, order) in Order::ALL.into_iter().enumerate() {
            let (source, result) = (0x1000, 0x2000 + 0x1000 * turn as u32);
            let mut exchange = peers.alltoall_in(&mut fabric, order, source, result, bytes).unwrap();
            run(&mut fabric, &mut exchange);
            copy(
                &mut memories,
                &tiles,
                &alltoall_blocks(tiles.len(), source, result, bytes),
            );
            compare(&mut fabric, &memories);
            exchange.release(&mut fabric).unwrap();
        }
        peers.release(&mut fabric).unwrap();
        nothing_is_left(&mut fabric);
    }
}

#[test]
fn an_exchange_runs_again_with_the_words_of_then() {
    let mut fabric = fabric(3, 2, 32);
    let tiles = [5, 0, 3, 1];
    let mut peers = fabric.peers(&tiles).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
    for round in 0..20 {
        for tile in 0..6 {
            let words: Vec<u32> = (0..8).map(|place| word(tile, place + 8 * round)).collect();
            fabric.write(tile, 0x400, &words).unwrap();
        }
        // A second start waits for the first one.
        exchange.start(&mut fabric).unwrap();
        exchange.start(&mut fabric).unwrap();
        exchange.wait(&mut fabric, LIMIT).unwrap();
        for (rank, &tile) in tiles.iter().enumerate() {
            let sent = tiles.map(|from| [0, 1].map(|lane| word(from, 2 * rank + lane + 8 * round)));
            assert_eq!(fabric.read(tile, 0x800, 8).unwrap(), sent.concat());
        }
    }
    exchange.release(&mut fabric).unwrap();
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

#[test]
fn scatter_gather_and_allgather_move_what_mpi_says() {
    let mut fabric = fabric(4, 3, 32);
    let tiles = [7, 2, 11, 0, 5];
    let mut peers = fabric.peers(&tiles).unwrap();
    let size = tiles.len() as u32;
    for root in 0..tiles.len() {
        let mut memories = fill(&mut fabric);
        let mut blocks = vec![vec![]; tiles.len()];
        blocks[root] = (0..size)
            .map(|to| Block {
                to: to as usize,
                source: 0x1000 + 8 * to,
                result: 0x2000 + 0x40 * to,
                bytes: 8,
            })
            .collect();
        let results: Vec<u32> = (0..size).map(|rank| 0x2000 + 0x40 * rank).collect();
        let mut scatter = peers.scatter(&mut fabric, root, 0x1000, results, 8).unwrap();
        run(&mut fabric, &mut scatter);
        copy(&mut memories, &tiles, &blocks);

        let into = |to: usize, from: u32| Block {
            to,
            source: 0x1000,
            result: 0x3000 + 12 * from,
            bytes: 12,
        };
        let mut gather = peers.gather(&mut fabric, root, 0x1000, 0x3000, 12).unwrap();
        run(&mut fabric, &mut gather);
        let blocks: Vec<_> = (0..size).map(|from| vec![into(root, from)]).collect();
        copy(&mut memories, &tiles, &blocks);

        let mut allgather = peers.allgather(&mut fabric, 0x1000, 0x3000, 12).unwrap();
        run(&mut fabric, &mut allgather);
        let all = |from: u32| (0..tiles.len()).map(|to| into(to, from)).collect();
        copy(&mut memories, &tiles, &(0..size).map(all).collect::<Vec<_>>());

        compare(&mut fabric, &memories);
        for mut exchange in [scatter, gather, allgather] {
            exchange.release(&mut fabric).unwrap();
        }
    }
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

/// Also blocks that are longer than a packet, and groups that are no power of two.
#[test]
fn a_broadcast_brings_the_block_of_any_root_to_all() {
    for (cols, rows, width, bytes) in [
        (1, 1, 32, 4),
        (2, 1, 64, 8),
        (3, 1, 32, 400),
        (4, 4, 32, 2048),
        (5, 4, 64, 24),
    ] {
        let mut fabric = fabric(cols, rows, width);
        let tiles: Vec<usize> = (0..cols * rows).rev().collect();
        let mut peers = fabric.peers(&tiles).unwrap();
        for root in 0..tiles.len() {
            let mut memories = fill(&mut fabric);
            let addresses: Vec<u32> = (0..tiles.len() as u32).map(|rank| 0x1000 + 8 * rank).collect();
            let mut exchange = peers.broadcast(&mut fabric, root, addresses.clone(), bytes).unwrap();
            run(&mut fabric, &mut exchange);
            exchange.release(&mut fabric).unwrap();
            let from = addresses[root];
            let blocks = addresses.iter().enumerate().filter(|&(to, _)| to != root);
            let blocks = blocks
                .map(|(to, &result)| Block {
                    to,
                    source: from,
                    result,
                    bytes,
                })
                .collect();
            let mut sent = vec![vec![]; tiles.len()];
            sent[root] = blocks;
            copy(&mut memories, &tiles, &sent);
            compare(&mut fabric, &memories);
        }
        peers.release(&mut fabric).unwrap();
        nothing_is_left(&mut fabric);
    }
}

#[test]
fn a_broadcast_of_nothing_and_a_wrong_one_send_nothing() {
    let mut fabric = fabric(2, 2, 32);
    let memories = fill(&mut fabric);
    let mut peers = fabric.peers(&[0, 1, 2, 3]).unwrap();
    let mut exchange = peers.broadcast(&mut fabric, 1, 0x100, 0).unwrap();
    run(&mut fabric, &mut exchange);
    exchange.release(&mut fabric).unwrap();
    let mut told = |root, addresses: Vec<u32>, bytes| {
        let refused = peers.broadcast(&mut fabric, root, addresses, bytes).unwrap_err();
        refused.to_string()
    };
    assert_eq!(told(4, vec![0; 4], 4), "root = 4 is not allowed: allowed is 0..=3");
    assert_eq!(told(0, vec![0; 3], 4), "addresses = 3 is not allowed: allowed is 4..=4");
    assert!(told(0, vec![0, 0, 2, 0], 4).contains("address"));
    assert!(told(0, vec![0, BLOCKS, 0, 0], 4).contains("0x8000"));
    assert!(told(0, vec![0; 4], 6).contains("bytes"));
    compare(&mut fabric, &memories);
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

/// A child of the root's child is not reached.
#[test]
fn a_broadcast_that_is_refused_is_told_and_runs_again() {
    let mut fabric = fabric(4, 1, 32);
    fill(&mut fabric);
    let mut peers = fabric.peers(&[0, 1, 2, 3]).unwrap();
    let mut exchange = peers.broadcast(&mut fabric, 0, 0x400, 8).unwrap();
    let handle = peers.handle(0, 2).into();
    fabric.poke(0, SegmentRegister::Target, handle, &[0]).unwrap();
    exchange.start(&mut fabric).unwrap();
    let told = exchange.wait(&mut fabric, 1000).unwrap_err();
    let (node, what, code) = (0, "broadcast", ErrorCode::UnknownSegment);
    assert_eq!(told, Error::Refused { node, what, code });
    let refused = exchange.wait(&mut fabric, 1000);
    assert!(matches!(refused, Ok(()) | Err(Error::Refused { .. })), "{refused:?}");
    let [space, _] = segment::space(fabric.config(), 2);
    fabric.poke(0, SegmentRegister::Target, handle, &[space]).unwrap();
    run(&mut fabric, &mut exchange);
    for tile in 1..4 {
        assert_eq!(fabric.read(tile, 0x400, 2).unwrap(), [word(0, 0x100), word(0, 0x101)]);
    }
    exchange.release(&mut fabric).unwrap();
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Lengths of every size, 0 among them, in any group.
    #[test]
    fn alltoallv_packs_blocks_in_the_order_of_ranks(
        rows in 1..5usize,
        picked in prop::collection::vec(any::<u8>(), 1..12),
        lengths in prop::collection::vec(0..5u32, 144),
        width in prop::sample::select(vec![32, 64]),
    ) {
        let mut fabric = fabric(4, rows, width);
        let mut tiles: Vec<usize> = vec![];
        for tile in picked.into_iter().map(|tile| usize::from(tile) % fabric.config().tiles()) {
            if !tiles.contains(&tile) {
                tiles.push(tile);
            }
        }
        let size = tiles.len();
        let unit = width as u32 / 8;
        let bytes: Vec<Vec<u32>> =
            (0..size).map(|from| (0..size).map(|to| unit * lengths[12 * from + to]).collect()).collect();
        let mut memories = fill(&mut fabric);
        let (mut sources, mut results) = (vec![0x1000; size], vec![0x4000; size]);
        let mut blocks = vec![vec![]; size];
        for from in 0..size {
            for to in 0..size {
                let bytes = bytes[from][to];
                blocks[from].push(Block { to, source: sources[from], result: results[to], bytes });
                sources[from] += bytes;
                results[to] += bytes;
            }
        }
        let mut peers = fabric.peers(&tiles).unwrap();
        let mut exchange = peers.alltoallv(&mut fabric, 0x1000, 0x4000, &bytes).unwrap();
        run(&mut fabric, &mut exchange);
        copy(&mut memories, &tiles, &blocks);
        compare(&mut fabric, &memories);
        exchange.release(&mut fabric).unwrap();
        peers.release(&mut fabric).unwrap();
        nothing_is_left(&mut fabric);
    }
}

#[test]
fn a_member_moves_its_own_block_and_leaves_one_in_place() {
    let mut fabric = fabric(2, 1, 32);
    let mut peers = fabric.peers(&[1]).unwrap();
    fabric.write(1, 0x100, &[7, 8]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x100, 0x200, 8).unwrap();
    run(&mut fabric, &mut exchange);
    assert_eq!(fabric.read(1, 0x200, 2).unwrap(), [7, 8]);
    // Its own block is in place: nobody sends anything, and it is complete at once.
    let mut in_place = peers.alltoall(&mut fabric, 0x100, 0x100, 8).unwrap();
    in_place.start(&mut fabric).unwrap();
    assert!(in_place.poll(&mut fabric).unwrap());
    for mut exchange in [exchange, in_place] {
        exchange.release(&mut fabric).unwrap();
    }
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

#[test]
fn groups_that_share_tiles_and_other_commands_run_at_once() {
    let mut fabric = fabric(2, 2, 32);
    let mut memories = fill(&mut fabric);
    let (left, right) = (fabric.peers(&[0, 1, 2]).unwrap(), fabric.peers(&[3, 2, 1]).unwrap());
    let mut first = left.alltoall(&mut fabric, 0x1000, 0x2000, 16).unwrap();
    let mut second = right.alltoall(&mut fabric, 0x1000, 0x3000, 16).unwrap();
    let segment = fabric.publish(3, crate::onesided::Window::new(0x4000, 64)).unwrap();
    let remote = fabric.tile(1).unwrap().clone_segment(segment.id()).unwrap();
    for _ in 0..5 {
        first.start(&mut fabric).unwrap();
        let mut put = fabric
            .tile(1)
            .unwrap()
            .put(&remote, 0, 0x1000, Geometry::linear(64))
            .unwrap()
            .start()
            .unwrap();
        second.start(&mut fabric).unwrap();
        put.wait(&mut fabric, LIMIT).unwrap();
        second.wait(&mut fabric, LIMIT).unwrap();
        first.wait(&mut fabric, LIMIT).unwrap();
    }
    copy(&mut memories, &[0, 1, 2], &alltoall_blocks(3, 0x1000, 0x2000, 16));
    copy(&mut memories, &[3, 2, 1], &alltoall_blocks(3, 0x1000, 0x3000, 16));
    let put = memories[1][0x400..0x410].to_vec();
    memories[3][0x1000..0x1010].copy_from_slice(&put);
    compare(&mut fabric, &memories);
    remote.release(&mut fabric).unwrap();
    segment.withdraw(&mut fabric).unwrap();
    for mut exchange in [first, second] {
        exchange.release(&mut fabric).unwrap();
    }
    for mut peers in [left, right] {
        peers.release(&mut fabric).unwrap();
    }
    nothing_is_left(&mut fabric);
}

#[test]
fn every_wrong_argument_is_refused_before_anything_is_sent() {
    let mut fabric = fabric(2, 2, 32);
    for tiles in [vec![], vec![0, 0], vec![0, 4]] {
        let refused = fabric.peers(&tiles).unwrap_err();
        assert!(matches!(refused, Error::Tree(_)), "{refused}");
    }
    let mut peers = fabric.peers(&[0, 1, 2]).unwrap();
    let size = fabric.memory_bytes(0).unwrap();
    let block = |to, source, result, bytes| Block {
        to,
        source,
        result,
        bytes,
    };
    let sent = |blocks: Vec<Block>| vec![vec![], blocks, vec![]];
    let cases = [
        (
            sent(vec![block(3, 0, 64, 4)]),
            "receiver = 3 is not allowed: allowed is 0..=2",
        ),
        (
            sent(vec![block(0, 2, 64, 4)]),
            "source = 0x2 must be a multiple of 4 bytes",
        ),
        (
            sent(vec![block(0, 0, 66, 4)]),
            "result = 0x42 must be a multiple of 4 bytes",
        ),
        (
            sent(vec![block(0, 0, 64, 6)]),
            "bytes = 0x6 must be a multiple of 4 bytes",
        ),
        (vec![vec![]], "lists of blocks = 1 is not allowed: allowed is 3..=3"),
        (
            sent(vec![block(0, 0x100, 0x200, 8), block(0, 0x100, 0x204, 8)]),
            "two blocks overlap at address 0x204 of node 0, and one of them is written",
        ),
        (
            vec![vec![block(1, 0x100, 0x204, 8)], vec![block(0, 0x200, 0x300, 8)], vec![]],
            "two blocks overlap at address 0x204 of node 1, and one of them is written",
        ),
        (
            sent(vec![block(1, 0x100, 0x100, 8), block(1, 0x200, 0x104, 8)]),
            "two blocks overlap at address 0x104 of node 1, and one of them is written",
        ),
        (
            sent(vec![block(0, BLOCKS - 8, 0, 16)]),
            "16 bytes at 0x7ff8 of node 1 are not part of an allocated region: take the memory of blocks with \
             Fabric::allocate",
        ),
        (
            sent(vec![block(2, 0, BLOCKS, 4)]),
            "4 bytes at 0x8000 of node 2 are not part of an allocated region: take the memory of blocks with \
             Fabric::allocate",
        ),
    ];
    for (blocks, error) in cases {
        let refused = peers.exchange(&mut fabric, &blocks).unwrap_err().to_string();
        assert!(refused.contains(error), "{refused}\n{error}");
    }
    for (first, at) in [(size, 0), (0, size - 4), (u32::MAX - 3, 0)] {
        let blocks = sent(vec![block(2, at.max(64), first.max(64), 8)]);
        let refused = peers.exchange(&mut fabric, &blocks).unwrap_err();
        assert!(matches!(refused, Error::OutOfMemory { .. }), "{refused}");
    }
    for refused in [
        peers.scatter(&mut fabric, 3, 0, 0x100, 4).unwrap_err(),
        peers.gather(&mut fabric, 3, 0, 0x100, 4).unwrap_err(),
        peers.alltoall(&mut fabric, [0, 0], 0x100, 4).unwrap_err(),
        peers.alltoall(&mut fabric, 0, [0x100; 4], 4).unwrap_err(),
        peers.allgather(&mut fabric, [0], 0x100, 4).unwrap_err(),
        peers
            .alltoallv(&mut fabric, 0, 0x100, &[vec![4; 3], vec![4; 3]])
            .unwrap_err(),
        peers
            .alltoallv(&mut fabric, 0, 0x100, &[vec![4; 3], vec![4; 2], vec![4; 3]])
            .unwrap_err(),
        peers.alltoall(&mut fabric, 0, 0x100, 1 << 31).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::OutOfRange { .. }), "{refused}");
    }
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

#[test]
fn a_group_that_does_not_fit_leaves_nothing_taken() {
    let mut fabric = fabric_of(&Config {
        cols: 5,
        rows: 4,
        edge_nodes: 1,
        segments: 16,
        ..Config::default()
    });
    let all: Vec<usize> = (0..17).collect();
    let refused = fabric.peers(&all).unwrap_err();
    let is_full = |error: &Error| {
        matches!(
            error,
            Error::Exhausted {
                resource: "segment handle",
                ..
            }
        )
    };
    assert!(is_full(&refused), "{refused}");
    nothing_is_left(&mut fabric);
    allocate(&mut fabric);
    // As many members as handles, one of them without memory for its list.
    let mut peers = fabric.peers(&all[..16]).unwrap();
    let bytes = fabric.memory_bytes(9).unwrap() - BLOCKS;
    let rest = fabric.allocate(9, bytes).unwrap();
    let refused = peers.alltoall(&mut fabric, 0x1000, 0x2000, 4).unwrap_err();
    assert!(matches!(refused, Error::Exhausted { node: 9, .. }), "{refused}");
    fabric.free(rest).unwrap();
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

#[test]
fn what_is_released_is_not_started() {
    let mut fabric = fabric(2, 1, 32);
    let mut peers = fabric.peers(&[0, 1]).unwrap();
    let mut exchange = peers.gather(&mut fabric, 0, 0x100, 0x200, 4).unwrap();
    exchange.start(&mut fabric).unwrap();
    // Golden has already done it, but the driver has not seen it.
    assert_eq!(peers.release(&mut fabric), Err(Error::UnderWay { exchanges: 1 }));
    exchange.wait(&mut fabric, LIMIT).unwrap();
    peers.release(&mut fabric).unwrap();
    let released = Error::Released { what: "gather" };
    assert_eq!(exchange.start(&mut fabric), Err(released.clone()));
    assert_eq!(peers.gather(&mut fabric, 0, 0x100, 0x200, 4).map(drop), Err(released));
    exchange.release(&mut fabric).unwrap();
    // Once more does nothing.
    exchange.release(&mut fabric).unwrap();
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

/// Waits until the exchange is complete, and gives the refusals on the way.
fn refusals(fabric: &mut Fabric<GoldenTransport>, exchange: &mut Exchange) -> Vec<(usize, ErrorCode)> {
    let mut refusals = vec![];
    loop {
        match exchange.wait(fabric, 1000) {
            Ok(()) => return refusals,
            Err(Error::Refused { node, what, code }) => {
                assert_eq!(what, "alltoall");
                refusals.push((node, code));
            }
            Err(error) => panic!("{error}"),
        }
        assert!(refusals.len() < 10, "{refusals:?}");
    }
}

#[test]
fn a_put_that_a_member_refuses_ends_with_its_code_and_the_exchange_runs_again() {
    let mut fabric = fabric(2, 2, 32);
    let mut peers = fabric.peers(&[0, 1, 2, 3]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
    let lead = |fabric: &mut Fabric<GoldenTransport>, tag: u8| {
        for rank in [1, 3] {
            let target = segment::target(fabric.config(), 2, tag, SegmentKind::Window);
            let handle = peers.handle(rank, 2).into();
            fabric.poke(rank, SegmentRegister::Target, handle, &[target]).unwrap();
        }
    };
    // Members 1 and 3 send their blocks for member 2 to a window that is closed. They do not start it.
    lead(&mut fabric, 0);
    exchange.start(&mut fabric).unwrap();
    assert_eq!(refusals(&mut fabric, &mut exchange), [(1, ErrorCode::UnknownWindow)]);
    lead(&mut fabric, SYSTEM_WINDOW as u8);
    run(&mut fabric, &mut exchange);
    exchange.release(&mut fabric).unwrap();
    peers.release(&mut fabric).unwrap();
}

/// A list that is not fetched, and a member that is not started, count no more: the driver goes on with all members.
#[test]
fn a_list_that_is_refused_is_told_and_leaves_all_members_usable() {
    // The member that loses a segment, and the one to which it leads: itself, or a child.
    for (rank, to) in [(0, 0), (3, 3), (0, 1), (1, 3)] {
        let mut fabric = fabric(2, 2, 32);
        let mut memories = fill(&mut fabric);
        let tiles = [0, 1, 2, 3];
        let mut peers = fabric.peers(&tiles).unwrap();
        let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
        let handle = usize::from(peers.handle(rank, to));
        fabric.poke(rank, SegmentRegister::Target, handle, &[0]).unwrap();
        exchange.start(&mut fabric).unwrap();
        let told = refusals(&mut fabric, &mut exchange);
        assert!(
            told.iter().all(|&refusal| refusal == (rank, ErrorCode::UnknownSegment)),
            "{told:?}"
        );
        let [space, _] = segment::space(fabric.config(), to);
        fabric.poke(rank, SegmentRegister::Target, handle, &[space]).unwrap();
        // Other commands pass, and the exchange runs again.
        let segment = fabric.publish(0, crate::onesided::Window::new(0x1000, 64)).unwrap();
        for tile in tiles {
            let remote = fabric.tile(tile).unwrap().clone_segment(segment.id()).unwrap();
            let put = fabric.tile(tile).unwrap().put(&remote, 0, 0x400, Geometry::linear(4));
            put.unwrap().wait(LIMIT).unwrap();
            remote.release(&mut fabric).unwrap();
        }
        segment.withdraw(&mut fabric).unwrap();
        memories[0][0x400] = memories[3][0x100];
        run(&mut fabric, &mut exchange);
        copy(&mut memories, &tiles, &alltoall_blocks(4, 0x400, 0x800, 8));
        compare(&mut fabric, &memories);
        exchange.release(&mut fabric).unwrap();
        peers.release(&mut fabric).unwrap();
        nothing_is_left(&mut fabric);
    }
}

#[test]
fn a_release_tells_what_was_refused_and_releases_all_the_same() {
    let mut fabric = fabric(2, 1, 32);
    let mut peers = fabric.peers(&[0, 1]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
    let handle = peers.handle(1, 0).into();
    fabric.poke(1, SegmentRegister::Target, handle, &[0]).unwrap();
    exchange.start(&mut fabric).unwrap();
    let (node, what, code) = (1, "alltoall", ErrorCode::UnknownSegment);
    assert_eq!(exchange.release(&mut fabric), Err(Error::Refused { node, what, code }));
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

/// A block that stays in place is memory like that of any other block.
#[test]
fn blocks_in_place_are_checked_and_kept() {
    let mut fabric = fabric(2, 2, 32);
    let mut memories = fill(&mut fabric);
    let mut peers = fabric.peers(&[0, 1, 2, 3]).unwrap();
    let results = [0u32, 0x100, 0x100, 0x100];
    let mut scatter = peers.scatter(&mut fabric, 0, 0, results, 64).unwrap();
    run(&mut fabric, &mut scatter);
    for rank in 1..4 {
        let block = memories[0][16 * rank..16 * (rank + 1)].to_vec();
        memories[rank][0x40..0x50].copy_from_slice(&block);
    }
    compare(&mut fabric, &memories);
    scatter.release(&mut fabric).unwrap();
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

/// A start that an access has cut short has started nothing or everything, and all later calls are right.
#[test]
fn an_access_that_fails_loses_no_block() {
    let config = Config {
        cols: 3,
        rows: 1,
        edge_nodes: 1,
        ..Config::default()
    };
    let mut failed = 0;
    for left in 0.. {
        let mut fabric = Fabric::open(Failing::new(&config)).unwrap();
        allocate(&mut fabric);
        for tile in 0..3 {
            fabric.write(tile, 0x400, &[0, 1, 2].map(|to| word(tile, to))).unwrap();
        }
        let mut peers = fabric.peers(&[0, 1, 2]).unwrap();
        let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 4).unwrap();
        fabric.transport().left = Some(left);
        let ran = exchange
            .start(&mut fabric)
            .and_then(|()| exchange.wait(&mut fabric, LIMIT));
        let has_failed = fabric.transport().left.take().is_none();
        assert_eq!(ran.is_err(), has_failed, "access {left}");
        let unplugged = TransportError::Failed("unplugged".to_owned());
        assert!(ran.is_ok() || ran == Err(unplugged.into()), "access {left}");
        exchange.wait(&mut fabric, LIMIT).unwrap();
        exchange.start(&mut fabric).unwrap();
        exchange.wait(&mut fabric, LIMIT).unwrap();
        for tile in 0..3 {
            let sent = [0, 1, 2].map(|from| word(from, tile));
            assert_eq!(fabric.read(tile, 0x800, 3).unwrap(), sent, "access {left}, tile {tile}");
        }
        exchange.release(&mut fabric).unwrap();
        peers.release(&mut fabric).unwrap();
        failed += usize::from(has_failed);
        if !has_failed {
            break;
        }
    }
    assert!(failed > 10, "{failed}");
}

#[test]
fn an_exchange_that_is_dropped_under_way_holds_nothing_up() {
    let mut fabric = fabric(2, 1, 32);
    let peers = fabric.peers(&[0, 1]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
    exchange.start(&mut fabric).unwrap();
    drop(exchange);
    let mut next = peers.alltoall(&mut fabric, 0x400, 0xc00, 8).unwrap();
    run(&mut fabric, &mut next);
    next.release(&mut fabric).unwrap();
}
