//! Operations, and what is made for them: each does what the driver's does.

use std::{ffi::CString, ptr};

use portico_capi::{portico_status::*, *};

use crate::bench::*;

/// Four tiles and a host of 64 bits, with what tiles may have.
const RICH: &str = "cols = 2\nrows = 2\nwidth = 64\nprobe = true\nstreams = true";

/// A completion by a ticket.
fn by_ticket(ticket: &mut *mut portico_ticket) -> portico_completion {
    portico_completion { ticket, ..WAIT }
}

#[test]
fn a_transfer_has_one_to_three_dimensions() {
    let fabric = golden(SMALL);
    let matrix: Vec<u32> = (0..64).collect();
    write(fabric, 0, 0, &matrix);
    let segment = segment(fabric, 3, window(fabric, 0, 0, 256));
    let get = |geometry: &portico_geometry| must(unsafe { portico_get(fabric, segment, 4, 0x200, geometry, &WAIT) });
    get(&linear(16));
    assert_eq!(read(fabric, 3, 0x200), [1, 2, 3, 4]);
    let column = portico_geometry {
        rows: 4,
        row_strides: portico_strides { remote: 16, local: 4 },
        ..linear(4)
    };
    get(&column);
    assert_eq!(read(fabric, 3, 0x200), [1, 5, 9, 13]);
    get(&portico_geometry {
        rows: 2,
        planes: 2,
        plane_strides: portico_strides { remote: 64, local: 8 },
        ..column
    });
    assert_eq!(read(fabric, 3, 0x200), [1, 5, 17, 21]);
    let beyond = unsafe { portico_put(fabric, segment, 252, 0, &linear(8), &WAIT) };
    fails(
        beyond,
        PORTICO_E_OUT_OF_SEGMENT,
        "bytes 0xfc..0x104 of a segment of 0x100 bytes",
    );
    must(portico_close(fabric));
}

#[test]
fn an_operation_completes_as_the_caller_wants() {
    let fabric = golden(SMALL);
    write(fabric, 1, 0x40, &[1, 2, 3, 4]);
    let segment = segment(fabric, 1, window(fabric, 2, 0, 64));
    let put = |offset, completion: &portico_completion| unsafe {
        portico_put(fabric, segment, offset, 0x40, &linear(8), completion)
    };

    let mut ticket = ptr::null_mut();
    must(put(0, &by_ticket(&mut ticket)));
    let mut value = 9;
    must(unsafe { portico_ticket_wait(fabric, ticket, 1000, &mut value) });
    let is_complete: bool = get(|complete| unsafe { portico_ticket_poll(fabric, ticket, complete, &mut value) });
    assert!(is_complete && value == 0);
    must(portico_ticket_release(fabric, ticket));
    let gone = unsafe { portico_ticket_wait(fabric, ticket, 1000, &mut value) };
    fails(gone, PORTICO_E_STALE, "ticket = ");

    let event = get(|event| unsafe { portico_event_take(fabric, 1, event) });
    let counted = portico_completion { event, ..WAIT };
    must(put(8, &counted));
    must(put(
        16,
        &portico_completion {
            drained: true,
            shaper: 1,
            ..counted
        },
    ));
    must(portico_event_drain(fabric, event, 1000));
    let state: portico_event_state = get(|state| unsafe { portico_event_poll(fabric, event, state) });
    assert_eq!((state.count, state.error), (2, 0));

    let steps = get(|steps| unsafe { portico_steps_new(fabric, steps) });
    must(put(24, &portico_completion { steps, ..WAIT }));
    let list = get(|list| unsafe { portico_list_new(fabric, steps, list) });
    fails(portico_steps_release(fabric, steps), PORTICO_E_STALE, "steps = ");
    write(fabric, 1, 0x40, &[7]);
    must(portico_list_start(fabric, list));
    must(portico_list_wait(fabric, list, 10_000));
    assert!(get::<bool>(|complete| unsafe {
        portico_list_poll(fabric, list, complete)
    }));
    must(portico_list_release(fabric, list));
    assert_eq!(read(fabric, 2, 0), [1, 2, 1, 2, 1, 2, 7, 2]);

    let both = portico_completion { event, steps, ..WAIT };
    fails(
        put(0, &both),
        PORTICO_E_ARGUMENT,
        "completion has more than one of ticket, event and steps",
    );
    fails(
        put(0, &portico_completion { shaper: 200, ..WAIT }),
        PORTICO_E_OUT_OF_RANGE,
        "shaper = 200",
    );
    let timeout = put(0, &portico_completion { timeout: 0, ..WAIT });
    assert!([PORTICO_OK, PORTICO_E_TIMEOUT].contains(&timeout));
    must(unsafe { portico_fence(fabric, segment, &WAIT) });
    must(portico_close(fabric));
}

