//! All tiles put through their Portals engines, half of the messages before their receives.

use crate::{
    portals::{
        set_map, AckReq, CtHandle, EntryOptions, EqHandle, Event, EventKind, Interface, Md, MdHandle, MdOptions, Me,
        Ni, Process, PtOptions, PtlList, Put,
    },
    Fabric, Region, Transport,
};

use super::{
    check,
    portals::{blank, source, words},
    Failure, Figures, TIMEOUT,
};

/// Lengths of a rank's messages in bytes. Message n, counted from 1, has the nth.
const BYTES: [u32; 8] = [13, 101, 7, 64, 50, 3, 33, 77];
const MESSAGES: u32 = BYTES.len() as u32;
/// The offset that the messages request. An entry with MANAGE_LOCAL does not look at it.
const OFFSET: u32 = 2;

/// Parts of a tile's memory: what it puts, the blocks of Overflow, the buffers of the receives.
const SOURCE: u32 = 0;
const BLOCKS: u32 = 0x180;
const BUFFERS: u32 = 0x280;
const END: u32 = BUFFERS + MESSAGES * STRIDE;
/// Distance of blocks and of buffers, which begin at odd addresses.
const STRIDE: u32 = 0x70;
const BLOCK_BYTES: u32 = 100;
const BUFFER_BYTES: u32 = 105;

/// User pointers of the blocks. That of a receive is its number, counted from 1 in the order of the appends.
const BLOCK_POINTERS: [u32; 2] = [101, 102];

/// Events of a rank are fewer.
const RING: u64 = 32;

/// Odd messages come before their receives.
fn is_early(message: u32) -> bool {
    message % 2 == 1
}

/// How many ranks above its sender the target of a message is.
fn distance(message: u32) -> u32 {
    1 + (message - 1) / 2 % 2
}

fn bytes(message: u32) -> u32 {
    BYTES[message as usize - 1]
}

/// Where a message begins in the memory of its sender: none begins where the one before it ends.
fn place(message: u32) -> u32 {
    SOURCE + message + (1..message).map(bytes).sum::<u32>()
}

fn match_bits(message: u32) -> u64 {
    0x7000 << 32 | u64::from(message)
}

/// The message of a receive, and the receive of a message: the last receive has the first message.
fn counterpart(number: u32) -> u32 {
    MESSAGES + 1 - number
}

/// Early or late messages, in the order in which they come to a tile: those from the rank below, then those from the rank below it.
fn arrivals(early: bool) -> impl Iterator<Item = u32> {
    let of =
        move |steps| (1..=MESSAGES).filter(move |&message| is_early(message) == early && distance(message) == steps);
    [1, 2].into_iter().flat_map(of)
}

/// A block leaves Overflow when the longest early message does not fit any more, so none is cut off.
fn min_free() -> u32 {
    arrivals(true).map(bytes).max().unwrap_or(0)
}

/// The rank that sends a message to this one.
fn sender(ranks: usize, rank: usize, message: u32) -> usize {
    (rank + 2 * ranks - distance(message) as usize) % ranks
}

/// One tile's part.
struct Part {
    region: Region,
    ni: Ni,
    md: MdHandle,
    eq: EqHandle,
    /// Counts acknowledgements.
    answered: CtHandle,
}

/// Each tile puts eight messages of odd lengths to the two ranks above it. The first half comes before its receives: two entries of
/// Overflow take it, of which the first is then full and leaves. Each tile then appends eight receives with USE_ONCE, half of which
/// find the header of their message. The other half of the messages meets its receives. All bytes must lie where the events say,
/// and no other byte may have changed. If there are more tiles than ranks, the first ones take part. Gives the events of tile 0, in
/// their order: `hdr_data` is the number of the message, `user_ptr` that of the receive or of the entry of Overflow.
///
/// Ranks at one distance send before those at the next, so the order of all events is fixed.
///
/// # Errors
/// The driver's, a wrong word, or an event that is missing.
pub fn unexpected<T: Transport>(fabric: &mut Fabric<T>) -> Result<(Figures, Vec<Event>), Failure> {
    let ranks = fabric.config().tiles().min(fabric.config().portals);
    let map: Vec<Process> = (0..ranks).map(Process::from).collect();
    set_map(fabric, &map)?;
    let parts: Vec<Part> = (0..ranks)
        .map(|rank| part(fabric, rank))
        .collect::<Result<_, Failure>>()?;

    let begun = fabric.transport().cycles();
    send(fabric, &parts, true)?;
    for (rank, part) in parts.iter().enumerate() {
        receive(fabric, ranks, rank, part)?;
    }
    send(fabric, &parts, false)?;
    let cycles = fabric.transport().cycles() - begun;

    let mut told = vec![];
    for (rank, part) in parts.iter().enumerate() {
        let events = events(fabric, ranks, rank, part)?;
        check(fabric, rank, part.region.base, &expected(part, rank, &events))?;
        if rank == 0 {
            told = events;
        }
    }
    for part in &parts {
        part.ni.close(fabric)?;
        fabric.free(part.region)?;
    }
    let figures = Figures {
        bytes: u64::from(BYTES.iter().sum::<u32>()) * ranks as u64,
        cycles,
        parts: None,
    };
    Ok((figures, told))
}

