//! Table 2 of the paper: jobs from a host to workers and back, through queues.
//!
//! The host has sent each worker one job. It looks at the count of its own queue; for each message that has come it reads who
//! sent it, sends that worker the next job and gives the slot back, all through its port. A worker's software sends each
//! job back as it came, by commands at its stream; it takes no time of its own.

use super::{
    bench::Bench,
    queues::{slot_bytes, ARRIVAL, TAG},
    transfers::EVENT,
    words::{self, word_bytes, Segment, Window},
    Effort, BENCH,
};
use crate::bench::report::{Better, Row};
use anyhow::{ensure, Context};
use portico_spec::ni::{
    registers::{EventRegister, ReleaseRegister, SegmentRegister, TagRegister},
    window::Message,
};

/// Workers.
const WORKERS: [usize; 5] = [1, 2, 4, 8, 16];
/// Bytes of a message.
pub const SIZES: [usize; 5] = [16, 32, 64, 128, 248];
/// The paper's figures of one worker, and of 2 to 16, in thousands of round trips a second.
const PAPER: [[f64; 5]; 2] = [[675.0, 670.0, 600.0, 425.0, 350.0], [740.0, 725.0, 725.0, 575.0, 550.0]];
/// Its clock, in thousands a second.
const PAPER_CLOCK: f64 = 500_000.0;
/// Slots of a worker's queue.
const WORKER_SLOTS: usize = 2;
/// Longest time without a message.
const PATIENCE: u64 = 50_000;

/// One field of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Tiles that work.
    pub workers: usize,
    /// Bytes of a message.
    pub bytes: usize,
    /// Cycles from answer to answer at the host.
    pub cycles: f64,
}

impl Point {
    /// The paper's figure, in cycles of its clock.
    pub fn paper(&self) -> Option<f64> {
        let column = SIZES.iter().position(|&bytes| bytes == self.bytes)?;
        Some(PAPER_CLOCK / PAPER[usize::from(self.workers > 1)][column])
    }
}