#[test]
fn atomics_of_both_widths_give_the_old_value() {
    let fabric = golden(RICH);
    write(fabric, 3, 0, &[5, 0, u32::MAX, 1]);
    let segment = segment(fabric, 0, window(fabric, 3, 0, 64));
    let atomic = |offset, kind, bytes, operand, condition| {
        let command = portico_atomic_command {
            kind,
            bytes,
            operand,
            condition,
        };
        get(|value: *mut u64| unsafe { portico_atomic(fabric, segment, offset, &command, &WAIT, value) })
    };
    assert_eq!(atomic(0, PORTICO_ATOMIC_POSTADD, 4, 3, 0), 0);
    assert_eq!(atomic(0, PORTICO_ATOMIC_FETCHADD, 4, 1, 0), 8);
    assert_eq!(atomic(0, PORTICO_ATOMIC_COMPARE_AND_SWAP, 4, 20, 9), 9);
    assert_eq!(atomic(0, PORTICO_ATOMIC_ADD_IF, 4, 1, 20), 20);
    assert_eq!(atomic(0, PORTICO_ATOMIC_FETCHCLEAR, 4, 0, 0), 20);
    assert_eq!(atomic(8, PORTICO_ATOMIC_FETCHADD, 8, 1, 0), 0x1_ffff_ffff);
    assert_eq!(atomic(8, PORTICO_ATOMIC_PEEK, 8, 0, 0), 0x2_0000_0000);
    assert_eq!(atomic(8, PORTICO_ATOMIC_POKE, 8, 4, 0), 0);
    assert_eq!(read(fabric, 3, 0), [0, 0, 4, 0]);

    let wrong = |kind, bytes, operand| {
        let command = portico_atomic_command {
            kind,
            bytes,
            operand,
            condition: 0,
        };
        unsafe { portico_atomic(fabric, segment, 0, &command, &WAIT, &mut 0) }
    };
    fails(wrong(7, 4, 0), PORTICO_E_ARGUMENT, "kind = 7 is none of its constants");
    fails(wrong(0, 2, 0), PORTICO_E_OUT_OF_RANGE, "bytes, 4 or 8, = 2");
    fails(
        wrong(0, 4, 1 << 32),
        PORTICO_E_OUT_OF_RANGE,
        "operand = 4294967296 is not allowed: allowed is 0..=4294967295",
    );

    let mut ticket = ptr::null_mut();
    let command = portico_atomic_command {
        kind: PORTICO_ATOMIC_PEEK,
        bytes: 8,
        operand: 0,
        condition: 0,
    };
    must(unsafe { portico_atomic(fabric, segment, 8, &command, &by_ticket(&mut ticket), &mut 0) });
    assert_eq!(
        get::<u64>(|value| unsafe { portico_ticket_wait(fabric, ticket, 1000, value) }),
        4
    );
    must(portico_close(fabric));
}

