//! How entries and portal indices end.

use super::{kinds, pattern, Ranks, BYTES};
use portico::{portals::*, Fabric, Transport};

/// Rank 0 is the initiator, rank 3 the target.
const FROM: usize = 0;
const TO: usize = 3;
/// A message that takes long.
const LONG: usize = 4096;

/// Of 20 entries that are used once, ten take a message: exactly ten are unlinked by hand, though messages are still coming.
pub fn an_entry_leaves_once<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let eq = ranks.eq(TO, 32)?;
    let pt_index = ranks.index(TO, Some(eq))?;
    let me = Me {
        length: 8,
        options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    let me = Me {
        start: ranks.base(),
        ..me
    };
    let md = ranks.md(FROM, MdOptions::NONE, None, None)?;
    for _ in 0..3 {
        let entries = (0..20).map(|number| ranks.append(TO, pt_index, &me, number));
        let entries: Vec<MeHandle> = entries.collect::<Result<_, _>>()?;
        for _ in 0..10 {
            let put = Put {
                pt_index,
                ..Put::new(md, 8, TO as u32)
            };
            ranks.put(FROM, &put)?;
        }
        // From the end, because messages take those in front.
        let mut unlinked = vec![];
        for &entry in entries.iter().rev() {
            let to = ranks.matching[TO];
            let outcome = loop {
                match to.me_unlink(&mut ranks.fabric, entry) {
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
        let events = ranks.events(TO, eq)?;
        assert_eq!(kinds(&events), [EventKind::Put, EventKind::AutoUnlink].repeat(10));
        let took: Vec<u32> = events.iter().map(|event| event.user_ptr).collect();
        assert_eq!(took, (0..20).map(|at| at / 2).collect::<Vec<_>>());
    }
    let to = ranks.matching[TO];
    to.pt_free(&mut ranks.fabric, pt_index)?;
    ranks.finish()
}

/// An entry that is unlinked while a long message comes is in use until the message is complete, with its event; or the message
/// came too late, and is dropped.
pub fn an_entry_in_use_stays<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), 2 * LONG as u32)?;
    let (own, eq) = (ranks.eq(FROM, 4)?, ranks.eq(TO, 4)?);
    let pt_index = ranks.index(TO, Some(eq))?;
    let me = Me {
        start: ranks.base(),
        length: LONG as u64,
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    let md = ranks.md(FROM, MdOptions::EVENT_SEND_DISABLE, Some(own), None)?;
    for round in 0..6 {
        let entry = ranks.append(TO, pt_index, &me, round)?;
        let source = pattern(round as usize, LONG);
        let (from, to) = if round % 2 == 0 { (FROM, TO) } else { (TO, FROM) };
        ranks.write(from, 0, &source)?;
        let put = Put {
            ack: AckReq::Ack,
            pt_index,
            ..Put::new(md, LONG as u64, TO as u32)
        };
        let get = Get {
            pt_index,
            ..Get::new(md, LONG as u64, TO as u32)
        };
        match round % 2 {
            0 => ranks.put(FROM, &put)?,
            _ => ranks.get(FROM, &get)?,
        }
        // Later from round to round.
        ranks.fabric.transport().wait(u64::from(round) * 60);
        let mut in_use = 0;
        let unlinked = loop {
            let target = ranks.matching[TO];
            match target.me_unlink(&mut ranks.fabric, entry) {
                Err(Error::InUse { .. }) => in_use += 1,
                outcome => break outcome,
            }
        };
        assert_eq!(unlinked, Ok(()));
        // If it has left, every message that it took is told already.
        let events = ranks.events(TO, eq)?;
        let told = ranks.event(FROM, own)?;
        println!("round {round}: in use {in_use} times, {}", told.ni_fail_type);
        match events[..] {
            [Event { user_ptr, mlength, .. }] => {
                assert_eq!((user_ptr, mlength), (round, LONG as u64));
                assert_eq!((told.ni_fail_type, told.mlength), (NiFail::Ok, LONG as u64));
                assert_eq!(ranks.read(to, 0, LONG)?, source, "round {round}");
            }
            [] => {
                assert_eq!((told.ni_fail_type, in_use), (NiFail::Dropped, 0));
            }
            _ => panic!("round {round}: {events:?}"),
        }
    }
    ranks.finish()
}

/// A portal index with an entry is in use; one that is disabled has no message in progress.
pub fn an_index_ends_behind_its_messages<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), LONG as u32)?;
    let (own, eq) = (ranks.eq(FROM, 4)?, ranks.eq(TO, 4)?);
    let pt_index = ranks.index(TO, Some(eq))?;
    let to = ranks.matching[TO];
    let me = Me {
        start: ranks.base(),
        length: LONG as u64,
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    let entry = ranks.append(TO, pt_index, &me, 0)?;
    let in_use = to.pt_free(&mut ranks.fabric, pt_index).unwrap_err();
    assert_eq!(in_use.code(), "PTL_PT_IN_USE");
    let md = ranks.md(FROM, MdOptions::EVENT_SEND_DISABLE, Some(own), None)?;
    for round in 0..4 {
        let source = pattern(round, LONG);
        ranks.write(FROM, 0, &source)?;
        let put = Put {
            ack: AckReq::Ack,
            pt_index,
            ..Put::new(md, LONG as u64, TO as u32)
        };
        ranks.put(FROM, &put)?;
        ranks.fabric.transport().wait(round as u64 * 80);
        to.pt_disable(&mut ranks.fabric, pt_index)?;
        let events = ranks.events(TO, eq)?;
        let written = ranks.read(TO, 0, LONG)?;
        let told = ranks.event(FROM, own)?.ni_fail_type;
        println!("round {round}: {told}");
        match told {
            NiFail::Ok => {
                assert_eq!(kinds(&events), [EventKind::Put]);
                assert_eq!(written, source, "round {round}");
            }
            _ => {
                assert_eq!((events, told), (vec![], NiFail::PtDisabled));
            }
        }
        let in_use = to.pt_free(&mut ranks.fabric, pt_index).unwrap_err();
        assert_eq!(in_use.code(), "PTL_PT_IN_USE");
        ranks.put(FROM, &put)?;
        assert_eq!(ranks.event(FROM, own)?.ni_fail_type, NiFail::PtDisabled);
        to.pt_enable(&mut ranks.fabric, pt_index)?;
    }
    // An entry that is used once keeps its index until its message is complete.
    to.me_unlink(&mut ranks.fabric, entry)?;
    let once = Me {
        options: me.options | EntryOptions::USE_ONCE,
        ..me
    };
    ranks.append(TO, pt_index, &once, 1)?;
    let put = Put {
        ack: AckReq::Ack,
        pt_index,
        ..Put::new(md, LONG as u64, TO as u32)
    };
    ranks.put(FROM, &put)?;
    let freed = loop {
        match to.pt_free(&mut ranks.fabric, pt_index) {
            Err(Error::PtInUse { .. }) => {}
            outcome => break outcome,
        }
    };
    assert_eq!(freed, Ok(()));
    assert_eq!(kinds(&ranks.events(TO, eq)?), [EventKind::Put, EventKind::AutoUnlink]);
    assert_eq!(ranks.event(FROM, own)?.ni_fail_type, NiFail::Ok);
    ranks.put(FROM, &put)?;
    assert_eq!(ranks.event(FROM, own)?.ni_fail_type, NiFail::Dropped);
    ranks.finish()
}
