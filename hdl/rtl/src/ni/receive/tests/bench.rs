//! Everything around a receiver: memory, register bus, takers of answers, reports and credits, each in a hurry or not.

use crate::{
    bus::{ACCESS_CYCLES, ANSWER_CYCLES},
    ni::receive::DataReceiver,
    prim::testing::{clock, clocked, reset, rng, settle},
};
use portico_spec::{
    ni::{
        build::Build,
        registers::{Block, TagRegister, BLOCK_OFFSET, FIELD_WIDTH},
        INITIALISATION_CYCLES,
    },
    parts::PROBE,
};
use portico_verilog::prelude::*;
use rand::{rngs::SmallRng, Rng};
use std::collections::VecDeque;

clocked!([const W: usize, const B: usize] DataReceiver<W, B>);

/// This node, as a number.
pub const NODE: u64 = 0x123;
/// Words of the memory: a number that addresses near its end go beyond.
pub const MEMORY_WORDS: u64 = 1000;

pub fn register_bit(width: usize) -> usize {
    if width == 32 {
        17
    } else {
        16
    }
}

/// Index of a register of a tag.
pub fn tag_register(tag: u8, field: TagRegister) -> u64 {
    (Block::Tags as u64) << BLOCK_OFFSET | u64::from(tag) << FIELD_WIDTH | field as u64
}

pub fn release_register(tag: u8) -> u64 {
    (Block::Release as u64) << BLOCK_OFFSET | u64::from(tag)
}

fn wide<const N: usize>(bits: Bits<N>) -> u128 {
    bits.to_u64().into()
}

/// What came out, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// (address, data, lanes)
    pub writes: Vec<(u64, u64, u64)>,
    /// (index, data)
    pub registers: Vec<(u64, u64)>,
    pub answers: Vec<Vec<u64>>,
    /// (event, error)
    pub events: Vec<(u64, u64)>,
    /// (slot, error)
    pub completions: Vec<(u64, u64)>,
    pub credits: Vec<u64>,
    /// Packets of the engine's.
    pub engine: Vec<Vec<u64>>,
    pub refused: usize,
}

pub struct Bench<const W: usize, const B: usize> {
    pub dut: DataReceiver<W, B>,
    pub rng: SmallRng,
    /// Chance that anything around is ready in a cycle.
    pub readiness: f64,
    pub log: Log,
    pub memory: Vec<u64>,
    pub cycle: usize,
    /// Cycle in which each flit of control packets was first offered, and of credits.
    pub offered: Vec<usize>,
    pub credits_offered: Vec<usize>,
    /// The memory takes no write.
    pub writes_wait: bool,
    /// The bus takes no write of the network before this cycle.
    free_from: usize,
    /// The register that was read last.
    read_index: Option<u64>,
    parts: Vec<u64>,
    waiting_reads: [VecDeque<u64>; 2],
    /// The engine's packet has ended.
    engine_last: bool,
    was_offered: bool,
    /// What was offered and not taken in the cycle before.
    held: [Option<u128>; 3],
}

/// Whether a command queue keeps a word, by its index and data: here it never keeps odd ones.
pub fn has_room((index, data): (u64, u64)) -> bool {
    index >> BLOCK_OFFSET != Block::Command as u64 || data % 2 == 0
}

/// Slots that are open for gets: all but some.
pub const GETS: u64 = 0x7ffd_fff7;

impl<const W: usize, const B: usize> Bench<W, B> {
    /// Where all around is always ready, the memory is as near as a scratchpad.
    pub fn new(seed: u64, readiness: f64) -> Self {
        let (bit, far) = (register_bit(W), readiness < 1.0);
        let mut bench = Self {
            dut: reset(DataReceiver::new(
                &Build::FULL,
                MEMORY_WORDS,
                2 << bit,
                bit,
                far,
                &[PROBE],
            )),
            rng: rng(seed),
            readiness,
            log: Log::default(),
            memory: vec![0; MEMORY_WORDS as usize],
            cycle: 0,
            offered: vec![],
            credits_offered: vec![],
            writes_wait: false,
            free_from: 0,
            read_index: None,
            parts: vec![],
            waiting_reads: Default::default(),
            engine_last: true,
            was_offered: false,
            held: [None; 3],
        };
        bench.dut.node.next = NODE.into();
        bench.initialise();
        bench
    }

