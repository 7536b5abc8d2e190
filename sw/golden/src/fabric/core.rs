//! The micro-cores: programs of the user's.

use portico_spec::ni::{
    instruction::{
        Mode, Op, A_OFFSET, B_OFFSET, CLOSE_OFFSET, ENDS_OFFSET, ENDS_WIDTH, IMMEDIATE_OFFSET, IMMEDIATE_WIDTH,
        LAST_OFFSET, LOOPS, MODE_OFFSET, MODE_WIDTH, OP_OFFSET, OP_WIDTH, PROGRAM_WORDS, REGISTERS, REGISTER_WIDTH,
        STOP_OFFSET, SWAP_OFFSET,
    },
    ErrorCode,
};

use super::{
    bits::{bit, field},
    context::{Owner, Step},
    interface::Interface,
    packet::Packet,
};

/// A program that runs. It sends what a put sends; whether its words travel in one packet or many is not its concern,
/// so that it needs to know of an open packet only for `CLOSE last`.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pc: usize,
    registers: [u32; REGISTERS],
    loops: Vec<Loop>,
    /// Where the next row goes, in words.
    remote: u64,
    row: u64,
    stride: u64,
    ended: bool,
}

#[derive(Clone, Copy, Debug)]
struct Loop {
    start: usize,
    left: u32,
}

impl Core {
    /// A program at `start`, its registers the words of the descriptor.
    pub fn new(start: u32, words: &[u32]) -> Core {
        let mut registers = [0; REGISTERS];
        registers[..words.len()].copy_from_slice(words);
        Core {
            pc: start as usize,
            registers,
            loops: Vec::new(),
            remote: 0,
            row: u64::from(registers[3] & 0xffff),
            stride: u64::from(registers[4] >> 16),
            ended: false,
        }
    }

    /// One instruction.
    pub fn step(&mut self, at: &mut Interface, owner: &Owner) -> Step {
        match self.execute(at, owner) {
            Ok(step) => step,
            Err(error) => {
                // After an end of transfer the slot is the target's to complete.
                match owner.slot.filter(|_| !self.ended) {
                    Some(slot) => at.complete(slot, Some(error)),
                    None => at.notify(owner.common.event, Some(error)),
                }
                Step::Done
            }
        }
    }

