//! Events: all their fields, and rings that are full.

use super::*;

/// A put and a get, with every field of every event.
#[test]
fn all_events_of_a_put_and_a_get_have_their_fields() {
    let (mut fabric, ni, target) = two(Interface::Matching);
    let [own, theirs] = [ni, target].map(|ni| ni.eq_alloc(&mut fabric, 16).unwrap());
    ni.set_uid(&mut fabric, 5).unwrap();
    let pt_index = target
        .pt_alloc(&mut fabric, PtOptions::NONE, Some(theirs), Some(9))
        .unwrap();
    let me = Me {
        start: 0x203,
        length: 50,
        match_bits: 0xabc0_0000_0000_0123,
        ignore_bits: 0xf,
        match_id: Some(0),
        uid: Some(5),
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    target
        .me_append(&mut fabric, pt_index, &me, PtlList::Priority, 77)
        .unwrap();
    fill(&mut fabric, 0, 0x100, 40);
    let md = Md {
        start: 0x101,
        length: 30,
        eq: Some(own),
        ..Md::default()
    };
    let md = ni.md_bind(&mut fabric, &md).unwrap();
    let put = Put {
        local_offset: 2,
        ack: AckReq::Ack,
        pt_index,
        match_bits: 0xabc0_0000_0000_012f,
        remote_offset: 45,
        user_ptr: 3,
        hdr_data: 0x1234_5678_9abc_def0,
        ..Put::new(md, 9, 1)
    };
    ni.put(&mut fabric, &put).unwrap();
    let link = Event {
        pt_index: 9,
        user_ptr: 77,
        ..event(EventKind::Link)
    };
    let came = Event {
        pt_index: 9,
        initiator: 0,
        uid: 5,
        match_bits: 0xabc0_0000_0000_012f,
        hdr_data: 0x1234_5678_9abc_def0,
        rlength: 9,
        mlength: 5,
        remote_offset: 45,
        start: 0x203 + 45,
        user_ptr: 77,
        ..event(EventKind::Put)
    };
    assert_eq!(drain(&mut fabric, target, theirs), [link, came]);
    let send = Event {
        rlength: 9,
        user_ptr: 3,
        ..event(EventKind::Send)
    };
    let ack = Event {
        mlength: 5,
        remote_offset: 45,
        user_ptr: 3,
        ..event(EventKind::Ack)
    };
    assert_eq!(drain(&mut fabric, ni, own), [send, ack]);
    // Bytes 0x103 and following, of which five fit.
    assert_eq!(bytes(&mut fabric, 1, 0x203 + 44, 7), [0, 4, 5, 6, 7, 8, 0]);

    let get = Get {
        local_offset: 20,
        pt_index,
        match_bits: 0xabc0_0000_0000_0120,
        remote_offset: 46,
        user_ptr: 4,
        ..Get::new(md, 3, 1)
    };
    ni.get(&mut fabric, &get).unwrap();
    let served = Event {
        match_bits: 0xabc0_0000_0000_0120,
        hdr_data: 0,
        rlength: 3,
        mlength: 3,
        remote_offset: 46,
        start: 0x203 + 46,
        ..came
    };
    assert_eq!(
        drain(&mut fabric, target, theirs),
        [Event {
            kind: EventKind::Get,
            ..served
        }]
    );
    let reply = Event {
        mlength: 3,
        remote_offset: 46,
        user_ptr: 4,
        ..event(EventKind::Reply)
    };
    assert_eq!(drain(&mut fabric, ni, own), [reply]);
    assert_eq!(bytes(&mut fabric, 0, 0x101 + 19, 5), [21, 5, 6, 7, 25]);
}

/// A ring of two events over several laps; then it is full, and loses some.
#[test]
fn a_ring_goes_round_and_tells_what_it_has_lost() {
    let (mut fabric, ni, target) = two(Interface::NonMatching);
    let eq = target.eq_alloc(&mut fabric, 1).unwrap();
    let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let le = Le {
        length: 8,
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE,
        ..Le::default()
    };
    target
        .le_append(&mut fabric, pt_index, &le, PtlList::Priority, 0)
        .unwrap();
    let md = ni.md_bind(&mut fabric, &Md::default()).unwrap();
    let put = |fabric: &mut Fabric<_>, hdr_data| {
        let put = Put {
            hdr_data,
            ..Put::new(md, 0, 1)
        };
        ni.put(fabric, &put).unwrap();
    };
    for lap in 0..7 {
        put(&mut fabric, lap);
        let event = target.eq_wait(&mut fabric, eq, TIMEOUT).unwrap();
        assert_eq!((event.kind, event.hdr_data), (EventKind::Put, lap));
    }
    for number in 10..15 {
        put(&mut fabric, number);
    }
    ni.md_release(&mut fabric, md).unwrap();
    let taken = [0, 1].map(|_| target.eq_get(&mut fabric, eq).unwrap().hdr_data);
    assert_eq!(taken, [10, 11], "a full ring keeps what it has");
    assert_eq!(target.eq_get(&mut fabric, eq), Err(Error::EqEmpty));
    let md = ni.md_bind(&mut fabric, &Md::default()).unwrap();
    for hdr_data in [20, 21] {
        let put = Put {
            hdr_data,
            ..Put::new(md, 0, 1)
        };
        ni.put(&mut fabric, &put).unwrap();
    }
    let Err(Error::EqDropped(first)) = target.eq_get(&mut fabric, eq) else {
        panic!("three events were lost");
    };
    assert_eq!(first.hdr_data, 20);
    assert_eq!(target.eq_get(&mut fabric, eq).unwrap().hdr_data, 21);
    assert_eq!(target.eq_get(&mut fabric, eq), Err(Error::EqEmpty));
}

#[test]
fn a_poll_finds_the_queue_that_has_an_event_or_none() {
    let (mut fabric, ni, _) = two(Interface::Matching);
    let [one, other] = [2, 100].map(|count| ni.eq_alloc(&mut fabric, count).unwrap());
    assert_eq!(ni.eq_poll(&mut fabric, &[one, other], 100), Err(Error::EqEmpty));
    let late = ni.eq_wait(&mut fabric, one, 100).unwrap_err();
    let timeout = "PTL_FAIL: event of an event queue of node 0 not done within 100 cycles";
    assert_eq!(late.to_string(), timeout);
    let md = ni
        .md_bind(
            &mut fabric,
            &Md {
                eq: Some(other),
                ..Md::default()
            },
        )
        .unwrap();
    ni.put(&mut fabric, &Put::new(md, 0, 0)).unwrap();
    let (event, place) = ni.eq_poll(&mut fabric, &[one, other], TIMEOUT).unwrap();
    assert_eq!((event.kind, place), (EventKind::Send, 1));
}

#[test]
fn an_event_reads_as_a_line_with_the_fields_of_its_kind() {
    let put = Event {
        pt_index: 3,
        initiator: 2,
        match_bits: 0x55,
        hdr_data: 0x66,
        rlength: 9,
        mlength: 5,
        remote_offset: 1,
        user_ptr: 7,
        ..event(EventKind::Put)
    };
    assert_eq!(
        put.to_string(),
        "PTL_EVENT_PUT user_ptr=7 pt_index=3 initiator=2 rlength=9 mlength=5 remote_offset=1 match_bits=0x55 hdr_data=0x66"
    );
    let ack = Event {
        ni_fail_type: NiFail::Dropped,
        ..event(EventKind::Ack)
    };
    assert_eq!(
        ack.to_string(),
        "PTL_EVENT_ACK user_ptr=0 mlength=0 remote_offset=0 PTL_NI_DROPPED"
    );
    let consumed = Event {
        kind: EventKind::PutOverflow,
        ptl_list: PtlList::Overflow,
        ..put
    };
    assert_eq!(
        consumed.to_string(),
        "PTL_EVENT_PUT_OVERFLOW user_ptr=7 pt_index=3 initiator=2 rlength=9 mlength=5 remote_offset=1 match_bits=0x55 hdr_data=0x66"
    );
    let found = Event {
        kind: EventKind::Search,
        ..consumed
    };
    assert_eq!(
        found.to_string(),
        "PTL_EVENT_SEARCH user_ptr=7 pt_index=3 initiator=2 rlength=9 mlength=5 remote_offset=1 match_bits=0x55 hdr_data=0x66"
    );
    let missed = Event {
        ni_fail_type: NiFail::NoMatch,
        pt_index: 3,
        user_ptr: 7,
        ..event(EventKind::Search)
    };
    assert_eq!(
        missed.to_string(),
        "PTL_EVENT_SEARCH user_ptr=7 pt_index=3 PTL_NI_NO_MATCH"
    );
}
