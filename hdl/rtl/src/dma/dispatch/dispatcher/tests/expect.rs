//! What becomes of a descriptor or a request, told another way.

use super::bench::{mesh, Started, ENTRIES, MEMORY};
use portico_spec::{
    flit::X_WIDTH,
    ni::{
        packet::{ControlKind, DataKind},
        ErrorCode,
    },
    Node,
};

/// No bound.
const ALL: u64 = (1 << 22) - 1;

/// node, tag, kind, size
pub type Segment = [u64; 4];

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An event with an error code.
    Event(u64),
    /// A program starts; context and slot are not told, `Some(0)` stands for any slot.
    Start(Box<Started>),
}

pub fn word0(opcode: u32, event: u32, segment: u32) -> u32 {
    opcode | event << 8 | segment << 14
}

fn operands(operation: u32, wide: bool) -> Option<usize> {
    let count = match operation {
        0..=2 => 1,
        3 | 5 => 0,
        4 | 6 => 2,
        _ => return None,
    };
    Some(if wide { 2 * count } else { count })
}

/// Whether the fabric has this node.
fn exists(number: u64) -> bool {
    mesh().contains(Node {
        x: (number % (1 << X_WIDTH)) as u8,
        y: (number >> X_WIDTH) as u8,
    })
}

/// Of a descriptor to a node with words of `width` bits.
pub fn command(width: u64, words: &[u32], segment: Segment) -> Outcome {
    let error = |code: ErrorCode| Outcome::Event(code as u64);
    let [node, tag, kind, size] = segment;
    let get = |at: usize| words.get(at).copied().map_or(0, u64::from);
    let (bytes, count) = (width / 8, words.len());
    let (opcode, operation) = (get(0) % 32, (words[0] >> 22) % 8);
    let (wide, quiet) = (get(0) >> 25 & 1 == 1, get(0) >> 27 & 1 == 1);
    let [is_put, is_get, is_stream, is_enqueue, is_atomic, is_mail, is_fence, is_program] =
        [1, 2, 3, 4, 5, 6, 7, 8].map(|code| opcode == code);
    let (row, rows) = (get(3) % (1 << 16), get(3) >> 16);
    let planes = if count > 5 { get(5) % (1 << 16) } else { 1 };
    let moves = (1..=4).contains(&opcode);
    let nothing = row == 0 || rows == 0 || planes == 0;

    let right_count = match opcode {
        1 | 2 => [4, 5, 7].contains(&count),
        3 => [4, 5].contains(&count),
        4 | 6 => count == 4,
        5 => operands(operation, wide).is_some_and(|operands| count == 2 + operands),
        7 => count <= 2,
        8 => (2..=16).contains(&count),
        16..=20 | 24..=26 | 28 | 29 => return error(ErrorCode::NotBuilt),
        _ => return error(ErrorCode::UnknownOpcode),
    };
    let alignment = if is_atomic { 4 << u64::from(wide) } else { bytes };
    let misaligned = (is_put || is_get || is_atomic) && get(1) % alignment != 0 || moves && get(2) % bytes != 0;
    let many_rows = moves && count == 4 && rows > 1;
    if !right_count || misaligned || many_rows || is_program && !(64..256).contains(&get(1)) {
        return error(ErrorCode::Malformed);
    }
    if !is_mail {
        if kind == 0 {
            return error(ErrorCode::UnknownSegment);
        }
        if !exists(node) {
            return error(ErrorCode::AbsentNode);
        }
        if !is_fence && kind != if is_enqueue { 2 } else { 1 } {
            return error(ErrorCode::WrongSegment);
        }
    }
    if is_mail && !exists(get(1) % 512) {
        return error(ErrorCode::AbsentNode);
    }
    if is_enqueue && row > 62 {
        return error(ErrorCode::TooLong);
    }
    let reach = |stride: u64, plane_stride: u64| match nothing {
        true => 0,
        false => (rows - 1) * stride + (planes - 1) * plane_stride + row,
    };
    let (offset, source) = (get(1) / bytes, get(2) / bytes);
    let atomic_words = if wide { 64 / width } else { 1 };
    let remote_words = if is_atomic {
        atomic_words
    } else {
        reach(get(4) >> 16, get(6) >> 16)
    };
    if (is_put || is_get || is_atomic) && offset + remote_words > size {
        return error(ErrorCode::OutOfSegment);
    }
    if moves && source + reach(get(4) % (1 << 16), get(6) % (1 << 16)) > MEMORY {
        return error(ErrorCode::OutOfMemory);
    }
    let pc = match opcode {
        1 if nothing => ENTRIES.empty,
        1 => [ENTRIES.put, ENTRIES.put2d, 0, ENTRIES.put3d][count - 4],
        2 => [ENTRIES.get, ENTRIES.get2d, 0, ENTRIES.get3d][count - 4],
        3 if nothing => ENTRIES.stream_empty,
        3 => [ENTRIES.stream, ENTRIES.stream2d][count - 4],
        4 if nothing => ENTRIES.enqueue_empty,
        4 => ENTRIES.enqueue,
        5 => ENTRIES.atomic[count - 2],
        6 => ENTRIES.mail,
        7 => ENTRIES.fence,
        _ => words[1] as u8,
    };
    let apart = count > 4 && (is_program || is_put && rows != 1);
    Outcome::Start(Box::new(Started {
        context: 0,
        pc: pc.into(),
        control: is_get || is_mail,
        bare: is_stream || is_enqueue || is_mail || is_fence,
        destination: if is_mail { get(1) % 512 } else { node },
        tag: if is_mail { get(1) >> 9 & 127 } else { tag },
        kind: match opcode {
            2 => ControlKind::Get as u64,
            3 => DataKind::Stream as u64,
            4 => DataKind::Message as u64,
            5 => DataKind::Atomic as u64,
            6 => ControlKind::Mail as u64,
            _ => DataKind::Put as u64,
        },
        offset: match opcode {
            1 | 5 => offset,
            2 => source,
            _ => 0,
        },
        size: if is_put || is_program { size } else { ALL },
        row,
        stride: if apart { get(4) >> 16 } else { row },
        slot: (is_put || is_get || is_atomic || is_program).then_some(0),
        operation: operation.into(),
        wide,
        half: width == 64 && is_atomic && !wide && get(1) & 4 != 0,
        shaper: get(0) >> 5 & 7,
        segment: get(0) >> 14 & 255,
        event: get(0) >> 8 & 63,
        quiet,
        base: 0,
        limit: MEMORY,
        payload: match opcode {
            1 | 3 | 4 if nothing => Some([u64::from(opcode == 4), 0, 0]),
            1 | 3 if rows == 1 && planes == 1 && row <= 64 => Some([0, row, source]),
            2 if count == 4 => Some([2, 0, 0]),
            4 => Some([1, row, source]),
            5 => Some([count as u64 - 2, 0, 0]),
            6 => Some([2, 0, 0]),
            _ => None,
        },
        behind: false,
    }))
}