#[test]
fn messages_come_with_their_source_and_credits_go_back() {
    let fabric = golden(SMALL);
    let event = get(|event| unsafe { portico_event_take(fabric, 0, event) });
    must(portico_event_configure(fabric, event, 2, PORTICO_FIRES_AT_LEAST, false));
    let queue = get(|queue| unsafe { portico_queue_new(fabric, 0, 4, 16, event, queue) });
    let sender = get(|sender| unsafe { portico_queue_sender(fabric, queue, 3, 3, sender) });
    write(fabric, 3, 0x40, &[1, 2, 3, 4]);
    for bytes in [12, 4] {
        must(unsafe { portico_enqueue(fabric, sender, 0x40, bytes, &WAIT) });
    }
    let long = unsafe { portico_enqueue(fabric, sender, 0x40, 20, &WAIT) };
    fails(
        long,
        PORTICO_E_OUT_OF_RANGE,
        "message bytes = 20 is not allowed: allowed is 0..=16",
    );
    assert_eq!(
        get::<u32>(|waiting| unsafe { portico_queue_waiting(fabric, queue, waiting) }),
        2
    );
    assert_eq!(
        get::<portico_event_state>(|state| unsafe { portico_event_wait(fabric, event, 100, state) }).count,
        2
    );

    let mut words = [0; 4];
    let mut message = portico_message {
        found: false,
        source: 0,
        count: 0,
    };
    let short = unsafe { portico_queue_receive(fabric, queue, words.as_mut_ptr(), 3, &mut message) };
    fails(
        short,
        PORTICO_E_SHORT_BUFFER,
        "elements of words = 3 is not allowed: allowed is 4 and more",
    );
    must(unsafe { portico_queue_receive(fabric, queue, words.as_mut_ptr(), 4, &mut message) });
    assert_eq!(
        (message.found, message.source, message.count, words),
        (true, 3, 3, [1, 2, 3, 0])
    );
    must(unsafe { portico_queue_wait(fabric, queue, 100, words.as_mut_ptr(), 4, &mut message) });
    assert_eq!(message.count, 1);
    must(unsafe { portico_queue_receive(fabric, queue, words.as_mut_ptr(), 4, &mut message) });
    assert!(!message.found);

    fails(
        portico_queue_retire(fabric, queue, sender),
        PORTICO_E_UNRELEASED,
        "has 2 messages",
    );
    fails(
        portico_queue_release(fabric, queue, 3),
        PORTICO_E_OUT_OF_RANGE,
        "messages to release = 3",
    );
    must(portico_queue_release(fabric, queue, 2));
    must(portico_queue_retire(fabric, queue, sender));
    fails(
        portico_queue_retire(fabric, queue, sender),
        PORTICO_E_STALE,
        "sender = ",
    );
    let mut facts = portico_queue_facts {
        node: 9,
        message_bytes: 0,
        free_credits: 0,
    };
    must(unsafe { portico_queue_info(fabric, queue, &mut facts) });
    assert_eq!((facts.node, facts.message_bytes, facts.free_credits), (0, 16, 4));
    must(portico_queue_close(fabric, queue));
    must(portico_close(fabric));
}

#[test]
fn mailboxes_replace_and_gather() {
    let fabric = golden(SMALL);
    let take = |arrivals| get(|mailbox| unsafe { portico_mailbox_take(fabric, 1, arrivals, ptr::null_mut(), mailbox) });
    let (single, barrier) = (take(0), take(2));
    let read = |mailbox| {
        let mut value = 0;
        let count: u32 = get(|count| unsafe { portico_mailbox_read(fabric, mailbox, count, &mut value) });
        (count, value)
    };
    must(unsafe { portico_mail(fabric, 0, single, 0x1_0000_0002, &WAIT) });
    assert_eq!(read(single), (1, 0x1_0000_0002));
    for node in [3, 4] {
        must(unsafe { portico_mail(fabric, node, barrier, 1 << node, &WAIT) });
    }
    assert_eq!(read(barrier).1, 0x18);
    must(portico_mailbox_clear(fabric, single));
    assert_eq!(read(single), (0, 0));
    must(portico_mailbox_release(fabric, single));
    let many = unsafe { portico_mailbox_take(fabric, 1, 256, ptr::null_mut(), &mut ptr::null_mut()) };
    fails(many, PORTICO_E_OUT_OF_RANGE, "arrivals of the barrier = 256");
    must(portico_close(fabric));
}

#[test]
fn a_program_is_assembled_loaded_and_run() {
    let fabric = golden(SMALL);
    let text = CString::new("shape r4, r4\nrun r2\nrun r3, close, last, stop").unwrap();
    let (mut words, mut count) = ([0; 256], 0);
    must(unsafe { portico_assemble(text.as_ptr(), words.as_mut_ptr(), words.len(), &mut count) });
    assert_eq!(count, 3);
    let short = unsafe { portico_assemble(text.as_ptr(), words.as_mut_ptr(), 2, &mut count) };
    fails(short, PORTICO_E_SHORT_BUFFER, "elements of words = 2");
    let mut back = [0u8; 256];
    must(unsafe { portico_disassemble(words.as_ptr(), 3, back.as_mut_ptr().cast(), back.len()) });
    assert!(back.starts_with(b"shape r4, r4\n"));
    let wrong = CString::new("fly r2").unwrap();
    let wrong = unsafe { portico_assemble(wrong.as_ptr(), words.as_mut_ptr(), 256, &mut count) };
    fails(wrong, PORTICO_E_ASSEMBLY, "fly");

    write(fabric, 0, 0x100, &[1, 2]);
    write(fabric, 0, 0x200, &[3, 4]);
    let segment = segment(fabric, 0, window(fabric, 3, 0, 64));
    let program = get(|program| unsafe { portico_program_load(fabric, 0, words.as_ptr(), 3, program) });
    let arguments = [0x100 / 4, 0x200 / 4, 2];
    must(unsafe { portico_run(fabric, program, segment, arguments.as_ptr(), 3, &WAIT) });
    assert_eq!(read(fabric, 3, 0), [1, 2, 3, 4]);
    must(portico_program_unload(fabric, program));
    let endless = unsafe { portico_program_load(fabric, 0, words.as_ptr(), 2, &mut ptr::null_mut()) };
    fails(endless, PORTICO_E_PROGRAM, "instruction 1");
    must(portico_close(fabric));
}

