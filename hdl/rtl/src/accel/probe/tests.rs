use super::*;
use crate::prim::testing::{clock, clocked, reset, rng, settle};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        command::{Opcode, EVENT_OFFSET, QUIET_OFFSET},
        packet::DataKind,
        registers::{index, ProbeRegister},
        ErrorCode,
    },
    probe::{content, first_random, next_random, random_tile, Destination, Run},
    Head, Node,
};
use rand::{rngs::SmallRng, Rng};
use std::collections::BTreeMap;

clocked!([const W: usize] ProbeSource<W>);
clocked!([const W: usize] ProbeSink<W>);
clocked!([const W: usize, const B: usize] Probe<W, B>);

const HERE: Node = Node { x: 1, y: 0 };

fn config(cols: usize, rows: usize, width: usize) -> Config {
    Config {
        cols,
        rows,
        width,
        ..Config::default()
    }
}

/// A word of payload on a plane of `width` bits.
fn widened(width: usize, word: u32) -> u64 {
    match width {
        32 => u64::from(word),
        _ => u64::from(!word) << 32 | u64::from(word),
    }
}

fn descriptor(opcode: u32, event: u32, quiet: bool, run: &Run) -> Vec<u32> {
    let word = opcode | event << EVENT_OFFSET | u32::from(quiet) << QUIET_OFFSET;
    [&[word][..], &run.encode().unwrap()].concat()
}

/// A source, and what came of it.
struct Source<const W: usize> {
    dut: ProbeSource<W>,
    now: u32,
    ready: f64,
    rng: SmallRng,
    /// Flits with the cycle in which they passed.
    flits: Vec<(u32, u64, bool)>,
    events: Vec<(u32, u64, u64)>,
    sent: u32,
}

impl<const W: usize> Source<W> {
    fn new(config: &Config) -> Self {
        let mut dut = reset(ProbeSource::<W>::new(config));
        dut.node.next = u64::from(HERE.number()).into();
        dut.initialising.next = true;
        for place in 0..1u64 << NODE_WIDTH {
            dut.sweep.next = place.into();
            settle(&mut dut);
            assert!(!dut.commands.tready.val());
            clock(&mut dut);
        }
        dut.initialising.next = false;
        Self {
            dut,
            now: 0,
            ready: 1.0,
            rng: rng(0x50c),
            flits: vec![],
            events: vec![],
            sent: 0,
        }
    }

    /// One cycle with this word on offer; whether it is taken.
    fn tick(&mut self, word: Option<(u32, bool)>) -> bool {
        let (data, last) = word.unwrap_or_default();
        self.dut.commands.tvalid.next = word.is_some();
        self.dut.commands.tdata.next = u64::from(data).into();
        self.dut.commands.tlast.next = last;
        self.dut.now.next = u64::from(self.now).into();
        self.dut.m_axis.tready.next = self.rng.gen_bool(self.ready);
        self.dut.event.ready.next = self.rng.gen_bool(self.ready);
        settle(&mut self.dut);
        let taken = word.is_some() && self.dut.commands.tready.val();
        let out = &self.dut.m_axis;
        if out.tvalid.val() && out.tready.val() {
            self.flits.push((self.now, out.tdata.val().to_u64(), out.tlast.val()));
        }
        let event = &self.dut.event;
        if event.valid.val() && event.ready.val() {
            self.events
                .push((self.now, event.event.val().to_u64(), event.error.val().to_u64()));
        }
        self.sent += u32::from(self.dut.sent.val());
        clock(&mut self.dut);
        self.now += 1;
        taken
    }

    /// Gives a descriptor; the cycle of its last word.
    fn give(&mut self, words: &[u32]) -> u32 {
        for (at, &word) in words.iter().enumerate() {
            while !self.tick(Some((word, at + 1 == words.len()))) {}
        }
        self.now - 1
    }

    /// The packets since the last call: the cycle of the head, and the words.
    fn packets(&mut self) -> Vec<(u32, Vec<u64>)> {
        let mut packets: Vec<(u32, Vec<u64>)> = vec![];
        let mut open = false;
        for (now, word, last) in self.flits.drain(..) {
            if !std::mem::replace(&mut open, !last) {
                packets.push((now, vec![]));
            }
            packets.last_mut().unwrap().1.push(word);
        }
        assert!(!open, "a packet without a tail");
        packets
    }
}

