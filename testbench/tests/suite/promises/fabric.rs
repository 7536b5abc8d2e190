//! What only hardware can show: resets in whatever it is doing, how much is under way at once, and how fast.

use super::driver::{initiator, SOON};
use portico::{
    event::{Compare, Event},
    mailbox::Delivery,
    onesided::{Geometry, Shaper, Strides, Window},
    program::assemble,
    registers::{CommandRegister, CounterRegister, EventRegister},
    Error, Fabric, Transport,
};
use portico_sim::SimulatedFabric;
use portico_spec::ni::{
    command::{EVENT_OFFSET, MAX_DESCRIPTOR_WORDS, OPCODE_OFFSET, OPCODE_WIDTH},
    descriptor::{Atomic, Command, Descriptor, Geometry as Shape, Transfer},
    instruction::IDLE_INSTRUCTIONS,
    registers::address_at,
    GET_CREDITS, MAILBOXES,
};

const NODES: usize = 7;

/// Every node keeps every other busy: gets, puts, atomics, messages and mail of all to all.
fn all_to_all<T: Transport>(fabric: &mut Fabric<T>) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for from in 0..NODES {
        let event = fabric.event(from)?;
        for step in 1..=NODES {
            let to = (from + step) % (NODES + 1);
            let segment = fabric.publish(to, Window::new(0x800 + 0x100 * from as u32, 0x100))?;
            let remote = initiator(fabric, from)?.clone_segment(segment.id())?;
            let line = Geometry::linear(0x80);
            initiator(fabric, from)?
                .put(&remote, 0, 0x400, line)?
                .count_in(&event)?;
            initiator(fabric, from)?
                .postadd(&remote, 0xf8, 1u32)?
                .count_in(&event)?;
            let local = 0x1000 + 0x80 * to as u32;
            initiator(fabric, from)?
                .get(&remote, 0, local, line)?
                .count_in(&event)?;
        }
        events.push(event);
    }
    Ok(events)
}

/// All tiles begin in the same cycle, with as much for all nodes as they can take.
fn everything_at_once(fabric: &mut Fabric<&mut SimulatedFabric>) -> Result<(), Error> {
    let config = fabric.config().clone();
    let mut commands = Vec::new();
    for from in 0..config.tiles() {
        for step in 1..=NODES {
            let to = (from + step) % (NODES + 1);
            let segment = fabric.publish(to, Window::new(0x800 + 0x100 * from as u32, 0x100))?;
            let handle = fabric.tile(from)?.clone_segment(segment.id())?.handle();
            let transfer = Transfer {
                remote: 0,
                local: 0x400,
                geometry: Shape::Row { row: 0x80 },
            };
            let add = Command::Atomic {
                remote: 0xf8,
                operation: Atomic::FetchAdd { addend: 1 },
                wide: false,
            };
            for command in [Command::Put(transfer), add, Command::Get(transfer)] {
                let descriptor = Descriptor {
                    segment: handle,
                    ..Descriptor::new(command)
                };
                commands.push((from, descriptor.encode(&config)?));
            }
        }
    }
    for (tile, words) in commands {
        fabric.transport().command(tile, &words);
    }
    Ok(())
}

/// Fences have nothing to wait for, on all handles that tiles had.
fn no_transaction_is_open<T: Transport>(fabric: &mut Fabric<T>) -> Result<(), Error> {
    let segment = fabric.publish(6, Window::new(0, 8))?;
    for tile in 0..6 {
        let event = fabric.event(tile)?;
        let mut remotes = Vec::new();
        for _ in 0..NODES + 3 {
            let remote = fabric.tile(tile)?.clone_segment(segment.id())?;
            fabric.tile(tile)?.fence(&remote)?.count_in(&event)?;
            remotes.push(remote);
        }
        event.drain(fabric, SOON)?;
        for remote in remotes {
            remote.release(fabric)?;
        }
        event.release(fabric)?;
    }
    segment.withdraw(fabric)
}

