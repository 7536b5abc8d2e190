//! The blocks of an exchange: what each member sends, where to, and the checks before anything is sent.

use super::{Exchange, Order, Peers};
use crate::{
    collective::{check_rank, Addresses},
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
        self.bytes > 0 && !(self.to == from && self.source == self.result)
    }
}

/// A piece of a member's memory that an exchange reads or writes.
pub(super) struct Piece {
    pub tile: usize,
    pub first: u32,
    /// The first byte behind it.
    pub end: u32,
    pub is_written: bool,
}

impl Peers {
    /// Prepares an exchange in which the member of rank r sends the blocks `blocks[r]`, in this order.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is a list of blocks for each rank, or of a receiver's rank; [`Error::Misaligned`],
    /// [`Error::OutOfMemory`] of a block; [`Error::Overlap`] if a member would read or write a byte that another block
    /// writes; [`Error::Descriptor`] of too long a block: nothing is sent. [`Error::Exhausted`] if a member has no event, or no
    /// memory for its list, which takes 20 bytes a block at a width of 32 bits and 40 at 64; or the fabric's.
    pub fn exchange<T: Transport>(&self, fabric: &mut Fabric<T>, blocks: &[Vec<Block>]) -> Result<Exchange, Error> {
        self.prepare(fabric, "exchange", blocks)
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
        let lengths = vec![vec![bytes; self.size()]; self.size()];
        self.personalised(fabric, "alltoall", order, source.into(), result.into(), &lengths)
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
        let order = Order::default();
        self.personalised(fabric, "alltoallv", order, source.into(), result.into(), bytes)
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
        check_rank("root", root, self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        let mut blocks = vec![vec![]; self.size()];
        for to in self.receivers(Order::default(), root) {
            blocks[root].push(Block {
                to,
                source: offset(source, to, bytes)?,
                result: results[to],
                bytes,
            });
        }
        self.prepare(fabric, "scatter", &blocks)
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
        self.prepare(fabric, "gather", &blocks)
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
        let sources = source.into().by_rank("source addresses", self.size())?;
        let results = result.into().by_rank("result addresses", self.size())?;
        let mut blocks = vec![vec![]; self.size()];
        for (rank, blocks) in blocks.iter_mut().enumerate() {
            for to in self.receivers(Order::default(), rank) {
                blocks.push(Block {
                    to,
                    source: sources[rank],
                    result: offset(results[to], rank, bytes)?,
                    bytes,
                });
            }
        }
        self.prepare(fabric, "allgather", &blocks)
    }

    fn personalised<T: Transport>(
        &self,
        fabric: &mut Fabric<T>,
        what: &'static str,
        order: Order,
        source: Addresses,
        result: Addresses,
        bytes: &[Vec<u32>],
    ) -> Result<Exchange, Error> {
        let size = self.size();
        let sources = source.by_rank("source addresses", size)?;
        let results = result.by_rank("result addresses", size)?;
        for count in [bytes.len()].into_iter().chain(bytes.iter().map(Vec::len)) {
            check_count("lengths", count, size)?;
        }
        let mut blocks = vec![vec![]; size];
        for (rank, blocks) in blocks.iter_mut().enumerate() {
            for to in self.receivers(order, rank) {
                let before = bytes[rank][..to].iter().map(|&bytes| u64::from(bytes)).sum();
                let above = bytes[..rank].iter().map(|row| u64::from(row[to])).sum();
                blocks.push(Block {
                    to,
                    source: advance(sources[rank], before)?,
                    result: advance(results[to], above)?,
                    bytes: bytes[rank][to],
                });
            }
        }
        self.prepare(fabric, what, &blocks)
    }

    /// All ranks, in the order in which a member sends to them; itself last, because no link carries this block.
    fn receivers(&self, order: Order, rank: usize) -> Vec<usize> {
        let mut receivers = self.order(order, rank);
        receivers.push(rank);
        receivers
    }

    /// Checks the blocks of all members, and gives the memory that they take.
    pub(super) fn check_blocks<T: Transport>(
        &self,
        fabric: &Fabric<T>,
        blocks: &[Vec<Block>],
    ) -> Result<Vec<Piece>, Error> {
        check_count("lists of blocks", blocks.len(), self.size())?;
        let mut pieces = vec![];
        for (rank, blocks) in blocks.iter().enumerate() {
            for &Block {
                to,
                source,
                result,
                bytes,
            } in blocks
            {
                check_rank("receiver", to, self.size())?;
                let ends = [(rank, "source", source, false), (to, "result", result, true)];
                for (rank, field, first, is_written) in ends {
                    let tile = self.tiles()[rank];
                    fabric.check_local(tile, field, first, "bytes", bytes.into())?;
                    let end = first + bytes;
                    pieces.push(Piece {
                        tile,
                        first,
                        end,
                        is_written,
                    });
                }
            }
        }
        pieces.sort_by_key(|piece| (piece.tile, piece.first));
        check_overlaps(&pieces)?;
        Ok(pieces)
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

fn check_count(field: &'static str, count: usize, size: usize) -> Result<(), Error> {
    let (value, size) = (count as u64, size as u64);
    if value != size {
        return Err(Error::OutOfRange {
            field,
            value,
            min: size,
            max: size,
        });
    }
    Ok(())
}

/// The address of a block behind `number` blocks.
fn offset(address: u32, number: usize, bytes: u32) -> Result<u32, Error> {
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
