//! The server against the cutter of the golden model: windows, requests, a memory and a plane with pauses at random.

use super::GetServer;
use crate::{
    bus::testing::write,
    prim::testing::{clock, clocked, reset, rng, settle},
};
use portico_golden::fabric::cutter::{Bounds, Cut, Cutter, Outlet};
use portico_spec::{
    flit::{DESTINATION_OFFSET, KIND_OFFSET, LAST_OFFSET, MAX_PAYLOAD_FLITS, SOURCE_OFFSET, TAG_OFFSET},
    ni::{
        build::Build,
        packet::{ControlKind, DataKind, Rows, OFFSET_WIDTH, SLOT_OFFSET, STRIDED_OFFSET, STRIDE_OFFSET},
        registers::{Block, TagRegister},
        window::Mode,
        ErrorCode, INITIALISATION_CYCLES,
    },
};
use portico_verilog::prelude::*;
use rand::{rngs::SmallRng, Rng};
use std::collections::VecDeque;

clocked!([const W: usize] GetServer<W>);

const NODE: u64 = 0x155;
const SOURCE: u64 = 0x0c3;
const SPACE: u64 = (1 << 21) + (1 << 16);

/// The word at an address of the memory.
fn memory_word(width: usize, address: u64) -> u64 {
    (address + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width)
}

/// A window: base and size in words, mode.
#[derive(Clone, Copy)]
struct Window {
    base: u64,
    size: u64,
    mode: Mode,
}

/// A get, in words; the last geometry fields count as far as there are words.
#[derive(Clone, Copy, Debug, Default)]
struct Get {
    tag: u64,
    slot: u64,
    offset: u64,
    pointer: u64,
    row: u64,
    rows: u64,
    /// Local, at the requester.
    strides: [u64; 2],
    planes: u64,
    plane_strides: [u64; 2],
    /// After the ADDRESS word: 2, 3 or 5 of a transfer.
    words: usize,
}

impl Get {
    fn one_row(pointer: u64, row: u64) -> Get {
        Get {
            tag: 5,
            slot: 19,
            offset: 0x77,
            pointer,
            row,
            rows: 1,
            planes: 1,
            words: 2,
            ..Get::default()
        }
    }

    fn packet(&self) -> Vec<u64> {
        let pair = |high: u64, low: u64| high << 16 | low;
        let words = [
            self.pointer,
            pair(self.rows, self.row),
            pair(self.strides[1], self.strides[0]),
            self.planes,
            pair(self.plane_strides[1], self.plane_strides[0]),
        ];
        let head = NODE << DESTINATION_OFFSET
            | SOURCE << SOURCE_OFFSET
            | self.tag << TAG_OFFSET
            | (ControlKind::Get as u64) << KIND_OFFSET
            | 1 << LAST_OFFSET;
        [&[head, self.offset | self.slot << SLOT_OFFSET], &words[..self.words]].concat()
    }

    /// Packets of the reply, and the error for which it breaks off.
    fn replies(&self, window: Window, width: usize) -> (Vec<Vec<u64>>, Option<ErrorCode>) {
        let bounds = Bounds {
            placed: true,
            single: false,
            maximum: MAX_PAYLOAD_FLITS as u64,
            segment: (1 << OFFSET_WIDTH) - 1,
            memory: window.size,
            beyond_memory: ErrorCode::OutOfWindow,
        };
        let shape = Rows {
            row: self.row as u16,
            stride: if self.rows == 1 { self.row } else { self.strides[1] } as u16,
        };
        let mut sent = Replies {
            get: self,
            base: window.base,
            width,
            packets: vec![],
        };
        let mut cutter = Cutter::new(bounds, self.offset, shape);
        let planes = if self.words == 5 { self.planes } else { 1 };
        for plane in 0..if self.rows * self.row > 0 { planes } else { 0 } {
            if plane > 0 {
                cutter.go_to((self.offset + plane * self.plane_strides[1]) as u32, &mut sent);
            }
            for row in 0..self.rows {
                let at = self.pointer + plane * self.plane_strides[0] + row * self.strides[0];
                if let Err(error) = cutter.row(at, &mut sent) {
                    cutter.close(false, &mut sent);
                    sent.end(cutter.offset(), error);
                    return (sent.packets, Some(error));
                }
            }
        }
        cutter.end(&mut sent);
        (sent.packets, None)
    }

    fn refusal(&self, error: ErrorCode) -> Vec<u64> {
        let head = SOURCE << DESTINATION_OFFSET
            | NODE << SOURCE_OFFSET
            | self.slot << TAG_OFFSET
            | (ControlKind::Refuse as u64) << KIND_OFFSET
            | 1 << LAST_OFFSET;
        vec![head, error as u64]
    }
}

