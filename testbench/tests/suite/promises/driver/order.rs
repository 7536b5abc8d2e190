//! What the network interface promises about order, with commands as close together as they can be.

use super::{initiator, rest, Gate, SOON};
use portico::{
    onesided::{Geometry, Shaper, Strides, Window},
    Error, Fabric, Transport,
};
use portico_spec::ni::{assembler::assemble, event::Compare, ErrorCode};
use rand::{rngs::SmallRng, Rng, SeedableRng};

const SEED: u64 = 0x5eed;
/// Far targets: a tile, the host, the memory node.
const TARGETS: [usize; 3] = [5, 6, 7];

/// A drained get finds what the put before it has written, through another segment too, though a slow shaper keeps the put under
/// way. Behind an error of its event it reads nothing.
pub fn a_drained_command_goes_behind_all_before_it<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    const BYTES: u32 = 256;
    const LANDING: u32 = 0x800;
    let (writer, target) = (0, 5);
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(target, Window::new(0, BYTES))?;
        let [there, again] = [0, 1].map(|_| fabric.tile(writer)?.clone_segment(segment.id()));
        let (there, again) = (there?, again?);
        let off = fabric.publish(target, Window::new(0, BYTES))?;
        let closed = fabric.tile(writer)?.clone_segment(off.id())?;
        off.withdraw(&mut fabric)?;
        let slow = Shaper {
            maximum: 4,
            rate: 16,
            burst: 0,
        };
        fabric.tile(writer)?.set_shaper(1, slow)?;
        let [event, other] = [0, 1].map(|_| fabric.event(writer));
        let (event, other) = (event?, other?);
        let line = Geometry::linear(BYTES);
        let words = |round: u32| (0..BYTES / 4).map(move |at| round << 16 | at).collect::<Vec<u32>>();
        for round in 1..=4 {
            fabric.write(writer, 0, &words(round))?;
            // The error of an earlier round, and of another event, does not matter.
            fabric.tile(writer)?.put(&closed, 0, 0, line)?.count_in(&other)?;
            fabric
                .tile(writer)?
                .put(&there, 0, 0, line)?
                .shaper(1)?
                .count_in(&event)?;
            fabric
                .tile(writer)?
                .get(&again, 0, LANDING, line)?
                .drained()
                .count_in(&event)?;
            event.drain(&mut fabric, SOON)?;
            assert_eq!(
                fabric.read(writer, LANDING, BYTES as usize / 4)?,
                words(round),
                "round {round}"
            );

            fabric.write(writer, LANDING, &words(9))?;
            fabric.tile(writer)?.put(&closed, 0, 0, line)?.count_in(&event)?;
            fabric
                .tile(writer)?
                .get(&again, 0, LANDING, line)?
                .drained()
                .count_in(&event)?;
            let (node, what, code) = (writer, "operations on an event", ErrorCode::UnknownWindow);
            assert_eq!(event.drain(&mut fabric, SOON), Err(Error::Refused { node, what, code }));
            rest(&mut fabric);
            assert_eq!(
                fabric.read(writer, LANDING, BYTES as usize / 4)?,
                words(9),
                "round {round}"
            );
        }
    }
    Ok(())
}

