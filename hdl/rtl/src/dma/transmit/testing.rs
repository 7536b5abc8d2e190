//! A transmitter among its neighbours, for unit tests: starts, memory, both planes, events, each with pauses at random.

pub(super) use super::job::*;
use super::Transmitter;
use crate::prim::testing::{clock, clocked, reset, rng, settle};
use portico_spec::ni::{
    build::Build,
    firmware::firmware,
    instruction::{FIRMWARE_WORDS, PROGRAM_WORDS},
    registers::{Block as RegisterBlock, BLOCK_OFFSET},
    INITIALISATION_CYCLES, SERVER_CONTEXT,
};
use portico_verilog::prelude::*;
use rand::{rngs::SmallRng, Rng};
use std::collections::VecDeque;

clocked!([const W: usize] Transmitter<W>);

/// A packet as it came out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sent {
    pub control: bool,
    pub flits: Vec<u64>,
    /// Cycles in which the head was first offered, and in which the tail went.
    pub offered: usize,
    pub gone: usize,
}

impl Sent {
    pub(super) fn destination(&self) -> u64 {
        self.flits[0] & 0x1ff
    }
}

/// A stop as it came out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stopped {
    pub cycle: usize,
    pub context: u64,
    pub owns_slot: bool,
    pub error: u64,
}

/// How often the neighbours are ready, and how long the memory takes.
#[derive(Clone, Copy)]
pub(super) struct Mood {
    pub ready: f64,
    pub latency: usize,
    pub jitter: usize,
}

/// Everybody always ready, the memory in one cycle.
pub(super) const EAGER: Mood = Mood {
    ready: 1.0,
    latency: 1,
    jitter: 0,
};

/// What is in a plane at the moment: the packet, since when its flit is offered.
#[derive(Default)]
struct Plane {
    flits: Vec<u64>,
    offered: usize,
    waiting: Option<(u64, bool)>,
}

pub(super) struct Bench<const W: usize> {
    pub dut: Transmitter<W>,
    pub rng: SmallRng,
    pub mood: Mood,
    pub cycle: usize,
    pub packets: Vec<Sent>,
    pub stops: Vec<Stopped>,
    /// Cycle and event.
    pub notices: Vec<(usize, u64)>,
    /// Contexts that were parked.
    pub parked: Vec<u64>,
    /// Credits by segment; none without an entry.
    pub credits: Vec<(u64, usize)>,
    /// Segment and slot of open transactions.
    pub busy: Vec<(u64, u64)>,
    planes: [Plane; 2],
    memory: VecDeque<(usize, u64)>,
    asked: Option<u64>,
    bank: u64,
    /// A credit was asked for in the cycle before, and not answered.
    awaits_credit: bool,
}

