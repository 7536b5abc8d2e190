//! The source: packets, rates, events, refusals.

use super::*;
use portico_spec::{
    ni::{
        command::{Opcode, EVENT_OFFSET, QUIET_OFFSET},
        ErrorCode,
    },
    probe::{first_random, next_random, random_tile, Destination, Run},
};
use rand::rngs::SmallRng;

clocked!([const W: usize] ProbeSource<W>);

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
        dut.sweep.active.next = true;
        for place in 0..1u64 << NODE_WIDTH {
            dut.sweep.place.next = place.into();
            settle(&mut dut);
            assert!(!dut.commands.tready.val());
            clock(&mut dut);
        }
        dut.sweep.active.next = false;
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
