//! Portals: puts and gets that the target matches, by the functions of C.

use std::ptr;

use portico_capi::{portico_status::*, *};

use crate::bench::*;

const PORTALS: &str = "cols = 2\nrows = 1\nportals = 4";

starts! {
    portico_ptl_ct_event: portico_ptl_ct_event { success: 0, failure: 0 };
    portico_ptl_event: portico_ptl_event {
        kind: 99,
        ni_fail_type: 99,
        ptl_list: 99,
        pt_index: 0,
        initiator: 0,
        uid: 0,
        match_bits: 0,
        hdr_data: 0,
        rlength: 0,
        mlength: 0,
        remote_offset: 0,
        start: 0,
        user_ptr: 0,
    };
}

const PIECE: portico_ptl_md_piece = portico_ptl_md_piece {
    length: 64,
    eq: ptr::null_mut(),
    ct: ptr::null_mut(),
    start: 0x100,
    options: 0,
};

const ENTRY: portico_ptl_entry = portico_ptl_entry {
    length: 100,
    match_bits: 0x50,
    ignore_bits: 0xf,
    min_free: 0,
    ct: ptr::null_mut(),
    start: 0x203,
    options: PORTICO_PTL_ME_OP_PUT,
    uid: PORTICO_PTL_ANY,
    match_id: PORTICO_PTL_ANY,
    list: PORTICO_PTL_PRIORITY,
    user_ptr: 7,
};

/// A fabric of two ranks, and an interface of each.
fn two(interface: portico_ptl_interface) -> (*mut portico_fabric, [*mut portico_ptl_ni; 2]) {
    let fabric = golden(PORTALS);
    must(unsafe { portico_ptl_set_map(fabric, [0, 1].as_ptr(), 2) });
    let open = |tile| get(|ni| unsafe { portico_ptl_ni_init(fabric, tile, interface, ni) });
    (fabric, [0, 1].map(open))
}

#[test]
fn a_put_meets_its_entry_and_is_acknowledged() {
    let (fabric, [ni, target]) = two(PORTICO_PTL_NI_MATCHING);
    let eq = get(|eq| unsafe { portico_ptl_eq_alloc(fabric, target, 8, eq) });
    let pt_index =
        get(|index: *mut u32| unsafe { portico_ptl_pt_alloc(fabric, target, 0, eq, PORTICO_PTL_ANY, index) });
    let me = get(|me| unsafe { portico_ptl_me_append(fabric, target, pt_index, &ENTRY, me) });
    let event = || get(|event| unsafe { portico_ptl_eq_get(fabric, target, eq, event) });
    assert_eq!(event().kind, PORTICO_PTL_EVENT_LINK);
    let empty = unsafe { portico_ptl_eq_get(fabric, target, eq, &mut Start::start()) };
    fails(empty, PORTICO_E_PTL_EQ_EMPTY, "PTL_EQ_EMPTY: ");

    write(fabric, 0, 0x100, &[0x4433_2211, 0x55]);
    let ct = get(|ct| unsafe { portico_ptl_ct_alloc(fabric, ni, ct) });
    let piece = portico_ptl_md_piece {
        ct,
        options: PORTICO_PTL_MD_EVENT_CT_ACK,
        ..PIECE
    };
    let md = get(|md| unsafe { portico_ptl_md_bind(fabric, ni, &piece, md) });
    let put = portico_ptl_message {
        md,
        local_offset: 0,
        length: 5,
        match_bits: 0x5a,
        remote_offset: 1,
        hdr_data: 3,
        target: 1,
        pt_index,
        ack: PORTICO_PTL_CT_ACK_REQ,
        user_ptr: 0,
    };
    must(unsafe { portico_ptl_put(fabric, ni, &put) });
    let counted: portico_ptl_ct_event = get(|event| unsafe { portico_ptl_ct_wait(fabric, ni, ct, 1, 10_000, event) });
    assert_eq!((counted.success, counted.failure), (1, 0));
    let event: portico_ptl_event = get(|event| unsafe { portico_ptl_eq_wait(fabric, target, eq, 10_000, event) });
    assert_eq!(
        (event.kind, event.ni_fail_type),
        (PORTICO_PTL_EVENT_PUT, PORTICO_PTL_NI_FAIL_OK)
    );
    assert_eq!(
        (event.mlength, event.start, event.user_ptr, event.hdr_data),
        (5, 0x204, 7, 3)
    );
    assert_eq!(read(fabric, 1, 0x204), [0x4433_2211, 0x55]);

    // A get that no entry takes is a failure of the counter, and of the target's status.
    let get_message = portico_ptl_message { match_bits: 0, ..put };
    must(unsafe { portico_ptl_get(fabric, ni, &get_message) });
    let register = PORTICO_PTL_SR_DROP_COUNT;
    let drops = get(|drops: *mut u32| unsafe { portico_ptl_ni_status(fabric, target, register, drops) });
    assert_eq!(drops, 1);

    let used = portico_ptl_ct_free(fabric, ni, ct);
    fails(
        used,
        PORTICO_E_PTL_IN_USE,
        "PTL_IN_USE: the counter of tile 0 is in use by a memory descriptor",
    );
    must(portico_ptl_md_release(fabric, ni, md));
    fails(portico_ptl_md_release(fabric, ni, md), PORTICO_E_STALE, "md = ");
    must(portico_ptl_ct_free(fabric, ni, ct));
    must(portico_ptl_me_unlink(fabric, target, me));
    must(portico_ptl_pt_free(fabric, target, pt_index));
    must(portico_ptl_eq_free(fabric, target, eq));
    for ni in [ni, target] {
        must(portico_ptl_ni_fini(fabric, ni));
        fails(portico_ptl_ni_fini(fabric, ni), PORTICO_E_STALE, "ni = ");
    }
    must(portico_close(fabric));
}

