//! Counters, acknowledgements and waits.

use super::*;

/// Every acknowledgement of a put that is taken, and of one that is refused.
#[test]
fn each_acknowledgement_counts_as_portals_says() {
    // The events of both, and the successes and failures that each counts.
    let rows = [
        (AckReq::NoAck, vec![], (0, 0), (0, 0)),
        (AckReq::Ack, vec![EventKind::Ack], (1, 0), (0, 1)),
        (AckReq::CtAck, vec![], (1, 0), (0, 1)),
        (AckReq::OcAck, vec![], (1, 0), (1, 0)),
    ];
    for (ack, events, taken, refused) in rows {
        let (mut fabric, ni, target) = two(Interface::Matching);
        let eq = ni.eq_alloc(&mut fabric, 4).unwrap();
        let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, None, None).unwrap();
        let me = Me {
            length: 64,
            match_bits: 1,
            options: EntryOptions::OP_PUT,
            ..Me::default()
        };
        target
            .me_append(&mut fabric, pt_index, &me, PtlList::Priority, 0)
            .unwrap();
        for (match_bits, expected, failure) in [(1, taken, NiFail::Ok), (2, refused, NiFail::Dropped)] {
            let ct = ni.ct_alloc(&mut fabric).unwrap();
            let md = Md {
                length: 64,
                eq: Some(eq),
                ct: Some(ct),
                options: MdOptions::EVENT_CT_ACK | MdOptions::EVENT_SEND_DISABLE,
                ..Md::default()
            };
            let md = ni.md_bind(&mut fabric, &md).unwrap();
            let put = Put {
                ack,
                match_bits,
                ..Put::new(md, 12, 1)
            };
            ni.put(&mut fabric, &put).unwrap();
            ni.md_release(&mut fabric, md).unwrap();
            let CtEvent {
                success,
                failure: failures,
            } = ni.ct_get(&mut fabric, ct).unwrap();
            assert_eq!((success, failures), expected, "{ack:?}");
            let raised = drain(&mut fabric, ni, eq);
            assert_eq!(kinds(&raised), events, "{ack:?}");
            assert!(raised.iter().all(|event| event.ni_fail_type == failure));
        }
    }
}

#[test]
fn bytes_are_counted_of_sends_as_requested_and_else_as_delivered() {
    let (mut fabric, ni, target) = two(Interface::NonMatching);
    let at_target = target.ct_alloc(&mut fabric).unwrap();
    let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, None, None).unwrap();
    let le = Le {
        start: 0x40,
        length: 10,
        ct: Some(at_target),
        options: EntryOptions::OP_PUT
            | EntryOptions::OP_GET
            | EntryOptions::EVENT_CT_COMM
            | EntryOptions::EVENT_CT_BYTES,
        ..Le::default()
    };
    target
        .le_append(&mut fabric, pt_index, &le, PtlList::Priority, 0)
        .unwrap();
    let counted = [
        (MdOptions::EVENT_CT_SEND, 13),
        (MdOptions::EVENT_CT_ACK, 10),
        (MdOptions::EVENT_CT_REPLY, 10),
    ];
    for (option, expected) in counted {
        let ct = ni.ct_alloc(&mut fabric).unwrap();
        let md = Md {
            length: 64,
            ct: Some(ct),
            options: option | MdOptions::EVENT_CT_BYTES,
            ..Md::default()
        };
        let md = ni.md_bind(&mut fabric, &md).unwrap();
        if option == MdOptions::EVENT_CT_REPLY {
            ni.get(&mut fabric, &Get::new(md, 13, 1)).unwrap();
        } else {
            let put = Put {
                ack: AckReq::CtAck,
                ..Put::new(md, 13, 1)
            };
            ni.put(&mut fabric, &put).unwrap();
        }
        let counts = ni.ct_wait(&mut fabric, ct, expected, TIMEOUT).unwrap();
        let expected = CtEvent {
            success: expected,
            failure: 0,
        };
        assert_eq!(counts, expected);
    }
    assert_eq!(target.ct_get(&mut fabric, at_target).unwrap().success, 30);
}

#[test]
fn a_wait_ends_at_its_test_at_a_failure_or_in_time() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let [one, other] = [0, 1].map(|_| ni.ct_alloc(&mut fabric).unwrap());
    let counts = |success, failure| CtEvent { success, failure };
    ni.ct_set(&mut fabric, one, counts(7, 0)).unwrap();
    ni.ct_inc(&mut fabric, one, counts(3, 0)).unwrap();
    assert_eq!(ni.ct_wait(&mut fabric, one, 10, TIMEOUT), Ok(counts(10, 0)));
    let late = ni.ct_wait(&mut fabric, one, 11, 100).unwrap_err();
    assert_eq!(
        late.to_string(),
        "PTL_FAIL: count of a counter of node 0 not done within 100 cycles"
    );
    let tests = [(one, 11), (other, 1)];
    let none = ni.ct_poll(&mut fabric, &tests, 100).unwrap_err();
    assert_eq!(
        (none.code(), none),
        ("PTL_CT_NONE_REACHED", Error::CtNoneReached { timeout: 100 })
    );
    ni.ct_inc(&mut fabric, other, counts(0, 1)).unwrap();
    assert_eq!(ni.ct_poll(&mut fabric, &tests, TIMEOUT), Ok((counts(0, 1), 1)));
    assert_eq!(ni.ct_wait(&mut fabric, other, 5, TIMEOUT), Ok(counts(0, 1)));
}

/// The event of the tile counts with each change, so a wait need not read counters again and again.
#[test]
fn a_wait_looks_at_the_event_and_reads_the_counter_after_a_change() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let ct = ni.ct_alloc(&mut fabric).unwrap();
    let changes = ni.taken(&mut fabric).unwrap().changes.number();
    let mut looks = 0;
    let found = ni
        .wait_for(&mut fabric, TIMEOUT, |fabric| {
            looks += 1;
            let counts = ni.ct_get(fabric, ct)?;
            // What comes behind the second look ends the wait for the event.
            if looks == 2 {
                ni.ct_inc(fabric, ct, CtEvent { success: 1, failure: 0 })?;
            }
            Ok((counts.success == 1).then_some(looks))
        })
        .unwrap();
    assert_eq!(found, Some(3));
    let before = fabric.read_event(0, changes).unwrap().count;
    ni.ct_set(&mut fabric, ct, CtEvent::default()).unwrap();
    let after = fabric.read_event(0, changes).unwrap().count;
    assert!(after == before + 1 && reached(after, before));
}
