//! Groups of tiles: every MPI-like call leaves what MPI says, with and without engines.

use std::ptr;

use portico_capi::{portico_status::*, *};

use crate::bench::*;

const ENGINES: &str = "cols = 2\nrows = 2\nmpe = 2";

/// Four tiles with 256 bytes each, which lie at the same address.
struct Group {
    fabric: *mut portico_fabric,
    comm: *mut portico_comm,
}

impl Group {
    fn new(config: &str) -> Group {
        let fabric = golden(config);
        for tile in 0..4 {
            let region: portico_region = get(|region| unsafe { portico_allocate(fabric, tile, 256, region) });
            assert_eq!(region.base, 0);
        }
        let comm = get(|comm| unsafe { portico_comm_new(fabric, [0, 1, 2, 3].as_ptr(), 4, &CHAIN, comm) });
        Group { fabric, comm }
    }

    /// Lets every tile have these words from address 0 on, by its rank.
    fn fill<const N: usize>(&self, words: impl Fn(u32) -> [u32; N]) {
        for tile in 0..4 {
            write(self.fabric, tile, 0, &words(tile));
        }
    }

    /// Runs a request, twice.
    fn run(&self, request: impl FnOnce(*mut *mut portico_request) -> portico_status) {
        let (fabric, request) = (self.fabric, get(request));
        for _ in 0..2 {
            must(portico_request_start(fabric, request));
            must(portico_request_wait(fabric, request, 10_000));
        }
        assert!(get::<bool>(|complete| unsafe {
            portico_request_poll(fabric, request, complete)
        }));
        must(portico_request_release(fabric, request));
    }

    fn words(&self, tile: u32, address: u32) -> [u32; 4] {
        read(self.fabric, tile, address)
    }
}

const CHAIN: portico_shape = portico_shape {
    kind: PORTICO_SHAPE_LINEAR,
    number: 0,
    pairs: ptr::null(),
    count: 0,
};

/// The same address in all members.
const fn at(same: u32) -> portico_addresses {
    portico_addresses {
        same,
        each: ptr::null(),
        count: 0,
    }
}

#[test]
fn every_call_leaves_what_mpi_says() {
    for config in [SMALL, ENGINES] {
        let group = Group::new(config);
        let Group { fabric, comm } = group;
        unsafe {
            group.run(|request| portico_barrier(fabric, comm, request));
            group.fill(|tile| [10 * tile, 10 * tile + 1]);
            group.run(|request| portico_bcast(fabric, comm, 2, &at(0), 2, request));
            assert_eq!(group.words(1, 0)[..2], [20, 21]);

            group.fill(|tile| [tile, 2, 3, 4]);
            group.run(|request| portico_allreduce(fabric, comm, &at(0), &at(64), 4, PORTICO_FOLD_INTEGER_SUM, request));
            assert_eq!(group.words(3, 64), [6, 8, 12, 16]);
            group.run(|request| portico_reduce(fabric, comm, 1, &at(0), 80, 4, PORTICO_FOLD_INTEGER_MAX, request));
            assert_eq!(group.words(1, 80), [3, 2, 3, 4]);
            group.run(|request| portico_reduce_scatter(fabric, comm, &at(0), &at(96), 1, PORTICO_FOLD_OR, request));
            assert_eq!([0, 1, 2, 3].map(|tile| group.words(tile, 96)[0]), [3, 2, 3, 4]);

            group.fill(|tile| [tile, 10 + tile, 20 + tile, 30 + tile]);
            group.run(|request| portico_alltoall(fabric, comm, &at(0), &at(64), 1, request));
            assert_eq!(group.words(2, 64), [20, 21, 22, 23]);
            group.run(|request| portico_scatter(fabric, comm, 3, 0, &at(128), 1, request));
            assert_eq!(group.words(1, 128)[0], 13);
            let each = [0, 4, 8, 12];
            let each = portico_addresses {
                same: 0,
                each: each.as_ptr(),
                count: 4,
            };
            group.run(|request| portico_gather(fabric, comm, 0, &each, 144, 1, request));
            assert_eq!(group.words(0, 144), [0, 11, 22, 33]);
            let lengths: [u32; 16] = std::array::from_fn(|place| u32::from(place % 4 == place / 4 || place % 4 == 0));
            group.run(|request| portico_alltoallv(fabric, comm, &at(0), &at(160), lengths.as_ptr(), 16, request));
            assert_eq!(group.words(0, 160), [0, 1, 2, 3]);
            group.run(|request| portico_allgather(fabric, comm, &at(64), 1, request));
        }
        must(portico_comm_release(fabric, comm));
        fails(portico_comm_release(fabric, comm), PORTICO_E_STALE, "comm = ");
        must(portico_close(fabric));
    }
}