    /// One cycle of reset, then the initialisation.
    pub fn restart(&mut self) {
        self.dut.rst.next = true;
        self.dut.s_axis.tvalid.next = false;
        clock(&mut self.dut);
        self.dut.rst.next = false;
        self.parts.clear();
        self.waiting_reads = Default::default();
        self.engine_last = true;
        self.was_offered = false;
        self.held = [None; 3];
        self.log = Log::default();
        self.initialise();
    }

    fn initialise(&mut self) {
        self.dut.sweep.active.next = true;
        for step in 0..INITIALISATION_CYCLES as u64 {
            self.dut.sweep.place.next = step.into();
            self.step(Some((0, true)), None);
            assert!(!self.dut.s_axis.tready.val(), "takes a flit while it initialises");
        }
        self.dut.sweep.active.next = false;
        self.dut.gets.next = GETS.into();
    }

    fn ready(&mut self) -> bool {
        self.readiness >= 1.0 || self.rng.gen_bool(self.readiness)
    }

    /// One cycle, with a flit and a register write on offer; says whether the flit was taken.
    pub fn step(&mut self, flit: Option<(u64, bool)>, register: Option<(u64, u64)>) -> bool {
        let (data, last) = flit.unwrap_or_default();
        self.dut.s_axis.tvalid.next = flit.is_some();
        self.dut.s_axis.tdata.next = data.into();
        self.dut.s_axis.tlast.next = last;
        self.dut.memory_write.ready.next = self.ready() && !self.writes_wait;
        let is_free = self.cycle >= self.free_from && register.is_none();
        self.dut.register_write.ready.next = self.ready() && is_free;
        self.dut.m_axis_control.tready.next = self.ready();
        self.dut.m_axis_credit.tready.next = self.ready();
        self.dut.event.ready.next = self.ready();
        self.dut.completion.ready.next = self.ready();
        for port in 0..2 {
            let answers = self.ready() && !self.waiting_reads[port].is_empty();
            let word = if answers {
                self.waiting_reads[port].pop_front()
            } else {
                None
            };
            let ready = self.ready();
            let read = [&mut self.dut.memory_read, &mut self.dut.release_read]
                .into_iter()
                .nth(port)
                .unwrap();
            read.data.next = word.unwrap_or(0xdead_beef).into();
            read.data_valid.next = word.is_some();
            read.ready.next = ready;
        }
        if register.is_some() {
            self.read_index = None;
        }
        let (index, value) = register.unwrap_or((self.read_index.unwrap_or_default(), 0));
        self.dut.access.write.next = register.is_some();
        self.dut.access.index.next = index.into();
        self.dut.access.data.next = value.into();
        settle(&mut self.dut);
        if self.dut.register_write.valid.val() && self.dut.register_write.ready.val() {
            self.free_from = self.cycle + ACCESS_CYCLES;
            // The bus is combinational: what the receiver writes comes back in the same cycle.
            self.dut.access.write.next = true;
            self.dut.access.index.next = self.dut.register_write.index.val();
            self.dut.access.data.next = self.dut.register_write.data.val();
            let write = (
                self.dut.register_write.index.val().to_u64(),
                self.dut.register_write.data.val().to_u64(),
            );
            self.dut.register_refused.next = !has_room(write);
            settle(&mut self.dut);
            self.log.registers.push(write);
        }
        self.check_offers();
        self.collect();
        let taken = flit.is_some() && self.dut.s_axis.tready.val();
        clock(&mut self.dut);
        self.dut.access.read.next = false;
        self.dut.register_refused.next = false;
        self.log.refused += usize::from(self.dut.refused.val());
        self.cycle += 1;
        taken
    }

    /// What is offered stays until it is taken.
    fn check_offers(&mut self) {
        let dut = &self.dut;
        let (write, read) = (&dut.memory_write, &dut.memory_read);
        let offers = [
            (
                write.valid.val(),
                write.ready.val(),
                wide(write.address.val()) << 72 | wide(write.lanes.val()) << 64 | wide(write.data.val()),
            ),
            (
                dut.register_write.valid.val(),
                dut.register_write.ready.val(),
                wide(dut.register_write.index.val()) << 32 | wide(dut.register_write.data.val()),
            ),
            (read.valid.val(), read.ready.val(), wide(read.address.val())),
        ];
        for (held, (valid, ready, what)) in self.held.iter_mut().zip(offers) {
            let offer = valid.then_some(what);
            assert!(
                held.is_none() || *held == offer,
                "cycle {}: an offer is taken back",
                self.cycle
            );
            *held = offer.filter(|_| !ready);
        }
    }

