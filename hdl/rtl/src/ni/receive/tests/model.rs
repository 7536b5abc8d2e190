//! What whole packets ought to do.

use super::bench::{register_bit, Log, MEMORY_WORDS, NODE};
use portico_spec::{
    flit::{Head, KIND_OFFSET, SOURCE_OFFSET, TAG_OFFSET},
    ni::{
        command::SEGMENT_OFFSET,
        packet::{ControlKind, MAX_MESSAGE_WORDS},
        registers::{Block, TagRegister, BLOCK_OFFSET, FIELD_WIDTH},
        window::{MESSAGE_HANDLE_OFFSET, MESSAGE_SOURCE_OFFSET},
        ErrorCode,
    },
};
use ErrorCode::{Malformed, OutOfWindow, QueueFull, TooLong, UnknownWindow, WrongWindow};

#[derive(Clone, Copy, Default)]
pub struct Tag {
    pub base: u64,
    pub size: u64,
    pub control: u64,
    pub row: u64,
    pub stride: u64,
    pub position: u64,
    pub done: u64,
    pub ends: u64,
    pub fault: u64,
    pub released: u64,
}

impl Tag {
    fn mode(&self) -> u64 {
        self.control & 7
    }

    fn event(&self) -> Option<u64> {
        (self.control >> 3 & 1 == 1).then_some(self.control >> 4 & 63)
    }

    fn slot_words(&self) -> u64 {
        1 << (self.control >> 10 & 15)
    }

    fn slots(&self) -> u64 {
        1 << (self.control >> 16 & 15)
    }

    pub fn waiting(&self) -> u64 {
        self.position.wrapping_sub(self.released) & 0xffff
    }
}

enum Place {
    Memory(u64),
    Device(u64),
    Nothing,
}

pub struct Model {
    pub width: usize,
    pub memory: Vec<u64>,
    pub tags: Vec<Tag>,
    pub log: Log,
}

impl Model {
    pub fn new(width: usize) -> Self {
        let mut tags = vec![Tag::default(); 256];
        tags[255].size = 2 << register_bit(width);
        tags[255].control = 1;
        Self {
            width,
            memory: vec![0; MEMORY_WORDS as usize],
            tags,
            log: Log::default(),
        }
    }

    fn place(&self, address: u64) -> Place {
        match address {
            _ if address < 1 << 22 && address >> register_bit(self.width) & 1 == 1 => Place::Device(address & 0xffff),
            _ if address < MEMORY_WORDS => Place::Memory(address),
            _ => Place::Nothing,
        }
    }

    fn write(&mut self, address: u64, data: u64, lanes: u64) {
        let mask = (0..8)
            .filter(|lane| lanes >> lane & 1 == 1)
            .fold(0, |mask, lane| mask | 0xff << (8 * lane));
        let word = &mut self.memory[address as usize];
        *word = *word & !mask | data & mask;
        self.log.writes.push((address, data, lanes));
    }

    fn all_lanes(&self) -> u64 {
        (1 << (self.width / 8)) - 1
    }

    /// Stores a word, or says that it cannot.
    fn store(&mut self, address: u64, data: u64) -> bool {
        match self.place(address) {
            Place::Memory(address) => self.write(address, data, self.all_lanes()),
            Place::Device(index) => {
                self.log.registers.push((index, data & 0xffff_ffff));
                self.register(index, data & 0xffff_ffff);
            }
            Place::Nothing => return false,
        }
        true
    }

    pub fn register(&mut self, index: u64, data: u64) {
        if index >> (FIELD_WIDTH + 8) != (Block::Tags as u64) << (BLOCK_OFFSET - FIELD_WIDTH - 8) {
            return;
        }
        let tag = &mut self.tags[(index >> FIELD_WIDTH & 255) as usize];
        match index & 7 {
            field if field == TagRegister::Base as u64 => tag.base = data & 0x3f_ffff,
            field if field == TagRegister::Size as u64 => tag.size = data & 0xff_ffff,
            field if field == TagRegister::Control as u64 => tag.control = data,
            field if field == TagRegister::Pointer as u64 => (tag.position, tag.done) = (data & 0xff_ffff, 0),
            field if field == TagRegister::Geometry as u64 => (tag.row, tag.stride) = (data & 0xffff, data >> 16),
            field if field == TagRegister::Ends as u64 => (tag.ends, tag.fault) = (0, 0),
            field if field == TagRegister::Released as u64 => tag.released = data & 0xffff,
            _ => {}
        }
    }

    fn answer(&mut self, kind: ControlKind, source: u64, slot: u64, words: &[u64]) {
        let head = source | NODE << SOURCE_OFFSET | slot << TAG_OFFSET | (kind as u64) << KIND_OFFSET;
        self.log.answers.push([&[head], words].concat());
    }

