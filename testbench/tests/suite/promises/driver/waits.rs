//! Operations that wait for software do not block the driver. An operation that timed out still takes effect, once.

use super::{initiator, rest, HostGate, SOON};
use portico::{
    mailbox::Delivery,
    onesided::{Geometry, Ticket, Window},
    queue::{Queue, Unretired},
    Error, Fabric, Transport,
};
use portico_spec::ni::event::EVENTS;

const HOST: usize = 6;
/// Cycles in which the driver reaches every node, if it can.
const SHORT: u64 = 2000;

/// The driver refuses a message of the host that has no credit.
pub fn the_host_sends_within_its_credits<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let mut queue = fabric.queue(2, 4, 8, None)?;
    let (node, credits) = (HOST, 2);
    let sender = queue.sender(&mut fabric, node, credits)?;
    for round in 0..3 {
        for _ in 0..if round == 0 { credits } else { 1 } {
            fabric.host().enqueue(&sender, 0, 8)?.wait(SOON)?;
        }
        for _ in 0..2 {
            let more = fabric.host().enqueue(&sender, 0, 8).and_then(|more| more.start());
            assert_eq!(more.err(), Some(Error::NoCredit { node, credits }));
        }
        queue.wait(&mut fabric, SOON)?;
        queue.release(&mut fabric, 1)?;
    }
    // A tile's message waits where nobody else does.
    let tile = queue.sender(&mut fabric, 0, 1)?;
    fabric.tile(0)?.enqueue(&tile, 0, 8)?.wait(SOON)?;
    let mut waits = fabric.tile(0)?.enqueue(&tile, 0, 8)?.start()?;
    for _ in 0..2 {
        queue.wait(&mut fabric, SOON)?;
        queue.release(&mut fabric, 1)?;
    }
    waits.wait(&mut fabric, SOON)
}

/// Sends as many messages as the sender has credits; another waits, or is refused.
fn fill<T: Transport>(fabric: &mut Fabric<T>, queue: &mut Queue, node: usize, credits: u32) -> Result<(), Error> {
    let before = queue.waiting(fabric)?;
    let sender = queue.sender(fabric, node, credits)?;
    let mut tickets: Vec<Ticket<()>> = Vec::new();
    for _ in 0..=credits {
        match initiator(fabric, node)?.enqueue(&sender, 0, 8) {
            Ok(message) => tickets.push(message.start()?),
            Err(error) => assert_eq!(error, Error::NoCredit { node, credits }),
        }
    }
    rest(fabric);
    assert_eq!(u32::from(queue.waiting(fabric)? - before), credits, "node {node}");
    for mut ticket in tickets {
        queue.wait(fabric, SOON)?;
        queue.release(fabric, 1)?;
        ticket.wait(fabric, SOON)?;
    }
    Ok(queue.retire(fabric, sender)?)
}

/// Credits go from sender to sender, none is lost and none is twice there.
pub fn a_retired_sender_gives_its_credits_back<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const SLOTS: u32 = 2;
    for width in [32, 64] {
        let mut fabric = open(width);
        let mut queue = fabric.queue(2, SLOTS, 8, None)?;
        let mut other = fabric.queue(2, SLOTS, 8, None)?;
        for node in [0, HOST, 2] {
            let mut sender = queue.sender(&mut fabric, node, SLOTS)?;
            let handle = sender.handle();
            for _ in 0..SLOTS {
                initiator(&mut fabric, node)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
            }
            let Unretired { sender: same, error } = other.retire(&mut fabric, sender).unwrap_err();
            let (of, to) = (queue.id(), other.id());
            assert_eq!(error, Error::WrongQueue { of, queue: to });
            sender = same;
            for messages in (1..=SLOTS).rev() {
                let Unretired { sender: same, error } = queue.retire(&mut fabric, sender).unwrap_err();
                assert_eq!(error, Error::Unreleased { node, messages });
                sender = same;
                queue.wait(&mut fabric, SOON)?;
                queue.release(&mut fabric, 1)?;
            }
            assert_eq!(queue.free_credits(), 0);
            queue.retire(&mut fabric, sender)?;
            assert_eq!(queue.free_credits(), SLOTS);
            // Whoever has the handle next has its own credits alone.
            let next = queue.sender(&mut fabric, node, 1)?;
            assert_eq!(next.handle(), handle);
            queue.retire(&mut fabric, next)?;
            fill(&mut fabric, &mut queue, node, 1)?;
        }
        assert_eq!(queue.receive(&mut fabric)?, None);
    }
    Ok(())
}