fn checks_every_packet<const W: usize>(ready: f64) {
    let config = config(3, 2, W);
    let mut source = Source::<W>::new(&config);
    source.ready = ready;
    let mut numbers: BTreeMap<u16, u32> = BTreeMap::new();
    for round in 0..12u32 {
        let run = Run {
            destination: match round % 3 {
                0 => Destination::Uniform,
                _ => Destination::Node(Node {
                    x: 2,
                    y: (round % 2) as u8,
                }),
            },
            words: [2, 64, 3, 8][round as usize % 4],
            packets: 1 + round * 3,
            rate: if round == 7 { 3_000 } else { 0 },
            seed: round * 0x1234_5677,
        };
        source.give(&descriptor(Opcode::Probe as u32, round, round == 5, &run));
        while source.sent < run.packets || source.dut.running.val() {
            source.tick(None);
        }
        (0..20).for_each(|_| _ = source.tick(None));
        assert_eq!(std::mem::take(&mut source.sent), run.packets);
        let packets = source.packets();
        assert_eq!(packets.len(), run.packets as usize);
        let mut random = first_random(run.seed);
        for (at, (begun, flits)) in packets.iter().enumerate() {
            let destination = match run.destination {
                Destination::Node(node) => node,
                Destination::Uniform => loop {
                    random = next_random(random);
                    let tile = random_tile(&config, random);
                    if tile != HERE {
                        break tile;
                    }
                },
            };
            let head = Head {
                destination,
                source: HERE,
                tag: run.tag(),
                kind: DataKind::Probe as u8,
                last: at + 1 == packets.len(),
            };
            assert_eq!(
                flits[0],
                u64::from(head.encode().unwrap()),
                "round {round}, packet {at}"
            );
            let number = numbers.entry(destination.number()).or_default();
            let stamp = flits[2] as u32;
            let expected = content(run.tag(), *number, stamp, run.words as usize);
            let expected: Vec<u64> = expected.into_iter().map(|word| widened(W, word)).collect();
            assert_eq!(flits[1..], expected, "round {round}, packet {at}");
            *number += 1;
            assert!(
                stamp < *begun && (ready < 1.0 || stamp + 1 == *begun),
                "{stamp}, {begun}"
            );
            if run.rate > 0 && at > 0 {
                assert!(stamp - packets[at - 1].1[2] as u32 >= (1 << 16) / run.rate - 1);
            }
        }
        let events: Vec<_> = source
            .events
            .drain(..)
            .map(|(_, event, error)| (event, error))
            .collect();
        let expected = if round == 5 {
            vec![]
        } else {
            vec![(u64::from(round), 0)]
        };
        assert_eq!(events, expected, "round {round}");
    }
}

#[test]
fn a_source_sends_what_the_descriptor_says() {
    checks_every_packet::<32>(1.0);
    checks_every_packet::<32>(0.6);
    checks_every_packet::<64>(0.8);
}

#[test]
fn a_source_sends_a_flit_a_cycle_and_ends_at_once() {
    let mut source = Source::<32>::new(&config(3, 2, 32));
    for (destination, words) in [
        (Destination::Node(Node { x: 0, y: 1 }), 2),
        (Destination::Uniform, 7),
        (Destination::Node(Node { x: 2, y: 0 }), 64),
    ] {
        let run = Run {
            destination,
            words,
            packets: 50,
            rate: 0,
            seed: 99,
        };
        let given = source.give(&descriptor(Opcode::Probe as u32, 3, false, &run));
        while source.events.is_empty() {
            source.tick(None);
        }
        let (ended, ..) = source.events.remove(0);
        let flits = std::mem::take(&mut source.flits);
        let (first, last) = (flits[0].0, flits.last().unwrap().0);
        let uniform = destination == Destination::Uniform;
        // A random node that is this one is drawn again.
        assert!(first - given == 6 || uniform && first - given >= 7, "{}", first - given);
        assert_eq!(last + 1, ended, "the event of {words} words");
        let gaps = last + 1 - first - 50 * (words + 1);
        assert!(gaps == 0 || uniform && gaps < 20, "{gaps} cycles without a flit");
    }
}

#[test]
fn wrong_descriptors_are_refused_with_their_event() {
    let run = Run {
        destination: Destination::Uniform,
        words: 4,
        packets: 0,
        rate: 0,
        seed: 1,
    };
    let good = descriptor(Opcode::Probe as u32, 9, false, &run);
    let with = |at: usize, word: u32| {
        let mut words = good.clone();
        words[at] = word;
        words
    };
    let quiet = 1 << QUIET_OFFSET;
    let mut source = Source::<32>::new(&config(2, 1, 32));
    for (words, error) in [
        (good.clone(), None),
        (with(2, 1), Some(ErrorCode::Malformed)),
        (with(2, 65), Some(ErrorCode::Malformed)),
        (with(0, good[0] + 1), Some(ErrorCode::UnknownOpcode)),
        (with(0, (good[0] + 3) | quiet), Some(ErrorCode::UnknownOpcode)),
        (good[..5].to_vec(), Some(ErrorCode::Malformed)),
        (good[..1].to_vec(), Some(ErrorCode::Malformed)),
        ([&good[..], &[1]].concat(), Some(ErrorCode::Malformed)),
        ([&good[..], &[0; 10]].concat(), Some(ErrorCode::Malformed)),
        (good.clone(), None),
    ] {
        source.give(&words);
        (0..12).for_each(|_| _ = source.tick(None));
        let events: Vec<_> = source
            .events
            .drain(..)
            .map(|(_, event, error)| (event, error))
            .collect();
        assert_eq!(events, [(9, error.map_or(0, |code| code as u64))], "{words:x?}");
    }
    assert!(source.flits.is_empty());
    let mut alone = Source::<32>::new(&config(1, 1, 32));
    alone.give(&descriptor(Opcode::Probe as u32, 9, false, &Run { packets: 3, ..run }));
    (0..12).for_each(|_| _ = alone.tick(None));
    assert_eq!(alone.events[0].2, ErrorCode::Malformed as u64, "one tile has no other");
}

