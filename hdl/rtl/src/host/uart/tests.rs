use super::*;
use crate::prim::testing::{clock, clocked, emitted, reset, rng, settle};
use portico_spec::uart::{crc, Bone, Code, Status, ANSWER, FRAME_WORDS, PATIENCE_CYCLES, PAUSE_BITS, SESSION_BIT};
use portico_verilog::prelude::*;
use rand::Rng;
use std::collections::{HashMap, VecDeque};

clocked!([] UartReceiver);
clocked!([] UartTransmitter);
clocked!([] FrameCheck);
clocked!([] UartBridge);

#[test]
fn every_block_emits() {
    emitted("uart-receiver", &UartReceiver::default());
    emitted("uart-transmitter", &UartTransmitter::default());
    emitted("frame-check", &FrameCheck::default());
    let mut bridge = UartBridge::default();
    bridge.connect_all();
    emitted("uart-bridge", &bridge);
}

#[test]
fn bytes_pass_a_line_whose_ends_differ_by_4_percent() {
    for (sends, takes) in [
        (4, 4),
        (5, 5),
        (50, 50),
        (52, 50),
        (48, 50),
        (16, 16),
        (31, 32),
        (33, 32),
    ] {
        let mut rng = rng(sends);
        let mut from = reset(UartTransmitter::default());
        let mut to = reset(UartReceiver::default());
        from.bit_cycles.next = sends.into();
        to.bit_cycles.next = takes.into();
        let bytes: Vec<u64> = [0, 255]
            .into_iter()
            .chain((0..40).map(|_| rng.gen_range(0..256)))
            .collect();
        let (mut next, mut found) = (0, vec![]);
        for _ in 0..(bytes.len() as u64 + 2) * 12 * sends {
            let offers = next < bytes.len() && rng.gen_bool(0.8);
            from.valid.next = offers;
            from.data.next = bytes.get(next).copied().unwrap_or(0).into();
            to.rx.next = from.tx.val();
            settle(&mut from);
            next += usize::from(offers && from.ready.val());
            clock(&mut from);
            clock(&mut to);
            assert!(!to.error.val());
            if to.valid.val() {
                found.push(to.data.val().to_u64());
            }
        }
        assert_eq!(found, bytes, "{sends} cycles a bit to {takes}");
    }
}

#[test]
fn a_byte_without_a_stop_bit_is_an_error_and_a_glitch_is_nothing() {
    let mut dut = reset(UartReceiver::default());
    dut.bit_cycles.next = 20.into();
    let mut line = |level: bool, cycles: usize| {
        let mut seen = (0, 0);
        for _ in 0..cycles {
            dut.rx.next = level;
            clock(&mut dut);
            seen = (seen.0 + u32::from(dut.valid.val()), seen.1 + u32::from(dut.error.val()));
        }
        seen
    };
    line(true, 50);
    line(false, 8);
    assert_eq!(line(true, 400), (0, 0), "a glitch");
    assert_eq!(line(false, 205), (0, 1), "no stop bit");
}

#[test]
fn the_crc_is_that_of_the_specification() {
    let mut rng = rng(0xc4c);
    let mut dut = reset(FrameCheck::default());
    for length in [1, 2, 9, 40] {
        let bytes: Vec<u8> = (0..length).map(|_| rng.gen()).collect();
        for (at, &byte) in bytes.iter().enumerate() {
            dut.valid.next = true;
            dut.first.next = at == 0;
            dut.data.next = u64::from(byte).into();
            clock(&mut dut);
            dut.valid.next = false;
            while dut.busy.val() {
                clock(&mut dut);
            }
        }
        assert_eq!(dut.crc.val(), u64::from(crc(&bytes)));
    }
}

const BIT: u64 = 4;

/// A bridge, a line, and a slave with a memory that refuses one address and may fall silent.
struct Bench {
    dut: UartBridge,
    out: UartTransmitter,
    back: UartReceiver,
    memory: HashMap<u64, u64>,
    writes: Vec<(u64, u64)>,
    reads: usize,
    response: Option<(bool, u64, u64)>,
    silent: bool,
    resets: usize,
    errors: usize,
    came: VecDeque<u8>,
}

/// The slave refuses this byte address.
const REFUSED: u64 = 0x7000;

