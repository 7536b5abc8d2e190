//! What a target refuses, what it counts, and how much it delivers.

use super::{pattern, Ranks, BYTES, TILES};
use portico::{
    portals::*,
    registers::{CounterRegister, PortalsRegister},
    Fabric, Transport,
};
use portico_spec::portals::engine::{item, RANK_PRESENT_OFFSET};

/// Rank 2 is the initiator, rank 0 the target.
const FROM: usize = 2;
const TO: usize = 0;

/// How a put with a full acknowledgement ended, with the bytes delivered and the offset used.
fn told<T: Transport>(ranks: &mut Ranks<T>, eq: EqHandle, put: &Put) -> Result<(NiFail, u64, u64), Error> {
    ranks.put(FROM, put)?;
    let event = ranks.event(FROM, eq)?;
    assert_eq!(event.kind, EventKind::Ack);
    Ok((event.ni_fail_type, event.mlength, event.remote_offset))
}

fn told_of_get<T: Transport>(ranks: &mut Ranks<T>, eq: EqHandle, get: &Get) -> Result<(NiFail, u64, u64), Error> {
    ranks.get(FROM, get)?;
    let event = ranks.event(FROM, eq)?;
    assert_eq!(event.kind, EventKind::Reply);
    Ok((event.ni_fail_type, event.mlength, event.remote_offset))
}

/// Each cause is told by its name, and counted; nothing else happens.
pub fn refusals_are_told_and_counted<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), BYTES)?;
    let (own, theirs, ct) = (ranks.eq(FROM, 4)?, ranks.eq(TO, 4)?, ranks.ct(TO)?);
    let (from, to) = (ranks.matching[FROM], ranks.matching[TO]);
    let before = pattern(0, 64);
    ranks.write(TO, 0, &before)?;
    ranks.write(FROM, 0, &[0xee; 64])?;
    let md = ranks.md(FROM, MdOptions::EVENT_SEND_DISABLE, Some(own), None)?;
    let pt_index = to.pt_alloc(&mut ranks.fabric, PtOptions::ALLOC_DISABLED, Some(theirs), Some(2))?;
    let entry = |match_bits, options| Me {
        start: 0,
        length: 8,
        ct: Some(ct),
        uid: Some(9),
        match_bits,
        options: options | EntryOptions::EVENT_LINK_DISABLE | EntryOptions::EVENT_CT_COMM | EntryOptions::USE_ONCE,
        ..Me::default()
    };
    let start = ranks.base();
    for (match_bits, option) in [(0, EntryOptions::OP_GET), (1, EntryOptions::OP_PUT)] {
        let me = Me {
            start,
            ..entry(match_bits, option)
        };
        ranks.append(TO, pt_index, &me, 0)?;
    }
    // Behind them one that would take all: a refusal ends the search.
    let me = Me {
        start,
        uid: None,
        ..entry(0, EntryOptions::OP_PUT | EntryOptions::OP_GET)
    };
    ranks.append(TO, pt_index, &me, 0)?;
    let put = Put {
        ack: AckReq::Ack,
        pt_index,
        ..Put::new(md, 8, TO as u32)
    };
    let get = Get {
        pt_index,
        match_bits: 1,
        ..Get::new(md, 8, TO as u32)
    };
    let failed = |failure| (failure, 0, 0);
    // Not allocated, and of the other interface.
    for pt_index in [3, 63] {
        assert_eq!(
            told(&mut ranks, own, &Put { pt_index, ..put })?,
            failed(NiFail::Dropped)
        );
        assert_eq!(
            told_of_get(&mut ranks, own, &Get { pt_index, ..get })?,
            failed(NiFail::Dropped)
        );
    }
    assert_eq!(ranks.status(TO)?, [4, 0, 0]);
    assert_eq!(told(&mut ranks, own, &put)?, failed(NiFail::PtDisabled));
    assert_eq!(told_of_get(&mut ranks, own, &get)?, failed(NiFail::PtDisabled));
    assert_eq!(ranks.status(TO)?, [6, 0, 0]);
    to.pt_enable(&mut ranks.fabric, pt_index)?;
    assert_eq!(told(&mut ranks, own, &put)?, failed(NiFail::PermViolation));
    assert_eq!(told_of_get(&mut ranks, own, &get)?, failed(NiFail::PermViolation));
    assert_eq!(ranks.status(TO)?, [6, 2, 0]);
    from.set_uid(&mut ranks.fabric, 9)?;
    assert_eq!(told(&mut ranks, own, &put)?, failed(NiFail::OpViolation));
    assert_eq!(told_of_get(&mut ranks, own, &get)?, failed(NiFail::OpViolation));
    assert_eq!(ranks.status(TO)?, [6, 2, 2]);
    let unmatched = Put { match_bits: 5, ..put };
    assert_eq!(told(&mut ranks, own, &unmatched)?, failed(NiFail::Dropped));
    let unasked = Put {
        ack: AckReq::NoAck,
        ..unmatched
    };
    ranks.put(FROM, &unasked)?;
    ranks.rest();
    assert_eq!(ranks.events(FROM, own)?, []);
    to.pt_disable(&mut ranks.fabric, pt_index)?;
    assert_eq!(told(&mut ranks, own, &put)?, failed(NiFail::PtDisabled));
    assert_eq!(ranks.status(TO)?, [9, 2, 2]);
    // All entries are where they were, and nothing was written, read, told or counted.
    assert_eq!(ranks.events(TO, theirs)?, []);
    assert_eq!(ranks.counts(TO, ct)?, CtEvent::default());
    assert_eq!(ranks.read(TO, 0, 64)?, before);
    assert_eq!(ranks.read(FROM, 0, 64)?, [0xee; 64]);
    to.pt_enable(&mut ranks.fabric, pt_index)?;
    let done = (NiFail::Ok, 8, 0);
    assert_eq!(told_of_get(&mut ranks, own, &Get { match_bits: 0, ..get })?, done);
    assert_eq!(told(&mut ranks, own, &Put { match_bits: 1, ..put })?, done);
    assert_eq!(told(&mut ranks, own, &put)?, done);
    // A write clears a count.
    ranks
        .fabric
        .poke(TILES[TO], PortalsRegister::Status, item::DROPS, &[77])?;
    assert_eq!(ranks.status(TO)?, [0, 2, 2]);
    ranks.finish()
}

