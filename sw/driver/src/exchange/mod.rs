//! Exchanges: each member of a group puts blocks of its memory into the memories of others. They need no engine.
//!
//! | MPI | here |
//! | --- | --- |
//! | `MPI_Alltoall`, `MPI_Alltoallv` | [`alltoall`](Peers::alltoall), [`alltoallv`](Peers::alltoallv) |
//! | `MPI_Alltoallw`, and displacements of any kind | [`exchange`](Peers::exchange) |
//! | `MPI_Scatter`, `MPI_Gather`, `MPI_Allgather` | [`scatter`](Peers::scatter), [`gather`](Peers::gather), [`allgather`](Peers::allgather) |
//! | `MPI_Alltoall_init`, `MPI_Start`, `MPI_Test`, `MPI_Wait`, `MPI_Request_free` | each of these calls, then [`start`](Exchange::start), [`poll`](Exchange::poll), [`wait`](Exchange::wait), [`release`](Exchange::release) |
//!
//! [`Peers`] is a group of tiles. Each member has a window over its memory, and a segment for the window of every member.
//!
//! An [`Exchange`] is prepared once and can be started again and again. The driver writes a [command
//! list](portico_spec::ni::command_list) into the memory of each member, one put a block. To start the exchange, it
//! sends each member one descriptor: a put of the list to the member's own command queue. So the members send by
//! themselves, at the same time, and the host does not handle each block. Members send in an [`Order`] in which every
//! member receives one block at a time.
//!
//! ```
//! use portico::{Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! for tile in 0..4 {
//!     let blocks = [0, 1, 2, 3].map(|rank| 10 * tile as u32 + rank);
//!     fabric.write(tile, 0x100, &blocks)?;
//! }
//! let peers = fabric.peers(&[0, 1, 2, 3])?;
//! let mut exchange = peers.alltoall(&mut fabric, 0x100, 0x200, 4)?;
//! exchange.start(&mut fabric)?;
//! exchange.wait(&mut fabric, 10_000)?;
//! assert_eq!(fabric.read(2, 0x200, 4)?, [2, 12, 22, 32]);
//! exchange.release(&mut fabric)?;
//! peers.release(&mut fabric)?;
//! # Ok::<(), portico::Error>(())
//! ```

pub use portico_spec::exchange::Order;

pub use self::{blocks::Block, peers::Peers, run::Exchange};

mod blocks;
mod list;
mod peers;
mod run;
#[cfg(test)]
mod tests;
