//! Small circuits, one for each thing that the backend must write well.

mod choices;
mod described;
mod grid;
mod machines;
mod memory;
mod records;
mod shapes;

pub use choices::{Choices, Settled};
pub use described::{Store, Unit};
pub use grid::Grid;
pub use machines::{Counter, Lights, Phase};
pub use memory::Pair;
pub use records::{Desk, Job, Step};
pub use shapes::{Header, Offsets, Shapes};

use portico_verilog::{emit, Design, Options, Result};
use rust_hdl::prelude::Block;

/// Options under which the tests emit.
pub fn options(block: &str) -> Options {
    Options {
        generator: "Test 1.0".into(),
        licence: String::new(),
        prefix: "test".into(),
        block: block.into(),
        configuration: vec![("depth".into(), "4".into())],
        keep_apart: vec![],
    }
}

/// Emits `block` under the name `name`.
pub fn emitted(block: &dyn Block, name: &str) -> Result<Design> {
    emit(block, &options(name))
}

/// Every circuit and its name.
pub fn all() -> Vec<(&'static str, Box<dyn Block>)> {
    vec![
        ("counter", Box::new(Counter::default())),
        ("lights", Box::new(Lights::default())),
        ("shapes", Box::new(Shapes::default())),
        ("offsets", Box::new(Offsets::default())),
        ("choices", Box::new(Choices::default())),
        ("settled", Box::new(Settled::default())),
        ("pair", Box::new(Pair::default())),
        ("desk", Box::new(Desk::default())),
        ("unit", Box::new(Unit::new(3))),
        ("grid", Box::new(Grid::new(3, 2))),
    ]
}