/// A count that follows 1 KiB tells a third node that they are there.
pub fn data_are_there_when_the_count_is<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const BYTES: u32 = 1 << 10;
    // Of what was written last: a look at all of it would take as long as the writing does, and never overtake it.
    const TAIL: u32 = 64;
    const LOOKS: u32 = 7;
    let (writer, reader, areas) = (0, 3, 0x1000);
    for width in [32, 64] {
        let mut fabric = open(width);
        let (mut early, mut late) = (0, 0);
        for target in TARGETS {
            let segment = fabric.publish(target, Window::new(0, BYTES + 8))?;
            let from = fabric.tile(writer)?.clone_segment(segment.id())?;
            let by = fabric.tile(reader)?.clone_segment(segment.id())?;
            let gates = [Gate::new(&mut fabric, writer)?, Gate::new(&mut fabric, reader)?];
            let sent = fabric.event(writer)?;
            let between = fabric.event(reader)?;
            fabric.tile(writer)?.poke(&from, BYTES, 0u32)?.wait(SOON)?;
            for round in 1..=4u32 {
                let data: Vec<u32> = (0..BYTES / 4).map(|at| round << 16 | at).collect();
                fabric.write(writer, 0, &data)?;
                let mut closed = vec![gates[0].close(&mut fabric, &from)?, gates[1].close(&mut fabric, &by)?];
                let line = Geometry::linear(BYTES);
                fabric.tile(writer)?.put(&from, 0, 0, line)?.count_in(&sent)?;
                fabric.tile(writer)?.postadd(&from, BYTES, 1u32)?.count_in(&sent)?;
                let mut looks = Vec::new();
                for look in 0..LOOKS {
                    looks.push(fabric.tile(reader)?.peek::<u32>(&by, BYTES)?.start()?);
                    fabric.tile(reader)?.fence(&by)?.count_in(&between)?;
                    let area = areas + look * TAIL;
                    let tail = Geometry::linear(TAIL);
                    fabric
                        .tile(reader)?
                        .get(&by, BYTES - TAIL, area, tail)?
                        .count_in(&between)?;
                }
                let (first, second) = if round % 2 == 0 { (0, 1) } else { (1, 0) };
                gates[first].open(&mut fabric)?;
                gates[second].open(&mut fabric)?;
                for ticket in &mut closed {
                    ticket.wait(&mut fabric, SOON)?;
                }
                sent.drain(&mut fabric, SOON)?;
                between.drain(&mut fabric, SOON)?;
                for (look, ticket) in (0..).zip(&mut looks) {
                    if ticket.wait(&mut fabric, SOON)? != round {
                        early += 1;
                        continue;
                    }
                    late += 1;
                    let tail = &data[data.len() - TAIL as usize / 4..];
                    let seen = fabric.read(reader, areas + look * TAIL, tail.len())?;
                    assert_eq!(seen, tail, "width {width}, target {target}, round {round}, look {look}");
                }
            }
            from.release(&mut fabric)?;
            by.release(&mut fabric)?;
            segment.withdraw(&mut fabric)?;
        }
        assert!(early > 0 && late > 0, "{early} looks before the count and {late} after");
    }
    Ok(())
}

/// Puts that overlap leave what the last of them wrote.
pub fn puts_of_one_initiator_in_order<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    // More than a packet takes, and long against the way of a command, so that puts would mix that did not wait for each
    // other.
    const WORDS: u32 = 400;
    for (width, target) in [32, 64]
        .into_iter()
        .flat_map(|width| TARGETS.map(|target| (width, target)))
    {
        let mut rng = SmallRng::seed_from_u64(SEED);
        let mut fabric = open(width);
        let word = fabric.word_bytes();
        let segment = fabric.publish(target, Window::new(0, WORDS * word))?;
        let remote = fabric.tile(1)?.clone_segment(segment.id())?;
        let gate = Gate::new(&mut fabric, 1)?;
        let sent = fabric.event(1)?;
        let lanes = word / 4;
        let source: Vec<u32> = (1..=1 << 11).collect();
        fabric.write(1, 0, &source)?;
        let mut expected = vec![0; (WORDS * lanes) as usize];
        for _ in 0..3 {
            let mut closed = gate.close(&mut fabric, &remote)?;
            for _ in 0..12 {
                let words = rng.gen_range(0..=WORDS);
                let (to, from) = (rng.gen_range(0..=WORDS - words), rng.gen_range(0..400));
                let line = Geometry::linear(words * word);
                let put = fabric.tile(1)?.put(&remote, to * word, from * word, line)?;
                put.count_in(&sent)?;
                for at in 0..words * lanes {
                    expected[(to * lanes + at) as usize] = source[(from * lanes + at) as usize];
                }
            }
            gate.open(&mut fabric)?;
            closed.wait(&mut fabric, SOON)?;
            sent.drain(&mut fabric, SOON)?;
            let found = fabric.read(target, 0, expected.len())?;
            assert_eq!(found, expected, "width {width}, target {target}");
        }
        assert_eq!(segment.ends(&mut fabric)?, 36);
    }
    Ok(())
}

