//! Descriptors that must be refused, each for one reason.

use super::{draw::Draw, geometry::Shape, list_site, operation::Operation, site::LANE_WORDS, workload::Kind};
use portico_spec::{
    ni::{
        command::{opcode, Opcode, EVENT_OFFSET, QUIET_OFFSET, SEGMENT_OFFSET, SHAPER_OFFSET, WIDE_OFFSET},
        event::EVENT_WIDTH,
        packet::MAX_MESSAGE_WORDS,
        segment::SEGMENTS,
        ErrorCode,
    },
    Config, Node,
};
use rand::{seq::SliceRandom, Rng};

/// Reasons, in the order in which they are drawn.
const REASONS: [ErrorCode; 11] = [
    ErrorCode::UnknownOpcode,
    ErrorCode::Malformed,
    ErrorCode::UnknownSegment,
    ErrorCode::AbsentNode,
    ErrorCode::WrongSegment,
    ErrorCode::OutOfSegment,
    ErrorCode::OutOfMemory,
    ErrorCode::UnknownWindow,
    ErrorCode::WrongWindow,
    ErrorCode::OutOfWindow,
    ErrorCode::TooLong,
];

/// A descriptor that counts in `event` with an error; quiet or not, errors always count.
pub fn operation<R: Rng>(draw: &mut Draw<'_, R>, event: usize) -> Operation {
    let error = match *REASONS.choose(draw.random).expect("there are reasons") {
        // A message that is too long is one to a queue.
        ErrorCode::TooLong if draw.pair.queue.is_none() && draw.config.queues => ErrorCode::WrongSegment,
        error => error,
    };
    let (opcode, segment, mut words) = body(draw, error);
    let shaper = draw.random.gen_range(0..draw.config.shapers as u32);
    let first = opcode | u32::from(segment) << SEGMENT_OFFSET | shaper << SHAPER_OFFSET;
    words.insert(0, first | u32::from(draw.random.gen::<bool>()) << QUIET_OFFSET);
    let error = if is_absent(draw.config, first) {
        ErrorCode::NotBuilt
    } else {
        error
    };
    refused(words, event, error)
}

/// Whether the command of this first word needs what the nodes are built without.
pub fn is_absent(config: &Config, first: u32) -> bool {
    let wide = config.width == 32 && first >> WIDE_OFFSET & 1 == 1;
    match Opcode::from_code(opcode(first).into()) {
        Some(Opcode::Enqueue) => !config.queues,
        Some(Opcode::Program) => !config.programs,
        Some(Opcode::Atomic) => wide && !config.wide_atomics,
        Some(Opcode::Probe) => !config.probe,
        Some(Opcode::Send | Opcode::Receive) => !config.streams,
        Some(Opcode::Move | Opcode::Entry | Opcode::Control) => config.portals == 0,
        Some(Opcode::Barrier | Opcode::Broadcast | Opcode::Reduce | Opcode::Allreduce) => config.mpe == 0,
        _ => false,
    }
}

/// A descriptor that counts in `event` with this error.
pub fn refused(mut words: Vec<u32>, event: usize, error: ErrorCode) -> Operation {
    let events = ((1 << EVENT_WIDTH) - 1) << EVENT_OFFSET;
    words[0] = words[0] & !events | (event as u32) << EVENT_OFFSET;
    Operation {
        words,
        kind: Kind::Wrong,
        event,
        counts: true,
        error: Some(error),
        fetches: false,
        addition: None,
        room: None,
    }
}

