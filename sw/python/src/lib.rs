//! The native module of the Python package `portico`: the host driver, over the transports of the driver and over objects of
//! Python.
//!
//! | module | has |
//! | --- | --- |
//! | `failure` | why a call fails, as an exception of `portico.errors` |
//! | `number` | numbers of the caller, checked |
//! | `array` | numpy arrays as words of 32 bits |
//! | `config` | configurations |
//! | `carrier` | the transport of a fabric; objects of Python as transports |
//! | `interrupt` | Ctrl-C, held back while an object of Python carries an access |
//! | `shared` | a fabric and its lock; calls, and waits that Ctrl-C ends |
//! | `fabric` | fabrics, their nodes and memory |
//! | `item` | items of a fabric, until they are released |
//! | `segment`, `operation`, `ticket` | windows, segments, one-sided operations and how they complete |
//! | `event`, `mailbox`, `stream` | events, mailboxes, streams of accelerators |
//! | `comm`, `request` | MPI-like calls of groups of tiles |
//! | `portals` | Portals interfaces of tiles |
//! | `registers` | registers of any node |
//! | `flit` | heads of packets, for test benches |
//!
//! A call takes the lock of its fabric without waiting for it, and works without the GIL. So a call never waits for another
//! thread, and an object of Python that carries accesses can take the GIL.
#![warn(missing_docs)]

use pyo3::prelude::*;

mod array;
mod carrier;
mod comm;
mod config;
mod event;
mod fabric;
mod failure;
mod flit;
mod interrupt;
mod item;
mod mailbox;
mod number;
mod operation;
mod portals;
mod registers;
mod request;
mod segment;
mod shared;
mod stream;
mod ticket;

/// The driver itself. Use the package portico, which has all of it.
#[pymodule]
mod _portico {
    #[pymodule_export]
    use crate::{
        comm::Comm,
        config::Config,
        event::{Event, EventState},
        fabric::{Fabric, Region},
        flit::{head_fields, max_payload, place},
        mailbox::Mailbox,
        operation::Geometry,
        portals::{
            get_map,
            handle::{Ct, Eq, Le, Md, Me},
            names::constants,
            ni::Ni,
            set_map,
        },
        registers::registers,
        request::Request,
        segment::{Segment, Window},
        shared::{ending, forked},
        stream::Streams,
        ticket::Ticket,
    };

    /// Version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
