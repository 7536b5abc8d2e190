//! Commands that a master writes at the port of a tile, and words that pass the streams of a tile.
//!
//! A command by the port counts from the cycle in which its last word is offered to that in which its event shows. A send or
//! receive counts from the first word of its descriptor, with an accelerator that never waits.

use super::{
    bench::Bench,
    bounds::{self, neighbour, Way, SMALL},
    transfers::{Check, EVENT},
    words::{self, word_bytes},
};
use crate::{
    bench::report::{Better, Row},
    device::beside::BesideTiles,
};
use anyhow::{ensure, Context};
use portico_sim::Access;
use portico_spec::{
    ni::{command::first_place, descriptor::Command, registers::CommandRegister},
    streams::{Beat, Receive, Send},
};

/// Words of a send or receive.
const WORDS: usize = 1024;
/// Cycles that it may take beside one a word.
const BESIDE_WORDS: usize = 16;
/// Longest time until an event shows.
const PATIENCE: u64 = 10_000;
/// Cycles of an access of a port, at most.
const ACCESS_CYCLES: u64 = 10;
/// All of what is moved is compared.
const ALL: Check = Check {
    whole: usize::MAX,
    rows: 2,
};

/// The rows of this module: of ports and streams where the tiles have them.
///
/// # Errors
/// The fabric does something wrong.
pub fn rows(bench: &mut Bench) -> anyhow::Result<Vec<Row>> {
    let mut rows = vec![];
    if bench.config().tile_ports {
        for (way, limit, bound) in [(Way::Put, 10.0, 27.0), (Way::Get, 12.0, 36.0)] {
            let name = format!("{} of 8 bytes by the port, completion", way.name());
            rows.push(Row {
                bound: Some(bound),
                ..cycles(&name, by_port(bench, way)?, limit)
            });
        }
    }
    if bench.config().streams {
        let words = WORDS.min(bench.piece() / word_bytes(bench.config()));
        for (name, took) in [("send", send(bench, words)?), ("receive", receive(bench, words)?)] {
            rows.push(Row {
                bound: Some((words + BESIDE_WORDS) as f64),
                ..cycles(&format!("{name} of {words} words"), took, words as f64)
            });
        }
    }
    Ok(rows)
}

fn cycles(name: &str, value: u64, limit: f64) -> Row {
    bounds::row(name, "cycles", Better::Less, value as f64, Some(limit))
}

/// A transfer with the next tile, whose descriptor comes by the port of tile 0.
fn by_port(bench: &mut Bench, way: Way) -> anyhow::Result<u64> {
    bench.shift();
    let target = neighbour(bench.config());
    let descriptor = way.descriptor(bench, bench.memory_handle(target), SMALL);
    bench.events(&[0], EVENT, &[1])?;
    let mut begun = 0;
    for (place, &word) in (first_place(descriptor.len())..).zip(&descriptor) {
        let address = bench.register(CommandRegister::Word, place) as u32;
        (0..ACCESS_CYCLES).for_each(|_| bench.device().cycle());
        begun = bench.device().cycles();
        stands_beside(bench)?.ask(0, Access::write(address, word));
    }
    let ended = bench.wait(&[(0, EVENT)], PATIENCE)?[0];
    bench.succeeded(0)?;
    let to = if way == Way::Put { target } else { 0 };
    let room = bench.room();
    bench.verify(to, room, SMALL, ALL)?;
    while let Some(answer) = stands_beside(bench)?.answer(0) {
        answer?;
    }
    Ok(ended - begun)
}

/// One row of words onto the stream out of tile 0.
fn send(bench: &mut Bench, words: usize) -> anyhow::Result<u64> {
    let unit = word_bytes(bench.config());
    bench.shift();
    let command = Command::Send(Send {
        address: bench.source() as u32,
        row: (words * unit) as u32,
        rows: 1,
        stride: 0,
        each_row: false,
    });
    let expected = beats(bench, words);
    let took = run(bench, command, |bench| {
        stands_beside(bench)?.want(0, words);
        Ok(())
    })?;
    let sent = stands_beside(bench)?.taken(0);
    ensure!(
        sent == expected,
        "a send of {words} words gave other words, or {} of them",
        sent.len()
    );
    Ok(took)
}

/// As many words as the stream into tile 0 gives.
fn receive(bench: &mut Bench, words: usize) -> anyhow::Result<u64> {
    let unit = word_bytes(bench.config());
    bench.shift();
    let (room, bytes) = (bench.room(), words * unit);
    let command = Command::Receive(Receive {
        address: room as u32,
        length: bytes as u32,
    });
    let given = beats(bench, words);
    let took = run(bench, command, |bench| {
        stands_beside(bench)?.give(0, &given);
        Ok(())
    })?;
    bench.verify(0, room, bytes, ALL)?;
    Ok(took)
}

/// Data of the present measure as words of a stream, the last with `tlast`.
fn beats(bench: &Bench, words: usize) -> Vec<Beat> {
    let unit = word_bytes(bench.config());
    let word = |at: usize| {
        let bytes = (0..unit).step_by(4).rev();
        bytes.fold(0, |word, byte| word << 32 | u64::from(bench.expected(at * unit + byte)))
    };
    (0..words).map(|at| (word(at), at + 1 == words)).collect()
}

fn stands_beside(bench: &mut Bench) -> anyhow::Result<&mut dyn BesideTiles> {
    bench.device().beside().context("a fabric with ports or streams")
}

/// Cycles of a command of tile 0, with what stands beside it told first.
fn run(
    bench: &mut Bench,
    command: Command,
    beside: impl FnOnce(&mut Bench) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    bench.events(&[0], EVENT, &[1])?;
    beside(bench)?;
    let descriptor = words::descriptor(bench.config(), EVENT, 0, command);
    let begun = bench.device().cycles();
    bench.device().command(0, &descriptor);
    let ended = bench.wait(&[(0, EVENT)], PATIENCE)?[0];
    bench.succeeded(0)?;
    Ok(ended - begun)
}
