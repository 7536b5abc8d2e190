//! Searches of headers of unexpected messages.

use super::{
    event, kinds,
    target::{search, Target, TO},
    BYTES,
};
use portico::{portals::*, Fabric, Transport};

/// Rank 0 is the initiator.
const FROM: usize = 0;

/// An entry of Overflow for all messages, which raises no event.
fn overflow(start: u32) -> Me {
    Me {
        start,
        length: 100,
        ignore_bits: u64::MAX,
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE | EntryOptions::EVENT_COMM_DISABLE,
        ..Me::default()
    }
}

/// A search for headers with these match bits.
fn of(match_bits: u64, options: EntryOptions) -> Me {
    Me {
        match_bits,
        options,
        ..Me::default()
    }
}

/// The event of a search that finds none.
fn miss(pt_index: u32, user_ptr: u32) -> Event {
    Event {
        ni_fail_type: NiFail::NoMatch,
        pt_index,
        user_ptr,
        ..event(EventKind::Search)
    }
}

/// A search tells the headers that it finds, or that it finds none, and changes nothing; one that deletes consumes them.
pub fn searches_tell_what_came<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    for interface in [Interface::Matching, Interface::NonMatching] {
        let mut target = Target::new(open(), interface, 23, 16, BYTES)?;
        let is_matching = interface == Interface::Matching;
        target.ranks.ni(FROM, interface).set_uid(&mut target.ranks.fabric, 6)?;
        let ct = target.ni.ct_alloc(&mut target.ranks.fabric)?;
        let below = overflow(target.at(0));
        let below = target.append(PtlList::Overflow, &below, 1)?;
        let mut headers = vec![];
        for (number, match_bits) in [1, 2, 1].into_iter().enumerate() {
            let put = Put {
                remote_offset: 90 + 3 * number as u64,
                hdr_data: 1 << 40 | number as u64,
                match_bits: if is_matching { match_bits } else { 0 },
                ..target.message(FROM, 8, 0)
            };
            target.put(FROM, &put)?;
            headers.push(Event {
                ptl_list: PtlList::Overflow,
                pt_index: 23,
                initiator: FROM as u32,
                uid: 6,
                match_bits: put.match_bits,
                hdr_data: put.hdr_data,
                rlength: 8,
                // Of the entry's 100 bytes.
                mlength: 8.min(100 - put.remote_offset),
                remote_offset: put.remote_offset,
                start: target.at(put.remote_offset as u32),
                ..event(EventKind::Search)
            });
        }
        let found = |numbers: &[usize], kind, user_ptr| -> Vec<Event> {
            let events = numbers.iter().map(|&number| Event {
                kind,
                user_ptr,
                ..headers[number]
            });
            events.collect()
        };
        // A list entry matches all.
        let (all, first) = match is_matching {
            true => (&[0, 2][..], &[0][..]),
            false => (&[0, 1, 2][..], &[0][..]),
        };
        let counting = Me {
            ct: Some(ct),
            uid: Some(9),
            ..of(
                1,
                EntryOptions::EVENT_CT_COMM | EntryOptions::EVENT_CT_OVERFLOW | EntryOptions::EVENT_OVER_DISABLE,
            )
        };
        for user_ptr in [4, 5] {
            target.search(SearchOp::Only, &counting, user_ptr)?;
            assert_eq!(
                target.events()?,
                found(all, EventKind::Search, user_ptr),
                "{interface:?}"
            );
        }
        target.search(SearchOp::Only, &of(1, EntryOptions::USE_ONCE), 6)?;
        assert_eq!(target.events()?, found(first, EventKind::Search, 6));
        // A search meets a disabled index, which refuses messages.
        let ni = target.ni;
        ni.pt_disable(&mut target.ranks.fabric, 23)?;
        target.search(SearchOp::Delete, &of(1, EntryOptions::USE_ONCE), 7)?;
        assert_eq!(target.events()?, found(first, EventKind::PutOverflow, 7));
        ni.pt_enable(&mut target.ranks.fabric, 23)?;
        assert_eq!(target.unlink_code(below), "PTL_IN_USE");
        let deleting = Me {
            options: EntryOptions::EVENT_CT_COMM | EntryOptions::EVENT_CT_OVERFLOW,
            ..counting
        };
        target.search(SearchOp::Delete, &deleting, 8)?;
        assert_eq!(target.events()?, found(&all[1..], EventKind::PutOverflow, 8));
        for operation in [SearchOp::Only, SearchOp::Delete] {
            for options in [EntryOptions::NONE, EntryOptions::USE_ONCE] {
                target.search(operation, &of(1, options), 9)?;
                assert_eq!(target.events()?, [miss(23, 9)], "{operation:?}");
            }
        }
        if is_matching {
            assert_eq!(target.unlink_code(below), "PTL_IN_USE");
            target.search(SearchOp::Delete, &of(2, EntryOptions::NONE), 10)?;
            assert_eq!(target.events()?, found(&[1], EventKind::PutOverflow, 10));
        }
        target.unlink(below)?;
        let none = CtEvent::default();
        assert_eq!(ni.ct_get(&mut target.ranks.fabric, ct)?, none);
        assert_eq!(target.ranks.status(TO)?, [0; 3]);
        target.ranks.finish()?;
    }
    Ok(())
}

