//! The suite of the list manager proves itself: hardware with a planted fault does not pass it. Hardware whose
//! memories return wrong data for a read that collides with a write passes it.

use super::{
    caught::{all_are_caught, device, is_caught},
    fault::{Fault, Faulty},
};
use crate::promises::list::{check, check_size};
use portico_hdl::portals::{ListManager, ListParameters};
use portico_sim::{Library, Optimise};
use portico_testbench::device::hardware::compiled;
use portico_verilog::{emit, Design};

const SEED: u64 = 0x5eed;
const COMMANDS: usize = 40_000;

/// Small, with buckets that several sources share and sequence numbers that run out often.
const PARAMETERS: ListParameters = ListParameters {
    entries: 8,
    buckets: 4,
    sequence_limit: 19,
};

fn design(parameters: &ListParameters) -> Design {
    let options = portico_verilog::Options {
        generator: "Test".into(),
        licence: String::new(),
        prefix: "portico".into(),
        block: "list-manager".into(),
        configuration: vec![],
        keep_apart: vec![],
    };
    emit(&ListManager::<3>::new(parameters), &options).expect("it can be emitted")
}

const fn fault(what: &'static str, module: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault { what, module, from, to }
}

const FAULTS: [Fault; 21] = [
    fault(
        "ANY wins over an older entry",
        "list_search",
        "has_candidate & ~older",
        "has_candidate & 1'b0",
    ),
    fault(
        "offset and length wrap",
        "matcher",
        "{1'b0, offset} + {1'b0, requested}",
        "{1'b0, offset + requested}",
    ),
    fault(
        "a message that just fits is too long",
        "matcher",
        "last_byte <= {1'b0, length}",
        "last_byte < {1'b0, length}",
    ),
    fault(
        "a mirrored search forgets local offsets",
        "matcher",
        "if («options[3]»)",
        "options[3] & ~mirrored",
    ),
    fault(
        "ANY covers the portal index",
        "matcher",
        "(request_source[15:9] == stored_source[15:9])",
        "(request_source[15:9] == stored_source[15:9] | options[0])",
    ),
    fault(
        "a handle outlives its entry",
        "entry_table",
        "tags_read_data[TAG_GENERATION +: 16] + 16'd1",
        "tags_read_data[TAG_GENERATION +: 16]",
    ),
    fault(
        "a new tail is lost",
        "chain",
        "new_ends_tail = «previous»;",
        "following",
    ),
    fault(
        "freed places are lost",
        "free_list",
        "last_freed_next = «follower»;",
        "freed",
    ),
    fault(
        "Overflow keeps its old numbers",
        "sequence_numbers",
        "numbered_list != LIST_OVERFLOW",
        "1'b0",
    ),
    fault(
        "another entry's number is kept",
        "sequence_numbers",
        "kept_next = «compared»;",
        "numbers_read_data",
    ),
    fault("buckets outlive a reset", "bucket_ends", "clearing <= «1'b1»;", "1'b0"),
    fault("a result outlives a reset", "responder", "active <= «1'b0»;", "active"),
    fault("13 beats count as 5", "command_reader", "count != 3'd6", "1'b1"),
    fault(
        "another list loses the entry",
        "editor",
        "changed_list = «stored_list»;",
        "new_list",
    ),
    fault(
        "all matches are one",
        "walker",
        "at_tail_next = «compared_index == goal»;",
        "1'b1",
    ),
    fault(
        "a header with ANY is hidden",
        "editor",
        "access_wild = «any & (new_list != LIST_UNEXPECTED)»;",
        "any",
    ),
    fault(
        "a handle is right in every list",
        "handle_check",
        "list == stored_list",
        "1'b1",
    ),
    fault("a hit is not held", "list_control", "holding_next = «1'b1»;", "1'b0"),
    fault("a detached place is free", "editor", "left & ~detaches", "left"),
    fault(
        "a detached entry is found by its handle",
        "handle_check",
        "(stored_list == NO_LIST) == detached",
        "1'b1",
    ),
    fault(
        "Overflow is not searched after Priority",
        "search_segments",
        "both & (current == LIST_PRIORITY)",
        "1'b0",
    ),
];

#[test]
fn faults_of_list_managers_are_caught() {
    all_are_caught(&design(&PARAMETERS), &FAULTS, COMMANDS, |library, commands| {
        check(device(library), &PARAMETERS, commands, SEED)
    });
}

#[test]
fn faults_of_large_list_managers_are_caught() {
    const COMMANDS: usize = 500;
    let lasting = [
        "freed places are lost",
        "a new tail is lost",
        "another list loses the entry",
    ];
    let suite = |library: &Library| check_size(device(library), &PARAMETERS, COMMANDS, SEED);
    let faulty = Faulty::new(&design(&PARAMETERS), &FAULTS, Optimise::Build);
    suite(&faulty.with(0)).expect("no fault is chosen");
    for what in lasting {
        let number = 1 + faulty.names().position(|name| name == what).expect("a fault");
        is_caught(what, suite(&faulty.with(number)));
    }
}

#[test]
fn nothing_relies_on_a_word_that_is_read_while_it_is_written() -> anyhow::Result<()> {
    for parameters in [PARAMETERS, ListParameters::new(8, 0)] {
        let mut design = design(&parameters);
        let mut memories = 0;
        for module in &mut design.modules {
            let Some((before, rest)) = module.text.split_once("read_data <= memory[") else {
                continue;
            };
            let (index, after) = rest.split_once("];").expect("an index ends");
            let written = index.replace("read_address", "write_address");
            let writes = ["|write_lanes", "write_enable"][usize::from(module.text.contains("write_enable"))];
            let met = format!("if ({writes} && {written} == {index}) begin read_data <= ~memory[{index}]; end");
            module.text = format!("{before}read_data <= memory[{index}]; {met}{after}");
            memories += 1;
        }
        anyhow::ensure!(memories >= 3, "the memories look different");
        check(compiled(&design)?, &parameters, COMMANDS, SEED)?;
    }
    Ok(())
}