/// Memory, interface, entries of Overflow and memory descriptor of a rank.
fn part<T: Transport>(fabric: &mut Fabric<T>, rank: usize) -> Result<Part, Failure> {
    let region = fabric.allocate(rank, END)?;
    fabric.write(rank, region.base, &words(&before(rank, region.bytes)))?;
    let ni = Ni::open(fabric, rank, Interface::Matching)?;
    let eq = ni.eq_alloc(fabric, RING)?;
    let pt_index = ni.pt_alloc(fabric, PtOptions::NONE, Some(eq), Some(0))?;
    for (block, user_ptr) in (0..).zip(BLOCK_POINTERS) {
        let me = Me {
            start: region.base + block_place(block),
            length: BLOCK_BYTES.into(),
            min_free: min_free().into(),
            options: EntryOptions::OP_PUT | EntryOptions::MANAGE_LOCAL,
            ignore_bits: u64::MAX,
            ..Me::default()
        };
        ni.me_append(fabric, pt_index, &me, PtlList::Overflow, user_ptr)?;
    }
    let answered = ni.ct_alloc(fabric)?;
    let md = Md {
        start: region.base,
        length: BLOCKS.into(),
        eq: None,
        ct: Some(answered),
        options: MdOptions::EVENT_CT_ACK,
    };
    let md = ni.md_bind(fabric, &md)?;
    Ok(Part {
        region,
        ni,
        md,
        eq,
        answered,
    })
}

fn block_place(block: u32) -> u32 {
    BLOCKS + block * STRIDE + 3
}

fn buffer_place(receive: u32) -> u32 {
    BUFFERS + (receive - 1) * STRIDE + 1
}

/// Puts the early or late messages of all ranks. All ranks send to the rank above; when all of that has come, to the one above it.
fn send<T: Transport>(fabric: &mut Fabric<T>, parts: &[Part], early: bool) -> Result<(), Failure> {
    for steps in [1, 2] {
        for (rank, part) in parts.iter().enumerate() {
            for message in arrivals(early).filter(|&message| distance(message) == steps) {
                let put = Put {
                    local_offset: place(message).into(),
                    ack: AckReq::CtAck,
                    match_bits: match_bits(message),
                    remote_offset: OFFSET.into(),
                    hdr_data: message.into(),
                    ..Put::new(
                        part.md,
                        bytes(message).into(),
                        ((rank + steps as usize) % parts.len()) as u32,
                    )
                };
                part.ni.put(fabric, &put)?;
            }
        }
        let sent = (1..=MESSAGES).filter(|&message| {
            let is_before = is_early(message) && !early;
            is_before || is_early(message) == early && distance(message) <= steps
        });
        let sent = sent.count() as u64;
        for part in parts {
            part.ni.ct_wait(fabric, part.answered, sent, TIMEOUT)?;
        }
    }
    Ok(())
}

/// Appends the receives of a rank: each names the sender and the match bits of its message.
fn receive<T: Transport>(fabric: &mut Fabric<T>, ranks: usize, rank: usize, part: &Part) -> Result<(), Failure> {
    for receive in 1..=MESSAGES {
        let message = counterpart(receive);
        let me = Me {
            start: part.region.base + buffer_place(receive),
            length: BUFFER_BYTES.into(),
            options: EntryOptions::OP_PUT | EntryOptions::USE_ONCE,
            match_id: Some(sender(ranks, rank, message) as u32),
            match_bits: match_bits(message),
            ..Me::default()
        };
        part.ni.me_append(fabric, 0, &me, PtlList::Priority, receive)?;
    }
    Ok(())
}

