//! One node: its memory and its network interface.

use std::collections::VecDeque;

use portico_spec::{
    flit::MAX_PAYLOAD_FLITS,
    ni::{
        build::Build,
        command::{opcode, PAD},
        firmware::firmware,
        instruction::PROGRAM_WORDS,
        packet::OFFSET_WIDTH,
        window::SYSTEM_WINDOW,
        ErrorCode,
    },
    parts::{MPE, PORTALS, PROBE, STREAMS},
    portals::engine::Step,
    streams::Beat,
    Config, Node, Terminal,
};

use super::{
    command_queue::CommandQueue,
    context::{Context, Owner, Task},
    cutter::Bounds,
    descriptor::{Action, Common, Limits},
    event::Event,
    mailbox::Mailbox,
    memory::{External, Memory},
    micro_core::{MicroCore, Progress},
    mpe::{self, Mpe},
    packet::{Atomic, DataPacket, Packet, Sent},
    portals::{Portals, PortalsStep},
    probe::{self, Probe},
    segment::Segment,
    streams::{self, Streams},
    transfer::Runs,
    window::Window,
};

mod delivery;
mod registers;
mod running;

/// A node's memory, its registers and its running commands.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub node: Node,
    /// The nodes that its packets come to.
    reached: Vec<Node>,
    /// Columns, rows and edge nodes, as the register of this name has them.
    pub tiles: u32,
    pub word_bytes: u32,
    /// The bit that is set in the address of every register.
    register_bit: u32,
    pub memory: Memory,
    pub events: Vec<Event>,
    pub windows: Vec<Window>,
    pub segments: Vec<Segment>,
    pub mailboxes: Vec<Mailbox>,
    pub program: Vec<u32>,
    build: Build,
    /// Words that a window refused.
    pub refused: u32,
    /// Descriptors for which the command queue had no room.
    pub dropped: u32,
    pub outgoing: VecDeque<Sent>,
    /// By the way on which they come.
    incomplete: [Incomplete; 3],
    commands: CommandQueue,
    contexts: VecDeque<Context>,
    slots: Vec<Option<Slot>>,
    probe: Option<Probe>,
    mpe: Option<Mpe>,
    portals: Option<Portals>,
    streams: Option<Streams>,
}

/// How words come to a node. Descriptors of different ways do not mix.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// Through the AXI4-Lite port.
    Port,
    /// In the stream of descriptors.
    Stream,
    /// In packets.
    Network,
}

/// A descriptor whose last word has not come.
#[derive(Clone, Debug, Default)]
struct Incomplete {
    words: Vec<u32>,
    /// A word of it was not kept.
    dropping: bool,
}

/// An open transaction.
#[derive(Clone, Copy, Debug)]
struct Slot {
    event: u32,
    quiet: bool,
    segment: u8,
    is_get: bool,
    /// Why packets of it were refused; the first reason.
    error: Option<ErrorCode>,
}

/// The built-in programs, and places for the user's.
fn program() -> Vec<u32> {
    let mut words = firmware().words;
    words.resize(PROGRAM_WORDS, 0);
    words
}

impl Interface {
    /// A node after its initialisation.
    pub fn new(config: &Config, terminal: usize) -> Interface {
        let word_bytes = (config.width / 8) as u32;
        let build = config.build_of(terminal);
        let mut windows = vec![Window::default(); build.windows];
        windows[build.window_row(SYSTEM_WINDOW as u8)] = Window::system(config.space_bytes(terminal) / word_bytes);
        Interface {
            node: config.terminal_node(terminal),
            reached: (0..config.terminals())
                .map(|to| config.terminal_node(to))
                .filter(|&node| config.reaches(terminal, node))
                .collect(),
            tiles: config.tiles_register(),
            word_bytes,
            register_bit: config.registers_base(terminal) / word_bytes,
            memory: match config.terminal(terminal) {
                Terminal::Tile(_) | Terminal::Edge(0) => {
                    Memory::Scratchpad(vec![0; (config.memory_bytes(terminal) / word_bytes) as usize])
                }
                Terminal::Edge(_) => Memory::External(External::new(word_bytes, config.memory_address)),
            },
            events: vec![Event::default(); build.events],
            windows,
            segments: vec![Segment::default(); build.segments],
            mailboxes: vec![Mailbox::default(); build.mailboxes],
            program: program(),
            build,
            refused: 0,
            dropped: 0,
            outgoing: VecDeque::new(),
            incomplete: Default::default(),
            commands: CommandQueue::default(),
            contexts: VecDeque::new(),
            slots: vec![None; build.slots],
            probe: build.probe.then(|| Probe::new(config, config.terminal_node(terminal))),
            mpe: (build.mpe > 0).then(|| Mpe::new(config, build.mpe)),
            portals: (build.portals > 0).then(|| Portals::new(build.portals, build.entries)),
            streams: build.streams.then(|| Streams::new(word_bytes)),
        }
    }

