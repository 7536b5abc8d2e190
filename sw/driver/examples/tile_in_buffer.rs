//! A dense tile of 16 x 16 words goes into the middle of an 18 x 18 buffer of another tile.
//!
//! Runs on the golden fabric, where a cycle is an access of the driver: `cargo run -p portico --example tile_in_buffer`.

use portico::{examples, Fabric, GoldenTransport};
use portico_spec::Config;

fn main() -> Result<(), examples::Failure> {
    let config = Config {
        edge_nodes: 1,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    let figures = examples::tile_in_buffer(&mut fabric)?;
    println!("{} bytes, checked, in {} accesses", figures.bytes, figures.cycles);
    Ok(())
}