/// A get behind a fence sees the puts and the posted atomics in front of it. Atomics of 64 bits keep a target of 32 longer
/// than an initiator: without the fence the get would find some still to be done, at the word that it reads first.
pub fn a_fence_comes_after_all_before_it<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const BYTES: u32 = 512;
    const ADDS: u32 = 5;
    for (width, from) in [32, 64].into_iter().flat_map(|width| [0, 6].map(|from| (width, from))) {
        let mut fabric = open(width);
        // The host runs no programs, and so has no gate.
        let gate = (from != 6).then(|| Gate::new(&mut fabric, from)).transpose()?;
        let sent = fabric.event(from)?;
        for target in [5, 7, 0] {
            let segment = fabric.publish(target, Window::new(0, BYTES))?;
            let remote = initiator(&mut fabric, from)?.clone_segment(segment.id())?;
            fabric.write(from, 0x800, &vec![7; BYTES as usize / 4])?;
            let closed = gate.as_ref().map(|gate| gate.close(&mut fabric, &remote)).transpose()?;
            let line = Geometry::linear(BYTES);
            initiator(&mut fabric, from)?
                .put(&remote, 0, 0x800, line)?
                .count_in(&sent)?;
            for _ in 0..ADDS {
                initiator(&mut fabric, from)?
                    .postadd(&remote, 0, 1u64)?
                    .count_in(&sent)?;
            }
            initiator(&mut fabric, from)?.fence(&remote)?.count_in(&sent)?;
            initiator(&mut fabric, from)?
                .get(&remote, 0, 0x1000, line)?
                .count_in(&sent)?;
            if let (Some(gate), Some(mut closed)) = (&gate, closed) {
                gate.open(&mut fabric)?;
                closed.wait(&mut fabric, SOON)?;
            }
            sent.drain(&mut fabric, SOON)?;
            let mut expected = vec![7; BYTES as usize / 4];
            expected[0] += ADDS;
            let found = fabric.read(from, 0x1000, expected.len())?;
            assert_eq!(found, expected, "width {width}, from {from} to {target}");
            remote.release(&mut fabric)?;
            segment.withdraw(&mut fabric)?;
        }
    }
    Ok(())
}

/// What a program sends behind its fence is what the get in front of it has brought, and what the put in front of that has
/// left; the fence behind its end waits for the end.
pub fn a_program_waits_for_all_but_itself<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const BYTES: u32 = 512;
    let (new, back) = (0x800, 0x1000);
    for width in [32, 64] {
        let mut fabric = open(width);
        let word = fabric.word_bytes();
        let gate = Gate::new(&mut fabric, 0)?;
        let sent = fabric.event(0)?;
        let text = "fence\nto r4\nrun r2, close, last\nfence\nstop";
        let program = fabric.load(0, &assemble(text).expect("a program"))?;
        for target in TARGETS {
            let segment = fabric.publish(target, Window::new(0, 2 * BYTES))?;
            let remote = fabric.tile(0)?.clone_segment(segment.id())?;
            let data: Vec<u32> = (0..BYTES / 4).map(|at| (target as u32) << 16 | at).collect();
            fabric.write(0, new, &data)?;
            fabric.write(0, back, &vec![0; data.len()])?;
            let mut closed = gate.close(&mut fabric, &remote)?;
            let line = Geometry::linear(BYTES);
            fabric.tile(0)?.put(&remote, 0, new, line)?.count_in(&sent)?;
            fabric.tile(0)?.fence(&remote)?.count_in(&sent)?;
            fabric.tile(0)?.get(&remote, 0, back, line)?.count_in(&sent)?;
            let arguments = [back / word, BYTES / word, BYTES / word];
            let mut ticket = fabric.tile(0)?.run(&program, &remote, &arguments)?.start()?;
            gate.open(&mut fabric)?;
            closed.wait(&mut fabric, SOON)?;
            ticket.wait(&mut fabric, SOON)?;
            sent.drain(&mut fabric, SOON)?;
            let found = fabric.read(target, BYTES, data.len())?;
            assert_eq!(found, data, "width {width}, target {target}");
            remote.release(&mut fabric)?;
            segment.withdraw(&mut fabric)?;
        }
        program.unload(&mut fabric)?;
    }
    Ok(())
}

