//! Emission and register writes for unit tests.

use crate::ni::ports::RegisterWriteIn;
use portico_spec::ni::registers::{Block as Registers, BLOCK_OFFSET};
use rust_hdl::prelude::*;

/// Holds a block to the backend's rules; writes its Verilog to the folder in `PORTICO_EMIT`, if that is set.
pub(crate) fn emits(block: &dyn Block, name: &str) {
    let options = portico_verilog::Options {
        generator: "Test".into(),
        prefix: "portico".into(),
        block: name.into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    let design = portico_verilog::emit(block, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(design.text().contains(&design.top));
    if let Some(folder) = std::env::var_os("PORTICO_EMIT") {
        let path = std::path::Path::new(&folder).join(format!("{}.v", design.top));
        std::fs::write(path, design.text()).unwrap();
    }
}

/// Sets a register write up for the next clock.
pub(crate) fn write(port: &mut RegisterWriteIn, block: Registers, place: u64, data: u64) {
    port.enable.next = true;
    port.index.next = ((block as u64) << BLOCK_OFFSET | place).into();
    port.data.next = data.into();
}
