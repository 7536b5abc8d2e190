//! Headers of unexpected messages that come while an append begins or waits, and entries of Overflow that leave at that time.

use super::{
    kinds, pattern,
    target::{for_all, Target, SOURCES, TO},
    BYTES,
};
use portico::{portals::*, Fabric, Transport};

/// An index that is not allocated.
const UNALLOCATED: u32 = 9;

/// Distances of [`puts_around_an_append`] in a row, in cycles from 0.
const DISTANCES: u64 = 40;
/// Rows of distances without a gap: the bytes of a message in front of the put go a word a cycle. With the longest the put comes
/// after the append, for which the host writes its descriptor.
pub const ROWS: u64 = 12;

/// Puts that come around an append: each meets the entry, or leaves a header that the append consumes. Gives how many did so.
///
/// Each of `rows` has 40 puts. Beyond [`ROWS`] the same distances come again, with the other entry, used once or persistent, and
/// beyond twice as many with the same one.
pub fn puts_around_an_append<T: Transport>(open: impl Fn() -> Fabric<T>, rows: u64) -> Result<[usize; 2], Error> {
    const LENGTH: usize = 40;
    let mut target = Target::new(open(), Interface::Matching, 0, 16, BYTES)?;
    let from = SOURCES[1];
    let below = for_all(target.at(0x100), LENGTH as u64, EntryOptions::NONE);
    let below = target.append(PtlList::Overflow, &below, 100)?;
    let mut outcomes = [0, 0];
    let distances = (0..rows).flat_map(|row| (0..DISTANCES).map(move |distance| (row, distance)));
    for (round, (row, distance)) in distances.enumerate() {
        let delay = 4 * DISTANCES * (row % ROWS);
        let bytes = pattern(round * LENGTH, LENGTH);
        target.ranks.write(from, 0, &bytes)?;
        let put = target.message(from, LENGTH as u64, distance);
        let first = Put {
            ack: AckReq::NoAck,
            target: 0,
            pt_index: UNALLOCATED,
            ..target.message(from, delay, 0)
        };
        if delay > 0 {
            target.send(from, &first)?;
        }
        target.send(from, &put)?;
        target.ranks.fabric.transport().wait(distance);
        let options = [EntryOptions::USE_ONCE, EntryOptions::NONE][(distance + row / ROWS) as usize % 2];
        let once = options == EntryOptions::USE_ONCE;
        let me = Me {
            ignore_bits: 0,
            match_bits: distance,
            ..for_all(target.at(0x100) + LENGTH as u32, LENGTH as u64, options)
        };
        let handle = target.append(PtlList::Priority, &me, 200)?;
        let told = target.answer(from)?;
        let events = target.events()?;
        let is_unexpected = told.ptl_list == PtlList::Overflow;
        let mut expected = match is_unexpected {
            true => vec![(EventKind::Put, 100), (EventKind::PutOverflow, 200)],
            false => vec![(EventKind::Put, 200)],
        };
        if once {
            expected.push((EventKind::AutoUnlink, 200));
        }
        let found: Vec<(EventKind, u32)> = events.iter().map(|event| (event.kind, event.user_ptr)).collect();
        assert_eq!(found, expected, "{distance} cycles, {delay} bytes in front");
        let lies_at = if is_unexpected { 0x100 } else { 0x100 + LENGTH as u32 };
        let messages = &events[..expected.len() - usize::from(once)];
        assert!(messages.iter().all(|event| event.start == target.at(lies_at)));
        assert_eq!(target.ranks.read(TO, lies_at, LENGTH)?, bytes);
        match once {
            true => assert_eq!(target.unlink_code(handle), "PTL_ARG_INVALID"),
            false => target.unlink(handle)?,
        }
        outcomes[usize::from(is_unexpected)] += 1;
    }
    target.unlink(below)?;
    target.ranks.finish()?;
    println!("met the entry, left a header: {outcomes:?}");
    Ok(outcomes)
}

