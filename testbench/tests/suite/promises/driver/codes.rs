//! What comes of raw descriptors: error codes, what counts, and what *quiet* leaves alone.

use super::{initiator, rest, SOON};
use portico::{
    onesided::{GlobalId, Window},
    program::assemble,
    registers::{CommandRegister, CounterRegister},
    Error, Fabric, Transport,
};
use portico_spec::ni::{
    command::{
        Opcode, EVENT_OFFSET, MAX_DESCRIPTOR_WORDS, OPCODE_WIDTH, OPERATION_OFFSET, QUIET_OFFSET, SEGMENT_OFFSET,
        WIDE_OFFSET,
    },
    instruction::FIRMWARE_WORDS,
    ErrorCode,
};

/// Words of the windows.
const SIZE: u32 = 16;
/// One row of two words.
const ROW: u32 = 1 << 16 | 2;
/// A handle that nobody has.
const UNKNOWN: u8 = 200;

/// Handles at the initiator.
struct Handles {
    window: u8,
    queue: u8,
    closed: u8,
    stream: u8,
    /// Larger than the window that it stands for.
    large: u8,
}

fn word(opcode: Opcode, handle: u8) -> u32 {
    opcode as u32 | u32::from(handle) << SEGMENT_OFFSET
}

/// A fabric in which node `from` knows windows of node `to`.
fn prepare<T: Transport>(fabric: &mut Fabric<T>, from: usize, to: usize) -> Result<Handles, Error> {
    let bytes = SIZE * fabric.word_bytes();
    let clone = |fabric: &mut Fabric<T>, id: GlobalId| -> Result<u8, Error> {
        Ok(initiator(fabric, from)?.clone_segment(id)?.handle())
    };
    // Two windows on one tag, one after the other: the handle of the first is too large for the second.
    let first = fabric.publish(to, Window::new(0x400, 2 * bytes))?;
    let large = clone(fabric, first.id())?;
    first.withdraw(fabric)?;
    let window = fabric.publish(to, Window::new(0x400, bytes))?;
    let window = clone(fabric, window.id())?;
    let stream = fabric.publish(to, Window::stream(0x800, bytes))?;
    let stream = clone(fabric, stream.id())?;
    let off = fabric.publish(to, Window::new(0, bytes))?;
    let closed = clone(fabric, off.id())?;
    let mut queue = fabric.queue(to, 4, 2 * fabric.word_bytes(), None)?;
    let queue = queue.sender(fabric, from, 4)?.handle();
    off.withdraw(fabric)?;
    Ok(Handles {
        window,
        queue,
        closed,
        stream,
        large,
    })
}

