//! The engine beside a memory, with a stream of descriptors and an accelerator that takes its time.

use super::*;
use crate::prim::testing::{clock, clocked, reset, rng, settle};
use portico_spec::{
    ni::{
        command::{Opcode, EVENT_OFFSET, QUIET_OFFSET},
        registers::{index, StreamRegister},
        ErrorCode,
    },
    streams::{Receive, Send},
};
use rand::{rngs::SmallRng, Rng};
use std::collections::VecDeque;

clocked!([const W: usize, const B: usize] Streams<W, B>);

/// A word of a stream, and its `tlast`.
type Beat = (u64, bool);

/// An event that was counted: when, its number, its error.
type Counted = (u64, u32, u32);

fn config(width: usize) -> Config {
    Config {
        width,
        scratchpad: 4,
        streams: true,
        ..Config::default()
    }
}

/// How often each side is ready.
#[derive(Clone, Copy)]
struct Pace {
    commands: f64,
    memory: f64,
    events: f64,
    leaves: f64,
    comes: f64,
}

const AT_ONCE: Pace = Pace {
    commands: 1.0,
    memory: 1.0,
    events: 1.0,
    leaves: 1.0,
    comes: 1.0,
};

struct Bench<const W: usize, const B: usize> {
    dut: Streams<W, B>,
    pace: Pace,
    rng: SmallRng,
    cycle: u64,
    memory: Vec<u64>,
    /// Data of the read that has passed.
    read: Option<u64>,
    commands: VecDeque<(u32, bool)>,
    coming: VecDeque<Beat>,
    /// What is offered stays.
    command_offered: bool,
    beat_offered: bool,
    /// When the last word of the last descriptor was taken.
    taken: u64,
    left: Vec<(u64, Beat)>,
    /// When each word was written, and its address.
    written: Vec<(u64, usize)>,
    events: Vec<Counted>,
    /// An offer on `m_axis_stream` that was not taken.
    held: Option<Beat>,
}

fn word_zero(opcode: Opcode, event: u32, quiet: bool) -> u32 {
    opcode as u32 | event << EVENT_OFFSET | u32::from(quiet) << QUIET_OFFSET
}

impl<const W: usize, const B: usize> Bench<W, B> {
    fn new(seed: u64, pace: Pace) -> Self {
        let mut rng = rng(seed);
        let memory = (0..(4 << 10) / B).map(|_| rng.gen::<u64>() >> (64 - W)).collect();
        Self {
            dut: reset(Streams::new(&config(W))),
            pace,
            rng,
            cycle: 0,
            memory,
            read: None,
            commands: VecDeque::new(),
            coming: VecDeque::new(),
            command_offered: false,
            beat_offered: false,
            taken: 0,
            left: vec![],
            written: vec![],
            events: vec![],
            held: None,
        }
    }

    fn push(&mut self, words: &[u32]) {
        let last = words.len() - 1;
        self.commands
            .extend(words.iter().enumerate().map(|(at, &word)| (word, at == last)));
    }

    fn send(&mut self, event: u32, send: &Send) {
        let words = send.encode(&config(W)).unwrap();
        self.push(&[&[word_zero(Opcode::Send, event, false)][..], &words].concat());
    }

    fn receive(&mut self, event: u32, receive: &Receive) {
        let words = receive.encode(&config(W)).unwrap();
        self.push(&[&[word_zero(Opcode::Receive, event, false)][..], &words].concat());
    }