/// Packets as they go out.
struct Replies<'a> {
    get: &'a Get,
    base: u64,
    width: usize,
    packets: Vec<Vec<u64>>,
}

impl Replies<'_> {
    fn head(&self, last: bool) -> u64 {
        SOURCE << DESTINATION_OFFSET
            | NODE << SOURCE_OFFSET
            | self.get.slot << TAG_OFFSET
            | (DataKind::Reply as u64) << KIND_OFFSET
            | u64::from(last) << LAST_OFFSET
    }

    fn end(&mut self, offset: u64, error: ErrorCode) {
        let address = (offset % (1 << OFFSET_WIDTH)) | ((error as u64) << SLOT_OFFSET);
        self.packets.push(vec![self.head(true), address]);
    }
}

impl Outlet for Replies<'_> {
    fn read(&self, address: u64) -> u64 {
        memory_word(self.width, (self.base + address) % (1 << OFFSET_WIDTH))
    }

    fn send(&mut self, Cut { place, words, last }: Cut) {
        let mut flits = vec![self.head(last), place.first];
        if let Some(rows) = place.rows {
            flits[1] |= 1 << STRIDED_OFFSET;
            flits.push(u64::from(rows.row) | u64::from(rows.stride) << STRIDE_OFFSET);
        }
        self.packets.push([flits, words].concat());
    }
}

/// How often the neighbours are ready, and how long the memory takes.
#[derive(Clone, Copy)]
struct Mood {
    ready: f64,
    latency: usize,
    jitter: usize,
}

const EAGER: Mood = Mood {
    ready: 1.0,
    latency: 1,
    jitter: 0,
};

/// A packet that the server sent: its flits, the cycle of its head's first offer, and the cycle in which its tail went.
#[derive(Debug)]
struct Sent {
    flits: Vec<u64>,
    offered: usize,
    gone: usize,
}

struct Bench<const W: usize> {
    dut: GetServer<W>,
    rng: SmallRng,
    mood: Mood,
    cycle: usize,
    requests: VecDeque<(u64, bool)>,
    /// Cycles in which requests ended, and in which words were asked for.
    ends: Vec<usize>,
    reads: Vec<usize>,
    memory: VecDeque<(usize, u64)>,
    replies: Vec<Sent>,
    refusals: Vec<Vec<u64>>,
    flits: [Vec<u64>; 2],
    offered: Option<usize>,
}

impl<const W: usize> Bench<W> {
    /// After reset and initialisation, with these windows from tag 5 on.
    fn new(seed: u64, mood: Mood, windows: &[Window]) -> Self {
        let build = Build::FULL.of_memory_node();
        let mut bench = Self {
            dut: reset(GetServer::new(&build, SPACE)),
            rng: rng(seed),
            mood,
            cycle: 0,
            requests: VecDeque::new(),
            ends: vec![],
            reads: vec![],
            memory: VecDeque::new(),
            replies: vec![],
            refusals: vec![],
            flits: Default::default(),
            offered: None,
        };
        bench.dut.node.next = NODE.into();
        bench.dut.sweep.active.next = true;
        for sweep in 0..INITIALISATION_CYCLES {
            bench.dut.sweep.place.next = (sweep as u64).into();
            bench.step();
        }
        bench.dut.sweep.active.next = false;
        for (tag, &Window { base, size, mode }) in (5..).zip(windows) {
            for (register, value) in [
                (TagRegister::Base, base),
                (TagRegister::Size, size),
                (TagRegister::Control, mode as u64),
            ] {
                write(
                    &mut bench.dut.register_write,
                    Block::Tags,
                    8 * tag + register as u64,
                    value,
                );
                bench.dut.register_write.enable.next = true;
                bench.step();
                bench.dut.register_write.enable.next = false;
            }
        }
        bench
    }

    fn ask(&mut self, packet: &[u64]) {
        let last = packet.len() - 1;
        self.requests
            .extend(packet.iter().enumerate().map(|(at, &word)| (word, at == last)));
    }

