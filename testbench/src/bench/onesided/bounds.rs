//! What is held against a bound: latencies of single operations, and how much of a link transfers fill.

use super::{
    bench::Bench,
    transfers::{Check, EVENT},
    words::{self, word_bytes},
    Effort, BENCH,
};
use crate::bench::report::{Better, Row};
use anyhow::{ensure, Context};
use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    ni::{
        descriptor::{Atomic, Geometry, Transfer},
        registers::EventRegister,
    },
    Config,
};

/// Times that each latency is measured; the longest counts.
const REPEATS: usize = 4;
/// Bytes of the transfers whose latency is measured.
pub(super) const SMALL: usize = 8;
/// Bytes of the puts that come back to back.
const BACK_TO_BACK: usize = 64;
/// Words of a row of the copy in rows, and of the gaps on either side.
const ROW: usize = 8;
const LOCAL_GAP: usize = 8;
const REMOTE_GAP: usize = 4;
/// Rows of that copy that are compared.
const ROWS_COMPARED: usize = 8;
/// Words in front of a packet's payload: head, ADDRESS, and for rows GEOMETRY.
pub const FRONT: usize = 2;
const FRONT_OF_ROWS: usize = 3;
/// Posted atomics in a row.
const ADDS: usize = 128;
/// Bytes that the host moves at once.
const HOST_BULK: usize = 4 << 10;
/// Least transfers whose share of the link is held against the bound.
const BULK: usize = 1 << 10;

/// Direction of a transfer, seen from the tile that asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the other.
    Put,
    /// From the other.
    Get,
}

impl Way {
    /// Both.
    pub const ALL: [Way; 2] = [Way::Put, Way::Get];

    /// As names of figures have it.
    pub fn name(self) -> &'static str {
        match self {
            Way::Put => "put",
            Way::Get => "get",
        }
    }

    /// The descriptor that moves data of the present measure between a tile and the memory that it knows by `handle`.
    pub fn descriptor(self, bench: &Bench, handle: usize, bytes: usize) -> Vec<u32> {
        let (source, room) = (bench.source(), bench.room());
        match self {
            Way::Put => bench.put(EVENT, handle, words::linear(room, source, bytes)),
            Way::Get => bench.get(EVENT, handle, words::linear(source, room, bytes)),
        }
    }
}

/// A tile one hop from tile 0.
pub(in crate::bench) fn neighbour(config: &Config) -> usize {
    match config.cols {
        1 => config.cols,
        _ => 1,
    }
}

pub(super) fn row(name: impl Into<String>, unit: &str, better: Better, value: f64, limit: Option<f64>) -> Row {
    Row {
        limit,
        ..Row::new(BENCH, name, unit, better, value)
    }
}

