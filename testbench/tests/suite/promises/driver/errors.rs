//! What the driver refuses before anything is sent, what the hardware refuses, and what runs out.

use super::{config, rest, says, Gate, SOON};
use portico::{
    mailbox::Delivery,
    onesided::{Geometry, Strides, Window},
    program::assemble,
    Error, Fabric, Transport,
};
use portico_spec::{
    ni::{window::SYSTEM_WINDOW, ErrorCode, MAILBOXES},
    Config,
};

/// Says that it is a fabric of another size.
struct Mistaken<T>(T, Config);

impl<T: Transport> Transport for Mistaken<T> {
    portico::forward_transport!(0: read, write, cycles, wait, interrupt);

    fn config(&self) -> &Config {
        &self.1
    }
}

pub fn a_fabric_that_is_not_the_configured_one_is_not_opened<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let mut real = open(32);
    let believed = Config { rows: 1, ..config(32) };
    let wrong = Fabric::open(Mistaken(real.transport(), believed));
    // The host is not where it should be.
    let (node, found, expected) = (3, 2 << 4, 1 << 4);
    assert_eq!(wrong.err(), Some(Error::WrongFabric { node, found, expected }));
    let believed = Config { cols: 4, ..config(32) };
    let wrong = Fabric::open(Mistaken(real.transport(), believed));
    // Nobody is there, as the fabric knows itself.
    let absent = ErrorCode::AbsentNode;
    assert!(matches!(wrong.err(), Some(Error::Refused { node: 3, code, .. }) if code == absent));
    Ok(())
}

pub fn nodes_and_addresses<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(64);
    says(fabric.read(8, 0, 1), "node = 8 does not exist: allowed is 0..=7");
    says(fabric.tile(6), "node = 6 does not exist: allowed is 0..=5");
    says(fabric.read(0, 4, 2), "address = 0x4 must be a multiple of 8 bytes");
    says(fabric.write(0, 8, &[1]), "length = 0x4 must be a multiple of 8 bytes");
    let beyond = "bytes 0x3ff8..0x4008 of node 0, whose memory has 0x4000 bytes";
    says(fabric.write(0, 0x3ff8, &[1; 4]), beyond);
    says(
        fabric.read(0, u32::MAX - 7, 4),
        "bytes 0xfffffff8..0x100000008 of node 0, whose memory has 0x4000 bytes",
    );
    says(
        fabric.move_page(6, 0, 0),
        "node 6 is not a memory node: only memory nodes have pages",
    );
    says(fabric.move_page(8, 0, 0), "node = 8 does not exist: allowed is 0..=7");
    says(fabric.move_page(7, 8, 0), "page = 8 is not allowed: allowed is 0..=7");
    says(
        fabric.move_page(7, 0, 0x1_0000_0800),
        "base = 0x100000800 must be a multiple of 4096 bytes",
    );
    Ok(())
}