/// Kinds, failures and user pointers of all events that a queue has.
fn drained(fabric: *mut portico_fabric, ni: *mut portico_ptl_ni, eq: *mut portico_ptl_eq) -> Vec<(u32, u32, u32)> {
    let mut events = vec![];
    let mut event: portico_ptl_event = Start::start();
    while unsafe { portico_ptl_eq_get(fabric, ni, eq, &mut event) } == PORTICO_OK {
        events.push((event.kind, event.ni_fail_type, event.user_ptr));
    }
    events
}

#[test]
fn headers_of_messages_that_came_first_are_searched_and_consumed() {
    for interface in [PORTICO_PTL_NI_MATCHING, PORTICO_PTL_NI_NO_MATCHING] {
        let (fabric, [ni, target]) = two(interface);
        let is_matching = interface == PORTICO_PTL_NI_MATCHING;
        let eq = get(|eq| unsafe { portico_ptl_eq_alloc(fabric, target, 16, eq) });
        let pt_index: u32 = get(|index| unsafe { portico_ptl_pt_alloc(fabric, target, 0, eq, PORTICO_PTL_ANY, index) });
        // How the entry is unlinked at once.
        let append = |entry: &portico_ptl_entry| match is_matching {
            true => {
                let me = get(|me| unsafe { portico_ptl_me_append(fabric, target, pt_index, entry, me) });
                portico_ptl_me_unlink(fabric, target, me)
            }
            false => {
                let le = get(|le| unsafe { portico_ptl_le_append(fabric, target, pt_index, entry, le) });
                portico_ptl_le_unlink(fabric, target, le)
            }
        };
        let search = |entry: *const portico_ptl_entry, operation| match is_matching {
            true => unsafe { portico_ptl_me_search(fabric, target, pt_index, entry, operation) },
            false => unsafe { portico_ptl_le_search(fabric, target, pt_index, entry, operation) },
        };
        let overflow = portico_ptl_entry {
            list: PORTICO_PTL_OVERFLOW,
            user_ptr: 1,
            ..ENTRY
        };
        must(append(&overflow));
        let (ok, none) = (PORTICO_PTL_NI_FAIL_OK, PORTICO_PTL_NI_FAIL_NO_MATCH);
        must(search(&ENTRY, PORTICO_PTL_SEARCH_ONLY));
        let missed = (PORTICO_PTL_EVENT_SEARCH, none, 7);
        assert_eq!(drained(fabric, target, eq), [(PORTICO_PTL_EVENT_LINK, ok, 1), missed]);
        match is_matching {
            true => drop(get(|me| unsafe {
                portico_ptl_me_append(fabric, target, pt_index, &overflow, me)
            })),
            false => drop(get(|le| unsafe {
                portico_ptl_le_append(fabric, target, pt_index, &overflow, le)
            })),
        }
        let md = get(|md| unsafe { portico_ptl_md_bind(fabric, ni, &PIECE, md) });
        let put = portico_ptl_message {
            md,
            local_offset: 0,
            length: 5,
            match_bits: 0x5a,
            remote_offset: 1,
            hdr_data: 3,
            target: 1,
            pt_index,
            ack: PORTICO_PTL_NO_ACK_REQ,
            user_ptr: 0,
        };
        for _ in 0..2 {
            must(unsafe { portico_ptl_put(fabric, ni, &put) });
        }
        must(portico_ptl_md_release(fabric, ni, md));
        drained(fabric, target, eq);
        must(search(&ENTRY, PORTICO_PTL_SEARCH_ONLY));
        assert_eq!(drained(fabric, target, eq), [(PORTICO_PTL_EVENT_SEARCH, ok, 7); 2]);
        let once = portico_ptl_entry {
            options: PORTICO_PTL_ME_OP_PUT | PORTICO_PTL_ME_USE_ONCE,
            ..ENTRY
        };
        fails(append(&once), PORTICO_E_PTL_ARG_INVALID, "is gone from tile 1");
        let (over, unlink) = (PORTICO_PTL_EVENT_PUT_OVERFLOW, PORTICO_PTL_EVENT_AUTO_UNLINK);
        assert_eq!(drained(fabric, target, eq), [(over, ok, 7), (unlink, ok, 7)]);
        must(search(&once, PORTICO_PTL_SEARCH_DELETE));
        assert_eq!(drained(fabric, target, eq), [(over, ok, 7)]);
        must(search(&once, PORTICO_PTL_SEARCH_DELETE));
        assert_eq!(drained(fabric, target, eq), [missed]);
        fails(
            search(&once, 2),
            PORTICO_E_ARGUMENT,
            "operation = 2 is none of its constants",
        );
        fails(search(ptr::null(), 0), PORTICO_E_NULL, "entry");
        let odd = portico_ptl_entry {
            options: PORTICO_PTL_ME_IOVEC,
            ..ENTRY
        };
        fails(search(&odd, 0), PORTICO_E_PTL_ARG_INVALID, "PTL_ME_IOVEC");
        must(portico_ptl_ni_fini(fabric, target));
        must(portico_close(fabric));
    }
}

