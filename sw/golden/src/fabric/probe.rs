//! The source/sink core of a node, without time: every time stamp and latency is 0.

use std::collections::BTreeMap;

use portico_spec::{
    ni::{
        command::{opcode, Opcode},
        registers::ProbeRegister,
        ErrorCode,
    },
    probe::{content, first_random, next_random, random_tile, Destination, Run, DESCRIPTOR_WORDS, LEAST_WORDS},
    Config, Node,
};

use super::{command_queue::CommandQueue, descriptor::Common, packet::DataPacket};

/// What a source does next.
pub(super) enum ProbeStep {
    /// Sends a packet.
    Sends(Node, DataPacket),
    /// A run is over, or refused.
    Ends(Common, Option<ErrorCode>),
}

/// A source, a sink, and what they have counted.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    config: Config,
    node: Node,
    commands: CommandQueue,
    running: Option<(Common, Run)>,
    random: u32,
    /// Packets sent to each node, and those that have come from each, since reset.
    sent_to: BTreeMap<u16, u32>,
    came_from: BTreeMap<u16, u32>,
    sent: u32,
    received: u32,
    words: u32,
    errors: u32,
}

impl Probe {
    pub fn new(config: &Config, node: Node) -> Probe {
        Probe {
            config: config.clone(),
            node,
            commands: CommandQueue::default(),
            running: None,
            random: 0,
            sent_to: BTreeMap::new(),
            came_from: BTreeMap::new(),
            sent: 0,
            received: 0,
            words: 0,
            errors: 0,
        }
    }

    /// The queue of its descriptors.
    pub fn commands(&mut self) -> &mut CommandQueue {
        &mut self.commands
    }

    pub fn is_idle(&self) -> bool {
        self.running.is_none() && self.commands.is_empty()
    }

    /// What the source does next; nothing if it has nothing to do.
    pub fn step(&mut self) -> Option<ProbeStep> {
        if self.running.is_none() {
            let words = self.commands.pop()?;
            let common = Common::of(words[0]);
            match self.decode(&words) {
                Err(error) => return Some(ProbeStep::Ends(common, Some(error))),
                Ok(run) => {
                    self.random = first_random(run.seed);
                    self.running = Some((common, run));
                }
            }
        }
        let (common, run) = self.running.as_mut()?;
        if run.packets == 0 {
            let common = *common;
            self.running = None;
            return Some(ProbeStep::Ends(common, None));
        }
        run.packets -= 1;
        let run = *run;
        let destination = self.destination(&run);
        let next = self.sent_to.entry(destination.number()).or_default();
        let sequence = *next;
        *next = next.wrapping_add(1);
        self.sent = self.sent.wrapping_add(1);
        let words = content(run.tag(), sequence, 0, run.words as usize);
        let words = words.into_iter().map(|word| self.widened(word)).collect();
        Some(ProbeStep::Sends(
            destination,
            DataPacket::Probe { tag: run.tag(), words },
        ))
    }

    /// Checks a descriptor.
    ///
    /// # Errors
    /// Why it is refused.
    fn decode(&self, words: &[u32]) -> Result<Run, ErrorCode> {
        if opcode(words[0]) != Opcode::Probe as u8 {
            return Err(ErrorCode::UnknownOpcode);
        }
        let words: &[u32; DESCRIPTOR_WORDS - 1] = words[1..].try_into().map_err(|_| ErrorCode::Malformed)?;
        let run = Run::decode(words).map_err(|_| ErrorCode::Malformed)?;
        let alone = run.destination == Destination::Uniform && self.config.tiles() == 1;
        (!alone).then_some(run).ok_or(ErrorCode::Malformed)
    }

    fn destination(&mut self, run: &Run) -> Node {
        match run.destination {
            Destination::Node(node) => node,
            Destination::Uniform => loop {
                self.random = next_random(self.random);
                let tile = random_tile(&self.config, self.random);
                if tile != self.node {
                    return tile;
                }
            },
        }
    }

    /// A word of payload as the data plane has it.
    fn widened(&self, word: u32) -> u64 {
        match self.config.width {
            32 => u64::from(word),
            _ => u64::from(!word) << 32 | u64::from(word),
        }
    }