    fn tick(&mut self) {
        let Pace {
            commands,
            memory,
            events,
            leaves,
            comes,
        } = self.pace;
        self.command_offered = !self.commands.is_empty() && (self.command_offered || self.rng.gen_bool(commands));
        self.beat_offered = !self.coming.is_empty() && (self.beat_offered || self.rng.gen_bool(comes));
        let (word, last) = self.commands.front().copied().unwrap_or_default();
        let (beat, beat_last) = self.coming.front().copied().unwrap_or_default();
        let dut = &mut self.dut;
        dut.socket.commands.tvalid.next = self.command_offered;
        dut.socket.commands.tdata.next = u64::from(word).into();
        dut.socket.commands.tlast.next = last;
        dut.s_axis_stream.tvalid.next = self.beat_offered;
        dut.s_axis_stream.tdata.next = beat.into();
        dut.s_axis_stream.tlast.next = beat_last;
        dut.m_axis_stream.tready.next = self.rng.gen_bool(leaves);
        dut.socket.memory_read.ready.next = self.rng.gen_bool(memory);
        dut.socket.memory_read.data_valid.next = self.read.is_some();
        dut.socket.memory_read.data.next = self.read.take().unwrap_or_default().into();
        dut.socket.memory_write.ready.next = self.rng.gen_bool(memory);
        dut.socket.event.ready.next = self.rng.gen_bool(events);
        settle(dut);

        let socket = &dut.socket;
        if self.command_offered && socket.commands.tready.val() {
            self.commands.pop_front();
            self.command_offered = false;
            self.taken = self.cycle;
        }
        if self.beat_offered && dut.s_axis_stream.tready.val() {
            self.coming.pop_front();
            self.beat_offered = false;
        }
        let out = &dut.m_axis_stream;
        let offer = out.tvalid.val().then(|| (out.tdata.val().to_u64(), out.tlast.val()));
        if self.held.is_some() {
            assert_eq!(offer, self.held, "cycle {}: an offer changed", self.cycle);
        }
        self.held = offer.filter(|_| !out.tready.val());
        if let (Some(beat), None) = (offer, self.held) {
            self.left.push((self.cycle, beat));
        }
        if socket.memory_read.valid.val() && socket.memory_read.ready.val() {
            self.read = Some(self.memory[socket.memory_read.address.val().index()]);
        }
        let write = &socket.memory_write;
        if write.valid.val() && write.ready.val() {
            assert_eq!(write.lanes.val().to_u64(), (1 << B) - 1);
            let address = write.address.val().index();
            self.memory[address] = write.data.val().to_u64();
            self.written.push((self.cycle, address));
        }
        if socket.event.valid.val() && socket.event.ready.val() {
            let (event, error) = (socket.event.event.val().to_u64(), socket.event.error.val().to_u64());
            self.events.push((self.cycle, event as u32, error as u32));
        }
        clock(&mut self.dut);
        self.cycle += 1;
    }

    fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.tick());
    }

    /// Runs until so many events were counted.
    fn until(&mut self, events: usize) {
        for _ in 0..40_000 {
            if self.events.len() == events {
                return;
            }
            self.tick();
        }
        panic!("{} of {events} events", self.events.len());
    }

    /// What has left, without times.
    fn beats(&self) -> Vec<Beat> {
        self.left.iter().map(|&(_, beat)| beat).collect()
    }

    /// Events and errors, without times.
    fn counted(&self) -> Vec<(u32, u32)> {
        self.events.iter().map(|&(_, event, error)| (event, error)).collect()
    }

    fn register(&mut self, register: StreamRegister) -> u32 {
        self.dut.socket.register.index.next = u64::from(index(register, 0)).into();
        self.dut.socket.register.read.next = true;
        self.tick();
        self.dut.socket.register.read.next = false;
        self.tick();
        self.dut.socket.register.answer.val().to_u64() as u32
    }
}

const ROW: Send = Send {
    address: 0x40,
    row: 16,
    rows: 1,
    stride: 0,
    each_row: false,
};

#[test]
fn rows_leave_in_order_and_tlast_ends_the_last_or_each() {
    for each_row in [false, true] {
        let mut bench = Bench::<32, 4>::new(0x5e0d, AT_ONCE);
        let send = Send {
            rows: 3,
            stride: 40,
            each_row,
            ..ROW
        };
        bench.send(5, &send);
        bench.until(1);
        // Rows of 4 words from words 16, 26 and 36 on.
        let places = [16, 17, 18, 19, 26, 27, 28, 29, 36, 37, 38, 39];
        let expected: Vec<Beat> = places
            .iter()
            .enumerate()
            .map(|(at, &place)| (bench.memory[place], at == 11 || each_row && at % 4 == 3))
            .collect();
        assert_eq!(bench.beats(), expected);
        assert_eq!(bench.counted(), [(5, 0)]);
        assert_eq!(bench.register(StreamRegister::SendWords), 12);
    }
}

