//! All tiles send messages to a queue of one.
//!
//! Runs on the golden fabric, where a cycle is an access of the driver: `cargo run -p portico --example many_to_one_queue`.

use portico::{examples, Fabric, GoldenTransport};
use portico_spec::Config;

fn main() -> Result<(), examples::Failure> {
    let config = Config {
        edge_nodes: 1,
        ..Config::default()
    };
    let mut fabric = Fabric::open(GoldenTransport::new(&config)?)?;
    let figures = examples::many_to_one(&mut fabric)?;
    println!("{} bytes, checked, in {} accesses", figures.bytes, figures.cycles);
    Ok(())
}
