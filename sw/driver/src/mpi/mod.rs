//! MPI-like calls: the collectives of MPI, each carried out in the way that is likely to be the fastest.
//!
//! | MPI | call | ways |
//! | --- | --- | --- |
//! | `MPI_Barrier` | [`barrier`](Comm::barrier) | engines, host |
//! | `MPI_Bcast` | [`bcast`](Comm::bcast) | engines, puts |
//! | `MPI_Reduce`, `MPI_Allreduce`, `MPI_Reduce_scatter_block` | [`reduce`](Comm::reduce), [`allreduce`](Comm::allreduce), [`reduce_scatter`](Comm::reduce_scatter) | engines, host |
//! | `MPI_Allgather`, in place | [`allgather`](Comm::allgather) | engines, puts |
//! | `MPI_Scatter`, `MPI_Gather` | [`scatter`](Comm::scatter), [`gather`](Comm::gather) | puts |
//! | `MPI_Alltoall`, `MPI_Alltoallv` | [`alltoall`](Comm::alltoall), [`alltoallv`](Comm::alltoallv) | puts |
//! | `MPI_Comm_size`, `MPI_Comm_rank`, `MPI_Comm_free` | [`size`](Comm::size), [`rank`](Comm::rank), [`release`](Comm::release) | |
//! | `MPI_Start`, `MPI_Test`, `MPI_Wait`, `MPI_Request_free` | [`start`](Request::start), [`poll`](Request::poll), [`wait`](Request::wait), [`release`](Request::release) of a [`Request`] | |
//!
//! | way | who does it | needs |
//! | --- | --- | --- |
//! | [`Way::Engines`] | message-passing engines, started by the host: [`collective`](crate::collective) | key `mpe`, a context |
//! | [`Way::Puts`] | command lists of the tiles: [`exchange`](crate::exchange) | a segment handle for each member |
//! | [`Way::Host`] | this program, which reads and writes the memories | nothing |
//!
//! By engines, `reduce_scatter` is a reduce and a scatter by puts.
//!
//! So every call works with and without engines. Where a call has several ways, [`cost`] estimates each, and the
//! cheapest is taken; [`Comm::force`] takes another one. [`Request::way`] and [`Request::estimate`] tell what was chosen.
//!
//! A group whose members have a second context that is free has two trees: that of its shape for short vectors, and a chain for long
//! ones. The cost model takes one by the call and its length, and [`Request::shape`] tells which. Calls of a group are one sequence: a
//! call along one tree starts when those before it along the other have ended. A communicator that finds no context free takes the
//! second one; the group and its requests then go on along the first tree.
//!
//! Elements are words of 32 bits. Data of calls that puts can carry out lie in memory that
//! [`Fabric::allocate`](crate::Fabric::allocate) has handed out. A result does not depend on the way, to the last bit: the host folds
//! along the same tree as the engines. It may depend on the tree, in the last bits of sums of floating-point numbers.
//!
//! ```
//! use portico::{collective::{Operation, Shape}, mpi::Way, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//! for tile in 0..4 {
//!     let own = fabric.allocate(tile, 16)?.base;
//!     assert_eq!(own, 0);
//!     fabric.write(tile, own, &[tile as u32, 10, 0, 0])?;
//! }
//! let mut world = fabric.mpi(&[0, 1, 2, 3], &Shape::Centre)?;
//! // This fabric has no engines.
//! let sum = world.allreduce(&mut fabric, 0, 8, 2, Operation::IntegerSum)?;
//! assert_eq!(sum.way(), Way::Host);
//! sum.run(&mut fabric, 10_000)?;
//! assert_eq!(fabric.read(3, 8, 2)?, [6, 40]);
//! world.bcast(&mut fabric, 2, 0, 1)?.run(&mut fabric, 10_000)?;
//! assert_eq!(fabric.read(1, 0, 2)?, [2, 10]);
//! world.release(&mut fabric)?;
//! # Ok::<(), portico::Error>(())
//! ```

pub use self::{comm::Comm, request::Request};

mod calls;
mod comm;
pub mod cost;
mod host;
mod request;
mod route;
#[cfg(test)]
mod tests;

/// A way to carry out a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The message-passing engines of the members.
    Engines,
    /// Puts of the members, from command lists in their memories.
    Puts,
    /// The host itself.
    Host,
}

impl Way {
    /// All ways.
    pub const ALL: [Way; 3] = [Way::Engines, Way::Puts, Way::Host];

    /// Name in figures and errors.
    pub fn name(self) -> &'static str {
        match self {
            Way::Engines => "engines",
            Way::Puts => "puts",
            Way::Host => "host",
        }
    }
}