#[test]
fn a_group_tells_its_ways_and_its_members() {
    let Group { fabric, comm } = Group::new(ENGINES);
    let mut facts = portico_comm_facts {
        size: 0,
        has_engines: false,
        least_timeout: 0,
    };
    must(unsafe { portico_comm_info(fabric, comm, &mut facts) });
    assert!(facts.size == 4 && facts.has_engines && facts.least_timeout > 0);
    let short = portico_comm_timeout(fabric, comm, facts.least_timeout - 1);
    fails(short, PORTICO_E_SHORT_TIMEOUT, "timeout = ");
    must(portico_comm_timeout(fabric, comm, facts.least_timeout));
    // A group that has not failed recovers too.
    must(portico_comm_recover(fabric, comm, 1_000_000));
    let mut tiles = [9; 4];
    must(unsafe { portico_comm_tiles(fabric, comm, tiles.as_mut_ptr(), 4) });
    assert_eq!(tiles, [0, 1, 2, 3]);
    let rank = |tile| get(|rank: *mut u32| unsafe { portico_comm_rank(fabric, comm, tile, rank) });
    assert_eq!((rank(3), rank(4)), (3, PORTICO_NO_RANK));

    let way = |forced| {
        must(portico_comm_force(fabric, comm, forced));
        let fold = PORTICO_FOLD_FLOAT_SUM;
        let request = get(|request| unsafe { portico_allreduce(fabric, comm, &at(0), &at(0), 1, fold, request) });
        let mut estimate = 0;
        let way: u32 = get(|way| unsafe { portico_request_info(fabric, request, way, &mut estimate) });
        assert!(estimate > 0);
        must(portico_request_run(fabric, request, 10_000));
        fails(portico_request_run(fabric, request, 1), PORTICO_E_STALE, "request = ");
        way
    };
    assert_eq!(
        [PORTICO_WAY_ENGINES, PORTICO_WAY_HOST].map(way),
        [PORTICO_WAY_ENGINES, PORTICO_WAY_HOST]
    );
    must(portico_comm_force(fabric, comm, PORTICO_WAY_PUTS));
    let wrong = unsafe { portico_barrier(fabric, comm, &mut ptr::null_mut()) };
    fails(
        wrong,
        PORTICO_E_WRONG_WAY,
        "way = puts is not allowed for barrier: allowed is host, engines",
    );
    fails(portico_comm_force(fabric, comm, 4), PORTICO_E_ARGUMENT, "way = 4");
    must(portico_close(fabric));
}

#[test]
fn what_is_no_group_is_told() {
    let fabric = golden(SMALL);
    let new = |tiles: &[u32], shape: &portico_shape| unsafe {
        portico_comm_new(fabric, tiles.as_ptr(), tiles.len(), shape, &mut ptr::null_mut())
    };
    fails(new(&[0, 0], &CHAIN), PORTICO_E_TREE, "tile 0 is in the group twice");
    fails(new(&[0; 300], &CHAIN), PORTICO_E_OUT_OF_RANGE, "number of tiles = 300");
    fails(
        new(&[0, 1], &portico_shape { kind: 9, ..CHAIN }),
        PORTICO_E_ARGUMENT,
        "shape->kind = 9",
    );
    let own = portico_shape {
        kind: PORTICO_SHAPE_OWN,
        ..CHAIN
    };
    fails(new(&[0, 1], &own), PORTICO_E_NULL, "shape->pairs is NULL");
    let pair = portico_pair { one: 0, other: 1 };
    must(new(
        &[0, 1],
        &portico_shape {
            pairs: &pair,
            count: 1,
            ..own
        },
    ));
    must(portico_close(fabric));
}

