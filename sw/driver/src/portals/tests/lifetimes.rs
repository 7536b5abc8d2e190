//! Handles: stale ones, those of others, and what a close leaves behind.

use super::*;

#[test]
fn a_stale_handle_is_told_though_its_row_is_taken_again() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let fabric = &mut fabric;
    let eq = ni.eq_alloc(fabric, 2).unwrap();
    ni.eq_free(fabric, eq).unwrap();
    let again = ni.eq_alloc(fabric, 2).unwrap();
    assert_eq!(eq.number(), again.number());
    let stale = ni.eq_get(fabric, eq).unwrap_err();
    assert_eq!(
        stale.to_string(),
        "PTL_ARG_INVALID: the event queue of this handle is gone from tile 0: it was freed, released, closed or unlinked"
    );
    let ct = ni.ct_alloc(fabric).unwrap();
    ni.ct_free(fabric, ct).unwrap();
    ni.ct_alloc(fabric).unwrap();
    let is_stale = |error: Error| matches!(error, Error::Stale { .. });
    assert!(is_stale(ni.ct_get(fabric, ct).unwrap_err()));
    let md = ni.md_bind(fabric, &Md::default()).unwrap();
    ni.md_release(fabric, md).unwrap();
    ni.md_bind(fabric, &Md::default()).unwrap();
    assert!(is_stale(ni.put(fabric, &Put::new(md, 0, 1)).unwrap_err()));
    assert!(is_stale(ni.md_release(fabric, md).unwrap_err()));
    let named = Md {
        eq: Some(eq),
        ..Md::default()
    };
    assert!(is_stale(ni.md_bind(fabric, &named).unwrap_err()));
    let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, None, None).unwrap();
    let me = ni
        .me_append(fabric, pt_index, &Me::default(), PtlList::Priority, 0)
        .unwrap();
    ni.me_unlink(fabric, me).unwrap();
    ni.me_append(fabric, pt_index, &Me::default(), PtlList::Priority, 0)
        .unwrap();
    assert!(is_stale(ni.me_unlink(fabric, me).unwrap_err()));
}

#[test]
fn a_handle_of_another_interface_is_told() {
    let (mut fabric, ni, other) = two(Interface::Matching);
    let plain = Ni::open(&mut fabric, 0, Interface::NonMatching).unwrap();
    let ct = other.ct_alloc(&mut fabric).unwrap();
    let wrong = ni.ct_get(&mut fabric, ct).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "PTL_ARG_INVALID: the counter belongs to the matching interface of tile 1, not to the matching interface of tile 0"
    );
    let eq = ni.eq_alloc(&mut fabric, 2).unwrap();
    assert!(matches!(
        plain.eq_get(&mut fabric, eq),
        Err(Error::WrongInterface { .. })
    ));
    let refused = plain.me_append(&mut fabric, 0, &Me::default(), PtlList::Priority, 0);
    assert!(matches!(refused, Err(Error::WrongInterface { .. })));
    let refused = ni.le_append(&mut fabric, 0, &Le::default(), PtlList::Priority, 0);
    assert!(matches!(refused, Err(Error::WrongInterface { .. })));
    plain.pt_alloc(&mut fabric, PtOptions::NONE, None, None).unwrap();
    let managed = Le {
        options: EntryOptions::MANAGE_LOCAL,
        ..Le::default()
    };
    let refused = plain.le_append(&mut fabric, 0, &managed, PtlList::Priority, 0);
    assert_eq!(refused.unwrap_err().code(), "PTL_ARG_INVALID");
}

#[test]
fn what_something_names_is_not_freed() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let fabric = &mut fabric;
    let (eq, ct) = (ni.eq_alloc(fabric, 2).unwrap(), ni.ct_alloc(fabric).unwrap());
    let md = Md {
        eq: Some(eq),
        ct: Some(ct),
        ..Md::default()
    };
    let md = ni.md_bind(fabric, &md).unwrap();
    let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let told = ni.ct_free(fabric, ct).unwrap_err();
    assert_eq!(
        told.to_string(),
        "PTL_IN_USE: the counter of tile 0 is in use by a memory descriptor"
    );
    assert_eq!(ni.eq_free(fabric, eq).unwrap_err().code(), "PTL_IN_USE");
    ni.md_release(fabric, md).unwrap();
    ni.ct_free(fabric, ct).unwrap();
    let told = ni.eq_free(fabric, eq).unwrap_err();
    assert_eq!(
        told.to_string(),
        "PTL_IN_USE: the event queue of tile 0 is in use by a portal index"
    );
    ni.pt_free(fabric, pt_index).unwrap();
    ni.eq_free(fabric, eq).unwrap();
}