    /// Whether this word is a register; else it is memory, or nothing.
    pub fn is_register(&self, address: u32) -> bool {
        address < 1 << OFFSET_WIDTH && address & self.register_bit != 0
    }

    /// Whether this word is memory or a register.
    pub fn has_word(&self, address: u32) -> bool {
        self.is_register(address) || u64::from(address) < self.memory.words()
    }

    /// A word of memory, or a register in its low half; 0 where there is neither.
    pub fn read_word(&self, address: u32) -> u64 {
        if self.is_register(address) {
            return u64::from(self.read_register(address as u16));
        }
        self.memory.read(address)
    }

    /// Writes a word of memory, or a register with its low half; false for a word of a descriptor that is not kept.
    pub fn write_word(&mut self, way: Way, address: u32, word: u64) -> bool {
        if self.is_register(address) {
            return self.write_register(way, address as u16, word as u32);
        }
        self.memory.write(address, word);
        true
    }

    /// Takes a word of a descriptor; false if it is not kept. Pads in front of a descriptor are forgotten.
    ///
    /// A descriptor for which there is no room is dropped whole, and
    /// counted: none of its words is kept from the first without room on. A node that takes no commands counts what it
    /// drops with the last word.
    pub fn push_command(&mut self, way: Way, word: u32, last: bool) -> bool {
        if !self.build.takes_commands() {
            self.dropped += u32::from(last);
            return false;
        }
        let incomplete = &mut self.incomplete[way as usize];
        if incomplete.words.is_empty() && opcode(word) == PAD && !last {
            return true;
        }
        incomplete.words.push(word);
        let opcode = opcode(incomplete.words[0]);
        let queue = match (&mut self.probe, &mut self.mpe, &mut self.portals, &mut self.streams) {
            (Some(probe), ..) if PROBE.takes(opcode) => probe.commands(),
            (_, Some(mpe), ..) if MPE.takes(opcode) => mpe.commands(),
            (_, _, Some(portals), _) if PORTALS.takes(opcode) => portals.commands(),
            (.., Some(streams)) if STREAMS.takes(opcode) => streams.commands(),
            _ => &mut self.commands,
        };
        if !incomplete.dropping && !queue.fits(incomplete.words.len()) {
            incomplete.dropping = true;
            self.dropped += 1;
        }
        let is_kept = !incomplete.dropping;
        if last {
            let Incomplete { words, .. } = std::mem::take(incomplete);
            if is_kept {
                queue.push(words);
            }
        }
        is_kept
    }

    /// Whether no command runs or waits and no packet is left to send.
    pub fn is_idle(&self) -> bool {
        let (probe, mpe) = (self.probe.as_ref(), self.mpe.as_ref());
        self.commands.is_empty()
            && self.contexts.is_empty()
            && self.outgoing.is_empty()
            && probe.is_none_or(Probe::is_idle)
            && mpe.is_none_or(Mpe::is_idle)
            && self.portals.as_ref().is_none_or(Portals::is_idle)
            && self.streams.as_ref().is_none_or(Streams::is_idle)
    }