#[test]
fn counters_and_queues_are_polled() {
    let (fabric, [ni, target]) = two(PORTICO_PTL_NI_NO_MATCHING);
    let cts = [0; 2].map(|_| get(|ct| unsafe { portico_ptl_ct_alloc(fabric, ni, ct) }));
    must(unsafe { portico_ptl_ct_set(fabric, ni, cts[0], &portico_ptl_ct_event { success: 3, failure: 0 }) });
    must(unsafe { portico_ptl_ct_inc(fabric, ni, cts[1], &portico_ptl_ct_event { success: 4, failure: 0 }) });
    let mut which = 9;
    let poll = |tests: [u64; 2], which: &mut usize, event| unsafe {
        portico_ptl_ct_poll(fabric, ni, cts.as_ptr(), tests.as_ptr(), 2, 100, event, which)
    };
    let found: portico_ptl_ct_event = get(|event| poll([4, 4], &mut which, event));
    assert_eq!((found.success, which), (4, 1));
    fails(
        poll([5, 5], &mut which, &mut Start::start()),
        PORTICO_E_PTL_CT_NONE_REACHED,
        "within 100 cycles",
    );
    let found: portico_ptl_ct_event = get(|event| unsafe { portico_ptl_ct_get(fabric, ni, cts[0], event) });
    assert_eq!(found.success, 3);

    let eqs = [0; 2].map(|_| get(|eq| unsafe { portico_ptl_eq_alloc(fabric, target, 8, eq) }));
    let index = |eq| get(|index: *mut u32| unsafe { portico_ptl_pt_alloc(fabric, target, 0, eq, 5, index) });
    assert_eq!(index(eqs[1]), 5);
    let le = get(|le| unsafe { portico_ptl_le_append(fabric, target, 5, &ENTRY, le) });
    let event: portico_ptl_event =
        get(|event| unsafe { portico_ptl_eq_poll(fabric, target, eqs.as_ptr(), 2, 100, event, &mut which) });
    assert_eq!((event.kind, event.pt_index, which), (PORTICO_PTL_EVENT_LINK, 5, 1));
    must(portico_ptl_pt_disable(fabric, target, 5));
    must(portico_ptl_pt_enable(fabric, target, 5));
    must(portico_ptl_le_unlink(fabric, target, le));
    must(portico_close(fabric));
}

