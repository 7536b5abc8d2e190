//! The transport over a golden bridge. On the faulty line time is virtual: nothing sleeps.

use std::{
    collections::VecDeque,
    sync::{
        atomic::{AtomicBool, Ordering},
        Arc,
    },
    thread::{self, JoinHandle},
};

use portico_golden::bridge::{Bridge, Bus, Refused};
use rand::{rngs::SmallRng, Rng, SeedableRng};

use super::*;
use crate::{examples, Fabric, GoldenTransport};

/// The bus refuses this address; the host node of a golden fabric has nothing there.
const REFUSED: u32 = 0x7_fffc;
/// Reads of this address give 1, 2, 3 and so on.
const COUNTER: u32 = 0x7_fff8;

fn config() -> Config {
    Config {
        cols: 2,
        rows: 2,
        edge_nodes: 1,
        ..Config::default()
    }
}

/// A golden fabric that counts what is done to it.
#[derive(Debug)]
struct Counted {
    golden: GoldenTransport,
    /// Writes in their order.
    writes: Vec<(u32, u32)>,
    reads: u64,
    counter: u32,
    resets: usize,
    interrupt: bool,
}

impl Counted {
    fn new() -> Counted {
        Counted {
            golden: GoldenTransport::new(&config()).unwrap(),
            writes: vec![],
            reads: 0,
            counter: 0,
            resets: 0,
            interrupt: false,
        }
    }
}

impl Bus for Counted {
    fn read(&mut self, address: u32) -> Result<u32, Refused> {
        self.reads += 1;
        match address {
            REFUSED => Err(Refused),
            COUNTER => {
                self.counter += 1;
                Ok(self.counter)
            }
            _ => Bus::read(&mut self.golden, address),
        }
    }

    fn write(&mut self, address: u32, value: u32) -> Result<(), Refused> {
        self.writes.push((address, value));
        match address {
            REFUSED => Err(Refused),
            _ => Bus::write(&mut self.golden, address, value),
        }
    }

    fn reset(&mut self) {
        self.resets += 1;
        self.golden.reset();
    }

    fn interrupt(&mut self) -> bool {
        self.interrupt || Bus::interrupt(&mut self.golden)
    }
}

/// A line that faults bytes both ways, and the board behind it.
#[derive(Debug)]
struct FaultyLine {
    bridge: Bridge<Counted>,
    random: SmallRng,
    /// Probability of a fault of a byte.
    rate: f64,
    coming: VecDeque<u8>,
    now: Duration,
    /// Since when the host sends nothing.
    silent: Duration,
    /// The planted bug: the bridge forgets the sequence number of what it has done, and so does a repeated request again.
    forgets: bool,
    /// Requests of which the line drops all that goes to the bridge.
    cut: usize,
    /// What the host sent.
    sent: Vec<Vec<u8>>,
}

impl FaultyLine {
    fn new(rate: f64, seed: u64) -> FaultyLine {
        FaultyLine {
            bridge: Bridge::new(Counted::new(), SPACE_BYTES as u32),
            random: SmallRng::seed_from_u64(seed),
            rate,
            coming: VecDeque::new(),
            now: Duration::ZERO,
            silent: Duration::ZERO,
            forgets: false,
            cut: 0,
            sent: vec![],
        }
    }

    fn bus(&mut self) -> &mut Counted {
        self.bridge.bus()
    }

    /// Loses, doubles or changes bytes.
    fn fault(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut faulted = vec![];
        for &byte in bytes {
            match self.random.gen_bool(self.rate).then(|| self.random.gen_range(0..3)) {
                Some(0) => {}
                Some(1) => faulted.extend([byte, byte]),
                Some(_) => faulted.push(byte ^ 1 << self.random.gen_range(0..8)),
                None => faulted.push(byte),
            }
        }
        faulted
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.silent += time;
        if self.silent >= bit_times(PAUSE_BITS, self.baud()) {
            self.bridge.pause();
        }
    }
}

