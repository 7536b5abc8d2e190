//! The properties of the primitives, on the emitted Verilog, proven for all time, and that faults break them. `make formal`
//! adds the witnesses and the faults that take long to find.

#[path = "../../formal/blocks.rs"]
mod blocks;

use std::{path::Path, process::Command};

#[test]
fn properties_hold_and_catch_faults() {
    let verilog = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formal");
    blocks::write_all(&verilog).expect("the blocks are emitted");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formal/run.sh");
    let run = Command::new(script)
        .arg("--quick")
        .env("FORMAL_VERILOG", verilog)
        .output();
    let output = run.expect("run.sh starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    for proof in [
        "fifo prove_1",
        "fifo prove_4",
        "round_robin_arbiter prove",
        "credit_counter prove",
        "buddy prove_4",
        "buddy prove_8",
        "mpe_heads prove",
        "mpe_heads short: sent on before it comes",
        "credit_counter short: error kept silent",
    ] {
        assert!(text.contains(proof), "{proof} was not tried:\n{text}");
    }
}
