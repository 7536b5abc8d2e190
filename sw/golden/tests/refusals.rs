//! Every wrong field of every descriptor gives its error, counts once in its event, and changes nothing.

use portico_golden::GoldenFabric;
use portico_spec::{
    ni::{
        assembler::assemble,
        event::{Compare, COMPARE_OFFSET},
        packet::ERROR_WIDTH,
        registers::{Block, BASE_BYTES, BLOCK_OFFSET},
        segment::SegmentKind,
        window::Mode,
        ErrorCode,
    },
    Config,
};

const INITIATOR: usize = 0;
const TARGET: usize = 3;
const EVENT: u32 = 9;

/// Handles of the initiator, and the target's tags that they stand for.
const WINDOW: u32 = 1;
const QUEUE: u32 = 2;
/// A segment that is larger than the target's window.
const TOO_LARGE: u32 = 3;
/// A segment whose tag is off, and one whose tag is a queue.
const CLOSED: u32 = 4;
const MISTAKEN: u32 = 5;
/// The target's whole address space.
const SPACE: u32 = 6;
/// A segment of a node that the fabric does not have.
const ABSENT: u32 = 7;
const NONE: u32 = 77;

struct Bench {
    fabric: GoldenFabric,
    bytes: u32,
}

impl Bench {
    fn new(width: usize) -> Bench {
        let config = Config {
            cols: 2,
            rows: 2,
            width,
            scratchpad: 4,
            ..Config::default()
        };
        let bytes = (width / 8) as u32;
        let mut bench = Bench {
            fabric: GoldenFabric::new(&config),
            bytes,
        };
        for node in [INITIATOR, TARGET] {
            for address in (0..4096).step_by(4) {
                bench.fabric.write(node, address, (node as u32) << 16 | address);
            }
        }
        for (tag, mode) in [(1, Mode::Window), (2, Mode::Queue)] {
            bench.set(TARGET, Block::Tags, tag * 8, 64);
            bench.set(TARGET, Block::Tags, tag * 8 + 1, 16);
            // A queue of four slots of four words.
            bench.set(TARGET, Block::Tags, tag * 8 + 2, mode as u32 | 2 << 10 | 2 << 16);
        }
        let target = 1 | 1 << 4;
        let (window, queue) = (SegmentKind::Window, SegmentKind::Queue);
        for (handle, tag, kind, size) in [
            (WINDOW, 1, window, 16),
            (QUEUE, 2, queue, 16),
            (TOO_LARGE, 1, window, 1 << 12),
            (CLOSED, 7, window, 16),
            (MISTAKEN, 2, window, 16),
            (SPACE, 255, window, 1 << 20),
        ] {
            bench.set(
                INITIATOR,
                Block::Segments,
                handle * 4,
                target | tag << 9 | (kind as u32) << 17,
            );
            bench.set(INITIATOR, Block::Segments, handle * 4 + 1, size);
            bench.set(INITIATOR, Block::Segments, handle * 4 + 2, 1);
        }
        bench.set(INITIATOR, Block::Segments, ABSENT * 4, 2 | (window as u32) << 17);
        bench.set(INITIATOR, Block::Segments, ABSENT * 4 + 1, 16);
        bench
    }

    fn register(&self, block: Block, place: u32) -> u32 {
        BASE_BYTES as u32 + ((block as u32) << BLOCK_OFFSET | place) * self.bytes
    }

    fn set(&mut self, node: usize, block: Block, place: u32, data: u32) {
        self.fabric.write(node, self.register(block, place), data);
    }

    fn get(&mut self, node: usize, block: Block, place: u32) -> u32 {
        self.fabric.read(node, self.register(block, place))
    }

    fn push(&mut self, words: &[u32]) {
        for (place, &word) in (16 - words.len() as u32..).zip(words) {
            self.set(INITIATOR, Block::Command, place, word);
        }
    }

    fn memories(&mut self) -> Vec<u32> {
        let all = [INITIATOR, TARGET].map(|node| (0..4096).step_by(4).map(move |address| (node, address)));
        all.into_iter()
            .flatten()
            .map(|(node, address)| self.fabric.read(node, address))
            .collect()
    }