/// An append that matches a put of many packets ends when all its data are there. Meanwhile messages of other ranks come.
pub fn an_append_waits_for_data<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const LONG: usize = 16_384;
    const SHORT: usize = 100;
    const PUTS: usize = 4;
    // Bytes that go before the puts of another rank to nowhere: the puts come when the append waits.
    const DELAY: u64 = 4096;
    let mut target = Target::new(open(), Interface::Matching, 0, 64, LONG as u32 + 0x400)?;
    let [long, short, _] = SOURCES;
    let below = Me {
        ignore_bits: 0,
        match_bits: 1,
        ..for_all(target.at(0), LONG as u64, EntryOptions::NONE)
    };
    target.append(PtlList::Overflow, &below, 1)?;
    let others = Me {
        ignore_bits: 0,
        match_bits: 2,
        ..for_all(target.at(LONG as u32), SHORT as u64, EntryOptions::NONE)
    };
    target.append(PtlList::Priority, &others, 2)?;
    for round in 0..4 {
        let bytes = pattern(round, LONG);
        target.ranks.write(long, 0, &bytes)?;
        let put = target.message(long, LONG as u64, 1);
        target.send(long, &put)?;
        let once = Me {
            ignore_bits: 0,
            match_bits: 1,
            ..for_all(0, 0, EntryOptions::USE_ONCE)
        };
        // A search sees a header though data are still coming.
        let mut is_coming = true;
        loop {
            target.search(SearchOp::Only, &once, 3)?;
            let events = target.events()?;
            is_coming &= kinds(&events) == [EventKind::Search];
            match events.last().map(|event| event.ni_fail_type) {
                Some(NiFail::NoMatch) => {}
                _ => break,
            }
        }
        let put = target.message(short, SHORT as u64, 2);
        let first = Put {
            ack: AckReq::NoAck,
            target: 0,
            pt_index: UNALLOCATED,
            ..target.message(short, DELAY, 0)
        };
        target.send(short, &first)?;
        for _ in 0..PUTS {
            target.send(short, &put)?;
        }
        if round % 2 == 0 {
            target.append(PtlList::Priority, &once, 3)?;
        } else {
            target.search(SearchOp::Delete, &once, 3)?;
        }
        // From the end, where data come last.
        for at in (0..LONG).rev().step_by(1024) {
            let from = at + 1 - 1024;
            let there = target.ranks.read(TO, from as u32, 1024)?;
            assert_eq!(there, bytes[from..at + 1], "round {round}");
        }
        let events = target.events()?;
        let place = |kind| events.iter().position(|event| event.kind == kind);
        let consumed = place(EventKind::PutOverflow).expect("the header was there");
        let before = &events[..consumed];
        assert_eq!(
            before.iter().filter(|event| event.user_ptr == 2).count(),
            PUTS,
            "round {round}: {events:?}"
        );
        // A put whose data were complete at the search has told so there.
        let completes = before.iter().filter(|event| event.user_ptr == 1).count();
        assert_eq!(completes, usize::from(is_coming), "round {round}: {events:?}");
        for from in [long, short, short, short, short] {
            assert_eq!(target.answer(from)?.ni_fail_type, NiFail::Ok);
        }
    }
    target.ranks.finish()
}

