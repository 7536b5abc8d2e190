//! Full command queues, more operations than transaction slots, and a host whose commands wait.

use super::{config, initiator, rest, Gate, HostGate, SOON};
use portico::{
    onesided::{Geometry, Window},
    registers::{CommandRegister, CounterRegister, SegmentRegister},
    Error, Fabric, Transport, TransportError,
};
use portico_spec::ni::{
    command::{MAX_DESCRIPTOR_WORDS, QUEUE_WORDS},
    descriptor::{Command, Descriptor, Geometry as Shape, Transfer},
    packet::SLOTS,
    ErrorCode,
};

/// A descriptor for which there is no room is dropped whole and counted, and its sender is told; those before and after it are
/// done.
pub fn a_full_command_queue_drops_whole_descriptors<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    const PUT_WORDS: usize = 4;
    const PUTS: u32 = 30;
    for width in [32, 64] {
        let mut fabric = open(width);
        let word = fabric.word_bytes();
        let (tile, target) = (1, 5);
        let segment = fabric.publish(target, Window::new(0, 2 * PUTS * word))?;
        let remote = fabric.tile(tile)?.clone_segment(segment.id())?;
        let event = fabric.event(tile)?;
        let gate = Gate::new(&mut fabric, tile)?;
        let lanes = word as usize / 4;
        let source: Vec<u32> = (1..=PUTS * lanes as u32).collect();
        fabric.write(tile, 0, &source)?;
        let put = |at: u32, to: u32| {
            let transfer = Transfer {
                remote: to * word,
                local: at * word,
                geometry: Shape::Row { row: word },
            };
            let put = Descriptor {
                segment: remote.handle(),
                event: event.number(),
                ..Descriptor::new(Command::Put(transfer))
            };
            let words = put.encode(&config(width)).expect("a right descriptor");
            assert_eq!(words.len(), PUT_WORDS);
            words
        };
        // The driver itself would wait for room.
        let first = MAX_DESCRIPTOR_WORDS - PUT_WORDS;
        let mut closed = gate.close(&mut fabric, &remote)?;
        let mut taken = 0;
        for at in 0..PUTS {
            match fabric.poke(tile, CommandRegister::Word, first, &put(at, at)) {
                // Nothing leaves the queue: from the first without room on, none is taken.
                Ok(()) => taken += u32::from(taken == at),
                Err(Error::Refused { code, .. }) => assert_eq!(code, ErrorCode::CommandFull),
                Err(error) => return Err(error),
            }
        }
        let dropped = fabric.counters(tile)?[CounterRegister::Dropped];
        assert_eq!(taken, PUTS - dropped, "width {width}");
        // Behind the queue and its port the dispatcher reads one, while the one before it waits for its start.
        let room = (QUEUE_WORDS / PUT_WORDS) as u32;
        assert!((room..=room + 3).contains(&taken), "{taken} of {PUTS} taken");
        gate.open(&mut fabric)?;
        closed.wait(&mut fabric, SOON)?;
        rest(&mut fabric);
        fabric.poke(tile, CommandRegister::Word, first, &put(0, PUTS))?;
        rest(&mut fabric);
        assert_eq!(u32::from(event.state(&mut fabric)?.count), taken + 1);
        assert_eq!(u32::from(segment.ends(&mut fabric)?), taken + 1);
        let found = fabric.read(target, 0, (PUTS as usize + 1) * lanes)?;
        let mut expected = source.clone();
        expected[taken as usize * lanes..].fill(0);
        expected.extend(&source[..lanes]);
        assert_eq!(found, expected);
        assert_eq!(fabric.counters(tile)?[CounterRegister::Dropped], dropped);
    }
    Ok(())
}

