//! The emitted Verilog under cocotb and the bus models of cocotbext-axi: independent views of AXI4 and AXI4-Lite.

use portico_spec::ni::{
    command::{self, Opcode},
    event, packet,
    registers::{Block, BASE_BYTES, BLOCK_OFFSET, FIELD_WIDTH, SHORT_FIELD_WIDTH},
    segment, window, INITIALISATION_CYCLES,
};
use portico_synth::{locate, tools_folder, Tool};
use portico_verilog::{emit, Design, Options};
use rust_hdl::prelude::Block as Hardware;
use serde_json::{json, Value};
use std::{fs, path::Path, process::Command};
use suites::bridge::Bridge;

mod suites {
    pub mod bridge;
}

/// What the Python side must know of the specification.
fn spec(width: usize) -> Value {
    json!({
        "width": width,
        "base_bytes": BASE_BYTES,
        "block_offset": BLOCK_OFFSET,
        "command_places": command::MAX_DESCRIPTOR_WORDS,
        "initialisation_cycles": INITIALISATION_CYCLES,
        "system_window": window::SYSTEM_WINDOW,
        "blocks": {
            "control": Block::Control as u32,
            "command": Block::Command as u32,
            "events": Block::Events as u32,
            "segments": Block::Segments as u32,
            "pages": Block::Pages as u32,
        },
        "event": {
            "field_width": FIELD_WIDTH,
            "error_mask": (1 << packet::ERROR_WIDTH) - 1,
        },
        "segment": {
            "field_width": SHORT_FIELD_WIDTH,
            "node": segment::NODE_OFFSET,
            "tag": segment::TAG_OFFSET,
            "kind": segment::KIND_OFFSET,
            "window": segment::SegmentKind::Window as u32,
        },
        "command": {
            "segment": command::SEGMENT_OFFSET,
            "event": command::EVENT_OFFSET,
            "operation": command::OPERATION_OFFSET,
        },
        "opcodes": {
            "put": Opcode::Put as u32,
            "get": Opcode::Get as u32,
            "atomic": Opcode::Atomic as u32,
        },
        "operations": { "fetch_add": packet::Operation::FetchAdd as u32 },
        "events": event::EVENTS,
    })
}

fn bridge(width: usize) -> Design {
    let options = Options {
        generator: "Test".into(),
        prefix: "portico".into(),
        block: "bridge".into(),
        configuration: vec![("width".into(), width.to_string())],
        keep_apart: vec![],
    };
    let block: Box<dyn Hardware> = match width {
        32 => Box::new(Bridge::<32, 4>::default()),
        _ => Box::new(Bridge::<64, 8>::default()),
    };
    emit(&*block, &options).expect("the bridge can be emitted")
}

/// Runs the tests of a Python module on a design: all that was said if one fails.
fn cocotb(design: &Design, module: &str, spec: &Value) -> Result<String, String> {
    let tools = tools_folder().expect("PORTICO_TOOLS is right");
    let tools = tools.expect("cocotb is in .tools: run `make tools`");
    let verilator = locate(Tool::Verilator).expect("Verilator is installed");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let verilog = folder.path().join("design.v");
    fs::write(&verilog, design.text()).expect("a temporary folder can be written");
    let mut python = Command::new(tools.join("bin/python3"));
    python
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("cocotb/run.py"))
        .arg("--verilog")
        .arg(&verilog)
        .args(["--top", &design.top, "--module", module, "--build"])
        .arg(folder.path())
        .envs(verilator.env)
        .env("PORTICO_SPEC", spec.to_string())
        .env("COCOTB_LOG_LEVEL", "WARNING")
        .current_dir(folder.path());
    let output = python.output().expect("Python starts");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    match output.status.success() {
        true => Ok(said),
        false => Err(said),
    }
}

/// The count of tests in the last line.
fn passed(said: &str) -> Option<usize> {
    let line = said.lines().rev().find(|line| line.ends_with(" tests passed"))?;
    line.split(' ').next()?.parse().ok()
}

#[test]
fn a_host_reaches_external_memory_through_standard_ports() {
    for width in [32, 64] {
        let said = cocotb(&bridge(width), "test_bridge", &spec(width)).unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(passed(&said), Some(6), "{said}");
    }
}

/// A check that passes must be able to fail.
#[test]
fn a_planted_fault_is_caught() {
    let mut spec = spec(32);
    // Descriptors are pushed one place early: they never end.
    spec["command_places"] = json!(command::MAX_DESCRIPTOR_WORDS - 1);
    let said = cocotb(&bridge(32), "test_bridge", &spec).expect_err("the last word of a descriptor is missing");
    let last = said.lines().next_back();
    assert_eq!(
        last,
        Some("6 tests, failed: ['descriptors_end_at_the_last_place'], skipped: []"),
        "{said}"
    );
}