    fn collect(&mut self) {
        let dut = &self.dut;
        for (port, read) in [&dut.memory_read, &dut.release_read].into_iter().enumerate() {
            if read.valid.val() && read.ready.val() {
                // Beyond its end a memory reads as 0.
                let word = self.memory.get(read.address.val().index()).copied();
                self.waiting_reads[port].push_back(word.unwrap_or(0));
            }
        }
        let flits = &dut.engine[0];
        if flits.valid.val() {
            if flits.first.val() {
                assert!(self.engine_last, "a packet of the engine's without a tail");
                self.log.engine.push(vec![]);
            }
            self.engine_last = flits.last.val();
            let packet = self.log.engine.last_mut().expect("a packet begins with its head");
            packet.push(flits.data.val().to_u64());
        }
        let write = &dut.memory_write;
        if write.valid.val() && write.ready.val() {
            let (address, data, lanes) = (
                write.address.val(),
                write.data.val().to_u64(),
                write.lanes.val().to_u64(),
            );
            let mask = (0..B)
                .filter(|lane| lanes >> lane & 1 == 1)
                .fold(0, |mask, lane| mask | 0xff << (8 * lane));
            let word = &mut self.memory[address.index()];
            *word = *word & !mask | data & mask;
            self.log.writes.push((address.to_u64(), data, lanes));
        }
        let control = &dut.m_axis_control;
        if control.tvalid.val() && !self.was_offered {
            self.offered.push(self.cycle);
        }
        self.was_offered = control.tvalid.val() && !control.tready.val();
        if control.tvalid.val() && control.tready.val() {
            self.parts.push(control.tdata.val().to_u64());
            if control.tlast.val() {
                self.log.answers.push(std::mem::take(&mut self.parts));
            }
        }
        let credit = &dut.m_axis_credit;
        if credit.tvalid.val() && credit.tready.val() {
            assert!(credit.tlast.val());
            self.credits_offered.push(self.cycle);
            self.log.credits.push(credit.tdata.val().to_u64());
        }
        if dut.event.valid.val() && dut.event.ready.val() {
            self.log
                .events
                .push((dut.event.event.val().to_u64(), dut.event.error.val().to_u64()));
        }
        let completion = &dut.completion;
        if completion.valid.val() && completion.ready.val() {
            assert!(!completion.has_value.val());
            self.log
                .completions
                .push((completion.slot.val().to_u64(), completion.error.val().to_u64()));
        }
    }

    /// Sends a packet, with pauses as the readiness has it; gives the cycles in which its flits were taken.
    pub fn send(&mut self, flits: &[u64]) -> Vec<usize> {
        let mut taken = vec![];
        for (at, &data) in flits.iter().enumerate() {
            while !self.ready() {
                self.step(None, None);
            }
            let since = self.cycle;
            while !self.step(Some((data, at + 1 == flits.len())), None) {
                if self.rng.gen_bool(1.0 - self.readiness) {
                    // A tag of nobody's is set up meanwhile.
                    let write = (tag_register(200, TagRegister::Ends), 0);
                    if self.step(Some((data, at + 1 == flits.len())), Some(write)) {
                        break;
                    }
                }
                assert!(self.cycle < since + 2000, "flit {at} of {flits:x?} is never taken");
            }
            taken.push(self.cycle - 1);
        }
        taken
    }

    pub fn write_register(&mut self, index: u64, data: u64) {
        self.step(None, Some((index, data)));
    }

    /// Begins to read a register with the next step; it is in `answer` after [`ANSWER_CYCLES`].
    pub fn ask(&mut self, index: u64) {
        self.dut.access.read.next = true;
        self.read_index = Some(index);
    }

    pub fn answer(&self) -> u64 {
        self.dut.access.answer.val().to_u64()
    }

    pub fn read_register(&mut self, index: u64) -> u64 {
        self.ask(index);
        (0..ANSWER_CYCLES).for_each(|_| {
            self.step(None, None);
        });
        self.answer()
    }

    /// Lets everything that is on the way arrive.
    pub fn drain(&mut self) {
        (0..(60.0 / self.readiness) as usize).for_each(|_| {
            self.step(None, None);
        });
        assert!(self.parts.is_empty(), "half a packet on the control plane");
    }
}