#[test]
fn a_word_moves_every_cycle_each_way_at_once() {
    let mut bench = Bench::<32, 4>::new(0xc7c1e, AT_ONCE);
    let all = Send {
        address: 0,
        row: 4096,
        ..ROW
    };
    bench.send(1, &all);
    bench.receive(
        2,
        &Receive {
            address: 0,
            length: 4096,
        },
    );
    bench.coming.extend((0..1024).map(|word| (word, false)));
    while bench.commands.len() > 3 {
        bench.tick();
    }
    let taken = bench.taken;
    bench.until(2);
    let (first, last) = (bench.left[0].0, bench.left[1023].0);
    assert_eq!((first - taken, last - first), (7, 1023));
    let (first_write, last_write) = (bench.written[0], bench.written[1023]);
    assert_eq!(last_write.0 - first_write.0, 1023);
    assert_eq!((first_write.1, last_write.1), (0, 1023));
    let at = |number| bench.events.iter().find(|event| event.1 == number).unwrap().0;
    assert_eq!((at(1), at(2)), (last + 1, last_write.0 + 1));
    // Within the measures: from the first word of the descriptor to the event.
    assert!(at(1) <= 1_040, "{}", at(1));
}

#[test]
fn a_receive_ends_with_tlast_or_its_length_and_the_rest_waits() {
    let mut bench = Bench::<32, 4>::new(0x4ece, AT_ONCE);
    bench.coming.extend((1..=9).map(|word| (word, word == 3)));
    bench.run(20);
    assert!(
        bench.written.is_empty() && bench.coming.len() == 7,
        "two wait in the engine"
    );
    bench.receive(
        1,
        &Receive {
            address: 0x100,
            length: 32,
        },
    );
    bench.until(1);
    assert_eq!(bench.memory[64..67], [1, 2, 3]);
    assert_eq!(bench.written.len(), 3);
    assert_eq!(bench.register(StreamRegister::ReceiveWords), 3);
    bench.receive(
        2,
        &Receive {
            address: 0x200,
            length: 16,
        },
    );
    bench.until(2);
    assert_eq!(bench.memory[128..132], [4, 5, 6, 7]);
    bench.run(20);
    assert_eq!(bench.written.len(), 7);
    bench.receive(
        3,
        &Receive {
            address: 0xff8,
            length: 8,
        },
    );
    bench.until(3);
    assert_eq!(bench.memory[1022..], [8, 9]);
    assert_eq!(bench.counted(), [(1, 0), (2, 0), (3, 0)]);
}

#[test]
fn an_event_counts_after_the_last_write() {
    let slow = Pace { memory: 0.2, ..AT_ONCE };
    let mut bench = Bench::<32, 4>::new(0xe4e, slow);
    for round in 0..40 {
        bench.coming.extend([(round, false), (round + 1, true)]);
        bench.receive(7, &Receive { address: 0, length: 64 });
        bench.until(round as usize + 1);
        let (last, _) = *bench.written.last().unwrap();
        assert_eq!(bench.written.len(), 2 * (round as usize + 1));
        assert_eq!(bench.events.last().unwrap().0, last + 1);
    }
}

