//! Every fault that the backend finds, provoked by a small circuit, with the whole message that its author sees.

mod hand;
mod kinds;
mod names;
mod values;
mod wiring;

use portico_verilog::{emit, Design, Error, Options, Result};
use rust_hdl::prelude::Block;

fn options() -> Options {
    Options {
        generator: "Test 1.0".into(),
        licence: String::new(),
        prefix: "test".into(),
        block: "top".into(),
        configuration: vec![],
        keep_apart: vec![],
    }
}

fn emitted(block: &dyn Block) -> Result<Design> {
    emit(block, &options())
}

/// What the backend says against `block`.
fn error(block: &dyn Block) -> Error {
    match emitted(block) {
        Err(error) => error,
        Ok(design) => panic!("no fault was found in\n{}", design.text()),
    }
}

fn message(block: &dyn Block) -> String {
    error(block).to_string()
}