pub fn transfers<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(5, Window::new(0x40, 0x40))?;
    let stream = fabric.publish(5, Window::stream(0x80, 0x40))?;
    let queue = fabric.queue(5, 2, 8, None)?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let flow = fabric.tile(0)?.clone_segment(stream.id())?;
    let line = Geometry::linear;
    let outside = "bytes 0x3c..0x44 of a segment of 0x40 bytes";
    says(fabric.tile(0)?.put(&remote, 0x3c, 0, line(8)), outside);
    says(fabric.tile(0)?.get(&remote, 0x3c, 0, line(8)), outside);
    let strides = Strides { remote: 0x20, local: 4 };
    let outside = "bytes 0x0..0x44 of a segment of 0x40 bytes";
    says(
        fabric.tile(0)?.put(&remote, 0, 0, Geometry::rows(4, 3, strides)),
        outside,
    );
    let outside = "bytes 0x3ffc..0x4004 of node 0, whose memory has 0x4000 bytes";
    says(fabric.tile(0)?.put(&remote, 0, 0x3ffc, line(8)), outside);
    says(fabric.tile(0)?.stream(&flow, 0x3ffc, line(8)), outside);
    says(
        fabric.tile(0)?.put(&remote, 2, 0, line(8)),
        "remote offset = 2 bytes is not allowed: allowed is a multiple of 4, up to 16777212",
    );
    says(
        fabric.tile(0)?.put(&remote, 0, 2, line(8)),
        "local address = 2 bytes is not allowed: allowed is a multiple of 4, up to 16777212",
    );
    says(
        fabric.tile(0)?.put(&remote, 0, 0, line(7)),
        "row = 7 bytes is not allowed: allowed is a multiple of 4, up to 262140",
    );
    says(
        fabric.tile(1)?.put(&remote, 0, 0, line(8)),
        "segment belongs to node 0, not to node 1",
    );
    says(
        fabric.tile(1)?.fence(&remote),
        "segment belongs to node 0, not to node 1",
    );
    says(
        fabric.tile(0)?.put(&flow, 0, 0, line(8)),
        "put needs a segment that is a window",
    );
    says(
        fabric.tile(0)?.stream(&remote, 0, line(8)),
        "stream needs a segment that is a stream window",
    );
    says(
        fabric.tile(0)?.clone_segment(queue.id()),
        "clone_segment needs a segment that is a window",
    );
    says(
        segment.rewind(&mut fabric),
        "rewind needs a segment that is a stream window",
    );
    let planes = Geometry::planes(4, (1, strides), (2, strides));
    says(
        fabric.tile(0)?.stream(&flow, 0, planes),
        "a stream of planes is not allowed: allowed are one row or rows",
    );
    says(
        fabric.tile(0)?.fetchadd(&remote, 2, 1u32),
        "remote offset = 2 bytes is not allowed: allowed is a multiple of 4, up to 16777212",
    );
    says(
        fabric.tile(0)?.fetchadd(&remote, 4, 1u64),
        "remote offset = 4 bytes is not allowed: allowed is a multiple of 8, up to 16777208",
    );
    says(
        fabric.tile(0)?.peek::<u32>(&remote, 0x40),
        "bytes 0x40..0x44 of a segment of 0x40 bytes",
    );
    says(
        fabric.tile(0)?.descriptor::<()>(&[]),
        "words of the descriptor = 0 is not allowed: allowed is 1..=16",
    );
    Ok(())
}

pub fn what_the_hardware_refuses_is_named<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let segment = fabric.publish(5, Window::new(0x40, 0x40))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    segment.withdraw(&mut fabric)?;
    let (node, code) = (0, ErrorCode::UnknownWindow);
    let put = fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(8))?.wait(SOON);
    assert_eq!(
        put,
        Err(Error::Refused {
            node,
            what: "put",
            code
        })
    );
    let peek = fabric.tile(0)?.peek::<u32>(&remote, 0)?.wait(SOON);
    assert_eq!(
        peek,
        Err(Error::Refused {
            node,
            what: "peek",
            code
        })
    );
    // The event is clean for the next, and a shared event says what happened to one of many.
    let sent = fabric.event(0)?;
    fabric
        .tile(0)?
        .get(&remote, 0, 0, Geometry::linear(8))?
        .count_in(&sent)?;
    fabric.tile(0)?.fence(&remote)?.count_in(&sent)?;
    let what = "operations on an event";
    assert_eq!(sent.drain(&mut fabric, SOON), Err(Error::Refused { node, what, code }));
    assert_eq!(sent.drain(&mut fabric, SOON), Ok(()));
    fabric.tile(0)?.fence(&remote)?.wait(SOON)
}

pub fn a_time_out_says_how_long_and_may_be_waited_out<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let mut fabric = open(32);
    let mut queue = fabric.queue(5, 1, 8, None)?;
    let sender = queue.sender(&mut fabric, 0, 1)?;
    fabric.tile(0)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
    let mut ticket = fabric.tile(0)?.enqueue(&sender, 0, 8)?.start()?;
    let (node, what, cycles) = (0, "enqueue", SOON);
    assert_eq!(
        ticket.wait(&mut fabric, SOON),
        Err(Error::Timeout { node, what, cycles })
    );
    queue.receive(&mut fabric)?;
    queue.release(&mut fabric, 1)?;
    ticket.wait(&mut fabric, SOON)
}

