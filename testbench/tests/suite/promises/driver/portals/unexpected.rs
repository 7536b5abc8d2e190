//! Messages that come before their entry: what appends and searches tell of their headers.

use super::{
    event, kinds, pattern,
    target::{Target, TO},
    BYTES,
};
use portico::{portals::*, Fabric, Transport};

/// Rank 3 is the initiator where there is one.
const FROM: usize = 3;
const ANY: u64 = u64::MAX;

/// An entry of Overflow for all messages, without an event of its own.
fn overflow(start: u32, options: EntryOptions) -> Me {
    Me {
        start,
        length: 0x100,
        ignore_bits: ANY,
        options: options
            | EntryOptions::OP_PUT
            | EntryOptions::OP_GET
            | EntryOptions::EVENT_LINK_DISABLE
            | EntryOptions::EVENT_COMM_DISABLE,
        ..Me::default()
    }
}

/// An entry, or a search, for match bits.
fn wanted(match_bits: u64, options: EntryOptions) -> Me {
    Me {
        match_bits,
        options,
        ..Me::default()
    }
}

/// A put and a get that an entry of Overflow takes, and the appends that consume their headers, with all events: their data stay
/// where they are.
pub fn appends_tell_what_came<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    for interface in [Interface::Matching, Interface::NonMatching] {
        let mut target = Target::new(open(), interface, 41, 16, BYTES)?;
        target.ranks.ni(FROM, interface).set_uid(&mut target.ranks.fabric, 5)?;
        let is_matching = interface == Interface::Matching;
        let (bits, offset_used) = match is_matching {
            // Offsets in an entry that has one of its own; else those of the request.
            true => ([0xabc0_0000_0000_012f, 0xabc0_0000_0000_0120], [0, 9]),
            false => ([0, 0], [11, 6]),
        };
        let me = Me {
            start: target.at(0x203),
            length: 20,
            ignore_bits: ANY,
            options: EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::EVENT_LINK_DISABLE,
            ..Me::default()
        };
        let me = match is_matching {
            true => Me {
                options: me.options | EntryOptions::MANAGE_LOCAL,
                ..me
            },
            false => me,
        };
        target.append(PtlList::Overflow, &me, 0x1111)?;
        let bytes = pattern(0, 64);
        target.ranks.write(FROM, 0, &bytes)?;
        target.ranks.write(TO, 0x200, &[0xee; 0x200])?;
        let put = Put {
            local_offset: 3,
            remote_offset: 11,
            hdr_data: 0x1234_5678_9abc_def0,
            ..target.message(FROM, 9, bits[0])
        };
        assert_eq!(target.put(FROM, &put)?.ptl_list, PtlList::Overflow);
        let get = Put {
            local_offset: 24,
            remote_offset: 6,
            ..target.message(FROM, 30, bits[1])
        };
        assert_eq!(target.get(FROM, &get)?.ptl_list, PtlList::Overflow);
        // Nine bytes fit, and the rest of the entry is there to get.
        let came = Event {
            ptl_list: PtlList::Overflow,
            pt_index: 41,
            initiator: FROM as u32,
            uid: 5,
            match_bits: bits[0],
            hdr_data: 0x1234_5678_9abc_def0,
            rlength: 9,
            mlength: 9,
            remote_offset: 11,
            start: me.start + offset_used[0],
            user_ptr: 0x1111,
            ..event(EventKind::Put)
        };
        let served = Event {
            kind: EventKind::Get,
            match_bits: bits[1],
            hdr_data: 0,
            rlength: 30,
            mlength: u64::from(20 - offset_used[1]),
            remote_offset: 6,
            start: me.start + offset_used[1],
            ..came
        };
        assert_eq!(target.events()?, [came, served], "{interface:?}");
        // Neither the user nor the operation is looked at.
        let once = Me {
            start: target.at(0x300),
            length: 64,
            uid: Some(9),
            match_bits: bits[0],
            ignore_bits: 0xf,
            match_id: Some(FROM as u32),
            options: EntryOptions::USE_ONCE,
            ..Me::default()
        };
        for (user_ptr, kind, message) in [
            (0x8765_4321, EventKind::PutOverflow, came),
            (0xffff_fff3, EventKind::GetOverflow, served),
        ] {
            let handle = target.append(PtlList::Priority, &once, user_ptr)?;
            let consumed = Event {
                kind,
                user_ptr,
                ..message
            };
            let unlinked = Event {
                pt_index: 41,
                user_ptr,
                ..event(EventKind::AutoUnlink)
            };
            assert_eq!(target.events()?, [consumed, unlinked], "{interface:?}");
            assert_eq!(target.unlink_code(handle), "PTL_ARG_INVALID");
        }
        let handle = target.append(PtlList::Priority, &once, 3)?;
        assert_eq!(kinds(&target.events()?), [EventKind::Link]);
        target.unlink(handle)?;
        let there = target.ranks.read(TO, 0x203 + offset_used[0], 9)?;
        assert_eq!(there, bytes[3..12], "{interface:?}");
        assert_eq!(target.ranks.read(TO, 0x300, 64)?, [0xee; 64]);
        target.ranks.finish()?;
    }
    Ok(())
}