/// Every wrong field gives its code, and nothing moves.
pub fn every_error_has_its_code<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    use ErrorCode::*;
    for (width, from, to) in [(32, 1, 4), (64, 6, 5), (64, 2, 2)] {
        let mut fabric = open(width);
        let Handles {
            window,
            queue,
            closed,
            stream,
            large,
        } = prepare(&mut fabric, from, to)?;
        let memory = fabric.memory_bytes(from)?;
        // The first word behind the window, in bytes: at a multiple of 8.
        let behind = SIZE * fabric.word_bytes();
        let mut cases: Vec<(Vec<u32>, ErrorCode)> = Vec::new();
        // Opcode 0 in front of other words is a pad.
        cases.push((vec![0], UnknownOpcode));
        for opcode in 9..32 {
            let is_tile = from < fabric.config().tiles();
            let is_built = match Opcode::from_code(opcode) {
                Some(Opcode::Probe) => Some(fabric.config().probe),
                Some(Opcode::Send | Opcode::Receive) => Some(fabric.config().streams),
                Some(Opcode::Barrier | Opcode::Broadcast | Opcode::Reduce | Opcode::Allreduce) => {
                    Some(fabric.config().mpe > 0)
                }
                Some(Opcode::Move | Opcode::Entry | Opcode::Control) => Some(fabric.config().portals > 0),
                _ => None,
            };
            let error = match is_built {
                Some(true) if is_tile => Malformed,
                Some(_) => NotBuilt,
                None => UnknownOpcode,
            };
            let mut words = vec![opcode, 0, 0, ROW];
            // Four words can set a counter of a Portals engine.
            if Opcode::from_code(opcode) == Some(Opcode::Control) {
                words.push(0);
            }
            cases.push((words, error));
        }
        for opcode in [Opcode::Put, Opcode::Get] {
            let own = |handle| word(opcode, handle);
            cases.extend([
                (vec![own(window)], Malformed),
                (vec![own(window), 0, 0], Malformed),
                (vec![own(window), 0, 0, ROW, 0, 1], Malformed),
                (vec![own(window), 0, 0, ROW, 0, 1, 0, 0], Malformed),
                (vec![own(window), 2, 0, ROW], Malformed),
                (vec![own(window), 0, 2, ROW], Malformed),
                (vec![own(window), 0, 0, 2 << 16 | 2], Malformed),
                (vec![own(UNKNOWN), 0, 0, ROW], UnknownSegment),
                (vec![own(queue), 0, 0, ROW], WrongSegment),
                (vec![own(window), 0, 0, 1 << 16 | (SIZE + 1)], OutOfSegment),
                (vec![own(window), behind, 0, ROW], OutOfSegment),
                (vec![own(window), 0x8000_0000, 0, ROW], OutOfSegment),
                (vec![own(window), 0, 0, 3 << 16 | 2, 8 << 16], OutOfSegment),
                (vec![own(window), 0, 0, 2 << 16 | 2, 4 << 16, 2, 12 << 16], OutOfSegment),
                (vec![own(window), 0, memory, ROW], OutOfMemory),
                (vec![own(window), 0, memory - 8, 1 << 16 | 3], OutOfMemory),
                (vec![own(window), 0, 0x8000_0000, ROW], OutOfMemory),
                (vec![own(window), 0, 0, 3 << 16 | 2, 0xffff], OutOfMemory),
                (vec![own(closed), 0, 0, ROW], UnknownWindow),
                (vec![own(stream), 0, 0, ROW], WrongWindow),
                (vec![own(large), behind, 0, ROW], OutOfWindow),
            ]);
        }
        let own = |handle| word(Opcode::Stream, handle);
        cases.extend([
            (vec![own(stream), 0, 0], Malformed),
            (vec![own(stream), 0, 0, ROW, 0, 1, 0], Malformed),
            (vec![own(stream), 0, 2, ROW], Malformed),
            (vec![own(UNKNOWN), 0, 0, ROW], UnknownSegment),
            (vec![own(queue), 0, 0, ROW], WrongSegment),
            (vec![own(stream), 0, memory, ROW], OutOfMemory),
        ]);
        let own = |handle| word(Opcode::Enqueue, handle);
        cases.extend([
            (vec![own(queue), 0, 0], Malformed),
            (vec![own(queue), 0, 0, ROW, 0], Malformed),
            (vec![own(queue), 0, 2, ROW], Malformed),
            (vec![own(UNKNOWN), 0, 0, ROW], UnknownSegment),
            (vec![own(window), 0, 0, ROW], WrongSegment),
            (vec![own(queue), 0, memory, ROW], OutOfMemory),
            (vec![own(queue), 0, 0, 1 << 16 | 63], TooLong),
        ]);
        for (operation, operands) in [(0, 1), (1, 1), (2, 1), (3, 0), (4, 2), (5, 0), (6, 2)] {
            for wide in [0, 1] {
                let own = |handle| word(Opcode::Atomic, handle) | operation << OPERATION_OFFSET | wide << WIDE_OFFSET;
                let with = |handle, offset, operands| [vec![own(handle), offset], vec![1; operands]].concat();
                let operands = operands << wide;
                cases.extend([
                    (with(window, 0, operands + 1), Malformed),
                    (with(window, 0, 14), Malformed),
                    (with(window, 2, operands), Malformed),
                    (with(window, 4, operands + (1 - wide as usize)), Malformed),
                    (with(UNKNOWN, 0, operands), UnknownSegment),
                    (with(queue, 0, operands), WrongSegment),
                    (with(window, behind, operands), OutOfSegment),
                    (with(closed, 0, operands), UnknownWindow),
                    (with(stream, 0, operands), WrongWindow),
                    (with(large, behind, operands), OutOfWindow),
                ]);
            }
        }
        cases.extend([
            (vec![word(Opcode::Atomic, window) | 7 << OPERATION_OFFSET, 0], Malformed),
            (vec![word(Opcode::Mail, 0), 0], Malformed),
            (vec![word(Opcode::Mail, 0), 0, 0, 0, 0], Malformed),
            (vec![word(Opcode::Fence, window), 0, 0], Malformed),
            (vec![word(Opcode::Fence, UNKNOWN), 0], UnknownSegment),
        ]);
        let programs = [
            (vec![word(Opcode::Program, window)], Malformed),
            (vec![word(Opcode::Program, UNKNOWN), 64], UnknownSegment),
            (vec![word(Opcode::Program, queue), 64], WrongSegment),
            (vec![word(Opcode::Program, window), 63], Malformed),
            (vec![word(Opcode::Program, window), 256], Malformed),
        ];
        let runs_programs = fabric.config().build_of(from).programs;
        cases.extend(programs.map(|(words, code)| (words, if runs_programs { code } else { NotBuilt })));
        for (words, code) in cases {
            let outcome = initiator(&mut fabric, from)?.descriptor::<()>(&words)?.wait(SOON);
            let (node, what) = (from, "descriptor");
            let expected = Err(Error::Refused { node, what, code });
            assert_eq!(outcome, expected, "width {width}, from {from} to {to}: {words:x?}");
        }
        assert_eq!(fabric.read(to, 0x400, 64)?, [0; 64]);
        assert_eq!(fabric.read(to, 0x800, 64)?, [0; 64]);
    }
    Ok(())
}

