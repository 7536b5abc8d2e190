//! Every operation of the driver, from tiles, the host and to themselves, at both widths.

use common::{open, SOON};
use portico::{
    mailbox::Delivery,
    onesided::{Atom, Geometry, Strides, Window},
    Error, Transport,
};
use portico_spec::ni::{
    assembler::assemble,
    event::{Compare, EVENTS},
    ErrorCode,
};

mod common;

/// Initiators and targets: tiles, a tile to itself, the host, the memory node.
const PAIRS: [(usize, usize); 6] = [(0, 5), (3, 3), (6, 2), (4, 6), (6, 6), (1, 7)];

macro_rules! initiator {
    ($fabric:expr, $node:expr) => {
        match $node {
            6 => $fabric.host(),
            tile => $fabric.tile(tile)?,
        }
    };
}

#[test]
fn puts_and_gets_come_back() -> Result<(), Error> {
    for (width, (from, to)) in [32, 64].into_iter().flat_map(|width| PAIRS.map(|pair| (width, pair))) {
        let mut fabric = open(width);
        let segment = fabric.publish(to, Window::new(0x400, 0x200))?;
        let remote = initiator!(fabric, from).clone_segment(segment.id())?;
        let words: Vec<u32> = (100..148).collect();
        fabric.write(from, 0x100, &words)?;
        initiator!(fabric, from)
            .put(&remote, 0x20, 0x100, Geometry::linear(192))?
            .wait(SOON)?;
        assert_eq!(fabric.read(to, 0x420, 48)?, words);
        assert_eq!(
            (fabric.read(to, 0x418, 2)?, fabric.read(to, 0x4e0, 2)?),
            (vec![0; 2], vec![0; 2])
        );
        initiator!(fabric, from).fence(&remote)?.wait(SOON)?;
        initiator!(fabric, from)
            .get(&remote, 0x30, 0x800, Geometry::linear(64))?
            .wait(SOON)?;
        assert_eq!(fabric.read(from, 0x800, 16)?, words[4..20]);
        assert_eq!(segment.ends(&mut fabric)?, 1);
        remote.release(&mut fabric)?;
        segment.withdraw(&mut fabric)?;
    }
    Ok(())
}

#[test]
fn nothing_moves_and_completes_all_the_same() -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(5, Window::new(0, 64))?;
        let remote = fabric.tile(0)?.clone_segment(segment.id())?;
        fabric.write(0, 0, &[7; 16])?;
        let strides = Strides { remote: 8, local: 8 };
        let nothing = [
            Geometry::linear(0),
            Geometry::rows(8, 0, strides),
            Geometry::rows(0, 3, strides),
            Geometry::planes(8, (3, strides), (0, strides)),
            Geometry::planes(8, (0, strides), (3, strides)),
        ];
        for (at, geometry) in nothing.into_iter().enumerate() {
            fabric.tile(0)?.put(&remote, 64, 0, geometry)?.wait(SOON)?;
            assert_eq!(segment.ends(&mut fabric)?, at as u16 + 1);
            fabric.tile(0)?.get(&remote, 64, 0, geometry)?.wait(SOON)?;
        }
        assert_eq!(
            (fabric.read(5, 0, 16)?, fabric.read(0, 0, 16)?),
            (vec![0; 16], vec![7; 16])
        );
    }
    Ok(())
}

fn atomics<A: Atom + From<u32> + std::fmt::Debug + PartialEq>(width: usize, base: u32) -> Result<(), Error> {
    let mut fabric = open(width);
    for (from, to) in PAIRS {
        let segment = fabric.publish(to, Window::new(base, 64))?;
        let remote = initiator!(fabric, from).clone_segment(segment.id())?;
        let a = |number: u32| A::from(number);
        for offset in (0..64).step_by(A::BYTES as usize) {
            let at = || (&remote, offset);
            let (remote, offset) = at();
            initiator!(fabric, from).poke(remote, offset, a(10))?.wait(SOON)?;
            initiator!(fabric, from).postadd(remote, offset, a(5))?.wait(SOON)?;
            assert_eq!(initiator!(fabric, from).peek::<A>(remote, offset)?.wait(SOON)?, a(15));
            assert_eq!(
                initiator!(fabric, from).fetchadd(remote, offset, a(2))?.wait(SOON)?,
                a(15)
            );
            let swap = |expected, new| (a(expected), a(new));
            let (expected, new) = swap(16, 99);
            let old = initiator!(fabric, from)
                .compare_and_swap(remote, offset, expected, new)?
                .wait(SOON)?;
            assert_eq!(old, a(17));
            let (expected, new) = swap(17, 40);
            initiator!(fabric, from)
                .compare_and_swap(remote, offset, expected, new)?
                .wait(SOON)?;
            let old = initiator!(fabric, from)
                .add_if(remote, offset, a(40), a(1))?
                .wait(SOON)?;
            assert_eq!(old, a(40));
            let old = initiator!(fabric, from)
                .add_if(remote, offset, a(41), a(1))?
                .wait(SOON)?;
            assert_eq!(old, a(40));
            assert_eq!(
                initiator!(fabric, from).fetchclear::<A>(remote, offset)?.wait(SOON)?,
                a(41)
            );
            initiator!(fabric, from)
                .poke(remote, offset, a(offset + 1))?
                .wait(SOON)?;
        }
        let words = fabric.read(to, base, 16)?;
        for offset in (0..64).step_by(A::BYTES as usize) {
            assert_eq!(words[offset / 4], offset as u32 + 1);
        }
        remote.release(&mut fabric)?;
        segment.withdraw(&mut fabric)?;
    }
    Ok(())
}

