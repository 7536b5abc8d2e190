//! What answers raise at the initiator.

use super::{event, Ranks, BYTES};
use portico::{portals::*, Fabric, Transport};

/// Rank 0 is the initiator, rank 2 the target.
const FROM: usize = 0;
const TO: usize = 2;
/// Match bits of the entries: one takes messages, one takes them with ACK_DISABLE; nothing matches the third.
const MATCHES: [u64; 3] = [0, 1, 2];

/// The events of the memory descriptor, and its counts, without and with CT_BYTES.
struct Raised {
    kinds: &'static [EventKind],
    counts: [(u64, u64); 2],
}

fn raised(kinds: &'static [EventKind], count: (u64, u64), of_bytes: (u64, u64)) -> Raised {
    let counts = [count, of_bytes];
    Raised { kinds, counts }
}

/// A target with the three ways to end. The entries have 5 bytes of 7.
fn prepare<T: Transport>(ranks: &mut Ranks<T>) -> Result<u32, Error> {
    let pt_index = ranks.index(TO, None)?;
    let me = Me {
        start: ranks.base(),
        length: 9,
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    ranks.append(TO, pt_index, &me, 0)?;
    let silent = Me {
        match_bits: MATCHES[1],
        options: me.options | EntryOptions::ACK_DISABLE,
        ..me
    };
    ranks.append(TO, pt_index, &silent, 0)?;
    Ok(pt_index)
}

/// Checks what a memory descriptor has raised, and clears its counter.
fn check<T: Transport>(
    ranks: &mut Ranks<T>,
    (eq, ct): (EqHandle, CtHandle),
    expected: &[Event],
    counts: (u64, u64),
    what: &str,
) -> Result<(), Error> {
    ranks.rest();
    assert_eq!(ranks.events(FROM, eq)?, expected, "{what}");
    let (success, failure) = counts;
    assert_eq!(ranks.counts(FROM, ct)?, CtEvent { success, failure }, "{what}");
    ranks.matching[FROM].ct_set(&mut ranks.fabric, ct, CtEvent::default())
}

/// The event of an answer: of a success 5 bytes at offset 4, of a failure nothing.
fn answer(kind: EventKind, match_bits: u64) -> Event {
    match match_bits == MATCHES[2] {
        true => Event {
            ni_fail_type: NiFail::Dropped,
            user_ptr: 77,
            ..event(kind)
        },
        false => Event {
            mlength: 5,
            remote_offset: 4,
            user_ptr: 77,
            ..event(kind)
        },
    }
}

/// Every kind of acknowledgement: of a success, of an entry with ACK_DISABLE, and of a refusal; with and without CT_BYTES and
/// SUCCESS_DISABLE.
pub fn acknowledgements_raise_what_was_asked<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const ACK: &[EventKind] = &[EventKind::Ack];
    let mut ranks = Ranks::new(open(), BYTES)?;
    let pt_index = prepare(&mut ranks)?;
    let (eq, ct) = (ranks.eq(FROM, 4)?, ranks.ct(FROM)?);
    let nothing = || raised(&[], (0, 0), (0, 0));
    let table = [
        (AckReq::NoAck, [nothing(), nothing(), nothing()]),
        (
            AckReq::Ack,
            [raised(ACK, (1, 0), (5, 0)), nothing(), raised(ACK, (0, 1), (0, 1))],
        ),
        (
            AckReq::CtAck,
            [raised(&[], (1, 0), (5, 0)), nothing(), raised(&[], (0, 1), (0, 1))],
        ),
        (
            AckReq::OcAck,
            [raised(&[], (1, 0), (1, 0)), nothing(), raised(&[], (1, 0), (1, 0))],
        ),
    ];
    for (bytes, bytes_option) in [MdOptions::NONE, MdOptions::EVENT_CT_BYTES].into_iter().enumerate() {
        for quiet in [false, true] {
            let success_option = if quiet {
                MdOptions::EVENT_SUCCESS_DISABLE
            } else {
                MdOptions::EVENT_SEND_DISABLE
            };
            let options = MdOptions::EVENT_CT_ACK | bytes_option | success_option;
            let md = ranks.md(FROM, options, Some(eq), Some(ct))?;
            for (ack, outcomes) in &table {
                for (match_bits, outcome) in MATCHES.into_iter().zip(outcomes) {
                    let put = Put {
                        ack: *ack,
                        pt_index,
                        match_bits,
                        remote_offset: 4,
                        user_ptr: 77,
                        ..Put::new(md, 7, TO as u32)
                    };
                    ranks.put(FROM, &put)?;
                    let told = outcome.kinds.iter().map(|&kind| answer(kind, match_bits));
                    let told: Vec<Event> = told
                        .filter(|event| !quiet || event.ni_fail_type != NiFail::Ok)
                        .collect();
                    let what = format!("{ack:?}, entry {match_bits}, {options:?}");
                    check(&mut ranks, (eq, ct), &told, outcome.counts[bytes], &what)?;
                }
            }
            ranks.matching[FROM].md_release(&mut ranks.fabric, md)?;
        }
    }
    ranks.finish()
}

