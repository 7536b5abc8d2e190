//! Ranks that send to each other at once.

use super::{pattern, Ranks, TILES};
use portico::{portals::*, registers::PortalsRegister, Fabric, Transport};
use portico_spec::portals::engine::item;

/// Bytes that ranks get from each other, and bytes of the put behind.
const GET: usize = 4096;
const PUT: usize = 1000;
/// Where a rank's bytes for others lie, those that it gets, and those that it is given.
const SOURCE: usize = 0;
const BROUGHT: usize = GET;
const GIVEN: usize = 2 * GET;

/// Each of these ranks gets from the next one, and puts to it behind: all at once, again and again.
pub fn round_trips<T: Transport>(open: impl Fn() -> Fabric<T>, members: &[usize], rounds: usize) -> Result<(), Error> {
    let mut ranks = Ranks::new(open(), (GIVEN + PUT) as u32)?;
    let (base, mut own) = (ranks.base(), vec![]);
    let mut sources: Vec<Vec<u8>> = members.iter().map(|&rank| pattern(100 * rank, GET)).collect();
    for (&rank, source) in members.iter().zip(&sources) {
        let pt_index = ranks.index(rank, None)?;
        let (brought, given) = (ranks.ct(rank)?, ranks.ct(rank)?);
        let lent = Me {
            start: base + SOURCE as u32,
            length: GET as u64,
            match_bits: 1,
            options: EntryOptions::OP_GET,
            ..Me::default()
        };
        ranks.append(rank, pt_index, &lent, 0)?;
        let filled = Me {
            start: base + GIVEN as u32,
            length: PUT as u64,
            ct: Some(given),
            match_bits: 2,
            options: EntryOptions::OP_PUT | EntryOptions::EVENT_CT_COMM | EntryOptions::EVENT_CT_BYTES,
            ..Me::default()
        };
        ranks.append(rank, pt_index, &filled, 0)?;
        let options = MdOptions::EVENT_CT_REPLY | MdOptions::EVENT_CT_ACK;
        let md = ranks.md(rank, options, None, Some(brought))?;
        ranks.write(rank, SOURCE as u32, source)?;
        own.push((pt_index, md, brought, given));
    }
    let next = |at: usize| (at + 1) % members.len();
    for round in 1..=rounds {
        // A word of each source is new, another one each time.
        let place = round * 68 % GET;
        for (at, &rank) in members.iter().enumerate() {
            let word = pattern(round + rank, 4);
            ranks.write(rank, (SOURCE + place) as u32, &word)?;
            sources[at][place..place + 4].copy_from_slice(&word);
        }
        for (at, &rank) in members.iter().enumerate() {
            let (pt_index, md, ..) = own[at];
            let target = members[next(at)] as u32;
            let get = Get {
                local_offset: BROUGHT as u64,
                pt_index,
                match_bits: 1,
                ..Get::new(md, GET as u64, target)
            };
            ranks.get(rank, &get)?;
            let put = Put {
                ack: AckReq::CtAck,
                pt_index,
                match_bits: 2,
                ..Put::new(md, PUT as u64, target)
            };
            ranks.put(rank, &put)?;
        }
        for (at, &rank) in members.iter().enumerate() {
            let (_, _, brought, given) = own[at];
            ranks.wait(rank, brought, 2 * round as u64)?;
            ranks.wait(rank, given, (round * PUT) as u64)?;
            let found = ranks.read(rank, (BROUGHT + place) as u32, 4)?;
            assert_eq!(found, sources[next(at)][place..place + 4], "round {round}, rank {rank}");
        }
    }
    for (at, &rank) in members.iter().enumerate() {
        let before = (at + members.len() - 1) % members.len();
        assert!(
            ranks.read(rank, BROUGHT as u32, GET)? == sources[next(at)],
            "rank {rank} gets"
        );
        assert!(
            ranks.read(rank, GIVEN as u32, PUT)? == sources[before][..PUT],
            "rank {rank} is given"
        );
    }
    ranks.finish()
}

/// Two ranks, 50 times.
pub fn two_ranks_get_from_each_other<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    round_trips(open, &[1, 2], 50)
}

/// A ring of three ranks, 20 times.
pub fn three_ranks_get_in_a_ring<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    round_trips(open, &[0, 3, 1], 20)
}