/// Every tile gets as often at once from every other node as it has credits. A get without one would hold up the mail behind it
/// until another has ended.
pub fn every_credit_for_gets_is_there(fabric: &mut Fabric<&mut SimulatedFabric>) -> Result<(), Error> {
    // A get takes a cycle a word at least, and the mail some thirty to be dispatched and gone; only a tile's own server could be
    // in its way.
    const WORDS: u32 = 64;
    const BEHIND: u64 = 50;
    let config = fabric.config().clone();
    let bytes = WORDS * fabric.word_bytes();
    for from in 0..config.tiles() {
        let (gets, behind) = (fabric.event(from)?, fabric.event(from)?);
        for to in (0..=NODES).filter(|&to| to != from) {
            let segment = fabric.publish(to, Window::new(0, bytes))?;
            gets.configure(fabric, GET_CREDITS as u16, Compare::AtLeast, false)?;
            gets.reset(fabric, 0)?;
            behind.configure(fabric, 1, Compare::AtLeast, false)?;
            behind.reset(fabric, 0)?;
            let mut commands = Vec::new();
            for _ in 0..GET_CREDITS {
                let remote = fabric.tile(from)?.clone_segment(segment.id())?;
                let transfer = Transfer {
                    remote: 0,
                    local: 0x2000,
                    geometry: Shape::Row { row: bytes },
                };
                commands.push((remote.handle(), &gets, Command::Get(transfer)));
            }
            let mail = Command::Mail {
                node: config.tile_node(from),
                mailbox: (MAILBOXES - 1) as u8,
                value: 0,
            };
            commands.push((0, &behind, mail));
            for (segment, event, command) in commands {
                let descriptor = Descriptor {
                    segment,
                    event: event.number(),
                    ..Descriptor::new(command)
                };
                fabric.transport().command(from, &descriptor.encode(&config)?);
            }
            let seen = fabric.transport().wait_event(from, behind.number().into(), BEHIND);
            assert!(seen.is_some(), "a credit of tile {from} for node {to} is missing");
            let ended = fabric.transport().wait_event(from, gets.number().into(), SOON);
            assert!(ended.is_some(), "gets of tile {from} from node {to} do not end");
        }
    }
    Ok(())
}

/// A reset at any moment leaves a fabric in which all is as after the first.
pub fn a_reset_in_mid_flight_loses_no_credit(hardware: impl Fn(usize) -> SimulatedFabric) -> Result<(), Error> {
    for (width, moments) in [(32, [60, 97, 140, 233]), (64, [20, 75, 161, 400])] {
        let mut hardware = hardware(width);
        for moment in moments {
            let mut fabric = Fabric::open(&mut hardware)?;
            // Full queues and credits that are all taken.
            for owner in [2, 5] {
                let mut queue = fabric.queue(owner, 8, 32, None)?;
                for node in 0..6 {
                    let sender = queue.sender(&mut fabric, node, 1)?;
                    let event = fabric.event(node)?;
                    for _ in 0..2 {
                        fabric.tile(node)?.enqueue(&sender, 0, 32)?.count_in(&event)?;
                    }
                }
            }
            everything_at_once(&mut fabric)?;
            fabric.transport().run(moment);
            drop(fabric);
            hardware.reset();

            let mut fabric = Fabric::open(&mut hardware)?;
            no_transaction_is_open(&mut fabric)?;
            for node in 0..NODES {
                let data: Vec<u32> = (0..32).map(|at| (node as u32) << 8 | at).collect();
                fabric.write(node, 0x400, &data)?;
            }
            for event in all_to_all(&mut fabric)? {
                event.drain(&mut fabric, SOON)?;
            }
            for (from, to) in (0..NODES).flat_map(|from| (1..=NODES).map(move |step| (from, (from + step) % 8))) {
                let data: Vec<u32> = (0..32).map(|at| (from as u32) << 8 | at).collect();
                let place = 0x800 + 0x100 * from as u32;
                assert_eq!(fabric.read(to, place, 32)?, data, "{from} to {to} after {moment}");
            }
            every_credit_for_gets_is_there(&mut fabric)?;
            let mut queue = fabric.queue(2, 8, 32, None)?;
            let sender = queue.sender(&mut fabric, 4, 8)?;
            for number in 0..20u32 {
                fabric.write(4, 0, &[number, !number])?;
                fabric.tile(4)?.enqueue(&sender, 0, 8)?.wait(SOON)?;
                assert_eq!(queue.wait(&mut fabric, SOON)?.words, [number, !number]);
                queue.release(&mut fabric, 1)?;
            }
            let arrived = fabric.event(1)?;
            let mailbox = fabric.mailbox(1, Delivery::Barrier(6), Some(&arrived))?;
            for tile in 0..6 {
                fabric.tile(tile)?.mail(&mailbox, 1 << tile)?.wait(SOON)?;
            }
            fabric.transport().run(500);
            let state = arrived.state(&mut fabric)?;
            assert_eq!((state.count, mailbox.read(&mut fabric)?), (1, (0, 0x3f)));
            drop(fabric);
            hardware.reset();
        }
    }
    Ok(())
}