/// Holds back all commands of the host until the gate opens, those of the driver's accesses among them.
fn stop_host<T: Transport>(fabric: &mut Fabric<T>, gate: &HostGate) -> Result<(), Error> {
    gate.close(fabric)?;
    fabric.set_timeout(SHORT);
    Ok(())
}

fn go_on<T: Transport>(fabric: &mut Fabric<T>, gate: &HostGate) -> Result<(), Error> {
    gate.open(fabric)?;
    fabric.set_timeout(SOON);
    Ok(())
}

/// A write, a command and a release that timed out still take effect, once, with their own words.
pub fn an_access_out_of_time_is_done_once<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(3, Window::new(0x400, 64))?;
        let by = fabric.tile(0)?.clone_segment(segment.id())?;
        let gate = HostGate::new(&mut fabric)?;
        let out_of_time = |node, what| {
            let cycles = SHORT;
            Error::Timeout { node, what, cycles }
        };
        let late = |node| out_of_time(node, "access of the host");
        let behind = |node| out_of_time(node, "earlier access of the host");

        stop_host(&mut fabric, &gate)?;
        assert_eq!(fabric.write(0, 0x100, &[1, 2, 3, 4]), Err(late(0)));
        assert_eq!(fabric.write(1, 0x100, &[5, 6, 7, 8]), Err(behind(0)));
        assert_eq!(fabric.read(1, 0x100, 4), Err(behind(0)));
        go_on(&mut fabric, &gate)?;
        fabric.write(2, 0x100, &[9, 10, 11, 12])?;
        assert_eq!(fabric.read(0, 0x100, 4)?, [1, 2, 3, 4]);
        assert_eq!(fabric.read(1, 0x100, 4)?, [0; 4]);
        assert_eq!(fabric.read(2, 0x100, 4)?, [9, 10, 11, 12]);

        let sent = fabric.event(0)?;
        fabric.tile(0)?.postadd(&by, 0, 1u32)?.count_in(&sent)?;
        sent.drain(&mut fabric, SOON)?;
        stop_host(&mut fabric, &gate)?;
        let add = fabric.tile(0)?.postadd(&by, 0, 1u32)?.count_in(&sent);
        assert_eq!(add, Err(late(0)));
        let never = fabric.tile(0)?.postadd(&by, 0, 100u32)?.count_in(&sent);
        assert_eq!(never, Err(behind(0)));
        go_on(&mut fabric, &gate)?;
        fabric.tile(0)?.postadd(&by, 0, 1u32)?.count_in(&sent)?;
        sent.drain(&mut fabric, SOON)?;
        assert_eq!(
            (sent.state(&mut fabric)?.count, fabric.read(3, 0x400, 2)?),
            (3, vec![3, 0])
        );

        let mut queue = fabric.queue(1, 2, 8, None)?;
        let sender = queue.sender(&mut fabric, 0, 2)?;
        for _ in 0..2 {
            fabric.tile(0)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
            queue.wait(&mut fabric, SOON)?;
        }
        stop_host(&mut fabric, &gate)?;
        assert_eq!(queue.release(&mut fabric, 1), Err(late(1)));
        assert_eq!(queue.release(&mut fabric, 1), Err(behind(1)));
        go_on(&mut fabric, &gate)?;
        let twice = queue.release(&mut fabric, 2).unwrap_err();
        assert_eq!(
            twice.to_string(),
            "messages to release = 2 is not allowed: allowed is 0..=1"
        );
        queue.release(&mut fabric, 1)?;
        queue.retire(&mut fabric, sender)?;
    }
    Ok(())
}

