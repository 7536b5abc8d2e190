//! What is sent to a node rather than to an address: streams, mail, messages, and the events that count them.

use super::{rest, SOON};
use portico::{
    event::Compare,
    mailbox::Delivery,
    onesided::{Geometry, Strides, Window},
    registers::{CounterRegister, TagRegister},
    Error, ErrorCode, Fabric, Transport,
};
use portico_spec::ni::window::{Mode, EVENT_ENABLE_OFFSET, EVENT_OFFSET, MODE_OFFSET, SLOTS_OFFSET, SLOT_WORDS_OFFSET};

pub fn streams_fill_a_window_one_after_the_other<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let arrivals = fabric.event(4)?;
        let dense = fabric.publish(4, Window::stream(0x100, 48).notifying(&arrivals))?;
        let rows = fabric.publish(4, Window::stream(0x200, 64).rows(8, 16))?;
        fabric.write(0, 0, &(1..=16).collect::<Vec<u32>>())?;
        let to_dense = fabric.tile(0)?.clone_segment(dense.id())?;
        let to_rows = fabric.tile(0)?.clone_segment(rows.id())?;
        fabric.tile(0)?.stream(&to_dense, 0, Geometry::linear(16))?.wait(SOON)?;
        let strides = Strides { remote: 0, local: 24 };
        fabric
            .tile(0)?
            .stream(&to_dense, 8, Geometry::rows(8, 2, strides))?
            .wait(SOON)?;
        rest(&mut fabric);
        assert_eq!(fabric.read(4, 0x100, 12)?, [1, 2, 3, 4, 3, 4, 9, 10, 0, 0, 0, 0]);
        assert_eq!((arrivals.state(&mut fabric)?.count, dense.ends(&mut fabric)?), (2, 2));
        // Nothing is a transfer too.
        for nothing in [Geometry::linear(0), Geometry::rows(8, 0, strides)] {
            fabric.tile(0)?.stream(&to_dense, 0, nothing)?.wait(SOON)?;
        }
        rest(&mut fabric);
        assert_eq!((arrivals.state(&mut fabric)?.count, dense.ends(&mut fabric)?), (4, 4));
        fabric.tile(0)?.stream(&to_rows, 0, Geometry::linear(24))?.wait(SOON)?;
        rest(&mut fabric);
        assert_eq!(fabric.read(4, 0x200, 12)?, [1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0]);
        // What goes beyond is lost, and only the target learns of it.
        fabric.tile(0)?.stream(&to_dense, 0, Geometry::linear(24))?.wait(SOON)?;
        rest(&mut fabric);
        assert_eq!(fabric.read(4, 0x120, 6)?, [1, 2, 3, 4, 0, 0]);
        let state = arrivals.state(&mut fabric)?;
        assert_eq!((state.count, state.error), (5, Some(ErrorCode::OutOfWindow)));
        dense.rewind(&mut fabric)?;
        fabric.tile(0)?.stream(&to_dense, 32, Geometry::linear(8))?.wait(SOON)?;
        rest(&mut fabric);
        assert_eq!(fabric.read(4, 0x100, 4)?, [9, 10, 3, 4]);
    }
    Ok(())
}

pub fn events_count_fire_and_interrupt<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let host = fabric.host_node();
    let event = fabric.event(host)?;
    event.configure(&mut fabric, 2, Compare::AtLeast, true)?;
    let mailbox = fabric.mailbox(host, Delivery::Message, Some(&event))?;
    for (sent, fires) in [(1, false), (2, true)] {
        fabric.tile(1)?.mail(&mailbox, sent)?.wait(SOON)?;
        rest(&mut fabric);
        assert_eq!(
            (event.state(&mut fabric)?.fired, fabric.transport().interrupt()),
            (fires, fires)
        );
    }
    assert_eq!(event.wait(&mut fabric, SOON)?.count, 2);
    event.reset(&mut fabric, 0)?;
    assert!(!fabric.transport().interrupt());
    let late = event.wait(&mut fabric, SOON).unwrap_err();
    let (node, what, cycles) = (host, "event", SOON);
    assert_eq!(late, Error::Timeout { node, what, cycles });
    Ok(())
}

pub fn mailboxes_replace_and_gather<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(64);
    let full = fabric.event(5)?;
    let barrier = fabric.mailbox(5, Delivery::Barrier(6), Some(&full))?;
    for round in 1..=2 {
        for tile in 0..6 {
            assert_eq!(full.state(&mut fabric)?.count, round - 1);
            fabric.tile(tile)?.mail(&barrier, 1 << (10 * tile))?.wait(SOON)?;
            rest(&mut fabric);
        }
        assert_eq!(full.state(&mut fabric)?.count, round);
    }
    let all = (0..6).map(|tile| 1u64 << (10 * tile)).sum();
    assert_eq!(barrier.read(&mut fabric)?, (0, all));
    barrier.clear(&mut fabric)?;
    assert_eq!(barrier.read(&mut fabric)?, (0, 0));
    barrier.release(&mut fabric)?;
    full.release(&mut fabric)
}