pub fn a_full_command_queue_is_waited_for_and_drops_nothing<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let mut fabric = open(32);
    fabric.set_timeout(SOON);
    let segment = fabric.publish(5, Window::new(0, 8))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let put = |fabric: &mut Fabric<T>| fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(8))?.start();
    let gate = Gate::new(&mut fabric, 0)?;
    let mut closed = gate.close(&mut fabric, &remote)?;
    let mut tickets = Vec::new();
    // They wait behind the gate until nothing more is sure to fit.
    let full = loop {
        match put(&mut fabric) {
            Ok(ticket) => tickets.push(ticket),
            Err(error) => break error,
        }
    };
    let (node, what, cycles) = (0, "room for a command", SOON);
    assert_eq!((tickets.len(), full), (15, Error::Timeout { node, what, cycles }));
    gate.open(&mut fabric)?;
    closed.wait(&mut fabric, SOON)?;
    for mut ticket in tickets {
        ticket.wait(&mut fabric, SOON)?;
    }
    // Room is found again without anyone waiting for a ticket.
    for _ in 0..20 {
        let _unseen = put(&mut fabric)?;
    }
    rest(&mut fabric);
    assert_eq!(segment.ends(&mut fabric)?, 35);
    Ok(())
}

pub fn queues_mailboxes_and_programs<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let foreign = fabric.event(1)?;
    let elsewhere = "event belongs to node 1, not to node 0";
    says(fabric.publish(0, Window::new(0, 64).notifying(&foreign)), elsewhere);
    says(fabric.queue(0, 4, 8, Some(&foreign)), elsewhere);
    says(fabric.mailbox(0, Delivery::Message, Some(&foreign)), elsewhere);
    let slots = "slots, a power of two, = 3 is not allowed: allowed is 1..=32768";
    says(fabric.queue(0, 3, 8, None), slots);
    says(
        fabric.queue(0, 4, 252, None),
        "message bytes = 252 is not allowed: allowed is 0..=248",
    );
    says(
        fabric.queue(0, 4, 6, None),
        "message bytes = 0x6 must be a multiple of 4 bytes",
    );
    let large = "bytes = 131072 is not allowed: allowed is 1..=16384";
    says(fabric.queue(0, 1 << 15, 0, None), large);
    let mut queue = fabric.queue(0, 4, 8, None)?;
    says(
        queue.sender(&mut fabric, 1, 5),
        "credits = 5 is not allowed: allowed is 1..=4",
    );
    let sender = queue.sender(&mut fabric, 1, 4)?;
    says(
        queue.sender(&mut fabric, 2, 1),
        "credits = 1 is not allowed: allowed is 1..=0",
    );
    says(
        fabric.tile(2)?.enqueue(&sender, 0, 8),
        "sender belongs to node 1, not to node 2",
    );
    says(
        fabric.tile(1)?.enqueue(&sender, 0, 12),
        "message bytes = 12 is not allowed: allowed is 0..=8",
    );
    for arrivals in [0, 256] {
        let text = format!("arrivals of the barrier = {arrivals} is not allowed: allowed is 1..=255");
        says(fabric.mailbox(0, Delivery::Barrier(arrivals), None), &text);
    }
    let program = fabric.load(0, &[0])?;
    let segment = fabric.publish(0, Window::new(0, 64))?;
    let remote = fabric.tile(1)?.clone_segment(segment.id())?;
    says(
        fabric.tile(1)?.run(&program, &remote, &[]),
        "program belongs to node 0, not to node 1",
    );
    let own = fabric.tile(0)?.clone_segment(segment.id())?;
    let own_mailbox = fabric.mailbox(6, Delivery::Message, None)?;
    let back = "node 6 is an edge node: the network carries no packet from an edge node to itself";
    says(fabric.host().mail(&own_mailbox, 1), back);
    let own_segment = fabric.publish(6, Window::new(0, 64))?;
    says(fabric.host().clone_segment(own_segment.id()), back);
    let mut own_queue = fabric.queue(6, 2, 8, None)?;
    says(own_queue.sender(&mut fabric, 6, 1), back);
    let many = "arguments of a program = 15 is not allowed: allowed is 0..=14";
    says(fabric.tile(0)?.run(&program, &own, &[0; 15]), many);
    fabric.tile(0)?.run(&program, &own, &[0; 14])?.wait(SOON)
}