/// Opcode, segment, and the words after the first.
fn body<R: Rng>(draw: &mut Draw<'_, R>, error: ErrorCode) -> (u32, u8, Vec<u32>) {
    let word = draw.word();
    let (zone, zone_bytes) = (draw.pair.zone, draw.site.zone_words * word);
    let queue = draw.pair.queue.unwrap_or(zone);
    // Only what would also be wrong at a place that others use writes there.
    let landing = draw.pair.landing.base;
    let memory = (draw.config.scratchpad << 10) as u32;
    let entry = draw.site.initiators[draw.pair.initiator].program;
    let [put, get, stream, enqueue, atomic, fence, program, send, receive] = [
        Opcode::Put,
        Opcode::Get,
        Opcode::Stream,
        Opcode::Enqueue,
        Opcode::Atomic,
        Opcode::Fence,
        Opcode::Program,
        Opcode::Send,
        Opcode::Receive,
    ]
    .map(|code| code as u32);
    // Ways of streams to be wrong.
    let of_streams = if draw.config.streams { 2 } else { 0 };
    let random = &mut *draw.random;
    let moving = if random.gen() { put } else { get };
    let row = random.gen_range(1..=8);
    let lower = |limit: u32| 1 << 16 | limit;
    // A row of which no word is in range: pieces that are would have gone before the error.
    let gather = |local, remote| {
        let registers = Shape::row(row).registers(local, remote, 1).expect("there is a row");
        [vec![u32::from(entry)], registers].concat()
    };
    match error {
        ErrorCode::UnknownOpcode => {
            let opcode = *[10, 9, 15, 30, 31].choose(random).expect("some");
            (opcode, zone, vec![0, landing, lower(row)])
        }
        ErrorCode::Malformed => match random.gen_range(0..5 + of_streams) {
            0 => (moving, zone, vec![0; 5]),
            1 => (moving, zone, vec![1, landing, lower(row)]),
            2 => (moving, zone, vec![0, landing + word / 2, lower(row)]),
            3 => (atomic, zone, vec![0, 1, 2]),
            4 => (moving, zone, vec![0, landing, 2 << 16 | row]),
            5 => (send, zone, vec![landing, lower(0), 0]),
            _ => (receive, zone, vec![landing + word / 2, row]),
        },
        ErrorCode::UnknownSegment => match random.gen_range(0..3) {
            0 => (fence, (SEGMENTS - 1) as u8, vec![0]),
            1 => (atomic, (SEGMENTS - 1) as u8, vec![0, 1]),
            _ => (moving, (SEGMENTS - 1) as u8, vec![0, landing, lower(row)]),
        },
        ErrorCode::AbsentNode => {
            // Below the row of the edge nodes.
            let (x, y) = (random.gen_range(0..draw.config.cols as u8), draw.config.rows as u8 + 1);
            let node = Node { x, y };
            (Opcode::Mail as u32, zone, vec![node.number().into(), 1, 2])
        }
        ErrorCode::WrongSegment => match random.gen_range(0..4) {
            _ if draw.pair.queue.is_none() => (enqueue, zone, vec![0, landing, lower(row)]),
            0 => (enqueue, zone, vec![0, landing, lower(row)]),
            1 => (stream, queue, vec![0, landing, lower(row)]),
            2 => (atomic, queue, vec![0, 1]),
            _ => (moving, queue, vec![0, landing, lower(row)]),
        },
        ErrorCode::OutOfSegment => match random.gen_range(0..3) {
            0 => (atomic, zone, vec![zone_bytes, 1]),
            1 => (program, zone, gather(0, draw.site.zone_words)),
            _ => (moving, zone, vec![zone_bytes - (row - 1) * word, landing, lower(row)]),
        },
        ErrorCode::OutOfMemory => match random.gen_range(0..4 + of_streams) {
            0 if draw.pair.queue.is_some() => (enqueue, queue, vec![0, memory - (row - 1) * word, lower(row)]),
            1 => (program, zone, gather(memory / word, 0)),
            2 => (moving, zone, vec![0, memory - (row - 1) * word, lower(row)]),
            // A list of two descriptors whose second ends behind the memory.
            3 => match draw.site.lists[draw.pair.initiator].own() {
                Some(own) => {
                    let places = list_site::places(draw.config, draw.pair.initiator, row as usize);
                    (
                        put,
                        own,
                        vec![places, memory - (2 * row - 1) * word, 2 << 16 | row, row],
                    )
                }
                None => (put, zone, vec![0, memory - (row - 1) * word, lower(row)]),
            },
            // The second row of three ends where the memory ends.
            4 => (send, zone, vec![memory - 2 * row * word, 3 << 16 | row, row]),
            _ => (receive, zone, vec![memory - (row - 1) * word, row]),
        },
        ErrorCode::UnknownWindow => (moving, draw.pair.closed, vec![0, landing, lower(1)]),
        ErrorCode::WrongWindow => (moving, draw.pair.mistaken, vec![0, landing, lower(1)]),
        ErrorCode::OutOfWindow => {
            let (shared, end) = (draw.pair.shared, draw.pair.lanes * LANE_WORDS);
            let row = random.gen_range(1..=LANE_WORDS / 2);
            if moving == get {
                // The one packet of the reply has a word outside, so that none comes.
                let inside = random.gen_range(0..row);
                return (get, shared, vec![(end - inside) * word, landing, lower(row)]);
            }
            // A put's words inside are written: two rows, of which the first is in the initiator's own lane, or outside too.
            let source = draw.site.initiators[draw.pair.initiator].source.base;
            let outside = end + random.gen_range(0..=LANE_WORDS - row);
            let first = match random.gen_bool(0.8) {
                true => draw.pair.lane * LANE_WORDS + random.gen_range(0..=LANE_WORDS - row),
                false => outside,
            };
            let strides = (outside - first) << 16 | row;
            (put, shared, vec![first * word, source, 2 << 16 | row, strides])
        }
        _ => (enqueue, queue, vec![0, landing, lower(MAX_MESSAGE_WORDS as u32 + row)]),
    }
}
