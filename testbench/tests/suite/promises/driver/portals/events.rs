//! Every kind of event with all its fields, what stops it, and the rings.

use super::{event, kinds, pattern, Ranks, BYTES, TILES};
use portico::{portals::*, registers::PortalsRegister, Fabric, Transport};
use portico_spec::portals::engine::{EVENT_BYTES, PHASE_OFFSET};

/// Rank 3 is the initiator, rank 1 the target.
const FROM: usize = 3;
const TO: usize = 1;

/// A put and a get that meet an entry in Priority, each with all its events.
pub fn a_put_and_a_get_raise_their_events<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let (own, theirs) = (ranks.eq(FROM, 16)?, ranks.eq(TO, 16)?);
    ranks.matching[FROM].set_uid(&mut ranks.fabric, 5)?;
    let to = ranks.matching[TO];
    let pt_index = to.pt_alloc(&mut ranks.fabric, PtOptions::NONE, Some(theirs), Some(41))?;
    let me = Me {
        start: ranks.base() + 0x203,
        length: 50,
        match_bits: 0xabc0_0000_0000_0123,
        ignore_bits: 0xf,
        match_id: Some(FROM as u32),
        uid: Some(5),
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    ranks.append(TO, pt_index, &me, 0x8765_4321)?;
    let bytes = pattern(0, 64);
    ranks.write(FROM, 0, &bytes)?;
    ranks.write(TO, 0x200, &[0xee; 64])?;
    let md = ranks.md(FROM, MdOptions::NONE, Some(own), None)?;
    let put = Put {
        local_offset: 3,
        ack: AckReq::Ack,
        pt_index,
        match_bits: 0xabc0_0000_0000_012f,
        remote_offset: 45,
        user_ptr: 0xffff_fff3,
        hdr_data: 0x1234_5678_9abc_def0,
        ..Put::new(md, 9, TO as u32)
    };
    ranks.put(FROM, &put)?;
    ranks.rest();
    let link = Event {
        pt_index: 41,
        user_ptr: 0x8765_4321,
        ..event(EventKind::Link)
    };
    // Five bytes fit.
    let came = Event {
        pt_index: 41,
        initiator: FROM as u32,
        uid: 5,
        match_bits: 0xabc0_0000_0000_012f,
        hdr_data: 0x1234_5678_9abc_def0,
        rlength: 9,
        mlength: 5,
        remote_offset: 45,
        start: me.start + 45,
        user_ptr: 0x8765_4321,
        ..event(EventKind::Put)
    };
    assert_eq!(ranks.events(TO, theirs)?, [link, came]);
    let send = Event {
        rlength: 9,
        user_ptr: 0xffff_fff3,
        ..event(EventKind::Send)
    };
    let ack = Event {
        mlength: 5,
        remote_offset: 45,
        user_ptr: 0xffff_fff3,
        ..event(EventKind::Ack)
    };
    assert_eq!(ranks.events(FROM, own)?, [send, ack]);
    let expected = [&[0xee][..], &bytes[3..8], &[0xee]].concat();
    assert_eq!(ranks.read(TO, 0x203 + 44, 7)?, expected);

    let get = Get {
        local_offset: 20,
        pt_index,
        match_bits: 0xabc0_0000_0000_0120,
        remote_offset: 46,
        user_ptr: 4,
        ..Get::new(md, 7, TO as u32)
    };
    ranks.get(FROM, &get)?;
    ranks.rest();
    // Four bytes are there.
    let served = Event {
        kind: EventKind::Get,
        match_bits: 0xabc0_0000_0000_0120,
        hdr_data: 0,
        rlength: 7,
        mlength: 4,
        remote_offset: 46,
        start: me.start + 46,
        ..came
    };
    assert_eq!(ranks.events(TO, theirs)?, [served]);
    let reply = Event {
        mlength: 4,
        remote_offset: 46,
        user_ptr: 4,
        ..event(EventKind::Reply)
    };
    assert_eq!(ranks.events(FROM, own)?, [reply]);
    let expected = [&bytes[19..20], &bytes[4..8], &bytes[24..25]].concat();
    assert_eq!(ranks.read(FROM, 19, 6)?, expected);
    ranks.finish()
}