/// The registers after a descriptor that starts: (number, value) of those that its program may read.
pub fn registers(width: u64, words: &[u32]) -> Vec<(usize, u64)> {
    let opcode = words[0] % 32;
    let shift = (width / 8).trailing_zeros();
    let addresses = |at: usize| match opcode {
        1..=4 => at == 1 || at == 2,
        5 => at == 1,
        _ => false,
    };
    let mut registers: Vec<_> = (0..words.len())
        .map(|at| {
            (
                at,
                u64::from(if addresses(at) { words[at] >> shift } else { words[at] }),
            )
        })
        .collect();
    if opcode == 2 && words.len() == 4 {
        registers.push((4, 0));
    }
    registers
}

/// Of a request with `words` for a window with this base, size and mode: a start of the server, or an error code.
pub fn request(words: &[u32], [base, size, mode]: [u64; 3]) -> Result<Started, u64> {
    let get = |at: usize| words.get(at).copied().map_or(0, u64::from);
    if !matches!(words.len(), 4 | 5 | 7) || words.len() == 4 && get(3) >> 16 > 1 {
        return Err(ErrorCode::Malformed as u64);
    }
    match mode {
        0 => return Err(ErrorCode::UnknownWindow as u64),
        1 => {}
        _ => return Err(ErrorCode::WrongWindow as u64),
    }
    let (row, rows) = (get(3) % (1 << 16), get(3) >> 16);
    let planes = if words.len() == 7 { get(5) % (1 << 16) } else { 1 };
    let pc = match (row * rows * planes, words.len(), rows) {
        (0, ..) => ENTRIES.empty,
        (_, 7, _) => ENTRIES.put3d,
        (_, _, 1) => ENTRIES.put,
        _ => ENTRIES.put2d,
    };
    Ok(Started {
        context: 8,
        pc: pc.into(),
        destination: get(0) >> 9 & 511,
        tag: get(1) >> 22 & 31,
        kind: DataKind::Reply as u64,
        offset: get(1) % (1 << 22),
        size: ALL,
        row,
        stride: if rows == 1 { row } else { get(4) >> 16 },
        quiet: true,
        base,
        limit: size,
        payload: match (row * rows * planes, words.len(), rows) {
            (0, ..) => Some([0, 0, 0]),
            (_, 4 | 5, 1) if row <= 64 && get(2) + row <= size => Some([0, row, get(2)]),
            _ => None,
        },
        ..Started::default()
    })
}
