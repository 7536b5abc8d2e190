//! Searches of headers.

use super::*;

/// A search of all headers of its index.
const ALL: Me = Me {
    start: u32::MAX,
    length: 0,
    ct: None,
    min_free: 0,
    uid: None,
    options: EntryOptions::NONE,
    match_id: None,
    match_bits: 0,
    ignore_bits: u64::MAX,
};

/// Tile 1 has headers of puts of 1, 2 and so on bytes with these match bits, which its queue has told.
fn headers(interface: Interface, all: &[u64]) -> (Fabric<GoldenTransport>, Ni, EqHandle) {
    let (mut fabric, ni, target) = two(interface);
    let eq = target.eq_alloc(&mut fabric, 64).unwrap();
    target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let options = EntryOptions::OP_PUT | EntryOptions::EVENT_COMM_DISABLE | EntryOptions::EVENT_LINK_DISABLE;
    let le = Le {
        start: 0x200,
        length: 0x100,
        options,
        ..Le::default()
    };
    match interface {
        Interface::Matching => {
            let me = le.as_me().unwrap();
            target.me_append(&mut fabric, 0, &me, PtlList::Overflow, 1).unwrap();
        }
        Interface::NonMatching => {
            target.le_append(&mut fabric, 0, &le, PtlList::Overflow, 1).unwrap();
        }
    }
    let md = Md {
        length: 64,
        ..Md::default()
    };
    let md = ni.md_bind(&mut fabric, &md).unwrap();
    for (length, &match_bits) in (1..).zip(all) {
        let put = Put {
            match_bits,
            ..Put::new(md, length, 1)
        };
        ni.put(&mut fabric, &put).unwrap();
    }
    ni.finish_moves(&mut fabric).unwrap();
    (fabric, target, eq)
}

/// Kinds, user pointers and delivered lengths.
fn told(events: &[Event]) -> Vec<(EventKind, u32, u64)> {
    let told = events.iter();
    told.map(|event| (event.kind, event.user_ptr, event.mlength)).collect()
}

#[test]
fn a_search_tells_and_one_that_deletes_takes_away() {
    let (mut fabric, target, eq) = headers(Interface::Matching, &[5, 6, 5, 5]);
    let fives = Me {
        match_bits: 5,
        ignore_bits: 0,
        ..ALL
    };
    let first = Me {
        options: EntryOptions::USE_ONCE,
        ..fives
    };
    let mut search = |me: &Me, operation, user_ptr| {
        target.me_search(&mut fabric, 0, me, operation, user_ptr).unwrap();
        told(&drain(&mut fabric, target, eq))
    };
    let (searched, over) = (EventKind::Search, EventKind::PutOverflow);
    assert_eq!(search(&first, SearchOp::Only, 7), [(searched, 7, 1)]);
    let three = [(searched, 8, 1), (searched, 8, 3), (searched, 8, 4)];
    assert_eq!(search(&fives, SearchOp::Only, 8), three);
    assert_eq!(search(&first, SearchOp::Delete, 9), [(over, 9, 1)]);
    assert_eq!(search(&fives, SearchOp::Delete, 10), [(over, 10, 3), (over, 10, 4)]);
    assert_eq!(search(&ALL, SearchOp::Only, 11), [(searched, 11, 2)]);
    let me = Me {
        options: EntryOptions::USE_ONCE,
        ..ALL
    };
    let me = Me { start: 0, ..me };
    target.me_append(&mut fabric, 0, &me, PtlList::Priority, 12).unwrap();
    let events = drain(&mut fabric, target, eq);
    assert_eq!(told(&events), [(over, 12, 2), (EventKind::AutoUnlink, 12, 0)]);
}