/// Each option of a search stops its events: COMM_DISABLE all SEARCH, SUCCESS_DISABLE those that tell a header.
pub fn options_stop_events_of_searches<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    use EventKind::{PutOverflow as Over, Search};
    let mut target = Target::new(open(), Interface::Matching, 0, 16, BYTES)?;
    let below = overflow(target.at(0));
    target.append(PtlList::Overflow, &below, 1)?;
    // Of a search that finds two headers, of one that finds none, and of one that deletes two.
    for (options, of_found, of_none, of_deleted) in [
        (EntryOptions::NONE, &[Search; 2][..], &[Search][..], &[Over; 2][..]),
        (EntryOptions::EVENT_COMM_DISABLE, &[], &[], &[Over; 2]),
        (EntryOptions::EVENT_SUCCESS_DISABLE, &[], &[Search], &[]),
        (EntryOptions::EVENT_OVER_DISABLE, &[Search; 2], &[Search], &[]),
        (EntryOptions::EVENT_LINK_DISABLE, &[Search; 2], &[Search], &[Over; 2]),
        (EntryOptions::EVENT_UNLINK_DISABLE, &[Search; 2], &[Search], &[Over; 2]),
    ] {
        for _ in 0..2 {
            let put = target.message(FROM, 4, 1);
            target.put(FROM, &put)?;
        }
        target.search(SearchOp::Only, &of(1, options), 0)?;
        assert_eq!(kinds(&target.events()?), of_found, "{options:?}");
        for operation in [SearchOp::Only, SearchOp::Delete] {
            target.search(operation, &of(2, options), 0)?;
            assert_eq!(kinds(&target.events()?), of_none, "{options:?}");
        }
        target.search(SearchOp::Delete, &of(1, options), 0)?;
        assert_eq!(kinds(&target.events()?), of_deleted, "{options:?}");
        target.search(SearchOp::Only, &of(1, EntryOptions::NONE), 3)?;
        assert_eq!(target.events()?, [miss(0, 3)], "{options:?}");
    }
    target.ranks.finish()
}

/// Without an event queue a search works, and raises nothing.
pub fn an_index_without_a_queue_is_searched<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut target = Target::new(open(), Interface::Matching, 0, 16, BYTES)?;
    let (ni, start) = (target.ni, target.at(0));
    let fabric = &mut target.ranks.fabric;
    let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, None, None)?;
    let below = ni.me_append(fabric, pt_index, &overflow(start), PtlList::Overflow, 0)?;
    let put = Put {
        pt_index,
        ..target.message(FROM, 4, 1)
    };
    for _ in 0..2 {
        assert_eq!(target.put(FROM, &put)?.ptl_list, PtlList::Overflow);
    }
    let fabric = &mut target.ranks.fabric;
    for (operation, match_bits, is_left) in [
        (SearchOp::Only, 1, true),
        (SearchOp::Delete, 2, true),
        (SearchOp::Delete, 1, true),
        (SearchOp::Delete, 1, false),
    ] {
        search(
            fabric,
            ni,
            pt_index,
            &of(match_bits, EntryOptions::USE_ONCE),
            operation,
            0,
        )?;
        let unlinked = ni.me_unlink(fabric, below);
        assert_eq!(
            unlinked.map_err(|error| error.code()),
            if is_left { Err("PTL_IN_USE") } else { Ok(()) }
        );
    }
    let unknown = search(fabric, ni, pt_index + 1, &of(0, EntryOptions::NONE), SearchOp::Only, 0);
    assert_eq!(unknown.unwrap_err().code(), "PTL_ARG_INVALID");
    assert_eq!(target.events()?, []);
    target.ranks.finish()
}
