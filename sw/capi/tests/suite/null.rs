//! NULL for every pointer of every function, by a program of C that is written here.

use std::fmt::Write;

use crate::{
    bench::{folder, run},
    functions::{functions, Function},
};

/// Parameters that may be NULL.
const ALLOWED: [(&str, &str); 3] = [
    ("portico_ptl_pt_alloc", "eq"),
    ("portico_queue_new", "event"),
    ("portico_mailbox_take", "event"),
];

/// Calls that make a handle of each type, by the name of its type.
const MADE: [(&str, &str); 24] = [
    ("event", "portico_event_take(fabric, 0, &event)"),
    ("window", "portico_publish(fabric, 1, &publication, &window)"),
    ("segment", "portico_clone_segment(fabric, 0, window, &segment)"),
    ("ticket", "portico_fence(fabric, segment, &by_ticket)"),
    ("queue", "portico_queue_new(fabric, 0, 4, 16, NULL, &queue)"),
    ("sender", "portico_queue_sender(fabric, queue, 2, 1, &sender)"),
    ("mailbox", "portico_mailbox_take(fabric, 0, 0, NULL, &mailbox)"),
    (
        "program",
        "portico_program_load_unchecked(fabric, 0, words, 1, &program)",
    ),
    ("list", "portico_list_new(fabric, steps, &list)"),
    ("steps", "portico_steps_new(fabric, &steps)"),
    ("comm", "portico_comm_new(fabric, tiles, 4, &shape, &comm)"),
    ("request", "portico_barrier(fabric, comm, &request)"),
    (
        "communicator",
        "portico_communicator_world(fabric, &shape, &communicator)",
    ),
    ("call", "portico_communicator_barrier(fabric, communicator, &call)"),
    ("peers", "portico_peers_new(fabric, tiles, 4, &peers)"),
    (
        "exchange",
        "portico_peers_exchange(fabric, peers, &block, 0, &exchange)",
    ),
    (
        "ptl_ni",
        "portico_ptl_ni_init(fabric, 0, PORTICO_PTL_NI_MATCHING, &ptl_ni)",
    ),
    ("ptl_ct", "portico_ptl_ct_alloc(fabric, ptl_ni, &ptl_ct)"),
    ("ptl_eq", "portico_ptl_eq_alloc(fabric, ptl_ni, 8, &ptl_eq)"),
    ("ptl_md", "portico_ptl_md_bind(fabric, ptl_ni, &piece, &ptl_md)"),
    (
        "ptl_me",
        "portico_ptl_me_append(fabric, ptl_ni, pt_index, &entry, &ptl_me)",
    ),
    (
        "ptl_le",
        "portico_ptl_le_append(fabric, non_matching, non_matching_index, &entry, &ptl_le)",
    ),
    ("ignored", "portico_ticket_wait(fabric, ticket, 1000, &value)"),
    ("ignored_too", "portico_call_wait(fabric, call, 10000)"),
];

const BEGIN: &str = r#"
#include <portico.h>
#include <stdio.h>
#include <string.h>

static int failed;

static void expect(const char *call, portico_status found, portico_status wanted)
{
    char text[512];
    if (found != wanted) {
        portico_error_text(text, sizeof text);
        printf("%s: %d, expected %d: %s\n", call, (int)found, (int)wanted, text);
        failed = 1;
    }
}

/* Room for every result, and the zeros of every structure. */
static union {
    uint64_t aligned;
    char bytes[8192];
} place;