/// The rows of this module.
///
/// # Errors
/// The fabric does something wrong.
pub fn rows(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<Row>> {
    let next = neighbour(bench.config());
    let mut rows = vec![];
    for (target, distance) in [(next, "1 hop"), (0, "to itself")] {
        let held = |bound: f64| (target == next).then_some(bound);
        let latency = |name: &str, value: u64, paper, limit, bound| Row {
            paper: held(paper),
            bound: held(bound),
            ..row(
                format!("{name}, {distance}"),
                "cycles",
                Better::Less,
                value as f64,
                held(limit),
            )
        };
        let put = transfer(bench, Way::Put, target, effort.check)?;
        rows.push(latency("put of 8 bytes, completion", put, 1095.0, 10.0, 20.0));
        let get = transfer(bench, Way::Get, target, effort.check)?;
        rows.push(latency("get of 8 bytes, completion", get, 1168.0, 12.0, 30.0));
        let add = fetch_and_add(bench, target)?;
        rows.push(latency("fetch-and-add, round trip", add, 1109.0, 10.0, 24.0));
    }
    rows.extend(posted(bench, next)?);
    for way in Way::ALL {
        for &bytes in &effort.shares {
            rows.push(share(bench, way, next, bytes, effort)?);
        }
    }
    rows.push(share(bench, Way::Put, 0, BULK, effort)?);
    rows.push(small(bench, next, effort)?);
    rows.push(copy_of_rows(bench, next, effort)?);
    rows.extend(host(bench, next)?);
    Ok(rows)
}

fn transfer(bench: &mut Bench, way: Way, target: usize, check: Check) -> anyhow::Result<u64> {
    let mut worst = 0;
    for _ in 0..REPEATS {
        bench.shift();
        let handle = bench.memory_handle(target);
        let timing = bench.batch(&[0], 1, |bench, _, _| way.descriptor(bench, handle, SMALL))?;
        bench.succeeded(0)?;
        let to = if way == Way::Put { target } else { 0 };
        let room = bench.room();
        bench.verify(to, room, SMALL, check)?;
        worst = worst.max(timing.latencies().max().expect("a tile"));
    }
    Ok(worst)
}

fn fetch_and_add(bench: &mut Bench, target: usize) -> anyhow::Result<u64> {
    let (room, handle) = (bench.room(), bench.memory_handle(target));
    let mut worst = 0;
    for round in 0..REPEATS as u32 {
        let (old, addend) = (bench.expected(0) ^ round, 5 + round);
        let unit = word_bytes(bench.config()) / 4;
        let mut word = vec![0; unit];
        word[0] = old;
        bench.write(&[target], room, &word)?;
        let add = Atomic::FetchAdd { addend: addend.into() };
        let timing = bench.batch(&[0], 1, |bench, _, _| {
            words::atomic(bench.config(), EVENT, handle, room, add)
        })?;
        bench.succeeded(0)?;
        let value = bench.read_register(0, EventRegister::ValueLow, EVENT)?;
        ensure!(value == old, "a fetch-and-add of {old:#x} gives {value:#x}");
        let sum = bench.read(target, room, unit)?[0];
        let expected = old.wrapping_add(addend);
        ensure!(
            sum == expected,
            "a fetch-and-add leaves {sum:#x}, where {expected:#x} is the sum"
        );
        worst = worst.max(timing.latencies().max().expect("a tile"));
    }
    Ok(worst)
}

/// How long the initiator is busy with one posted add, and with each of many.
fn posted(bench: &mut Bench, target: usize) -> anyhow::Result<[Row; 2]> {
    let (room, handle) = (bench.room(), bench.memory_handle(target));
    let unit = word_bytes(bench.config()) / 4;
    bench.write(&[target], room, &vec![0; unit])?;
    let add = |bench: &Bench, _: usize, _: usize| {
        words::atomic(bench.config(), EVENT, handle, room, Atomic::PostAdd { addend: 1 })
    };
    let single = bench.batch(&[0], 1, add)?;
    let many = bench.steady(&[0], ADDS, add)?;
    bench.succeeded(0)?;
    let sum = bench.read(target, room, unit)?[0];
    ensure!(
        sum as usize == 1 + 3 * ADDS,
        "{} posted adds of 1 come to {sum}",
        1 + 3 * ADDS
    );
    let busy = |name: &str, value| Row {
        paper: Some(230.0),
        bound: Some(4.0),
        ..row(name, "cycles", Better::Less, value, Some(1.0))
    };
    Ok([
        busy(
            "posted add, initiator busy",
            (single.accepted[0] - single.begun + 1) as f64,
        ),
        busy("posted adds back to back, each", many as f64 / ADDS as f64),
    ])
}

/// What a host writes and reads of a tile through its AXI4-Lite port: a word by itself, and many in one transfer.
fn host(bench: &mut Bench, target: usize) -> anyhow::Result<Vec<Row>> {
    let mut rows = vec![];
    for bytes in [word_bytes(bench.config()), HOST_BULK] {
        bench.shift();
        let room = bench.room();
        let sent: Vec<u32> = (0..bytes / 4).map(|at| bench.expected(4 * at)).collect();
        let begun = bench.device().cycles();
        bench.write(&[target], room, &sent)?;
        let written = bench.device().cycles();
        let found = bench.read(target, room, sent.len())?;
        let read = bench.device().cycles();
        ensure!(
            found == sent,
            "the host reads {found:x?} of a tile, where it wrote {sent:x?}"
        );
        for (what, cycles) in [("writes", written - begun), ("reads", read - written)] {
            let name = format!("host {what} {} of a tile", size(bytes));
            rows.push(row(
                name,
                "bytes/cycle",
                Better::More,
                bytes as f64 / cycles as f64,
                None,
            ));
        }
    }
    Ok(rows)
}

/// What headers leave of a link for payload, in packets as long as may be, in percent.
pub fn ceiling(words: usize, front: usize) -> f64 {
    100.0 * words as f64 / (words + words.div_ceil(MAX_PAYLOAD_FLITS) * front) as f64
}

/// Payload's share of the link in percent, with transfers of `bytes` back to back.
fn filled(bench: &mut Bench, way: Way, target: usize, bytes: usize, effort: &Effort) -> anyhow::Result<f64> {
    bench.shift();
    let (handle, piece) = (bench.memory_handle(target), bytes.min(bench.piece()));
    let word = word_bytes(bench.config());
    // Several, so that what they cost together shows, not how the first of them began.
    let count = (effort.steady_words * word / piece).max(bytes / piece).max(4);
    let cycles = bench.steady(&[0], count, |bench, _, _| way.descriptor(bench, handle, piece))?;
    bench.succeeded(0)?;
    let to = if way == Way::Put { target } else { 0 };
    let room = bench.room();
    bench.verify(to, room, piece, effort.check)?;
    Ok(100.0 * (count * piece / word) as f64 / cycles as f64)
}

fn share(bench: &mut Bench, way: Way, target: usize, bytes: usize, effort: &Effort) -> anyhow::Result<Row> {
    let share = filled(bench, way, target, bytes, effort);
    let pieces = in_pieces(bytes, bench.piece());
    let name = format!("{} of {}{pieces} back to back", way.name(), size(bytes));
    let share = share.with_context(|| name.clone())?;
    let words = bytes.min(bench.piece()) / word_bytes(bench.config());
    let (place, held) = if target == 0 {
        (", to itself", false)
    } else {
        ("", bytes >= BULK)
    };
    Ok(Row {
        paper: held.then_some(100.0 * 32.0 / 34.0),
        bound: held.then_some(96.9),
        ..row(
            format!("payload share of the link, {name}{place}"),
            "%",
            Better::More,
            share,
            Some(ceiling(words, FRONT)),
        )
    })
}

/// Puts too small to fill a packet.
fn small(bench: &mut Bench, target: usize, effort: &Effort) -> anyhow::Result<Row> {
    let share = filled(bench, Way::Put, target, BACK_TO_BACK, effort).context("small puts")?;
    let words = BACK_TO_BACK / word_bytes(bench.config());
    Ok(Row {
        bound: Some(85.0),
        ..row(
            "puts of 64 bytes back to back, share of what their headers leave",
            "%",
            Better::More,
            100.0 * share / ceiling(words, FRONT),
            Some(100.0),
        )
    })
}

/// A copy whose rows fill packets together, with different gaps on both sides.
fn copy_of_rows(bench: &mut Bench, target: usize, effort: &Effort) -> anyhow::Result<Row> {
    bench.shift();
    let (handle, word) = (bench.memory_handle(target), word_bytes(bench.config()));
    let local_stride = (ROW + LOCAL_GAP) * word;
    let remote_stride = (ROW + REMOTE_GAP) * word;
    let rows = bench.piece() / local_stride;
    let count = effort.steady_words.div_ceil(rows * ROW);
    let cycles = bench.steady(&[0], count, |bench, _, _| {
        let [remote, local, rows, row, local_stride, remote_stride] = [
            bench.room(),
            bench.source(),
            rows,
            ROW * word,
            local_stride,
            remote_stride,
        ]
        .map(|size| size as u32);
        let geometry = Geometry::Rows {
            rows,
            row,
            local_stride,
            remote_stride,
        };
        bench.put(
            EVENT,
            handle,
            Transfer {
                remote,
                local,
                geometry,
            },
        )
    })?;
    bench.succeeded(0)?;
    let every = (rows / ROWS_COMPARED).max(1);
    let compared = rows.div_ceil(every);
    let room = bench.room();
    let found = bench.read_rows(target, room, compared, ROW * word, every * remote_stride)?;
    for (at, found) in found.chunks(ROW * word / 4).enumerate() {
        let sent = at * every * local_stride;
        for (index, &word) in found.iter().enumerate() {
            let expected = bench.expected(sent + 4 * index);
            ensure!(
                word == expected,
                "row {} of a copy has {word:#x}, where {expected:#x} was sent",
                at * every
            );
        }
    }
    Ok(Row {
        bound: Some(90.0),
        ..row(
            "payload share of the link, copy of rows of 8 words",
            "%",
            Better::More,
            100.0 * (count * rows * ROW) as f64 / cycles as f64,
            Some(ceiling(rows * ROW, FRONT_OF_ROWS)),
        )
    })
}

/// What is said of so many bytes if a transfer has room for fewer.
pub fn in_pieces(bytes: usize, piece: usize) -> String {
    match piece < bytes {
        true => format!(" in pieces of {}", size(piece)),
        false => String::new(),
    }
}

/// Bytes as people say them.
pub fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}
