//! Tile 0 puts four words into the memory of tile 3, then adds to one of them (`docs/tutorial.md`).
//!
//! Runs on the golden fabric: `cargo run -p portico --example first_program`. With the path of a serial port as argument, it
//! runs on a board, or on `portico bridge --config examples/portico.toml`.

use portico::{
    onesided::{Geometry, Window},
    serial::{Options, PortLine, DEFAULT_BAUD},
    Config, Error, Fabric, GoldenTransport, SerialTransport, Transport, TransportError,
};
use std::{env, fs, path::Path};

fn program<T: Transport>(transport: T) -> Result<(), Error> {
    let mut fabric = Fabric::open(transport)?;
    fabric.write(0, 0x100, &[10, 20, 30, 40])?; // the data in tile 0

    // Tile 3 opens 64 bytes of its memory, from 0x200 on, as a window. Tile 0 gets a segment for it.
    let window = fabric.publish(3, Window::new(0x200, 64))?;
    let segment = fabric.tile(0)?.clone_segment(window.id())?;

    // A put of 16 bytes from address 0x100 of tile 0 to offset 0 of the window, in at most 1000 cycles.
    fabric
        .tile(0)?
        .put(&segment, 0, 0x100, Geometry::linear(16))?
        .wait(1000)?;
    println!("tile 3 has {:?}", fabric.read(3, 0x200, 4)?);

    // An atomic at offset 4: its value before comes back.
    let before: u32 = fabric.tile(0)?.fetchadd(&segment, 4, 5u32)?.wait(1000)?;
    println!("{before} became {}", fabric.read(3, 0x204, 1)?[0]);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/portico.toml");
    let config = Config::from_toml(&fs::read_to_string(file)?)?.fabric()?;
    match env::args().nth(1) {
        None => program(GoldenTransport::new(&config)?)?,
        Some(path) => {
            let line = PortLine::open(&path, DEFAULT_BAUD).map_err(TransportError::from)?;
            program(SerialTransport::open(line, &config, Options::default())?)?;
        }
    }
    Ok(())
}
