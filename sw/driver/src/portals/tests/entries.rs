//! Entries: order, wildcards, and how they end.

use super::*;

/// Puts of one byte to rank 1, each with an acknowledgement; gives where they went: the user pointers of the events.
fn puts(fabric: &mut Fabric<GoldenTransport>, ni: Ni, target: Ni, eq: EqHandle, match_bits: &[u64]) -> Vec<Event> {
    let md = Md {
        length: 64,
        ..Md::default()
    };
    let md = ni.md_bind(fabric, &md).unwrap();
    for &match_bits in match_bits {
        let put = Put {
            match_bits,
            ..Put::new(md, 1, 1)
        };
        ni.put(fabric, &put).unwrap();
    }
    ni.md_release(fabric, md).unwrap();
    drain(fabric, target, eq)
}

#[test]
fn the_first_entry_that_matches_takes_the_message() {
    let (mut fabric, ni, target) = two(Interface::Matching);
    let eq = target.eq_alloc(&mut fabric, 32).unwrap();
    let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let me = Me {
        length: 8,
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    // In the Overflow list, for all; then of another rank; of this rank; for any rank and bits.
    let entries = [
        (PtlList::Overflow, None, 0, u64::MAX),
        (PtlList::Priority, Some(1), 5, 0),
        (PtlList::Priority, Some(0), 5, 0x10),
        (PtlList::Priority, None, 0x40, 0xff),
    ];
    for (user_ptr, (list, match_id, match_bits, ignore_bits)) in (1..).zip(entries) {
        let me = Me {
            match_id,
            match_bits,
            ignore_bits,
            ..me
        };
        target.me_append(&mut fabric, pt_index, &me, list, user_ptr).unwrap();
    }
    let events = puts(&mut fabric, ni, target, eq, &[5, 0x15, 0x25, 0x100]);
    let took: Vec<_> = events.iter().map(|event| (event.user_ptr, event.ptl_list)).collect();
    let (priority, overflow) = (PtlList::Priority, PtlList::Overflow);
    assert_eq!(took, [(3, priority), (3, priority), (4, priority), (1, overflow)]);
}

#[test]
fn an_entry_that_is_used_once_or_filled_leaves_by_itself() {
    let (mut fabric, ni, target) = two(Interface::Matching);
    let eq = target.eq_alloc(&mut fabric, 32).unwrap();
    let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let once = Me {
        length: 8,
        options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE,
        ..Me::default()
    };
    let managed = Me {
        start: 0x40,
        length: 5,
        min_free: 4,
        options: EntryOptions::OP_PUT | EntryOptions::MANAGE_LOCAL,
        ..Me::default()
    };
    let entries = [once, managed].map(|me| {
        target
            .me_append(&mut fabric, pt_index, &me, PtlList::Priority, me.start)
            .unwrap()
    });
    assert_eq!(
        kinds(&drain(&mut fabric, target, eq)),
        [EventKind::Link, EventKind::Link]
    );
    let events = puts(&mut fabric, ni, target, eq, &[0, 0, 0, 0]);
    let (put, unlink) = (EventKind::Put, EventKind::AutoUnlink);
    assert_eq!(kinds(&events), [put, unlink, put, put, unlink]);
    assert_eq!(
        events.iter().map(|event| event.user_ptr).collect::<Vec<_>>(),
        [0, 0, 0x40, 0x40, 0x40]
    );
    assert_eq!((events[2].start, events[3].start), (0x40, 0x41));
    assert_eq!(target.ni_status(&mut fabric, StatusRegister::DropCount), Ok(1));
    for entry in entries {
        let gone = target.me_unlink(&mut fabric, entry).unwrap_err();
        assert_eq!(gone.code(), "PTL_ARG_INVALID");
        assert!(gone.to_string().contains("gone from tile 1"), "{gone}");
    }
    target.pt_free(&mut fabric, pt_index).unwrap();
}

/// Of 20 entries that are used once, ten take a message: exactly ten are unlinked by hand.
#[test]
fn an_entry_is_unlinked_once_by_hand_or_by_itself() {
    let (mut fabric, ni, target) = two(Interface::Matching);
    let eq = target.eq_alloc(&mut fabric, 64).unwrap();
    let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let me = Me {
        length: 8,
        options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    for _ in 0..20 {
        let entries: Vec<MeHandle> = (0..20)
            .map(|number| {
                let appended = target.me_append(&mut fabric, pt_index, &me, PtlList::Priority, number);
                appended.unwrap()
            })
            .collect();
        let events = puts(&mut fabric, ni, target, eq, &[0; 10]);
        assert_eq!(events.len(), 20);
        let unlinked: Vec<bool> = entries
            .iter()
            .map(|&entry| target.me_unlink(&mut fabric, entry).is_ok())
            .collect();
        assert_eq!(unlinked, [[false; 10], [true; 10]].concat());
    }
    target.pt_free(&mut fabric, pt_index).unwrap();
}

#[test]
fn refusals_name_their_cause_and_count_in_the_status() {
    let (mut fabric, ni, target) = two(Interface::Matching);
    let eq = ni.eq_alloc(&mut fabric, 8).unwrap();
    let md = Md {
        length: 8,
        eq: Some(eq),
        options: MdOptions::EVENT_SEND_DISABLE,
        ..Md::default()
    };
    let md = ni.md_bind(&mut fabric, &md).unwrap();
    let pt_index = target
        .pt_alloc(&mut fabric, PtOptions::ALLOC_DISABLED, None, Some(2))
        .unwrap();
    let me = Me {
        length: 8,
        uid: Some(9),
        options: EntryOptions::OP_GET,
        ..Me::default()
    };
    target
        .me_append(&mut fabric, pt_index, &me, PtlList::Priority, 0)
        .unwrap();
    let put = Put {
        ack: AckReq::Ack,
        ..Put::new(md, 8, 1)
    };
    let told = |fabric: &mut Fabric<_>, put: Put| {
        ni.put(fabric, &put).unwrap();
        ni.eq_wait(fabric, eq, TIMEOUT).unwrap().ni_fail_type
    };
    assert_eq!(told(&mut fabric, Put { pt_index: 3, ..put }), NiFail::Dropped);
    let put = Put { pt_index, ..put };
    assert_eq!(told(&mut fabric, put), NiFail::PtDisabled);
    target.pt_enable(&mut fabric, pt_index).unwrap();
    assert_eq!(told(&mut fabric, put), NiFail::PermViolation);
    ni.set_uid(&mut fabric, 9).unwrap();
    assert_eq!(ni.get_uid(&mut fabric), Ok(9));
    assert_eq!(told(&mut fabric, put), NiFail::OpViolation);
    assert_eq!(told(&mut fabric, Put { match_bits: 1, ..put }), NiFail::Dropped);
    target.pt_disable(&mut fabric, pt_index).unwrap();
    assert_eq!(told(&mut fabric, put), NiFail::PtDisabled);
    let registers = [
        StatusRegister::DropCount,
        StatusRegister::PermissionViolations,
        StatusRegister::OperationViolations,
    ];
    let counts = registers.map(|register| target.ni_status(&mut fabric, register).unwrap());
    assert_eq!(counts, [4, 1, 1]);
}

/// The entries of one interface are no candidates of the other, though the index is the same.
#[test]
fn both_interfaces_of_a_tile_are_apart_and_a_tile_reaches_itself() {
    let (mut fabric, matching, _) = two(Interface::Matching);
    let plain = Ni::open(&mut fabric, 0, Interface::NonMatching).unwrap();
    for ni in [matching, plain] {
        assert_eq!(ni.pt_alloc(&mut fabric, PtOptions::NONE, None, None), Ok(0));
    }
    let me = Me {
        start: 0x100,
        length: 16,
        ignore_bits: u64::MAX,
        options: EntryOptions::OP_PUT,
        ..Me::default()
    };
    let le = Le {
        start: 0x200,
        length: 16,
        options: EntryOptions::OP_PUT,
        ..Le::default()
    };
    matching.me_append(&mut fabric, 0, &me, PtlList::Priority, 0).unwrap();
    plain.le_append(&mut fabric, 0, &le, PtlList::Priority, 0).unwrap();
    fill(&mut fabric, 0, 0x40, 16);
    for (ni, length) in [(matching, 3), (plain, 5)] {
        let ct = ni.ct_alloc(&mut fabric).unwrap();
        let md = Md {
            start: 0x40,
            length: 16,
            ct: Some(ct),
            options: MdOptions::EVENT_CT_ACK,
            ..Md::default()
        };
        let md = ni.md_bind(&mut fabric, &md).unwrap();
        let put = Put {
            ack: AckReq::CtAck,
            match_bits: 0x55,
            remote_offset: 1,
            ..Put::new(md, length, 0)
        };
        ni.put(&mut fabric, &put).unwrap();
        ni.ct_wait(&mut fabric, ct, 1, TIMEOUT).unwrap();
    }
    assert_eq!(bytes(&mut fabric, 0, 0x100, 6), [0, 1, 2, 3, 0, 0]);
    assert_eq!(bytes(&mut fabric, 0, 0x200, 8), [0, 1, 2, 3, 4, 5, 0, 0]);
}
