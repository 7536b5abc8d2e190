//! The blocks of an exchange: those of each call, and their checks.

use portico_spec::exchange::orders;

use super::{plan::Plan, Exchange, Order, Peers};
use crate::{
    collective::{check_count, check_rank, Addresses},
    Error, Fabric, Transport,
};

/// A block that a member sends. Addresses and length are in bytes, multiples of the word of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Rank of the receiver, which can be the sender itself.
    pub to: usize,
    /// Where it lies at the sender.
    pub source: u32,
    /// Where it goes at the receiver.
    pub result: u32,
    /// Its length. A block of 0 bytes is not sent, nor one of a member to itself whose two addresses are the same.
    pub bytes: u32,
}

impl Block {
    /// Whether it is sent: it has words, and the sender does not have them already in their place.
    pub(super) fn moves(&self, from: usize) -> bool {
        self.bytes > 0 && !self.is_in_place(from)
    }

    fn is_in_place(&self, from: usize) -> bool {
        self.to == from && self.source == self.result
    }
}

/// A piece of a member's memory that an exchange reads or writes.
struct Piece {
    tile: usize,
    first: u32,
    /// The first byte behind it.
    end: u32,
    is_written: bool,
}

impl Peers {
    /// Prepares an exchange in which the member of rank r sends the blocks `blocks[r]`, in this order.
    ///
    /// The blocks lie in memory that [`Fabric::allocate`] has handed out, so that they meet no command list.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is a list of blocks for each rank, or of a receiver's rank; [`Error::Misaligned`],
    /// [`Error::OutOfMemory`], [`Error::Unallocated`] of a block; [`Error::Overlap`] if a member would read or write a byte that
    /// another block writes: nothing is sent. [`Error::Exhausted`] if a member has no event, or no memory for its list: at a width
    /// of 32 bits up to 24 bytes a block and 200 more; twice as many at 64.
    /// [`Error::Descriptor`] of a block of more than 65,535 words; or the fabric's. Then nothing stays taken.
    pub fn exchange<T: Transport>(&self, fabric: &mut Fabric<T>, blocks: &[Vec<Block>]) -> Result<Exchange, Error> {
        let plan = self.plan(fabric, blocks)?;
        self.prepare(fabric, "exchange", &plan)
    }

    /// Prepares an exchange of one block from every member to every member. Member r reads the block for rank s at `source` + s
    /// `bytes`, and gets the block from rank s at `result` + s `bytes`.
    ///
    /// # Errors
    /// As for [`Peers::exchange`], and [`Error::OutOfRange`] of a number of addresses that is not the number of members.
    pub fn alltoall<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Exchange, Error> {
        self.alltoall_in(fabric, Order::default(), source, result, bytes)
    }

    /// [`Peers::alltoall`] in an order of your choice.
    ///
    /// # Errors
    /// As for [`Peers::alltoall`].
    pub fn alltoall_in<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        order: Order,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Exchange, Error> {
        let plan = self.alltoall_plan(fabric, order, source, result, bytes)?;
        self.prepare(fabric, "alltoall", &plan)
    }

    pub(crate) fn alltoall_plan<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        order: Order,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Plan, Error> {
        let lengths = vec![vec![bytes; self.size()]; self.size()];
        self.alltoallv_plan(fabric, order, source, result, &lengths)
    }

