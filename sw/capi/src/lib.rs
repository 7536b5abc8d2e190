//! The host driver for C and C++: the functions of `include/portico.h`.
//!
//! | module | has |
//! | --- | --- |
//! | `status` | status codes, and the text of the last error |
//! | `handle` | handles, and what every function does around its work |
//! | `pointer` | what pointers of the caller stand for |
//! | `carrier` | the transport of a fabric; that of the caller |
//! | `open`, `memory` | fabrics, their nodes and memory |
//! | `segment`, `operation`, `ticket` | windows, segments, one-sided operations |
//! | `event`, `list` | events, command lists |
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

mod carrier;
mod event;
mod handle;
mod list;
mod memory;
mod open;
mod operation;
mod pointer;
mod segment;
mod status;
#[cfg(test)]
mod tests;
mod ticket;

pub use self::{
    carrier::*, event::*, handle::portico_fabric, list::*, memory::*, open::*, operation::*, segment::*, status::*,
    ticket::*,
};
