//! Handles that are none any more, or those of another fabric, and errors with their texts.

use std::{ffi::CString, ptr, thread};

use portico_capi::{portico_status::*, *};

use crate::bench::*;

#[test]
fn a_handle_is_refused_after_its_release_elsewhere_and_in_the_place_of_another() {
    let (one, other) = (golden(SMALL), golden(SMALL));
    let event = get(|event| unsafe { portico_event_take(one, 2, event) });
    fails(
        portico_event_reset(other, event, 0),
        PORTICO_E_FOREIGN,
        "belongs to another fabric",
    );
    let taken = portico_window_withdraw(one, event.cast());
    fails(taken, PORTICO_E_WRONG_HANDLE, "handle of another type");
    must(portico_event_release(one, event));
    fails(portico_event_release(one, event), PORTICO_E_STALE, "event = 0x");
    fails(portico_event_reset(one, event, 0), PORTICO_E_STALE, "was released");
    let none = ptr::without_provenance_mut(0xffff_ffff);
    fails(portico_event_reset(one, none, 0), PORTICO_E_STALE, "0xffffffff");
    fails(
        portico_event_reset(one, ptr::null_mut(), 0),
        PORTICO_E_NULL,
        "event is NULL",
    );

    let window = window(other, 1, 0, 64);
    must(portico_close(other));
    fails(portico_close(other), PORTICO_E_STALE, "fabric = 0x");
    fails(portico_window_rewind(other, window), PORTICO_E_STALE, "was closed");
    fails(portico_window_rewind(one, window), PORTICO_E_STALE, "was released");
    fails(portico_close(window.cast()), PORTICO_E_STALE, "never was a handle");
    let event: *mut portico_event = get(|event| unsafe { portico_event_take(one, 2, event) });
    fails(portico_close(event.cast()), PORTICO_E_WRONG_HANDLE, "of another type");
    fails(portico_close(ptr::null_mut()), PORTICO_E_NULL, "fabric is NULL");
    must(portico_close(one));
}

#[test]
fn errors_have_their_field_value_and_range() {
    let fabric = golden(SMALL);
    let mut word = [0];
    let mut read = |node, address| unsafe { portico_read(fabric, node, address, word.as_mut_ptr(), 1) };
    fails(
        read(9, 0),
        PORTICO_E_NO_SUCH_NODE,
        "node = 9 does not exist: allowed is 0..=4",
    );
    fails(
        read(1, 2),
        PORTICO_E_MISALIGNED,
        "address = 0x2 must be a multiple of 4 bytes",
    );
    fails(
        read(1, 0x10_0000),
        PORTICO_E_OUT_OF_MEMORY,
        "of node 1, whose memory has",
    );
    let refused = portico_wait(fabric, u64::MAX);
    fails(
        refused,
        PORTICO_E_OUT_OF_RANGE,
        "cycles = 18446744073709551615 is not allowed",
    );
    must(portico_close(fabric));

    let open = |text: &str| unsafe {
        let text = CString::new(text).unwrap();
        portico_open_golden(text.as_ptr(), &mut ptr::null_mut())
    };
    fails(
        open("cols = 17"),
        PORTICO_E_CONFIG,
        "cols = 17 is not allowed: allowed is 1..=16",
    );
    fails(open("colums = 4"), PORTICO_E_CONFIG, "colums");
    let latin = [0xe4, 0u8];
    let opened = unsafe { portico_open_golden(latin.as_ptr().cast(), &mut ptr::null_mut()) };
    fails(opened, PORTICO_E_ARGUMENT, "config is no text in UTF-8");
}

#[test]
fn a_text_is_cut_to_its_place_and_belongs_to_its_thread() {
    fails(portico_close(ptr::null_mut()), PORTICO_E_NULL, "fabric is NULL");
    let mut text = [b'x'; 8];
    let place = text.as_mut_ptr().cast();
    assert_eq!(unsafe { portico_error_text(place, 7) }, PORTICO_E_SHORT_BUFFER);
    assert_eq!(&text, b"fabric\0x");
    assert_eq!(unsafe { portico_error_text(place, 0) }, PORTICO_E_SHORT_BUFFER);
    assert_eq!(unsafe { portico_error_text(ptr::null_mut(), 8) }, PORTICO_E_NULL);
    assert_eq!(last_error(), "fabric is NULL");
    assert_eq!(thread::spawn(last_error).join().unwrap(), "");
}

/// The hardware's code stands beside the status.
#[test]
fn a_refusal_has_the_code_of_the_hardware() {
    let fabric = golden(SMALL);
    let segment = segment(fabric, 0, window(fabric, 3, 0, 64));
    let code = || get(|code| unsafe { portico_error_code(code) });
    fails(portico_close(ptr::null_mut()), PORTICO_E_NULL, "");
    assert_eq!(code(), 0);
    // Opcode 63 is none.
    let (words, mut value) = ([0xfc00_0000, 0], 0);
    let sent = unsafe { portico_descriptor(fabric, 0, words.as_ptr(), 2, &WAIT, &mut value) };
    fails(sent, PORTICO_E_REFUSED, "descriptor of node 0 refused: ");
    assert_ne!(code(), 0);
    must(portico_segment_release(fabric, segment));
    must(portico_close(fabric));
}
