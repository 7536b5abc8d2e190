//! All tiles put and get through their Portals engines.

use crate::{
    portals::{
        set_map, AckReq, CtHandle, EntryOptions, EqHandle, Event, EventKind, Get, Interface, Le, Md, MdHandle,
        MdOptions, Me, Ni, NiFail, Process, PtOptions, PtlList, Put,
    },
    Fabric, Region, Transport,
};

use super::{check, pattern, Failure, Figures, TIMEOUT};

/// Parts of a tile's memory: what others get or is put, what comes, what is got. Then, at tile 0, what all tiles put.
const SOURCE: u32 = 0;
const INBOX: u32 = 0x100;
const FETCHED: u32 = 0x200;
const SHARED: u32 = 0x300;

/// The entry for one put of the rank below: USE_ONCE, with exact match bits.
const ONCE: u32 = INBOX + 3;
/// The entry for puts of any rank with match bits 0x2000 to 0x20ff, which it lays one behind the other.
const PACKED: u32 = INBOX + 0x81;
/// The entry for gets of any rank with any match bits above.
const SERVED: u32 = SOURCE + 30;

/// Lengths and offsets in bytes, which are no whole words.
const ONCE_BYTES: u32 = 101;
const ONCE_OFFSET: u32 = 2;
const PACKED_BYTES: [u32; 2] = [7, 37];
const GOT_BYTES: u32 = 77;
const GOT_OFFSET: u32 = 5;
const SHARED_BYTES: u32 = 3;
/// Distance of the ranks in the memory that all tiles put into.
const SHARED_STRIDE: u32 = 5;

/// Where the first put begins in the memory of its tile, the two that are packed, and the one to tile 0; where the get goes.
const FROM: [u32; 4] = [SOURCE + 1, SOURCE + 9, SOURCE + 18, SOURCE + 6];
const TO: u32 = FETCHED + 3;

/// One tile's part.
struct Part {
    region: Region,
    ni: Ni,
    plain: Ni,
    md: MdHandle,
    plain_md: MdHandle,
    /// Counts messages that come.
    came: CtHandle,
    /// Count acknowledgements and replies.
    answered: CtHandle,
    plain_answered: CtHandle,
}

/// Each tile puts 101 bytes to the next rank, two more messages to the rank after, and gets 77 bytes from the third, all at odd
/// offsets; the targets match them with exact and with wild entries. Without matching, each puts three bytes to tile 0. If there are
/// more tiles than ranks, the first ones take part. Gives the events of tile 0, in their order.
///
/// # Errors
/// The driver's, a wrong word, or an event that is missing.
pub fn portals<T: Transport>(fabric: &mut Fabric<T>) -> Result<(Figures, Vec<Event>), Failure> {
    let ranks = fabric.config().tiles().min(fabric.config().portals);
    let map: Vec<Process> = (0..ranks).map(Process::from).collect();
    set_map(fabric, &map)?;
    let eq = Ni::open(fabric, 0, Interface::Matching)?.eq_alloc(fabric, 64)?;
    let parts: Vec<Part> = (0..ranks)
        .map(|rank| part(fabric, ranks, rank, eq))
        .collect::<Result<_, Failure>>()?;
    // Tile 0 has all three bytes of all ranks.
    let shared = parts[0].plain.ct_alloc(fabric)?;
    let le = Le {
        start: parts[0].region.base + SHARED,
        length: u64::from(shared_bytes(ranks)),
        ct: Some(shared),
        options: EntryOptions::OP_PUT | EntryOptions::EVENT_CT_COMM,
        ..Le::default()
    };
    parts[0].plain.le_append(fabric, 0, &le, PtlList::Priority, 0)?;

    let begun = fabric.transport().cycles();
    for (rank, part) in parts.iter().enumerate() {
        send(fabric, ranks, rank, part)?;
    }
    for part in &parts {
        // Three puts and a get come to a tile, and so many leave it.
        part.ni.ct_wait(fabric, part.came, 4, TIMEOUT)?;
        part.ni.ct_wait(fabric, part.answered, 4, TIMEOUT)?;
        part.plain.ct_wait(fabric, part.plain_answered, 1, TIMEOUT)?;
    }
    parts[0].plain.ct_wait(fabric, shared, ranks as u64, TIMEOUT)?;
    let cycles = fabric.transport().cycles() - begun;

    for (rank, part) in parts.iter().enumerate() {
        check(fabric, rank, part.region.base, &expected(ranks, rank))?;
    }
    let events = events(fabric, ranks, &parts[0], eq)?;
    for part in &parts {
        part.ni.close(fabric)?;
        part.plain.close(fabric)?;
        fabric.free(part.region)?;
    }
    // The open for the event queue.
    parts[0].ni.close(fabric)?;
    let each = ONCE_BYTES + PACKED_BYTES.iter().sum::<u32>() + GOT_BYTES + SHARED_BYTES;
    let figures = Figures {
        bytes: u64::from(each) * ranks as u64,
        cycles,
        parts: None,
    };
    Ok((figures, events))
}

