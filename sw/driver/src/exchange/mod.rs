//! Exchanges: each member of a group puts blocks of its memory into the memories of others. They need no engine.
//!
//! | MPI | here |
//! | --- | --- |
//! | `MPI_Alltoall`, `MPI_Alltoallv` | [`alltoall`](Peers::alltoall), [`alltoallv`](Peers::alltoallv) |
//! | `MPI_Alltoallw`, and displacements of any kind | [`exchange`](Peers::exchange) |
//! | `MPI_Scatter`, `MPI_Gather`, `MPI_Allgather` | [`scatter`](Peers::scatter), [`gather`](Peers::gather), [`allgather`](Peers::allgather) |
//! | `MPI_Bcast` | [`broadcast`](Peers::broadcast) |
//! | `MPI_Alltoall_init`, `MPI_Start`, `MPI_Test`, `MPI_Wait`, `MPI_Request_free` | each of these calls, then [`start`](Exchange::start), [`poll`](Exchange::poll), [`wait`](Exchange::wait), [`release`](Exchange::release) |
//!
//! [`Peers`] is a group of tiles. Each member has a segment for every member. Blocks lie in memory that
//! [`Fabric::allocate`](crate::Fabric::allocate) has handed out.
//!
//! An [`Exchange`] is prepared once and can be started again and again. The driver writes a [command
//! list](portico_spec::ni::command_list) into the memory of each member, one put a block. To start the exchange, it
//! sends one descriptor to one member: a put of the member's list to its own command queue. Each member starts up
//! to four others, then sends its blocks, and tells the host when all have ended. So the host does not handle each block, nor each
//! member: see [`list`](crate::list). Members send in an [`Order`]
//! in which every member receives one block at a time.
//!
//! ```
//! use portico::{Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! let (mut sources, mut results) = (vec![], vec![]);
//! for tile in 0..4 {
//!     sources.push(fabric.allocate(tile, 16)?.base);
//!     results.push(fabric.allocate(tile, 16)?.base);
//!     fabric.write(tile, sources[tile], &[0, 1, 2, 3].map(|rank| 10 * tile as u32 + rank))?;
//! }
//! let mut peers = fabric.peers(&[0, 1, 2, 3])?;
//! let mut exchange = peers.alltoall(&mut fabric, sources, results.clone(), 4)?;
//! exchange.start(&mut fabric)?;
//! exchange.wait(&mut fabric, 10_000)?;
//! assert_eq!(fabric.read(2, results[2], 4)?, [2, 12, 22, 32]);
//! exchange.release(&mut fabric)?;
//! peers.release(&mut fabric)?;
//! # Ok::<(), portico::Error>(())
//! ```

pub use portico_spec::exchange::Order;

pub(crate) use self::{
    blocks::offset,
    peers::{Dropped, Running},
    plan::{Plan, PlanStep},
};
pub use self::{blocks::Block, peers::Peers, run::Exchange};

mod blocks;
mod peers;
mod plan;
mod run;
#[cfg(test)]
mod tests;
