//! What the source/sink core promises as a block: packets of its source are those of the specification, and its sink counts and
//! times what comes.

use anyhow::{ensure, Context};
use portico_spec::{
    flit::NODE_WIDTH,
    ni::{
        command::{Opcode, EVENT_OFFSET},
        packet::DataKind,
        registers::{index, ProbeRegister},
        INITIALISATION_CYCLES,
    },
    probe::{content, Destination, Run},
    Head, Node,
};
use portico_testbench::device::{Device, Input, Output};
use rand::{rngs::StdRng, Rng, SeedableRng};
use std::collections::VecDeque;

/// The core's own node, to which everything comes back.
const HERE: Node = Node { x: 2, y: 1 };
/// Cycles in which any run of these is over.
const PATIENCE: usize = 60_000;

/// What a check has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub packets: u64,
    pub wrong: u64,
    pub cycles: u64,
}

struct Bench<'a, D> {
    device: &'a mut D,
    random: StdRng,
    width: usize,
    now: u64,
    /// Flits on their way from the source to the sink.
    way: VecDeque<(u64, bool)>,
    /// Those of the packet that leaves the source.
    going: Vec<u64>,
    first: bool,
    packet: Vec<u64>,
    numbers: u32,
    /// What the sink must have counted, with its latencies.
    expected: Counts,
    /// Chance that the next packet has a bit changed on its way.
    faults: f64,
    /// Events, with their errors.
    events: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Counts {
    received: u64,
    words: u64,
    errors: u64,
    least: u64,
    greatest: u64,
    sum: u64,
}

const NONE: Counts = Counts {
    received: 0,
    words: 0,
    errors: 0,
    least: u32::MAX as u64,
    greatest: 0,
    sum: 0,
};

impl<D: Device> Bench<'_, D> {
    fn input(&self, name: &str) -> Input {
        self.device
            .input(&format!("socket_{name}"))
            .unwrap_or_else(|| panic!("no input {name}"))
    }

    fn output(&self, name: &str) -> Output {
        self.device
            .output(&format!("socket_{name}"))
            .unwrap_or_else(|| panic!("no output {name}"))
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.input(name);
        self.device.set(port, value);
    }

    fn get(&self, name: &str) -> u64 {
        self.device.get(self.output(name))
    }

    fn widened(&self, word: u32) -> u64 {
        match self.width {
            32 => word.into(),
            _ => u64::from(!word) << 32 | u64::from(word),
        }
    }

    /// One cycle; packets of the source are checked, and come back to the sink.
    fn tick(&mut self, run: Option<&Run>) -> anyhow::Result<()> {
        let ready = self.random.gen_bool(0.8);
        self.set("data_out_tready", ready.into());
        self.set("event_ready", 1);
        let offers = !self.way.is_empty() && self.random.gen_bool(0.9);
        let (flit, last) = self.way.front().copied().unwrap_or_default();
        self.set("data_in_valid", offers.into());
        self.set("data_in_first", self.first.into());
        self.set("data_in_last", last.into());
        self.set("data_in_data", flit);
        self.device.settle();
        if offers {
            self.way.pop_front();
            self.first = last;
            self.packet.push(flit);
            if last {
                self.arrives()?;
            }
        }
        if ready && self.get("data_out_tvalid") == 1 {
            let (flit, last) = (self.get("data_out_tdata"), self.get("data_out_tlast") == 1);
            self.going.push(flit);
            if last {
                self.sent(run.expect("nothing is sent before a run"))?;
            }
        }
        if self.get("event_valid") == 1 {
            self.events.push((self.get("event_event"), self.get("event_error")));
        }
        self.device.tick();
        self.now += 1;
        Ok(())
    }

    /// The packet whose tail has just left the source is that of the specification; now and then a bit of it changes.
    fn sent(&mut self, run: &Run) -> anyhow::Result<()> {
        let mut packet = std::mem::take(&mut self.going);
        let length = packet.len();
        let head = Head::decode(packet[0] as u32);
        ensure!(
            (head.destination, head.source, head.kind, head.tag) == (HERE, HERE, DataKind::Probe as u8, run.tag()),
            "cycle {}: head {head:?}",
            self.now
        );
        let words = content(run.tag(), self.numbers, packet[2] as u32, run.words as usize);
        let words: Vec<u64> = words.into_iter().map(|word| self.widened(word)).collect();
        ensure!(
            packet[1..] == words,
            "cycle {}: packet {:x?}, expected {words:x?}",
            self.now,
            &packet[1..]
        );
        self.numbers += 1;
        if length > 3 && self.random.gen_bool(self.faults) {
            packet[self.random.gen_range(3..length)] ^= 1 << self.random.gen_range(0..self.width);
        }
        let flits = packet.into_iter().enumerate();
        self.way.extend(flits.map(|(at, flit)| (flit, at + 1 == length)));
        Ok(())
    }

    /// A packet's tail is shown to the sink in this cycle.
    fn arrives(&mut self) -> anyhow::Result<()> {
        let words = std::mem::take(&mut self.packet);
        let (tag, words) = (Head::decode(words[0] as u32).tag, &words[1..]);
        let right = content(tag, words[0] as u32, words[1] as u32, words.len());
        let right: Vec<u64> = right.into_iter().map(|word| self.widened(word)).collect();
        let latency = self.now - (words[1] & u64::from(u32::MAX));
        let expected = &mut self.expected;
        expected.received += 1;
        expected.words += words.len() as u64;
        expected.errors += u64::from(words != right);
        expected.least = expected.least.min(latency);
        expected.greatest = expected.greatest.max(latency);
        expected.sum += latency;
        Ok(())
    }

    fn read(&mut self, register: ProbeRegister) -> anyhow::Result<u64> {
        self.set("register_index", index(register, 0).into());
        self.set("register_read", 1);
        self.tick(None)?;
        self.set("register_read", 0);
        (0..3).try_for_each(|_| self.tick(None))?;
        self.device.settle();
        Ok(self.get("register_answer"))
    }

    fn counts(&mut self) -> anyhow::Result<Counts> {
        use ProbeRegister::*;
        Ok(Counts {
            received: self.read(Received)?,
            words: self.read(Words)?,
            errors: self.read(Errors)?,
            least: self.read(LatencyLeast)?,
            greatest: self.read(LatencyGreatest)?,
            sum: self.read(LatencySumLow)? | self.read(LatencySumHigh)? << 32,
        })
    }
}

