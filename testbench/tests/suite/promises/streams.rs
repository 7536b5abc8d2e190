//! What the streams of a tile promise as a block: every word moves once and in order, `tlast` is where the descriptor or the
//! stream has it, and an event counts behind the last word.

use anyhow::{ensure, Context};
use portico_spec::{
    ni::{
        command::{Opcode, EVENT_OFFSET},
        registers::{index, StreamRegister},
        ErrorCode,
    },
    streams::{Beat, Receive, Send},
    Config,
};
use portico_testbench::device::{Device, Input, Output};
use rand::{rngs::StdRng, Rng, SeedableRng};
use std::collections::VecDeque;

/// Cycles in which any descriptors of these are over.
const PATIENCE: usize = 20_000;
/// Events of sends, of receives, of descriptors that are refused.
const SENDS: u64 = 1;
const RECEIVES: u64 = 2;
const REFUSALS: u64 = 3;

/// What a check has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub words: u64,
    pub refused: u64,
    pub cut: u64,
    pub cycles: u64,
}

struct Bench<'a, D> {
    device: &'a mut D,
    random: StdRng,
    config: Config,
    now: u64,
    /// Chance that each side is ready.
    pace: f64,
    memory: Vec<u64>,
    read: Option<u64>,
    commands: VecDeque<(u32, bool)>,
    coming: VecDeque<Beat>,
    command_offered: bool,
    beat_offered: bool,
    /// What must leave; descriptors of sends that have not left, by their words.
    leaving: VecDeque<Beat>,
    sends: VecDeque<usize>,
    left: usize,
    /// What must be written, and where; descriptors of receives, by their words.
    writing: VecDeque<(usize, u64)>,
    receives: VecDeque<usize>,
    written: usize,
    refusals: VecDeque<ErrorCode>,
    words: u64,
}