    /// Takes a packet of another source, or of its own.
    pub fn receive(&mut self, source: Node, tag: u8, words: &[u64]) {
        self.received = self.received.wrapping_add(1);
        self.words = self.words.wrapping_add(words.len() as u32);
        let due = self.came_from.entry(source.number()).or_default();
        let (sequence, stamp) = match words {
            [sequence, stamp, ..] => (*sequence as u32, *stamp as u32),
            [sequence] => (*sequence as u32, 0),
            [] => (*due, 0),
        };
        let in_order = sequence == *due;
        // A head alone has no number, and the next packet's is still due.
        *due = sequence.wrapping_add(u32::from(!words.is_empty()));
        let right = content(tag, sequence, stamp, words.len()).into_iter();
        let is_right = words.len() >= LEAST_WORDS && right.map(|word| self.widened(word)).eq(words.iter().copied());
        self.errors = self.errors.wrapping_add(u32::from(!in_order || !is_right));
    }

    pub fn read(&self, register: ProbeRegister) -> u32 {
        match register {
            ProbeRegister::Sent => self.sent,
            ProbeRegister::Received => self.received,
            ProbeRegister::Words => self.words,
            ProbeRegister::Errors => self.errors,
            ProbeRegister::LatencyLeast if self.received == 0 => u32::MAX,
            _ => 0,
        }
    }

    pub fn write(&mut self, register: ProbeRegister) {
        if register == ProbeRegister::Clear {
            (self.sent, self.received, self.words, self.errors) = (0, 0, 0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe() -> Probe {
        let config = Config {
            cols: 3,
            rows: 2,
            probe: true,
            ..Config::default()
        };
        Probe::new(&config, Node { x: 1, y: 0 })
    }

    fn counts(probe: &Probe) -> [u32; 4] {
        use ProbeRegister::{Errors, Received, Sent, Words};
        [Sent, Received, Words, Errors].map(|register| probe.read(register))
    }

    #[test]
    fn a_source_sends_what_a_sink_takes_for_right() {
        let (mut source, mut sink) = (probe(), probe());
        let run = Run {
            destination: Destination::Uniform,
            words: 5,
            packets: 40,
            rate: 0,
            seed: 3,
        };
        let words = [&[Opcode::Probe as u32][..], &run.encode().unwrap()].concat();
        source.commands().push(words);
        let mut targets = BTreeMap::new();
        loop {
            match source.step().unwrap() {
                ProbeStep::Sends(to, DataPacket::Probe { tag, words }) => {
                    *targets.entry(to.number()).or_insert(0) += 1;
                    if to == (Node { x: 0, y: 0 }) {
                        sink.receive(source.node, tag, &words);
                    }
                }
                ProbeStep::Sends(..) => unreachable!("not of a source"),
                ProbeStep::Ends(_, error) => break assert_eq!(error, None),
            }
        }
        assert!(
            targets.len() == 5 && !targets.contains_key(&source.node.number()),
            "{targets:?}"
        );
        assert_eq!(counts(&source), [40, 0, 0, 0]);
        assert_eq!(counts(&sink), [0, targets[&0], 5 * targets[&0], 0]);
        assert!(source.is_idle());
    }

    #[test]
    fn a_sink_counts_what_is_wrong_once_a_packet() {
        let mut sink = probe();
        let from = Node { x: 2, y: 1 };
        let packet =
            |sequence, words| -> Vec<u64> { content(9, sequence, 0, words).into_iter().map(u64::from).collect() };
        sink.receive(from, 9, &packet(0, 6));
        sink.receive(from, 9, &packet(1, 2));
        assert_eq!(counts(&sink), [0, 2, 8, 0]);
        sink.receive(from, 9, &packet(3, 4));
        sink.receive(from, 9, &packet(4, 4));
        assert_eq!(counts(&sink), [0, 4, 16, 1], "one was lost");
        let mut wrong = packet(5, 4);
        wrong[3] ^= 1 << 7;
        sink.receive(from, 9, &wrong);
        sink.receive(from, 8, &packet(6, 4));
        sink.receive(from, 9, &[7]);
        sink.receive(from, 9, &[]);
        sink.receive(from, 9, &packet(8, 3));
        assert_eq!(counts(&sink), [0, 9, 28, 5]);
        sink.write(ProbeRegister::Clear);
        assert_eq!(
            (counts(&sink), sink.read(ProbeRegister::LatencyLeast)),
            ([0; 4], u32::MAX)
        );
    }
}