/// What is given back is free though the time for it is out: the write still comes, before whatever uses it anew.
pub fn what_is_given_back_out_of_time_is_free<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let published = fabric.publish(3, Window::new(0x400, 64))?;
    let gate = HostGate::new(&mut fabric)?;
    let event = fabric.event(5)?;
    let segment = fabric.publish(1, Window::new(0, 64))?;
    let clone = fabric.tile(2)?.clone_segment(published.id())?;
    let mailbox = fabric.mailbox(4, Delivery::Message, None)?;
    let before = (segment.id(), clone.handle(), mailbox.number());

    stop_host(&mut fabric, &gate)?;
    assert!(event.reset(&mut fabric, 7).is_err());
    go_on(&mut fabric, &gate)?;
    assert_eq!(event.state(&mut fabric)?.count, 7);
    event.drain(&mut fabric, SOON)?;
    stop_host(&mut fabric, &gate)?;
    assert!(segment.withdraw(&mut fabric).is_err());
    go_on(&mut fabric, &gate)?;
    stop_host(&mut fabric, &gate)?;
    assert!(clone.release(&mut fabric).is_err());
    go_on(&mut fabric, &gate)?;
    stop_host(&mut fabric, &gate)?;
    assert!(mailbox.release(&mut fabric).is_err());
    go_on(&mut fabric, &gate)?;

    let segment = fabric.publish(1, Window::new(0, 64))?;
    let clone = fabric.tile(2)?.clone_segment(published.id())?;
    let mailbox = fabric.mailbox(4, Delivery::Message, None)?;
    assert_eq!((segment.id(), clone.handle(), mailbox.number()), before);
    fabric.write(2, 0x40, &[1, 2])?;
    fabric.tile(2)?.put(&clone, 0, 0x40, Geometry::linear(8))?.wait(SOON)?;
    assert_eq!(fabric.read(3, 0x400, 2)?, [1, 2]);
    Ok(())
}

/// Tickets that are dropped before their operations end keep no event, however they go: hundreds of them, with 64 events.
pub fn a_ticket_that_is_dropped_keeps_no_event<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(4, Window::new(0x1000, 0x400))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    for round in 0..5 * EVENTS {
        let mut ticket = fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(64))?.start()?;
        match round % 3 {
            0 => drop(ticket),
            1 => {
                ticket.poll(&mut fabric)?;
            }
            _ => ticket.wait(&mut fabric, SOON)?,
        }
    }
    rest(&mut fabric);
    assert_eq!(usize::from(segment.ends(&mut fabric)?), 5 * EVENTS);
    let all: Result<Vec<_>, _> = (0..EVENTS)
        .map(|_| fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(64))?.start())
        .collect();
    assert_eq!(all?.len(), EVENTS);
    Ok(())
}

/// The event of an operation whose time is out is free when the operation is complete.
pub fn an_operation_out_of_time_keeps_no_event<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let mut queue = fabric.queue(5, 1, 8, None)?;
    let sender = queue.sender(&mut fabric, 0, 1)?;
    fabric.tile(0)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
    let others: Result<Vec<_>, _> = (1..EVENTS).map(|_| fabric.event(0)).collect();
    assert_eq!(others?.len(), EVENTS - 1);
    let (node, what, cycles) = (0, "enqueue", SHORT);
    let late = fabric.tile(0)?.enqueue(&sender, 0, 8)?.wait(SHORT);
    assert_eq!(late, Err(Error::Timeout { node, what, cycles }));
    let none = fabric.tile(0)?.enqueue(&sender, 0, 8)?.start().unwrap_err();
    assert_eq!(none.to_string(), "node 0 cannot allocate 1 event: it has 64 in all");
    for _ in 0..2 {
        queue.wait(&mut fabric, SOON)?;
        queue.release(&mut fabric, 1)?;
    }
    fabric.tile(0)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
    queue.wait(&mut fabric, SOON)?;
    Ok(())
}
