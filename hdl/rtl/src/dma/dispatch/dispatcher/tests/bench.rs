//! The neighbours of the dispatcher: streams, slots, sequencer, event counters.

use super::super::*;
use crate::{
    bus::testing::write,
    prim::testing::{clock, clocked, reset, settle},
};
use portico_spec::ni::{registers::Block as Registers, SERVER_CONTEXT};
use std::collections::VecDeque;

clocked!([const W: usize] Dispatcher<W>);

pub const MEMORY: u64 = 0x1000;
pub const SPACE: u64 = 0x4_0000;
pub const NODE: u64 = 0x23;
/// Every program has another entry.
pub const ENTRIES: Entries = Entries {
    put: 1,
    put2d: 2,
    put3d: 3,
    empty: 4,
    get: 5,
    get2d: 18,
    get3d: 6,
    stream: 7,
    stream2d: 8,
    stream_empty: 19,
    enqueue: 9,
    enqueue_empty: 10,
    atomic: [11, 12, 13, 14, 15],
    mail: 16,
    fence: 17,
};

/// What a start says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Started {
    pub context: u64,
    pub pc: u64,
    pub control: bool,
    pub bare: bool,
    pub destination: u64,
    pub tag: u64,
    pub kind: u64,
    pub offset: u64,
    pub size: u64,
    pub row: u64,
    pub stride: u64,
    pub slot: Option<u64>,
    pub operation: u64,
    pub wide: bool,
    pub half: bool,
    pub shaper: u64,
    pub segment: u64,
    pub event: u64,
    pub quiet: bool,
    pub base: u64,
    pub limit: u64,
    /// Words of the descriptor, words of memory, and where those are if there are any, of the one packet.
    pub payload: Option<[u64; 3]>,
    /// Another of its segment is parked.
    pub behind: bool,
}

/// (context, owns its slot, error)
pub type Stopped = (u64, bool, u64);

#[derive(Clone, Copy)]
pub enum Source {
    Command,
    Queued,
    Request,
}

pub struct Bench<const W: usize> {
    pub dut: Dispatcher<W>,
    pub cycle: u64,
    /// Words that wait at the three sources.
    pub words: [VecDeque<(u32, bool)>; 3],
    /// Whether the sources offer, and the neighbours are ready.
    pub offers: [bool; 3],
    /// A word was offered, and not taken.
    pub waits: [bool; 3],
    pub claim_ready: bool,
    pub start_ready: bool,
    pub event_ready: bool,
    pub completion_ready: bool,
    pub refuse_ready: bool,
    pub next_slot: u64,
    pub stops: VecDeque<Stopped>,
    pub registers: [[u64; 16]; CONTEXTS],
    /// What has happened, with its cycle.
    pub last_words: Vec<(u64, usize)>,
    pub starts: Vec<(u64, Started)>,
    /// (event, quiet, segment, node, is a get)
    pub claims: Vec<(u64, bool, u64, u64, bool)>,
    pub events: Vec<(u64, u64)>,
    /// (slot, error)
    pub completions: Vec<(u64, u64)>,
    /// Flits of refusals.
    pub refusals: Vec<(u64, bool)>,
    held_start: Option<Started>,
    /// Words of descriptors by bank; those of the command that has started last, which are still wanted.
    banks: [[u64; 8]; 4],
    sent: Option<(usize, [u64; 8])>,
}

/// The fabric, which has most nodes that can be named, but not all.
pub fn mesh() -> Config {
    Config {
        cols: 16,
        rows: 24,
        edge_nodes: 10,
        ..Config::default()
    }
}

impl<const W: usize> Bench<W> {
    /// With all that there can be and so many cores, after reset and initialisation.
    pub fn new(cores: usize) -> Self {
        Self::with(&Build { cores, ..Build::FULL })
    }

