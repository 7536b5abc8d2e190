//! The places that headers of unexpected messages take, and the entries and indices that they keep.

use super::{
    event, kinds, pattern,
    target::{for_all, Target, SOURCES, TO},
    BYTES,
};
use portico::{portals::*, Fabric, Transport};

/// Entries and headers of a rank.
const PLACES: u64 = 64;

/// Takes one header.
fn once() -> Me {
    for_all(0, 0, EntryOptions::USE_ONCE)
}

/// Messages of three ranks in one entry of Overflow that leaves with the last of them: AUTO_UNLINK comes when all are complete,
/// and AUTO_FREE with the last header.
pub fn an_entry_is_free_after_its_headers<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const LONG: u64 = 3000;
    let mut target = Target::new(open(), Interface::Matching, 7, 16, LONG as u32 + 0x200)?;
    let (ni, pt_index) = (target.ni, target.pt_index);
    let quiet = EntryOptions::EVENT_UNLINK_DISABLE;
    for (lengths, options) in [
        ([LONG, 20, 37], EntryOptions::NONE),
        ([21, LONG, 37], EntryOptions::NONE),
        ([22, 37, LONG], EntryOptions::NONE),
        ([22, 37, LONG], quiet),
    ] {
        let is_told = options != quiet;
        let me = Me {
            min_free: 1,
            ..for_all(target.at(0), lengths.iter().sum(), options | EntryOptions::MANAGE_LOCAL)
        };
        let entry = target.append(PtlList::Overflow, &me, 11)?;
        for from in SOURCES {
            target.ranks.write(from, 0, &pattern(from * 1000, LONG as usize))?;
        }
        // At once: those of other ranks come while the longest is in progress.
        for (from, length) in SOURCES.into_iter().zip(lengths) {
            let put = target.message(from, length, 0);
            target.send(from, &put)?;
        }
        for from in SOURCES {
            assert_eq!(target.answer(from)?.ptl_list, PtlList::Overflow);
        }
        let of_entry = |kind| Event {
            ptl_list: PtlList::Overflow,
            pt_index: 7,
            user_ptr: 11,
            ..event(kind)
        };
        let mut events = target.events()?;
        if is_told {
            assert_eq!(events.pop(), Some(of_entry(EventKind::AutoUnlink)));
        }
        assert_eq!(kinds(&events), [EventKind::Put; 3]);
        assert_eq!(target.unlink_code(entry), "PTL_ARG_INVALID");
        for taken in 1..=3 {
            let in_use = ni.pt_free(&mut target.ranks.fabric, pt_index).unwrap_err();
            assert_eq!(in_use.code(), "PTL_PT_IN_USE");
            target.append(PtlList::Priority, &once(), 12)?;
            let mut events = target.events()?;
            let unlinked = Event {
                pt_index: 7,
                user_ptr: 12,
                ..event(EventKind::AutoUnlink)
            };
            assert_eq!(events.pop(), Some(unlinked));
            if is_told && taken == 3 {
                assert_eq!(events.pop(), Some(of_entry(EventKind::AutoFree)));
            }
            assert_eq!(kinds(&events), [EventKind::PutOverflow]);
            let Event {
                initiator,
                start,
                mlength,
                ..
            } = events[0];
            let there = target.ranks.read(TO, start - target.at(0), mlength as usize)?;
            assert_eq!(there, pattern(initiator as usize * 1000, mlength as usize));
        }
        // Nothing keeps the index.
        ni.pt_free(&mut target.ranks.fabric, pt_index)?;
        let eq = Some(target.eq);
        ni.pt_alloc(&mut target.ranks.fabric, PtOptions::NONE, eq, Some(pt_index))?;
    }
    target.ranks.finish()
}

/// Headers take the places of entries, up to the last: the next message is dropped. A search that deletes gives them all back.
pub fn headers_fill_the_lists<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const OTHER: u64 = 1 << 20;
    let mut target = Target::new(open(), Interface::Matching, 0, 8, BYTES)?;
    let start = target.at(0);
    let below = Me {
        ignore_bits: OTHER - 1,
        ..for_all(start, 0x100, EntryOptions::EVENT_COMM_DISABLE)
    };
    let below = target.append(PtlList::Overflow, &below, 0)?;
    let mut dropped = 0;
    for lap in 0..2 {
        let mut told = |target: &mut Target<T>, match_bits| -> Result<NiFail, Error> {
            let from = SOURCES[match_bits as usize % SOURCES.len()];
            let put = target.message(from, 4, match_bits);
            let told = target.put(from, &put)?.ni_fail_type;
            dropped += u32::from(told == NiFail::Dropped);
            assert_eq!(target.ranks.status(TO)?, [dropped, 0, lap]);
            Ok(told)
        };
        for number in 1..PLACES - 1 {
            assert_eq!(told(&mut target, number)?, NiFail::Ok, "header {number}");
        }
        // The last place is that of an entry that would leave with its message: the header finds none, and the entry stays.
        let last = Me {
            match_bits: OTHER,
            ignore_bits: 0,
            ..once()
        };
        let handle = target.append(PtlList::Overflow, &last, 1)?;
        assert_eq!(told(&mut target, OTHER)?, NiFail::Dropped);
        target.unlink(handle)?;
        assert_eq!(told(&mut target, PLACES)?, NiFail::Ok);
        assert_eq!(told(&mut target, PLACES)?, NiFail::Dropped);
        // An append that consumes a header and is gone needs no place; any other does.
        target.append(PtlList::Priority, &once(), 2)?;
        assert_eq!(
            kinds(&target.events()?),
            [EventKind::PutOverflow, EventKind::AutoUnlink]
        );
        assert_eq!(told(&mut target, PLACES)?, NiFail::Ok);
        let no_place = target.append(PtlList::Priority, &last, 2).unwrap_err();
        assert_eq!(no_place.code(), "PTL_NO_SPACE");
        // The check of the operation comes before the search for a place.
        let get = target.message(SOURCES[0], 4, 0);
        assert_eq!(target.get(SOURCES[0], &get)?.ni_fail_type, NiFail::OpViolation);
        let all = for_all(0, 0, EntryOptions::EVENT_OVER_DISABLE);
        target.search(SearchOp::Delete, &all, 3)?;
        assert_eq!(target.events()?, []);
        let entries = target.fill(&last, PLACES as usize - 1)?;
        for entry in entries {
            target.unlink(entry)?;
        }
    }
    target.unlink(below)?;
    target.ranks.finish()
}

