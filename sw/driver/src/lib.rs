//! The host driver of a Portico fabric.
//!
//! It works through a [`Transport`], which reads and writes the address space of the host node. The driver reaches all other
//! nodes over the network. [`GoldenTransport`] is the reference model in this process; [`SerialTransport`] and
//! [`UioTransport`] reach a fabric on a board.
//!
//! | module | gives |
//! | --- | --- |
//! | [`Fabric`] | nodes, their memory, and the allocation of their resources |
//! | [`onesided`] | segments; put, get and stream in any geometry; atomics; fence |
//! | [`queue`] | N-to-1 queues of whole messages |
//! | [`event`] | counters with thresholds |
//! | [`mailbox`] | 64-bit messages and barriers |
//! | [`program`] | the user's programs for the micro-cores |
//! | [`collective`] | barrier, broadcast, reduce and allreduce over groups of tiles |
//! | [`exchange`] | alltoall, scatter, gather and allgather over groups of tiles, with puts |
//! | [`mpi`] | the collectives of MPI, each in the way that is likely to be the fastest |
//! | [`probe`] | traffic between tiles, made and measured by hardware |
//! | [`portals`] | Portals 4.3: puts and gets that the target matches in hardware, events and counters |
//! | [`streams`] | streams of words between a tile and an accelerator beside it |
//! | [`list`] | operations that tiles do by themselves, with one start and one end |
//! | [`serial`] | the UART bridge of a board, and a pseudo-terminal to try it without a board |
//! | [`registers`] | any register of any node, and the monitor's counters |
//! | [`examples`] | whole applications that check themselves |
//!
//! Operations are *prepared* by an initiator, which checks them; `wait(cycles)` then runs one to its end, `start()`
//! gives a [`Ticket`](onesided::Ticket) for it, and `count_in(event)` lets many complete together.
//!
//! ```
//! use portico::{onesided::{Geometry, Strides, Window}, Config, Fabric, GoldenTransport};
//!
//! let config = Config { cols: 2, rows: 2, edge_nodes: 1, ..Config::default() };
//! let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
//!
//! // Tile 3 takes the second column of a 4 x 4 matrix that tile 0 has.
//! let matrix: Vec<u32> = (0..16).collect();
//! fabric.write(0, 0, &matrix)?;
//! let segment = fabric.publish(0, Window::new(0, 64))?;
//! let remote = fabric.tile(3)?.clone_segment(segment.id())?;
//! let column = Geometry::rows(4, 4, Strides { remote: 16, local: 4 });
//! fabric.tile(3)?.get(&remote, 4, 0x200, column)?.wait(1000)?;
//! assert_eq!(fabric.read(3, 0x200, 4)?, [1, 5, 9, 13]);
//! # Ok::<(), portico::Error>(())
//! ```
#![warn(missing_docs)]

pub use self::{
    error::Error,
    fabric::{check_port, check_streams, Fabric, Region},
    golden::{GoldenPort, GoldenTransport},
    identity::{verify, verify_tiles},
    serial::SerialTransport,
    transport::{Transport, TransportError, Watched},
    uio::UioTransport,
};
pub use portico_spec::{ni::ErrorCode, Config};

pub mod collective;
pub mod event;
pub mod examples;
pub mod exchange;
pub mod list;
pub mod mailbox;
pub mod mpi;
pub mod onesided;
pub mod portals;
pub mod probe;
pub mod program;
pub mod queue;
pub mod registers;
pub mod serial;
pub mod streams;

mod command;
mod error;
mod fabric;
mod golden;
mod host;
mod identity;
mod page;
mod resources;
#[cfg(test)]
mod testing;
mod transport;
mod uio;