/// All ranks put to one of them at once, several messages each: its rooms are full, and all data come.
pub fn all_ranks_put_to_one<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const TO: usize = 2;
    const MESSAGES: usize = 6;
    let mut ranks = Ranks::new(open(), 0x2000)?;
    let ct = ranks.ct(TO)?;
    let pt_index = ranks.index(TO, None)?;
    let me = Me {
        start: ranks.base() + 0x1001,
        length: 4 * PUT as u64,
        ct: Some(ct),
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_CT_COMM | EntryOptions::EVENT_CT_BYTES,
        ..Me::default()
    };
    ranks.append(TO, pt_index, &me, 0)?;
    let mut own = vec![];
    for rank in 0..TILES.len() {
        ranks.write(rank, 0, &pattern(rank * PUT, PUT + 64))?;
        let acks = ranks.ct(rank)?;
        own.push((ranks.md(rank, MdOptions::EVENT_CT_ACK, None, Some(acks))?, acks));
    }
    for message in 0..MESSAGES {
        for (rank, &(md, _)) in own.iter().enumerate() {
            let put = Put {
                local_offset: message as u64,
                ack: AckReq::CtAck,
                pt_index,
                remote_offset: (rank * PUT) as u64,
                ..Put::new(md, PUT as u64, TO as u32)
            };
            ranks.put(rank, &put)?;
        }
    }
    for (rank, &(_, acks)) in own.iter().enumerate() {
        ranks.wait(rank, acks, MESSAGES as u64)?;
    }
    ranks.wait(TO, ct, (4 * MESSAGES * PUT) as u64)?;
    let expected: Vec<u8> = (0..TILES.len())
        .flat_map(|rank| pattern(rank * PUT + MESSAGES - 1, PUT))
        .collect();
    assert!(ranks.read(TO, 0x1001, 4 * PUT)? == expected);
    ranks.finish()
}

/// A rank takes no requests for a while, and those of another one wait for its credits, one in the middle of its message. What the
/// other one owes leaves meanwhile: the reply to a get and the answer to a put behind it.
pub fn requests_that_wait_hold_no_reply<T: Transport>(open: impl Fn() -> Fabric<T>) -> Result<(), Error> {
    const FROM: usize = 0;
    const SHUT: usize = 1;
    const OTHER: usize = 2;
    const PUTS: usize = 5;
    let mut ranks = Ranks::new(open(), (GIVEN + PUT) as u32)?;
    let me = Me {
        start: ranks.base(),
        length: (GIVEN + PUT) as u64,
        options: EntryOptions::OP_PUT | EntryOptions::OP_GET,
        ..Me::default()
    };
    let source = |rank: usize, bytes: usize| pattern(100 * rank, bytes);
    let mut own = vec![];
    for rank in [FROM, SHUT, OTHER] {
        let (pt_index, ct) = (ranks.index(rank, None)?, ranks.ct(rank)?);
        ranks.append(rank, pt_index, &me, 0)?;
        let options = MdOptions::EVENT_CT_REPLY | MdOptions::EVENT_CT_ACK;
        own.push((pt_index, ct, ranks.md(rank, options, None, Some(ct))?));
        ranks.write(rank, SOURCE as u32, &source(rank, GET))?;
    }
    let put = |from: usize, to: usize| Put {
        ack: AckReq::CtAck,
        pt_index: own[to].0,
        remote_offset: GIVEN as u64,
        ..Put::new(own[from].2, PUT as u64, to as u32)
    };
    ranks
        .fabric
        .poke(TILES[SHUT], PortalsRegister::Setting, item::ENABLE, &[0])?;
    for _ in 0..PUTS {
        ranks.put(FROM, &put(FROM, SHUT))?;
    }
    ranks.rest();
    let get = Get {
        local_offset: BROUGHT as u64,
        pt_index: own[FROM].0,
        ..Get::new(own[OTHER].2, GET as u64, FROM as u32)
    };
    ranks.get(OTHER, &get)?;
    ranks.put(OTHER, &put(OTHER, FROM))?;
    ranks.wait(OTHER, own[OTHER].1, 2)?;
    assert!(ranks.read(OTHER, BROUGHT as u32, GET)? == source(FROM, GET));
    assert!(ranks.read(FROM, GIVEN as u32, PUT)? == source(OTHER, PUT));
    let none = CtEvent { success: 0, failure: 0 };
    assert_eq!(ranks.counts(FROM, own[FROM].1)?, none);
    ranks
        .fabric
        .poke(TILES[SHUT], PortalsRegister::Setting, item::ENABLE, &[1])?;
    ranks.wait(FROM, own[FROM].1, PUTS as u64)?;
    assert!(ranks.read(SHUT, GIVEN as u32, PUT)? == source(FROM, PUT));
    ranks.finish()
}