/// A ring of two events: what it loses is consumed and counted too, and the next event tells the loss.
pub fn rings_of_two_lose_events_alone<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    use EventKind::{AutoFree, AutoUnlink, PutOverflow as Over, Search};
    let mut target = Target::new(open(), Interface::Matching, 0, 2, BYTES)?;
    let ct = target.ni.ct_alloc(&mut target.ranks.fabric)?;
    let taken = |target: &mut Target<T>| -> Result<Vec<(EventKind, bool)>, Error> {
        let taken = target.ranks.taken(target.ni, target.eq)?;
        Ok(taken
            .into_iter()
            .map(|(event, after_loss)| (event.kind, after_loss))
            .collect())
    };
    for round in 1..=3 {
        let start = target.at(0);
        for _ in 0..4 {
            let below = for_all(start, 8, EntryOptions::USE_ONCE | EntryOptions::EVENT_COMM_DISABLE);
            target.append(PtlList::Overflow, &below, 0)?;
            let put = target.message(SOURCES[0], 8, 0);
            target.put(SOURCES[0], &put)?;
            assert_eq!(taken(&mut target)?, [(AutoUnlink, false)]);
        }
        // Two events, of which the second is the last that finds room; then as many of one header.
        let counting = Me {
            ct: Some(ct),
            ..for_all(0, 0, EntryOptions::USE_ONCE | EntryOptions::EVENT_CT_OVERFLOW)
        };
        target.append(PtlList::Priority, &counting, 0)?;
        assert_eq!(taken(&mut target)?, [(Over, false), (AutoFree, false)]);
        let all = Me {
            options: EntryOptions::EVENT_CT_OVERFLOW,
            ..counting
        };
        let entry = target.append(PtlList::Priority, &all, 0)?;
        // AUTO_UNLINK of the first append was lost.
        assert_eq!(taken(&mut target)?, [(Over, true), (AutoFree, false)]);
        target.unlink(entry)?;
        assert_eq!(target.ranks.counts(TO, ct)?.success, 4 * round);
        target.search(SearchOp::Only, &once(), 0)?;
        target.search(SearchOp::Only, &once(), 0)?;
        target.search(SearchOp::Only, &once(), 0)?;
        assert_eq!(taken(&mut target)?, [(Search, true), (Search, false)]);
        target.search(SearchOp::Delete, &once(), 0)?;
        assert_eq!(taken(&mut target)?, [(Search, true)]);
    }
    target.ranks.finish()
}

/// Headers keep their entry and its index, but no interface: one that is closed leaves none.
pub fn headers_keep_entries_and_indices<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    for interface in [Interface::Matching, Interface::NonMatching] {
        let mut target = Target::new(open(), interface, 5, 64, BYTES)?;
        let start = target.at(0);
        let put = target.message(SOURCES[0], 8, 0);
        let below = target.append(PtlList::Overflow, &for_all(start, 16, EntryOptions::NONE), 1)?;
        for left in [2, 1] {
            for _ in 0..left {
                target.put(SOURCES[0], &put)?;
            }
            for _ in 0..left {
                assert_eq!(target.unlink_code(below), "PTL_IN_USE");
                let in_use = target.ni.pt_free(&mut target.ranks.fabric, 5).unwrap_err();
                assert_eq!(in_use.code(), "PTL_PT_IN_USE");
                target.append(PtlList::Priority, &once(), 2)?;
            }
        }
        target.unlink(below)?;
        target.ni.pt_free(&mut target.ranks.fabric, 5)?;
        // Headers of an entry that is in its list, and of two that have left; the index is disabled.
        let eq = Some(target.eq);
        target
            .ni
            .pt_alloc(&mut target.ranks.fabric, PtOptions::NONE, eq, Some(5))?;
        for options in [EntryOptions::USE_ONCE, EntryOptions::USE_ONCE, EntryOptions::NONE] {
            target.append(PtlList::Overflow, &for_all(start, 16, options), 1)?;
            target.put(SOURCES[0], &put)?;
        }
        target.put(SOURCES[1], &target.message(SOURCES[1], 8, 0))?;
        target.ni.pt_disable(&mut target.ranks.fabric, 5)?;
        target.reopen(8)?;
        let nobody = Me {
            match_id: Some(TO as u32),
            ..once()
        };
        target.fill(&nobody, PLACES as usize)?;
        assert_eq!(target.events()?, []);
        target.reopen(8)?;
        target.ranks.finish()?;
    }
    Ok(())
}