/// The host's port answers whatever the host's commands wait for: a descriptor without room is refused, dropped whole and
/// counted, and memory and registers are reached, that of the shaper that opens the gate among them.
pub fn the_hosts_port_answers_while_its_commands_wait<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    const PUTS: u32 = 60;
    for width in [32, 64] {
        let mut fabric = open(width);
        let (host, bytes) = (fabric.host_node(), fabric.word_bytes());
        let segment = fabric.publish(1, Window::new(0, bytes))?;
        let remote = fabric.host().clone_segment(segment.id())?;
        let event = fabric.event(host)?;
        let gate = HostGate::new(&mut fabric)?;
        let transfer = Transfer {
            remote: 0,
            local: 0,
            geometry: Shape::Row { row: bytes },
        };
        let put = Descriptor {
            segment: remote.handle(),
            event: event.number(),
            ..Descriptor::new(Command::Put(transfer))
        };
        let words = put.encode(&config(width)).expect("a right descriptor");
        let first = MAX_DESCRIPTOR_WORDS - words.len();
        gate.close(&mut fabric)?;
        let mut taken = 0;
        for number in 0..PUTS {
            let mut refused = vec![];
            for (place, &word) in (first..).zip(&words) {
                match fabric.poke(host, CommandRegister::Word, place, &[word]) {
                    Ok(()) => refused.push(false),
                    Err(Error::Transport(TransportError::Bus { response, .. })) if response == "SLVERR" => {
                        refused.push(true)
                    }
                    Err(error) => return Err(error),
                }
            }
            // From the first word without room on, none is taken.
            assert!(refused.is_sorted(), "width {width}, put {number}: {refused:?}");
            taken += u32::from(!refused[words.len() - 1]);
            let memory = vec![number; bytes as usize / 4];
            fabric.write(host, 0x40, &memory)?;
            assert_eq!(fabric.read(host, 0x40, memory.len())?, memory);
            assert_eq!(fabric.counters(host)?[CounterRegister::Dropped], number + 1 - taken);
        }
        // Beside those in the queue, one that waits for its start, and those on the way.
        let in_queue = (QUEUE_WORDS / words.len()) as u32;
        assert!((in_queue..=in_queue + 4).contains(&taken), "{taken} of {PUTS} taken");

        // The driver has not counted these commands: it returns the error, and ends the descriptor.
        let put = fabric.host().put(&remote, 0, 0, Geometry::linear(bytes))?.start();
        let full = put.map(drop).unwrap_err();
        assert!(matches!(full, Error::Transport(TransportError::Bus { .. })), "{full}");

        gate.open(&mut fabric)?;
        fabric.host().put(&remote, 0, 0, Geometry::linear(bytes))?.wait(SOON)?;
        assert_eq!(u32::from(event.state(&mut fabric)?.count), taken);
        fabric.poke(host, CommandRegister::Word, first, &words)?;
        rest(&mut fabric);
        assert_eq!(u32::from(event.state(&mut fabric)?.count), taken + 1);
    }
    Ok(())
}

/// A message without a credit is parked, and so is what follows it on its segment, in order; commands to other segments pass.
/// Once all cores but one are taken by parked commands, one more is refused, and told so.
pub fn commands_without_a_credit_are_parked<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let bytes = fabric.word_bytes();
        let cores = fabric.config().cores as u32;
        for node in [0, 3] {
            let mut queue = fabric.queue(2, 16, 15 * bytes, None)?;
            let sender = queue.sender(&mut fabric, node, cores)?;
            let segment = fabric.publish(1, Window::new(0, bytes))?;
            let remote = initiator(&mut fabric, node)?.clone_segment(segment.id())?;
            let (parked, last, fenced) = (fabric.event(node)?, fabric.event(node)?, fabric.event(node)?);
            let credits = usize::from(sender.handle());
            let tell = |fabric: &mut Fabric<T>, event: u8, command: Command| {
                let command = Descriptor {
                    segment: sender.handle(),
                    event,
                    quiet: event == last.number(),
                    ..Descriptor::new(command)
                };
                let words = command.encode(&config(width)).expect("a right descriptor");
                fabric.poke(node, CommandRegister::Word, MAX_DESCRIPTOR_WORDS - words.len(), &words)
            };
            let message = |words: u32| Command::Enqueue {
                local: 0,
                bytes: words * bytes,
            };
            let passes = |fabric: &mut Fabric<T>| {
                let put = initiator(fabric, node)?.put(&remote, 0, 0, Geometry::linear(bytes))?;
                put.wait(SOON)
            };
            fabric.poke(node, SegmentRegister::Credits, credits, &[0])?;
            for words in 1..cores {
                tell(&mut fabric, parked.number(), message(words))?;
                passes(&mut fabric)?;
            }
            assert_eq!(parked.state(&mut fabric)?.count, 0);

            // Refused even though they are quiet.
            for (event, command) in [(&last, message(1)), (&fenced, Command::Fence)] {
                tell(&mut fabric, event.number(), command)?;
                rest(&mut fabric);
                let state = event.state(&mut fabric)?;
                assert_eq!(
                    (state.count, state.error),
                    (1, Some(ErrorCode::NoCredit)),
                    "width {width}"
                );
                passes(&mut fabric)?;
            }
            assert_eq!(queue.waiting(&mut fabric)?, 0);

            // One credit frees one core: a fence is parked behind the others.
            fabric.poke(node, SegmentRegister::Credits, credits, &[1])?;
            rest(&mut fabric);
            assert_eq!(
                (u32::from(queue.waiting(&mut fabric)?), parked.state(&mut fabric)?.count),
                (1, 1)
            );
            tell(&mut fabric, fenced.number(), Command::Fence)?;
            rest(&mut fabric);
            // Of two cores, the only parked command has gone by now.
            let is_over = u32::from(cores == 2);
            assert_eq!(u32::from(fenced.state(&mut fabric)?.count), 1 + is_over);
            passes(&mut fabric)?;

            fabric.poke(node, SegmentRegister::Credits, credits, &[cores - 1])?;
            rest(&mut fabric);
            let state = parked.state(&mut fabric)?;
            assert_eq!((u32::from(state.count), state.error), (cores - 1, None));
            assert_eq!(fenced.state(&mut fabric)?.count, 2);
            for words in 1..cores {
                let message = queue.wait(&mut fabric, SOON)?;
                assert_eq!(message.words.len() as u32 * 4, words * bytes, "out of order");
                queue.release(&mut fabric, 1)?;
            }
            assert_eq!(queue.receive(&mut fabric)?, None);
            tell(&mut fabric, parked.number(), message(3))?;
            rest(&mut fabric);
            assert_eq!(u32::from(parked.state(&mut fabric)?.count), cores);
            assert_eq!(queue.wait(&mut fabric, SOON)?.words.len() as u32 * 4, 3 * bytes);
        }
    }
    Ok(())
}