/// Measures the table.
///
/// # Errors
/// The fabric does something wrong.
pub fn measure(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<Point>> {
    let mut points = vec![];
    let tiles = bench.config().tiles();
    for workers in WORKERS
        .into_iter()
        .filter(|count| *count <= tiles && effort.workers.contains(count))
    {
        for &bytes in &effort.jobs {
            let cycles = round_trips(bench, workers, bytes, effort.rounds);
            let cycles = cycles.with_context(|| format!("{workers} workers, messages of {bytes} bytes"))?;
            points.push(Point { workers, bytes, cycles });
        }
    }
    Ok(points)
}

/// A row a field.
pub fn rows(points: &[Point]) -> Vec<Row> {
    let rows = points.iter().map(|point| {
        let counted = if point.workers == 1 {
            "1 worker".to_owned()
        } else {
            format!("{} workers", point.workers)
        };
        let row = Row {
            paper: point.paper(),
            ..Row::new(
                BENCH,
                format!("round trips through queues, {counted}, {} bytes", point.bytes),
                "cycles",
                Better::Less,
                point.cycles,
            )
        };
        row.with("measure", "round trips through queues")
            .with("workers", point.workers)
            .with("bytes", point.bytes)
    });
    rows.collect()
}

/// A worker's software.
struct Worker {
    tile: usize,
    jobs: usize,
    /// Its event has not yet gone back since the last job.
    answering: bool,
}

impl Worker {
    /// Sends a job back that has come, if one has.
    fn look(&mut self, bench: &mut Bench, bytes: usize) {
        let has_job = bench.device().fired(self.tile) >> ARRIVAL & 1 == 1;
        if !has_job || self.answering {
            self.answering &= has_job;
            return;
        }
        let word = word_bytes(bench.config());
        let (own, notes) = (bench.system_handle(self.tile), bench.notes());
        let job = bench.room() + self.jobs % WORKER_SLOTS * slot_bytes(word, bytes) + word;
        let count = bench.register(EventRegister::Count, ARRIVAL);
        let release = bench.register(ReleaseRegister::Messages, TAG);
        // The count first: the next job comes only after the answer.
        for descriptor in [
            bench.put(EVENT, own, words::linear(count, notes, word)),
            words::enqueue(bench.config(), EVENT, bench.queue_handle(), job, bytes),
            bench.put(EVENT, own, words::linear(release, notes + word, word)),
        ] {
            bench.device().command(self.tile, &descriptor);
        }
        self.jobs += 1;
        self.answering = true;
    }
}

/// Queues and segments on both sides; how many slots the host's queue has, and the workers.
fn set_up(bench: &mut Bench, tiles: &[usize], bytes: usize) -> anyhow::Result<(usize, Vec<Worker>)> {
    let (config, host, room) = (bench.config().clone(), bench.host(), bench.room());
    let slot = slot_bytes(word_bytes(&config), bytes);
    let slots = tiles.len().next_power_of_two().max(2);
    let queue = |slots: usize, event| Window {
        base: room,
        bytes: slots * slot,
        event,
        queue: Some((slots, slot)),
    };
    let segment = |terminal, slots| Segment {
        terminal,
        tag: TAG,
        bytes: slots * slot,
        credits: Some(1),
    };
    bench.window(tiles, TAG, &queue(WORKER_SLOTS, Some(ARRIVAL as u8)))?;
    bench.events(tiles, ARRIVAL, &[1])?;
    bench.segments(tiles, bench.queue_handle(), &[segment(host, slots)])?;
    // What a worker writes to its own registers: a count of 0, and a release of 1.
    let notes = bench.notes();
    let values = bench.as_words(&[0, 1]);
    bench.write(tiles, notes, &values)?;
    let [base, size, control] = queue(slots, None).registers(&config);
    for (register, value) in [
        (TagRegister::Base, base),
        (TagRegister::Size, size),
        (TagRegister::Control, control),
    ] {
        bench.host_write(bench.register(register, TAG), value)?;
    }
    for &tile in tiles {
        let [target, size, credits, _] = segment(tile, WORKER_SLOTS).registers(&config);
        for (register, value) in [
            (SegmentRegister::Target, target),
            (SegmentRegister::Size, size),
            (SegmentRegister::Credits, credits),
        ] {
            bench.host_write(bench.register(register, bench.memory_handle(tile)), value)?;
        }
    }
    let mut workers = vec![];
    for &tile in tiles {
        let written = bench.read_register(tile, TagRegister::Pointer, TAG)?;
        workers.push(Worker {
            tile,
            jobs: written as usize,
            answering: false,
        });
    }
    // The job itself, at the begin of the host's memory.
    for at in 0..bytes / 4 {
        let word = bench.expected(4 * at);
        bench.host_write(4 * at, word)?;
    }
    Ok((slots, workers))
}

/// Cycles from answer to answer, with every worker at work, over `rounds` answers of each.
fn round_trips(bench: &mut Bench, workers: usize, bytes: usize, rounds: usize) -> anyhow::Result<f64> {
    bench.shift();
    let tiles: Vec<usize> = (0..workers).collect();
    let (slots, mut working) = set_up(bench, &tiles, bytes)?;
    let slot = slot_bytes(word_bytes(bench.config()), bytes);
    let written = bench.register(TagRegister::Pointer, TAG);
    let release = bench.register(ReleaseRegister::Messages, TAG);
    let first = bench.host_read(written)? as u16;
    for &tile in &tiles {
        send_job(bench, tile, bytes)?;
    }
    let (all, mut answered) = (workers * rounds, 0);
    let (mut sent, mut answers) = (vec![1; workers], vec![0; workers]);
    let (mut begun, mut ended, mut latest) = (0, 0, bench.device().cycles());
    while answered < all {
        let count = (bench.host_read(written)? as u16).wrapping_sub(first) as usize;
        working.iter_mut().for_each(|worker| worker.look(bench, bytes));
        ensure!(count <= all, "{count} answers came, where {all} are due");
        if count == answered {
            ensure!(
                bench.device().cycles() < latest + PATIENCE,
                "no answer for {PATIENCE} cycles, after {answered} of {all}"
            );
            continue;
        }
        let at = bench.room() + (usize::from(first) + answered) % slots * slot;
        let Message { source, .. } = Message::decode(bench.host_read(at)?);
        working.iter_mut().for_each(|worker| worker.look(bench, bytes));
        let from = tiles
            .iter()
            .position(|&tile| bench.config().terminal_node(tile) == source);
        let from = from.with_context(|| format!("an answer came from node {source}, which has no job"))?;
        answers[from] += 1;
        if sent[from] < rounds {
            send_job(bench, tiles[from], bytes)?;
            sent[from] += 1;
            working.iter_mut().for_each(|worker| worker.look(bench, bytes));
        }
        bench.host_write(release, 1)?;
        answered += 1;
        latest = bench.device().cycles();
        match answered {
            // The first round fills the ways.
            _ if answered == workers => begun = latest,
            _ if answered == all => ended = latest,
            _ => {}
        }
    }
    ensure!(
        answers.iter().all(|&count| count == rounds),
        "workers answered {answers:?} times"
    );
    for answer in all - slots.min(all)..all {
        check_answer(bench, (usize::from(first) + answer) % slots * slot, bytes)?;
    }
    Ok((ended - begun) as f64 / (all - workers) as f64)
}

fn send_job(bench: &mut Bench, tile: usize, bytes: usize) -> anyhow::Result<()> {
    let job = words::enqueue(bench.config(), EVENT, bench.memory_handle(tile), 0, bytes);
    bench.host_command(&job)
}

/// Compares an answer in the host's ring with the job.
fn check_answer(bench: &mut Bench, offset: usize, bytes: usize) -> anyhow::Result<()> {
    let (room, host) = (bench.room(), bench.host());
    let word = word_bytes(bench.config());
    let at = room + offset;
    let Message { words, .. } = Message::decode(bench.host_read(at)?);
    ensure!(
        usize::from(words) * word == bytes,
        "an answer of {bytes} bytes came as {words} words"
    );
    let found: Vec<u32> = (0..bytes / 4)
        .map(|index| bench.host_read(at + word + 4 * index))
        .collect::<anyhow::Result<_>>()?;
    bench.compare(host, at + word, 0, &found)
}