/// The events of a rank, which are those that should come, in their order.
fn events<T: Transport>(fabric: &mut Fabric<T>, ranks: usize, rank: usize, part: &Part) -> Result<Vec<Event>, Failure> {
    let expected = events_expected(ranks, rank, part.region.base);
    for missing in &expected {
        let found = part.ni.eq_wait(fabric, part.eq, TIMEOUT)?;
        if found != *missing {
            return Err(Failure::Event {
                tile: rank,
                missing: missing.to_string(),
                found: found.to_string(),
            });
        }
    }
    Ok(expected)
}

/// A block of Overflow, as its messages leave it.
struct Block {
    user_ptr: u32,
    used: u32,
    /// Early messages with the addresses of their data, whose headers are there.
    headers: Vec<(u32, u32)>,
}

impl Block {
    fn is_full(&self) -> bool {
        BLOCK_BYTES - self.used < min_free()
    }
}

fn events_expected(ranks: usize, rank: usize, base: u32) -> Vec<Event> {
    let of_list = |kind, ptl_list, user_ptr| Event {
        ptl_list,
        ..blank(kind, user_ptr)
    };
    let of_message = |kind, ptl_list, user_ptr, message, start| Event {
        initiator: sender(ranks, rank, message) as u32,
        match_bits: match_bits(message),
        hdr_data: message.into(),
        rlength: bytes(message).into(),
        mlength: bytes(message).into(),
        remote_offset: OFFSET.into(),
        start,
        ..of_list(kind, ptl_list, user_ptr)
    };
    let (priority, overflow) = (PtlList::Priority, PtlList::Overflow);
    let mut events: Vec<Event> = BLOCK_POINTERS
        .map(|user_ptr| of_list(EventKind::Link, overflow, user_ptr))
        .into();
    let mut blocks = BLOCK_POINTERS.map(|user_ptr| Block {
        user_ptr,
        used: 0,
        headers: vec![],
    });
    for message in arrivals(true) {
        let at = usize::from(blocks[0].is_full());
        let block = &mut blocks[at];
        let start = base + block_place(at as u32) + block.used;
        block.used += bytes(message);
        block.headers.push((message, start));
        events.push(of_message(EventKind::Put, overflow, block.user_ptr, message, start));
        if block.is_full() {
            events.push(of_list(EventKind::AutoUnlink, overflow, block.user_ptr));
        }
    }
    for receive in 1..=MESSAGES {
        let message = counterpart(receive);
        if !is_early(message) {
            events.push(of_list(EventKind::Link, priority, receive));
            continue;
        }
        for block in &mut blocks {
            let Some(at) = block.headers.iter().position(|&(early, _)| early == message) else {
                continue;
            };
            let (_, start) = block.headers.remove(at);
            events.push(of_message(EventKind::PutOverflow, overflow, receive, message, start));
            if block.is_full() && block.headers.is_empty() {
                events.push(of_list(EventKind::AutoFree, overflow, block.user_ptr));
            }
        }
        events.push(of_list(EventKind::AutoUnlink, priority, receive));
    }
    for message in arrivals(false) {
        let receive = counterpart(message);
        let start = base + buffer_place(receive) + OFFSET;
        events.push(of_message(EventKind::Put, priority, receive, message, start));
        events.push(of_list(EventKind::AutoUnlink, priority, receive));
    }
    events
}

/// The memory of a rank before the messages.
fn before(rank: usize, bytes: u32) -> Vec<u8> {
    let source = (SOURCE..BLOCKS).map(|at| source(rank, at));
    source.chain((BLOCKS..bytes).map(|_| 0)).collect()
}

/// The memory of a rank after the messages: each lies at the `start` of the event that ends its receive.
fn expected(part: &Part, rank: usize, events: &[Event]) -> Vec<u32> {
    let mut memory = before(rank, part.region.bytes);
    let ends = |event: &&Event| match event.kind {
        EventKind::PutOverflow => true,
        EventKind::Put => event.ptl_list == PtlList::Priority,
        _ => false,
    };
    for event in events.iter().filter(ends) {
        let from = place(event.hdr_data as u32);
        let to = (event.start - part.region.base) as usize;
        for at in 0..event.mlength as u32 {
            memory[to + at as usize] = source(event.initiator as usize, from + at);
        }
    }
    words(&memory)
}