/// The one core of the host node parks nothing: a message without a credit is refused, a quiet one too, and others pass.
pub fn the_host_parks_no_command<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let (host, bytes) = (fabric.host_node(), fabric.word_bytes());
        let mut queue = fabric.queue(2, 4, bytes, None)?;
        let sender = queue.sender(&mut fabric, host, 1)?;
        let segment = fabric.publish(1, Window::new(0, bytes))?;
        let remote = fabric.host().clone_segment(segment.id())?;
        for (credits, quiet) in [(0, false), (0, true), (1, false)] {
            let event = fabric.event(host)?;
            let message = Descriptor {
                segment: sender.handle(),
                event: event.number(),
                quiet,
                ..Descriptor::new(Command::Enqueue { local: 0, bytes })
            };
            let words = message.encode(&config(width)).expect("a right descriptor");
            fabric.poke(host, SegmentRegister::Credits, usize::from(sender.handle()), &[credits])?;
            fabric.poke(host, CommandRegister::Word, MAX_DESCRIPTOR_WORDS - words.len(), &words)?;
            rest(&mut fabric);
            let state = event.state(&mut fabric)?;
            let refusal = (credits == 0).then_some(ErrorCode::NoCredit);
            assert_eq!((state.count, state.error), (1, refusal), "width {width}, quiet {quiet}");
            assert_eq!(u32::from(queue.waiting(&mut fabric)?), credits);
            fabric.host().put(&remote, 0, 0, Geometry::linear(bytes))?.wait(SOON)?;
        }
        assert_eq!(queue.wait(&mut fabric, SOON)?.words.len() as u32 * 4, bytes);
    }
    Ok(())
}

/// More operations than there are transaction slots, of all kinds that take one, to targets near and far.
pub fn more_operations_than_slots<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const ROUNDS: u32 = 16;
    for width in [32, 64] {
        let mut fabric = open(width);
        let sent = fabric.event(0)?;
        let mut remotes = Vec::new();
        for target in [7, 6, 3, 0] {
            let segment = fabric.publish(target, Window::new(0x2000, 0x400))?;
            remotes.push((target, fabric.tile(0)?.clone_segment(segment.id())?));
        }
        let source: Vec<u32> = (0..64).map(|at| 0x100 + at).collect();
        fabric.write(0, 0, &source)?;
        assert!(remotes.len() as u32 * ROUNDS * 3 > 2 * SLOTS as u32);
        for round in 0..ROUNDS {
            for (_, remote) in &remotes {
                let line = Geometry::linear(16);
                let offset = 16 * round;
                fabric.tile(0)?.put(remote, offset, offset, line)?.count_in(&sent)?;
                fabric.tile(0)?.postadd(remote, 0x200, 1u64)?.count_in(&sent)?;
                fabric.tile(0)?.fetchadd(remote, 0x204, 3u32)?.count_in(&sent)?;
            }
        }
        sent.drain(&mut fabric, 10 * SOON)?;
        let adds = [ROUNDS, 3 * ROUNDS];
        for (target, remote) in &remotes {
            assert_eq!(fabric.read(*target, 0x2000, 64)?, source, "target {target}");
            assert_eq!(fabric.read(*target, 0x2200, 2)?, adds, "target {target}");
            let back = 0x1000 + 0x100 * *target as u32;
            fabric
                .tile(0)?
                .get(remote, 0, back, Geometry::linear(256))?
                .count_in(&sent)?;
        }
        sent.drain(&mut fabric, SOON)?;
        for (target, _) in &remotes {
            assert_eq!(fabric.read(0, 0x1000 + 0x100 * *target as u32, 64)?, source);
        }
    }
    Ok(())
}
