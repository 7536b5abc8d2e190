//! The library as its callers meet it.

mod bench;
mod handles;
mod header;
mod programs;
mod transports;