int main(void)
{
    const uint32_t tiles[4] = {0, 1, 2, 3}, words[1] = {0};
    uint64_t value;
    const portico_publication publication = {.bytes = 64};
    const portico_shape shape = {.kind = PORTICO_SHAPE_LINEAR};
    const portico_block block = {0, 0, 0, 0, 0};
    portico_fabric *fabric;
    portico_ticket *ticket;
    const portico_completion by_ticket = {.ticket = &ticket};
    const portico_ptl_md_piece piece = {.length = 64};
    const portico_ptl_entry entry = {.length = 64};
    portico_ptl_ni *non_matching = NULL;
    uint32_t pt_index = 0, non_matching_index = 0;
    expect("open", portico_open_golden("cols = 2\nrows = 2\nmpe = 2\nportals = 4", &fabric), PORTICO_OK);
    expect("map", portico_ptl_set_map(fabric, tiles, 4), PORTICO_OK);
    expect("ni", portico_ptl_ni_init(fabric, 0, PORTICO_PTL_NI_NO_MATCHING, &non_matching), PORTICO_OK);
    expect("pt", portico_ptl_pt_alloc(fabric, non_matching, 0, NULL, 0, &non_matching_index), PORTICO_OK);
"#;

/// The parameters of a call, of which one is NULL, or none.
fn arguments(function: &Function, null: Option<&str>) -> String {
    let argument = |parameter: &crate::functions::Parameter| {
        let handle = parameter.target.strip_prefix("portico_").unwrap_or_default();
        let is_handle = handle == "fabric" || MADE.iter().any(|(name, _)| *name == handle);
        match parameter.is_pointer {
            false => "0".to_owned(),
            true if null == Some(&*parameter.name) => "NULL".to_owned(),
            true if is_handle => handle.to_owned(),
            true => "(void *)&place".to_owned(),
        }
    };
    let all: Vec<String> = function.parameters.iter().map(argument).collect();
    all.join(", ")
}

#[test]
fn null_is_told_for_every_pointer() {
    let mut program = BEGIN.to_owned();
    let handles = MADE
        .iter()
        .filter(|(name, _)| !name.starts_with("ignored") && *name != "ticket");
    for (name, _) in handles {
        writeln!(program, "    portico_{name} *{name} = NULL;").unwrap();
    }
    // Steps are made before the list that takes them, and again behind it.
    let steps = MADE.iter().find(|(name, _)| *name == "steps").unwrap().1;
    writeln!(program, "    expect(\"steps\", {steps}, PORTICO_OK);").unwrap();
    for (_, call) in MADE {
        let text = call.replace('"', "'");
        writeln!(program, "    expect(\"{text}\", {call}, PORTICO_OK);").unwrap();
        if call.contains("_ni_init") {
            let index = "portico_ptl_pt_alloc(fabric, ptl_ni, 0, NULL, PORTICO_PTL_ANY, &pt_index)";
            writeln!(program, "    expect(\"pt\", {index}, PORTICO_OK);").unwrap();
        }
    }
    let mut calls = 0;
    for function in functions().iter().filter(|function| function.returns_status) {
        for parameter in function.parameters.iter().filter(|parameter| parameter.is_pointer) {
            if ALLOWED.contains(&(&function.name, &parameter.name)) {
                continue;
            }
            let (name, arguments) = (&function.name, arguments(function, Some(&parameter.name)));
            writeln!(program, "    memset(&place, 0, sizeof place);").unwrap();
            writeln!(
                program,
                "    expect(\"{name}({arguments})\", {name}({arguments}), PORTICO_E_NULL);"
            )
            .unwrap();
            calls += 1;
        }
    }
    // No call has ended a handle, and the fabric works on.
    for (name, call) in [
        ("event", "portico_event_release(fabric, event)"),
        ("segment", "portico_segment_release(fabric, segment)"),
        ("window", "portico_window_withdraw(fabric, window)"),
        ("request", "portico_request_run(fabric, request, 10000)"),
        ("sender", "portico_queue_retire(fabric, queue, sender)"),
        ("steps", "portico_steps_release(fabric, steps)"),
        ("md", "portico_ptl_md_release(fabric, ptl_ni, ptl_md)"),
        ("me", "portico_ptl_me_unlink(fabric, ptl_ni, ptl_me)"),
        ("le", "portico_ptl_le_unlink(fabric, non_matching, ptl_le)"),
        ("fabric", "portico_close(fabric)"),
    ] {
        writeln!(program, "    expect(\"{name}\", {call}, PORTICO_OK);").unwrap();
    }
    program += "    return failed;\n}\n";
    assert!(calls > 250, "{calls}");
    let folder = folder("null");
    let source = folder.join("null.c");
    std::fs::write(&source, program).unwrap();
    assert_eq!(run(&folder, &source), "");
}
