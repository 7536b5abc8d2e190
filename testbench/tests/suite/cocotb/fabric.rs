//! The emitted Verilog under cocotb and the bus models of cocotbext-axi: independent views of AXI4 and AXI4-Lite.

use super::{
    bridge::Bridge,
    python::{passed, Simulation},
};
use portico_spec::ni::{
    command::{self, Opcode},
    event, packet, page,
    registers::{
        Block, ControlRegister, EventRegister, Place, SegmentRegister, BASE_BYTES, BLOCK_OFFSET, FIELD_WIDTH, IDENTITY,
        SHORT_FIELD_WIDTH,
    },
    segment, window, INITIALISATION_CYCLES,
};
use portico_spec::Config;
use portico_verilog::{emit, Design, Options};
use rust_hdl::prelude::Block as Hardware;
use serde_json::{json, Value};

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
        "control": {
            "id": ControlRegister::Id.number(),
            "node": ControlRegister::Node.number(),
        },
        "event": {
            "field_width": FIELD_WIDTH,
            "count": EventRegister::Count.number(),
            "status": EventRegister::Status.number(),
            "value": EventRegister::ValueLow.number(),
            "error_mask": (1 << packet::ERROR_WIDTH) - 1,
        },
        "segment": {
            "field_width": SHORT_FIELD_WIDTH,
            "target": SegmentRegister::Target.number(),
            "size": SegmentRegister::Size.number(),
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

/// Two tiles, the host and a memory node, small enough to build in seconds.
fn small() -> Config {
    Config {
        cols: 2,
        rows: 1,
        memories: 1,
        scratchpad: 4,
        cores: 2,
        ..Config::default()
    }
}

/// And what it must know of a fabric.
fn spec_of_fabric(config: &Config) -> Value {
    let mut spec = spec(config.width);
    spec["fabric"] = json!({
        "identity": IDENTITY,
        "tile": config.tile_node(config.tiles() - 1).number(),
        "host": config.host_node().number(),
        "memory": config.memory_node(0).number(),
        "memory_prefix": "m_axi_0",
        "memory_words": 1 << page::MEMORY_WIDTH,
        "scratchpad_words": config.scratchpad_words(),
    });
    spec
}

#[test]
fn a_host_reaches_external_memory_through_standard_ports() {
    for width in [32, 64] {
        let (simulation, mut spec) = (Simulation::of(&bridge(width)), spec(width));
        let said = simulation
            .run("test_bridge", &spec)
            .unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(passed(&said), Some(6), "{said}");

        // A check that passes must be able to fail: here descriptors are pushed one place early and never end.
        spec["command_places"] = json!(command::MAX_DESCRIPTOR_WORDS - 1);
        simulation.fails("test_bridge", &spec, 6, "descriptors_end_at_the_last_place");
    }
}

#[test]
fn a_host_reaches_a_tile_and_external_memory_through_a_fabric() {
    let config = small();
    let fabric = portico_generate::design("fabric", &config).expect("the fabric can be emitted");
    let (simulation, right) = (Simulation::of(&fabric), spec_of_fabric(&config));
    let said = simulation
        .run("test_fabric", &right)
        .unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(passed(&said), Some(5), "{said}");

    // What is for external memory goes to the tile, and the other way round.
    for (name, wrong, test) in [
        ("memory", "tile", "external_memory_keeps_what_is_put"),
        ("tile", "memory", "a_tile_keeps_what_is_put"),
    ] {
        let mut spec = right.clone();
        spec["fabric"][name] = right["fabric"][wrong].clone();
        simulation.fails("test_fabric", &spec, 5, test);
    }
}
