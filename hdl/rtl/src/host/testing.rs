//! Emission in unit tests.

use portico_verilog::{emit, Options};
use rust_hdl::prelude::Block;

/// Holds the backend to take the block, and gives its Verilog.
pub(crate) fn emits(name: &str, dut: &dyn Block) -> String {
    let options = Options {
        generator: "Test".into(),
        prefix: "portico".into(),
        block: name.into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    match emit(dut, &options) {
        Ok(design) => design.text(),
        Err(error) => panic!("{name}: {error}"),
    }
}
