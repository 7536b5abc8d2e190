//! The UART of a board as Verilog: the bridge beside its golden model, and the driver over a line with and without faults.

use portico::{
    examples,
    serial::{Board, Line, LineError, Options},
    Fabric, GoldenTransport, SerialTransport, Transport,
};
use portico_generate::design;
use portico_golden::bridge::{Bridge, Bus, Refused};
use portico_sim::{Library, SimulatedBoard, BIT_CYCLES};
use portico_spec::{
    ni::registers::{BASE_BYTES, SPACE_BYTES},
    uart::{Code, Request, FRAME_WORDS, LINE_BITS},
    Config,
};
use rand::{rngs::SmallRng, Rng, SeedableRng};
use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

const SEED: u64 = 0x0a27;

/// A board of two tiles, as small as they come with the examples that run here.
fn config() -> Config {
    let mut config = Config::from_toml("profile = 'leaf'\ncols = 2\nrows = 1").expect("a profile");
    config.scratchpad = 16;
    config.fabric().expect("it is valid")
}

fn library() -> anyhow::Result<Library> {
    Ok(portico_sim::build(&design("board", &config())?, &Default::default())?)
}

fn board() -> anyhow::Result<SimulatedBoard> {
    Ok(SimulatedBoard::new(&library()?)?)
}

/// The memory of a host node and nothing else: what is neither memory nor register is refused there, too.
#[derive(Default)]
struct Memory(BTreeMap<u32, u32>);

const MEMORY_BYTES: u32 = 16 << 10;

impl Bus for Memory {
    fn read(&mut self, address: u32) -> Result<u32, Refused> {
        match address < MEMORY_BYTES {
            true => Ok(self.0[&address]),
            false => Err(Refused),
        }
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), Refused> {
        match address < MEMORY_BYTES {
            true => {
                self.0.insert(address, value);
                Ok(())
            }
            false => Err(Refused),
        }
    }

    fn reset(&mut self) {}

    fn interrupt(&mut self) -> bool {
        false
    }
}

/// The number of a word: mostly in memory, now and then at its end, at that of the space, or beyond.
fn place(random: &mut SmallRng) -> u32 {
    match random.gen_range(0..10) {
        0 => MEMORY_BYTES / 4 - random.gen_range(0..4),
        1 => SPACE_BYTES as u32 / 4 + random.gen_range(0..2),
        2 => BASE_BYTES as u32 / 4 - random.gen_range(16..24),
        3 => random.gen_range(0..1 << 31) | 1 << 30,
        _ => random.gen_range(0..64),
    }
}

/// What a host might send, and what no host should.
fn burst(random: &mut SmallRng) -> Vec<u8> {
    let sequence = random.gen_range(0..3);
    let mut words = |count: usize| -> Vec<u32> { (0..count).map(|_| random.gen()).collect() };
    let few = words(5);
    let count = random.gen_range(1..=few.len());
    let at = place(random);
    match random.gen_range(0..12) {
        0..=2 => Request::write(sequence, at, &few[..count]).encode(),
        3..=5 => Request::read(sequence, at, count).encode(),
        6 => Request::new([Code::Hello, Code::Leave][random.gen_range(0..2)], sequence).encode(),
        // A length that is not allowed.
        7 => {
            let mut request = Request::read(sequence, at, 1);
            request.length = random.gen_range(FRAME_WORDS as u8..=255);
            request.encode()
        }
        8 => {
            let mut bytes = Request::write(sequence, at, &few[..count]).encode();
            let flipped = random.gen_range(0..bytes.len());
            bytes[flipped] ^= 1 << random.gen_range(0..8);
            bytes
        }
        9 => {
            let code = random.gen_range(1..=4);
            // UARTBone's writes have the odd codes; their words follow.
            let words = if code % 2 == 1 { &few[..count] } else { &[] };
            let head = [code, count as u8].into_iter().chain(at.to_be_bytes());
            head.chain(words.iter().flat_map(|word| word.to_be_bytes())).collect()
        }
        10 => (0..random.gen_range(1..4)).map(|_| random.gen_range(5..=255)).collect(),
        _ => Request::new(Code::Reset, sequence).encode(),
    }
}