    /// Prepares an exchange of blocks of different lengths: `bytes[r][s]` is that of the block from rank r to rank s. At a sender
    /// the blocks lie behind each other in the order of their receivers, at a receiver in the order of their senders.
    ///
    /// # Errors
    /// As for [`Peers::alltoall`], and [`Error::OutOfRange`] unless there is a length for each pair of ranks.
    pub fn alltoallv<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: &[Vec<u32>],
    ) -> Result<Exchange, Error> {
        let plan = self.alltoallv_plan(fabric, Order::default(), source, result, bytes)?;
        self.prepare(fabric, "alltoallv", &plan)
    }

    /// Prepares an exchange in which the root, a rank, sends a block to every member: that of rank r lies at `source` + r `bytes`
    /// of the root.
    ///
    /// # Errors
    /// As for [`Peers::alltoall`], and [`Error::OutOfRange`] of the root.
    pub fn scatter<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        source: u32,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Exchange, Error> {
        let plan = self.scatter_plan(fabric, root, source, result, bytes)?;
        self.prepare(fabric, "scatter", &plan)
    }

    pub(crate) fn scatter_plan<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        root: usize,
        source: u32,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Plan, Error> {
        check_rank("root", root, self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        self.plan(fabric, &self.scatter_blocks(fabric, root, source, &results, bytes)?)
    }

    /// The blocks of a scatter, not checked.
    pub(crate) fn scatter_blocks<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        root: usize,
        source: u32,
        results: &[u32],
        bytes: u32,
    ) -> Result<Vec<Vec<Block>>, Error> {
        let mut blocks = vec![vec![]; self.size()];
        for &to in &self.receivers(fabric, Order::default())[root] {
            blocks[root].push(Block {
                to,
                source: offset(source, to, bytes)?,
                result: results[to],
                bytes,
            });
        }
        Ok(blocks)
    }

    /// Prepares an exchange in which every member sends a block to the root, a rank: that of rank r goes to `result` + r `bytes`
    /// of the root.
    ///
    /// # Errors
    /// As for [`Peers::scatter`].
    pub fn gather<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        source: impl Into<Addresses>,
        result: u32,
        bytes: u32,
    ) -> Result<Exchange, Error> {
        let plan = self.gather_plan(fabric, root, source, result, bytes)?;
        self.prepare(fabric, "gather", &plan)
    }

    pub(crate) fn gather_plan<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        root: usize,
        source: impl Into<Addresses>,
        result: u32,
        bytes: u32,
    ) -> Result<Plan, Error> {
        check_rank("root", root, self.size())?;
        let sources = source.into().by_rank("source addresses", self.size())?;
        let blocks = sources.into_iter().enumerate().map(|(rank, source)| {
            let result = offset(result, rank, bytes)?;
            let to = root;
            Ok(vec![Block {
                to,
                source,
                result,
                bytes,
            }])
        });
        let blocks = blocks.collect::<Result<Vec<_>, Error>>()?;
        self.plan(fabric, &blocks)
    }

    /// Prepares an exchange in which every member sends the same block to all members: that of rank r goes to `result` + r
    /// `bytes` of each. For long blocks, [`broadcast`](crate::collective::Communicator::broadcast) from every root is faster if
    /// the tiles have message-passing engines, because it sends each block along each link once.
    ///
    /// # Errors
    /// As for [`Peers::alltoall`].
    pub fn allgather<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Exchange, Error> {
        let plan = self.allgather_plan(fabric, source, result, bytes)?;
        self.prepare(fabric, "allgather", &plan)
    }

    pub(crate) fn allgather_plan<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Plan, Error> {
        let sources = source.into().by_rank("source addresses", self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        let mut blocks = vec![vec![]; self.size()];
        let receivers = self.receivers(fabric, Order::default());
        for (rank, blocks) in blocks.iter_mut().enumerate() {
            for &to in &receivers[rank] {
                blocks.push(Block {
                    to,
                    source: sources[rank],
                    result: offset(results[to], rank, bytes)?,
                    bytes,
                });
            }
        }
        self.plan(fabric, &blocks)
    }

    /// Prepares an exchange that copies `bytes` bytes from the address of the root, a rank, to the addresses of all others, along
    /// a binomial tree: in each step, twice as many members have the block. A member sends the whole block before its children
    /// send it on, so for long blocks the message-passing engines are faster, which forward while words still come:
    /// [`Communicator::broadcast`](crate::collective::Communicator::broadcast).
    ///
    /// # Errors
    /// As for [`Peers::scatter`].
    pub fn broadcast<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        root: usize,
        address: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Exchange, Error> {
        let plan = self.broadcast_plan(fabric, root, address, bytes)?;
        self.prepare(fabric, "broadcast", &plan)
    }

    pub(crate) fn broadcast_plan<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        root: usize,
        address: impl Into<Addresses>,
        bytes: u32,
    ) -> Result<Plan, Error> {
        check_rank("root", root, self.size())?;
        let addresses = address.into().by_rank("addresses", self.size())?;
        for (rank, &address) in addresses.iter().enumerate() {
            self.check_piece(fabric, rank, ("address", address), bytes, rank != root)?;
        }
        Ok(Plan::broadcast(root, &addresses, bytes))
    }

    /// The plan of these blocks, by rank, each member's in its order. Like every plan that this module gives, it is checked.
    fn plan<T: Transport>(&self, fabric: &Fabric<T>, blocks: &[Vec<Block>]) -> Result<Plan, Error> {
        self.check_blocks(fabric, blocks)?;
        Ok(Plan::blocks(blocks))
    }

    pub(crate) fn alltoallv_plan<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        order: Order,
        source: impl Into<Addresses>,
        result: impl Into<Addresses>,
        bytes: &[Vec<u32>],
    ) -> Result<Plan, Error> {
        let size = self.size();
        let sources = source.into().by_rank("source addresses", size)?;
        let mut results = result.into().by_rank("result addresses", size)?;
        for count in [bytes.len()].into_iter().chain(bytes.iter().map(Vec::len)) {
            check_count("lengths", count, size)?;
        }
        let mut blocks = vec![];
        for ((mut source, lengths), receivers) in sources.into_iter().zip(bytes).zip(self.receivers(fabric, order)) {
            let mut row = vec![];
            for (to, (&bytes, result)) in lengths.iter().zip(&mut results).enumerate() {
                row.push(Block {
                    to,
                    source,
                    result: *result,
                    bytes,
                });
                source = advance(source, bytes.into())?;
                *result = advance(*result, bytes.into())?;
            }
            blocks.push(receivers.into_iter().map(|to| row[to]).collect());
        }
        self.plan(fabric, &blocks)
    }

    /// All ranks, for each rank in the order in which it sends to them; itself last, because no link carries this block.
    fn receivers<T: Transport>(&self, fabric: &Fabric<T>, order: Order) -> Vec<Vec<usize>> {
        let mut receivers = orders(fabric.config(), self.tiles(), order);
        for (rank, receivers) in receivers.iter_mut().enumerate() {
            receivers.push(rank);
        }
        receivers
    }

    /// Checks the blocks of all members.
    fn check_blocks<T: Transport>(&self, fabric: &Fabric<T>, blocks: &[Vec<Block>]) -> Result<(), Error> {
        check_count("lists of blocks", blocks.len(), self.size())?;
        let mut pieces = vec![];
        for (rank, blocks) in blocks.iter().enumerate() {
            for block in blocks {
                check_rank("receiver", block.to, self.size())?;
                // A block that stays in place is not written, and no other block may write it.
                let is_written = !block.is_in_place(rank);
                pieces.push(self.check_piece(fabric, block.to, ("result", block.result), block.bytes, is_written)?);
                pieces.push(self.check_piece(fabric, rank, ("source", block.source), block.bytes, false)?);
            }
        }
        pieces.retain(|piece| piece.first < piece.end);
        pieces.sort_by_key(|piece| (piece.tile, piece.first));
        check_overlaps(&pieces)
    }

    fn check_piece<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        rank: usize,
        (field, first): (&'static str, u32),
        bytes: u32,
        is_written: bool,
    ) -> Result<Piece, Error> {
        let tile = self.tiles()[rank];
        fabric.check_local(tile, field, first, "bytes", bytes.into())?;
        if bytes > 0 && !fabric.nodes[tile].memory.has_taken(first, bytes) {
            let (node, address) = (tile, first);
            return Err(Error::Unallocated { node, address, bytes });
        }
        Ok(Piece {
            tile,
            first,
            end: first + bytes,
            is_written,
        })
    }
}

