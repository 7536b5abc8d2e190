//! A small golden fabric.

use portico::{Fabric, GoldenTransport};
use portico_spec::Config;

/// Six tiles, the host and a memory node.
pub fn config(width: usize) -> Config {
    Config {
        cols: 3,
        rows: 2,
        edge_nodes: 2,
        memories: 1,
        scratchpad: 16,
        width,
        ..Config::default()
    }
}

/// Its driver.
pub fn open(width: usize) -> Fabric<GoldenTransport> {
    Fabric::open(GoldenTransport::new(&config(width)).unwrap()).unwrap()
}

/// Cycles for what must complete at once.
pub const SOON: u64 = 1000;