    /// Count and error of the event.
    fn event(&mut self) -> (u32, Option<ErrorCode>) {
        let status = self.get(INITIATOR, Block::Events, EVENT * 8 + 2);
        (
            self.get(INITIATOR, Block::Events, EVENT * 8),
            ErrorCode::from_code(status & ((1 << ERROR_WIDTH) - 1)),
        )
    }

    /// What the descriptor does, in a fabric of its own.
    fn refused(width: usize, words: &[u32]) -> ErrorCode {
        let mut bench = Bench::new(width);
        let before = bench.memories();
        bench.push(words);
        assert_eq!(bench.memories(), before, "{words:x?}");
        assert!(bench.fabric.is_idle(), "{words:x?}");
        for tag in [1, 2] {
            let counters = [3, 5, 6].map(|field| bench.get(TARGET, Block::Tags, tag * 8 + field));
            assert_eq!(counters, [0, 0, 0], "{words:x?}");
        }
        let (count, error) = bench.event();
        assert_eq!(count, 1, "{words:x?}");
        error.unwrap_or_else(|| panic!("{words:x?} succeeds"))
    }
}

fn word(opcode: u32, segment: u32) -> u32 {
    opcode | EVENT << 8 | segment << 14
}

const PUT: u32 = 1;
const GET: u32 = 2;
const STREAM: u32 = 3;
const ENQUEUE: u32 = 4;
const ATOMIC: u32 = 5;
const MAIL: u32 = 6;
const FENCE: u32 = 7;
const PROGRAM: u32 = 8;
const PROBE: u32 = 20;
const BARRIER: u32 = 16;
const ALLREDUCE: u32 = 19;
const MOVE: u32 = 24;
const CONTROL: u32 = 26;
const SEND: u32 = 28;
const RECEIVE: u32 = 29;

fn expect(cases: &[(&[u32], ErrorCode)]) {
    for width in [32, 64] {
        for &(words, error) in cases {
            // Addresses are written for 8-byte words: aligned at both widths.
            assert_eq!(Bench::refused(width, words), error, "{width} bits, {words:x?}");
        }
    }
}

#[test]
fn opcodes_that_do_not_exist() {
    expect(&[(&[word(0, WINDOW)], ErrorCode::UnknownOpcode)]);
    for opcode in 9..32 {
        for length in [2, 4, 16] {
            let mut words = vec![0; length];
            words[0] = word(opcode, WINDOW);
            let error = match opcode {
                BARRIER..=ALLREDUCE | PROBE | MOVE..=CONTROL | SEND | RECEIVE => ErrorCode::NotBuilt,
                _ => ErrorCode::UnknownOpcode,
            };
            expect(&[(&words, error)]);
        }
    }
}

#[test]
fn puts_and_gets() {
    for opcode in [PUT, GET] {
        let own = |segment| word(opcode, segment);
        let row = 1 << 16 | 2;
        expect(&[
            (&[own(WINDOW), 0], ErrorCode::Malformed),
            (&[own(WINDOW), 0, 0], ErrorCode::Malformed),
            (&[own(WINDOW), 0, 0, row, 0, 1], ErrorCode::Malformed),
            (&[own(WINDOW), 0, 0, row, 0, 1, 0, 0], ErrorCode::Malformed),
            (&[own(WINDOW), 2, 0, row], ErrorCode::Malformed),
            (&[own(WINDOW), 0, 2, row], ErrorCode::Malformed),
            // Rows without strides.
            (&[own(WINDOW), 0, 0, 2 << 16 | 2], ErrorCode::Malformed),
            (&[own(NONE), 0, 0, row], ErrorCode::UnknownSegment),
            (&[own(QUEUE), 0, 0, row], ErrorCode::WrongSegment),
            (&[own(WINDOW), 0, 0, 1 << 16 | 17], ErrorCode::OutOfSegment),
            (&[own(WINDOW), 0, 0, 3 << 16 | 2, 8 << 16], ErrorCode::OutOfSegment),
            (
                &[own(WINDOW), 0, 0, 2 << 16 | 2, 4 << 16, 2, 12 << 16],
                ErrorCode::OutOfSegment,
            ),
            (&[own(WINDOW), 0, 4096, row], ErrorCode::OutOfMemory),
            (&[own(WINDOW), 0, 0, 3 << 16 | 2, 1000], ErrorCode::OutOfMemory),
            (&[own(WINDOW), 0, 0, 2 << 16 | 2, 1, 2, 1023], ErrorCode::OutOfMemory),
            (&[own(CLOSED), 0, 0, row], ErrorCode::UnknownWindow),
            (&[own(MISTAKEN), 0, 0, row], ErrorCode::WrongWindow),
            (&[own(TOO_LARGE), 0x1000, 0, row], ErrorCode::OutOfWindow),
        ]);
    }
}