    fn step(&mut self) {
        let ready = self.mood.ready;
        let mut is_ready = || ready == 1.0 || self.rng.gen_bool(ready);
        let asks = is_ready() && !self.requests.is_empty();
        let (word, last) = self.requests.front().copied().unwrap_or_default();
        self.dut.s_axis.tvalid.next = asks;
        self.dut.s_axis.tdata.next = word.into();
        self.dut.s_axis.tlast.next = last;
        self.dut.m_axis.tready.next = is_ready();
        self.dut.m_axis_refuse.tready.next = is_ready();
        self.dut.memory_read.ready.next = is_ready();
        let answer = self.memory.front().filter(|(due, _)| *due <= self.cycle).copied();
        self.dut.memory_read.data_valid.next = answer.is_some();
        self.dut.memory_read.data.next = answer.map_or(0, |(_, data)| data).into();
        settle(&mut self.dut);

        if asks && self.dut.s_axis.tready.val() {
            self.requests.pop_front();
            if last {
                self.ends.push(self.cycle);
            }
        }
        if answer.is_some() {
            self.memory.pop_front();
        }
        let port = &self.dut.memory_read;
        if port.valid.val() && port.ready.val() {
            self.reads.push(self.cycle);
            let due = self.memory.back().map_or(0, |(due, _)| due + 1);
            let due = due.max(self.cycle + self.mood.latency + self.rng.gen_range(0..=self.mood.jitter));
            self.memory
                .push_back((due, memory_word(W, port.address.val().to_u64())));
        }
        let refuse = &self.dut.m_axis_refuse;
        if refuse.tvalid.val() && refuse.tready.val() {
            self.flits[1].push(refuse.tdata.val().to_u64());
            if refuse.tlast.val() {
                self.refusals.push(std::mem::take(&mut self.flits[1]));
            }
        }
        let data = &self.dut.m_axis;
        if data.tvalid.val() {
            let offered = *self.offered.get_or_insert(self.cycle);
            if data.tready.val() {
                self.flits[0].push(data.tdata.val().to_u64());
                if data.tlast.val() {
                    self.replies.push(Sent {
                        flits: std::mem::take(&mut self.flits[0]),
                        offered,
                        gone: self.cycle,
                    });
                    self.offered = None;
                }
            }
        } else {
            assert!(self.flits[0].is_empty(), "a packet stands still behind its head");
        }
        clock(&mut self.dut);
        self.cycle += 1;
    }

    /// Until all is done; panics if that takes too long.
    fn finish(&mut self) {
        let (end, mut quiet) = (self.cycle + 200_000, 0);
        while quiet < 40 + 2 * (self.mood.latency + self.mood.jitter) {
            assert!(self.cycle < end, "{} words of requests are left", self.requests.len());
            let before = (self.replies.len(), self.refusals.len(), self.reads.len());
            self.step();
            let same = before == (self.replies.len(), self.refusals.len(), self.reads.len());
            let idle = self.requests.is_empty()
                && self.memory.is_empty()
                && self.flits.iter().all(Vec::is_empty)
                && !self.dut.running.val();
            quiet = if same && idle { quiet + 1 } else { 0 };
        }
        assert!(self.flits.iter().all(Vec::is_empty), "a packet has no end");
    }
}

const WINDOWS: [Window; 3] = [
    Window {
        base: 0x1000,
        size: 2000,
        mode: Mode::Window,
    },
    Window {
        base: 0,
        size: 500,
        mode: Mode::Pointer,
    },
    Window {
        base: (1 << OFFSET_WIDTH) - 70,
        size: 3000,
        mode: Mode::Window,
    },
];

#[test]
fn a_short_get_reads_three_cycles_after_its_request_and_goes_with_its_last_word() {
    let mut bench = Bench::<32>::new(0, EAGER, &WINDOWS);
    let get = Get::one_row(10, 2);
    bench.ask(&get.packet());
    bench.finish();
    let asked = bench.ends[0];
    assert_eq!(bench.reads, [asked + 3, asked + 4]);
    let reply = &bench.replies[0];
    assert_eq!(reply.flits, get.replies(WINDOWS[0], 32).0[0]);
    // The last word comes a cycle after it was asked for, and is counted in the next.
    assert_eq!((reply.offered, reply.gone), (asked + 6, asked + 9));
}

#[test]
fn a_long_get_fills_the_link() {
    let mut bench = Bench::<32>::new(0, Mood { latency: 20, ..EAGER }, &WINDOWS);
    bench.ask(&Get::one_row(0, 640).packet());
    bench.finish();
    assert_eq!(bench.replies.len(), 10);
    for pair in bench.replies.windows(2) {
        assert_eq!(pair[1].gone - pair[0].gone, 66);
    }
}

