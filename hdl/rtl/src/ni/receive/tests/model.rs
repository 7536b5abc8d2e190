//! What whole packets ought to do: the reception of the golden model, around a memory that keeps a log.

use super::bench::{has_room, register_bit, Log, GETS, MEMORY_WORDS, NODE};
use portico_golden::fabric::{
    packet::{Answer, DataPacket},
    reception::{self, Cell, Target},
    window::Window,
};
use portico_spec::{
    flit::X_WIDTH,
    ni::{
        packet::{OFFSET_WIDTH, SLOTS},
        registers::{Block, Place, TagRegister, BLOCK_OFFSET, FIELD_WIDTH, INDEX_WIDTH},
        window::{SYSTEM_WINDOW, WINDOWS},
        ErrorCode,
    },
    Node,
};

pub struct Model {
    width: usize,
    pub memory: Vec<u64>,
    pub windows: Vec<Window>,
    pub log: Log,
}

impl Model {
    pub fn new(width: usize) -> Self {
        let mut windows = vec![Window::default(); WINDOWS];
        windows[SYSTEM_WINDOW] = Window::system(2 << register_bit(width));
        Self {
            width,
            memory: vec![0; MEMORY_WORDS as usize],
            windows,
            log: Log::default(),
        }
    }

    pub fn packet(&mut self, flits: &[u64]) {
        match DataPacket::decode(flits, self.width) {
            Some((_, DataPacket::Probe { .. })) => self.log.engine.push(flits.to_vec()),
            Some((source, packet)) => reception::receive(self, source, packet),
            None => self.refuse(1),
        }
    }

    /// Software releases messages.
    pub fn release(&mut self, tag: u8, messages: u64) {
        reception::release(self, tag, messages as u32);
    }

    /// Writes a register; those of windows are all that there are.
    pub fn register(&mut self, index: u64, data: u64) {
        let (block, place) = (index >> BLOCK_OFFSET, index % (1 << BLOCK_OFFSET));
        let window = self.windows.get_mut((place >> FIELD_WIDTH) as usize);
        let field = TagRegister::from_number((place % (1 << FIELD_WIDTH)) as usize);
        if let (true, Some(window), Some(field)) = (block == Block::Tags as u64, window, field) {
            window.write(field, data as u32);
        }
    }

    fn write_lanes(&mut self, address: u32, data: u64, lanes: u64) {
        let mask = (0..8)
            .filter(|lane| lanes >> lane & 1 == 1)
            .fold(0, |mask, lane| mask | 0xff << (8 * lane));
        let word = &mut self.memory[address as usize];
        *word = *word & !mask | data & mask;
        self.log.writes.push((address.into(), data, lanes));
    }
}

impl Target for Model {
    fn awaits(&self, slot: u8) -> bool {
        GETS >> (slot % SLOTS as u8) & 1 == 1
    }

    fn has_pairs(&self) -> bool {
        true
    }

    fn width(&self) -> usize {
        self.width
    }

    fn window(&mut self, tag: u8) -> &mut Window {
        &mut self.windows[usize::from(tag)]
    }

    fn cell(&self, address: u32) -> Cell {
        match u64::from(address) {
            address if address < 1 << OFFSET_WIDTH && address >> register_bit(self.width) & 1 == 1 => Cell::Register,
            address if address < MEMORY_WORDS => Cell::Memory,
            _ => Cell::Nothing,
        }
    }

    fn read(&self, address: u32) -> u64 {
        self.memory[address as usize]
    }

    fn write(&mut self, address: u32, word: u64) -> bool {
        if self.cell(address) == Cell::Register {
            let (index, data) = (u64::from(address) % (1 << INDEX_WIDTH), word & u64::from(u32::MAX));
            self.log.registers.push((index, data));
            self.register(index, data);
            return has_room((index, data));
        }
        self.write_lanes(address, word, (1 << (self.width / 8)) - 1);
        true
    }

    fn write_half(&mut self, address: u32, upper: bool, half: u32) {
        let data = u64::from(half) | u64::from(half) << 32;
        self.write_lanes(address, data, if upper { 0xf0 } else { 0x0f });
    }

    fn answer(&mut self, to: Node, answer: Answer) {
        let node = Node {
            x: (NODE % (1 << X_WIDTH)) as u8,
            y: (NODE >> X_WIDTH) as u8,
        };
        let flits = answer.encode(node, to);
        match answer {
            Answer::Credit { .. } => self.log.credits.extend(flits),
            _ => self.log.answers.push(flits),
        }
    }

    fn complete(&mut self, slot: u8, error: u8) {
        self.log.completions.push((slot.into(), error.into()));
    }

    fn notify(&mut self, event: u32, error: Option<ErrorCode>) {
        self.log
            .events
            .push((event.into(), error.map_or(0, |error| error as u64)));
    }

    fn refuse(&mut self, words: u32) {
        self.log.refused += words as usize;
    }
}