#[test]
fn streams() {
    let own = |segment| word(STREAM, segment);
    let row = 1 << 16 | 2;
    expect(&[
        (&[own(WINDOW), 0, 0], ErrorCode::Malformed),
        (&[own(WINDOW), 0, 0, row, 0, 1, 0], ErrorCode::Malformed),
        (&[own(WINDOW), 0, 2, row], ErrorCode::Malformed),
        (&[own(NONE), 0, 0, row], ErrorCode::UnknownSegment),
        (&[own(QUEUE), 0, 0, row], ErrorCode::WrongSegment),
        (&[own(WINDOW), 0, 4096, row], ErrorCode::OutOfMemory),
    ]);
}

#[test]
fn messages() {
    let own = |segment| word(ENQUEUE, segment);
    let row = 1 << 16 | 2;
    expect(&[
        (&[own(QUEUE), 0, 0], ErrorCode::Malformed),
        (&[own(QUEUE), 0, 0, row, 0], ErrorCode::Malformed),
        (&[own(QUEUE), 0, 2, row], ErrorCode::Malformed),
        (&[own(NONE), 0, 0, row], ErrorCode::UnknownSegment),
        (&[own(WINDOW), 0, 0, row], ErrorCode::WrongSegment),
        (&[own(QUEUE), 0, 4096, row], ErrorCode::OutOfMemory),
        (&[own(QUEUE), 0, 0, 1 << 16 | 63], ErrorCode::TooLong),
    ]);
}

#[test]
fn atomics() {
    let own = |segment, operation: u32, wide: u32| word(ATOMIC, segment) | operation << 22 | wide << 25;
    for (operation, operands) in [(0, 1), (1, 1), (2, 1), (3, 0), (4, 2), (5, 0), (6, 2)] {
        for wide in [0, 1] {
            let words = operands << wide;
            for length in (0..=14).filter(|&length| length != words) {
                let mut descriptor = vec![own(WINDOW, operation, wide), 0];
                descriptor.extend(vec![1; length]);
                expect(&[(&descriptor, ErrorCode::Malformed)]);
            }
            for (segment, offset, error) in [
                (WINDOW, 2, ErrorCode::Malformed),
                (NONE, 0, ErrorCode::UnknownSegment),
                (QUEUE, 0, ErrorCode::WrongSegment),
                (WINDOW, 128, ErrorCode::OutOfSegment),
                (CLOSED, 0, ErrorCode::UnknownWindow),
                (MISTAKEN, 0, ErrorCode::WrongWindow),
                (TOO_LARGE, 0x1000, ErrorCode::OutOfWindow),
            ] {
                let mut descriptor = vec![own(segment, operation, wide), offset];
                descriptor.extend(vec![1; words]);
                expect(&[(&descriptor, error)]);
            }
            if wide == 1 {
                let mut descriptor = vec![own(WINDOW, operation, 1), 4];
                descriptor.extend(vec![1; words]);
                expect(&[(&descriptor, ErrorCode::Malformed)]);
            }
        }
    }
    expect(&[(&[own(WINDOW, 7, 0), 0], ErrorCode::Malformed)]);
}

/// The host does none of 64 bits by default, and the tiles do.
#[test]
fn atomics_of_two_words_at_a_node_without_them() {
    let config = Config {
        cols: 2,
        rows: 2,
        edge_nodes: 1,
        ..Config::default()
    };
    let (host, node) = (config.tiles(), u32::from(config.host_node().number()));
    let fabric = GoldenFabric::new(&config);
    let mut bench = Bench { fabric, bytes: 4 };
    let target = node | 255 << 9 | (SegmentKind::Window as u32) << 17;
    bench.set(INITIATOR, Block::Segments, SPACE * 4, target);
    bench.set(INITIATOR, Block::Segments, SPACE * 4 + 1, 1 << 18);
    bench.fabric.write(host, 0x40, 5);
    bench.fabric.write(host, 0x44, 6);
    let add = |wide: u32| word(ATOMIC, SPACE) | wide << 25;
    bench.push(&[add(1), 0x40, 1, 0]);
    assert_eq!(bench.event(), (1, Some(ErrorCode::Malformed)));
    assert_eq!([0x40, 0x44].map(|address| bench.fabric.read(host, address)), [5, 6]);
    bench.push(&[add(0), 0x40, 1]);
    assert_eq!([0x40, 0x44].map(|address| bench.fabric.read(host, address)), [6, 6]);
}