/// A message at the end of an entry, beyond it, and of one that wants it whole.
pub fn messages_are_cut_or_go_on<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const LAST: u64 = u32::MAX as u64;
    let mut ranks = Ranks::new(open(), BYTES)?;
    let own = ranks.eq(FROM, 4)?;
    let pt_index = ranks.index(TO, None)?;
    let md = ranks.md(FROM, MdOptions::EVENT_SEND_DISABLE, Some(own), None)?;
    let me = Me {
        start: ranks.base() + 3,
        length: 100,
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    let whole = Me {
        match_bits: 1,
        options: me.options | EntryOptions::NO_TRUNCATE,
        ..me
    };
    // The offset is the entry's own: 60 bytes fit once.
    let own_offset = Me {
        match_bits: 2,
        options: whole.options | EntryOptions::MANAGE_LOCAL,
        ..me
    };
    let cut = Me {
        match_bits: 3,
        options: me.options | EntryOptions::MANAGE_LOCAL,
        ..me
    };
    for me in [me, whole, own_offset, cut] {
        ranks.append(TO, pt_index, &me, 0)?;
    }
    let dropped = (NiFail::Dropped, 0, 0);
    let source = pattern(0, 128);
    ranks.write(FROM, 0, &source)?;
    for (match_bits, length, remote_offset, expected) in [
        (0, 100, 0, (NiFail::Ok, 100, 0)),
        (0, 101, 0, (NiFail::Ok, 100, 0)),
        (0, 10, 95, (NiFail::Ok, 5, 95)),
        (0, 10, 100, (NiFail::Ok, 0, 100)),
        (0, 10, 101, (NiFail::Ok, 0, 101)),
        (0, 10, LAST, (NiFail::Ok, 0, LAST)),
        (0, 0, LAST, (NiFail::Ok, 0, LAST)),
        (1, 100, 0, (NiFail::Ok, 100, 0)),
        (1, 101, 0, dropped),
        (1, 10, 91, dropped),
        (1, 10, 90, (NiFail::Ok, 10, 90)),
        (1, 0, 100, (NiFail::Ok, 0, 100)),
        (1, 0, 101, dropped),
        // A sum that would wrap.
        (1, 1, LAST, dropped),
        (1, 10, LAST - 4, dropped),
        (2, 60, 999, (NiFail::Ok, 60, 0)),
        (2, 60, 0, dropped),
        (2, 40, LAST, (NiFail::Ok, 40, 60)),
        (2, 0, LAST, (NiFail::Ok, 0, 100)),
        (2, 1, 0, dropped),
        (3, 60, LAST, (NiFail::Ok, 60, 0)),
        (3, 60, 0, (NiFail::Ok, 40, 60)),
        (3, 60, 0, (NiFail::Ok, 0, 100)),
    ] {
        let put = Put {
            ack: AckReq::Ack,
            pt_index,
            match_bits,
            remote_offset,
            ..Put::new(md, length, TO as u32)
        };
        let what = format!("entry {match_bits}, {length} bytes at {remote_offset}");
        assert_eq!(told(&mut ranks, own, &put)?, expected, "{what}");
        if match_bits < 2 {
            let get = Get {
                local_offset: 128,
                pt_index,
                match_bits,
                remote_offset,
                ..Get::new(md, length, TO as u32)
            };
            assert_eq!(told_of_get(&mut ranks, own, &get)?, expected, "a get, {what}");
        }
    }
    // The last two messages with data lie in the entry one behind the other.
    let expected = [&source[..60], &source[..40]].concat();
    assert_eq!(ranks.read(TO, 3, 100)?, expected);
    ranks.finish()
}