/// Interfaces with all kinds of handles, some entries of which have left by themselves, close and open again and again.
#[test]
fn a_close_leaves_nothing_behind() {
    let (mut fabric, ni, target) = two(Interface::Matching);
    for ni in [ni, target] {
        ni.close(&mut fabric).unwrap();
        assert!(matches!(ni.close(&mut fabric), Err(Error::Stale { .. })));
    }
    for _ in 0..40 {
        let [ni, target] = [0, 1].map(|tile| Ni::open(&mut fabric, tile, Interface::Matching).unwrap());
        assert_eq!(Ni::open(&mut fabric, 1, Interface::Matching), Ok(target));
        let eq = target.eq_alloc(&mut fabric, 100).unwrap();
        let ct = target.ct_alloc(&mut fabric).unwrap();
        let pt_index = target
            .pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), Some(3))
            .unwrap();
        let me = Me {
            ct: Some(ct),
            options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE | EntryOptions::EVENT_CT_COMM,
            ..Me::default()
        };
        for list in [PtlList::Priority, PtlList::Overflow, PtlList::Priority] {
            target.me_append(&mut fabric, pt_index, &me, list, 0).unwrap();
        }
        let md = ni.md_bind(&mut fabric, &Md::default()).unwrap();
        let put = Put {
            pt_index,
            ..Put::new(md, 0, 1)
        };
        ni.put(&mut fabric, &put).unwrap();
        assert_eq!(target.ct_wait(&mut fabric, ct, 1, TIMEOUT).unwrap().success, 1);
        assert_eq!(drain(&mut fabric, target, eq).len(), 5);
        ni.close(&mut fabric).unwrap();
        target.close(&mut fabric).unwrap();
        assert!(
            target.eq_get(&mut fabric, eq) == Err(Error::EqEmpty),
            "it is open once more"
        );
        target.close(&mut fabric).unwrap();
        assert!(matches!(target.eq_get(&mut fabric, eq), Err(Error::Stale { .. })));
    }
    for tile in 0..2 {
        let all = fabric.memory_bytes(tile).unwrap();
        let region = fabric.allocate(tile, all).unwrap();
        fabric.free(region).unwrap();
        let events: Vec<_> = (0..fabric.nodes[tile].build.events)
            .map(|_| fabric.event(tile))
            .collect();
        assert!(events.iter().all(Result::is_ok));
    }
}

/// Headers are left of entries that are in Overflow and of entries that have left it; both interfaces close nevertheless.
#[test]
fn a_close_removes_headers() {
    for interface in [Interface::Matching, Interface::NonMatching] {
        let (mut fabric, first, target) = two(interface);
        target.close(&mut fabric).unwrap();
        let md = Md {
            length: 8,
            ..Md::default()
        };
        let md = first.md_bind(&mut fabric, &md).unwrap();
        for _ in 0..10 {
            let target = Ni::open(&mut fabric, 1, interface).unwrap();
            for pt_index in [3, 60] {
                target
                    .pt_alloc(&mut fabric, PtOptions::NONE, None, Some(pt_index))
                    .unwrap();
                // One takes all, another one message.
                for options in [EntryOptions::OP_PUT, EntryOptions::OP_PUT | EntryOptions::USE_ONCE] {
                    let le = Le {
                        length: 8,
                        options,
                        ..Le::default()
                    };
                    match interface {
                        Interface::Matching => {
                            let me = Me {
                                match_bits: options.contains(EntryOptions::USE_ONCE).into(),
                                ..le.as_me().unwrap()
                            };
                            let me = Me { ignore_bits: 2, ..me };
                            let appended = target.me_append(&mut fabric, pt_index, &me, PtlList::Overflow, 0);
                            assert!(appended.is_ok());
                        }
                        Interface::NonMatching => {
                            let appended = target.le_append(&mut fabric, pt_index, &le, PtlList::Overflow, 0);
                            assert!(appended.is_ok());
                        }
                    }
                }
                for match_bits in [0, 1, 2] {
                    let put = Put {
                        match_bits,
                        pt_index,
                        ..Put::new(md, 8, 1)
                    };
                    first.put(&mut fabric, &put).unwrap();
                }
                first.finish_moves(&mut fabric).unwrap();
                assert_eq!(
                    target.pt_free(&mut fabric, pt_index).unwrap_err().code(),
                    "PTL_PT_IN_USE"
                );
            }
            target.close(&mut fabric).unwrap();
        }
        let target = Ni::open(&mut fabric, 1, interface).unwrap();
        assert_eq!(target.ni_status(&mut fabric, StatusRegister::DropCount), Ok(0));
    }
}

/// An interface that cannot have all that it needs takes nothing.
#[test]
fn an_open_without_events_left_takes_nothing() {
    let mut fabric = Fabric::open(GoldenTransport::new(&config(1)).unwrap()).unwrap();
    set_map(&mut fabric, &[0.into()]).unwrap();
    let count = fabric.nodes[0].build.events;
    let mut events: Vec<_> = (0..count - 2).map(|_| fabric.event(0).unwrap()).collect();
    let error = Ni::open(&mut fabric, 0, Interface::Matching).unwrap_err();
    assert!(
        matches!(error, Error::Fail(DriverError::Exhausted { resource: "event", .. })),
        "{error}"
    );
    let all = fabric.memory_bytes(0).unwrap();
    let region = fabric.allocate(0, all).unwrap();
    fabric.free(region).unwrap();
    events.pop().unwrap().release(&mut fabric).unwrap();
    Ni::open(&mut fabric, 0, Interface::Matching).unwrap();
}
