//! The emitted Verilog under cocotb and the bus models of cocotbext-axi: independent views of AXI4 and AXI4-Lite.

use super::{bridge::Bridge, python::Simulation};
use portico_generate::design;
use portico_spec::{
    ni::{
        command::{self, Opcode, MAX_DESCRIPTOR_WORDS},
        segment::{self, SegmentKind},
        window::SYSTEM_WINDOW,
    },
    Config,
};
use portico_verilog::{emit, Design, Options};
use rust_hdl::prelude::Block as Hardware;
use serde_json::{json, Value};
use std::env::{consts::EXE_SUFFIX, current_exe};

/// Two tiles, the host and a memory node, small enough to build in seconds: the fabric of the example.
const SMALL: &str = include_str!("../../../../examples/cocotb/fabric.toml");
/// The board whose model the tests of `portico bridge` have.
const BOARD: &str = "cols = 2\nrows = 1\nprofile = \"compact\"\nmpe = 1\nprobe = true\nregisters_at_tiles = true\n";
/// A mesh with an edge node.
const MESH: &str = "cols = 2\nrows = 1\nedge_nodes = 1\nmonitors = false\n";
/// The least tile.
const TILE: &str = "cols = 2\nrows = 1\nprofile = \"leaf\"\nscratchpad = 4\n";

fn config(text: &str) -> Config {
    Config::from_toml(text).expect("the configuration is right")
}

fn simulation(block: &str, text: &str) -> Simulation {
    Simulation::of(&design(block, &config(text)).unwrap_or_else(|error| panic!("{error:#}")))
}

fn bridge(width: usize) -> Design {
    let options = Options {
        generator: "Test".into(),
        licence: String::new(),
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

#[test]
fn a_host_reaches_external_memory_through_standard_ports() {
    for width in [32, 64] {
        let simulation = Simulation::of(&bridge(width));
        let mut spec = json!({ "width": width, "command_places": MAX_DESCRIPTOR_WORDS });
        simulation.passes("test_bridge", &spec, 6);

        // A check that passes must be able to fail: here descriptors are pushed one place early and never end.
        spec["command_places"] = json!(MAX_DESCRIPTOR_WORDS - 1);
        simulation.fails("test_bridge", &spec, 6, "descriptors_end_at_the_last_place");
    }
}

#[test]
fn a_host_reaches_a_tile_and_external_memory_through_a_fabric() {
    let simulation = simulation("fabric", SMALL);
    let tiles = config(SMALL).tiles();
    let right = json!({ "config": SMALL, "tile": tiles - 1, "memory": tiles + 1, "memory_prefix": "m_axi_0" });
    simulation.passes("test_fabric", &right, 3);

    // What is for external memory goes to the tile, and the other way round.
    for (name, wrong, test) in [
        ("memory", "tile", "external_memory_keeps_what_is_put"),
        ("tile", "memory", "a_tile_keeps_what_is_put"),
    ] {
        let mut spec = right.clone();
        spec[name] = right[wrong].clone();
        simulation.fails("test_fabric", &spec, 3, test);
    }
}

#[test]
fn the_same_program_runs_on_golden_cocotb_and_simulation() {
    // Cargo builds the program before it tests the workspace.
    let tests = current_exe().expect("this program has a path");
    let programs = tests.ancestors().nth(2).expect("it is two folders deep");
    let program = Some(programs.join(format!("portico{EXE_SUFFIX}"))).filter(|program| program.is_file());
    let spec = json!({ "config": SMALL, "board": BOARD, "program": program });
    simulation("fabric", SMALL).passes("test_driver", &spec, 6);
}

#[test]
fn the_example_passes_on_its_fabric() {
    simulation("fabric", SMALL).passes("test_put", &Value::Null, 1);
}

#[test]
fn packets_of_python_pass_a_mesh() {
    simulation("mesh", MESH).passes("test_mesh", &json!({ "config": MESH }), 6);
}

#[test]
fn packets_of_python_pass_a_tile() {
    let node = usize::from(config(TILE).tile_node(0).number());
    let (handle, event) = (1, 2);
    let spec = json!({
        "config": TILE,
        "node": node,
        "segment": handle,
        "event": event,
        "target": node | SYSTEM_WINDOW << segment::TAG_OFFSET | (SegmentKind::Window as usize) << segment::KIND_OFFSET,
        "put": Opcode::Put as usize | event << command::EVENT_OFFSET | handle << command::SEGMENT_OFFSET,
    });
    simulation("tile", TILE).passes("test_tile", &spec, 1);
}