#[test]
fn all_fields_of_a_search_tell_of_the_message_or_of_the_miss() {
    let (mut fabric, target, eq) = headers(Interface::Matching, &[5]);
    target.me_search(&mut fabric, 0, &ALL, SearchOp::Only, 7).unwrap();
    let found = Event {
        ptl_list: PtlList::Overflow,
        match_bits: 5,
        rlength: 1,
        mlength: 1,
        start: 0x200,
        user_ptr: 7,
        ..event(EventKind::Search)
    };
    assert_eq!(drain(&mut fabric, target, eq), [found]);
    let missing = Me { ignore_bits: 0, ..ALL };
    for operation in [SearchOp::Only, SearchOp::Delete] {
        target.me_search(&mut fabric, 0, &missing, operation, 8).unwrap();
        let missed = Event {
            ni_fail_type: NiFail::NoMatch,
            user_ptr: 8,
            ..event(EventKind::Search)
        };
        assert_eq!(drain(&mut fabric, target, eq), [missed]);
    }
}

#[test]
fn options_stop_events_of_a_search_and_it_counts_nothing() {
    let (mut fabric, target, eq) = headers(Interface::Matching, &[5; 4]);
    let ct = target.ct_alloc(&mut fabric).unwrap();
    let quiet = EntryOptions::EVENT_COMM_DISABLE | EntryOptions::EVENT_OVER_DISABLE | EntryOptions::USE_ONCE;
    let counts = EntryOptions::EVENT_CT_OVERFLOW | EntryOptions::EVENT_CT_COMM;
    for options in [quiet | counts, EntryOptions::EVENT_SUCCESS_DISABLE] {
        for operation in [SearchOp::Only, SearchOp::Delete] {
            let me = Me {
                ct: Some(ct),
                options,
                ..ALL
            };
            target.me_search(&mut fabric, 0, &me, operation, 7).unwrap();
            assert_eq!(drain(&mut fabric, target, eq), []);
        }
    }
    assert_eq!(target.ct_get(&mut fabric, ct), Ok(CtEvent::default()));
    target.me_search(&mut fabric, 0, &ALL, SearchOp::Only, 7).unwrap();
    assert_eq!(drain(&mut fabric, target, eq)[0].ni_fail_type, NiFail::NoMatch);
    target.ct_free(&mut fabric, ct).unwrap();
    let me = Me { ct: Some(ct), ..ALL };
    let stale = target.me_search(&mut fabric, 0, &me, SearchOp::Only, 7);
    assert!(matches!(stale, Err(Error::Stale { .. })));
}

#[test]
fn a_search_is_of_its_interface() {
    let (mut fabric, target, eq) = headers(Interface::NonMatching, &[5, 6]);
    let le = Le::default();
    let once = Le {
        options: EntryOptions::USE_ONCE,
        ..le
    };
    let (searched, over) = (EventKind::Search, EventKind::PutOverflow);
    target.le_search(&mut fabric, 0, &le, SearchOp::Only, 7).unwrap();
    target.le_search(&mut fabric, 0, &once, SearchOp::Delete, 8).unwrap();
    target.le_search(&mut fabric, 0, &le, SearchOp::Delete, 9).unwrap();
    let events = drain(&mut fabric, target, eq);
    let expected = [(searched, 7, 1), (searched, 7, 2), (over, 8, 1), (over, 9, 2)];
    assert_eq!(told(&events), expected);
    let whole = Le {
        options: EntryOptions::NO_TRUNCATE,
        ..le
    };
    let refused = target.le_search(&mut fabric, 0, &whole, SearchOp::Only, 7).unwrap_err();
    assert_eq!(refused.code(), "PTL_ARG_INVALID");
    let wrong = target.me_search(&mut fabric, 0, &ALL, SearchOp::Only, 7);
    assert!(matches!(wrong, Err(Error::WrongInterface { .. })));
    let matching = Ni::open(&mut fabric, 1, Interface::Matching).unwrap();
    let wrong = matching.le_search(&mut fabric, 0, &le, SearchOp::Only, 7);
    assert!(matches!(wrong, Err(Error::WrongInterface { .. })));
    matching.pt_alloc(&mut fabric, PtOptions::NONE, None, None).unwrap();
    matching.me_search(&mut fabric, 0, &ALL, SearchOp::Delete, 7).unwrap();
    assert_eq!(drain(&mut fabric, target, eq), []);
}