#[test]
fn communicators_fold_by_engines_and_split() {
    let fabric = golden(ENGINES);
    let world = get(|world| unsafe { portico_communicator_world(fabric, &CHAIN, world) });
    let mut facts = portico_communicator_facts {
        size: 0,
        context: 9,
        least_timeout: 0,
    };
    must(unsafe { portico_communicator_info(fabric, world, &mut facts) });
    assert_eq!((facts.size, facts.context), (4, 0));
    must(portico_communicator_timeout(fabric, world, facts.least_timeout));
    must(portico_communicator_recover(fabric, world, 1_000_000));
    must(portico_recover_context(fabric, 0, 0, 1_000_000));
    let wrong = portico_recover_context(fabric, 0, 9, 1_000_000);
    fails(wrong, PORTICO_E_OUT_OF_RANGE, "context = 9");
    let run = |started: *mut portico_call| {
        must(portico_call_wait(fabric, started, 10_000));
        assert!(get::<bool>(|complete| unsafe {
            portico_call_poll(fabric, started, complete)
        }));
        must(portico_call_release(fabric, started));
        fails(portico_call_release(fabric, started), PORTICO_E_STALE, "call = ");
    };
    for tile in 0..4 {
        write(fabric, tile, 0, &[0.5f32.to_bits(), tile, 7, tile]);
    }
    let (sum, xor) = (PORTICO_FOLD_FLOAT_SUM, PORTICO_FOLD_XOR);
    unsafe {
        run(get(|call| {
            portico_communicator_allreduce(fabric, world, &at(0), &at(64), 1, sum, call)
        }));
        assert_eq!(read(fabric, 3, 64), [2f32.to_bits()]);
        run(get(|call| {
            portico_communicator_reduce(fabric, world, 2, &at(4), 68, 1, xor, call)
        }));
        assert_eq!(read(fabric, 2, 68), [1 ^ 2 ^ 3]);
        run(get(|call| {
            portico_communicator_broadcast(fabric, world, 3, &at(12), 1, call)
        }));
        assert_eq!(read(fabric, 0, 12), [3]);
        run(get(|call| {
            portico_communicator_reduce_scatter(fabric, world, &at(0), &at(80), 1, xor, call)
        }));
        assert_eq!(read(fabric, 1, 80), [0]);
        run(get(|call| {
            portico_communicator_allgather(fabric, world, &at(128), 1, call)
        }));
        run(get(|call| portico_communicator_barrier(fabric, world, call)));
    }

    // Two rows, and a member that is in none.
    let (colors, keys) = ([5, 5, 1, PORTICO_NO_RANK], [1, 0, 0, 0]);
    let mut parts = [ptr::null_mut(); 4];
    let mut split = |count| unsafe {
        portico_communicator_split(
            fabric,
            world,
            &CHAIN,
            colors.as_ptr(),
            keys.as_ptr(),
            count,
            parts.as_mut_ptr(),
        )
    };
    fails(
        split(3),
        PORTICO_E_OUT_OF_RANGE,
        "number of colors = 3 is not allowed: allowed is 4..=4",
    );
    must(split(4));
    assert!(parts[0] == parts[1] && parts[0] != parts[2] && parts[3].is_null());
    let mut tiles = [9; 2];
    must(unsafe { portico_communicator_tiles(fabric, parts[0], tiles.as_mut_ptr(), 2) });
    assert_eq!(tiles, [1, 0]);
    let rank: u32 = get(|rank| unsafe { portico_communicator_rank(fabric, parts[0], 0, rank) });
    assert_eq!(rank, 1);
    let full = unsafe { portico_communicator_dup(fabric, world, &mut ptr::null_mut()) };
    fails(full, PORTICO_E_NO_CONTEXT, "no context is free");
    for part in [parts[0], parts[2], world] {
        must(portico_communicator_free(fabric, part));
    }
    let two = get(|two| unsafe { portico_communicator_new(fabric, [1, 3].as_ptr(), 2, &CHAIN, two) });
    let copy = get(|copy| unsafe { portico_communicator_dup(fabric, two, copy) });
    assert_ne!(two, copy);
    must(portico_close(fabric));
}

