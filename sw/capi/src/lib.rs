//! The host driver for C and C++: the functions of `include/portico.h`.
//!
//! | module | has |
//! | --- | --- |
//! | `status` | status codes, and the text of the last error |
//! | `handle` | handles, and what every function does around its work |
//! | `pointer` | what pointers of the caller stand for |
//! | `carrier` | the transport of a fabric; that of the caller |
//! | `open`, `memory` | fabrics, their nodes and memory |
//! | `segment`, `operation`, `completion`, `ticket` | windows, segments, one-sided operations and how they complete |
//! | `atomic`, `queue`, `sender`, `mailbox`, `program` | other operations, and what they need |
//! | `event`, `list` | events, command lists |
//! | `group` | what groups of tiles have in common |
//! | `comm`, `mpi`, `request` | MPI-like calls |
//! | `communicator`, `collective` | calls by message-passing engines |
//! | `peers`, `exchange` | exchanges of blocks by puts |
//! | `portals`, `ct`, `eq`, `matching`, `options` | Portals 4.3 |
//! | `registers`, `probe`, `streams` | registers and counters; traffic; streams of accelerators |
//!
//! A function takes a handle of a fabric first and its results last. It checks all pointers before it does anything. No panic
//! crosses the border: a function ends it, and the fabric can only be closed then.
//!
//! The header is written from these sources by `cargo run -p portico-capi --example header`.
// What callers have to hold is the same for all functions, and stands at the top of the header. It is why the `unsafe` blocks of
// these functions are sound.
#![allow(clippy::missing_safety_doc)]
// The names are those of C.
#![allow(non_camel_case_types)]
#![warn(missing_docs)]

mod atomic;
mod carrier;
mod collective;
mod comm;
mod communicator;
mod completion;
mod ct;
mod eq;
mod event;
mod exchange;
mod group;
mod handle;
mod list;
mod mailbox;
mod matching;
mod memory;
mod mpi;
mod open;
mod operation;
mod options;
mod peers;
mod pointer;
mod portals;
mod probe;
mod program;
mod queue;
mod registers;
mod request;
mod segment;
mod sender;
mod status;
mod streams;
#[cfg(test)]
mod tests;
mod ticket;

pub use self::{
    atomic::*, carrier::*, collective::*, comm::*, communicator::*, completion::*, ct::*, eq::*, event::*, exchange::*,
    group::*, handle::portico_fabric, list::*, mailbox::*, matching::*, memory::*, mpi::*, open::*, operation::*,
    options::*, peers::*, portals::*, probe::*, program::*, queue::*, registers::*, request::*, segment::*, sender::*,
    status::*, streams::*, ticket::*,
};