/// Shorter packets have more heads, and a rate takes its time.
pub fn shapers_cut_and_slow_down(mut fabric: Fabric<SimulatedFabric>) -> Result<(), Error> {
    const WORDS: u32 = 64;
    // Of a put: the head, the address.
    const HEADS: u32 = 2;
    let segment = fabric.publish(5, Window::new(0, 4 * WORDS))?;
    let remote = fabric.tile(0)?.clone_segment(segment.id())?;
    let event = fabric.event(0)?;
    event.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    // No look at the event before its end: the answer would be a packet of this tile too.
    let mut sent = |maximum: u32, rate: u32| -> Result<(u32, u64), Error> {
        event.reset(&mut fabric, 0)?;
        let before = fabric.counters(0)?[CounterRegister::DataOut];
        let mut tile = fabric.tile(0)?;
        let burst = 0;
        tile.set_shaper(1, Shaper { maximum, rate, burst })?;
        let put = tile.put(&remote, 0, 0, Geometry::linear(4 * WORDS))?.shaper(1)?;
        put.count_in(&event)?;
        let begun = fabric.transport().cycles();
        let end = fabric.transport().wait_event(0, event.number().into(), SOON);
        assert!(end.is_some(), "the put does not end");
        let cycles = fabric.transport().cycles() - begun;
        Ok((fabric.counters(0)?[CounterRegister::DataOut] - before, cycles))
    };
    let (whole, _) = sent(WORDS, 0)?;
    let (cut, fast) = sent(WORDS / 8, 0)?;
    // A flit in four cycles.
    let (limited, slow) = sent(WORDS / 8, 64)?;
    assert_eq!((cut, limited), (whole + 7 * HEADS, cut), "flits of eight packets");
    // The last of them may begin when all before it but the first are paid for, and the eight flits that any bucket gathers.
    let paid = u64::from(4 * (6 * (WORDS / 8 + HEADS) - 8));
    assert!(slow >= paid && fast < paid, "{slow} cycles with a rate, {fast} without");
    Ok(())
}