/// A rank in a packet that is not that of its node: at a target that has another node in its map, and of an initiator that has
/// another rank. The packets are refused and counted, and other ranks go on. A refused packet keeps its room, so there are no more
/// than two.
pub fn forged_ranks_are_refused<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    // Seven words of header and 25 of data: one packet.
    const LENGTH: usize = 100;
    for at_target in [true, false] {
        let mut ranks = Ranks::new(open(), BYTES)?;
        let (ct, eq) = (ranks.ct(TO)?, ranks.eq(FROM, 4)?);
        let pt_index = ranks.index(TO, None)?;
        let me = Me {
            start: ranks.base(),
            length: 1000,
            ct: Some(ct),
            options: EntryOptions::OP_PUT | EntryOptions::OP_GET | EntryOptions::EVENT_CT_COMM,
            ..Me::default()
        };
        ranks.append(TO, pt_index, &me, 0)?;
        let before = pattern(0, LENGTH);
        ranks.write(TO, 0, &before)?;
        // Rank 3 goes by the node of rank 1, or the initiator by rank 3.
        let node = ranks.fabric.config().tile_node(TILES[1]);
        match at_target {
            true => {
                let row = u32::from(node.number()) | 1 << RANK_PRESENT_OFFSET;
                ranks.fabric.poke(TILES[TO], PortalsRegister::Rank, FROM, &[row])?;
            }
            false => ranks
                .fabric
                .poke(TILES[FROM], PortalsRegister::Setting, item::RANK, &[3])?,
        }
        let counters = |ranks: &mut Ranks<T>, rank| -> Result<u32, Error> {
            Ok(ranks.fabric.counters(TILES[rank])?[CounterRegister::Refused])
        };
        let refused = counters(&mut ranks, TO)?;
        let md = ranks.md(FROM, MdOptions::EVENT_SEND_DISABLE, Some(eq), None)?;
        let get = Get {
            pt_index,
            ..Get::new(md, 8, TO as u32)
        };
        ranks.get(FROM, &get)?;
        ranks.rest();
        assert_eq!(counters(&mut ranks, TO)?, refused + 1, "at the target {at_target}");
        // Another rank is served, before and after.
        let other = ranks.md(1, MdOptions::NONE, None, None)?;
        let good = Put {
            pt_index,
            remote_offset: 512,
            ..Put::new(other, 4, TO as u32)
        };
        ranks.put(1, &good)?;
        ranks.wait(TO, ct, 1)?;
        let put = Put {
            ack: AckReq::Ack,
            pt_index,
            ..Put::new(md, LENGTH as u64, TO as u32)
        };
        ranks.put(FROM, &put)?;
        ranks.rest();
        assert_eq!(counters(&mut ranks, TO)?, refused + 2, "at the target {at_target}");
        ranks.put(1, &good)?;
        ranks.wait(TO, ct, 2)?;
        assert_eq!(ranks.read(TO, 0, LENGTH)?, before);
        assert_eq!(ranks.events(FROM, eq)?, []);
        assert_eq!(ranks.status(TO)?, [0, 0, 0]);
    }
    Ok(())
}
