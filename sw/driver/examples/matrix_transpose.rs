//! Tiles transpose a matrix that lies over all of them.
//!
//! Runs on the golden fabric, where a cycle is an access of the driver: `cargo run -p portico --example matrix_transpose`.

use portico::{examples, Fabric, GoldenTransport};
use portico_spec::Config;

fn main() -> Result<(), examples::Failure> {
    let config = Config {
        edge_nodes: 1,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    let figures = examples::transpose(&mut fabric)?;
    println!("{} bytes, checked, in {} accesses", figures.bytes, figures.cycles);
    Ok(())
}
