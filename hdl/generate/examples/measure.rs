//! Exact cycles of a put of 8 bytes over one hop, on the Verilog of a fabric: `cargo run -p portico-generate --example measure`.
//!
//! The first run compiles the Verilog. Later ones take it from the cache.

use portico::{onesided, Config, Fabric};
use portico_generate::simulated;
use portico_spec::ni::{descriptor::*, event::Compare};

/// Cycles from the last word of the descriptor to the event at tile 0, and the same put as the host sees it.
pub fn cycles_of_a_put() -> Result<(u64, u64), Box<dyn std::error::Error>> {
    let config = Config::from_toml(include_str!("../../../examples/portico.toml"))?;
    let mut fabric = Fabric::open(simulated(&config)?)?;
    fabric.write(0, 0x100, &[10, 20])?;
    let window = fabric.publish(1, onesided::Window::new(0x200, 8))?;
    let segment = fabric.tile(0)?.clone_segment(window.id())?;

    // The host commands tile 0 and reads its event through the fabric, so the host's accesses count too.
    let begun = fabric.transport().cycles();
    let put = fabric.tile(0)?.put(&segment, 0, 0x100, onesided::Geometry::linear(8))?;
    put.wait(1000)?;
    let host = fabric.transport().cycles() - begun;

    // At the ports of tile 0, as a core beside it would do.
    let event = fabric.event(0)?;
    event.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    let mut put = Descriptor::new(Command::Put(Transfer {
        remote: 0,
        local: 0x100,
        geometry: Geometry::Row { row: 8 },
    }));
    (put.segment, put.event) = (segment.handle(), event.number());
    let verilog = fabric.transport();
    verilog.command(0, &put.encode(&config)?);
    let fired = verilog.wait_event(0, event.number().into(), 1000);
    let tile = fired.ok_or("the event has not fired within 1000 cycles")? - verilog.accepted(0).1;
    assert_eq!(fabric.read(1, 0x200, 2)?, [10, 20]);
    Ok((tile, host))
}

#[allow(dead_code, reason = "the test takes this file as a module")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (tile, host) = cycles_of_a_put()?;
    println!("a put of 8 bytes over one hop: {tile} cycles at its tile, {host} as the host sees it");
    Ok(())
}