#[test]
fn a_bad_descriptor_gets_a_code_and_moves_nothing() {
    let mut bench = Bench::<32, 4>::new(0xbad, AT_ONCE);
    let (send, receive) = (Opcode::Send as u32, Opcode::Receive as u32);
    let malformed = ErrorCode::Malformed;
    let cases: Vec<(Vec<u32>, ErrorCode)> = vec![
        (vec![30, 0, 1 << 16 | 1, 0], ErrorCode::UnknownOpcode),
        (vec![31, 0, 1], ErrorCode::UnknownOpcode),
        (vec![send], malformed),
        (vec![send, 0, 1 << 16 | 1], malformed),
        (vec![send, 0, 1 << 16 | 1, 0, 0], malformed),
        (vec![send; 16], malformed),
        (vec![receive, 0], malformed),
        (vec![receive, 0, 1, 0], malformed),
        (vec![send, 2, 1 << 16 | 1, 0], malformed),
        (vec![send, 0, 1 << 16, 0], malformed),
        (vec![send, 0, 1, 0], malformed),
        (vec![receive, 1, 1], malformed),
        (vec![receive, 0, 0], malformed),
        (vec![send, 4096, 1 << 16 | 1, 0], ErrorCode::OutOfMemory),
        (vec![send, 0, 1 << 16 | 1025, 0], ErrorCode::OutOfMemory),
        (vec![send, 4092, 1 << 16 | 2, 0], ErrorCode::OutOfMemory),
        (vec![send, 1 << 20, 1 << 16 | 1, 0], ErrorCode::OutOfMemory),
        (vec![send, 0, 2 << 16 | 1, 1024], ErrorCode::OutOfMemory),
        (vec![send, 0, 0xffff << 16 | 1, 0xffff], ErrorCode::OutOfMemory),
        (vec![send, 0, 0x8001 << 16 | 1, 0x8000], ErrorCode::OutOfMemory),
        (vec![send, 0, 0x4001 << 16 | 1, 8], ErrorCode::OutOfMemory),
        (vec![receive, 4092, 2], ErrorCode::OutOfMemory),
        (vec![receive, 0, 1 << 17], ErrorCode::OutOfMemory),
        (vec![receive, 0, u32::MAX], ErrorCode::OutOfMemory),
        (vec![receive, u32::MAX - 3, 1], ErrorCode::OutOfMemory),
    ];
    bench.coming.extend((0..4).map(|word| (word, true)));
    for (at, (words, code)) in cases.iter().enumerate() {
        let mut words = words.clone();
        // An error counts even if the descriptor is quiet.
        words[0] |= (at as u32) << EVENT_OFFSET | u32::from(at % 2 == 0) << QUIET_OFFSET;
        bench.push(&words);
        bench.until(at + 1);
        assert_eq!(bench.counted()[at], (at as u32, *code as u32), "{words:x?}");
    }
    assert!(bench.left.is_empty() && bench.written.is_empty());
    assert_eq!(bench.register(StreamRegister::SendStatus), 0);
    assert_eq!(bench.register(StreamRegister::ReceiveStatus), 0);
    // The last words of the memory are none of these.
    bench.send(
        30,
        &Send {
            address: 4092,
            row: 4,
            ..ROW
        },
    );
    bench.send(
        31,
        &Send {
            address: 0,
            row: 4,
            rows: 1024,
            stride: 4,
            ..ROW
        },
    );
    bench.receive(
        32,
        &Receive {
            address: 4092,
            length: 4,
        },
    );
    bench.until(cases.len() + 3);
    assert_eq!(bench.left.len(), 1025);
    assert_eq!(bench.written.len(), 1);
}

#[test]
fn of_each_direction_one_runs_two_wait_and_a_third_is_refused() {
    let held = Pace { leaves: 0.0, ..AT_ONCE };
    let mut bench = Bench::<32, 4>::new(0x2a17, held);
    for event in 1..=5 {
        bench.send(
            event,
            &Send {
                address: 64 * event,
                ..ROW
            },
        );
    }
    for event in 11..=15 {
        bench.receive(
            event,
            &Receive {
                address: 64 * event,
                length: 4,
            },
        );
    }
    bench.run(200);
    let full = ErrorCode::CommandFull as u32;
    assert_eq!(bench.counted(), [(4, full), (5, full), (14, full), (15, full)]);
    assert!(bench.commands.is_empty(), "a stream of descriptors waited");
    let status = |bench: &mut Bench<32, 4>| {
        [StreamRegister::SendStatus, StreamRegister::ReceiveStatus].map(|register| bench.register(register))
    };
    assert_eq!(status(&mut bench), [0b101; 2]);

    // Receives go on while the sends stand.
    bench.coming.extend([(101, true), (102, true), (103, true)]);
    bench.until(7);
    assert_eq!(bench.counted()[4..], [(11, 0), (12, 0), (13, 0)]);
    assert_eq!([11, 12, 13].map(|event| bench.memory[16 * event]), [101, 102, 103]);
    assert_eq!(status(&mut bench), [0b101, 0]);

    bench.pace = AT_ONCE;
    bench.until(10);
    assert_eq!(bench.counted()[7..], [(1, 0), (2, 0), (3, 0)]);
    let expected: Vec<Beat> = (1..=3)
        .flat_map(|event| (0..4).map(move |word| (16 * event + word, word == 3)))
        .map(|(place, last)| (bench.memory[place], last))
        .collect();
    assert_eq!(bench.beats(), expected);
    assert_eq!(status(&mut bench), [0, 0]);
}

