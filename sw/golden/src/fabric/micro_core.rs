//! The micro-cores: what the instructions of a program do.

use portico_spec::ni::{
    instruction::{
        Mode, Op, A_OFFSET, B_OFFSET, CLOSE_OFFSET, ENDS_OFFSET, ENDS_WIDTH, IMMEDIATE_OFFSET, IMMEDIATE_WIDTH,
        LAST_OFFSET, LOOPS, MODE_OFFSET, MODE_WIDTH, OP_OFFSET, OP_WIDTH, PROGRAM_WORDS, REGISTERS, REGISTER_WIDTH,
        STOP_OFFSET, SWAP_OFFSET,
    },
    packet::Rows,
    ErrorCode,
};

use super::{
    bits::{bit, field},
    cutter::{Bounds, Cutter, Outlet},
};

/// What a program works with beside its registers.
pub trait Surroundings: Outlet {
    /// The word at a place of the program memory.
    fn instruction(&self, place: usize) -> u32;
    /// Whether an event has fired. Numbers beyond the last event begin again at the first.
    fn has_fired(&self, event: u32) -> bool;
    /// Takes a credit of the command's segment, if one is there.
    fn take_credit(&mut self) -> bool;
    /// Whether a transaction of the command's segment is open. The program's own counts once it `has_ended`.
    fn is_busy(&self, has_ended: bool) -> bool;
    /// Counts in an event, as [`Surroundings::has_fired`] numbers them.
    fn notify(&mut self, event: u32);
    /// Counts in the event of the command.
    fn notify_own(&mut self);
}

/// What came of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The program goes on.
    Moved,
    /// The instruction has to wait.
    Blocked,
    /// The program has stopped.
    Stopped,
}

/// A program that runs.
#[derive(Clone, Debug)]
pub struct MicroCore {
    place: usize,
    registers: [u32; REGISTERS],
    loops: Vec<Loop>,
    cutter: Cutter,
}

#[derive(Clone, Copy, Debug)]
struct Loop {
    start: usize,
    left: u32,
}

/// The fields of an instruction. The hardware runs words too that the assembler refuses, and so does this.
struct Fields {
    op: Op,
    a: usize,
    b: u32,
    ends: usize,
    /// A notification of the command's own event.
    own: bool,
    close: bool,
    last: bool,
    stop: bool,
    swap: bool,
}

impl MicroCore {
    /// A program at `place`, with its registers and what it sends.
    pub fn new(place: usize, registers: [u32; REGISTERS], cutter: Cutter) -> MicroCore {
        MicroCore {
            place,
            registers,
            loops: Vec::new(),
            cutter,
        }
    }

    /// A program that a descriptor starts: its words are the first registers, and those of a put shape the rows.
    pub fn of_descriptor(words: &[u32], bounds: Bounds) -> MicroCore {
        let mut registers = [0; REGISTERS];
        registers[..words.len()].copy_from_slice(words);
        let rows = Rows {
            row: registers[3] as u16,
            stride: (registers[4] >> 16) as u16,
        };
        MicroCore::new(words[1] as usize, registers, Cutter::new(bounds, 0, rows))
    }

    /// What it sends.
    pub fn cutter(&self) -> &Cutter {
        &self.cutter
    }

    /// Runs one instruction. When the program stops, by an error too, the packet that is open is sent.
    ///
    /// # Errors
    /// What stops it: `UnknownInstruction`, or an error of [`Cutter`].
    pub fn step(&mut self, at: &mut impl Surroundings) -> Result<Progress, ErrorCode> {
        let result = self.execute(at);
        if !matches!(result, Ok(Progress::Moved | Progress::Blocked)) {
            self.cutter.close(false, at);
        }
        result
    }