/// A message that meets an entry in Overflow which is used once, and one in Priority that has an offset of its own.
pub fn entries_that_leave_raise_their_events<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let (own, theirs) = (ranks.eq(FROM, 16)?, ranks.eq(TO, 16)?);
    let pt_index = ranks.index(TO, Some(theirs))?;
    let me = Me {
        start: ranks.base() + 0x100,
        length: 100,
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    // Without a header AUTO_FREE comes at once.
    let once = Me {
        options: me.options | EntryOptions::USE_ONCE | EntryOptions::UNEXPECTED_HDR_DISABLE,
        ..me
    };
    let to = ranks.matching[TO];
    to.me_append(&mut ranks.fabric, pt_index, &once, PtlList::Overflow, 11)?;
    let managed = Me {
        start: me.start + 100,
        min_free: 91,
        match_bits: 1,
        options: me.options | EntryOptions::MANAGE_LOCAL,
        ..me
    };
    ranks.append(TO, pt_index, &managed, 12)?;
    let md = ranks.md(FROM, MdOptions::EVENT_SEND_DISABLE, Some(own), None)?;
    // The first goes to Overflow; of the others the second leaves too little.
    for (match_bits, hdr_data) in [(0, 1), (1, 2), (1, 3)] {
        let put = Put {
            ack: AckReq::Ack,
            pt_index,
            match_bits,
            remote_offset: 3,
            hdr_data,
            ..Put::new(md, 5, TO as u32)
        };
        ranks.put(FROM, &put)?;
    }
    ranks.rest();
    let of_overflow = |kind| Event {
        ptl_list: PtlList::Overflow,
        user_ptr: 11,
        ..event(kind)
    };
    let put = |event: Event, start, match_bits, hdr_data| Event {
        initiator: FROM as u32,
        match_bits,
        hdr_data,
        rlength: 5,
        mlength: 5,
        remote_offset: 3,
        start,
        ..event
    };
    let of_priority = |kind| Event {
        user_ptr: 12,
        ..event(kind)
    };
    let expected = [
        put(of_overflow(EventKind::Put), me.start + 3, 0, 1),
        of_overflow(EventKind::AutoUnlink),
        of_overflow(EventKind::AutoFree),
        put(of_priority(EventKind::Put), managed.start, 1, 2),
        put(of_priority(EventKind::Put), managed.start + 5, 1, 3),
        of_priority(EventKind::AutoUnlink),
    ];
    assert_eq!(ranks.events(TO, theirs)?, expected);
    let ack = |ptl_list, remote_offset| Event {
        ptl_list,
        mlength: 5,
        remote_offset,
        ..event(EventKind::Ack)
    };
    let expected = [
        ack(PtlList::Overflow, 3),
        ack(PtlList::Priority, 0),
        ack(PtlList::Priority, 5),
    ];
    assert_eq!(ranks.events(FROM, own)?, expected);
    ranks.finish()
}

