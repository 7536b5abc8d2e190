//! The properties of the primitives, on the emitted Verilog, for the first cycles after reset. `make formal` proves them for
//! all time.

#[path = "../../formal/blocks.rs"]
mod blocks;

use std::{path::Path, process::Command};

#[test]
fn properties_hold_in_the_first_cycles() {
    let verilog = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formal");
    blocks::write_all(&verilog).expect("the blocks are emitted");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formal/run.sh");
    let run = Command::new(script)
        .arg("--short")
        .env("FORMAL_VERILOG", verilog)
        .output();
    let output = run.expect("run.sh starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    for block in [
        "fifo short_1",
        "fifo short_4",
        "round_robin_arbiter short",
        "credit_counter short",
        "buddy short_4",
    ] {
        assert!(text.contains(block), "{block} was not tried:\n{text}");
    }
}
