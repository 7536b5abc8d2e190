//! Tiles exchange the borders of their blocks of a grid, rows and columns, all at once.
//!
//! Runs on the golden fabric, where a cycle is an access of the driver: `cargo run -p portico --example halo_exchange`.

use portico::{examples, Fabric, GoldenTransport};
use portico_spec::Config;

fn main() -> Result<(), examples::Failure> {
    let config = Config {
        edge_nodes: 1,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    let figures = examples::halo_exchange(&mut fabric)?;
    println!("{} bytes, checked, in {} accesses", figures.bytes, figures.cycles);
    Ok(())
}