/// What the specification says of packets that come, with their latencies.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    received: u64,
    words: u64,
    errors: u64,
    least: u64,
    greatest: u64,
    sum: u64,
    first: u64,
    last: u64,
}

fn counts<const W: usize>(dut: &ProbeSink<W>) -> Counts {
    Counts {
        received: dut.received.val().to_u64(),
        words: dut.words.val().to_u64(),
        errors: dut.errors.val().to_u64(),
        least: dut.least.val().to_u64(),
        greatest: dut.greatest.val().to_u64(),
        sum: dut.sum.val().to_u64(),
        first: dut.first.val().to_u64(),
        last: dut.last.val().to_u64(),
    }
}

fn a_sink_counts<const W: usize>() {
    let mut rng = rng(0x51a + W as u64);
    let mut dut = reset(ProbeSink::<W>::default());
    dut.initialising.next = true;
    for place in 0..1u64 << NODE_WIDTH {
        dut.sweep.next = place.into();
        clock(&mut dut);
    }
    dut.initialising.next = false;
    // Near the end of time, which wraps.
    let mut now: u32 = u32::MAX - 5_000;
    let none = Counts {
        least: u32::MAX.into(),
        ..Counts::default()
    };
    let mut expected = Counts {
        least: u32::MAX.into(),
        ..Counts::default()
    };
    let mut due: BTreeMap<u16, u32> = BTreeMap::new();
    let mut wrongs = 0;
    for packet in 0..3_000 {
        let source = Node {
            x: rng.gen_range(0..4),
            y: rng.gen_range(0..3),
        };
        let (tag, length): (u8, usize) = (rng.gen(), [2, 3, 5, 33][rng.gen_range(0..4)]);
        let number = due.entry(source.number()).or_default();
        let stamp = now.wrapping_sub(rng.gen_range(0..300));
        let fault = if rng.gen_bool(0.2) { rng.gen_range(1..6) } else { 0 };
        let sequence = number.wrapping_add(u32::from(fault == 1));
        let mut words: Vec<u64> = content(tag, sequence, stamp, length)
            .into_iter()
            .map(|word| widened(W, word))
            .collect();
        let mut wrong = fault == 1;
        if fault == 2 && length > 2 {
            let at = rng.gen_range(2..length);
            words[at] ^= 1 << rng.gen_range(0..W);
            wrong = true;
        }
        if fault == 3 && W == 64 {
            let at = rng.gen_range(0..length);
            words[at] ^= 1 << rng.gen_range(32..W);
            wrong = true;
        }
        if fault == 4 && packet % 4 == 0 {
            words.truncate(rng.gen_range(0..2));
            wrong = true;
        }
        wrongs += u64::from(wrong);
        *number = sequence.wrapping_add(u32::from(!words.is_empty()));
        if words.is_empty() {
            *number = sequence;
        }
        let head = Head {
            destination: HERE,
            source,
            tag,
            kind: DataKind::Probe as u8,
            last: rng.gen(),
        };
        let flits = [&[u64::from(head.encode().unwrap())][..], &words].concat();
        for (at, &flit) in flits.iter().enumerate() {
            while rng.gen_bool(if packet < 1_500 { 0.0 } else { 0.3 }) {
                dut.flits.valid.next = false;
                dut.now.next = u64::from(now).into();
                clock(&mut dut);
                now = now.wrapping_add(1);
            }
            let last = at + 1 == flits.len();
            dut.flits.valid.next = true;
            dut.flits.first.next = at == 0;
            dut.flits.last.next = last;
            dut.flits.data.next = flit.into();
            dut.now.next = u64::from(now).into();
            clock(&mut dut);
            if at == 0 && expected.received == 0 {
                expected.first = now.into();
            }
            if last {
                expected.received += 1;
                expected.words += words.len() as u64;
                expected.errors += u64::from(wrong);
                expected.last = now.into();
                if words.len() >= 2 {
                    let latency = u64::from(now.wrapping_sub(stamp));
                    expected.least = expected.least.min(latency);
                    expected.greatest = expected.greatest.max(latency);
                    expected.sum += latency;
                }
            }
            now = now.wrapping_add(1);
        }
        dut.flits.valid.next = false;
        let is_short = words.len() < 2;
        if is_short || packet % 500 == 499 {
            for _ in 0..8 {
                dut.now.next = u64::from(now).into();
                clock(&mut dut);
                now = now.wrapping_add(1);
            }
            let mut seen = counts(&dut);
            if is_short {
                // A packet without a time stamp has no latency worth having.
                (seen.least, seen.greatest, seen.sum) = (expected.least, expected.greatest, expected.sum);
            }
            assert_eq!(seen, expected, "packet {packet}");
        }
        if is_short || packet % 1_500 == 1_499 {
            dut.clear.next = true;
            clock(&mut dut);
            now = now.wrapping_add(1);
            dut.clear.next = false;
            assert_eq!(counts(&dut), none);
            expected = Counts {
                least: u32::MAX.into(),
                ..Counts::default()
            };
        }
    }
    assert!(wrongs > 150, "{wrongs}");
}