/// The word at an address of the memory.
pub(super) fn memory_word(width: usize, address: u64) -> u64 {
    let word = (address + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word >> (64 - width)
}

impl<const W: usize> Bench<W> {
    /// After reset and initialisation, with this program behind the firmware.
    pub(super) fn new(seed: u64, mood: Mood, program: &[u32]) -> Self {
        let mut bench = Self::with(&Build::FULL, seed, mood);
        bench.load(program);
        bench
    }

    /// A transmitter as in `build`, after reset and initialisation.
    pub(super) fn with(build: &Build, seed: u64, mood: Mood) -> Self {
        let mut bench = Self {
            dut: reset(Transmitter::new(build, &firmware())),
            rng: rng(seed),
            mood,
            cycle: 0,
            packets: vec![],
            stops: vec![],
            notices: vec![],
            parked: vec![],
            credits: vec![],
            busy: vec![],
            planes: Default::default(),
            memory: VecDeque::new(),
            asked: None,
            bank: 0,
            awaits_credit: false,
        };
        bench.dut.node.next = NODE.into();
        bench.dut.park.has_room.next = true;
        bench.dut.sweep.active.next = true;
        for sweep in 0..INITIALISATION_CYCLES {
            bench.dut.sweep.place.next = (sweep as u64).into();
            bench.step();
        }
        bench.dut.sweep.active.next = false;
        bench
    }

    /// Writes the program behind the firmware.
    pub(super) fn load(&mut self, program: &[u32]) {
        assert!(program.len() <= PROGRAM_WORDS - FIRMWARE_WORDS);
        for (place, &word) in program.iter().enumerate() {
            self.write(RegisterBlock::Program, (FIRMWARE_WORDS + place) as u64, word);
        }
    }

    pub(super) fn write(&mut self, block: RegisterBlock, place: u64, data: u32) {
        self.dut.register_write.enable.next = true;
        self.dut.register_write.index.next = ((block as u64) << BLOCK_OFFSET | place).into();
        self.dut.register_write.data.next = u64::from(data).into();
        self.step();
        self.dut.register_write.enable.next = false;
    }

    /// Gives the arguments, then the start; gives the cycle in which it was taken.
    pub(super) fn start(&mut self, job: &Job) -> usize {
        for &(register, data) in &job.registers {
            let argument = &mut self.dut.argument;
            argument.enable.next = true;
            argument.context.next = job.context.into();
            argument.register.next = register.into();
            argument.bank.next = self.bank.into();
            argument.data.next = u64::from(data).into();
            self.step();
            self.dut.argument.enable.next = false;
        }
        let served = job.context == SERVER_CONTEXT as u64;
        let start = if served {
            &mut self.dut.serve
        } else {
            &mut self.dut.start
        };
        start.valid.next = true;
        start.context.next = job.context.into();
        start.job.next.pc = job.pc.into();
        start.job.next.control = job.control;
        start.job.next.bare = job.bare;
        start.job.next.destination = job.destination.into();
        start.job.next.tag = job.tag.into();
        start.job.next.kind = job.kind.into();
        start.job.next.offset = job.offset.into();
        start.job.next.size = job.size.into();
        start.job.next.row = job.row.into();
        start.job.next.stride = job.stride.into();
        start.job.next.has_slot = job.has_slot;
        start.job.next.slot = job.slot.into();
        start.job.next.behind = job.behind;
        start.job.next.operation = job.operation.into();
        start.job.next.wide = job.wide;
        start.job.next.half = job.half;
        start.job.next.shaper = job.shaper.into();
        start.job.next.segment = job.segment.into();
        start.job.next.event = job.event.into();
        start.job.next.quiet = job.quiet;
        start.job.next.base = job.base.into();
        start.job.next.limit = job.limit.into();
        let [literals, words, pointer] = job.payload.unwrap_or([0, 0, job.pointer]);
        start.job.next.single = job.payload.is_some();
        start.job.next.bank = self.bank.into();
        self.bank = (self.bank + 1) % 4;
        start.job.next.literals = literals.into();
        start.job.next.words = words.into();
        start.job.next.pointer = pointer.into();
        let end = self.cycle + 10_000;
        loop {
            assert!(self.cycle < end, "the start is not taken");
            settle(&mut self.dut);
            let start = if served { &self.dut.serve } else { &self.dut.start };
            let taken = start.ready.val();
            self.step();
            if taken {
                self.dut.start.valid.next = false;
                self.dut.serve.valid.next = false;
                return self.cycle - 1;
            }
        }
    }

    /// Runs until so many contexts have stopped and all is sent; panics if that takes too long.
    pub(super) fn finish(&mut self, stops: usize, cycles: usize) {
        let end = self.cycle + cycles;
        let mut quiet = 0;
        while quiet < 20 + 2 * (self.mood.latency + self.mood.jitter) {
            assert!(self.cycle < end, "only {} of {stops} stops", self.stops.len());
            let before = (self.packets.len(), self.notices.len());
            self.step();
            let idle = self.memory.is_empty() && self.planes.iter().all(|plane| plane.flits.is_empty());
            let same = before == (self.packets.len(), self.notices.len());
            quiet = if idle && same && self.stops.len() >= stops {
                quiet + 1
            } else {
                0
            };
        }
        assert_eq!(self.stops.len(), stops);
        assert!(self.asked.is_none(), "a request is left");
        assert!(
            self.planes.iter().all(|plane| plane.waiting.is_none()),
            "a flit is left"
        );
        assert!(!self.dut.running.val(), "a context is still active");
    }

    /// One cycle of reset; whoever was waiting waits no more.
    pub(super) fn reset(&mut self) {
        self.dut.rst.next = true;
        self.step();
        self.dut.rst.next = false;
        self.planes = Default::default();
        self.memory.clear();
        self.asked = None;
        self.packets.clear();
        self.stops.clear();
    }

    /// One cycle.
    pub(super) fn step(&mut self) {
        let ready = self.mood.ready;
        let mut is_ready = || ready == 1.0 || self.rng.gen_bool(ready);
        self.dut.m_axis.tready.next = is_ready();
        self.dut.m_axis_control.tready.next = is_ready();
        self.dut.memory_read.ready.next = is_ready();
        self.dut.event.ready.next = is_ready();
        self.dut.stop.ready.next = is_ready();
        let credit_ready = is_ready();
        let answer = self.memory.front().filter(|(due, _)| *due <= self.cycle).copied();
        self.dut.memory_read.data_valid.next = answer.is_some();
        self.dut.memory_read.data.next = answer.map_or(0, |(_, data)| data).into();
        settle(&mut self.dut);
        // A request is answered in a later cycle.
        let request = &mut self.dut.credit_take;
        let segment = request.segment.val().to_u64();
        let answers = self.awaits_credit && credit_ready;
        let credit = self
            .credits
            .iter_mut()
            .find(|&&mut (of, left)| of == segment && left > 0);
        request.answered.next = answers;
        request.granted.next = answers && credit.is_some();
        self.awaits_credit = request.valid.val() && !answers;
        if let (true, Some(credit)) = (answers, credit) {
            credit.1 -= 1;
        }
        self.dut.fence.busy.next = self.fence_waits();
        settle(&mut self.dut);

        if answer.is_some() {
            self.memory.pop_front();
        }
        self.read();
        self.planes();
        if self.dut.stop.valid.val() && self.dut.stop.ready.val() {
            self.stops.push(Stopped {
                cycle: self.cycle,
                context: self.dut.stop.context.val().to_u64(),
                owns_slot: self.dut.stop.owns_slot.val(),
                error: self.dut.stop.error.val().to_u64(),
            });
        }
        if self.dut.park.parks.val() {
            self.parked.push(self.dut.park.context.val().to_u64());
        }
        if self.dut.event.valid.val() && self.dut.event.ready.val() {
            assert_eq!(self.dut.event.error.val().to_u64(), 0);
            self.notices.push((self.cycle, self.dut.event.event.val().to_u64()));
        }
        clock(&mut self.dut);
        self.cycle += 1;
    }

    /// As the slots do: for all of the segment but the context's own.
    fn fence_waits(&self) -> bool {
        let own = self.dut.fence.owns.val().then(|| self.dut.fence.slot.val().to_u64());
        let segment = self.dut.fence.segment.val().to_u64();
        self.busy.iter().any(|&(of, slot)| of == segment && own != Some(slot))
    }

    fn read(&mut self) {
        let port = &self.dut.memory_read;
        let address = port.address.val().to_u64();
        if let Some(asked) = self.asked.take() {
            assert!(port.valid.val() && address == asked, "a request was withdrawn");
        }
        if port.valid.val() && !port.ready.val() {
            self.asked = Some(address);
        }
        if port.valid.val() && port.ready.val() {
            let jitter = self.rng.gen_range(0..=self.mood.jitter);
            let due = self.memory.back().map_or(0, |(due, _)| due + 1);
            let due = due.max(self.cycle + self.mood.latency + jitter);
            self.memory.push_back((due, memory_word(W, address)));
        }
    }

    fn planes(&mut self) {
        let (data, control) = (&self.dut.m_axis, &self.dut.m_axis_control);
        let ports = [
            (
                data.tvalid.val(),
                data.tready.val(),
                data.tdata.val().to_u64(),
                data.tlast.val(),
            ),
            (
                control.tvalid.val(),
                control.tready.val(),
                control.tdata.val().to_u64(),
                control.tlast.val(),
            ),
        ];
        for (index, (valid, ready, flit, tail)) in ports.into_iter().enumerate() {
            let plane = &mut self.planes[index];
            let is_new = plane.waiting.is_none();
            if let Some(waiting) = plane.waiting.take() {
                assert!(valid && waiting == (flit, tail), "a flit was withdrawn");
            }
            if valid && is_new && plane.flits.is_empty() {
                plane.offered = self.cycle;
            }
            if valid && !ready {
                plane.waiting = Some((flit, tail));
            }
            if valid && ready {
                plane.flits.push(flit);
                if tail {
                    self.packets.push(Sent {
                        control: index == 1,
                        flits: std::mem::take(&mut plane.flits),
                        offered: plane.offered,
                        gone: self.cycle,
                    });
                }
            }
        }
    }
}