/// Each option of an entry and of a memory descriptor stops its events, and no count.
pub fn options_stop_their_events<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    use EventKind::{Ack, AutoFree, AutoUnlink, Link, Put as Came, Send};
    let mut ranks = Ranks::new(open(), BYTES)?;
    let (own, theirs) = (ranks.eq(FROM, 16)?, ranks.eq(TO, 16)?);
    let (sent, came) = (ranks.ct(FROM)?, ranks.ct(TO)?);
    let pt_index = ranks.index(TO, Some(theirs))?;
    let without = MdOptions::NONE;
    let all: &[EventKind] = &[Link, Came, AutoUnlink, AutoFree];
    for (count, (entry, md, at_target, at_initiator)) in (1..).zip([
        (EntryOptions::NONE, without, all, &[Send, Ack][..]),
        (
            EntryOptions::EVENT_LINK_DISABLE,
            without,
            &[Came, AutoUnlink, AutoFree],
            &[Send, Ack],
        ),
        (EntryOptions::EVENT_UNLINK_DISABLE, without, &[Link, Came], &[Send, Ack]),
        (
            EntryOptions::EVENT_COMM_DISABLE,
            without,
            &[Link, AutoUnlink, AutoFree],
            &[Send, Ack],
        ),
        (
            EntryOptions::EVENT_SUCCESS_DISABLE,
            without,
            &[Link, AutoUnlink, AutoFree],
            &[Send, Ack],
        ),
        (EntryOptions::EVENT_OVER_DISABLE, without, all, &[Send, Ack]),
        (EntryOptions::EVENT_FLOWCTRL_DISABLE, without, all, &[Send, Ack]),
        (EntryOptions::NONE, MdOptions::EVENT_SEND_DISABLE, all, &[Ack]),
        (EntryOptions::NONE, MdOptions::EVENT_SUCCESS_DISABLE, all, &[]),
    ]) {
        let me = Me {
            length: 8,
            ct: Some(came),
            options: entry
                | EntryOptions::OP_PUT
                | EntryOptions::USE_ONCE
                | EntryOptions::UNEXPECTED_HDR_DISABLE
                | EntryOptions::EVENT_CT_COMM,
            ..Me::default()
        };
        let to = ranks.matching[TO];
        to.me_append(&mut ranks.fabric, pt_index, &me, PtlList::Overflow, 0)?;
        let md = ranks.md(FROM, md | MdOptions::EVENT_CT_SEND, Some(own), Some(sent))?;
        let put = Put {
            ack: AckReq::Ack,
            pt_index,
            ..Put::new(md, 0, TO as u32)
        };
        ranks.put(FROM, &put)?;
        ranks.rest();
        assert_eq!(kinds(&ranks.events(TO, theirs)?), at_target, "{count}");
        assert_eq!(kinds(&ranks.events(FROM, own)?), at_initiator, "{count}");
        let counts = CtEvent {
            success: count,
            failure: 0,
        };
        assert_eq!((ranks.counts(FROM, sent)?, ranks.counts(TO, came)?), (counts, counts));
        ranks.matching[FROM].md_release(&mut ranks.fabric, md)?;
    }
    ranks.finish()
}

/// Rings of two and of four events: phases of three laps, events that are lost, and the one that tells so.
pub fn rings_go_round_and_tell_what_they_lose<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    // The ring begins behind the memory of the suite and the word for handles.
    for size in [2, 4] {
        let ring = ranks.fabric.allocate(TILES[TO], size as u32 * EVENT_BYTES as u32)?;
        let base = ring.base;
        ranks.fabric.free(ring)?;
        let eq = ranks.eq(TO, size)?;
        let pt_index = ranks.index(TO, Some(eq))?;
        let me = Me {
            options: EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE,
            ..Me::default()
        };
        ranks.append(TO, pt_index, &me, 0)?;
        let md = ranks.md(FROM, MdOptions::NONE, None, None)?;
        let put = |ranks: &mut Ranks<T>, hdr_data| {
            let put = Put {
                pt_index,
                hdr_data,
                ..Put::new(md, 0, TO as u32)
            };
            ranks.put(FROM, &put)
        };
        for number in 0..3 * size {
            put(&mut ranks, number)?;
            assert_eq!(ranks.event(TO, eq)?.hdr_data, number);
            let (lap, place) = (number / size, number % size);
            let address = base + place as u32 * EVENT_BYTES as u32;
            let word = ranks.fabric.read(TILES[TO], address, 1)?[0];
            assert_eq!(
                word >> PHASE_OFFSET & 1,
                1 - lap as u32 % 2,
                "event {number} of a ring of {size}"
            );
        }
        // Three too many; the first that has room again tells so.
        for number in 100..103 + size {
            put(&mut ranks, number)?;
        }
        ranks.rest();
        let dropped = ranks.fabric.peek(TILES[TO], PortalsRegister::EqDropped, eq.number())?;
        assert_eq!(dropped, 3);
        let to = ranks.matching[TO];
        let numbers = |events: Vec<(Event, bool)>| -> Vec<(u64, bool)> {
            events
                .into_iter()
                .map(|(event, dropped)| (event.hdr_data, dropped))
                .collect()
        };
        let kept = numbers(ranks.taken(to, eq)?);
        assert_eq!(
            kept,
            (100..100 + size).map(|number| (number, false)).collect::<Vec<_>>()
        );
        put(&mut ranks, 200)?;
        put(&mut ranks, 201)?;
        ranks.rest();
        assert_eq!(numbers(ranks.taken(to, eq)?), [(200, true), (201, false)]);
        let dropped = ranks.fabric.peek(TILES[TO], PortalsRegister::EqDropped, eq.number())?;
        assert_eq!(dropped, 3);
    }
    ranks.finish()
}