/// Memory, interfaces, entries and memory descriptors of a rank. Tile 0 has an event queue.
fn part<T: Transport>(fabric: &mut Fabric<T>, ranks: usize, rank: usize, eq: EqHandle) -> Result<Part, Failure> {
    let bytes = SHARED + if rank == 0 { shared_bytes(ranks) } else { 0 };
    let region = fabric.allocate(rank, bytes)?;
    fabric.write(rank, region.base, &words(&before(rank, region.bytes)))?;
    let [ni, plain] = [
        Ni::open(fabric, rank, Interface::Matching)?,
        Ni::open(fabric, rank, Interface::NonMatching)?,
    ];
    let eq = (rank == 0).then_some(eq);
    let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, eq, Some(0))?;
    plain.pt_alloc(fabric, PtOptions::NONE, None, Some(0))?;
    let came = ni.ct_alloc(fabric)?;
    for (user_ptr, me) in (1..).zip(entries(ranks, rank, region.base, came)) {
        ni.me_append(fabric, pt_index, &me, PtlList::Priority, user_ptr)?;
    }
    let (answered, plain_answered) = (ni.ct_alloc(fabric)?, plain.ct_alloc(fabric)?);
    let md = Md {
        start: region.base,
        length: SHARED.into(),
        eq,
        ct: Some(answered),
        options: MdOptions::EVENT_CT_ACK | MdOptions::EVENT_CT_REPLY,
    };
    let plain_md = Md {
        eq: None,
        ct: Some(plain_answered),
        ..md
    };
    Ok(Part {
        region,
        ni,
        plain,
        md: ni.md_bind(fabric, &md)?,
        plain_md: plain.md_bind(fabric, &plain_md)?,
        came,
        answered,
        plain_answered,
    })
}

/// The entries of a rank, for one put of the rank below, for puts that are packed, and for gets.
fn entries(ranks: usize, rank: usize, base: u32, came: CtHandle) -> [Me; 3] {
    let below = (rank + ranks - 1) % ranks;
    let me = |start: u32, length: u32, options: EntryOptions| Me {
        start: base + start,
        length: length.into(),
        ct: Some(came),
        options: options | EntryOptions::EVENT_CT_COMM,
        ..Me::default()
    };
    let once = Me {
        match_id: Some(below as u32),
        match_bits: once_bits(below),
        ..me(ONCE, 110, EntryOptions::OP_PUT | EntryOptions::USE_ONCE)
    };
    let packed = Me {
        match_bits: PACKED_BITS,
        ignore_bits: 0xff,
        ..me(PACKED, 60, EntryOptions::OP_PUT | EntryOptions::MANAGE_LOCAL)
    };
    let served = Me {
        match_bits: GOT_BITS,
        ignore_bits: 0xffff,
        ..me(SERVED, 120, EntryOptions::OP_GET)
    };
    [once, packed, served]
}

/// Match bits of the three kinds of messages.
const PACKED_BITS: u64 = 0x2000;
const GOT_BITS: u64 = 0x5_0000;

fn once_bits(rank: usize) -> u64 {
    0x1000 << 32 | rank as u64
}

/// The puts and the get of a rank.
fn send<T: Transport>(fabric: &mut Fabric<T>, ranks: usize, rank: usize, part: &Part) -> Result<(), Failure> {
    let target = |distance: usize| ((rank + distance) % ranks) as u32;
    let once = Put {
        local_offset: FROM[0].into(),
        ack: AckReq::Ack,
        match_bits: once_bits(rank),
        remote_offset: ONCE_OFFSET.into(),
        user_ptr: 11,
        hdr_data: rank as u64,
        ..Put::new(part.md, ONCE_BYTES.into(), target(1))
    };
    part.ni.put(fabric, &once)?;
    for (number, (local, bytes)) in (1..).zip(FROM[1..].iter().zip(PACKED_BYTES)) {
        let packed = Put {
            local_offset: (*local).into(),
            ack: AckReq::CtAck,
            match_bits: PACKED_BITS + number,
            user_ptr: 11 + number as u32,
            hdr_data: rank as u64,
            ..Put::new(part.md, bytes.into(), target(2))
        };
        part.ni.put(fabric, &packed)?;
    }
    let get = Get {
        local_offset: TO.into(),
        match_bits: GOT_BITS + rank as u64,
        remote_offset: GOT_OFFSET.into(),
        user_ptr: 14,
        ..Get::new(part.md, GOT_BYTES.into(), target(3))
    };
    part.ni.get(fabric, &get)?;
    let shared = Put {
        local_offset: FROM[3].into(),
        ack: AckReq::CtAck,
        remote_offset: (SHARED_STRIDE * rank as u32 + 1).into(),
        ..Put::new(part.plain_md, SHARED_BYTES.into(), 0)
    };
    Ok(part.plain.put(fabric, &shared)?)
}