/// What programs do wrong ends them, with its code.
pub fn programs_that_go_wrong_end<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    let end = SIZE;
    for width in [32, 64] {
        let mut fabric = open(width);
        let Handles { window, .. } = prepare(&mut fabric, 0, 5)?;
        let beyond = fabric.memory_bytes(0)? / fabric.word_bytes();
        // r2 is a local address, r3 a number of words, r4 an offset.
        let arguments = [0, 1, end];
        for (text, code) in [
            ("close last\nrun r2\nstop", ErrorCode::Ended),
            ("run r2, close, last\nclose last, stop", ErrorCode::Ended),
            ("to r4\nrun r2\nclose last, stop", ErrorCode::OutOfSegment),
            ("set r2, r5\nrun r2\nclose last, stop", ErrorCode::OutOfMemory),
        ] {
            let program = fabric.load(0, &assemble(text)?)?;
            let mut words = vec![word(Opcode::Program, window), program.start()];
            words.extend(arguments);
            words.push(beyond);
            let outcome = fabric.tile(0)?.descriptor::<()>(&words)?.wait(SOON);
            let (node, what) = (0, "descriptor");
            assert_eq!(outcome, Err(Error::Refused { node, what, code }), "{text}");
            program.unload(&mut fabric)?;
        }
        // An instruction that does not exist.
        let program = fabric.load_unchecked(0, &[0xf])?;
        assert!(program.start() >= FIRMWARE_WORDS as u32);
        let words = [word(Opcode::Program, window), program.start()];
        let outcome = fabric.tile(0)?.descriptor::<()>(&words)?.wait(SOON);
        let (node, what, code) = (0, "descriptor", ErrorCode::UnknownInstruction);
        assert_eq!(outcome, Err(Error::Refused { node, what, code }));
    }
    Ok(())
}