#[test]
fn peers_exchange_blocks() {
    let fabric = golden(SMALL);
    for tile in 0..4 {
        let _: portico_region = get(|region| unsafe { portico_allocate(fabric, tile, 256, region) });
        write(fabric, tile, 0, &[tile, 10 + tile, 20 + tile, 30 + tile]);
    }
    let peers = get(|peers| unsafe { portico_peers_new(fabric, [0, 1, 2, 3].as_ptr(), 4, peers) });
    let (mut tiles, mut size) = ([9; 4], 0);
    must(unsafe { portico_peers_tiles(fabric, peers, tiles.as_mut_ptr(), 4, &mut size) });
    assert_eq!((tiles, size), ([0, 1, 2, 3], 4));
    let run = |exchange: *mut portico_exchange| {
        must(portico_exchange_start(fabric, exchange));
        must(portico_exchange_wait(fabric, exchange, 10_000));
        assert!(get::<bool>(|complete| unsafe {
            portico_exchange_poll(fabric, exchange, complete)
        }));
        must(portico_exchange_release(fabric, exchange));
    };
    unsafe {
        for order in [PORTICO_ORDER_ROTATED, PORTICO_ORDER_ROUNDS, PORTICO_ORDER_RANKS] {
            run(get(|made| {
                portico_peers_alltoall(fabric, peers, order, &at(0), &at(64), 4, made)
            }));
            assert_eq!(read(fabric, 2, 64), [20, 21, 22, 23]);
        }
        let block = portico_block {
            from: 1,
            to: 0,
            source: 4,
            result: 80,
            bytes: 8,
        };
        run(get(|made| portico_peers_exchange(fabric, peers, &block, 1, made)));
        assert_eq!(read(fabric, 0, 80), [11, 21]);
        run(get(|made| portico_peers_scatter(fabric, peers, 3, 0, &at(96), 4, made)));
        run(get(|made| {
            portico_peers_gather(fabric, peers, 1, &at(96), 112, 4, made)
        }));
        assert_eq!(read(fabric, 1, 112), [3, 13, 23, 33]);
        run(get(|made| {
            portico_peers_allgather(fabric, peers, &at(96), &at(128), 4, made)
        }));
        run(get(|made| {
            portico_peers_broadcast(fabric, peers, 0, &at(128), 16, made)
        }));
        assert_eq!(read(fabric, 3, 128), [3, 13, 23, 33]);
        let lengths = [4; 16];
        run(get(|made| {
            portico_peers_alltoallv(fabric, peers, &at(0), &at(160), lengths.as_ptr(), 16, made)
        }));

        let outside = portico_block { from: 4, ..block };
        let made = portico_peers_exchange(fabric, peers, &outside, 1, &mut ptr::null_mut());
        fails(
            made,
            PORTICO_E_OUT_OF_RANGE,
            "from = 4 is not allowed: allowed is 0..=3",
        );
        let nowhere = portico_block { result: 4096, ..block };
        let made = portico_peers_exchange(fabric, peers, &nowhere, 1, &mut ptr::null_mut());
        fails(made, PORTICO_E_UNALLOCATED, "are not part of an allocated region");
    }
    must(portico_peers_release(fabric, peers));
    must(portico_close(fabric));
}
