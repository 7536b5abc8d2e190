//! How entries and portal indices end.

use super::{kinds, pattern, Ranks};
use portico::{portals::*, Fabric, Transport};
use rand::{rngs::SmallRng, seq::SliceRandom, Rng, SeedableRng};

/// Rank 0 is the initiator, rank 3 the target.
const FROM: usize = 0;
const TO: usize = 3;
/// A rank beside them, and an index that it has not allocated.
const ELSEWHERE: u32 = 2;
const UNALLOCATED: u32 = 9;
/// A message that takes long.
const LONG: usize = 4096;

/// Of 20 entries that are used once, ten take a message: exactly ten are unlinked by hand, in random order. The messages come from
/// two ranks, before the unlinks, beside them or behind them.
///
/// Gives in how many rounds an unlink came before the message that would have taken its entry, and in how many an entry had left
/// before its unlink, without a wait of the host for messages.
pub fn entries_leave_once<T: Transport>(open: impl Fn() -> Fabric<T>, rounds: u64) -> Result<[u64; 2], Error> {
    const SEED: u64 = 0x1eaf;
    const ENTRIES: u32 = 20;
    const PUTS: usize = 10;
    // Unlinks of an entry, at most, until a message of 8 bytes has left it.
    const TRIES: usize = 100;
    // Ranks that send half of the puts each, as a command queue has room for so many behind a first one. This goes to an index that
    // is not allocated and has so many bytes at most, a word a cycle: it can last until the host has unlinked ten entries.
    const INITIATORS: [(usize, u64); 2] = [(FROM, 0x2000), (1, 0x8000)];
    const EACH: usize = PUTS / INITIATORS.len();
    println!("seed {SEED:#x}");
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut ranks = Ranks::new(open(), 0x8000)?;
    let eq = ranks.eq(TO, 32)?;
    let pt_index = ranks.index(TO, Some(eq))?;
    let me = Me {
        start: ranks.base(),
        length: 8,
        options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE | EntryOptions::EVENT_LINK_DISABLE,
        ..Me::default()
    };
    let mut initiators = vec![];
    for (from, most) in INITIATORS {
        let ct = ranks.ct(from)?;
        let md = ranks.md(from, MdOptions::EVENT_CT_ACK, None, Some(ct))?;
        initiators.push((from, most, md, ct));
    }
    let answered = |ranks: &mut Ranks<T>, round: u64| {
        let mut all = initiators.iter();
        all.try_for_each(|&(from, _, _, ct)| ranks.wait(from, ct, round * EACH as u64))
    };
    let mut races = [0; 2];
    for round in 1..=rounds {
        let entries = (0..ENTRIES).map(|number| ranks.append(TO, pt_index, &me, number));
        let entries: Vec<MeHandle> = entries.collect::<Result<_, _>>()?;
        for &(from, most, md, _) in &initiators {
            let first = Put {
                pt_index: UNALLOCATED,
                ..Put::new(md, random.gen_range(0..=most), ELSEWHERE)
            };
            ranks.put(from, &first)?;
            for _ in 0..EACH {
                let put = Put {
                    ack: AckReq::CtAck,
                    pt_index,
                    ..Put::new(md, 8, TO as u32)
                };
                ranks.put(from, &put)?;
            }
        }
        let mut order: Vec<u32> = (0..ENTRIES).collect();
        order.shuffle(&mut random);
        let (mut unlinked, mut left, mut had_left) = (0, vec![], false);
        for number in order {
            // Every put has an entry: ten at most leave by hand before all puts are answered.
            if unlinked == PUTS {
                answered(&mut ranks, round)?;
            }
            let to = ranks.matching[TO];
            let mut tries = 0;
            let outcome = loop {
                tries += 1;
                assert!(tries < TRIES, "round {round}: entry {number} stays in use");
                match to.me_unlink(&mut ranks.fabric, entries[number as usize]) {
                    Err(Error::InUse { .. }) => {}
                    outcome => break outcome,
                }
            };
            match outcome {
                Ok(()) => unlinked += 1,
                Err(Error::Stale { .. }) => {
                    had_left |= unlinked < PUTS;
                    left.push(number);
                }
                Err(error) => return Err(error),
            }
        }
        answered(&mut ranks, round)?;
        assert_eq!((unlinked, left.len()), (PUTS, PUTS), "round {round}");
        left.sort_unstable();
        races[0] += u64::from(left[PUTS - 1] as usize >= PUTS);
        races[1] += u64::from(had_left);
        let events = ranks.events(TO, eq)?;
        assert_eq!(
            kinds(&events),
            [EventKind::Put, EventKind::AutoUnlink].repeat(PUTS),
            "round {round}"
        );
        let took: Vec<u32> = events.iter().map(|event| event.user_ptr).collect();
        let expected: Vec<u32> = left.into_iter().flat_map(|number| [number; 2]).collect();
        assert_eq!(took, expected, "round {round}");
    }
    let to = ranks.matching[TO];
    to.pt_free(&mut ranks.fabric, pt_index)?;
    ranks.finish()?;
    println!("rounds with an unlink before a message, behind one: {races:?}");
    Ok(races)
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