impl<D: Device> Bench<'_, D> {
    fn input(&self, name: &str) -> Input {
        self.device.input(name).unwrap_or_else(|| panic!("no input {name}"))
    }

    fn output(&self, name: &str) -> Output {
        self.device.output(name).unwrap_or_else(|| panic!("no output {name}"))
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.input(name);
        self.device.set(port, value);
    }

    fn get(&self, name: &str) -> u64 {
        self.device.get(self.output(name))
    }

    /// Whether a side moves in this cycle.
    fn moves(&mut self) -> bool {
        self.random.gen_bool(self.pace)
    }

    fn tick(&mut self) -> anyhow::Result<()> {
        self.command_offered = !self.commands.is_empty() && (self.command_offered || self.moves());
        self.beat_offered = !self.coming.is_empty() && (self.beat_offered || self.moves());
        let (word, last) = self.commands.front().copied().unwrap_or_default();
        let (beat, beat_last) = self.coming.front().copied().unwrap_or_default();
        self.set("socket_commands_tvalid", self.command_offered.into());
        self.set("socket_commands_tdata", word.into());
        self.set("socket_commands_tlast", last.into());
        self.set("s_axis_stream_tvalid", self.beat_offered.into());
        self.set("s_axis_stream_tdata", beat);
        self.set("s_axis_stream_tlast", beat_last.into());
        let [leaves, reads, writes, counts] = std::array::from_fn(|_| self.moves());
        self.set("m_axis_stream_tready", leaves.into());
        self.set("socket_memory_read_ready", reads.into());
        self.set("socket_memory_read_data_valid", self.read.is_some().into());
        let data = self.read.take().unwrap_or_default();
        self.set("socket_memory_read_data", data);
        self.set("socket_memory_write_ready", writes.into());
        self.set("socket_event_ready", counts.into());
        self.device.settle();

        if self.command_offered && self.get("socket_commands_tready") == 1 {
            self.commands.pop_front();
            self.command_offered = false;
        }
        if self.beat_offered && self.get("s_axis_stream_tready") == 1 {
            self.coming.pop_front();
            self.beat_offered = false;
        }
        if counts && self.get("socket_event_valid") == 1 {
            self.counted(self.get("socket_event_event"), self.get("socket_event_error"))?;
        }
        if leaves && self.get("m_axis_stream_tvalid") == 1 {
            let beat = (self.get("m_axis_stream_tdata"), self.get("m_axis_stream_tlast") == 1);
            let due = self.leaving.pop_front();
            ensure!(
                due == Some(beat),
                "cycle {}: {beat:x?} leaves, due is {due:x?}",
                self.now
            );
            self.left += 1;
            self.words += 1;
        }
        if reads && self.get("socket_memory_read_valid") == 1 {
            self.read = Some(self.memory[self.get("socket_memory_read_address") as usize]);
        }
        if writes && self.get("socket_memory_write_valid") == 1 {
            let write = (
                self.get("socket_memory_write_address") as usize,
                self.get("socket_memory_write_data"),
            );
            let due = self.writing.pop_front();
            ensure!(
                due == Some(write),
                "cycle {}: {write:x?} is written, due is {due:x?}",
                self.now
            );
            self.memory[write.0] = write.1;
            self.written += 1;
            self.words += 1;
        }
        self.device.tick();
        self.now += 1;
        Ok(())
    }

    /// An event is counted: all words of its descriptor have moved before.
    fn counted(&mut self, event: u64, error: u64) -> anyhow::Result<()> {
        let now = self.now;
        if event == REFUSALS {
            let due = self.refusals.pop_front();
            ensure!(
                due.is_some_and(|code| code as u64 == error),
                "cycle {now}: error {error}, due is {due:?}"
            );
            return Ok(());
        }
        let (words, moved) = match event {
            SENDS => (self.sends.pop_front(), &mut self.left),
            _ => (self.receives.pop_front(), &mut self.written),
        };
        ensure!(error == 0, "cycle {now}: event {event} with error {error}");
        ensure!(
            words == Some(*moved),
            "cycle {now}: event {event} after {moved} words, due after {words:?}"
        );
        *moved = 0;
        Ok(())
    }

    fn push(&mut self, opcode: u32, event: u64, rest: &[u32]) {
        let words = [&[opcode | (event as u32) << EVENT_OFFSET][..], rest].concat();
        let last = words.len() - 1;
        self.commands
            .extend(words.into_iter().enumerate().map(|(at, word)| (word, at == last)));
    }

    fn is_over(&self) -> bool {
        self.commands.is_empty() && self.sends.is_empty() && self.receives.is_empty() && self.refusals.is_empty()
    }

    fn register(&mut self, register: StreamRegister) -> anyhow::Result<u64> {
        self.set("socket_register_index", index(register, 0).into());
        self.set("socket_register_read", 1);
        self.tick()?;
        self.set("socket_register_read", 0);
        (0..3).try_for_each(|_| self.tick())?;
        self.device.settle();
        Ok(self.get("socket_register_answer"))
    }

    /// One send, one receive and one refusal, of the lower half of the memory into the upper.
    fn round(&mut self, seen: &mut Seen) -> anyhow::Result<()> {
        let bytes = (self.config.width / 8) as u32;
        let (half, end) = (self.memory.len() as u32 / 2, self.memory.len() as u32);
        let random = &mut self.random;
        let (row, rows, stride) = (random.gen_range(1..20), random.gen_range(1..5), random.gen_range(0..20));
        let address = random.gen_range(0..half - 80);
        let send = Send {
            address: address * bytes,
            row: row * bytes,
            rows,
            stride: stride * bytes,
            each_row: random.gen(),
        };
        let length = random.gen_range(1..40);
        let to = random.gen_range(half..end - length);
        let receive = Receive {
            address: to * bytes,
            length: length * bytes,
        };
        let words = random.gen_range(1..=length);
        // A stream that fills the length may go on, and what follows is of the next receive.
        let is_cut = words == length && random.gen();
        let mask = u64::MAX >> (64 - self.config.width);
        let stream: Vec<u64> = (0..words).map(|_| random.gen::<u64>() & mask).collect();
        for at in 0..rows {
            for word in 0..row {
                let last = word + 1 == row && (send.each_row || at + 1 == rows);
                let place = (address + at * stride + word) as usize;
                self.leaving.push_back((self.memory[place], last));
            }
        }
        self.sends.push_back((row * rows) as usize);
        self.receives.push_back(words as usize);
        for (at, &word) in (0..).zip(&stream) {
            self.coming.push_back((word, at + 1 == words && !is_cut));
            self.writing.push_back(((to + at) as usize, word));
        }
        self.push(Opcode::Send as u32, SENDS, &send.encode(&self.config)?);
        self.push(Opcode::Receive as u32, RECEIVES, &receive.encode(&self.config)?);
        let (opcode, rest, code) = match seen.refused % 4 {
            0 => (30, vec![0, 1], ErrorCode::UnknownOpcode),
            1 => (Opcode::Receive as u32, vec![1, 1], ErrorCode::Malformed),
            2 => (Opcode::Send as u32, vec![0, 1 << 16, 0], ErrorCode::Malformed),
            _ => (
                Opcode::Receive as u32,
                vec![(end - 1) * bytes, 2],
                ErrorCode::OutOfMemory,
            ),
        };
        self.refusals.push_back(code);
        self.push(opcode, REFUSALS, &rest);
        let mut patience = PATIENCE;
        while !self.is_over() {
            self.tick()?;
            patience -= 1;
            ensure!(patience > 0, "cycle {}: {send:?} or {receive:?} does not end", self.now);
        }
        let moved = [StreamRegister::SendWords, StreamRegister::ReceiveWords];
        let moved = [self.register(moved[0])?, self.register(moved[1])?];
        ensure!(
            moved == [u64::from(row * rows), words.into()],
            "cycle {}: registers say {moved:?}",
            self.now
        );
        seen.refused += 1;
        seen.cut += u64::from(is_cut);
        Ok(())
    }
}

