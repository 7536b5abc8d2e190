//! The blocks that are useful alone, under cocotb and the AXI4-Stream models of cocotbext-axi: what comes out is held to what
//! Python computes itself.

use super::python::Simulation;
use portico_spec::{
    fp::{Flag, ADDER_STAGES},
    mpe::reduce::{self, OPERATION_WIDTH},
    ni::codes::Code,
    portals::{
        buddy::{self, Heap},
        list,
    },
    Config,
};
use serde_json::{json, Map, Value};

/// Number of each, by its name.
fn codes(codes: &[Code]) -> Value {
    let pairs = codes.iter().map(|code| (code.name.to_owned(), json!(code.code)));
    Value::Object(pairs.collect::<Map<_, _>>())
}

fn simulation(block: &str, config: &Config) -> Simulation {
    Simulation::of(&portico_generate::design(block, config).unwrap_or_else(|error| panic!("{error:#}")))
}

fn of_stages(width: usize, stages: usize) -> Config {
    Config {
        width,
        stages,
        ..Config::default()
    }
}

fn adder(width: usize, stages: usize) -> Value {
    let names = ["inexact", "underflow", "overflow", "divide_by_zero", "invalid"];
    let flags: Map<String, Value> = (names.into_iter().zip(Flag::ALL))
        .map(|(name, flag)| (name.to_owned(), json!(flag as u8)))
        .collect();
    json!({ "width": width, "stages": stages, "flags": flags })
}

#[test]
fn pythons_arithmetic_agrees_with_the_adder() {
    for width in [32, 64] {
        for stages in [*ADDER_STAGES.start(), *ADDER_STAGES.end()] {
            let adders = simulation("fp-add", &of_stages(width, stages));
            adders.passes("test_fp_adder", &adder(width, stages), 3);
        }
    }
    let adders = simulation("fp-add", &of_stages(32, 4));
    let test = "a_sum_takes_as_many_cycles_as_stages";
    adders.fails("test_fp_adder", &adder(32, 5), 3, test);
}

#[test]
fn streams_of_python_are_reduced() {
    const STAGES: usize = 4;
    for width in [32, 64] {
        let alu = simulation("reduce-alu", &of_stages(width, STAGES));
        let mut spec = json!({
            "width": width,
            "stages": STAGES,
            "operation_width": OPERATION_WIDTH,
            "operations": codes(reduce::Operation::CODES),
            "flags": {
                "invalid": Flag::Invalid.mask(),
                "overflow": Flag::Overflow.mask(),
                "inexact": Flag::Inexact.mask(),
            },
        });
        alu.passes("test_reduce_alu", &spec, 4);

        // Minimum and maximum change places.
        let operations = spec["operations"].clone();
        spec["operations"]["float_min"] = operations["float_max"].clone();
        spec["operations"]["float_max"] = operations["float_min"].clone();
        let said = alu.run("test_reduce_alu", &spec).expect_err("operations are wrong");
        let named = said.contains("'every_operation_on_chosen_words'") && !said.contains("'one_operation_a_cycle'");
        assert!(named, "{said}");
    }
}

#[test]
fn a_list_manager_serves_standard_streams() {
    for buckets in [0, 16] {
        let config = Config {
            entries: 64,
            buckets,
            ..Config::default()
        };
        let lists = simulation("list-manager", &config);
        let mut spec = json!({
            "entries": config.entries,
            "portal": list::PORTAL_OFFSET,
            "opcodes": codes(list::Opcode::CODES),
            "lists": codes(list::List::CODES),
            "status": codes(list::Status::CODES),
            "options": {
                "any_source": list::ANY_SOURCE,
                "no_truncate": list::NO_TRUNCATE,
                "manage_local": list::MANAGE_LOCAL,
            },
        });
        lists.passes("test_list_manager", &spec, 5);

        // The check of lengths is asked for in a bit that means nothing.
        spec["options"]["no_truncate"] = json!(list::OPAQUE_OPTIONS);
        let said = lists.run("test_list_manager", &spec).expect_err("an option is wrong");
        let expected = "5 tests, failed: ['lists_at_full_speed', 'lists_with_stalls'], skipped: []";
        assert_eq!(said.lines().next_back(), Some(expected), "{said}");
    }
}

#[test]
fn the_allocator_works_between_standard_streams() {
    let heap = Heap::new(1 << 14, 64).expect("a heap within the limits");
    let config = Config {
        heap: (heap.bytes() >> 10) as usize,
        block: heap.block() as usize,
        ..Config::default()
    };
    let allocator = simulation("buddy", &config);
    let mut spec = json!({
        "heap": heap.bytes(),
        "block": heap.block(),
        "operations": codes(buddy::Operation::CODES),
        "statuses": codes(buddy::Status::CODES),
        "operation_offset": buddy::OPERATION_OFFSET,
        "order_offset": buddy::ORDER_OFFSET,
        "status_offset": buddy::STATUS_OFFSET,
    });
    allocator.passes("test_buddy", &spec, 4);

    // A heap of half the size runs out sooner.
    spec["heap"] = json!(heap.bytes() / 2);
    allocator.run("test_buddy", &spec).expect_err("the heap is larger");
}