/// Of a register there is only the poke of 32 bits.
#[test]
fn atomics_on_registers() {
    let ends = BASE_BYTES as u32 + ((Block::Tags as u32) << BLOCK_OFFSET | 8 | 5) * 8;
    for (operation, operands) in [(0, 1), (1, 1), (2, 1), (3, 0), (4, 2), (5, 0), (6, 2)] {
        for wide in [0, 1] {
            let mut descriptor = vec![word(ATOMIC, SPACE) | operation << 22 | wide << 25, ends];
            descriptor.extend(vec![1; operands << wide]);
            if (operation, wide) != (1, 0) {
                expect(&[(&descriptor, ErrorCode::OutOfWindow)]);
            }
        }
    }
    let mut bench = Bench::new(32);
    let pointer = bench.register(Block::Tags, 8 + 3);
    bench.push(&[word(ATOMIC, SPACE) | 1 << 22, pointer, 77]);
    assert_eq!((bench.event(), bench.get(TARGET, Block::Tags, 8 + 3)), ((1, None), 77));
}

/// Gives the initiator a program, and starts it with these registers from r2 on.
fn run(program: &[u32], registers: &[u32]) -> Bench {
    let mut bench = Bench::new(32);
    for (place, &word) in (64..).zip(program) {
        bench.set(INITIATOR, Block::Program, place, word);
    }
    bench.push(&[&[word(PROGRAM, WINDOW), 64], registers].concat());
    bench
}

#[test]
fn programs_that_are_none() {
    let immediate = 3 << 12;
    let (add, enter) = (2 | immediate, 3 | immediate | 1 << 17);
    let [ends, ends_two] = [1, 2].map(|loops| loops << 14);
    for program in [
        vec![13],
        vec![add | ends],
        vec![enter, add | ends_two],
        vec![enter, enter | ends],
        vec![enter; 5],
        vec![add; 192],
    ] {
        let mut bench = run(&program, &[]);
        assert_eq!(bench.event(), (1, Some(ErrorCode::UnknownInstruction)), "{program:x?}");
    }
}

#[test]
fn a_row_without_words_moves_nothing() {
    let row = 6 | 2 << 4 | 4 << 8 | 1 << 12;
    let last_word = 7 | 2 << 4 | 3 << 12 | 7 << 17;
    let mut bench = run(&[row, last_word], &[16, 0, 9 << 16 | 7]);
    assert_eq!(bench.event(), (1, None));
    assert_eq!(bench.fabric.read(TARGET, 256), 16);
}

#[test]
fn there_is_no_window_and_no_segment_behind_the_last() {
    let mut bench = Bench::new(32);
    let (tags, segments) = (256 * 8, 256 * 4);
    bench.set(TARGET, Block::Tags, tags + 8 + 3, 5);
    assert_eq!(bench.get(TARGET, Block::Tags, 8 + 3), 0);
    bench.set(TARGET, Block::Tags, 8 + 3, 5);
    assert_eq!(bench.get(TARGET, Block::Tags, tags + 8 + 3), 0);
    bench.set(INITIATOR, Block::Segments, segments + WINDOW * 4 + 1, 0);
    bench.push(&[word(PUT, WINDOW), 0, 0, 1 << 16 | 2]);
    assert_eq!(bench.event(), (1, None));
}

#[test]
fn others() {
    expect(&[
        (&[word(MAIL, 0), 0], ErrorCode::Malformed),
        (&[word(MAIL, 0), 0, 0, 0, 0], ErrorCode::Malformed),
        (&[word(FENCE, WINDOW), 0, 0], ErrorCode::Malformed),
        (&[word(FENCE, NONE), 0], ErrorCode::UnknownSegment),
        (&[word(PROGRAM, WINDOW)], ErrorCode::Malformed),
        (&[word(PROGRAM, NONE), 64], ErrorCode::UnknownSegment),
        (&[word(PROGRAM, QUEUE), 64], ErrorCode::WrongSegment),
        (&[word(PROGRAM, WINDOW), 63], ErrorCode::Malformed),
        (&[word(PROGRAM, WINDOW), 256], ErrorCode::Malformed),
    ]);
}

