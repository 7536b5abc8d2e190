//! The library as its callers meet it.

mod bench;
mod functions;
mod groups;
mod handles;
mod header;
mod items;
mod null;
mod operations;
mod portals;
mod processors;
mod programs;
mod random;
mod speed;
mod transports;