#[test]
fn a_sink_counts_packets_words_errors_and_latencies() {
    a_sink_counts::<32>();
    a_sink_counts::<64>();
}

/// Counts that are cleared at any moment of a packet never have it in part.
#[test]
fn a_packet_in_flight_when_counts_are_cleared_is_not_counted() {
    let mut dut = reset(ProbeSink::<32>::default());
    dut.initialising.next = true;
    for place in 0..1u64 << NODE_WIDTH {
        dut.sweep.next = place.into();
        clock(&mut dut);
    }
    dut.initialising.next = false;
    let (mut now, mut counted) = (1_000u32, 0);
    for number in 0..24u32 {
        let head = Head {
            destination: HERE,
            source: HERE,
            tag: 5,
            kind: DataKind::Probe as u8,
            last: true,
        };
        let words = content(5, number, now - 9, 6);
        let flits = [&[head.encode().unwrap()][..], &words].concat();
        for at in 0..16 {
            let flit = flits.get(at);
            dut.flits.valid.next = flit.is_some();
            dut.flits.first.next = at == 0;
            dut.flits.last.next = at + 1 == flits.len();
            dut.flits.data.next = u64::from(flit.copied().unwrap_or_default()).into();
            dut.now.next = u64::from(now).into();
            dut.clear.next = at == number as usize % 12;
            clock(&mut dut);
            now += 1;
        }
        let seen = counts(&dut);
        assert_eq!(seen.errors, 0);
        if seen.received == 0 {
            assert_eq!(
                seen,
                Counts {
                    least: u32::MAX.into(),
                    ..Counts::default()
                },
                "packet {number}"
            );
        } else {
            counted += 1;
            assert_eq!(
                (seen.received, seen.words, seen.least, seen.sum),
                (1, 6, 15, 15),
                "packet {number}"
            );
            assert_eq!(seen.last - seen.first, 6);
        }
    }
    assert!((2..20).contains(&counted), "{counted}");
}

#[test]
fn registers_show_the_counts_and_clear_them() {
    let mut dut = reset(ProbeRegisters::default());
    dut.received.next = 11u64.into();
    dut.words.next = 22u64.into();
    dut.errors.next = 33u64.into();
    dut.least.next = 44u64.into();
    dut.greatest.next = 55u64.into();
    dut.sum.next = (66u64 | 77 << 32).into();
    dut.first.next = 88u64.into();
    dut.last.next = 99u64.into();
    dut.running.next = true;
    dut.sent.next = true;
    (0..5).for_each(|_| clock(&mut dut));
    dut.sent.next = false;
    let read = |dut: &mut ProbeRegisters, at: u64| {
        dut.register.index.next = at.into();
        dut.register.read.next = true;
        clock(dut);
        dut.register.read.next = false;
        assert_eq!(dut.register.answer.val(), 0u64);
        clock(dut);
        dut.register.answer.val().to_u64()
    };
    let first = index(ProbeRegister::Status, 0) as u64;
    let seen: Vec<u64> = (0..13).map(|place| read(&mut dut, first + place)).collect();
    assert_eq!(seen, [1, 5, 11, 22, 33, 44, 55, 66, 77, 88, 99, 0, 0]);
    assert_eq!(read(&mut dut, first - 0x1000 + 2), 0, "of another block");
    dut.register.index.next = (first + ProbeRegister::Clear as u64).into();
    dut.register.write.next = true;
    clock(&mut dut);
    dut.register.write.next = false;
    assert!(dut.clear.val());
    clock(&mut dut);
    assert!(!dut.clear.val());
    assert_eq!(read(&mut dut, first + ProbeRegister::Sent as u64), 0);
}

clocked!([] ProbeRegisters);