#[test]
fn the_bridge_answers_as_its_golden_model() -> anyhow::Result<()> {
    println!("seed {SEED:#x}");
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut board = board()?;
    let mut golden = Bridge::new(Memory::default(), SPACE_BYTES as u32);
    for at in (0..MEMORY_BYTES / 4).step_by(FRAME_WORDS) {
        let words: Vec<u32> = (0..FRAME_WORDS).map(|_| random.gen()).collect();
        let request = Request::write(1 + (at / FRAME_WORDS as u32) as u8, at, &words).encode();
        let expected = golden.feed(&request);
        assert!(!expected.is_empty());
        assert_eq!(board.exchange(&request), expected);
    }
    let (mut answers, mut silent) = (0, 0);
    for round in 0..600 {
        let bytes = burst(&mut random);
        let expected = golden.feed(&bytes);
        // An answer that cannot come is not waited for.
        let found = match expected.is_empty() {
            true => {
                Line::send(&mut board, &bytes)?;
                board.run(500);
                board.receive()
            }
            false => board.exchange(&bytes),
        };
        assert_eq!(found, expected, "round {round}: {bytes:x?}");
        answers += usize::from(!expected.is_empty());
        silent += usize::from(expected.is_empty());
        if expected.is_empty() || random.gen_bool(0.1) {
            golden.pause();
            board.pause();
        }
    }
    assert!(answers > 200 && silent > 100, "{answers} answers, {silent} without one");
    Ok(())
}

#[test]
fn an_example_runs_over_the_uart() -> anyhow::Result<()> {
    let options = Options {
        timeout: Duration::from_millis(2),
        latest: Duration::ZERO,
        ..Options::default()
    };
    let mut board = board()?;
    let mut fabric = Fabric::open(SerialTransport::open(&mut board, &config(), options)?)?;
    let figures = examples::transpose(&mut fabric)?;
    assert_eq!(fabric.transport().repeated(), 0);
    let mut golden = Fabric::open(GoldenTransport::new(&config())?)?;
    assert_eq!(figures.bytes, examples::transpose(&mut golden)?.bytes);
    for tile in 0..2 {
        assert_eq!(fabric.read(tile, 0, 256)?, golden.read(tile, 0, 256)?);
    }
    drop(fabric);
    assert_eq!(board.led() & 0b0110, 0b0010, "an access, and no error");
    // Nothing of the session is left: the board takes UARTBone again.
    let read = [2, 1, 0, 0, 0, 0];
    assert_eq!(board.exchange(&read).len(), 4);
    Ok(())
}

/// Frames wait for their answers, UARTBone's writes for nothing. At 1 Mbaud and 50 MHz a bit has 50 clock cycles, so that the
/// accesses of the bus take less of the time.
#[test]
fn most_of_the_line_is_payload() -> anyhow::Result<()> {
    for (bit_cycles, least) in [(BIT_CYCLES, 0.85), (50, 0.92)] {
        let [written, read, bone] = payload_shares(bit_cycles)?;
        println!(
            "{bit_cycles} cycles a bit; of the line's time are payload: frames {written:.3} written, {read:.3} read; \
             UARTBone {bone:.3} written"
        );
        assert!(written > least && read > least && (0.84..0.85).contains(&bone));
    }
    Ok(())
}