    pub fn packet(&mut self, flits: &[u64]) {
        let head = Head::decode(flits[0] as u32);
        let source = flits[0] >> SOURCE_OFFSET & 0x1ff;
        match head.kind {
            2 => self.stream(head, &flits[1..]),
            0 | 1 | 3 | 4 if flits.len() == 1 => self.log.refused += 1,
            0 | 1 => self.put(head, source, &flits[1..]),
            3 => self.atomic(head, source, &flits[1..]),
            4 => self.message(head, source, &flits[1..]),
            _ => self.log.refused += 1,
        }
    }

    fn put(&mut self, head: Head, source: u64, flits: &[u64]) {
        let (offset, slot) = (flits[0] & 0x3f_ffff, flits[0] >> 22 & 31);
        let strided = flits[0] >> 27 & 1 == 1;
        let geometry = if strided { *flits.get(1).unwrap_or(&0) } else { 0 };
        let (row, stride) = (geometry & 0xffff, geometry >> 16 & 0xffff);
        let payload = flits.get(1 + usize::from(strided)..).unwrap_or(&[]);
        let tag = self.tags[usize::from(head.tag)];
        let wrong = match tag.mode() {
            _ if head.kind == 1 => None,
            0 => Some(UnknownWindow),
            1 => None,
            _ => Some(WrongWindow),
        };
        let mut refused = 0;
        for (at, &word) in payload.iter().enumerate() {
            let at = at as u64;
            let position = offset + at.checked_div(row).map_or(at, |rows| rows * stride + at % row);
            let (base, size) = if head.kind == 1 {
                (0, u64::MAX)
            } else {
                (tag.base, tag.size)
            };
            let stored = wrong.is_none() && position < size && self.store(base + position, word);
            refused += usize::from(!stored);
        }
        self.log.refused += refused;
        if head.kind == 1 {
            if head.last {
                self.log.completions.push((u64::from(head.tag & 31), slot & 15));
            }
            return;
        }
        // Payload may have written the tag's own registers; the packet goes on with what it began with.
        let event = tag.event();
        let now = &mut self.tags[usize::from(head.tag)];
        let mut outcome = tag.fault;
        if refused > 0 && outcome == 0 {
            outcome = OutOfWindow as u64;
        }
        if let (Some(wrong), true) = (wrong, refused > 0 || head.last) {
            outcome = wrong as u64;
        }
        if !head.last {
            now.fault = outcome;
            return;
        }
        now.fault = 0;
        if outcome == 0 {
            now.ends = (tag.ends + 1) & 0xffff;
            self.answer(ControlKind::Ack, source, slot, &[]);
            self.log.events.extend(event.map(|event| (event, 0)));
        } else {
            self.answer(ControlKind::Refuse, source, slot, &[outcome]);
        }
    }

    fn stream(&mut self, head: Head, payload: &[u64]) {
        let mut tag = self.tags[usize::from(head.tag)];
        if tag.mode() != 2 {
            self.log.refused += payload.len();
            return;
        }
        for &word in payload {
            if tag.position >= tag.size || !self.store(tag.base + tag.position, word) {
                self.log.refused += 1;
                tag.fault = if tag.fault == 0 { OutOfWindow as u64 } else { tag.fault };
            }
            tag.position += 1;
            tag.done += 1;
            if tag.row > 0 && tag.done == tag.row {
                tag.position = tag.position + tag.stride - tag.row;
                tag.done = 0;
            }
        }
        if head.last {
            tag.ends = (tag.ends + u64::from(tag.fault == 0)) & 0xffff;
            self.log.events.extend(tag.event().map(|event| (event, tag.fault)));
            tag.fault = 0;
        }
        self.tags[usize::from(head.tag)] = tag;
    }

    fn message(&mut self, head: Head, source: u64, flits: &[u64]) {
        let tag = self.tags[usize::from(head.tag)];
        if tag.mode() != 3 {
            self.log.refused += 1;
            return;
        }
        let slot = tag.position % tag.slots() * tag.slot_words();
        let words = flits.len() as u64 - 1;
        let most = (tag.slot_words() - 1).min(MAX_MESSAGE_WORDS as u64);
        let mut error = None;
        for at in (1..=words).chain([0]) {
            let inside = slot + at < tag.size && tag.base + slot + at < MEMORY_WORDS;
            error = error.or((!inside).then_some(OutOfWindow));
            error = error.or((at > most).then_some(TooLong));
            error = if tag.waiting() < tag.slots() {
                error
            } else {
                Some(QueueFull)
            };
            if error.is_some() {
                continue;
            }
            let word = if at == 0 {
                let handle = flits[0] >> SEGMENT_OFFSET & 255;
                words | source << MESSAGE_SOURCE_OFFSET | handle << MESSAGE_HANDLE_OFFSET
            } else {
                flits[at as usize]
            };
            self.write(tag.base + slot + at, word, self.all_lanes());
        }
        // A message too long is that, whatever its window.
        error = error.map(|error| {
            if error == OutOfWindow && words > most {
                TooLong
            } else {
                error
            }
        });
        self.log.refused += usize::from(error.is_some());
        let code = error.map_or(0, |error| error as u64);
        self.log.events.extend(tag.event().map(|event| (event, code)));
        if error.is_none() {
            self.tags[usize::from(head.tag)].position = (tag.position + 1) & 0xffff;
        }
    }

