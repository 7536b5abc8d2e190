//! Groups of tiles that put blocks into the memories of others, without an engine.

use portico::{
    exchange::{Block, Exchange, Order, Peers},
    Error, Fabric,
};

use crate::{
    carrier::Carrier,
    exchange::portico_exchange,
    group::{addresses, matrix, portico_addresses, tiles},
    handle::{call, handles, portico_fabric, State},
    pointer::{array, out, out_array},
    status::{portico_status, Failure},
};

/// A group of tiles that exchange blocks. It belongs to the thread that has the fabric.
pub struct portico_peers;

handles! {
    portico_peers: Peers, "peers";
}

/// In which order members send: one of PORTICO_ORDER_*.
pub type portico_order = u32;

/// From the next rank on, round the group.
pub const PORTICO_ORDER_ROTATED: portico_order = 0;
/// By rounds in which packets share no link.
pub const PORTICO_ORDER_ROUNDS: portico_order = 1;
/// From rank 0 on.
pub const PORTICO_ORDER_RANKS: portico_order = 2;

/// A block of an exchange.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct portico_block {
    /// Rank of the sender.
    pub from: u32,
    /// Rank of the receiver, which can be the sender itself.
    pub to: u32,
    /// Where it lies at the sender, a byte address.
    pub source: u32,
    /// Where it goes at the receiver.
    pub result: u32,
    /// Its length in bytes.
    pub bytes: u32,
}

/// Makes a group of `count` tiles, in the order of their ranks.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE, PORTICO_E_TREE of tiles that are no group, PORTICO_E_EXHAUSTED of segment
/// handles, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_peers_new(
    fabric: *mut portico_fabric,
    members: *const u32,
    count: usize,
    peers: *mut *mut portico_peers,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        let out = unsafe { out("peers", peers) }?;
        let tiles = unsafe { tiles(members, count) }?;
        out.set(items.add(fabric.peers(&tiles)?));
        Ok(())
    })
}

/// The members of a group by rank, into an array with room for `count`. `size` gets how many they are.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_SHORT_BUFFER.
#[no_mangle]
pub unsafe extern "C" fn portico_peers_tiles(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    members: *mut u32,
    count: usize,
    size: *mut u32,
) -> portico_status {
    call(fabric, |state| {
        let (members, size) = unsafe { (out_array("members", members, count)?, out("size", size)?) };
        let peers = state.items.get(peers)?;
        members.check_room("members", peers.size())?;
        let tiles: Vec<u32> = peers.tiles().iter().map(|&tile| tile as u32).collect();
        members.set(&tiles);
        size.set(peers.size() as u32);
        Ok(())
    })
}

/// Releases a group. Its exchanges cannot be started any more. After an error the handle stays.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_UNDER_WAY, or the fabric's.
#[no_mangle]
pub extern "C" fn portico_peers_release(fabric: *mut portico_fabric, peers: *mut portico_peers) -> portico_status {
    call(fabric, |State { fabric, items }| {
        items.get_mut(peers)?.release(fabric)?;
        items.take(peers).map(drop)
    })
}

/// Prepares an exchange of a group.
///
/// # Safety
/// `exchange` may be written if it is not NULL.
unsafe fn prepare(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    exchange: *mut *mut portico_exchange,
    work: impl FnOnce(&Peers, &mut Fabric<Carrier>) -> Result<Result<Exchange, Error>, Failure>,
) -> portico_status {
    call(fabric, |State { fabric, items }| {
        // SAFETY: promised above.
        let out = unsafe { out("exchange", exchange) }?;
        let prepared = work(items.get(peers)?, fabric)??;
        out.set(items.add(prepared));
        Ok(())
    })
}

/// Prepares an exchange of `count` blocks, which each member sends in their order.
///
/// Errors: PORTICO_E_NULL, PORTICO_E_OUT_OF_RANGE of ranks, PORTICO_E_MISALIGNED, PORTICO_E_OUT_OF_MEMORY, PORTICO_E_OVERLAP,
/// PORTICO_E_UNALLOCATED, PORTICO_E_RELEASED, PORTICO_E_EXHAUSTED, or the fabric's.
#[no_mangle]
pub unsafe extern "C" fn portico_peers_exchange(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    blocks: *const portico_block,
    count: usize,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let mut by_sender = vec![vec![]; peers.size()];
            let last = peers.size() as u64 - 1;
            for block in array("blocks", blocks, count)? {
                let from = by_sender.get_mut(block.from as usize).ok_or(Error::OutOfRange {
                    field: "from",
                    value: block.from.into(),
                    min: 0,
                    max: last,
                })?;
                from.push(Block {
                    to: block.to as usize,
                    source: block.source,
                    result: block.result,
                    bytes: block.bytes,
                });
            }
            Ok(peers.exchange(fabric, &by_sender))
        })
    }
}