/// The share of the line's time that is payload: frames written, frames read, UARTBone written.
fn payload_shares(bit_cycles: u64) -> anyhow::Result<[f64; 3]> {
    /// Words of the longest write that LiteX sends.
    const BONE_WORDS: usize = 8;
    let share = |words: usize, board: &SimulatedBoard, begun: Duration| {
        let bits = (board.now() - begun).as_secs_f64() * f64::from(board.baud());
        (4 * words * LINE_BITS) as f64 / bits
    };
    let mut board = SimulatedBoard::with_bit_cycles(&library()?, bit_cycles)?;
    let options = Options {
        latest: Duration::ZERO,
        ..Options::default()
    };
    let mut transport = SerialTransport::open(&mut board, &config(), options)?;
    let mut words = vec![0x1234_5678; 4 * FRAME_WORDS];
    let begun = transport.line().now();
    transport.write_block(0, &words)?;
    let written = share(words.len(), transport.line(), begun);
    let begun = transport.line().now();
    transport.read_block(0, &mut words)?;
    let read = share(words.len(), transport.line(), begun);
    drop(transport);

    let head = [1, BONE_WORDS as u8, 0, 0, 0, 0];
    let begun = board.now();
    Line::send(&mut board, &[&head[..], &[0; 4 * BONE_WORDS]].concat())?;
    while board.is_sending() {
        board.cycle();
    }
    let bone = share(BONE_WORDS, &board, begun);
    Ok([written, read, bone])
}

/// A line that loses, doubles and changes bytes both ways.
struct Faulty {
    board: SimulatedBoard,
    random: SmallRng,
    rate: f64,
    coming: VecDeque<u8>,
}

impl Faulty {
    fn spoil(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut spoiled = vec![];
        for &byte in bytes {
            match self.random.gen_bool(self.rate).then(|| self.random.gen_range(0..3)) {
                Some(0) => {}
                Some(1) => spoiled.extend([byte, byte]),
                Some(_) => spoiled.push(byte ^ 1 << self.random.gen_range(0..8)),
                None => spoiled.push(byte),
            }
        }
        spoiled
    }
}

impl Line for Faulty {
    fn baud(&self) -> u32 {
        self.board.baud()
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let bytes = self.spoil(bytes);
        Line::send(&mut self.board, &bytes)
    }

    fn receive(&mut self, bytes: &mut [u8], limit: Duration) -> Result<usize, LineError> {
        if self.coming.is_empty() {
            let mut come = [0; 64];
            let count = Line::receive(&mut self.board, &mut come, limit)?;
            let come = self.spoil(&come[..count]);
            self.coming.extend(come);
        }
        let count = self.coming.len().min(bytes.len());
        for (place, byte) in bytes.iter_mut().zip(self.coming.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }

    fn now(&self) -> Duration {
        self.board.now()
    }

    fn sleep(&mut self, time: Duration) {
        self.board.sleep(time);
    }
}

#[test]
fn no_wrong_word_is_taken_for_right_on_a_faulty_line() -> anyhow::Result<()> {
    println!("seed {SEED:#x}");
    let line = Faulty {
        board: board()?,
        random: SmallRng::seed_from_u64(SEED),
        rate: 0.004,
        coming: VecDeque::new(),
    };
    let options = Options {
        retries: 50,
        timeout: Duration::from_micros(100),
        latest: Duration::ZERO,
        ..Options::default()
    };
    let mut transport = SerialTransport::connect(line, &config(), options)?;
    let mut random = SmallRng::seed_from_u64(SEED + 1);
    let mut model = BTreeMap::new();
    for _ in 0..150 {
        let at = 4 * random.gen_range(0..40);
        let mut words: Vec<u32> = (0..random.gen_range(1..8)).map(|_| random.gen()).collect();
        if random.gen() {
            transport.write_block(at, &words)?;
            model.extend((at..).step_by(4).zip(words));
        } else {
            transport.read_block(at, &mut words)?;
            for (address, word) in (at..).step_by(4).zip(words) {
                assert_eq!(*model.entry(address).or_insert(word), word, "at {address:#x}");
            }
        }
    }
    assert!(transport.repeated() > 5, "{} requests repeated", transport.repeated());
    Ok(())
}