#[test]
fn registers_have_the_addresses_of_their_header() {
    for (config, unit) in [(SMALL, 4), (RICH, 8)] {
        let fabric = golden(config);
        let peek =
            |node, address| get(|value: *mut u32| unsafe { portico_register_peek(fabric, node, address, value) });
        let memory = 0x80000 + 3 * unit;
        assert_eq!(
            peek(2, memory),
            get(|bytes: *mut u32| unsafe { portico_memory_bytes(fabric, 2, bytes) })
        );
        let count = 0x80000 + unit * (0x2000 + 9 * 8);
        must(unsafe { portico_register_poke(fabric, 2, count, &77, 1) });
        assert_eq!(peek(2, count), 77);
        let mut value = 0;
        let mut wrong = |node, address| unsafe { portico_register_peek(fabric, node, address, &mut value) };
        fails(
            wrong(2, 0x7fffc & !(unit - 1)),
            PORTICO_E_ARGUMENT,
            "is that of no register",
        );
        fails(wrong(2, 0x80002), PORTICO_E_MISALIGNED, "address = 0x80002");
        fails(wrong(5, 0x80000), PORTICO_E_NO_SUCH_NODE, "node = 5");
        must(portico_close(fabric));
    }
    let fabric = golden("cols = 2\nrows = 1\nmemories = 1");
    let mut counters = std::mem::MaybeUninit::<portico_counters>::uninit();
    for node in 0..4 {
        must(unsafe { portico_count(fabric, node, counters.as_mut_ptr()) });
        assert_eq!(unsafe { counters.assume_init() }.dropped, 0);
    }
    must(portico_move_page(fabric, 3, 1, 1 << 32));
    fails(
        portico_move_page(fabric, 0, 1, 0),
        PORTICO_E_NO_MEMORY_NODE,
        "node 0 is not a memory node",
    );
    must(portico_close(fabric));
    let fabric = golden("cols = 2\nrows = 1\nmemories = 1\nmemory_address = 32");
    fails(
        portico_move_page(fabric, 3, 1, 1 << 32),
        PORTICO_E_PAGE_OUT_OF_REACH,
        "page base 0x100000000 is not allowed with memory_address = 32",
    );
    must(portico_close(fabric));
}

#[test]
fn traffic_and_streams_are_those_of_the_hardware() {
    let fabric = golden(RICH);
    let traffic = portico_traffic {
        target: 3,
        words: 8,
        packets: 100,
        rate: 0,
        seed: 1,
    };
    must(unsafe { portico_send_traffic(fabric, 0, &traffic, &WAIT) });
    let mut measured = std::mem::MaybeUninit::<portico_measured>::uninit();
    must(unsafe { portico_measure(fabric, 3, measured.as_mut_ptr()) });
    let measured = unsafe { measured.assume_init() };
    assert_eq!((measured.received, measured.words, measured.errors), (100, 800, 0));
    must(portico_clear_measured(fabric, 3));
    let any = portico_traffic {
        target: PORTICO_ANY_TILE,
        ..traffic
    };
    must(unsafe { portico_send_traffic(fabric, 1, &any, &WAIT) });

    must(portico_check_streams(fabric, 2));
    fails(
        portico_check_port(fabric, 2),
        PORTICO_E_NOT_BUILT,
        "set the key tile_ports",
    );
    let mut ticket = ptr::null_mut();
    must(unsafe { portico_receive(fabric, 2, 0x100, 64, &by_ticket(&mut ticket)) });
    let mut state = std::mem::MaybeUninit::<portico_streams_state>::uninit();
    must(unsafe { portico_streams(fabric, 2, state.as_mut_ptr()) });
    assert_eq!(unsafe { state.assume_init() }.receives_running, 1);
    let rows = portico_send_rows {
        address: 0,
        row: 8,
        rows: 0,
        stride: 0,
        each_row: true,
    };
    let sent = unsafe { portico_send(fabric, 4, &rows, &WAIT) };
    fails(sent, PORTICO_E_NOT_BUILT, "node 4 is built without streams");
    must(portico_close(fabric));
}