/// Prepares an exchange of one block from every member to every member, in an order. Member r reads the block for rank s at its
/// source address + s `bytes`, and gets the block from rank s at its result address + s `bytes`.
///
/// Errors: as of portico_peers_exchange(), PORTICO_E_ARGUMENT of the order, and PORTICO_E_OUT_OF_RANGE of a number of addresses.
#[no_mangle]
pub unsafe extern "C" fn portico_peers_alltoall(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    order: portico_order,
    source: *const portico_addresses,
    result: *const portico_addresses,
    bytes: u32,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            let order = match order {
                PORTICO_ORDER_ROTATED => Order::Rotated,
                PORTICO_ORDER_ROUNDS => Order::Rounds,
                PORTICO_ORDER_RANKS => Order::Ranks,
                order => return Err(Failure::choice("order", order)),
            };
            Ok(peers.alltoall_in(fabric, order, source, result, bytes))
        })
    }
}

/// Prepares an alltoall of blocks of different lengths: `bytes`, an array of size times size elements, has at r times size + s the
/// length of the block from rank r to rank s.
///
/// Errors: as of portico_peers_alltoall(); PORTICO_E_OUT_OF_RANGE of `count`, the elements of `bytes`.
#[no_mangle]
pub unsafe extern "C" fn portico_peers_alltoallv(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    source: *const portico_addresses,
    result: *const portico_addresses,
    bytes: *const u32,
    count: usize,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            let bytes = matrix("bytes", bytes, count, peers.size())?;
            Ok(peers.alltoallv(fabric, source, result, &bytes))
        })
    }
}

/// Prepares an exchange in which the root, a rank, sends a block of `bytes` bytes to every member: that of rank r lies at
/// `source` + r `bytes` of the root.
///
/// Errors: as of portico_peers_alltoall().
#[no_mangle]
pub unsafe extern "C" fn portico_peers_scatter(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    root: u32,
    source: u32,
    result: *const portico_addresses,
    bytes: u32,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let result = addresses("result", result)?;
            Ok(peers.scatter(fabric, root as usize, source, result, bytes))
        })
    }
}

/// Prepares an exchange in which every member sends a block of `bytes` bytes to the root, a rank: that of rank r goes to
/// `result` + r `bytes` of the root.
///
/// Errors: as of portico_peers_alltoall().
#[no_mangle]
pub unsafe extern "C" fn portico_peers_gather(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    root: u32,
    source: *const portico_addresses,
    result: u32,
    bytes: u32,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let source = addresses("source", source)?;
            Ok(peers.gather(fabric, root as usize, source, result, bytes))
        })
    }
}

/// Prepares an exchange in which every member sends its block of `bytes` bytes to every member: that of rank r goes to the result
/// address of each + r `bytes`.
///
/// Errors: as of portico_peers_alltoall().
#[no_mangle]
pub unsafe extern "C" fn portico_peers_allgather(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    source: *const portico_addresses,
    result: *const portico_addresses,
    bytes: u32,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let (source, result) = (addresses("source", source)?, addresses("result", result)?);
            Ok(peers.allgather(fabric, source, result, bytes))
        })
    }
}

/// Prepares an exchange in which `bytes` bytes at the address of the root, a rank, go to the addresses of all others.
///
/// Errors: as of portico_peers_alltoall().
#[no_mangle]
pub unsafe extern "C" fn portico_peers_broadcast(
    fabric: *mut portico_fabric,
    peers: *mut portico_peers,
    root: u32,
    address: *const portico_addresses,
    bytes: u32,
    exchange: *mut *mut portico_exchange,
) -> portico_status {
    unsafe {
        prepare(fabric, peers, exchange, |peers, fabric| {
            let address = addresses("address", address)?;
            Ok(peers.broadcast(fabric, root as usize, address, bytes))
        })
    }
}