/// Success is silent, failure is not, whatever the command.
pub fn quiet_commands_count_only_when_they_fail<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    const QUIET: u32 = 1 << QUIET_OFFSET;
    for width in [32, 64] {
        let mut fabric = open(width);
        let Handles {
            window,
            closed,
            stream,
            queue,
            ..
        } = prepare(&mut fabric, 1, 4)?;
        let event = fabric.event(1)?;
        let add = 1 << 22;
        let good = [
            vec![word(Opcode::Put, window), 0, 0, ROW],
            vec![word(Opcode::Get, window), 0, 0, ROW],
            vec![word(Opcode::Put, window), 0, 0, 1 << 16],
            vec![word(Opcode::Atomic, window), 0, 5],
            vec![word(Opcode::Atomic, window) | (2 * add), 0, 5],
            vec![word(Opcode::Stream, stream), 0, 0, ROW],
            vec![word(Opcode::Enqueue, queue), 0, 0, ROW],
            vec![word(Opcode::Fence, window), 0],
        ];
        for words in &good {
            let mut words = words.clone();
            words[0] |= QUIET;
            fabric.tile(1)?.descriptor::<()>(&words)?.count_in(&event)?;
        }
        rest(&mut fabric);
        let state = event.state(&mut fabric)?;
        assert_eq!((state.count, state.error), (0, None));
        // A value comes even so.
        assert_eq!(state.value, 5);
        assert_eq!(fabric.read(4, 0x400, 2)?, [10, 0]);
        for (at, words) in (1..).zip([
            vec![word(Opcode::Put, closed) | QUIET, 0, 0, ROW],
            vec![word(Opcode::Get, closed) | QUIET, 0, 0, ROW],
            vec![word(Opcode::Put, window) | QUIET, 2, 0, ROW],
        ]) {
            fabric.tile(1)?.descriptor::<()>(&words)?.count_in(&event)?;
            rest(&mut fabric);
            let state = event.state(&mut fabric)?;
            // The first error stays.
            assert_eq!((state.count, state.error), (at, Some(ErrorCode::UnknownWindow)));
        }
    }
    Ok(())
}

/// Pads in front of a descriptor, through the host's port and from the network: 12 of them and a put of four words fill block COMMAND.
pub fn pads_are_forgotten_whoever_writes_them<T: Transport>(open: impl Fn(usize) -> Fabric<T>) -> Result<(), Error> {
    for width in [32, 64] {
        let mut fabric = open(width);
        for node in [fabric.host_node(), 1] {
            let bytes = 2 * fabric.word_bytes();
            let segment = fabric.publish(4, Window::new(0x400, bytes))?;
            let remote = initiator(&mut fabric, node)?.clone_segment(segment.id())?;
            let event = fabric.event(node)?;
            let words: Vec<u32> = (0..bytes / 4).map(|at| at + 7).collect();
            fabric.write(node, 0x200, &words)?;
            fabric.write(4, 0x400, &vec![0; words.len()])?;
            let opcodes = (1 << OPCODE_WIDTH) - 1;
            let mut descriptor = vec![!opcodes; MAX_DESCRIPTOR_WORDS - 4];
            let first = word(Opcode::Put, remote.handle()) | u32::from(event.number()) << EVENT_OFFSET;
            descriptor.extend([first, 0, 0x200, ROW]);
            for count in 1..4 {
                fabric.poke(node, CommandRegister::Word, 0, &descriptor)?;
                rest(&mut fabric);
                let state = event.state(&mut fabric)?;
                assert_eq!((state.count, state.error), (count, None), "width {width}, node {node}");
            }
            assert_eq!(fabric.read(4, 0x400, words.len())?, words);
            assert_eq!(fabric.counters(node)?[CounterRegister::Dropped], 0);
        }
    }
    Ok(())
}
