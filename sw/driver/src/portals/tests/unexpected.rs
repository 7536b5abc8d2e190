//! Messages that come before their entry.

use super::*;

/// An entry of Overflow for all messages of an index, with an offset of its own.
const OVERFLOW: Me = Me {
    start: 0x400,
    length: 0x400,
    ct: None,
    min_free: 0,
    uid: None,
    options: EntryOptions::NONE,
    match_id: None,
    match_bits: 0,
    ignore_bits: u64::MAX,
};

/// A fabric with an entry of Overflow at tile 1, whose queue has told its LINK; and a memory descriptor of tile 0.
struct Early {
    fabric: Fabric<GoldenTransport>,
    ni: Ni,
    md: MdHandle,
    target: Ni,
    eq: EqHandle,
    pt_index: u32,
    overflow: MeHandle,
}

impl Early {
    fn new(options: EntryOptions) -> Early {
        let (mut fabric, ni, target) = two(Interface::Matching);
        let eq = target.eq_alloc(&mut fabric, 64).unwrap();
        let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
        let me = Me {
            options: options | EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::MANAGE_LOCAL,
            ..OVERFLOW
        };
        let overflow = target
            .me_append(&mut fabric, pt_index, &me, PtlList::Overflow, 99)
            .unwrap();
        let md = Md {
            start: 0x100,
            length: 40,
            ..Md::default()
        };
        let md = ni.md_bind(&mut fabric, &md).unwrap();
        fill(&mut fabric, 0, 0x100, 40);
        let mut early = Early {
            fabric,
            ni,
            md,
            target,
            eq,
            pt_index,
            overflow,
        };
        assert_eq!(kinds(&early.events()), [EventKind::Link]);
        early
    }

    /// Puts of so many bytes, each with match bits, that have arrived when this returns.
    fn puts(&mut self, puts: &[(u64, u64)]) {
        for &(length, match_bits) in puts {
            let put = Put {
                pt_index: self.pt_index,
                match_bits,
                remote_offset: 6,
                hdr_data: 0xbeef,
                ..Put::new(self.md, length, 1)
            };
            self.ni.put(&mut self.fabric, &put).unwrap();
        }
        self.ni.finish_moves(&mut self.fabric).unwrap();
    }

    fn append(&mut self, me: &Me, user_ptr: u32) -> MeHandle {
        let appended = self
            .target
            .me_append(&mut self.fabric, self.pt_index, me, PtlList::Priority, user_ptr);
        appended.unwrap()
    }

    fn events(&mut self) -> Vec<Event> {
        drain(&mut self.fabric, self.target, self.eq)
    }
}

/// An entry of Priority for puts with these match bits.
fn receive(match_bits: u64, options: EntryOptions) -> Me {
    Me {
        start: 0x800,
        length: 64,
        match_bits,
        options: options | EntryOptions::OP_PUT,
        ..Me::default()
    }
}