/// Each option of an append stops its events, and no count.
pub fn options_stop_events_of_appends<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    use EventKind::{AutoUnlink, Link, PutOverflow as Over};
    let mut target = Target::new(open(), Interface::Matching, 0, 16, BYTES)?;
    let ct = target.ni.ct_alloc(&mut target.ranks.fabric)?;
    let start = target.at(0);
    target.append(PtlList::Overflow, &overflow(start, EntryOptions::NONE), 0)?;
    let mut count = 0;
    for (options, of_once, of_persistent) in [
        (EntryOptions::NONE, &[Over, AutoUnlink][..], &[Over, Over, Link][..]),
        (EntryOptions::EVENT_LINK_DISABLE, &[Over, AutoUnlink], &[Over, Over]),
        (EntryOptions::EVENT_UNLINK_DISABLE, &[Over], &[Over, Over, Link]),
        (
            EntryOptions::EVENT_COMM_DISABLE,
            &[Over, AutoUnlink],
            &[Over, Over, Link],
        ),
        (EntryOptions::EVENT_OVER_DISABLE, &[AutoUnlink], &[Link]),
        (EntryOptions::EVENT_SUCCESS_DISABLE, &[AutoUnlink], &[Link]),
    ] {
        for _ in 0..3 {
            let put = target.message(FROM, 4, 1);
            target.put(FROM, &put)?;
        }
        for (more, expected) in [(EntryOptions::USE_ONCE, of_once), (EntryOptions::NONE, of_persistent)] {
            let me = Me {
                ct: Some(ct),
                ..wanted(1, options | more | EntryOptions::EVENT_CT_OVERFLOW)
            };
            let handle = target.append(PtlList::Priority, &me, 1)?;
            assert_eq!(kinds(&target.events()?), expected, "{options:?}");
            count += if more == EntryOptions::USE_ONCE { 1 } else { 2 };
            assert_eq!(target.ranks.counts(TO, ct)?.success, count, "{options:?}");
            match more == EntryOptions::USE_ONCE {
                true => assert_eq!(target.unlink_code(handle), "PTL_ARG_INVALID"),
                false => target.unlink(handle)?,
            }
        }
    }
    target.ranks.finish()
}

/// The counter of an append counts headers or their bytes; that of an entry of Overflow counts messages, with a header or without.
pub fn appends_count_headers<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    use EntryOptions as Of;
    let mut target = Target::new(open(), Interface::Matching, 0, 16, BYTES)?;
    let ni = target.ni;
    let fabric = &mut target.ranks.fabric;
    let (of_overflow, of_append) = (ni.ct_alloc(fabric)?, ni.ct_alloc(fabric)?);
    let start = target.at(0);
    // Of messages of 3 and 5 bytes, and then one of 7 that meets the append.
    for (options, counts) in [
        (Of::NONE, [0, 0]),
        (Of::EVENT_CT_BYTES, [0, 0]),
        (Of::EVENT_CT_OVERFLOW, [2, 0]),
        (Of::EVENT_CT_OVERFLOW | Of::EVENT_CT_BYTES, [8, 0]),
        (Of::EVENT_CT_COMM, [0, 1]),
        (Of::EVENT_CT_COMM | Of::EVENT_CT_BYTES, [0, 7]),
        (Of::EVENT_CT_COMM | Of::EVENT_CT_OVERFLOW, [2, 1]),
        (Of::EVENT_CT_COMM | Of::EVENT_CT_OVERFLOW | Of::EVENT_CT_BYTES, [8, 7]),
    ] {
        for hidden in [Of::NONE, Of::UNEXPECTED_HDR_DISABLE] {
            for ct in [of_overflow, of_append] {
                ni.ct_set(&mut target.ranks.fabric, ct, CtEvent::default())?;
            }
            let me = Me {
                ct: Some(of_overflow),
                ..overflow(start, options | hidden)
            };
            let below = target.append(PtlList::Overflow, &me, 0)?;
            for length in [3, 5] {
                let put = target.message(FROM, length, 0);
                target.put(FROM, &put)?;
            }
            let of_messages = match counts[1] {
                0 => 0,
                1 => 2,
                _ => 8,
            };
            assert_eq!(
                target.ranks.counts(TO, of_overflow)?.success,
                of_messages,
                "{options:?}"
            );
            let me = Me {
                ct: Some(of_append),
                length: 16,
                ..wanted(0, options | Of::OP_PUT)
            };
            let entry = target.append(PtlList::Priority, &me, 0)?;
            let consumed = if hidden == Of::NONE { counts[0] } else { 0 };
            assert_eq!(target.ranks.counts(TO, of_append)?.success, consumed, "{options:?}");
            let put = target.message(FROM, 7, 0);
            assert_eq!(target.put(FROM, &put)?.ptl_list, PtlList::Priority);
            let expected = CtEvent {
                success: consumed + counts[1],
                failure: 0,
            };
            assert_eq!(target.ranks.counts(TO, of_append)?, expected, "{options:?}");
            assert_eq!(target.ranks.counts(TO, of_overflow)?.success, of_messages);
            target.unlink(entry)?;
            target.unlink(below)?;
            target.events()?;
        }
    }
    target.ranks.finish()
}