    /// Runs what can run, for at most `budget` steps, and subtracts these. Returns whether anything ran.
    pub fn advance(&mut self, budget: &mut u64) -> bool {
        let before = *budget;
        while *budget > 0 && self.dispatch_next() {
            *budget -= 1;
        }
        // One turn for every context; each goes on until it must wait. Those that wait stay in the order of their starts.
        let mut waiting = vec![];
        for _ in 0..self.contexts.len() {
            let Some(mut context) = self.contexts.pop_front() else {
                break;
            };
            let segment = context.owner.common.segment;
            let follows = context.parked && waiting.contains(&segment);
            let mut progress = if follows { Progress::Blocked } else { Progress::Moved };
            while *budget > 0 && progress == Progress::Moved {
                progress = self.step(&mut context);
                *budget -= u64::from(progress != Progress::Blocked);
            }
            if progress != Progress::Stopped {
                if !context.serves() {
                    waiting.push(segment);
                }
                self.contexts.push_back(context);
            }
        }
        while *budget > 0 && self.step_probe() {
            *budget -= 1;
        }
        while *budget > 0 && self.step_mpe() {
            *budget -= 1;
        }
        while *budget > 0 && self.step_portals() {
            *budget -= 1;
        }
        while *budget > 0 && self.step_streams() {
            *budget -= 1;
        }
        *budget != before
    }

    /// Lets the source/sink core do one thing, if it has something to do.
    fn step_probe(&mut self) -> bool {
        match self.probe.as_mut().and_then(Probe::step) {
            None => return false,
            Some(probe::ProbeStep::Sends(destination, packet)) => self.send(destination, Packet::Data(packet)),
            Some(probe::ProbeStep::Ends(common, error)) => self.end(common, error),
        }
        true
    }

    /// Lets the message-passing engine do one thing, if there is one that it can do.
    fn step_mpe(&mut self) -> bool {
        match self.mpe.as_mut().and_then(|mpe| mpe.step(&mut self.memory)) {
            None => return false,
            Some(mpe::MpeStep::Moves) => {}
            Some(mpe::MpeStep::Sends(destination, packet)) => self.send(destination, packet),
            Some(mpe::MpeStep::Ends(common, error)) => self.end(common, error),
        }
        true
    }

    /// Lets the Portals engine do one thing, if there is one that it can do.
    fn step_portals(&mut self) -> bool {
        match self.portals.as_mut().and_then(|portals| portals.step(&mut self.memory)) {
            None => return false,
            Some(PortalsStep::Moves) => {}
            Some(PortalsStep::Sends(destination, message)) => self.send(destination, Packet::Portals(message)),
            Some(PortalsStep::Notifies(event)) => self.notify(event, None),
            Some(PortalsStep::Ends(common, error)) => self.end(common, error),
        }
        true
    }

    /// Lets the Portals engine follow hardware, from now on.
    ///
    /// # Panics
    /// There is no Portals engine.
    pub fn follow_portals(&mut self) {
        self.portals
            .as_mut()
            .expect("a tile with a Portals engine")
            .begin_to_follow();
    }