/// The events of tile 0, each of which is one of those that should come.
fn events<T: Transport>(
    fabric: &mut Fabric<T>,
    ranks: usize,
    part: &Part,
    eq: EqHandle,
) -> Result<Vec<Event>, Failure> {
    let mut missing = events_expected(ranks, part.region.base);
    let mut events = vec![];
    while !missing.is_empty() {
        let event = part.ni.eq_wait(fabric, eq, TIMEOUT)?;
        let Some(at) = missing.iter().position(|missing| *missing == event) else {
            return Err(Failure::Event {
                tile: 0,
                missing: missing[0].to_string(),
                found: event.to_string(),
            });
        };
        missing.remove(at);
        events.push(event);
    }
    Ok(events)
}

/// An event of Priority that says no more than its kind and pointer.
pub(super) fn blank(kind: EventKind, user_ptr: u32) -> Event {
    Event {
        kind,
        ni_fail_type: NiFail::Ok,
        ptl_list: PtlList::Priority,
        pt_index: 0,
        initiator: 0,
        uid: 0,
        match_bits: 0,
        hdr_data: 0,
        rlength: 0,
        mlength: 0,
        remote_offset: 0,
        start: 0,
        user_ptr,
    }
}

fn events_expected(ranks: usize, base: u32) -> Vec<Event> {
    let from = |distance: usize| (ranks * 3 - distance) % ranks;
    let came = |kind, user_ptr, distance: usize, match_bits, bytes: u32, offset: u32, start: u32| Event {
        initiator: from(distance) as u32,
        match_bits,
        hdr_data: match kind {
            EventKind::Put => from(distance) as u64,
            _ => 0,
        },
        rlength: bytes.into(),
        mlength: bytes.into(),
        remote_offset: offset.into(),
        start: base + start,
        ..blank(kind, user_ptr)
    };
    let sent = |user_ptr, bytes: u32| Event {
        rlength: bytes.into(),
        ..blank(EventKind::Send, user_ptr)
    };
    let answered = |kind, user_ptr, bytes: u32, offset: u32| Event {
        mlength: bytes.into(),
        remote_offset: offset.into(),
        ..blank(kind, user_ptr)
    };
    let (put, get) = (EventKind::Put, EventKind::Get);
    let [short, long] = PACKED_BYTES;
    let (once, served) = (ONCE + ONCE_OFFSET, SERVED + GOT_OFFSET);
    let links = [1, 2, 3].map(|entry| blank(EventKind::Link, entry));
    let others = [
        sent(11, ONCE_BYTES),
        sent(12, short),
        sent(13, long),
        came(put, 1, 1, once_bits(from(1)), ONCE_BYTES, ONCE_OFFSET, once),
        blank(EventKind::AutoUnlink, 1),
        came(put, 2, 2, PACKED_BITS + 1, short, 0, PACKED),
        came(put, 2, 2, PACKED_BITS + 2, long, 0, PACKED + short),
        came(get, 3, 3, GOT_BITS + from(3) as u64, GOT_BYTES, GOT_OFFSET, served),
        answered(EventKind::Ack, 11, ONCE_BYTES, ONCE_OFFSET),
        answered(EventKind::Reply, 14, GOT_BYTES, GOT_OFFSET),
    ];
    links.into_iter().chain(others).collect()
}

/// Bytes of the memory that all ranks put into.
fn shared_bytes(ranks: usize) -> u32 {
    SHARED_STRIDE * ranks as u32
}

/// A byte of the memory of a rank that others put or get.
pub(super) fn source(rank: usize, at: u32) -> u8 {
    pattern(rank, at as usize / 4).to_le_bytes()[at as usize % 4]
}

/// The memory of a rank before the messages.
fn before(rank: usize, bytes: u32) -> Vec<u8> {
    let source = (SOURCE..INBOX).map(|at| source(rank, at));
    source.chain((INBOX..bytes).map(|_| 0)).collect()
}

/// The memory of a rank after them, byte by byte from those of the others.
fn expected(ranks: usize, rank: usize) -> Vec<u32> {
    let own = if rank == 0 { shared_bytes(ranks) } else { 0 };
    let mut memory = before(rank, (SHARED + own).next_multiple_of(8));
    let mut copy = |to: u32, from: usize, at: u32, bytes: u32| {
        for place in 0..bytes {
            memory[(to + place) as usize] = source(from, at + place);
        }
    };
    let from = |distance: usize| (rank + ranks * 3 - distance) % ranks;
    copy(ONCE + ONCE_OFFSET, from(1), FROM[0], ONCE_BYTES);
    copy(PACKED, from(2), FROM[1], PACKED_BYTES[0]);
    copy(PACKED + PACKED_BYTES[0], from(2), FROM[2], PACKED_BYTES[1]);
    copy(TO, (rank + 3) % ranks, SERVED + GOT_OFFSET, GOT_BYTES);
    if rank == 0 {
        for other in 0..ranks {
            copy(SHARED + SHARED_STRIDE * other as u32 + 1, other, FROM[3], SHARED_BYTES);
        }
    }
    words(&memory)
}

/// Words of bytes, which are whole words.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks(4).map(word).collect()
}