#[test]
fn nodes_that_are_absent() {
    let row = 1 << 16 | 2;
    let absent = ErrorCode::AbsentNode;
    expect(&[
        (&[word(PUT, ABSENT), 0, 0, row], absent),
        (&[word(GET, ABSENT), 0, 0, row], absent),
        (&[word(STREAM, ABSENT), 0, 0, row], absent),
        // Absent before of another kind.
        (&[word(ENQUEUE, ABSENT), 0, 0, row], absent),
        (&[word(ATOMIC, ABSENT), 0, 1], absent),
        (&[word(FENCE, ABSENT), 0], absent),
        (&[word(PROGRAM, ABSENT), 64], absent),
        (&[word(MAIL, 0), 2, 1, 1], absent),
        (&[word(MAIL, 0), 2 << 4, 1, 1], absent),
    ]);
}

/// Words with opcode 0 in front of a descriptor are no part of it, whatever their other bits are.
#[test]
fn pads_in_front_of_a_descriptor_are_forgotten() {
    for pads in [1, 2, 12] {
        let mut bench = Bench::new(32);
        let mut words = vec![word(0, WINDOW) | 1 << 31; pads];
        words.extend([word(PUT, WINDOW), 0, 0, 1 << 16 | 2]);
        bench.push(&words);
        assert_eq!(bench.event(), (1, None), "{pads} pads");
        assert_eq!(bench.get(TARGET, Block::Tags, 8 + 5), 1);
    }
}

#[test]
fn a_drained_command_is_not_sent_behind_an_error_of_its_event() {
    let drained = 1 << 28;
    for width in [32, 64] {
        let mut bench = Bench::new(width);
        let put = [word(PUT, WINDOW) | drained, 0, 0, 1 << 16 | 2];
        // An error of another event does not matter.
        bench.push(&[word(PUT, NONE) ^ 1 << 8, 0, 0, 1 << 16 | 2]);
        bench.push(&put);
        assert_eq!(bench.event(), (1, None));
        bench.push(&[word(PUT, CLOSED), 0, 0, 1 << 16 | 2]);
        bench.push(&put);
        bench.push(&[word(FENCE, WINDOW) | drained]);
        assert_eq!(bench.event(), (4, Some(ErrorCode::UnknownWindow)));
        assert_eq!(bench.get(TARGET, Block::Tags, 8 + 5), 1, "one put has come");
        bench.set(INITIATOR, Block::Events, EVENT * 8 + 2, 0);
        bench.push(&put);
        assert_eq!(bench.event(), (5, None));
        assert_eq!(bench.get(TARGET, Block::Tags, 8 + 5), 2);
    }
}

#[test]
fn a_drained_command_waits_for_all_but_those_that_are_parked() {
    let drained = 1 << 28;
    let mut bench = Bench::new(32);
    bench.set(INITIATOR, Block::Segments, QUEUE * 4 + 2, 0);
    bench.push(&[word(ENQUEUE, QUEUE), 0, 0, 1 << 16 | 1]);
    bench.push(&[word(PUT, WINDOW) | drained, 0, 0, 1 << 16 | 2]);
    assert_eq!(bench.event(), (1, None));
    // A program runs until its event fires.
    let words = assemble("wait 8\nstop").expect("a program");
    for (place, &word) in (64..).zip(&words) {
        bench.set(INITIATOR, Block::Program, place, word);
    }
    let at_least_one = 1 | (Compare::AtLeast as u32) << COMPARE_OFFSET;
    bench.set(INITIATOR, Block::Events, 8 * 8 + 1, at_least_one);
    bench.push(&[word(PROGRAM, SPACE), 64]);
    bench.push(&[word(MAIL, 0) | drained, 1 | 1 << 4, 1, 1]);
    bench.push(&[word(PUT, WINDOW), 0, 0, 1 << 16 | 2]);
    assert_eq!(bench.event(), (1, None));
    bench.set(INITIATOR, Block::Events, 8 * 8, 1);
    assert_eq!(bench.event(), (4, None));
}