/// Rows of 8 words, eight of them in a packet.
#[test]
fn rows_of_eight_words_fill_the_link() {
    let mut bench = Bench::<32>::new(0, Mood { latency: 20, ..EAGER }, &WINDOWS);
    let get = Get {
        rows: 64,
        strides: [16, 40],
        words: 3,
        ..Get::one_row(0, 8)
    };
    bench.ask(&get.packet());
    bench.finish();
    assert_eq!(bench.replies.len(), 8);
    for pair in bench.replies.windows(2) {
        assert_eq!(pair[1].gone - pair[0].gone, 67);
    }
}

#[test]
fn wrong_requests_are_refused() {
    let good = Get::one_row(10, 7);
    let cases = [
        (Get { tag: 4, ..good }, ErrorCode::UnknownWindow),
        (Get { tag: 6, ..good }, ErrorCode::WrongWindow),
        (Get { words: 0, ..good }, ErrorCode::Malformed),
        (Get { words: 1, ..good }, ErrorCode::Malformed),
        (Get { rows: 2, ..good }, ErrorCode::Malformed),
        (Get { words: 4, ..good }, ErrorCode::Malformed),
    ];
    let mut bench = Bench::<32>::new(0, EAGER, &WINDOWS);
    cases.iter().for_each(|(get, _)| bench.ask(&get.packet()));
    // A head alone has no slot to refuse.
    bench.ask(&good.packet()[..1]);
    bench.ask(&good.packet());
    bench.finish();
    let expected: Vec<_> = cases.iter().map(|&(get, error)| get.refusal(error)).collect();
    assert_eq!(bench.refusals, expected);
    assert_eq!(bench.replies.len(), 1);
}

fn any_get(rng: &mut SmallRng) -> Get {
    let row = match rng.gen_range(0..4) {
        0 => rng.gen_range(0..4),
        1 => rng.gen_range(60..70),
        2 => rng.gen_range(0..300),
        _ => rng.gen_range(1..30),
    };
    let words = [2, 3, 3, 5, 5][rng.gen_range(0..5)];
    let mut stride = || match rng.gen_range(0..4) {
        0 => row,
        1 => rng.gen_range(0..1 << 16),
        _ => rng.gen_range(0..120),
    };
    let [a, b, c, d] = [(); 4].map(|()| stride());
    Get {
        tag: [5, 7, 255][rng.gen_range(0..3)],
        slot: rng.gen_range(0..32),
        offset: rng.gen_range(0..1 << 19),
        pointer: match rng.gen_range(0..8) {
            0 => rng.gen_range(1900..3100),
            1 => u64::from(rng.gen::<u32>()),
            _ => rng.gen_range(0..900),
        },
        row,
        rows: if words == 2 {
            rng.gen_range(0..2)
        } else {
            rng.gen_range(0..8)
        },
        strides: [a, b],
        planes: rng.gen_range(0..4),
        plane_strides: [c, d],
        words,
    }
}

fn random<const W: usize>(seed: u64, mood: Mood) -> (usize, usize, usize) {
    let mut bench = Bench::<W>::new(seed, mood, &WINDOWS);
    let mut rng = rng(seed ^ 0xfeed);
    let gets: Vec<Get> = (0..120).map(|_| any_get(&mut rng)).collect();
    let (mut expected, mut breaks, mut strided) = (vec![], 0, 0);
    for get in &gets {
        bench.ask(&get.packet());
        let window = match get.tag {
            255 => Window {
                base: 0,
                size: SPACE,
                mode: Mode::Window,
            },
            tag => WINDOWS[tag as usize - 5],
        };
        let (packets, error) = get.replies(window, W);
        breaks += usize::from(error.is_some());
        strided += packets
            .iter()
            .filter(|packet| packet[1] >> STRIDED_OFFSET & 1 == 1)
            .count();
        expected.extend(packets.into_iter().map(|packet| (get, packet)));
    }
    bench.finish();
    for (at, (sent, (get, packet))) in bench.replies.iter().zip(&expected).enumerate() {
        assert_eq!(
            format!("{:x?}", sent.flits),
            format!("{packet:x?}"),
            "packet {at}, of {get:?}"
        );
    }
    assert_eq!(bench.replies.len(), expected.len());
    assert!(bench.refusals.is_empty());
    (expected.len(), breaks, strided)
}

#[test]
fn random_gets_are_cut_as_the_model_cuts_them() {
    let mood = |ready, latency, jitter| Mood { ready, latency, jitter };
    for (packets, breaks, strided) in [
        random::<32>(1, EAGER),
        random::<32>(2, mood(0.8, 30, 10)),
        random::<64>(3, mood(0.4, 4, 2)),
    ] {
        assert!(
            packets > 200 && breaks > 10 && strided > 20,
            "{packets}, {breaks}, {strided}"
        );
    }
}