/// Sends, receives and refusals at an engine of this width with a scratchpad of 4 KiB, at several paces.
///
/// # Errors
/// A word, a `tlast`, an event or a register that is not the specification's.
pub fn check(device: &mut impl Device, width: usize, rounds: usize, seed: u64) -> anyhow::Result<Seen> {
    play_rounds(device, width, rounds, seed).with_context(|| format!("seed {seed:#x}"))
}

fn play_rounds(device: &mut impl Device, width: usize, rounds: usize, seed: u64) -> anyhow::Result<Seen> {
    device.reset(2);
    let mut random = StdRng::seed_from_u64(seed);
    let words = (4 << 10) / (width / 8);
    let mask = u64::MAX >> (64 - width);
    let mut bench = Bench {
        device,
        config: Config {
            width,
            scratchpad: 4,
            streams: true,
            ..Config::default()
        },
        now: 0,
        pace: 1.0,
        memory: (0..words).map(|_| random.gen::<u64>() & mask).collect(),
        random,
        read: None,
        commands: VecDeque::new(),
        coming: VecDeque::new(),
        command_offered: false,
        beat_offered: false,
        leaving: VecDeque::new(),
        sends: VecDeque::new(),
        left: 0,
        writing: VecDeque::new(),
        receives: VecDeque::new(),
        written: 0,
        refusals: VecDeque::new(),
        words: 0,
    };
    bench.set("socket_sweep_active", 0);
    bench.set("socket_register_read", 0);
    let mut seen = Seen::default();
    for round in 0..rounds {
        bench.pace = [1.0, 0.7, 0.3][round % 3];
        bench.round(&mut seen)?;
    }
    (seen.words, seen.cycles) = (bench.words, bench.now);
    ensure!(
        seen.words > 2_000 && seen.refused > 20 && seen.cut > 0,
        "the run misses a corner: {seen:?}"
    );
    Ok(seen)
}