#[test]
fn an_interface_tells_its_rank_its_user_and_its_limits() {
    let (fabric, [_, ni]) = two(PORTICO_PTL_NI_MATCHING);
    must(portico_ptl_set_uid(fabric, ni, 12));
    let (mut tile, mut interface, mut rank) = (9, 9, 9);
    let uid: u32 = get(|uid| unsafe { portico_ptl_ni_info(fabric, ni, &mut tile, &mut interface, &mut rank, uid) });
    assert_eq!((tile, interface, rank, uid), (1, PORTICO_PTL_NI_MATCHING, 1, 12));
    let mut limits = std::mem::MaybeUninit::<portico_ptl_limits>::uninit();
    must(unsafe { portico_ptl_ni_limits(fabric, ni, limits.as_mut_ptr()) });
    let limits = unsafe { limits.assume_init() };
    assert!(limits.max_mds > 0 && limits.max_triggered_ops == 0 && limits.total_data_ordering);
    let (mut tiles, mut count) = ([9; 4], 0);
    must(unsafe { portico_ptl_get_map(fabric, tiles.as_mut_ptr(), 4, &mut count) });
    assert_eq!((tiles, count), ([0, 1, 9, 9], 2));
    let other = unsafe { portico_ptl_set_map(fabric, [1, 0].as_ptr(), 2) };
    fails(other, PORTICO_E_PTL_IGNORED, "PTL_IGNORED: the map of ranks is set");

    let unknown = portico_ptl_md_piece {
        options: 1 << 9,
        ..PIECE
    };
    let bound = unsafe { portico_ptl_md_bind(fabric, ni, &unknown, &mut ptr::null_mut()) };
    fails(
        bound,
        PORTICO_E_ARGUMENT,
        "options = 0x200 is not allowed: allowed is 0..=0x1ff",
    );
    let refused = portico_ptl_md_piece {
        options: PORTICO_PTL_MD_IOVEC,
        ..PIECE
    };
    let bound = unsafe { portico_ptl_md_bind(fabric, ni, &refused, &mut ptr::null_mut()) };
    fails(bound, PORTICO_E_PTL_ARG_INVALID, "PTL_MD_IOVEC");
    let refused = portico_ptl_entry {
        options: PORTICO_PTL_ME_IOVEC,
        ..ENTRY
    };
    let index = get(|index: *mut u32| unsafe { portico_ptl_pt_alloc(fabric, ni, 0, ptr::null_mut(), 0, index) });
    let appended = unsafe { portico_ptl_me_append(fabric, ni, index, &refused, &mut ptr::null_mut()) };
    fails(appended, PORTICO_E_PTL_ARG_INVALID, "PTL_ME_IOVEC");
    let flow = PORTICO_PTL_PT_FLOWCTRL;
    let allocated = unsafe { portico_ptl_pt_alloc(fabric, ni, flow, ptr::null_mut(), 1, &mut 0) };
    fails(allocated, PORTICO_E_PTL_PT_EQ_NEEDED, "PTL_PT_EQ_NEEDED");
    let none = golden(SMALL);
    let opened = unsafe { portico_ptl_ni_init(none, 0, 0, &mut ptr::null_mut()) };
    fails(opened, PORTICO_E_PTL_FAIL, "is built without a Portals engine");
    must(portico_close(none));
    must(portico_close(fabric));
}