#[test]
fn atomics_of_both_sizes() -> Result<(), Error> {
    atomics::<u32>(32, 0x104)?;
    atomics::<u32>(64, 0x108)?;
    atomics::<u64>(32, 0x104)?;
    atomics::<u64>(64, 0x108)
}

#[test]
fn sums_of_64_bits_carry_and_wrap() -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(2, Window::new(0, 64))?;
        let remote = fabric.tile(1)?.clone_segment(segment.id())?;
        fabric.write(2, 8, &[u32::MAX, 6, 1, 1])?;
        assert_eq!(
            fabric.tile(1)?.fetchadd(&remote, 8, 1u64)?.wait(SOON)?,
            6 << 32 | 0xffff_ffff
        );
        assert_eq!(fabric.read(2, 8, 4)?, [0, 7, 1, 1]);
        fabric.tile(1)?.postadd(&remote, 8, u64::MAX)?.wait(SOON)?;
        assert_eq!(fabric.read(2, 8, 4)?, [u32::MAX, 6, 1, 1]);
        fabric.tile(1)?.postadd(&remote, 8, 1u32)?.wait(SOON)?;
        assert_eq!(fabric.read(2, 8, 4)?, [0, 6, 1, 1]);
    }
    Ok(())
}

#[test]
fn streams_fill_a_window_one_after_the_other() -> Result<(), Error> {
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
        assert_eq!(fabric.read(4, 0x100, 12)?, [1, 2, 3, 4, 3, 4, 9, 10, 0, 0, 0, 0]);
        assert_eq!((arrivals.state(&mut fabric)?.count, dense.ends(&mut fabric)?), (2, 2));
        fabric.tile(0)?.stream(&to_rows, 0, Geometry::linear(24))?.wait(SOON)?;
        assert_eq!(fabric.read(4, 0x200, 12)?, [1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0]);
        // What goes beyond is lost, and only the target learns of it.
        fabric.tile(0)?.stream(&to_dense, 0, Geometry::linear(24))?.wait(SOON)?;
        assert_eq!(fabric.read(4, 0x120, 6)?, [1, 2, 3, 4, 0, 0]);
        let state = arrivals.state(&mut fabric)?;
        assert_eq!((state.count, state.error), (3, Some(ErrorCode::OutOfWindow)));
        dense.rewind(&mut fabric)?;
        fabric.tile(0)?.stream(&to_dense, 32, Geometry::linear(8))?.wait(SOON)?;
        assert_eq!(fabric.read(4, 0x100, 4)?, [9, 10, 3, 4]);
    }
    Ok(())
}