    fn execute(&mut self, at: &mut impl Surroundings) -> Result<Progress, ErrorCode> {
        self.cutter.close_if_idle(at);
        let fields = self.decode(at)?;
        let Fields { a, b, .. } = fields;
        let ends_transfer = fields.last && fields.close;
        let has_payload = match fields.op {
            Op::Word => true,
            Op::Run => self.cutter.has_row(),
            _ => false,
        };
        if self.cutter.has_ended() && ends_transfer && !has_payload {
            return Err(ErrorCode::Ended);
        }
        match fields.op {
            Op::Stop => return Ok(Progress::Stopped),
            Op::Set => self.registers[a] = b,
            Op::Add => self.registers[a] = self.registers[a].wrapping_add(b),
            Op::Loop => self.loops.push(Loop {
                start: self.place + 1,
                left: if b & 0xffff == 0 { 1 << 16 } else { b & 0xffff },
            }),
            Op::To => self.cutter.go_to(self.registers[a], at),
            Op::Shape => {
                let (row, stride) = (self.registers[a] as u16, b as u16);
                self.cutter.reshape(Rows { row, stride }, at);
            }
            Op::Run if has_payload => {
                self.cutter.row(u64::from(self.registers[a]), at)?;
                self.registers[a] = self.registers[a].wrapping_add(b);
            }
            Op::Word => {
                let value = self.registers[a];
                let value = if fields.swap { value.rotate_left(16) } else { value };
                self.cutter.word(value, at)?;
            }
            Op::Notify if fields.own => at.notify_own(),
            Op::Notify => at.notify(b),
            Op::Wait | Op::Credit | Op::Fence => {
                // A context gives way to others only between packets.
                self.cutter.close(false, at);
                let goes_on = match fields.op {
                    Op::Wait => at.has_fired(b),
                    Op::Credit => at.take_credit(),
                    _ => !at.is_busy(self.cutter.has_ended()),
                };
                if !goes_on {
                    return Ok(Progress::Blocked);
                }
            }
            Op::Run | Op::Close => {}
        }
        if ends_transfer {
            self.cutter.end(at);
        } else if fields.close {
            self.cutter.close(false, at);
        }
        if fields.stop {
            return Ok(Progress::Stopped);
        }
        if !has_payload {
            self.cutter.idle();
        }
        self.go_on(fields.ends);
        Ok(Progress::Moved)
    }

    /// # Errors
    /// `UnknownInstruction` for an operation without a meaning, an end without a loop, or loops nested too deep.
    fn decode(&self, at: &impl Surroundings) -> Result<Fields, ErrorCode> {
        if self.place >= PROGRAM_WORDS {
            return Err(ErrorCode::UnknownInstruction);
        }
        let word = at.instruction(self.place);
        let op = Op::from_code(field(word, OP_OFFSET, OP_WIDTH)).ok_or(ErrorCode::UnknownInstruction)?;
        let ends = field(word, ENDS_OFFSET, ENDS_WIDTH) as usize;
        let nests_too_deep = op == Op::Loop && (ends > 0 || self.loops.len() == LOOPS);
        if ends > self.loops.len() || nests_too_deep {
            return Err(ErrorCode::UnknownInstruction);
        }
        let has_flags = matches!(op, Op::Run | Op::Word | Op::Close);
        let flag = |offset| has_flags && bit(word, offset);
        let immediate = ((word as i32) << (32 - IMMEDIATE_OFFSET - IMMEDIATE_WIDTH) >> (32 - IMMEDIATE_WIDTH)) as u32;
        let value = self.registers[field(word, B_OFFSET, REGISTER_WIDTH) as usize];
        let mode = Mode::from_code(field(word, MODE_OFFSET, MODE_WIDTH)).expect("all four have a meaning");
        Ok(Fields {
            op,
            a: field(word, A_OFFSET, REGISTER_WIDTH) as usize,
            b: match mode {
                Mode::Register => value,
                Mode::Low => value & 0xffff,
                Mode::High => value >> 16,
                Mode::Immediate if has_flags => 0,
                Mode::Immediate => immediate,
            },
            ends,
            own: mode == Mode::Immediate && immediate == u32::MAX,
            close: op == Op::Close || flag(CLOSE_OFFSET),
            last: flag(LAST_OFFSET),
            stop: flag(STOP_OFFSET),
            swap: flag(SWAP_OFFSET),
        })
    }

    /// The next instruction: of the `ends` innermost loops, the first with rounds left begins again, those without
    /// are left.
    fn go_on(&mut self, ends: usize) {
        self.place += 1;
        for _ in 0..ends {
            let innermost = self.loops.last_mut().expect("seen when decoded");
            innermost.left -= 1;
            if innermost.left > 0 {
                self.place = innermost.start;
                return;
            }
            self.loops.pop();
        }
    }
}