    /// Software releases messages: the credits that come of it.
    pub fn release(&mut self, tag: u8, messages: u64) {
        for _ in 0..messages {
            let state = &mut self.tags[usize::from(tag)];
            if state.waiting() == 0 || state.mode() != 3 {
                return;
            }
            let front = state.base + state.released % state.slots() * state.slot_words();
            state.released = (state.released + 1) & 0xffff;
            let word = self.memory[front as usize];
            let (source, handle) = (
                word >> MESSAGE_SOURCE_OFFSET & 0x1ff,
                word >> MESSAGE_HANDLE_OFFSET & 255,
            );
            let kind = ControlKind::Credit as u64;
            self.log
                .credits
                .push(source | NODE << SOURCE_OFFSET | handle << TAG_OFFSET | kind << KIND_OFFSET);
        }
    }

    fn atomic(&mut self, head: Head, source: u64, flits: &[u64]) {
        let (offset, slot, operation) = (flits[0] & 0x3f_ffff, flits[0] >> 22 & 31, flits[0] >> 28 & 7);
        let wide = flits[0] >> 31 & 1 == 1;
        let half = !wide && flits[0] >> 27 & 1 == 1 && self.width == 64;
        let tag = self.tags[usize::from(head.tag)];
        let pair = u64::from(wide && self.width == 32);
        let place = if (offset | pair) < tag.size {
            self.place(tag.base + (offset | pair))
        } else {
            Place::Nothing
        };
        let operands: Vec<u64> = flits[1..].iter().map(|flit| flit & 0xffff_ffff).collect();
        let wanted = [1, 1, 1, 0, 2, 0, 2, 99][operation as usize] << u32::from(wide);
        let operand = |at: usize| match wide {
            _ if wanted <= if wide { 2 * at } else { at } => 0,
            true => operands[2 * at] | operands[2 * at + 1] << 32,
            false => operands[at],
        };
        let error = match (tag.mode(), place) {
            (0, _) => UnknownWindow,
            (2.., _) => WrongWindow,
            (_, Place::Nothing) => OutOfWindow,
            (_, Place::Device(_)) if operation != 1 || wide || half => OutOfWindow,
            _ if operands.len() < wanted || pair == 1 && offset & 1 == 1 => Malformed,
            (_, Place::Device(index)) => {
                self.log.registers.push((index, operand(0)));
                self.register(index, operand(0));
                return self.answer(ControlKind::Ack, source, slot, &[]);
            }
            _ => {
                return self.operate(
                    tag.base + offset,
                    (wide, half),
                    operation,
                    [operand(0), operand(1)],
                    source,
                    slot,
                )
            }
        };
        self.answer(ControlKind::Refuse, source, slot, &[error as u64]);
    }

    fn operate(
        &mut self,
        at: u64,
        (wide, half): (bool, bool),
        operation: u64,
        operands: [u64; 2],
        source: u64,
        slot: u64,
    ) {
        let [first, second] = operands;
        let mask = if wide { u64::MAX } else { 0xffff_ffff };
        let mut old = self.memory[at as usize] >> if half { 32 } else { 0 } & mask;
        if wide && self.width == 32 {
            old |= self.memory[at as usize + 1] << 32;
        }
        let new = match operation {
            0 | 2 => Some(old.wrapping_add(first) & mask),
            1 => Some(first),
            3 => Some(0),
            4 => (old == first).then_some(second),
            5 => None,
            _ => (old < first).then_some(old.wrapping_add(second) & mask),
        };
        match (new, self.width, wide) {
            (None, ..) => {}
            (Some(new), 32, true) => {
                self.write(at + 1, new >> 32, 0xf);
                self.write(at, new & 0xffff_ffff, 0xf);
            }
            (Some(new), 32, false) => self.write(at, new, 0xf),
            (Some(new), _, true) => self.write(at, new, 0xff),
            (Some(new), _, false) => self.write(at, new | new << 32, if half { 0xf0 } else { 0x0f }),
        }
        match operation {
            0 | 1 => self.answer(ControlKind::Ack, source, slot, &[]),
            _ => self.answer(ControlKind::Value, source, slot, &[old & 0xffff_ffff, old >> 32]),
        }
    }
}
