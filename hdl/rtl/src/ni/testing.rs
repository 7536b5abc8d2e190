//! For unit tests: emission, and the initialisation.

use portico_verilog::{emit, Options};
use rust_hdl::prelude::*;

/// The Verilog of a block; panics with the backend's words if it refuses.
pub(super) fn emitted(name: &str, block: &dyn Block) -> String {
    let options = Options {
        generator: "Test 1.0".into(),
        prefix: "test".into(),
        block: name.into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    let text = emit(block, &options).unwrap_or_else(|error| panic!("{error}")).text();
    assert!(text.contains("endmodule"));
    text
}

/// A block after reset and the sweep of its tables; in every cycle of it a check may look at the block.
macro_rules! initialised {
    ($dut:expr) => {
        initialised!($dut, |_: &_| ())
    };
    ($dut:expr, $check:expr) => {{
        let mut dut = reset($dut);
        let check = $check;
        dut.initialising.next = true;
        for sweep in 0..portico_spec::ni::INITIALISATION_CYCLES {
            dut.sweep.next = (sweep as u64).into();
            settle(&mut dut);
            check(&dut);
            clock(&mut dut);
        }
        dut.initialising.next = false;
        settle(&mut dut);
        dut
    }};
}
pub(super) use initialised;