    fn execute(&mut self, at: &mut Interface, owner: &Owner) -> Result<Step, ErrorCode> {
        if self.pc >= PROGRAM_WORDS {
            return Err(ErrorCode::UnknownInstruction);
        }
        let word = at.program[self.pc];
        let a = field(word, A_OFFSET, REGISTER_WIDTH) as usize;
        let op = field(word, OP_OFFSET, OP_WIDTH);
        let is = |name: Op| op == name as u32;
        let flagged = is(Op::Run) || is(Op::Word) || is(Op::Close);
        let immediate = ((word as i32) << (32 - IMMEDIATE_OFFSET - IMMEDIATE_WIDTH) >> (32 - IMMEDIATE_WIDTH)) as u32;
        let immediate = if flagged { 0 } else { immediate };
        let mode = field(word, MODE_OFFSET, MODE_WIDTH);
        let value = self.registers[field(word, B_OFFSET, REGISTER_WIDTH) as usize];
        let b = match mode {
            m if m == Mode::Register as u32 => value,
            m if m == Mode::Low as u32 => value & 0xffff,
            m if m == Mode::High as u32 => value >> 16,
            _ => immediate,
        };
        let mut stops = false;
        if is(Op::Stop) {
            stops = true;
        } else if is(Op::Set) {
            self.registers[a] = b;
        } else if is(Op::Add) {
            self.registers[a] = self.registers[a].wrapping_add(b);
        } else if is(Op::Loop) {
            if self.loops.len() == LOOPS {
                return Err(ErrorCode::UnknownInstruction);
            }
            let left = if b & 0xffff == 0 { 1 << 16 } else { b & 0xffff };
            let start = self.pc + 1;
            self.loops.push(Loop { start, left });
        } else if is(Op::To) {
            self.remote = u64::from(self.registers[a]);
        } else if is(Op::Shape) {
            self.row = u64::from(self.registers[a] & 0xffff);
            self.stride = u64::from(b & 0xffff);
        } else if is(Op::Run) {
            self.send_row(at, owner, u64::from(self.registers[a]))?;
            self.registers[a] = self.registers[a].wrapping_add(b);
        } else if is(Op::Word) {
            let value = self.registers[a];
            let value = if bit(word, SWAP_OFFSET) {
                value.rotate_left(16)
            } else {
                value
            };
            self.send(at, owner, self.remote, vec![u64::from(value)], false)?;
            self.remote += 1;
        } else if is(Op::Notify) {
            if mode == Mode::Immediate as u32 && b == u32::MAX {
                at.succeed(owner.common);
            } else {
                at.notify(b % at.events.len() as u32, None);
            }
        } else if is(Op::Wait) {
            if !at.events[b as usize % at.events.len()].fired() {
                return Ok(Step::Blocked);
            }
        } else if is(Op::Credit) {
            if !at.segments[usize::from(owner.common.segment)].take_credit() {
                return Ok(Step::Blocked);
            }
        } else if is(Op::Fence) {
            let own = owner.slot.filter(|_| !self.ended);
            if at.is_busy(owner.common.segment, own) {
                return Ok(Step::Blocked);
            }
        } else if !is(Op::Close) {
            return Err(ErrorCode::UnknownInstruction);
        }
        if flagged {
            if bit(word, CLOSE_OFFSET) && bit(word, LAST_OFFSET) || is(Op::Close) && bit(word, LAST_OFFSET) {
                self.send(at, owner, self.remote, Vec::new(), true)?;
                self.ended = true;
            }
            stops = bit(word, STOP_OFFSET);
        }
        if stops {
            if let Some(slot) = owner.slot.filter(|_| !self.ended) {
                at.complete(slot, None);
            }
            return Ok(Step::Done);
        }
        self.next(field(word, ENDS_OFFSET, ENDS_WIDTH));
        Ok(Step::Moved)
    }

    /// The next instruction: of the `ends` innermost loops, the first with rounds left begins again, those without
    /// are left.
    fn next(&mut self, ends: u32) {
        self.pc += 1;
        for _ in 0..ends {
            let Some(innermost) = self.loops.last_mut() else {
                return;
            };
            innermost.left -= 1;
            if innermost.left > 0 {
                self.pc = innermost.start;
                return;
            }
            self.loops.pop();
        }
    }

    fn send_row(&mut self, at: &mut Interface, owner: &Owner, local: u64) -> Result<(), ErrorCode> {
        let mut sent = 0;
        while sent < self.row {
            let words = (self.row - sent).min(portico_spec::flit::MAX_PAYLOAD_FLITS as u64);
            if local + sent + words > at.memory.words() {
                return Err(ErrorCode::OutOfMemory);
            }
            let run = at.local(local + sent, words);
            self.send(at, owner, self.remote + sent, run, false)?;
            sent += words;
        }
        self.remote += self.stride;
        Ok(())
    }

    fn send(
        &self,
        at: &mut Interface,
        owner: &Owner,
        offset: u64,
        words: Vec<u64>,
        last: bool,
    ) -> Result<(), ErrorCode> {
        if self.ended {
            return Err(ErrorCode::Ended);
        }
        if !words.is_empty() && offset + words.len() as u64 > owner.size {
            return Err(ErrorCode::OutOfSegment);
        }
        let packet = Packet::Put {
            tag: owner.tag,
            slot: owner.slot.expect("a program has a slot"),
            offset,
            words,
            last,
        };
        at.send(owner.destination, packet);
        Ok(())
    }
}