/// What a send of a model gives.
fn leaving(memory: &[u64], bytes: usize, send: &Send) -> Vec<Beat> {
    let words = |bytes_of: u32| bytes_of as usize / bytes;
    let (row, rows) = (words(send.row), send.rows as usize);
    let places = (0..rows).flat_map(|at| (0..row).map(move |word| (at, word)));
    let beat = |(at, word): (usize, usize)| {
        let ends = word + 1 == row && (send.each_row || at + 1 == rows);
        (memory[words(send.address) + at * words(send.stride) + word], ends)
    };
    places.map(beat).collect()
}

fn moves_every_word_once<const W: usize, const B: usize>(seed: u64) {
    let pace = Pace {
        commands: 0.9,
        memory: 0.7,
        events: 0.5,
        leaves: 0.6,
        comes: 0.6,
    };
    let mut bench = Bench::<W, B>::new(seed, pace);
    let mut draw = rng(seed + 1);
    let half = 2048u32;
    let (mut expected, mut events) = (vec![], 0);
    for round in 0..60u64 {
        if round % 10 == 0 {
            bench.pace.leaves = draw.gen_range(0.1..1.0);
            bench.pace.comes = draw.gen_range(0.1..1.0);
            bench.pace.memory = draw.gen_range(0.3..1.0);
        }
        // Sends from the lower half, receives into the upper.
        let bytes = B as u32;
        let rows = draw.gen_range(1..5);
        let row = draw.gen_range(1..20) * bytes;
        let stride = draw.gen_range(0..20) * bytes;
        let address = draw.gen_range(0..(half - 4 * 20 * bytes) / bytes) * bytes;
        let send = Send {
            address,
            row,
            rows,
            stride,
            each_row: draw.gen(),
        };
        expected.extend(leaving(&bench.memory, B, &send));
        bench.send(1, &send);
        let length = draw.gen_range(1..40) * bytes;
        let receive = Receive {
            address: half + draw.gen_range(0..(half - length) / bytes) * bytes,
            length,
        };
        let words = draw.gen_range(1..=length / bytes) as usize;
        let stream: Vec<u64> = (0..words).map(|_| draw.gen::<u64>() >> (64 - W)).collect();
        let is_full = words == (length / bytes) as usize && draw.gen();
        bench.coming.extend(
            stream
                .iter()
                .enumerate()
                .map(|(at, &word)| (word, at + 1 == words && !is_full)),
        );
        bench.receive(2, &receive);
        events += 2;
        let before = bench.written.len();
        bench.until(events);
        let place = receive.address as usize / B;
        assert_eq!(bench.memory[place..place + words], stream[..], "round {round}");
        assert_eq!(bench.written.len() - before, words, "round {round}");
    }
    assert_eq!(bench.beats(), expected);
    assert!(bench.counted().iter().all(|&(_, error)| error == 0));
}

#[test]
fn every_word_moves_once_and_in_order_under_random_stalls() {
    moves_every_word_once::<32, 4>(0x57e4);
    moves_every_word_once::<64, 8>(0x57e5);
}

#[test]
fn nothing_is_counted_for_what_is_quiet() {
    let mut bench = Bench::<32, 4>::new(0x901e, AT_ONCE);
    let words = ROW.encode(&config(32)).unwrap();
    bench.push(&[&[word_zero(Opcode::Send, 3, true)][..], &words].concat());
    bench.run(40);
    assert_eq!((bench.left.len(), bench.events.len()), (4, 0));
    assert_eq!(bench.register(StreamRegister::SendWords), 4);
}

#[test]
fn reset_forgets_what_runs_and_what_waits() {
    let held = Pace { leaves: 0.0, ..AT_ONCE };
    let mut bench = Bench::<32, 4>::new(0x2e5e, held);
    for event in 1..=3 {
        bench.send(event, &ROW);
        bench.receive(event, &Receive { address: 0, length: 8 });
    }
    bench.coming.push_back((9, false));
    bench.run(100);
    bench.dut = reset(bench.dut);
    (bench.read, bench.held, bench.pace) = (None, None, AT_ONCE);
    bench.written.clear();
    bench.run(50);
    assert!(bench.left.is_empty() && bench.written.is_empty() && bench.events.is_empty());
    bench.send(7, &ROW);
    bench.until(1);
    assert_eq!(bench.beats().len(), 4);
}