/// A get that leaves its window: when its event counts the error, all words in front are there, and none comes later.
pub fn a_get_that_breaks_off_is_over_when_it_says_so<T: Transport>(
    open: impl Fn(usize) -> Fabric<T>,
) -> Result<(), Error> {
    const WORDS: u32 = 128;
    const ROW: u32 = 16;
    let local = 0x1000;
    for (width, target) in [32, 64]
        .into_iter()
        .flat_map(|width| TARGETS.map(|target| (width, target)))
    {
        let mut fabric = open(width);
        let word = fabric.word_bytes();
        // Two windows on one tag, one after the other: the handle of the first is too large for the second.
        let first = fabric.publish(target, Window::new(0, 2 * WORDS * word))?;
        let large = fabric.tile(0)?.clone_segment(first.id())?;
        first.withdraw(&mut fabric)?;
        let _window = fabric.publish(target, Window::new(0, WORDS * word))?;
        let data: Vec<u32> = (1..=2 * WORDS * word / 4).collect();
        fabric.write(target, 0, &data)?;
        let event = fabric.event(0)?;
        event.configure(&mut fabric, 1, Compare::AtLeast, false)?;
        // As soon as the event counts, the last row is copied to a third node.
        let third = fabric.publish(3, Window::new(0, ROW * word))?;
        let copy = fabric.tile(0)?.clone_segment(third.id())?;
        let text = format!("wait {}\nrun r2, close, last, stop", event.number());
        let program = fabric.load(0, &assemble(&text).expect("a program"))?;
        let arguments = [local / word + WORDS - ROW, ROW];
        let mut copied = fabric.tile(0)?.run(&program, &copy, &arguments)?.start()?;
        let stride = ROW * word;
        let strides = Strides {
            remote: stride,
            local: stride,
        };
        let rows = Geometry::rows(stride, WORDS / ROW + 3, strides);
        fabric.tile(0)?.get(&large, 0, local, rows)?.count_in(&event)?;
        copied.wait(&mut fabric, SOON)?;
        let lanes = (word / 4) as usize;
        let last = ((WORDS - ROW) as usize * lanes)..(WORDS as usize * lanes);
        assert_eq!(
            fabric.read(3, 0, last.len())?,
            data[last],
            "width {width}, from {target}"
        );
        let mut expected = data[..WORDS as usize * lanes].to_vec();
        expected.resize(data.len(), 0);
        assert_eq!(
            fabric.read(0, local, data.len())?,
            expected,
            "width {width}, from {target}"
        );
        let state = event.state(&mut fabric)?;
        assert_eq!((state.count, state.error), (1, Some(ErrorCode::OutOfWindow)));
    }
    Ok(())
}

/// A transfer that comes to a window just before it is closed is written, and none is after.
pub fn a_closed_window_takes_nothing<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        let segment = fabric.publish(5, Window::new(0, 0x200))?;
        let remote = fabric.tile(0)?.clone_segment(segment.id())?;
        let data: Vec<u32> = (1..=0x80).collect();
        fabric.write(0, 0, &data)?;
        let mut ticket = fabric.tile(0)?.put(&remote, 0, 0, Geometry::linear(0x200))?.start()?;
        segment.withdraw(&mut fabric)?;
        let outcome = ticket.wait(&mut fabric, SOON);
        let found = fabric.read(5, 0, data.len())?;
        rest(&mut fabric);
        assert_eq!(fabric.read(5, 0, data.len())?, found);
        let written = found
            .iter()
            .zip(&data)
            .take_while(|(found, data)| found == data)
            .count();
        assert!(found[written..].iter().all(|&word| word == 0), "{found:?}");
        assert_eq!(
            outcome.is_ok(),
            written == data.len(),
            "{outcome:?} with {written} words"
        );
    }
    Ok(())
}