/// Refuses two pieces that share a byte, of which one is written. They are sorted by tile and first byte.
fn check_overlaps(pieces: &[Piece]) -> Result<(), Error> {
    // Ends of the pieces so far at a tile: of all, and of those that are written.
    let (mut tile, mut any, mut written) = (usize::MAX, 0, 0);
    for piece in pieces {
        if piece.tile != tile {
            (tile, any, written) = (piece.tile, 0, 0);
        }
        let behind = if piece.is_written { any } else { written };
        if piece.first < behind {
            let (node, address) = (tile, piece.first);
            return Err(Error::Overlap { node, address });
        }
        any = any.max(piece.end);
        if piece.is_written {
            written = written.max(piece.end);
        }
    }
    Ok(())
}

/// The address of a block behind `number` blocks.
pub(crate) fn offset(address: u32, number: usize, bytes: u32) -> Result<u32, Error> {
    advance(address, number as u64 * u64::from(bytes))
}

/// An address `bytes` further on. One beyond all memories is refused here, before it wraps.
fn advance(address: u32, bytes: u64) -> Result<u32, Error> {
    let value = u64::from(address) + bytes;
    u32::try_from(value).map_err(|_| Error::OutOfRange {
        field: "address of a block",
        value,
        min: 0,
        max: u32::MAX.into(),
    })
}