/// What is not a program within its bounds is not loaded: see [`super::codes`] for what would come of it.
pub fn programs_are_checked_before_they_are_loaded<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    let mut fabric = open(32);
    says(fabric.load(0, &[]), "the program is empty: it must end with a stop");
    says(
        fabric.load(0, &[0; 193]),
        "instruction 192: the program has 193 instructions: allowed is 1..=192",
    );
    says(
        fabric.load(0, &[0, 0xf, 0]),
        "word 1: 0x0000000f is not an instruction: operation 15 is not allowed: allowed is 0..=12",
    );
    let good = assemble("fence\nloop 2\nfence !end\nstop")?;
    says(
        fabric.load(0, &good[..1]),
        "instruction 0: the last instruction does not stop",
    );
    says(
        fabric.load(0, &[good[1], good[3]]),
        "instruction 1: the program stops inside the loop of instruction 0",
    );
    says(
        fabric.load(0, &good[2..]),
        "instruction 0: 1 loops end where 0 are open",
    );
    says(
        assemble("fence\nlop 2").map_err(Error::from),
        "line 2, column 1: unknown mnemonic \"lop\": did you mean loop?",
    );
    // Nothing of the memory was taken.
    let whole = fabric.load(0, &[0; 192])?;
    says(
        fabric.load(0, &good),
        "node 0 cannot allocate 4 places of program memory: it has 192 in all",
    );
    whole.unload(&mut fabric)?;
    fabric.load(0, &good)?.unload(&mut fabric)
}

pub fn resources_run_out_and_come_back<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let mut fabric = open(32);
    let windows: Vec<_> = (0..SYSTEM_WINDOW)
        .map(|_| fabric.publish(2, Window::new(0, 64)).unwrap())
        .collect();
    says(
        fabric.publish(2, Window::new(0, 64)),
        "node 2 cannot allocate 1 window: it has 255 in all",
    );
    let id = windows[0].id();
    for window in windows {
        window.withdraw(&mut fabric)?;
    }
    let segment = fabric.publish(2, Window::new(0, 64))?;
    assert_eq!((segment.id(), id.to_string()), (id, "2:0".to_string()));
    let remotes: Vec<_> = (0..256)
        .map(|_| fabric.tile(1).unwrap().clone_segment(id).unwrap())
        .collect();
    says(
        fabric.tile(1)?.clone_segment(id),
        "node 1 cannot allocate 1 segment handle: it has 256 in all",
    );
    for remote in remotes {
        remote.release(&mut fabric)?;
    }
    let mailboxes: Vec<_> = (0..MAILBOXES)
        .map(|_| fabric.mailbox(1, Delivery::Message, None).unwrap())
        .collect();
    says(
        fabric.mailbox(1, Delivery::Message, None),
        "node 1 cannot allocate 1 mailbox: it has 128 in all",
    );
    for mailbox in mailboxes {
        mailbox.release(&mut fabric)?;
    }
    let region = fabric.allocate(1, 0x3ff1)?;
    assert_eq!(region.bytes, 0x3ff8);
    says(
        fabric.allocate(1, 16),
        "node 1 cannot allocate 16 bytes of memory: it has 16384 in all",
    );
    fabric.free(region)?;
    says(
        fabric.free(region),
        "bytes at 0x0 of node 1 are not an allocated region",
    );
    says(fabric.allocate(1, 0), "bytes = 0 is not allowed: allowed is 1..=16384");
    Ok(())
}