pub fn senders_wait_for_credit_and_nothing_is_lost<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let arrivals = fabric.event(2)?;
        let mut queue = fabric.queue(2, 4, 62 * width as u32 / 8, Some(&arrivals))?;
        let senders = [(0, 1), (3, 2), (2, 1)].map(|(node, credits)| queue.sender(&mut fabric, node, credits).unwrap());
        let mut tickets = Vec::new();
        // As many wait as cores can park.
        let first = if fabric.config().cores > 2 { 0 } else { 1 };
        for number in first..3u32 {
            for sender in &senders {
                let node = sender.node();
                let address = 0x1000 + 0x100 * number;
                let words: Vec<u32> = (0..62).map(|at| number << 16 | at << 8 | node as u32).collect();
                fabric.write(node, address, &words)?;
                let bytes = [8, 0, 248][number as usize];
                tickets.push(fabric.tile(node)?.enqueue(sender, address, bytes)?.start()?);
            }
        }
        rest(&mut fabric);
        assert_eq!(
            (queue.waiting(&mut fabric)?, arrivals.state(&mut fabric)?.count),
            (4, 4)
        );
        let early = tickets.last_mut().expect("messages").poll(&mut fabric)?;
        assert_eq!(early, None);
        let mut numbers = [first; 7];
        for _ in &tickets {
            let message = queue.wait(&mut fabric, SOON)?;
            let number = numbers[message.source];
            numbers[message.source] += 1;
            let words = [2, 0, 62][number as usize];
            let expected: Vec<u32> = (0..words)
                .map(|at| number << 16 | at << 8 | message.source as u32)
                .collect();
            assert_eq!(message.words, expected);
            queue.release(&mut fabric, 1)?;
        }
        assert_eq!([0, 2, 3].map(|node| numbers[node]), [3; 3]);
        assert_eq!(queue.receive(&mut fabric)?, None);
        for mut ticket in tickets {
            ticket.wait(&mut fabric, SOON)?;
        }
        let refused = queue.release(&mut fabric, 1).unwrap_err();
        assert!(refused.to_string().contains("messages to release = 1"), "{refused}");
        for sender in senders {
            sender.release(&mut fabric)?;
        }
        queue.close(&mut fabric)?;
        // The next queue on the same tag begins empty, wherever its counters stand.
        let mut next = fabric.queue(2, 2, 8, None)?;
        assert_eq!(next.receive(&mut fabric)?, None);
        let sender = next.sender(&mut fabric, 0, 2)?;
        fabric.tile(0)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
        assert_eq!(next.wait(&mut fabric, SOON)?.words.len(), 2);
    }
    Ok(())
}

/// A queue that its owner makes smaller than its senders believe.
pub fn a_message_that_does_not_fit_is_told_to_its_target<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    const BASE: u32 = 0x200;
    /// The driver takes tags from below.
    const TAG: usize = 0;
    const SLOTS: u32 = 4;
    let control = |event: u8, slot_words: u32, slots: u32| {
        (Mode::Queue as u32) << MODE_OFFSET
            | 1 << EVENT_ENABLE_OFFSET
            | u32::from(event) << EVENT_OFFSET
            | slot_words.ilog2() << SLOT_WORDS_OFFSET
            | slots.ilog2() << SLOTS_OFFSET
    };
    for (width, words, slots, size, there, error) in [
        (32, 8, 2, 32, 2, ErrorCode::QueueFull),
        (32, 4, 4, 32, 0, ErrorCode::TooLong),
        (32, 8, 4, 20, 2, ErrorCode::OutOfWindow),
        (64, 8, 4, 15, 1, ErrorCode::OutOfWindow),
    ] {
        let mut fabric = open(width);
        let host = fabric.host_node();
        let word = fabric.word_bytes();
        let arrivals = fabric.event(host)?;
        let mut queue = fabric.queue(host, SLOTS, 7 * word, Some(&arrivals))?;
        let sender = queue.sender(&mut fabric, 1, SLOTS)?;
        for (register, value) in [
            (TagRegister::Base, BASE / word),
            (TagRegister::Size, size),
            (TagRegister::Control, control(arrivals.number(), words, slots)),
        ] {
            fabric.poke(host, register, TAG, &[value])?;
        }
        let behind = BASE + size * word;
        fabric.write(host, behind, &[0xa5; 64])?;
        fabric.write(1, 0, &[7; 14])?;
        for _ in 0..SLOTS {
            fabric.tile(1)?.enqueue(&sender, 0, 7 * word)?.wait(SOON)?;
        }
        rest(&mut fabric);
        let state = arrivals.state(&mut fabric)?;
        assert_eq!(
            (u32::from(state.count), state.error),
            (SLOTS, Some(error)),
            "width {width}"
        );
        assert_eq!(queue.waiting(&mut fabric)?, there, "width {width}, {error:?}");
        let refused = fabric.counters(host)?[CounterRegister::Refused];
        assert_eq!(refused, SLOTS - u32::from(there));
        assert_eq!(fabric.read(host, behind, 64)?, [0xa5; 64], "width {width}, {error:?}");
    }
    Ok(())
}