#[test]
fn all_fields_tell_of_the_message_and_where_its_data_are() {
    let mut early = Early::new(EntryOptions::NONE);
    early.ni.set_uid(&mut early.fabric, 5).unwrap();
    early.puts(&[(3, 1), (9, 0x77)]);
    assert_eq!(kinds(&early.events()), [EventKind::Put, EventKind::Put]);
    let handle = early.append(&receive(0x77, EntryOptions::USE_ONCE), 7);
    let consumed = Event {
        ptl_list: PtlList::Overflow,
        uid: 5,
        match_bits: 0x77,
        hdr_data: 0xbeef,
        rlength: 9,
        mlength: 9,
        remote_offset: 6,
        start: 0x403,
        user_ptr: 7,
        ..event(EventKind::PutOverflow)
    };
    let unlinked = Event {
        user_ptr: 7,
        ..event(EventKind::AutoUnlink)
    };
    assert_eq!(early.events(), [consumed, unlinked]);
    assert_eq!(bytes(&mut early.fabric, 1, 0x403, 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(bytes(&mut early.fabric, 1, 0x800, 9), [0; 9]);
    let gone = early.target.me_unlink(&mut early.fabric, handle).unwrap_err();
    assert_eq!(gone.code(), "PTL_ARG_INVALID");
    assert!(matches!(gone, Error::Stale { .. }), "{gone}");

    let get = Get {
        match_bits: 2,
        pt_index: early.pt_index,
        ..Get::new(early.md, 4, 1)
    };
    early.ni.get(&mut early.fabric, &get).unwrap();
    early.ni.finish_moves(&mut early.fabric).unwrap();
    assert_eq!(kinds(&early.events()), [EventKind::Get]);
    early.append(&receive(2, EntryOptions::USE_ONCE), 8);
    let served = Event {
        match_bits: 2,
        hdr_data: 0,
        rlength: 4,
        mlength: 4,
        remote_offset: 0,
        start: 0x40c,
        user_ptr: 8,
        kind: EventKind::GetOverflow,
        ..consumed
    };
    assert_eq!(early.events()[0], served);
}

#[test]
fn a_persistent_entry_consumes_all_and_then_takes_messages() {
    let mut early = Early::new(EntryOptions::NONE);
    early.puts(&[(3, 4), (5, 5), (2, 4)]);
    early.events();
    let ct = early.target.ct_alloc(&mut early.fabric).unwrap();
    let me = Me {
        ct: Some(ct),
        ..receive(4, EntryOptions::EVENT_CT_OVERFLOW | EntryOptions::EVENT_CT_BYTES)
    };
    let handle = early.append(&me, 7);
    let (over, link, put) = (EventKind::PutOverflow, EventKind::Link, EventKind::Put);
    let events = early.events();
    assert_eq!(kinds(&events), [over, over, link]);
    assert_eq!((events[0].start, events[1].start), (0x400, 0x408));
    assert_eq!(early.target.ct_get(&mut early.fabric, ct).unwrap().success, 5);
    early.puts(&[(1, 4)]);
    let events = early.events();
    assert_eq!((kinds(&events), events[0].start), (vec![put], 0x806));
    early.target.me_unlink(&mut early.fabric, handle).unwrap();
}

#[test]
fn an_entry_with_headers_is_in_use_and_so_is_its_index() {
    let mut early = Early::new(EntryOptions::NONE);
    early.puts(&[(3, 4)]);
    let told = early.target.me_unlink(&mut early.fabric, early.overflow).unwrap_err();
    assert_eq!(
        told.to_string(),
        "PTL_IN_USE: the match list entry of tile 1 is in use by a message in progress, or the header of one"
    );
    let told = early.target.pt_free(&mut early.fabric, early.pt_index).unwrap_err();
    assert_eq!(told.code(), "PTL_PT_IN_USE");
    early.append(&receive(4, EntryOptions::USE_ONCE), 7);
    early.target.me_unlink(&mut early.fabric, early.overflow).unwrap();
    early.target.pt_free(&mut early.fabric, early.pt_index).unwrap();
}

#[test]
fn auto_free_comes_after_the_last_header_of_an_entry_that_has_left() {
    let mut early = Early::new(EntryOptions::USE_ONCE);
    early.puts(&[(3, 4)]);
    let (free, unlink) = (EventKind::AutoFree, EventKind::AutoUnlink);
    assert_eq!(kinds(&early.events()), [EventKind::Put, unlink]);
    early.append(&receive(4, EntryOptions::USE_ONCE), 7);
    let events = early.events();
    assert_eq!(kinds(&events), [EventKind::PutOverflow, free, unlink]);
    let pointers: Vec<u32> = events.iter().map(|event| event.user_ptr).collect();
    assert_eq!(pointers, [7, 99, 7]);
    early.target.pt_free(&mut early.fabric, early.pt_index).unwrap();
}

#[test]
fn an_entry_that_keeps_no_headers_leaves_none() {
    let mut early = Early::new(EntryOptions::UNEXPECTED_HDR_DISABLE);
    early.puts(&[(3, 4)]);
    assert_eq!(kinds(&early.events()), [EventKind::Put]);
    early.append(&receive(4, EntryOptions::USE_ONCE), 7);
    assert_eq!(kinds(&early.events()), [EventKind::Link]);
    early.target.me_unlink(&mut early.fabric, early.overflow).unwrap();
}

/// 63 headers find a place beside their entry; the next message is dropped, and its acknowledgement says so.
#[test]
fn a_message_whose_header_has_no_place_is_dropped() {
    let mut early = Early::new(EntryOptions::EVENT_COMM_DISABLE);
    early.puts(&[(1, 4); 63]);
    let eq = early.ni.eq_alloc(&mut early.fabric, 2).unwrap();
    let md = Md {
        eq: Some(eq),
        length: 1,
        options: MdOptions::EVENT_SEND_DISABLE,
        ..Md::default()
    };
    let md = early.ni.md_bind(&mut early.fabric, &md).unwrap();
    let put = Put {
        pt_index: early.pt_index,
        ack: AckReq::Ack,
        ..Put::new(md, 1, 1)
    };
    let told = |early: &mut Early| {
        early.ni.put(&mut early.fabric, &put).unwrap();
        early.ni.eq_wait(&mut early.fabric, eq, TIMEOUT).unwrap().ni_fail_type
    };
    assert_eq!(told(&mut early), NiFail::Dropped);
    let drops = early.target.ni_status(&mut early.fabric, StatusRegister::DropCount);
    assert_eq!(drops, Ok(1));
    let full = early.target.me_append(
        &mut early.fabric,
        early.pt_index,
        &receive(5, EntryOptions::USE_ONCE),
        PtlList::Priority,
        0,
    );
    assert_eq!(full.unwrap_err().code(), "PTL_NO_SPACE");
    early.append(&receive(4, EntryOptions::USE_ONCE), 7);
    assert_eq!(kinds(&early.events()), [EventKind::PutOverflow, EventKind::AutoUnlink]);
    assert_eq!(told(&mut early), NiFail::Ok);
}

#[test]
fn both_interfaces_keep_headers() {
    let (mut fabric, ni, target) = two(Interface::NonMatching);
    let eq = target.eq_alloc(&mut fabric, 8).unwrap();
    let pt_index = target.pt_alloc(&mut fabric, PtOptions::NONE, Some(eq), None).unwrap();
    let le = Le {
        start: 0x300,
        length: 16,
        options: EntryOptions::OP_PUT,
        ..Le::default()
    };
    target
        .le_append(&mut fabric, pt_index, &le, PtlList::Overflow, 1)
        .unwrap();
    let md = Md {
        length: 8,
        ..Md::default()
    };
    let md = ni.md_bind(&mut fabric, &md).unwrap();
    ni.put(&mut fabric, &Put::new(md, 8, 1)).unwrap();
    ni.finish_moves(&mut fabric).unwrap();
    let once = Le {
        options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE,
        ..le
    };
    let handle = target
        .le_append(&mut fabric, pt_index, &once, PtlList::Priority, 2)
        .unwrap();
    let events = drain(&mut fabric, target, eq);
    let (over, unlink) = (EventKind::PutOverflow, EventKind::AutoUnlink);
    assert_eq!(kinds(&events), [EventKind::Link, EventKind::Put, over, unlink]);
    assert_eq!((events[2].user_ptr, events[2].start), (2, 0x300));
    assert!(matches!(
        target.le_unlink(&mut fabric, handle),
        Err(Error::Stale { .. })
    ));
}