impl Bench {
    fn new() -> Self {
        let mut bench = Bench {
            dut: reset(UartBridge::default()),
            out: reset(UartTransmitter::default()),
            back: reset(UartReceiver::default()),
            memory: HashMap::new(),
            writes: vec![],
            reads: 0,
            response: None,
            silent: false,
            resets: 0,
            errors: 0,
            came: VecDeque::new(),
        };
        bench.dut.bit_cycles.next = BIT.into();
        bench.out.bit_cycles.next = BIT.into();
        bench.back.bit_cycles.next = BIT.into();
        bench
    }

    fn cycle(&mut self) {
        let dut = &mut self.dut;
        dut.rx.next = self.out.tx.val();
        self.back.rx.next = dut.tx.val();
        let free = self.response.is_none() && !self.silent;
        dut.m_axil.write_.awready.next = free;
        dut.m_axil.write_.wready.next = free;
        dut.m_axil.read_.arready.next = free;
        let (is_read, data, code) = self.response.unwrap_or_default();
        dut.m_axil.write_.bvalid.next = self.response.is_some() && !is_read;
        dut.m_axil.read_.rvalid.next = self.response.is_some() && is_read;
        dut.m_axil.read_.rdata.next = data.into();
        dut.m_axil.write_.bresp.next = code.into();
        dut.m_axil.read_.rresp.next = code.into();
        settle(dut);
        let port = &dut.m_axil;
        if self.response.is_some() && port.write_.bready.val() && port.read_.rready.val() {
            self.response = None;
        }
        if free && port.write_.awvalid.val() && port.write_.wvalid.val() {
            let (address, data) = (port.write_.awaddr.val().to_u64(), port.write_.wdata.val().to_u64());
            assert_eq!(port.write_.wstrb.val(), 15u64);
            if address != REFUSED {
                self.memory.insert(address, data);
                self.writes.push((address, data));
            }
            self.response = Some((false, 0, if address == REFUSED { 2 } else { 0 }));
        } else if free && port.read_.arvalid.val() {
            let address = port.read_.araddr.val().to_u64();
            self.reads += 1;
            let data = self.memory.get(&address).copied().unwrap_or(0);
            self.response = Some((true, data, if address == REFUSED { 2 } else { 0 }));
        }
        self.resets += usize::from(dut.fabric_reset.val());
        if dut.fabric_reset.val() {
            self.response = None;
            self.silent = false;
        }
        self.errors += usize::from(dut.error.val());
        clock(dut);
        clock(&mut self.out);
        clock(&mut self.back);
        if self.back.valid.val() {
            self.came.push_back(self.back.data.val().to_u64() as u8);
        }
    }

    /// Bytes to the bridge, one behind the other.
    fn send(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.out.valid.next = true;
            self.out.data.next = u64::from(byte).into();
            settle(&mut self.out);
            while !self.out.ready.val() {
                self.cycle();
            }
            self.cycle();
            self.out.valid.next = false;
        }
    }

    /// The bytes that come back, until the line is silent for so many cycles.
    fn answer(&mut self, silence: usize) -> Vec<u8> {
        let (mut quiet, mut last) = (0, self.came.len());
        while quiet < silence {
            self.cycle();
            quiet = if self.came.len() == last { quiet + 1 } else { 0 };
            last = self.came.len();
        }
        self.came.drain(..).collect()
    }

    fn ask(&mut self, request: &[u8]) -> Vec<u8> {
        self.send(request);
        self.answer(600)
    }
}

fn with_crc(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(crc(&bytes).to_be_bytes());
    bytes
}