/// Runs of all lengths at a core of this width, which is in reset, with `faults` of packets changed on their way.
///
/// # Errors
/// A packet or a count that is not the specification's.
pub fn check(device: &mut impl Device, width: usize, rounds: usize, faults: f64, seed: u64) -> anyhow::Result<Seen> {
    play_rounds(device, width, rounds, faults, seed).with_context(|| format!("seed {seed:#x}"))
}

fn play_rounds(device: &mut impl Device, width: usize, rounds: usize, faults: f64, seed: u64) -> anyhow::Result<Seen> {
    device.reset(2);
    let mut bench = Bench {
        device,
        random: StdRng::seed_from_u64(seed),
        width,
        now: 0,
        way: VecDeque::new(),
        going: vec![],
        first: true,
        packet: vec![],
        numbers: 0,
        expected: NONE,
        faults,
        events: vec![],
    };
    bench.set("node", HERE.number().into());
    bench.set("sweep_active", 1);
    for place in 0..INITIALISATION_CYCLES as u64 {
        bench.set("sweep_place", place & ((1 << NODE_WIDTH) - 1));
        bench.tick(None)?;
    }
    bench.set("sweep_active", 0);
    ensure!(bench.counts()? == NONE, "a core that counts before anything has come");
    let mut seen = Seen::default();
    for round in 0..rounds {
        let words = [2, 3, 64, 9, 32][round % 5];
        let run = Run {
            destination: Destination::Node(HERE),
            words,
            packets: bench.random.gen_range(0..12),
            rate: if round % 4 == 3 { 2_000 } else { 0 },
            seed: bench.random.gen(),
        };
        let event = round as u32 % 64;
        let descriptor = [&[Opcode::Probe as u32 | event << EVENT_OFFSET][..], &run.encode()?].concat();
        for (at, &word) in descriptor.iter().enumerate() {
            bench.set("commands_tvalid", 1);
            bench.set("commands_tdata", word.into());
            bench.set("commands_tlast", u64::from(at + 1 == descriptor.len()));
            bench.device.settle();
            ensure!(bench.get("commands_tready") == 1, "an idle source takes no descriptor");
            bench.tick(None)?;
        }
        bench.set("commands_tvalid", 0);
        let mut patience = PATIENCE;
        let sent = bench.expected.received + u64::from(run.packets);
        while bench.events.is_empty() || bench.expected.received < sent {
            bench.tick(Some(&run))?;
            patience -= 1;
            ensure!(patience > 0, "cycle {}: a run does not end: {run:?}", bench.now);
        }
        (0..8).try_for_each(|_| bench.tick(None))?;
        let events = std::mem::take(&mut bench.events);
        ensure!(events == [(event.into(), 0)], "events {events:?}, expected {event}");
        let (found, expected) = (bench.counts()?, bench.expected);
        ensure!(
            found == expected,
            "cycle {}, round {round}: counts {found:?}, expected {expected:?}",
            bench.now
        );
        ensure!(
            bench.read(ProbeRegister::Sent)? == u64::from(bench.numbers),
            "packets sent"
        );
        (seen.packets, seen.wrong, seen.cycles) = (expected.received, expected.errors, bench.now);
    }
    ensure!(
        seen.packets > 120 && (faults == 0.0 || seen.wrong > 6),
        "the run misses a corner: {seen:?}"
    );
    Ok(seen)
}
