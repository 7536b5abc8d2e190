//! The library as its callers meet it.

mod bench;
mod groups;
mod handles;
mod header;
mod operations;
mod programs;
mod transports;