fn request(code: Code, sequence: u8, length: u8, byte_address: u32, words: &[u32]) -> Vec<u8> {
    let mut bytes = vec![code as u8, sequence, length];
    bytes.extend((byte_address / 4).to_be_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    with_crc(bytes)
}

fn answer(code: Code, sequence: u8, status: Status, length: u8, words: &[u32]) -> Vec<u8> {
    answer_in(false, code, sequence, status, length, words)
}

fn answer_in(session: bool, code: Code, sequence: u8, status: Status, length: u8, words: &[u32]) -> Vec<u8> {
    let status = status as u8 | u8::from(session) << SESSION_BIT;
    let mut bytes = vec![code as u8 ^ ANSWER, sequence, status, length];
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    with_crc(bytes)
}

#[test]
fn frames_write_and_read_words_and_are_done_once() {
    let mut rng = rng(0xf4a3e);
    let mut bench = Bench::new();
    let hello = bench.ask(&request(Code::Hello, 0xff, 0, 0, &[]));
    assert_eq!(
        hello,
        answer_in(true, Code::Hello, 0xff, Status::Okay, FRAME_WORDS as u8, &[])
    );
    let words: Vec<u32> = (0..FRAME_WORDS).map(|_| rng.gen()).collect();
    let write = request(Code::Write, 0, FRAME_WORDS as u8, 0x100, &words);
    let done = answer_in(true, Code::Write, 0, Status::Okay, FRAME_WORDS as u8, &[]);
    assert_eq!(bench.ask(&write), done);
    assert_eq!(bench.writes.len(), FRAME_WORDS);
    assert_eq!(bench.ask(&write), done, "an answer again");
    assert_eq!(bench.writes.len(), FRAME_WORDS, "and nothing done again");

    let read = request(Code::Read, 1, FRAME_WORDS as u8, 0x100, &[]);
    let expected = answer_in(true, Code::Read, 1, Status::Okay, FRAME_WORDS as u8, &words);
    assert_eq!(bench.ask(&read), expected);
    // A request that the line has spoiled leaves the answer as it was, even one that looks like a write.
    let mut spoiled = request(Code::Write, 1, 3, 0x100, &[1, 2, 3]);
    *spoiled.last_mut().unwrap() ^= 0x10;
    let errors = bench.errors;
    assert_eq!(bench.ask(&spoiled), []);
    assert_eq!(bench.errors, errors + 1);
    // The bridge drops all bytes up to a pause: they may be data.
    assert_eq!(bench.ask(&request(Code::Write, 9, 1, 0x100, &[1])), []);
    bench.answer(PAUSE_BITS * BIT as usize + 100);
    assert_eq!(bench.ask(&read), expected);
    assert_eq!((bench.reads, bench.writes.len()), (FRAME_WORDS, FRAME_WORDS));

    bench.dut.irq.next = true;
    let mut poll = answer_in(true, Code::Read, 2, Status::Okay, 0, &[]);
    poll.truncate(4);
    poll[2] |= 0x80;
    assert_eq!(bench.ask(&request(Code::Read, 2, 0, 0, &[])), with_crc(poll));
    assert_eq!(bench.resets, 0);
    bench.dut.irq.next = false;
    assert_eq!(
        bench.ask(&request(Code::Reset, 3, 0, 0, &[])),
        answer_in(true, Code::Reset, 3, Status::Okay, 0, &[])
    );
    assert!(bench.resets >= 16);
}

#[test]
fn what_cannot_be_done_is_told_with_the_words_before_it() {
    let mut bench = Bench::new();
    let near = REFUSED as u32 - 8;
    for (sequence, code, length, address, words, status, done) in [
        (1, Code::Write, 4, near, &[7, 8, 9, 10][..], Status::SlaveError, 2),
        (2, Code::Read, 4, near, &[][..], Status::SlaveError, 2),
        (3, Code::Read, 2, (1 << 20) - 4, &[], Status::DecodeError, 1),
        (4, Code::Read, 1, 0xffff_fffc, &[], Status::DecodeError, 0),
        (5, Code::Read, FRAME_WORDS as u8 + 1, 0, &[], Status::Length, 0),
        (6, Code::Write, 0, 0, &[], Status::Length, 0),
        (
            7,
            Code::Write,
            FRAME_WORDS as u8 + 1,
            0,
            &[3; FRAME_WORDS + 1],
            Status::Length,
            0,
        ),
    ] {
        let read: &[u32] = match (code, sequence) {
            (Code::Read, 2) => &[7, 8],
            (Code::Read, 3) => &[0],
            _ => &[],
        };
        let found = bench.ask(&request(code, sequence, length, address, words));
        assert_eq!(found, answer(code, sequence, status, done, read), "request {sequence}");
    }
    assert_eq!(bench.writes, [(REFUSED - 8, 7), (REFUSED - 4, 8)]);
    assert_eq!(bench.resets, 0);
}

#[test]
fn a_port_that_falls_silent_is_told_until_a_reset() {
    let mut bench = Bench::new();
    bench.silent = true;
    bench.send(&request(Code::Write, 9, 1, 0x40, &[1]));
    assert_eq!(
        bench.answer(PATIENCE_CYCLES + 1000),
        answer(Code::Write, 9, Status::Silent, 0, &[])
    );
    assert_eq!(
        bench.ask(&request(Code::Read, 10, 1, 0x40, &[])),
        answer(Code::Read, 10, Status::Silent, 0, &[])
    );
    bench.ask(&request(Code::Reset, 11, 0, 0, &[]));
    let write = request(Code::Write, 12, 1, 0x40, &[5]);
    assert_eq!(bench.ask(&write), answer(Code::Write, 12, Status::Okay, 1, &[]));
    assert_eq!(bench.memory[&0x40], 5);
}

fn bone(code: Bone, length: u8, byte_address: u32, words: &[u32]) -> Vec<u8> {
    let mut bytes = vec![code as u8, length];
    bytes.extend((byte_address / 4).to_be_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes
}

#[test]
fn uartbone_is_taken_outside_of_sessions() {
    let mut bench = Bench::new();
    assert_eq!(bench.ask(&bone(Bone::Write, 3, 0x80, &[1, 0x0203_0405, 6])), []);
    assert_eq!(bench.writes, [(0x80, 1), (0x84, 0x0203_0405), (0x88, 6)]);
    assert_eq!(bench.ask(&bone(Bone::Read, 2, 0x84, &[])), [2, 3, 4, 5, 0, 0, 0, 6]);
    assert_eq!(
        bench.ask(&bone(Bone::ReadFixed, 2, 0x84, &[])),
        [2, 3, 4, 5, 2, 3, 4, 5]
    );
    bench.ask(&bone(Bone::WriteFixed, 2, 0x80, &[8, 9]));
    assert_eq!(bench.writes[3..], [(0x80, 8), (0x80, 9)]);
    // A word that is refused reads as all ones, and is not written; the words behind it are.
    assert_eq!(
        bench.ask(&bone(Bone::Read, 2, REFUSED as u32, &[])),
        [255, 255, 255, 255, 0, 0, 0, 0]
    );
    bench.ask(&bone(Bone::Write, 2, REFUSED as u32, &[1, 2]));
    assert_eq!(bench.writes[5..], [(REFUSED + 4, 2)]);
    // The answer of a frame is repeated as it was, whatever UARTBone did in between.
    let read = request(Code::Read, 40, 2, 0x84, &[]);
    let expected = bench.ask(&read);
    assert_eq!(expected, answer(Code::Read, 40, Status::Okay, 2, &[0x0203_0405, 6]));
    bench.ask(&bone(Bone::Read, 1, REFUSED as u32, &[]));
    bench.ask(&bone(Bone::Write, 2, 0x90, &[21, 22]));
    assert_eq!(bench.ask(&read), expected);
    // Bytes that begin nothing are skipped.
    assert_eq!(bench.ask(&[0, 5, 0x9f, 0xa5]), []);
    assert_eq!(bench.ask(&bone(Bone::Read, 1, 0x88, &[])), [0, 0, 0, 6]);

    bench.ask(&request(Code::Hello, 1, 0, 0, &[]));
    assert_eq!(bench.ask(&bone(Bone::Write, 1, 0x80, &[77])), []);
    assert_eq!(bench.memory[&0x80], 9, "in a session it is nothing");
    bench.answer(PAUSE_BITS * BIT as usize + 100);
    bench.ask(&request(Code::Leave, 2, 0, 0, &[]));
    bench.ask(&bone(Bone::Write, 1, 0x80, &[77]));
    assert_eq!(bench.memory[&0x80], 77);
}

#[test]
fn a_request_that_is_cut_short_is_forgotten_after_a_pause() {
    let mut bench = Bench::new();
    let write = request(Code::Write, 1, 2, 0x20, &[3, 4]);
    for (sequence, cut) in [(2, 1), (3, 5), (4, 9), (5, write.len() - 1)] {
        bench.send(&write[..cut]);
        assert_eq!(bench.answer(PAUSE_BITS * BIT as usize + 100), []);
        let poll = request(Code::Read, sequence, 0, 0, &[]);
        assert_eq!(
            bench.ask(&poll),
            answer(Code::Read, sequence, Status::Okay, 0, &[]),
            "cut at {cut}"
        );
    }
    bench.send(&bone(Bone::Write, 9, 0x20, &[3])[..]);
    bench.answer(PAUSE_BITS * BIT as usize + 100);
    assert_eq!(bench.ask(&bone(Bone::Read, 1, 0x20, &[])), [0, 0, 0, 3]);
}
