//! The library as its callers meet it.

mod bench;
mod functions;
mod groups;
mod handles;
mod header;
mod null;
mod operations;
mod programs;
mod transports;
