use portico_spec::ni::{
    segment::NODE_OFFSET,
    window::{Mode, MODE_OFFSET},
};
use proptest::prelude::*;

use super::*;
use crate::{
    onesided::Geometry,
    registers::{CounterRegister, SegmentRegister, TagRegister},
    Config, Error, ErrorCode, Fabric, GoldenTransport,
};

const LIMIT: u64 = 100_000;

fn fabric(cols: usize, rows: usize, width: usize) -> Fabric<GoldenTransport> {
    let config = Config {
        cols,
        rows,
        width,
        edge_nodes: 1,
        ..Config::default()
    };
    Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap()
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

/// Compares the memories of all tiles from `first` on.
fn compare(fabric: &mut Fabric<GoldenTransport>, memories: &[Vec<u32>], first: usize) {
    for (tile, memory) in memories.iter().enumerate() {
        let found = fabric.read(tile, 4 * first as u32, memory.len() - first).unwrap();
        let wrong = (first..memory.len()).find(|&at| found[at - first] != memory[at]);
        assert_eq!(wrong, None, "tile {tile}: a word differs");
    }
}

/// All memory of all tiles is free, all their events, windows and segments too, and no node has refused anything.
fn nothing_is_left(fabric: &mut Fabric<GoldenTransport>) {
    for tile in 0..fabric.config().tiles() {
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
        let peers = fabric.peers(&tiles).unwrap();
        for (turn, order) in Order::ALL.into_iter().enumerate() {
            let (source, result) = (0x1000, 0x2000 + 0x1000 * turn as u32);
            let mut exchange = peers.alltoall_in(&mut fabric, order, source, result, bytes).unwrap();
            run(&mut fabric, &mut exchange);
            copy(
                &mut memories,
                &tiles,
                &alltoall_blocks(tiles.len(), source, result, bytes),
            );
            compare(&mut fabric, &memories, 0x1000 / 4);
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
    let peers = fabric.peers(&tiles).unwrap();
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
    let peers = fabric.peers(&tiles).unwrap();
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

        compare(&mut fabric, &memories, 0x1000 / 4);
        for exchange in [scatter, gather, allgather] {
            exchange.release(&mut fabric).unwrap();
        }
    }
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
        let peers = fabric.peers(&tiles).unwrap();
        let mut exchange = peers.alltoallv(&mut fabric, 0x1000, 0x4000, &bytes).unwrap();
        run(&mut fabric, &mut exchange);
        copy(&mut memories, &tiles, &blocks);
        compare(&mut fabric, &memories, 0x1000 / 4);
        exchange.release(&mut fabric).unwrap();
        peers.release(&mut fabric).unwrap();
        nothing_is_left(&mut fabric);
    }
}

#[test]
fn a_member_moves_its_own_block_and_leaves_one_in_place() {
    let mut fabric = fabric(2, 1, 32);
    let peers = fabric.peers(&[1]).unwrap();
    fabric.write(1, 0x100, &[7, 8]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x100, 0x200, 8).unwrap();
    run(&mut fabric, &mut exchange);
    assert_eq!(fabric.read(1, 0x200, 2).unwrap(), [7, 8]);
    // Its own block is in place: nobody sends anything, and it is complete at once.
    let mut in_place = peers.alltoall(&mut fabric, 0x100, 0x100, 8).unwrap();
    in_place.start(&mut fabric).unwrap();
    assert!(in_place.poll(&mut fabric).unwrap());
    for exchange in [exchange, in_place] {
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
    compare(&mut fabric, &memories, 0x1000 / 4);
    remote.release(&mut fabric).unwrap();
    segment.withdraw(&mut fabric).unwrap();
    for exchange in [first, second] {
        exchange.release(&mut fabric).unwrap();
    }
    for peers in [left, right] {
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
    let peers = fabric.peers(&[0, 1, 2]).unwrap();
    let size = fabric.memory_bytes(0).unwrap();
    let block = |to, source, result, bytes| Block {
        to,
        source,
        result,
        bytes,
    };
    let sent = |blocks: Vec<Block>| vec![vec![], blocks, vec![]];
    let cases = [
        (sent(vec![block(3, 0, 64, 4)]), "receiver = 3 is not allowed: allowed is 0..=2"),
        (sent(vec![block(0, 2, 64, 4)]), "source = 0x2 must be a multiple of 4 bytes"),
        (sent(vec![block(0, 0, 66, 4)]), "result = 0x42 must be a multiple of 4 bytes"),
        (sent(vec![block(0, 0, 64, 6)]), "bytes = 0x6 must be a multiple of 4 bytes"),
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
            sent(vec![block(0, 0, 0x100, 4), block(2, 0x40, 0x100, 4)]),
            "the block at address 0x0 of node 1 is not allocated, and the exchange keeps its list at 0x0..0x20: allocate \
             the memory of blocks first",
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
    let config = Config {
        cols: 4,
        rows: 4,
        edge_nodes: 1,
        segments: 16,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config).unwrap()).unwrap();
    let all: Vec<usize> = (0..16).collect();
    let refused = fabric.peers(&all).unwrap_err();
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
    nothing_is_left(&mut fabric);
    // A member without memory for its list.
    let peers = fabric.peers(&all[..15]).unwrap();
    let bytes = fabric.memory_bytes(9).unwrap();
    let rest = fabric.allocate(9, bytes).unwrap();
    let refused = peers.alltoall(&mut fabric, 0x1000, 0x2000, 4).unwrap_err();
    assert!(matches!(refused, Error::Exhausted { node: 9, .. }), "{refused}");
    fabric.free(rest).unwrap();
    peers.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

#[test]
fn a_start_after_the_release_of_the_group_is_refused() {
    let mut fabric = fabric(2, 1, 32);
    let peers = fabric.peers(&[0, 1]).unwrap();
    let mut exchange = peers.gather(&mut fabric, 0, 0x100, 0x200, 4).unwrap();
    peers.release(&mut fabric).unwrap();
    let refused = exchange.start(&mut fabric).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the gather belongs to a group of peers that is released"
    );
    exchange.release(&mut fabric).unwrap();
    nothing_is_left(&mut fabric);
}

#[test]
fn a_put_that_a_member_refuses_ends_the_exchange_with_its_code_and_leaves_it_usable() {
    let mut fabric = fabric(2, 2, 32);
    let peers = fabric.peers(&[0, 1, 2, 3]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
    let (tag, control) = (peers.windows[2].id().tag.into(), TagRegister::Control);
    fabric.poke(2, control, tag, &[0]).unwrap();
    exchange.start(&mut fabric).unwrap();
    let mut codes = vec![];
    loop {
        match exchange.wait(&mut fabric, LIMIT) {
            Ok(()) => break,
            Err(Error::Refused {
                what: "alltoall", code, ..
            }) => codes.push(code),
            Err(error) => panic!("{error}"),
        }
    }
    // Each member has a block for tile 2, itself among them.
    assert_eq!(codes, [ErrorCode::UnknownWindow; 4]);
    fabric
        .poke(2, control, tag, &[(Mode::Window as u32) << MODE_OFFSET])
        .unwrap();
    run(&mut fabric, &mut exchange);
    exchange.release(&mut fabric).unwrap();
    peers.release(&mut fabric).unwrap();
}

#[test]
fn a_list_that_is_refused_is_told_by_its_code_instead_of_a_time_out() {
    let mut fabric = fabric(2, 2, 32);
    let peers = fabric.peers(&[0, 1]).unwrap();
    let mut exchange = peers.alltoall(&mut fabric, 0x400, 0x800, 8).unwrap();
    // Member 1 loses the segment of its own address space.
    let absent = 9 << NODE_OFFSET;
    fabric
        .poke(1, SegmentRegister::Target, peers.own(1).into(), &[absent])
        .unwrap();
    exchange.start(&mut fabric).unwrap();
    let refused = exchange.wait(&mut fabric, 1000).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Refused {
                node: 1,
                what: "alltoall",
                ..
            }
        ),
        "{refused}"
    );
}