/// Appends consume headers as messages would meet them, oldest first; only those of the Priority list do.
pub fn appends_consume_what_they_match<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    use EventKind::{Link, PutOverflow as Over};
    let mut target = Target::new(open(), Interface::Matching, 0, 16, BYTES)?;
    let below = overflow(target.at(0), EntryOptions::MANAGE_LOCAL);
    target.append(PtlList::Overflow, &below, 0)?;
    for (number, (from, match_bits, length, remote_offset)) in
        [(0, 7, 4, 0), (1, 7, 4, 0), (0, 5, 4, 0), (3, 7, 12, 2), (0, 7, 8, 0)]
            .into_iter()
            .enumerate()
    {
        let put = Put {
            remote_offset,
            hdr_data: number as u64,
            ..target.message(from, length, match_bits)
        };
        target.put(from, &put)?;
    }
    let told = |target: &mut Target<T>, list, me: &Me| -> Result<_, Error> {
        let entry = target.append(list, me, 6)?;
        let events = target.events()?;
        Ok((
            entry,
            kinds(&events),
            events.iter().map(|event| event.hdr_data).collect(),
        ))
    };
    let (entry, events, _): (_, _, Vec<u64>) = told(&mut target, PtlList::Overflow, &wanted(7, EntryOptions::NONE))?;
    assert_eq!(events, [Link]);
    target.unlink(entry)?;
    // 2 + 12 bytes do not fit.
    let short = Me {
        length: 13,
        match_id: Some(3),
        ..wanted(7, EntryOptions::NO_TRUNCATE | EntryOptions::USE_ONCE)
    };
    let (entry, events, _) = told(&mut target, PtlList::Priority, &short)?;
    assert_eq!(events, [Link]);
    target.unlink(entry)?;
    let of_rank = Me {
        match_id: Some(1),
        ..wanted(7, EntryOptions::USE_ONCE)
    };
    let (_, events, numbers) = told(&mut target, PtlList::Priority, &of_rank)?;
    assert_eq!((events, numbers), (vec![Over, EventKind::AutoUnlink], vec![1, 0]));
    let some = Me {
        length: 13,
        uid: Some(77),
        ignore_bits: 2,
        ..wanted(7, EntryOptions::NO_TRUNCATE)
    };
    let (entry, events, numbers) = told(&mut target, PtlList::Priority, &some)?;
    assert_eq!((events, numbers), (vec![Over, Over, Over, Link], vec![0, 2, 4, 0]));
    // It is in its list: a message meets it and its user.
    let put = target.message(FROM, 0, 7);
    assert_eq!(target.put(FROM, &put)?.ni_fail_type, NiFail::PermViolation);
    target.unlink(entry)?;
    // An offset of its own stays at the start.
    let managed = Me {
        start: target.at(0x200),
        length: 40,
        ..wanted(7, EntryOptions::MANAGE_LOCAL | EntryOptions::OP_PUT)
    };
    let (_, events, numbers) = told(&mut target, PtlList::Priority, &managed)?;
    assert_eq!((events, numbers), (vec![Over, Link], vec![3, 0]));
    let put = target.message(FROM, 6, 7);
    assert_eq!(target.put(FROM, &put)?.remote_offset, 0);
    assert_eq!(target.events()?[0].start, managed.start);
    target.ranks.finish()
}