    /// As in `build`.
    pub fn with(build: &Build) -> Self {
        let mut dut = reset(Dispatcher::new(build, &mesh(), MEMORY, SPACE, &ENTRIES));
        dut.node.next = NODE.into();
        dut.sweep.active.next = true;
        for place in 0..512u64 {
            dut.sweep.place.next = place.into();
            clock(&mut dut);
        }
        dut.sweep.active.next = false;
        Self {
            dut,
            cycle: 0,
            words: Default::default(),
            offers: [true; 3],
            waits: [false; 3],
            claim_ready: true,
            start_ready: true,
            event_ready: true,
            completion_ready: true,
            refuse_ready: true,
            next_slot: 0,
            stops: VecDeque::new(),
            registers: Default::default(),
            last_words: vec![],
            starts: vec![],
            claims: vec![],
            events: vec![],
            completions: vec![],
            refusals: vec![],
            held_start: None,
            banks: Default::default(),
            sent: None,
        }
    }

    pub fn write(&mut self, block: Registers, place: u64, data: u64) {
        write(&mut self.dut.register_write, block, place, data);
        self.tick();
        self.dut.register_write.enable.next = false;
    }

    pub fn segment(&mut self, handle: u64, [node, tag, kind, size]: [u64; 4]) {
        self.write(Registers::Segments, handle * 4, node | tag << 9 | kind << 17);
        self.write(Registers::Segments, handle * 4 + 1, size);
    }

    pub fn window(&mut self, tag: u64, [base, size, mode]: [u64; 3]) {
        for (field, value) in [base, size, mode].into_iter().enumerate() {
            self.write(Registers::Tags, tag * 8 + field as u64, value);
        }
    }

    pub fn send(&mut self, source: Source, words: &[u32]) {
        let last = words.len() - 1;
        self.words[source as usize].extend(words.iter().enumerate().map(|(at, &word)| (word, at == last)));
    }

    /// The command of `context` is parked.
    pub fn park(&mut self, context: u64) {
        self.dut.park.parks.next = true;
        self.dut.park.context.next = context.into();
        self.tick();
        self.dut.park.parks.next = false;
    }

    pub fn active(&self) -> u64 {
        self.dut.active.val().to_u64()
    }

    /// As `StartArbiter`: a request goes first, and what has been offered stays.
    fn serves(&self) -> bool {
        let command_waits = self
            .held_start
            .as_ref()
            .is_some_and(|held| held.context != SERVER_CONTEXT as u64);
        self.dut.serve.valid.val() && !command_waits
    }

    fn offered_start(&self) -> Option<Started> {
        let start = if self.serves() {
            &self.dut.serve
        } else {
            &self.dut.start
        };
        let job = start.job.val();
        start.valid.val().then(|| Started {
            context: start.context.val().to_u64(),
            pc: job.pc.to_u64(),
            control: job.control,
            bare: job.bare,
            destination: job.destination.to_u64(),
            tag: job.tag.to_u64(),
            kind: job.kind.to_u64(),
            offset: job.offset.to_u64(),
            size: job.size.to_u64(),
            row: job.row.to_u64(),
            stride: job.stride.to_u64(),
            slot: job.has_slot.then(|| job.slot.to_u64()),
            operation: job.operation.to_u64(),
            wide: job.wide,
            half: job.half,
            shaper: job.shaper.to_u64(),
            segment: job.segment.to_u64(),
            event: job.event.to_u64(),
            quiet: job.quiet,
            base: job.base.to_u64(),
            limit: job.limit.to_u64(),
            payload: job.single.then(|| {
                let words = job.words.to_u64();
                let pointer = if words > 0 { job.pointer.to_u64() } else { 0 };
                [job.literals.to_u64(), words, pointer]
            }),
            behind: job.behind,
        })
    }

