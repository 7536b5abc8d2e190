//! Many at once: full queues, a node with itself, and all that a memory node takes.

use super::{initiator, rest, says, SOON};
use portico::{
    event::Compare,
    list::Steps,
    mailbox::Delivery,
    onesided::{Geometry, Strides, Window},
    registers::{CommandRegister, CounterRegister, SegmentRegister},
    Error, Fabric, Transport,
};
use portico_spec::ni::{
    command::{first_place, Opcode},
    descriptor::{Command, Descriptor, Geometry as Rows, Transfer},
    registers::{address_at, in_memory},
    segment::{self, SegmentKind},
    ErrorCode,
};

/// Everybody sends to one queue, whose owner is slow.
pub fn a_full_queue_loses_nothing<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for (width, owner) in [(32, 5), (64, 6)] {
        let mut fabric = open(width);
        // One with the credit, the others as many as a node parks.
        let messages = fabric.config().cores as u32;
        let mut queue = fabric.queue(owner, 8, 24, None)?;
        let mut senders = Vec::new();
        // A tile may send to itself, the host not.
        for node in (0..7).filter(|&node| node != owner || owner < 6) {
            let sender = queue.sender(&mut fabric, node, 1)?;
            let sent = fabric.event(node)?;
            for number in 0..messages {
                let words = [number; 6].map(|number| (node as u32) << 16 | number);
                fabric.write(node, 0x400 + 32 * number, &words)?;
            }
            senders.push((sender, sent));
        }
        assert_eq!(queue.free_credits(), 8 - senders.len() as u32);
        for number in 0..messages {
            // The host has credit for one.
            for (sender, sent) in &senders[..6] {
                let (local, bytes) = (0x400 + 32 * number, 8 * (number % 4));
                fabric
                    .tile(sender.node())?
                    .enqueue(sender, local, bytes)?
                    .count_in(sent)?;
            }
        }
        rest(&mut fabric);
        assert_eq!(queue.waiting(&mut fabric)?, 6);
        if let Some((sender, sent)) = senders.get(6) {
            fabric.host().enqueue(sender, 0x400, 0)?.count_in(sent)?;
            rest(&mut fabric);
        }
        let first = queue.waiting(&mut fabric)?;
        assert_eq!(usize::from(first), senders.len());
        let mut numbers = [0; 7];
        let mut unreleased = 0;
        for _ in 0..6 * (messages - 1) + u32::from(first) {
            let message = queue.wait(&mut fabric, SOON)?;
            let number = numbers[message.source];
            numbers[message.source] += 1;
            let expected = vec![(message.source as u32) << 16 | number; 2 * (number % 4) as usize];
            assert_eq!(message.words, expected, "width {width}, message {number}");
            unreleased += 1;
            // Several credits at a time, and some of one sender.
            if unreleased == 5 || queue.waiting(&mut fabric)? == 0 {
                queue.release(&mut fabric, unreleased)?;
                unreleased = 0;
            }
        }
        assert_eq!(numbers[..6], [messages; 6]);
        assert_eq!(numbers[6], senders.len() as u32 - 6);
        for (_, sent) in &senders {
            sent.drain(&mut fabric, SOON)?;
        }
        rest(&mut fabric);
        assert_eq!(queue.receive(&mut fabric)?, None);
    }
    Ok(())
}

/// A tile is its own target.
pub fn every_operation_at_itself<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    every_operation(open, 3, 3)
}

/// The host is the initiator.
pub fn every_operation_from_the_host<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    every_operation(open, 6, 2)
}

/// The host is the target.
pub fn every_operation_at_the_host<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    every_operation(open, 4, 6)
}

/// Windows, streams and events of the memory node, at the end of its memory; it has no queues and no mailboxes, and drops
/// commands.
pub fn every_operation_at_the_memory_node<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    every_operation(open, 1, 7)
}