#[test]
fn events_count_fire_and_interrupt() -> Result<(), Error> {
    let mut fabric = open(32);
    let host = fabric.host_node();
    let event = fabric.event(host)?;
    event.configure(&mut fabric, 2, Compare::AtLeast, true)?;
    let mailbox = fabric.mailbox(host, Delivery::Message, Some(&event))?;
    for (sent, fires) in [(1, false), (2, true)] {
        fabric.tile(1)?.mail(&mailbox, sent)?.wait(SOON)?;
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

#[test]
fn mailboxes_replace_and_gather() -> Result<(), Error> {
    let mut fabric = open(64);
    let full = fabric.event(5)?;
    let barrier = fabric.mailbox(5, Delivery::Barrier(6), Some(&full))?;
    for round in 1..=2 {
        for tile in 0..6 {
            assert_eq!(full.state(&mut fabric)?.count, round - 1);
            fabric.tile(tile)?.mail(&barrier, 1 << (10 * tile))?.wait(SOON)?;
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

#[test]
fn senders_wait_for_credit_and_nothing_is_lost() -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let arrivals = fabric.event(2)?;
        let mut queue = fabric.queue(2, 4, 62 * width as u32 / 8, Some(&arrivals))?;
        let senders = [(0, 1), (6, 2), (2, 1)].map(|(node, credits)| queue.sender(&mut fabric, node, credits).unwrap());
        let mut tickets = Vec::new();
        for number in 0..3u32 {
            for sender in &senders {
                let node = sender.node();
                let address = 0x1000 + 0x100 * number;
                let words: Vec<u32> = (0..62).map(|at| number << 16 | at << 8 | node as u32).collect();
                fabric.write(node, address, &words)?;
                let bytes = [8, 0, 248][number as usize];
                tickets.push(initiator!(fabric, node).enqueue(sender, address, bytes)?.start()?);
            }
        }
        assert_eq!(
            (queue.waiting(&mut fabric)?, arrivals.state(&mut fabric)?.count),
            (4, 4)
        );
        let early = tickets[8].poll(&mut fabric)?;
        assert_eq!(early, None);
        let mut numbers = [0; 7];
        for _ in 0..9 {
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
        assert_eq!((numbers, queue.receive(&mut fabric)?), ([3, 0, 3, 0, 0, 0, 3], None));
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
        assert_eq!(next.receive(&mut fabric)?.map(|message| message.words.len()), Some(2));
    }
    Ok(())
}

#[test]
fn many_operations_share_an_event() -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(1, Window::new(0, 0x400))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let sent = fabric.event(0)?;
    sent.drain(&mut fabric, SOON)?;
    for word in 0..256 {
        fabric.tile(0)?.postadd(&remote, 4 * word, word)?.count_in(&sent)?;
    }
    sent.drain(&mut fabric, SOON)?;
    assert_eq!(sent.state(&mut fabric)?.count, 256);
    assert_eq!(fabric.read(1, 0, 256)?, (0..256).collect::<Vec<u32>>());
    Ok(())
}

#[test]
fn as_many_operations_under_way_as_there_are_events() -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(1, Window::new(0, 0x400))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let mut tickets = Vec::new();
    for _ in 0..EVENTS {
        tickets.push(fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.start()?);
    }
    let more = fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.start().unwrap_err();
    assert_eq!(more.to_string(), "node 0 has no event left for 1: it has 64");
    for (value, ticket) in tickets.iter_mut().enumerate() {
        assert_eq!(ticket.wait(&mut fabric, SOON)?, value as u32);
        // A ticket remembers.
        assert_eq!(ticket.wait(&mut fabric, SOON)?, value as u32);
    }
    fabric.tile(0)?.fetchadd(&remote, 0, 1u32)?.wait(SOON)?;
    Ok(())
}

#[test]
fn programs_loop_wait_and_notify() -> Result<(), Error> {
    let mut fabric = open(32);
    let go = fabric.event(0)?;
    go.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    let done = fabric.event(0)?;
    // Waits, sends r5 rows of r3.l words, each twice, and ends.
    let text = format!(
        "wait {}\nloop r5\nrun r2\nrun r2, +r3.l !end\nnotify {}\nclose last, stop",
        go.number(),
        done.number()
    );
    let program = fabric.load(0, &assemble(&text).expect("a program"))?;
    let segment = fabric.publish(4, Window::new(0x100, 0x100))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    fabric.write(0, 0x40, &[1, 2, 3, 4, 5, 6])?;
    let arguments = [0x40 / 4, 2, 2 << 16, 3];
    let mut ticket = fabric.tile(0)?.run(&program, &remote, &arguments)?.start()?;
    assert_eq!(ticket.poll(&mut fabric)?, None);
    // Others go on, and a fence waits for it.
    fabric
        .tile(0)?
        .put(&remote, 0xf8, 0x40, Geometry::linear(8))?
        .wait(SOON)?;
    let mut fence = fabric.tile(0)?.fence(&remote)?.start()?;
    assert_eq!(
        (fence.poll(&mut fabric)?, fabric.read(4, 0x100, 2)?),
        (None, vec![0, 0])
    );
    go.reset(&mut fabric, 1)?;
    ticket.wait(&mut fabric, SOON)?;
    fence.wait(&mut fabric, SOON)?;
    assert_eq!(fabric.read(4, 0x100, 12)?, [1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]);
    assert_eq!((done.state(&mut fabric)?.count, segment.ends(&mut fabric)?), (1, 2));
    program.unload(&mut fabric)
}

#[test]
fn another_shaper_and_raw_descriptors() -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(4, Window::new(0, 64))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    fabric.write(0, 0, &[3])?;
    fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(4))?
        .shaper(7)?
        .wait(SOON)?;
    assert_eq!(fabric.read(4, 0, 1)?, [3]);
    let error = fabric
        .tile(0)?
        .put(&remote, 0, 0, Geometry::linear(4))?
        .shaper(8)
        .unwrap_err();
    assert_eq!(error.to_string(), "shaper = 8 is not allowed: allowed is 0..=7");
    let peek = 5 | 5 << 22;
    let value: u32 = fabric.tile(0)?.descriptor(&[peek, 0])?.wait(SOON)?;
    assert_eq!(value, 3);
    Ok(())
}
