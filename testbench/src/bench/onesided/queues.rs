//! How fast one tile takes the messages of many.
//!
//! First all messages find room: what limits is the way into the receiver. Then the ring is small, and the receiver's
//! software gives slots back while messages come: whenever so many have come, it releases as many and asks to be told of the
//! next, by puts into its own registers.

use super::{
    bench::Bench,
    transfers::EVENT,
    words::{self, word_bytes, Segment, Window},
    Effort, BENCH,
};
use crate::bench::report::{Better, Row};
use anyhow::{bail, ensure, Context};
use portico_spec::ni::{
    registers::{EventRegister, ReleaseRegister, TagRegister},
    segment::CREDITS_WIDTH,
    window::Message,
};

/// Tag of the queue at its owner.
pub const TAG: usize = 1;
/// Event of the owner that counts messages.
pub const ARRIVAL: usize = 1;
/// Events of the owner from here on tell that it asked to be told of further messages.
const ASKED: usize = 2;
/// Bytes of a message.
const MESSAGE: usize = 16;
/// Senders.
const SENDERS: [usize; 4] = [2, 4, 8, 16];
/// Slots of the ring whose slots are given back.
const RING: usize = 128;
/// Messages that are given back at once.
const RELEASED: usize = 16;
/// Times that the owner may give messages back in a measure: it has a note and an event for each, and events of its own.
const MOST_RELEASES: usize = 32;
/// Longest time between two events.
const PATIENCE: u64 = 50_000;
/// Looks at a register until it must have come to rest.
const LOOKS: usize = 200;
/// Different payloads.
const PAYLOADS: usize = 32;

/// Bytes of a slot: the word in front, and the message.
pub fn slot_bytes(word: usize, message: usize) -> usize {
    (word + message).next_power_of_two()
}

/// Messages that there may be for `senders`, as credits of each and slots of the queue allow.
fn messages(senders: usize, wanted: usize) -> usize {
    wanted.min(((1 << CREDITS_WIDTH) - 1) * senders) / (2 * senders) * 2 * senders
}

/// The rows of this module.
///
/// # Errors
/// The fabric does something wrong.
pub fn rows(bench: &mut Bench, effort: &Effort) -> anyhow::Result<Vec<Row>> {
    let mut rows = vec![];
    let tiles = bench.config().tiles();
    for senders in SENDERS.into_iter().filter(|&senders| senders <= tiles) {
        let roomy = roomy(bench, senders, effort).with_context(|| format!("queue of {senders} senders"))?;
        rows.push(row(
            format!("queue, {senders} senders, messages of 16 bytes, each"),
            roomy,
        ));
    }
    // The owner sends nothing here: what gives slots back would wait behind its own messages, which wait for slots.
    for senders in SENDERS.into_iter().filter(|&senders| senders < tiles) {
        let released = released(bench, senders, effort);
        let released = released.with_context(|| format!("queue of {senders} senders and {RING} slots"))?;
        rows.push(row(
            format!("queue, {senders} senders, messages of 16 bytes, released as they come, each"),
            released,
        ));
    }
    Ok(rows)
}

fn row(name: String, cycles: f64) -> Row {
    Row {
        paper: Some(676.0),
        limit: Some(5.0),
        bound: Some(8.0),
        ..Row::new(BENCH, name, "cycles", Better::Less, cycles)
    }
}

/// A queue of `slots` messages at the last tile, known to the first `senders` tiles.
fn open(bench: &mut Bench, senders: usize, slots: usize, credits: usize) -> anyhow::Result<(usize, Vec<usize>)> {
    let owner = bench.config().tiles() - 1;
    let senders: Vec<usize> = (0..senders).collect();
    let slot = slot_bytes(word_bytes(bench.config()), MESSAGE);
    let window = Window {
        base: bench.room(),
        bytes: slots * slot,
        event: Some(ARRIVAL as u8),
        queue: Some((slots, slot)),
    };
    bench.window(&[owner], TAG, &window)?;
    let segment = Segment {
        terminal: owner,
        tag: TAG,
        bytes: slots * slot,
        credits: Some(credits),
    };
    bench.segments(&senders, bench.queue_handle(), &[segment])?;
    Ok((owner, senders))
}

/// Where the payload of a message of a sender is in its memory.
fn payload(sender: usize, message: usize) -> usize {
    (sender * 5 + message) % PAYLOADS * MESSAGE
}

fn send(bench: &mut Bench, senders: &[usize], each: usize) {
    for message in 0..each {
        for &sender in senders {
            let local = bench.source() + payload(sender, message);
            let descriptor = words::enqueue(bench.config(), EVENT, bench.queue_handle(), local, MESSAGE);
            bench.device().command(sender, &descriptor);
        }
    }
}

/// Cycles of a message when there is room for all.
fn roomy(bench: &mut Bench, senders: usize, effort: &Effort) -> anyhow::Result<f64> {
    let slot = slot_bytes(word_bytes(bench.config()), MESSAGE);
    let slots = (2 * effort.messages).next_power_of_two().min(bench.piece() / slot);
    let all = messages(senders, slots.min(2 * effort.messages));
    let (owner, senders) = open(bench, senders, slots, all / senders)?;
    bench.shift();
    let mut taken = vec![];
    for all in [all / 2, all] {
        let first = counter(bench, owner, TagRegister::Pointer)?;
        bench.events(&[owner], ARRIVAL, &[all])?;
        let begun = bench.device().cycles();
        send(bench, &senders, all / senders.len());
        let ended = bench.wait(&[(owner, ARRIVAL)], PATIENCE)?[0];
        taken.push(ended - begun);
        check(bench, owner, slots, first, all, &senders)?;
        let release = bench.register(ReleaseRegister::Messages, TAG);
        bench.write_registers(&[owner], release, &[all as u32])?;
        settled(bench, owner, all)?;
    }
    Ok((taken[1] - taken[0]) as f64 / (all - all / 2) as f64)
}