fn every_operation<T: Transport>(open: impl Fn(usize) -> Fabric<T>, from: usize, to: usize) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let base = fabric.memory_bytes(to)? - 0x2000;
        // What the test writes by address.
        fabric.allocate(to, 0x1000)?;
        let words: Vec<u32> = (1..=64).collect();
        fabric.write(from, 0, &words)?;

        let arrivals = fabric.event(to)?;
        let segment = fabric.publish(to, Window::new(base, 0x200).notifying(&arrivals))?;
        let remote = initiator(&mut fabric, from)?.clone_segment(segment.id())?;
        let put = initiator(&mut fabric, from)?.put(&remote, 0x100, 0, Geometry::linear(0x100))?;
        put.wait(SOON)?;
        assert_eq!(fabric.read(to, base + 0x100, 64)?, words);
        let strides = Strides { remote: 16, local: 8 };
        let get = initiator(&mut fabric, from)?.get(&remote, 0x100, 0x400, Geometry::rows(8, 8, strides))?;
        get.wait(SOON)?;
        let rows: Vec<u32> = (0..8).flat_map(|row| [4 * row + 1, 4 * row + 2]).collect();
        assert_eq!(fabric.read(from, 0x400, 16)?, rows);
        assert_eq!(
            initiator(&mut fabric, from)?
                .fetchadd(&remote, 0x100, 5u64)?
                .wait(SOON)?,
            2 << 32 | 1
        );
        initiator(&mut fabric, from)?
            .postadd(&remote, 0x100, 1u32)?
            .wait(SOON)?;
        let swap = initiator(&mut fabric, from)?.compare_and_swap(&remote, 0x104, 2u32, 9)?;
        assert_eq!(swap.wait(SOON)?, 2);
        initiator(&mut fabric, from)?.fence(&remote)?.wait(SOON)?;
        assert_eq!(fabric.read(to, base + 0x100, 2)?, [7, 9]);
        assert_eq!((segment.ends(&mut fabric)?, arrivals.state(&mut fabric)?.count), (1, 1));

        let stream = fabric.publish(to, Window::stream(base + 0x200, 0x100).rows(16, 32))?;
        let flow = initiator(&mut fabric, from)?.clone_segment(stream.id())?;
        for part in [0, 32] {
            let stream = initiator(&mut fabric, from)?.stream(&flow, part, Geometry::linear(32))?;
            stream.wait(SOON)?;
        }
        rest(&mut fabric);
        let mut rows = vec![0; 32];
        for row in 0..4 {
            rows[8 * row..8 * row + 4].copy_from_slice(&words[4 * row..4 * row + 4]);
        }
        assert_eq!(
            (fabric.read(to, base + 0x200, 32)?, stream.ends(&mut fabric)?),
            (rows, 2)
        );

        let build = fabric.config().build_of(to);
        if !build.takes_commands() {
            says(
                fabric.queue(to, 2, 32, None),
                &format!("node {to} is built without queues"),
            );
            says(
                fabric.mailbox(to, Delivery::Barrier(3), None),
                &format!("node {to} is built without mailboxes"),
            );
            for place in 13..16 {
                let poked = fabric.poke(to, CommandRegister::Word, place, &[Opcode::Fence as u32]);
                let code = ErrorCode::CommandFull;
                assert!(
                    matches!(poked, Err(Error::Refused { code: found, .. }) if found == code),
                    "{poked:?}"
                );
            }
            let counted = fabric.peek(to, CounterRegister::Dropped, 0)?;
            assert_eq!(counted, u32::from(build.monitors));
            continue;
        }
        let mut queue = fabric.queue(to, 2, 32, None)?;
        let sender = queue.sender(&mut fabric, from, 2)?;
        for number in 0..5 {
            let bytes = 8 * number;
            initiator(&mut fabric, from)?
                .enqueue(&sender, bytes, bytes)?
                .wait(SOON)?;
            let message = queue.wait(&mut fabric, SOON)?;
            let at = 2 * number as usize;
            assert_eq!((message.source, &*message.words), (from, &words[at..2 * at]));
            queue.release(&mut fabric, 1)?;
        }

        let mailed = fabric.event(to)?;
        mailed.configure(&mut fabric, 2, Compare::AtLeast, false)?;
        let mailbox = fabric.mailbox(to, Delivery::Barrier(3), Some(&mailed))?;
        for bit in 0..6 {
            initiator(&mut fabric, from)?
                .mail(&mailbox, 1 << (9 * bit))?
                .wait(SOON)?;
        }
        assert_eq!(mailed.wait(&mut fabric, SOON)?.count, 2);
        let all = (0..6).map(|bit| 1u64 << (9 * bit)).sum();
        assert_eq!(mailbox.read(&mut fabric)?, (0, all));
    }
    Ok(())
}

/// A tile writes a segment of another one with its credits and, right behind, a message that needs them.
pub fn a_descriptor_finds_the_credits_written_before_it<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let (writer, tile, owner, message) = (1, 2, 4, 0x80);
    for width in [32, 64] {
        let mut fabric = open(width);
        let (config, word) = (fabric.config().clone(), fabric.word_bytes());
        let mut queue = fabric.queue(owner, 8, 24, None)?;
        assert_eq!(queue.id().to_string(), format!("{owner}:0"), "the first window");
        let handle = queue.sender(&mut fabric, tile, 1)?.handle();
        let target = |kind| segment::target(&config, owner, 0, kind);
        let of_queue = [target(SegmentKind::Queue), queue.id().bytes() / word, 1];
        let enqueue = Descriptor {
            segment: handle,
            ..Descriptor::new(Command::Enqueue {
                local: message,
                bytes: 8,
            })
        };
        let enqueue = enqueue.encode(&config)?;

        // The writer's last segment is for the address space of the tile.
        let space = config.segments - 1;
        fabric.poke(writer, SegmentRegister::Target, space, &segment::space(&config, tile))?;
        let mut steps = Steps::default();
        let of_segment = address_at(&config, tile, SegmentRegister::Target, handle.into());
        let of_command = address_at(&config, tile, CommandRegister::Word, first_place(enqueue.len()));
        for (remote, words) in [(of_segment, &of_queue[..]), (of_command, &enqueue)] {
            let row = in_memory(&config, words);
            let region = fabric.allocate(writer, 4 * row.len() as u32)?;
            fabric.write(writer, region.base, &row)?;
            let put = Descriptor {
                segment: space as u8,
                ..Descriptor::new(Command::Put(Transfer {
                    remote,
                    local: region.base,
                    geometry: Rows::Row { row: region.bytes },
                }))
            };
            let put = put.encode(&config)?;
            fabric.tile(writer)?.descriptor::<()>(&put)?.add_to(&mut steps);
        }
        let mut list = fabric.list(steps)?;
        for number in 0..6 {
            // No queue, and no credits.
            let closed = target(SegmentKind::Window);
            fabric.poke(tile, SegmentRegister::Target, handle.into(), &[closed, 0, 0])?;
            fabric.write(tile, message, &[number, number + 1])?;
            list.start(&mut fabric)?;
            let found = queue.wait(&mut fabric, SOON)?;
            assert_eq!(
                (found.source, found.words),
                (tile, vec![number, number + 1]),
                "width {width}"
            );
            queue.release(&mut fabric, 1)?;
            list.wait(&mut fabric, SOON)?;
        }
    }
    Ok(())
}