/// A persistent append and a search that deletes find a header whose data are still coming, behind two that are complete. These two
/// are consumed once, though the command begins anew; a header that comes meanwhile is consumed behind the one that was waited for;
/// LINK comes after the last one. Gives whether the data were still coming at the append, and at the search.
pub fn commands_for_all_headers_begin_anew<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<[bool; 2], Error> {
    const LONG: usize = 16_384;
    const SHORT: u64 = 100;
    // Bytes that go before the last put to nowhere: it comes when the command waits.
    const DELAY: u64 = 4096;
    // Searches of a host, at most, until a header is there.
    const SEARCHES: usize = 1000;
    // Match bits that all headers share, above those that tell them apart.
    const ALIKE: u64 = 1 << 8;
    let mut target = Target::new(open(), Interface::Matching, 0, 64, LONG as u32 + 0x400)?;
    let [long, short, third] = SOURCES;
    let all = Me {
        match_bits: ALIKE,
        ignore_bits: ALIKE - 1,
        ..for_all(target.at(0), LONG as u64 + 0x400, EntryOptions::NONE)
    };
    target.append(PtlList::Overflow, &all, 1)?;
    let mut waited = [false; 2];
    for (appends, waits) in [true, false].into_iter().zip(&mut waited) {
        let what = if appends { "append" } else { "search" };
        let numbered = |put: Put, number: u64, place: usize| Put {
            match_bits: ALIKE | number,
            hdr_data: number,
            remote_offset: place as u64,
            ..put
        };
        let brief = target.message(third, SHORT, 0);
        for number in 1..=2 {
            let put = numbered(brief, number, LONG);
            assert_eq!(target.put(third, &put)?.ptl_list, PtlList::Overflow, "{what}");
        }
        assert_eq!(kinds(&target.events()?), [EventKind::Put; 2], "{what}");
        let bytes = pattern(usize::from(appends), LONG);
        target.ranks.write(long, 0, &bytes)?;
        let put = numbered(target.message(long, LONG as u64, 0), 3, 0);
        target.send(long, &put)?;
        let coming = Me {
            match_bits: ALIKE | 3,
            ignore_bits: 0,
            ..for_all(0, 0, EntryOptions::USE_ONCE)
        };
        // A search sees a header though data are still coming.
        let mut is_coming = true;
        for searches in 0.. {
            assert!(searches < SEARCHES, "{what}: the header does not come");
            target.search(SearchOp::Only, &coming, 3)?;
            let events = target.events()?;
            is_coming &= kinds(&events) == [EventKind::Search];
            match events.last().map(|event| event.ni_fail_type) {
                Some(NiFail::NoMatch) => {}
                _ => break,
            }
        }
        let first = Put {
            ack: AckReq::NoAck,
            target: 0,
            pt_index: UNALLOCATED,
            ..target.message(short, DELAY, 0)
        };
        target.send(short, &first)?;
        let put = numbered(target.message(short, SHORT, 0), 4, LONG + 0x100);
        target.send(short, &put)?;
        let seeker = Me {
            options: EntryOptions::OP_PUT,
            ..all
        };
        let entry = match appends {
            true => Some(target.append(PtlList::Priority, &seeker, 2)?),
            false => {
                target.search(SearchOp::Delete, &seeker, 2)?;
                None
            }
        };
        // From where data come last.
        let there = target.ranks.read(TO, LONG as u32 - 1024, 1024)?;
        assert_eq!(there, bytes[LONG - 1024..], "{what}");
        let events = target.events()?;
        let told = events.iter().filter(|event| event.user_ptr == 2);
        let told: Vec<(EventKind, u64)> = told.map(|event| (event.kind, event.hdr_data)).collect();
        let mut expected: Vec<(EventKind, u64)> = (1..=4).map(|number| (EventKind::PutOverflow, number)).collect();
        expected.extend(appends.then_some((EventKind::Link, 0)));
        assert_eq!(told, expected, "{what}: {events:?}");
        let place = |kind, number| {
            let is_it = |event: &Event| (event.kind, event.hdr_data) == (kind, number);
            events.iter().position(is_it)
        };
        let [second, third, last] = [2, 3, 4].map(|number| place(EventKind::PutOverflow, number));
        // It has come before the end of the command, and on hardware while the command waited.
        let came = place(EventKind::Put, 4);
        assert!(came.is_some() && came < last, "{what}: {events:?}");
        let complete = place(EventKind::Put, 3);
        assert_eq!(complete.is_some(), is_coming, "{what}: {events:?}");
        if is_coming {
            assert!(second < came && came < third, "{what}: {events:?}");
            assert!(second < complete && complete < third, "{what}: {events:?}");
        }
        *waits = is_coming;
        for from in [long, short] {
            assert_eq!(target.answer(from)?.ni_fail_type, NiFail::Ok, "{what}");
        }
        // No header is left, and the next message meets the entry if there is one.
        target.search(SearchOp::Only, &all, 3)?;
        let events = target.events()?;
        assert_eq!(kinds(&events), [EventKind::Search], "{what}");
        assert_eq!(events[0].ni_fail_type, NiFail::NoMatch, "{what}");
        if let Some(entry) = entry {
            let put = numbered(brief, 5, LONG);
            assert_eq!(target.put(SOURCES[2], &put)?.ptl_list, PtlList::Priority);
            let events = target.events()?;
            assert_eq!((kinds(&events), events[0].user_ptr), (vec![EventKind::Put], 2));
            target.unlink(entry)?;
        }
    }
    target.ranks.finish()?;
    Ok(waited)
}

/// Of 20 entries of Overflow that are used once, ten take a message: exactly ten are unlinked by hand, and each of the others is
/// told to be free with its header.
pub fn entries_of_overflow_leave_once<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut target = Target::new(open(), Interface::Matching, 0, 64, BYTES)?;
    let me = for_all(target.at(0), 8, EntryOptions::USE_ONCE);
    let put = Put {
        ack: AckReq::NoAck,
        ..target.message(SOURCES[0], 8, 0)
    };
    for _ in 0..3 {
        let entries = (0..20).map(|number| target.append(PtlList::Overflow, &me, number));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        for _ in 0..10 {
            target.send(SOURCES[0], &put)?;
        }
        let mut unlinked = vec![];
        for &entry in entries.iter().rev() {
            let outcome = loop {
                match target.unlink(entry) {
                    Err(Error::InUse { .. }) => {}
                    outcome => break outcome,
                }
            };
            match outcome {
                Ok(()) => unlinked.push(true),
                Err(Error::Stale { .. }) => unlinked.push(false),
                Err(error) => return Err(error),
            }
        }
        assert_eq!(unlinked, [[true; 10], [false; 10]].concat());
        // An entry that has left is stale before its message is complete.
        target.ranks.rest();
        let told = |events: &[Event]| -> Vec<u32> { events.iter().map(|event| event.user_ptr).collect() };
        let events = target.events()?;
        assert_eq!(kinds(&events), [EventKind::Put, EventKind::AutoUnlink].repeat(10));
        assert_eq!(told(&events), (0..20).map(|at| at / 2).collect::<Vec<_>>());
        target.search(SearchOp::Delete, &for_all(0, 0, EntryOptions::NONE), 99)?;
        let events = target.events()?;
        assert_eq!(kinds(&events), [EventKind::PutOverflow, EventKind::AutoFree].repeat(10));
        let pairs = (0..10).flat_map(|number| [99, number]);
        assert_eq!(told(&events), pairs.collect::<Vec<_>>());
    }
    let (ni, pt_index) = (target.ni, target.pt_index);
    ni.pt_free(&mut target.ranks.fabric, pt_index)?;
    target.ranks.finish()
}