impl Line for FaultyLine {
    fn baud(&self) -> u32 {
        DEFAULT_BAUD
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        self.sent.push(bytes.to_vec());
        self.silent = Duration::ZERO;
        if self.cut > 0 {
            self.cut -= 1;
            return Ok(());
        }
        let bytes = self.fault(bytes);
        let answer = self.bridge.feed(&bytes);
        if self.forgets && !answer.is_empty() {
            let other = Request::read(answer[1] ^ 0x80, 0, 0);
            self.bridge.feed(&other.encode());
        }
        let answer = self.fault(&answer);
        self.coming.extend(answer);
        Ok(())
    }

    fn receive(&mut self, bytes: &mut [u8], limit: Duration) -> Result<usize, LineError> {
        if self.coming.is_empty() {
            self.pass(limit);
            return Ok(0);
        }
        // In pieces, as an adapter gives them.
        let most = self.coming.len().min(bytes.len());
        let count = self.random.gen_range(1..=most);
        for (byte, came) in bytes.iter_mut().zip(self.coming.drain(..count)) {
            *byte = came;
        }
        Ok(count)
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn sleep(&mut self, time: Duration) {
        self.pass(time);
    }
}

/// On a line that faults one byte in a hundred, most long frames fail: these retries are enough for all.
fn patient() -> Options {
    Options {
        retries: 1000,
        number: 1,
        ..Options::default()
    }
}

fn connect(line: FaultyLine) -> SerialTransport<FaultyLine> {
    SerialTransport::connect(line, &config(), patient()).unwrap()
}

/// What random accesses came to, beside what they should have.
struct Accesses {
    /// Words that were read wrong.
    wrong: usize,
    expected_writes: Vec<(u32, u32)>,
    expected_reads: u64,
}

/// Words of the host's memory that random accesses use.
const WORDS: usize = 1024;

/// Reads and writes random words at random places, in requests of all lengths up to `longest`.
fn access_at_random(transport: &mut SerialTransport<FaultyLine>, count: usize, longest: usize, seed: u64) -> Accesses {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut model = vec![0u32; WORDS];
    let mut accesses = Accesses {
        wrong: 0,
        expected_writes: vec![],
        expected_reads: 0,
    };
    let mut counter = 0;
    for _ in 0..count {
        let words = random.gen_range(1..=longest);
        let at = random.gen_range(0..=WORDS - words);
        let address = 4 * at as u32;
        match random.gen_range(0..5) {
            0 | 1 => {
                let written: Vec<u32> = (0..words).map(|_| random.gen()).collect();
                transport.write_block(address, &written).unwrap();
                model[at..at + words].copy_from_slice(&written);
                accesses.expected_writes.extend((address..).step_by(4).zip(written));
            }
            2 | 3 => {
                let mut found = vec![0; words];
                transport.read_block(address, &mut found).unwrap();
                let pairs = found.iter().zip(&model[at..]);
                accesses.wrong += pairs.filter(|(found, expected)| found != expected).count();
                accesses.expected_reads += words as u64;
            }
            _ => {
                counter += 1;
                accesses.wrong += usize::from(transport.read(COUNTER).unwrap() != counter);
                accesses.expected_reads += 1;
            }
        }
    }
    accesses
}

#[test]
fn words_are_right_and_done_once_on_a_faulty_line() {
    for (rate, count, longest) in [
        (0.0, 1000, 200),
        (0.0001, 1000, 200),
        (0.001, 2000, 64),
        (0.01, 2000, 12),
    ] {
        for seed in 1..=2 {
            println!("rate {rate}, seed {seed}");
            let mut transport = connect(FaultyLine::new(rate, seed));
            let accesses = access_at_random(&mut transport, count, longest, seed);
            assert_eq!(accesses.wrong, 0, "rate {rate}, seed {seed}");
            let repeated = transport.repeated();
            assert_eq!(
                repeated == 0,
                rate == 0.0,
                "rate {rate}, seed {seed}: {repeated} repeated"
            );
            let bus = transport.line().bus();
            assert!(bus.writes == accesses.expected_writes, "rate {rate}, seed {seed}");
            assert_eq!(bus.reads, accesses.expected_reads, "rate {rate}, seed {seed}");
            assert_eq!(bus.resets, 1, "rate {rate}, seed {seed}");
        }
    }
}

#[test]
fn a_bridge_that_does_a_repeated_request_twice_is_noticed() {
    let mut line = FaultyLine::new(0.001, 1);
    line.forgets = true;
    let mut transport = connect(line);
    let accesses = access_at_random(&mut transport, 2000, 64, 1);
    assert!(transport.repeated() > 0);
    let bus = transport.line().bus();
    assert!(bus.writes.len() > accesses.expected_writes.len());
    assert!(bus.reads > accesses.expected_reads);
    assert!(accesses.wrong > 0, "a read that changes what is read");
}

#[test]
fn an_example_runs_over_a_faulty_line() {
    let expected =
        examples::halo_exchange(&mut Fabric::open(GoldenTransport::new(&config()).unwrap()).unwrap()).unwrap();
    let transport = SerialTransport::open(FaultyLine::new(0.001, 5), &config(), patient()).unwrap();
    let mut fabric = Fabric::open(transport).unwrap();
    let figures = examples::halo_exchange(&mut fabric).unwrap();
    assert_eq!(figures.bytes, expected.bytes);
    assert!(fabric.transport().repeated() > 0);
}

#[test]
fn blocks_are_cut_into_frames() {
    let mut transport = connect(FaultyLine::new(0.0, 1));
    transport.line().sent.clear();
    let words: Vec<u32> = (0..150).collect();
    transport.write_block(0x100, &words).unwrap();
    let mut found = vec![0; 150];
    let before = transport.cycles();
    transport.read_block(0x100, &mut found).unwrap();
    assert_eq!((found, transport.cycles() - before), (words, 150 * CYCLES_PER_ACCESS));
    let requests: Vec<(u8, u8, u32)> = transport
        .line()
        .sent
        .iter()
        .map(|bytes| match Request::decode(bytes) {
            Decoded::Frame(request, _) => (request.sequence, request.length, request.address),
            other => panic!("{other:?}"),
        })
        .collect();
    let (first, second, third) = ((64, 0x40), (64, 0x80), (22, 0xc0));
    let expected = (3..).zip([first, second, third, first, second, third]);
    let expected: Vec<_> = expected
        .map(|(sequence, (length, address))| (sequence, length, address))
        .collect();
    assert_eq!(requests, expected, "HELLO and RESET had the numbers 1 and 2");
    transport.read_block(0, &mut []).unwrap();
    assert_eq!(transport.line().sent.len(), 6);
}

#[test]
fn a_hello_that_loses_its_first_bytes_changes_nothing() {
    // Whether the bridge takes what is left for a command of UARTBone.
    let does_something = |number: u8| {
        let hello = Request::new(Code::Hello, number).encode();
        (1..hello.len()).any(|lost| {
            let mut line = FaultyLine::new(0.0, 1);
            let answers = [line.bridge.feed(&hello[lost..]), line.bridge.feed(&[0; 12])].concat();
            !answers.is_empty() || (line.bus().writes.len(), line.bus().reads) != (0, 0)
        })
    };
    let (hiding, chosen): (Vec<u8>, Vec<u8>) = (0x80..=0xff).partition(|&number| hides_a_command(number));
    assert!(chosen.len() > 100 && chosen.iter().all(|&number| !does_something(number)));
    assert!(hiding.iter().any(|&number| does_something(number)), "{hiding:?}");
    assert!(chosen.contains(&any_number()));
}

#[test]
fn a_board_that_was_reset_during_a_session_is_noticed() {
    let mut transport = connect(FaultyLine::new(0.0, 1));
    transport.write(0x20, 5).unwrap();
    transport.line().bridge = Bridge::new(Counted::new(), SPACE_BYTES as u32);
    assert_eq!(transport.read(0x20), Err(TransportError::BoardReset));
}

#[test]
fn what_the_bus_refuses_is_an_error_of_its_address() {
    let mut transport = connect(FaultyLine::new(0.0, 1));
    let response = || "SLVERR".to_owned();
    let refused = TransportError::Bus {
        address: REFUSED,
        response: response(),
    };
    assert_eq!(transport.write(REFUSED, 1), Err(refused.clone()));
    assert_eq!(transport.read_block(REFUSED - 8, &mut [0; 3]), Err(refused.clone()));
    assert_eq!(transport.write_block(REFUSED - 8, &[1, 2, 3]), Err(refused));
    let limit = 0x10_0000;
    for address in [limit, 0xffff_fffc, 6] {
        assert_eq!(transport.read(address), Err(TransportError::Address { address, limit }));
    }
    let address = limit;
    let behind = TransportError::Address { address, limit };
    assert_eq!(transport.read_block(limit - 8, &mut [0; 3]), Err(behind));
    assert_eq!(transport.repeated(), 0);
}

#[test]
fn nobody_there_is_told_after_all_retries() {
    let mut line = FaultyLine::new(0.0, 1);
    line.cut = usize::MAX;
    let error = SerialTransport::open(&mut line, &config(), Options::default()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("no answer to 9 requests at 1000000 baud: check "),
        "{text}"
    );
    assert_eq!(line.sent.len(), 9, "a bridge that is not there is not told to leave");
    assert!(line.sent.iter().all(|sent| *sent == line.sent[0]));
}

/// A line on which bytes come without end, a millisecond apart.
#[derive(Debug)]
struct Babbling(Duration);

impl Line for Babbling {
    fn baud(&self) -> u32 {
        DEFAULT_BAUD
    }