    /// The Portals engine does what a step of hardware says.
    ///
    /// # Errors
    /// Why that cannot be.
    pub fn step_of_portals(&mut self, step: Step) -> Result<(), &'static str> {
        let portals = self.portals.as_mut().ok_or("the tile has no Portals engine")?;
        portals.follow(&mut self.memory, step)
    }

    /// Lets the streams do one thing, if there is one that they can do.
    fn step_streams(&mut self) -> bool {
        match self.streams.as_mut().and_then(|streams| streams.step(&mut self.memory)) {
            None => return false,
            Some(streams::StreamsStep::Moves) => {}
            Some(streams::StreamsStep::Ends(common, error)) => self.end(common, error),
        }
        true
    }

    /// Gives words to the stream into the tile.
    pub fn give(&mut self, beats: &[Beat]) {
        self.streams.as_mut().expect("a tile with streams").give(beats);
    }

    /// Takes a word from the stream out of the tile, if a send has one.
    pub fn take(&mut self) -> Option<Beat> {
        let streams = self.streams.as_mut().expect("a tile with streams");
        let (beat, ended) = streams.take(&self.memory)?;
        if let Some(common) = ended {
            self.end(common, None);
        }
        Some(beat)
    }

    /// A descriptor of an engine is done: one that is refused, or fails, counts even if it is quiet.
    fn end(&mut self, common: Common, error: Option<ErrorCode>) {
        match error {
            None => self.succeed(common),
            _ => self.notify(common.event, error),
        }
    }

    fn dispatch_next(&mut self) -> bool {
        let running = self.contexts.iter().filter(|context| !context.serves()).count();
        let Some(words) = self.commands.front() else {
            return false;
        };
        let common = Common::of(words[0]);
        let limits = Limits {
            word_bytes: self.word_bytes,
            memory_words: self.memory.words(),
            build: self.build,
            segment: self.segment(common.segment),
            reached: &self.reached,
        };
        let decoded = limits.decode(words);
        if let Ok(action) = &decoded {
            if common.drained && !self.is_drained() {
                return false;
            }
            let full = running == self.build.cores || self.slots.iter().all(Option::is_some);
            // Commands on one segment run one after the other; a mail is on none.
            let ordered = !matches!(action, Action::Mail { .. });
            if full || ordered && self.commands_on(common.segment).any(|command| !command.parked) {
                return false;
            }
        }
        let words = self.commands.pop().expect("looked at before");
        // A drained command is not sent behind an error of its event.
        let error = self.events.get(common.event as usize).and_then(Event::error);
        match (decoded, error.filter(|_| common.drained)) {
            (Ok(_), Some(error)) | (Err(error), _) => self.notify(common.event, Some(error)),
            (Ok(action), None) => {
                let lacks = matches!(action, Action::Enqueue { .. }) && !self.segment(common.segment).has_credit();
                let follows =
                    !matches!(action, Action::Mail { .. }) && self.commands_on(common.segment).next().is_some();
                let parked = self.contexts.iter().filter(|context| context.parked).count();
                // Once a command is parked, a core must be left without one.
                if (lacks || follows) && parked + 1 >= self.build.cores {
                    self.notify(common.event, Some(ErrorCode::NoCredit));
                } else {
                    self.start(common, action, &words, lacks || follows);
                }
            }
        }
        true
    }

    /// Whether no transaction is open, and every command that runs is parked.
    fn is_drained(&self) -> bool {
        let mut commands = self.contexts.iter().filter(|context| !context.serves());
        self.slots.iter().all(Option::is_none) && commands.all(|command| command.parked)
    }

    /// What is known of this handle.
    fn segment(&self, handle: u8) -> Segment {
        self.segments.get(usize::from(handle)).copied().unwrap_or_default()
    }

    /// The commands on this segment that run, the oldest first.
    fn commands_on(&self, segment: u8) -> impl Iterator<Item = &Context> {
        let commands = self.contexts.iter().filter(|context| !context.serves());
        commands.filter(move |context| context.owner.common.segment == segment)
    }

    fn start(&mut self, common: Common, action: Action, words: &[u32], parked: bool) {
        let segment = self.segment(common.segment);
        let (destination, tag) = (segment.node(), segment.tag());
        let owner = |slot: Option<u8>| Owner {
            destination,
            tag,
            slot,
            common,
        };
        match action {
            Action::Put(transfer) => {
                let owner = owner(Some(self.claim(common, false)));
                self.run(owner, Task::Put(Runs::new(transfer)), parked);
            }
            Action::Get(transfer) => {
                let slot = self.claim(common, true);
                self.send(destination, Packet::Get { tag, slot, transfer });
            }
            Action::Stream(transfer) => self.run(owner(None), Task::Stream(Runs::new(transfer)), parked),
            Action::Enqueue { local, words } => self.run(owner(None), Task::Enqueue { local, words }, parked),
            Action::Atomic {
                offset,
                operation,
                wide,
                half,
                operands,
            } => {
                let slot = self.claim(common, false);
                let atomic = Atomic {
                    tag,
                    slot,
                    offset,
                    operation,
                    wide,
                    half,
                    operands,
                };
                self.send(destination, Packet::Data(DataPacket::Atomic(atomic)));
            }
            Action::Mail { node, mailbox, value } => {
                self.send(node, Packet::Mail { mailbox, value });
                self.succeed(common);
            }
            Action::Fence => self.run(owner(None), Task::Fence, parked),
            Action::Program => {
                let bounds = Bounds {
                    placed: true,
                    single: false,
                    maximum: MAX_PAYLOAD_FLITS as u64,
                    segment: segment.size(),
                    memory: self.memory.words(),
                    beyond_memory: ErrorCode::OutOfMemory,
                };
                let owner = owner(Some(self.claim(common, false)));
                self.run(
                    owner,
                    Task::Program(Box::new(MicroCore::of_descriptor(words, bounds))),
                    parked,
                );
            }
        }
    }

    /// Begins a context.
    fn run(&mut self, owner: Owner, task: Task, parked: bool) {
        self.contexts.push_back(Context { owner, task, parked });
    }

    /// Sends a packet.
    pub fn send(&mut self, destination: Node, packet: Packet) {
        self.outgoing.push_back(Sent {
            source: self.node,
            destination,
            packet,
        });
    }

    fn claim(&mut self, common: Common, is_get: bool) -> u8 {
        let free = self
            .slots
            .iter()
            .position(Option::is_none)
            .expect("seen before dispatch");
        self.slots[free] = Some(Slot {
            event: common.event,
            quiet: common.quiet,
            segment: common.segment,
            is_get,
            error: None,
        });
        free as u8
    }

    /// A target answers. With its last answer the transaction is over, with the first error of all.
    pub fn take_answer(&mut self, slot: u8, error: Option<ErrorCode>, last: bool) {
        let Some(Some(open)) = self.slots.get_mut(usize::from(slot)) else {
            return;
        };
        open.error = open.error.or(error);
        let error = open.error;
        if last {
            self.complete(slot, error);
        }
    }

    /// A transaction is over.
    pub fn complete(&mut self, slot: u8, error: Option<ErrorCode>) {
        let ended = self.slots.get_mut(usize::from(slot)).and_then(Option::take);
        if let Some(Slot { event, quiet, .. }) = ended {
            if error.is_some() || !quiet {
                self.notify(event, error);
            }
        }
    }

    /// A transaction is over and has a result.
    pub fn complete_with(&mut self, slot: u8, value: u64) {
        if let Some(&Some(Slot { event, .. })) = self.slots.get(usize::from(slot)) {
            if let Some(event) = self.events.get_mut(event as usize) {
                event.keep(value);
            }
        }
        self.complete(slot, None);
    }

    /// Whether a transaction of the segment is open, other than that of `own`.
    pub fn is_busy(&self, segment: u8, own: Option<u8>) -> bool {
        let others = self
            .slots
            .iter()
            .enumerate()
            .filter(|&(slot, _)| own != Some(slot as u8));
        others.filter_map(|(_, slot)| *slot).any(|slot| slot.segment == segment)
    }

    /// A command without a slot is done: counts in its event, unless it is quiet.
    pub fn succeed(&mut self, common: Common) {
        if !common.quiet {
            self.notify(common.event, None);
        }
    }

    /// Counts in an event, if there is one of this number.
    pub fn notify(&mut self, event: u32, error: Option<ErrorCode>) {
        if let Some(event) = self.events.get_mut(event as usize) {
            event.notify(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portico_spec::ni::{event::Status, registers::EventRegister};

    #[test]
    fn a_slot_keeps_its_first_error_until_its_last_answer_and_no_longer() {
        let (first, second) = (Some(ErrorCode::OutOfWindow), Some(ErrorCode::UnknownWindow));
        let mut node = Interface::new(&Config::default(), 0);
        let common = Common::of(0);
        for (answers, expected) in [
            (vec![first, second, None], first),
            (vec![None], None),
            (vec![second], second),
            (vec![None, first], first),
            (vec![None], None),
        ] {
            let slot = node.claim(common, false);
            node.events[0] = Event::default();
            for (at, &error) in answers.iter().enumerate() {
                assert!(node.slots[usize::from(slot)].is_some());
                node.take_answer(slot, error, at + 1 == answers.len());
            }
            assert!(node.slots[usize::from(slot)].is_none());
            // A late answer finds no slot.
            node.take_answer(slot, second, false);
            let status = node.events[0].read(EventRegister::Status);
            assert_eq!(Status::decode(status).expect("a code").error, expected, "{answers:?}");
        }
    }
}