/// Gets that are all answered late: a node starts as many as it has slots, and no more until one is done.
pub fn as_many_transactions_under_way_as_there_are_slots(hardware: SimulatedFabric) -> Result<(), Error> {
    const BYTES: u32 = 8 << 10;
    let mut fabric = Fabric::open(hardware)?;
    let config = fabric.config().clone();
    let nodes = config.terminals();
    let slots = config.slots;
    assert!(
        nodes * GET_CREDITS > slots,
        "credits for gets of {nodes} nodes, for {slots} slots"
    );
    let event = fabric.event(0)?;
    event.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    let mut remotes = Vec::new();
    for node in 0..nodes {
        let segment = fabric.publish(node, Window::new(0, BYTES))?;
        remotes.push(fabric.tile(0)?.clone_segment(segment.id())?);
    }
    let data: Vec<u32> = (1..=BYTES / 4).collect();
    fabric.write(1, 0, &data)?;
    let gets = slots + 8;
    for get in 0..gets {
        let transfer = Transfer {
            remote: 0,
            local: BYTES,
            geometry: Shape::Row { row: BYTES },
        };
        let descriptor = Descriptor {
            segment: remotes[get % nodes].handle(),
            event: event.number(),
            ..Descriptor::new(Command::Get(transfer))
        };
        let words = descriptor.encode(&config)?;
        fabric.transport().command(0, &words);
    }
    let limit = u64::from(BYTES) / 4 * gets as u64 * 2;
    let first = fabric.transport().wait_event(0, event.number().into(), limit);
    assert!(first.is_some(), "no get is answered");
    // One more may be on its way through the dispatcher, and one is being taken.
    let (accepted, _) = fabric.transport().accepted(0);
    let slots = slots as u64;
    assert!(
        (slots..=slots + 2).contains(&accepted),
        "{accepted} gets accepted before the first is answered"
    );
    fabric.transport().run(limit);
    assert_eq!(fabric.transport().accepted(0).0, gets as u64);
    assert_eq!(usize::from(event.state(&mut fabric)?.count), gets);
    let again = fabric.tile(0)?.get(&remotes[1], 0, BYTES, Geometry::linear(BYTES))?;
    again.wait(SOON)?;
    assert_eq!(fabric.read(0, BYTES, data.len())?, data);
    Ok(())
}

/// Mails without a gap between them, each of which counts in an event of the host's node, while the host keeps the register
/// bus busy there and its own commands are refused.
pub fn every_mail_counts_in_its_event(mut fabric: Fabric<SimulatedFabric>) -> Result<(), Error> {
    const EACH: usize = 150;
    /// Mails that a barrier waits for.
    const EXPECTED: u32 = 3;
    let config = fabric.config().clone();
    let (host, tiles) = (fabric.host_node(), config.tiles());
    let event = |fabric: &mut Fabric<_>| fabric.event(host);
    let (arrived, gathered, refused) = (event(&mut fabric)?, event(&mut fabric)?, event(&mut fabric)?);
    let messages = fabric.mailbox(host, Delivery::Message, Some(&arrived))?;
    let barrier = fabric.mailbox(host, Delivery::Barrier(EXPECTED), Some(&gathered))?;
    for number in 0..EACH {
        for tile in 0..tiles {
            let mailbox = if number % 2 == 0 { &messages } else { &barrier };
            let mail = Command::Mail {
                node: config.host_node(),
                mailbox: mailbox.number(),
                value: 1 << tile,
            };
            let words = Descriptor::new(mail).encode(&config)?;
            fabric.transport().command(tile, &words);
        }
    }
    // A descriptor of one word, of no opcode; its event is read, the same and another.
    let unknown = ((1 << OPCODE_WIDTH) - 1) << OPCODE_OFFSET | u32::from(refused.number()) << EVENT_OFFSET;
    let last_word = address_at(&config, host, CommandRegister::Word, MAX_DESCRIPTOR_WORDS - 1);
    let mut refusals = 0u16;
    while (0..tiles).any(|tile| fabric.transport().accepted(tile).0 < EACH as u64) {
        fabric.transport().write(last_word, unknown)?;
        refusals += 1;
        for read in [&refused, &arrived, &arrived, &gathered] {
            let count = address_at(&config, host, EventRegister::Count, read.number().into());
            fabric.transport().read(count)?;
        }
    }
    fabric.transport().wait(SOON);
    assert!(refusals > 20, "{refusals} commands refused");
    let mails = EACH / 2 * tiles;
    assert_eq!(messages.read(&mut fabric)?.0 as usize, mails);
    assert_eq!(usize::from(arrived.state(&mut fabric)?.count), mails);
    assert_eq!(
        usize::from(gathered.state(&mut fabric)?.count),
        mails / EXPECTED as usize
    );
    assert_eq!(refused.state(&mut fabric)?.count, refusals);
    Ok(())
}