    fn send(&mut self, _: &[u8]) -> Result<(), LineError> {
        Ok(())
    }

    fn receive(&mut self, bytes: &mut [u8], _: Duration) -> Result<usize, LineError> {
        self.0 += Duration::from_millis(1);
        bytes[0] = Code::Hello as u8 ^ portico_spec::uart::ANSWER;
        Ok(1)
    }

    fn now(&self) -> Duration {
        self.0
    }

    fn sleep(&mut self, time: Duration) {
        self.0 += time;
    }
}

#[test]
fn a_line_that_babbles_is_no_hang() {
    let error = SerialTransport::open(Babbling(Duration::ZERO), &config(), Options::default()).unwrap_err();
    let (requests, baud) = (9, DEFAULT_BAUD);
    assert_eq!(error, TransportError::NoAnswer { requests, baud }.into());
}

#[test]
fn a_request_is_repeated_after_the_pause_with_its_number() {
    let mut transport = connect(FaultyLine::new(0.0, 1));
    let line = transport.line();
    line.cut = 3;
    line.sent.clear();
    // The bridge has the beginning of a request that it must forget.
    line.bridge.feed(&[0xa1, 9, 64, 0, 0]);
    let before = line.now;
    transport.write(0x20, 5).unwrap();
    assert_eq!(transport.repeated(), 3);
    let line = transport.line();
    assert!(line.now - before > 3 * bit_times(PAUSE_BITS, DEFAULT_BAUD));
    assert_eq!(line.sent.len(), 4);
    assert!(line.sent.iter().all(|sent| *sent == line.sent[0]));
    assert_eq!(line.bus().writes, [(0x20, 5)]);
}

#[test]
fn answers_are_found_among_garbage_and_other_answers() {
    let mut transport = connect(FaultyLine::new(0.0, 1));
    let answer = |sequence, word| Answer {
        code: Code::Read,
        sequence,
        status: Status::Okay,
        interrupt: false,
        session: true,
        length: 1,
        words: vec![word],
    };
    // The next number is 3. The begin of an answer that never ends must not hide the right one.
    let mut garbage = vec![0x00, 0x50, 0xff];
    garbage.extend(answer(2, 0xbad).encode());
    garbage.extend(answer(4, 0xbad).encode());
    let mut longer = answer(3, 0xbad);
    longer.length = 2;
    longer.words.push(0xbad);
    garbage.extend(longer.encode());
    let mut damaged = answer(3, 0xbad).encode();
    damaged[5] ^= 1;
    garbage.extend(damaged);
    garbage.extend([0x50, 3, 0, 64]);
    transport.line().coming.extend(garbage);
    Bus::write(transport.line().bus(), 0x40, 7).unwrap();
    assert_eq!(transport.read(0x40), Ok(7));
    assert_eq!(transport.repeated(), 0);
}

#[test]
fn a_session_begins_with_a_reset_and_ends_with_leave() {
    let mut line = FaultyLine::new(0.0, 1);
    // What an earlier program left on its way.
    line.bridge.feed(&[0xa0, 1, 1, 0]);
    line.coming.extend(Request::new(Code::Hello, 1).encode());
    let options = Options {
        reset: false,
        ..Options::default()
    };
    let mut transport = SerialTransport::open(&mut line, &config(), options).unwrap();
    assert!(transport.line().bridge.is_in_session());
    assert!(!transport.interrupt());
    transport.line().bus().interrupt = true;
    assert!(transport.interrupt());
    let (cycles, now) = (transport.cycles(), transport.line().now);
    transport.wait(50_000);
    assert_eq!(transport.cycles() - cycles, 50_000);
    assert_eq!(transport.line().now - now, Duration::from_millis(1), "50 MHz");
    drop(transport);
    assert!(!line.bridge.is_in_session());
    assert_eq!(line.bus().resets, 0);
    drop(SerialTransport::open(&mut line, &config(), Options::default()).unwrap());
    assert_eq!(line.bus().resets, 1);
    assert!(line.bus().writes.is_empty());
}

#[test]
fn another_fabric_is_not_opened() {
    let other = Config { cols: 3, ..config() };
    let error = SerialTransport::open(FaultyLine::new(0.0, 1), &other, Options::default()).unwrap_err();
    let (field, register, found, expected) = ("cols", "tiles", 2, 3);
    assert_eq!(
        error,
        Error::WrongBitstream {
            field,
            register,
            found,
            expected
        }
    );
}

#[test]
fn a_device_that_is_none_is_told() {
    let none = PortLine::open("/dev/tty-none", DEFAULT_BAUD).unwrap_err();
    assert!(matches!(none, LineError::NoDevice { .. }), "{none}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let unusable = PortLine::open(path, DEFAULT_BAUD).unwrap_err();
    assert!(matches!(unusable, LineError::Unusable { .. }), "{unusable}");
}

/// A golden fabric behind a pseudo-terminal, in a thread of its own until it is told to stop.
#[cfg(unix)]
struct Served {
    path: String,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

#[cfg(unix)]
impl Served {
    fn new() -> Served {
        let mut terminal = Terminal::open().unwrap();
        let path = terminal.path().to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let golden = GoldenTransport::new(&config()).unwrap();
            let mut bridge = Bridge::new(golden, SPACE_BYTES as u32);
            while !stopped.load(Ordering::Relaxed) {
                terminal.serve(&mut bridge).unwrap();
            }
        });
        Served { path, stop, thread }
    }

    /// Unplugs the board.
    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_pseudo_terminal_carries_blocks_for_one_host_after_the_other() {
    let served = Served::new();
    for round in 0..2 {
        let line = PortLine::open(&served.path, DEFAULT_BAUD).unwrap();
        let mut transport = SerialTransport::open(line, &config(), Options::default()).unwrap();
        let words: Vec<u32> = (0..1000u32)
            .map(|word| word.wrapping_mul(0x9e37_79b9) + round)
            .collect();
        transport.write_block(0x100, &words).unwrap();
        let mut found = vec![0; words.len()];
        transport.read_block(0x100, &mut found).unwrap();
        assert_eq!(found, words);
        assert_eq!(transport.read(0xfc), Ok(0));
    }
    served.stop();
}

#[cfg(unix)]
#[test]
fn a_device_that_goes_is_an_error() {
    let served = Served::new();
    let line = PortLine::open(&served.path, DEFAULT_BAUD).unwrap();
    let mut transport = SerialTransport::open(line, &config(), Options::default()).unwrap();
    transport.write(0x40, 7).unwrap();
    let path = served.path.clone();
    served.stop();
    for _ in 0..2 {
        let error = transport.read(0x40).unwrap_err();
        assert!(
            matches!(&error, TransportError::Line(LineError::Gone { path: gone, .. }) if *gone == path),
            "{error}"
        );
    }
    assert!(!transport.interrupt());
}