/// Cycles of a message when software gives slots back as messages come.
fn released(bench: &mut Bench, senders: usize, effort: &Effort) -> anyhow::Result<f64> {
    let slot = slot_bytes(word_bytes(bench.config()), MESSAGE);
    let slots = RING.min(bench.piece() / slot);
    let (owner, senders) = open(bench, senders, slots, slots / senders)?;
    let releases = (effort.messages / RELEASED).clamp(2, MOST_RELEASES);
    let notes = bench.notes();
    let word = word_bytes(bench.config());
    // What is released at once, then the counts at which the owner is told of messages.
    let counts = (2..=releases).map(|release| words::event_control(release * RELEASED));
    let values: Vec<u32> = std::iter::once(RELEASED as u32).chain(counts).collect();
    let values = bench.as_words(&values);
    bench.write(&[owner], notes, &values)?;
    let own = bench.system_handle(owner);
    let release = bench.register(ReleaseRegister::Messages, TAG);
    let release = bench.put(EVENT, own, words::linear(release, notes, word));
    let control = bench.register(EventRegister::Control, ARRIVAL);
    bench.shift();
    let mut taken = vec![];
    for releases in [releases / 2, releases] {
        bench.events(&[owner], ARRIVAL, &[RELEASED])?;
        bench.events(&[owner], ASKED, &vec![1; releases])?;
        let begun = bench.device().cycles();
        send(bench, &senders, releases * RELEASED / senders.len());
        for at in 1..=releases {
            let arrived = bench.wait(&[(owner, ARRIVAL)], PATIENCE)?[0];
            bench.device().command(owner, &release);
            if at == releases {
                taken.push(arrived - begun);
                break;
            }
            let asked = bench.put(ASKED + at - 1, own, words::linear(control, notes + at * word, word));
            bench.device().command(owner, &asked);
            bench.wait(&[(owner, ASKED + at - 1)], PATIENCE)?;
        }
        settled(bench, owner, releases * RELEASED)?;
    }
    let last = counter(bench, owner, TagRegister::Pointer)?;
    let kept = slots.min(releases * RELEASED);
    compare(bench, owner, slots, last.wrapping_sub(kept as u16), kept, &senders)?;
    Ok((taken[1] - taken[0]) as f64 / (RELEASED * (releases - releases / 2)) as f64)
}

fn counter(bench: &mut Bench, owner: usize, which: TagRegister) -> anyhow::Result<u16> {
    Ok(bench.read_register(owner, which, TAG)? as u16)
}

/// Waits until all messages that were written are released.
fn settled(bench: &mut Bench, owner: usize, all: usize) -> anyhow::Result<()> {
    let mut left = 0;
    for _ in 0..LOOKS {
        let (written, released) = (
            counter(bench, owner, TagRegister::Pointer)?,
            counter(bench, owner, TagRegister::Released)?,
        );
        left = written.wrapping_sub(released);
        if left == 0 {
            return Ok(());
        }
    }
    bail!("of {all} messages, {left} are never released")
}

/// All messages of a run: as many of each sender, in the order in which it sent them, with their payload.
fn check(
    bench: &mut Bench,
    owner: usize,
    slots: usize,
    first: u16,
    all: usize,
    senders: &[usize],
) -> anyhow::Result<()> {
    let written = counter(bench, owner, TagRegister::Pointer)?.wrapping_sub(first) as usize;
    ensure!(written == all, "{written} messages came, where {all} were sent");
    let counts = compare(bench, owner, slots, first, all, senders)?;
    let each = all / senders.len();
    ensure!(
        counts.iter().all(|&count| count == each),
        "senders' messages came {counts:?} times, where each sent {each}"
    );
    Ok(())
}

/// Compares messages in the ring; how many came of each sender. Their order is compared if they begin with the first.
fn compare(
    bench: &mut Bench,
    owner: usize,
    slots: usize,
    first: u16,
    count: usize,
    senders: &[usize],
) -> anyhow::Result<Vec<usize>> {
    let word = word_bytes(bench.config());
    let slot = slot_bytes(word, MESSAGE);
    let room = bench.room();
    let ring = bench.read(owner, room, slots * slot / 4)?;
    let mut counts = vec![0; senders.len()];
    let mut expected_next: Vec<Option<usize>> = vec![None; senders.len()];
    for message in 0..count {
        let at = (first as usize + message) % slots * slot / 4;
        let Message { words, source, .. } = Message::decode(ring[at]);
        ensure!(
            usize::from(words) * word == MESSAGE,
            "a message of {MESSAGE} bytes came as {words} words"
        );
        let sender = senders
            .iter()
            .position(|&sender| bench.config().terminal_node(sender) == source);
        let sender = sender.with_context(|| format!("a message came from node {source}, which sent none"))?;
        let found = &ring[at + word / 4..][..MESSAGE / 4];
        let is = |bench: &Bench, number: usize| {
            let begin = payload(senders[sender], number);
            found
                .iter()
                .enumerate()
                .all(|(at, &word)| word == bench.expected(begin + 4 * at))
        };
        let number = match expected_next[sender] {
            Some(next) => is(bench, next).then_some(next),
            None => (0..PAYLOADS).find(|&number| is(bench, number)),
        };
        let number = number.with_context(|| {
            format!(
                "message {message}, from tile {}, is none that it sent next: {found:x?}",
                senders[sender]
            )
        })?;
        expected_next[sender] = Some((number + 1) % PAYLOADS);
        counts[sender] += 1;
    }
    Ok(counts)
}