    fn drive(&mut self) {
        let dut = &mut self.dut;
        for (at, port) in [&mut dut.s_axis_command, &mut dut.queued, &mut dut.s_axis_request]
            .into_iter()
            .enumerate()
        {
            let word = self.words[at].front().copied();
            port.tvalid.next = self.offers[at] && word.is_some();
            let (data, last) = word.unwrap_or_default();
            port.tdata.next = u64::from(data).into();
            port.tlast.next = last;
        }
        dut.claim.ready.next = self.claim_ready;
        dut.claim.slot.next = self.next_slot.into();
        dut.event.ready.next = self.event_ready;
        dut.completion.ready.next = self.completion_ready;
        dut.m_axis_refuse.tready.next = self.refuse_ready;
        let stop = self.stops.front().copied();
        let (context, owns_slot, error) = stop.unwrap_or_default();
        dut.stop.valid.next = stop.is_some();
        dut.stop.context.next = context.into();
        dut.stop.owns_slot.next = owns_slot;
        dut.stop.error.next = error.into();
    }

    /// One cycle; all that passes in it is written down.
    pub fn tick(&mut self) {
        self.drive();
        settle(&mut self.dut);
        let serves = self.serves();
        self.dut.serve.ready.next = self.start_ready && serves;
        self.dut.start.ready.next = self.start_ready && !serves;
        settle(&mut self.dut);
        let dut = &self.dut;
        let ready = [&dut.s_axis_command, &dut.queued, &dut.s_axis_request].map(|port| port.tready.val());
        for (at, ready) in ready.into_iter().enumerate() {
            self.waits[at] = self.offers[at] && !ready && !self.words[at].is_empty();
            if ready && self.offers[at] {
                if let Some((_, true)) = self.words[at].pop_front() {
                    self.last_words.push((self.cycle, at));
                }
            }
        }
        if dut.argument.enable.val() {
            let (context, register) = (dut.argument.context.val().index(), dut.argument.register.val().index());
            self.registers[context][register] = dut.argument.data.val().to_u64();
            if context != SERVER_CONTEXT && register < 8 {
                self.banks[dut.argument.bank.val().index()][register] = dut.argument.data.val().to_u64();
            }
        }
        let claim = &dut.claim;
        if claim.valid.val() && self.claim_ready {
            self.claims.push((
                claim.event.val().to_u64(),
                claim.quiet.val(),
                claim.segment.val().to_u64(),
                claim.node.val().to_u64(),
                claim.is_get.val(),
            ));
        }
        let claimed = claim.valid.val() && self.claim_ready;
        let start = self.offered_start();
        if let Some(held) = self.held_start.take() {
            assert_eq!(start, Some(held), "an offered start changed");
        }
        if let Some((bank, words)) = self.sent {
            assert_eq!(self.banks[bank], words, "words that are still to be sent have changed");
        }
        if let Some(start) = start.as_ref().filter(|_| self.start_ready) {
            let bank = dut.start.job.val().bank.index();
            self.sent = (start.context != SERVER_CONTEXT as u64).then_some((bank, self.banks[bank]));
        }
        if self.start_ready {
            self.starts.extend(start.map(|start| (self.cycle, start)));
        } else {
            self.held_start = start;
        }
        let dut = &self.dut;
        if dut.event.valid.val() && self.event_ready {
            self.events
                .push((dut.event.event.val().to_u64(), dut.event.error.val().to_u64()));
        }
        if dut.completion.valid.val() && self.completion_ready {
            assert!(!dut.completion.has_value.val());
            self.completions
                .push((dut.completion.slot.val().to_u64(), dut.completion.error.val().to_u64()));
        }
        if dut.m_axis_refuse.tvalid.val() && self.refuse_ready {
            self.refusals
                .push((dut.m_axis_refuse.tdata.val().to_u64(), dut.m_axis_refuse.tlast.val()));
        }
        if dut.stop.ready.val() {
            self.stops.pop_front();
        }
        clock(&mut self.dut);
        if claimed {
            self.next_slot = (self.next_slot + 1) % 32;
        }
        self.cycle += 1;
    }

    pub fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.tick());
    }
}