/// The same of gets, which have no kinds, and of SEND, which no target changes.
pub fn replies_and_sends_raise_what_was_asked<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let pt_index = prepare(&mut ranks)?;
    let (eq, ct) = (ranks.eq(FROM, 4)?, ranks.ct(FROM)?);
    let send = Event {
        rlength: 7,
        user_ptr: 77,
        ..event(EventKind::Send)
    };
    // Replies count by what was delivered, sends by what was asked for.
    let outcomes = [((1, 0), (5, 0)), ((0, 0), (0, 0)), ((0, 1), (0, 1))];
    for (bytes, bytes_option) in [MdOptions::NONE, MdOptions::EVENT_CT_BYTES].into_iter().enumerate() {
        for quiet in [false, true] {
            let success_option = if quiet {
                MdOptions::EVENT_SUCCESS_DISABLE
            } else {
                MdOptions::NONE
            };
            let options = bytes_option | success_option;
            let counted = [MdOptions::EVENT_CT_REPLY, MdOptions::EVENT_CT_SEND];
            let [of_gets, of_puts] = counted.map(|counted| ranks.md(FROM, options | counted, Some(eq), Some(ct)));
            let (of_gets, of_puts) = (of_gets?, of_puts?);
            for (match_bits, outcome) in MATCHES.into_iter().zip(outcomes) {
                let put = Put {
                    pt_index,
                    match_bits,
                    remote_offset: 4,
                    user_ptr: 77,
                    ..Put::new(of_puts, 7, TO as u32)
                };
                ranks.put(FROM, &put)?;
                let told = if quiet { vec![] } else { vec![send] };
                let what = format!("a send to entry {match_bits}, {options:?}");
                check(&mut ranks, (eq, ct), &told, [(1, 0), (7, 0)][bytes], &what)?;
                let get = Get {
                    pt_index,
                    match_bits,
                    remote_offset: 4,
                    user_ptr: 77,
                    ..Get::new(of_gets, 7, TO as u32)
                };
                ranks.get(FROM, &get)?;
                let mut told = vec![answer(EventKind::Reply, match_bits)];
                told.retain(|event| match_bits != MATCHES[1] && (!quiet || event.ni_fail_type != NiFail::Ok));
                let what = format!("a get from entry {match_bits}, {options:?}");
                check(&mut ranks, (eq, ct), &told, [outcome.0, outcome.1][bytes], &what)?;
            }
            for md in [of_gets, of_puts] {
                ranks.matching[FROM].md_release(&mut ranks.fabric, md)?;
            }
        }
    }
    ranks.finish()
}

/// Of each way to end more answers than there are slots: a slot that one of them kept would be missed.
pub fn no_answer_keeps_a_slot<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const PUTS: usize = 29;
    const GETS: usize = 5;
    let mut ranks = Ranks::new(open(), BYTES)?;
    let pt_index = prepare(&mut ranks)?;
    let ct = ranks.ct(TO)?;
    let md = ranks.md(FROM, MdOptions::NONE, None, None)?;
    for match_bits in MATCHES {
        for ack in [AckReq::Ack, AckReq::CtAck, AckReq::OcAck] {
            for _ in 0..PUTS {
                let put = Put {
                    ack,
                    pt_index,
                    match_bits,
                    ..Put::new(md, 4, TO as u32)
                };
                ranks.put(FROM, &put)?;
            }
        }
        for length in [0, 4] {
            for _ in 0..GETS {
                let get = Get {
                    pt_index,
                    match_bits,
                    ..Get::new(md, length, TO as u32)
                };
                ranks.get(FROM, &get)?;
            }
        }
    }
    // One that counts comes behind all of them.
    let me = Me {
        match_bits: 3,
        ct: Some(ct),
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_CT_COMM,
        ..Me::default()
    };
    ranks.append(TO, pt_index, &me, 0)?;
    let put = Put {
        ack: AckReq::Ack,
        pt_index,
        match_bits: 3,
        ..Put::new(md, 0, TO as u32)
    };
    ranks.put(FROM, &put)?;
    ranks.wait(TO, ct, 1)?;
    assert_eq!(ranks.status(TO)?, [(3 * PUTS + 2 * GETS) as u32, 0, 0]);
    ranks.finish()
}