#[test]
fn a_quiet_command_counts_only_when_it_fails() {
    let quiet = 1 << 27;
    let mut bench = Bench::new(32);
    bench.push(&[word(PUT, WINDOW) | quiet, 0, 0, 1 << 16 | 2]);
    assert_eq!(bench.event(), (0, None));
    assert_eq!(bench.fabric.read(TARGET, 256), 0);
    bench.push(&[word(PUT, NONE) | quiet, 0, 0, 1 << 16 | 2]);
    assert_eq!(bench.event(), (1, Some(ErrorCode::UnknownSegment)));
}

/// All cores but one park a command that has no credit, and a fence behind it; one more is refused.
#[test]
fn commands_without_a_credit_are_parked_and_one_more_is_refused() {
    const CORES: u32 = 8;
    let mut bench = Bench::new(32);
    bench.set(INITIATOR, Block::Segments, QUEUE * 4 + 2, 0);
    for _ in 2..CORES {
        bench.push(&[word(ENQUEUE, QUEUE), 0, 0, 1 << 16 | 1]);
    }
    bench.push(&[word(FENCE, QUEUE)]);
    assert_eq!(bench.event(), (0, None));
    bench.push(&[word(FENCE, QUEUE)]);
    assert_eq!(bench.event(), (1, Some(ErrorCode::NoCredit)));
    bench.push(&[word(PUT, WINDOW), 0, 0, 1 << 16 | 1]);
    assert_eq!(bench.event(), (2, Some(ErrorCode::NoCredit)));
    // The queue has four slots.
    bench.set(INITIATOR, Block::Segments, QUEUE * 4 + 2, 4);
    assert_eq!(bench.event().0, 6);
    // A release of more than there are gives back what there is, and lets as many waiting messages go.
    bench.set(TARGET, Block::Release, 2, 100);
    assert_eq!((bench.event().0, bench.get(TARGET, Block::Tags, 2 * 8 + 6)), (9, 4));
}

#[test]
fn a_descriptor_that_does_not_fit_the_queue_is_dropped_whole() {
    let mut bench = Bench::new(32);
    // A program keeps the segment until its event fires; the queue has room for 16 puts of four words.
    let words = assemble("wait 8\nstop").expect("a program");
    for (place, &word) in (64..).zip(&words) {
        bench.set(INITIATOR, Block::Program, place, word);
    }
    bench.set(
        INITIATOR,
        Block::Events,
        8 * 8 + 1,
        1 | (Compare::AtLeast as u32) << COMPARE_OFFSET,
    );
    bench.push(&[word(PROGRAM, WINDOW), 64]);
    for _ in 0..16 + 3 {
        bench.push(&[word(PUT, WINDOW), 0, 0, 1 << 16 | 1]);
    }
    assert_eq!(bench.get(INITIATOR, Block::Counters, 7), 3);
    assert_eq!(bench.event(), (0, None));
    bench.set(INITIATOR, Block::Events, 8 * 8, 1);
    assert_eq!(bench.event(), (17, None));
    assert_eq!(bench.get(TARGET, Block::Tags, 8 + 5), 16);
    // Seventeen words are too many for any descriptor.
    for place in [0; 16].into_iter().chain([15]) {
        bench.set(INITIATOR, Block::Command, place, PUT);
    }
    assert_eq!(bench.get(INITIATOR, Block::Counters, 7), 4);
}

#[test]
fn nothing_reaches_beyond_a_memory_or_wraps() {
    let mut bench = Bench::new(32);
    // The window claims more than the memory has.
    bench.set(TARGET, Block::Tags, 8 + 1, 1 << 17);
    bench.push(&[word(PUT, TOO_LARGE), 4096 - 256 - 4, 0, 1 << 16 | 4]);
    assert_eq!(bench.event(), (1, Some(ErrorCode::OutOfWindow)));
    assert_eq!(bench.get(TARGET, Block::Counters, 6), 3);
    assert_eq!(bench.fabric.read(TARGET, 4092), 0);
    assert_eq!(bench.fabric.read(TARGET, 0), (TARGET as u32) << 16);
    // The next transfer on the tag is not to blame.
    bench.push(&[word(PUT, TOO_LARGE), 0, 0, 1 << 16 | 4]);
    assert_eq!((bench.event().0, bench.get(TARGET, Block::Tags, 8 + 5)), (2, 1));
}