/// Programs that send nothing: a turn is 16 instructions, of so many cycles.
pub fn programs_that_send_nothing_starve_nobody(fabric: Fabric<SimulatedFabric>) -> Result<(), Error> {
    endless_programs_starve_nobody(fabric, "loop r2\nloop r2\nadd r8, 1 !end2\nstop", 16 * 14)
}

/// Programs that leave a packet open as long as they may: a turn is 64 instructions without payload and one with it.
pub fn programs_that_close_no_packet_starve_nobody(fabric: Fabric<SimulatedFabric>) -> Result<(), Error> {
    endless_programs_starve_nobody(fabric, "loop r2\nword r8\nloop r3\nadd r8, 1 !end2\nstop", 66 * 12)
}

/// Programs that fill packets word by word.
pub fn programs_that_send_for_ever_starve_nobody(fabric: Fabric<SimulatedFabric>) -> Result<(), Error> {
    endless_programs_starve_nobody(fabric, "loop r2\nloop r2\nto r1\nword r8 !end2\nstop", 2 * 14)
}

/// Gets from a tile, and puts of its own, of one packet and of several, while programs run there that never end: each is done
/// within a turn of every program for each of its packets, and a get also beside as many programs as there are micro-cores.
fn endless_programs_starve_nobody(
    mut fabric: Fabric<SimulatedFabric>,
    program: &str,
    turn_cycles: u64,
) -> Result<(), Error> {
    const ROUNDS: u32 = 65_535;
    let cores = fabric.config().cores as u64;
    let word = fabric.word_bytes();
    let source = fabric.publish(1, Window::new(0, 0x400))?;
    let sink = fabric.publish(2, Window::new(0, 0x400))?;
    let from = fabric.tile(0)?.clone_segment(source.id())?;
    let to = fabric.tile(1)?.clone_segment(sink.id())?;
    let looping = fabric.load(1, &assemble(program)?)?;
    let done = [0, 1].map(|tile| fabric.event(tile).unwrap());
    for event in &done {
        event.configure(&mut fabric, 1, Compare::AtLeast, false)?;
    }
    let mut running = 0;
    for programs in [1, cores - 1, cores] {
        while running < programs {
            running += 1;
            let own = fabric.tile(1)?.clone_segment(sink.id())?;
            let ended = fabric.event(1)?;
            fabric
                .tile(1)?
                .run(&looping, &own, &[ROUNDS, IDLE_INSTRUCTIONS as u32])?
                .count_in(&ended)?;
        }
        let strides = Strides {
            remote: 8 * word,
            local: 8 * word,
        };
        for (geometry, packets) in [
            (Geometry::linear(4 * word), 1),
            (Geometry::linear(64 * word), 1),
            (Geometry::linear(65 * word), 2),
            (Geometry::rows(4 * word, 2, strides), 1),
        ] {
            // A put of several packets needs a micro-core of its own.
            let initiators: &[usize] = if programs < cores { &[0, 1] } else { &[0] };
            for &tile in initiators {
                let event = &done[tile];
                event.reset(&mut fabric, 0)?;
                let initiator = fabric.tile(tile)?;
                let operation = match tile {
                    0 => initiator.get(&from, 0, 0x800, geometry)?,
                    _ => initiator.put(&to, 0, 0x800, geometry)?,
                };
                operation.count_in(event)?;
                let begun = fabric.transport().cycles();
                let ended = fabric.transport().wait_event(tile, event.number().into(), 20_000);
                let Geometry { row, rows, .. } = geometry;
                let cycles = ended.expect("it ends beside programs") - begun;
                let what = ["get", "put"][tile];
                println!("{programs} programs: {what} of {row} bytes, {rows} rows: {cycles} cycles");
                let bound = 400 + (packets + 2) * programs * turn_cycles;
                assert!(cycles <= bound, "{cycles} cycles of {bound}");
            }
        }
    }
    Ok(())
}
